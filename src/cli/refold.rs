//! `onceish replay --headless`: a recording read to its end, and held against what it says itself.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::account::Account;
use super::args::ReplayArgs;
use super::failure::{self, Failure, complain};
use super::json::{self, Exit};
use super::outcome::Outcome;
use super::places::full;
use super::report;
use crate::board::{Board, Counters, Word};
use crate::event::Finish;
use crate::policy::Promise;
use crate::recording::{Damage, Folded};
use crate::setup::Driver;
use crate::time::Instant;

/// Reads a recording without a screen. The result is the exit code.
pub fn replay(args: &ReplayArgs) -> Result<u8, Failure> {
    let folded = Folded::read(&args.file, Board::new()).map_err(|damage| damaged(&args.file, &damage))?;
    warn_if_cut_off(&args.file, &folded);
    let outcome = judge(&folded);
    let account = Account::of(&folded.board, &folded.header.setup, Duration::ZERO);
    let text = match args.json {
        true => object(&args.file, &folded, &account, &outcome),
        false => report::recorded(&args.file, &folded, &account, &outcome),
    };
    failure::print(&text).map(|()| outcome.code)
}

/// The mistake of giving a recording that cannot be read: `run.jsonl:17: not an event`.
pub fn damaged(file: &Path, damage: &Damage) -> Failure {
    Failure::Usage(vec![damage.in_file(file)])
}

/// Says on stderr, once, that a recording ends where its writer was cut off.
pub fn warn_if_cut_off(file: &Path, folded: &Folded) {
    if folded.closing.is_none() {
        let (file, at) = (file.to_string_lossy(), moment(folded.board.now()));
        complain(&format!("warning: {file} was cut off at {at}: what is whole is shown\n"));
    }
}

/// Says on stderr that the events of a recording do not come to what it says at its end.
pub fn warn_if_contradicted(file: &Path, folded: &Folded) {
    if let Some(why) = folded.contradiction() {
        complain(&format!("warning: {} contradicts itself: {why}\n", file.to_string_lossy()));
    }
}

/// Minutes and seconds of lab time: `1:52.3`.
pub fn moment(at: Instant) -> String {
    let tenths = at.0 / 100_000_000;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

fn judge(folded: &Folded) -> Outcome {
    if let Some(why) = folded.contradiction() {
        return Outcome::new(1, format!("the recording contradicts itself: {why}"));
    }
    if let Some(violation) = folded.board.violations().first() {
        return Outcome::new(1, format!("an invariant did not hold: {violation}"));
    }
    match folded.closing {
        Some(_) => Outcome::new(0, "its events come to the counters, verdict and digest it was closed with"),
        None => Outcome::new(3, format!("inconclusive: cut off at {}", moment(folded.board.now()))),
    }
}

#[derive(Serialize)]
struct Object<'a> {
    format: u32,
    program: &'a str,
    command: &'a str,
    recording: String,
    recorded_by: &'a str,
    begun: u64,
    seed: u64,
    driver: Driver,
    events: u64,
    ends_s: f64,
    digest: String,
    closed: bool,
    contradiction: Option<String>,
    #[serde(flatten)]
    counters: Counters,
    promise: Promise,
    verdict: Word,
    why: &'a str,
    finish: Option<&'a Finish>,
    violations: &'a [String],
    exit: Exit<'a>,
}

fn object(file: &Path, folded: &Folded, account: &Account, outcome: &Outcome) -> String {
    json::line(&Object {
        format: json::FORMAT,
        program: json::PROGRAM,
        command: "replay",
        recording: full(file).to_string_lossy().into_owned(),
        recorded_by: &folded.header.program,
        begun: folded.header.begun,
        seed: folded.header.seed,
        driver: folded.header.driver,
        events: folded.digest.events(),
        ends_s: folded.board.now().seconds(),
        digest: folded.digest.to_string(),
        closed: folded.closing.is_some(),
        contradiction: folded.contradiction(),
        counters: account.counters,
        promise: account.verdict.promise,
        verdict: account.verdict.word,
        why: &account.verdict.why,
        finish: account.finish.as_ref(),
        violations: &account.violations,
        exit: Exit::of(outcome),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_in_minutes_and_tenths_of_a_second() {
        assert_eq!(
            [0, 112_349_999_999, 3_600_000_000_000].map(|n| moment(Instant(n))),
            ["0:00.0", "1:52.3", "60:00.0"]
        );
    }
}
