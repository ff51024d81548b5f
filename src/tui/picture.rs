//! A frame as plain data: rows of text in few inks, with nothing left of the library that drew it.
//!
//! What the painter drew is taken elsewhere from here: as ANSI for terminals and casts, a whole frame or only what
//! changed since another, and, by others, as pictures. The same moment gives the same picture everywhere.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use super::canvas::Canvas;
use super::fit::{cut, moment, width};
use super::glyphs::Glyphs;
use super::theme::{Look, Role, Theme};
use super::{Badge, Showing, paint};
use crate::board::{Board, Line};
use crate::event::What;
use crate::time::Instant;

/// Rows that a lab's words take.
const NARRATION: u16 = 2;
/// Below this height a frame has no room for them.
const ROOM_FOR_NARRATION: u16 = 20;

/// How a frame is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Cells from left to right.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// The colours.
    pub theme: Theme,
    /// True for plain ASCII lines.
    pub ascii: bool,
}

impl Format {
    fn look(&self) -> Look {
        Look::new(self.theme, if self.ascii { Glyphs::ASCII } else { Glyphs::UNICODE })
    }
}

/// One of the eight colours that the themes use; none is the terminal's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each name is a colour")]
pub enum Colour {
    Black,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    White,
}

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ink {
    /// The colour of the text.
    pub colour: Option<Colour>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Text and background change places.
    pub reversed: bool,
}

/// Text of one ink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text; never empty.
    pub text: String,
    /// How many cells it takes.
    pub cells: u16,
    /// How it looks.
    pub ink: Ink,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    cells: Vec<(String, Ink)>,
    width: u16,
}

/// The frame of a recorded run as it stands at `now`: what a replay shows, and in place of the keys what was done last
/// and what a lab says.
pub fn replayed(board: &Board, now: Instant, format: Format) -> Picture {
    let Format { width, height, .. } = format;
    let (look, showing) = (
        format.look(),
        Showing { badge: Badge::Replay, stopped: board.stopped(), speed: board.speed(), recorded: false },
    );
    let told = if height < ROOM_FOR_NARRATION { Vec::new() } else { narrated(board) };
    let rows = if told.is_empty() { 0 } else { NARRATION };
    let upper = paint(board, now, showing, width, height - rows, look);
    let mut whole = Buffer::empty(Rect::new(0, 0, width, height));
    let kept = usize::from(width) * usize::from(height - rows - 1);
    whole.content[..kept].clone_from_slice(&upper.content[..kept]);
    let mut foot = Canvas::new(&mut whole, Rect::new(0, height - rows - 1, width, rows + 1), &look);
    narrate(&mut foot, rows, &told.join("  "));
    if let Some((text, role)) = done_last(board) {
        foot.put_within(1, rows, width.saturating_sub(2), &text, role);
    }
    Picture::of(&whole)
}

/// What was done or marked last, and when.
fn done_last(board: &Board) -> Option<(String, Role)> {
    board.recent().iter().rev().find_map(|(_, event)| {
        let at = moment(event.at);
        match &event.what {
            What::Marked { text } => Some((format!("{at}  {text}"), Role::Accent)),
            What::Action { text, came, .. } if came.is_empty() => Some((format!("{at}  {text}"), Role::Text)),
            What::Action { text, came, .. } => Some((format!("{at}  {text}: {came}"), Role::Text)),
            _ => None,
        }
    })
}

/// What the lab said last, and what was asked and answered at that step.
fn narrated(board: &Board) -> Vec<String> {
    let all = board.narration();
    let Some(last) = all.iter().rev().find(|line| !line.text.is_empty()) else { return Vec::new() };
    let of_step = all.iter().filter(|line| line.step == last.step && !line.text.is_empty());
    let words = of_step.map(|line| match line.line {
        Line::Said { .. } | Line::Asked => line.text.clone(),
        Line::Answered => format!("You said: {}", line.text),
    });
    std::iter::once(format!("step {}", last.step)).chain(words).collect()
}

/// Fills so many rows with `text`, broken at blanks, the last row cut where there is more.
fn narrate(canvas: &mut Canvas<'_>, rows: u16, text: &str) {
    let room = usize::from(canvas.width().saturating_sub(2));
    let mut rest = text.trim();
    for y in 0..rows {
        let whole = cut(rest, room);
        let broken = match rest.char_indices().take_while(|(at, _)| width(&rest[..*at]) <= room) {
            _ if y + 1 == rows || whole == rest => None,
            fitting => fitting.filter(|(_, c)| *c == ' ').last().map(|(at, _)| at).filter(|at| *at > 0),
        };
        let end = broken.unwrap_or(rest.len());
        canvas.put_within(1, y, room as u16, &rest[..end], Role::Text);
        rest = rest[end..].trim_start();
    }
}

