//! The report for people: what was promised, what came of it by both witnesses, and why.
//!
//! ASCII, at most 80 columns, and it ends with the exit code's reason. It only words the figures of an [`Account`].

use std::path::Path;

use super::account::Account;
use super::outcome::Outcome;
use super::places::full;
use super::words::{self, labelled};
use crate::ids::Job;
use crate::recording::Folded;
use crate::setup::{Poison, Setup, Strike, Whom};
use crate::text::{clean, count, counted};
use crate::time::Span;

/// Where the text begins in the upper and the lower part.
const INDENT: usize = 10;
/// Where the text begins among the figures.
const FIGURES: usize = 14;
/// Stands for a blank at which no line is broken.
const TIED: &str = "\u{1}";
/// How many jobs are named before the rest is counted.
const NAMED: usize = 5;

/// What stands in a report beside the figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// Standing warnings.
    pub warnings: &'a [String],
    /// The database that was kept and the run's number in it.
    pub database: Option<(&'a Path, i64)>,
    /// The digest of the event log, of a run in virtual time that nobody cut short.
    pub digest: Option<&'a str>,
    /// The recording, by its full path.
    pub recording: Option<&'a Path>,
}

/// The whole report.
pub fn report(account: &Account, outcome: &Outcome, context: Context<'_>) -> String {
    let exit = labelled(&format!("exit {}", outcome.code), INDENT, &clean(&outcome.reason));
    let parts = [
        headline(account),
        premises(account, None),
        witnesses(account) + &figures(account),
        harm(account, context.recording) + &remarks(account, context) + &exit,
    ];
    parts.join("\n")
}

/// The report of a recording that was read to its end.
pub fn recorded(file: &Path, folded: &Folded, account: &Account, outcome: &Outcome) -> String {
    let facts = [
        counted(folded.digest.events(), "event", "events"),
        format!("{} of lab time", words::seconds(folded.board.now().seconds())),
        counted(account.setup.workers.into(), "worker", "workers"),
        account.setup.driver.to_string(),
        format!("seed {}", account.setup.seed),
    ];
    let facts = facts.map(|fact| fact.replace(' ', TIED)).join(", ");
    let digest = folded.digest.to_string();
    let context = Context { recording: Some(&full(file)), digest: Some(&digest), ..Context::default() };
    let exit = labelled(&format!("exit {}", outcome.code), INDENT, &clean(&outcome.reason));
    let parts = [
        labelled("onceish replay", FIGURES + 3, &facts).replace(TIED, " "),
        premises(account, done(folded)),
        witnesses(account) + &traffic(account),
        harm(account, context.recording) + &remarks(account, context) + &exit,
    ];
    parts.join("\n")
}

fn headline(account: &Account) -> String {
    let setup = &account.setup;
    let facts = [
        counted(account.counters.enqueued, "job", "jobs"),
        counted(setup.workers.into(), "worker", "workers"),
        setup.driver.to_string(),
        "SQLite".to_owned(),
        format!("seed {}", setup.seed),
        words::seconds(account.elapsed.as_secs_f64()),
    ];
    // A figure stays on one line with what it counts.
    let facts = facts.map(|fact| fact.replace(' ', TIED)).join(", ");
    labelled("onceish run", FIGURES, &facts).replace(TIED, " ")
}

/// What was done to a recorded run that changed what became of jobs.
fn done(folded: &Folded) -> Option<String> {
    let acts = folded.acts.iter().map(|(by, text)| format!("{} ({by})", clean(text)));
    let more = (folded.more_acts > 0).then(|| format!("{} more", count(folded.more_acts)));
    let acts: Vec<String> = acts.chain(more).collect();
    (!acts.is_empty()).then(|| format!("done to it: {}", acts.join(", ")))
}

/// What was promised, under which policy and faults, and whether it was kept. `done` is what was done to the run.
fn premises(account: &Account, done: Option<String>) -> String {
    let verdict = &account.verdict;
    let mut text = labelled("policy", INDENT, &words::steps(&account.policy));
    text += &labelled("", INDENT, &words::terms(&account.policy));
    for (i, fault) in faults(account, done).iter().enumerate() {
        text += &labelled(if i == 0 { "faults" } else { "" }, INDENT, fault);
    }
    text += &labelled("promise", INDENT, &words::promise(verdict.promise, &account.policy));
    let why = if verdict.why.is_empty() { String::new() } else { format!(": {}", clean(&verdict.why)) };
    text + &labelled("VERDICT", INDENT, &format!("{}{why}", verdict.word))
}

/// The faults of the set-up, a line each, with what each list struck; behind them what was done.
fn faults(account: &Account, done: Option<String>) -> Vec<String> {
    let mut faults: Vec<String> = account.lists().map(|(strike, crash, hits)| list(strike, crash, hits)).collect();
    faults.extend(chances(&account.setup));
    faults.extend(done);
    if faults.is_empty() {
        faults.push("none".to_owned());
    }
    faults
}

