//! The language in which labs say what they wait for, ask and expect: from text to [`Test`] and [`Figure`].
//!
//! An error points at the wrong word and offers the nearest right one. What is read is checked against its [`Scope`]: the
//! variants and workers that the lab has. What a figure comes to is left to whoever has folded the runs.

mod lex;
pub mod names;
mod parse;

use std::fmt;

use super::figure::{Figure, Test};

pub use parse::LONGEST;

/// What a text may refer to.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The names of the lab's variants.
    pub variants: &'a [String],
    /// The number of workers; a pattern that names one above is wrong.
    pub workers: u16,
    /// True for what is asked of each run by itself, where no other variant is at hand.
    pub alone: bool,
}

/// Why a text is no test or figure, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The wrong word's first character, from 1; just past the end of the text when a word is missing.
    pub column: usize,
    /// The wrong word's length in characters, at least 1.
    pub len: usize,
    /// What is wrong with it.
    pub message: String,
    /// The word that was probably meant, or what to do.
    pub suggestion: Option<String>,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.suggestion {
            Some(word) => write!(f, " ({word})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Wrong {}

/// Reads a test: `duplicated == 398`, `claimed w2 and not drained`.
pub fn test(text: &str, scope: Scope<'_>) -> Result<Test, Wrong> {
    parse::Parser::of(text, scope)?.whole(parse::Parser::any)
}

/// Reads a figure: `duplicated`, `peak(waiting) / jobs`.
pub fn figure(text: &str, scope: Scope<'_>) -> Result<Figure, Wrong> {
    parse::Parser::of(text, scope)?.whole(parse::Parser::sum)
}

#[cfg(test)]
mod tests;
