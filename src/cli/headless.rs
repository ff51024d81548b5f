//! A run without a screen: it is folded, told, watched and waited for, and then reported.
//!
//! What runs is handed in as a [`Lab`], so that all of this can be held against runs that were written down by hand.

#![allow(clippy::disallowed_methods, reason = "elapsed time is real time, and a thread waits for the run's end")]

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, never, unbounded};

use super::account::Account;
use super::failure::Failure;
use super::json::json;
use super::outcome::{Outcome, Signal, judge};
use super::plain::Narrator;
use super::progress;
use super::recorder::Recorder;
use super::report::{Context, report};
use super::setup::Prepared;
use crate::board::Board;
use crate::digest::Digest;
use crate::setup::Driver;

/// How long deliveries under way may go on after a signal.
pub const GRACE: Duration = Duration::from_secs(2);
/// The same after a hang-up.
pub const GRACE_AFTER_HANG_UP: Duration = Duration::from_millis(500);
/// How often a run is looked at.
pub(super) const LOOK: Duration = Duration::from_millis(100);

pub use crate::driver::log::Consumer;

/// A run under way.
pub trait Lab: Send + Sync {
    /// Ends the run; deliveries under way have `grace` to end.
    fn quit(&self, grace: Duration);
    /// Ends the run because an invariant did not hold.
    fn violated(&self, text: String);
    /// Waits until the run is over and all its events were taken in.
    fn wait(&self);
}

/// What is told on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// The report at the end.
    Report,
    /// Every event, then the report.
    Plain,
    /// One JSON object at the end.
    Json,
}

/// A run to be made, and how it is told.
pub struct Order<'a> {
    /// The set-up and its warnings.
    pub prepared: &'a Prepared,
    /// What is told.
    pub telling: Telling,
    /// The database that is kept, and the run's number in it.
    pub database: Option<(PathBuf, i64)>,
    /// Signals that end the run.
    pub signals: Receiver<Signal>,
    /// Whether a line on stderr says how far the run has come.
    pub progress: bool,
    /// What records the run, if it is to be recorded.
    pub recorder: Option<Recorder>,
}

/// Makes the run that `start` starts with the consumers it is given, and tells it on `out`. The result is the exit
/// code.
pub fn headless<W: Write + Send + 'static>(
    order: &Order<'_>,
    out: W,
    start: impl FnOnce(Vec<Consumer>) -> anyhow::Result<Arc<dyn Lab>>,
) -> Result<u8, Failure> {
    let board = Arc::new(Mutex::new(Board::new()));
    let out = Arc::new(Mutex::new(BufWriter::new(out)));
    let (deaf, deafened) = unbounded();
    let mut consumers = vec![fold_into(board.clone())];
    if order.telling == Telling::Plain {
        consumers.push(tell_on(out.clone(), deaf));
    }
    consumers.extend(order.recorder.as_ref().map(|recorder| recorder.consumer(board.clone(), |board| board)));
    let digest = Arc::new(Mutex::new(Digest::default()));
    let virtually = order.prepared.setup.driver == Driver::Simulation;
    if virtually {
        consumers.push(take_in(digest.clone()));
    }
    let began = Instant::now();
    let lab = start(consumers)?;
    let signal = watch(order, &lab, &board, &deafened, began)?;
    let account = Account::of(&locked(&board), &order.prepared.setup, began.elapsed());
    let outcome = signal.map_or_else(|| judge(&account), Outcome::signalled);
    let database = order.database.as_ref().map(|(path, run)| (path.as_path(), *run));
    let digest = (virtually && signal.is_none()).then(|| locked(&digest).to_string());
    let recording = order.recorder.as_ref().and_then(Recorder::path);
    let context = Context {
        warnings: &order.prepared.warnings,
        database,
        digest: digest.as_deref(),
        recording: recording.as_deref(),
    };
    let text = match order.telling {
        Telling::Report => report(&account, &outcome, context),
        Telling::Plain => format!("\n{}", report(&account, &outcome, context)),
        Telling::Json => json(&account, &outcome, context),
    };
    let mut out = locked(&out);
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::stdout)?;
    was_recorded(order.recorder.as_ref())?;
    Ok(outcome.code)
}

/// A recording that was asked for and could not be written is a failure, however the run went.
///
/// # Errors
/// Why it could not be written.
pub fn was_recorded(recorder: Option<&Recorder>) -> Result<(), Failure> {
    match recorder.and_then(Recorder::trouble) {
        Some(why) => Err(Failure::Runtime(anyhow::anyhow!("the recording could not be written: {why}"))),
        None => Ok(()),
    }
}

