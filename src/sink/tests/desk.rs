//! What the tests share: a host that takes notes, transactions as a worker would ask for them, and plain SQL over a
//! connection that the sink knows nothing of.

use std::borrow::Cow;
use std::path::Path;

use rusqlite::Connection;

use crate::ids::{Job, OrderKey, Token, Worker};
use crate::policy::{AckOrder, Dedup, Point, Program, Stage, Statement, Values};
use crate::request::{Fact, Host, Session, Sink, SinkError, Transacted, Transaction};
use crate::setup::Synchronous;
use crate::sink::{Store, Target, open};
use crate::time::{Instant, Span};

/// A host that takes notes.
#[derive(Debug, Default)]
pub struct Notes {
    /// The lab time it gives.
    pub now: Instant,
    /// What it was told would be committed, and what of it still stands.
    pub facts: Vec<Fact>,
    /// How often a commit failed.
    pub undone: usize,
    /// How often it was told of a foreign lock.
    pub locked_out: usize,
    /// After how many questions it gives up waiting; never if empty.
    pub patience: Option<usize>,
}

impl Host for Notes {
    fn now(&mut self) -> Instant {
        self.now
    }

    fn interrupted(&mut self) -> bool {
        match &mut self.patience {
            None => false,
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
        }
    }

    fn locked_out(&mut self) {
        self.locked_out += 1;
    }

    fn facts(&mut self, facts: &[Fact]) {
        self.facts.extend_from_slice(facts);
    }

    fn undone(&mut self) {
        self.undone += 1;
    }
}

impl Notes {
    /// A host at this lab time.
    pub fn at(now: Instant) -> Notes {
        Notes { now, ..Notes::default() }
    }
}

/// A store in a temporary folder.
pub fn store() -> Store {
    open(Target::Temporary, Synchronous::Normal).expect("a temporary store")
}

/// One job's delivery, as a worker holds it.
#[derive(Clone, Copy, Debug)]
pub struct Job1 {
    pub job: u32,
    pub token: u64,
    pub dedup: Dedup,
}

/// Job `job` under `dedup`, delivered with token `token`.
pub fn delivery(job: u32, token: u64, dedup: Dedup) -> Job1 {
    Job1 { job, token, dedup }
}

impl Job1 {
    /// The transactions that its program asks for, in order.
    pub fn transactions(self) -> Vec<Transaction> {
        let program = Program::of(AckOrder::After, self.dedup);
        let stages = program.stages().iter();
        stages
            .filter_map(|stage| match stage {
                Stage::Transaction(statements) => Some(self.transaction(statements)),
                _ => None,
            })
            .collect()
    }

    /// A transaction of these statements.
    pub fn transaction(self, statements: &'static [Statement]) -> Transaction {
        Transaction {
            worker: Worker(1),
            job: Job(self.job),
            attempt: 1,
            token: Token(self.token),
            order_key: OrderKey(self.job % 2),
            statements: Cow::Borrowed(statements),
            memory: self.dedup.memory(),
            dedup_key: i64::from(self.job),
            remembered: false,
            fence: false,
            values: Values::Off,
            dies_after: None,
            fails_after: None,
        }
    }

    /// The one bracket of its program.
    pub fn bracket(self) -> Transaction {
        let mut all = self.transactions();
        assert_eq!(all.len(), 1, "{} has one transaction", self.dedup);
        all.remove(0)
    }
}

/// Has a worker of its own do the bracket of `delivery` at `now`.
pub fn apply(session: &mut dyn Session, delivery: Job1, now: Instant) -> Transacted {
    session.transact(&delivery.bracket(), &mut Notes::at(now)).expect("the sink works")
}

/// Seconds of lab time.
pub fn second(n: u64) -> Instant {
    Instant::START + Span::seconds(n)
}

/// Walks the transactions of `delivery` until its worker dies after `point`, as a worker would. True when it lived.
pub fn walk(store: &Store, delivery: Job1, killed_after: Option<Point>) -> Result<bool, SinkError> {
    let mut session = store.session()?;
    for mut transaction in delivery.transactions() {
        let alone = transaction.statements.len() == 1;
        if !alone {
            transaction.dies_after = killed_after.filter(|point| *point != Point::Commit);
        }
        match session.transact(&transaction, &mut Notes::default())? {
            Transacted::Recognised => return Ok(true),
            Transacted::Died => return Ok(false),
            other => assert_eq!(other, Transacted::Applied),
        }
        let passed = if alone { transaction.statements[0].point() } else { Point::Commit };
        if killed_after == Some(passed) {
            session.abandon();
            return Ok(false);
        }
    }
    Ok(true)
}

/// The single number that `sql` gives, over a connection of nobody's.
pub fn number(path: &Path, sql: &str) -> i64 {
    let connection = Connection::open(path).expect("opens");
    connection.query_row(sql, [], |row| row.get(0)).expect(sql)
}

/// Effect rows of all runs.
pub fn effects(store: &Store) -> i64 {
    number(store.path(), "SELECT count(*) FROM effects")
}
