//! A worker's slot: what its hands, the keeper and the operator share about it, behind one lock.
//!
//! Lock order: slot, then queue, then log. Nobody holds two slots.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::hub::Shared;
use crate::engine::faults::{Faults, Progress};
use crate::engine::renewal::Heartbeat;
use crate::event::{By, Fault};
use crate::ids::Worker;
use crate::policy::Point;
use crate::request::{Delivery, Interrupt};
use crate::time::Instant;

/// What a slot's hands are up to, as far as jumping over idle time is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    /// It works, or is about to.
    Busy,
    /// It waits for a job.
    Idle,
    /// It is asleep, hung, cut off or dead: only a timer or an operator moves it.
    Away,
}

/// Whether the slot has a living worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Alive,
    /// Dead, and back at this moment if at all.
    Dead(Option<Instant>),
}

#[derive(Debug)]
pub(super) struct SlotState {
    pub life: Life,
    pub generation: u32,
    pub faults: Faults,
    /// The delivery in hand and its heartbeat; the heartbeat goes as soon as the worker stops caring for the lease.
    pub delivery: Option<Delivery>,
    pub heart: Option<Heartbeat>,
    /// Somebody killed the worker and it has not noticed yet.
    pub kill: Option<By>,
    /// The worker knows that its lease is gone and is to stop for it.
    pub lease_lost: bool,
    /// The run's grace is over: whatever is under way is abandoned.
    pub over: bool,
    /// Since when the worker stands at a gap because time is stopped, as a ticket.
    pub stands: Option<u64>,
    /// The operator lets it pass that gap.
    pub pass: bool,
    pub progress: Option<Progress>,
    /// When the gap at which it waits has had its width.
    pub gap_ends: Option<Instant>,
    pub stance: Stance,
}

pub(super) struct Slot {
    pub worker: Worker,
    state: Mutex<SlotState>,
    wake: Condvar,
    /// True when a wait inside the sink should be given up; mirrors the state, readable without its lock.
    urgent: AtomicBool,
    /// True when somebody woke the slot since this was last asked; for drivers that do not wait on the condition.
    woken: AtomicBool,
}

/// One turn of a wait.
pub(super) enum Turn<T> {
    /// The wait is over.
    Go(T),
    /// It goes on until somebody wakes the slot, or until this moment of lab time.
    Wait(Instant, Stance),
}

impl Slot {
    pub fn new(worker: Worker) -> Slot {
        let state = SlotState {
            life: Life::Alive,
            generation: 1,
            faults: Faults::default(),
            delivery: None,
            heart: None,
            kill: None,
            lease_lost: false,
            over: false,
            stands: None,
            pass: false,
            progress: None,
            gap_ends: None,
            stance: Stance::Busy,
        };
        Slot {
            worker,
            state: Mutex::new(state),
            wake: Condvar::new(),
            urgent: AtomicBool::new(false),
            woken: AtomicBool::new(false),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes the slot's thread.
    pub fn change<T>(&self, change: impl FnOnce(&mut SlotState) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state);
        self.wake_up(&state);
        result
    }

    /// Wakes the slot's thread, which then looks at its state again. The lock shows that it is not between the look
    /// and the wait.
    pub fn wake_up(&self, state: &SlotState) {
        self.urgent.store(state.presses(), Ordering::Release);
        self.woken.store(true, Ordering::Release);
        self.wake.notify_all();
    }

    /// Whether somebody woke the slot since this was last asked.
    pub fn take_woken(&self) -> bool {
        self.woken.swap(false, Ordering::AcqRel)
    }

    /// The wait is over: the hands go on.
    pub fn go_on(&self, shared: &Shared, state: &mut SlotState) {
        shared.set_stance(state, Stance::Busy);
        self.urgent.store(state.presses(), Ordering::Release);
    }

    /// True when a wait inside the sink should be given up.
    pub fn urgent(&self) -> bool {
        self.urgent.load(Ordering::Acquire)
    }

    pub fn armed(&self) -> Option<(Point, By)> {
        self.lock().faults.armed
    }

    /// Waits until `turn` says go. Each wait that is not work is known to the hub, so that idle time can be jumped.
    pub fn wait<T>(&self, shared: &Shared, mut turn: impl FnMut(&mut SlotState, Instant) -> Turn<T>) -> T {
        let mut state = self.lock();
        loop {
            let (until, stance) = match turn(&mut state, shared.clock.now()) {
                Turn::Go(result) => {
                    self.go_on(shared, &mut state);
                    return result;
                }
                Turn::Wait(until, stance) => (until, stance),
            };
            if shared.set_stance(&mut state, stance) {
                continue;
            }
            state = match shared.clock.until(until) {
                None => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(real) => self.wake.wait_timeout(state, real).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }
}

impl SlotState {
    fn presses(&self) -> bool {
        self.kill.is_some() || self.over || self.lease_lost || self.asleep()
    }

    /// Credits the work under way at the pace that held until `now`; from here on it goes as the faults in force say.
    pub fn repace(&mut self, now: Instant) {
        let pace = self.faults.pace();
        if let Some(work) = &mut self.progress {
            work.advance(now, pace);
        }
    }

    /// True while the hands go from one wait to the next: nothing that time could end, and at no gap yet.
    pub fn is_on_its_way(&self) -> bool {
        let waits = self.progress.is_some() || self.gap_ends.is_some() || self.stands.is_some();
        self.stance == Stance::Busy && self.life == Life::Alive && !waits
    }

    pub fn asleep(&self) -> bool {
        self.faults.has(Fault::Pause)
    }

    /// What cuts a wait or a gap short now, if anything does. A sleeper notices a kill, and nothing else.
    pub fn cut_short(&mut self) -> Option<Interrupt> {
        if let Some(by) = self.kill.take() {
            Some(Interrupt::Killed(by))
        } else if self.over {
            Some(Interrupt::Quit)
        } else if self.lease_lost && !self.asleep() {
            Some(Interrupt::LeaseLost)
        } else {
            None
        }
    }
}
