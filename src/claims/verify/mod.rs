//! The hands-on page's claims, re-derived: each from runs of the whole engine, and each by something that can fail.
//!
//! In reading order: [`figures`] are what the page says, as data; [`cases`] is what is run for it; `runs` is what came
//! of that; a [`sheet`] has the two side by side; `claims` are the nine claims and the assembly; and [`mod@findings`] is
//! where the page is wrong. What a report looks like, and who runs the runs, is left to others.

pub mod cases;
mod claims;
pub mod figures;
pub mod findings;
mod runs;
pub mod sheet;

use std::collections::BTreeSet;

use serde::Serialize;

use self::cases::Case;
use self::claims::Statement;
use self::findings::{Finding, findings};
use self::runs::Runs;
use self::sheet::{Check, Sheet, Table};
use crate::claims::Runner;
use crate::request::SinkError;
use crate::setup::Driver;

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every figure is the page's, and everything else that has to hold does.
    Pass,
    /// Something does not hold.
    Fail,
    /// The driver cannot make it.
    NotRun,
}

/// A claim and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// Its number; `None` for the assembly.
    pub number: Option<u8>,
    /// The claim.
    pub words: &'static str,
    /// Whether it holds.
    pub outcome: Outcome,
    /// What came of it, in a few words.
    pub came: String,
    /// The page's tables beside ours.
    pub tables: Vec<Table>,
    /// What else has to hold.
    pub checks: Vec<Check>,
}

impl Claim {
    /// What does not hold, in words.
    pub fn wrong(&self) -> impl Iterator<Item = &str> {
        self.checks.iter().filter(|check| !check.holds).map(|check| check.what.as_str())
    }
}

/// All claims and what came of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// What drove the runs.
    pub driver: Driver,
    /// How many runs were made.
    pub runs: usize,
    /// The nine claims.
    pub claims: Vec<Claim>,
    /// The page's last table, of four designs.
    pub assembly: Claim,
    /// Where the page is wrong.
    pub findings: Vec<Finding>,
    /// The digest of the runs' digests, in virtual time: the same always, and everywhere.
    pub digest: Option<String>,
}

impl Verification {
    /// How many of the nine claims were checked, and how many of those hold.
    pub fn tally(&self) -> (usize, usize) {
        let many = |outcome| self.claims.iter().filter(|claim| claim.outcome == outcome).count();
        (many(Outcome::Pass) + many(Outcome::Fail), many(Outcome::Pass))
    }

    /// True when everything that was checked holds.
    pub fn holds(&self) -> bool {
        self.claims.iter().chain([&self.assembly]).all(|claim| claim.outcome != Outcome::Fail)
    }
}

/// Every run that [`verify`] makes on `driver`.
pub fn asked(driver: Driver) -> BTreeSet<Case> {
    let none = Runs::default();
    let ask = |statement: &Statement| {
        let mut sheet = Sheet::new(driver, &none);
        (statement.judge)(&mut sheet);
        sheet.asked()
    };
    claims::ALL.iter().flat_map(ask).collect()
}

/// Has all runs made by `runner` on `driver`, and judges every claim that this driver can make.
///
/// # Errors
/// What the sink says when it cannot be used.
pub fn verify(runner: &dyn Runner, driver: Driver) -> Result<Verification, SinkError> {
    verify_with(runner, driver, |_| true)
}

/// The same with only some of the cases, and so without the rows and checks that need others.
pub(crate) fn verify_with(
    runner: &dyn Runner,
    driver: Driver,
    wanted: impl Fn(&Case) -> bool,
) -> Result<Verification, SinkError> {
    let cases = asked(driver).into_iter().filter(wanted).collect();
    let runs = Runs::make(runner, driver, &cases)?;
    let mut claims: Vec<Claim> = claims::ALL.iter().map(|statement| judge(statement, driver, &runs)).collect();
    let assembly = claims.pop().expect("the assembly is the last");
    let (findings, digest) = (findings(&runs), runs.digest());
    Ok(Verification { driver, runs: runs.made(), claims, assembly, findings, digest })
}

fn judge(statement: &Statement, driver: Driver, runs: &Runs) -> Claim {
    let mut sheet = Sheet::new(driver, runs);
    let came = (statement.judge)(&mut sheet);
    let (tables, checks) = sheet.close();
    let figures_hold = tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.figures).all(|f| f.holds());
    let outcome = match (tables.is_empty(), figures_hold && checks.iter().all(|check| check.holds)) {
        (true, _) => Outcome::NotRun,
        (false, true) => Outcome::Pass,
        (false, false) => Outcome::Fail,
    };
    Claim { number: statement.number, words: statement.words, outcome, came, tables, checks }
}
