//! Random runs, on the queue and on the model side by side.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Model, SEED, State, Told, work_of};
use crate::action::Letters;
use crate::engine::queue::tests::rig::setting;
use crate::engine::queue::{NewJob, Queue};
use crate::event::{End, Spot, What};
use crate::ids::{Job, OrderKey, Token, Worker};
use crate::policy::{Point, Policy};
use crate::request::Delivery;
use crate::time::{Instant, Span};

/// One step of a random run. Numbers choose among the deliveries or jobs there are.
#[derive(Clone, Debug)]
enum Step {
    Enqueue { key: u32, delay: u64, planned: Option<u64> },
    Claim { worker: u16 },
    Renew(usize),
    Ack(usize),
    Nack(usize),
    End(usize, End),
    Release(usize),
    Pass(u64),
    Back(u64),
    Redrive(Option<u32>),
    Set(&'static str),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let end = prop_oneof![
        Just(End::Done),
        Just(End::Crashed(Spot::After(Point::Effect))),
        Just(End::Failed("no".into())),
        Just(End::RefusedAck),
    ];
    let which = || 0..64_usize;
    let settings = prop::sample::select(vec![
        "attempts 1",
        "attempts 2",
        "attempts 5",
        "attempts unlimited",
        "order key",
        "order none",
        "on-dead block",
        "on-dead skip",
        "lease 10ms",
        "lease 40ms",
        "backoff 0",
        "backoff 10ms,2,40ms",
        "fence on",
    ]);
    let step = prop_oneof![
        6 => (0..3_u32, prop_oneof![3 => Just(0), 1 => 0..60_u64], prop::option::weighted(0.2, 0..80_u64))
            .prop_map(|(key, delay, planned)| Step::Enqueue { key, delay, planned }),
        9 => (1..5_u16).prop_map(|worker| Step::Claim { worker }),
        2 => which().prop_map(Step::Renew),
        4 => which().prop_map(Step::Ack),
        3 => which().prop_map(Step::Nack),
        4 => (which(), end).prop_map(|(n, how)| Step::End(n, how)),
        5 => prop_oneof![Just(1), Just(10), 0..50_u64].prop_map(Step::Pass),
        1 => (1..50_u64).prop_map(Step::Back),
        1 => prop::option::of(0..12_u32).prop_map(Step::Redrive),
        2 => settings.prop_map(Step::Set),
    ];
    let release = which().prop_map(Step::Release);
    (prop::collection::vec(step, 1..90), prop::collection::vec(release, 0..4)).prop_map(|(mut steps, releases)| {
        steps.extend(releases);
        steps.push(Step::Claim { worker: 1 });
        steps
    })
}

/// Queue and model side by side, with every delivery so far and whether it has ended.
struct Pair {
    queue: Queue,
    model: Model,
    now: Instant,
    deliveries: Vec<(Delivery, bool)>,
}

impl Pair {
    fn new(order: &[&str]) -> Pair {
        let mut policy = Policy::default();
        order.iter().for_each(|text| policy.set(setting(text)));
        ["lease 20ms", "attempts 2", "backoff 10ms,2,40ms"].iter().for_each(|text| policy.set(setting(text)));
        let queue = Queue::new(Arc::new(policy.clone()), SEED);
        let model = Model { policy, now: Instant::START, token: Token(0), jobs: Vec::new(), events: Vec::new() };
        Pair { queue, model, now: Instant::START, deliveries: Vec::new() }
    }

    fn delivery(&self, n: usize) -> Option<Delivery> {
        let many = self.deliveries.len();
        (many > 0).then(|| self.deliveries[many - 1 - n % many].0.clone())
    }

