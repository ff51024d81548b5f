//! What the queue keeps of a job for the whole run, in 32 bytes.
//!
//! Records live in chunks, so that the list grows without ever moving what it holds: a run of millions of jobs
//! never stands still for a copy, nor needs room for two.

use std::ops::{Index, IndexMut};

use crate::ids::{Job, OrderKey, Token};
use crate::request::JobState;
use crate::setup::Poison;
use crate::time::Span;

/// Where a job is, as precisely as the queue has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It waits for a moment: not yet due, or backing off.
    Delayed,
    /// It waits for an earlier job of its key.
    Blocked,
    /// It waits for a worker.
    Ready,
    /// It is out under a live lease.
    Leased,
    /// It was acked and somebody still works on it.
    Unprotected,
    /// It is forgotten.
    Done,
    /// It is in the DLQ.
    Dead,
}

impl Place {
    /// The same in the words that everybody uses.
    pub(super) fn state(self) -> JobState {
        match self {
            Place::Delayed | Place::Blocked | Place::Ready => JobState::Waiting,
            Place::Leased => JobState::Leased,
            Place::Unprotected => JobState::Unprotected,
            Place::Done => JobState::Done,
            Place::Dead => JobState::Dead,
        }
    }

    /// True when a job here holds its key under order by key; a dead one does if `dead_hold`.
    pub(super) fn holds_key(self, dead_hold: bool) -> bool {
        match self.state() {
            JobState::Waiting | JobState::Leased => true,
            JobState::Dead => dead_hold,
            JobState::Unprotected | JobState::Done => false,
        }
    }
}

/// One job.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// How long it takes.
    pub(super) work: Span,
    /// The receipt of its last delivery, which is the live one while the job is leased and the one that settled it
    /// once it is acked; 0 before the first.
    pub(super) token: Token,
    /// Its order key.
    pub(super) key: OrderKey,
    /// How often it was started.
    pub(super) attempts: u32,
    /// How often it was started since it was last redriven.
    pub(super) used: u32,
    /// How many deliveries of it have not ended.
    pub(super) working: u16,
    /// Where it is.
    pub(super) place: Place,
    /// What it does to who works on it.
    pub(super) poison: Option<Poison>,
}

/// Records in a chunk, as a power of two.
const CHUNK_BITS: u32 = 15;
const CHUNK: usize = 1 << CHUNK_BITS;

/// Every job of the run, by id.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    chunks: Vec<Vec<Record>>,
    len: u32,
}

impl Records {
    /// How many jobs there are; the id of the next.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Appends a job and names it.
    pub(super) fn push(&mut self, record: Record) -> Job {
        let job = Job(self.len);
        if self.len as usize & (CHUNK - 1) == 0 {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        self.chunks.last_mut().expect("there is a chunk with room").push(record);
        self.len += 1;
        job
    }

    /// The job, if it exists.
    pub(super) fn get(&self, job: Job) -> Option<&Record> {
        self.chunks.get(chunk(job))?.get(place(job))
    }

    /// Every job with its id, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Job, &Record)> {
        (0..).map(Job).zip(self.chunks.iter().flatten())
    }

    /// The jobs for which `wanted` holds, in order.
    pub(super) fn jobs_where(&self, wanted: impl Fn(&Record) -> bool) -> Vec<Job> {
        self.iter().filter(|(_, record)| wanted(record)).map(|(job, _)| job).collect()
    }
}

fn chunk(job: Job) -> usize {
    (job.0 >> CHUNK_BITS) as usize
}

fn place(job: Job) -> usize {
    job.0 as usize & (CHUNK - 1)
}

impl Index<Job> for Records {
    type Output = Record;
    fn index(&self, job: Job) -> &Record {
        &self.chunks[chunk(job)][place(job)]
    }
}

impl IndexMut<Job> for Records {
    fn index_mut(&mut self, job: Job) -> &mut Record {
        &mut self.chunks[chunk(job)][place(job)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_jobs_take_32_megabytes() {
        assert_eq!(size_of::<Record>(), 32);
    }

    #[test]
    fn a_job_is_found_by_its_id_in_whichever_chunk_it_lies() {
        let mut records = Records::default();
        let many = 2 * CHUNK as u32 + 3;
        for id in 0..many {
            let fresh = Record {
                work: Span::ZERO,
                token: Token(0),
                key: OrderKey(id),
                attempts: 0,
                used: 0,
                working: 0,
                place: Place::Ready,
                poison: None,
            };
            assert_eq!(records.push(fresh), Job(id));
        }
        assert_eq!(records.len(), many);
        assert!((0..many).all(|id| records[Job(id)].key == OrderKey(id)));
        assert!(records.iter().all(|(job, record)| record.key == OrderKey(job.0)));
        assert!(records.get(Job(many)).is_none());
    }
}
