//! `onceish compare`: one stream of jobs and deaths under several policies, and which jobs each of them harmed.

use std::collections::BTreeSet;

use serde::Serialize;

use super::args::CompareArgs;
use super::comparison::{self, judge};
use super::failure::{self, Failure};
use super::json;
use super::outcome::Outcome;
use super::report::{chances, listed};
use super::screen;
use super::setup::{errors, put_crew, put_faults, put_policy, put_workload, warnings};
use super::words::{self, labelled};
use crate::board::Word;
use crate::claims::compare::{self, Contender, Harmed, Kind, MOST, Row, harmed};
use crate::claims::digest_of;
use crate::ids::Job;
use crate::page;
use crate::setup::{Driver, PAGE_JOBS, Setup, Whom};
use crate::text::{clean, count, counted};

/// Where the text begins under the table.
const INDENT: usize = 10;
/// The widest name that stands on one line with its figures.
const WIDEST_NAME: usize = 24;

/// What is to be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// What all rows have in common.
    pub base: Setup,
    /// Whose workers die, if any do.
    pub whom: Option<Whom>,
    /// The policies.
    pub contenders: Vec<Contender>,
    /// What the reader should know, in sentences.
    pub warnings: Vec<String>,
}

/// Compares as the flags say and prints the table. The result is the exit code.
pub fn compare(args: &CompareArgs) -> Result<u8, Failure> {
    if args.on_screen {
        return show(args);
    }
    let order = prepare(args).map_err(Failure::Usage)?;
    let asked = order.clone();
    let rows = comparison::perform(order.contenders.len(), move |runner| {
        compare::compare(runner, &asked.base, asked.whom.as_ref(), &asked.contenders)
    })?;
    let outcome = judged(&rows);
    let text = if args.measuring.json {
        json::line(&Report::of(&order, &rows, &outcome))
    } else {
        text(&order, &rows, &outcome)
    };
    failure::print(&text).map(|()| outcome.code)
}

/// Shows two policies side by side until the operator leaves. The result is the exit code.
fn show(args: &CompareArgs) -> Result<u8, Failure> {
    let order = prepare(args).map_err(Failure::Usage)?;
    screen::require_terminal("onceish compare without --screen")?;
    let setup = |contender| compare::setup(&order.base, order.whom.as_ref(), contender);
    let setups: Vec<Setup> = order.contenders.iter().map(setup).collect();
    let setups = setups.try_into().expect("as many as were checked for");
    screen::compare(setups, &order.warnings, &args.screen)
}

/// Puts the flags over the defaults and checks the whole. The error holds a line for each thing that is wrong.
pub fn prepare(args: &CompareArgs) -> Result<Order, Vec<String>> {
    let seed = args.measuring.seed();
    let mut base = if args.on_screen { Setup::sandbox(seed) } else { Setup::headless(seed) };
    base.driver = args.measuring.driver();
    if !args.on_screen {
        base.workload.jobs = Some(PAGE_JOBS);
        base.workers = 8;
    }
    put_policy(&args.policy, &mut base.policy);
    put_workload(&args.workload, &mut base);
    put_faults(&args.faults, &mut base);
    put_crew(&args.crew, &mut base);
    let nobody = if args.on_screen { None } else { Some(Whom::Page) };
    let whom = args.crash.as_ref().map_or(nobody, |deaths| deaths.0.clone());
    let mut wrong = Vec::new();
    let contenders = contenders(args, &base, &mut wrong);
    if args.on_screen {
        wrong.extend(not_for_the_screen(&base, &contenders));
    }
    let mut warned = Vec::new();
    for contender in &contenders {
        let setup = compare::setup(&base, whom.as_ref(), contender);
        add_new(&mut wrong, errors(&setup));
        if !args.on_screen {
            add_new(&mut wrong, comparison::endless(&setup));
        }
        add_new(&mut warned, warnings(&setup));
    }
    if wrong.is_empty() { Ok(Order { base, whom, contenders, warnings: warned }) } else { Err(wrong) }
}

