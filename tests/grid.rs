//! The grid: one job, one death in each gap of each program, on real threads and in virtual time.

mod support;

use onceish::event::What;
use onceish::policy::{AckOrder, Dedup, Point, Program};
use onceish::setup::Driver;
use support::lab;

use AckOrder::{After, Before};
use Dedup::{EffectThenKey, KeyThenEffect, Transactional};

/// What becomes of the job whose worker dies behind this step.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Once,
    Twice,
    Lost,
    /// Once: SQLite rolled the effect of the dead worker back.
    RolledBack,
    /// Once: the redelivery was recognised.
    Recognised,
}

/// The fate is the same on both drivers.
fn die_after(ack: AckOrder, dedup: Dedup, point: Point) -> Fate {
    let real = die_on(Driver::Threads, ack, dedup, point);
    let simulated = die_on(Driver::Simulation, ack, dedup, point);
    assert_eq!(real, simulated, "{ack}/{dedup} after {point}: threads and virtual time differ");
    real
}

fn die_on(driver: Driver, ack: AckOrder, dedup: Dedup, point: Point) -> Fate {
    let ended = lab(1).on(driver).workers(2).ack(ack).dedup(dedup).crash(&format!("ids:0@{point}")).run();
    let crashes = ended.count(|what| matches!(what, What::Died { .. }));
    assert_eq!(crashes, 1, "{ack}/{dedup}: the death after {point} must strike, once");
    let recognised = ended.count(|what| matches!(what, What::Recognised { .. })) > 0;
    let bracket = dedup == Transactional && matches!(point, Point::Effect | Point::Key);
    match ended.fates() {
        (1, 0, 0) => Fate::Lost,
        (0, 0, 1) => Fate::Twice,
        (0, 1, 0) if bracket => {
            assert_eq!(ended.sql("SELECT count(*) FROM effects"), 1, "the dead worker's row was rolled back");
            Fate::RolledBack
        }
        (0, 1, 0) if recognised && point == Point::Commit => Fate::Recognised,
        (0, 1, 0) => Fate::Once,
        fates => panic!("{ack}/{dedup} after {point}: {fates:?} is no fate of one job"),
    }
}

#[test]
fn the_23_cells_of_the_grid_are_18_once_3_lost_and_2_twice() {
    use Fate::{Lost, Once, Recognised, RolledBack, Twice};
    use Point::{Ack, Check, Claim, Commit, Effect, Key, Work};
    let cells = [
        (Before, Dedup::None, Claim, Once),
        (Before, Dedup::None, Ack, Lost),
        (Before, Dedup::None, Work, Lost),
        (Before, Dedup::None, Effect, Once),
        (After, Dedup::None, Claim, Once),
        (After, Dedup::None, Work, Once),
        (After, Dedup::None, Effect, Twice),
        (After, EffectThenKey, Claim, Once),
        (After, EffectThenKey, Work, Once),
        (After, EffectThenKey, Check, Once),
        (After, EffectThenKey, Effect, Twice),
        (After, EffectThenKey, Key, Once),
        (After, KeyThenEffect, Claim, Once),
        (After, KeyThenEffect, Work, Once),
        (After, KeyThenEffect, Check, Once),
        (After, KeyThenEffect, Effect, Once),
        (After, KeyThenEffect, Key, Lost),
        (After, Transactional, Claim, Once),
        (After, Transactional, Work, Once),
        (After, Transactional, Check, Once),
        (After, Transactional, Effect, RolledBack),
        (After, Transactional, Key, RolledBack),
        (After, Transactional, Commit, Recognised),
    ];
    assert_eq!(cells.len(), 23);
    for (ack, dedup, point, fate) in cells {
        assert_eq!(die_after(ack, dedup, point), fate, "{ack}/{dedup}, death after {point}");
    }
}

#[test]
fn a_death_behind_a_last_ack_harms_nothing_under_any_dedup() {
    for dedup in Dedup::ALL {
        assert!(Program::of(After, dedup).has(Point::Ack));
        assert_eq!(die_after(After, dedup, Point::Ack), Fate::Once, "{dedup}");
    }
}

#[test]
fn window_ttl_and_per_worker_hold_the_same_gaps_as_far_as_they_remember() {
    for dedup in [Dedup::Window(1_000), Dedup::Ttl(onceish::time::Span::seconds(600))] {
        assert_eq!(die_after(After, dedup, Point::Effect), Fate::Once, "{dedup}: rolled back");
        assert_eq!(die_after(After, dedup, Point::Commit), Fate::Recognised, "{dedup}");
    }
    assert_eq!(die_after(After, Dedup::PerWorker, Point::Effect), Fate::Once, "rolled back");
    assert_eq!(die_after(After, Dedup::PerWorker, Point::Commit), Fate::Twice, "what a worker remembers dies with it");
    assert_eq!(die_after(After, Dedup::PerWorker, Point::Key), Fate::Twice, "what a worker remembers dies with it");
}
