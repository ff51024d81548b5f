//! The timeline's material: a lane of bars and marks for each worker, and the captions above them.
//!
//! Lanes are bounded; the oldest is forgotten first. Which mark wins a cell is for whoever draws.

use std::collections::VecDeque;

use super::view::{Bar, Lane, Mark, MarkKind, Note};
use crate::ids::{Token, Worker};
use crate::time::Instant;

const MOST_BARS: usize = 2_000;
const MOST_MARKS: usize = 8_000;
const MOST_NOTES: usize = 2_000;

static EMPTY: Lane = Lane { bars: VecDeque::new(), marks: VecDeque::new() };

/// All lanes and the notes above them.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    notes: VecDeque<Note>,
}

impl Lanes {
    /// A lane for each of `workers` workers.
    pub fn new(workers: usize) -> Lanes {
        Lanes { lanes: vec![Lane::default(); workers], notes: VecDeque::new() }
    }

    /// The worker's lane; an empty one if there is no such worker.
    pub fn lane(&self, worker: Worker) -> &Lane {
        usize::from(worker.0).checked_sub(1).and_then(|index| self.lanes.get(index)).unwrap_or(&EMPTY)
    }

    /// The captions, oldest first.
    pub fn notes(&self) -> &VecDeque<Note> {
        &self.notes
    }

    /// A delivery begins.
    pub fn open(&mut self, worker: Worker, bar: Bar) {
        let bars = &mut self.lanes[worker.index()].bars;
        if bars.len() == MOST_BARS {
            bars.pop_front();
        }
        bars.push_back(bar);
    }

    /// The bar of the worker's delivery with this token, if it is still kept. Tokens grow along a lane.
    pub fn bar(&mut self, worker: Worker, token: Token) -> Option<&mut Bar> {
        let bars = &mut self.lanes[worker.index()].bars;
        if bars.back().is_some_and(|bar| bar.token == token) {
            return bars.back_mut();
        }
        let index = bars.binary_search_by_key(&token, |bar| bar.token).ok()?;
        bars.get_mut(index)
    }

    /// Sets a mark; marks stay in the order of their times.
    pub fn mark(&mut self, worker: Worker, at: Instant, kind: MarkKind, token: Option<Token>) {
        let marks = &mut self.lanes[worker.index()].marks;
        if marks.len() == MOST_MARKS {
            marks.pop_front();
        }
        let mark = Mark { at, kind, token };
        let later = marks.iter().rev().take_while(|other| other.at > at).count();
        if later == 0 {
            marks.push_back(mark);
        } else {
            marks.insert(marks.len() - later, mark);
        }
    }

    /// Takes back the newest mark of this kind and token.
    pub fn unmark(&mut self, worker: Worker, kind: MarkKind, token: Token) {
        let marks = &mut self.lanes[worker.index()].marks;
        if let Some(index) = marks.iter().rposition(|mark| mark.kind == kind && mark.token == Some(token)) {
            marks.remove(index);
        }
    }

    /// Whether the worker rests from now on; its open bar shows it.
    pub fn rest(&mut self, worker: Worker, token: Token, at: Instant, rests: bool) {
        let Some(bar) = self.bar(worker, token) else { return };
        let open = bar.rests.last().is_some_and(|(_, until)| until.is_none());
        match (open, rests) {
            (false, true) => bar.rests.push((at, None)),
            (true, false) => {
                if let Some(rest) = bar.rests.last_mut() {
                    rest.1 = Some(at);
                }
            }
            _ => {}
        }
    }

    /// Puts a caption above the lanes.
    pub fn note(&mut self, at: Instant, text: String, switch: bool) {
        if self.notes.len() == MOST_NOTES {
            self.notes.pop_front();
        }
        self.notes.push_back(Note { at, text, switch });
    }
}
