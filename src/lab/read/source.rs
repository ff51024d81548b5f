//! A file as text: what no lab may have, and where in it something stands.
//!
//! Columns are counted in characters from 1, so that a caret can stand under them; a byte-order mark is no character, and
//! a line may end in either way.

use std::ops::Range;

use super::problem::Problem;
use crate::text::count;

/// The longest file, in bytes.
pub const LONGEST_FILE: usize = 1 << 20;

/// How a recording begins.
const RECORDING: &[u8] = b"{\"recording\":";

/// The text of a file, and where its lines begin.
pub(super) struct Source<'a> {
    pub text: &'a str,
    lines: Vec<usize>,
}

impl<'a> Source<'a> {
    /// `bytes` as text, without a byte-order mark.
    pub fn read(bytes: &'a [u8]) -> Result<Source<'a>, Problem> {
        if bytes.starts_with(RECORDING) {
            let help = Some("onceish replay shows it, and onceish export --to lab drafts a lab of it".to_owned());
            return Err(Problem { help, ..refused(bytes, 0, "this is a recording, and no lab") });
        }
        if bytes.len() > LONGEST_FILE {
            let most = count(LONGEST_FILE as u64);
            return Err(Problem::of_the_file(format!("the file is longer than {most} bytes (1 MiB), which no lab is")));
        }
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(refused(bytes, 0, "byte 0 begins UTF-16, and a lab is UTF-8"));
        }
        if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
            return Err(refused(bytes, at, &format!("byte {at} is NUL, which no text has")));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Source::of(text.strip_prefix('\u{feff}').unwrap_or(text))),
            Err(error) => {
                let at = error.valid_up_to();
                Err(refused(bytes, at, &format!("byte {at} is not UTF-8")))
            }
        }
    }

    fn of(text: &'a str) -> Source<'a> {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Source { text, lines: std::iter::once(0).chain(after).collect() }
    }

    /// Line, column and length of what stands at these bytes; the length ends with the line.
    pub fn place(&self, at: &Range<usize>) -> (usize, usize, usize) {
        let line = self.lines.partition_point(|start| *start <= at.start).max(1);
        let start = self.lines[line - 1];
        let before = self.text.get(start..at.start).unwrap_or_default();
        let inside = self.text.get(at.clone()).unwrap_or_default();
        let inside = inside.lines().next().unwrap_or_default();
        (line, before.chars().count() + 1, inside.chars().count().max(1))
    }

    /// The bytes of some characters of a string that is the value at `at`: `column` from 1, and `len` of them.
    pub fn inside(&self, at: &Range<usize>, column: usize, len: usize) -> Range<usize> {
        let places = places(&self.text[at.clone()]);
        let last = places.len() - 1;
        let first = (column - 1).min(last);
        let end = (first + len).min(last).max(first);
        let start = at.start + places[first];
        start..(at.start + places[end]).max(start + usize::from(first < last))
    }
}

fn refused(bytes: &[u8], at: usize, what: &str) -> Problem {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
    let before = String::from_utf8_lossy(&bytes[start..at]);
    Problem {
        line,
        column: before.trim_start_matches('\u{feff}').chars().count() + 1,
        len: 1,
        what: what.to_owned(),
        help: Some("save the file as UTF-8 text".to_owned()),
        warning: false,
    }
}

/// Where each character of a written string begins, and where the last one ends. An escape is one character, and a line
/// that is continued none.
fn places(written: &str) -> Vec<usize> {
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| written.starts_with(*quote)).unwrap_or("");
    let mut at = quote.len();
    if quote.len() == 3 {
        at += ["\r\n", "\n"].into_iter().find(|end| written[at..].starts_with(*end)).map_or(0, str::len);
    }
    let end = written.len().saturating_sub(quote.len()).max(at);
    let mut places = Vec::new();
    while at < end {
        let (length, shown) = match quote.starts_with('"') && written[at..].starts_with('\\') {
            true => escape(&written[at..]),
            false => (written[at..].chars().next().map_or(1, char::len_utf8), true),
        };
        if shown {
            places.push(at);
        }
        at += length;
    }
    places.push(end);
    places
}

/// How many bytes an escape has, and whether a character comes of it.
fn escape(written: &str) -> (usize, bool) {
    match written[1..].chars().next() {
        Some('x') => (4, true),
        Some('u') => (6, true),
        Some('U') => (10, true),
        Some(c) if c.is_whitespace() => {
            let rest = written[1..].trim_start();
            (written.len() - rest.len(), false)
        }
        Some(c) => (1 + c.len_utf8(), true),
        None => (1, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(bytes: &[u8]) -> Source<'_> {
        Source::read(bytes).unwrap_or_else(|problem| panic!("{problem:?}"))
    }

    fn refusal(bytes: &[u8]) -> (usize, usize, String) {
        let problem = Source::read(bytes).err().expect("refused");
        (problem.line, problem.column, problem.what)
    }

    #[test]
    fn a_mark_at_the_start_and_either_end_of_a_line_change_no_column() {
        for text in ["a\nbc\td", "\u{feff}a\nbc\td", "a\r\nbc\td"] {
            let source = source(text.as_bytes());
            let at = source.text.find('d').expect("there");
            assert_eq!(source.place(&(at..at + 1)), (2, 4, 1), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_byte() {
        assert_eq!(refusal(b"ab\ncd\0e"), (2, 3, "byte 5 is NUL, which no text has".to_owned()));
        assert_eq!(refusal(b"ab\n\xff\n"), (2, 1, "byte 3 is not UTF-8".to_owned()));
        assert_eq!(refusal("\u{feff}a\u{e9}\0".as_bytes()), (1, 3, "byte 6 is NUL, which no text has".to_owned()));
        assert!(refusal(b"\xff\xfea\0").2.contains("UTF-16"));
        assert!(refusal(b"\xfe\xff\0a").2.contains("UTF-16"));
        assert!(refusal(b"t\0i\0").2.starts_with("byte 1 is NUL"), "UTF-16 without a mark");
        assert!(refusal(&vec![b'#'; LONGEST_FILE + 1]).2.contains("longer than 1,048,576 bytes"));
        source(&vec![b'#'; LONGEST_FILE]);
    }

    #[test]
    fn characters_of_a_string_are_found_behind_escapes_and_line_ends() {
        let found = |text: &str, column: usize| {
            let source = source(text.as_bytes());
            let place = source.inside(&(0..text.len()), column, 1);
            source.text[place].to_owned()
        };
        assert_eq!(found("\"a b c\"", 3), "b");
        assert_eq!(found("'a\\b'", 2), "\\");
        assert_eq!(found("\"\\\"\\u00e9\\x41z\"", 4), "z");
        assert_eq!(found("\"\"\"\na\\\n   b\"\"\"", 2), "b");
        assert_eq!(found("'''\r\nab'''", 2), "b");
        assert_eq!(found("\"ab\"", 9), "", "behind the end");
    }
}
