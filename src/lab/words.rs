//! Figures and tests in words: what was wanted, and what came of it.

use super::figure::{Figure, Pattern, Relation, Test, Tolerance};
use super::value::{Runs, harmed, test_holds, value_of};
use crate::text::{count, counted};

/// Figures in words have at most so many decimals.
const DECIMALS: usize = 3;

/// A number as people write it: whole where it is, else with at most three decimals, a comma after every three digits.
pub fn number(value: f64) -> String {
    let text = format!("{:.DECIMALS$}", value.abs());
    let (whole, decimals) = text.split_once('.').expect("there are decimals");
    let decimals = decimals.trim_end_matches('0');
    let whole = whole.parse::<u64>().map_or_else(|_| whole.to_owned(), count);
    let sign = if value < 0.0 && (whole != "0" || !decimals.is_empty()) { "-" } else { "" };
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{decimals}")
}

/// A number that there may be none of.
pub(super) fn maybe(value: Option<f64>) -> String {
    value.map_or_else(|| "nothing".to_owned(), number)
}

/// What `test` wants, in words that follow `wanted`.
pub(super) fn wanted(test: &Test, runs: &impl Runs) -> String {
    match test {
        Test::Compare(_, relation, right, tolerance) => {
            let right = maybe(value_of(right, runs));
            match relation {
                Relation::Equal => right + &give_or_take(*tolerance),
                Relation::Unequal => format!("not {right}"),
                Relation::Less => format!("less than {right}"),
                Relation::AtMost => format!("at most {right}"),
                Relation::More => format!("more than {right}"),
                Relation::AtLeast => format!("at least {right}"),
            }
        }
        Test::Happened(_, pattern) => shown(pattern),
        Test::SameJobs(..) => "the same jobs".to_owned(),
        Test::Not(inner) => format!("not {}", wanted(inner, runs)),
        Test::And(left, right) => format!("{} and {}", wanted(left, runs), wanted(right, runs)),
        Test::Or(left, right) => format!("{} or {}", wanted(left, runs), wanted(right, runs)),
    }
}

fn give_or_take(tolerance: Tolerance) -> String {
    match tolerance {
        Tolerance::Exact => String::new(),
        Tolerance::Within(by) => format!(", give or take {}", number(by)),
        Tolerance::Share(share) => format!(", give or take {} %", number(share * 100.0)),
    }
}

/// What came of `test`, in words that follow `got`.
pub(super) fn got(test: &Test, runs: &impl Runs) -> String {
    match test {
        Test::Compare(left, _, right, _) => match (left, right) {
            (Figure::Number(_), right) => maybe(value_of(right, runs)),
            (left, _) => maybe(value_of(left, runs)),
        },
        Test::Happened(of, pattern) => {
            let seen = runs.run(*of).map(|run| run.traces.seen(pattern)).unwrap_or_default();
            match seen.first {
                None => "it never did".to_owned(),
                Some(at) => format!("{}, first at {:.2} s", counted(seen.count, "time", "times"), at.seconds()),
            }
        }
        Test::SameJobs((one, left), (other, right)) => match (runs.run(*one), runs.run(*other)) {
            (Some(one), Some(other)) => {
                let (left, right) = (harmed(one.board, *left), harmed(other.board, *right));
                let both = count(left.intersection(right).count() as u64);
                format!("{} and {} jobs, {both} of them the same", count(left.len() as u64), count(right.len() as u64))
            }
            _ => "nothing".to_owned(),
        },
        Test::Not(inner) => got(inner, runs),
        // Of two that had to hold together the one that does not is what went wrong.
        Test::And(left, right) => match (test_holds(left, runs), test_holds(right, runs)) {
            (true, false) => got(right, runs),
            (false, true) => got(left, runs),
            _ => format!("{} and {}", got(left, runs), got(right, runs)),
        },
        Test::Or(left, right) => match (test_holds(left, runs), test_holds(right, runs)) {
            (true, _) => got(left, runs),
            (false, true) => got(right, runs),
            _ => format!("{} and {}", got(left, runs), got(right, runs)),
        },
    }
}

/// A pattern as a lab file writes it.
fn shown(pattern: &Pattern) -> String {
    let worker = pattern.worker.map(|worker| format!(" {worker}"));
    let job = pattern.job.map(|job| format!(" j{job}"));
    let attempt = pattern.attempt.map(|attempt| format!(" n{attempt}"));
    let parts = [worker, job, attempt].map(Option::unwrap_or_default).concat();
    format!("{}{parts}", pattern.event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_write_them() {
        let cases = [
            (0.0, "0"),
            (-0.0001, "0"),
            (398.0, "398"),
            (20_398.0, "20,398"),
            (0.1 + 0.2, "0.3"),
            (1_234.5, "1,234.5"),
            (-1_234.567_8, "-1,234.568"),
            (0.9999, "1"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }
}
