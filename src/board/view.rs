//! What a board shows: plain data that screens and reports draw, with no way back to what it was computed from.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::{Fault, Hold, Reason};
use crate::ids::{Job, Token, Worker};
use crate::policy::{Point, Promise, named};
use crate::request::RowCounts;
use crate::time::{Instant, Span};

named! {
    /// Whether the promise was kept, in a word.
    Word {
        /// Nothing was put to the test, or the run could not drain.
        Unknown = "UNKNOWN",
        /// Put to the test and kept; the run goes on.
        KeptSoFar = "KEPT SO FAR",
        /// Put to the test and kept to the end.
        Kept = "KEPT",
        /// Broken, for good.
        Broken = "BROKEN",
    }
}

/// What a policy claims, and whether it kept it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In a word.
    pub word: Word,
    /// What the policy in force claims.
    pub promise: Promise,
    /// In a sentence, such as `398 jobs were applied twice`; empty while there is nothing to say.
    pub why: String,
}

/// The counters of a run, under the names that JSON and labs use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each name says what is counted; the words are those of the glossary")]
pub struct Counters {
    /// Jobs asked for; 0 for an endless stream.
    pub jobs: u64,
    pub enqueued: u64,
    pub deliveries: u64,
    pub redeliveries: u64,
    pub acked: u64,
    pub acks_lost: u64,
    /// Acks and nacks that were refused.
    pub stale_acks: u64,
    pub repeated_acks: u64,
    pub nacked: u64,
    pub failed: u64,
    pub aborted: u64,
    pub refused: u64,
    pub released: u64,
    pub renewals: u64,
    pub beats_lost: u64,
    pub replies_lost: u64,
    pub stale_renewals: u64,
    pub expirations: u64,
    /// Deliveries that ended crashed.
    pub crashes: u64,
    /// Workers that died.
    pub deaths: u64,
    pub dedup_hits: u64,
    pub fenced: u64,
    /// Effect rows.
    pub effects: u64,
    /// Effect rows beyond the first of each job.
    pub extra_effects: u64,
    pub once: u64,
    /// Jobs with more than one effect.
    pub duplicated: u64,
    pub lost: u64,
    pub pending: u64,
    pub waiting: u64,
    pub leased: u64,
    pub unprotected: u64,
    pub done: u64,
    pub dead: u64,
    pub dead_applied: u64,
    pub redriven: u64,
    pub at_risk: u64,
    pub order_gaps: u64,
    pub overtaken: u64,
    pub outdated: u64,
}

impl Counters {
    /// The counter of this name.
    pub fn named(&self, name: &str) -> Option<u64> {
        let counter = match name {
            "jobs" => self.jobs,
            "enqueued" => self.enqueued,
            "deliveries" => self.deliveries,
            "redeliveries" => self.redeliveries,
            "acked" => self.acked,
            "acks_lost" => self.acks_lost,
            "stale_acks" => self.stale_acks,
            "repeated_acks" => self.repeated_acks,
            "nacked" => self.nacked,
            "failed" => self.failed,
            "aborted" => self.aborted,
            "refused" => self.refused,
            "released" => self.released,
            "renewals" => self.renewals,
            "beats_lost" => self.beats_lost,
            "replies_lost" => self.replies_lost,
            "stale_renewals" => self.stale_renewals,
            "expirations" => self.expirations,
            "crashes" => self.crashes,
            "deaths" => self.deaths,
            "dedup_hits" => self.dedup_hits,
            "fenced" => self.fenced,
            "effects" => self.effects,
            "extra_effects" => self.extra_effects,
            "once" => self.once,
            "duplicated" => self.duplicated,
            "lost" => self.lost,
            "pending" => self.pending,
            "waiting" => self.waiting,
            "leased" => self.leased,
            "unprotected" => self.unprotected,
            "done" => self.done,
            "dead" => self.dead,
            "dead_applied" => self.dead_applied,
            "redriven" => self.redriven,
            "at_risk" => self.at_risk,
            "order_gaps" => self.order_gaps,
            "overtaken" => self.overtaken,
            "outdated" => self.outdated,
            _ => return None,
        };
        Some(counter)
    }