/// What strikes by chance, a line each: rates, poison and lost messages.
pub(super) fn chances(setup: &Setup) -> Vec<String> {
    let crashes = setup.crash.iter().filter_map(|strike| rate(strike, "dies"));
    let mut chances: Vec<String> =
        crashes.chain(setup.fail.iter().filter_map(|strike| rate(strike, "fails"))).collect();
    if let Some(poison) = setup.workload.poison {
        let does = match poison.how {
            Poison::Fail => "fails",
            Poison::Crash => "kills its worker",
            Poison::Panic => "panics",
        };
        chances.push(format!("{} poison: each attempt {does}", counted(poison.count.into(), "job is", "jobs are")));
    }
    let losses =
        [("renewals", setup.lose_beats), ("acks", setup.lose_acks), ("the sink's answers", setup.lose_replies)];
    for (what, rate) in losses.into_iter().filter(|(_, rate)| rate.value() > 0.0) {
        chances.push(format!("{what} lost with probability {}", words::percent(rate)));
    }
    chances
}

/// What a list struck, such as `398 workers died after effect (the page's crash list)`.
fn list(strike: &Strike, crash: bool, (struck, had_to): (u64, u64)) -> String {
    let struck = if struck < had_to { format!("{} of {}", count(struck), count(had_to)) } else { count(struck) };
    let what = match (crash, struck == "1") {
        (true, true) => "worker died",
        (true, false) => "workers died",
        (false, true) => "delivery failed",
        (false, false) => "deliveries failed",
    };
    let which = match (&strike.whom, crash) {
        (Whom::Page, true) => "the page's crash list",
        (Whom::Page, false) => "the page's list",
        (_, true) => "the crash list",
        (_, false) => "the failure list",
    };
    format!("{struck} {what} after {} ({which})", strike.at)
}

/// What a rate does, such as `each attempt dies after work with probability 2 %`.
fn rate(strike: &Strike, does: &str) -> Option<String> {
    match &strike.whom {
        Whom::Rate(rate) => {
            Some(format!("each attempt {does} after {} with probability {}", strike.at, words::percent(*rate)))
        }
        Whom::Page | Whom::Ids(_) => None,
    }
}

/// The table of both witnesses.
fn witnesses(account: &Account) -> String {
    let (board, sql) = (&account.counters, account.counts.as_ref());
    let share = |n: u64| match (n, board.enqueued) {
        (0, _) | (_, 0) => String::new(),
        (n, all) => format!("{:>5.2} %", n as f64 * 100.0 / all as f64),
    };
    let applied = board.effects - board.extra_effects;
    let rows = format!("{} + {} extra", counted(applied, "job", "jobs"), count(board.extra_effects));
    let table = [
        ("jobs", board.enqueued, sql.map(|sql| sql.enqueued), String::new()),
        ("lost", board.lost, sql.map(|sql| sql.lost), share(board.lost)),
        ("once", board.once, sql.map(|sql| sql.once), share(board.once)),
        ("twice", board.duplicated, sql.map(|sql| sql.duplicated), share(board.duplicated)),
        ("pending", board.pending, sql.map(|sql| sql.pending), share(board.pending)),
        ("dead", board.dead_unapplied(), sql.map(|sql| sql.dead.saturating_sub(sql.dead_applied)), String::new()),
        ("rows", board.effects, sql.map(|sql| sql.rows), rows),
    ];
    let width = table.iter().map(|(_, board, ..)| count(*board).len() + 2).max().unwrap_or_default().max(INDENT);
    let mut text = format!("{:INDENT$}{:>width$}{:>width$}\n", "", "board", "SQL");
    for (name, board, sql, note) in table {
        let sql = sql.map_or("-".to_owned(), count);
        let line = format!("{name:<INDENT$}{:>width$}{sql:>width$}   {note}", count(board));
        text += line.trim_end();
        text += "\n";
    }
    text
}

/// Queue, deliveries and acks.
fn traffic(account: &Account) -> String {
    let n = &account.counters;
    let queue = format!(
        "{} waiting + {} leased + {} unprotected + {} done + {} dead",
        count(n.waiting),
        count(n.leased),
        count(n.unprotected),
        count(n.done),
        count(n.dead)
    );
    let deliveries = format!(
        "{}, of which {} redelivered; {} ran out",
        count(n.deliveries),
        count(n.redeliveries),
        counted(n.expirations, "lease", "leases")
    );
    let acks = format!(
        "{} accepted, {} stale; {} recognised",
        count(n.acked),
        count(n.stale_acks),
        counted(n.dedup_hits, "duplicate", "duplicates")
    );
    let mut text = labelled("queue", FIGURES, &queue);
    text += &labelled("deliveries", FIGURES, &deliveries);
    text += &labelled("acks", FIGURES, &acks);
    let also = also(account);
    if !also.is_empty() {
        text += &labelled("also", FIGURES, &also.join(", "));
    }
    text
}

