//! `onceish sweep`: one parameter against what comes of it, as a table with a plot, as CSV or as JSON.

use serde::Serialize;

use super::args::SweepArgs;
use super::compare::add_new;
use super::comparison::{self, judge};
use super::failure::{self, Failure};
use super::json;
use super::outcome::Outcome;
use super::plot::{Dot, plot};
use super::report::chances;
use super::setup::{errors, put_crew, put_faults, put_policy, put_workload, warnings};
use super::words::{self, labelled};
use crate::claims::compare::{Contender, Spec, telling_point};
use crate::claims::digest_of;
use crate::claims::sweep::{self, Parameter, Plan, Prediction, Row, Value};
use crate::policy::{Policy, Setting, SettingName};
use crate::setup::Setup;
use crate::text::{clean, count, counted};

/// Where the text begins above and under the table.
const INDENT: usize = 10;

/// A sweep with what its reader should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The sweep.
    pub plan: Plan,
    /// Standing warnings, in sentences.
    pub warnings: Vec<String>,
}

/// Sweeps as the flags say and prints what came of it. The result is the exit code.
pub fn sweep(args: &SweepArgs) -> Result<u8, Failure> {
    let order = prepare(args).map_err(Failure::Usage)?;
    let plan = order.plan.clone();
    let rows = comparison::perform(plan.sweep.values.len(), move |runner| sweep::sweep(runner, &plan))?;
    let outcome = judged(&rows);
    let text = match (args.measuring.json, args.csv) {
        (true, _) => json::line(&Report::of(&order, &rows, &outcome)),
        (_, true) => csv(order.plan.sweep.parameter, &rows),
        _ => text(&order, &rows, &outcome),
    };
    failure::print(&text)?;
    if args.csv && outcome.code != 0 {
        failure::complain(&comparison::exit_line(&outcome, INDENT));
    }
    Ok(outcome.code)
}

/// Puts the flags over the defaults of the parameter and checks the whole. The error holds a line for each thing that
/// is wrong.
pub fn prepare(args: &SweepArgs) -> Result<Order, Vec<String>> {
    let parameter = args.sweep.parameter;
    let mut base = parameter.defaults(args.measuring.seed());
    base.driver = args.measuring.driver();
    put_policy(&args.policy, &mut base.policy);
    put_workload(&args.workload, &mut base);
    base.crash.clone_from(&args.crash.crash);
    put_faults(&args.faults, &mut base);
    put_crew(&args.crew, &mut base);
    if let Some(asked) = args.redeliver {
        base.workload.redeliver_after = asked.0;
    }
    parameter.default_faults(&mut base);
    let mut wrong = conflicts(args);
    let at = named(args.named.as_ref(), &mut base.policy, &mut wrong);
    let plan = Plan { sweep: args.sweep.clone(), base, at };
    let mut warned = Vec::new();
    for setup in plan.setups() {
        add_new(&mut wrong, errors(&setup));
        add_new(&mut wrong, comparison::endless(&setup));
        add_new(&mut warned, warnings(&setup));
    }
    if wrong.is_empty() { Ok(Order { plan, warnings: warned }) } else { Err(wrong) }
}

/// Puts the policy that `--policy` names over `policy`; gives back where workers die.
fn named(spec: Option<&Spec>, policy: &mut Policy, wrong: &mut Vec<String>) -> crate::policy::Point {
    let Some(spec) = spec else { return telling_point(policy) };
    match Contender::of(spec, policy) {
        Ok(contender) => {
            *policy = contender.policy;
            contender.at
        }
        Err(error) => {
            wrong.push(format!("--policy {spec}: {error}"));
            telling_point(policy)
        }
    }
}

