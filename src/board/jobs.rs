//! Every job's place in the queue and its fate, in a few bytes each, with their sums.
//!
//! Places follow queue events, fates follow effects; the one function that changes a job keeps both sums right, so
//! that they cannot drift. It leaves to others who works on a job, and what its life looked like.

use std::collections::BTreeSet;

use super::cell::{Cell, flag};
use super::charges::Charges;
use super::invariants::Breach;
pub(super) use super::view::Fate;
use crate::ids::{Job, Token};
use crate::policy::{Attempts, Promise};
use crate::request::{FinalCounts, JobState};

/// The most jobs that room is made for before they come.
const MOST_EXPECTED: usize = 1 << 17;

/// The histories' number for "none is kept".
pub(super) const NO_HISTORY: u32 = u32::MAX;

/// What an effect did to its job, and what is needed to take it back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Applied {
    /// The job had an effect already.
    pub again: bool,
    /// The promise that this duplicate broke.
    pub broke: Option<Promise>,
    /// Who had made the effect before, by its promise.
    before: Option<Promise>,
    /// How many effects the job had with this one.
    nth: u32,
}

/// What an ack or an end did to its job.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Settled {
    /// The job is lost now.
    pub lost: bool,
    /// The job is done and nobody works on it: nothing can happen to it any more.
    pub over: bool,
}

/// All jobs of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Jobs {
    cells: Vec<Cell>,
    places: [u64; 5],
    fates: [u64; 5],
    dead_applied: u64,
    rows: u64,
    applied: u64,
    extra: u64,
    last_token: Option<Token>,
    exposed: BTreeSet<Job>,
    charges: Charges,
}

impl Jobs {
    /// Makes room for `jobs` jobs, as far as that can be taken on trust: a recording may claim any number.
    pub fn expect(&mut self, jobs: usize) {
        self.cells.reserve_exact(jobs.min(MOST_EXPECTED).saturating_sub(self.cells.len()));
    }

    /// The number of jobs enqueued.
    pub fn enqueued(&self) -> u64 {
        self.cells.len() as u64
    }

    /// True when the job was enqueued.
    pub fn knows(&self, job: Job) -> bool {
        (job.0 as usize) < self.cells.len()
    }

    fn cell(&self, job: Job) -> &Cell {
        &self.cells[job.0 as usize]
    }

    /// Changes one job and keeps the sums right.
    fn change<T>(&mut self, job: Job, change: impl FnOnce(&mut Cell) -> T) -> T {
        let cell = &mut self.cells[job.0 as usize];
        let (place, fate, exposed) = (cell.place, cell.fate(), cell.exposed());
        let dead_applied = place == JobState::Dead && cell.effects > 0;
        let answer = change(cell);
        let (new_place, new_fate, new_exposed) = (cell.place, cell.fate(), cell.exposed());
        let new_dead_applied = new_place == JobState::Dead && cell.effects > 0;
        self.places[place as usize] -= 1;
        self.places[new_place as usize] += 1;
        self.fates[fate as usize] -= 1;
        self.fates[new_fate as usize] += 1;
        self.dead_applied = self.dead_applied + u64::from(new_dead_applied) - u64::from(dead_applied);
        match (exposed, new_exposed) {
            (false, true) => drop(self.exposed.insert(job)),
            (true, false) => drop(self.exposed.remove(&job)),
            _ => {}
        }
        answer
    }

    /// A job arrives.
    pub fn enqueue(&mut self, job: Job) -> Result<(), Breach> {
        if job.0 as usize != self.cells.len() {
            return Err(Breach::Number { told: job, next: Job(self.cells.len() as u32) });
        }
        self.cells.push(Cell::NEW);
        self.places[JobState::Waiting as usize] += 1;
        self.fates[Fate::Pending as usize] += 1;
        Ok(())
    }

    /// A job is handed out. Says whether it could be, and what is wrong about it.
    pub fn claim(&mut self, job: Job, token: Token, attempt: u32, allowed: Attempts) -> (bool, Result<(), Breach>) {
        let cell = self.cell(job);
        let (place, had, used) = (cell.place, cell.attempts, cell.used());
        if let Some(last) = self.last_token.filter(|last| token <= *last) {
            return (false, Err(Breach::Token { token, last }));
        }
        if place != JobState::Waiting {
            return (false, Err(Breach::Place { job, event: "claimed", place: place.name() }));
        }
        self.last_token = Some(token);
        self.change(job, |cell| {
            cell.place = JobState::Leased;
            cell.token = token;
            cell.attempts = cell.attempts.saturating_add(1);
            cell.working = cell.working.saturating_add(1);
        });
        let sound = if had.saturating_add(1) != attempt {
            Err(Breach::Attempt { job, had, told: attempt })
        } else if !allowed.allows(used) {
            Err(Breach::Budget { job, used: u64::from(used) + 1, max: allowed.to_string() })
        } else {
            Ok(())
        };
        (true, sound)
    }

