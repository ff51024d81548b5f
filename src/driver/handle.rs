//! A run under way, whoever drives it: to act on it, and to wait for its end.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::hub::{Command, Shared};
use crate::action::Action;
use crate::event::{By, Finish};
use crate::time::Instant;

/// A running lab, to act on it and to wait for its end. Cheap to clone.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
    outcome: Arc<(Mutex<Option<Finish>>, Condvar)>,
}

impl Handle {
    pub(super) fn new(shared: Arc<Shared>) -> Handle {
        Handle { shared, outcome: Arc::new((Mutex::new(None), Condvar::new())) }
    }

    /// Tells whoever waits that the run is over.
    pub(super) fn ended_with(&self, how: Finish) {
        *self.outcome.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(how);
        self.outcome.1.notify_all();
    }

    /// Does something to the run. What comes of it is told by an event.
    pub fn act(&self, action: Action, by: By) {
        self.shared.send(Command::Act(action, by));
    }

    /// From now on the run ends by itself when it is drained or stuck, however it was started: nothing more will be
    /// done to it.
    pub fn end_when_settled(&self) {
        self.shared.send(Command::EndWhenSettled);
    }

    /// Lab time.
    pub fn now(&self) -> Instant {
        self.shared.clock.now()
    }

    /// Ends the run: no more jobs are handed out, and deliveries under way have `grace` of real time to end. Called
    /// again, the new grace holds.
    pub fn quit(&self, grace: Duration) {
        self.shared.send(Command::Quit(grace));
    }

    /// Ends the run because an invariant did not hold.
    pub fn violated(&self, text: String) {
        self.shared.send(Command::Violated(text));
    }

    /// True when the run is over and every event was shown to the consumers.
    pub fn ended(&self) -> bool {
        self.outcome.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Waits until the run is over and every event was shown to the consumers.
    pub fn wait(&self) -> Finish {
        let (outcome, told) = &*self.outcome;
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*outcome {
                Some(how) => return how.clone(),
                None => outcome = told.wait(outcome).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Waits at most `patience` for the end.
    pub fn wait_for(&self, patience: Duration) -> Option<Finish> {
        let (outcome, told) = &*self.outcome;
        let outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = told.wait_timeout_while(outcome, patience, |outcome| outcome.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }
}
