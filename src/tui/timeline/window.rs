//! The piece of time that a timeline shows, cut into cells.
//!
//! Everything that turns an instant into a column goes through here, so that lanes, axis, captions and cursor cannot
//! disagree. Nothing here knows what is drawn.

use crate::time::{Instant, Span};

/// A stretch of lab time, one cell a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first instant of the first cell.
    pub start: Instant,
    /// How long a cell is.
    pub cell: Span,
    /// How many cells there are.
    pub columns: usize,
    /// The moment that is now, inside the window or not.
    pub now: Instant,
}

impl Window {
    fn nanos(&self) -> u64 {
        self.cell.0.max(1)
    }

    /// The instant after the last cell.
    pub fn end(&self) -> Instant {
        self.start_of(self.columns)
    }

    /// The first instant of the cell at `column`.
    pub fn start_of(&self, column: usize) -> Instant {
        self.start + Span(self.nanos().saturating_mul(column as u64))
    }

    /// The middle of the cell at `column`.
    pub fn middle(&self, column: usize) -> Instant {
        self.start_of(column) + Span(self.nanos() / 2)
    }

    /// The place of the cell that holds `at`, counted from the first column; negative before the window.
    pub fn place(&self, at: Instant) -> i64 {
        let cells = |nanos: u64| i64::try_from(nanos).unwrap_or(i64::MAX);
        if at >= self.start {
            cells(at.since(self.start).0 / self.nanos())
        } else {
            -cells(self.start.since(at).0.div_ceil(self.nanos()))
        }
    }

    /// The column that holds `at`, if the window does.
    pub fn column(&self, at: Instant) -> Option<usize> {
        self.visible(self.place(at))
    }

    /// The column at `place`, if it is inside the window.
    pub fn visible(&self, place: i64) -> Option<usize> {
        usize::try_from(place).ok().filter(|column| *column < self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window { start: Instant(26_000), cell: Span(250), columns: 74, now: Instant(40_300) };

    #[test]
    fn a_cell_holds_its_first_instant_and_not_that_of_the_next() {
        assert_eq!(WINDOW.column(Instant(26_000)), Some(0));
        assert_eq!(WINDOW.column(Instant(26_249)), Some(0));
        assert_eq!(WINDOW.column(Instant(26_250)), Some(1));
        assert_eq!(WINDOW.column(WINDOW.now), Some(57));
        assert_eq!(WINDOW.column(WINDOW.end()), None);
        assert_eq!(WINDOW.place(WINDOW.end()), 74);
    }

    #[test]
    fn places_before_the_window_count_down_from_it() {
        assert_eq!(WINDOW.place(Instant(25_999)), -1);
        assert_eq!(WINDOW.place(Instant(25_750)), -1);
        assert_eq!(WINDOW.place(Instant(25_749)), -2);
        assert_eq!(WINDOW.column(Instant(25_999)), None);
    }

    #[test]
    fn the_farthest_times_have_a_place_too() {
        assert!(WINDOW.place(Instant::NEVER) > 74);
        let tiny = Window { start: Instant::NEVER, cell: Span(0), columns: 3, now: Instant::START };
        assert!(tiny.place(Instant::START) < 0);
        assert_eq!(tiny.end(), Instant::NEVER);
    }
}
