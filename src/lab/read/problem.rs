//! What is wrong with a file: one problem, the list that grows while it is read, and how a problem is shown.

use std::fmt::Write;
use std::ops::Range;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::source::Source;
use crate::lab::language::Wrong;
use crate::text::{clean, count};

/// The most problems that are told of one file; of more only the number is.
const MOST: usize = 100;
/// The longest sentence about a problem, in characters: words of the file may be in it.
const LONGEST_SENTENCE: usize = 300;
/// How many characters around a caret are looked at to show it.
const NEAR: usize = 200;
/// The most columns that a line of the file is shown in.
const SHOWN: usize = 70;

/// One thing that is wrong with a file, or may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The first wrong character in it, from 1.
    pub column: usize,
    /// How many characters are wrong; 0 for a file as a whole.
    pub len: usize,
    /// What is wrong, in a sentence without anything that acts on a terminal.
    pub what: String,
    /// What was probably meant, or what to do.
    pub help: Option<String>,
    /// True for what is no error.
    pub warning: bool,
}

impl Problem {
    /// Something about the file as a whole.
    pub(super) fn of_the_file(what: impl Into<String>) -> Problem {
        Problem { line: 1, column: 1, len: 0, what: what.into(), help: None, warning: false }
    }
}

/// The problems of a file, while it is read.
pub(super) struct Findings<'a> {
    pub source: Source<'a>,
    found: Vec<Problem>,
    more: usize,
}

impl<'a> Findings<'a> {
    pub fn new(source: Source<'a>) -> Findings<'a> {
        Findings { source, found: Vec::new(), more: 0 }
    }

    /// True when nothing that is found now would be told.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MOST
    }

    /// Adds an error at these bytes; none at the start stand for the file as a whole.
    pub fn error(&mut self, at: &Range<usize>, what: impl AsRef<str>, help: Option<String>) {
        self.add(at, what.as_ref(), help, false);
    }

    /// Adds a warning at these bytes.
    pub fn warn(&mut self, at: &Range<usize>, what: impl AsRef<str>, help: Option<String>) {
        self.add(at, what.as_ref(), help, true);
    }

    /// Adds what the language says about a string that is the value at `at`.
    pub fn wrong(&mut self, at: &Range<usize>, wrong: Wrong) {
        let at = self.source.inside(at, wrong.column, wrong.len);
        self.error(&at, wrong.message, wrong.suggestion);
    }

    fn add(&mut self, at: &Range<usize>, what: &str, help: Option<String>, warning: bool) {
        if self.is_full() {
            self.more += usize::from(!warning);
            return;
        }
        let (line, column, len) = self.source.place(at);
        let len = if *at == (0..0) { 0 } else { len };
        let help = help.map(|help| short(&help));
        let problem = Problem { line, column, len, what: short(what), help, warning };
        if !self.found.contains(&problem) {
            self.found.push(problem);
        }
    }

    /// All of them, in the order of the file.
    pub fn into_list(mut self) -> Vec<Problem> {
        self.found.sort_by_key(|problem| (problem.line, problem.column));
        if self.more > 0 {
            let what = format!("there are {} errors more", count(self.more as u64));
            let at = self.source.text.len();
            let (line, column, _) = self.source.place(&(at..at));
            self.found.push(Problem { line, column, len: 0, what, help: None, warning: false });
        }
        self.found
    }
}

/// `text` cleaned, and cut when it is too long.
fn short(text: &str) -> String {
    let text = clean(text);
    match text.char_indices().nth(LONGEST_SENTENCE) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}