/// Why this cannot be shown side by side.
fn not_for_the_screen(base: &Setup, contenders: &[Contender]) -> Vec<String> {
    let mut wrong = Vec::new();
    if base.driver == Driver::Threads {
        wrong.push(
            "--screen compares in virtual time, where both sides see the same moments: leave --driver out".into(),
        );
    }
    if contenders.len() != 2 {
        wrong.push(format!("--screen shows two policies side by side, and {} are given", contenders.len()));
    }
    wrong
}

/// Adds what is not among the lines yet: most of it is said of every row.
pub(super) fn add_new(lines: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for line in more {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
}

/// The policies that are asked for. What is wrong with them is added to `wrong`.
fn contenders(args: &CompareArgs, base: &Setup, wrong: &mut Vec<String>) -> Vec<Contender> {
    if args.policies.is_empty() {
        let mut presets = Contender::presets(&base.policy);
        return if args.on_screen { presets.split_off(2) } else { presets };
    }
    if args.policies.len() > MOST {
        wrong.push(format!("--policy is given {} times: at most {MOST} are compared at once", args.policies.len()));
        return Vec::new();
    }
    let mut contenders: Vec<Contender> = Vec::new();
    for spec in &args.policies {
        match Contender::of(spec, &base.policy) {
            Err(error) => wrong.push(format!("--policy {spec}: {error}")),
            Ok(new) => match contenders.iter().find(|old| old.same_as(&new)) {
                Some(old) if old.name == new.name => wrong.push(format!("--policy {spec} is given twice")),
                Some(old) => wrong.push(format!("--policy {spec} is the same as {}, with the same gap", old.name)),
                None => contenders.push(new),
            },
        }
    }
    contenders
}

fn judged(rows: &[Row]) -> Outcome {
    let labels: Vec<String> = rows.iter().map(Row::label).collect();
    let runs = labels.iter().map(String::as_str).zip(rows.iter().map(|row| &row.soundness));
    judge(runs, "board and SQL agree in every row")
}

/// The whole text of at most 80 columns.
fn text(order: &Order, rows: &[Row], outcome: &Outcome) -> String {
    let mut text = labelled("onceish compare", 18, &headline(order)) + "\n" + &table(rows) + "\n";
    text += &ids(rows);
    text += &labelled("crashes", INDENT, &crashes(rows));
    text += &elsewhere(rows);
    for (i, chance) in chances(&order.base).iter().enumerate() {
        text += &labelled(if i == 0 { "faults" } else { "" }, INDENT, chance);
    }
    order.warnings.iter().for_each(|warning| text += &labelled("warning", INDENT, &clean(warning)));
    if let Some(digest) = digest_of(rows.iter().map(|row| &row.digest)) {
        text += &labelled("digest", INDENT, &format!("{} of all rows", comparison::short(&digest)));
    }
    text + &comparison::exit_line(outcome, INDENT)
}

fn headline(order: &Order) -> String {
    let setup = &order.base;
    let jobs = match (setup.workload.jobs, setup.workload.stream_for) {
        (Some(jobs), _) => counted(jobs.into(), "job", "jobs"),
        (None, Some(span)) => format!("jobs for {}", words::span(span)),
        (None, None) => "jobs without end".to_owned(),
    };
    let deaths = match &order.whom {
        None => "no crashes".to_owned(),
        Some(Whom::Rate(rate)) => format!("crashes in {} of the attempts", words::percent(*rate)),
        Some(Whom::Page) => {
            let all = setup.workload.jobs.unwrap_or(PAGE_JOBS);
            format!("the page's {}", counted(page::crashes().range(..all).count() as u64, "crash", "crashes"))
        }
        Some(Whom::Ids(ids)) => counted(ids.len() as u64, "crash", "crashes"),
    };
    format!("{jobs}, {deaths}, {}, seed {}", setup.driver, setup.seed)
}

/// The table. A name that is too long for its column stands on a line of its own.
fn table(rows: &[Row]) -> String {
    let labels: Vec<String> = rows.iter().map(Row::label).collect();
    let name_width = labels.iter().map(String::len).filter(|len| *len <= WIDEST_NAME).max().unwrap_or(6).max(6) + 2;
    let figures = figures(rows);
    let room = words::WIDTH - figures[0].len();
    let (indent, apart) = if name_width <= room { (name_width, false) } else { (2, true) };
    let mut text = format!("{:<indent$}", if apart { "" } else { "policy" }) + &figures[0] + "\n";
    for (label, figures) in labels.iter().zip(&figures[1..]) {
        let label = clean(label);
        if apart || label.len() + 2 > indent {
            text += &labelled("", 0, &label);
            text += &format!("{:indent$}{figures}\n", "");
        } else {
            text += &format!("{label:<indent$}{figures}\n");
        }
    }
    text
}

/// The heading and the rows without their names, in columns.
fn figures(rows: &[Row]) -> Vec<String> {
    let mut lines: Vec<[String; 6]> =
        vec![["lost", "once", "twice", "deliveries", "promise", "verdict"].map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        let n = &row.counters;
        let [lost, once, twice, deliveries] = [n.lost, n.once, n.duplicated, n.deliveries].map(count);
        [lost, once, twice, deliveries, row.promise.to_string(), verdict(row.verdict)]
    }));
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or_default();
    let widths: [usize; 6] = std::array::from_fn(width);
    let line = |[lost, once, twice, deliveries, promise, verdict]: &[String; 6]| {
        let [a, b, c, d, e, _] = widths;
        format!("{lost:>a$}  {once:>b$}  {twice:>c$}  {deliveries:>d$}  {promise:<e$}  {verdict}")
    };
    let longest = lines.iter().map(|l| line(l).len()).max().unwrap_or_default();
    let mut lines: Vec<String> = lines.iter().map(line).collect();
    lines[0] = format!("{:<longest$}", lines[0]);
    lines
}

