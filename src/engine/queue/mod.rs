//! The queue: which job is handed out next, under which lease, and what becomes of it.
//!
//! [`Queue`] is a plain value. Whoever drives it hands in the time with each call and calls it under one lock; what
//! is due is dealt with first in every call, so that a lease that has run out is over whatever else is asked at that
//! moment. The queue never learns of a crash, only that a lease ran out, and never of an effect.
//!
//! One file for each idea: what is kept of a job (`record`), live leases (`leases`), who is next (`ready`), which
//! jobs wait for each other (`order`), dead letters (`dlq`), how a job goes from place to place (`moves`), what a change
//! of policy moves (`switch`), and the recount that shows it is all consistent (`check`).

mod check;
mod dlq;
mod leases;
mod moves;
mod order;
mod ready;
mod record;
mod switch;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::action::Letters;
use crate::engine::draw::{self, Purpose};
use crate::engine::retry;
use crate::event::{By, End, Reason, What};
use crate::ids::{Job, OrderKey, Token, Worker};
use crate::policy::{AckOrder, Ordering, Policy};
use crate::request::{Delivery, FinalJob, JobState};
use crate::sabotage::{Flaw, strikes};
use crate::setup::Poison;
use crate::time::{Instant, Span};

use dlq::Dlq;
use leases::{Lease, Leases};
use order::Keys;
use ready::Ready;
use record::{Place, Record, Records};

/// A job to be enqueued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    /// Its order key.
    pub key: OrderKey,
    /// It may be handed out from here on.
    pub due: Instant,
    /// How long it takes.
    pub work: Span,
    /// What it does to who works on it, if it is poisonous.
    pub poison: Option<Poison>,
    /// When the lease of its first delivery ends, if that is planned; the lease is then never renewed. A plan that has
    /// passed when the job is handed out is void.
    pub first_deadline: Option<Instant>,
}

/// What came of an ack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acked {
    /// The job is forgotten.
    Accepted,
    /// This very delivery had settled the job before; nothing changed.
    Repeated,
    /// The delivery's lease is not live; nothing changed.
    Stale,
}

/// How many jobs are in each state; the states add up to the jobs enqueued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Ready, delayed, backing off or blocked by their key.
    pub waiting: u64,
    /// Out under a live lease.
    pub leased: u64,
    /// Acked while somebody still works on them.
    pub unprotected: u64,
    /// Forgotten, and nobody works on them.
    pub done: u64,
    /// In the DLQ.
    pub dead: u64,
    /// Deliveries (not jobs) that have not ended, those of zombies too.
    pub working: u64,
}

impl Tally {
    /// How many jobs were enqueued.
    pub fn enqueued(&self) -> u64 {
        self.waiting + self.leased + self.unprotected + self.settled()
    }

    /// How many jobs are done or dead.
    pub fn settled(&self) -> u64 {
        self.done + self.dead
    }

    fn of(&mut self, place: Place) -> &mut u64 {
        match place.state() {
            JobState::Waiting => &mut self.waiting,
            JobState::Leased => &mut self.leased,
            JobState::Unprotected => &mut self.unprotected,
            JobState::Done => &mut self.done,
            JobState::Dead => &mut self.dead,
        }
    }
}

/// The queue of one run.
#[derive(Clone, Debug)]
pub struct Queue {
    policy: Arc<Policy>,
    seed: u64,
    /// The latest moment that a call brought; time never goes back.
    now: Instant,
    /// The last token that was given out.
    token: Token,
    records: Records,
    ready: Ready,
    delayed: BTreeSet<(Instant, Job)>,
    leases: Leases,
    /// The planned ends of first leases, of jobs that were never handed out.
    planned: BTreeMap<Job, Instant>,
    dlq: Dlq,
    /// Who holds which key; `None` while order is off.
    keys: Option<Keys>,
    tally: Tally,
    /// Set by the first release: from then on jobs with no tries left may wait, since the run is over.
    closing: bool,
    /// The first call that contradicted an earlier one.
    contradiction: Option<String>,
}

impl Queue {
    /// An empty queue at the start of lab time.
    pub fn new(policy: Arc<Policy>, seed: u64) -> Queue {
        let keys = (policy.order == Ordering::Key).then(Keys::default);
        Queue {
            policy,
            seed,
            now: Instant::START,
            token: Token(0),
            records: Records::default(),
            ready: Ready::default(),
            delayed: BTreeSet::new(),
            leases: Leases::default(),
            planned: BTreeMap::new(),
            dlq: Dlq::default(),
            keys,
            tally: Tally::default(),
            closing: false,
            contradiction: None,
        }
    }

