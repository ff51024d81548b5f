//! Random logs. Those that keep the queue's rules leave every sum right and no breach; those that keep none may be
//! called broken, but never bring the board down.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::Script;
use crate::board::Board;
use crate::event::{By, End, Event, Fault, Finish, Hold, Reason, Spot, What};
use crate::ids::{Job, OrderKey, Row, Token, Worker};
use crate::policy::{Point, SettingName};
use crate::request::{FinalCounts, RowCounts};
use crate::setup::{Poison, Setup};
use crate::time::{Instant, Span};

const WORKERS: u16 = 3;

/// Asserts what holds at any instant, and looks at everything once.
fn check(board: &Board, jobs: u32) -> Result<(), TestCaseError> {
    let c = board.counters();
    prop_assert_eq!(c.waiting + c.leased + c.unprotected + c.done + c.dead, c.enqueued);
    prop_assert_eq!(c.lost + c.once + c.duplicated + c.pending + c.dead_unapplied(), c.enqueued);
    prop_assert_eq!(c.effects, board.truth(board.now()).rows);
    prop_assert_eq!(c.lost, board.harm().lost.len() as u64);
    prop_assert_eq!(c.duplicated, board.harm().twice.len() as u64);
    prop_assert!(c.at_risk <= c.once + c.duplicated);
    let later = board.now() + Span::seconds(7);
    for now in [board.now(), later] {
        let operator = board.operator(now);
        prop_assert!(operator.up <= operator.workers);
        let _looked_at = (board.truth(now), board.workers(now), board.rates(now, 20));
    }
    let _looked_at = (board.verdict(), board.dead_letters(), board.struck(), board.notes(), board.stuck());
    for job in 0..=jobs {
        if let Some(story) = board.story(Job(job)) {
            prop_assert!(!story.why.is_empty() && !story.monitoring.is_empty() && !story.holds.is_empty());
        }
    }
    for w in 0..=WORKERS + 1 {
        prop_assert!(board.lane(Worker(w)).marks.iter().is_sorted_by_key(|mark| mark.at));
    }
    Ok(())
}

/// A queue that keeps its rules, driven by dice.
struct Model {
    script: Script,
    /// The live lease of each job.
    leases: BTreeMap<Job, (Worker, Token)>,
    place: BTreeMap<Job, &'static str>,
    /// What each worker has in hand, and how far it is.
    hands: BTreeMap<u16, (Job, Token, u8)>,
    down: BTreeMap<u16, bool>,
    effects: BTreeMap<Job, u32>,
    working: BTreeMap<Job, u32>,
    clock: f64,
}

impl Model {
    fn new(settings: &str) -> Model {
        let script = Script::of(settings, |setup| setup.workers = WORKERS);
        Model {
            script,
            leases: BTreeMap::new(),
            place: BTreeMap::new(),
            hands: BTreeMap::new(),
            down: BTreeMap::new(),
            effects: BTreeMap::new(),
            working: BTreeMap::new(),
            clock: 0.0,
        }
    }

    fn turn(&mut self, dice: (u8, u8, u8)) {
        let (what, w, more) = (dice.0, u16::from(dice.1) % WORKERS + 1, dice.2);
        self.clock += f64::from(more) / 100.0;
        self.script.at(self.clock);
        match what % 10 {
            0 => {
                let job = Job(self.place.len() as u32);
                self.script.enqueue(1);
                self.place.insert(job, "waiting");
            }
            1 | 2 => self.claim(w),
            3..=5 => self.go_on(w, more),
            6 => self.expire(more),
            7 => self.crash(w, more),
            8 => {
                if self.down.remove(&w).is_some() {
                    self.script.back(w);
                }
            }
            _ => self.fault(w, more),
        }
    }

    fn claim(&mut self, w: u16) {
        if self.hands.contains_key(&w) || self.down.contains_key(&w) {
            return;
        }
        let Some(job) = self.place.iter().find(|(_, place)| **place == "waiting").map(|(job, _)| *job) else { return };
        self.script.claim(w, job.0);
        let (worker, _, token) = self.script.hand(w);
        self.place.insert(job, "leased");
        self.leases.insert(job, (worker, token));
        self.hands.insert(w, (job, token, 0));
        *self.working.entry(job).or_default() += 1;
    }

    fn go_on(&mut self, w: u16, more: u8) {
        let Some(&(job, token, step)) = self.hands.get(&w) else { return };
        let mut next = step + 1;
        match step {
            0 => drop(self.script.work(w)),
            1 if more.is_multiple_of(4) => drop(self.script.found(w)),
            1 => {
                self.script.effect(w);
                *self.effects.entry(job).or_default() += 1;
                match more % 5 {
                    0 => {
                        self.script.undone(w);
                        *self.effects.entry(job).or_default() -= 1;
                        next = 1;
                    }
                    1 => {
                        self.script.reply_lost(w);
                        next = 1;
                    }
                    _ => drop(self.script.key(w)),
                }
            }
            _ => return self.finish(w, job, token, more),
        }
        self.hands.insert(w, (job, token, next));
    }

