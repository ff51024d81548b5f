//! Virtual time: the same hands and the same keeper on one thread, seeded and exactly repeatable.
//!
//! The one thing that is added here is the loop. Every request goes through a heap, also at the same instant, and ties
//! are broken by a sequence number; the keeper looks first at every instant. Nothing here depends on the machine.
#![allow(clippy::disallowed_methods, reason = "the one thread of a simulation is started here")]

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, unbounded};

use super::clock::Clock;
use super::handle::Handle;
use super::hands::Hands;
use super::hub::{Command, Shared};
use super::keeper::{Keeper, Mode};
use super::log::{Consumer, Log};
use super::slot::Turn;
use crate::action::Action;
use crate::engine::worker::Worker;
use crate::event::{By, Finish, What};
use crate::request::{Auditor, Request, Session, Sink, SinkError};
use crate::setup::Setup;
use crate::time::Instant;

/// Requests that may be performed at one instant. More is a livelock: nothing waits and time does not pass.
const MOST_AT_ONE_INSTANT: u64 = 50_000_000;
/// Rows between two audits: virtual time has no wall clock to audit by.
const ROWS_PER_AUDIT: i64 = 1_000;
/// Events that are shown to the consumers at once.
const BATCH: usize = 4_096;

/// An action at a moment of lab time, known before the run starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// When it is done.
    pub at: Instant,
    /// What is done.
    pub action: Action,
    /// Who does it.
    pub by: By,
}

/// Starts a run in virtual time. It goes as fast as it can, does what is planned on the way, and shows its events to
/// the consumers on the one thread that it has.
///
/// # Errors
/// What the sink says when a session or the auditor cannot be opened.
pub fn start(
    setup: Setup,
    run: i64,
    sink: Arc<dyn Sink>,
    plan: Vec<Planned>,
    consumers: Vec<Consumer>,
) -> Result<Handle, SinkError> {
    let sessions = (0..setup.workers).map(|_| sink.session()).collect::<Result<Vec<_>, _>>()?;
    let auditor = sink.auditor()?;
    let clock = Arc::new(Clock::by_hand());
    let log = Log::new(clock.clone());
    let (commands, inbox) = unbounded();
    let shared = Arc::new(Shared::new(setup, clock, log, commands));
    shared.tell_the_start(run);
    let handle = Handle::new(shared.clone());
    let teller = handle.clone();
    let work = move || {
        let witnesses = Witnesses { auditor, audited: 0, consumers };
        let simulate = || Simulation::new(&shared, sessions, inbox, plan, witnesses).run();
        let ran = catch_unwind(AssertUnwindSafe(simulate));
        teller.ended_with(ran.unwrap_or_else(|_| Finish::Failed("the simulation panicked".into())));
    };
    thread::Builder::new().name("simulation".into()).spawn(work).map_err(|error| SinkError(error.to_string()))?;
    Ok(handle)
}

/// Who sees what happens: the second witness, and the consumers of events.
struct Witnesses {
    auditor: Box<dyn Auditor>,
    /// The row of the last audit.
    audited: i64,
    consumers: Vec<Consumer>,
}

/// A worker with its hands, and what it has asked for.
struct Actor<'a> {
    worker: Worker,
    hands: Hands<'a>,
    request: Option<Request>,
}

/// Whose turn comes when.
#[derive(Default)]
struct Agenda {
    heap: BinaryHeap<Reverse<(Instant, u64, usize)>>,
    sequence: u64,
}

impl Agenda {
    fn put(&mut self, at: Instant, actor: usize) {
        self.heap.push(Reverse((at, self.sequence, actor)));
        self.sequence += 1;
    }

    fn next(&self) -> Instant {
        self.heap.peek().map_or(Instant::NEVER, |Reverse((at, ..))| *at)
    }
}

struct Simulation<'a> {
    shared: &'a Shared,
    actors: Vec<Actor<'a>>,
    keeper: Keeper<'a>,
    agenda: Agenda,
    inbox: Receiver<Command>,
    plan: VecDeque<Planned>,
    witnesses: Witnesses,
}

