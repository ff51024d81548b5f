//! The worker: the interpreter of a policy's program.
//!
//! A plain state machine. It never sleeps, locks, reads a clock or touches SQL: [`Worker::next`] says what it asks
//! for, [`Worker::told`] takes in what came of it. Whoever drives it performs the asking, on real threads or in
//! virtual time. Renewal is not part of it; see [`super::renewal`].

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;

use super::draw::{Purpose, bits};
use super::workload::Strikes;
use crate::event::{By, End, Spot};
use crate::policy::program::stage_points;
use crate::policy::{DedupKey, Point, Policy, Program, Stage, Statement};
use crate::request::{Delivery, Interrupt, Outcome, Request, Transaction};

/// The worker of one slot. A respawn empties its memory.
#[derive(Debug)]
pub struct Worker {
    seed: u64,
    strikes: Arc<Strikes>,
    /// The dedup keys that this worker committed, for the policies under which it keeps them itself.
    memory: BTreeSet<i64>,
    compiled: Option<(Arc<Policy>, Arc<Program>)>,
    hand: Option<Hand>,
    intent: Intent,
}

/// A delivery in hand.
#[derive(Debug)]
struct Hand {
    delivery: Delivery,
    program: Arc<Program>,
    /// The place in the program of the stage that is asked for next, or was asked for last.
    stage: usize,
    /// True once the worker believes that the queue has forgotten the job.
    acked: bool,
    /// The death that the transaction under way carries.
    doom: Option<(Point, By)>,
    /// True when the ack under way ends the delivery.
    ends: bool,
    /// True once the sink recognised the job as applied.
    found: bool,
}

/// What the worker asks for next.
#[derive(Clone, Debug, PartialEq)]
enum Intent {
    Claim,
    Stage,
    Gap(Point),
    Nack(Box<str>, Option<By>),
    End { how: End, by: Option<By>, dies: bool },
    Die(By),
    Stop,
}

impl Worker {
    /// A new worker of a slot.
    pub fn new(seed: u64, strikes: Arc<Strikes>) -> Worker {
        Worker { seed, strikes, memory: BTreeSet::new(), compiled: None, hand: None, intent: Intent::Claim }
    }

    /// The delivery in hand.
    pub fn delivery(&self) -> Option<&Delivery> {
        self.hand.as_ref().map(|hand| &hand.delivery)
    }

    /// True when there is nothing more to ask: the run is over for this worker.
    pub fn stopped(&self) -> bool {
        self.intent == Intent::Stop
    }

    /// What the worker asks for. `armed` is the point at which an operator or a lab has it die, if one is armed.
    pub fn next(&mut self, armed: Option<(Point, By)>) -> Request {
        match &self.intent {
            Intent::Claim | Intent::Stop => Request::Claim,
            Intent::Stage => self.stage_request(armed),
            Intent::Gap(after) => self.gap_request(*after),
            Intent::Nack(words, _) => Request::Nack { words: words.clone() },
            Intent::End { how, by, .. } => Request::End { how: how.clone(), by: *by },
            Intent::Die(by) => Request::Die { by: *by },
        }
    }

    /// Takes in what came of the last request. `armed` as in [`Worker::next`].
    pub fn told(&mut self, outcome: Outcome, armed: Option<(Point, By)>) {
        match (&self.intent, outcome) {
            (_, Outcome::Claimed(delivery)) => self.take(*delivery, armed),
            (Intent::Claim, Outcome::Interrupted(Interrupt::Killed(by))) => self.intent = Intent::Die(by),
            (_, Outcome::Closed) => self.intent = Intent::Stop,
            (_, Outcome::Respawned) => self.respawn(),
            (_, Outcome::Interrupted(cut)) => self.interrupted(cut),
            (_, Outcome::Failed(words)) => {
                let by = self.blame();
                self.fail(words, by);
            }
            (_, Outcome::Died) => self.died_inside(),
            (_, Outcome::ReplyLost) => {}
            (_, Outcome::Fenced) => self.end(End::Fenced, None),
            (Intent::Nack(words, by), Outcome::Done | Outcome::Stale) => {
                let (words, by) = (words.clone(), *by);
                self.end(End::Failed(words), by);
            }
            (_, Outcome::Stale) => self.end(End::RefusedAck, None),
            (Intent::Gap(_), Outcome::Done) => self.advance(armed),
            (Intent::End { by, dies, .. }, Outcome::Done) => {
                let death = by.filter(|_| *dies);
                self.finish(death);
            }
            (_, Outcome::Acked) => self.acked(armed, true),
            (_, Outcome::AckLost) => self.acked(armed, false),
            (_, Outcome::Recognised) => self.recognised(armed),
            (_, Outcome::Done | Outcome::Applied) => self.stage_done(armed),
        }
    }

