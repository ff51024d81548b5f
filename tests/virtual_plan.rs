//! What is planned for a run in virtual time happens where it is planned: at a moment, or at a named point of a named
//! job.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceish::action;
use onceish::board::Board;
use onceish::driver::simulation::{self, Planned, When};
use onceish::event::{By, Event, What};
use onceish::ids::Job;
use onceish::policy::{Dedup, Point};
use onceish::setup::{Driver, Setup};
use onceish::sink::{Target, open};

/// The events of a run of three jobs on two workers, with one thing done when attempt 1 at job 1 passes `point`.
fn done_at(point: Point, dedup: Dedup, text: &str) -> (Vec<Event>, Board) {
    let mut setup = Setup::headless(1);
    setup.driver = Driver::Simulation;
    setup.workers = 2;
    setup.workload.jobs = Some(3);
    setup.policy.dedup = dedup;
    let when = When::Passes { job: Job(1), attempt: 1, point };
    run(setup, vec![Planned { when, action: action::parse(text).expect("an action"), by: By::Lab }])
}

fn run(setup: Setup, plan: Vec<Planned>) -> (Vec<Event>, Board) {
    let store = open(Target::Memory, setup.synchronous).expect("memory");
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let consumer = move |batch: &[Event]| seen.lock().expect("alone").extend_from_slice(batch);
    let run = store.run();
    let handle = simulation::start(setup, run, Arc::new(store), plan, vec![Box::new(consumer)]).expect("it starts");
    handle.wait_for(Duration::from_secs(60)).expect("it ends");
    let events = events.lock().expect("the run is over").clone();
    let board: Board = events.iter().collect();
    assert!(board.witnesses_agree());
    (events, board)
}

/// What job 1's second worker was told: its action, and the events just before and after.
fn place(events: &[Event], is: impl Fn(&What) -> bool) -> usize {
    events.iter().position(|event| is(&event.what)).expect("it happened")
}

#[test]
fn a_kill_at_the_effect_of_a_job_leaves_its_key_unwritten() {
    let (events, board) = done_at(Point::Effect, Dedup::EffectThenKey, "kill all");
    let first = place(&events, |what| matches!(what, What::Effect { j: Job(1), .. }));
    let acted = place(&events, |what| matches!(what, What::Action { .. }));
    assert_eq!(acted, first + 1, "it is done before anybody goes on");
    assert!(board.harm().twice.contains(&Job(1)), "the effect stood without its key, and was written again");
}

#[test]
fn the_same_kill_at_the_key_of_a_job_harms_nothing() {
    let (_, board) = done_at(Point::Key, Dedup::EffectThenKey, "kill all");
    assert!(!board.harm().twice.contains(&Job(1)), "the key was there");
    assert_eq!(board.counters().deaths, 2);
}

#[test]
fn a_pause_at_the_work_of_a_job_outlasts_its_lease_and_wakes_a_zombie() {
    let (events, board) = done_at(Point::Work, Dedup::None, "pause all for 31s");
    place(&events, |what| matches!(what, What::Expired { j: Job(1), .. }));
    assert!(board.harm().twice.contains(&Job(1)), "the sleeper and its successor both wrote");
    assert!(board.counters().stale_acks > 0);
}

#[test]
fn a_plan_for_an_attempt_that_never_comes_does_nothing() {
    let mut setup = Setup::headless(1);
    setup.driver = Driver::Simulation;
    setup.workload.jobs = Some(3);
    let when = When::Passes { job: Job(1), attempt: 2, point: Point::Work };
    let (events, _) = run(setup, vec![Planned { when, action: action::parse("kill all").expect("one"), by: By::Lab }]);
    assert!(!events.iter().any(|event| matches!(event.what, What::Action { .. })));
}

#[test]
fn more_jobs_at_once_than_a_log_on_threads_would_hold_do_not_stop_virtual_time() {
    let mut setup = Setup::headless(1);
    setup.driver = Driver::Simulation;
    setup.workload.jobs = Some(1);
    setup.workers = 1;
    setup.workload.work = "1s".parse().expect("a work time");
    setup.respawn = None;
    let texts = std::iter::once("kill w1").chain(std::iter::repeat_n("enqueue 10000", 110));
    let planned = |text| Planned {
        when: When::At(onceish::time::Instant(1)),
        action: action::parse(text).expect("an action"),
        by: By::Lab,
    };
    let (events, board) = run(setup, texts.map(planned).collect());
    assert_eq!(board.counters().enqueued, 1_100_001);
    assert!(events.iter().any(|event| matches!(event.what, What::Stuck { .. })), "no worker is left");
}
