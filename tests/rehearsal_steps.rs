//! A rehearsal of something planned: it is gone through step by step, on and back, also from its end, and whoever keeps
//! its events keeps those that stand.

mod waiting;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use onceish::action::{self, Action};
use onceish::board::Narrated;
use onceish::driver::Mode;
use onceish::driver::plan::{Cue, Plan};
use onceish::event::{By, Event, What};
use onceish::rehearsal::{Keep, Piece, Rehearsal};
use onceish::request::Sink;
use onceish::setup::{Driver, Setup};
use onceish::sink::{Target, open};
use onceish::time::{Instant, Span};
use waiting::{DEADLINE, wait};

/// Says something every other second, and kills a worker along with the second thing that it says.
struct Told(VecDeque<(Instant, Cue)>);

impl Told {
    fn new() -> Told {
        let at = |second| Instant::START + Span::seconds(second);
        let said = |step, text: &str, pause| Cue::Tell(What::Said { step, text: text.into(), pause });
        let kill = Cue::Act(action::parse("kill w2").expect("an action"), By::Lab);
        Told(VecDeque::from([
            (at(2), said(1, "here we go", false)),
            (at(4), said(2, "w2 dies", true)),
            (at(4), kill),
            (at(6), Cue::Tell(What::Asked { step: 3, text: "who has its job?".into() })),
        ]))
    }
}

impl Plan for Told {
    fn next(&self) -> Instant {
        self.0.front().map_or(Instant::NEVER, |(at, _)| *at)
    }
    fn due(&mut self, until: Instant) -> Vec<Cue> {
        self.0.pop_front_if(|(at, _)| *at <= until).map(|(_, cue)| cue).into_iter().collect()
    }
    fn listens(&self) -> bool {
        false
    }
    fn heard(&mut self, _: &[Event]) -> Vec<Cue> {
        Vec::new()
    }
}

/// Keeps events in memory.
#[derive(Clone, Default)]
struct Notebook(Arc<Mutex<Vec<Event>>>);

impl Keep for Notebook {
    fn take(&mut self, events: &[Event]) {
        self.0.lock().expect("alone").extend_from_slice(events);
    }
    fn cut(&mut self, events: usize) {
        self.0.lock().expect("alone").truncate(events);
    }
}

fn piece(notebook: &Notebook) -> Piece {
    let mut setup = Setup::sandbox(249);
    setup.driver = Driver::Simulation;
    setup.workload.jobs = Some(8);
    let fresh = |setup: &Setup| {
        let store = open(Target::Memory, setup.synchronous)?;
        let run = store.run();
        Ok((Arc::new(store) as Arc<dyn Sink>, run))
    };
    let keep: Box<dyn Keep> = Box::new(notebook.clone());
    Piece {
        plan: Box::new(|_| Box::new(Told::new())),
        mode: Mode::Headless,
        keep: Some(keep),
        patience: DEADLINE,
        ..Piece::of(vec![setup], Box::new(fresh))
    }
}

fn begin(notebook: &Notebook) -> Rehearsal {
    let rehearsal = Rehearsal::start(piece(notebook)).expect("it starts");
    rehearsal.act(Action::Stop, By::Operator);
    rehearsal
}

/// Where the run is: what was told last, when, and everything that a frame is made of.
fn place(rehearsal: &Rehearsal) -> (Option<String>, Instant, String) {
    let board = rehearsal.board(0);
    let last = board.narration().last().map(|Narrated { text, .. }| text.clone());
    let frame = format!("{:?}", *board);
    drop(board);
    (last, rehearsal.now(), frame)
}

fn said(rehearsal: &Rehearsal) -> Option<String> {
    place(rehearsal).0
}

#[test]
fn each_step_on_stands_where_the_plan_says_something_and_each_step_back_at_the_one_before() {
    let notebook = Notebook::default();
    let rehearsal = begin(&notebook);
    let mut places = Vec::new();
    for (text, second) in [("here we go", 2), ("w2 dies", 4), ("who has its job?", 6)] {
        assert_eq!(rehearsal.on_to_step(), None);
        let place = place(&rehearsal);
        assert_eq!((place.0.as_deref(), place.1), (Some(text), Instant::START + Span::seconds(second)));
        assert!(rehearsal.stopped());
        places.push(place);
    }
    assert_eq!(rehearsal.on_to_step(), None);
    assert!(rehearsal.wait_for(DEADLINE), "behind the last step comes the end");
    assert!(rehearsal.board(0).finished().is_some());
    for expected in places.iter().rev() {
        assert_eq!(rehearsal.back_to_step(), None);
        assert_eq!(&place(&rehearsal), expected, "back from the end");
    }
    assert_eq!(rehearsal.back_to_step().as_deref(), Some("this is the first step"));
    for expected in places.iter().skip(1) {
        assert_eq!(rehearsal.on_to_step(), None);
        assert_eq!(&place(&rehearsal), expected, "and on again");
    }
}

#[test]
fn time_that_goes_stands_at_a_pause_and_passes_what_is_only_said() {
    let notebook = Notebook::default();
    let rehearsal = begin(&notebook);
    rehearsal.act(Action::Speed(100.0), By::Operator);
    rehearsal.act(Action::Go, By::Operator);
    wait(|| rehearsal.stopped(), "the pause");
    assert_eq!(said(&rehearsal).as_deref(), Some("w2 dies"));
    assert_eq!(rehearsal.now(), Instant::START + Span::seconds(4));
}

#[test]
fn a_run_that_is_over_goes_on_from_an_earlier_step_with_what_is_done_there() {
    let notebook = Notebook::default();
    let rehearsal = begin(&notebook);
    while !rehearsal.ended() {
        rehearsal.on_to_step();
    }
    let deaths = |rehearsal: &Rehearsal| rehearsal.board(0).counters().deaths;
    assert_eq!(deaths(&rehearsal), 1);
    rehearsal.back_to_step();
    rehearsal.back_to_step();
    assert_eq!(said(&rehearsal).as_deref(), Some("w2 dies"));
    rehearsal.act(action::parse("kill w3").expect("an action"), By::Operator);
    let acted = || rehearsal.events(0).iter().any(|event| matches!(event.what, What::Action { by: By::Operator, .. }));
    wait(acted, "the act is told");
    while !rehearsal.ended() {
        rehearsal.on_to_step();
    }
    assert_eq!(deaths(&rehearsal), 2, "the plan's and the other");
    assert_eq!(notebook.0.lock().expect("alone").as_slice(), rehearsal.events(0), "what was undone is not kept");
}
