//! Runs in virtual time that are shown as they go: stepping on and back shows the same, and going on from an earlier
//! moment runs again from the seed.

mod waiting;

use std::sync::Arc;
use std::time::Duration;

use onceish::action;
use onceish::digest::first_difference;
use onceish::event::{By, Event, What};
use onceish::ids::Job;
use onceish::policy::{Dedup, Policy};
use onceish::rehearsal::{Piece, Rehearsal};
use onceish::request::{Sink, SinkError};
use onceish::setup::{Driver, Setup};
use onceish::sink::{Target, open};
use onceish::time::{Instant, Span};
use waiting::{DEADLINE, wait};

/// A sandbox that time stands in until it is let go.
fn sandbox() -> Setup {
    let mut setup = Setup::sandbox(249);
    setup.driver = Driver::Simulation;
    setup
}

fn begin(setups: Vec<Setup>) -> Rehearsal {
    let fresh = |setup: &Setup| {
        let store = open(Target::Memory, setup.synchronous)?;
        let run = store.run();
        Ok((Arc::new(store) as Arc<dyn Sink>, run))
    };
    let piece = Piece { patience: DEADLINE, ..Piece::of(setups, Box::new(fresh)) };
    let rehearsal = Rehearsal::start(piece).expect("it starts");
    act(&rehearsal, "stop");
    rehearsal
}

fn act(rehearsal: &Rehearsal, text: &str) -> Option<String> {
    rehearsal.act(action::parse(text).expect(text), By::Operator)
}

/// Acts, and waits until the action is told.
fn do_and_see(rehearsal: &Rehearsal, text: &str) {
    let told = |rehearsal: &Rehearsal| rehearsal.events(0).iter().filter(|event| is_action(event)).count();
    let before = told(rehearsal);
    act(rehearsal, text);
    wait(|| told(rehearsal) > before, text);
}

fn is_action(event: &Event) -> bool {
    matches!(event.what, What::Action { .. })
}

/// Everything that a frame is made of.
fn frame(rehearsal: &Rehearsal, side: usize) -> String {
    format!("{:?} {:?}", rehearsal.now(), *rehearsal.board(side))
}

fn back_to_the_start(rehearsal: &Rehearsal) {
    while rehearsal.back() != "this is as far back as it goes" {}
}

fn shown(rehearsal: &Rehearsal) -> usize {
    rehearsal.events(0).len()
}

#[test]
fn stepping_on_shows_one_event_more_and_stepping_back_shows_exactly_what_was_shown_before() {
    let rehearsal = begin(vec![sandbox()]);
    act(&rehearsal, "step");
    let mut frames = vec![frame(&rehearsal, 0)];
    for n in 1..=120 {
        let before = shown(&rehearsal);
        assert_eq!(act(&rehearsal, "step"), None);
        assert_eq!(shown(&rehearsal), before + 1, "step {n}");
        frames.push(frame(&rehearsal, 0));
    }
    let last = frames.len() - 1;
    for n in (0..last).rev() {
        assert!(rehearsal.back().starts_with("one event back"));
        assert_eq!(frame(&rehearsal, 0), frames[n], "back at step {n}");
    }
    for (n, expected) in frames.iter().enumerate().skip(1) {
        act(&rehearsal, "step");
        assert_eq!(&frame(&rehearsal, 0), expected, "on again at step {n}");
    }
    rehearsal.quit();
    assert!(rehearsal.wait_for(DEADLINE));
}

#[test]
fn a_run_cannot_be_taken_back_beyond_its_start() {
    let rehearsal = begin(vec![sandbox()]);
    back_to_the_start(&rehearsal);
    let events = rehearsal.events(0);
    assert_eq!(events.len(), 1 + 4, "it started, and spawned four workers");
}

