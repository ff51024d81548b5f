//! Where the marks of a lane sit: each in its own cell or, when that is taken, in the next free one to the right.
//!
//! Marks keep their order. A mark moves three cells at most; what does not fit in those folds into one sign, for which
//! the cursor lists the exact times. A mark that another one of its delivery stands for in the same cell is swallowed.

use std::collections::VecDeque;

use super::window::Window;
use crate::board::{Mark, MarkKind};
use crate::time::{Instant, Span};

/// How far right of its own cell a mark may sit.
const REACH: i64 = 3;

/// How many cells before the window are seated with it, so that a crowd does not shift when it scrolls out.
const LEAD: u64 = 8;

/// How many marks after a key are searched for the ack that makes it not worth showing.
const ACK_SEARCH: usize = 32;

/// A mark and the place at which it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The place, counted from the window's first column; negative for what scrolled out.
    pub place: i64,
    /// The mark.
    pub mark: Mark,
    /// True if it shares the place with others under one sign.
    pub folded: bool,
}

/// Who wins a cell: the lower, the stronger.
pub fn rank(kind: MarkKind) -> u8 {
    match kind {
        _ if kind.is_anomaly() => 0,
        _ if kind.is_mine() => 1,
        _ => 2,
    }
}

/// Seats the marks of `window` that `shows` lets through, in their order. Renewals are not seated: they never move.
pub fn seats(marks: &VecDeque<Mark>, window: &Window, shows: impl Fn(MarkKind) -> bool) -> Vec<Seat> {
    let lead = window.start - Span(window.cell.0.max(1).saturating_mul(LEAD));
    let (from, to) = between(marks, lead, window.end());
    let mut seats = Vec::new();
    let mut crowd: Vec<Mark> = Vec::new();
    let mut here = i64::MIN;
    for (index, mark) in (from..to).zip(marks.range(from..to)) {
        if mark.kind == MarkKind::Renewed || !shows(mark.kind) || is_idle_key(marks, index) {
            continue;
        }
        let place = window.place(mark.at);
        if place != here {
            seat(&mut crowd, here, window, &mut seats);
            here = place;
        }
        crowd.push(*mark);
    }
    seat(&mut crowd, here, window, &mut seats);
    seats
}

/// The places in `marks` of those from `from` on and before `to`.
pub fn between(marks: &VecDeque<Mark>, from: Instant, to: Instant) -> (usize, usize) {
    let first = marks.partition_point(|mark| mark.at < from);
    (first, marks.partition_point(|mark| mark.at < to).max(first))
}

/// True for a key whose delivery came to its ack, accepted, refused or not heard: that tells the key too.
fn is_idle_key(marks: &VecDeque<Mark>, index: usize) -> bool {
    let key = marks[index];
    let later = (index + 1)..(index + 1 + ACK_SEARCH).min(marks.len());
    let is_ack = |kind| matches!(kind, MarkKind::Acked | MarkKind::Stale | MarkKind::Unheard);
    key.kind == MarkKind::Key && marks.range(later).any(|mark| is_ack(mark.kind) && mark.token == key.token)
}

/// True if another mark of the crowd tells of the same delivery what `mark` would.
fn is_swallowed(mark: &Mark, crowd: &[Mark]) -> bool {
    let has = |kind| crowd.iter().any(|other| other.kind == kind && other.token == mark.token);
    mark.token.is_some()
        && match mark.kind {
            MarkKind::Effect => has(MarkKind::Acked),
            MarkKind::Acked => has(MarkKind::Recognised) || has(MarkKind::EffectAgain),
            _ => false,
        }
}

/// Seats the marks of one cell behind those that sit already, and empties the crowd.
fn seat(crowd: &mut Vec<Mark>, here: i64, window: &Window, seats: &mut Vec<Seat>) {
    if crowd.is_empty() {
        return;
    }
    if crowd.len() > 1 {
        let all = crowd.clone();
        crowd.retain(|mark| !is_swallowed(mark, &all));
    }
    let free = seats.last().map_or(here, |last| here.max(last.place + 1));
    let beyond = (here.saturating_add(REACH + 1)).min(window.columns as i64);
    let room = usize::try_from(beyond - free).unwrap_or(0);
    match room {
        _ if crowd.len() <= room => {
            let places = free..;
            seats.extend(places.zip(crowd.drain(..)).map(|(place, mark)| Seat { place, mark, folded: false }));
        }
        0 => fold_into_last(crowd, seats),
        _ => fold(crowd, free, room, seats),
    }
}

/// Only at the right edge is there no cell at all; the crowd joins its neighbour there.
fn fold_into_last(crowd: &mut Vec<Mark>, seats: &mut Vec<Seat>) {
    if let Some(last) = seats.last_mut() {
        last.folded = true;
        let place = last.place;
        seats.extend(crowd.drain(..).map(|mark| Seat { place, mark, folded: true }));
    }
    crowd.clear();
}

