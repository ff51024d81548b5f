//! What production monitoring saw of a job: workers down, silence, redeliveries, errors. Never an effect.

use crate::board::jobs::Fate;
use crate::board::tries::{Tries, Try};
use crate::board::words::{count, measured};
use crate::event::{End, Fault, What};
use crate::time::Instant;

/// What monitoring saw, in one sentence.
pub(super) fn saw(tries: &Tries, fate: Fate) -> String {
    let mut parts: Vec<String> = tries.all.iter().filter_map(worker).collect();
    parts.dedup();
    parts.truncate(3);
    let redelivered = tries.all.iter().filter(|one| one.attempt > 1).count() as u64;
    if redelivered > 0 {
        parts.push(count(redelivered, "redelivery", "redeliveries"));
    }
    let sum = |pick: fn(&What) -> bool| {
        tries
            .all
            .iter()
            .flat_map(Try::whats)
            .filter(|(_, what)| pick(what))
            .map(|(entry, _)| u64::from(entry.times))
            .sum()
    };
    let stale = sum(|what| matches!(what, What::AckStale { .. } | What::NackStale { .. }));
    if stale > 0 {
        parts.push(count(stale, "late ack refused", "late acks refused"));
    }
    let errors = sum(|what| matches!(what, What::Ended { how: End::Failed(_), .. }));
    parts.push(count(errors, "error", "errors"));
    if fate == Fate::Lost {
        parts.push("and an ack: for the queue it is done".to_owned());
    }
    let mut text = parts.join(", ");
    if let Some(first) = text.get(..1).map(str::to_uppercase)
        && !text.starts_with('w')
    {
        text.replace_range(..1, &first);
    }
    text.push('.');
    text
}

/// What it saw of the attempt's worker: `w2 down for 5.0 s`, `w2 silent for 4.5 s`.
fn worker(one: &Try) -> Option<String> {
    let w = one.worker;
    let died = one.find(|entry, what| matches!(what, What::Died { .. }).then_some(entry.event.at));
    if let Some(died) = died {
        let back = one.find(|entry, what| matches!(what, What::Spawned { .. }).then_some(entry.event.at));
        return Some(match back {
            Some(back) => format!("{w} down for {}", measured(back.since(died))),
            None => format!("{w} down"),
        });
    }
    let silent =
        [Fault::Stall, Fault::Pause, Fault::CutQueue].into_iter().any(|fault| one.suffered(fault, Instant::NEVER));
    let expired = one.expired().filter(|_| silent)?;
    let heard = one
        .whats()
        .filter(|(entry, what)| is_message(what) && entry.event.at <= expired)
        .map(|(entry, _)| entry.event.at)
        .next_back()?;
    let next = one
        .whats()
        .filter(|(entry, what)| is_message(what) && entry.event.at > expired)
        .map(|(entry, _)| entry.event.at)
        .next();
    Some(match next {
        Some(next) => format!("{w} silent for {}", measured(next.since(heard))),
        None => format!("{w} silent"),
    })
}

/// A message that reached the queue.
fn is_message(what: &What) -> bool {
    matches!(
        what,
        What::Claimed { .. }
            | What::Renewed { .. }
            | What::RenewalStale { .. }
            | What::Acked { .. }
            | What::AckStale { .. }
            | What::AckRepeated { .. }
            | What::Nacked { .. }
            | What::NackStale { .. }
    )
}
