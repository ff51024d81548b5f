//! What came of the runs, in the few figures that claims are made of, and whether a run can be relied on at all.

use std::collections::{BTreeMap, BTreeSet};

use super::cases::Case;
use super::figures::JOBS;
use crate::board::{Board, Counters};
use crate::claims::{Ran, Runner, Soundness, digest_of, measure};
use crate::ids::Job;
use crate::request::{FinalCounts, SinkError};
use crate::setup::Driver;

/// What came of one run.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What the board counted.
    pub counters: Counters,
    /// What SQL counted.
    pub sql: FinalCounts,
    /// The jobs that were lost.
    pub lost: BTreeSet<u32>,
    /// The jobs that were applied more than once.
    pub twice: BTreeSet<u32>,
    /// Why nothing can be made of this run, in words; empty for a sound one.
    pub unsound: Vec<String>,
    /// The digest of its log, in virtual time.
    pub digest: Option<String>,
}

impl Facts {
    fn of(ran: &Ran) -> Facts {
        let board = &ran.board;
        let ids = |jobs: &BTreeSet<Job>| jobs.iter().map(|job| job.0).collect();
        let sql = board.finished().and_then(|(_, counts)| counts.copied());
        Facts {
            counters: board.counters(),
            sql: sql.unwrap_or_default(),
            lost: ids(&board.harm().lost),
            twice: ids(&board.harm().twice),
            unsound: unsound(board),
            digest: ran.digest.clone(),
        }
    }
}

/// Why nothing can be made of a run: it has to have drained with every job of the page, both witnesses have to agree
/// without an invariant violated, and whoever had to be struck has to have been.
fn unsound(board: &Board) -> Vec<String> {
    let Soundness { agree, violations, unfinished, lists } = Soundness::of(board);
    let mut why: Vec<String> = unfinished.into_iter().collect();
    if board.counters().enqueued != JOBS {
        why.push(format!("it had {} jobs", board.counters().enqueued));
    }
    if !agree {
        why.push("board and SQL differ".to_owned());
    }
    why.extend(violations.iter().map(|text| format!("violated: {text}")));
    let missed = lists.iter().filter(|list| list.struck != list.had_to || list.struck == 0);
    why.extend(missed.map(|list| format!("{} struck {} of {} jobs", list.strike, list.struck, list.had_to)));
    why
}

/// The runs that were made.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    facts: BTreeMap<Case, Facts>,
}

impl Runs {
    /// Has every one of `cases` run by `runner` on `driver`.
    pub fn make(runner: &dyn Runner, driver: Driver, cases: &BTreeSet<Case>) -> Result<Runs, SinkError> {
        let setups: Vec<_> = cases.iter().map(|case| case.setup(driver)).collect();
        let facts = measure(runner, &setups, |_, ran| Facts::of(ran))?;
        Ok(Runs { facts: cases.iter().copied().zip(facts).collect() })
    }

    /// What came of a case, if it was run.
    pub fn of(&self, case: Case) -> Option<&Facts> {
        self.facts.get(&case)
    }

    /// How many were made.
    pub fn made(&self) -> usize {
        self.facts.len()
    }

    /// The digest of the logs in the order of the cases, in virtual time.
    pub fn digest(&self) -> Option<String> {
        digest_of(self.facts.values().map(|facts| &facts.digest))
    }
}
