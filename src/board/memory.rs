//! What a redelivery would recognise: the fold of the memories that do not last.
//!
//! Only jobs that are not settled are remembered here, since nothing asks about the others; the durable table is a bit
//! in [`super::jobs`]. The three policies with durable keys share that table, window and ttl share the bounded
//! memory, and no other switch carries anything over.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{Job, Worker};
use crate::policy::{DedupKey, Memory, Policy};
use crate::time::Instant;

/// When an id was taken into the sink's bounded memory, by place and by time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kept {
    nth: u64,
    at: Instant,
}

/// What was recorded in memories that forget.
#[derive(Clone, Debug, Default)]
pub(super) struct Memories {
    next: u64,
    /// The first place that a window has not pruned away, and the time up to which a ttl has: what was forgotten
    /// stays so, whatever the policy that follows.
    floor: u64,
    pruned: Option<Instant>,
    /// Places of records that were taken back.
    void: BTreeSet<u64>,
    bounded: BTreeMap<Job, Kept>,
    workers: BTreeMap<Job, Vec<(Worker, u32)>>,
}

/// What taking a record back needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Recorded {
    nth: u64,
    before: Option<Kept>,
    by_id: bool,
}

impl Memories {
    /// The sink's bounded memory takes in a key. Every key takes a place in it, but only one that is the job's id is
    /// ever looked up again.
    pub fn record(&mut self, job: Job, memory: Memory, key: DedupKey, at: Instant) -> Recorded {
        let nth = self.next;
        self.next += 1;
        match memory {
            Memory::Window(size) => self.floor = self.floor.max(self.first_in_window(size)),
            Memory::Ttl(span) if at.since(Instant::START) >= span => self.pruned = self.pruned.max(Some(at - span)),
            _ => {}
        }
        let by_id = key == DedupKey::Job;
        let before = if by_id { self.bounded.insert(job, Kept { nth, at }) } else { None };
        Recorded { nth, before, by_id }
    }

    /// Takes a record back whose commit failed.
    pub fn unrecord(&mut self, job: Job, recorded: Recorded) {
        self.void.insert(recorded.nth);
        if recorded.by_id {
            match recorded.before {
                Some(before) => drop(self.bounded.insert(job, before)),
                None => drop(self.bounded.remove(&job)),
            }
        }
    }

    /// How many keys the bounded memory has taken in.
    pub fn taken(&self) -> u64 {
        self.next - self.void.len() as u64
    }

    /// A worker notes the job in its own memory, which lives as long as this generation of it.
    pub fn remember(&mut self, job: Job, worker: Worker, generation: u32) {
        self.workers.entry(job).or_default().push((worker, generation));
    }

    /// The job is settled: nobody will ask about it again.
    pub fn settled(&mut self, job: Job) {
        if !self.bounded.is_empty() {
            self.bounded.remove(&job);
        }
        if !self.workers.is_empty() {
            self.workers.remove(&job);
        }
    }

    /// The place of the oldest of the last `size` keys.
    fn first_in_window(&self, size: u32) -> u64 {
        let mut first = self.next.saturating_sub(u64::from(size));
        for void in self.void.iter().rev() {
            if *void < first {
                break;
            }
            first = first.saturating_sub(1);
        }
        first
    }

    /// The record of the job's id, unless the sink has pruned it away.
    fn kept(&self, job: Job) -> Option<Kept> {
        let kept = self.bounded.get(&job).copied()?;
        let pruned = kept.nth < self.floor || self.pruned.is_some_and(|until| kept.at <= until);
        (!pruned).then_some(kept)
    }

    fn in_window(&self, job: Job, size: u32) -> bool {
        self.kept(job).is_some_and(|kept| kept.nth >= self.first_in_window(size))
    }

    fn known_to_all(&self, job: Job, living: &[(Worker, u32)]) -> bool {
        let knowing = self.workers.get(&job).map_or(&[][..], Vec::as_slice);
        !living.is_empty() && living.iter().all(|worker| knowing.contains(worker))
    }

    /// Why a redelivery of a job with an effect would not be recognised under `policy`; `None` if it would.
    /// `keyed` says whether the durable table has the job's id.
    pub fn forgets(
        &self,
        job: Job,
        keyed: bool,
        policy: &Policy,
        now: Instant,
        living: &[(Worker, u32)],
    ) -> Option<&'static str> {
        let memory = policy.dedup.memory();
        if memory != Memory::None && policy.key != DedupKey::Job {
            return Some("effect written, its key never matches");
        }
        let (known, why) = match memory {
            Memory::None => (false, "effect written, not acked"),
            Memory::Durable => (keyed, "effect written, key not"),
            Memory::Window(size) => (self.in_window(job, size), "effect written, id forgotten"),
            Memory::Ttl(span) => {
                let young = self.kept(job).is_some_and(|kept| now.since(kept.at) < span);
                (young, "effect written, id forgotten")
            }
            Memory::Worker => (self.known_to_all(job, living), "effect written, not all workers know"),
        };
        (!known).then_some(why)
    }
}
