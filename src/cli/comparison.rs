//! What all commands that measure share: runs that are made while somebody waits, and the exit code that follows from
//! how far they can be believed.
//!
//! A signal ends them before there is a result. How far they have come is said on stderr, if that is a terminal.
#![allow(clippy::disallowed_methods, reason = "the runs are made on a thread while this one waits for signals")]

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use anyhow::{Context, anyhow};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::failure::Failure;
use super::headless::{GRACE, LOOK, ProgressLine, shows_progress};
use super::outcome::{Outcome, Signal};
use super::runner::LabRunner;
use super::signals;
use super::words;
use crate::claims::{Runner, Soundness};
use crate::policy::Attempts;
use crate::request::SinkError;
use crate::setup::{Setup, Strike, Whom};
use crate::text::{clean, counted};

/// The seed of commands that measure when none is given: the same question has the same answer.
pub const SEED: u64 = 1;
/// How many digits of a digest are printed for people.
const SHOWN_DIGITS: usize = 16;

/// Makes the runs of `claim`, of which there are `runs`, and gives back what it found.
pub fn perform<T: Send + 'static>(
    runs: usize,
    claim: impl FnOnce(&dyn Runner) -> Result<T, SinkError> + Send + 'static,
) -> Result<T, Failure> {
    let (heard, signals) = unbounded();
    signals::watch(heard).context("cannot wait for signals")?;
    let runner = Arc::new(LabRunner::default());
    let (over, ended) = bounded(1);
    let work = {
        let runner = runner.clone();
        move || tell(&over, claim(runner.as_ref()))
    };
    let worker = thread::Builder::new().name("claims".into()).spawn(work).context("cannot start a thread")?;
    match wait(runs, &runner, &ended, &signals)? {
        Some(found) => found.map_err(|error| Failure::Runtime(anyhow!("{error}"))),
        None => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => Err(Failure::Runtime(anyhow!("the runs gave no result"))),
        },
    }
}

/// Nobody may be left who waits for the result, after a signal.
fn tell<T>(over: &Sender<T>, found: T) {
    let _somebody_may_wait = over.send(found);
}

/// Waits for the result; `None` when there will be none.
fn wait<T>(
    runs: usize,
    runner: &LabRunner,
    ended: &Receiver<T>,
    signals: &Receiver<Signal>,
) -> Result<Option<T>, Failure> {
    let began = Instant::now();
    let mut line = ProgressLine::new(shows_progress());
    let mut signals = signals.clone();
    loop {
        crossbeam_channel::select! {
            recv(ended) -> found => {
                line.wipe();
                return Ok(found.ok());
            }
            recv(signals) -> heard => match heard {
                Ok(signal) => {
                    line.wipe();
                    runner.stop();
                    let _there_is_no_result = ended.recv_timeout(GRACE);
                    return Err(Failure::Signalled(signal));
                }
                Err(_) => signals = crossbeam_channel::never(),
            },
            default(LOOK) => {
                let runs = counted(runs as u64, "run", "runs");
                line.show(&format!("{} of {runs}  after {:.1} s", runner.done(), began.elapsed().as_secs_f64()));
            }
        }
    }
}

/// The exit code of runs that were measured, each with its name, and not judged by what they found: 0 for `held`.
pub fn judge<'a>(runs: impl Iterator<Item = (&'a str, &'a Soundness)> + Clone, held: &str) -> Outcome {
    let first = |is: &dyn Fn(&Soundness) -> Option<String>| {
        runs.clone().find_map(|(name, run)| is(run).map(|what| format!("{}: {what}", clean(name))))
    };
    let violated = first(&|run| run.violations.first().map(|text| format!("an invariant did not hold: {text}")));
    let differed = || first(&|run| (!run.agree).then(|| "board and SQL disagree".to_owned()));
    if let Some(untrue) = violated.or_else(differed) {
        return Outcome::new(1, untrue);
    }
    let unfinished = first(&|run| run.unfinished.clone());
    let missed = || {
        first(&|run| run.missed().map(|list| format!("{} struck {} of {} jobs", list.strike, list.struck, list.had_to)))
    };
    match unfinished.or_else(missed) {
        Some(why) => Outcome::new(3, format!("inconclusive: {why}")),
        None => Outcome::new(0, held),
    }
}

/// Says so when a run would never end: a job that never comes through may be started for ever.
pub fn endless(setup: &Setup) -> Option<String> {
    let always = |strike: &Strike| matches!(strike.whom, Whom::Rate(rate) if rate.value() >= 1.0);
    let never_done = setup.workload.poison.is_some() || setup.crash.iter().chain(&setup.fail).any(always);
    let endless = never_done && setup.policy.attempts == Attempts::Unlimited;
    endless.then(|| "with unlimited attempts, jobs that crash or fail each time would be tried for ever".to_owned())
}

/// The line that ends a report: the exit code and its reason.
pub fn exit_line(outcome: &Outcome, indent: usize) -> String {
    words::labelled(&format!("exit {}", outcome.code), indent, &clean(&outcome.reason))
}

/// A digest as people are shown it: enough of it to tell one from another.
pub fn short(digest: &str) -> &str {
    digest.get(..SHOWN_DIGITS).unwrap_or(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::List;

    #[test]
    fn a_run_that_would_never_end_is_not_begun() {
        let mut setup = Setup::headless(1);
        setup.policy.attempts = Attempts::Unlimited;
        setup.crash.push("99%@work".parse().expect("a strike"));
        assert_eq!(endless(&setup), None);
        setup.crash.push("100%@work".parse().expect("a strike"));
        assert!(endless(&setup).is_some());
        setup.policy.attempts = Attempts::Limit(3);
        assert_eq!(endless(&setup), None);
    }

    fn sound() -> Soundness {
        Soundness { agree: true, ..Soundness::default() }
    }

    fn judged(other: Soundness) -> Outcome {
        let fine = sound();
        judge([("fine", &fine), ("other", &other)].into_iter(), "all agree")
    }

    #[test]
    fn what_is_untrue_comes_before_what_is_inconclusive_and_names_its_run() {
        assert_eq!(judged(sound()), Outcome::new(0, "all agree"));
        let missed = List { strike: "page@effect".to_owned(), struck: 396, had_to: 398 };
        let missed = Soundness { lists: vec![missed], ..sound() };
        let why = "inconclusive: other: page@effect struck 396 of 398 jobs";
        assert_eq!(judged(missed.clone()), Outcome::new(3, why));
        let stuck = Soundness { unfinished: Some("stuck, w1 hangs".to_owned()), ..missed };
        assert_eq!(judged(stuck.clone()), Outcome::new(3, "inconclusive: other: stuck, w1 hangs"));
        let differ = Soundness { agree: false, ..stuck };
        assert_eq!(judged(differ.clone()), Outcome::new(1, "other: board and SQL disagree"));
        let broken = Soundness { violations: vec!["I2".to_owned()], ..differ };
        assert_eq!(judged(broken), Outcome::new(1, "other: an invariant did not hold: I2"));
    }
}
