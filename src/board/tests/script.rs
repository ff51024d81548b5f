//! Writes event logs by hand, in the words of the domain, and folds them as they are written.
//!
//! A script keeps count of tokens, rows and attempts, so that a test says only what it is about.

use std::collections::BTreeMap;

use crate::board::Board;
use crate::event::{By, End, Event, Fault, Finish, Reason, Spot, What};
use crate::ids::{Job, OrderKey, Row, Token, Worker};
use crate::policy::{Point, Policy, Setting, SettingName};
use crate::request::{FinalCounts, RowCounts};
use crate::setup::Setup;
use crate::time::{Instant, Span};

/// What a worker has in its hands.
#[derive(Clone, Copy, Debug)]
struct Hand {
    job: Job,
    token: Token,
    lease: Span,
}

/// A log under way, and the board that folds it.
#[derive(Clone, Debug)]
pub struct Script {
    pub board: Board,
    pub events: Vec<Event>,
    now: Instant,
    tokens: u64,
    rows: i64,
    jobs: u32,
    tries: BTreeMap<Job, u32>,
    hands: BTreeMap<Worker, Hand>,
    policy: Policy,
    work: Span,
}

pub fn seconds(s: f64) -> Instant {
    Instant::START + Span::from_seconds(s)
}

pub fn jobs(ids: &[u32]) -> Vec<Job> {
    ids.iter().copied().map(Job).collect()
}

fn policy(settings: &str) -> Policy {
    let mut policy = Policy::default();
    for setting in settings.split(", ") {
        policy.set(read(setting));
    }
    policy
}

fn read(setting: &str) -> Setting {
    let (name, value) = setting.split_once(' ').expect("a name and a value");
    let name: SettingName = name.parse().expect("a setting");
    Setting::parse(name, value).expect("a value")
}

impl Script {
    /// Two workers and jobs that take no time, under a policy with these settings: `dedup none, lease 3s`.
    pub fn under(settings: &str) -> Script {
        Script::of(settings, |setup| setup.workers = 2)
    }

    /// As [`Script::under`], with the set-up changed.
    pub fn of(settings: &str, change: impl FnOnce(&mut Setup)) -> Script {
        let mut setup = Setup::headless(1);
        setup.policy = policy(settings);
        change(&mut setup);
        let workers = setup.workers;
        let mut script = Script {
            board: Board::new(),
            events: Vec::new(),
            now: Instant::START,
            tokens: 0,
            rows: 0,
            jobs: 0,
            tries: BTreeMap::new(),
            hands: BTreeMap::new(),
            policy: setup.policy.clone(),
            work: Span::ZERO,
        };
        script.tell(What::Started { setup: Box::new(setup), run: 1 });
        for w in 1..=workers {
            script.tell(What::Spawned { w: Worker(w), generation: 1 });
        }
        script
    }

    /// Records any event.
    pub fn tell(&mut self, what: What) -> &mut Script {
        let event = Event { at: self.now, what };
        self.board.fold(&event);
        self.events.push(event);
        self
    }

    /// It is this many seconds after the start.
    pub fn at(&mut self, s: f64) -> &mut Script {
        self.now = seconds(s);
        self
    }

    pub fn now(&self) -> Instant {
        self.now
    }

    /// Jobs handed out from here on take this long.
    pub fn work_takes(&mut self, s: f64) -> &mut Script {
        self.work = Span::from_seconds(s);
        self
    }

    pub fn enqueue(&mut self, n: u32) -> &mut Script {
        for _ in 0..n {
            let (j, due) = (Job(self.jobs), self.now);
            self.jobs += 1;
            self.tell(What::Enqueued { j, key: OrderKey(j.0 % 8), due, poison: None });
        }
        self
    }

    pub fn claim(&mut self, w: u16, job: u32) -> &mut Script {
        let (w, j) = (Worker(w), Job(job));
        self.tokens += 1;
        let k = Token(self.tokens);
        let n = self.tries.entry(j).and_modify(|n| *n += 1).or_insert(1);
        let n = *n;
        let lease = self.policy.lease;
        self.hands.insert(w, Hand { job: j, token: k, lease });
        self.tell(What::Claimed { w, j, n, k, deadline: self.now + lease, lease, work: self.work })
    }

