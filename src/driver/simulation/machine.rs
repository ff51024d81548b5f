//! The loop of virtual time: one turn after the other, in order of time and, at one instant, of a sequence number.
//!
//! Every request of a worker goes through the agenda, also at the same instant; the keeper looks first at each. What a
//! turn has told lies ready until it is taken.

use crossbeam_channel::Receiver;

use super::agenda::Agenda;
use super::livelock::{GivenUp, Patience, Progress};
use super::witness::Witness;
use crate::action::Action;
use crate::driver::hands::Hands;
use crate::driver::hub::{Command, Shared};
use crate::driver::keeper::{Keeper, Mode};
use crate::driver::plan::{Cue, Plan};
use crate::driver::slot::Turn;
use crate::engine::worker::Worker;
use crate::event::{By, Event, Finish, What};
use crate::request::{Request, Session, SinkError};
use crate::time::Instant;

/// Events that are shown at once.
const BATCH: usize = 4_096;

/// A worker with its hands, and what it has asked for.
struct Actor<'a> {
    worker: Worker,
    hands: Hands<'a>,
    request: Option<Request>,
}

/// What a plan has said to whoever looks on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Said {
    /// Nothing.
    #[default]
    Nothing,
    /// Something that can be read while time goes on.
    Words,
    /// Something for which time is to stand.
    Pause,
}

impl Said {
    fn of(what: &What) -> Said {
        match what {
            What::Said { pause: true, .. } | What::Asked { .. } => Said::Pause,
            What::Said { .. } => Said::Words,
            _ => Said::Nothing,
        }
    }
}

/// A run in virtual time, turn by turn.
pub struct Machine<'a> {
    shared: &'a Shared,
    actors: Vec<Actor<'a>>,
    /// How the run ends once nothing more is planned.
    mode: Mode,
    keeper: Keeper<'a>,
    agenda: Agenda,
    inbox: &'a Receiver<Command>,
    plan: Box<dyn Plan>,
    /// What the plan has told since it was last asked.
    said: Said,
    witness: Witness,
    /// What has happened and was not taken yet.
    events: Vec<Event>,
    /// How many of these were listened to.
    heard: usize,
    turns: u64,
    patience: Patience,
    why_stuck: Option<Box<str>>,
}

