//! The sheet that a claim fills in: tables with the page's figure beside ours, and what else has to hold.
//!
//! A claim is told once. On an empty sheet it only says which runs it asks for; on a sheet with those runs it is judged.
//! So nothing can be run that no claim needs, and no claim can rest on a run that was not made for it.

use std::collections::BTreeSet;

use serde::Serialize;

use super::cases::Case;
use super::runs::{Facts, Runs};
use crate::policy::named;
use crate::setup::Driver;

named! {
    /// What is counted in a run.
    Measure {
        /// Jobs lost, by SQL.
        Lost = "lost",
        /// Jobs applied once, by SQL.
        Once = "once",
        /// Jobs applied more than once, by SQL.
        Twice = "twice",
        /// The same, where a window was to keep them from it.
        Escaped = "escaped",
        /// Deliveries that the sink recognised as duplicates.
        Recognised = "recognised",
        /// What an operator would be told of: failed deliveries and dead letters.
        Errors = "errors",
    }
}

impl Measure {
    fn of(self, facts: &Facts) -> u64 {
        match self {
            Measure::Lost => facts.sql.lost,
            Measure::Once => facts.sql.once,
            Measure::Twice | Measure::Escaped => facts.sql.duplicated,
            Measure::Recognised => facts.counters.dedup_hits,
            Measure::Errors => facts.counters.failed + facts.counters.dead,
        }
    }
}

/// Whether a figure has to be the page's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It has to be.
    Exact,
    /// The page is wrong here: both figures are shown.
    Finding,
}

/// A figure of the page beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What is counted.
    pub what: Measure,
    /// What the page says.
    pub page: u64,
    /// What this engine gave.
    pub measured: u64,
    /// What a formula expects, where there is one.
    pub predicted: Option<f64>,
    /// Whether they have to be the same.
    pub kind: Kind,
}

impl Figure {
    /// False when it has to be the page's and is not.
    pub fn holds(&self) -> bool {
        self.kind == Kind::Finding || self.page == self.measured
    }
}

/// A row of a table: one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What was run, in words.
    pub label: String,
    /// The block of the page that it is from.
    pub block: u8,
    /// Its figures, one for each column.
    pub figures: Vec<Figure>,
}

/// A table of the page, filled in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// What is counted in each row.
    pub columns: Vec<Measure>,
    /// A row for each run.
    pub rows: Vec<Row>,
}

/// Something else that has to hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// What, as a sentence that is true when it holds.
    pub what: String,
    /// Whether it does.
    pub holds: bool,
}

/// What a claim has filled in.
pub struct Sheet<'a> {
    driver: Driver,
    runs: &'a Runs,
    asked: BTreeSet<Case>,
    tables: Vec<Table>,
    checks: Vec<Check>,
}

impl<'a> Sheet<'a> {
    /// An empty sheet for the runs that were made on `driver`.
    pub fn new(driver: Driver, runs: &'a Runs) -> Sheet<'a> {
        Sheet { driver, runs, asked: BTreeSet::new(), tables: Vec::new(), checks: Vec::new() }
    }

    /// What came of a run; `None` while it is only asked for.
    pub fn run(&mut self, case: Case) -> Option<&'a Facts> {
        if self.driver == Driver::Simulation || !case.needs_virtual_time() {
            self.asked.insert(case);
        }
        self.runs.of(case)
    }

    /// Begins a table of these columns.
    pub fn table(&mut self, columns: &[Measure]) {
        self.tables.push(Table { columns: columns.to_vec(), rows: Vec::new() });
    }

    /// A row of the table, whose figures have to be the page's.
    pub fn row(&mut self, label: impl Into<String>, case: Case, page: &[u64]) {
        self.add(label.into(), case, page, None, Kind::Exact);
    }

    /// A row of one figure, which has to be the page's and which a formula expects to be about `predicted`.
    pub fn expected_row(&mut self, label: impl Into<String>, case: Case, page: u64, predicted: f64) {
        self.add(label.into(), case, &[page], Some(predicted), Kind::Exact);
    }

    /// A row where the page is wrong.
    pub fn finding_row(&mut self, label: impl Into<String>, case: Case, page: u64, predicted: f64) {
        self.add(label.into(), case, &[page], Some(predicted), Kind::Finding);
    }

    fn add(&mut self, label: String, case: Case, page: &[u64], predicted: Option<f64>, kind: Kind) {
        let Some(facts) = self.run(case) else { return };
        let table = self.tables.last_mut().expect("a table was begun");
        let figure = |(what, page): (&Measure, &u64)| {
            let (what, page) = (*what, *page);
            Figure { what, page, measured: what.of(facts), predicted, kind }
        };
        let figures = table.columns.iter().zip(page).map(figure).collect();
        table.rows.push(Row { label, block: case.block(), figures });
    }

    /// Something that has to hold beside the rows.
    pub fn demand(&mut self, holds: bool, what: impl Into<String>) {
        self.checks.push(Check { what: what.into(), holds });
    }

    /// A count that has to be exactly this.
    pub fn demand_count(&mut self, case: Case, what: &str, counted: u64, wanted: u64) {
        let text = if counted == wanted {
            format!("{case}: {wanted} {what}")
        } else {
            format!("{case}: {wanted} {what}, where there were {counted}")
        };
        self.demand(counted == wanted, text);
    }

    /// The runs that it asks for.
    pub fn asked(self) -> BTreeSet<Case> {
        self.asked
    }

    /// The tables that have rows, and everything that has to hold, the soundness of each run included.
    pub fn close(mut self) -> (Vec<Table>, Vec<Check>) {
        for case in std::mem::take(&mut self.asked) {
            let Some(facts) = self.runs.of(case) else { continue };
            let wrong = facts.unsound.join("; ");
            let holds = wrong.is_empty();
            let why = if holds { String::new() } else { format!(", where {wrong}") };
            self.demand(holds, format!("{case}: it drained, both witnesses agree, all had been struck{why}"));
        }
        self.tables.retain(|table| !table.rows.is_empty());
        (self.tables, self.checks)
    }
}
