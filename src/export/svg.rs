//! One frame as a picture that needs nothing beside it.
//!
//! Letters are text, which can be selected and searched; each stretch of words starts at its own column, so that every
//! font keeps the columns. Lines and blocks are drawn as shapes from edge to edge, since fonts leave gaps between them, and stand as
//! unseen text below, so that a row that is copied is whole.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::palette::{COLOURS, Palette};
use crate::tui::picture::{Ink, Picture, Piece};

/// A cell's width and height.
const CELL: (usize, usize) = (9, 18);
/// From the upper edge of a cell to the line that letters stand on.
const BASELINE: usize = 14;
/// Around the frame.
const MARGIN: usize = 9;

/// What is said of a picture to whoever cannot see it, and the mark that keeps the names in it apart from those of other
/// pictures on the same page.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The title.
    pub title: &'a str,
    /// What it shows.
    pub words: &'a str,
    /// A mark of letters and digits.
    pub mark: &'a str,
}

/// A picture as a file of its own.
pub fn file(picture: &Picture, palette: &Palette, about: About<'_>) -> String {
    let drawn = element(picture, about);
    let style = format!("<style>{}</style>\n", style(palette));
    let inside = drawn.find('>').map_or(0, |end| end + 2);
    format!("{}{style}{}", &drawn[..inside], &drawn[inside..])
}

/// How the elements of [`element`] look.
pub fn style(palette: &Palette) -> String {
    let mut css = format!(
        ".screen{{font:15px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",\"Liberation Mono\",monospace}}\
         .screen text{{white-space:pre}}\
         .screen .paper{{fill:{0}}}.screen text,.screen .none{{fill:{1}}}",
        palette.background, palette.text
    );
    for colour in COLOURS {
        let _in_memory = write!(css, ".screen .{}{{fill:{}}}", name(Some(colour)), palette.colour(Some(colour)));
    }
    let _in_memory = write!(
        css,
        ".screen .bold{{font-weight:bold}}.screen .dim{{fill-opacity:.62}}.screen .shade{{fill-opacity:.4}}\
         .screen .turned{{fill:{}}}.screen .unseen{{fill:none}}",
        palette.background
    );
    css
}

/// A picture as an element of a page that has the [`style`].
pub fn element(picture: &Picture, about: About<'_>) -> String {
    let (columns, rows) = (usize::from(picture.width()), usize::from(picture.height()));
    let (width, height) = (columns * CELL.0 + 2 * MARGIN, rows * CELL.1 + 2 * MARGIN);
    let About { title, words, mark } = about;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"screen\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-labelledby=\"t{mark} d{mark}\" xml:space=\"preserve\">\n\
         <title id=\"t{mark}\">{}</title>\n<desc id=\"d{mark}\">{}</desc>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\n",
        escape(title),
        escape(words)
    );
    let mut shapes: BTreeMap<String, String> = BTreeMap::new();
    let mut lines = String::new();
    for (y, row) in picture.rows().enumerate() {
        draw_row(y, &row, &mut shapes, &mut lines);
    }
    for (class, path) in shapes {
        let _in_memory = writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    out + &lines + "</svg>\n"
}

/// Sorts the shapes of a row by how they look and adds its text.
fn draw_row(y: usize, row: &[Piece], shapes: &mut BTreeMap<String, String>, lines: &mut String) {
    let top = MARGIN + y * CELL.1;
    let (mut left, mut text) = (MARGIN, String::new());
    for piece in row {
        let width = usize::from(piece.cells) * CELL.0;
        if piece.ink.reversed {
            let path = shapes.entry(name(piece.ink.colour).to_owned()).or_default();
            let _in_memory = write!(path, "M{left} {top}h{width}v{0}h-{width}z", CELL.1);
        }
        draw_shapes((left, top), piece, shapes);
        write_piece(&mut text, left, piece);
        left += width;
    }
    if !text.is_empty() {
        let _in_memory = writeln!(lines, "<text y=\"{}\">{text}</text>", top + BASELINE);
    }
}

/// Writes the text of a piece, each stretch of it from its own column on.
fn write_piece(out: &mut String, left: usize, piece: &Piece) {
    let mut x = left;
    for part in stretches(&piece.text) {
        let first = part.chars().next().unwrap_or(' ');
        let class = if is_shape(first) { "unseen".to_owned() } else { class(piece.ink) };
        let class = if class == "none" { String::new() } else { format!(" class=\"{class}\"") };
        // Blanks are kept, so that a row that is copied is whole, but nothing hangs on how wide a font has them.
        let _in_memory = match part.trim().is_empty() {
            true if out.is_empty() => Ok(()),
            true => write!(out, "{part}"),
            false => write!(out, "<tspan x=\"{x}\"{class}>{}</tspan>", escape(part)),
        };
        x += part.width() * CELL.0;
    }
}

