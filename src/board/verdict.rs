//! Whether the promise was kept, in a word and a sentence.

use super::jobs::Jobs;
use super::run::Run;
use super::view::{Counters, Verdict, Word};
use super::words::jobs_were;
use crate::event::Finish;
use crate::policy::Promise;
use crate::text::count as number;

/// True when anything happened that could have broken a promise.
fn was_tested(counters: &Counters, run: &Run) -> bool {
    let struck = counters.crashes + counters.deaths + counters.failed + counters.nacked + counters.aborted;
    let unheard = counters.beats_lost + counters.acks_lost + counters.replies_lost;
    run.faults + struck + unheard + counters.expirations + counters.redeliveries > 0
}

/// The verdict on `promise`, that of the policy in force.
pub(super) fn verdict(promise: Promise, jobs: &Jobs, counters: &Counters, run: &Run) -> Verdict {
    let (twice, lost, under) = jobs.charges().broken();
    if twice + lost > 0 {
        return Verdict { word: Word::Broken, promise, why: broken(promise, twice, lost, &under.collect::<Vec<_>>()) };
    }
    // A run that somebody left when nothing was left to do has drained.
    let finish = match run.finish.as_ref().map(|(how, _)| how) {
        None | Some(Finish::Quit) if run.drained => Some(&Finish::Drained),
        other => other,
    };
    let (word, why) = match (finish, was_tested(counters, run)) {
        (Some(Finish::Drained), true) => (Word::Kept, String::new()),
        (Some(Finish::Drained) | None, false) => (Word::Unknown, "nothing was put to the test".to_owned()),
        (None, true) => match &run.stuck {
            None => (Word::KeptSoFar, String::new()),
            Some(_) => (Word::Unknown, "the run is stuck".to_owned()),
        },
        (Some(how), _) => (Word::Unknown, unfinished(how)),
    };
    Verdict { word, promise, why }
}

fn broken(promise: Promise, twice: u64, lost: u64, under: &[Promise]) -> String {
    let mut why = match (lost, twice) {
        (0, twice) => format!("{} applied twice", jobs_were(twice)),
        (lost, 0) => format!("{} lost", jobs_were(lost)),
        (lost, twice) => {
            let were = if twice == 1 { "was" } else { "were" };
            format!("{} lost and {} {were} applied twice", jobs_were(lost), number(twice))
        }
    };
    if under.iter().any(|other| *other != promise) {
        let names: Vec<&str> = under.iter().map(|promise| promise.name()).collect();
        why.push_str(" under ");
        why.push_str(&names.join(" and "));
    }
    why
}

fn unfinished(how: &Finish) -> String {
    match how {
        Finish::Drained => String::new(),
        Finish::Stuck => "the run got stuck before it could drain".to_owned(),
        Finish::Quit => "the run was left before it could drain".to_owned(),
        Finish::Violated => "an invariant was violated".to_owned(),
        Finish::Failed(why) => format!("the run failed: {why}"),
    }
}
