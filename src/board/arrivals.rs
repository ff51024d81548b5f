//! When each job arrived, for its story: the latest arrivals, one entry for neighbours that came at once.

use std::collections::{BTreeMap, VecDeque};

use crate::ids::Job;
use crate::setup::Poison;
use crate::time::{Instant, Span};

const MOST: usize = 65_536;

#[derive(Clone, Copy, Debug)]
struct Batch {
    first: u32,
    seq: u64,
    at: Instant,
    delay: Span,
}

/// One job's arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arrival {
    /// The place of its event in the log.
    pub seq: u64,
    /// When it came.
    pub at: Instant,
    /// When it is first ready.
    pub due: Instant,
    /// What it does to who works on it.
    pub poison: Option<Poison>,
}

/// The latest arrivals.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    batches: VecDeque<Batch>,
    poison: BTreeMap<Job, Poison>,
}

impl Arrivals {
    /// A job arrives; ids grow by one.
    pub fn add(&mut self, job: Job, arrival: Arrival) {
        if let Some(poison) = arrival.poison {
            self.poison.insert(job, poison);
        }
        let Arrival { seq, at, due, .. } = arrival;
        let delay = due.since(at);
        let fits =
            |batch: &Batch| batch.at == at && batch.delay == delay && batch.seq + u64::from(job.0 - batch.first) == seq;
        if !self.batches.back().is_some_and(fits) {
            if self.batches.len() == MOST {
                self.batches.pop_front();
            }
            self.batches.push_back(Batch { first: job.0, seq, at, delay });
        }
    }

    /// True when the job does harm to who works on it.
    pub fn is_poisonous(&self, job: Job) -> bool {
        self.poison.contains_key(&job)
    }

    /// When an enqueued job arrived, unless that is forgotten.
    pub fn of(&self, job: Job) -> Option<Arrival> {
        let index = self.batches.partition_point(|batch| batch.first <= job.0).checked_sub(1)?;
        let batch = self.batches[index];
        Some(Arrival {
            seq: batch.seq + u64::from(job.0 - batch.first),
            at: batch.at,
            due: batch.at + batch.delay,
            poison: self.poison.get(&job).copied(),
        })
    }
}