    fn take(&mut self, delivery: Delivery, armed: Option<(Point, By)>) {
        let program = self.compile(&delivery.policy);
        self.hand = Some(Hand { delivery, program, stage: 0, acked: false, doom: None, ends: false, found: false });
        self.pass(Point::Claim, armed);
    }

    fn compile(&mut self, policy: &Arc<Policy>) -> Arc<Program> {
        match &self.compiled {
            Some((known, program)) if Arc::ptr_eq(known, policy) => program.clone(),
            _ => {
                let program = Arc::new(policy.program());
                self.compiled = Some((policy.clone(), program.clone()));
                program
            }
        }
    }

    fn hand(&self) -> &Hand {
        self.hand.as_ref().expect("a delivery is in hand whenever a stage is asked for")
    }

    fn hand_mut(&mut self) -> &mut Hand {
        self.hand.as_mut().expect("a delivery is in hand whenever a stage is asked for")
    }

    fn stage_request(&mut self, armed: Option<(Point, By)>) -> Request {
        let hand = self.hand();
        match hand.program.stages()[hand.stage] {
            Stage::Claim => unreachable!("a delivery starts behind its claim"),
            Stage::Work => Request::Work { span: hand.delivery.work, poison: hand.delivery.poison },
            Stage::Transaction(statements) => self.transaction(statements, armed),
            Stage::Ack => {
                let ends = self.ack_ends(armed);
                self.hand_mut().ends = ends;
                Request::Ack { ends }
            }
            Stage::Remember => unreachable!("the worker remembers by itself"),
        }
    }

    /// The ack ends the delivery when it is the last step and nothing is to happen behind it.
    fn ack_ends(&self, armed: Option<(Point, By)>) -> bool {
        let hand = self.hand();
        let last = hand.stage + 1 == hand.program.stages().len();
        last && self.doom(Point::Ack, armed).is_none() && self.failure(Point::Ack).is_none()
    }

    fn transaction(&mut self, statements: &'static [Statement], armed: Option<(Point, By)>) -> Request {
        let bracket = statements.len() > 1;
        let inside = |point: Point| bracket && statements.iter().any(|s| s.point() == point);
        let doom = statements.iter().filter(|_| bracket).find_map(|s| self.doom(s.point(), armed));
        let failure = statements.iter().map(|s| s.point()).find(|p| inside(*p) && self.failure(*p).is_some());
        let dedup_key = self.dedup_key();
        let remembered = self.memory.contains(&dedup_key);
        let hand = self.hand_mut();
        hand.doom = doom;
        let delivery = &hand.delivery;
        Request::Transact(Transaction {
            worker: delivery.worker,
            job: delivery.job,
            attempt: delivery.attempt,
            token: delivery.token,
            order_key: delivery.key,
            statements: Cow::Borrowed(statements),
            memory: hand.program.memory(),
            dedup_key,
            remembered,
            fence: delivery.policy.fence.is_on(),
            values: delivery.policy.values,
            dies_after: doom.map(|(point, _)| point),
            fails_after: failure,
        })
    }

    /// Keys of the three kinds never collide: a job's id fills the low 32 bits, the others carry a high bit of their own.
    fn dedup_key(&self) -> i64 {
        let delivery = &self.hand().delivery;
        let job = u64::from(delivery.job.0);
        let key = match delivery.policy.key {
            DedupKey::Job => job,
            DedupKey::Attempt => (1 << 62) | (job << 24) | u64::from(delivery.attempt),
            DedupKey::Random => {
                let drawn = bits(self.seed, job, delivery.attempt, Purpose::Key, 0);
                (1 << 61) | (drawn & ((1 << 61) - 1))
            }
        };
        i64::try_from(key).expect("bit 63 is never set")
    }

