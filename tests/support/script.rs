//! Scripts: what is done to a lab at which lab time. One script means the same on both drivers: in virtual time it is
//! the plan of the run, on threads somebody waits for each moment and acts.

use std::time::{Duration, Instant};

use onceish::action;
use onceish::driver::plan::{Planned, When};
use onceish::event::{By, Event, What};
use onceish::ids::Worker;
use onceish::time::{self, Span};

use super::{DEADLINE, Run};

/// One line of a script.
#[derive(Clone, Debug)]
pub struct Cue {
    /// When, in lab time.
    pub at: time::Instant,
    /// What, in the words of the grammar. `holder` stands for the worker that got the first job.
    pub action: String,
}

impl Cue {
    pub fn new(seconds: f64, action: &str) -> Cue {
        Cue { at: time::Instant::START + Span::from_seconds(seconds), action: action.to_owned() }
    }

    fn with_holder(&self, holder: Worker) -> String {
        self.action.replace("holder", &holder.to_string())
    }

    pub fn names_the_holder(&self) -> bool {
        self.action.contains("holder")
    }
}

/// In virtual time the first worker gets the first job; whoever ends such a run checks that it did.
pub const FIRST: Worker = Worker(1);

/// The script as a plan for virtual time. Plans are made here and nowhere else.
pub fn plan(script: &[Cue]) -> Vec<Planned> {
    script.iter().map(|cue| planned(When::At(cue.at), &cue.with_holder(FIRST))).collect()
}

/// What an operator does then, in the words of the grammar.
pub fn planned(when: When, text: &str) -> Planned {
    Planned { when, action: action::parse(text).expect("an action"), by: By::Operator }
}

/// The worker that got the first job, once one has.
pub fn holder(events: &[Event]) -> Option<Worker> {
    events.iter().find_map(|event| match event.what {
        What::Claimed { w, .. } => Some(w),
        _ => None,
    })
}

impl Run {
    /// Plays a script on threads. While time stands no moment comes, so what is next is done at once, as in virtual
    /// time.
    pub fn play(&self, script: &[Cue]) {
        let mut stopped = false;
        for cue in script {
            if !stopped {
                self.wait_until(cue.at);
            }
            match cue.action.as_str() {
                "step" if stopped => self.step(),
                _ if cue.names_the_holder() => self.say(&cue.with_holder(self.holder())),
                action => self.say(action),
            }
            stopped = matches!(cue.action.as_str(), "stop" | "step") || (stopped && cue.action != "go");
        }
    }

    /// Waits until lab time is `at`.
    pub fn wait_until(&self, at: time::Instant) {
        let (events, told) = &*self.seen;
        let deadline = Instant::now() + DEADLINE;
        let mut events = events.lock().expect("no test panics with it");
        while self.handle.now() < at {
            assert!(Instant::now() < deadline, "lab time never came to {} s", at.seconds());
            let left = at.since(self.handle.now()).as_seconds() / self.speed;
            events = told.wait_timeout(events, Duration::from_secs_f64(left)).expect("no test panics with it").0;
        }
    }

    /// Acts, and waits until it was told what came of it.
    pub fn say(&self, action: &str) {
        let before = self.actions();
        self.act(action);
        self.when(action, |events| actions(events) > before);
    }

    fn actions(&self) -> usize {
        actions(&self.seen.0.lock().expect("no test panics with it"))
    }

    /// The worker that got the first job.
    pub fn holder(&self) -> Worker {
        let mut first = None;
        self.when("somebody claims the first job", |events| {
            first = holder(events);
            first.is_some()
        });
        first.expect("just seen")
    }

    /// Steps on: a worker that is still on its way to its gap is waited for.
    pub fn step(&self) {
        loop {
            self.say("step");
            let mut done = false;
            self.when("the step is told", |events| {
                let last = events.iter().rev().find(|event| matches!(event.what, What::Action { .. }));
                done = matches!(last.map(|event| &event.what), Some(What::Action { refused: false, .. }));
                true
            });
            if done {
                return;
            }
        }
    }
}

fn actions(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event.what, What::Action { .. })).count()
}