#[test]
fn going_on_from_an_earlier_moment_undoes_what_was_done_later_and_keeps_what_was_done_before() {
    let rehearsal = begin(vec![sandbox()]);
    (0..30).for_each(|_| drop(act(&rehearsal, "step")));
    do_and_see(&rehearsal, "stall w1");
    (0..30).for_each(|_| drop(act(&rehearsal, "step")));
    let kept = rehearsal.events(0);
    do_and_see(&rehearsal, "kill w2");
    (0..20).for_each(|_| drop(act(&rehearsal, "step")));
    while shown(&rehearsal) > kept.len() {
        rehearsal.back();
    }
    do_and_see(&rehearsal, "kill w3");
    let events = rehearsal.events(0);
    let texts: Vec<&str> = events
        .iter()
        .filter_map(|event| if let What::Action { text, .. } = &event.what { Some(&**text) } else { None })
        .collect();
    assert_eq!(texts, ["stall w1", "kill w3"]);
    assert_eq!(first_difference(&kept, &events[..kept.len()]), None);
    assert_eq!(rehearsal.board(0).violations(), [] as [String; 0]);
    (0..200).for_each(|_| drop(act(&rehearsal, "step")));
    assert_eq!(rehearsal.board(0).counters().deaths, 1, "only w3 has died");
}

#[test]
fn the_same_things_done_at_the_same_steps_give_the_same_log() {
    let play = || {
        let rehearsal = begin(vec![sandbox()]);
        back_to_the_start(&rehearsal);
        for text in ["kill w2 at effect", "dedup effect-then-key", "pause w1 for 5s", "redrive all"] {
            (0..40).for_each(|_| drop(act(&rehearsal, "step")));
            do_and_see(&rehearsal, text);
        }
        (0..200).for_each(|_| drop(act(&rehearsal, "step")));
        rehearsal.events(0)
    };
    assert_eq!(first_difference(&play(), &play()), None);
}

#[test]
fn time_goes_at_its_pace_and_what_was_shown_while_it_went_can_be_stepped_through() {
    let rehearsal = begin(vec![sandbox()]);
    act(&rehearsal, "speed 100");
    act(&rehearsal, "go");
    wait(|| rehearsal.now() > Instant::START + Span::seconds(20), "20 s of lab time");
    act(&rehearsal, "stop");
    assert!(rehearsal.stopped());
    let (at, last) = (rehearsal.now(), rehearsal.events(0).last().expect("something happened").at);
    assert!(last <= at, "nothing is shown before its time");
    let claimed = rehearsal.board(0).counters().deliveries;
    assert!(claimed >= 20, "1.2 jobs a second: {claimed}");
    rehearsal.back();
    assert!(rehearsal.now() <= at);
    let words = act(&rehearsal, "go").expect("it says from where");
    assert!(words.contains("what came later is undone"), "{words}");
    let then = rehearsal.now();
    wait(|| rehearsal.now() > then + Span::seconds(1), "time goes on");
    rehearsal.quit();
    assert!(rehearsal.wait_for(DEADLINE));
    assert!(rehearsal.board(0).finished().is_some() && rehearsal.board(0).witnesses_agree());
}

#[test]
fn a_jump_goes_to_the_next_moment_at_which_anything_is_due() {
    let rehearsal = begin(vec![sandbox()]);
    let before = rehearsal.now();
    let words = act(&rehearsal, "jump").expect("it says how far");
    assert!(words.ends_with(" s on"), "{words}");
    assert!(rehearsal.now() > before);
}

#[test]
fn a_jump_goes_ahead_even_where_something_is_still_due_at_the_moment_that_is_shown() {
    let rehearsal = begin(vec![sandbox()]);
    (0..20).for_each(|_| drop(act(&rehearsal, "step")));
    back_to_the_start(&rehearsal);
    assert_eq!(rehearsal.now(), Instant::START, "the first job has yet to arrive, at 0");
    act(&rehearsal, "jump");
    assert!(rehearsal.now() > Instant::START);
    assert!(rehearsal.board(0).counters().enqueued >= 1);
}