    fn gap_request(&self, after: Point) -> Request {
        let hand = self.hand();
        let stage = hand.program.stages()[hand.stage];
        let lone_check = matches!(stage, Stage::Transaction([Statement::Check]));
        let tell = match after {
            Point::Work | Point::Commit => true,
            Point::Check => lone_check && !hand.found,
            Point::Key => stage == Stage::Remember,
            Point::Claim | Point::Effect | Point::Ack => false,
        };
        let wide = !hand.found && matches!(after, Point::Effect | Point::Key | Point::Commit);
        Request::Gap { after, tell, wide }
    }

    /// The death that awaits the worker at `point` in this delivery: an armed one, or one that a list or rate decided.
    fn doom(&self, point: Point, armed: Option<(Point, By)>) -> Option<(Point, By)> {
        let delivery = &self.hand().delivery;
        let drawn = || self.strikes.crash(delivery.job, delivery.attempt, point).map(|by| (point, by));
        armed.filter(|(at, _)| *at == point).or_else(drawn)
    }

    fn failure(&self, point: Point) -> Option<By> {
        let delivery = &self.hand().delivery;
        self.strikes.failure(delivery.job, delivery.attempt, point)
    }

    /// Behind a step: the worker dies there, fails there, or stands in the gap.
    fn pass(&mut self, point: Point, armed: Option<(Point, By)>) {
        if let Some((point, by)) = self.doom(point, armed) {
            self.intent = Intent::End { how: End::Crashed(Spot::After(point)), by: Some(by), dies: true };
        } else if let Some(by) = self.failure(point) {
            self.fail(format!("failed after {point}").into(), Some(by));
        } else {
            self.intent = Intent::Gap(point);
        }
    }

    fn stage_done(&mut self, armed: Option<(Point, By)>) {
        let hand = self.hand();
        let stage = hand.program.stages()[hand.stage];
        let behind = stage_points(stage).last().copied().expect("every stage has a point behind it");
        self.pass(behind, armed);
    }

    fn acked(&mut self, armed: Option<(Point, By)>, accepted: bool) {
        let hand = self.hand_mut();
        hand.acked = true;
        if hand.ends && accepted {
            self.finish(None);
        } else {
            self.pass(Point::Ack, armed);
        }
    }

    /// A key that is found goes on to the ack. In a bracket the point `commit` counts then too.
    fn recognised(&mut self, armed: Option<(Point, By)>) {
        let hand = self.hand_mut();
        hand.found = true;
        let lone = matches!(hand.program.stages()[hand.stage], Stage::Transaction([_]));
        self.pass(if lone { Point::Check } else { Point::Commit }, armed);
    }

    fn skip_to_ack(&mut self) {
        let hand = self.hand_mut();
        let ack = hand.program.stages().iter().position(|stage| *stage == Stage::Ack);
        match ack.filter(|ack| *ack > hand.stage) {
            Some(ack) => {
                hand.stage = ack;
                self.intent = Intent::Stage;
            }
            None => self.end(End::Done, None),
        }
    }

    /// Goes on to the next stage. The worker's own memory needs nobody, so its step is done here.
    fn advance(&mut self, armed: Option<(Point, By)>) {
        let hand = self.hand_mut();
        if mem::take(&mut hand.found) {
            return self.skip_to_ack();
        }
        hand.stage += 1;
        match hand.program.stages().get(hand.stage) {
            None => self.end(End::Done, None),
            Some(Stage::Remember) => {
                let key = self.dedup_key();
                self.memory.insert(key);
                self.pass(Point::Key, armed);
            }
            Some(_) => self.intent = Intent::Stage,
        }
    }

    /// A worker that believes the queue has forgotten the job has nobody to give it back to.
    fn fail(&mut self, words: Box<str>, by: Option<By>) {
        if self.hand().acked {
            self.end(End::Failed(words), by);
        } else {
            self.intent = Intent::Nack(words, by);
        }
    }

    /// Who made the stage under way fail: the job itself in its work, a list or a rate inside a transaction.
    fn blame(&self) -> Option<By> {
        let hand = self.hand();
        match hand.program.stages()[hand.stage] {
            Stage::Work => hand.delivery.poison.map(|_| By::Poison),
            Stage::Transaction(statements) => statements.iter().find_map(|s| self.failure(s.point())),
            _ => None,
        }
    }

