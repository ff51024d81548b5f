//! The screen of a comparison on boards of real runs: what it says follows from what was done to them.

mod support;

use onceish::board::Board;
use onceish::policy::{AckOrder, Dedup};
use onceish::setup::Setup;
use onceish::tui::theme::Environment;
use onceish::tui::{Badge, Options, Showing, paint_compare};
use support::lab;

/// The board of a run of `setup` to its end, with one action at a second of it.
fn run(setup: &Setup, plan: Option<(u64, &str)>) -> Board {
    let lab = lab(12).change(|given| given.clone_from(setup));
    let lab = plan.into_iter().fold(lab, |lab, (second, text)| lab.at(second as f64, text));
    lab.simulate().board
}

/// Twelve jobs of the sandbox's pace.
fn twelve(ack: AckOrder, dedup: Dedup) -> Setup {
    let mut setup = Setup::sandbox(249);
    setup.workload.jobs = Some(12);
    setup.policy.ack = ack;
    setup.policy.dedup = dedup;
    setup
}

/// The rows of a frame, each without the blanks at its end.
fn shown(sides: [&Board; 2], width: u16, height: u16) -> Vec<String> {
    let now = sides[0].now().max(sides[1].now());
    let showing = Showing { badge: Badge::Virtual, stopped: true, speed: 1.0, recorded: false };
    let look = Options::default().look(&Environment::default());
    let buffer = paint_compare(sides, now, showing, width, height, look);
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect()
}

#[test]
fn one_death_between_two_writes_is_the_one_difference() {
    let plan = Some((3, "kill w2 at effect"));
    let a = run(&twelve(AckOrder::After, Dedup::EffectThenKey), plan);
    let b = run(&twelve(AckOrder::After, Dedup::Transactional), plan);
    let rows = shown([&a, &b], 120, 36).join("\n");
    for wanted in [
        "The same 12 jobs, work times and faults on both sides: w2 died after effect at ",
        "13 deliveries, 13 rows = 12 jobs + 1 extra",
        "13 deliveries, 12 rows = 12 jobs + 0 extra",
        "difference: 1 job",
        "twice in A, once in B",
        "deliveries are equal: the queue behaved alike, only the sink did not",
        "died inside the transaction, so its row was rolled back",
        "what monitoring saw             the same on both sides: w2 down",
    ] {
        assert!(rows.contains(wanted), "no {wanted:?} in\n{rows}");
    }
}

#[test]
fn what_ack_first_loses_ack_last_applies_twice() {
    let mut first = twelve(AckOrder::Before, Dedup::None);
    first.crash.push("ids:3,7@ack".parse().expect("a strike"));
    let mut last = twelve(AckOrder::After, Dedup::None);
    last.crash.push("ids:3,7@effect".parse().expect("a strike"));
    let rows = shown([&run(&first, None), &run(&last, None)], 120, 36).join("\n");
    for wanted in [
        "deaths at 2 listed jobs: after ack in A, effect in B.",
        "A ack first, no dedup",
        "B ack last, no dedup",
        "LOST 2   once 10",
        "once 10   TWICE 2",
        "difference: 2 jobs",
        "lost in A, twice in B   3, 7",
        "lost in A or B          A 2     the queue did not behave alike: 0 redeliveries in A, 2 in B",
    ] {
        assert!(rows.contains(wanted), "no {wanted:?} in\n{rows}");
    }
}

#[test]
fn two_runs_of_one_policy_do_not_differ() {
    let setup = twelve(AckOrder::After, Dedup::Transactional);
    let plan = Some((3, "kill w2 at effect"));
    let rows = shown([&run(&setup, plan), &run(&setup, plan)], 120, 36);
    assert!(rows.iter().any(|row| row.contains("difference: none so far")), "{rows:#?}");
    for row in &rows[3..8] {
        let (left, right) = row.split_once('|').unwrap_or_else(|| panic!("two sides: {row}"));
        assert_eq!(left.trim_end(), right.trim_end());
    }
}
