//! What became of one job, in a sentence: a clause for each of its tries, with the rows it wrote.

use super::Board;
use super::jobs::Fate;
use super::tries::{Tries, Try};
use super::words::spot;
use crate::event::{End, Spot, What};
use crate::ids::{Job, Row};
use crate::policy::{AckOrder, Memory, Point};
use crate::request::JobState;

/// The most tries that are told one by one.
const MOST_TOLD: usize = 4;

impl Board {
    pub(super) fn decided(&self, job: Job) -> Option<Fate> {
        if !self.jobs.knows(job) {
            return None;
        }
        let fate = self.jobs.fate(job);
        let over = matches!(self.jobs.place(job), JobState::Done | JobState::Dead) && self.jobs.working(job) == 0;
        (over || matches!(fate, Fate::Twice | Fate::Lost)).then_some(fate)
    }

    pub(super) fn tell_briefly(&self, job: Job) -> Option<String> {
        let life = self.life(job)?;
        let tries = Tries::of(&life, &self.policies);
        let rows = tries.effects().len();
        let mut clauses: Vec<String> = tries.all.iter().enumerate().map(|(at, one)| clause(one, at, rows)).collect();
        if clauses.len() > MOST_TOLD {
            let more = clauses.len() - MOST_TOLD;
            clauses.splice(2..clauses.len() - 2, [format!("{more} more tries")]);
        }
        let first = if clauses.is_empty() { "no try yet".to_owned() } else { clauses.remove(0) };
        let mut sentence = first;
        for (at, clause) in clauses.into_iter().enumerate() {
            sentence.push_str(if at == 0 { ": " } else { "; " });
            sentence.push_str(&clause);
        }
        Some(sentence)
    }
}

/// What came of a try. `at` is its place among all, `rows` the number of rows that stand.
fn clause(one: &Try, at: usize, rows: usize) -> String {
    let worker = one.worker;
    let died = match one.end() {
        Some((End::Crashed(place), _)) => Some(*place),
        _ => None,
    };
    let row = one.find(|_, what| if let What::Effect { row, .. } = what { Some(*row) } else { None });
    let undone = one.find(|_, what| matches!(what, What::Undone { .. }).then_some(())).is_some();
    match (row.filter(|_| !undone), died) {
        (Some(row), Some(place)) => format!("{worker} wrote row {row} and {}", died_at(place)),
        (Some(row), None) => format!("{worker} {}{}", wrote(one, row, at, rows), afterwards(one)),
        (None, Some(place)) if rolls_back(one, place) => {
            format!("{worker} died inside the transaction, so its row was rolled back")
        }
        (None, Some(place)) if acked_first(one) => format!("{worker} acked first and {}", died_at(place)),
        (None, Some(place)) if one.recognised() => format!("{worker} found the key and {}", died_at(place)),
        (None, Some(place)) => format!("{worker} {}", died_at(place)),
        (None, None) => format!("{worker} {}", without_a_row(one)),
    }
}

fn died_at(place: Spot) -> String {
    format!("died {}", spot(place))
}

fn acked_first(one: &Try) -> bool {
    one.policy.ack == AckOrder::Before && one.acked()
}

/// True for a death between the effect and the commit of one transaction.
fn rolls_back(one: &Try, place: Spot) -> bool {
    one.in_bracket() && matches!(place, Spot::After(Point::Effect | Point::Key)) && !one.recognised()
}

/// `wrote the only row`, `found no key and wrote row 47`.
fn wrote(one: &Try, row: Row, at: usize, rows: usize) -> String {
    let looked = at > 0 && one.policy.dedup.memory() != Memory::None;
    match (rows, looked) {
        (1, _) => "wrote the only row".to_owned(),
        (_, true) => format!("found no key and wrote row {row}"),
        (_, false) => format!("wrote row {row}"),
    }
}

/// What went wrong after its row was written.
fn afterwards(one: &Try) -> &'static str {
    let refused = matches!(one.end(), Some((End::RefusedAck, _)));
    match (one.ack_lost(), one.expired(), refused) {
        (true, ..) => ", its ack was lost",
        (_, Some(_), true) => ", too late: its lease was over",
        (_, Some(_), false) => ", its lease was over",
        _ => "",
    }
}

fn without_a_row(one: &Try) -> &'static str {
    match one.end().map(|(how, _)| how) {
        _ if one.fenced() => "was refused by the fence",
        _ if one.recognised() => "found the key and wrote nothing",
        Some(End::Failed(_)) if acked_first(one) => "acked first and failed",
        Some(End::Failed(_)) => "failed",
        Some(End::RefusedAck) => "came too late to ack, and wrote nothing",
        Some(End::LeaseLost) => "gave up: its lease was gone",
        Some(End::Quit) => "was stopped by the end of the run",
        Some(_) => "wrote nothing",
        None if one.expired().is_some() => "lost its lease and is still at it",
        None => "is at it",
    }
}