    /// True when `token` is the live lease of the job.
    pub fn holds(&self, job: Job, token: Token) -> bool {
        let cell = self.cell(job);
        cell.place == JobState::Leased && cell.token == token
    }

    fn demand_lease(&self, job: Job, token: Token, event: &'static str) -> Result<(), Breach> {
        if self.holds(job, token) { Ok(()) } else { Err(Breach::Lease { job, event, token }) }
    }

    /// The live lease is over and the job waits again: it ran out, was given back, or its delivery failed.
    pub fn give_back(&mut self, job: Job, token: Token, event: &'static str) -> Result<(), Breach> {
        self.demand_lease(job, token, event)?;
        self.change(job, |cell| cell.place = JobState::Waiting);
        Ok(())
    }

    /// The queue forgets the job.
    pub fn ack(&mut self, job: Job, token: Token, promise: Promise) -> Result<Settled, Breach> {
        self.demand_lease(job, token, "ack")?;
        self.change(job, |cell| {
            cell.acked_by = Some(promise);
            cell.place = JobState::Unprotected;
        });
        Ok(self.settle(job))
    }

    /// A delivery of the job ended.
    pub fn end(&mut self, job: Job) -> Settled {
        self.change(job, |cell| cell.working = cell.working.saturating_sub(1));
        self.settle(job)
    }

    /// A job that was acked is done once nobody works on it, and lost if it is done without an effect.
    fn settle(&mut self, job: Job) -> Settled {
        let cell = self.cell(job);
        if cell.place != JobState::Unprotected || cell.working > 0 {
            return Settled { lost: false, over: cell.place == JobState::Done && cell.working == 0 };
        }
        let lost = cell.effects == 0;
        let charged = if cell.is(flag::FOUND) { cell.key_by.or(cell.acked_by) } else { cell.acked_by };
        self.change(job, |cell| {
            cell.place = JobState::Done;
            cell.set(flag::LOST, lost);
        });
        if lost {
            self.charges.lose(job, charged);
        }
        Settled { lost, over: true }
    }

    /// The job goes to the DLQ.
    pub fn bury(&mut self, job: Job) -> Result<(), Breach> {
        match self.cell(job).place {
            JobState::Waiting | JobState::Leased => {
                self.change(job, |cell| cell.place = JobState::Dead);
                Ok(())
            }
            place => Err(Breach::Place { job, event: "dead-lettered", place: place.name() }),
        }
    }

    /// The job comes back from the DLQ with a fresh budget.
    pub fn redrive(&mut self, job: Job) -> Result<(), Breach> {
        match self.cell(job).place {
            JobState::Dead => {
                self.change(job, |cell| {
                    cell.place = JobState::Waiting;
                    cell.spent = cell.attempts;
                });
                Ok(())
            }
            place => Err(Breach::Place { job, event: "redriven", place: place.name() }),
        }
    }

    /// An effect of the job is in the ledger, made under a policy with this promise.
    pub fn apply(&mut self, job: Job, promise: Promise) -> (Applied, Result<(), Breach>) {
        let (before, risen, effects) = self.change(job, |cell| {
            cell.effects = cell.effects.saturating_add(1);
            (cell.effect_by.replace(promise), cell.is(flag::LOST), cell.effects)
        });
        let again = effects > 1;
        self.rows += 1;
        self.applied += u64::from(!again);
        self.extra += u64::from(again);
        let broke = if again { self.charges.double(job, effects, before) } else { None };
        let sound = if risen { Err(Breach::Risen(job)) } else { Ok(()) };
        (Applied { again, broke, before, nth: effects }, sound)
    }

    /// Takes an effect back whose commit failed, and what it had broken.
    pub fn unapply(&mut self, job: Job, applied: Applied) {
        let effects = self.change(job, |cell| {
            if cell.effects == applied.nth {
                cell.effect_by = applied.before;
            }
            cell.effects = cell.effects.saturating_sub(1);
            cell.effects
        });
        self.rows = self.rows.saturating_sub(1);
        if effects == 0 {
            self.applied = self.applied.saturating_sub(1);
        } else {
            self.extra = self.extra.saturating_sub(1);
        }
        self.charges.undouble(job, effects, applied.broke);
    }

