//! The rules told once more, as plainly as possible, and compared with the queue after every step of thousands of
//! random runs: every answer, every event, every count.

mod run;

use crate::action::Letters;
use crate::engine::draw::{self, Purpose};
use crate::engine::queue::{Acked, Tally};
use crate::engine::retry;
use crate::event::{End, Reason, What};
use crate::ids::{Job, OrderKey, Token, Worker};
use crate::policy::{Attempts, OnDead, Ordering, Policy, Setting};
use crate::request::Delivery;
use crate::time::{Instant, Span};

const SEED: u64 = 7;

#[derive(Clone, Debug, PartialEq)]
enum State {
    Waiting { from: Instant },
    Leased { worker: Worker, deadline: Instant, renewal: Option<Span>, cause: Option<Reason> },
    Acked,
    Dead,
}

#[derive(Clone, Debug)]
struct Told {
    key: OrderKey,
    planned: Option<Instant>,
    state: State,
    token: Token,
    attempts: u32,
    used: u32,
    working: u64,
}

/// The rules, by searching through all jobs each time.
struct Model {
    policy: Policy,
    now: Instant,
    token: Token,
    jobs: Vec<Told>,
    events: Vec<What>,
}

impl Model {
    fn job(&mut self, job: Job) -> &mut Told {
        &mut self.jobs[job.0 as usize]
    }

    fn allowed(&self, job: usize) -> bool {
        self.policy.attempts.allows(self.jobs[job].used)
    }

    fn pass(&mut self, now: Instant) {
        self.now = self.now.max(now);
        while let Some((_, token, job)) = self.first_to_expire() {
            let State::Leased { worker, cause, .. } = self.jobs[job].state.clone() else { unreachable!() };
            self.events.push(What::Expired { w: worker, j: Job(job as u32), k: token });
            if self.allowed(job) {
                self.jobs[job].state = State::Waiting { from: self.now };
            } else {
                self.bury(job, cause.unwrap_or(Reason::LeaseExpired));
            }
        }
    }

    fn first_to_expire(&self) -> Option<(Instant, Token, usize)> {
        let due = self.jobs.iter().enumerate().filter_map(|(job, told)| match told.state {
            State::Leased { deadline, .. } if deadline <= self.now => Some((deadline, told.token, job)),
            _ => None,
        });
        due.min()
    }

    fn bury(&mut self, job: usize, reason: Reason) {
        let max = match self.policy.attempts {
            Attempts::Limit(limit) => Some(limit),
            Attempts::Unlimited => None,
        };
        self.jobs[job].state = State::Dead;
        let (tries, key, j) = (self.jobs[job].used, self.jobs[job].key, Job(job as u32));
        self.events.push(What::Dead { j, reason, tries, max });
        if self.policy.order == Ordering::Key && self.policy.on_dead == OnDead::Skip {
            self.events.push(What::Gap { key, j });
        }
    }

    fn holds_key(&self, told: &Told) -> bool {
        match told.state {
            State::Waiting { .. } | State::Leased { .. } => true,
            State::Dead => self.policy.on_dead == OnDead::Block,
            State::Acked => false,
        }
    }

    fn ready(&self) -> Vec<usize> {
        let due = |told: &Told| matches!(told.state, State::Waiting { from } if from <= self.now);
        let held = |job: usize| {
            let key = self.jobs[job].key;
            let mut earlier = self.jobs[..job].iter().filter(|told| told.key == key);
            self.policy.order == Ordering::Key && earlier.any(|told| self.holds_key(told))
        };
        (0..self.jobs.len()).filter(|job| due(&self.jobs[*job]) && !held(*job)).collect()
    }

    fn claim(&mut self, worker: Worker) -> Option<(Job, u32, Token, Instant)> {
        loop {
            let job = *self.ready().first()?;
            if !self.allowed(job) {
                self.bury(job, Reason::LeaseExpired);
                continue;
            }
            self.token.0 += 1;
            let (token, now) = (self.token, self.now);
            let told = &mut self.jobs[job];
            let planned = told.planned.filter(|end| told.attempts == 0 && *end > now);
            let lease = planned.map_or(self.policy.lease, |planned| planned.since(now));
            let deadline = now + lease;
            let renewal = if planned.is_some() { None } else { Some(lease) };
            told.state = State::Leased { worker, deadline, renewal, cause: None };
            (told.attempts, told.used, told.working, told.token) =
                (told.attempts + 1, told.used + 1, told.working + 1, token);
            let (j, n, work) = (Job(job as u32), told.attempts, Span(work_of(job)));
            self.events.push(What::Claimed { w: worker, j, n, k: token, deadline, lease, work });
            return Some((j, n, token, deadline));
        }
    }

    fn is_live(&self, delivery: &Delivery) -> bool {
        let told = &self.jobs[delivery.job.0 as usize];
        told.token == delivery.token && matches!(told.state, State::Leased { .. })
    }

