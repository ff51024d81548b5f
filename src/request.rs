//! The seam between a worker and whoever drives it: what a worker asks for, and what it is told came of it.
//!
//! A worker never sleeps, locks, reads a clock or touches SQL. It asks with a [`Request`]; a driver performs it and
//! answers with an [`Outcome`]. What concerns the sink goes on as a [`Transaction`] to a [`Session`], and the sink
//! reports what it is about to commit to its [`Host`].

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::{By, End};
use crate::ids::{Job, OrderKey, Row, Token, Worker};
use crate::policy::{Memory, Point, Policy, Statement, Values};
use crate::setup::Poison;
use crate::time::{Instant, Span};

/// One hand-out of a job to a worker. It keeps the policy under which it was handed out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// Who has it.
    pub worker: Worker,
    /// The job.
    pub job: Job,
    /// Which attempt at the job this is, from 1, counted over redrives.
    pub attempt: u32,
    /// Its receipt.
    pub token: Token,
    /// The job's order key.
    pub key: OrderKey,
    /// When its lease runs out unless it is renewed.
    pub deadline: Instant,
    /// False for a lease that ends as planned: nobody renews it.
    pub renewable: bool,
    /// How long the job takes.
    pub work: Span,
    /// What the job does to who works on it, if it is poisonous.
    pub poison: Option<Poison>,
    /// The policy it started with.
    pub policy: Arc<Policy>,
}

/// What a worker asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// The next job. Told [`Outcome::Claimed`], or [`Outcome::Closed`] when there will be no more.
    Claim,
    /// To do the job for its work time. Told `Done`, `Failed` or `Interrupted`.
    Work {
        /// How long it takes.
        span: Span,
        /// What befalls the worker while it is at it.
        poison: Option<Poison>,
    },
    /// To pass the gap behind a step. Told `Done` or `Interrupted`.
    Gap {
        /// The step that was just done.
        after: Point,
        /// True when passing this point is an event of its own, since no other event tells it.
        tell: bool,
        /// True behind an effect or key commit: there the gap has the set-up's width.
        wide: bool,
    },
    /// One transaction of the sink. Told `Applied`, `Recognised`, `Fenced`, `Died`, `Failed` or `Interrupted`.
    Transact(Transaction),
    /// To have the queue forget the job. Told `Acked`, `AckLost`, `Stale` or `Interrupted`.
    Ack {
        /// True when the delivery ends with it, so that queue and log record both at once.
        ends: bool,
    },
    /// To give the job back as failed. Told `Done`, `Stale` or `Interrupted`.
    Nack {
        /// Why.
        words: Box<str>,
    },
    /// To note that this delivery is over. Told `Done`.
    End {
        /// How it ended.
        how: End,
        /// Who or what ended it, when it did not end by itself.
        by: Option<By>,
    },
    /// To be buried. Told `Respawned` when the slot has a new generation, or `Closed`.
    Die {
        /// Who or what killed the worker.
        by: By,
    },
}

/// What a worker is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// What was asked for was done.
    Done,
    /// A job was handed out.
    Claimed(Box<Delivery>),
    /// There will be no more jobs for this worker.
    Closed,
    /// The work failed, or the transaction was rolled back at a point where the delivery was to fail.
    Failed(Box<str>),
    /// The transaction was committed.
    Applied,
    /// The key was found; nothing was written.
    Recognised,
    /// The sink has seen a higher token for the job and refused the write.
    Fenced,
    /// The transaction was left open and its connection dropped, as the request asked.
    Died,
    /// The transaction was committed and its answer was lost: ask again.
    ReplyLost,
    /// The ack was accepted, now or before.
    Acked,
    /// The ack was lost on its way; the worker cannot know.
    AckLost,
    /// The token is not the job's live lease; nothing was changed.
    Stale,
    /// A wait or a gap was cut short.
    Interrupted(Interrupt),
    /// The slot has a new generation, with an empty memory.
    Respawned,
}

/// What cuts a wait or a gap short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interrupt {
    /// The worker was killed.
    Killed(By),
    /// The worker learned that its lease is gone, and its policy tells it to stop.
    LeaseLost,
    /// The run is over and its grace too.
    Quit,
}

/// One transaction of the sink: one stage of a worker's program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transaction {
    /// Who asks.
    pub worker: Worker,
    /// For which job.
    pub job: Job,
    /// On which attempt.
    pub attempt: u32,
    /// Under which receipt; also the fencing token.
    pub token: Token,
    /// The job's order key.
    pub order_key: OrderKey,
    /// What is done, in order.
    pub statements: Cow<'static, [Statement]>,
    /// Where keys are looked up and kept.
    pub memory: Memory,
    /// The dedup key. Keys made of the job's id, of its attempt and at random never collide.
    pub dedup_key: i64,
    /// For a worker's own memory, which the sink does not hold: whether the worker remembers the job.
    pub remembered: bool,
    /// Whether writes with an older token than the last seen are refused.
    pub fence: bool,
    /// What the effect does with its order key's value.
    pub values: Values,
    /// The statement after which the worker dies: its connection is dropped with the transaction open.
    pub dies_after: Option<Point>,
    /// The statement after which the delivery fails: the transaction is rolled back.
    pub fails_after: Option<Point>,
}

