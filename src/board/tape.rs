//! A tape: the events of a run with the board of any moment of it.
//!
//! What is shown is the fold of the first n events, and n can go back as well as on. Going back folds from the nearest
//! snapshot before; snapshots thin out as the tape grows, and the oldest events go when it is longer than it may be, so
//! memory stays bounded.

use std::collections::VecDeque;

use super::{Board, Snapshots};
use crate::event::Event;
use crate::time::Instant;

/// The most events that are kept; older ones cannot be gone back to.
const MOST_EVENTS: usize = 1 << 20;
/// The distance of its first snapshots, unless it is shorter than that.
const FIRST_DISTANCE: usize = 1_024;

/// The events of a run, and the board of those that are shown.
#[derive(Clone, Debug)]
pub struct Tape {
    /// The events behind the first snapshot.
    events: VecDeque<Event>,
    /// How many events are shown, the dropped ones included.
    shown: usize,
    board: Board,
    /// The first is the one before everything that is kept.
    snapshots: Snapshots,
    limit: usize,
}

impl Default for Tape {
    fn default() -> Tape {
        Tape::of_at_most(MOST_EVENTS)
    }
}

impl Tape {
    /// An empty tape that keeps at most so many events.
    pub fn of_at_most(limit: usize) -> Tape {
        Tape {
            events: VecDeque::new(),
            shown: 0,
            board: Board::new(),
            snapshots: Snapshots::every(FIRST_DISTANCE.min(limit / 4)),
            limit,
        }
    }

    /// Puts events behind the last. What is shown stays.
    pub fn push(&mut self, events: impl IntoIterator<Item = Event>) {
        self.events.extend(events);
    }

    /// How many events there are, those that were dropped included.
    pub fn len(&self) -> usize {
        self.least() + self.events.len()
    }

    /// True when nothing has happened yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many events are shown.
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// True when all there is is shown.
    pub fn at_end(&self) -> bool {
        self.shown == self.len()
    }

    /// The fold of the events that are shown.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The events that are shown, as far as they are kept.
    pub fn shown_events(&self) -> impl DoubleEndedIterator<Item = &Event> + ExactSizeIterator {
        self.events.iter().take(self.shown - self.least())
    }

    /// The event with this number, counted from 0 at the start of the run, if it is kept.
    pub fn event(&self, number: usize) -> Option<&Event> {
        number.checked_sub(self.least()).and_then(|place| self.events.get(place))
    }

    /// How many of the kept events happened by `at`, the dropped ones included.
    pub fn until(&self, at: Instant) -> usize {
        self.least() + self.events.partition_point(|event| event.at <= at)
    }

    /// The least number of events that can be shown.
    pub fn least(&self) -> usize {
        self.snapshots.least()
    }

    /// Shows all there is.
    pub fn follow(&mut self) {
        self.fold_to(self.len());
        self.drop_old();
    }

    /// Shows the first `n` events, or as near to that as there are events kept.
    pub fn show(&mut self, n: usize) {
        let n = n.clamp(self.least(), self.len());
        if n < self.shown {
            let (at, board) = self.snapshots.before(n);
            (self.shown, self.board) = (at, board.clone());
        }
        self.fold_to(n);
    }

    /// Forgets what is not shown, so that other events can follow.
    pub fn cut(&mut self) {
        self.events.truncate(self.shown - self.least());
        self.snapshots.cut(self.shown);
    }

    fn fold_to(&mut self, n: usize) {
        while self.shown < n {
            let place = self.shown - self.least();
            self.board.fold(&self.events[place]);
            self.shown += 1;
            self.snapshots.offer(self.shown, &self.board);
        }
    }

    /// Drops the oldest events, up to a snapshot that what is left can be folded from.
    fn drop_old(&mut self) {
        loop {
            let before = self.least();
            if self.events.len() <= self.limit || !self.snapshots.drop_oldest() {
                break;
            }
            self.events.drain(..self.least() - before);
        }
    }
}