    fn died_inside(&mut self) {
        let (point, by) = self.hand().doom.expect("a transaction dies only where it was told to");
        self.intent = Intent::End { how: End::Crashed(Spot::After(point)), by: Some(by), dies: true };
    }

    fn interrupted(&mut self, cut: Interrupt) {
        let spot = match &self.intent {
            Intent::Gap(after) => Spot::After(*after),
            _ => Spot::In(self.step_under_way()),
        };
        match cut {
            Interrupt::Killed(by) => {
                self.intent = Intent::End { how: End::Crashed(spot), by: Some(by), dies: true };
            }
            Interrupt::LeaseLost => self.end(End::LeaseLost, None),
            Interrupt::Quit => self.end(End::Quit, None),
        }
    }

    fn step_under_way(&self) -> Point {
        let hand = self.hand();
        match (&self.intent, hand.program.stages()[hand.stage]) {
            (Intent::Nack(..), _) => Point::Ack,
            (_, stage) => stage_points(stage)[0],
        }
    }

    fn end(&mut self, how: End, by: Option<By>) {
        self.intent = Intent::End { how, by, dies: false };
    }

    fn finish(&mut self, death: Option<By>) {
        self.hand = None;
        self.intent = match death {
            Some(by) => Intent::Die(by),
            None => Intent::Claim,
        };
    }

    fn respawn(&mut self) {
        self.memory.clear();
        self.intent = Intent::Claim;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Job, OrderKey, Token};
    use crate::policy::{AckOrder, Dedup};
    use crate::setup::Setup;
    use crate::time::{Instant, Span};

    /// A worker at one delivery, told what a test says and otherwise that all goes well.
    struct Rig {
        worker: Worker,
        delivery: Delivery,
        armed: Option<(Point, By)>,
        asked: Vec<String>,
    }

    impl Rig {
        fn new(ack: AckOrder, dedup: Dedup) -> Rig {
            let mut setup = Setup::headless(1);
            (setup.policy.ack, setup.policy.dedup) = (ack, dedup);
            let delivery = Delivery {
                worker: crate::ids::Worker(1),
                job: Job(7),
                attempt: 1,
                token: Token(1),
                key: OrderKey(7),
                deadline: Instant::START + setup.policy.lease,
                renewable: true,
                work: Span::ZERO,
                poison: None,
                policy: Arc::new(setup.policy.clone()),
            };
            let worker = Worker::new(1, Arc::new(Strikes::new(&setup)));
            Rig { worker, delivery, armed: None, asked: Vec::new() }
        }

        fn armed(mut self, point: Point) -> Rig {
            self.armed = Some((point, By::Operator));
            self
        }

        /// Lets the worker run until it asks for its next job or dies; `special` may answer in place of the usual.
        fn run(&mut self, special: impl Fn(&Request) -> Option<Outcome>) -> &[String] {
            for _ in 0..40 {
                let request = self.worker.next(self.armed);
                if request == Request::Claim && !self.asked.is_empty() {
                    break;
                }
                self.asked.push(spoken(&request));
                if matches!(request, Request::Die { .. }) {
                    break;
                }
                let outcome = special(&request).unwrap_or_else(|| self.usual(&request));
                self.worker.told(outcome, self.armed);
            }
            &self.asked
        }

        fn usual(&self, request: &Request) -> Outcome {
            match request {
                Request::Claim => Outcome::Claimed(Box::new(self.delivery.clone())),
                Request::Transact(transaction) if transaction.dies_after.is_some() => Outcome::Died,
                Request::Transact(_) => Outcome::Applied,
                Request::Ack { .. } => Outcome::Acked,
                _ => Outcome::Done,
            }
        }
    }

    fn spoken(request: &Request) -> String {
        match request {
            Request::Claim => "claim".into(),
            Request::Work { .. } => "work".into(),
            Request::Gap { after, .. } => format!("gap {after}"),
            Request::Transact(transaction) => {
                let names: Vec<&str> = transaction.statements.iter().map(|s| s.name()).collect();
                format!("[{}]", names.join(" "))
            }
            Request::Ack { ends } => if *ends { "last ack" } else { "ack" }.into(),
            Request::Nack { .. } => "nack".into(),
            Request::End { how, .. } => format!("end {how:?}"),
            Request::Die { by } => format!("die by {by}"),
        }
    }