/// Something a transaction is about to make true, reported under the write lock just before its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// An effect row.
    Effect(Row),
    /// A key, or an id remembered by the sink.
    Key,
    /// The key was found.
    Recognised,
    /// The write was refused for its token.
    Fenced,
    /// The value of the order key was overwritten by an older job.
    Overtaken(OrderKey),
    /// The value of the order key was refused, since a newer job wrote it.
    Outdated(OrderKey),
}

/// What a session needs of whoever drives it.
pub trait Host {
    /// Lab time; read inside the transaction.
    fn now(&mut self) -> Instant;
    /// True when a wait for the write lock should be given up.
    fn interrupted(&mut self) -> bool;
    /// Told once in a request that another program holds the database.
    fn locked_out(&mut self);
    /// Records what is about to be committed, while the write lock is held.
    fn facts(&mut self, facts: &[Fact]);
    /// Takes back what `facts` recorded: the commit failed.
    fn undone(&mut self);
}

/// What came of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transacted {
    /// It was committed.
    Applied,
    /// The key was found.
    Recognised,
    /// A write was refused for its token; nothing of this transaction stands.
    Fenced,
    /// The worker died inside; the connection was dropped as it stood.
    Died,
    /// The delivery failed inside; the transaction was rolled back.
    Failed,
    /// The wait for the write lock was given up; nothing was done.
    Interrupted,
}

/// Why the sink cannot go on: a full disk, a lost file, a foreign schema. Not a lock, which is waited for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// One worker's connection to the sink.
pub trait Session: Send {
    /// Performs one transaction, waiting for the write lock as long as the host allows.
    fn transact(&mut self, transaction: &Transaction, host: &mut dyn Host) -> Result<Transacted, SinkError>;
    /// Drops the connection as it stands, and opens a new one when it is next needed.
    fn abandon(&mut self);
}

/// The state of one job at the end of a run, as the queue knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalJob {
    /// The job.
    pub job: Job,
    /// Where the queue holds it.
    pub state: JobState,
    /// How often it was started.
    pub attempts: u32,
    /// Why it is dead, if it is.
    pub reason: Option<String>,
}

crate::policy::named! {
    /// Where the queue holds a job.
    JobState {
        /// Ready, not yet due, backing off, or blocked by its key.
        Waiting = "waiting",
        /// Handed out under a live lease.
        Leased = "leased",
        /// Acked while somebody still works on it.
        Unprotected = "unprotected",
        /// Forgotten by the queue.
        Done = "done",
        /// In the DLQ.
        Dead = "dead",
    }
}

/// What SQL counts up to one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowCounts {
    /// The last row that was counted; 0 when there is none.
    pub row: Row,
    /// Effect rows of this run up to that row.
    pub rows: u64,
    /// Different jobs among them.
    pub jobs: u64,
}

/// What SQL counts at the end of a run, from the effects and the queue's final job states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalCounts {
    /// Jobs enqueued.
    pub enqueued: u64,
    /// Effect rows.
    pub rows: u64,
    /// Jobs with at least one effect.
    pub applied: u64,
    /// Jobs with exactly one effect.
    pub once: u64,
    /// Jobs with more than one.
    pub duplicated: u64,
    /// Jobs that the queue has forgotten and that have no effect.
    pub lost: u64,
    /// Jobs in the DLQ.
    pub dead: u64,
    /// Jobs in the DLQ that have an effect.
    pub dead_applied: u64,
    /// Jobs with no effect that are neither lost nor dead.
    pub pending: u64,
}

/// The second witness: counts with SQL over its own connection, never holding a read open.
pub trait Auditor: Send {
    /// Counts the rows that were committed since the last call and adds them up.
    fn count(&mut self) -> Result<RowCounts, SinkError>;
    /// Writes the queue's final job states beside the effects and counts everything with SQL.
    fn close(&mut self, jobs: &mut dyn Iterator<Item = FinalJob>) -> Result<FinalCounts, SinkError>;
}

/// Where effects go.
pub trait Sink: Send + Sync {
    /// A connection for one worker.
    fn session(&self) -> Result<Box<dyn Session>, SinkError>;
    /// The second witness of this run.
    fn auditor(&self) -> Result<Box<dyn Auditor>, SinkError>;
}
