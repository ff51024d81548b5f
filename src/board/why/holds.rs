//! What would have held, and which keys to press for it.

use super::death;
use crate::board::Board;
use crate::board::tries::{Tries, Try, Written};
use crate::event::{By, End, What};
use crate::ids::Job;
use crate::policy::{AckOrder, Dedup, DedupKey, Memory, Policy};
use crate::request::JobState;

/// `f repeats this kill`, if a person killed the attempt's worker, or did it other harm.
fn repeat(one: &Try) -> &'static str {
    let harmed = one.find(|_, what| matches!(what, What::Fault { .. }).then_some(())).is_some();
    match one.end() {
        Some((End::Crashed(_), Some(By::Operator))) => " Then, from its next job on, f repeats this kill.",
        _ if harmed => " Then, from its next job on, f repeats this fault.",
        _ => "",
    }
}

/// What holds against this duplicate.
pub(super) fn twice(now: &Policy, tries: &Tries, first: Written, second: Written) -> String {
    let (one, other) = (tries.get(first.by), tries.get(second.by));
    let again = if repeat(one).is_empty() { repeat(other) } else { repeat(one) };
    if now.ack == AckOrder::After && now.dedup == Dedup::Transactional && now.key == DedupKey::Job {
        return match other.policy == now {
            true => format!("The policy in force now, for what it has applied itself.{again}"),
            false => format!("The policy in force now: effect and key in one transaction.{again}"),
        };
    }
    if other.policy.dedup != Dedup::None && other.policy.key != DedupKey::Job {
        return format!("A key that is the job's id, the same in every try: type :key job.{again}");
    }
    match other.policy.dedup.memory() {
        Memory::Window(_) | Memory::Ttl(_) if one.key().is_some() => {
            format!("Keys that are kept for good, with the effects: press d, then t.{again}")
        }
        Memory::Worker => format!("A memory that all share and no death erases: press d, then t.{again}"),
        _ => format!("Effect and key in one transaction: press d, then t.{again}"),
    }
}

/// What holds against this loss.
pub(super) fn lost(now: &Policy, tries: &Tries) -> String {
    let by_key = tries.all.iter().any(Try::recognised);
    let killed = tries.all.iter().find(|one| death(one).is_some());
    let again = killed.map_or("", repeat);
    let transactional = now.dedup == Dedup::Transactional;
    match (now.ack, by_key) {
        (AckOrder::After, true) if transactional => {
            format!("The policy in force now: effect and key in one transaction.{again}")
        }
        (_, true) => format!("Effect and key in one transaction: press d, then t.{again}"),
        (AckOrder::Before, false) if transactional => format!("The ack after the effect: press a.{again}"),
        (AckOrder::Before, false) => {
            format!("The ack after the effect: press a. Then d and t, so that a retry is recognised.{again}")
        }
        (AckOrder::After, false) => format!("The policy in force now: the ack comes after the effect.{again}"),
    }
}

/// What to do with a dead job.
pub(super) fn dead(poisonous: bool) -> String {
    if poisonous {
        "Nothing: poison fails every time. R redrives it, and it comes back here.".to_owned()
    } else {
        "R redrives it with a fresh budget, once its cause is gone.".to_owned()
    }
}

/// What to do with a dead job that was applied.
pub(super) fn dead_applied(board: &Board, job: Job) -> String {
    let living = board.workers.living();
    match board.memories.forgets(job, board.jobs.keyed(job), board.policy(), board.now, &living) {
        None => "R redrives it; it will be recognised.".to_owned(),
        Some(_) => "Leave it there: R would apply it again. Keys with the effects: press d, then t.".to_owned(),
    }
}

/// A job that came to no harm so far.
pub(super) fn nothing(place: JobState) -> String {
    match place {
        JobState::Done => "It held.".to_owned(),
        _ => "Nothing is decided yet.".to_owned(),
    }
}