    /// The policy in force.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// Takes a job in. Ids count from 0 upwards.
    pub fn enqueue(&mut self, now: Instant, job: NewJob, out: &mut Vec<What>) -> Job {
        self.pass(now, out);
        let NewJob { key, due, work, poison, first_deadline } = job;
        let fresh =
            Record { work, token: Token(0), key, attempts: 0, used: 0, working: 0, place: Place::Delayed, poison };
        let job = self.records.push(fresh);
        self.planned.extend(first_deadline.map(|deadline| (job, deadline)));
        self.tally.waiting += 1;
        out.push(What::Enqueued { j: job, key, due, poison });
        self.hold_key(job);
        self.wait_until(job, due);
        job
    }

    /// Hands the ready job with the lowest id to `worker`, if there is one. This is the start of an attempt.
    pub fn claim(&mut self, now: Instant, worker: Worker, out: &mut Vec<What>) -> Option<Delivery> {
        self.pass(now, out);
        while let Some(job) = self.ready.pop() {
            if self.policy.attempts.allows(self.records[job].used) {
                return Some(self.hand_out(job, worker, out));
            }
            // Only a job that was released on its last try waits without a budget.
            self.bury(job, Reason::LeaseExpired, out);
        }
        None
    }

    fn hand_out(&mut self, job: Job, worker: Worker, out: &mut Vec<What>) -> Delivery {
        self.token = Token(self.token.0 + 1);
        let token = self.token;
        let planned = self.planned.remove(&job).filter(|end| *end > self.now);
        let renewable = planned.is_none();
        let span = planned.map_or_else(|| self.lease(), |end| end.since(self.now));
        let deadline = self.now + span;
        self.move_to(job, Place::Leased);
        let record = &mut self.records[job];
        record.attempts = record.attempts.saturating_add(1);
        record.used = record.used.saturating_add(1);
        record.working += 1;
        record.token = token;
        let Record { work, key, poison, attempts: attempt, .. } = *record;
        self.tally.working += 1;
        let renewal = renewable.then_some(span);
        self.leases.grant(token, Lease { worker, job, deadline, renewal, cause: None });
        out.push(What::Claimed { w: worker, j: job, n: attempt, k: token, deadline, lease: span, work });
        let policy = Arc::clone(&self.policy);
        Delivery { worker, job, attempt, token, key, deadline, renewable, work, poison, policy }
    }

    /// How long the policy leases a job for.
    fn lease(&self) -> Span {
        let lease = self.policy.lease;
        if strikes(Flaw::LeaseLastsHalf) { lease.scaled(1, 2) } else { lease }
    }

    /// Moves a live lease on and returns its new deadline: a full lease of its delivery from now. A planned lease ends
    /// as planned. `None` when the lease is not live; then nothing changes.
    pub fn renew(&mut self, now: Instant, worker: Worker, token: Token, out: &mut Vec<What>) -> Option<Instant> {
        self.pass(now, out);
        let moved = self.leases.renew(token, self.now);
        out.push(match moved {
            Some(deadline) => What::Renewed { w: worker, k: token, deadline },
            None => What::RenewalStale { w: worker, k: token },
        });
        moved
    }

    /// Forgets the job, if the delivery's lease is live. The job is unprotected until every delivery of it has
    /// ended, and then done.
    pub fn ack(&mut self, now: Instant, delivery: &Delivery, out: &mut Vec<What>) -> Acked {
        self.pass(now, out);
        let (w, j, k) = (delivery.worker, delivery.job, delivery.token);
        if strikes(Flaw::EarlyAckKeepsTheLease) && delivery.policy.ack == AckOrder::Before {
            out.push(What::Acked { w, j, k });
            return Acked::Accepted;
        }
        if self.leases.take(k).is_some() {
            let over = self.records[j].working == 0;
            self.move_to(j, if over { Place::Done } else { Place::Unprotected });
            self.release_key(j);
            out.push(What::Acked { w, j, k });
            return Acked::Accepted;
        }
        let settled_it =
            |record: &Record| record.token == k && matches!(record.place, Place::Unprotected | Place::Done);
        if self.records.get(j).is_some_and(settled_it) {
            out.push(What::AckRepeated { w, j, k });
            return Acked::Repeated;
        }
        out.push(What::AckStale { w, j, k });
        Acked::Stale
    }

