//! Which jobs came to harm, and which promises that broke.
//!
//! A duplicate is charged to the promise under which the job's previous effect was made, a loss to the one under which
//! the key that was found was written, else to that of the ack. So a switch of policy never whitewashes.

use std::collections::{BTreeMap, VecDeque};

use super::view::Harm;
use crate::ids::Job;
use crate::policy::Promise;

/// How many of the latest duplicated jobs are remembered in order.
const LATEST: usize = 8;
const PROMISES: usize = Promise::ALL.len();

/// Jobs that came to harm and the charges for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Charges {
    harm: Harm,
    latest_twice: VecDeque<Job>,
    /// Jobs with a duplicate that broke a promise, and how many such duplicates for each promise.
    twice: BTreeMap<Job, [u32; PROMISES]>,
    lost: u64,
    /// Breaking duplicates and losses, for each promise.
    broken: [u64; PROMISES],
}

impl Charges {
    /// The job was lost, which is charged to `promise`.
    pub fn lose(&mut self, job: Job, promise: Option<Promise>) {
        self.harm.lost.insert(job);
        if let Some(promise) = promise.filter(|promise| promise.forbids_loss()) {
            self.lost += 1;
            self.broken[promise as usize] += 1;
        }
    }

    /// The job has one more effect, `effects` in all, which is charged to `promise`. Gives the promise if it broke.
    pub fn double(&mut self, job: Job, effects: u32, promise: Option<Promise>) -> Option<Promise> {
        if effects == 2 {
            self.harm.twice.insert(job);
            self.latest_twice.push_back(job);
            if self.latest_twice.len() > LATEST {
                self.latest_twice.pop_front();
            }
        }
        let broke = promise.filter(|promise| promise.forbids_duplicates())?;
        self.twice.entry(job).or_default()[broke as usize] += 1;
        self.broken[broke as usize] += 1;
        Some(broke)
    }

    /// An effect that had broken `broke` was taken back, which leaves the job with `effects`.
    pub fn undouble(&mut self, job: Job, effects: u32, broke: Option<Promise>) {
        if effects < 2 {
            self.harm.twice.remove(&job);
            self.latest_twice.retain(|other| *other != job);
            let charges = self.twice.remove(&job).unwrap_or_default();
            for (sum, charge) in self.broken.iter_mut().zip(charges) {
                *sum = sum.saturating_sub(u64::from(charge));
            }
        } else if let (Some(promise), Some(charges)) = (broke, self.twice.get_mut(&job)) {
            charges[promise as usize] = charges[promise as usize].saturating_sub(1);
            self.broken[promise as usize] = self.broken[promise as usize].saturating_sub(1);
        }
    }

    /// The jobs that came to harm.
    pub fn harm(&self) -> &Harm {
        &self.harm
    }

    /// The latest jobs that were applied more than once, newest last.
    pub fn latest_twice(&self) -> impl DoubleEndedIterator<Item = Job> + '_ {
        self.latest_twice.iter().copied()
    }

    /// Jobs whose duplicates broke a promise, losses that did, and the promises that were broken.
    pub fn broken(&self) -> (u64, u64, impl Iterator<Item = Promise> + '_) {
        let promises = Promise::ALL.iter().copied().filter(|promise| self.broken[*promise as usize] > 0);
        (self.twice.len() as u64, self.lost, promises)
    }
}
