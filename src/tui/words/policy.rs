//! A policy in words: as the strip says it, and as a program on one line.

use crate::policy::program::Bracket;
use crate::policy::{AckOrder, Attempts, Dedup, DedupKey, OnLostLease, Ordering, Policy, Program, Renewal};
use crate::text::count;
use crate::tui::fit::chosen;

/// What a worker does under `policy`, as a sentence; shorter where there is less room.
pub fn sentence(policy: &Policy, brief: bool) -> String {
    in_order(policy.ack, &if brief { apply_brief(policy.dedup) } else { apply(policy.dedup) })
}

/// What a worker does under `policy`, in the fewest words: `Work, effect, key, ack.`
pub fn steps(policy: &Policy) -> String {
    in_order(policy.ack, &apply_brief(policy.dedup).replace("write the ", "").replace("write ", ""))
}

fn in_order(ack: AckOrder, apply: &str) -> String {
    match ack {
        AckOrder::Before => format!("Ack, work, {apply}."),
        AckOrder::After => format!("Work, {apply}, ack."),
    }
}

fn apply(dedup: Dedup) -> String {
    match dedup {
        Dedup::None => "write the effect".to_owned(),
        Dedup::EffectThenKey => "write the effect, write the key (two transactions)".to_owned(),
        Dedup::KeyThenEffect => "write the key, write the effect (two transactions)".to_owned(),
        Dedup::Transactional => "check, effect and key in one transaction".to_owned(),
        Dedup::Window(n) => {
            format!("check, effect and a memory of {} ids in one transaction", count(u64::from(n)))
        }
        Dedup::Ttl(d) => format!("check, effect and a memory of {} in one transaction", chosen(d)),
        Dedup::PerWorker => "check the worker's memory, write the effect, remember".to_owned(),
    }
}

fn apply_brief(dedup: Dedup) -> String {
    match dedup {
        Dedup::None => "write the effect".to_owned(),
        Dedup::EffectThenKey => "write effect, write key".to_owned(),
        Dedup::KeyThenEffect => "write key, write effect".to_owned(),
        Dedup::Transactional => "[check, effect, key]".to_owned(),
        Dedup::Window(n) => format!("[check {} ids, effect, id]", count(u64::from(n))),
        Dedup::Ttl(d) => format!("[check {}, effect, id]", chosen(d)),
        Dedup::PerWorker => "[check, effect], remember".to_owned(),
    }
}

/// Lease and renewal: `Lease 3 s, renewed every 0.95 s.`
pub fn lease(policy: &Policy, brief: bool) -> String {
    let lease = chosen(policy.lease);
    match (policy.renew, policy.beat()) {
        (Renewal::Off, _) | (_, None) => format!("Lease {lease}, not renewed."),
        (_, Some(beat)) if beat >= policy.lease && policy.ack == AckOrder::After => {
            if brief {
                return format!("Lease {lease}, renewed late.");
            }
            format!("Lease {lease}, renewed too late, after {}.", chosen(beat))
        }
        (_, Some(beat)) if brief => format!("Lease {lease}, renewed {}.", chosen(beat)),
        (_, Some(beat)) => format!("Lease {lease}, renewed every {}.", chosen(beat)),
    }
}

/// The tries: `3 tries`.
pub fn tries(policy: &Policy) -> String {
    match policy.attempts {
        Attempts::Limit(1) => "1 try".to_owned(),
        Attempts::Limit(n) => format!("{} tries", count(u64::from(n))),
        Attempts::Unlimited => "tries without end".to_owned(),
    }
}

/// What else differs from the usual: `no fence`, then whatever is not as it is by default.
pub fn rest(policy: &Policy) -> String {
    let mut words = vec![if policy.fence.is_on() { "fenced" } else { "no fence" }];
    if policy.key != DedupKey::Job {
        words.push(if policy.key == DedupKey::Attempt { "key = attempt" } else { "key = random" });
    }
    if policy.order == Ordering::Key {
        words.push("in order of key");
    }
    if policy.on_lost_lease == OnLostLease::Abort {
        words.push("a lost lease aborts");
    }
    words.join(", ")
}

/// The program on one line, without the last point: `claim work check [effect] [key] ack`.
pub fn code(program: &Program) -> String {
    let mut words = String::new();
    for line in program.lines() {
        let label = line.label.split(' ').next().unwrap_or(line.label);
        let text = match line.bracket {
            Bracket::Outside | Bracket::Within => label.to_owned(),
            Bracket::Alone => format!("[{label}]"),
            Bracket::Opens => format!("[{label}"),
            Bracket::Closes => format!("{label}]"),
        };
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&text);
    }
    words
}

/// What `policy` claims, with its proviso instead where it has one: `while it remembers`.
pub fn claim(policy: &Policy) -> &'static str {
    policy.proviso().unwrap_or(policy.promise().name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Switch;
    use crate::time::Span;

    #[test]
    fn a_renewal_that_comes_after_the_lease_is_said_to_be_too_late() {
        let mut policy = Policy { lease: Span::seconds(5), renew: "10s".parse().expect("a time"), ..Policy::default() };
        assert_eq!(lease(&policy, false), "Lease 5 s, renewed too late, after 10 s.");
        policy.ack = AckOrder::Before;
        assert_eq!(lease(&policy, false), "Lease 5 s, renewed every 10 s.", "no lease outlasts such an ack");
    }

    #[test]
    fn the_sandbox_policy_reads_as_a_sentence() {
        let policy = Policy { dedup: Dedup::EffectThenKey, lease: Span::seconds(3), ..Policy::default() };
        assert_eq!(sentence(&policy, false), "Work, write the effect, write the key (two transactions), ack.");
        assert_eq!(lease(&policy, false), "Lease 3 s, renewed every 0.95 s.");
        assert_eq!(steps(&policy), "Work, effect, key, ack.");
        assert_eq!(steps(&Policy { dedup: Dedup::None, ..policy.clone() }), "Work, effect, ack.");
        assert_eq!(tries(&policy), "3 tries");
        assert_eq!(rest(&policy), "no fence");
    }

    #[test]
    fn what_is_not_as_usual_is_said() {
        let policy = Policy {
            ack: AckOrder::Before,
            key: DedupKey::Attempt,
            fence: Switch::On,
            order: Ordering::Key,
            renew: Renewal::Off,
            ..Policy::default()
        };
        assert_eq!(sentence(&policy, true), "Ack, work, [check, effect, key].");
        assert_eq!(lease(&policy, true), "Lease 30 s, not renewed.");
        assert_eq!(rest(&policy), "fenced, key = attempt, in order of key");
    }

    #[test]
    fn a_policy_is_shown_as_its_program() {
        for (dedup, code) in [
            (Dedup::None, "claim work [effect] ack"),
            (Dedup::EffectThenKey, "claim work check [effect] [key] ack"),
            (Dedup::Transactional, "claim work [check effect key] ack"),
            (Dedup::Window(9), "claim work [check effect remember] ack"),
            (Dedup::PerWorker, "claim work [check effect] remember ack"),
        ] {
            assert_eq!(super::code(&Program::of(AckOrder::After, dedup)), code);
        }
    }
}
