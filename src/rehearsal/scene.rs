//! What is shown of a rehearsal: how much of each tape, at which moment, and how fast it goes on.
//!
//! Each tape has a lock of its own, so that whoever draws can hold the boards of all sides; all locks are taken in the
//! order of the sides, the pace's last.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::board::Tape;
use crate::driver::clock::Clock;
use crate::event::{Event, What};
use crate::setup::Setup;
use crate::time::Instant;

/// What is shown, and who waits for it.
pub(super) struct Stage {
    tapes: Vec<Mutex<Tape>>,
    pace: Mutex<Pace>,
    pub(super) version: AtomicU64,
    over: (Mutex<bool>, Condvar),
}

/// A poisoned lock only says that another thread panicked; what it guards is whole after every call.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stage {
    pub(super) fn new(setups: &[Setup]) -> Stage {
        let speed = setups.first().map_or(1.0, |setup| setup.speed);
        Stage {
            tapes: setups.iter().map(|_| Mutex::default()).collect(),
            pace: Mutex::new(Pace { speed, clock: Clock::new(speed), stands: None, next: Instant::START }),
            version: AtomicU64::new(0),
            over: (Mutex::new(false), Condvar::new()),
        }
    }

    /// How many sides there are.
    pub(super) fn sides(&self) -> usize {
        self.tapes.len()
    }

    /// One side's tape.
    pub(super) fn tape(&self, side: usize) -> MutexGuard<'_, Tape> {
        locked(&self.tapes[side])
    }

    pub(super) fn pace(&self) -> MutexGuard<'_, Pace> {
        locked(&self.pace)
    }

    /// Everything that is shown.
    pub(super) fn scene(&self) -> Scene<'_> {
        Scene { tapes: self.tapes.iter().map(locked).collect(), pace: self.pace() }
    }

    /// Changes what is shown.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Scene<'_>) -> T) -> T {
        let result = change(&mut self.scene());
        self.version.fetch_add(1, Ordering::AcqRel);
        result
    }

    /// Tells whether all that will happen by itself is shown.
    pub(super) fn end(&self, over: bool) {
        *locked(&self.over.0) = over;
        self.version.fetch_add(1, Ordering::AcqRel);
        self.over.1.notify_all();
    }

    pub(super) fn ended(&self) -> bool {
        *locked(&self.over.0)
    }

    pub(super) fn wait_for(&self, patience: Duration) -> bool {
        let waited = self.over.1.wait_timeout_while(locked(&self.over.0), patience, |over| !*over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// At which moment a rehearsal is, and how fast it goes on.
pub(super) struct Pace {
    /// Seconds of the run in a second.
    pub(super) speed: f64,
    /// What time goes by.
    clock: Clock,
    /// Where time stands, while it does.
    stands: Option<Instant>,
    /// Before this moment nothing happens that is not on the tapes.
    pub(super) next: Instant,
}

impl Pace {
    /// The moment that is shown.
    pub(super) fn now(&self) -> Instant {
        self.stands.unwrap_or_else(|| self.clock.now().min(self.next))
    }

    /// The moment that time has come to, whatever has happened by then; `None` while it stands.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.stopped() { None } else { Some(self.clock.now()) }
    }

    pub(super) fn stopped(&self) -> bool {
        self.stands.is_some()
    }

    /// How long until the lab time `at` is to be shown; `None` for ever.
    pub(super) fn until(&self, at: Instant) -> Option<Duration> {
        if self.stopped() { None } else { self.clock.until(at) }
    }

    pub(super) fn stop(&mut self) {
        self.stop_at(self.now());
    }

    /// Time stands from now on, at this moment.
    pub(super) fn stop_at(&mut self, at: Instant) {
        self.stands = Some(at);
    }

    /// Time goes on from where it stands.
    pub(super) fn go(&mut self) {
        if let Some(at) = self.stands.take() {
            self.clock = Clock::new(self.speed);
            self.clock.jump(at);
        }
    }

    /// Time goes on from a later moment, or stands there.
    pub(super) fn jump(&mut self, at: Instant) {
        match &mut self.stands {
            Some(stands) => *stands = at,
            None => drop(self.clock.jump(at)),
        }
    }

    pub(super) fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
        self.clock.set_speed(speed);
    }
}

/// Everything that is shown, locked. While time goes, all there is of every tape is shown.
pub(super) struct Scene<'a> {
    pub(super) tapes: Vec<MutexGuard<'a, Tape>>,
    pub(super) pace: MutexGuard<'a, Pace>,
}

