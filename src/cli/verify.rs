//! `onceish verify`: the page's claims, each re-derived through this engine, with every row of the page's tables beside
//! ours.
//!
//! Only the wording is here. What is run, what has to hold and where the page is wrong is for [`crate::claims::verify`] to say.
#![allow(clippy::disallowed_methods, reason = "how long it took is said in the report")]

use std::time::{Duration, Instant};

use serde::Serialize;

use super::args::VerifyArgs;
use super::comparison;
use super::failure::{self, Failure};
use super::json;
use super::words::{self, labelled};
use crate::claims::verify::findings::Finding;
use crate::claims::verify::sheet::{Figure, Kind, Row, Table};
use crate::claims::verify::{Claim, Outcome, Verification, asked, verify as verify_claims};
use crate::setup::Driver;
use crate::text::{clean, count};

/// Where the tables of a claim begin.
const INDENT: usize = 9;
/// How wide the name of a run and each column of figures are, where a column has one figure, and where several.
const ONE: (usize, usize) = (34, 9);
const SEVERAL: (usize, usize) = (28, 18);

/// Makes all runs, judges all claims and prints what came of them. The result is the exit code.
pub fn verify(args: &VerifyArgs) -> Result<u8, Failure> {
    let driver = args.driver.unwrap_or(Driver::Simulation);
    let began = Instant::now();
    let found = comparison::perform(asked(driver).len(), move |runner| verify_claims(runner, driver))?;
    let took = began.elapsed();
    let text = if args.json { json(&found, took) } else { text(&found, took) };
    failure::print(&text).map(|()| code(&found))
}

fn code(found: &Verification) -> u8 {
    u8::from(!found.holds())
}

/// The whole text of at most 80 columns.
fn text(found: &Verification, took: Duration) -> String {
    let (driver, took) = (found.driver, words::seconds(took.as_secs_f64()));
    let mut text = format!("onceish verify   the page's claims, through this engine, {driver}, {took}\n\n");
    for claim in found.claims.iter().chain([&found.assembly]) {
        text += &one(claim);
    }
    text += "\nThe page against itself (findings, not failures)\n";
    for Finding { claim, text: finding } in &found.findings {
        text += &labelled(&format!("  {claim}"), 5, &clean(finding));
    }
    text += "\n";
    if let Some(digest) = &found.digest {
        text += &format!("digest   {} of all {} runs\n", comparison::short(digest), found.runs);
    }
    text + &last_line(found)
}

fn last_line(found: &Verification) -> String {
    let (checked, hold) = found.tally();
    let all = found.claims.len();
    let mut line = match all - checked {
        0 => format!("{hold} of {all} hold"),
        left => format!("{hold} of {checked} checked hold; {left} need virtual time"),
    };
    if found.assembly.outcome == Outcome::Fail {
        line += "; the assembly does not hold";
    }
    format!("{line}. exit {}\n", code(found))
}

/// A claim in one line, with its tables and what does not hold under it.
fn one(claim: &Claim) -> String {
    let (word, came) = match claim.outcome {
        Outcome::Pass => ("PASS", claim.came.as_str()),
        Outcome::Fail => ("FAIL", claim.came.as_str()),
        Outcome::NotRun => ("----", "virtual time only"),
    };
    let number = claim.number.map_or("-".to_owned(), |number| number.to_string());
    let line = format!("{word}  {number}  {:<42}  {came}", claim.words);
    let mut text = line.trim_end().to_owned() + "\n";
    claim.tables.iter().for_each(|table| text += &rows(table));
    for wrong in claim.wrong() {
        text += &labelled(&format!("{:INDENT$}wrong:", ""), INDENT + 7, &clean(wrong));
    }
    text
}

/// The page's figures and ours, side by side.
fn rows(table: &Table) -> String {
    let columns: Vec<&str> = table.columns.iter().map(|measure| measure.name()).collect();
    let widths = if columns.len() == 1 { ONE } else { SEVERAL };
    let (label, width) = widths;
    let predicted = table.rows.iter().flat_map(|row| &row.figures).any(|figure| figure.predicted.is_some());
    let expected = if predicted { "expected" } else { "" };
    let head =
        format!("{:INDENT$}{:<label$}{:>width$}{:>width$}{expected:>10}", "", columns.join(", "), "page", "here");
    let mut text = head.trim_end().to_owned() + "\n";
    table.rows.iter().for_each(|row| text += &line(row, widths));
    text
}

fn line(row: &Row, (label, width): (usize, usize)) -> String {
    let figures = |of: fn(&Figure) -> u64| {
        let figures: Vec<String> = row.figures.iter().map(|figure| count(of(figure))).collect();
        figures.join(", ")
    };
    let (page, here) = (figures(|figure| figure.page), figures(|figure| figure.measured));
    let expected = row.figures.iter().find_map(|figure| figure.predicted).map(expected).unwrap_or_default();
    let expected = if expected.is_empty() { expected } else { format!("{expected:>10}") };
    let note = if row.figures.iter().any(|figure| !figure.holds()) {
        "  WRONG"
    } else if row.figures.iter().any(|figure| figure.kind == Kind::Finding) {
        "  finding"
    } else {
        ""
    };
    format!("{:INDENT$}{:<label$}{page:>width$}{here:>width$}{expected}{note}\n", "", row.label)
}

/// What a formula expects: whole, unless it is next to nothing.
fn expected(figure: f64) -> String {
    if figure > 0.0 && figure < 10.0 { format!("{figure:.2}") } else { count(figure.round() as u64) }
}

#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    program: &'static str,
    #[serde(flatten)]
    found: &'a Verification,
    checked: usize,
    hold: usize,
    seconds: f64,
    exit: u8,
}

fn json(found: &Verification, took: Duration) -> String {
    let (checked, hold) = found.tally();
    let (program, seconds, exit) = (json::PROGRAM, took.as_secs_f64(), code(found));
    json::line(&Report { format: json::FORMAT, program, found, checked, hold, seconds, exit })
}

#[cfg(test)]
mod tests;