/// A verdict in a word; only a broken promise is loud.
fn verdict(word: Word) -> String {
    if word == Word::Broken { word.to_string() } else { word.to_string().to_lowercase() }
}

/// Which rows harmed the very same jobs, and how other sets differ from the first.
fn ids(rows: &[Row]) -> String {
    let sets = harmed(rows);
    let Some((first, others)) = sets.split_first() else {
        return labelled("ids", INDENT, "no job came to harm in any row");
    };
    let mut text = same(first, rows);
    for set in others {
        text += &same(set, rows);
        let only = |a: &BTreeSet<Job>, b: &BTreeSet<Job>| count(a.difference(b).count() as u64);
        let (here, there) = (only(set.jobs, first.jobs), only(first.jobs, set.jobs));
        let reference = whose(first.by[0], rows);
        text += &labelled("", INDENT, &format!("{here} only here, {there} only {reference}"));
    }
    text
}

/// One set of jobs with all who harmed exactly these.
fn same(set: &Harmed<'_>, rows: &[Row]) -> String {
    let by: Vec<String> = set.by.iter().map(|it| whose(*it, rows)).collect();
    let label = if by.len() > 1 { "same ids" } else { "ids" };
    labelled(label, INDENT, &by.join(" = ")) + &labelled("", INDENT, &listed(set.jobs.iter().copied()))
}

/// A harm and its row, with its gap where the name alone does not tell: `lost by at-most-once`.
fn whose((place, kind): (usize, Kind), rows: &[Row]) -> String {
    let row = &rows[place];
    let alone = rows.iter().filter(|other| other.name == row.name).count() == 1;
    let name = if alone { row.name.clone() } else { row.label() };
    format!("{kind} by {}", clean(&name))
}

/// How many workers died in each row.
fn crashes(rows: &[Row]) -> String {
    let counts: Vec<u64> = rows.iter().map(|row| row.counters.crashes).collect();
    let first = counts.first().copied().unwrap_or_default();
    if counts.iter().all(|n| *n == first) {
        return format!("{} struck in every row", count(first));
    }
    let each: Vec<String> =
        rows.iter().zip(&counts).map(|(row, n)| format!("{} in {}", count(*n), row.label())).collect();
    clean(&each.join(", ")).into_owned()
}