    /// Dead jobs that were not applied: the fate *dead*.
    pub fn dead_unapplied(&self) -> u64 {
        self.dead - self.dead_applied
    }
}

named! {
    /// What became of a job so far.
    Fate {
        /// One effect.
        Once = "once",
        /// More than one.
        Twice = "twice",
        /// Forgotten without an effect.
        Lost = "lost",
        /// Dead-lettered without an effect.
        Dead = "dead",
        /// No effect yet.
        Pending = "pending",
    }
}

/// How a line of a pane stands, as a word that needs no colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Light {
    /// Nothing to say.
    None,
    /// `ok`
    Ok,
    /// `look`
    Look,
    /// `BAD`
    Bad,
}

/// What production monitoring could know. It is folded from queue and worker events alone.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorView {
    /// How the backlog stands.
    pub backlog_light: Light,
    /// Jobs waiting.
    pub backlog: u64,
    /// How long the oldest ready job has waited, if one is ready.
    pub oldest: Option<Span>,
    /// How the flow stands.
    pub flow_light: Light,
    /// Arrivals a second over the last 10 s.
    pub arrivals: f64,
    /// Accepted acks a second over the last 10 s.
    pub acks: f64,
    /// Deliveries after a job's first, in all.
    pub redeliveries: u64,
    /// How the workers stand.
    pub workers_light: Light,
    /// Workers that are up, as far as their silence tells.
    pub up: usize,
    /// Workers in all.
    pub workers: usize,
    /// The worker that has been silent longest beyond its beat, and for how long.
    pub silent: Option<(Worker, Span)>,
    /// How the errors stand.
    pub errors_light: Light,
    /// Errors in the last 10 s.
    pub errors_recent: u64,
    /// Errors in all.
    pub errors: u64,
    /// How the DLQ stands.
    pub dead_light: Light,
    /// Jobs in the DLQ.
    pub dead: u64,
    /// How long ago the newest came, if there is one.
    pub dead_newest: Option<Span>,
}

/// What the ledger says.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthView {
    /// Jobs lost, and the first few of them.
    pub lost: (u64, Vec<Job>),
    /// Jobs applied more than once, and the latest few of them.
    pub twice: (u64, Vec<Job>),
    /// Jobs at risk and, for the first of them, why: `effect written, key not`.
    pub at_risk: (u64, Option<(Job, &'static str)>),
    /// Effect rows by the board.
    pub rows: u64,
    /// The last audit, and how long ago it was made.
    pub audit: Option<(AuditView, Span)>,
}

/// An audit beside the board's own count at the same row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditView {
    /// What SQL counted.
    pub sql: RowCounts,
    /// What the board counted up to that row.
    pub board: RowCounts,
}

impl AuditView {
    /// True when both witnesses say the same.
    pub fn agrees(&self) -> bool {
        self.sql == self.board
    }
}

/// What a worker is up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerState {
    /// Waiting for a job.
    Idle,
    /// At work under a live lease, or under a policy that acked first.
    Working,
    /// At work on a delivery whose lease is over.
    Zombie,
    /// Put to sleep.
    Asleep,
    /// Its work hangs.
    Hung,
    /// A request of it waits at something it cannot pass.
    Held(Hold),
    /// Dead.
    Dead,
    /// The run is over.
    Gone,
}

/// Where a worker stands in its program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepView {
    /// At no delivery.
    Nowhere,
    /// In the step that has this point behind it; for work, with the part that is done, 0 to 1.
    In(Point, Option<f64>),
    /// Dead in the gap behind a step.
    After(Point),
}

