//! What each chooser offers, from the run as it is now.

use super::chooser::{Choice, Chooser, Pick};
use crate::action::{Action, Letters, Link, Message, Who};
use crate::board::{Board, DeadView, WorkerView};
use crate::event::Fault;
use crate::ids::{Job, Worker};
use crate::policy::{Dedup, Point, Policy, Setting, SettingName};
use crate::setup::Rate;
use crate::text::count;
use crate::time::Span;
use crate::tui::fit::chosen;
use crate::tui::words::fate::{Fate, death, standing_at};
use crate::tui::words::policy::{claim, code};

const WINDOWS: [u32; 7] = [10, 100, 500, 1_000, 2_000, 5_000, 10_000];
const TTLS: [u64; 5] = [10, 60, 600, 3_600, 86_400];

/// `d`: how duplicates are recognised, each way as its program.
pub fn dedup(policy: &Policy) -> Chooser {
    let ways = [('n', Dedup::ALL[0]), ('e', Dedup::ALL[1]), ('k', Dedup::ALL[2]), ('t', Dedup::ALL[3])];
    let mut rows: Vec<Choice> = ways.iter().map(|(letter, way)| dedup_row(*letter, *way, policy)).collect();
    rows.push(window_row(policy));
    rows.push(ttl_row(policy));
    rows.push(dedup_row('p', Dedup::PerWorker, policy));
    let same = |way: Dedup| std::mem::discriminant(&way) == std::mem::discriminant(&policy.dedup);
    let selected = Dedup::ALL.iter().position(|way| same(*way)).unwrap_or(0);
    Chooser { title: "dedup, from the next delivery on".to_owned(), rows, selected }
}

fn dedup_row(letter: char, way: Dedup, policy: &Policy) -> Choice {
    let with = Policy { dedup: way, ..policy.clone() };
    let mut row = Choice::plain(letter, way.to_string(), code(&with.program()), Action::Set(Setting::Dedup(way)));
    row.claims = claim(&with).to_owned();
    row
}

fn window_row(policy: &Policy) -> Choice {
    let now = if let Dedup::Window(n) = policy.dedup { n } else { Dedup::DEFAULT_WINDOW };
    let mut sizes: Vec<u32> = WINDOWS.into_iter().chain([now]).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let pick = sizes.iter().position(|n| *n == now).unwrap_or(0);
    let picks = sizes
        .iter()
        .map(|n| Pick { figure: count(u64::from(*n)), action: Action::Set(Setting::Dedup(Dedup::Window(*n))) });
    Choice { name: "window".to_owned(), picks: picks.collect(), pick, ..dedup_row('w', Dedup::Window(now), policy) }
}

fn ttl_row(policy: &Policy) -> Choice {
    let now = if let Dedup::Ttl(d) = policy.dedup { d } else { Dedup::DEFAULT_TTL };
    let mut spans: Vec<Span> = TTLS.into_iter().map(Span::seconds).chain([now]).collect();
    spans.sort_unstable();
    spans.dedup();
    let pick = spans.iter().position(|d| *d == now).unwrap_or(0);
    let picks = spans.iter().map(|d| Pick { figure: chosen(*d), action: Action::Set(Setting::Dedup(Dedup::Ttl(*d))) });
    Choice { name: "ttl".to_owned(), picks: picks.collect(), pick, ..dedup_row('l', Dedup::Ttl(now), policy) }
}

/// A setting of the chooser `c`: its letter, what it is called, what it is about, and the values that are offered.
struct Offered {
    letter: char,
    name: SettingName,
    label: &'static str,
    says: &'static str,
    values: &'static [&'static str],
}

const fn offered(
    letter: char,
    name: SettingName,
    label: &'static str,
    says: &'static str,
    values: &'static [&'static str],
) -> Offered {
    Offered { letter, name, label, says, values }
}

const REST: [Offered; 9] = [
    offered(
        'l',
        SettingName::Lease,
        "lease",
        "how long a delivery is leased",
        &["500ms", "1s", "2s", "3s", "5s", "10s", "30s", "1min"],
    ),
    offered('r', SettingName::Renew, "renewal", "when the lease is renewed", &["off", "1/3", "2x"]),
    offered(
        't',
        SettingName::Attempts,
        "tries",
        "how often a job may be started",
        &["1", "2", "3", "5", "10", "unlimited"],
    ),
    offered('o', SettingName::Order, "order", "which jobs wait for each other", &["none", "key"]),
    offered('d', SettingName::OnDead, "on dead", "a key whose head is dead-lettered", &["skip", "block"]),
    offered('f', SettingName::Fence, "fence", "the sink refuses writes of zombies", &["off", "on"]),
    offered('k', SettingName::Key, "key", "what the dedup key is made of", &["job", "attempt", "random"]),
    offered('g', SettingName::OnLostLease, "lost lease", "a worker whose lease is gone", &["continue", "abort"]),
    offered('b', SettingName::Backoff, "backoff", "the wait after a failure", &["100ms,2,5s", "1s,2,30s", "5s,2,1min"]),
];

