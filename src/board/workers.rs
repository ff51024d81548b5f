//! Who the workers are and what each is up to: its delivery, its step, its faults.
//!
//! A slot has one delivery at a time. The last one of a dead worker is kept while its lease holds, since that is what
//! everybody is waiting for.

use super::policies::{Policies, Terms};
use super::progress::Progress;
use super::undo::Undo;
use super::view::{DeliveryView, StepView, WorkerState, WorkerView};
use crate::event::{Fault, Hold, Spot};
use crate::ids::{Job, Token, Worker};
use crate::policy::{AckOrder, Point, Program};
use crate::time::{Instant, Span};

/// How the lease of a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lease {
    /// Held.
    Live,
    /// The queue has its ack or nack.
    Settled,
    /// Ran out or was given back.
    Over,
}

/// A delivery that has not ended.
#[derive(Clone, Debug)]
pub(super) struct Live {
    /// The job.
    pub job: Job,
    /// Which attempt.
    pub attempt: u32,
    /// The receipt.
    pub token: Token,
    /// What it keeps of its policy.
    pub terms: Terms,
    /// When it was handed out.
    pub claimed: Instant,
    /// When its lease runs out, or ran out.
    pub deadline: Instant,
    /// How long a full lease is.
    pub full: Span,
    /// How its lease stands.
    pub lease: Lease,
    /// The last point it passed.
    pub passed: Point,
    /// Its work.
    pub work: Progress,
    /// What its last transaction recorded.
    pub undo: Undo,
}

impl Live {
    /// True while the next step is the work.
    pub fn at_work(&self) -> bool {
        matches!((self.terms.ack, self.passed), (AckOrder::After, Point::Claim) | (AckOrder::Before, Point::Ack))
    }

    fn view(&self, now: Instant) -> DeliveryView {
        let lease = (self.lease == Lease::Live).then(|| (self.deadline.since(now), self.full));
        DeliveryView { job: self.job, attempt: self.attempt, token: self.token, lease }
    }

    /// The step it is in: the one after the last point. The commit has no line of its own, so a delivery between its
    /// last statement and the commit stands at the statement.
    fn step(&self, program: &Program, now: Instant) -> StepView {
        let points = program.points();
        let passed = points.iter().position(|point| *point == self.passed);
        let next = passed.and_then(|i| points.get(i + 1)).copied();
        let point = match next {
            None | Some(Point::Commit) => self.passed,
            Some(next) => next,
        };
        StepView::In(point, (point == Point::Work).then(|| self.work.part(now)))
    }
}

/// A fault in force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Active {
    /// How strong.
    pub factor: f64,
    /// Since when.
    pub since: Instant,
    /// The place of its event in the log.
    pub seq: u64,
    /// When it is to end, if that is known.
    pub until: Option<Instant>,
}

const FAULTS: usize = Fault::ALL.len();

/// One worker's place.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    /// Counts respawns.
    pub generation: u32,
    /// Whether it lives.
    pub alive: bool,
    /// When it is back, if it is dead and known to be.
    pub back: Option<Instant>,
    /// Its last message to the queue.
    pub heard: Option<Instant>,
    /// Where it will die.
    pub armed: Option<Point>,
    /// Its delivery.
    pub live: Option<Live>,
    /// The delivery at which it died, while that lease holds.
    pub left: Option<Live>,
    /// Where it died, and how far the work was then.
    pub died_at: Option<(Spot, f64)>,
    /// The delivery at which it died, until it is back.
    pub died_with: Option<(Job, Token)>,
    /// Whether it ever died.
    pub died: bool,
    /// What its request waits for.
    pub held: Option<Hold>,
    faults: [Option<Active>; FAULTS],
}

impl Slot {
    /// The delivery with this token, at hand or left behind.
    pub fn delivery(&mut self, token: Token) -> Option<&mut Live> {
        match (&mut self.live, &mut self.left) {
            (Some(live), _) if live.token == token => Some(live),
            (_, Some(left)) if left.token == token => Some(left),
            _ => None,
        }
    }

    /// The fault, if it is in force here.
    pub fn fault(&self, fault: Fault) -> Option<Active> {
        self.faults[fault as usize]
    }

