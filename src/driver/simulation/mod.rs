//! Virtual time: the same hands and the same keeper on one thread, seeded and exactly repeatable.
//!
//! The one thing that is added here is the loop, a [`Machine`], and the plan of what is done to it. [`start`] lets it run
//! as fast as it can; whoever wants it slower, or wants to look at every event, drives a machine turn by turn. Nothing
//! here depends on the machine it runs on.
#![allow(clippy::disallowed_methods, reason = "the one thread of a simulation is started here")]

mod agenda;
mod ground;
mod livelock;
mod machine;
mod witness;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

pub use ground::Ground;
pub use machine::{Machine, Said};

use super::handle::Handle;
use super::keeper::Mode;
use super::log::Consumer;
use super::plan::Plan;
use crate::event::{Event, Finish};
use crate::request::{Sink, SinkError};
use crate::setup::Setup;

/// Starts a run in virtual time. It goes as fast as it can, does what is planned on the way, and shows its events to
/// the consumers on the one thread that it has.
///
/// # Errors
/// What the sink says when a session or the auditor cannot be opened.
pub fn start(
    setup: Setup,
    run: i64,
    sink: Arc<dyn Sink>,
    plan: Box<dyn Plan>,
    mut consumers: Vec<Consumer>,
) -> Result<Handle, SinkError> {
    let mut ground = Ground::lay(setup, run, &*sink, Mode::Headless)?;
    let handle = ground.handle();
    let teller = handle.clone();
    let work = move || {
        let flat_out = || run_to_the_end(ground.machine(plan), &mut consumers);
        let ran = catch_unwind(AssertUnwindSafe(flat_out));
        // Whoever waits for the end may leave the program at once, and a file is to be closed by then; the sink last,
        // since the auditor's connection only reads and could not tidy up behind the others.
        drop(ground);
        drop(sink);
        teller.ended_with(ran.unwrap_or_else(|_| Finish::Failed("the simulation panicked".into())));
    };
    thread::Builder::new().name("simulation".into()).spawn(work).map_err(|error| SinkError(error.to_string()))?;
    Ok(handle)
}

fn run_to_the_end(mut machine: Machine<'_>, consumers: &mut [Consumer]) -> Finish {
    let mut show = |events: &[Event]| consumers.iter_mut().for_each(|consumer| consumer(events));
    machine.run(&mut show);
    let how = machine.close();
    show(&machine.take());
    how
}
