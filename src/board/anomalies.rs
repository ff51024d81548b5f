//! What went wrong: the latest of it, and of each kind how often and one example.

use std::collections::VecDeque;

use super::view::{Anomaly, AnomalyKind};
use crate::ids::Job;

/// At most this many are kept.
const MOST: usize = 10_000;
/// The kinds, in the order in which they are told.
pub(super) const KINDS: [AnomalyKind; 4] =
    [AnomalyKind::Lost, AnomalyKind::Twice, AnomalyKind::Stale, AnomalyKind::Fenced];

/// Everything that went wrong so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Anomalies {
    kept: VecDeque<Anomaly>,
    kinds: [(u64, Option<Anomaly>); KINDS.len()],
}

impl Anomalies {
    /// The latest, oldest first.
    pub fn kept(&self) -> &VecDeque<Anomaly> {
        &self.kept
    }

    /// How many of a kind there were, with the first of them.
    pub fn of(&self, kind: AnomalyKind) -> Option<(u64, Anomaly)> {
        let (count, first) = self.kinds[kind as usize];
        let example = first.or_else(|| self.kept.iter().find(|anomaly| anomaly.kind == kind).copied());
        example.filter(|_| count > 0).map(|example| (count, example))
    }

    /// One more.
    pub fn push(&mut self, anomaly: Anomaly) {
        if self.kept.len() == MOST {
            self.kept.pop_front();
        }
        self.kept.push_back(anomaly);
        let (count, first) = &mut self.kinds[anomaly.kind as usize];
        *count += 1;
        first.get_or_insert(anomaly);
    }

    /// Takes back that a job had another effect, which the event with this number told.
    pub fn undo_effect(&mut self, seq: u64) {
        self.take_back(|anomaly| anomaly.seq == seq);
    }

    /// Takes back that the sink last refused a job.
    pub fn undo_fence(&mut self, job: Job) {
        self.take_back(|anomaly| anomaly.job == job && anomaly.kind == AnomalyKind::Fenced);
    }

    fn take_back(&mut self, is_it: impl Fn(&Anomaly) -> bool) {
        let Some(place) = self.kept.iter().rposition(is_it) else { return };
        let Some(gone) = self.kept.remove(place) else { return };
        let (count, first) = &mut self.kinds[gone.kind as usize];
        *count -= 1;
        *first = first.filter(|first| *first != gone);
    }
}
