//! Figures five rows high, legible from the back of a room.

use crate::tui::canvas::Canvas;
use crate::tui::theme::Role;

/// The rows of a figure.
pub const ROWS: u16 = 5;

/// Each digit as rows of three cells; the last is a question mark.
const FONT: [[&str; ROWS as usize]; 11] = [
    ["###", "# #", "# #", "# #", "###"],
    [" # ", "## ", " # ", " # ", "###"],
    ["###", "  #", "###", "#  ", "###"],
    ["###", "  #", "###", "  #", "###"],
    ["# #", "# #", "###", "  #", "  #"],
    ["###", "#  ", "###", "  #", "###"],
    ["###", "#  ", "###", "# #", "###"],
    ["###", "  #", "  #", "  #", "  #"],
    ["###", "# #", "###", "# #", "###"],
    ["###", "# #", "###", "  #", "###"],
    ["###", "  #", " ##", "   ", " # "],
];

/// Draws a figure of at most five digits from `x`, `y` on; a longer one is written on its middle row, and none is a
/// question mark.
pub fn draw(canvas: &mut Canvas<'_>, (x, y): (u16, u16), figure: Option<u64>, role: Role) {
    let written = figure.map_or("?".to_owned(), |n| n.to_string());
    if written.len() > 5 {
        canvas.put(x, y + ROWS / 2, &crate::text::count(figure.unwrap_or_default()), role);
        return;
    }
    let full = canvas.look.glyphs.full;
    for (place, c) in written.chars().enumerate() {
        let shape = FONT[c.to_digit(10).map_or(10, |digit| digit as usize)];
        for (row, cells) in shape.iter().enumerate() {
            for (cell, _) in cells.chars().enumerate().filter(|(_, c)| *c == '#') {
                canvas.cell(x + (place * 4 + cell) as u16, y + row as u16, full, role);
            }
        }
    }
}