impl<'a> Machine<'a> {
    /// A run at its start: every worker has a turn, and the keeper has looked.
    pub(super) fn new(
        shared: &'a Shared,
        mode: Mode,
        inbox: &'a Receiver<Command>,
        sessions: impl Iterator<Item = Box<dyn Session>>,
        witness: Witness,
        plan: Box<dyn Plan>,
    ) -> Machine<'a> {
        let actor = |(slot, session)| Actor {
            worker: Worker::new(shared.setup.seed, shared.strikes.clone()),
            hands: Hands::new(shared, slot, session),
            request: None,
        };
        let mut machine = Machine {
            shared,
            actors: shared.slots.iter().zip(sessions).map(actor).collect(),
            mode,
            keeper: Keeper::new(shared, mode, false),
            agenda: Agenda::default(),
            inbox,
            plan,
            said: Said::Nothing,
            witness,
            events: Vec::new(),
            heard: 0,
            turns: 0,
            patience: Patience::default(),
            why_stuck: None,
        };
        machine.keeper.mode = machine.mode_for_now();
        machine.keeper.listened = machine.plan.listens();
        (0..machine.actors.len()).for_each(|actor| machine.agenda.put(Instant::START, actor));
        machine.look();
        machine.open();
        machine
    }

    /// Does what is planned for the start: the jobs that arrive at it are there, and nobody has had a turn.
    fn open(&mut self) {
        loop {
            self.listen();
            let cues = self.plan.due(Instant::START);
            if cues.is_empty() {
                return;
            }
            cues.into_iter().for_each(|cue| self.carry_out(cue));
            self.look();
        }
    }

    /// How many turns were taken. With the same set-up, plan and acts the same turn is always the same.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The moment of the last turn.
    pub fn now(&self) -> Instant {
        self.shared.clock.now()
    }

    /// The moment of the next turn, never before now; never, if nothing is due.
    pub fn next_moment(&self) -> Instant {
        let now = self.now();
        if self.agenda.next() <= now {
            return now;
        }
        match (self.shared.clock.stopped(), self.plan.next()) {
            (true, Instant::NEVER) => Instant::NEVER,
            (true, _) => now,
            (false, planned) => self.agenda.next().min(self.keeper.next_duty()).min(planned).max(now),
        }
    }

    /// True once every worker has stopped, so that there is nothing left but to close the run. None does before the run
    /// is to end.
    pub fn over(&self) -> bool {
        self.keeper.ending.is_some() && self.actors.iter().all(|actor| actor.worker.stopped())
    }

    /// How many events were not taken yet.
    pub fn fresh(&self) -> usize {
        self.events.len()
    }

    /// Takes out what has happened since it was last asked.
    pub fn take(&mut self) -> Vec<Event> {
        self.heard = 0;
        std::mem::take(&mut self.events)
    }

    /// What the plan has said since this was last asked.
    pub fn take_said(&mut self) -> Said {
        std::mem::take(&mut self.said)
    }

    /// One turn: the next worker's of this instant, or else on to the next moment, at which the keeper looks first.
    /// What fails ends the run with the reason.
    pub fn turn(&mut self) {
        self.turns += 1;
        let now = self.shared.clock.now();
        let went = if self.agenda.next() <= now {
            self.take_turn(now)
        } else {
            self.pass_time();
            Ok(())
        };
        let went = went.and_then(|()| self.hear());
        self.give_up_if(went);
        self.listen();
    }

    /// Goes on until every worker has stopped, and shows what happens on the way, in batches.
    pub fn run(&mut self, mut show: impl FnMut(&[Event])) {
        while !self.over() {
            self.turn();
            if self.events.len() >= BATCH {
                show(&self.take());
            }
        }
        show(&self.take());
    }

    /// Lets time pass up to `at`, which is before the next moment.
    pub fn pass_to(&mut self, at: Instant) {
        self.shared.clock.jump(at);
    }

    /// Does something to the run, at this moment.
    pub fn act(&mut self, action: &Action, by: By) {
        self.keeper.act(action, by);
        let heard = self.hear();
        self.give_up_if(heard);
        self.look();
        self.listen();
    }

    /// Ends the run because an invariant did not hold.
    pub fn violated(&mut self, text: &str) {
        self.break_off(text);
        self.listen();
    }

    /// Ends the run here and now: virtual time has no grace. The workers stop in the turns that follow.
    pub fn quit(&mut self, how: Finish) {
        self.cut_off(how);
        self.listen();
    }

    /// Writes the queue's final job states, has SQL count everything, and tells how the run ended.
    pub fn close(&mut self) -> Finish {
        let how = self.keeper.ending.clone().unwrap_or(Finish::Quit);
        if let Some(why) = self.why_stuck.take() {
            self.shared.log.append(What::Stuck { why });
        }
        let closed = self.witness.close(&mut self.shared.hub().queue.final_jobs());
        let (how, counts) = match closed {
            Ok(counts) => (how, Some(Box::new(counts))),
            Err(SinkError(words)) => (crate::driver::first_cause(how, words), None),
        };
        self.shared.log.append(What::Finished { how: how.clone(), counts });
        self.listen();
        how
    }

    fn take_turn(&mut self, now: Instant) -> Result<(), SinkError> {
        if self.patience.turn(now) {
            self.lose_patience()?;
        }
        if let Some(index) = self.agenda.pop() {
            self.serve(index, now);
        }
        Ok(())
    }

    /// Gives the run up if it would go on for ever. While somebody watches it, it may, as long as time passes.
    fn lose_patience(&mut self) -> Result<(), SinkError> {
        let (progress, attempts) = {
            let hub = self.shared.hub();
            let tally = hub.queue.tally();
            (Progress { enqueued: tally.enqueued(), settled: tally.settled() }, hub.queue.policy().attempts)
        };
        match self.patience.look(progress, attempts) {
            Some(GivenUp::Livelock(words)) => Err(SinkError(words)),
            Some(GivenUp::Endless(why)) => {
                self.stuck(&why);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// One turn of an actor: its request goes on, or waits.
    fn serve(&mut self, index: usize, now: Instant) {
        let actor = &mut self.actors[index];
        let slot = &self.shared.slots[index];
        if actor.worker.stopped() {
            return;
        }
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
                Command::EndWhenSettled => {
                    self.mode = Mode::Headless;
                    self.keeper.mode = self.mode_for_now();
                    look = true;
                }
                Command::Quit(_) => self.cut_off(Finish::Quit),
                Command::Violated(text) => self.break_off(&text),
                Command::Gone | Command::Heard(_) => {}
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

    /// Moves on to the next moment at which anything is due, or does what is planned next. The keeper looks behind it.
    /// While time stands a plan does not wait for its moment, which would never come: what it has next is done as soon
    /// as nothing more happens by itself.
    fn pass_time(&mut self) {
        let next = self.next_moment();
        if next == Instant::NEVER {
            return self.stand_still();
        }
        self.shared.clock.jump(next);
        let until = if self.shared.clock.stopped() { Instant::NEVER } else { next };
        let cues = self.plan.due(until);
        cues.into_iter().for_each(|cue| self.carry_out(cue));
        self.look();
    }

    /// A run goes on as long as anything is planned for a moment: drained and stuck are notices until then.
    fn mode_for_now(&self) -> Mode {
        if self.plan.next() < Instant::NEVER { Mode::Interactive } else { self.mode }
    }

    /// Nothing is due any more, or time was stopped. Headless nobody is there to let it go.
    fn stand_still(&mut self) {
        self.look();
        self.stuck("time stands, and nobody lets it go");
    }

    /// Headless, a run that is stuck is over. Why is told when its workers have stopped, as the last thing of it.
    fn stuck(&mut self, why: &str) {
        if self.keeper.ending.is_none() && self.keeper.mode == Mode::Headless {
            self.why_stuck = Some(why.into());
            self.cut_off(Finish::Stuck);
        }
    }

    fn break_off(&mut self, text: &str) {
        self.shared.log.append(What::Violated { text: text.into() });
        self.cut_off(Finish::Violated);
    }

    fn give_up_if(&mut self, went: Result<(), SinkError>) {
        if let Err(SinkError(words)) = went {
            self.cut_off(Finish::Failed(words.into()));
        }
    }

    fn cut_off(&mut self, how: Finish) {
        self.keeper.end(how);
        self.keeper.cut_off();
        self.wake();
    }

    /// Does what the plan has come to.
    fn carry_out(&mut self, cue: Cue) {
        match cue {
            Cue::Act(action, by) => self.keeper.act(&action, by),
            Cue::Tell(what) => {
                self.said = self.said.max(Said::of(&what));
                self.shared.log.append(what);
            }
            Cue::End => self.cut_off(Finish::Quit),
        }
        self.keeper.mode = self.mode_for_now();
    }

    /// Takes what was told out of the log; does what the plan comes to when it hears of it, and audits when enough rows
    /// have come.
    fn listen(&mut self) {
        self.shared.log.take_into(&mut self.events);
        while self.heard < self.events.len() {
            let heard = std::mem::replace(&mut self.heard, self.events.len());
            let fresh = &self.events[heard..];
            if let Some(row) = fresh.iter().rev().find_map(|event| effect(&event.what)) {
                self.witness.saw(row);
            }
            // Once it was told, and heard by whoever listens, that nothing goes on by itself, that is the end: now, and not
            // when a dead worker comes back. Unless something is done.
            let mut look = fresh.iter().any(|event| matches!(event.what, What::Drained | What::Stuck { .. }));
            if self.plan.listens() {
                let cues = self.plan.heard(fresh);
                self.keeper.mode = self.mode_for_now();
                look |= !cues.is_empty();
                cues.into_iter().for_each(|cue| self.carry_out(cue));
            }
            if look {
                self.look();
            }
            self.audit();
            self.shared.log.take_into(&mut self.events);
        }
    }

    fn audit(&mut self) {
        match self.witness.audit_if_due() {
            Some(Ok(counts)) => self.shared.log.append(What::Audited { counts }),
            Some(Err(SinkError(words))) => self.shared.send(Command::Failed(words)),
            None => {}
        }
    }
}

fn effect(what: &What) -> Option<i64> {
    if let What::Effect { row, .. } = what { Some(row.0) } else { None }
}
