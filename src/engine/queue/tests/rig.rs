//! A queue with a clock that a test moves by hand. After each call everything is recounted.

use std::sync::Arc;

use crate::action::Letters;
use crate::engine::queue::{Acked, NewJob, Queue, Tally};
use crate::event::{By, End, What};
use crate::ids::{Job, OrderKey, Worker};
use crate::policy::{Policy, Setting};
use crate::request::{Delivery, FinalJob, JobState};
use crate::time::{Instant, Span};

/// A moment, in milliseconds of lab time.
pub fn at(millis: u64) -> Instant {
    Instant::START + Span::millis(millis)
}

/// A setting as an action writes it: `lease 3s`.
pub fn setting(text: &str) -> Setting {
    let (name, value) = text.split_once(' ').expect("a name and a value");
    Setting::parse(name.parse().expect("a setting"), value).expect("a value")
}

/// The queue under test.
pub struct Rig {
    queue: Queue,
    now: Instant,
    events: Vec<What>,
}

impl Rig {
    /// An empty queue under the default policy with these settings, parted by semicolons.
    pub fn new(settings: &str) -> Rig {
        let mut policy = Policy::default();
        settings.split(';').map(str::trim).filter(|text| !text.is_empty()).for_each(|text| policy.set(setting(text)));
        Rig { queue: Queue::new(Arc::new(policy), 249), now: Instant::START, events: Vec::new() }
    }

    fn call<T>(&mut self, call: impl FnOnce(&mut Queue, Instant, &mut Vec<What>) -> T) -> T {
        let result = call(&mut self.queue, self.now, &mut self.events);
        self.queue.check().expect("sound");
        result
    }

    /// A job that is due now, of key 0.
    pub fn enqueue(&mut self) -> Job {
        self.enqueue_with(0, self.now)
    }

    /// This many jobs of key 0 that are due now.
    pub fn enqueue_many(&mut self, count: u32) {
        self.enqueue_of_key(0, count);
    }

    /// This many jobs of one key that are due now.
    pub fn enqueue_of_key(&mut self, key: u32, count: u32) {
        for _ in 0..count {
            self.enqueue_with(key, self.now);
        }
    }

    /// A job of this key that is due then.
    pub fn enqueue_with(&mut self, key: u32, due: Instant) -> Job {
        self.enqueue_new(NewJob { key: OrderKey(key), due, work: Span::ZERO, poison: None, first_deadline: None })
    }

    /// A job of key 0 that is due now, whose first lease is planned to end then.
    pub fn enqueue_planned(&mut self, first_deadline: Instant) -> Job {
        let (key, due, first_deadline) = (OrderKey(0), self.now, Some(first_deadline));
        self.enqueue_new(NewJob { key, due, work: Span::ZERO, poison: None, first_deadline })
    }

    fn enqueue_new(&mut self, job: NewJob) -> Job {
        self.call(|queue, now, out| queue.enqueue(now, job, out))
    }

    /// A claim by the worker of this number.
    pub fn claim(&mut self, worker: u16) -> Option<Delivery> {
        self.call(|queue, now, out| queue.claim(now, Worker(worker), out))
    }

    /// The id of the job that this worker is handed.
    pub fn claimed(&mut self, worker: u16) -> Option<u32> {
        self.claim(worker).map(|delivery| delivery.job.0)
    }

    pub fn renew(&mut self, delivery: &Delivery) -> Option<Instant> {
        self.call(|queue, now, out| queue.renew(now, delivery.worker, delivery.token, out))
    }

    pub fn ack(&mut self, delivery: &Delivery) -> Acked {
        self.call(|queue, now, out| queue.ack(now, delivery, out))
    }

    pub fn nack(&mut self, delivery: &Delivery) -> bool {
        self.call(|queue, now, out| queue.nack(now, delivery, "card declined", out))
    }

    pub fn ended(&mut self, delivery: &Delivery, how: End) {
        let by = matches!(how, End::Crashed(_)).then_some(By::Operator);
        self.call(|queue, now, out| queue.ended(now, delivery, how, by, out));
    }

    /// Ends a delivery that has ended, and recounts.
    pub fn ended_again(&mut self, delivery: &Delivery) -> Result<(), String> {
        self.queue.ended(self.now, delivery, End::Done, None, &mut self.events);
        self.queue.check()
    }

    /// Acks and ends a delivery as a healthy worker does.
    pub fn finish(&mut self, delivery: &Delivery) {
        assert_eq!(self.ack(delivery), Acked::Accepted);
        self.ended(delivery, End::Done);
    }

    /// Nacks and ends a delivery as a worker does whose work failed.
    pub fn fail(&mut self, delivery: &Delivery) {
        assert!(self.nack(delivery));
        self.ended(delivery, End::Failed("card declined".into()));
    }

    pub fn release(&mut self, delivery: &Delivery) {
        self.call(|queue, now, out| queue.release(now, delivery, out));
    }

    pub fn redrive(&mut self, letters: Letters) -> usize {
        self.call(|queue, now, out| queue.redrive(now, letters, out))
    }

    /// Puts a setting in force, as an action writes it.
    pub fn set(&mut self, text: &str) {
        self.call(|queue, now, out| queue.set(now, setting(text), out));
    }

    /// Lets time pass up to a moment in milliseconds.
    pub fn pass_to(&mut self, millis: u64) {
        self.now = at(millis);
        self.call(|queue, now, out| queue.expire_due(now, out));
    }

    /// Moves the clock without a call, so that the next call is the first to see the time.
    pub fn stand_at(&mut self, millis: u64) {
        self.now = at(millis);
    }

    /// The moment at which the clock stands.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Lets time pass up to the next moment at which anything is due.
    pub fn pass_to_next(&mut self) {
        self.now = self.queue.next_due().expect("something is due");
        self.call(|queue, now, out| queue.expire_due(now, out));
    }

    /// Everything that happened since the last look, but for enqueued, claimed and ended.
    pub fn events(&mut self) -> Vec<What> {
        let plain = |what: &What| matches!(what, What::Enqueued { .. } | What::Claimed { .. } | What::Ended { .. });
        std::mem::take(&mut self.events).into_iter().filter(|what| !plain(what)).collect()
    }

    /// Everything that happened since the last look.
    pub fn all_events(&mut self) -> Vec<What> {
        std::mem::take(&mut self.events)
    }

    pub fn tally(&self) -> Tally {
        self.queue.tally()
    }

    pub fn ready(&self) -> usize {
        self.queue.ready()
    }

    pub fn next_due(&self) -> Option<Instant> {
        self.queue.next_due()
    }

    /// The ids of the dead jobs.
    pub fn dead(&self) -> Vec<u32> {
        self.queue.dead().map(|job| job.0).collect()
    }

    /// The job as the end of the run would tell it.
    pub fn fate(&self, job: u32) -> FinalJob {
        self.queue.final_jobs().nth(job as usize).expect("it was enqueued")
    }

    /// The state of a job.
    pub fn state(&self, job: u32) -> JobState {
        self.fate(job).state
    }
}
