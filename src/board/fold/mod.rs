//! One event at a time: who is told what.
//!
//! Each family of events has a file. An event that contradicts what is known is noted as a breach and changes nothing
//! that it contradicts, so that no log, however broken, can bring the board down.

mod queue;
mod sink;
mod workers;

use super::Board;
use super::audit::Witness;
use super::counters;
use super::history::Entry;
use super::invariants::Breach;
use super::jobs::{Jobs, NO_HISTORY};
use super::lanes::Lanes;
use super::operator::Operator;
use super::policies::Policies;
use super::signal::Signal;
use super::struck::Lists;
use super::view::{Anomaly, AnomalyKind, Line};
use super::workers::{Active, Workers};
use crate::event::{Event, Fault, Finish, What};
use crate::ids::{Job, Token, Worker};
use crate::policy::SettingName;
use crate::setup::{MAX_JOBS, MAX_WORKERS, Setup};
use crate::time::Instant;

/// The place and time of the event being folded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Its place in the log.
    pub seq: u64,
    /// When it happened.
    pub at: Instant,
}

type Sound = Result<(), Breach>;

impl Board {
    /// Takes in the next event.
    pub(super) fn fold_event(&mut self, event: &Event) {
        let moment = Moment { seq: self.seq, at: event.at };
        self.seq += 1;
        if event.at < self.now {
            self.breaches.note(&Breach::Time { from: self.now.0, to: event.at.0 });
        }
        self.now = self.now.max(event.at);
        self.recent.push(moment.seq, event);
        if let Err(breach) = self.admit(&event.what).and_then(|()| self.tell(moment, event)) {
            self.breaches.note(&breach);
        }
        if let Err(breach) = self.jobs.check() {
            self.breaches.note(&breach);
        }
    }

    /// Refuses what names a worker or a job that does not exist, and a log that does not begin with `started`.
    fn admit(&self, what: &What) -> Sound {
        match (what, self.run.setup.is_some()) {
            (What::Started { .. }, false) => return Ok(()),
            (What::Started { .. }, true) => return Err(Breach::Order("started")),
            (_, false) => return Err(Breach::Order("before the first")),
            _ => {}
        }
        if let Some(worker) = what.worker().filter(|worker| !self.workers.knows(*worker)) {
            return Err(Breach::Worker(worker));
        }
        match what.job().filter(|job| !self.jobs.knows(*job)) {
            Some(job) if !matches!(what, What::Enqueued { .. }) => Err(Breach::Unknown(job)),
            _ => Ok(()),
        }
    }

    fn tell(&mut self, moment: Moment, event: &Event) -> Sound {
        counters::count(&mut self.counters, &event.what);
        if let Some(signal) = Signal::of(&event.what)
            && let Some(waited) = self.operator.fold(moment.at, signal, self.policies.current())
        {
            self.flow.waited(waited);
        }
        // The job of an event is looked up first, since the event may end the delivery that leads to it.
        let job = self.job_of(&event.what);
        let sound = self.dispatch(moment, &event.what);
        if let Some(job) = job {
            self.remember(moment, job, event);
        }
        if let Some(job) = self.settled.take() {
            self.close(job);
        }
        sound
    }

    fn dispatch(&mut self, moment: Moment, what: &What) -> Sound {
        match what {
            What::Started { setup, .. } => self.start(setup),
            What::Policy { what, to, .. } => return self.switch(moment, *what, to),
            What::Action { .. } => {}
            What::Drained => self.run.drained = true,
            What::Stopped => self.run.stopped = true,
            What::Going => self.run.stopped = false,
            What::Speed { x } => self.run.speed = *x,
            What::Jumped { by } => self.run.jumped += *by,
            What::Marked { text } => self.run.mark(moment.at, text),
            What::Said { step, text, pause } => {
                self.run.narrate(moment.at, *step, text, Line::Said { pause: *pause });
            }
            What::Asked { step, text } => self.run.narrate(moment.at, *step, text, Line::Asked),
            What::Answered { step, text } => self.run.narrate(moment.at, *step, text, Line::Answered),
            What::Audited { counts } => self.witness.audit(*counts, moment.at),
            What::Violated { text } => self.breaches.say(text.to_string()),
            What::Stuck { why } => self.run.stuck = Some(why.clone()),
            What::Finished { how, counts } => {
                if let Some(counts) = counts {
                    self.witness.close(counts, &self.jobs.final_counts());
                }
                if matches!(how, Finish::Failed(_)) {
                    self.operator.all_down();
                }
                self.run.finish = Some((how.clone(), counts.clone()));
                self.workers.over = true;
            }
            other => return self.fold_queue(moment, other),
        }
        Ok(())
    }

