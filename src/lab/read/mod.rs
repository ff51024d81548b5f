//! Reads and checks lab files: all that is wrong is found at once, each with its place and, where one is near, with what
//! was probably meant. Nothing is run.
//!
//! In reading order: [`source`] is the file as text and [`form`] as a tree, [`table`] reads single values, [`setups`] the
//! set-up of each variant, [`steps`] what happens and [`asks`] what is asked, [`expects`] what has to come of it, and
//! [`cross`] judges what needs more than one of them. What is found goes to [`problem`], which also shows it.

mod asks;
mod cross;
mod expects;
mod form;
mod problem;
mod setups;
mod source;
mod steps;
mod table;

use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

use super::language::Scope;
use super::model::{Lab, Until, Variant};
use crate::setup::{Driver, MAX_SEED, read as values};
use crate::text::nearest;
use crate::time::Instant;
use problem::Findings;
use source::Source;
use table::Table;

pub use problem::{Problem, render};
pub use source::LONGEST_FILE;

/// The most variants of a lab.
const MOST_VARIANTS: usize = 16;
/// The most steps of a lab, and the most expectations.
const MOST: usize = 1_000;
/// The longest name of a variant or a step, in characters.
const LONGEST_NAME: usize = 30;

/// What came of reading a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The lab, if nothing is wrong with it.
    pub lab: Option<Lab>,
    /// What is wrong, or may be, in the order of the file.
    pub problems: Vec<Problem>,
}

impl Read {
    /// The number of problems that are errors.
    pub fn errors(&self) -> usize {
        self.problems.iter().filter(|problem| !problem.warning).count()
    }
}

/// Reads a lab. `name` is what it is called: the file's name without folder and ending.
pub fn read(name: &str, bytes: &[u8]) -> Read {
    let source = match Source::read(bytes) {
        Ok(source) => source,
        Err(problem) => return Read { lab: None, problems: vec![problem] },
    };
    let text = source.text;
    let mut found = Findings::new(source);
    let lab = form::document(text, &mut found).map(|document| lab(name, text, &document, &mut found));
    let problems = found.into_list();
    let whole = problems.iter().all(|problem| problem.warning);
    Read { lab: lab.filter(|_| whole), problems }
}

const KEYS: &[&str] =
    &["title", "chapter", "teaches", "takes", "seed", "driver", "setup", "variant", "step", "expect", "must_happen"];

/// Where a key belongs that stands at the top of a file.
fn elsewhere(key: &str) -> Option<&'static str> {
    match key {
        "base" | "until" | "cut" | "redeliver-after" => Some("it belongs in [setup]"),
        "say" | "ask" | "at" | "when" | "after" | "do" | "mark" | "pause" => Some("it belongs in a [[step]]"),
        "that" | "tolerance" | "always" => Some("it belongs in an [[expect]]"),
        key if crate::setup::fields::field(key).is_some() => Some("it belongs in [setup]"),
        _ => None,
    }
}

fn lab(name: &str, text: &str, document: &Spanned<DeTable<'_>>, found: &mut Findings) -> Lab {
    let top = Table { fields: document.get_ref(), at: 0..0 };
    top.refuse_unknown(KEYS, elsewhere, found);
    for (key, why) in [("title", "what the lab is called"), ("teaches", "what it teaches, in one line")] {
        if !top.has(key) {
            top.lacks(key, why, found);
        }
    }
    let driver = driver(&top, found);
    let setups = setups::read(&top, seed(&top, found), driver, found);
    let names: Vec<String> = setups.variants.iter().map(|variant| variant.name.clone()).collect();
    let known = Known { names: &names, variants: &setups.variants };
    let steps = steps::read(&top, known, setups.until, found);
    let (expects, must_happen) = expects::read(&top, known, &steps.ids, found);
    let lab = Lab {
        name: name.to_owned(),
        title: top.line("title", 60, found),
        chapter: top.line("chapter", 60, found),
        teaches: top.line("teaches", 50, found),
        takes: top.line("takes", 20, found),
        driver,
        variants: setups.variants.clone(),
        until: setups.until,
        cut: setups.cut,
        steps: steps.steps.clone(),
        expects,
        must_happen,
        text: text.to_owned(),
    };
    cross::check(&lab, &top, &setups, &steps, found);
    lab
}

fn driver(top: &Table<'_>, found: &mut Findings) -> Option<Driver> {
    let given = top.string("driver", found)?;
    let read = given.value.parse::<Driver>();
    if let Err(error) = &read {
        let near = nearest(given.value, Driver::ALL.iter().map(|driver| driver.name()));
        let help = near.map(|word| format!("did you mean {word}?"));
        found.error(&given.at, format!("driver is {}", error.wanted), help);
    }
    read.ok()
}

fn seed(top: &Table<'_>, found: &mut Findings) -> u64 {
    let Some(value) = top.get("seed") else {
        top.lacks("seed", "a lab is the same each time: seed = 1", found);
        return 0;
    };
    let read = match value.get_ref() {
        toml::de::DeValue::Integer(n) if n.radix() == 10 => values::seed(n.as_str()).ok(),
        _ => None,
    };
    if read.is_none() {
        found.error(&value.span(), format!("seed is a whole number from 0 to {MAX_SEED}"), None);
    }
    read.unwrap_or(0)
}

/// The variants that the rest of a file may speak of.
#[derive(Clone, Copy)]
struct Known<'a> {
    names: &'a [String],
    variants: &'a [Variant],
}

impl<'a> Known<'a> {
    /// What a text may refer to that is about these variants; about all, if none is named.
    fn scope(self, about: &[usize], alone: bool) -> Scope<'a> {
        let concerned = |place: &usize| about.is_empty() || about.contains(place);
        let workers = (0..self.variants.len()).filter(concerned).map(|place| self.variants[place].setup.workers).max();
        let names = if self.names.iter().all(String::is_empty) { &[] } else { self.names };
        Scope { variants: names, workers: workers.unwrap_or(1), alone }
    }

    /// The place of the variant that is called so.
    fn place(self, name: &str, at: &Range<usize>, found: &mut Findings) -> Option<usize> {
        let names = || self.names.iter().map(String::as_str).filter(|name| !name.is_empty());
        let place = self.names.iter().position(|known| !known.is_empty() && known == name);
        if place.is_none() {
            let (what, help) = match names().count() {
                0 => (format!("this lab has no variants, so there is no {name}"), None),
                _ => (
                    format!("no such variant: {name}"),
                    nearest(name, names()).map(|word| format!("did you mean {word}?")),
                ),
            };
            found.error(at, what, help);
        }
        place
    }
}

/// True for a name that variants and steps may have.
fn is_name(name: &str) -> bool {
    let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    fits && name.len() <= LONGEST_NAME && name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.ends_with('-')
}

/// When a run that ends at `until` is over; never, if it ends by itself.
fn end(until: Until) -> Instant {
    match until {
        Until::Drained => Instant::NEVER,
        Until::At(at) => at,
    }
}