/// Queue, deliveries, acks and time.
fn figures(account: &Account) -> String {
    let jumped = match account.jumped {
        Span::ZERO => String::new(),
        jumped => format!("; {} of lease time jumped", words::seconds(jumped.as_seconds())),
    };
    let time = words::seconds(account.elapsed.as_secs_f64());
    let time = format!("{time} ({} jobs/s){jumped}", words::rate(account.jobs_per_second()));
    traffic(account) + &labelled("time", FIGURES, &time)
}

/// Figures that are mostly zero, where they are not.
fn also(account: &Account) -> Vec<String> {
    let n = &account.counters;
    let figures = [
        (n.crashes, "delivery crashed", "deliveries crashed"),
        (n.deaths, "worker died", "workers died"),
        (n.failed, "delivery failed", "deliveries failed"),
        (n.refused, "delivery refused", "deliveries refused"),
        (n.aborted, "delivery aborted", "deliveries aborted"),
        (n.released, "lease given back", "leases given back"),
        (n.repeated_acks, "ack repeated", "acks repeated"),
        (n.acks_lost, "ack lost", "acks lost"),
        (n.beats_lost, "renewal lost", "renewals lost"),
        (n.replies_lost, "answer lost", "answers lost"),
        (n.stale_renewals, "renewal stale", "renewals stale"),
        (n.fenced, "write fenced", "writes fenced"),
        (n.dead_applied, "dead job was applied", "dead jobs were applied"),
        (n.redriven, "job redriven", "jobs redriven"),
        (n.at_risk, "job at risk", "jobs at risk"),
        (n.order_gaps, "gap in an order", "gaps in an order"),
        (n.overtaken, "value overtaken", "values overtaken"),
        (n.outdated, "value outdated", "values outdated"),
    ];
    figures.into_iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| counted(n, one, many)).collect()
}

/// The jobs that came to harm, and why the first of them did.
fn harm(account: &Account, recording: Option<&Path>) -> String {
    let mut text = String::new();
    for (name, jobs) in [("lost", &account.harm.lost), ("twice", &account.harm.twice)] {
        if !jobs.is_empty() {
            text += &labelled(name, INDENT, &listed(jobs.iter().copied()));
        }
    }
    for (i, (job, why)) in account.whys.iter().enumerate() {
        text += &labelled(if i == 0 { "why" } else { "" }, INDENT, &format!("job {job}: {}", clean(why)));
    }
    if let (Some((job, _)), Some(path)) = (account.whys.first(), recording) {
        // It is there to be copied, so that no line is broken within it.
        text += &format!("{:INDENT$}More: onceish explain {} {job}\n", "", words::argument(path));
    }
    text
}

/// The first few jobs by number, and how many more there are.
pub(super) fn listed(jobs: impl ExactSizeIterator<Item = Job>) -> String {
    let more = jobs.len().saturating_sub(NAMED);
    let named: Vec<String> = jobs.take(NAMED).map(|job| job.to_string()).collect();
    let named = named.join(", ");
    if more == 0 { named } else { format!("{named} and {} more", count(more as u64)) }
}

