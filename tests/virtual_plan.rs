//! What is planned for a run in virtual time happens where it is planned: at a moment, or at a named point of a named
//! job.

mod support;

use onceish::event::{Event, What};
use onceish::ids::Job;
use onceish::policy::{Dedup, Point};
use support::{Ended, lab};

/// A run of three jobs on two workers, with one thing done when attempt 1 at job 1 passes `point`.
fn done_at(point: Point, dedup: Dedup, text: &str) -> Ended {
    lab(3).workers(2).dedup(dedup).at_point(1, 1, point, text).simulate()
}

/// Where in a log it first happened.
fn place(events: &[Event], is: impl Fn(&What) -> bool) -> usize {
    events.iter().position(|event| is(&event.what)).expect("it happened")
}

#[test]
fn a_kill_at_the_effect_of_a_job_leaves_its_key_unwritten() {
    let Ended { events, board, .. } = &done_at(Point::Effect, Dedup::EffectThenKey, "kill all");
    let first = place(events, |what| matches!(what, What::Effect { j: Job(1), .. }));
    let acted = place(events, |what| matches!(what, What::Action { .. }));
    assert_eq!(acted, first + 1, "it is done before anybody goes on");
    assert!(board.harm().twice.contains(&Job(1)), "the effect stood without its key, and was written again");
}

#[test]
fn the_same_kill_at_the_key_of_a_job_harms_nothing() {
    let Ended { board, .. } = &done_at(Point::Key, Dedup::EffectThenKey, "kill all");
    assert!(!board.harm().twice.contains(&Job(1)), "the key was there");
    assert_eq!(board.counters().deaths, 2);
}

#[test]
fn a_pause_at_the_work_of_a_job_outlasts_its_lease_and_wakes_a_zombie() {
    let Ended { events, board, .. } = &done_at(Point::Work, Dedup::None, "pause all for 31s");
    place(events, |what| matches!(what, What::Expired { j: Job(1), .. }));
    assert!(board.harm().twice.contains(&Job(1)), "the sleeper and its successor both wrote");
    assert!(board.counters().stale_acks > 0);
}

#[test]
fn a_plan_for_an_attempt_that_never_comes_does_nothing() {
    let ended = lab(3).at_point(1, 2, Point::Work, "kill all").simulate();
    assert!(!ended.events.iter().any(|event| matches!(event.what, What::Action { .. })));
}

#[test]
fn more_jobs_at_once_than_a_log_on_threads_would_hold_do_not_stop_virtual_time() {
    let lab = lab(1).workers(1).work("1s").respawn(None).at(1e-9, "kill w1");
    let ended = (0..110).fold(lab, |lab, _| lab.at(1e-9, "enqueue 10000")).simulate();
    assert_eq!(ended.board.counters().enqueued, 1_100_001);
    assert!(ended.events.iter().any(|event| matches!(event.what, What::Stuck { .. })), "no worker is left");
}