    /// Takes the job back as failed: it backs off, or goes to the DLQ if that was its last try. False when the
    /// delivery's lease is not live; then nothing changes.
    pub fn nack(&mut self, now: Instant, delivery: &Delivery, words: &str, out: &mut Vec<What>) -> bool {
        self.pass(now, out);
        let (w, j, k) = (delivery.worker, delivery.job, delivery.token);
        if self.leases.take(k).is_none() {
            out.push(What::NackStale { w, j, k });
            return false;
        }
        let until = self.may_try_again(j).then(|| self.now + self.backoff(j));
        out.push(What::Nacked { w, j, k, until, words: words.into() });
        match until {
            Some(until) => self.wait_until(j, until),
            None => self.bury(j, Reason::Failed(words.into()), out),
        }
        true
    }

    fn backoff(&self, job: Job) -> Span {
        let record = &self.records[job];
        let u = draw::unit(self.seed, u64::from(job.0), record.attempts, Purpose::Backoff, 0);
        retry::wait(&self.policy.backoff, record.used, u)
    }

    /// Notes that a delivery is over; to be told once for each. A lease that is live stays so until its deadline.
    pub fn ended(&mut self, now: Instant, delivery: &Delivery, how: End, by: Option<By>, out: &mut Vec<What>) {
        self.pass(now, out);
        let (w, j, k) = (delivery.worker, delivery.job, delivery.token);
        match &how {
            End::Crashed(spot) => self.leases.note(k, Reason::Crashed(*spot)),
            End::Failed(words) => self.leases.note(k, Reason::Failed(words.clone())),
            _ => {}
        }
        out.push(What::Ended { w, j, k, how, by });
        let record = &mut self.records[j];
        let Some(left) = record.working.checked_sub(1) else {
            self.contradiction.get_or_insert_with(|| format!("I4: a delivery of job {j} ended twice"));
            return;
        };
        record.working = left;
        let settled = left == 0 && record.place == Place::Unprotected;
        self.tally.working -= 1;
        if settled {
            self.move_to(j, Place::Done);
        }
    }

    /// Gives a live lease back at the end of the run: the job waits, and the try counts as used.
    pub fn release(&mut self, now: Instant, delivery: &Delivery, out: &mut Vec<What>) {
        self.pass(now, out);
        if self.leases.take(delivery.token).is_some() {
            self.closing = true;
            out.push(What::Released { w: delivery.worker, j: delivery.job, k: delivery.token });
            self.offer(delivery.job);
        }
    }

    /// Deals with what is due by `now`: leases that have run out, jobs whose wait is over.
    pub fn expire_due(&mut self, now: Instant, out: &mut Vec<What>) {
        self.pass(now, out);
    }

    /// Puts dead letters back with a fresh budget, and says how many there were. They are ready at once.
    pub fn redrive(&mut self, now: Instant, letters: Letters, out: &mut Vec<What>) -> usize {
        self.pass(now, out);
        let jobs = self.dlq.exhume(letters);
        for job in &jobs {
            self.records[*job].used = 0;
            out.push(What::Redriven { j: *job });
            self.hold_key(*job);
            self.offer(*job);
        }
        jobs.len()
    }

    /// The earliest deadline, end of a backoff or due time; `None` when nothing is timed.
    pub fn next_due(&self) -> Option<Instant> {
        let delayed = self.delayed.first().map(|(until, _)| *until);
        [self.leases.next_deadline(), delayed].into_iter().flatten().min()
    }

    /// True when time alone will change something, given that `held` leases are renewed without end: a job's wait
    /// ends, or a lease runs out.
    pub fn moves_without(&self, held: u64) -> bool {
        !self.delayed.is_empty() || self.tally.leased > held
    }

    /// How many jobs a claim could hand out at the moment of the last call.
    pub fn ready(&self) -> usize {
        self.ready.len()
    }

    /// The token of the last delivery: how many there were.
    pub fn last_token(&self) -> Token {
        self.token
    }

    /// How many jobs are in each state.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Every job with its state, in order of id.
    pub fn final_jobs(&self) -> impl Iterator<Item = FinalJob> + '_ {
        self.records.iter().map(|(job, record)| FinalJob {
            job,
            state: record.place.state(),
            attempts: record.attempts,
            reason: self.dlq.reason(job).map(dlq::words),
        })
    }

    /// The jobs in the DLQ, in order of id.
    pub fn dead(&self) -> impl Iterator<Item = Job> + '_ {
        self.dlq.jobs()
    }
}