    #[test]
    fn a_worker_asks_for_the_steps_of_its_program_with_a_gap_behind_each() {
        let mut rig = Rig::new(AckOrder::After, Dedup::EffectThenKey);
        let asked = rig.run(|_| None);
        let steps =
            "claim, gap claim, work, gap work, [check], gap check, [effect], gap effect, [key], gap key, last ack";
        assert_eq!(asked.join(", "), steps);
    }

    #[test]
    fn an_early_ack_is_not_the_end_and_the_delivery_ends_by_itself() {
        let mut rig = Rig::new(AckOrder::Before, Dedup::None);
        let asked = rig.run(|_| None);
        assert_eq!(asked.join(", "), "claim, gap claim, ack, gap ack, work, gap work, [effect], gap effect, end Done");
    }

    #[test]
    fn a_key_that_is_found_goes_on_to_the_ack() {
        for (dedup, request, point) in
            [(Dedup::EffectThenKey, "[check]", "gap check"), (Dedup::Transactional, "[check effect key]", "gap commit")]
        {
            let mut rig = Rig::new(AckOrder::After, dedup);
            let found = |asked: &Request| matches!(asked, Request::Transact(_)).then_some(Outcome::Recognised);
            let asked = rig.run(found);
            assert_eq!(asked[4..], [request, point, "last ack"].map(String::from), "{dedup}");
        }
    }

    #[test]
    fn a_worker_armed_inside_a_bracket_dies_in_the_transaction_and_behind_the_ack_it_dies_after_it() {
        let mut rig = Rig::new(AckOrder::After, Dedup::Transactional).armed(Point::Effect);
        let asked = rig.run(|_| None);
        assert_eq!(asked[5..], ["end Crashed(After(Effect))", "die by operator"].map(String::from));
        let mut rig = Rig::new(AckOrder::After, Dedup::None).armed(Point::Ack);
        let asked = rig.run(|_| None);
        assert_eq!(asked[6..], ["ack", "end Crashed(After(Ack))", "die by operator"].map(String::from));
    }

    #[test]
    fn a_failure_after_an_early_ack_has_nobody_to_be_given_back_to() {
        let mut rig = Rig::new(AckOrder::Before, Dedup::None);
        let fails = |asked: &Request| matches!(asked, Request::Work { .. }).then(|| Outcome::Failed("no".into()));
        assert_eq!(rig.run(fails).last().map(String::as_str), Some("end Failed(\"no\")"));
        let mut rig = Rig::new(AckOrder::After, Dedup::None);
        let asked = rig.run(fails);
        assert_eq!(asked[3..], ["nack", "end Failed(\"no\")"].map(String::from));
    }

    #[test]
    fn a_lost_answer_is_asked_for_again_and_a_refused_ack_ends_the_delivery() {
        let mut rig = Rig::new(AckOrder::After, Dedup::None);
        let times = std::cell::Cell::new(0);
        let asked = rig.run(|asked| {
            let first = matches!(asked, Request::Transact(_)) && times.replace(times.get() + 1) == 0;
            first.then_some(Outcome::ReplyLost)
        });
        assert_eq!(asked[4..6], ["[effect]", "[effect]"].map(String::from));
        let mut rig = Rig::new(AckOrder::Before, Dedup::None);
        let asked = rig.run(|asked| matches!(asked, Request::Ack { .. }).then_some(Outcome::Stale));
        assert_eq!(asked[2..], ["ack", "end RefusedAck"].map(String::from));
    }

    #[test]
    fn keys_of_different_kinds_never_collide() {
        let key_of = |key: DedupKey, attempt: u32| {
            let mut rig = Rig::new(AckOrder::After, Dedup::Transactional);
            let policy = Policy { key, ..(*rig.delivery.policy).clone() };
            (rig.delivery.policy, rig.delivery.attempt) = (Arc::new(policy), attempt);
            rig.worker.told(Outcome::Claimed(Box::new(rig.delivery.clone())), None);
            rig.worker.dedup_key()
        };
        assert_eq!(key_of(DedupKey::Job, 1), key_of(DedupKey::Job, 2), "the id is the same for every attempt");
        let keys: BTreeSet<i64> = DedupKey::ALL.iter().flat_map(|key| [key_of(*key, 1), key_of(*key, 2)]).collect();
        assert_eq!(keys.len(), 5, "one for the id, two for attempts, two at random");
    }
}