    fn renew(&mut self, delivery: &Delivery) -> Option<Instant> {
        let (live, now) = (self.is_live(delivery), self.now);
        let (w, k) = (delivery.worker, delivery.token);
        let State::Leased { deadline, renewal, .. } = &mut self.job(delivery.job).state else {
            self.events.push(What::RenewalStale { w, k });
            return None;
        };
        if !live {
            self.events.push(What::RenewalStale { w, k });
            return None;
        }
        *deadline = renewal.map_or(*deadline, |span| now + span);
        let deadline = *deadline;
        self.events.push(What::Renewed { w, k, deadline });
        Some(deadline)
    }

    fn ack(&mut self, delivery: &Delivery) -> Acked {
        let (w, j, k) = (delivery.worker, delivery.job, delivery.token);
        let live = self.is_live(delivery);
        let told = self.job(j);
        let (acked, event) = match &told.state {
            _ if live => (Acked::Accepted, What::Acked { w, j, k }),
            State::Acked if told.token == k => (Acked::Repeated, What::AckRepeated { w, j, k }),
            _ => (Acked::Stale, What::AckStale { w, j, k }),
        };
        if live {
            told.state = State::Acked;
        }
        self.events.push(event);
        acked
    }

    fn nack(&mut self, delivery: &Delivery) -> bool {
        let (w, j, k) = (delivery.worker, delivery.job, delivery.token);
        if !self.is_live(delivery) {
            self.events.push(What::NackStale { w, j, k });
            return false;
        }
        let job = j.0 as usize;
        let Told { used, attempts, .. } = self.jobs[job];
        let u = draw::unit(SEED, u64::from(j.0), attempts, Purpose::Backoff, 0);
        let until = self.now + retry::wait(&self.policy.backoff, used, u);
        let until = self.allowed(job).then_some(until);
        self.events.push(What::Nacked { w, j, k, until, words: "no".into() });
        match until {
            Some(from) => self.jobs[job].state = State::Waiting { from },
            None => self.bury(job, Reason::Failed("no".into())),
        }
        true
    }

    fn ended(&mut self, delivery: &Delivery, how: End) {
        let live = self.is_live(delivery);
        let told = self.job(delivery.job);
        told.working -= 1;
        if let (true, State::Leased { cause, .. }) = (live, &mut told.state) {
            match &how {
                End::Crashed(spot) => *cause = Some(Reason::Crashed(*spot)),
                End::Failed(words) => *cause = Some(Reason::Failed(words.clone())),
                _ => {}
            }
        }
        let (w, j, k) = (delivery.worker, delivery.job, delivery.token);
        self.events.push(What::Ended { w, j, k, how, by: None });
    }

    fn release(&mut self, delivery: &Delivery) {
        if self.is_live(delivery) {
            let (w, j, k) = (delivery.worker, delivery.job, delivery.token);
            let from = self.now;
            self.job(j).state = State::Waiting { from };
            self.events.push(What::Released { w, j, k });
        }
    }

    fn redrive(&mut self, letters: Letters) -> usize {
        let wanted = |job: usize| letters == Letters::All || letters == Letters::One(Job(job as u32));
        let dead = |job: &usize| self.jobs[*job].state == State::Dead && wanted(*job);
        let jobs: Vec<usize> = (0..self.jobs.len()).filter(dead).collect();
        for job in &jobs {
            self.jobs[*job].used = 0;
            self.jobs[*job].state = State::Waiting { from: self.now };
            self.events.push(What::Redriven { j: Job(*job as u32) });
        }
        jobs.len()
    }

    fn set(&mut self, setting: Setting) {
        let before = self.policy.clone();
        self.policy.set(setting);
        if before == self.policy {
            return;
        }
        let what = setting.name();
        let (from, to) = (before.value(what).into(), self.policy.value(what).into());
        self.events.push(What::Policy { what, from, to });
        for job in 0..self.jobs.len() {
            let waits = matches!(self.jobs[job].state, State::Waiting { .. });
            if matches!(setting, Setting::Attempts(_)) && waits && !self.allowed(job) {
                self.bury(job, Reason::AttemptsLowered);
            }
            let goes_on = setting == Setting::OnDead(OnDead::Skip) && self.policy.order == Ordering::Key;
            if goes_on && self.jobs[job].state == State::Dead {
                self.events.push(What::Gap { key: self.jobs[job].key, j: Job(job as u32) });
            }
        }
    }

    fn tally(&self) -> Tally {
        let count = |wanted: &dyn Fn(&Told) -> bool| self.jobs.iter().filter(|told| wanted(told)).count() as u64;
        Tally {
            waiting: count(&|told| matches!(told.state, State::Waiting { .. })),
            leased: count(&|told| matches!(told.state, State::Leased { .. })),
            unprotected: count(&|told| told.state == State::Acked && told.working > 0),
            done: count(&|told| told.state == State::Acked && told.working == 0),
            dead: count(&|told| told.state == State::Dead),
            working: self.jobs.iter().map(|told| told.working).sum(),
        }
    }

    fn next_due(&self) -> Option<Instant> {
        let due = self.jobs.iter().filter_map(|told| match told.state {
            State::Waiting { from } if from > self.now => Some(from),
            State::Leased { deadline, .. } => Some(deadline),
            _ => None,
        });
        due.min()
    }
}

/// A work time by which a job can be told from the others.
fn work_of(job: usize) -> u64 {
    1_000 + job as u64
}