    /// The worker, its job and its token.
    pub fn hand(&self, w: u16) -> (Worker, Job, Token) {
        let hand = self.hands[&Worker(w)];
        (Worker(w), hand.job, hand.token)
    }

    pub fn renew(&mut self, w: u16) -> &mut Script {
        let (w, _, k) = self.hand(w);
        let deadline = self.now + self.hands[&w].lease;
        self.tell(What::Renewed { w, k, deadline })
    }

    fn step(&mut self, w: u16, p: Point) -> &mut Script {
        let (w, _, k) = self.hand(w);
        self.tell(What::Stepped { w, k, p })
    }

    pub fn work(&mut self, w: u16) -> &mut Script {
        self.step(w, Point::Work)
    }

    pub fn no_key(&mut self, w: u16) -> &mut Script {
        self.step(w, Point::Check)
    }

    pub fn commit(&mut self, w: u16) -> &mut Script {
        self.step(w, Point::Commit)
    }

    /// A worker notes the id in its own memory.
    pub fn remember(&mut self, w: u16) -> &mut Script {
        self.step(w, Point::Key)
    }

    pub fn effect(&mut self, w: u16) -> &mut Script {
        let (w, j, k) = self.hand(w);
        self.rows += 1;
        self.tell(What::Effect { w, j, k, row: Row(self.rows) })
    }

    pub fn key(&mut self, w: u16) -> &mut Script {
        let (w, j, k) = self.hand(w);
        self.tell(What::Key { w, j, k })
    }

    /// Effect and key in one transaction.
    pub fn apply(&mut self, w: u16) -> &mut Script {
        self.effect(w).key(w).commit(w)
    }

    pub fn found(&mut self, w: u16) -> &mut Script {
        let (w, j, k) = self.hand(w);
        self.tell(What::Recognised { w, j, k })
    }

    pub fn fenced(&mut self, w: u16) -> &mut Script {
        let (worker, j, k) = self.hand(w);
        self.tell(What::Fenced { w: worker, j, k }).end(w, End::Fenced)
    }

    /// The commit fails; SQLite gives the row's number out again.
    pub fn undone(&mut self, w: u16) -> &mut Script {
        let (worker, _, k) = self.hand(w);
        self.tell(What::Undone { w: worker, k })
    }

    pub fn reply_lost(&mut self, w: u16) -> &mut Script {
        let (w, _, k) = self.hand(w);
        self.tell(What::ReplyLost { w, k })
    }

    pub fn ack(&mut self, w: u16) -> &mut Script {
        let (w, j, k) = self.hand(w);
        self.tell(What::Acked { w, j, k })
    }

    pub fn ack_lost(&mut self, w: u16) -> &mut Script {
        let (worker, j, k) = self.hand(w);
        self.tell(What::AckLost { w: worker, j, k }).end(w, End::Done)
    }

    pub fn ack_stale(&mut self, w: u16) -> &mut Script {
        let (worker, j, k) = self.hand(w);
        self.tell(What::AckStale { w: worker, j, k }).end(w, End::RefusedAck)
    }

    /// The ack and the end of a delivery.
    pub fn done(&mut self, w: u16) -> &mut Script {
        self.ack(w).end(w, End::Done)
    }

    /// The delivery fails and is tried again after a second.
    pub fn fail(&mut self, w: u16) -> &mut Script {
        let until = Some(self.now + Span::seconds(1));
        self.nack(w, until)
    }

    /// The last delivery fails and the job goes to the DLQ.
    pub fn fail_for_good(&mut self, w: u16) -> &mut Script {
        let (_, j, _) = self.hand(w);
        let tries = self.tries[&j];
        let (worker, j, k) = self.hand(w);
        self.tell(What::Nacked { w: worker, j, k, until: None, words: "card declined".into() });
        self.tell(What::Dead { j, reason: Reason::Failed("card declined".into()), tries, max: Some(tries) });
        self.end(w, End::Failed("card declined".into()))
    }

