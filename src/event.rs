//! What happened, in the past tense: all that a pure fold needs, and nothing else reaches the screen.
//!
//! Field names are short because a recording writes one event a line: `w` worker, `j` job, `n` attempt, `k` token.

use serde::{Deserialize, Serialize};

use crate::ids::{Job, OrderKey, Row, Token, Worker};
use crate::policy::{Point, SettingName, named};
use crate::request::{FinalCounts, RowCounts};
use crate::setup::{Poison, Setup};
use crate::time::{Instant, Span};

/// One thing that happened, at a moment of lab time. Its place in the log is its sequence number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When; never before the event in front of it.
    pub at: Instant,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

named! {
    /// Who or what caused a death or an end.
    By {
        /// A person at the keyboard.
        Operator = "operator",
        /// A step of a lab file.
        Lab = "lab",
        /// A crash or failure list.
        List = "list",
        /// A crash or failure rate.
        Rate = "rate",
        /// The job itself.
        Poison = "poison",
    }
}

/// Where a worker stood when its delivery ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spot {
    /// In the middle of the step that has this point behind it.
    In(Point),
    /// In the gap behind the step.
    After(Point),
}

/// How a delivery ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The program came to its end.
    Done,
    /// The worker died.
    Crashed(Spot),
    /// The work failed, in these words.
    Failed(Box<str>),
    /// The queue refused the ack.
    RefusedAck,
    /// The sink refused the write.
    Fenced,
    /// The worker gave up, since its lease was gone.
    LeaseLost,
    /// The run ended.
    Quit,
}

/// Why a job is in the DLQ: the last cause noted on its last token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It failed, in these words.
    Failed(Box<str>),
    /// Its worker died here.
    Crashed(Spot),
    /// Its lease ran out, and nothing else is known.
    LeaseExpired,
    /// The operator lowered the maximum below what it had used.
    AttemptsLowered,
}

named! {
    /// A fault that holds until it is healed.
    Fault {
        /// Renewals stop; work, effect and ack go on.
        Stall = "stall",
        /// Work and renewals stop; the lease goes on.
        Pause = "pause",
        /// Work stops; renewals go on.
        Hang = "hang",
        /// No message passes between worker and queue.
        CutQueue = "queue",
        /// No message passes between worker and sink.
        CutSink = "sink",
        /// Work takes `factor` times as long.
        Slow = "slow",
        /// Renewals are lost with probability `factor`.
        LoseBeats = "beats",
        /// Acks are lost with probability `factor`.
        LoseAcks = "acks",
        /// The sink's answers are lost with probability `factor`.
        LoseReplies = "replies",
    }
}

named! {
    /// What a request waits for that cannot go on.
    Hold {
        /// The link to the queue is cut: a claim waits.
        Claim = "claim",
        /// The link to the queue is cut: an ack or nack waits.
        Ack = "ack",
        /// The link to the sink is cut.
        Sink = "sink",
        /// Another program holds the database.
        Locked = "locked",
    }
}

/// How a run came to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// Everything was settled.
    Drained,
    /// Nothing could move any more.
    Stuck,
    /// Somebody quit.
    Quit,
    /// An invariant was violated.
    Violated,
    /// Files, locks or the disk failed it.
    Failed(Box<str>),
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "e", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields have the short names that the module explains")]
pub enum What {
    /// The run began; always the first event.
    Started { setup: Box<Setup>, run: i64 },
    /// A setting changed, for deliveries from here on.
    Policy { what: SettingName, from: Box<str>, to: Box<str> },
    /// Somebody acted. `came` says what came of it, in words; `refused` that nothing did.
    Action { text: Box<str>, by: By, came: Box<str>, refused: bool },
    /// Time was stopped.
    Stopped,
    /// Time goes again.
    Going,
    /// Lab seconds in a second of the wall clock.
    Speed { x: f64 },
    /// The lab clock was moved on, and now stands at this event's time.
    Jumped { by: Span },
    /// Somebody set a mark.
    Marked { text: Box<str> },
    /// A step of a lab was reached: what it says, which may be nothing. `pause` asks that time stand for it where
    /// somebody looks on. Steps are numbered from 1.
    Said { step: u32, text: Box<str>, pause: bool },
    /// A step of a lab asks for a prediction.
    Asked { step: u32, text: Box<str> },
    /// Somebody answered the question of a step.
    Answered { step: u32, text: Box<str> },
    /// SQL counted the rows.
    Audited { counts: RowCounts },
    /// An invariant did not hold.
    Violated { text: Box<str> },
    /// The stream has ended, nothing waits, is leased or unprotected, and no delivery works.
    Drained,
    /// Nothing is scheduled that could move what is unsettled.
    Stuck { why: Box<str> },
    /// The run is over; `counts` is the last audit, if it could be made.
    Finished { how: Finish, counts: Option<Box<FinalCounts>> },

