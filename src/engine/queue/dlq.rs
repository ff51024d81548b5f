//! The dead letters and why each is one.

use std::collections::BTreeMap;

use crate::action::Letters;
use crate::event::{Reason, Spot};
use crate::ids::Job;

/// The DLQ.
#[derive(Clone, Debug, Default)]
pub(super) struct Dlq {
    letters: BTreeMap<Job, Reason>,
}

impl Dlq {
    /// Puts a job in.
    pub(super) fn bury(&mut self, job: Job, reason: Reason) {
        self.letters.insert(job, reason);
    }

    /// Takes jobs out; those of them that were in, in order of id.
    pub(super) fn exhume(&mut self, which: Letters) -> Vec<Job> {
        match which {
            Letters::All => std::mem::take(&mut self.letters).into_keys().collect(),
            Letters::One(job) => self.letters.remove(&job).map(|_| job).into_iter().collect(),
        }
    }

    /// The dead jobs in order of id.
    pub(super) fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        self.letters.keys().copied()
    }

    /// Why the job is dead, if it is.
    pub(super) fn reason(&self, job: Job) -> Option<&Reason> {
        self.letters.get(&job)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.letters.len()
    }
}

/// A reason in words: `failed: card declined`, `crashed in work`, `crashed after effect`, `lease expired`.
pub(super) fn words(reason: &Reason) -> String {
    match reason {
        Reason::Failed(words) => format!("failed: {words}"),
        Reason::Crashed(Spot::In(point)) => format!("crashed in {point}"),
        Reason::Crashed(Spot::After(point)) => format!("crashed after {point}"),
        Reason::LeaseExpired => "lease expired".to_owned(),
        Reason::AttemptsLowered => "attempts lowered".to_owned(),
    }
}
