//! Runs set-ups for claims: each on a sink of its own, as many at once as the machine has cores for.
#![allow(clippy::disallowed_methods, reason = "runs in virtual time need one thread each")]

use std::collections::BTreeMap;
use std::mem;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use super::headless::{Consumer, locked};
use super::launch;
use crate::board::Board;
use crate::claims::{Ran, Runner};
use crate::digest::Digest;
use crate::driver::plan::{self, Plan};
use crate::driver::{Handle, Mode};
use crate::event::{Event, Finish};
use crate::request::SinkError;
use crate::setup::{Driver, Setup};

/// Runs set-ups, each as its driver says: those on threads one after the other, those in virtual time side by side.
#[derive(Default)]
pub struct LabRunner {
    /// How many runs are over.
    done: AtomicUsize,
    /// The runs under way, by the order of their start.
    running: Mutex<BTreeMap<usize, Handle>>,
    started: AtomicUsize,
    stopped: AtomicBool,
}

impl LabRunner {
    /// How many runs are over, for whoever shows how far it has come.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Ends the runs under way and starts no more; what is still waited for fails.
    pub fn stop(&self) {
        self.stop_within(Duration::ZERO);
    }

    /// The same, with this long for the deliveries under way.
    pub fn stop_within(&self, grace: Duration) {
        self.stopped.store(true, Ordering::SeqCst);
        locked(&self.running).values().for_each(|handle| handle.quit(grace));
    }

    /// Waits for the end of a run that can be stopped.
    fn wait(&self, handle: Handle) -> Finish {
        let place = self.started.fetch_add(1, Ordering::Relaxed);
        locked(&self.running).insert(place, handle.clone());
        if self.stopped.load(Ordering::SeqCst) {
            handle.quit(Duration::ZERO);
        }
        let how = handle.wait();
        locked(&self.running).remove(&place);
        how
    }

    fn count<T>(&self, ran: Result<T, SinkError>) -> Result<T, SinkError> {
        self.done.fetch_add(1, Ordering::Relaxed);
        ran
    }

    /// Runs `setup` to its end, by its plan and with these consumers. `begun` is shown the run as soon as there is one.
    ///
    /// # Errors
    /// What keeps it from starting, and that no more runs are started.
    pub(super) fn run_through(
        &self,
        setup: &Setup,
        plan: Box<dyn Plan>,
        consumers: Vec<Consumer>,
        begun: impl FnOnce(&Handle),
    ) -> Result<Finish, SinkError> {
        if self.stopped.load(Ordering::SeqCst) {
            return Err(SinkError("stopped".to_owned()));
        }
        let failed = |error: anyhow::Error| SinkError(format!("{error:#}"));
        let store = launch::open(setup, None).map_err(failed)?;
        let handle = launch::start(setup, store, Mode::Headless, plan, consumers).map_err(failed)?;
        begun(&handle);
        Ok(self.wait(handle))
    }

    /// Runs `setup` to its end.
    fn run_one(&self, setup: &Setup) -> Result<Ran, SinkError> {
        let digest = (setup.driver == Driver::Simulation).then(Digest::default);
        let seen = Arc::new(Mutex::new((Board::new(), digest)));
        let told = seen.clone();
        let consumer = Box::new(move |events: &[Event]| {
            let (board, digest) = &mut *locked(&told);
            board.extend(events);
            if let Some(digest) = digest {
                digest.take(events);
            }
        });
        if let Finish::Failed(words) = self.run_through(setup, plan::nothing(), vec![consumer], |_| {})? {
            return Err(SinkError(words.into()));
        }
        let (board, digest) = mem::take(&mut *locked(&seen));
        Ok(Ran { board, digest: digest.map(|digest| digest.to_string()) })
    }

    /// Makes `many` runs by their places, as many at once as there are `hands`.
    pub(super) fn make<T: Send + Sync>(
        &self,
        many: usize,
        hands: usize,
        run: impl Fn(usize) -> Result<T, SinkError> + Sync,
    ) -> Vec<Result<T, SinkError>> {
        let next = AtomicUsize::new(0);
        let results: Vec<OnceLock<Result<T, SinkError>>> = (0..many).map(|_| OnceLock::new()).collect();
        thread::scope(|scope| {
            for _ in 0..hands {
                scope.spawn(|| {
                    while let Some(place) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < many) {
                        let _it_is_set_here_only = results[place].set(self.count(run(place)));
                    }
                });
            }
        });
        results.into_iter().map(|result| result.into_inner().expect("every place was taken")).collect()
    }
}

/// How many runs with these drivers are made at once: as many as there are cores in virtual time, else one.
pub(super) fn hands<'a>(mut setups: impl ExactSizeIterator<Item = &'a Setup>) -> usize {
    let many = setups.len();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    if setups.all(|setup| setup.driver == Driver::Simulation) { cores.min(many) } else { 1 }
}

impl Runner for LabRunner {
    fn run(&self, setups: &[Setup]) -> Result<Vec<Ran>, SinkError> {
        let ran = self.make(setups.len(), hands(setups.iter()), |place| self.run_one(&setups[place]));
        ran.into_iter().collect()
    }
}