/// What is asked for twice: by the sweep and by a flag.
fn conflicts(args: &SweepArgs) -> Vec<String> {
    let parameter = args.sweep.parameter;
    let settings = args.named.iter().flat_map(|spec| &spec.settings);
    let by_policy = settings.map(|setting| setting.name()).any(|name| Some(name) == parameter.setting());
    let by_flag = match parameter {
        Parameter::Window => args.policy.dedup.map(|_| "--dedup"),
        Parameter::Lease => args.policy.lease.map(|_| "--lease"),
        Parameter::Renewal => args.policy.renew.map(|_| "--renew"),
        Parameter::CrashRate => (!args.crash.crash.is_empty()).then_some("--crash"),
        Parameter::MaxAttempts => args.policy.max_attempts.map(|_| "--max-attempts"),
    };
    let by = by_flag.or(by_policy.then_some("--policy"));
    let mut wrong: Vec<String> = by.map(|by| format!("{by} sets what {parameter} sweeps")).into_iter().collect();
    if parameter != Parameter::CrashRate && args.named.as_ref().is_some_and(|spec| spec.at.is_some()) {
        wrong.push("the gap of --policy is for crash-rate: give --crash WHOM@POINT".to_owned());
    }
    wrong
}

fn judged(rows: &[Row]) -> Outcome {
    let runs = rows.iter().map(|row| (row.value.as_str(), &row.soundness));
    judge(runs, "board and SQL agree at every value")
}

/// The whole text of at most 80 columns.
fn text(order: &Order, rows: &[Row], outcome: &Outcome) -> String {
    let plan = &order.plan;
    let parameter = plan.sweep.parameter;
    let prediction = plan.predictions()[0];
    let setup = &plan.base;
    let values = counted(rows.len() as u64, "value", "values");
    let headline = format!("{parameter}, {values}, {}, seed {}", setup.driver, setup.seed);
    let mut text = labelled("onceish sweep", 16, &headline) + "\n";
    text += &labelled("with", INDENT, &premises(plan));
    for (i, fault) in faults(plan).iter().enumerate() {
        text += &labelled(if i == 0 { "faults" } else { "" }, INDENT, fault);
    }
    if rows.iter().any(|row| row.predicted.is_some()) {
        text += &labelled("predicted", INDENT, &format!("{}: {}", prediction.of, prediction.formula));
    }
    text += "\n";
    text += &table(parameter, rows);
    text += "\n";
    text += &plot(&dots(plan, rows), parameter.name(), prediction.of.name());
    text += "\n";
    text += &crashes(parameter, rows);
    order.warnings.iter().for_each(|warning| text += &labelled("warning", INDENT, &clean(warning)));
    if let Some(digest) = digest_of(rows.iter().map(|row| &row.digest)) {
        text += &labelled("digest", INDENT, &format!("{} of all values", comparison::short(&digest)));
    }
    text + &comparison::exit_line(outcome, INDENT)
}

/// Jobs, workers, and the settings that are not the usual ones.
fn premises(plan: &Plan) -> String {
    let (setup, usual) = (&plan.base, Policy::default());
    let jobs = setup.workload.jobs.map_or("jobs".to_owned(), |jobs| counted(jobs.into(), "job", "jobs"));
    let arriving = setup.workload.rate.map_or(String::new(), |rate| format!(" arriving at {rate}/s"));
    let workers = counted(setup.workers.into(), "worker", "workers");
    let mut facts = vec![format!("{jobs}{arriving}, work {}, {workers}", setup.workload.work)];
    let told = |name: &&SettingName| {
        let policy = &setup.policy;
        let unusual = policy.value(**name) != usual.value(**name) || matches!(name, SettingName::Dedup);
        Some(**name) != plan.sweep.parameter.setting() && unusual
    };
    let settings: Vec<String> = SettingName::ALL
        .iter()
        .filter(told)
        .map(|name| match Setting::parse(*name, &setup.policy.value(*name)) {
            Ok(setting) => setting.to_string(),
            Err(error) => error.to_string(),
        })
        .collect();
    if !settings.is_empty() {
        facts.push(settings.join(", "));
    }
    facts.join("; ")
}

