//! Virtual time: the same seed gives the same log, and what is planned happens when it is planned.

#![allow(clippy::disallowed_methods, reason = "the end of a run is waited for with a deadline in real time")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceish::action;
use onceish::driver::simulation::{self, Planned, When};
use onceish::event::{By, End, Event, Finish, What};
use onceish::setup::{Driver, Setup};
use onceish::sink::{Target, open};
use onceish::time::{Instant, Span};

/// The events of a run, and how it ended.
fn simulate(setup: &Setup, plan: &[(u64, &str)]) -> (Vec<Event>, Finish) {
    let store = open(Target::Memory, setup.synchronous).expect("memory");
    let planned = |(second, text): &(u64, &str)| Planned {
        when: When::At(Instant::START + Span::seconds(*second)),
        action: action::parse(text).expect("an action"),
        by: By::Lab,
    };
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let consumer = move |batch: &[Event]| seen.lock().expect("alone").extend_from_slice(batch);
    let plan = plan.iter().map(planned).collect();
    let run = store.run();
    let handle = simulation::start(setup.clone(), run, Arc::new(store), plan, vec![Box::new(consumer)]);
    let how = handle.expect("it starts").wait_for(Duration::from_secs(60)).expect("it ends");
    let events = events.lock().expect("the run is over").clone();
    (events, how)
}

/// A faulty scenario: rates, poison, backoff, order by key, lost messages.
fn troubled(seed: u64) -> Setup {
    let mut setup = Setup::headless(seed);
    setup.driver = Driver::Simulation;
    setup.workload.jobs = Some(400);
    setup.workload.rate = Some(20.0);
    setup.workload.work = "300ms~50%".parse().expect("a work time");
    setup.workload.poison = Some("3:crash".parse().expect("poison"));
    setup.policy.lease = Span::seconds(2);
    setup.crash.push("5%@effect".parse().expect("a strike"));
    setup.fail.push("5%@work".parse().expect("a strike"));
    setup.lose_acks = "3%".parse().expect("a rate");
    setup.lose_beats = "20%".parse().expect("a rate");
    setup.lose_replies = "3%".parse().expect("a rate");
    setup
}

fn lines(events: &[Event]) -> String {
    events.iter().map(|event| serde_json::to_string(event).expect("writes") + "\n").collect()
}

#[test]
fn the_same_seed_gives_the_same_log_to_the_byte_and_another_seed_another() {
    let plan = [(3, "kill random"), (5, "dedup effect-then-key"), (6, "kill all at effect"), (9, "pause w2 for 4s")];
    let (first, how) = simulate(&troubled(7), &plan);
    assert_eq!(how, Finish::Drained);
    assert!(first.iter().any(|event| matches!(event.what, What::Ended { how: End::Crashed(_), .. })));
    for _ in 0..4 {
        let (again, _) = simulate(&troubled(7), &plan);
        let differ = first.iter().zip(&again).position(|(a, b)| a != b);
        assert_eq!(differ, None, "the logs first differ here");
        assert_eq!(lines(&first), lines(&again));
    }
    let (other, _) = simulate(&troubled(8), &plan);
    assert_ne!(lines(&first), lines(&other));
}

#[test]
fn a_lease_runs_out_at_its_deadline_to_the_nanosecond() {
    let mut setup = Setup::headless(1);
    setup.workload.jobs = Some(1);
    setup.workers = 2;
    setup.workload.work = "10s".parse().expect("a work time");
    setup.policy.lease = Span::seconds(4);
    let (events, _) = simulate(&setup, &[(1, "stall w1"), (30, "heal w1")]);
    let at = |is: fn(&What) -> bool| events.iter().find(|event| is(&event.what)).map(|event| event.at);
    assert_eq!(at(|what| matches!(what, What::Expired { .. })), Some(Instant::START + Span::seconds(4)));
    assert_eq!(at(|what| matches!(what, What::AckStale { .. })), Some(Instant::START + Span::seconds(10)));
}

#[test]
fn time_that_nobody_lets_go_again_ends_the_run_and_says_so() {
    let mut setup = Setup::headless(1);
    setup.workload.work = "1s".parse().expect("a work time");
    let (events, how) = simulate(&setup, &[(2, "stop")]);
    assert_eq!(how, Finish::Stuck);
    assert!(events.iter().any(|event| matches!(event.what, What::Stuck { .. })));
}