/// One worker, as the screen lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerView {
    /// Its slot.
    pub worker: Worker,
    /// What it is up to.
    pub state: WorkerState,
    /// Its delivery, or the last one if it died at it and the lease still holds.
    pub delivery: Option<DeliveryView>,
    /// Where it stands.
    pub step: StepView,
    /// Since its last message to the queue.
    pub last_beat: Option<Span>,
    /// Until a dead slot is back; `None` if it is alive or stays dead.
    pub back: Option<Span>,
    /// Faults in force on it, in a fixed order, with their factor where they have one.
    pub faults: Vec<(Fault, f64)>,
    /// The point at which it will die.
    pub armed: Option<Point>,
}

/// A delivery in somebody's hands.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveryView {
    /// The job.
    pub job: Job,
    /// Which attempt.
    pub attempt: u32,
    /// The receipt.
    pub token: Token,
    /// The lease: what is left of how much; `None` when it is over or was acked first.
    pub lease: Option<(Span, Span)>,
}

/// One delivery on the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The receipt.
    pub token: Token,
    /// The job.
    pub job: Job,
    /// Which attempt.
    pub attempt: u32,
    /// When it was handed out.
    pub from: Instant,
    /// When its lease was over: acked, given back or run out; `None` while it is live.
    pub lease_until: Option<Instant>,
    /// The deadline of the live lease, or the last one it had.
    pub deadline: Instant,
    /// When the worker was done with it; `None` while it is at it.
    pub ended: Option<Instant>,
    /// When the worker slept or hung during it; an open end is still so.
    pub rests: Vec<(Instant, Option<Instant>)>,
    /// True when the ack came before the work: work without lease is then *unprotected*, not a zombie's.
    pub acked_first: bool,
}

named! {
    /// A mark on a lane, by its letter.
    MarkKind {
        /// The queue forgot the job.
        Acked = "A",
        /// An effect.
        Effect = "E",
        /// An effect of a job that had one.
        EffectAgain = "#",
        /// A duplicate was recognised.
        Recognised = "D",
        /// A key was written.
        Key = "K",
        /// A delivery failed.
        Failed = "N",
        /// An ack, nack or renewal was refused.
        Stale = "S",
        /// The sink refused a write.
        Fenced = "F",
        /// Sent and not heard: a lost beat, ack or answer, or one held at a cut.
        Unheard = "?",
        /// The job is lost.
        Lost = "L",
        /// A renewal.
        Renewed = "+",
        /// A lease ran out.
        Expired = "!",
        /// Killed by hand.
        Kill = "x",
        /// Died by itself: a list, a rate, poison, or at an armed point.
        Died = "X",
        /// Renewals stalled.
        Stall = "s",
        /// Put to sleep.
        Pause = "z",
        /// Cut from the queue.
        CutQueue = "p",
        /// Cut from the sink.
        CutSink = "P",
        /// Made to hang.
        Hang = "h",
        /// Slowed down.
        Slow = "l",
        /// Back again.
        Restart = "r",
        /// A fault was healed.
        Heal = "u",
    }
}

impl MarkKind {
    /// True for what is wrong: these win a cell over all else.
    pub fn is_anomaly(self) -> bool {
        matches!(self, MarkKind::EffectAgain | MarkKind::Lost | MarkKind::Stale | MarkKind::Fenced)
    }

    /// True for what the operator did.
    pub fn is_mine(self) -> bool {
        use MarkKind::{CutQueue, CutSink, Hang, Heal, Kill, Pause, Restart, Slow, Stall};
        matches!(self, Kill | Stall | Pause | CutQueue | CutSink | Hang | Slow | Restart | Heal)
    }
}

/// Something on a lane at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at: Instant,
    /// What.
    pub kind: MarkKind,
    /// The delivery it belongs to, if it does.
    pub token: Option<Token>,
}

/// A worker's part of the timeline, oldest first and bounded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// Deliveries.
    pub bars: std::collections::VecDeque<Bar>,
    /// Marks.
    pub marks: std::collections::VecDeque<Mark>,
}

