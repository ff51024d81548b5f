//! What a run in virtual time stands on: everything that outlives its machine.

use std::sync::Arc;

use crossbeam_channel::{Receiver, unbounded};

use super::machine::Machine;
use super::witness::Witness;
use crate::driver::clock::Clock;
use crate::driver::handle::Handle;
use crate::driver::hub::{Command, Shared};
use crate::driver::keeper::Mode;
use crate::driver::log::Log;
use crate::driver::plan::Plan;
use crate::request::{Session, Sink, SinkError};
use crate::setup::Setup;

/// A run in virtual time with everything that it stands on, before its first turn.
pub struct Ground {
    shared: Arc<Shared>,
    mode: Mode,
    inbox: Receiver<Command>,
    sessions: Vec<Box<dyn Session>>,
    witness: Option<Witness>,
}

impl Ground {
    /// Makes ready for a run of `setup` whose effects go to `sink`.
    ///
    /// # Errors
    /// What the sink says when a session or the auditor cannot be opened.
    pub fn lay(setup: Setup, run: i64, sink: &dyn Sink, mode: Mode) -> Result<Ground, SinkError> {
        let sessions = (0..setup.workers).map(|_| sink.session()).collect::<Result<Vec<_>, _>>()?;
        let witness = Some(Witness::new(sink.auditor()?));
        let clock = Arc::new(Clock::by_hand());
        let log = Log::new(clock.clone());
        let (commands, inbox) = unbounded();
        let shared = Arc::new(Shared::new(setup, clock, log, commands));
        shared.tell_the_start(run);
        Ok(Ground { shared, mode, inbox, sessions, witness })
    }

    /// Acts on the run from elsewhere.
    pub(super) fn handle(&self) -> Handle {
        Handle::new(self.shared.clone())
    }

    /// The run, at its start. To be asked for once: it takes what was laid ready for it.
    pub fn machine(&mut self, plan: Box<dyn Plan>) -> Machine<'_> {
        let witness = self.witness.take().expect("a ground bears one machine");
        Machine::new(&self.shared, self.mode, &self.inbox, self.sessions.drain(..), witness, plan)
    }
}