    /// The job's key is in the durable table; the first writer stays its owner. Says whether this was the first.
    pub fn keep_key(&mut self, job: Job) -> bool {
        let cell = &mut self.cells[job.0 as usize];
        let first = !cell.is(flag::KEYED);
        cell.set(flag::KEYED, true);
        first
    }

    /// Takes a durable key back.
    pub fn drop_key(&mut self, job: Job) {
        self.cells[job.0 as usize].set(flag::KEYED, false);
    }

    /// Notes under which promise the job's key was written, unless one is noted; says what was noted before.
    pub fn key_written(&mut self, job: Job, promise: Promise) -> Option<Promise> {
        let cell = &mut self.cells[job.0 as usize];
        let before = cell.key_by;
        cell.key_by = before.or(Some(promise));
        before
    }

    /// Puts back what [`Jobs::key_written`] found.
    pub fn key_unwritten(&mut self, job: Job, before: Option<Promise>) {
        self.cells[job.0 as usize].key_by = before;
    }

    /// A delivery found the job's key, or did so no more; says whether one had.
    pub fn found(&mut self, job: Job, found: bool) -> bool {
        let cell = &mut self.cells[job.0 as usize];
        let before = cell.is(flag::FOUND);
        cell.set(flag::FOUND, found);
        before
    }

    /// True when the job's key is in the durable table.
    pub fn keyed(&self, job: Job) -> bool {
        self.cell(job).is(flag::KEYED)
    }

    /// Notes that something befell the job that is worth telling later.
    pub fn mark_odd(&mut self, job: Job) {
        self.cells[job.0 as usize].set(flag::ODD, true);
    }

    /// True when something befell the job that is worth telling later.
    pub fn is_odd(&self, job: Job) -> bool {
        self.cell(job).is(flag::ODD)
    }

    /// The job's effects so far.
    pub fn effects(&self, job: Job) -> u32 {
        self.cell(job).effects
    }

    /// How often the job was handed out.
    pub fn attempts(&self, job: Job) -> u32 {
        self.cell(job).attempts
    }

    /// Deliveries of the job that have not ended.
    pub fn working(&self, job: Job) -> u16 {
        self.cell(job).working
    }

    /// Where the queue holds the job.
    pub fn place(&self, job: Job) -> JobState {
        self.cell(job).place
    }

    /// What became of the job so far.
    pub fn fate(&self, job: Job) -> Fate {
        self.cell(job).fate()
    }

    /// The number of the job's kept history, or [`NO_HISTORY`].
    pub fn history(&self, job: Job) -> u32 {
        self.cell(job).history
    }

    /// Notes the number of the job's kept history.
    pub fn set_history(&mut self, job: Job, history: u32) {
        self.cells[job.0 as usize].history = history;
    }

    /// How many jobs are at this place.
    pub fn at_place(&self, place: JobState) -> u64 {
        self.places[place as usize]
    }

    /// How many jobs have this fate.
    pub fn of_fate(&self, fate: Fate) -> u64 {
        self.fates[fate as usize]
    }

    /// Dead jobs that were applied.
    pub fn dead_applied(&self) -> u64 {
        self.dead_applied
    }

    /// Effect rows, and those beyond the first of their job.
    pub fn rows(&self) -> (u64, u64) {
        (self.rows, self.extra)
    }

    /// Jobs that have an effect and are not settled.
    pub fn exposed(&self) -> &BTreeSet<Job> {
        &self.exposed
    }

    /// The harm that came to jobs.
    pub fn charges(&self) -> &Charges {
        &self.charges
    }

    /// What SQL should count at the end of the run.
    pub fn final_counts(&self) -> FinalCounts {
        FinalCounts {
            enqueued: self.enqueued(),
            rows: self.rows,
            applied: self.applied,
            once: self.of_fate(Fate::Once),
            duplicated: self.of_fate(Fate::Twice),
            lost: self.of_fate(Fate::Lost),
            dead: self.at_place(JobState::Dead),
            dead_applied: self.dead_applied,
            pending: self.of_fate(Fate::Pending),
        }
    }

    /// The sums that must hold at any instant.
    pub fn check(&self) -> Result<(), Breach> {
        let enqueued = self.enqueued();
        let places: u64 = self.places.iter().sum();
        let fates: u64 = self.fates.iter().sum();
        if places != enqueued {
            return Err(Breach::Sum { what: "places", sum: places, enqueued });
        }
        if fates != enqueued {
            return Err(Breach::Sum { what: "fates", sum: fates, enqueued });
        }
        if self.rows != self.applied + self.extra {
            return Err(Breach::Rows { rows: self.rows, jobs: self.applied, extra: self.extra });
        }
        Ok(())
    }
}
