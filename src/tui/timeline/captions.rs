//! The row above the lanes: what was done and when, each in words above its column.

use std::collections::VecDeque;

use unicode_width::UnicodeWidthChar;

use super::axis::Piece;
use super::window::Window;
use crate::board::Note;
use crate::text::clean;
use crate::time::Instant;
use crate::tui::fit::cut;
use crate::tui::theme::Role;

/// Blanks between two captions that would touch.
const APART: usize = 3;

/// How far right of its column a caption may begin; one that would be farther is left out.
const REACH: usize = 16;

/// The longest caption, in cells: what somebody wrote leaves room for what was done.
const LONGEST: usize = 24;

/// The captions of `window`, from left to right. A caption begins above its column, or right of the one before it.
pub fn pieces(notes: &VecDeque<Note>, marks: &[(Instant, String)], window: &Window) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut free = 0;
    for (at, text, role) in in_order(notes, marks, window) {
        let Some(own) = window.column(at) else { continue };
        let column = own.max(free);
        if column > own + REACH || column >= window.columns {
            continue;
        }
        let text = fitted(text, LONGEST.min(window.columns - column));
        if text.is_empty() {
            continue;
        }
        free = column + text.chars().count() + APART;
        pieces.push(Piece { column, text, role });
    }
    pieces
}

/// Notes and set marks of the window by time.
fn in_order<'a>(
    notes: &'a VecDeque<Note>,
    marks: &'a [(Instant, String)],
    window: &Window,
) -> Vec<(Instant, &'a str, Role)> {
    let set_from = marks.partition_point(|(at, _)| *at < window.start);
    let set_to = marks.partition_point(|(at, _)| *at < window.end()).max(set_from);
    let mut all: Vec<_> = within(notes, window).map(|note| (note.at, note.text.as_str(), Role::Text)).collect();
    all.extend(marks[set_from..set_to].iter().map(|(at, text)| (*at, text.as_str(), Role::Accent)));
    all.sort_by_key(|(at, _, _)| *at);
    all
}

/// The notes of `window`, oldest first.
pub fn within<'a>(notes: &'a VecDeque<Note>, window: &Window) -> impl Iterator<Item = &'a Note> + use<'a> {
    let from = notes.partition_point(|note| note.at < window.start);
    let to = notes.partition_point(|note| note.at < window.end()).max(from);
    notes.range(from..to)
}

/// The columns of the policy switches in `window`.
pub fn switches(notes: &VecDeque<Note>, window: &Window) -> Vec<usize> {
    within(notes, window).filter(|note| note.switch).filter_map(|note| window.column(note.at)).collect()
}

/// `text` in at most `width` cells, one a character: what is cut ends in `~`, what has no width is dropped, and what is
/// wider than a cell is shown as `?`.
pub fn fitted(text: &str, width: usize) -> String {
    let cell = |letter: char| match letter.width() {
        None | Some(0) => None,
        Some(1) => Some(letter),
        Some(_) => Some('?'),
    };
    let cells: String = clean(text).chars().filter_map(cell).collect();
    cut(&cells, width).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;

    const WINDOW: Window = Window { start: Instant(0), cell: Span(1), columns: 40, now: Instant(30) };

    fn note(at: u64, text: &str) -> Note {
        Note { at: Instant(at), text: text.to_owned(), switch: text.contains("fence") }
    }

    fn drawn(notes: &[Note], marks: &[(Instant, String)]) -> String {
        let mut row = vec![' '; WINDOW.columns];
        for piece in pieces(&notes.iter().cloned().collect(), marks, &WINDOW) {
            for (offset, letter) in piece.text.chars().enumerate() {
                row[piece.column + offset] = letter;
            }
        }
        row.into_iter().collect()
    }

    #[test]
    fn a_caption_begins_above_its_column_or_right_of_the_one_before_it() {
        assert_eq!(
            drawn(&[note(3, "s w2"), note(15, "fence on"), note(24, "p w3")], &[]),
            "   s w2        fence on   p w3          "
        );
    }

    #[test]
    fn a_caption_at_the_right_edge_is_cut_where_all_can_see_it() {
        assert_eq!(drawn(&[note(35, "X w2 at effect")], &[]), "                                   X w2~");
    }

    #[test]
    fn a_caption_that_would_stand_far_from_its_column_is_left_out() {
        let crowd: Vec<Note> = (1..6).map(|w| note(5, &format!("x w{w}"))).collect();
        assert_eq!(drawn(&crowd, &[]), "     x w1   x w2   x w3                 ");
    }

    #[test]
    fn a_mark_that_somebody_set_takes_its_turn_without_its_control_characters() {
        let marks = [(Instant(8), "be\u{1b}[2Jfore\u{202e}".to_owned())];
        assert_eq!(drawn(&[note(1, "x w1"), note(20, "u w1")], &marks), " x w1   be[2Jfore   u w1                ");
    }

    #[test]
    fn a_long_mark_leaves_room_for_what_was_done() {
        let marks = [(Instant(1), "watch the second worker from here on".to_owned())];
        assert_eq!(drawn(&[note(20, "x w2")], &marks), " watch the second worker~   x w2        ");
    }

    #[test]
    fn only_a_policy_switch_is_drawn_through_the_lanes() {
        let notes = [note(3, "s w2"), note(15, "fence on"), note(99, "fence off")].into_iter().collect();
        assert_eq!(switches(&notes, &WINDOW), [15]);
    }
}
