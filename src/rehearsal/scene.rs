//! What is shown of a rehearsal: how much of each tape, at which moment, and how fast it goes on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::board::{Board, Tape};
use crate::driver::clock::Clock;
use crate::event::Event;
use crate::setup::Setup;
use crate::time::Instant;

/// What is shown, and who waits for it.
pub(super) struct Stage {
    scene: Mutex<Scene>,
    pub(super) version: AtomicU64,
    over: (Mutex<bool>, Condvar),
}

impl Stage {
    pub(super) fn new(setups: &[Setup]) -> Stage {
        Stage {
            scene: Mutex::new(Scene::new(setups)),
            version: AtomicU64::new(0),
            over: (Mutex::new(false), Condvar::new()),
        }
    }

    pub(super) fn scene(&self) -> MutexGuard<'_, Scene> {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is shown.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Scene) -> T) -> T {
        let result = change(&mut self.scene());
        self.version.fetch_add(1, Ordering::AcqRel);
        result
    }

    /// Tells that nothing more will be shown.
    pub(super) fn end(&self) {
        *self.over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.version.fetch_add(1, Ordering::AcqRel);
        self.over.1.notify_all();
    }

    pub(super) fn ended(&self) -> bool {
        *self.over.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait_for(&self, patience: Duration) -> bool {
        let over = self.over.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.over.1.wait_timeout_while(over, patience, |over| !*over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// What is shown. While time goes, all there is of every tape is.
pub(super) struct Scene {
    pub(super) tapes: Vec<Tape>,
    /// Seconds of the run in a second.
    pub(super) speed: f64,
    /// The clock that time goes by.
    pace: Clock,
    /// Where time stands, while it does.
    stands: Option<Instant>,
    /// Before this moment nothing happens that is not on the tapes.
    pub(super) next: Instant,
}

impl Scene {
    fn new(setups: &[Setup]) -> Scene {
        let speed = setups.first().map_or(1.0, |setup| setup.speed);
        let tapes = setups.iter().map(|_| Tape::default()).collect();
        Scene { tapes, speed, pace: Clock::new(speed), stands: None, next: Instant::START }
    }

    pub(super) fn board(&self, side: usize) -> &Board {
        self.tapes[side].board()
    }

    pub(super) fn events(&self, side: usize) -> Vec<Event> {
        let tape = &self.tapes[side];
        tape.events(0).take(tape.shown() - tape.least()).cloned().collect()
    }

    pub(super) fn now(&self) -> Instant {
        self.stands.unwrap_or_else(|| self.pace.now().min(self.next))
    }

    /// The moment that time has come to, whatever has happened by then; `None` while it stands.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.stopped() { None } else { Some(self.pace.now()) }
    }

    pub(super) fn stopped(&self) -> bool {
        self.stands.is_some()
    }

    /// True when all there is of every side is shown.
    pub(super) fn at_end(&self) -> bool {
        self.tapes.iter().all(Tape::at_end)
    }

    /// How many events of each side are shown.
    pub(super) fn shown(&self) -> Vec<usize> {
        self.tapes.iter().map(Tape::shown).collect()
    }

    /// How long until the lab time `at` is to be shown; `None` for ever.
    pub(super) fn until(&self, at: Instant) -> Option<Duration> {
        if self.stopped() { None } else { self.pace.until(at) }
    }

    pub(super) fn stop(&mut self) {
        self.stands = Some(self.now());
    }

    /// Time stands at this moment.
    pub(super) fn stand_at(&mut self, at: Instant) {
        self.stands = Some(at);
    }

    /// Time goes on from where it stands.
    pub(super) fn go(&mut self) {
        if let Some(at) = self.stands.take() {
            self.pace = Clock::new(self.speed);
            self.pace.jump(at);
        }
    }

    /// Time goes on from a later moment, or stands there.
    pub(super) fn jump(&mut self, at: Instant) {
        match &mut self.stands {
            Some(stands) => *stands = at,
            None => drop(self.pace.jump(at)),
        }
    }

    pub(super) fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
        self.pace.set_speed(speed);
    }

    /// Shows all there is.
    pub(super) fn follow(&mut self) {
        self.tapes.iter_mut().for_each(Tape::follow);
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

    /// One side shows as many events as `of_one` says; several show all that has happened by `at`.
    fn show(&mut self, at: Instant, of_one: impl Fn(&Tape) -> usize) {
        match self.tapes.as_mut_slice() {
            [one] => one.show(of_one(one)),
            many => many.iter_mut().for_each(|tape| tape.show(tape.until(at))),
        }
        self.stand_at(at);
    }
}

/// The last moment but one of those at which anything happened on any of the tapes, of what is shown.
fn moment_before_last(tapes: &[Tape]) -> Option<Instant> {
    let shown = |tape: &Tape| tape.shown() - tape.least();
    let last = tapes.iter().filter_map(|tape| tape.event(tape.shown().checked_sub(1)?)).map(|event| event.at).max()?;
    let before = |tape: &Tape| tape.events(0).take(shown(tape)).map(|event| event.at).rfind(|at| *at < last);
    tapes.iter().filter_map(before).max()
}

/// A run has begun with its first events, at the start of lab time; less than these is not shown.
fn begun(tape: &Tape) -> usize {
    let workers = tape.board().setup().map_or(0, |setup| usize::from(setup.workers));
    tape.least().max(1 + workers)
}