    fn finish(&mut self, w: u16, job: Job, token: Token, more: u8) {
        let live = self.leases.get(&job).is_some_and(|(_, t)| *t == token);
        match (live, more % 4) {
            (_, 0) => drop(self.script.ack_lost(w)),
            (true, 1) => {
                self.leases.remove(&job);
                self.place.insert(job, "waiting");
                self.script.fail(w);
            }
            (true, _) => {
                self.leases.remove(&job);
                self.place.insert(job, "acked");
                self.script.done(w);
            }
            (false, _) => drop(self.script.ack_stale(w)),
        }
        self.over(w, job);
    }

    fn over(&mut self, w: u16, job: Job) {
        self.hands.remove(&w);
        *self.working.entry(job).or_default() -= 1;
    }

    fn expire(&mut self, more: u8) {
        let count = self.leases.len();
        let Some((job, (worker, token))) = self.leases.iter().nth(usize::from(more) % count.max(1)) else { return };
        let (job, worker, token) = (*job, *worker, *token);
        self.leases.remove(&job);
        self.script.expire_token(worker, job, token);
        self.place.insert(job, "waiting");
        if more.is_multiple_of(7) {
            self.script.dead(job.0, Reason::LeaseExpired);
            self.place.insert(job, "dead");
            if more.is_multiple_of(2) {
                self.script.redrive(job.0);
                self.place.insert(job, "waiting");
            }
        }
    }

    fn crash(&mut self, w: u16, more: u8) {
        if self.down.contains_key(&w) {
            return;
        }
        if let Some(&(job, _, _)) = self.hands.get(&w) {
            let by = if more.is_multiple_of(2) { By::Operator } else { By::Rate };
            self.script.end_by(w, End::Crashed(Spot::In(Point::Work)), Some(by));
            self.over(w, job);
        }
        self.script.died(w, By::Operator);
        self.down.insert(w, true);
    }

    fn fault(&mut self, w: u16, more: u8) {
        let fault = Fault::ALL[usize::from(more) % 6];
        if more.is_multiple_of(2) {
            self.script.fault_by(w, fault, 2.0)
        } else {
            self.script.heal(w, fault)
        };
    }

    /// The fates by counting: lost, once, twice.
    fn fates(&self) -> (u64, u64, u64) {
        let count = |job: &&Job| self.effects.get(*job).copied().unwrap_or(0);
        let lost = |job: &&Job| {
            self.place[*job] == "acked" && count(job) == 0 && self.working.get(*job).copied().unwrap_or(0) == 0
        };
        let all = || self.place.keys();
        (
            all().filter(lost).count() as u64,
            all().filter(|job| count(job) == 1).count() as u64,
            all().filter(|job| count(job) > 1).count() as u64,
        )
    }
}

