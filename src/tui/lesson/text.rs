//! The text of a page as lines of pieces, so that it can be laid out, scrolled and drawn at any height.

use crate::tui::canvas::Canvas;
use crate::tui::fit::{tidy, wrap};
use crate::tui::theme::Role;

/// The columns that a page keeps at any size.
pub const WIDTH: u16 = 80;

/// One line: pieces, each with its first cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(pub Vec<(u16, String, Role)>);

impl Line {
    /// A line of one piece.
    pub fn of(x: u16, text: impl Into<String>, role: Role) -> Line {
        Line(vec![(x, text.into(), role)])
    }

    /// The same line with a piece more.
    pub fn and(mut self, x: u16, text: impl Into<String>, role: Role) -> Line {
        self.0.push((x, text.into(), role));
        self
    }

    /// The same line with a piece that ends before `right`.
    pub fn ending(self, right: u16, text: &str, role: Role) -> Line {
        let cells = crate::tui::fit::width(&tidy(text)) as u16;
        self.and(right.saturating_sub(cells), text, role)
    }

    /// Draws the line.
    pub fn draw(&self, canvas: &mut Canvas<'_>, y: u16) {
        for (x, text, role) in &self.0 {
            canvas.put(*x, y, text, *role);
        }
    }
}

/// A page under construction.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its lines.
    pub lines: Vec<Line>,
    /// The cells that there are.
    pub width: u16,
}

impl Text {
    /// An empty page of so many cells.
    pub fn new(width: u16) -> Text {
        Text { lines: Vec::new(), width }
    }

    /// An empty line, unless the page begins here or there is one already.
    pub fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.0.is_empty()) {
            self.lines.push(Line::default());
        }
    }

    /// A line.
    pub fn push(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Words from `x` on, broken at spaces; an empty line in them begins a paragraph.
    pub fn words(&mut self, x: u16, text: &str, role: Role) {
        for (i, paragraph) in paragraphs(text).iter().enumerate() {
            if i > 0 {
                self.gap();
            }
            for line in wrap(paragraph, usize::from(self.room(x))) {
                self.push(Line::of(x, line, role));
            }
        }
    }

    /// Words under a label at the left edge: `why`, `say it`, `note`.
    pub fn labelled(&mut self, label: &str, text: &str) {
        const WORDS: u16 = 9;
        self.gap();
        let from = self.lines.len();
        self.words(WORDS, text, Role::Text);
        if let Some(first) = self.lines.get_mut(from) {
            first.0.insert(0, (1, label.to_owned(), Role::Accent));
        }
    }

    /// The cells from `x` to the right edge.
    fn room(&self, x: u16) -> u16 {
        self.width.saturating_sub(x + 1).max(1)
    }
}

/// The paragraphs of a text, each on one line and without what could act on a terminal.
pub fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text.lines().map(str::trim) {
        match (line.is_empty(), paragraphs.last_mut()) {
            (true, Some(last)) if !last.is_empty() => paragraphs.push(String::new()),
            (false, Some(last)) => {
                if !last.is_empty() {
                    last.push(' ');
                }
                last.push_str(&tidy(line));
            }
            _ => {}
        }
    }
    paragraphs.retain(|paragraph| !paragraph.trim().is_empty());
    paragraphs
}

/// The first sentence of a text.
pub fn sentence(text: &str) -> String {
    let all = paragraphs(text).join(" ");
    let end = all.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let end = end.into_iter().find(|at| all[*at..].is_empty() || all[*at..].starts_with(' '));
    all[..end.unwrap_or(all.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_begins_a_paragraph_and_a_line_end_does_not() {
        assert_eq!(paragraphs("one\n  two\n\n\nthree\u{1b}[2J\n"), ["one two", "three[2J"]);
        assert!(paragraphs(" \n\n").is_empty());
    }

    #[test]
    fn a_sentence_ends_behind_its_full_stop_and_not_in_a_figure() {
        assert_eq!(sentence("It is 1.5 s late. Then it\ngoes on."), "It is 1.5 s late.");
        assert_eq!(sentence("No stop"), "No stop");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn a_label_stands_before_the_first_line_of_its_words() {
        let mut text = Text::new(30);
        text.words(1, "RIGHT", Role::Ok);
        text.labelled("why", "an id is forgotten once others came");
        let first: Vec<&str> = text.lines[2].0.iter().map(|(_, text, _)| text.as_str()).collect();
        assert_eq!(first, ["why", "an id is forgotten"]);
        assert_eq!(text.lines[3], Line::of(9, "once others came", Role::Text));
    }
}
