//! The DLQ as people see it: why each job is there, since when, and its last words.

use std::collections::BTreeMap;

use super::view::DeadView;
use super::words;
use crate::event::Reason;
use crate::ids::{Job, Worker};
use crate::time::Instant;

#[derive(Clone, Debug)]
struct Letter {
    seq: u64,
    reason: Reason,
    tries: (u32, Option<u32>),
    since: Instant,
    worker: Option<Worker>,
}

/// The dead letters, and how often each job has been redriven.
#[derive(Clone, Debug, Default)]
pub(super) struct DeadLetters {
    letters: BTreeMap<Job, Letter>,
    redriven: BTreeMap<Job, u32>,
    /// Who last gave up a job that has not been settled since, so that a letter can name the worker.
    givers: BTreeMap<Job, Worker>,
}

impl DeadLetters {
    /// The lease of a job ended at this worker without an ack.
    pub fn gave_up(&mut self, job: Job, worker: Worker) {
        self.givers.insert(job, worker);
    }

    /// The job is in other hands, or settled.
    pub fn moved_on(&mut self, job: Job) {
        if !self.givers.is_empty() {
            self.givers.remove(&job);
        }
    }

    /// A job comes into the DLQ.
    pub fn bury(&mut self, job: Job, seq: u64, since: Instant, reason: &Reason, tries: (u32, Option<u32>)) {
        let worker = self.givers.remove(&job);
        self.letters.insert(job, Letter { seq, reason: reason.clone(), tries, since, worker });
    }

    /// A job leaves it.
    pub fn redrive(&mut self, job: Job) {
        self.letters.remove(&job);
        *self.redriven.entry(job).or_default() += 1;
    }

    /// The letters, oldest first; `applied` says whether the ledger has an effect for a job.
    pub fn view(&self, applied: impl Fn(Job) -> bool) -> Vec<DeadView> {
        let mut letters: Vec<(&Job, &Letter)> = self.letters.iter().collect();
        letters.sort_by_key(|(_, letter)| letter.seq);
        let view = |(job, letter): (&Job, &Letter)| DeadView {
            job: *job,
            reason: letter.reason.clone(),
            tries: letter.tries,
            since: letter.since,
            applied: applied(*job),
            redriven: self.redriven.get(job).copied().unwrap_or(0),
            words: words::last_words(&letter.reason, letter.worker),
        };
        letters.into_iter().map(view).collect()
    }
}
