//! The run itself: what it started with, its clock, its marks and its end.

use crate::event::Finish;
use crate::request::FinalCounts;
use crate::setup::Setup;
use crate::time::{Instant, Span};

use super::view::{Line, Narrated};

/// At most this many marks, and this many lines of a lab, are kept.
const MOST_MARKS: usize = 10_000;

/// What is known of the run as a whole.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// What it started with.
    pub setup: Option<Box<Setup>>,
    /// True while time is stopped.
    pub stopped: bool,
    /// Lab seconds in a second of the wall clock.
    pub speed: f64,
    /// Lab time that was jumped over.
    pub jumped: Span,
    /// Why nothing can move, if nothing can.
    pub stuck: Option<Box<str>>,
    /// True when nothing is left to do and nothing was enqueued since.
    pub drained: bool,
    /// How often a worker waited for a lock that another program held.
    pub lock_waits: u64,
    /// How it ended, and the counts of SQL.
    pub finish: Option<(Finish, Option<Box<FinalCounts>>)>,
    /// Faults that began.
    pub faults: u64,
    /// Marks that somebody set.
    pub marks: Vec<(Instant, String)>,
    /// What the lab has said and asked, and what was answered.
    pub narration: Vec<Narrated>,
}

impl Run {
    /// A run that is yet to start.
    pub fn new() -> Run {
        Run {
            setup: None,
            stopped: false,
            speed: 1.0,
            jumped: Span::ZERO,
            stuck: None,
            drained: false,
            lock_waits: 0,
            finish: None,
            faults: 0,
            marks: Vec::new(),
            narration: Vec::new(),
        }
    }

    /// Keeps a mark.
    pub fn mark(&mut self, at: Instant, text: &str) {
        keep(&mut self.marks, (at, text.to_owned()));
    }

    /// Keeps what a step of a lab came to.
    pub fn narrate(&mut self, at: Instant, step: u32, text: &str, line: Line) {
        keep(&mut self.narration, Narrated { at, step, text: text.to_owned(), line });
    }
}

fn keep<T>(list: &mut Vec<T>, one: T) {
    if list.len() == MOST_MARKS {
        list.remove(0);
    }
    list.push(one);
}
