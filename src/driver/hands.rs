//! The hands of a worker: they perform what it asks and tell it what came of it.
//!
//! Each request is performed in three parts, so that whoever drives the hands decides how to wait: [`Hands::begin`]
//! does what comes first, [`Hands::turn`] looks at the slot and says go or wait, and [`Hands::finish`] does what is
//! left, outside the slot's lock where SQL is concerned. Every wait can be cut short. A thread cannot be killed from
//! outside: a killed worker abandons what it does at once where it waits, or at the next gap, and its connection is
//! dropped as it stands.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::hub::{Command, HandOut, Shared};
use super::slot::{Life, Slot, SlotState, Stance, Turn};
use crate::engine::draw::{Purpose, unit};
use crate::engine::faults::Progress;
use crate::engine::queue::Acked;
use crate::engine::renewal::Heartbeat;
use crate::event::{By, End, Fault, Hold, What};
use crate::ids::{Token, Worker};
use crate::policy::Statement;
use crate::request::{Delivery, Fact, Host, Interrupt, Outcome, Request, Session, Transacted, Transaction};
use crate::setup::Poison;
use crate::time::{Instant, Span};

/// What a wait ended with.
pub(super) enum Passed {
    /// The way is free.
    Free,
    /// The wait was cut short.
    Cut(Interrupt),
    /// The answer came with it.
    Answer(Outcome),
}

pub(super) struct Hands<'a> {
    shared: &'a Shared,
    slot: &'a Slot,
    session: Box<dyn Session>,
    delivery: Option<Delivery>,
    /// Acks and sink requests of this delivery so far: a lost one is drawn under its number.
    acks: u32,
    replies: u32,
    /// True once the wait under way has been told as held.
    held: bool,
    /// True once the sink has failed for good: what is under way waits for the end of the run.
    broken: bool,
}

