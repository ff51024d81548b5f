//! The gate within the process, in front of SQLite's write lock.
//!
//! Without it SQLite's busy handler lets threads starve each other. A fair queue is no better: each hand-over costs a
//! thread switch, and the next connection has to read again what the last one wrote. So whoever comes by while the gate
//! is open goes in, which lets a running thread do many transactions in a row; only when that has gone on for a
//! slice of time does the next release hand the gate to the thread that has waited longest. Waiting is done in
//! slices too, between which the host may give up.

#![allow(clippy::disallowed_methods, reason = "the gate's slices are real time")]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::lock::{Caller, SLICE};

/// How a gate divides its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// How long newcomers may pass by those who wait.
    pub(super) slice: Duration,
    /// The shortest and the longest nap of the first in the queue.
    pub(super) naps: (Duration, Duration),
}

impl Manner {
    /// What measured best: see the test `the_gate_against_the_bare_loop`.
    pub(super) const CHOSEN: Manner =
        Manner { slice: Duration::from_millis(1), naps: (Duration::from_micros(200), Duration::from_millis(1)) };

    /// How long the first in the queue sleeps after it looked `in_vain` times in a row.
    fn nap(&self, in_vain: u32) -> Duration {
        let doubled = self.naps.0 * (1 << in_vain.saturating_sub(EAGER_LOOKS).min(16));
        doubled.min(self.naps.1)
    }
}

/// How often in a row the first in the queue asks to be woken at the very next release.
const EAGER_LOOKS: u32 = 4;

/// Lets one session at a time write.
pub(super) struct Gate {
    manner: Manner,
    state: Mutex<State>,
    /// True while whoever is inside waits for another program.
    locked_out: AtomicBool,
}

struct State {
    busy: bool,
    /// When the gate last went to somebody from the queue.
    handed: Instant,
    queue: VecDeque<Waiter>,
    /// The number of the waiter that the gate was handed to and that has not woken up yet.
    granted: Option<u64>,
    /// True once the first in the queue has been woken and looks after the gate by itself.
    alert: bool,
    /// How often in a row the first in the queue looked and found somebody inside.
    in_vain: u32,
    last_number: u64,
}

struct Waiter {
    number: u64,
    bell: Arc<Condvar>,
}

/// The right to write; the gate is left when it is dropped.
pub(super) struct Pass<'g> {
    gate: &'g Gate,
}

impl Gate {
    /// An open gate.
    pub(super) fn new(manner: Manner) -> Gate {
        let state = State {
            busy: false,
            handed: Instant::now(),
            queue: VecDeque::new(),
            granted: None,
            alert: false,
            in_vain: 0,
            last_number: 0,
        };
        Gate { manner, state: Mutex::new(state), locked_out: AtomicBool::new(false) }
    }

    /// Waits until the caller may write; `None` when its host gave up.
    pub(super) fn enter(&self, caller: &mut Caller<'_>) -> Option<Pass<'_>> {
        let mut state = self.lock();
        if !state.busy {
            state.busy = true;
            if state.queue.is_empty() {
                state.handed = Instant::now();
            }
            return Some(Pass { gate: self });
        }
        let (number, bell) = state.join();
        loop {
            let on_watch = state.alert && state.is_first(number);
            let nap = if on_watch { self.manner.nap(state.in_vain) } else { SLICE };
            state = bell.wait_timeout(state, nap).unwrap_or_else(PoisonError::into_inner).0;
            state.note_look(number);
            if state.take(number) {
                return Some(Pass { gate: self });
            }
            drop(state);
            let gives_up = self.consult(caller);
            state = self.lock();
            if gives_up {
                self.leave_queue(state, number);
                return None;
            }
            if state.take(number) {
                return Some(Pass { gate: self });
            }
        }
    }

    /// Notes whether whoever is inside waits for another program, which concerns all who wait outside.
    pub(super) fn note_foreign_lock(&self, locked: bool) {
        self.locked_out.store(locked, Ordering::Relaxed);
    }

    /// How many wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.lock().queue.len()
    }

    fn consult(&self, caller: &mut Caller<'_>) -> bool {
        if self.locked_out.load(Ordering::Relaxed) {
            caller.locked_out();
        }
        caller.host.interrupted()
    }

    fn leave_queue(&self, mut state: MutexGuard<'_, State>, number: u64) {
        if state.granted == Some(number) {
            state.granted = None;
            self.release(state);
        } else {
            state.remove(number);
        }
    }

    fn release(&self, mut state: MutexGuard<'_, State>) {
        state.busy = false;
        if state.queue.is_empty() {
            return;
        }
        if state.handed.elapsed() >= self.manner.slice {
            state.hand_over();
        } else if !state.alert {
            state.alert = true;
            state.queue[0].bell.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn join(&mut self) -> (u64, Arc<Condvar>) {
        self.last_number += 1;
        let waiter = Waiter { number: self.last_number, bell: Arc::new(Condvar::new()) };
        let bell = Arc::clone(&waiter.bell);
        self.queue.push_back(waiter);
        (self.last_number, bell)
    }

    /// Learns from a look of the first in the queue whether those inside leave or come straight back.
    fn note_look(&mut self, number: u64) {
        if self.granted.is_some() || !self.alert || !self.is_first(number) {
            return;
        }
        if !self.busy {
            self.in_vain = 0;
        } else {
            self.in_vain = self.in_vain.saturating_add(1);
            self.alert = self.in_vain > EAGER_LOOKS;
        }
    }

    fn is_first(&self, number: u64) -> bool {
        self.queue.front().is_some_and(|waiter| waiter.number == number)
    }

    /// Takes the gate if it was handed to this waiter, or stands open and this one is first.
    fn take(&mut self, number: u64) -> bool {
        if self.granted == Some(number) {
            self.granted = None;
            return true;
        }
        if self.busy || !self.is_first(number) {
            return false;
        }
        self.pop_first();
        self.busy = true;
        true
    }

    fn hand_over(&mut self) {
        let first = self.pop_first();
        self.busy = true;
        self.granted = Some(first.number);
        first.bell.notify_one();
    }

    fn pop_first(&mut self) -> Waiter {
        self.alert = false;
        self.handed = Instant::now();
        self.queue.pop_front().expect("only called when somebody waits")
    }

    fn remove(&mut self, number: u64) {
        if self.is_first(number) {
            self.alert = false;
        }
        self.queue.retain(|waiter| waiter.number != number);
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.gate.release(self.gate.lock());
    }
}
