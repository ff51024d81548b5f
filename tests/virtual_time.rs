//! Virtual time: the same seed gives the same log, on every machine, and what is planned happens when it is planned.

#![allow(clippy::disallowed_methods, reason = "the program is run as others run it")]

mod support;

use std::collections::BTreeSet;
use std::process::Command;
use std::{env, fs};

use onceish::digest::first_difference;
use onceish::event::{Event, Finish};
use onceish::setup::Poison;
use onceish::time::Span;
use support::{Lab, is, lab};

/// A faulty scenario: rates, poison, backoff, order by key, lost messages, and something of every kind that can be done.
fn troubled(seed: u64, jobs: u32) -> Lab {
    let lab =
        lab(jobs).workers(4).work("300ms~50%").with("lease 1s, order key, backoff 200ms,2,1s").poison(2, Poison::Crash);
    let lab = lab
        .crash("5%@effect")
        .crash("2%@claim")
        .crash("4%@commit")
        .fail("5%@work")
        .respawn(Some(Span::millis(500)))
        .change(|setup| {
            setup.seed = seed;
            setup.workload.rate = Some(10.0);
            setup.gap = Span::millis(10);
            setup.lose_acks = "6%".parse().expect("a rate");
            setup.lose_beats = "30%".parse().expect("a rate");
            setup.lose_replies = "8%".parse().expect("a rate");
            setup.policy.values = "last-write".parse().expect("a choice");
        });
    let lab = lab.at(0.5, "kill random").at(0.7, "stall w1 for 3s").at(0.9, "dedup effect-then-key");
    let lab = lab.at(1.0, "kill all at effect").at(1.05, "disarm w4").at(1.3, "cut w2 queue for 3s");
    let lab = lab.at(1.5, "pause w3 for 1200ms").at(1.7, "slow w1 x3 for 2s").at(1.9, "cut w4 sink for 1s");
    let lab = lab.at(2.1, "key attempt").at(2.3, "ack before").at(2.5, "poison fail").at(2.7, "fence on");
    let lab = lab.at(2.8, "stop").at(2.8, "step").at(2.8, "step").at(2.8, "go").at(2.9, "on-lost-lease abort");
    let lab = lab.at(3.0, "hang w3 for 2s").at(3.1, "lose acks 30%").at(3.4, "heal all").at(3.5, "dedup per-worker");
    let lab =
        lab.at(3.7, "ack after").at(3.9, "order none").at(4.1, "dedup window:5").at(4.3, "lease 3s").at(4.4, "jump");
    lab.at(4.5, "attempts 2")
        .at(4.7, "kill w2")
        .at(4.8, "restart w2")
        .at(9.0, "redrive all")
        .at(9.5, "mark nearly done")
}

fn lines(events: &[Event]) -> String {
    events.iter().map(|event| serde_json::to_string(event).expect("writes") + "\n").collect()
}

/// The kinds of events in a log, by the names that their lines bear.
fn kinds(events: &[Event]) -> BTreeSet<String> {
    let kind = |event: &Event| serde_json::to_value(event).expect("writes")["e"].as_str().expect("a name").to_owned();
    events.iter().map(kind).collect()
}

/// A seed under which every kind of event comes up.
const KEPT_SEED: u64 = 63;
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept/troubled.jsonl");
const KEPT_DIGEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept/troubled.sha256");
/// With this set the kept log is written anew instead of being compared.
const RENEW: &str = "ONCEISH_RENEW_KEPT";

/// What it holds: a log that was written down once comes out again, to the byte, on every machine and in every build:
/// no address, hash order, thread, clock, float of a platform or optimisation has a part in it. Which events are right
/// is held elsewhere; a change that is meant to change them has to renew it on purpose.
#[test]
fn a_troubled_run_goes_as_it_was_written_down() {
    let ended = troubled(KEPT_SEED, 60).simulate();
    if env::var_os(RENEW).is_some() {
        fs::write(KEPT, lines(&ended.events)).expect("the kept log can be written");
        fs::write(KEPT_DIGEST, format!("{}\n", ended.digest())).expect("its digest can be written");
    }
    let kept = fs::read_to_string(KEPT).expect("there is a kept log");
    let read: Vec<Event> = kept.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let renew =
        format!("if that is meant, renew {KEPT} with {RENEW}=1 cargo test --test virtual_time, and look at its diff");
    if let Some(place) = first_difference(&read, &ended.events) {
        panic!("the run goes another way than the kept log: {place}\n{renew}");
    }
    assert_eq!(lines(&ended.events), kept, "the same events are written in other words; {renew}");
    let digest = fs::read_to_string(KEPT_DIGEST).expect("there is a kept digest");
    assert_eq!(ended.digest(), digest.trim(), "{renew}");
}

