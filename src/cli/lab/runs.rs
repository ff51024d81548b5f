//! Makes the runs of a lab, one for each variant: those in virtual time side by side, those on threads one after the
//! other. Each is folded into a watch, and whoever else is to hear of it hears of every event too.
#![allow(clippy::disallowed_methods, reason = "the runs are made on a thread while this one waits for signals")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use crossbeam_channel::{Receiver, bounded, unbounded};

use super::super::failure::Failure;
use super::super::headless::{Consumer, GRACE, GRACE_AFTER_HANG_UP, LOOK, ProgressLine, locked};
use super::super::outcome::Signal;
use super::super::recorder::Recorder;
use super::super::runner::{LabRunner, hands};
use super::super::signals;
use crate::driver::Handle;
use crate::driver::plan::Plan;
use crate::event::{Event, Finish};
use crate::lab::{Lab, Watch};
use crate::request::SinkError;
use crate::text::counted;

/// How the runs of a lab are made.
pub struct Order<'a> {
    /// The plan of the run of each variant.
    pub plan: &'a (dyn Fn(usize) -> Box<dyn Plan> + Sync),
    /// What records the run of one variant, if anything does.
    pub recorder: Option<(usize, &'a Recorder)>,
    /// True when they are to be made one after the other in any case.
    pub one_by_one: bool,
    /// Whether a line on stderr says how far they have come.
    pub progress: bool,
    /// What else is done when a signal ends them.
    pub on_signal: &'a (dyn Fn() + Sync),
}

/// The runs of a lab once they are over.
pub struct Ran {
    /// What was seen of each, in order of the variants; of one that was never made, nothing.
    pub watches: Vec<Watch>,
    /// The signal that ended them, if one did.
    pub signal: Option<Signal>,
    /// Why one of them could not be made.
    pub error: Option<String>,
    /// What they took on the wall clock.
    pub elapsed: Duration,
    /// Where one of them was recorded, if it was.
    pub recording: Option<PathBuf>,
}

impl Ran {
    /// Why the runs prove nothing, if files, locks or the disk failed one of them.
    pub fn failed(&self) -> Option<String> {
        let failed = |watch: &Watch| match watch.board().finished() {
            Some((Finish::Failed(why), _)) => Some(format!("the run failed: {why}")),
            Some((_, None)) => Some("SQL could not count the rows, so that there is one witness only".to_owned()),
            _ => None,
        };
        self.error.clone().or_else(|| self.watches.iter().find_map(failed))
    }
}

/// Makes the runs of `lab`. A signal ends those under way and keeps the rest from starting.
///
/// # Errors
/// Signals that cannot be waited for.
pub fn perform(lab: &Lab, order: &Order<'_>) -> Result<Ran, Failure> {
    let (heard, signals) = unbounded();
    signals::watch(heard).context("cannot wait for signals")?;
    Ok(until(lab, order, &signals))
}

/// Makes the runs of `lab`, and ends them early when a signal comes.
pub fn until(lab: &Lab, order: &Order<'_>, signals: &Receiver<Signal>) -> Ran {
    let began = Instant::now();
    let runner = LabRunner::default();
    let many = lab.variants.len();
    let hands = if order.one_by_one { 1 } else { hands(lab.variants.iter().map(|variant| &variant.setup)) };
    let watches: Vec<Arc<Mutex<Watch>>> =
        (0..many).map(|variant| Arc::new(Mutex::new(Watch::new(lab, variant)))).collect();
    let (over, ended) = bounded::<()>(0);
    let (signal, results) = thread::scope(|scope| {
        let make = || {
            let _dropped_when_all_are_over = over;
            runner.make(many, hands, |place| one(lab, place, &runner, order, &watches[place]))
        };
        let runs = scope.spawn(make);
        let signal = attend(&runner, many, &ended, signals, order);
        (signal, runs.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let error = results.into_iter().find_map(Result::err).map(|SinkError(words)| words);
    let watches = watches.iter().map(|watch| locked(watch).clone()).collect();
    let recording = order.recorder.and_then(|(_, recorder)| recorder.path());
    Ran { watches, signal, error, elapsed: began.elapsed(), recording }
}

fn one(
    lab: &Lab,
    variant: usize,
    runner: &LabRunner,
    order: &Order<'_>,
    watch: &Arc<Mutex<Watch>>,
) -> Result<(), SinkError> {
    let setup = &lab.variants[variant].setup;
    let alarm = Arc::new(OnceLock::<Handle>::new());
    let mut consumers = vec![fold_and_watch(watch.clone(), alarm.clone())];
    let recorder = order.recorder.filter(|(recorded, _)| variant == *recorded);
    consumers.extend(recorder.map(|(_, recorder)| recorder.consumer(watch.clone(), Watch::board)));
    let begun = |handle: &Handle| {
        let _it_is_set_here_only = alarm.set(handle.clone());
    };
    runner.run_through(setup, (order.plan)(variant), consumers, begun).map(|_| ())
}

/// Folds events and ends the run, once its handle is known, as soon as an invariant does not hold.
pub fn fold_and_watch(watch: Arc<Mutex<Watch>>, alarm: Arc<OnceLock<Handle>>) -> Consumer {
    let mut alarmed = false;
    Box::new(move |events: &[Event]| {
        let mut watch = locked(&watch);
        events.iter().for_each(|event| watch.fold(event));
        if let (false, Some(text), Some(handle)) = (alarmed, watch.board().violations().first(), alarm.get()) {
            alarmed = true;
            handle.violated(text.clone());
        }
    })
}

/// Waits until the runs are over; the first signal ends them within its grace, another one does not wait.
fn attend(
    runner: &LabRunner,
    many: usize,
    ended: &Receiver<()>,
    signals: &Receiver<Signal>,
    order: &Order<'_>,
) -> Option<Signal> {
    let began = Instant::now();
    let mut line = ProgressLine::new(order.progress);
    let mut signals = signals.clone();
    let mut first = None;
    loop {
        crossbeam_channel::select! {
            recv(ended) -> _ => break,
            recv(signals) -> heard => match heard {
                Ok(signal) => {
                    (order.on_signal)();
                    runner.stop_within(match (&first, signal) {
                        (Some(_), _) => Duration::ZERO,
                        (None, Signal::HangUp) => GRACE_AFTER_HANG_UP,
                        (None, Signal::Interrupt | Signal::Terminate) => GRACE,
                    });
                    first.get_or_insert(signal);
                }
                Err(_) => signals = crossbeam_channel::never(),
            },
            default(LOOK) => {
                let runs = counted(many as u64, "run", "runs");
                line.show(&format!("{} of {runs}  after {:.1} s", runner.done(), began.elapsed().as_secs_f64()));
            }
        }
    }
    line.wipe();
    first
}