impl<'a> Hands<'a> {
    pub fn new(shared: &'a Shared, slot: &'a Slot, session: Box<dyn Session>) -> Hands<'a> {
        Hands { shared, slot, session, delivery: None, acks: 0, replies: 0, held: false, broken: false }
    }

    /// Does what comes before any wait of this request.
    pub fn begin(&mut self, request: &Request) {
        self.held = false;
        match request {
            Request::Gap { after, tell: true, .. } => {
                let delivery = self.delivery();
                self.shared.log.append(What::Stepped { w: delivery.worker, k: delivery.token, p: *after });
            }
            Request::Die { by } => self.bury(*by),
            _ => {}
        }
    }

    /// Looks at the slot: the request may go on, or waits.
    pub fn turn(&mut self, request: &Request, state: &mut SlotState, now: Instant) -> Turn<Passed> {
        match request {
            Request::Claim => self.claim(state),
            Request::Work { span, poison } => work(*span, *poison, state, now),
            Request::Gap { wide, .. } => self.gap(*wide, state, now),
            Request::Transact(_) if self.broken => self.wait_for_the_end(state),
            Request::Transact(_) => self.pass_link(Fault::CutSink, Hold::Sink, state),
            Request::Ack { .. } | Request::Nack { .. } => self.pass_link(Fault::CutQueue, Hold::Ack, state),
            Request::End { .. } => Turn::Go(Passed::Free),
            Request::Die { .. } => self.lie_dead(state),
        }
    }

    /// Does what is left; `None` when the request has to wait again.
    pub fn finish(&mut self, request: &Request, passed: Passed) -> Option<Outcome> {
        match (passed, request) {
            (Passed::Answer(outcome), _) => Some(outcome),
            (Passed::Cut(cut), _) => {
                self.slot.lock().progress = None;
                Some(Outcome::Interrupted(cut))
            }
            (Passed::Free, Request::Work { poison, .. }) => {
                self.slot.lock().progress = None;
                Some(handle(*poison).map_or_else(Outcome::Failed, |()| Outcome::Done))
            }
            (Passed::Free, Request::Transact(transaction)) => self.transact(transaction),
            (Passed::Free, Request::Ack { ends }) => Some(self.ack(*ends)),
            (Passed::Free, Request::Nack { words }) => Some(self.nack(words)),
            (Passed::Free, Request::End { how, by }) => Some(self.end(how, *by)),
            (Passed::Free, _) => Some(Outcome::Done),
        }
    }

    fn delivery(&self) -> &Delivery {
        self.delivery.as_ref().expect("only a worker with a delivery asks for this")
    }

    fn claim(&mut self, state: &mut SlotState) -> Turn<Passed> {
        if let Some(by) = state.kill.take() {
            return Turn::Go(Passed::Cut(Interrupt::Killed(by)));
        }
        if state.over {
            return Turn::Go(Passed::Answer(Outcome::Closed));
        }
        if state.asleep() {
            return Turn::Wait(Instant::NEVER, Stance::Away);
        }
        if state.faults.has(Fault::CutQueue) {
            self.hold(None, Hold::Claim);
            return Turn::Wait(Instant::NEVER, Stance::Away);
        }
        self.held = false;
        let worker = self.slot.worker;
        match self.shared.queue(|hub, now, out| hub.hand_out(now, worker, out)) {
            HandOut::Job(delivery, now) => {
                state.heart = Some(Heartbeat::new(&delivery, now));
                state.delivery = Some(delivery.clone());
                state.lease_lost = false;
                self.delivery = Some(delivery.clone());
                (self.acks, self.replies) = (0, 0);
                Turn::Go(Passed::Answer(Outcome::Claimed(Box::new(delivery))))
            }
            HandOut::Nothing => Turn::Wait(Instant::NEVER, Stance::Idle),
            HandOut::Closed => Turn::Go(Passed::Answer(Outcome::Closed)),
        }
    }

    fn gap(&self, wide: bool, state: &mut SlotState, now: Instant) -> Turn<Passed> {
        let width = if wide { self.shared.setup.gap } else { Span::ZERO };
        let ends = *state.gap_ends.get_or_insert(now + width);
        let turn = if let Some(cut) = state.cut_short() {
            Turn::Go(Passed::Cut(cut))
        } else if state.asleep() {
            Turn::Wait(Instant::NEVER, Stance::Away)
        } else if now < ends {
            Turn::Wait(ends, Stance::Busy)
        } else if self.shared.clock.stopped() && !state.pass {
            state.stands.get_or_insert_with(|| self.shared.ticket());
            Turn::Wait(Instant::NEVER, Stance::Busy)
        } else {
            Turn::Go(Passed::Free)
        };
        if matches!(turn, Turn::Go(_)) {
            (state.gap_ends, state.stands, state.pass) = (None, None, false);
        }
        turn
    }

    /// Waits until a message can pass the link.
    fn pass_link(&mut self, link: Fault, what: Hold, state: &mut SlotState) -> Turn<Passed> {
        if let Some(cut) = state.cut_short() {
            Turn::Go(Passed::Cut(cut))
        } else if state.faults.has(link) {
            self.hold(Some(self.delivery().token), what);
            Turn::Wait(Instant::NEVER, Stance::Away)
        } else if state.asleep() {
            Turn::Wait(Instant::NEVER, Stance::Away)
        } else {
            Turn::Go(Passed::Free)
        }
    }

    /// Notes, once in a wait, that a request meets something it cannot pass.
    fn hold(&mut self, token: Option<Token>, what: Hold) {
        tell_held(self.shared, &mut self.held, self.slot.worker, token, what);
    }

    fn transact(&mut self, transaction: &Transaction) -> Option<Outcome> {
        let mut host = SinkHost { shared: self.shared, slot: self.slot, transaction, told: &mut self.held };
        let transacted = match self.session.transact(transaction, &mut host) {
            Ok(Transacted::Interrupted) => return None,
            Ok(transacted) => transacted,
            Err(error) => {
                self.shared.send(Command::Failed(error.to_string()));
                self.broken = true;
                return None;
            }
        };
        if self.reply_lost(transaction, transacted) {
            let Transaction { worker, token, .. } = *transaction;
            self.shared.log.append(What::ReplyLost { w: worker, k: token });
            return Some(Outcome::ReplyLost);
        }
        match transacted {
            Transacted::Applied => Some(Outcome::Applied),
            Transacted::Recognised => Some(Outcome::Recognised),
            Transacted::Fenced => Some(Outcome::Fenced),
            Transacted::Died => Some(Outcome::Died),
            Transacted::Failed => Some(Outcome::Failed("failed inside the transaction".into())),
            Transacted::Interrupted => None,
        }
    }

    /// The sink failed for good, so the run is about to end: the delivery is abandoned when it does.
    fn wait_for_the_end(&self, state: &SlotState) -> Turn<Passed> {
        if state.over { Turn::Go(Passed::Cut(Interrupt::Quit)) } else { Turn::Wait(Instant::NEVER, Stance::Busy) }
    }

    /// Whether the sink's answer after a commit is lost on its way. A read has no commit.
    fn reply_lost(&mut self, transaction: &Transaction, transacted: Transacted) -> bool {
        let committed = matches!(transacted, Transacted::Applied | Transacted::Recognised);
        let reads = matches!(*transaction.statements, [Statement::Check]);
        let rate = self.shared.losses().replies;
        if rate == 0.0 || reads || !committed {
            return false;
        }
        let n = self.replies;
        self.replies += 1;
        self.drawn(Purpose::LoseReply, n) < rate
    }

    fn drawn(&self, purpose: Purpose, n: u32) -> f64 {
        let delivery = self.delivery();
        unit(self.shared.setup.seed, u64::from(delivery.job.0), delivery.attempt, purpose, n)
    }

    fn ack(&mut self, ends: bool) -> Outcome {
        let rate = self.shared.losses().acks;
        let n = self.acks;
        self.acks += 1;
        let delivery = self.delivery();
        let Delivery { worker: w, job: j, token: k, .. } = *delivery;
        let mut state = self.slot.lock();
        if rate > 0.0 && self.drawn(Purpose::LoseAck, n) < rate {
            forget_lease(&mut state);
            drop(state);
            self.shared.log.append(What::AckLost { w, j, k });
            return Outcome::AckLost;
        }
        let acked = self.shared.queue_from_slot(|hub, now, out| {
            let acked = hub.queue.ack(now, delivery, out);
            if ends && acked != Acked::Stale {
                hub.queue.ended(now, delivery, End::Done, None, out);
            }
            acked
        });
        if acked == Acked::Stale {
            return Outcome::Stale;
        }
        forget_lease(&mut state);
        if ends {
            state.delivery = None;
        }
        Outcome::Acked
    }

    fn nack(&mut self, words: &str) -> Outcome {
        let delivery = self.delivery();
        let mut state = self.slot.lock();
        let accepted = self.shared.queue_from_slot(|hub, now, out| hub.queue.nack(now, delivery, words, out));
        forget_lease(&mut state);
        drop(state);
        self.shared.look();
        if accepted { Outcome::Done } else { Outcome::Stale }
    }

    fn end(&mut self, how: &End, by: Option<By>) -> Outcome {
        let delivery = self.delivery();
        let mut state = self.slot.lock();
        forget_lease(&mut state);
        (state.delivery, state.progress, state.gap_ends, state.stands) = (None, None, None, None);
        self.shared.queue_from_slot(|hub, now, out| {
            hub.queue.ended(now, delivery, how.clone(), by, out);
            if *how == End::Quit {
                hub.queue.release(now, delivery, out);
            }
        });
        Outcome::Done
    }

    fn bury(&mut self, by: By) {
        self.session.abandon();
        let worker = self.slot.worker;
        let mut state = self.slot.lock();
        let mut entry = self.shared.log.enter();
        let back = self.shared.setup.respawn.map(|after| entry.now() + after);
        entry.append(What::Died { w: worker, generation: state.generation, by, back });
        for what in state.faults.bury() {
            entry.append(What::Healed { w: Some(worker), what });
        }
        state.faults.armed = None;
        state.kill = None;
        state.life = Life::Dead(back);
        drop(entry);
        self.shared.look();
    }

    fn lie_dead(&self, state: &SlotState) -> Turn<Passed> {
        if state.life == Life::Alive {
            Turn::Go(Passed::Answer(Outcome::Respawned))
        } else if state.over || self.shared.hub().closed {
            Turn::Go(Passed::Answer(Outcome::Closed))
        } else {
            Turn::Wait(Instant::NEVER, Stance::Away)
        }
    }
}