    /// A job arrived; it may be handed out from `due` on.
    Enqueued { j: Job, key: OrderKey, due: Instant, poison: Option<Poison> },
    /// A lease ran out.
    Expired { w: Worker, j: Job, k: Token },
    /// A lease was given back at the end of the run.
    Released { w: Worker, j: Job, k: Token },
    /// A job went to the DLQ.
    Dead { j: Job, reason: Reason, tries: u32, max: Option<u32> },
    /// A job came back from the DLQ with a fresh budget.
    Redriven { j: Job },
    /// The head of a key was dead-lettered and the key goes on without it.
    Gap { key: OrderKey, j: Job },
    /// An older job overwrote a newer one's value.
    Overtaken { key: OrderKey, j: Job },
    /// An older job's value was refused.
    Outdated { key: OrderKey, j: Job },

    /// A job was handed out.
    Claimed { w: Worker, j: Job, n: u32, k: Token, deadline: Instant, lease: Span, work: Span },
    /// A lease was moved on.
    Renewed { w: Worker, k: Token, deadline: Instant },
    /// A renewal was lost on its way.
    BeatLost { w: Worker, k: Token },
    /// A renewal was refused: the lease is not live.
    RenewalStale { w: Worker, k: Token },
    /// The queue forgot the job.
    Acked { w: Worker, j: Job, k: Token },
    /// An ack was lost on its way.
    AckLost { w: Worker, j: Job, k: Token },
    /// An ack was refused: the lease is not live.
    AckStale { w: Worker, j: Job, k: Token },
    /// A second ack of the delivery that settled the job.
    AckRepeated { w: Worker, j: Job, k: Token },
    /// A delivery failed; its job is ready again at `until`, or dead if there is none.
    Nacked { w: Worker, j: Job, k: Token, until: Option<Instant>, words: Box<str> },
    /// A nack was refused: the lease is not live.
    NackStale { w: Worker, j: Job, k: Token },
    /// A delivery is over; each has exactly one of these.
    Ended { w: Worker, j: Job, k: Token, how: End, by: Option<By> },

    /// A worker passed a point that no other event tells.
    Stepped { w: Worker, k: Token, p: Point },

    /// An effect row is about to be committed.
    Effect { w: Worker, j: Job, k: Token, row: Row },
    /// A key, or a remembered id, is about to be committed.
    Key { w: Worker, j: Job, k: Token },
    /// The key was found.
    Recognised { w: Worker, j: Job, k: Token },
    /// The sink refused a write for its token.
    Fenced { w: Worker, j: Job, k: Token },
    /// A commit failed: what this delivery's last transaction had recorded is taken back.
    Undone { w: Worker, k: Token },
    /// The sink's answer was lost.
    ReplyLost { w: Worker, k: Token },

    /// A worker died; its slot is back at `back`, if it is to be.
    Died { w: Worker, generation: u32, by: By, back: Option<Instant> },
    /// A slot has a living worker, with an empty memory.
    Spawned { w: Worker, generation: u32 },
    /// A worker will die at a point.
    Armed { w: Worker, point: Point },
    /// It will not after all.
    Disarmed { w: Worker, point: Point },
    /// A fault began; `w` is empty for one that concerns everybody.
    Fault { w: Option<Worker>, what: Fault, factor: f64, until: Option<Instant> },
    /// A fault ended.
    Healed { w: Option<Worker>, what: Fault },
    /// A request waits at something it cannot pass; `k` is empty for a claim.
    Held { w: Worker, k: Option<Token>, what: Hold },
}

