//! The row under the lanes: ticks with their times, now, and the cursor.
//!
//! The cursor wins over now and now over ticks; what would overlap is left out, so that no time is ever cut.

use super::window::Window;
use crate::time::{Instant, SECOND, Span};
use crate::tui::glyphs::Glyphs;
use crate::tui::theme::Role;

/// The distances that ticks may have, in milliseconds.
const STEPS: [u64; 18] = [
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 120_000, 300_000, 600_000, 1_200_000, 3_600_000,
    7_200_000, 14_400_000, 43_200_000, 86_400_000,
];

/// How many cells there are between two ticks at the least: room for a time and some air.
const APART: u64 = 16;

/// Some text that begins at a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins.
    pub column: usize,
    /// What it says, one cell a character.
    pub text: String,
    /// What it is, as far as its style goes.
    pub role: Role,
}

impl Piece {
    fn end(&self) -> usize {
        self.column + self.text.chars().count()
    }
}

/// The pieces of the axis, from left to right, with a blank between any two.
pub fn pieces(window: &Window, cursor: Option<Instant>, glyphs: &Glyphs) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(column) = cursor.and_then(|at| window.column(at)) {
        let text = format!("{}{}", glyphs.cursor, moment(window.start_of(column)));
        add(&mut pieces, window, Piece { column, text, role: Role::Accent });
        // At the right edge the sign alone still shows where the cursor is.
        add(&mut pieces, window, Piece { column, text: glyphs.cursor.to_string(), role: Role::Accent });
    }
    if let Some(column) = window.column(window.now) {
        let text = format!("{}now {:.1}", glyphs.tick, tenths(window.now));
        add(&mut pieces, window, Piece { column, text, role: Role::Accent });
        // At the right edge the figure stands on the left.
        let text = format!("now {:.1}{}", tenths(window.now), glyphs.tick);
        if let Some(start) = (column + 1).checked_sub(text.chars().count()) {
            add(&mut pieces, window, Piece { column: start, text, role: Role::Accent });
        }
        add(&mut pieces, window, Piece { column, text: format!("{}now", glyphs.tick), role: Role::Accent });
    }
    for at in ticks(window) {
        let column = window.column(at).unwrap_or(window.columns);
        add(&mut pieces, window, Piece { column, text: format!("{}{}", glyphs.tick, whole(at)), role: Role::Dim });
    }
    pieces.sort_by_key(|piece| piece.column);
    pieces
}

/// Adds a piece if it fits into the window and keeps a blank from the others.
fn add(pieces: &mut Vec<Piece>, window: &Window, piece: Piece) {
    let apart = |other: &Piece| piece.end() < other.column || other.end() < piece.column;
    if piece.end() <= window.columns && pieces.iter().all(apart) {
        pieces.push(piece);
    }
}

/// The distance between two ticks.
fn step(cell: Span) -> Span {
    let least = cell.0.saturating_mul(APART);
    let last = STEPS[STEPS.len() - 1];
    Span::millis(STEPS.into_iter().find(|step| Span::millis(*step).0 >= least).unwrap_or(last))
}

fn ticks(window: &Window) -> impl Iterator<Item = Instant> + use<> {
    let (step, start, end) = (step(window.cell).0, window.start.0, window.end().0);
    let first = start.div_ceil(step);
    (first..).map(move |n| Instant(n.saturating_mul(step))).take_while(move |at| at.0 < end)
}

/// Seconds cut, not rounded, to a tenth: a time that has not come yet is never shown.
fn tenths(at: Instant) -> f64 {
    (at.0 / (SECOND / 10)) as f64 / 10.0
}

/// A tick's time in seconds: `20`, `20.5`.
fn whole(at: Instant) -> String {
    if at.0.is_multiple_of(SECOND) { format!("{}", at.0 / SECOND) } else { format!("{:.1}", tenths(at)) }
}

/// A cell's time in seconds, with as many decimals as it needs, one at the least: `43.5`, `43.75`.
fn moment(at: Instant) -> String {
    let millis = at.0 / 1_000_000;
    let text = format!("{}.{:03}", millis / 1_000, millis % 1_000);
    let cut = text.trim_end_matches('0');
    if cut.ends_with('.') { format!("{cut}0") } else { cut.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(start: f64, columns: usize, now: f64) -> Window {
        let at = |seconds: f64| Instant::START + Span::from_seconds(seconds);
        Window { start: at(start), cell: Span::millis(250), columns, now: at(now) }
    }

    fn drawn(window: &Window, cursor: Option<f64>) -> String {
        let cursor = cursor.map(|seconds| Instant::START + Span::from_seconds(seconds));
        let mut row = vec![' '; window.columns];
        for piece in pieces(window, cursor, &Glyphs::UNICODE) {
            for (offset, letter) in piece.text.chars().enumerate() {
                row[piece.column + offset] = letter;
            }
        }
        row.into_iter().collect()
    }

    #[test]
    fn a_tick_stands_every_five_seconds_at_a_quarter_second_a_cell_and_yields_to_now() {
        assert_eq!(
            drawn(&window(26.0, 74, 40.3), None),
            "                |30                 |35                  |now 40.3        "
        );
    }

    #[test]
    fn the_cursor_wins_over_now_and_tells_the_time_of_its_cell() {
        assert_eq!(
            drawn(&window(33.0, 61, 44.3), Some(43.52)),
            "        |35                 |40           ^43.5 |45          "
        );
    }

    #[test]
    fn a_tick_that_the_cursor_s_time_would_touch_is_left_out() {
        let coarse = Window { cell: Span::millis(500), ..window(30.0, 50, 90.0) };
        assert_eq!(drawn(&coarse, Some(37.6)), "|30            ^37.5                    |50       ");
    }

    #[test]
    fn a_cursor_at_the_right_edge_keeps_its_sign() {
        let row = drawn(&window(26.0, 20, 90.0), Some(30.9));
        assert_eq!(row, "                |30^".replace("|30", "   "));
    }

    #[test]
    fn now_keeps_its_figure_at_the_right_edge() {
        assert_eq!(drawn(&window(26.0, 24, 31.3), None), "             now 31.3|  ");
    }

    #[test]
    fn ticks_of_short_cells_have_a_decimal() {
        let fine = Window { cell: Span::millis(10), ..window(26.0, 50, 90.0) };
        assert_eq!(drawn(&fine, None), "|26                 |26.2               |26.4     ");
    }

    #[test]
    fn whatever_the_cell_ticks_never_touch() {
        for cell in [1, 10, 250, 2_500, 60_000, 600_000, 86_400_000] {
            let window = Window { cell: Span::millis(cell), ..window(99_999.0, 200, 0.0) };
            let pieces = pieces(&window, None, &Glyphs::ASCII);
            assert!(pieces.windows(2).all(|pair| pair[0].end() < pair[1].column), "{cell} ms: {pieces:?}");
        }
    }
}
