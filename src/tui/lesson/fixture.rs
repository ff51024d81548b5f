//! A lab on a stage for tests: its run is the small model's, told what the lab would say, and goes on when it is told to.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Answers, Came, Notes, Outcome, Stage};
use crate::action::Action;
use crate::board::Board;
use crate::event::{By, Event, Finish, What};
use crate::lab::Lab;
use crate::setup::Driver;
use crate::time::Instant;
use crate::tui::fixture::{Deed, Model};
use crate::tui::{Badge, Run, Showing};

/// What was asked of a run, and how much of it is shown.
#[derive(Clone, Default)]
pub struct Tape(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    events: Vec<Event>,
    board: Board,
    shown: usize,
    stopped: bool,
    acts: Vec<String>,
}

impl State {
    fn show(&mut self, shown: usize) {
        self.shown = shown.min(self.events.len());
        self.board = self.events[..self.shown].iter().collect();
    }

    fn says(&self, n: usize) -> bool {
        matches!(self.events[n].what, What::Said { .. } | What::Asked { .. })
    }
}

impl Tape {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().expect("one thread")
    }

    /// Shows so many events.
    pub fn show(&self, shown: usize) {
        self.state().show(shown);
    }

    /// How many events there are up to the `n`th thing that is said or asked, with it.
    pub fn upto(&self, n: usize) -> usize {
        let state = self.state();
        let mut said = (0..state.events.len()).filter(|place| state.says(*place));
        said.nth(n - 1).map_or(state.events.len(), |place| place + 1)
    }

    /// What was done to it.
    pub fn acts(&self) -> Vec<String> {
        self.state().acts.clone()
    }

    pub fn stop(&self, stopped: bool) {
        self.state().stopped = stopped;
    }
}

struct Guard<'a>(std::sync::MutexGuard<'a, State>);

impl Deref for Guard<'_> {
    type Target = Board;

    fn deref(&self) -> &Board {
        &self.0.board
    }
}

impl Run for Tape {
    fn sides(&self) -> usize {
        1
    }

    fn board(&self, _side: usize) -> Box<dyn Deref<Target = Board> + '_> {
        Box::new(Guard(self.state()))
    }

    fn now(&self) -> Instant {
        self.state().board.now()
    }

    fn showing(&self) -> Showing {
        Showing { badge: Badge::Virtual, stopped: self.state().stopped, speed: 1.0, recorded: true }
    }

    fn act(&self, action: Action, by: By) -> Option<String> {
        let mut state = self.state();
        match action {
            Action::Go => state.stopped = false,
            Action::Stop => state.stopped = true,
            _ => {}
        }
        state.acts.push(format!("{action} by {by}"));
        None
    }

    fn back(&self) -> Option<String> {
        None
    }

    fn on_to_step(&self) -> Option<String> {
        let mut state = self.state();
        if state.shown == state.events.len() {
            return Some("the run is over".into());
        }
        let next = (state.shown..state.events.len()).find(|n| state.says(*n));
        let shown = next.map_or(state.events.len(), |n| n + 1);
        state.show(shown);
        None
    }

    fn back_to_step(&self) -> Option<String> {
        let mut state = self.state();
        let here = state.shown.checked_sub(1)?;
        let from = if state.says(here) { here } else { state.shown };
        let Some(previous) = (0..from).rev().find(|n| state.says(*n)) else { return Some("the first".into()) };
        state.show(previous + 1);
        None
    }

    fn version(&self) -> u64 {
        self.state().shown as u64
    }

    fn quit(&self, _grace: Duration) {}

    fn ended(&self) -> bool {
        let state = self.state();
        state.shown == state.events.len()
    }

    fn news(&self) -> Option<String> {
        None
    }
}

/// The model's run: w4 is killed at 18.2 s, w2 dies after an effect; `said` is told at its seconds, then it ends.
pub fn tape(said: &[(f64, What)], until: f64) -> Tape {
    let mut model = Model::new(4, &[(18.2, Deed::Kill(4)), (37.0, Deed::Arm(2))]);
    for (at, what) in said {
        model.run(*at);
        model.tell(what.clone());
    }
    model.run(until);
    model.tell(What::Finished { how: Finish::Drained, counts: None });
    let tape = Tape::default();
    tape.state().events = std::mem::take(&mut model.events);
    tape
}

/// A lab on a stage.
pub struct Theatre {
    pub lab: Lab,
    pub tape: Tape,
    pub outcome: RefCell<Outcome>,
    pub started: RefCell<Vec<Answers>>,
    pub noted: RefCell<Vec<String>>,
    pub unfinished: Option<usize>,
}

impl Theatre {
    pub fn of(mut lab: Lab, tape: Tape) -> Theatre {
        lab.variants[0].setup.driver = Driver::Simulation;
        let questions = lab.steps.iter().filter(|step| step.ask.is_some()).count();
        let outcome = Outcome {
            questions: vec![Came::default(); questions],
            held: Some((2, 2)),
            agree: true,
            ..Outcome::default()
        };
        Theatre {
            lab,
            tape,
            outcome: RefCell::new(outcome),
            started: RefCell::default(),
            noted: RefCell::default(),
            unfinished: None,
        }
    }
}

impl Stage for &Theatre {
    fn lab(&self) -> &Lab {
        &self.lab
    }

    fn place(&self) -> Option<(usize, usize)> {
        Some((9, 22))
    }

    fn start(&self, answers: Answers) -> anyhow::Result<Box<dyn Run>> {
        self.started.borrow_mut().push(answers);
        Ok(Box::new(self.tape.clone()))
    }

    fn rehearse(&self, _answers: Answers) -> anyhow::Result<Box<dyn Run>> {
        self.tape.stop(true);
        Ok(Box::new(self.tape.clone()))
    }

    fn outcome(&self, _answers: &Answers) -> Outcome {
        self.outcome.borrow().clone()
    }

    fn presented(&self, _answers: &Answers) -> Outcome {
        self.outcome.borrow().clone()
    }

    fn version(&self) -> u64 {
        0
    }

    fn recorded(&self) -> Option<String> {
        Some("/home/you/.local/state/onceish/recordings/lab-09-20261130T140203Z.jsonl".to_owned())
    }

    fn warnings(&self) -> &[String] {
        &[]
    }
}

impl Notes for &Theatre {
    fn unfinished(&self) -> Option<usize> {
        self.unfinished
    }

    fn left(&self, step: usize) {
        self.noted.borrow_mut().push(format!("left at {step}"));
    }

    fn finished(&self, right: usize, of: usize, touched: bool) {
        self.noted.borrow_mut().push(format!("{right}/{of}{}", if touched { " *" } else { "" }));
    }
}