impl What {
    /// The name of the event, as recordings write it.
    pub fn name(&self) -> &'static str {
        match self {
            What::Started { .. } => "started",
            What::Policy { .. } => "policy",
            What::Action { .. } => "action",
            What::Stopped => "stopped",
            What::Going => "going",
            What::Speed { .. } => "speed",
            What::Jumped { .. } => "jumped",
            What::Marked { .. } => "marked",
            What::Said { .. } => "said",
            What::Asked { .. } => "asked",
            What::Answered { .. } => "answered",
            What::Audited { .. } => "audited",
            What::Violated { .. } => "violated",
            What::Drained => "drained",
            What::Stuck { .. } => "stuck",
            What::Finished { .. } => "finished",
            What::Enqueued { .. } => "enqueued",
            What::Expired { .. } => "expired",
            What::Released { .. } => "released",
            What::Dead { .. } => "dead",
            What::Redriven { .. } => "redriven",
            What::Gap { .. } => "gap",
            What::Overtaken { .. } => "overtaken",
            What::Outdated { .. } => "outdated",
            What::Claimed { .. } => "claimed",
            What::Renewed { .. } => "renewed",
            What::BeatLost { .. } => "beat_lost",
            What::RenewalStale { .. } => "renewal_stale",
            What::Acked { .. } => "acked",
            What::AckLost { .. } => "ack_lost",
            What::AckStale { .. } => "ack_stale",
            What::AckRepeated { .. } => "ack_repeated",
            What::Nacked { .. } => "nacked",
            What::NackStale { .. } => "nack_stale",
            What::Ended { .. } => "ended",
            What::Stepped { .. } => "stepped",
            What::Effect { .. } => "effect",
            What::Key { .. } => "key",
            What::Recognised { .. } => "recognised",
            What::Fenced { .. } => "fenced",
            What::Undone { .. } => "undone",
            What::ReplyLost { .. } => "reply_lost",
            What::Died { .. } => "died",
            What::Spawned { .. } => "spawned",
            What::Armed { .. } => "armed",
            What::Disarmed { .. } => "disarmed",
            What::Fault { .. } => "fault",
            What::Healed { .. } => "healed",
            What::Held { .. } => "held",
        }
    }

    /// The job this is about, where the event itself names one.
    pub fn job(&self) -> Option<Job> {
        match self {
            What::Enqueued { j, .. }
            | What::Expired { j, .. }
            | What::Released { j, .. }
            | What::Dead { j, .. }
            | What::Redriven { j }
            | What::Gap { j, .. }
            | What::Overtaken { j, .. }
            | What::Outdated { j, .. }
            | What::Claimed { j, .. }
            | What::Acked { j, .. }
            | What::AckLost { j, .. }
            | What::AckStale { j, .. }
            | What::AckRepeated { j, .. }
            | What::Nacked { j, .. }
            | What::NackStale { j, .. }
            | What::Ended { j, .. }
            | What::Effect { j, .. }
            | What::Key { j, .. }
            | What::Recognised { j, .. }
            | What::Fenced { j, .. } => Some(*j),
            _ => None,
        }
    }

    /// The token this is about, where there is one.
    pub fn token(&self) -> Option<Token> {
        match self {
            What::Expired { k, .. }
            | What::Released { k, .. }
            | What::Claimed { k, .. }
            | What::Renewed { k, .. }
            | What::BeatLost { k, .. }
            | What::RenewalStale { k, .. }
            | What::Acked { k, .. }
            | What::AckLost { k, .. }
            | What::AckStale { k, .. }
            | What::AckRepeated { k, .. }
            | What::Nacked { k, .. }
            | What::NackStale { k, .. }
            | What::Ended { k, .. }
            | What::Stepped { k, .. }
            | What::Effect { k, .. }
            | What::Key { k, .. }
            | What::Recognised { k, .. }
            | What::Fenced { k, .. }
            | What::Undone { k, .. }
            | What::ReplyLost { k, .. } => Some(*k),
            What::Held { k, .. } => *k,
            _ => None,
        }
    }

    /// The worker this is about, where there is one.
    pub fn worker(&self) -> Option<Worker> {
        match self {
            What::Expired { w, .. }
            | What::Released { w, .. }
            | What::Claimed { w, .. }
            | What::Renewed { w, .. }
            | What::BeatLost { w, .. }
            | What::RenewalStale { w, .. }
            | What::Acked { w, .. }
            | What::AckLost { w, .. }
            | What::AckStale { w, .. }
            | What::AckRepeated { w, .. }
            | What::Nacked { w, .. }
            | What::NackStale { w, .. }
            | What::Ended { w, .. }
            | What::Stepped { w, .. }
            | What::Effect { w, .. }
            | What::Key { w, .. }
            | What::Recognised { w, .. }
            | What::Fenced { w, .. }
            | What::Undone { w, .. }
            | What::ReplyLost { w, .. }
            | What::Died { w, .. }
            | What::Spawned { w, .. }
            | What::Armed { w, .. }
            | What::Disarmed { w, .. }
            | What::Held { w, .. } => Some(*w),
            What::Fault { w, .. } | What::Healed { w, .. } => *w,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_small_since_a_run_of_a_million_jobs_has_six_million() {
        assert!(size_of::<Event>() <= 72, "an event has {} bytes", size_of::<Event>());
    }

    #[test]
    fn an_event_survives_being_written_as_a_line() {
        let event = Event {
            at: Instant(7),
            what: What::Ended {
                w: Worker(2),
                j: Job(43),
                k: Token(46),
                how: End::Crashed(Spot::After(Point::Effect)),
                by: Some(By::Operator),
            },
        };
        let line = serde_json::to_string(&event).expect("writes");
        assert_eq!(event.what.name(), "ended");
        assert!(line.starts_with(r#"{"at":7,"e":"ended","w":2,"j":43,"k":46,"#), "{line}");
        assert_eq!(serde_json::from_str::<Event>(&line).expect("reads"), event);
    }
}