/// Cuts a text into words that stand together, columns of blanks, and line marks.
fn stretches(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let blank = rest.starts_with("  ");
        let ends = |(at, c): (usize, char)| match blank {
            true => c != ' ',
            false => is_shape(c) != is_shape(first) || rest[at..].starts_with("  "),
        };
        let end = rest.char_indices().find(|place| ends(*place)).map_or(rest.len(), |(at, _)| at);
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

/// Adds the lines and blocks of a piece; a stretch of like ones is one shape.
fn draw_shapes((left, top): (usize, usize), piece: &Piece, shapes: &mut BTreeMap<String, String>) {
    let mut x = left;
    let mut chars = piece.text.chars().peekable();
    while let Some(c) = chars.next() {
        let mut cells = c.width().unwrap_or(0);
        while runs_on(c) && chars.next_if_eq(&c).is_some() {
            cells += 1;
        }
        if is_shape(c) {
            let shade = if c == '\u{2591}' { " shade" } else { "" };
            let path = shapes.entry(class(piece.ink) + shade).or_default();
            draw_shape(path, c, (x, top), cells * CELL.0);
        }
        x += cells * CELL.0;
    }
}

/// How thick the arms of a line mark are, to the left, up, right and down: nothing, one line or two.
fn arms(c: char) -> Option<[u8; 4]> {
    Some(match c {
        '─' => [1, 0, 1, 0],
        '═' => [2, 0, 2, 0],
        '│' => [0, 1, 0, 1],
        '║' => [0, 2, 0, 2],
        '┬' => [1, 0, 1, 1],
        '┴' => [1, 1, 1, 0],
        '┼' => [1, 1, 1, 1],
        '┤' => [1, 1, 0, 1],
        '╤' => [2, 0, 2, 1],
        '╧' => [2, 1, 2, 0],
        '╪' => [2, 1, 2, 1],
        '╡' => [2, 1, 0, 1],
        _ => return None,
    })
}

/// How many eighths of a cell a block fills, from below.
fn eighths(c: char) -> Option<usize> {
    Some(match c {
        '▁' => 1,
        '▃' => 3,
        '▅' => 5,
        '█' => 8,
        _ => return None,
    })
}

fn is_shape(c: char) -> bool {
    !c.is_ascii() && (arms(c).is_some() || eighths(c).is_some() || matches!(c, '░' | '◊' | '►'))
}

/// True for marks that grow into one when they stand side by side.
fn runs_on(c: char) -> bool {
    matches!(c, '─' | '═' | '░' | '█')
}

/// Draws a mark whose cells are `width` wide in all.
fn draw_shape(path: &mut String, c: char, (x, y): (usize, usize), width: usize) {
    let mut block = |x: usize, y: usize, width: usize, height: usize| {
        let _in_memory = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
    };
    if let Some([left, up, right, down]) = arms(c) {
        let middle = width / 2;
        let from = if left > 0 { 0 } else { middle };
        let to = if right > 0 { width } else { middle + 1 };
        match left.max(right) {
            1 => block(x + from, y + 9, to - from, 1),
            2 => [7, 11].iter().for_each(|line| block(x + from, y + line, to - from, 1)),
            _ => {}
        }
        let from = if up > 0 { 0 } else { 9 };
        let to = if down > 0 { CELL.1 } else { 10 };
        match up.max(down) {
            1 => block(x + middle, y + from, 1, to - from),
            2 => [2, 6].iter().for_each(|line| block(x + line, y, 1, CELL.1)),
            _ => {}
        }
    } else if let Some(eighths) = eighths(c) {
        let height = (CELL.1 - 4) * eighths / 8;
        block(x, y + CELL.1 - 2 - height, width, height);
    } else if c == '░' {
        block(x, y + 4, width, CELL.1 - 8);
    } else if c == '◊' {
        let _in_memory = write!(path, "M{} {}l4 5 -4 5 -4 -5zM{} {}l-2 3 2 3 2 -3z", x + 4, y + 4, x + 4, y + 6);
    } else {
        let _in_memory = write!(path, "M{} {}l7 4 -7 4z", x + 1, y + 5);
    }
}

/// The classes of text of this ink.
fn class(ink: Ink) -> String {
    let mut class = if ink.reversed { "turned" } else { name(ink.colour) }.to_owned();
    for (on, name) in [(ink.bold, " bold"), (ink.dim, " dim")] {
        if on {
            class.push_str(name);
        }
    }
    class
}

fn name(colour: Option<crate::tui::picture::Colour>) -> &'static str {
    const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
    colour.map_or("none", |colour| NAMES[colour as usize])
}

/// Text as it has to be written in XML and HTML, without the characters that those cannot hold.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
