//! Which jobs wait, since when each is ready, and which has waited longest.

use std::collections::{BTreeSet, VecDeque};

use crate::ids::Job;
use crate::time::{Instant, Span};

/// Jobs with neighbouring ids that became ready at one instant.
#[derive(Clone, Copy, Debug)]
struct Batch {
    ready: Instant,
    first: u32,
    last: u32,
}

/// The waiting jobs. Those that arrive in the order of their due times cost one entry for each different time.
#[derive(Clone, Debug, Default)]
pub(super) struct Backlog {
    /// When each job is ready; never for one that does not wait.
    ready: Vec<Instant>,
    /// First arrivals, by time; jobs that no longer wait are dropped from its front.
    arrivals: VecDeque<Batch>,
    /// Jobs that wait again, or arrived out of the order of their due times.
    again: BTreeSet<(Instant, Job)>,
    waiting: u64,
}

impl Backlog {
    /// A job arrives.
    pub fn arrive(&mut self, job: Job, due: Instant) {
        let index = job.0 as usize;
        if index != self.ready.len() {
            return;
        }
        self.ready.push(due);
        self.waiting += 1;
        match self.arrivals.back_mut() {
            Some(batch) if batch.ready == due && batch.last.checked_add(1) == Some(job.0) => batch.last = job.0,
            Some(batch) if batch.ready > due => drop(self.again.insert((due, job))),
            _ => self.arrivals.push_back(Batch { ready: due, first: job.0, last: job.0 }),
        }
    }

    /// A job waits again and is ready at `ready`.
    pub fn wait(&mut self, job: Job, ready: Instant) {
        self.leave(job);
        if let Some(slot) = self.ready.get_mut(job.0 as usize) {
            *slot = ready;
            self.waiting += 1;
            self.again.insert((ready, job));
        }
    }

    /// A job waits no longer; says since when it was ready, if it waited.
    pub fn leave(&mut self, job: Job) -> Option<Instant> {
        let slot = self.ready.get_mut(job.0 as usize)?;
        let ready = std::mem::replace(slot, Instant::NEVER);
        if ready == Instant::NEVER {
            return None;
        }
        self.waiting -= 1;
        if !self.again.is_empty() {
            self.again.remove(&(ready, job));
        }
        self.trim();
        Some(ready)
    }

    fn trim(&mut self) {
        while let Some(batch) = self.arrivals.front_mut() {
            if self.ready[batch.first as usize] == batch.ready {
                return;
            }
            if batch.first == batch.last {
                self.arrivals.pop_front();
            } else {
                batch.first += 1;
            }
        }
    }

    /// How many jobs wait.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// How long the job that has been ready longest has waited, if one is ready.
    pub fn oldest(&self, now: Instant) -> Option<Span> {
        let first = self.arrivals.front().map(|batch| batch.ready);
        let again = self.again.first().map(|(ready, _)| *ready);
        let ready = [first, again].into_iter().flatten().min()?;
        (ready <= now).then(|| now.since(ready))
    }
}
