//! Which jobs hold their order key: nothing of a key is handed out while an earlier job holds it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{Job, OrderKey};

/// The jobs that hold each key, while order by key is in force.
///
/// Waiting and leased jobs hold their key, dead ones too if the policy blocks; unprotected and done ones do not, nor
/// does a zombie. The earliest holder of a key is its head, the only job of it that may be handed out.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    holders: BTreeMap<OrderKey, BTreeSet<Job>>,
}

impl Keys {
    /// Adds a holder. If it goes in front of the head that was, returns that one.
    pub(super) fn hold(&mut self, key: OrderKey, job: Job) -> Option<Job> {
        let holders = self.holders.entry(key).or_default();
        let head = holders.first().copied().filter(|head| job < *head);
        holders.insert(job);
        head
    }

    /// Takes a holder out and returns the head that is left.
    pub(super) fn release(&mut self, key: OrderKey, job: Job) -> Option<Job> {
        let holders = self.holders.get_mut(&key)?;
        holders.remove(&job);
        let head = holders.first().copied();
        if head.is_none() {
            self.holders.remove(&key);
        }
        head
    }

    /// True when no earlier job holds the key of this holder.
    pub(super) fn is_head(&self, key: OrderKey, job: Job) -> bool {
        self.holders.get(&key).and_then(BTreeSet::first) == Some(&job)
    }

    /// True when the job holds its key.
    pub(super) fn holds(&self, key: OrderKey, job: Job) -> bool {
        self.holders.get(&key).is_some_and(|holders| holders.contains(&job))
    }

    /// How many jobs hold a key.
    pub(super) fn len(&self) -> usize {
        self.holders.values().map(BTreeSet::len).sum()
    }
}