/// Jobs with a fate that has no column, where there are any.
fn elsewhere(rows: &[Row]) -> String {
    let mut text = String::new();
    for (name, of) in [("dead", dead as fn(&Row) -> u64), ("pending", |row| row.counters.pending)] {
        let each = rows.iter().filter(|row| of(row) > 0).map(|row| format!("{} in {}", count(of(row)), row.label()));
        let each: Vec<String> = each.collect();
        if !each.is_empty() {
            text += &labelled(name, INDENT, &clean(&each.join(", ")));
        }
    }
    text
}

fn dead(row: &Row) -> u64 {
    row.counters.dead_unapplied()
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    head: json::Head,
    crash: Option<String>,
    rows: &'a [Row],
    /// The sets of jobs that came to harm, each with the rows that harmed exactly these.
    harmed: Vec<Set<'a>>,
    digest: Option<String>,
    warnings: &'a [String],
    setup: &'a Setup,
    exit: json::Exit<'a>,
}

#[derive(Serialize)]
struct Set<'a> {
    by: Vec<By<'a>>,
    jobs: &'a BTreeSet<Job>,
}

#[derive(Serialize)]
struct By<'a> {
    row: usize,
    name: &'a str,
    harm: Kind,
}

impl Report<'_> {
    fn of<'a>(order: &'a Order, rows: &'a [Row], outcome: &'a Outcome) -> Report<'a> {
        let by = |(row, harm): (usize, Kind)| By { row, name: &rows[row].name, harm };
        let set = |set: Harmed<'a>| Set { by: set.by.into_iter().map(by).collect(), jobs: set.jobs };
        Report {
            head: json::Head::of("compare", order.base.seed, order.base.driver),
            crash: order.whom.as_ref().map(ToString::to_string),
            rows,
            harmed: harmed(rows).into_iter().map(set).collect(),
            digest: digest_of(rows.iter().map(|row| &row.digest)),
            warnings: &order.warnings,
            setup: &order.base,
            exit: json::Exit::of(outcome),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::super::args::{Cli, Command, command};
    use super::*;
    use crate::board::Counters;
    use crate::claims::Soundness;
    use crate::policy::Dedup;
    use crate::time::Span;

    fn asked(words: &[&str]) -> Result<Order, Vec<String>> {
        let words = ["onceish", "compare"].iter().chain(words);
        let matches = command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{error}"));
        match Cli::from_arg_matches(&matches).expect("matches").command {
            Some(Command::Compare(args)) => prepare(&args),
            other => panic!("not a comparison: {other:?}"),
        }
    }

    /// A row of the page's stream with figures written down by hand.
    fn row(text: &str, lost: &[u32], twice: &[u32]) -> Row {
        let spec = text.parse().expect("a policy");
        let contender = Contender::of(&spec, &crate::policy::Policy::default()).expect("a gap");
        let (n, m) = (lost.len() as u64, twice.len() as u64);
        let broken = contender.policy.promise().forbids_loss() && n > 0
            || contender.policy.promise().forbids_duplicates() && m > 0;
        let ids = |ids: &[u32]| ids.iter().copied().map(Job).collect();
        Row {
            name: contender.name.clone(),
            at: Some(contender.at),
            promise: contender.policy.promise(),
            policy: contender.policy,
            counters: Counters {
                lost: n,
                once: 20_000 - n - m,
                duplicated: m,
                deliveries: 20_000,
                crashes: 398,
                ..Counters::default()
            },
            verdict: if broken { Word::Broken } else { Word::Kept },
            why: String::new(),
            soundness: Soundness { agree: true, ..Soundness::default() },
            digest: None,
            lost_jobs: ids(lost),
            duplicated_jobs: ids(twice),
        }
    }

    fn printed(rows: &[Row]) -> String {
        let order = asked(&[]).expect("the defaults");
        let text = text(&order, rows, &judged(rows));
        assert!(text.is_ascii() && text.lines().all(|line| line.len() <= words::WIDTH), "{text}");
        text
    }

    #[test]
    fn the_page_is_compared_as_it_is_drawn() {
        let ids: Vec<u32> = page::crashes().iter().copied().collect();
        let rows = [
            row("at-most-once", &ids, &[]),
            row("at-least-once", &[], &ids),
            row("two-write", &[], &ids),
            row("transactional", &[], &[]),
        ];
        let wanted = "\
onceish compare   20,000 jobs, the page's 398 crashes, simulation, seed 1

policy                lost    once  twice  deliveries  promise           verdict
at-most-once@ack       398  19,602      0      20,000  at-most-once      kept
at-least-once@effect     0  19,602    398      20,000  at-least-once     kept
two-write@effect         0  19,602    398      20,000  effectively-once  BROKEN
transactional@effect     0  20,000      0      20,000  effectively-once  kept

same ids  lost by at-most-once = twice by at-least-once = twice by two-write
          16, 102, 112, 139, 168 and 393 more
crashes   398 struck in every row
exit 0    board and SQL agree in every row
";
        assert_eq!(printed(&rows), wanted);
    }

    #[test]
    fn sets_that_differ_have_lines_of_their_own_with_what_is_only_here_or_there() {
        let rows = [row("at-least-once", &[], &[1, 2, 3]), row("window:5", &[], &[2, 3, 4, 5])];
        let text = printed(&rows);
        let wanted = "\
ids       twice by at-least-once
          1, 2, 3
ids       twice by window:5
          2, 3, 4, 5
          2 only here, 1 only twice by at-least-once
";
        assert!(text.contains(wanted), "{text}");
    }

    #[test]
    fn rows_of_one_name_are_told_apart_by_their_gap() {
        let text = printed(&[row("two-write@effect", &[], &[7]), row("two-write@key", &[], &[7])]);
        assert!(text.contains("same ids  twice by two-write@effect = twice by two-write@key\n"), "{text}");
    }

    #[test]
    fn a_long_name_and_great_figures_still_fit() {
        let mut rows = [row("ack=after dedup=window:1000 lease=5s renew=off attempts=2 at=effect", &[], &[])];
        assert!(printed(&rows).contains("\nack=after dedup=window:1000 lease=5s renew=off attempts=2 at=effect\n   "));
        let n = &mut rows[0].counters;
        (n.lost, n.once, n.duplicated, n.deliveries) = (10_000_000, 10_000_000, 10_000_000, 3_000_000_000);
        assert!(printed(&rows).contains("3,000,000,000"));
    }

    #[test]
    fn without_flags_the_page_is_compared_on_eight_workers_in_virtual_time() {
        let order = asked(&[]).expect("the defaults");
        assert_eq!((order.base.workload.jobs, order.base.workers), (Some(20_000), 8));
        assert_eq!((order.base.driver, order.whom), (crate::setup::Driver::Simulation, Some(Whom::Page)));
        assert_eq!(order.contenders.len(), 4);
    }

    #[test]
    fn what_a_policy_leaves_open_is_as_the_flags_say() {
        let order = asked(&["--lease", "5s", "--fence", "--policy", "two-write", "--policy", "window:9 lease=7s"]);
        let contenders = order.expect("fine").contenders;
        assert_eq!(contenders[0].policy.lease, Span::seconds(5));
        assert_eq!((contenders[1].policy.lease, contenders[1].policy.dedup), (Span::seconds(7), Dedup::Window(9)));
        assert!(contenders.iter().all(|it| it.policy.fence.is_on()));
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let wrong = asked(&[
            "--policy=two-write",
            "--policy=effect-then-key",
            "--policy=two-write@commit",
            "--policy=two-write",
            "--fail=2%@commit",
        ]);
        let wrong = wrong.expect_err("wrong");
        assert_eq!(wrong[0], "--policy effect-then-key is the same as two-write, with the same gap");
        assert!(wrong[1].ends_with("a point of its program: claim, work, check, effect, key, ack"), "{wrong:?}");
        assert_eq!(wrong[2], "--policy two-write is given twice");
        assert!(wrong[3].starts_with("--fail 2%@commit: no worker stands at commit"), "{wrong:?}");
        assert_eq!(wrong.len(), 4, "{wrong:?}");
    }
}