#[test]
fn a_run_that_is_stuck_is_stepped_through_and_can_still_be_acted_on() {
    let mut setup = sandbox();
    setup.workload.jobs = Some(4);
    setup.workload.rate = Some(5.0);
    let rehearsal = begin(vec![setup]);
    do_and_see(&rehearsal, "pause w1");
    let stuck = || rehearsal.board(0).stuck().is_some();
    (0..400).take_while(|_| !stuck()).for_each(|_| drop(act(&rehearsal, "step")));
    assert!(stuck(), "a sleeper holds its job");
    for _ in 0..3 {
        let words = act(&rehearsal, "step").expect("it says that nothing happens");
        assert!(words.starts_with("nothing"), "{words}");
    }
    do_and_see(&rehearsal, "heal w1");
}

#[test]
fn two_sides_go_through_the_same_moments_and_what_is_done_is_done_to_both() {
    let with = |dedup| Setup { policy: Policy { dedup, ..sandbox().policy }, ..sandbox() };
    let rehearsal = begin(vec![with(Dedup::EffectThenKey), with(Dedup::Transactional)]);
    do_and_see(&rehearsal, "kill w2 at effect");
    let mut frames = Vec::new();
    while rehearsal.now() < Instant::START + Span::seconds(30) {
        act(&rehearsal, "step");
        frames.push((frame(&rehearsal, 0), frame(&rehearsal, 1)));
    }
    let counters = [0, 1].map(|side| rehearsal.board(side).counters());
    assert_eq!(counters.map(|c| c.enqueued), [37; 2], "1.2 a second, the first at 0");
    assert_eq!(counters.map(|c| c.deaths), [1; 2]);
    assert_eq!(counters.map(|c| c.duplicated), [1, 0], "the same death doubles a job on one side only");
    let twice: Vec<Job> = rehearsal.board(0).harm().twice.iter().copied().collect();
    assert_eq!(twice.len(), 1);
    for expected in frames.iter().rev().skip(1).take(100) {
        assert!(rehearsal.back().starts_with("one event back"));
        assert_eq!((&frame(&rehearsal, 0), &frame(&rehearsal, 1)), (&expected.0, &expected.1));
    }
    rehearsal.quit();
    assert!(rehearsal.wait_for(DEADLINE));
}

#[test]
fn the_boards_of_both_sides_can_be_held_at_once_while_time_goes() {
    let rehearsal = begin(vec![sandbox(), sandbox()]);
    act(&rehearsal, "speed 100");
    act(&rehearsal, "go");
    for _ in 0..200 {
        let (one, other) = (rehearsal.board(0), rehearsal.board(1));
        assert_eq!(one.seq(), other.seq(), "the same set-up on both sides");
    }
}

#[test]
fn a_sink_that_cannot_be_opened_is_said_at_once() {
    let refuse = |_: &Setup| Err(SinkError("no disk".into()));
    let started = Rehearsal::start(Piece::of(vec![sandbox()], Box::new(refuse)));
    assert_eq!(started.err(), Some(SinkError("no disk".into())));
}

#[test]
fn who_has_to_wait_while_the_run_is_made_again_is_told_so() {
    let mut setup = sandbox();
    setup.workload.rate = Some(2_000.0);
    setup.workload.work = "0ms".parse().expect("a work time");
    let fresh = |setup: &Setup| {
        let store = open(Target::Memory, setup.synchronous)?;
        let run = store.run();
        Ok((Arc::new(store) as Arc<dyn Sink>, run))
    };
    let piece = Piece { patience: Duration::from_millis(1), ..Piece::of(vec![setup], Box::new(fresh)) };
    let rehearsal = Rehearsal::start(piece).expect("it starts");
    act(&rehearsal, "speed 100");
    wait(|| rehearsal.now() > Instant::START + Span::seconds(5), "10,000 jobs");
    act(&rehearsal, "stop");
    wait(|| rehearsal.stopped(), "time stands");
    let shown = rehearsal.board(0).seq();
    rehearsal.back();
    wait(|| rehearsal.board(0).seq() < shown, "one event back");
    assert_eq!(act(&rehearsal, "go").as_deref(), Some("one moment: the run is being made again"));
    wait(|| !rehearsal.stopped(), "time goes on");
}