impl Picture {
    pub(super) fn of(buffer: &Buffer) -> Picture {
        let width = buffer.area.width;
        let mut cells: Vec<(String, Ink)> = Vec::with_capacity(buffer.content.len());
        for (at, cell) in buffer.content.iter().enumerate() {
            // The right half of a wide character belongs to its left one.
            let covered =
                at % usize::from(width) > 0 && cells.last().is_some_and(|(text, _)| super::fit::width(text) > 1);
            let text = if covered { String::new() } else { cell.symbol().to_owned() };
            cells.push((text, ink(cell)));
        }
        Picture { cells, width }
    }

    /// Cells from left to right.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u16 {
        (self.cells.len() / usize::from(self.width.max(1))) as u16
    }

    /// The rows from top to bottom, each from its first to its last cell in pieces of one ink.
    pub fn rows(&self) -> impl Iterator<Item = Vec<Piece>> {
        self.cells.chunks(usize::from(self.width.max(1))).map(pieces)
    }

    /// The rows as text alone, without blanks at their ends.
    pub fn text(&self) -> impl Iterator<Item = String> {
        self.cells.chunks(usize::from(self.width.max(1))).map(|row| {
            let text: String = row.iter().map(|(text, _)| text.as_str()).collect();
            text.trim_end().to_owned()
        })
    }

    /// The whole frame for a terminal: clears it and draws every row.
    pub fn ansi(&self) -> String {
        let mut out = "\u{1b}[0m\u{1b}[2J".to_owned();
        for (y, row) in self.cells.chunks(usize::from(self.width.max(1))).enumerate() {
            let drawn =
                row.iter().rposition(|(text, ink)| text != " " || *ink != Ink::default()).map_or(0, |at| at + 1);
            draw(&mut out, y, 0, &row[..drawn]);
        }
        out
    }

    /// What turns a terminal that shows `before`, of the same size, into one that shows this.
    pub fn ansi_after(&self, before: &Picture) -> String {
        let mut out = String::new();
        let width = usize::from(self.width.max(1));
        let rows = self.cells.chunks(width).zip(before.cells.chunks(width)).enumerate();
        for (y, (row, old)) in rows.filter(|(_, (row, old))| row != old) {
            for (from, to) in changes(row, old) {
                draw(&mut out, y, from, &row[from..to]);
            }
        }
        out
    }
}

/// Where two rows differ: stretches from one cell to another. Short stretches of like cells are drawn again, since that
/// is shorter than going elsewhere.
fn changes(row: &[(String, Ink)], old: &[(String, Ink)]) -> Vec<(usize, usize)> {
    const NEAR: usize = 8;
    let mut found: Vec<(usize, usize)> = Vec::new();
    for x in (0..row.len()).filter(|x| row[*x] != old[*x]) {
        match found.last_mut() {
            Some((_, to)) if x - *to < NEAR => *to = x + 1,
            _ => found.push((x, x + 1)),
        }
    }
    // The right half of a wide character cannot be drawn alone.
    for (from, to) in &mut found {
        while *from > 0 && row[*from].0.is_empty() {
            *from -= 1;
        }
        while *to < row.len() && row[*to].0.is_empty() {
            *to += 1;
        }
    }
    found
}

/// Draws cells at row `y` from column `x` on; the terminal's ink is plain before and after.
fn draw(out: &mut String, y: usize, x: usize, cells: &[(String, Ink)]) {
    if cells.is_empty() {
        return;
    }
    let _in_memory = write!(out, "\u{1b}[{};{}H", y + 1, x + 1);
    let mut current = Ink::default();
    for (text, ink) in cells {
        if *ink != current {
            sgr(out, *ink);
            current = *ink;
        }
        out.push_str(text);
    }
    if current != Ink::default() {
        out.push_str("\u{1b}[0m");
    }
}

fn sgr(out: &mut String, ink: Ink) {
    out.push_str("\u{1b}[0");
    for (on, code) in [(ink.bold, ";1"), (ink.dim, ";2"), (ink.reversed, ";7")] {
        if on {
            out.push_str(code);
        }
    }
    if let Some(colour) = ink.colour {
        let _in_memory = write!(out, ";3{}", colour as u8);
    }
    out.push('m');
}

fn pieces(row: &[(String, Ink)]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (text, ink) in row {
        match pieces.last_mut() {
            Some(piece) if piece.ink == *ink || text.is_empty() => {
                piece.text.push_str(text);
                piece.cells += 1;
            }
            _ => pieces.push(Piece { text: text.clone(), cells: 1, ink: *ink }),
        }
    }
    pieces
}

/// The themes use eight colours and three attributes; all else is the terminal's own.
fn ink(cell: &Cell) -> Ink {
    let colour = match cell.fg {
        Color::Black => Some(Colour::Black),
        Color::Red => Some(Colour::Red),
        Color::Green => Some(Colour::Green),
        Color::Yellow => Some(Colour::Yellow),
        Color::Blue => Some(Colour::Blue),
        Color::Magenta => Some(Colour::Magenta),
        Color::Cyan => Some(Colour::Cyan),
        Color::White | Color::Gray => Some(Colour::White),
        _ => None,
    };
    let has = |modifier| cell.modifier.contains(modifier);
    Ink { colour, bold: has(Modifier::BOLD), dim: has(Modifier::DIM), reversed: has(Modifier::REVERSED) }
}