/// `c`: the rest of the policy. Each row offers every value but the one in force, starting with the next.
pub fn change(policy: &Policy) -> Chooser {
    let rows = REST.iter().map(|setting| setting_row(setting, policy));
    Chooser { title: "change, from the next delivery on".to_owned(), rows: rows.collect(), selected: 0 }
}

fn setting_row(offered: &Offered, policy: &Policy) -> Choice {
    let now = policy.value(offered.name);
    let place = offered.values.iter().position(|value| *value == now);
    let picks: Vec<Pick> = offered
        .values
        .iter()
        .filter(|value| **value != now)
        .filter_map(|value| Setting::parse(offered.name, value).ok().map(|setting| (value, setting)))
        .map(|(value, setting)| Pick { figure: format!("{now:<10} -> {value}"), action: Action::Set(setting) })
        .collect();
    let pick = place.unwrap_or(0).min(picks.len().saturating_sub(1));
    Choice {
        letter: offered.letter,
        name: format!("{:<11}", offered.label),
        says: offered.says.to_owned(),
        claims: String::new(),
        claims_fully: String::new(),
        bad: false,
        picks,
        pick,
    }
}

/// `X`: the gaps of the policy, each with what a death there comes to.
pub fn kill_at(policy: &Policy, worker: Worker, truth: bool) -> Chooser {
    let program = policy.program();
    let row = |point: Point| {
        let letter = program.letter(point).unwrap_or('?');
        let death = death(policy, point);
        let action = Action::Kill(Who::Worker(worker), Some(point));
        let mut row = Choice::plain(letter, format!("after {point}"), standing_at(policy, point), action);
        row.claims = match (truth, death) {
            (true, Some(death)) => death.brief().to_owned(),
            _ => "?".to_owned(),
        };
        if let (true, Some(death)) = (truth, death) {
            row.claims_fully = death.words(policy).to_owned();
        }
        row.bad = truth && death.is_some_and(|death| death.fate != Fate::Once);
        row
    };
    let mut rows: Vec<Choice> = program.points().into_iter().map(row).collect();
    let disarm = Action::Disarm(Who::Worker(worker));
    rows.push(Choice::plain('X', "disarm", "takes an armed kill back", disarm));
    Chooser { title: format!("kill {worker} at a gap"), rows, selected: 0 }
}

/// `F`: every fault, on the selected worker or on all messages. One that is in force is offered as healed.
pub fn faults(view: &WorkerView) -> Chooser {
    let who = Who::Worker(view.worker);
    let w = view.worker;
    let rows = vec![
        Choice::plain('x', "kill", "the worker dies; its lease goes on", Action::Kill(who, None)),
        fault_row('s', view, Fault::Stall, "stall", "renewals stop; work goes on", Action::Stall(who, None)),
        fault_row('z', view, Fault::Pause, "sleep", "work and renewals stop", Action::Pause(who, None)),
        fault_row('h', view, Fault::Hang, "hang", "work stops; renewals go on", Action::Hang(who, None)),
        slow_row(view),
        fault_row(
            'p',
            view,
            Fault::CutQueue,
            "cut queue",
            "no message to or from the queue",
            Action::Cut(who, Link::Queue, None),
        ),
        fault_row('P', view, Fault::CutSink, "cut sink", "no transaction", Action::Cut(who, Link::Sink, None)),
        lose_row('b', Message::Beats, "lose beats", "renewals of all workers", view),
        lose_row('a', Message::Acks, "lose acks", "acks of all workers", view),
        lose_row('r', Message::Replies, "lose replies", "the sink's answers to all workers", view),
    ];
    Chooser { title: format!("faults of {w}"), rows, selected: 0 }
}

fn has(view: &WorkerView, fault: Fault) -> bool {
    view.faults.iter().any(|(what, _)| *what == fault)
}

fn fault_row(letter: char, view: &WorkerView, fault: Fault, name: &str, says: &str, action: Action) -> Choice {
    if has(view, fault) {
        let heal = Action::Heal(Who::Worker(view.worker), Some(fault));
        return Choice::plain(letter, format!("heal {name}"), "ends it", heal);
    }
    Choice::plain(letter, name, says, action)
}

fn slow_row(view: &WorkerView) -> Choice {
    let row = fault_row('l', view, Fault::Slow, "slow", "work takes that many times as long", Action::Go);
    if has(view, Fault::Slow) {
        return row;
    }
    let pick = |factor: f64| Pick {
        figure: format!("x{factor}"),
        action: Action::Slow(Who::Worker(view.worker), factor, None),
    };
    Choice { picks: [2.0, 3.0, 4.0, 10.0, 100.0].map(pick).into(), pick: 2, ..row }
}

