//! A run in virtual time that is shown as it goes, and can be taken back: or two, side by side, on the same stream.
//!
//! The events of each side lie on a [`Tape`], and what is shown is the board of some moment of it.
//! How fast virtual time is shown, where it stands and what is looked at are no events of the run, so looking back and
//! forth shows exactly the same. Going on from an earlier moment runs again from the seed, with what was done until
//! then (a `script`) done again at the same turn of the same machine; what came after is forgotten.
//!
//! A [`Rehearsal`] is what others hold. `conductor` has the thread that drives the machines by the wall clock, `take`
//! plays the script on fresh machines, `scene` is what is shown. It knows no screen, and no way to a sink but the one it
//! is handed.

mod conductor;
mod scene;
mod script;
mod take;

use std::ops::Deref;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded, unbounded};

use crate::action::Action;
use crate::board::{Board, Tape};
use crate::driver::Mode;
use crate::driver::plan::{self, Plan};
use crate::event::{By, Event};
use crate::request::{Sink, SinkError};
use crate::setup::Setup;
use crate::time::Instant;

use conductor::{OVER, Order};
use scene::Stage;

/// Opens a fresh sink for a run of a set-up, and says the number of the run in it. Each take gets one of its own, and has
/// to find all of them alike: rows and runs are numbered from the same start.
pub type Open = Box<dyn Fn(&Setup) -> Result<(Arc<dyn Sink>, i64), SinkError> + Send>;

/// Makes the plan of a side. Each take gets one of its own, and has to find all of them alike.
pub type PlanOf = Box<dyn Fn(usize) -> Box<dyn Plan> + Send>;

/// Keeps the events of the first side somewhere else as they are told, and forgets those that are taken back.
pub trait Keep: Send {
    /// Takes the events that come next.
    fn take(&mut self, events: &[Event]);
    /// Forgets all but the first `events`.
    fn cut(&mut self, events: usize);
}

/// What is rehearsed.
pub struct Piece {
    /// What each side starts with.
    pub setups: Vec<Setup>,
    /// Opens their sinks.
    pub open: Open,
    /// Makes their plans.
    pub plan: PlanOf,
    /// Whether a run is over when it is drained or stuck and nothing is planned.
    pub mode: Mode,
    /// Who keeps the events of the first side, if anybody does.
    pub keep: Option<Box<dyn Keep>>,
    /// How long somebody who changes the pace waits to hear what came of it. It is carried out all the same.
    pub patience: Duration,
}

impl Piece {
    /// Runs of these set-ups without a plan, which go on until somebody ends them.
    pub fn of(setups: Vec<Setup>, open: Open) -> Piece {
        Piece {
            setups,
            open,
            plan: Box::new(|_| plan::nothing()),
            mode: Mode::Interactive,
            keep: None,
            patience: ANSWER,
        }
    }
}

/// How long a screen can wait for an answer without being seen to wait.
const ANSWER: Duration = Duration::from_millis(50);

/// Runs in virtual time that are shown as they go. Cheap to clone.
#[derive(Clone)]
pub struct Rehearsal {
    orders: Sender<Order>,
    stage: Arc<Stage>,
    patience: Duration,
}

/// The board of one side as it is shown; while it is held, what is shown stands. Of several sides, the boards are to be
/// held in the order of the sides.
pub struct Shown<'a>(MutexGuard<'a, Tape>);

impl Deref for Shown<'_> {
    type Target = Board;

    fn deref(&self) -> &Board {
        self.0.board()
    }
}

impl Rehearsal {
    /// Starts a run of each set-up, all at the same pace, that of the first; what is done is done to all of them. Where
    /// a plan asks for a pause, time stands.
    ///
    /// # Errors
    /// What a sink says when it cannot be opened.
    pub fn start(piece: Piece) -> Result<Rehearsal, SinkError> {
        let stage = Arc::new(Stage::new(&piece.setups));
        let (orders, inbox) = unbounded();
        let (ready, begun) = bounded(1);
        let patience = piece.patience;
        conductor::start(piece, stage.clone(), inbox, ready)?;
        begun.recv().unwrap_or_else(|_| Err(SinkError("the rehearsal did not begin".into())))?;
        Ok(Rehearsal { orders, stage, patience })
    }

    /// How many sides there are.
    pub fn sides(&self) -> usize {
        self.stage.sides()
    }

    /// The board of a side as it is shown.
    pub fn board(&self, side: usize) -> Shown<'_> {
        Shown(self.stage.tape(side))
    }

    /// The moment that is shown.
    pub fn now(&self) -> Instant {
        self.stage.pace().now()
    }

    /// True while time stands.
    pub fn stopped(&self) -> bool {
        self.stage.pace().stopped()
    }

    /// How many seconds of the run are shown in a second.
    pub fn speed(&self) -> f64 {
        self.stage.pace().speed
    }

    /// Does something to every side, as of the moment that is shown. What comes of it is an event. `stop`, `go`,
    /// `step`, `speed` and `jump` are done to what is shown instead, and what came of that is said in words.
    pub fn act(&self, action: Action, by: By) -> Option<String> {
        match action {
            action if action.paces() => self.ask(Order::Pace, action),
            action => {
                let _the_run_may_be_over = self.orders.send(Order::Act(action, by));
                None
            }
        }
    }

    /// Takes the last event back; of several sides, the last moment at which anything happened. Says what came of it.
    pub fn back(&self) -> String {
        self.ask(|(), answer| Order::Back(answer), ()).unwrap_or_else(|| OVER.to_owned())
    }

    /// Goes on, at once, to the next step of the plan that says or asks something, or to the end, and time stands there.
    /// Says what came of it if there is no such step.
    pub fn on_to_step(&self) -> Option<String> {
        self.ask_for_long(Order::OnToStep)
    }

    /// Goes back to the step before, and time stands there. Says what came of it if there is none.
    pub fn back_to_step(&self) -> Option<String> {
        self.ask_for_long(Order::BackToStep)
    }

    /// Asks for what may have to run a good part of the run.
    fn ask_for_long(&self, order: impl FnOnce(Sender<Option<String>>) -> Order) -> Option<String> {
        let (answer, heard) = bounded(1);
        self.orders.send(order(answer)).ok()?;
        heard.recv().ok().flatten()
    }

    /// Asks the conductor for something and waits a little for its answer. It is late only where it makes the run again.
    fn ask<T>(&self, order: impl FnOnce(T, Sender<Option<String>>) -> Order, with: T) -> Option<String> {
        let (answer, heard) = bounded(1);
        self.orders.send(order(with, answer)).ok()?;
        match heard.recv_timeout(self.patience) {
            Ok(words) => words,
            Err(RecvTimeoutError::Timeout) => Some("one moment: the run is being made again".into()),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// A number that changes whenever what is shown has changed.
    pub fn version(&self) -> u64 {
        self.stage.version.load(Ordering::Acquire)
    }

    /// The events of a side that are shown, as far as they are kept.
    pub fn events(&self, side: usize) -> Vec<Event> {
        self.stage.tape(side).shown_events().cloned().collect()
    }

    /// Ends every run. Virtual time has no grace: nothing more happens in it.
    pub fn quit(&self) {
        let _it_may_be_over = self.orders.send(Order::Quit);
    }

    /// True when every run is over and all its events are shown. One that ended by itself can still be taken back, and
    /// then goes on.
    pub fn ended(&self) -> bool {
        self.stage.ended()
    }

    /// Waits at most `patience` for the end. True if it came.
    pub fn wait_for(&self, patience: Duration) -> bool {
        self.stage.wait_for(patience)
    }
}
