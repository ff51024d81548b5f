//! What a figure comes to, and whether a test holds.

use std::collections::BTreeSet;

use super::figure::{Arithmetic, Figure, Harmed, Relation, Test, Tolerance};
use super::trace::Traces;
use super::watch::Watch;
use crate::board::{Board, Word};
use crate::ids::Job;

/// Lab time has nanoseconds, and figures that are no farther apart than one are the same.
const NANOSECOND: f64 = 1e-9;

/// What is known of one run.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub board: &'a Board,
    pub traces: &'a Traces,
    pub peaks: &'a [(&'static str, f64)],
}

/// Runs that figures are about.
pub(super) trait Runs {
    /// What is known of the run of a variant, or of the one that is asked about.
    fn run(&self, variant: Option<usize>) -> Option<Known<'_>>;
}

/// All runs of a lab, asked about the variant `here`.
pub(super) struct Among<'a> {
    pub watches: &'a [Watch],
    pub here: usize,
}

impl Runs for Among<'_> {
    fn run(&self, variant: Option<usize>) -> Option<Known<'_>> {
        self.watches.get(variant.unwrap_or(self.here)).map(Watch::known)
    }
}

/// One run, while nothing is known of the others.
pub(super) struct Alone<'a> {
    pub known: Known<'a>,
    pub variant: usize,
}

impl Runs for Alone<'_> {
    fn run(&self, variant: Option<usize>) -> Option<Known<'_>> {
        variant.is_none_or(|variant| variant == self.variant).then_some(self.known)
    }
}

/// What `figure` comes to, asked about the variant `here`; `None` if it never came to anything, such as the time of
/// something that never happened.
pub fn value(figure: &Figure, watches: &[Watch], here: usize) -> Option<f64> {
    value_of(figure, &Among { watches, here })
}

/// Whether `test` holds, asked about the variant `here`. What compares a figure that never came to anything does not.
pub fn holds(test: &Test, watches: &[Watch], here: usize) -> bool {
    test_holds(test, &Among { watches, here })
}

pub(super) fn value_of(figure: &Figure, runs: &impl Runs) -> Option<f64> {
    let value = match figure {
        Figure::Number(number) => *number,
        Figure::Counter(of, name) => counter(runs.run(*of)?.board, name)?,
        Figure::Peak(of, name) => runs.run(*of)?.peaks.iter().find(|(peak, _)| peak == name)?.1,
        Figure::Count(of, pattern) => runs.run(*of)?.traces.seen(pattern).count as f64,
        Figure::First(of, pattern) => runs.run(*of)?.traces.seen(pattern).first?.seconds(),
        Figure::Last(of, pattern) => runs.run(*of)?.traces.seen(pattern).last?.seconds(),
        Figure::Both(left, how, right) => {
            let (left, right) = (value_of(left, runs)?, value_of(right, runs)?);
            match how {
                Arithmetic::Plus => left + right,
                Arithmetic::Minus => left - right,
                Arithmetic::Times => left * right,
                Arithmetic::Over => left / right,
            }
        }
    };
    value.is_finite().then_some(value)
}

/// A counter by its name, or what else a figure can name of a run.
pub(super) fn counter(board: &Board, name: &str) -> Option<f64> {
    let yes = |is: bool| Some(f64::from(u8::from(is)));
    match name {
        "kept" => yes(matches!(board.verdict().word, Word::Kept | Word::KeptSoFar)),
        "broken" => yes(board.verdict().word == Word::Broken),
        "elapsed" => Some(board.now().seconds()),
        name => board.counter(name).map(|n| n as f64),
    }
}

/// Raises the most that counters ever were to what they are now.
pub(super) fn raise(peaks: &mut [(&'static str, f64)], board: &Board) {
    for (name, most) in peaks {
        *most = most.max(counter(board, name).unwrap_or_default());
    }
}

pub(super) fn test_holds(test: &Test, runs: &impl Runs) -> bool {
    match test {
        Test::Compare(left, relation, right, tolerance) => match (value_of(left, runs), value_of(right, runs)) {
            (Some(left), Some(right)) => compares(left, *relation, right, *tolerance),
            _ => false,
        },
        Test::Happened(of, pattern) => runs.run(*of).is_some_and(|run| run.traces.seen(pattern).count > 0),
        Test::SameJobs((one, left), (other, right)) => match (runs.run(*one), runs.run(*other)) {
            (Some(one), Some(other)) => harmed(one.board, *left) == harmed(other.board, *right),
            _ => false,
        },
        Test::Not(inner) => !test_holds(inner, runs),
        Test::And(left, right) => test_holds(left, runs) && test_holds(right, runs),
        Test::Or(left, right) => test_holds(left, runs) || test_holds(right, runs),
    }
}

/// The jobs of a run that came to a harm.
pub(super) fn harmed(board: &Board, how: Harmed) -> &BTreeSet<Job> {
    match how {
        Harmed::Lost => &board.harm().lost,
        Harmed::Duplicated => &board.harm().twice,
    }
}

fn compares(left: f64, relation: Relation, right: f64, tolerance: Tolerance) -> bool {
    let apart = (left - right).abs();
    let slack = NANOSECOND
        + match tolerance {
            Tolerance::Exact => 0.0,
            Tolerance::Within(by) => by,
            Tolerance::Share(share) => share * right.abs(),
        };
    match relation {
        Relation::Equal => apart <= slack,
        Relation::Unequal => apart > slack,
        Relation::Less => left < right - NANOSECOND,
        Relation::AtMost => left <= right + NANOSECOND,
        Relation::More => left > right + NANOSECOND,
        Relation::AtLeast => left >= right - NANOSECOND,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Counters;

    #[test]
    fn every_counter_that_a_report_prints_can_be_named() {
        let counters = serde_json::to_value(Counters::default()).expect("writes");
        let names = counters.as_object().expect("an object");
        assert_eq!(names.len(), 39);
        let board = Board::new();
        for name in names.keys().map(String::as_str).chain(["kept", "broken", "elapsed"]) {
            assert_eq!(counter(&board, name), Some(0.0), "{name}");
        }
        assert_eq!(counter(&board, "charged"), None);
    }

    #[test]
    fn figures_compare_within_their_tolerance_and_a_nanosecond() {
        assert!(compares(0.1 + 0.2, Relation::Equal, 0.3, Tolerance::Exact));
        assert!(compares(0.1 + 0.2, Relation::AtMost, 0.3, Tolerance::Exact));
        assert!(!compares(0.1 + 0.2, Relation::More, 0.3, Tolerance::Exact));
        assert!(compares(378.0, Relation::Equal, 398.0, Tolerance::Within(20.0)));
        assert!(!compares(377.0, Relation::Equal, 398.0, Tolerance::Within(20.0)));
        assert!(compares(95.0, Relation::Equal, 100.0, Tolerance::Share(0.05)));
        assert!(!compares(94.0, Relation::Equal, 100.0, Tolerance::Share(0.05)));
        assert!(compares(94.0, Relation::Unequal, 100.0, Tolerance::Exact));
    }
}