/// Whether a progress line would be seen.
pub fn shows_progress() -> bool {
    io::stderr().is_terminal()
}

/// A poisoned lock only says that another thread panicked; what it guards is whole after every call.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn fold_into(board: Arc<Mutex<Board>>) -> Consumer {
    Box::new(move |events| {
        locked(&board).extend(events);
    })
}

fn take_in(digest: Arc<Mutex<Digest>>) -> Consumer {
    Box::new(move |events| locked(&digest).take(events))
}

/// Tells events on `out` until it fails; then says so, once, to `deaf`.
fn tell_on<W: Write + Send + 'static>(out: Arc<Mutex<BufWriter<W>>>, deaf: Sender<io::Error>) -> Consumer {
    let mut narrator = Narrator::new();
    let mut failed = false;
    Box::new(move |events| {
        if failed {
            return;
        }
        let mut out = locked(&out);
        let mut tell = |event| writeln!(out, "{}", narrator.line(event));
        let told = events.iter().try_for_each(&mut tell).and_then(|()| out.flush());
        if let Err(error) = told {
            failed = true;
            let _the_run_may_have_ended = deaf.send(error);
        }
    })
}

/// Waits for the end of the run, ending it early for signals, violations and a stdout that fails. Gives back the
/// signal that ended it, if one did.
fn watch(
    order: &Order<'_>,
    lab: &Arc<dyn Lab>,
    board: &Mutex<Board>,
    deafened: &Receiver<io::Error>,
    began: Instant,
) -> Result<Option<Signal>, Failure> {
    let ended = end_of(lab.clone())?;
    let (mut signals, mut deafened) = (order.signals.clone(), deafened.clone());
    let mut line = ProgressLine::new(order.progress);
    let (mut first, mut failure, mut violated) = (None, None, false);
    loop {
        crossbeam_channel::select! {
            recv(ended) -> _ => break,
            recv(signals) -> heard => match heard {
                Ok(signal) => end_by(&mut first, signal, lab.as_ref()),
                Err(_) => signals = never(),
            },
            recv(deafened) -> error => match error {
                Ok(error) => {
                    failure = Some(Failure::stdout(error));
                    lab.quit(Duration::ZERO);
                }
                Err(_) => deafened = never(),
            },
            default(LOOK) => {
                let board = locked(board);
                line.show(&progress::line(&board.counters(), began.elapsed()));
                if let (false, Some(text)) = (violated, board.violations().first()) {
                    violated = true;
                    lab.violated(text.clone());
                }
            }
        }
    }
    line.wipe();
    match failure.or_else(|| deafened.try_recv().ok().map(Failure::stdout)) {
        Some(failure) => Err(failure),
        None => Ok(first),
    }
}

/// The first signal drains within its grace; another one does not wait.
fn end_by(first: &mut Option<Signal>, signal: Signal, lab: &dyn Lab) {
    let grace = match (&first, signal) {
        (Some(_), _) => Duration::ZERO,
        (None, Signal::HangUp) => GRACE_AFTER_HANG_UP,
        (None, Signal::Interrupt | Signal::Terminate) => GRACE,
    };
    tracing::info!(?signal, ?grace, "a signal ends the run");
    first.get_or_insert(signal);
    lab.quit(grace);
}

/// Hears when the run is over: nothing comes, and then the channel closes.
fn end_of(lab: Arc<dyn Lab>) -> Result<Receiver<()>, Failure> {
    let (over, ended) = bounded::<()>(0);
    let wait = move || {
        lab.wait();
        drop(over);
    };
    let spawned = std::thread::Builder::new().name("end".into()).spawn(wait);
    spawned.map_err(|error| anyhow::Error::new(error).context("cannot start a thread"))?;
    Ok(ended)
}

/// One line on stderr that is rewritten in place.
pub(super) struct ProgressLine {
    shown: bool,
    width: usize,
}

impl ProgressLine {
    /// A line that is shown, or one that never is.
    pub fn new(shown: bool) -> ProgressLine {
        ProgressLine { shown, width: 0 }
    }

    /// Shows `text` in place of what the line said before.
    pub fn show(&mut self, text: &str) {
        if self.shown {
            let width = self.width;
            let mut stderr = io::stderr().lock();
            let _nobody_is_left_to_tell = write!(stderr, "\r{text:<width$}").and_then(|()| stderr.flush());
            self.width = text.len();
        }
    }

    /// Leaves nothing of it.
    pub fn wipe(&mut self) {
        if self.width > 0 {
            self.show("");
            self.show("\r");
        }
    }
}

#[cfg(test)]
mod tests;
