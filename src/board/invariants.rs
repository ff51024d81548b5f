//! What must never be: a queue, a ledger or a log that contradicts itself.
//!
//! The checks run after every event and cost a few additions. A breach is a sentence that stays; it is never a panic,
//! and the event that caused it changes nothing that it contradicts.

use crate::ids::{Job, Token, Worker};

/// At most this many different breaches are kept: the first one ends a run.
const MOST: usize = 64;

/// A contradiction, with the invariant it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Breach {
    /// The job's place does not allow what happened.
    #[error("I1: job {job} was {event} while it was {place}")]
    Place { job: Job, event: &'static str, place: &'static str },
    /// The places or the fates do not add up.
    #[error("I1: {what} add up to {sum}, but {enqueued} jobs were enqueued")]
    Sum { what: &'static str, sum: u64, enqueued: u64 },
    /// The ledger does not add up.
    #[error("I2: {rows} effects are not {jobs} jobs and {extra} extra effects")]
    Rows { rows: u64, jobs: u64, extra: u64 },
    /// The lease is somebody else's.
    #[error("I3: {event} with token {token}, which is not the live lease of job {job}")]
    Lease { job: Job, event: &'static str, token: Token },
    /// A token did not grow.
    #[error("I3: token {token} was handed out after token {last}")]
    Token { token: Token, last: Token },
    /// The budget was used up.
    #[error("I4: job {job} was handed out for the {used}th time since its last redrive, and {max} were allowed")]
    Budget { job: Job, used: u64, max: String },
    /// The attempts were counted wrongly.
    #[error("I4: job {job} had {had} attempts and was handed out as attempt {told}")]
    Attempt { job: Job, had: u32, told: u32 },
    /// Something happened to a job that does not exist.
    #[error("I5: job {0} was never enqueued")]
    Unknown(Job),
    /// Jobs are numbered in the order of enqueueing.
    #[error("I5: job {told} was enqueued where job {next} was due")]
    Number { told: Job, next: Job },
    /// The worker does not exist.
    #[error("the log names {0}, and there is no such worker")]
    Worker(Worker),
    /// The worker has another delivery, or none.
    #[error("{event} by {worker} with token {token}, which is not its delivery")]
    Delivery { worker: Worker, event: &'static str, token: Token },
    /// A worker took a job while it had one.
    #[error("{worker} was handed job {job} before its delivery of job {old} ended")]
    Busy { worker: Worker, job: Job, old: Job },
    /// The log's time went backwards.
    #[error("time went back from {from} to {to} ns")]
    Time { from: u64, to: u64 },
    /// The log does not begin with the start of a run, or has two of them.
    #[error("the log has an event `{0}` out of its place")]
    Order(&'static str),
    /// A lost job has nobody working on it, so it cannot have an effect any more.
    #[error("I1: job {0} was lost and has an effect now")]
    Risen(Job),
    /// A switch that cannot be read.
    #[error("the log has a policy switch that cannot be read: {0}")]
    Switch(String),
}

/// The breaches of a run so far, in words.
#[derive(Clone, Debug, Default)]
pub(super) struct Breaches {
    texts: Vec<String>,
}

impl Breaches {
    /// Keeps `breach`.
    pub fn note(&mut self, breach: &Breach) {
        self.say(breach.to_string());
    }

    /// Keeps a sentence, unless it is there already.
    pub fn say(&mut self, text: String) {
        if self.texts.len() < MOST && !self.texts.contains(&text) {
            self.texts.push(text);
        }
    }

    /// The sentences, oldest first.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}