/// Work goes on at the pace that faults leave it. A job that kills its worker does so in the middle.
fn work(span: Span, poison: Option<Poison>, state: &mut SlotState, now: Instant) -> Turn<Passed> {
    let kills = poison == Some(Poison::Crash);
    let until = if kills { span.scaled(1, 2) } else { span };
    let pace = state.faults.pace();
    let progress = state.progress.get_or_insert_with(|| Progress::new(until, now));
    progress.advance(now, pace);
    let (ends, done) = (progress.ends(), progress.done());
    if let Some(cut) = state.cut_short() {
        return Turn::Go(Passed::Cut(cut));
    }
    match (pace > 0.0, done) {
        (false, _) => Turn::Wait(Instant::NEVER, Stance::Away),
        (true, false) => Turn::Wait(ends.unwrap_or(Instant::NEVER), Stance::Busy),
        (true, true) if kills => Turn::Go(Passed::Cut(Interrupt::Killed(By::Poison))),
        (true, true) => Turn::Go(Passed::Free),
    }
}

/// The worker stops caring for its lease: it is over, given back, or acked.
fn forget_lease(state: &mut SlotState) {
    state.heart = None;
    state.lease_lost = false;
}

fn tell_held(shared: &Shared, told: &mut bool, worker: Worker, token: Option<Token>, what: Hold) {
    if !*told {
        *told = true;
        shared.log.append(What::Held { w: worker, k: token, what });
    }
}

