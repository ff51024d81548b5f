//! The lab clock: the wall clock's monotonic time, sped up, stopped or moved on; or virtual time, which only moves
//! when it is moved.
//!
//! Only monotonic time is read, so a step of the wall clock moves no lease, backoff or verdict.
#![allow(clippy::disallowed_methods, reason = "this is the one place where lab time is made of real time")]

use std::sync::{PoisonError, RwLock};
use std::time::{self, Duration};

use crate::time::{Instant, Span};

/// Lab time as a function of real time; cheap to read from any thread.
#[derive(Debug)]
pub struct Clock {
    state: RwLock<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    real: time::Instant,
    lab: Instant,
    speed: f64,
    stopped: bool,
    /// Virtual time stands by itself, whether it is stopped or not.
    by_hand: bool,
}

impl State {
    fn now(&self) -> Instant {
        if self.stopped || self.by_hand {
            return self.lab;
        }
        let elapsed = self.real.elapsed().as_nanos() as u64;
        let lab = if self.speed == 1.0 { elapsed } else { (elapsed as f64 * self.speed) as u64 };
        self.lab + Span(lab)
    }

    fn rebase(&mut self) {
        let lab = self.now();
        *self = State { real: time::Instant::now(), lab, ..*self };
    }
}

impl Clock {
    /// A clock that starts now, at lab time 0, and goes `speed` times as fast as the wall clock.
    pub fn new(speed: f64) -> Clock {
        Clock::at_start(speed, false)
    }

    /// A clock of virtual time: it stands at 0 until it is moved.
    pub fn by_hand() -> Clock {
        Clock::at_start(1.0, true)
    }

    fn at_start(speed: f64, by_hand: bool) -> Clock {
        let state = State { real: time::Instant::now(), lab: Instant::START, speed, stopped: false, by_hand };
        Clock { state: RwLock::new(state) }
    }

    fn read(&self) -> State {
        *self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.rebase();
        change(&mut state);
    }

    /// Lab time.
    pub fn now(&self) -> Instant {
        self.read().now()
    }

    /// True while time stands.
    pub fn stopped(&self) -> bool {
        self.read().stopped
    }

    /// How long to wait in real time until lab time is `at`; `None` for ever, because time stands or `at` never comes.
    pub fn until(&self, at: Instant) -> Option<Duration> {
        let state = self.read();
        if state.stopped || state.by_hand || at == Instant::NEVER {
            return None;
        }
        let lab = at.since(state.now());
        Some(Duration::from_nanos((lab.0 as f64 / state.speed).ceil() as u64))
    }

    /// Stops time, or lets it go.
    pub fn set_stopped(&self, stopped: bool) {
        self.change(|state| state.stopped = stopped);
    }

    /// Sets the speed.
    pub fn set_speed(&self, speed: f64) {
        self.change(|state| state.speed = speed);
    }

    /// Moves lab time on to `at`; never back. Returns by how much.
    pub fn jump(&self, at: Instant) -> Span {
        let mut by = Span::ZERO;
        self.change(|state| {
            by = at.since(state.lab);
            state.lab += by;
        });
        by
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_clock_stands_until_it_is_moved_on() {
        let clock = Clock::new(100.0);
        clock.set_stopped(true);
        let stood = clock.now();
        assert_eq!(clock.now(), stood);
        assert_eq!(clock.until(stood + Span::seconds(1)), None);
        assert_eq!(clock.jump(stood + Span::seconds(5)), Span::seconds(5));
        assert_eq!(clock.now(), stood + Span::seconds(5));
        assert_eq!(clock.jump(stood), Span::ZERO, "never back");
    }

    #[test]
    fn a_fast_clock_waits_less() {
        let clock = Clock::new(100.0);
        let wait = clock.until(clock.now() + Span::seconds(100)).expect("it goes");
        assert!(wait <= Duration::from_secs(1) && wait > Duration::from_millis(500), "{wait:?}");
    }
}
