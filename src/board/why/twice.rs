//! Why a job has two effects: why there was a second writer, and why it was not recognised.

use super::{death, died_before, handed_on, lease_lost_while};
use crate::board::tries::{Tries, Try, Written};
use crate::board::words::{chosen, measured};
use crate::policy::{Dedup, DedupKey, Memory};
use crate::text::count as number;
use crate::time::Span;

/// The cause of the duplicate that `second` is after `first`.
pub(super) fn why(tries: &Tries, first: Written, second: Written) -> String {
    let (one, other) = (tries.get(first.by), tries.get(second.by));
    if first.by == second.by {
        return resent(one);
    }
    let came = if one.attempt > other.attempt { overtaken(one, other) } else { came_again(first, one, other) };
    format!("{came} {}", unrecognised(one, other, first, second))
}

/// One attempt wrote twice, since it did not hear that its first write had been committed.
fn resent(one: &Try) -> String {
    format!(
        "{} wrote the effect and the sink's answer was lost. It could not know, so it sent the same write again, \
         and nothing in the sink knew it.",
        one.worker
    )
}

/// Why the lease of a worker that lived ran out, as a sentence.
fn ran_out(one: &Try) -> String {
    let cause =
        one.expired().map_or_else(|| "no renewal came in time".to_owned(), |expired| lease_lost_while(one, expired));
    format!("The lease of {} ran out: {cause}.", one.worker)
}

/// The older attempt wrote last: a zombie that knew nothing of its successor.
fn overtaken(successor: &Try, zombie: &Try) -> String {
    let z = zombie.worker;
    format!(
        "{} {} got the job and applied it; {z} went on as a zombie and wrote as well.",
        ran_out(zombie),
        successor.worker
    )
}

/// The first attempt wrote first, and the job came back all the same.
fn came_again(first: Written, one: &Try, other: &Try) -> String {
    let (w, next) = (one.worker, other.worker);
    let what = if one.in_bracket() { "committed its effect" } else { "wrote the effect" };
    if let Some(place) = death(one) {
        return format!("{w} {what} and died before {}. {}", died_before(one, place), handed_on(one, other));
    }
    if one.ack_lost() {
        return format!("{w} {what} and acked, but the ack was lost. {}", handed_on(one, other));
    }
    if one.nacked() {
        return format!("{w} {what} and failed after it. {}", handed_on(one, other));
    }
    match one.expired() {
        Some(at) if at <= first.at => {
            format!("{} {w} went on as a zombie and {what}, while {next} had the job.", ran_out(one))
        }
        Some(_) => format!("{w} {what}, but was too late with its ack. {} The job went to {next}.", ran_out(one)),
        None => format!("{w} {what}. {}", handed_on(one, other)),
    }
}

/// Why the second writer did not recognise the job.
fn unrecognised(one: &Try, other: &Try, first: Written, second: Written) -> String {
    let w = other.worker;
    match (other.policy.dedup, other.policy.key) {
        (Dedup::None, _) => return "Nothing here recognises a duplicate.".to_owned(),
        (_, DedupKey::Attempt) => return "The key holds the number of the try, so no two tries share one.".to_owned(),
        (_, DedupKey::Random) => return "The key is drawn anew for each try, so it never matches.".to_owned(),
        _ => {}
    }
    if one.policy.key != DedupKey::Job && one.key().is_some() {
        return format!("{} made its key of the {}, so {w} could not find it.", one.worker, one.policy.key);
    }
    match other.policy.dedup.memory() {
        Memory::None => String::new(),
        Memory::Durable => unkeyed(one, other, second),
        Memory::Window(size) => match one.key() {
            Some(key) if key.taken > 0 && second.taken > key.taken => format!(
                "{} other ids had been taken in by then; the window keeps {}, so this one was forgotten.",
                number(second.taken - key.taken),
                number(u64::from(size))
            ),
            Some(_) => format!("The window keeps {} ids, and this one had left it.", number(u64::from(size))),
            None => not_kept(one, other),
        },
        Memory::Ttl(ttl) => match one.key() {
            Some(_) => format!(
                "That was {} later, and the sink forgets an id after {}.",
                long(second.at.since(first.at)),
                chosen(ttl)
            ),
            None => not_kept(one, other),
        },
        Memory::Worker => own_memory(one, other),
    }
}

fn long(span: Span) -> String {
    if span > Span::seconds(600) { format!("{:.0} min", span.as_seconds() / 60.0) } else { measured(span) }
}

/// The durable table did not have the key when the second writer asked.
fn unkeyed(one: &Try, other: &Try, second: Written) -> String {
    let w = other.worker;
    if one.policy.dedup.memory() != Memory::Durable {
        return not_kept(one, other);
    }
    match one.key() {
        Some(key) if key.seq < second.seq => format!("{w} had asked for the key before {} wrote it.", one.worker),
        _ => format!("{w} asked for the key, found none, and did the work again."),
    }
}

/// The first effect was made under a policy whose memory the second writer does not read.
fn not_kept(one: &Try, other: &Try) -> String {
    let (w, dedup) = (other.worker, other.policy.dedup);
    match one.policy.dedup {
        Dedup::None => format!("{} applied it without dedup, so {w} found no key of it.", one.worker),
        same if same.memory() == dedup.memory() => format!("{w} found no key of it."),
        first => format!("{} applied it under {first}; {w}, under {dedup}, does not look there.", one.worker),
    }
}

fn own_memory(one: &Try, other: &Try) -> String {
    let (first, w) = (one.worker, other.worker);
    match (first == w, death(one)) {
        (true, Some(_)) => "What a worker remembers dies with it, so it knew nothing of its own first try.".to_owned(),
        (true, None) => format!("{w} had not noted the id."),
        (false, Some(_)) => format!("What {first} knew died with it, and {w} remembers only what it did itself."),
        (false, None) => format!("{w} remembers only what it did itself."),
    }
}