fn lose_row(letter: char, message: Message, name: &str, says: &str, view: &WorkerView) -> Choice {
    if has(view, message.fault()) {
        let heal = Action::Heal(Who::All, Some(message.fault()));
        return Choice::plain(letter, format!("heal {name}"), "ends it", heal);
    }
    let most = if message == Message::Replies { 0.9 } else { 1.0 };
    let pick = |p: f64| {
        Rate::new(p).map(|rate| Pick { figure: format!("{:.0} %", p * 100.0), action: Action::Lose(message, rate) })
    };
    let picks: Vec<Pick> = [0.01, 0.05, 0.2, 0.5, most].into_iter().filter_map(pick).collect();
    let row = Choice::plain(letter, name, says, Action::Go);
    Choice { picks, pick: 2, ..row }
}

/// `R`: one dead letter or all of them; `None` while the DLQ is empty.
pub fn redrive(letters: &[DeadView], selected: Option<Job>) -> Option<Chooser> {
    let one = selected.or_else(|| letters.first().map(|letter| letter.job))?;
    let rows = vec![
        Choice::plain(
            'o',
            format!("job {one}"),
            "back in the queue with a fresh budget",
            Action::Redrive(Letters::One(one)),
        ),
        Choice::plain(
            'a',
            format!("all {}", count(letters.len() as u64)),
            "each with a fresh budget",
            Action::Redrive(Letters::All),
        ),
    ];
    Some(Chooser { title: "redrive".to_owned(), rows, selected: 0 })
}

/// The chooser for a worker's faults, if the run has that worker.
pub fn faults_of(board: &Board, now: crate::time::Instant, place: usize) -> Option<Chooser> {
    board.workers(now).get(place).map(faults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::AckOrder;

    fn sandbox() -> Policy {
        Policy { lease: Span::seconds(3), dedup: Dedup::EffectThenKey, ..Policy::default() }
    }

    #[test]
    fn dedup_shows_every_way_as_its_program_with_its_claim_and_the_present_one_selected() {
        let chooser = dedup(&sandbox());
        let letters: String = chooser.rows.iter().map(|row| row.letter).collect();
        assert_eq!(letters, "nektwlp");
        assert_eq!(chooser.rows[chooser.selected].name, "effect-then-key");
        assert_eq!(chooser.rows[3].says, "claim work [check effect key] ack");
        assert_eq!(chooser.rows[4].claims, "while it remembers");
        assert_eq!(chooser.rows[0].claims, "at-least-once");
    }

    #[test]
    fn change_never_offers_what_is_in_force() {
        let policy = sandbox();
        for row in change(&policy).rows {
            assert!(!row.picks.is_empty(), "{}", row.name);
            for pick in row.picks {
                let Action::Set(setting) = pick.action else { panic!("a setting") };
                let mut changed = policy.clone();
                changed.set(setting);
                assert_ne!(changed, policy, "{}", pick.figure);
            }
        }
    }

    #[test]
    fn gaps_are_those_of_the_policy_and_a_bad_one_says_so() {
        let chooser = kill_at(&sandbox(), Worker(2), true);
        let letters: String = chooser.rows.iter().map(|row| row.letter).collect();
        assert_eq!(letters, "abcdefX");
        let bad: Vec<char> = chooser.rows.iter().filter(|row| row.bad).map(|row| row.letter).collect();
        assert_eq!(bad, ['d']);
        let first = Policy { ack: AckOrder::Before, dedup: Dedup::None, ..sandbox() };
        assert_eq!(kill_at(&first, Worker(2), true).rows.len(), 5);
    }

    #[test]
    fn a_chooser_has_no_letter_twice() {
        let view = WorkerView {
            worker: Worker(1),
            state: crate::board::WorkerState::Working,
            delivery: None,
            step: crate::board::StepView::Nowhere,
            last_beat: None,
            back: None,
            faults: vec![(Fault::Stall, 0.0)],
            armed: None,
        };
        for chooser in [dedup(&sandbox()), change(&sandbox()), kill_at(&sandbox(), Worker(1), true), faults(&view)] {
            let mut letters: Vec<char> = chooser.rows.iter().map(|row| row.letter).collect();
            let all = letters.len();
            letters.sort_unstable();
            letters.dedup();
            assert_eq!(letters.len(), all, "{}", chooser.title);
        }
        let heal = &faults(&view).rows[1];
        assert_eq!(heal.picks[0].action, Action::Heal(Who::Worker(Worker(1)), Some(Fault::Stall)));
    }
}
