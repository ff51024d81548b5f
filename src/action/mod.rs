//! What an operator can do: one grammar for keys, the palette, lab files and recordings.
//!
//! Nothing toggles here: a key that heals writes `heal`. [`parse`] reads what [`Action`]'s `Display` writes, and
//! [`VERBS`] lists the grammar for palettes and help. Whether an action is possible *now* (whether the worker exists,
//! whether the policy has the point) is for whoever performs it to say.

mod parse;
mod verbs;

use std::fmt;

pub use parse::{ParseError, parse};
pub use verbs::{VERBS, Verb};

use crate::event::Fault;
use crate::ids::{Job, Worker};
use crate::policy::{Point, Setting, named};
use crate::setup::{Poison, Rate};
use crate::time::Span;

/// Whom an action concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    /// This worker.
    Worker(Worker),
    /// One of the living workers, drawn from the seed and the number of the action.
    Random,
    /// Every worker.
    All,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::Worker(worker) => worker.fmt(f),
            Who::Random => f.write_str("random"),
            Who::All => f.write_str("all"),
        }
    }
}

named! {
    /// A link between a worker and the rest.
    Link {
        /// To the queue: claims, renewals, acks.
        Queue = "queue",
        /// To the sink: transactions.
        Sink = "sink",
    }
}

impl Link {
    /// The fault that cuts this link.
    pub fn fault(self) -> Fault {
        match self {
            Link::Queue => Fault::CutQueue,
            Link::Sink => Fault::CutSink,
        }
    }
}

named! {
    /// Messages that can be lost on their way.
    Message {
        /// Renewals.
        Beats = "beats",
        /// Acks on their way to the queue.
        Acks = "acks",
        /// The sink's answers after its commit.
        Replies = "replies",
    }
}

impl Message {
    /// The fault that loses these messages.
    pub fn fault(self) -> Fault {
        match self {
            Message::Beats => Fault::LoseBeats,
            Message::Acks => Fault::LoseAcks,
            Message::Replies => Fault::LoseReplies,
        }
    }
}

/// Which dead letters are redriven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Letters {
    /// This one.
    One(Job),
    /// All of them.
    All,
}

/// Something an operator does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Kill now, or when the worker passes a point.
    Kill(Who, Option<Point>),
    /// Take an armed kill back.
    Disarm(Who),
    /// Stop renewals.
    Stall(Who, Option<Span>),
    /// Put to sleep: work and renewals stop.
    Pause(Who, Option<Span>),
    /// Stop the work only, now or at the next one.
    Hang(Who, Option<Span>),
    /// Cut a link.
    Cut(Who, Link, Option<Span>),
    /// Make work take this many times as long, 1 to 1000.
    Slow(Who, f64, Option<Span>),
    /// Lose messages with this probability.
    Lose(Message, Rate),
    /// End a fault, or all faults of a worker.
    Heal(Who, Option<Fault>),
    /// Bring a dead worker back now.
    Restart(Who),
    /// Add jobs, 1 to 1,000,000.
    Enqueue(u32),
    /// Add a poisonous job.
    Poison(Poison),
    /// Put dead letters back.
    Redrive(Letters),
    /// Change a setting.
    Set(Setting),
    /// Stop time.
    Stop,
    /// Let time go.
    Go,
    /// With time stopped: let the worker that stands longest at a gap pass it, else move to the next moment.
    Step,
    /// Set the speed, 0.1 to 100.
    Speed(f64),
    /// Move the clock to the next moment at which anything is due.
    Jump,
    /// Set a mark.
    Mark(String),
    /// Answer the question that a step of a lab asks; steps are numbered from 1.
    Answer(u32, String),
}

impl Action {
    /// Whom it concerns, if it is about workers.
    pub fn target(&self) -> Option<Who> {
        match self {
            Action::Kill(who, _) | Action::Stall(who, _) | Action::Pause(who, _) | Action::Hang(who, _) => Some(*who),
            Action::Cut(who, ..) | Action::Slow(who, ..) | Action::Heal(who, _) => Some(*who),
            Action::Disarm(who) | Action::Restart(who) => Some(*who),
            _ => None,
        }
    }

    /// The same fault at somebody else; anything else as it is.
    pub fn aimed_at(self, who: Who) -> Action {
        match self {
            Action::Kill(_, at) => Action::Kill(who, at),
            Action::Stall(_, span) => Action::Stall(who, span),
            Action::Pause(_, span) => Action::Pause(who, span),
            Action::Hang(_, span) => Action::Hang(who, span),
            Action::Cut(_, link, span) => Action::Cut(who, link, span),
            Action::Slow(_, factor, span) => Action::Slow(who, factor, span),
            other => other,
        }
    }

    /// True for what changes only how time goes.
    pub fn paces(&self) -> bool {
        matches!(self, Action::Stop | Action::Go | Action::Step | Action::Speed(_) | Action::Jump)
    }

    /// True for what changes what becomes of jobs; the rest changes how time goes, or is a note.
    pub fn interferes(&self) -> bool {
        !self.paces() && !matches!(self, Action::Mark(_) | Action::Answer(..))
    }
}

impl fmt::Display for Action {
    /// The action as the grammar writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lasting = |span: &Option<Span>| span.map(|d| format!(" for {d}")).unwrap_or_default();
        match self {
            Action::Kill(who, None) => write!(f, "kill {who}"),
            Action::Kill(who, Some(point)) => write!(f, "kill {who} at {point}"),
            Action::Disarm(who) => write!(f, "disarm {who}"),
            Action::Stall(who, span) => write!(f, "stall {who}{}", lasting(span)),
            Action::Pause(who, span) => write!(f, "pause {who}{}", lasting(span)),
            Action::Hang(who, span) => write!(f, "hang {who}{}", lasting(span)),
            Action::Cut(who, link, span) => write!(f, "cut {who} {link}{}", lasting(span)),
            Action::Slow(who, factor, span) => write!(f, "slow {who} x{factor}{}", lasting(span)),
            Action::Lose(message, rate) => write!(f, "lose {message} {rate}"),
            Action::Heal(who, None) => write!(f, "heal {who}"),
            Action::Heal(who, Some(fault)) => write!(f, "heal {who} {fault}"),
            Action::Restart(who) => write!(f, "restart {who}"),
            Action::Enqueue(n) => write!(f, "enqueue {n}"),
            Action::Poison(how) => write!(f, "poison {how}"),
            Action::Redrive(Letters::One(job)) => write!(f, "redrive {job}"),
            Action::Redrive(Letters::All) => f.write_str("redrive all"),
            Action::Set(setting) => setting.fmt(f),
            Action::Stop => f.write_str("stop"),
            Action::Go => f.write_str("go"),
            Action::Step => f.write_str("step"),
            Action::Speed(x) => write!(f, "speed {x}"),
            Action::Jump => f.write_str("jump"),
            Action::Mark(text) => write!(f, "mark {text}"),
            Action::Answer(step, text) => write!(f, "answer {step} {text}"),
        }
    }
}
