//! Puts a run together: a sink, the threads driver, and what takes in its events.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use crossbeam_channel::unbounded;

use super::failure::Failure;
use super::headless::{self, Consumer, Lab, Order, Telling};
use super::recorder::{self, Recorder};
use super::setup::Prepared;
use super::signals;
use crate::driver::plan::{self, Plan};
use crate::driver::{Handle, Mode, simulation, threads};
use crate::setup::{Driver, Setup};
use crate::sink::{self, Store, Target};

impl Lab for Handle {
    fn quit(&self, grace: Duration) {
        Handle::quit(self, grace);
    }

    fn violated(&self, text: String) {
        Handle::violated(self, text);
    }

    fn wait(&self) {
        Handle::wait(self);
    }
}

/// Opens the database at `path`, or one that is gone with the run, and begins a run of `setup` in it.
pub fn open(setup: &Setup, path: Option<PathBuf>) -> anyhow::Result<Store> {
    let target = match (path, setup.driver) {
        (Some(path), _) => Target::File(path),
        (None, Driver::Threads) => Target::Temporary,
        (None, Driver::Simulation) => Target::Memory,
    };
    let store = sink::open(target, setup.synchronous)?;
    store.describe(setup.seed, &serde_json::to_string(setup)?)?;
    Ok(store)
}

/// Starts a run of `setup` whose effects go to `store`.
pub fn start(
    setup: &Setup,
    store: Store,
    mode: Mode,
    plan: Box<dyn Plan>,
    consumers: Vec<Consumer>,
) -> anyhow::Result<Handle> {
    let run = store.run();
    let store = Arc::new(store);
    let started = match setup.driver {
        Driver::Threads => threads::start(setup.clone(), run, store, mode, plan, consumers),
        Driver::Simulation => simulation::start(setup.clone(), run, store, plan, consumers),
    };
    started.context("cannot start the run")
}

/// Makes a run without a screen and tells it on stdout; `record` names a new file that it is recorded in. The result is
/// the exit code.
pub fn headless(
    prepared: &Prepared,
    telling: Telling,
    path: Option<PathBuf>,
    record: Option<&Path>,
) -> Result<u8, Failure> {
    if let Some(record) = record {
        recorder::refuse_existing(record)?;
    }
    let (heard, signals) = unbounded();
    signals::watch(heard).context("cannot wait for signals")?;
    let kept = path.is_some();
    let store = open(&prepared.setup, path)?;
    let order = Order {
        prepared,
        telling,
        database: kept.then(|| (store.path().to_owned(), store.run())),
        signals,
        progress: telling != Telling::Plain && headless::shows_progress(),
        recorder: record.map(|record| Recorder::in_file(record, &prepared.setup, None)).transpose()?,
    };
    headless::headless(&order, io::stdout(), |consumers| {
        Ok(Arc::new(start(&prepared.setup, store, Mode::Headless, plan::nothing(), consumers)?))
    })
}
