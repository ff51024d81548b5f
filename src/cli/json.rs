//! The report for programs: one JSON object with a format version.
//!
//! Its counters have the names of the board's counters; what is added later is added beside them, and the version
//! grows when a name changes its meaning or goes.

use serde::Serialize;

use super::account::Account;
use super::outcome::Outcome;
use super::report::Context;
use crate::board::{Counters, Word};
use crate::event::Finish;
use crate::ids::Job;
use crate::policy::{Policy, Promise};
use crate::request::FinalCounts;
use crate::setup::{Driver, Setup};

/// The version of the format.
pub const FORMAT: u32 = 1;
/// What wrote it.
pub(super) const PROGRAM: &str = concat!("onceish ", env!("CARGO_PKG_VERSION"));

/// What the object of every command that measures begins with.
#[derive(Serialize)]
pub(super) struct Head {
    format: u32,
    program: &'static str,
    command: &'static str,
    seed: u64,
    driver: Driver,
}

impl Head {
    /// Of runs with this seed on this driver.
    pub fn of(command: &'static str, seed: u64, driver: Driver) -> Head {
        Head { format: FORMAT, program: PROGRAM, command, seed, driver }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    program: &'a str,
    #[serde(flatten)]
    counters: Counters,
    promise: Promise,
    verdict: Word,
    why: &'a str,
    seed: u64,
    driver: Driver,
    policy: &'a Policy,
    elapsed_s: f64,
    jumped_s: f64,
    jobs_per_s: f64,
    audit: Option<FinalCounts>,
    agree: bool,
    finish: Option<&'a Finish>,
    violations: &'a [String],
    lists: Vec<List>,
    lost_jobs: Vec<Job>,
    duplicated_jobs: Vec<Job>,
    warnings: &'a [String],
    database: Option<Database>,
    recording: Option<String>,
    digest: Option<&'a str>,
    setup: &'a Setup,
    exit: Exit<'a>,
}

#[derive(Serialize)]
struct List {
    strike: String,
    struck: u64,
    had_to: u64,
}

#[derive(Serialize)]
struct Database {
    path: String,
    run: i64,
}

/// The exit code and why it is that one.
#[derive(Serialize)]
pub(super) struct Exit<'a> {
    code: u8,
    reason: &'a str,
}

impl Exit<'_> {
    /// How a report says what `outcome` says.
    pub fn of(outcome: &Outcome) -> Exit<'_> {
        Exit { code: outcome.code, reason: &outcome.reason }
    }
}

/// The object, on one line that ends with a line feed, in printable ASCII: everything else is escaped.
pub fn json(account: &Account, outcome: &Outcome, context: Context<'_>) -> String {
    let list = |(strike, _, (struck, had_to)): (&crate::setup::Strike, bool, (u64, u64))| List {
        strike: strike.to_string(),
        struck,
        had_to,
    };
    let report = Report {
        format: FORMAT,
        program: PROGRAM,
        counters: account.counters,
        promise: account.verdict.promise,
        verdict: account.verdict.word,
        why: &account.verdict.why,
        seed: account.setup.seed,
        driver: account.setup.driver,
        policy: &account.policy,
        elapsed_s: account.elapsed.as_secs_f64(),
        jumped_s: account.jumped.as_seconds(),
        jobs_per_s: account.jobs_per_second(),
        audit: account.counts,
        agree: account.agree,
        finish: account.finish.as_ref(),
        violations: &account.violations,
        lists: account.lists().map(list).collect(),
        lost_jobs: account.harm.lost.iter().copied().collect(),
        duplicated_jobs: account.harm.twice.iter().copied().collect(),
        warnings: context.warnings,
        database: context.database.map(|(path, run)| Database { path: path.to_string_lossy().into_owned(), run }),
        recording: context.recording.map(|path| path.to_string_lossy().into_owned()),
        digest: context.digest,
        setup: &account.setup,
        exit: Exit::of(outcome),
    };
    line(&report)
}

/// `data` as JSON on one line that ends with a line feed, in printable ASCII.
pub fn line(data: &impl Serialize) -> String {
    escaped(&serde_json::to_string(data).expect("plain data has a JSON form")) + "\n"
}

/// Writes what is not printable ASCII, which in JSON stands in strings only, in JSON's own escapes, so that no
/// terminal acts on it.
fn escaped(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, ' '..='~') {
            ascii.push(c);
        } else {
            let mut units = [0; 2];
            ascii.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::account::examples::two_writes;
    use super::super::outcome::judge;
    use super::*;

    fn object(account: &Account) -> Value {
        serde_json::from_str(&json(account, &judge(account), Context::default())).expect("JSON")
    }

    /// The names that are promised to programs.
    const NAMES: &str = "jobs enqueued deliveries redeliveries acked acks_lost stale_acks repeated_acks nacked failed \
        aborted refused released renewals beats_lost replies_lost stale_renewals expirations crashes deaths \
        dedup_hits fenced effects extra_effects once duplicated lost pending waiting leased unprotected done dead \
        dead_applied redriven at_risk order_gaps overtaken outdated promise verdict seed driver policy elapsed_s \
        jumped_s jobs_per_s audit format";

    #[test]
    fn every_promised_name_is_there() {
        let object = object(&two_writes());
        for name in NAMES.split_whitespace() {
            assert!(object.get(name).is_some(), "{name} is missing");
        }
    }

    #[test]
    fn the_figures_are_those_of_the_account() {
        let object = object(&two_writes());
        assert_eq!(object["duplicated"], 398);
        assert_eq!(object["audit"]["rows"], 20_398);
        assert_eq!(object["verdict"], "BROKEN");
        assert_eq!(object["promise"], "effectively-once");
        assert_eq!(object["policy"]["dedup"], "effect-then-key");
        assert_eq!(object["exit"]["code"], 1);
        assert_eq!(object["duplicated_jobs"].as_array().map(Vec::len), Some(398));
        assert_eq!(object["lists"][0]["struck"], 398);
    }

    #[test]
    fn a_missing_audit_is_null() {
        assert!(object(&Account { counts: None, ..two_writes() })["audit"].is_null());
    }

    #[test]
    fn foreign_text_is_escaped_and_not_changed() {
        let nasty = "a\u{1b}[2J\u{9b}6n\u{202e}\u{7f}\u{1f980}\"\n";
        let mut account = two_writes();
        account.violations.push(nasty.to_owned());
        let text = json(&account, &judge(&account), Context::default());
        assert!(text.trim_end().bytes().all(|b| matches!(b, b' '..=b'~')) && text.lines().count() == 1, "{text:?}");
        assert_eq!(object(&account)["violations"][0], nasty);
    }
}
