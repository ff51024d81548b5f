//! What held over time: the lines of a lane, one for each cell, from its deliveries.
//!
//! Three lines are the whole subject: lease and work, lease without work, work without lease. Marks and labels are
//! drawn over them elsewhere.

use std::collections::VecDeque;

use super::window::Window;
use crate::board::Bar;
use crate::time::Instant;

/// How many deliveries before the window are looked at. Only the lease of a dead worker outlives the deliveries after
/// it on its lane; one that outlived this many is left out, so that drawing never walks the whole history.
const LINGERING: usize = 64;

/// What held for a delivery at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A lease, and somebody at work.
    Work,
    /// A lease, and nobody at work.
    Rest,
    /// Work without the lease it began with.
    Zombie,
    /// Work that was acked first.
    Unprotected,
}

/// What held for `bar` at `at`; `None` when it had neither lease nor work.
pub fn state(bar: &Bar, at: Instant) -> Option<Line> {
    let leased = bar.lease_until.is_none_or(|over| at < over);
    let resting = bar.rests.iter().any(|(from, to)| *from <= at && to.is_none_or(|to| at < to));
    let working = bar.ended.is_none_or(|ended| at < ended) && !resting;
    match (leased, working) {
        (true, true) => Some(Line::Work),
        (true, false) => Some(Line::Rest),
        (false, true) if bar.acked_first => Some(Line::Unprotected),
        (false, true) => Some(Line::Zombie),
        (false, false) => None,
    }
}

/// The deliveries that may show in `window`, oldest first.
pub fn shown<'a>(bars: &'a VecDeque<Bar>, window: &Window) -> impl Iterator<Item = &'a Bar> + use<'a> {
    let start = window.start;
    let from = bars.partition_point(|bar| bar.from < start).saturating_sub(LINGERING);
    let to = bars.partition_point(|bar| bar.from < window.end());
    bars.range(from.min(to)..to).filter(move |bar| bar.from >= start || end(bar).is_none_or(|end| end > start))
}

/// The last instant at which `bar` shows; `None` while it still has a lease or works.
pub fn end(bar: &Bar) -> Option<Instant> {
    Some(bar.ended?.max(bar.lease_until?))
}

/// Calls `draw` with every column in which `bar` shows and its line there: the state at the cell's middle, and always
/// something in its first cell. Nothing is drawn right of now.
pub fn each_cell(bar: &Bar, window: &Window, mut draw: impl FnMut(usize, Line)) {
    let first = window.place(bar.from);
    let until = end(bar).unwrap_or(window.now).min(window.now);
    let last = window.place(until).max(first).min(window.columns as i64 - 1);
    for place in first.max(0)..=last {
        let Some(column) = window.visible(place) else { return };
        let middle = window.middle(column).max(bar.from);
        let line = if place == first {
            state(bar, middle).or_else(|| state(bar, bar.from)).or(Some(Line::Work))
        } else {
            state(bar, middle)
        };
        if let Some(line) = line {
            draw(column, line);
        }
    }
}