impl Scene<'_> {
    /// True when all there is of every side is shown.
    pub(super) fn at_end(&self) -> bool {
        self.tapes.iter().all(|tape| tape.at_end())
    }

    /// How many events of each side are shown.
    pub(super) fn shown(&self) -> Vec<usize> {
        self.tapes.iter().map(|tape| tape.shown()).collect()
    }

    /// Shows all there is.
    pub(super) fn follow(&mut self) {
        self.tapes.iter_mut().for_each(|tape| tape.follow());
    }

    /// Shows the next event that is on the tapes, and time stands at it; of several sides, the next moment. False when
    /// there is none.
    pub(super) fn show_next(&mut self) -> bool {
        let next = self.tapes.iter().filter_map(|tape| tape.event(tape.shown())).map(|event| event.at).min();
        let Some(at) = next else { return false };
        self.show(at, |tape| tape.shown() + 1);
        true
    }

    /// Takes the last event that is shown back, and time stands at the one before; of several sides, the last moment.
    /// False when a run has only just started, or what came before is no longer kept.
    pub(super) fn show_previous(&mut self) -> bool {
        let target = match self.tapes.as_slice() {
            [one] if one.shown() <= begun(one) => None,
            [one] => one.event(one.shown() - 2).map(|event| event.at),
            many => moment_before_last(many),
        };
        let Some(target) = target else { return false };
        self.show(target, |tape| tape.shown() - 1);
        true
    }

    /// Shows the first side as far as the next step on its tape that says or asks something, and the others to the same
    /// moment. False when there is none.
    pub(super) fn show_next_step(&mut self) -> bool {
        let tape = &self.tapes[0];
        let next = (tape.shown()..tape.len()).find(|n| tape.event(*n).is_some_and(is_step));
        next.is_some_and(|n| self.show_as_far_as(n))
    }

    /// The same for the step before the one that is shown.
    pub(super) fn show_previous_step(&mut self) -> bool {
        let tape = &self.tapes[0];
        let mut before = (tape.least()..tape.shown()).rev().filter(|n| tape.event(*n).is_some_and(is_step));
        let at_a_step = tape.shown() > 0 && tape.event(tape.shown() - 1).is_some_and(is_step);
        let previous = if at_a_step { before.nth(1) } else { before.next() };
        previous.is_some_and(|n| self.show_as_far_as(n))
    }

    /// Shows all there is, and time stands at its end, unless something else is shown already.
    pub(super) fn show_all_unless(&mut self, shown: bool) {
        if !shown {
            self.follow();
            let end = self.tapes.iter().map(|tape| tape.board().now()).max();
            self.pace.stop_at(end.unwrap_or_default());
        }
    }

    /// Shows the first side up to event `n` and with it, and the others to the same moment.
    fn show_as_far_as(&mut self, n: usize) -> bool {
        let Some(at) = self.tapes[0].event(n).map(|event| event.at) else { return false };
        self.tapes[0].show(n + 1);
        for tape in &mut self.tapes[1..] {
            let n = tape.until(at);
            tape.show(n);
        }
        self.pace.stop_at(at);
        true
    }

    /// One side shows as many events as `of_one` says; several show all that has happened by `at`.
    fn show(&mut self, at: Instant, of_one: impl Fn(&Tape) -> usize) {
        match self.tapes.as_mut_slice() {
            [one] => {
                let n = of_one(one);
                one.show(n);
            }
            many => many.iter_mut().for_each(|tape| {
                let n = tape.until(at);
                tape.show(n);
            }),
        }
        self.pace.stands = Some(at);
    }
}

fn is_step(event: &Event) -> bool {
    matches!(event.what, What::Said { .. } | What::Asked { .. })
}

/// The last moment but one of those at which anything happened on any of the tapes, of what is shown.
fn moment_before_last(tapes: &[MutexGuard<'_, Tape>]) -> Option<Instant> {
    let last = tapes.iter().filter_map(|tape| tape.shown_events().next_back()).map(|event| event.at).max()?;
    let before = |tape: &MutexGuard<'_, Tape>| tape.shown_events().map(|event| event.at).rfind(|at| *at < last);
    tapes.iter().filter_map(before).max()
}

/// A run has begun with its first events, at the start of lab time; less than these is not shown.
fn begun(tape: &Tape) -> usize {
    let workers = tape.board().setup().map_or(0, |setup| usize::from(setup.workers));
    tape.least().max(1 + workers)
}
