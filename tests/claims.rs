//! What the commands that measure find, on real threads and in virtual time: the grid, the page's designs side by side,
//! and sweeps beside what arithmetic expects.

use std::collections::BTreeSet;

use onceish::claims::compare::{Contender, Kind, Row, compare, harmed, telling_point};
use onceish::claims::grid::{Fate, all_places, compute, places};
use onceish::claims::sweep::{self, Plan, Sweep};
use onceish::cli::runner::LabRunner;
use onceish::ids::Job;
use onceish::page;
use onceish::policy::{AckOrder, Dedup, Point, Policy};
use onceish::setup::{Driver, Setup, Whom};

const DRIVERS: [Driver; 2] = [Driver::Threads, Driver::Simulation];

fn sums(cells: &[onceish::claims::grid::Cell]) -> [usize; 3] {
    let of = |fates: &[Fate]| cells.iter().filter(|cell| fates.contains(&cell.fate)).count();
    [of(&[Fate::Once, Fate::RolledBack, Fate::Recognised]), of(&[Fate::Lost]), of(&[Fate::Twice])]
}

#[test]
fn the_grid_is_18_once_3_lost_and_2_twice_on_both_drivers() {
    for driver in DRIVERS {
        let cells = compute(&LabRunner::default(), &places(), driver, 1).expect("a sink");
        assert_eq!((cells.len(), sums(&cells)), (23, [18, 3, 2]), "{driver}");
        for cell in &cells {
            assert!(cell.soundness.agree && cell.soundness.missed().is_none(), "{driver}: {cell:?}");
        }
        let of = |fate| -> Vec<(Dedup, Point)> {
            cells.iter().filter(|cell| cell.fate == fate).map(|cell| (cell.place.dedup, cell.place.point)).collect()
        };
        assert_eq!(of(Fate::Twice), [(Dedup::None, Point::Effect), (Dedup::EffectThenKey, Point::Effect)]);
        let one = Dedup::Transactional;
        assert_eq!(of(Fate::RolledBack), [(one, Point::Effect), (one, Point::Key)]);
        assert_eq!(of(Fate::Recognised), [(one, Point::Commit)]);
    }
}

#[test]
fn the_whole_grid_is_the_same_on_both_drivers_and_a_death_behind_a_last_ack_harms_nothing() {
    let [real, simulated] = DRIVERS.map(|driver| {
        let cells = compute(&LabRunner::default(), &all_places(), driver, 1).expect("a sink");
        cells.into_iter().map(|cell| (cell.place, cell.fate)).collect::<Vec<_>>()
    });
    assert_eq!(real, simulated);
    let last = real.iter().filter(|(place, _)| (place.ack, place.point) == (AckOrder::After, Point::Ack));
    assert_eq!(last.map(|(_, fate)| *fate).collect::<Vec<_>>(), vec![Fate::Once; Dedup::ALL.len()]);
}

fn the_page(driver: Driver, contenders: &[Contender]) -> Vec<Row> {
    let mut base = Setup::headless(1);
    base.driver = driver;
    base.workload.jobs = Some(20_000);
    base.workers = 8;
    let rows = compare(&LabRunner::default(), &base, Some(&Whom::Page), contenders).expect("a sink");
    for row in &rows {
        assert!(row.soundness.agree && row.soundness.missed().is_none(), "{driver}: {}", row.name);
        assert_eq!(row.counters.crashes, 398, "{}", row.name);
    }
    rows
}

/// Lost, once, twice and deliveries of each row.
fn figures(rows: &[Row]) -> Vec<[u64; 4]> {
    rows.iter()
        .map(|row| [row.counters.lost, row.counters.once, row.counters.duplicated, row.counters.deliveries])
        .collect()
}

#[test]
fn the_pages_four_designs_give_its_figures_and_harm_the_very_same_jobs_on_both_drivers() {
    let crashed: BTreeSet<Job> = page::crashes().iter().copied().map(Job).collect();
    for driver in DRIVERS {
        let rows = the_page(driver, &Contender::presets(&Policy::default()));
        let wanted =
            [[398, 19_602, 0, 20_000], [0, 19_602, 398, 20_398], [0, 19_602, 398, 20_398], [0, 20_000, 0, 20_398]];
        assert_eq!(figures(&rows), wanted, "{driver}");
        let sets = harmed(&rows);
        assert_eq!(sets.len(), 1, "{driver}: one set of jobs is harmed, whichever way");
        assert_eq!(sets[0].jobs, &crashed, "{driver}");
        assert_eq!(sets[0].by, [(0, Kind::Lost), (1, Kind::Twice), (2, Kind::Twice)], "{driver}");
        let digests = rows.iter().filter(|row| row.digest.is_some()).count();
        assert_eq!(
            digests,
            if driver == Driver::Simulation { 4 } else { 0 },
            "a log has a digest in virtual time only"
        );
    }
}