    fn take(&mut self, step: Step, out: &mut Vec<What>) -> Result<(), TestCaseError> {
        if !matches!(step, Step::Pass(_) | Step::Back(_)) {
            self.model.pass(self.now);
        }
        match step {
            Step::Enqueue { key, delay, planned } => self.enqueue(key, delay, planned, out),
            Step::Claim { worker } => self.claim(worker, out)?,
            Step::Pass(millis) => self.stand(self.now + Span::millis(millis), out),
            Step::Back(millis) => self.stand(self.now - Span::millis(millis), out),
            Step::Redrive(job) => {
                let letters = job.map_or(Letters::All, |id| Letters::One(Job(id)));
                prop_assert_eq!(self.queue.redrive(self.now, letters, out), self.model.redrive(letters));
            }
            Step::Set(text) => {
                self.queue.set(self.now, setting(text), out);
                self.model.set(setting(text));
            }
            Step::End(n, how) => self.end(n, how, out),
            Step::Renew(n) | Step::Ack(n) | Step::Nack(n) | Step::Release(n) => {
                if let Some(delivery) = self.delivery(n) {
                    self.answer(&step, &delivery, out)?;
                }
            }
        }
        Ok(())
    }

    fn stand(&mut self, now: Instant, out: &mut Vec<What>) {
        self.now = now;
        self.queue.expire_due(now, out);
        self.model.pass(now);
    }

    fn enqueue(&mut self, key: u32, delay: u64, planned: Option<u64>, out: &mut Vec<What>) {
        let due = self.now + Span::millis(delay);
        let planned = planned.map(|millis| self.now + Span::millis(millis));
        let work = Span(work_of(self.model.jobs.len()));
        let key = OrderKey(key);
        let j = self.queue.enqueue(self.now, NewJob { key, due, work, poison: None, first_deadline: planned }, out);
        let state = State::Waiting { from: due };
        self.model.jobs.push(Told { key, planned, state, token: Token(0), attempts: 0, used: 0, working: 0 });
        self.model.events.push(What::Enqueued { j, key, due, poison: None });
    }

    fn claim(&mut self, worker: u16, out: &mut Vec<What>) -> Result<(), TestCaseError> {
        let delivery = self.queue.claim(self.now, Worker(worker), out);
        let seen = delivery.as_ref().map(|d| (d.job, d.attempt, d.token, d.deadline));
        prop_assert_eq!(seen, self.model.claim(Worker(worker)));
        self.deliveries.extend(delivery.map(|delivery| (delivery, false)));
        Ok(())
    }

    fn end(&mut self, n: usize, how: End, out: &mut Vec<What>) {
        let mut open = self.deliveries.iter_mut().rev().filter(|(_, over)| !over);
        if let Some((delivery, over)) = open.nth(n % 4) {
            *over = true;
            self.queue.ended(self.now, delivery, how.clone(), None, out);
            self.model.ended(delivery, how);
        } else {
            self.queue.expire_due(self.now, out);
        }
    }

    fn answer(&mut self, step: &Step, delivery: &Delivery, out: &mut Vec<What>) -> Result<(), TestCaseError> {
        let (queue, model, now) = (&mut self.queue, &mut self.model, self.now);
        match step {
            Step::Renew(_) => {
                prop_assert_eq!(queue.renew(now, delivery.worker, delivery.token, out), model.renew(delivery))
            }
            Step::Ack(_) => prop_assert_eq!(queue.ack(now, delivery, out), model.ack(delivery)),
            Step::Nack(_) => prop_assert_eq!(queue.nack(now, delivery, "no", out), model.nack(delivery)),
            _ => {
                queue.release(now, delivery, out);
                model.release(delivery);
            }
        }
        Ok(())
    }

    fn compare(&mut self, out: &mut Vec<What>) -> Result<(), TestCaseError> {
        self.queue.check().map_err(TestCaseError::fail)?;
        prop_assert_eq!(std::mem::take(out), std::mem::take(&mut self.model.events));
        prop_assert_eq!(self.queue.tally(), self.model.tally());
        prop_assert_eq!(self.queue.ready(), self.model.ready().len());
        prop_assert_eq!(self.queue.next_due(), self.model.next_due());
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_queue_keeps_to_its_rules_in_whatever_order_things_happen(
        order in prop::sample::select(vec![&[][..], &["order key"], &["order key", "on-dead block"]]),
        steps in steps(),
    ) {
        let mut pair = Pair::new(order);
        let mut out = Vec::new();
        for step in steps {
            pair.take(step, &mut out)?;
            pair.compare(&mut out)?;
        }
    }
}
