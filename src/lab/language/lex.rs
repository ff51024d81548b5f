//! Words, numbers and signs of a text, with the places where they stand.

use super::{Scope, Wrong};
use crate::text::{clean, nearest};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A number.
    Number(f64),
    /// A word.
    Word,
    /// A variant's name and the dot behind it.
    Variant(usize),
    /// A sign.
    Sign,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// It as it is written; a variant without its dot.
    pub text: &'a str,
    /// Its first byte.
    pub start: usize,
}

/// The greatest number that can be written: every integer up to it is exact.
const GREATEST: f64 = 9_007_199_254_740_992.0;

/// Signs, longer ones first.
const SIGNS: &[&str] = &["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "(", ")"];

/// What people write who come from another language, and what is written here.
const FOREIGN: &[(&str, &str)] = &[
    ("&&", "and"),
    ("||", "or"),
    ("=", "=="),
    ("!", "not"),
    ("&", "and"),
    ("|", "or"),
    (".", "a variant's name and a counter, as in a.lost"),
];

/// The tokens of `text`.
pub(super) fn tokens<'a>(text: &'a str, scope: Scope<'_>) -> Result<Vec<Token<'a>>, Wrong> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let token = match c {
            'a'..='z' | 'A'..='Z' | '_' => word(text, at, scope)?,
            '0'..='9' => number(text, at)?,
            _ => sign(text, at)?,
        };
        let dot = usize::from(matches!(token.kind, Kind::Variant(_)));
        at = token.start + token.text.len() + dot;
        found.push(token);
    }
    Ok(found)
}

/// The place of byte `at`, as a column.
pub(super) fn column(text: &str, at: usize) -> usize {
    text[..at].chars().count() + 1
}

/// `word`, which stands at byte `start`, is wrong.
pub(super) fn wrong(text: &str, start: usize, word: &str, message: String) -> Wrong {
    Wrong { column: column(text, start), len: word.chars().count().max(1), message, suggestion: None }
}

/// The part of `text` from `at` on that has only such characters.
fn run(text: &str, at: usize, belongs: impl Fn(char) -> bool) -> &str {
    let rest = &text[at..];
    &rest[..rest.find(|c| !belongs(c)).unwrap_or(rest.len())]
}

/// A word, or the name of a variant with its hyphens when a dot follows.
fn word<'a>(text: &'a str, start: usize, scope: Scope<'_>) -> Result<Token<'a>, Wrong> {
    let plain = run(text, start, |c| c.is_ascii_alphanumeric() || c == '_');
    let name = run(text, start, |c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let dotted = |name: &str| text[start + name.len()..].starts_with('.');
    if dotted(name) {
        if let Some(place) = scope.variants.iter().position(|variant| variant == name) {
            return Ok(Token { kind: Kind::Variant(place), text: name, start });
        }
        if name == plain || super::names::figure(plain).is_none() {
            return Err(no_variant(text, start, name, scope));
        }
    }
    Ok(Token { kind: Kind::Word, text: plain, start })
}

fn no_variant(text: &str, start: usize, name: &str, scope: Scope<'_>) -> Wrong {
    let known: Vec<&str> = scope.variants.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let message = if known.is_empty() {
        format!("this lab has no variants, so there is no {}", clean(name))
    } else {
        format!("no such variant: {}; there are {}", clean(name), known.join(", "))
    };
    Wrong { suggestion: nearest(name, known).map(meant), ..wrong(text, start, name, message) }
}

/// The question whether `word` was meant.
pub(super) fn meant(word: &str) -> String {
    format!("did you mean {word}?")
}

/// A number: digits, underscores between them, and a fraction.
fn number(text: &str, start: usize) -> Result<Token<'_>, Wrong> {
    let whole = run(text, start, |c| c.is_ascii_digit() || c == '_');
    let after = start + whole.len();
    let fraction = match text[after..].strip_prefix('.') {
        Some(_) => 1 + run(text, after + 1, |c| c.is_ascii_digit() || c == '_').len(),
        None => 0,
    };
    let written = &text[start..after + fraction];
    let unit = run(text, start + written.len(), |c| c.is_alphanumeric() || c == '_' || c == '%' || c == '.');
    if !unit.is_empty() {
        let word = &text[start..start + written.len() + unit.len()];
        let wrong = wrong(text, start, word, format!("{} is not a number", clean(word)));
        let help = "numbers are plain; times are in seconds of lab time, and a tolerance stands in its own key";
        return Err(Wrong { suggestion: Some(help.to_owned()), ..wrong });
    }
    let value = written.replace('_', "").parse::<f64>().ok().filter(|value| *value <= GREATEST);
    match value {
        Some(value) if !written.ends_with(['.', '_']) => Ok(Token { kind: Kind::Number(value), text: written, start }),
        _ => Err(wrong(text, start, written, format!("{written} is not a number up to 2^53"))),
    }
}

fn sign(text: &str, start: usize) -> Result<Token<'_>, Wrong> {
    let rest = &text[start..];
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return Ok(Token { kind: Kind::Sign, text: &rest[..sign.len()], start });
    }
    let foreign = FOREIGN.iter().find(|(sign, _)| rest.starts_with(sign));
    let (sign, suggestion) = match foreign {
        Some((sign, word)) => (*sign, Some(format!("write {word}"))),
        None => (&rest[..rest.chars().next().map_or(0, char::len_utf8)], None),
    };
    let shown = clean(sign);
    let message = match shown.as_ref() {
        "" => "here stands a character that cannot be seen".to_owned(),
        shown => format!("{shown} means nothing here"),
    };
    Err(Wrong { suggestion, ..wrong(text, start, sign, message) })
}