/// What strikes, a line each.
fn faults(plan: &Plan) -> Vec<String> {
    let setup = &plan.base;
    let mut faults: Vec<String> = setup
        .lists()
        .map(|(strike, crash)| {
            let whom = match &strike.whom {
                crate::setup::Whom::Page => "the page's list".to_owned(),
                _ => "a list".to_owned(),
            };
            let whose = if crash { "workers die" } else { "deliveries fail" };
            format!("{whose} after {}, by {whom}", strike.at)
        })
        .collect();
    if plan.sweep.parameter == Parameter::CrashRate {
        faults.push(format!("each attempt dies after {} with the probability that is swept", plan.at));
    }
    faults.extend(chances(setup));
    if let Some(planned) = setup.workload.redeliver_after {
        let (least, most) = planned.jobs;
        let (least, most) = (count(least.into()), count(most.into()));
        faults.push(format!("their jobs come back {least} to {most} jobs later, drawn from {}", planned.seed));
    }
    faults
}

/// The table, in columns that are as wide as they need be.
fn table(parameter: Parameter, rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = vec![
        [parameter.name(), "jobs", "deliveries", "lost", "once", "twice", "dead", "predicted", "difference"]
            .map(str::to_owned)
            .to_vec(),
    ];
    lines.extend(rows.iter().map(cells));
    let columns = lines[0].len();
    let widths: Vec<usize> =
        (0..columns).map(|n| lines.iter().map(|line| line[n].len()).max().unwrap_or_default()).collect();
    let gap = if widths.iter().sum::<usize>() + 2 * (columns - 1) > words::WIDTH { " " } else { "  " };
    let line = |cells: &Vec<String>| {
        let cells = cells.iter().zip(&widths).enumerate();
        let cells =
            cells.map(|(n, (cell, width))| if n == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") });
        cells.collect::<Vec<_>>().join(gap).trim_end().to_owned() + "\n"
    };
    lines.iter().map(line).collect()
}

fn cells(row: &Row) -> Vec<String> {
    let n = &row.counters;
    let figures = [n.enqueued, n.deliveries, n.lost, n.once, n.duplicated, n.dead_unapplied()];
    let mut cells = vec![shown(row)];
    cells.extend(figures.map(count));
    cells.push(row.predicted.map_or("-".to_owned(), expected));
    cells.push(row.predicted.map_or("-".to_owned(), |predicted| difference(row.measured, predicted)));
    cells
}

/// A value as the table has it: figures grouped, rates in percent.
fn shown(row: &Row) -> String {
    match row.number {
        Some(number) if row.value.bytes().all(|b| b.is_ascii_digit()) && number >= 1.0 => count(number as u64),
        _ => row.value.clone(),
    }
}

/// An expected number: whole, unless it is so small that its decimals matter.
fn expected(value: f64) -> String {
    if value >= 10.0 || value.fract() == 0.0 { count(value.round() as u64) } else { format!("{value:.2}") }
}

/// How many more there were than expected, with a sign, as exactly as what was expected is told.
fn difference(measured: u64, predicted: f64) -> String {
    let exact = measured as f64 - predicted;
    let size = if predicted >= 10.0 { expected(exact.abs().round()) } else { expected(exact.abs()) };
    let sign = if exact < 0.0 { "-" } else { "+" };
    if size == "0" { size } else { format!("{sign}{size}") }
}

fn dots(plan: &Plan, rows: &[Row]) -> Vec<Dot> {
    let numbers = plan.sweep.values.iter().map(|value| Value::number(*value));
    let dot = |(row, x): (&Row, Option<f64>)| Dot {
        label: shown(row),
        x,
        measured: row.measured as f64,
        predicted: row.predicted,
    };
    rows.iter().zip(numbers).map(dot).collect()
}

/// How many workers died at each crash rate, beside how many were expected to.
fn crashes(parameter: Parameter, rows: &[Row]) -> String {
    if parameter != Parameter::CrashRate {
        return String::new();
    }
    let each = rows.iter().map(|row| {
        let expected = row.predicted_crashes.map_or(String::new(), |n| format!(" ({} expected)", expected(n)));
        format!("{}{expected} at {}", count(row.counters.crashes), row.value)
    });
    labelled("crashes", INDENT, &each.collect::<Vec<_>>().join(", "))
}

/// A line of names, then a line of figures for each value.
fn csv(parameter: Parameter, rows: &[Row]) -> String {
    let names =
        "jobs,deliveries,redeliveries,crashes,lost,once,duplicated,pending,dead,dead_applied,predicted,difference";
    let mut text = format!("{},{names}\n", column(parameter));
    for row in rows {
        let n = &row.counters;
        let value = row.number.map_or_else(|| row.value.clone(), |number| number.to_string());
        let figures = [
            n.enqueued,
            n.deliveries,
            n.redeliveries,
            n.crashes,
            n.lost,
            n.once,
            n.duplicated,
            n.pending,
            n.dead,
            n.dead_applied,
        ];
        let figures: Vec<String> = figures.iter().map(u64::to_string).collect();
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        text += &format!("{value},{},{},{}\n", figures.join(","), number(row.predicted), number(row.difference));
    }
    text
}

/// The name of a parameter's column, with its unit.
fn column(parameter: Parameter) -> &'static str {
    match parameter {
        Parameter::Window => "window",
        Parameter::Lease => "lease_s",
        Parameter::Renewal => "renewal",
        Parameter::CrashRate => "crash_rate",
        Parameter::MaxAttempts => "max_attempts",
    }
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    head: json::Head,
    parameter: Parameter,
    predicts: sweep::Quantity,
    formula: &'a str,
    rows: &'a [Row],
    digest: Option<String>,
    warnings: &'a [String],
    setup: &'a Setup,
    exit: json::Exit<'a>,
}

