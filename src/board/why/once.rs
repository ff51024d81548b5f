//! Why a job was applied once after all, is dead, or is still open.

use super::{death, done_before, lease_lost_while};
use crate::board::Board;
use crate::board::tries::{Tries, Try};
use crate::board::words::{last_words, quoted};
use crate::event::{End, Reason, What};
use crate::ids::Job;
use crate::policy::DedupKey;
use crate::request::JobState;
use crate::text::count as number;

/// Why it has exactly one effect.
pub(super) fn why(board: &Board, job: Job, tries: &Tries) -> String {
    let place = board.jobs.place(job);
    if place != JobState::Done {
        return open_with_effect(board, job, tries);
    }
    if tries.all.len() <= 1 {
        return "It was handed out once, applied once and acked.".to_owned();
    }
    let told: Vec<String> = tries.all.iter().filter_map(|one| part(one, tries)).collect();
    if told.is_empty() { "It was tried more than once and applied once.".to_owned() } else { told.join(" ") }
}

/// What one attempt of several had to do with the outcome.
fn part(one: &Try, tries: &Tries) -> Option<String> {
    let w = one.worker;
    if one.recognised() {
        return Some(format!("{w} found that it had been applied and left it at that."));
    }
    if one.fenced() {
        return Some(format!("The fence refused the late write of {w}: a later try had written first."));
    }
    if let Some(place) = death(one) {
        let wrote = tries.effects().iter().any(|effect| tries.get(effect.by).token == one.token);
        let done = done_before(one, place);
        return Some(match (wrote, done) {
            (true, _) => format!("{w} applied it and died before the ack."),
            (false, "was inside its transaction") => {
                format!("{w} died inside its transaction, so SQLite rolled it back.")
            }
            (false, done) => format!("{w} {done} when it died: a harmless retry."),
        });
    }
    let wrote = tries.effects().iter().any(|effect| tries.get(effect.by).token == one.token);
    match (one.end(), wrote) {
        (Some((End::Failed(words), _)), _) => Some(format!("{w} failed: {}.", quoted(words, 60))),
        (Some((End::LeaseLost, _)), false) => Some(format!("{w} lost its lease and gave up before it wrote.")),
        (_, true) if one.ack_lost() => Some(format!("{w} applied it, and its ack was lost.")),
        (_, true) if one.acked() => Some(format!("{w} applied it and acked.")),
        (_, true) => {
            let cause = one.expired().map(|at| lease_lost_while(one, at));
            let cause = cause.map_or_else(String::new, |cause| format!(", but its lease ran out: {cause}"));
            Some(format!("{w} applied it{cause}."))
        }
        _ => None,
    }
}

fn open_with_effect(board: &Board, job: Job, tries: &Tries) -> String {
    let living = board.workers.living();
    let keyed = board.jobs.keyed(job);
    let risk = board.memories.forgets(job, keyed, board.policy(), board.now, &living);
    let place = board.jobs.place(job);
    let now = match place {
        JobState::Unprotected => "Its effect is written and the queue has its ack; the worker is about to end.",
        JobState::Waiting => "Its effect is written, and it waits to be handed out again.",
        _ if board.jobs.working(job) > 0 => "Its effect is written; the ack is still to come.",
        _ if tries.all.last().is_some_and(Try::ack_lost) => {
            "Its effect is written and its ack was lost; the lease is still running."
        }
        _ => "Its effect is written and its worker is gone; the lease is still running.",
    };
    match risk {
        Some(_) if place == JobState::Unprotected => now.to_owned(),
        Some(why) => format!("{now} The next try would apply it again: {why}."),
        None => format!("{now} The next try would recognise it."),
    }
}

/// Why it is dead and has no effect.
pub(super) fn dead(tries: &Tries) -> String {
    let last = tries.all.last();
    let reason = last.and_then(|one| {
        one.find(|_, what| match what {
            What::Dead { reason, tries, .. } => Some((reason, *tries)),
            _ => None,
        })
    });
    let Some((reason, used)) = reason else {
        return "Its tries are used up, and the ledger has no row.".to_owned();
    };
    let words = last_words(reason, last.map(|one| one.worker));
    let tried = match used {
        1 => "Its only try was used up".to_owned(),
        2 => "Both tries were used up".to_owned(),
        n => format!("All {} tries were used up", number(u64::from(n))),
    };
    match reason {
        Reason::AttemptsLowered => "The tries were lowered below what it had used. The ledger has no row.".to_owned(),
        _ => format!("{tried}; the last: {words}. The ledger has no row."),
    }
}

/// Why it is dead although it was applied.
pub(super) fn dead_applied(job: Job, tries: &Tries) -> String {
    let kept = tries.all.iter().any(|one| one.key().is_some() && one.policy.key == DedupKey::Job);
    let risk = if kept {
        format!("a redrive is safe while key {job} is kept, and applies it again once it is not")
    } else {
        "a redrive applies it again, since no key of it is kept".to_owned()
    };
    format!("A try applied it and no ack reached the queue. Dead does not mean undone: {risk}.")
}

/// What a job without an effect waits for.
pub(super) fn pending(board: &Board, job: Job, tries: &Tries) -> String {
    let last = tries.all.last();
    let worker = last.map_or_else(|| "a worker".to_owned(), |one| one.worker.to_string());
    match (board.jobs.place(job), board.jobs.working(job)) {
        (JobState::Waiting, 0) if tries.all.is_empty() => "It waits for a worker.".to_owned(),
        (JobState::Waiting, 0) => "It waits for its next try. Nothing is written yet.".to_owned(),
        (JobState::Waiting, _) => {
            "Its lease is over, a zombie is still at it, and it waits for its next try.".to_owned()
        }
        (JobState::Leased, 0) => format!("{worker} is gone; the job comes back when the lease runs out."),
        (JobState::Unprotected, _) => {
            format!("The queue has its ack and {worker} is still at it: if {worker} dies now, it is lost.")
        }
        _ => format!("{worker} is at it."),
    }
}
