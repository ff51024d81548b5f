//! Boards of earlier moments of a run, so that going back does not fold from the start.
//!
//! They thin out as the run grows: there are never more than a few, and each span between two is about as long as the
//! next.

use std::collections::VecDeque;

use super::Board;

/// The most snapshots that are kept. When there are more, every second one goes.
const MOST: usize = 16;
/// The distance of the first snapshots, in events.
const FIRST_DISTANCE: usize = 1_024;

/// Boards after so many events, oldest first.
#[derive(Clone, Debug)]
pub struct Snapshots {
    /// The first is the one that everything later can be folded from.
    kept: VecDeque<(usize, Board)>,
    /// The least distance of two.
    distance: usize,
}

impl Default for Snapshots {
    fn default() -> Snapshots {
        Snapshots::every(FIRST_DISTANCE)
    }
}

impl Snapshots {
    /// None but the empty board at the start; the next ones at least so many events apart.
    pub fn every(distance: usize) -> Snapshots {
        Snapshots { kept: VecDeque::from([(0, Board::new())]), distance: distance.max(1) }
    }

    /// Takes a snapshot of `board`, which has folded the first `events` of the run, if it is time for one.
    pub fn offer(&mut self, events: usize, board: &Board) {
        let last = self.kept.back().map_or(0, |(at, _)| *at);
        if events >= last + self.distance {
            self.kept.push_back((events, board.clone()));
            self.thin_out();
        }
    }

    /// The latest board that has folded at most `events` of the run, and how many it has.
    pub fn before(&self, events: usize) -> (usize, &Board) {
        let place = self.kept.iter().rposition(|(at, _)| *at <= events).unwrap_or(0);
        (self.kept[place].0, &self.kept[place].1)
    }

    /// The least number of events that can be gone back to.
    pub fn least(&self) -> usize {
        self.kept.front().map_or(0, |(at, _)| *at)
    }

    /// Forgets those that have folded more than `events`.
    pub fn cut(&mut self, events: usize) {
        self.kept.retain(|(at, _)| *at <= events);
    }

    /// Forgets the oldest, so that what came before the next cannot be gone back to. False when it is the only one.
    pub fn drop_oldest(&mut self) -> bool {
        self.kept.len() > 1 && self.kept.pop_front().is_some()
    }

    fn thin_out(&mut self) {
        if self.kept.len() > MOST {
            self.distance *= 2;
            let mut place = 0;
            self.kept.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
    }
}