impl Report<'_> {
    fn of<'a>(order: &'a Order, rows: &'a [Row], outcome: &'a Outcome) -> Report<'a> {
        let Prediction { of, formula, .. } = order.plan.predictions()[0];
        Report {
            head: json::Head::of("sweep", order.plan.base.seed, order.plan.base.driver),
            parameter: order.plan.sweep.parameter,
            predicts: of,
            formula,
            rows,
            digest: digest_of(rows.iter().map(|row| &row.digest)),
            warnings: &order.warnings,
            setup: &order.plan.base,
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
    use crate::policy::{Attempts, Dedup, Point, Renewal};
    use crate::setup::Work;
    use crate::time::Span;

    fn asked(line: &str) -> Result<Order, Vec<String>> {
        let words = ["onceish", "sweep"].into_iter().chain(line.split(' '));
        let matches = command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
        match Cli::from_arg_matches(&matches).expect("matches").command {
            Some(Command::Sweep(args)) => prepare(&args),
            other => panic!("{line} is no sweep: {other:?}"),
        }
    }

    fn order(line: &str) -> Order {
        asked(line).unwrap_or_else(|errors| panic!("{line}: {errors:?}"))
    }

    fn refused(line: &str) -> String {
        asked(line).expect_err(line).join("\n")
    }

    /// Rows of the page's windows, written down by hand.
    fn rows(plan: &Plan, twice: &[u64]) -> Vec<Row> {
        let row = |(n, twice): (usize, &u64)| Row {
            value: plan.sweep.values[n].to_string(),
            number: plan.sweep.values[n].number(),
            counters: Counters {
                enqueued: 20_000,
                deliveries: 20_398,
                redeliveries: 398,
                crashes: 398,
                once: 20_000 - twice,
                duplicated: *twice,
                ..Counters::default()
            },
            measured: *twice,
            predicted: plan.predictions()[n].expected,
            difference: plan.predictions()[n].expected.map(|expected| *twice as f64 - expected),
            predicted_crashes: None,
            soundness: Soundness { agree: true, ..Soundness::default() },
            digest: None,
        };
        twice.iter().enumerate().map(row).collect()
    }

    #[test]
    fn the_pages_windows_stand_in_a_table_beside_what_is_expected() {
        let order = order("window=100,500,1000,1500,2000,5000");
        let rows = rows(&order.plan, &[380, 300, 195, 104, 0, 0]);
        let text = text(&order, &rows, &judged(&rows));
        let wanted = "\
onceish sweep   window, 6 values, simulation, seed 1

with      20,000 jobs arriving at 1/s, work 0, 8 workers
faults    workers die after commit, by the page's list
          their jobs come back 1 to 2,000 jobs later, drawn from 17
predicted twice: crashes x (1 - window / longest distance), at least 0

window    jobs  deliveries  lost    once  twice  dead  predicted  difference
100     20,000      20,398     0  19,620    380     0        378          +2
500     20,000      20,398     0  19,700    300     0        299          +2
1,000   20,000      20,398     0  19,805    195     0        199          -4
1,500   20,000      20,398     0  19,896    104     0        100          +5
2,000   20,000      20,398     0  20,000      0     0          0           0
5,000   20,000      20,398     0  20,000      0     0          0           0
";
        assert!(text.starts_with(wanted), "{text}");
        assert!(text.ends_with("exit 0    board and SQL agree at every value\n"), "{text}");
        assert!(text.is_ascii() && text.lines().all(|line| line.len() <= words::WIDTH), "{text}");
    }

    #[test]
    fn csv_has_a_line_of_names_and_a_line_a_value_with_as_many_figures() {
        let order = order("window=1000,2000");
        let csv = csv(Parameter::Window, &rows(&order.plan, &[195, 0]));
        let lines: Vec<&str> = csv.lines().collect();
        assert!(lines[0].starts_with("window,jobs,deliveries,"), "{csv}");
        assert_eq!(lines[1], "1000,20000,20398,398,398,0,19805,195,0,0,0,199,-4");
        assert!(lines.iter().all(|line| line.split(',').count() == 13), "{csv}");
    }

    #[test]
    fn each_parameter_sweeps_what_the_page_measures() {
        let window = order("window=5").plan.base;
        assert_eq!(window.crash, ["page@commit".parse().expect("a strike")]);
        assert_eq!(window.workload.redeliver_after.map(|after| (after.jobs, after.seed)), Some(((1, 2_000), 17)));
        let lease = order("lease=5s").plan.base;
        assert_eq!(
            (lease.workload.work, lease.policy.dedup, lease.policy.renew),
            (Work::Page, Dedup::None, Renewal::Off)
        );
        assert_eq!(lease.policy.attempts, Attempts::Limit(2));
        assert_eq!(order("renewal=1/3").plan.base.policy.lease, Span::seconds(5));
        assert_eq!(order("renewal=1/3 --lease 9s").plan.base.policy.lease, Span::seconds(9));
        assert_eq!(order("crash-rate=2%").plan.at, Point::Effect);
        assert_eq!(order("max-attempts=2").plan.base.fail, ["0.3@work".parse().expect("a strike")]);
        assert_eq!(order("max-attempts=2 --crash 5%@work").plan.base.fail, []);
    }

    #[test]
    fn the_policy_of_a_crash_rate_brings_its_gap() {
        let plan = order("crash-rate=2%,5% --policy two-write@key").plan;
        assert_eq!((plan.at, plan.base.policy.dedup), (Point::Key, Dedup::EffectThenKey));
        assert_eq!(plan.setups()[1].crash, ["0.05@key".parse().expect("a strike")]);
        assert_eq!(order("crash-rate=2% --ack before").plan.at, Point::Ack);
    }

    #[test]
    fn what_is_asked_for_twice_or_cannot_be_is_refused() {
        assert!(refused("window=5 --dedup none").contains("--dedup sets what window sweeps"));
        assert!(refused("window=5 --policy two-write").contains("--policy sets what window sweeps"));
        assert!(refused("lease=5s --lease 3s").contains("--lease sets what lease sweeps"));
        assert!(refused("renewal=off --renew off").contains("--renew sets"));
        assert!(refused("crash=2% --crash page@work").contains("--crash sets"));
        assert!(refused("attempts=2 --max-attempts 3").contains("--max-attempts sets"));
        assert!(refused("lease=5s --policy two-write@key").contains("is for crash-rate"));
        assert!(refused("crash=2% --policy two-write@commit").contains("claim, work, check, effect, key, ack"));
        assert!(refused("window=5 --for 5s").contains("ends after a number of jobs"));
        assert!(refused("lease=5s --redeliver 1..5").contains("they need a rate"));
        assert!(refused("window=5 --crash 2%@commit").contains("crash list, and there is none"));
        assert!(refused("crash=100% --max-attempts unlimited").contains("for ever"));
    }
}