#[test]
fn a_memory_that_dies_with_its_worker_doubles_and_a_key_before_its_effect_loses() {
    let contender = |text: &str| Contender::of(&text.parse().expect("a policy"), &Policy::default()).expect("a gap");
    let rows = the_page(Driver::Simulation, &["key-then-effect", "per-worker"].map(contender));
    assert_eq!(figures(&rows), [[398, 19_602, 0, 20_398], [0, 19_602, 398, 20_398]]);
}

#[test]
fn the_same_question_has_the_same_answer_and_another_seed_another_log() {
    let ask = |seed| {
        let mut base = Setup::headless(seed);
        base.driver = Driver::Simulation;
        base.workload.work = "exp:1s".parse().expect("a work time");
        let rate = Whom::Rate("5%".parse().expect("a rate"));
        compare(&LabRunner::default(), &base, Some(&rate), &Contender::presets(&Policy::default())).expect("a sink")
    };
    assert_eq!(ask(1), ask(1));
    assert_ne!(ask(1)[0].digest, ask(2)[0].digest);
}

/// The rows of a sweep over the set-up of its parameter, changed by `change`.
fn swept(text: &str, change: impl FnOnce(&mut Setup)) -> Vec<sweep::Row> {
    let sweep: Sweep = text.parse().expect("a sweep");
    let mut base = sweep.parameter.defaults(1);
    base.driver = Driver::Simulation;
    sweep.parameter.default_faults(&mut base);
    change(&mut base);
    let plan = Plan { at: telling_point(&base.policy), sweep, base };
    let rows = sweep::sweep(&LabRunner::default(), &plan).expect("a sink");
    assert!(rows.iter().all(|row| row.soundness.agree && row.soundness.missed().is_none()), "{text}");
    rows
}

fn measured(rows: &[sweep::Row]) -> Vec<u64> {
    rows.iter().map(|row| row.measured).collect()
}

/// Each measured figure is within five deviations of what is expected of so many jobs.
fn as_expected(rows: &[sweep::Row]) {
    for row in rows {
        let (jobs, expected) = (row.counters.jobs as f64, row.predicted.expect("a formula"));
        let deviation = (expected * (1.0 - expected / jobs)).sqrt();
        assert!(row.difference.expect("a formula").abs() <= 5.0 * deviation + 0.5, "{}: {row:?}", row.value);
    }
}

#[test]
fn a_window_below_the_longest_distance_doubles_as_many_as_the_page_says() {
    let rows = swept("window=100,500,1000,1500,2000,5000", |_| {});
    assert_eq!(measured(&rows), [380, 300, 195, 104, 0, 0]);
}

#[test]
fn a_lease_is_outlasted_by_as_many_jobs_as_the_page_says() {
    let rows = swept("lease=5s,60s", |_| {});
    assert_eq!(measured(&rows), [2_448, 233]);
    as_expected(&rows);
}

#[test]
fn a_renewal_in_time_doubles_none_and_one_that_is_late_is_as_good_as_none() {
    let rows = swept("renewal=1/3,2x", |_| {});
    assert_eq!(measured(&rows), [0, 2_448]);
}

#[test]
fn a_crash_rate_doubles_loses_or_only_delays_as_its_policy_and_gap_say() {
    let few = |setup: &mut Setup| setup.workload.jobs = Some(2_000);
    let rows = swept("crash-rate=0,2%,30%", few);
    as_expected(&rows);
    assert_eq!((rows[0].measured, rows[0].counters.crashes), (0, 0));
    assert!(rows.iter().all(|row| row.counters.lost == 0));
    let rows = swept("crash-rate=30%", |setup| {
        few(setup);
        setup.policy.ack = AckOrder::Before;
    });
    as_expected(&rows);
    assert_eq!((rows[0].measured, rows[0].counters.duplicated), (rows[0].counters.lost, 0));
    let rows = swept("crash-rate=30%", |setup| {
        few(setup);
        setup.policy.dedup = Dedup::Transactional;
    });
    as_expected(&rows);
    assert_eq!((rows[0].counters.lost, rows[0].counters.duplicated), (0, 0));
}

#[test]
fn each_further_attempt_buries_fewer_by_the_rate_at_which_attempts_fail() {
    let rows = swept("max-attempts=1,2,5", |setup| setup.workload.jobs = Some(2_000));
    as_expected(&rows);
    assert!(rows.iter().all(|row| row.measured == row.counters.dead && row.counters.lost == 0));
}