/// A problem as people read it: `file:line:column: what`, the line with a caret under it, and what helps.
pub fn render(problem: &Problem, file: &str, text: &str) -> String {
    let word = if problem.warning { "warning: " } else { "" };
    let (line, column) = (problem.line, problem.column);
    let mut shown = format!("{}:{line}:{column}: {word}{}\n", clean(file), problem.what);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(written) = text.lines().nth(line - 1).filter(|_| problem.len > 0) {
        let (written, pad, carets) = window(written, column, problem.len);
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let _into_a_string = write!(shown, "  {number} | {written}\n  {margin} | {pad}{carets}\n");
    }
    if let Some(help) = &problem.help {
        let _into_a_string = writeln!(shown, "  help: {help}");
    }
    shown
}

/// The part of a line that fits, the space in front of the carets, and the carets.
fn window(written: &str, column: usize, len: usize) -> (String, String, String) {
    // A line may be the whole of a file, and nothing far from the caret is shown.
    let far = (column - 1).saturating_sub(NEAR);
    let written: String = written.chars().skip(far).take(2 * NEAR).collect();
    let (written, column) = (written.as_str(), column - far);
    let before: String = written.chars().take(column - 1).collect();
    let inside: String = written.chars().skip(column - 1).take(len).collect();
    let (before, inside, whole) = (clean(&before), clean(&inside), clean(written));
    let skipped = match before.width().saturating_sub(SHOWN / 2) {
        over if over > 0 && whole.width() > SHOWN => cut(&before, over + 3),
        _ => 0,
    };
    let dots = if skipped > 0 { "..." } else { "" };
    let mut line = format!("{dots}{}", &whole[skipped..]);
    if line.width() > SHOWN {
        let end = cut(&line, SHOWN - 3);
        line.truncate(end);
        line.push_str("...");
    }
    let pad = dots.len() + before[skipped..].width();
    let carets = inside.width().max(1).min(SHOWN.saturating_sub(pad).max(1));
    (line, " ".repeat(pad), "^".repeat(carets))
}

/// The byte at which `columns` columns of `text` are over.
fn cut(text: &str, columns: usize) -> usize {
    let mut width = 0;
    for (at, c) in text.char_indices() {
        width += c.width().unwrap_or(0);
        if width > columns {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: usize, column: usize, len: usize) -> Problem {
        Problem { line, column, len, what: "wrong".to_owned(), help: None, warning: false }
    }

    #[test]
    fn a_problem_is_shown_with_its_line_a_caret_and_what_helps() {
        let help = Some("did you mean kill?".to_owned());
        let shown = render(&Problem { help, ..problem(2, 8, 3) }, "x.toml", "a = 1\ndo =  \"kil w1\"\n");
        let wanted = "x.toml:2:8: wrong\n  2 | do =  \"kil w1\"\n    |        ^^^\n  help: did you mean kill?\n";
        assert_eq!(shown, wanted);
        let warning = Problem { warning: true, ..problem(1, 1, 0) };
        assert_eq!(render(&warning, "x.toml", "a"), "x.toml:1:1: warning: wrong\n");
    }

    #[test]
    fn carets_stand_under_what_is_wrong_behind_tabs_and_wide_characters_too() {
        let shown = render(&problem(1, 4, 1), "x", "\t\u{4e2d}=!\r\n");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1..], ["  1 |  \u{4e2d}=!", "    |     ^"], "the caret stands in column 5, behind 1 + 2 + 1");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal_and_the_caret_stays_in_sight() {
        let long = format!("say = \"{}!{}\"", "x".repeat(300), "y".repeat(300));
        for column in [1, 8, 100, 308, 600, 609] {
            let shown = render(&problem(1, column, 200), "x", &long);
            assert!(shown.lines().all(|line| line.width() <= 80), "{shown}");
            let lines: Vec<&str> = shown.lines().collect();
            let caret = lines[2].find('^').expect("a caret");
            assert_eq!(lines[1].chars().nth(caret), long.chars().nth(column - 1), "{shown}");
        }
    }

    #[test]
    fn nothing_of_the_file_acts_on_the_terminal() {
        let shown = render(&problem(1, 3, 1), "x\u{1b}[2J", "a\u{1b}[31mb\u{202e}c");
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown:?}");
    }
}
