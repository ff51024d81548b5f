//! Why a job came out as it did, in a few sentences: the cause, what monitoring saw of it, and what would have held.
//!
//! The sentences are found from the job's own events and the policies of its deliveries, so they hold for any log.

mod holds;
mod lost;
mod monitoring;
mod once;
mod twice;

use super::Board;
use super::jobs::Fate;
use super::tries::{Tries, Try};
use super::words::{chosen, spot};
use crate::event::{End, Fault, Spot};
use crate::ids::Job;
use crate::policy::{Point, Renewal, Stage};
use crate::request::JobState;
use crate::time::Instant;

/// What a story ends with.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    /// Why it came out so.
    pub why: String,
    /// What monitoring saw of it.
    pub monitoring: String,
    /// What would have held, and which keys to press.
    pub holds: String,
}

/// Explains a job.
pub(super) fn explain(board: &Board, job: Job, tries: &Tries) -> Said {
    let effects = tries.effects();
    let fate = board.jobs.fate(job);
    let dead = board.jobs.place(job) == JobState::Dead;
    let why = match fate {
        Fate::Twice if effects.len() > 1 => twice::why(tries, effects[0], effects[1]),
        Fate::Twice => "What came before is forgotten: an earlier try had applied it already.".to_owned(),
        Fate::Lost => lost::why(tries),
        Fate::Dead => once::dead(tries),
        Fate::Once if dead => once::dead_applied(job, tries),
        Fate::Once => once::why(board, job, tries),
        Fate::Pending => once::pending(board, job, tries),
    };
    let holds = match fate {
        Fate::Twice if effects.len() > 1 => holds::twice(board.policy(), tries, effects[0], effects[1]),
        Fate::Lost => holds::lost(board.policy(), tries),
        Fate::Dead => holds::dead(board.arrivals.is_poisonous(job)),
        Fate::Once if dead => holds::dead_applied(board, job),
        _ => holds::nothing(board.jobs.place(job)),
    };
    Said { why, monitoring: monitoring::saw(tries, fate), holds }
}

/// What the attempt's worker had done when it died at `place`, in the past tense.
fn done_before(one: &Try, place: Spot) -> &'static str {
    match place {
        Spot::In(Point::Work) => "was in the middle of the work",
        Spot::In(_) => "was waiting",
        Spot::After(Point::Claim) => "had just taken the job",
        Spot::After(Point::Ack) => "had acked",
        Spot::After(Point::Work) => "had done the work and written nothing",
        Spot::After(Point::Check) => "had asked for the key and written nothing",
        Spot::After(Point::Effect) if one.in_bracket() => "was inside its transaction",
        Spot::After(Point::Effect) => "had written the effect",
        Spot::After(Point::Key) if one.commits_key() => "was inside its transaction",
        Spot::After(Point::Key) => "had written the key",
        Spot::After(Point::Commit) => "had committed",
    }
}

/// What it died before: the step after the place.
fn died_before(one: &Try, place: Spot) -> &'static str {
    let point = match place {
        Spot::In(_) => return "it had written anything",
        Spot::After(point) => point,
    };
    let points = one.program.points();
    let next = points.iter().position(|p| *p == point).and_then(|i| points.get(i + 1));
    match next {
        Some(Point::Effect) => "it wrote the effect",
        Some(Point::Key) if one.program.stages().contains(&Stage::Remember) => "it noted the id",
        Some(Point::Key) => "it wrote the key",
        Some(Point::Ack) => "its ack",
        Some(Point::Commit) => "it committed",
        Some(Point::Claim | Point::Work | Point::Check) => "it had written anything",
        None => "it was done",
    }
}

/// Where the attempt's worker died, if it did.
fn death(one: &Try) -> Option<Spot> {
    match one.end() {
        Some((End::Crashed(place), _)) => Some(*place),
        _ => None,
    }
}

/// Why the lease of a worker that lived ran out, as a clause: `its heartbeats were stalled`.
fn lease_lost_while(one: &Try, expired: Instant) -> String {
    let faults = [
        (Fault::Pause, "it was asleep"),
        (Fault::Stall, "its heartbeats were stalled"),
        (Fault::CutQueue, "it was cut off from the queue"),
    ];
    if let Some((_, clause)) = faults.into_iter().find(|(fault, _)| one.suffered(*fault, expired)) {
        return clause.to_owned();
    }
    let lease = chosen(one.policy.lease);
    match (one.policy.renew, one.policy.beat()) {
        (Renewal::Off, _) => format!("the work took longer than {lease} and nothing renewed it"),
        _ if one.beats_lost() => "its renewals were lost on the way".to_owned(),
        (_, Some(beat)) if beat >= one.policy.lease => {
            format!("it lasts {lease} and the first renewal was due after {}", chosen(beat))
        }
        _ => "no renewal came in time".to_owned(),
    }
}

/// How the job went on to the next attempt after `one`: `Nobody acked, so 3 s after the last renewal the lease ran out
/// and the job went to w4.`
fn handed_on(one: &Try, next: &Try) -> String {
    let to = next.worker;
    if one.nacked() {
        return format!("It was given back and went to {to}.");
    }
    if one.expired().is_none() {
        return format!("The job went to {to}.");
    }
    let so = if one.ack_lost() { "The queue never heard it, so" } else { "Nobody acked, so" };
    let since = if one.renewals() > 0 { "the last renewal" } else { "its claim" };
    format!("{so} {} after {since} the lease ran out and the job went to {to}.", chosen(one.policy.lease))
}

/// `w2 died after effect`.
fn died(one: &Try, place: Spot) -> String {
    format!("{} died {}", one.worker, spot(place))
}