/// A line through all lanes, with a caption above them.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// When.
    pub at: Instant,
    /// A few words: `x w4`, `X w2 at effect`, `fence on`.
    pub text: String,
    /// True for a policy switch, drawn through all lanes.
    pub switch: bool,
}

/// One job in the DLQ.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadView {
    /// The job.
    pub job: Job,
    /// Why it is there.
    pub reason: Reason,
    /// Attempts since its last redrive when it died, and the maximum then in force.
    pub tries: (u32, Option<u32>),
    /// When it came.
    pub since: Instant,
    /// Whether the ledger has an effect for it.
    pub applied: bool,
    /// How often it has been redriven.
    pub redriven: u32,
    /// The last words: `w4 died in work`, `"card declined"`.
    pub words: String,
}

named! {
    /// A kind of anomaly.
    AnomalyKind {
        /// A job has more than one effect.
        Twice = "twice",
        /// A job is forgotten and has no effect.
        Lost = "lost",
        /// An ack, nack or renewal came too late.
        Stale = "stale",
        /// The sink refused a zombie's write.
        Fenced = "fenced",
    }
}

/// One thing that went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// When.
    pub at: Instant,
    /// What.
    pub kind: AnomalyKind,
    /// The job it befell.
    pub job: Job,
    /// The worker at which it showed.
    pub worker: Worker,
    /// The place of the event in the log.
    pub seq: u64,
}

/// One line of a job's life.
#[derive(Clone, Debug, PartialEq)]
pub struct StoryLine {
    /// When.
    pub at: Instant,
    /// The place of the event in the log; of the last one where several are told together.
    pub seq: u64,
    /// The worker it happened at, if any.
    pub worker: Option<Worker>,
    /// What, in words: `wrote the effect AGAIN, row 47`.
    pub text: String,
}

/// One attempt in a job's life.
#[derive(Clone, Debug, PartialEq)]
pub struct StoryTry {
    /// `try 1   w2   token 46`, or `before any try` for what came first.
    pub title: String,
    /// What happened in it.
    pub lines: Vec<StoryLine>,
}

/// The story of one job, ending in why it came out as it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The job.
    pub job: Job,
    /// `job 43 was applied TWICE    2 tries   key 43`.
    pub title: String,
    /// Its attempts, in order.
    pub tries: Vec<StoryTry>,
    /// True when older events were dropped from memory, so that the story begins late.
    pub truncated: bool,
    /// Why it came out so.
    pub why: String,
    /// What monitoring saw of it.
    pub monitoring: String,
    /// What would have held, and which keys to press.
    pub holds: String,
}

/// Series for the sparklines: one value for each of the last seconds of lab time, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    /// Arrivals.
    pub arrivals: Vec<u32>,
    /// Accepted acks.
    pub acks: Vec<u32>,
    /// Effects.
    pub effects: Vec<u32>,
    /// From ready to handed out: median and 99th percentile, if anything was handed out.
    pub wait: Option<(Span, Span)>,
    /// From claim to ack: median and 99th percentile, if anything was acked.
    pub service: Option<(Span, Span)>,
}

/// Which jobs came to harm: the sets that reports and comparisons print.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Harm {
    /// Jobs lost.
    pub lost: BTreeSet<Job>,
    /// Jobs applied more than once.
    pub twice: BTreeSet<Job>,
}

/// What a line of a lab is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// The lab says it; `pause` asks that time stand for it.
    Said {
        /// True when time is to stand.
        pause: bool,
    },
    /// The lab asks for a prediction.
    Asked,
    /// Somebody answered.
    Answered,
}

/// Something that a lab said or asked, or that it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrated {
    /// When.
    pub at: Instant,
    /// The step it belongs to, from 1.
    pub step: u32,
    /// The words; empty for a step that says nothing.
    pub text: String,
    /// What it is.
    pub line: Line,
}