    /// The faults in force, in a fixed order.
    pub fn faults(&self) -> impl Iterator<Item = (Fault, Active)> + '_ {
        Fault::ALL.iter().filter_map(|fault| Some((*fault, self.fault(*fault)?)))
    }

    /// Puts a fault in force or ends it; the work goes on at its new pace.
    pub fn set_fault(&mut self, fault: Fault, active: Option<Active>, at: Instant) {
        self.faults[fault as usize] = active;
        let pace = self.pace();
        if let Some(live) = &mut self.live {
            live.work.set_pace(at, pace);
        }
    }

    /// How fast this worker works: 0 while it rests.
    pub fn pace(&self) -> f64 {
        if self.fault(Fault::Pause).is_some() || self.fault(Fault::Hang).is_some() {
            return 0.0;
        }
        self.fault(Fault::Slow).map_or(1.0, |slow| 1.0 / slow.factor.max(1.0))
    }

    /// True while it sleeps, or hangs in its work.
    pub fn rests(&self) -> bool {
        let at_work = self.live.as_ref().is_some_and(Live::at_work);
        self.fault(Fault::Pause).is_some() || (at_work && self.fault(Fault::Hang).is_some())
    }

    fn state(&self, over: bool) -> WorkerState {
        let live = self.live.as_ref();
        match (over, live) {
            (true, _) => WorkerState::Gone,
            _ if !self.alive => WorkerState::Dead,
            _ if self.fault(Fault::Pause).is_some() => WorkerState::Asleep,
            (_, Some(live)) if live.at_work() && self.fault(Fault::Hang).is_some() => WorkerState::Hung,
            _ if self.held.is_some() => WorkerState::Held(self.held.expect("just seen")),
            (_, Some(live)) if live.lease == Lease::Over => WorkerState::Zombie,
            (_, Some(_)) => WorkerState::Working,
            (_, None) => WorkerState::Idle,
        }
    }

    fn step(&self, policies: &Policies, now: Instant) -> StepView {
        match (&self.live, self.died_at) {
            (Some(live), _) => live.step(policies.program_of(live.terms.index), now),
            (None, Some((Spot::After(point), _))) => StepView::After(point),
            (None, Some((Spot::In(point), part))) => StepView::In(point, (point == Point::Work).then_some(part)),
            (None, None) => StepView::Nowhere,
        }
    }
}

/// All workers of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Workers {
    slots: Vec<Slot>,
    /// True once the run is over.
    pub over: bool,
}

impl Workers {
    /// Slots for `count` workers that are yet to be spawned.
    pub fn new(count: usize) -> Workers {
        Workers { slots: vec![Slot::default(); count], over: false }
    }

    /// True when there is such a worker.
    pub fn knows(&self, worker: Worker) -> bool {
        (1..=self.slots.len()).contains(&usize::from(worker.0))
    }

    /// The slot of a worker that [`Workers::knows`].
    pub fn slot(&mut self, worker: Worker) -> &mut Slot {
        &mut self.slots[worker.index()]
    }

    /// The slot of a worker, if there is such a worker.
    pub fn get(&self, worker: Worker) -> Option<&Slot> {
        self.slots.get(usize::from(worker.0).checked_sub(1)?)
    }

    /// Every slot, by worker.
    pub fn slots(&self) -> impl Iterator<Item = (Worker, &Slot)> {
        self.slots.iter().enumerate().map(|(i, slot)| (Worker::at(i), slot))
    }

    /// Every worker's number.
    pub fn all(&self) -> impl Iterator<Item = Worker> + use<> {
        (0..self.slots.len()).map(Worker::at)
    }

    /// The living workers with their generations.
    pub fn living(&self) -> Vec<(Worker, u32)> {
        self.slots().filter(|(_, slot)| slot.alive).map(|(worker, slot)| (worker, slot.generation)).collect()
    }

    /// The job of this worker's delivery with this token.
    pub fn job_of(&self, worker: Worker, token: Token) -> Option<Job> {
        let slot = self.get(worker)?;
        [&slot.live, &slot.left].into_iter().flatten().find(|live| live.token == token).map(|live| live.job)
    }

    /// The workers as a screen lists them.
    pub fn view(&self, policies: &Policies, now: Instant) -> Vec<WorkerView> {
        self.slots().map(|(worker, slot)| self.view_of(worker, slot, policies, now)).collect()
    }

    fn view_of(&self, worker: Worker, slot: &Slot, policies: &Policies, now: Instant) -> WorkerView {
        WorkerView {
            worker,
            state: slot.state(self.over),
            delivery: slot.live.as_ref().or(slot.left.as_ref()).map(|live| live.view(now)),
            step: slot.step(policies, now),
            last_beat: slot.heard.map(|heard| now.since(heard)),
            back: slot.back.filter(|_| !slot.alive).map(|back| back.since(now)),
            faults: slot.faults().map(|(fault, active)| (fault, active.factor)).collect(),
            armed: slot.armed,
        }
    }
}