impl<'a> Simulation<'a> {
    fn new(
        shared: &'a Shared,
        sessions: Vec<Box<dyn Session>>,
        inbox: Receiver<Command>,
        plan: Vec<Planned>,
        witnesses: Witnesses,
    ) -> Simulation<'a> {
        let actors = shared.slots.iter().zip(sessions).map(|(slot, session)| Actor {
            worker: Worker::new(shared.setup.seed, shared.strikes.clone()),
            hands: Hands::new(shared, slot, session),
            request: None,
        });
        Simulation {
            shared,
            actors: actors.collect(),
            keeper: Keeper::new(shared, Mode::Headless, false),
            agenda: Agenda::default(),
            inbox,
            plan: plan.into(),
            witnesses,
        }
    }

    /// Runs to the end. What fails ends the run with the reason.
    fn run(&mut self) -> Finish {
        let ran = self.until_everybody_stopped();
        if let Err(SinkError(words)) = ran {
            self.keeper.ending = Some(Finish::Failed(words.into()));
        }
        self.close()
    }

    fn until_everybody_stopped(&mut self) -> Result<(), SinkError> {
        (0..self.actors.len()).for_each(|actor| self.agenda.put(Instant::START, actor));
        self.look();
        let mut at_this_instant = 0;
        while self.actors.iter().any(|actor| !actor.worker.stopped()) {
            let now = self.shared.clock.now();
            if self.agenda.next() <= now {
                at_this_instant += 1;
                if at_this_instant > MOST_AT_ONE_INSTANT {
                    return Err(SinkError(format!("livelock: time does not pass at {:.3} s", now.seconds())));
                }
                self.step()?;
            } else {
                at_this_instant = 0;
                self.pass_time();
            }
            self.show(BATCH)?;
        }
        Ok(())
    }

    /// Gives the next actor of this instant its turn.
    fn step(&mut self) -> Result<(), SinkError> {
        if let Some(Reverse((_, _, index))) = self.agenda.heap.pop() {
            self.turn(index);
        }
        self.hear()?;
        Ok(())
    }

    /// One turn of an actor: its request goes on, or waits.
    fn turn(&mut self, index: usize) {
        let actor = &mut self.actors[index];
        let slot = &self.shared.slots[index];
        if actor.worker.stopped() {
            return;
        }
        let now = self.shared.clock.now();
        let request = match actor.request.take() {
            Some(request) => request,
            None => {
                let request = actor.worker.next(slot.armed());
                actor.hands.begin(&request);
                request
            }
        };
        let mut state = slot.lock();
        match actor.hands.turn(&request, &mut state, now) {
            Turn::Go(passed) => {
                slot.go_on(self.shared, &mut state);
                drop(state);
                match actor.hands.finish(&request, passed) {
                    Some(outcome) => actor.worker.told(outcome, slot.armed()),
                    None => actor.request = Some(request),
                }
                self.agenda.put(now, index);
            }
            Turn::Wait(until, stance) => {
                let wanted = self.shared.set_stance(&mut state, stance);
                drop(state);
                actor.request = Some(request);
                if wanted || until < Instant::NEVER {
                    self.agenda.put(if wanted { now } else { until }, index);
                }
            }
        }
    }

    /// Takes in what hands and slots have told, and wakes who was woken.
    fn hear(&mut self) -> Result<(), SinkError> {
        let mut look = false;
        while let Ok(command) = self.inbox.try_recv() {
            match command {
                Command::Look => {
                    self.shared.looking();
                    look = true;
                }
                Command::Failed(words) => return Err(SinkError(words)),
                Command::Act(action, by) => self.keeper.act(&action, by),
                Command::Quit(_) => self.cut_off(Finish::Quit),
                Command::Violated(text) => {
                    self.shared.log.append(What::Violated { text: text.into() });
                    self.cut_off(Finish::Violated);
                }
                Command::Gone => {}
            }
        }
        if look {
            self.look();
        }
        Ok(())
    }

    fn look(&mut self) {
        self.keeper.tend(!self.inbox.is_empty());
        self.wake();
    }

    fn wake(&mut self) {
        let now = self.shared.clock.now();
        for (index, slot) in self.shared.slots.iter().enumerate() {
            if slot.take_woken() {
                self.agenda.put(now, index);
            }
        }
    }

    /// Moves on to the next moment at which anything is due. The keeper looks first.
    fn pass_time(&mut self) {
        let planned = self.plan.front().map_or(Instant::NEVER, |planned| planned.at);
        let next = self.agenda.next().min(self.keeper.next_duty()).min(planned);
        if next == Instant::NEVER || self.shared.clock.stopped() {
            return self.stand_still();
        }
        self.shared.clock.jump(next);
        while self.plan.front().is_some_and(|planned| planned.at <= next) {
            if let Some(planned) = self.plan.pop_front() {
                self.keeper.act(&planned.action, planned.by);
            }
        }
        self.look();
    }

    /// Nothing is due any more, or time was stopped, and nobody is there to let it go.
    fn stand_still(&mut self) {
        self.look();
        if self.keeper.ending.is_none() {
            self.shared.log.append(What::Stuck { why: "time stands, and nobody lets it go".into() });
            self.cut_off(Finish::Stuck);
        }
    }

    /// Ends the run here and now: virtual time has no grace.
    fn cut_off(&mut self, how: Finish) {
        self.keeper.end(how);
        self.keeper.cut_off();
        self.wake();
    }

    /// Shows what has happened, when it is at least `least` events; audits when enough rows have come.
    fn show(&mut self, least: usize) -> Result<(), SinkError> {
        if self.shared.log.unseen() < least {
            return Ok(());
        }
        let batch = self.shared.log.take_now();
        let last_row = batch.iter().rev().find_map(|event| match event.what {
            What::Effect { row, .. } => Some(row.0),
            _ => None,
        });
        let Witnesses { auditor, audited, consumers } = &mut self.witnesses;
        consumers.iter_mut().for_each(|consumer| consumer(&batch));
        if last_row.is_some_and(|row| row - *audited >= ROWS_PER_AUDIT) {
            let counts = auditor.count()?;
            *audited = counts.row.0;
            self.shared.log.append(What::Audited { counts });
        }
        Ok(())
    }

    fn close(&mut self) -> Finish {
        let how = self.keeper.ending.take().unwrap_or(Finish::Quit);
        let closed = self.witnesses.auditor.close(&mut self.shared.hub().queue.final_jobs());
        let (how, counts) = match closed {
            Ok(counts) => (how, Some(Box::new(counts))),
            Err(SinkError(words)) => (super::first_cause(how, words), None),
        };
        self.shared.log.append(What::Finished { how: how.clone(), counts });
        let _the_run_is_over = self.show(1);
        how
    }
}
