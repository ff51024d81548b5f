//! The live lab: one OS thread a worker, the wall clock, and a sink that really commits.
//!
//! What is performed, and by which rules, is the same for every driver: `hands` and `keeper`. Here are
//! only the threads: one for each worker's hands, one for the keeper, one for the second witness.
#![allow(clippy::disallowed_methods, reason = "threads are what this driver is made of")]

mod auditor;
mod minder;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{bounded, unbounded};

use self::auditor::Audit;
use self::minder::Minder;
use super::clock::Clock;
use super::handle::Handle;
use super::hands::Hands;
use super::hub::{Command, Shared};
use super::keeper::Mode;
use super::log::{Consumer, Log};
use super::plan::Plan;
use crate::engine::worker::Worker;

use crate::request::{Session, Sink, SinkError};
use crate::setup::Setup;

/// Starts a run. What is planned is done by the keeper, which hears of every event like any other consumer.
///
/// Every session is opened before the first thread starts, so a sink that cannot be used fails here and not in the
/// middle of a run.
///
/// # Errors
/// What the sink says when a session or the auditor cannot be opened.
pub fn start(
    setup: Setup,
    run: i64,
    sink: Arc<dyn Sink>,
    mode: Mode,
    plan: Box<dyn Plan>,
    mut consumers: Vec<Consumer>,
) -> Result<Handle, SinkError> {
    let sessions = (0..setup.workers).map(|_| sink.session()).collect::<Result<Vec<_>, _>>()?;
    let auditor = sink.auditor()?;
    let clock = Arc::new(Clock::new(setup.speed));
    let log = Log::new(clock.clone());
    let (commands, inbox) = unbounded();
    let shared = Arc::new(Shared::new(setup, clock, log, commands));
    shared.tell_the_start(run);
    if plan.listens() {
        consumers.push(tell_the_keeper(&shared));
    }
    let events = shared.log.consume(consumers);
    let audit = Audit::start(&shared, auditor);
    let handle = Handle::new(shared.clone());
    let teller = handle.clone();
    let (opening, opened) = bounded::<()>(0);
    let crew = shared.clone();
    let mind = move || {
        let mut minder = Minder::new(&shared, inbox, mode, plan);
        minder.open();
        drop(opening);
        let how = minder.run();
        let how = audit.close(&shared, how);
        shared.log.close();
        let _events_ended = events.join();
        teller.ended_with(how);
    };
    thread::Builder::new().name("keeper".into()).spawn(mind).map_err(|error| SinkError(error.to_string()))?;
    let _it_is_closed_when_the_start_is_done = opened.recv();
    start_workers(&crew, sessions);
    Ok(handle)
}

/// Hands all that happens to the keeper, for the plan to hear.
fn tell_the_keeper(shared: &Arc<Shared>) -> Consumer {
    let shared = shared.clone();
    Box::new(move |events| shared.send(Command::Heard(events.to_vec())))
}

fn start_workers(shared: &Arc<Shared>, sessions: Vec<Box<dyn Session>>) {
    for (index, session) in sessions.into_iter().enumerate() {
        let shared = shared.clone();
        let work = move || {
            let died = catch_unwind(AssertUnwindSafe(|| run_worker(&shared, index, session))).is_err();
            if died {
                shared.send(Command::Failed(format!("the thread of w{} panicked", index + 1)));
            }
            shared.send(Command::Gone);
        };
        thread::Builder::new().name(format!("w{}", index + 1)).spawn(work).expect("a thread can be started");
    }
}

/// Runs the worker of a slot until there is nothing more for it to do.
fn run_worker(shared: &Shared, index: usize, session: Box<dyn Session>) {
    let slot = &shared.slots[index];
    let mut worker = Worker::new(shared.setup.seed, shared.strikes.clone());
    let mut hands = Hands::new(shared, slot, session);
    while !worker.stopped() {
        let request = worker.next(slot.armed());
        hands.begin(&request);
        let outcome = loop {
            let passed = slot.wait(shared, |state, now| hands.turn(&request, state, now));
            if let Some(outcome) = hands.finish(&request, passed) {
                break outcome;
            }
        };
        worker.told(outcome, slot.armed());
    }
}
