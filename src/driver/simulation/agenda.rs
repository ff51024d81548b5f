//! Whose turn comes when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::time::Instant;

/// The turns to come: in order of time, and at one instant in the order in which they were put down.
#[derive(Default)]
pub(super) struct Agenda {
    heap: BinaryHeap<Reverse<(Instant, u64, usize)>>,
    sequence: u64,
}

impl Agenda {
    /// Gives `actor` a turn at `at`.
    pub(super) fn put(&mut self, at: Instant, actor: usize) {
        self.heap.push(Reverse((at, self.sequence, actor)));
        self.sequence += 1;
    }

    /// Takes out the actor whose turn is next.
    pub(super) fn pop(&mut self) -> Option<usize> {
        self.heap.pop().map(|Reverse((.., actor))| actor)
    }

    /// When the next turn is.
    pub(super) fn next(&self) -> Instant {
        self.heap.peek().map_or(Instant::NEVER, |Reverse((at, ..))| *at)
    }
}
