//! What all parts of a run share: the queue behind its lock, the slots, the clock and the log.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use crossbeam_channel::Sender;

use super::slot::{Slot, SlotState, Stance};
use crate::action::Action;
use crate::driver::clock::Clock;
use crate::driver::log::Log;
use crate::engine::queue::Queue;
use crate::engine::workload::{Stream, Strikes};
use crate::event::{By, Event, What};
use crate::ids::Worker;
use crate::request::Delivery;
use crate::setup::Setup;
use crate::time::Instant;

/// What the keeper is told.
pub(super) enum Command {
    /// Somebody acts.
    Act(Action, By),
    /// Something may be due, or idle time may be jumped.
    Look,
    /// Nothing more will be done to the run: it is to end when it is drained or stuck.
    EndWhenSettled,
    /// The run is to end; deliveries under way have this long, in real time.
    Quit(Duration),
    /// An invariant did not hold.
    Violated(String),
    /// The sink or a thread failed.
    Failed(String),
    /// A worker's thread has ended.
    Gone,
    /// This has happened, in the words of the log, for the plan to hear.
    Heard(Vec<Event>),
}

/// Probabilities with which messages are lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Losses {
    pub beats: f64,
    pub acks: f64,
    pub replies: f64,
}

/// What the queue's lock guards.
pub(super) struct Hub {
    pub queue: Queue,
    pub stream: Stream,
    /// No more jobs are handed out.
    pub closed: bool,
    pub busy: usize,
    pub idle: usize,
    /// Grows with every change of a stance, so that a picture of all slots can be known to be one.
    pub changes: u64,
    out: Vec<What>,
}

pub(super) struct Shared {
    pub setup: Setup,
    pub clock: Arc<Clock>,
    pub log: Arc<Log>,
    pub strikes: Arc<Strikes>,
    pub slots: Vec<Slot>,
    pub losses: RwLock<Losses>,
    commands: Sender<Command>,
    looked: AtomicBool,
    tickets: AtomicU64,
    hub: Mutex<Hub>,
}

impl Shared {
    pub fn new(setup: Setup, clock: Arc<Clock>, log: Arc<Log>, commands: Sender<Command>) -> Shared {
        let workers = usize::from(setup.workers);
        let hub = Hub {
            queue: Queue::new(Arc::new(setup.policy.clone()), setup.seed),
            stream: Stream::new(&setup),
            closed: false,
            busy: workers,
            idle: 0,
            changes: 0,
            out: Vec::new(),
        };
        let losses = Losses {
            beats: setup.lose_beats.value(),
            acks: setup.lose_acks.value(),
            replies: setup.lose_replies.value(),
        };
        Shared {
            clock,
            log,
            strikes: Arc::new(Strikes::new(&setup)),
            slots: (0..workers).map(|i| Slot::new(Worker::at(i))).collect(),
            losses: RwLock::new(losses),
            commands,
            looked: AtomicBool::new(false),
            tickets: AtomicU64::new(0),
            hub: Mutex::new(hub),
            setup,
        }
    }

    /// The first events of a run: what it starts with, and a first generation in every slot.
    pub fn tell_the_start(&self, run: i64) {
        let mut entry = self.log.enter();
        entry.append(What::Started { setup: Box::new(self.setup.clone()), run });
        for slot in &self.slots {
            entry.append(What::Spawned { w: slot.worker, generation: 1 });
        }
    }

    /// The queue, locked.
    pub fn hub(&self) -> MutexGuard<'_, Hub> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One call of the queue: its lock, then the log's; the time is read once; what came of it is appended.
    pub fn queue<T>(&self, call: impl FnOnce(&mut Hub, Instant, &mut Vec<What>) -> T) -> T {
        let mut hub = self.hub();
        let mut entry = self.log.enter();
        let mut out = mem::take(&mut hub.out);
        let result = call(&mut hub, entry.now(), &mut out);
        entry.append_all(&mut out);
        hub.out = out;
        result
    }

    /// The same by a worker's thread, which holds its slot and may wake no other: if its call made a job ready that
    /// somebody waits for, the keeper does the waking.
    pub fn queue_from_slot<T>(&self, call: impl FnOnce(&mut Hub, Instant, &mut Vec<What>) -> T) -> T {
        let (result, wanted) = self.queue(|hub, now, out| {
            let result = call(hub, now, out);
            (result, hub.idle > 0 && hub.queue.ready() > 0)
        });
        if wanted {
            self.look();
        }
        result
    }

    /// Asks the keeper to look; askings before it looks count once.
    pub fn look(&self) {
        if !self.looked.swap(true, Ordering::AcqRel) {
            self.send(Command::Look);
        }
    }

    /// The keeper is about to look.
    pub fn looking(&self) {
        self.looked.store(false, Ordering::Release);
    }

    /// Tells the keeper; nothing happens when the run is over.
    pub fn send(&self, command: Command) {
        let _over = self.commands.send(command);
    }

    /// The next ticket of those who stand at gaps.
    pub fn ticket(&self) -> u64 {
        self.tickets.fetch_add(1, Ordering::Relaxed)
    }

    pub fn losses(&self) -> Losses {
        *self.losses.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a slot's thread is up to. True when it would wait for a job and one is ready after all.
    pub fn set_stance(&self, state: &mut SlotState, stance: Stance) -> bool {
        if state.stance == stance {
            return false;
        }
        let mut hub = self.hub();
        hub.leave(state.stance);
        hub.enter(stance);
        state.stance = stance;
        let quiet = hub.busy == 0;
        let wanted = stance == Stance::Idle && hub.queue.ready() > 0 && !hub.closed;
        drop(hub);
        if quiet {
            self.look();
        }
        wanted
    }
}

/// What a claim gets.
pub(super) enum HandOut {
    /// A job, handed out at this time.
    Job(Delivery, Instant),
    /// None is ready.
    Nothing,
    /// There will be no more.
    Closed,
}

impl Hub {
    pub fn hand_out(&mut self, now: Instant, worker: Worker, out: &mut Vec<What>) -> HandOut {
        if self.closed {
            return HandOut::Closed;
        }
        match self.queue.claim(now, worker, out) {
            Some(delivery) => HandOut::Job(delivery, now),
            None => HandOut::Nothing,
        }
    }

    fn leave(&mut self, stance: Stance) {
        self.changes += 1;
        match stance {
            Stance::Busy => self.busy -= 1,
            Stance::Idle => self.idle -= 1,
            Stance::Away => {}
        }
    }

    fn enter(&mut self, stance: Stance) {
        match stance {
            Stance::Busy => self.busy += 1,
            Stance::Idle => self.idle += 1,
            Stance::Away => {}
        }
    }
}