/// What the job itself does at the end of its work. A panic is contained: it is one failed delivery.
fn handle(poison: Option<Poison>) -> Result<(), Box<str>> {
    let handler = || match poison {
        Some(Poison::Fail) => Err("card declined".into()),
        Some(Poison::Panic) => panic!("the handler of a poisonous job panicked"),
        Some(Poison::Crash) | None => Ok(()),
    };
    catch_unwind(AssertUnwindSafe(handler)).unwrap_or_else(|payload| {
        let words = payload.downcast_ref::<&str>().copied().unwrap_or("the handler panicked");
        tracing::warn!(words, "a handler panicked; its delivery failed");
        Err(words.into())
    })
}

/// What a sink session needs of the hands that call it.
struct SinkHost<'a> {
    shared: &'a Shared,
    slot: &'a Slot,
    transaction: &'a Transaction,
    told: &'a mut bool,
}

impl Host for SinkHost<'_> {
    fn now(&mut self) -> Instant {
        self.shared.clock.now()
    }

    fn interrupted(&mut self) -> bool {
        self.slot.urgent()
    }

    fn locked_out(&mut self) {
        let Transaction { worker, token, .. } = *self.transaction;
        tell_held(self.shared, self.told, worker, Some(token), Hold::Locked);
    }

    fn facts(&mut self, facts: &[Fact]) {
        let Transaction { worker: w, job: j, token: k, .. } = *self.transaction;
        let mut entry = self.shared.log.enter();
        for fact in facts {
            entry.append(match *fact {
                Fact::Effect(row) => What::Effect { w, j, k, row },
                Fact::Key => What::Key { w, j, k },
                Fact::Recognised => What::Recognised { w, j, k },
                Fact::Fenced => What::Fenced { w, j, k },
                Fact::Overtaken(key) => What::Overtaken { key, j },
                Fact::Outdated(key) => What::Outdated { key, j },
            });
        }
    }

    fn undone(&mut self) {
        let Transaction { worker: w, token: k, .. } = *self.transaction;
        self.shared.log.append(What::Undone { w, k });
    }
}