/// Violations, warnings and where the rows are.
fn remarks(account: &Account, context: Context<'_>) -> String {
    let violations = account.violations.iter().map(|text| labelled("VIOLATED", INDENT, &clean(text)));
    let warnings = context.warnings.iter().map(|text| labelled("warning", INDENT, &clean(text)));
    let mut text: String = violations.chain(warnings).collect();
    if account.lock_waits > 0 {
        let waits = counted(account.lock_waits, "time", "times");
        let words = format!("another program held the database locked: workers waited for it {waits}");
        text += &labelled("warning", INDENT, &words);
    }
    if let Some((path, run)) = context.database {
        text += &labelled("database", INDENT, &format!("run {run} in {}", clean(&path.to_string_lossy())));
    }
    if let Some(path) = context.recording {
        text += &format!("recording {}\n", clean(&path.to_string_lossy()));
    }
    if let Some(digest) = context.digest {
        text += &labelled("digest", INDENT, digest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::account::examples::{one_transaction, two_writes};
    use super::super::outcome::judge;
    use super::*;

    fn printed(account: &Account) -> String {
        report(account, &judge(account), Context::default())
    }

    #[test]
    fn a_broken_promise_is_reported_with_both_witnesses_and_the_reason() {
        let wanted = "\
onceish run   20,000 jobs, 8 workers, threads, SQLite, seed 13, 1.2 s

policy    work, write the effect, write the key (two transactions), ack
          lease 30 s, renewed every 9.5 s; 3 tries; key = job id; no fence
faults    398 workers died after effect (the page's crash list)
promise   effectively-once
VERDICT   BROKEN: 398 jobs were applied twice

               board       SQL
jobs          20,000    20,000
lost               0         0
once          19,602    19,602   98.01 %
twice            398       398    1.99 %
pending            0         0
dead               0         0
rows          20,398    20,398   20,000 jobs + 398 extra
queue         0 waiting + 0 leased + 0 unprotected + 20,000 done + 0 dead
deliveries    20,398, of which 398 redelivered; 398 leases ran out
acks          20,000 accepted, 0 stale; 0 duplicates recognised
also          398 deliveries crashed, 398 workers died
time          1.2 s (16,667 jobs/s); 30.1 s of lease time jumped

twice     16, 102, 112, 139, 168 and 393 more
why       job 16: w3 wrote the effect and died before it wrote the key. Nobody
          acked, so 30 s after the last renewal the lease ran out and the job
          went to w5. w5 asked for the key, found none, and did the work again.
exit 1    the promise is broken
";
        assert_eq!(printed(&two_writes()), wanted);
    }

    #[test]
    fn a_recording_is_named_and_how_to_ask_it_for_more() {
        let path = Path::new("/home/me/run 1.jsonl");
        let told = |account: &Account, recording| {
            report(account, &judge(account), Context { recording, ..Context::default() })
        };
        let text = told(&two_writes(), Some(path));
        assert!(text.contains("\n          More: onceish explain '/home/me/run 1.jsonl' 16\n"), "{text}");
        assert!(text.contains("\nrecording /home/me/run 1.jsonl\n"), "{text}");
        assert!(!told(&one_transaction(), Some(path)).contains("More:"), "there is nothing to explain");
        assert!(!told(&two_writes(), None).contains("More:"));
    }

    #[test]
    fn a_headline_that_is_too_long_breaks_between_its_facts() {
        let mut account = one_transaction();
        account.setup.seed = 9_223_372_036_854_775_807;
        account.counters.enqueued = 5;
        account.elapsed = std::time::Duration::from_millis(50);
        let text = printed(&account);
        let wanted =
            "onceish run   5 jobs, 8 workers, threads, SQLite, seed 9223372036854775807,\n              0.05 s\n";
        assert!(text.starts_with(wanted), "{text}");
    }

    #[test]
    fn a_lock_of_another_program_is_warned_of() {
        assert!(!printed(&one_transaction()).contains("locked"));
        let text = printed(&Account { lock_waits: 2, ..one_transaction() });
        assert!(text.contains("\nwarning   another program held the database locked:"), "{text}");
    }

    #[test]
    fn a_kept_promise_names_no_jobs() {
        let text = printed(&one_transaction());
        assert!(text.contains("VERDICT   KEPT\n"), "{text}");
        assert!(!text.contains("why"), "{text}");
        assert!(text.ends_with("exit 0    the promise was kept\n"), "{text}");
    }

    #[test]
    fn a_witness_that_could_not_count_is_a_dash_and_not_a_zero() {
        let text = printed(&Account { counts: None, ..one_transaction() });
        assert!(text.contains("\nlost               0         -\n"), "{text}");
    }

    #[test]
    fn foreign_words_cannot_act_on_the_terminal_and_no_line_is_too_wide() {
        let mut account = two_writes();
        account.violations.push("I2\u{1b}[2J\u{202e} broke ".repeat(20));
        let warnings = ["a\u{9b}31m warning".to_owned()];
        let path = Path::new("/tmp/\u{1b}]0;x\u{7}db");
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let context = Context { warnings: &warnings, database: Some((path, 3)), digest: Some(digest), recording: None };
        let text = report(&account, &judge(&account), context);
        assert!(text.is_ascii() && text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(text.lines().all(|line| line.len() <= words::WIDTH), "{text}");
        assert!(text.contains("database  run 3 in /tmp/]0;xdb\n"), "{text}");
        assert!(text.contains(&format!("\ndigest    {digest}\n")), "{text}");
    }

    #[test]
    fn ten_million_jobs_still_stand_apart_in_the_table() {
        let mut account = one_transaction();
        account.counters.enqueued = 10_000_000;
        let text = printed(&account);
        assert!(text.contains("jobs        10,000,000      20,000\n"), "{text}");
    }

    #[test]
    fn a_list_that_missed_says_how_many_it_struck() {
        let mut account = one_transaction();
        account.struck = vec![(1, 398)];
        assert!(printed(&account).contains("1 of 398 workers died after effect"), "{}", printed(&account));
    }
}