    fn nack(&mut self, w: u16, until: Option<Instant>) -> &mut Script {
        let (worker, j, k) = self.hand(w);
        self.tell(What::Nacked { w: worker, j, k, until, words: "card declined".into() });
        self.end(w, End::Failed("card declined".into()))
    }

    pub fn end(&mut self, w: u16, how: End) -> &mut Script {
        self.end_by(w, how, None)
    }

    pub fn end_by(&mut self, w: u16, how: End, by: Option<By>) -> &mut Script {
        let (w, j, k) = self.hand(w);
        self.tell(What::Ended { w, j, k, how, by })
    }

    /// The worker is killed by hand in the gap behind a step, and stays dead for 5 s.
    pub fn killed_after(&mut self, w: u16, point: Point) -> &mut Script {
        self.tell(What::Armed { w: Worker(w), point });
        self.end_by(w, End::Crashed(Spot::After(point)), Some(By::Operator)).died(w, By::Operator)
    }

    /// The worker is killed by hand in the middle of its work.
    pub fn killed_at_work(&mut self, w: u16) -> &mut Script {
        self.end_by(w, End::Crashed(Spot::In(Point::Work)), Some(By::Operator)).died(w, By::Operator)
    }

    pub fn died(&mut self, w: u16, by: By) -> &mut Script {
        let back = Some(self.now + Span::seconds(5));
        self.tell(What::Died { w: Worker(w), generation: 1, by, back })
    }

    pub fn back(&mut self, w: u16) -> &mut Script {
        self.tell(What::Spawned { w: Worker(w), generation: 2 })
    }

    /// The lease that this worker took last runs out.
    pub fn expire(&mut self, w: u16) -> &mut Script {
        let (w, j, k) = self.hand(w);
        self.expire_token(w, j, k)
    }

    pub fn expire_token(&mut self, w: Worker, j: Job, k: Token) -> &mut Script {
        self.tell(What::Expired { w, j, k })
    }

    pub fn dead(&mut self, job: u32, reason: Reason) -> &mut Script {
        let tries = self.tries.get(&Job(job)).copied().unwrap_or(0);
        self.tell(What::Dead { j: Job(job), reason, tries, max: Some(tries) })
    }

    pub fn redrive(&mut self, job: u32) -> &mut Script {
        self.tell(What::Redriven { j: Job(job) })
    }

    pub fn fault(&mut self, w: u16, what: Fault) -> &mut Script {
        self.fault_by(w, what, 1.0)
    }

    pub fn fault_by(&mut self, w: u16, what: Fault, factor: f64) -> &mut Script {
        self.tell(What::Fault { w: Some(Worker(w)), what, factor, until: None })
    }

    pub fn heal(&mut self, w: u16, what: Fault) -> &mut Script {
        self.tell(What::Healed { w: Some(Worker(w)), what })
    }

    /// A setting changes: `dedup none`.
    pub fn switch(&mut self, setting: &str) -> &mut Script {
        let setting = read(setting);
        let what = setting.name();
        let from = self.policy.value(what).into();
        self.policy.set(setting);
        let to = self.policy.value(what).into();
        self.tell(What::Policy { what, from, to })
    }

    /// SQL counted this many rows and jobs up to row `row`.
    pub fn audit(&mut self, row: i64, rows: u64, jobs: u64) -> &mut Script {
        self.tell(What::Audited { counts: RowCounts { row: Row(row), rows, jobs } })
    }

    pub fn finish(&mut self, how: Finish) -> &mut Script {
        self.tell(What::Finished { how, counts: None })
    }

    pub fn finish_with(&mut self, counts: FinalCounts) -> &mut Script {
        self.tell(What::Finished { how: Finish::Drained, counts: Some(Box::new(counts)) })
    }

    /// One job, handed out, applied under effect-then-key or without dedup, and acked.
    pub fn whole_life(&mut self, w: u16, job: u32) -> &mut Script {
        self.claim(w, job).work(w);
        match self.policy.dedup.memory() {
            crate::policy::Memory::None => self.effect(w),
            _ if self.policy.program().has(Point::Commit) => self.apply(w),
            _ => self.no_key(w).effect(w).key(w),
        };
        self.done(w)
    }
}