fn settings() -> impl Strategy<Value = String> {
    let dedup =
        prop::sample::select(vec!["none", "effect-then-key", "transactional", "window:2", "ttl:2s", "per-worker"]);
    let ack = prop::sample::select(vec!["before", "after"]);
    (dedup, ack).prop_map(|(dedup, ack)| format!("dedup {dedup}, ack {ack}, attempts unlimited, lease 3s"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_log_that_keeps_the_rules_leaves_every_sum_right_and_no_breach(
        settings in settings(),
        dice in prop::collection::vec(any::<(u8, u8, u8)>(), 1..120),
    ) {
        let mut model = Model::new(&settings);
        for dice in dice {
            model.turn(dice);
            let c = model.script.board.counters();
            prop_assert_eq!((c.lost, c.once, c.duplicated), model.fates());
            prop_assert_eq!(c.effects, model.effects.values().map(|n| u64::from(*n)).sum::<u64>());
        }
        prop_assert_eq!(model.script.board.violations(), &[] as &[String]);
        check(&model.script.board, model.place.len() as u32)?;
    }

    #[test]
    fn no_log_however_broken_brings_the_board_down(
        settings in settings(),
        start in any::<bool>(),
        whats in prop::collection::vec(garbage(), 1..150),
    ) {
        let mut board = Board::new();
        let mut at = 0;
        if start {
            let events = Script::of(&settings, |setup| setup.workers = WORKERS).enqueue(3).events.clone();
            board.extend(&events);
        }
        for (later, what) in whats {
            at += later;
            board.fold(&Event { at: Instant(at), what });
        }
        check(&board, 6)?;
    }
}

fn worker() -> impl Strategy<Value = Worker> {
    (0..WORKERS + 2).prop_map(Worker)
}

fn job() -> impl Strategy<Value = Job> {
    prop_oneof![9 => (0..6_u32).prop_map(Job), 1 => any::<u32>().prop_map(Job)]
}

fn token() -> impl Strategy<Value = Token> {
    prop_oneof![9 => (0..8_u64).prop_map(Token), 1 => any::<u64>().prop_map(Token)]
}

fn instant() -> impl Strategy<Value = Instant> {
    prop_oneof![9 => (0..20_000_000_000_u64).prop_map(Instant), 1 => any::<u64>().prop_map(Instant)]
}

fn point() -> impl Strategy<Value = Point> {
    prop::sample::select(Point::ALL.to_vec())
}

fn how() -> impl Strategy<Value = End> {
    prop_oneof![
        Just(End::Done),
        Just(End::RefusedAck),
        Just(End::Fenced),
        Just(End::LeaseLost),
        Just(End::Quit),
        Just(End::Failed("x".into())),
        point().prop_map(|p| End::Crashed(Spot::After(p))),
        point().prop_map(|p| End::Crashed(Spot::In(p))),
    ]
}

fn by() -> impl Strategy<Value = By> {
    prop::sample::select(By::ALL.to_vec())
}

fn fault() -> impl Strategy<Value = Fault> {
    prop::sample::select(Fault::ALL.to_vec())
}

fn delivery() -> BoxedStrategy<What> {
    (worker(), job(), token(), any::<u8>(), instant(), how(), by(), any::<i64>())
        .prop_map(|(w, j, k, kind, until, how, by, row)| match kind % 18 {
            0 | 1 => What::Claimed {
                w,
                j,
                n: u32::from(kind) % 4,
                k,
                deadline: until,
                lease: Span(until.0),
                work: Span(until.0 / 2),
            },
            2 => What::Acked { w, j, k },
            3 => What::AckLost { w, j, k },
            4 => What::AckStale { w, j, k },
            5 => What::AckRepeated { w, j, k },
            6 => What::Nacked { w, j, k, until: (kind > 99).then_some(until), words: "no".into() },
            7 => What::NackStale { w, j, k },
            8 | 9 => What::Ended { w, j, k, how, by: Some(by) },
            10 | 11 => What::Effect { w, j, k, row: Row(row) },
            12 => What::Key { w, j, k },
            13 => What::Recognised { w, j, k },
            14 => What::Fenced { w, j, k },
            15 => What::Expired { w, j, k },
            16 => What::Released { w, j, k },
            _ => What::Renewed { w, k, deadline: until },
        })
        .boxed()
}

fn beside() -> BoxedStrategy<What> {
    (worker(), job(), token(), any::<u8>(), instant(), point(), fault(), by())
        .prop_map(|(w, j, k, kind, until, p, what, by)| match kind % 16 {
            0 => What::BeatLost { w, k },
            1 => What::RenewalStale { w, k },
            2 | 3 => What::Stepped { w, k, p },
            4 | 5 => What::Undone { w, k },
            6 => What::ReplyLost { w, k },
            7 => What::Died { w, generation: 3, by, back: Some(until) },
            8 => What::Spawned { w, generation: 4 },
            9 => What::Armed { w, point: p },
            10 => What::Disarmed { w, point: p },
            11 => What::Fault { w: (kind > 99).then_some(w), what, factor: f64::from(kind) - 20.0, until: None },
            12 => What::Healed { w: (kind > 99).then_some(w), what },
            13 => What::Held { w, k: (kind > 99).then_some(k), what: Hold::ALL[usize::from(kind) % 4] },
            14 => What::Overtaken { key: OrderKey(0), j },
            _ => What::Outdated { key: OrderKey(0), j },
        })
        .boxed()
}

fn run() -> BoxedStrategy<What> {
    (job(), any::<u8>(), instant(), any::<(i64, u64, u64)>())
        .prop_map(|(j, kind, until, (row, rows, jobs))| match kind % 16 {
            0..=2 => What::Enqueued { j, key: OrderKey(0), due: until, poison: (kind > 99).then_some(Poison::Crash) },
            3 => What::Dead { j, reason: Reason::AttemptsLowered, tries: u32::from(kind), max: None },
            4 => What::Redriven { j },
            5 => What::Gap { key: OrderKey(0), j },
            6 => What::Stopped,
            7 => What::Speed { x: f64::NAN },
            8 => What::Jumped { by: Span(until.0) },
            9 => What::Marked { text: "m".into() },
            10 => What::Audited { counts: RowCounts { row: Row(row), rows, jobs } },
            11 => What::Violated { text: "v".into() },
            12 => What::Stuck { why: "s".into() },
            13 => What::Finished { how: Finish::Drained, counts: Some(Box::new(FinalCounts::default())) },
            14 => What::Policy { what: SettingName::Dedup, from: "?".into(), to: "window:2".into() },
            _ => What::Started { setup: Box::new(Setup::headless(3)), run: 2 },
        })
        .boxed()
}

/// Any event, with how long it comes after the one before it.
fn garbage() -> impl Strategy<Value = (u64, What)> {
    (0..3_000_000_000_u64, prop_oneof![4 => delivery(), 2 => beside(), 1 => run()])
}
