//! The truth view: what the ledger says, and which applied jobs are at risk of being applied again.

use super::Board;
use super::jobs::Fate;
use super::view::{Counters, TruthView};
use crate::ids::Job;
use crate::request::JobState;
use crate::time::Instant;

/// How many jobs a line of the pane names.
const NAMED: usize = 8;

impl Board {
    /// Jobs at risk at `now`, lowest id first, with the reason.
    fn at_risk(&self, now: Instant) -> impl Iterator<Item = (Job, &'static str)> + '_ {
        let living = self.workers.living();
        let policy = self.policies.current();
        self.jobs.exposed().iter().filter_map(move |job| {
            let why = self.memories.forgets(*job, self.jobs.keyed(*job), policy, now, &living)?;
            Some((*job, why))
        })
    }

    /// The counters with all that is summed elsewhere.
    pub(super) fn all_counters(&self) -> Counters {
        Counters { at_risk: self.at_risk(self.now).count() as u64, ..self.but_at_risk() }
    }

    /// One counter by its name.
    pub(super) fn counter_named(&self, name: &str) -> Option<u64> {
        match name {
            "at_risk" => Some(self.at_risk(self.now).count() as u64),
            name => self.but_at_risk().named(name),
        }
    }

    /// All counters but the jobs at risk, which take counting.
    fn but_at_risk(&self) -> Counters {
        let (effects, extra_effects) = self.jobs.rows();
        let at = |place| self.jobs.at_place(place);
        let of = |fate| self.jobs.of_fate(fate);
        Counters {
            enqueued: self.jobs.enqueued(),
            effects,
            extra_effects,
            once: of(Fate::Once),
            duplicated: of(Fate::Twice),
            lost: of(Fate::Lost),
            pending: of(Fate::Pending),
            waiting: at(JobState::Waiting),
            leased: at(JobState::Leased),
            unprotected: at(JobState::Unprotected),
            done: at(JobState::Done),
            dead: at(JobState::Dead),
            dead_applied: self.jobs.dead_applied(),
            ..self.counters
        }
    }

    /// What the ledger says at `now`.
    pub(super) fn truth_view(&self, now: Instant) -> TruthView {
        let mut at_risk = self.at_risk(now);
        let first = at_risk.next();
        let charges = self.jobs.charges();
        TruthView {
            lost: (self.jobs.of_fate(Fate::Lost), charges.harm().lost.iter().copied().take(NAMED).collect()),
            twice: (self.jobs.of_fate(Fate::Twice), charges.latest_twice().rev().collect()),
            at_risk: (u64::from(first.is_some()) + at_risk.count() as u64, first),
            rows: self.jobs.rows().0,
            audit: self.witness.last().map(|(view, at)| (view, now.since(at))),
        }
    }
}