/// Draws as many as there is room for beside the sign, the strongest first, and folds the rest.
fn fold(crowd: &mut Vec<Mark>, free: i64, room: usize, seats: &mut Vec<Seat>) {
    let mut order: Vec<usize> = (0..crowd.len()).collect();
    order.sort_by_key(|index| rank(crowd[*index].kind));
    let (drawn, folded) = order.split_at_mut(room - 1);
    drawn.sort_unstable();
    folded.sort_unstable();
    let sign = free + room as i64 - 1;
    seats.extend((free..).zip(drawn.iter()).map(|(place, index)| Seat { place, mark: crowd[*index], folded: false }));
    seats.extend(folded.iter().map(|index| Seat { place: sign, mark: crowd[*index], folded: true }));
    crowd.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::timeline::fixture::{Writer, marks, window};

    fn drawn(marks: &VecDeque<Mark>, columns: usize) -> String {
        let mut row = vec![' '; columns];
        for seat in seats(marks, &window(0.0, columns, 99.0), |_| true) {
            if let Ok(column) = usize::try_from(seat.place) {
                row[column] = if seat.folded { '+' } else { seat.mark.kind.name().chars().next().expect("a letter") };
            }
        }
        row.into_iter().collect()
    }

    #[test]
    fn a_mark_moves_right_to_the_next_free_cell_and_keeps_its_order() {
        use MarkKind::{Effect, Failed, Kill, Stale};
        let close = marks(&[(0.30, Effect), (0.31, Stale), (0.55, Kill), (0.80, Failed)]);
        assert_eq!(drawn(&close, 8), " ESxN   ");
    }

    #[test]
    fn past_three_cells_the_rest_folds_and_the_strongest_stay() {
        use MarkKind::{Effect, EffectAgain, Kill, Unheard};
        let four = marks(&[(0.1, Unheard), (0.11, Effect), (0.12, EffectAgain), (0.13, Kill)]);
        assert_eq!(drawn(&four, 8), "?E#x    ");
        let six = marks(&[
            (0.1, Unheard),
            (0.11, Effect),
            (0.12, EffectAgain),
            (0.13, Unheard),
            (0.14, Kill),
            (0.15, Unheard),
            (0.30, Effect),
        ]);
        assert_eq!(drawn(&six, 8), "?#x+E   ");
    }

    #[test]
    fn at_the_right_edge_a_crowd_joins_its_neighbour() {
        use MarkKind::{Effect, Failed, Kill};
        assert_eq!(drawn(&marks(&[(0.6, Kill), (0.61, Effect), (0.8, Failed)]), 4), "  x+");
    }

    #[test]
    fn an_ack_stands_for_its_effect_only_within_a_cell() {
        let fast = Writer::default().claim(0.1, 5, 1).mark(0.6, MarkKind::Effect).ack(0.7).lane();
        assert_eq!(drawn(&fast.marks, 6), "  A   ");
        let slow = Writer::default().claim(0.1, 5, 1).mark(0.6, MarkKind::Effect).ack(0.8).lane();
        assert_eq!(drawn(&slow.marks, 6), "  EA  ");
    }

    #[test]
    fn an_ack_never_stands_for_the_effect_of_another_delivery() {
        let mut lane =
            Writer::default().claim(0.1, 5, 1).mark(0.6, MarkKind::Effect).claim(0.61, 6, 1).ack(0.62).lane();
        assert_eq!(drawn(&lane.marks, 6), "  EA  ");
        lane.marks.iter_mut().for_each(|mark| mark.token = None);
        assert_eq!(drawn(&lane.marks, 6), "  EA  ", "nor for one that belongs to no delivery");
    }

    #[test]
    fn a_key_shows_only_when_its_delivery_never_came_to_an_ack() {
        let applied =
            Writer::default().claim(0.1, 5, 1).mark(0.6, MarkKind::Effect).mark(0.7, MarkKind::Key).ack(5.0).lane();
        assert_eq!(drawn(&applied.marks, 6), "  E   ");
        let died = Writer::default()
            .claim(0.1, 5, 1)
            .mark(0.6, MarkKind::Effect)
            .mark(0.7, MarkKind::Key)
            .kill(0.7)
            .claim(1.1, 6, 1)
            .ack(1.2)
            .lane();
        assert_eq!(drawn(&died.marks, 6), "  EKxA");
    }

    #[test]
    fn a_crowd_that_scrolls_out_does_not_shift_those_behind_it() {
        use MarkKind::{Effect, Kill, Stale};
        let crowd = marks(&[(0.1, Effect), (0.11, Stale), (0.12, Kill), (0.30, Effect), (0.6, Stale)]);
        let whole = drawn(&crowd, 8);
        assert_eq!(whole, "ESxES   ");
        let scrolled = seats(&crowd, &window(0.5, 6, 99.0), |_| true);
        let seen: Vec<i64> = scrolled.iter().map(|seat| seat.place).filter(|place| *place >= 0).collect();
        assert_eq!(seen, [0, 1, 2]);
    }
}
