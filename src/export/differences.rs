//! What a set-up has that the defaults do not: the keys of a lab file, which are the flags of a run, with their values.

use std::fmt::Display;

use crate::policy::Switch;
use crate::setup::Setup;

/// A set-up as what it differs by from one of the two that all others start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differences {
    /// True when it differs from the sandbox's, false when from that of a run without a screen.
    pub from_sandbox: bool,
    /// What differs, by the name of its flag, with the value as a lab file has it.
    pub keys: Vec<(&'static str, String)>,
}

impl Differences {
    /// The shorter of the two ways to write `setup`. An endless stream is written only from the sandbox, one that
    /// arrives at once only from the other.
    pub fn of(setup: &Setup) -> Differences {
        let headless = between(&Setup::headless(setup.seed), setup);
        let sandbox = between(&Setup::sandbox(setup.seed), setup);
        let endless = setup.workload.jobs.is_none();
        let paced = setup.workload.rate.is_some();
        match endless || (paced && setup.respawn.is_some() && sandbox.len() + 1 < headless.len()) {
            true => Differences { from_sandbox: true, keys: sandbox },
            false => Differences { from_sandbox: false, keys: headless },
        }
    }
}

/// What `setup` has that `base` has not.
fn between(base: &Setup, setup: &Setup) -> Vec<(&'static str, String)> {
    let all = |setup: &Setup| [policy(setup), workload(setup), faults(setup), crew(setup)].concat();
    let pairs = all(base).into_iter().zip(all(setup));
    pairs.filter_map(|((_, was), (name, is))| is.filter(|is| Some(is) != was.as_ref()).map(|is| (name, is))).collect()
}

/// A key and its value, if the set-up has one.
type Key = (&'static str, Option<String>);

fn policy(setup: &Setup) -> Vec<Key> {
    let policy = &setup.policy;
    vec![
        ("ack", quoted(policy.ack)),
        ("dedup", quoted(policy.dedup)),
        ("key", quoted(policy.key)),
        ("lease", quoted(policy.lease)),
        ("renew", quoted(policy.renew)),
        ("max-attempts", quoted(policy.attempts)),
        ("on-lost-lease", quoted(policy.on_lost_lease)),
        ("order", quoted(policy.order)),
        ("on-dead", quoted(policy.on_dead)),
        ("fence", switch(policy.fence)),
        ("values", quoted(policy.values)),
        ("backoff", quoted(policy.backoff)),
    ]
}

fn workload(setup: &Setup) -> Vec<Key> {
    let workload = &setup.workload;
    let redelivered = workload.redeliver_after.map(|planned| {
        let (least, most) = planned.jobs;
        format!("{{ jobs = [{least}, {most}], seed = {} }}", planned.seed)
    });
    vec![
        ("jobs", workload.jobs.map(|n| n.to_string())),
        ("rate", workload.rate.map(|rate| rate.to_string())),
        ("for", workload.stream_for.and_then(quoted)),
        ("delay", quoted(workload.delay)),
        ("work", quoted(workload.work)),
        ("keys", Some(workload.keys.to_string())),
        ("poison", workload.poison.and_then(quoted)),
        ("redeliver-after", redelivered),
    ]
}

fn faults(setup: &Setup) -> Vec<Key> {
    let list = |strikes: &[crate::setup::Strike]| {
        let strikes: Vec<String> = strikes.iter().filter_map(quoted).collect();
        (!strikes.is_empty()).then(|| format!("[{}]", strikes.join(", ")))
    };
    vec![
        ("crash", list(&setup.crash)),
        ("fail", list(&setup.fail)),
        ("lose-beats", quoted(setup.lose_beats)),
        ("lose-acks", quoted(setup.lose_acks)),
        ("lose-replies", quoted(setup.lose_replies)),
    ]
}

fn crew(setup: &Setup) -> Vec<Key> {
    let respawn = setup.respawn.map_or_else(|| "off".to_owned(), |after| after.to_string());
    vec![
        ("workers", Some(setup.workers.to_string())),
        ("respawn", quoted(respawn)),
        ("gap", quoted(setup.gap)),
        ("speed", Some(setup.speed.to_string())),
        ("idle-jump", switch(setup.idle_jump)),
        ("synchronous", quoted(setup.synchronous)),
    ]
}

/// A value whose words hold nothing that TOML would have to escape.
fn quoted(value: impl Display) -> Option<String> {
    Some(format!("\"{value}\""))
}

fn switch(switch: Switch) -> Option<String> {
    Some(switch.is_on().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_differ_by_nothing() {
        assert_eq!(Differences::of(&Setup::headless(3)), Differences { from_sandbox: false, keys: Vec::new() });
        assert_eq!(Differences::of(&Setup::sandbox(3)), Differences { from_sandbox: true, keys: Vec::new() });
    }

    #[test]
    fn only_what_differs_is_written_with_the_values_that_flags_take() {
        let mut setup = Setup::headless(3);
        setup.workload.jobs = Some(20);
        setup.policy.fence = Switch::On;
        setup.respawn = None;
        setup.crash = vec!["page@effect".parse().expect("a strike"), "2%@work".parse().expect("a strike")];
        let keys = Differences::of(&setup).keys;
        let wanted =
            [("fence", "true"), ("jobs", "20"), ("crash", "[\"page@effect\", \"0.02@work\"]"), ("respawn", "\"off\"")];
        assert_eq!(keys, wanted.map(|(name, value)| (name, value.to_owned())));
    }

    #[test]
    fn a_session_of_the_sandbox_is_written_from_there() {
        let mut setup = Setup::sandbox(3);
        setup.workload.jobs = Some(30);
        let differences = Differences::of(&setup);
        assert_eq!((differences.from_sandbox, differences.keys), (true, vec![("jobs", "30".to_owned())]));
    }
}