    fn start(&mut self, setup: &Setup) {
        let workers = usize::from(setup.workers.min(MAX_WORKERS));
        self.jobs = Jobs::default();
        self.jobs.expect(setup.workload.jobs.unwrap_or(0).min(MAX_JOBS) as usize);
        self.policies = Policies::new(setup.policy.clone());
        self.workers = Workers::new(workers);
        self.lanes = Lanes::new(workers);
        self.operator = Operator::new(workers);
        self.lists = Lists::of(setup);
        self.witness = Witness::default();
        self.counters.jobs = setup.workload.jobs.map_or(0, u64::from);
        self.run.speed = setup.speed;
        self.run.setup = Some(Box::new(setup.clone()));
    }

    fn switch(&mut self, moment: Moment, what: SettingName, to: &str) -> Sound {
        self.lanes.note(moment.at, format!("{what} {to}"), true);
        self.policies.switch(moment.seq, what, to).map_err(|why| Breach::Switch(why.to_string()))
    }

    /// The job whose life an event belongs to.
    fn job_of(&self, what: &What) -> Option<Job> {
        match (what.job(), what) {
            (Some(job), _) => Some(job),
            (None, What::Died { w, .. } | What::Spawned { w, .. }) => {
                self.workers.get(*w)?.died_with.map(|(job, _)| job)
            }
            (None, What::Fault { w: Some(w), .. } | What::Healed { w: Some(w), .. }) => {
                self.workers.get(*w)?.live.as_ref().map(|live| live.job)
            }
            _ => self.workers.job_of(what.worker()?, what.token()?),
        }
    }

    /// Adds an event to the life of its job, if that is kept.
    fn remember(&mut self, moment: Moment, job: Job, event: &Event) {
        if !self.jobs.knows(job) {
            return;
        }
        let number = self.jobs.history(job);
        let asked = !self.asked.is_empty() && self.asked.contains_key(&job);
        if number == NO_HISTORY && !asked {
            return;
        }
        let taken = self.memories.taken();
        let entry = Entry { seq: moment.seq, event: event.clone(), times: 1, taken };
        let faults = if let What::Claimed { w, .. } = event.what { self.faults_on(w) } else { Vec::new() };
        for entry in std::iter::once(entry).chain(faults) {
            if let Some(life) = self.asked.get_mut(&job).filter(|_| asked) {
                life.push_whole(entry.clone());
            }
            self.lives.add(number, entry);
        }
    }

    /// The faults that are in force on a worker when it takes a job are part of the job's life.
    fn faults_on(&self, worker: Worker) -> Vec<Entry> {
        let Some(slot) = self.workers.get(worker) else { return Vec::new() };
        let entry = |(what, active): (Fault, Active)| {
            let what = What::Fault { w: Some(worker), what, factor: active.factor, until: active.until };
            Entry { seq: active.seq, event: Event { at: active.since, what }, times: 1, taken: 0 }
        };
        slot.faults().map(entry).collect()
    }

    /// A job is done and nobody works on it: only what is worth telling is kept.
    fn close(&mut self, job: Job) {
        self.memories.settled(job);
        let number = self.jobs.history(job);
        if number == NO_HISTORY {
            return;
        }
        let odd = self.jobs.is_odd(job);
        if !odd && self.jobs.attempts(job) < 2 {
            self.lives.forget(number);
            self.jobs.set_history(job, NO_HISTORY);
        } else if let Some(old) = self.lives.keep(job, odd) {
            self.lives.drop_life(self.jobs.history(old));
            self.jobs.set_history(old, NO_HISTORY);
        }
    }

    fn anomaly(&mut self, moment: Moment, kind: AnomalyKind, job: Job, worker: Worker) {
        self.anomalies.push(Anomaly { at: moment.at, kind, job, worker, seq: moment.seq });
        self.jobs.mark_odd(job);
    }

    /// What moves an unsettled job, or could, takes a stuck run out of its place and leaves a drained one something to
    /// do.
    fn moved(&mut self) {
        self.run.stuck = None;
        self.run.drained = false;
    }

    fn not_its(worker: Worker, event: &'static str, token: Token) -> Breach {
        Breach::Delivery { worker, event, token }
    }
}