#[test]
fn the_run_that_is_written_down_has_something_of_everything() {
    let ended = troubled(KEPT_SEED, 60).simulate();
    assert!((300..=1_000).contains(&ended.events.len()), "{} events", ended.events.len());
    assert!(lines(&ended.events).len() < 100_000);
    let kinds = kinds(&ended.events);
    let wanted = "started spawned enqueued claimed stepped effect key recognised acked ended renewed beat_lost nacked died \
        expired dead redriven policy action fault healed armed disarmed held ack_lost ack_stale reply_lost stopped going \
        jumped marked audited drained finished";
    let missing: Vec<&str> = wanted.split_whitespace().filter(|kind| !kinds.contains(*kind)).collect();
    assert!(missing.is_empty(), "the kept run has no {missing:?}");
}

#[test]
fn the_same_seed_gives_the_same_log_to_the_byte_and_another_seed_another() {
    let first = troubled(7, 400).simulate();
    for _ in 0..4 {
        let again = troubled(7, 400).simulate();
        assert_eq!(first_difference(&first.events, &again.events), None);
        assert_eq!(lines(&first.events), lines(&again.events));
    }
    assert_ne!(troubled(8, 400).simulate().digest(), first.digest());
}

/// The program's flags for a run with every kind of trouble that flags can make.
const TROUBLED: &str = "run --json --driver simulation --seed 7 --rate 20 --work 300ms~50% --lease 2s --order key \
    --poison 3:crash --crash 5%@effect --fail 5%@work --lose-beats 20% --lose-acks 3% --lose-replies 3% --gap 10ms \
    --respawn 500ms --values versioned";

/// The digest that the program prints for so many jobs of it.
fn digest_of_the_program(jobs: u32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
    command.args(TROUBLED.split_whitespace()).args(["--jobs", &jobs.to_string()]);
    let output = command.output().expect("the program can be started");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    report["digest"].as_str().expect("a digest").to_owned()
}

/// Which processors a program may use.
#[cfg(target_os = "linux")]
mod cores {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// Runs something that finds one processor only, and so do the programs that it starts. `None` if there is but one.
    pub fn on_one<T>(run: impl FnOnce() -> T) -> Option<T> {
        let all = sched_getaffinity(None).expect("the processors can be asked for");
        if all.count() < 2 {
            return None;
        }
        let first = (0..CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu)).expect("there is one");
        let mut one = CpuSet::new();
        one.set(first);
        sched_setaffinity(None, &one).expect("one of our own processors");
        let ran = run();
        sched_setaffinity(None, &all).expect("as it was");
        Some(ran)
    }
}

#[cfg(not(target_os = "linux"))]
mod cores {
    /// Here nobody can be bound to a processor.
    pub fn on_one<T>(_run: impl FnOnce() -> T) -> Option<T> {
        None
    }
}

fn runs_agree(runs: usize, jobs: u32) {
    let digests = |runs: usize| (0..runs).map(|_| digest_of_the_program(jobs)).collect::<BTreeSet<_>>();
    let mut all = digests(runs);
    all.extend(cores::on_one(|| digests(runs)).unwrap_or_default());
    assert_eq!(all.len(), 1, "{runs} runs on all processors and as many on one: {all:?}");
}

#[test]
fn the_program_prints_one_digest_for_one_seed_on_one_processor_and_on_all() {
    runs_agree(5, 300);
}

#[test]
#[ignore = "the long form: a hundred runs of a larger scenario"]
fn a_hundred_runs_give_one_digest() {
    runs_agree(50, 5_000);
}

#[test]
fn a_lease_runs_out_at_its_deadline_to_the_nanosecond() {
    let lab = lab(1).workers(2).work("10s").with("lease 4s").at(1.0, "stall w1");
    let ended = lab.at(30.0, "heal w1").simulate();
    assert_eq!(ended.time(is::expired).0, 4_000_000_000);
    assert_eq!(ended.time(is::ack_stale).0, 10_000_000_000);
}

#[test]
fn time_that_nobody_lets_go_again_ends_the_run_and_says_so() {
    let ended = lab(4).workers(2).work("1s").at(1.5, "stop").simulate();
    assert_eq!(ended.how, Finish::Stuck);
    assert_eq!(ended.board.stuck(), Some("time stands, and nobody lets it go"));
    assert_eq!(ended.count(is::effect), 2, "the two jobs of the first second");
}

#[test]
fn a_job_that_fails_at_once_and_for_ever_is_a_livelock_and_says_so() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
    let flags = "run --headless --driver simulation --jobs 1 --poison 1 --max-attempts unlimited --backoff 0 --seed 1";
    let output = command.args(flags.split_whitespace()).output().expect("the program can be started");
    let told = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(told.contains("at 0.000 s no time passed and no job was settled"), "{told}");
}

#[test]
#[ignore = "a million turns take many seconds without optimisation"]
fn a_job_that_kills_every_worker_and_is_tried_for_ever_is_stuck() {
    let lab = lab(1).workers(1).poison(1, Poison::Crash).with("lease 1ms, attempts unlimited");
    let ended = lab.simulate();
    assert_eq!(ended.how, Finish::Stuck);
    assert!(ended.board.stuck().is_some_and(|why| why.starts_with("no end in sight")), "{:?}", ended.board.stuck());
}
