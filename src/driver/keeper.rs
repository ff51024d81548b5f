//! The keeper minds everything timed: arrivals, renewals, leases, timed heals, respawns, idle time, actions, and the
//! end of the run. It never waits for the sink. Whoever drives the run says when it looks.

use std::sync::MutexGuard;

use super::hub::{Hub, Shared};
use super::slot::{Life, SlotState, Stance};
use crate::engine::draw::{Purpose, unit};
use crate::engine::queue::Tally;
use crate::event::{Fault, Finish, What};
use crate::ids::Worker;
use crate::policy::OnLostLease;
use crate::time::{Instant, Span};

/// How many jobs may arrive in one hold of the queue's lock, so that workers start while a long stream pours in.
const ARRIVALS_AT_ONCE: usize = 2_048;

/// How a run ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It ends when it is drained or stuck.
    Headless,
    /// It goes on until somebody quits; drained and stuck are notices.
    Interactive,
}

pub(super) struct Keeper<'a> {
    pub shared: &'a Shared,
    pub mode: Mode,
    /// Whether idle time is jumped over here; elsewhere time passes by other means.
    pub jumps: bool,
    /// Actions so far; what an action draws at random is drawn under its number.
    pub actions: u32,
    /// What was last told of `drained` and `stuck`, and in which state of the run, so that each state is told once: of
    /// a drained one after how many deliveries, since workers that come back change nothing in it; of a stuck one after
    /// how many changes of stance; and the jobs in each state.
    told: Option<(Finish, u64, Tally)>,
    /// How the run ends, once it does.
    pub ending: Option<Finish>,
    /// The next moment at which the keeper has something to do, as far as it knew when it last looked.
    pub wakes: Instant,
    /// The next moment at which something is planned: idle time is not jumped over beyond it.
    pub planned: Instant,
    /// Whether a plan hears of what happens.
    pub listened: bool,
}

impl<'a> Keeper<'a> {
    pub fn new(shared: &'a Shared, mode: Mode, jumps: bool) -> Keeper<'a> {
        Keeper {
            shared,
            mode,
            jumps,
            actions: 0,
            told: None,
            ending: None,
            wakes: Instant::START,
            planned: Instant::NEVER,
            listened: false,
        }
    }

    /// Does everything that is due. `pending` says that somebody has told something that is not done yet.
    pub fn tend(&mut self, pending: bool) {
        let more = self.arrivals();
        let mut wakes = self.mind_slots();
        let next_due = self.shared.queue(|hub, now, out| {
            hub.queue.expire_due(now, out);
            hub.queue.next_due()
        });
        self.wake_idle();
        wakes = wakes.min(next_due.unwrap_or(Instant::NEVER)).min(self.next_arrival().unwrap_or(Instant::NEVER));
        self.wakes = if more { Instant::START } else { wakes };
        if !more && !pending && self.ending.is_none() {
            self.settle();
        }
    }

    fn next_arrival(&self) -> Option<Instant> {
        self.shared.hub().stream.next_arrival()
    }

    /// Takes in the jobs that have arrived. True when more have than one hold of the lock takes.
    fn arrivals(&self) -> bool {
        self.shared.queue(|hub, now, out| {
            let due = |hub: &Hub| !hub.closed && hub.stream.next_arrival().is_some_and(|at| at <= now);
            for _ in 0..ARRIVALS_AT_ONCE {
                if !due(hub) {
                    return false;
                }
                let job = hub.stream.take();
                hub.queue.enqueue(now, job, out);
            }
            due(hub)
        })
    }

    /// Ends faults, brings workers back and beats for all slots. Returns when a slot next needs it.
    fn mind_slots(&self) -> Instant {
        let on_lost_lease = self.shared.hub().queue.policy().on_lost_lease;
        let mut wakes = Instant::NEVER;
        for slot in &self.shared.slots {
            let mut state = slot.lock();
            let now = self.shared.clock.now();
            let mut stirred = self.end_faults(&mut state, slot.worker, now);
            stirred |= self.respawn_due(&mut state, slot.worker, now);
            self.beat(&mut state, slot.worker, now);
            stirred |= learn(&mut state, on_lost_lease, now);
            if stirred {
                self.shared.set_stance(&mut state, Stance::Busy);
                slot.wake_up(&state);
            }
            wakes = wakes.min(slot_wakes(&state, on_lost_lease));
        }
        wakes
    }

    fn end_faults(&self, state: &mut SlotState, worker: Worker, now: Instant) -> bool {
        let over = state.faults.end_due(now);
        if !over.is_empty() {
            state.repace(now);
        }
        over.iter().for_each(|what| self.shared.log.append(What::Healed { w: Some(worker), what: *what }));
        !over.is_empty()
    }

    fn respawn_due(&self, state: &mut SlotState, worker: Worker, now: Instant) -> bool {
        match state.life {
            Life::Dead(Some(back)) if back <= now && self.ending.is_none() => {
                self.respawn(state, worker);
                true
            }
            _ => false,
        }
    }

    /// A new generation in the same slot: empty memory, new connection.
    pub fn respawn(&self, state: &mut SlotState, worker: Worker) {
        state.life = Life::Alive;
        state.generation += 1;
        self.shared.log.append(What::Spawned { w: worker, generation: state.generation });
    }

    /// One scan's beat of a slot. The slot's lock comes first, as for the worker's own ack, so that a healthy run has
    /// no stale renewals.
    fn beat(&self, state: &mut SlotState, worker: Worker, now: Instant) {
        let (Some(heart), Some(delivery), Life::Alive) = (&mut state.heart, &state.delivery, state.life) else {
            return;
        };
        if !heart.take_beat(now) || state.faults.has(Fault::Stall) || state.faults.has(Fault::Pause) {
            return;
        }
        let rate = self.shared.losses().beats;
        let job = u64::from(delivery.job.0);
        let drawn = || unit(self.shared.setup.seed, job, delivery.attempt, Purpose::LoseBeat, heart.beats);
        if state.faults.has(Fault::CutQueue) || (rate > 0.0 && drawn() < rate) {
            self.shared.log.append(What::BeatLost { w: worker, k: heart.token });
            return;
        }
        match self.shared.queue(|hub, now, out| hub.queue.renew(now, worker, heart.token, out)) {
            Some(deadline) => heart.accepted(deadline),
            None => heart.refused(),
        }
    }

    fn wake_idle(&self) {
        let ready = {
            let hub = self.shared.hub();
            if hub.idle == 0 { 0 } else { hub.queue.ready() }
        };
        let mut wanted = ready;
        for slot in &self.shared.slots {
            if wanted == 0 {
                break;
            }
            let state = slot.lock();
            if state.stance == Stance::Idle {
                slot.wake_up(&state);
                wanted -= 1;
            }
        }
    }

    /// When nobody works and nothing can be handed out: the run is drained, or stuck, or idle time is jumped.
    fn settle(&mut self) {
        let Some(picture) = self.picture() else { return };
        let hub = self.shared.hub();
        if hub.changes != picture.changes {
            return;
        }
        let tally = hub.queue.tally();
        let arrival = hub.stream.next_arrival();
        let settled = tally.settled() == tally.enqueued() && tally.working == 0;
        if arrival.is_none() && settled {
            let deliveries = hub.queue.last_token().0;
            drop(hub);
            self.come_to((Finish::Drained, deliveries, tally), What::Drained);
        } else if arrival.is_none() && !picture.moves() && !hub.queue.moves_without(picture.held_for_ever) {
            drop(hub);
            self.come_to((Finish::Stuck, picture.changes, tally), What::Stuck { why: picture.why().into() });
        } else if self.jumps {
            let queue = hub.queue.next_due().unwrap_or(Instant::NEVER);
            let target = picture.wakes.min(queue).min(arrival.unwrap_or(Instant::NEVER));
            self.jump(hub, target.min(self.planned));
        }
    }

    /// Nothing goes on by itself any more. It is told once in each state of the run, and if somebody listens who may do
    /// something about it, the run ends only when it has not.
    fn come_to(&mut self, state: (Finish, u64, Tally), what: What) {
        let how = state.0.clone();
        if self.told.as_ref() != Some(&state) {
            self.told = Some(state);
            self.shared.log.append(what);
            if self.listened {
                return;
            }
        }
        if self.mode == Mode::Headless {
            self.end(how);
            self.cut_off();
        } else if self.jumps && self.planned < Instant::NEVER {
            self.jump_to(self.planned);
        }
    }

    /// Moves the lab clock on to `target`, under the queue's lock and the log's.
    fn jump(&mut self, hub: MutexGuard<'_, Hub>, target: Instant) {
        let mut entry = self.shared.log.enter();
        if target <= entry.now() || target == Instant::NEVER {
            return;
        }
        let by = self.shared.clock.jump(target);
        entry.refresh();
        entry.append(What::Jumped { by });
        drop(entry);
        drop(hub);
        self.wakes = Instant::START;
        self.wake_all();
    }

    /// Wakes every slot's thread, since the clock has changed under its wait.
    pub fn wake_all(&self) {
        for slot in &self.shared.slots {
            let state = slot.lock();
            slot.wake_up(&state);
        }
    }

    /// All slots at one moment at which nobody works and nothing can be handed out; `None` if it is not so.
    fn picture(&self) -> Option<Picture> {
        let changes = {
            let hub = self.shared.hub();
            let takeable = hub.queue.ready() > 0 && hub.idle > 0;
            if hub.busy > 0 || takeable || self.shared.clock.stopped() {
                return None;
            }
            hub.changes
        };
        let beats_arrive = self.shared.losses().beats == 0.0;
        let on_lost_lease = self.shared.hub().queue.policy().on_lost_lease;
        let mut picture = Picture::new(changes, self.shared.slots.len());
        self.shared.slots.iter().for_each(|slot| picture.add(&slot.lock(), on_lost_lease, beats_arrive));
        Some(picture)
    }

    /// The next moment at which the keeper has something to do, deliveries that began since it looked included.
    pub fn next_duty(&self) -> Instant {
        let on_lost_lease = self.shared.hub().queue.policy().on_lost_lease;
        let slots = self.shared.slots.iter().map(|slot| slot_wakes(&slot.lock(), on_lost_lease)).min();
        let hub = self.shared.hub();
        let queue = hub.queue.next_due().unwrap_or(Instant::NEVER);
        let arrival = hub.stream.next_arrival().filter(|_| !hub.closed).unwrap_or(Instant::NEVER);
        slots.unwrap_or(Instant::NEVER).min(queue).min(arrival)
    }

    /// The next moment at which anything is due, workers at work included.
    pub fn next_moment(&self) -> Instant {
        let worked_on = |state: &SlotState| {
            let work = state.progress.as_ref().and_then(|work| work.ends()).unwrap_or(Instant::NEVER);
            let gap = state.gap_ends.filter(|_| state.stands.is_none()).unwrap_or(Instant::NEVER);
            work.min(gap)
        };
        let slots = self.shared.slots.iter().map(|slot| worked_on(&slot.lock())).min();
        self.next_duty().min(slots.unwrap_or(Instant::NEVER))
    }

    /// Moves the lab clock on to `target`.
    pub fn jump_to(&mut self, target: Instant) {
        let hub = self.shared.hub();
        self.jump(hub, target);
    }

    /// The shortest time in which a delivery that does not exist yet can need the keeper: its first beat, or its
    /// deadline. So new deliveries never have to wake it.
    pub fn shortest_notice(&self) -> Span {
        let hub = self.shared.hub();
        let lease = hub.queue.policy().lease;
        let lease = hub.stream.shortest_planned().map_or(lease, |planned| planned.min(lease));
        hub.queue.policy().beat().map_or(lease, |beat| beat.min(lease))
    }

    /// No more jobs are handed out. The first reason stays.
    pub fn end(&mut self, how: Finish) {
        self.ending.get_or_insert(how);
        self.shared.hub().closed = true;
        if self.shared.clock.stopped() {
            self.set_stopped(false);
        }
        self.wake_all();
    }

    /// The grace is over: whatever is under way is abandoned.
    pub fn cut_off(&self) {
        self.shared.slots.iter().for_each(|slot| slot.change(|state| state.over = true));
    }

    /// Stops time or lets it go, and tells.
    pub fn set_stopped(&self, stopped: bool) {
        let mut entry = self.shared.log.enter();
        self.shared.clock.set_stopped(stopped);
        entry.refresh();
        entry.append(if stopped { What::Stopped } else { What::Going });
    }
}

/// When the keeper next has something to do for a slot.
fn slot_wakes(state: &SlotState, on_lost_lease: OnLostLease) -> Instant {
    let heal = state.faults.next_end().unwrap_or(Instant::NEVER);
    match state.life {
        Life::Dead(back) => heal.min(back.unwrap_or(Instant::NEVER)),
        Life::Alive => {
            let beats = state.heart.as_ref().map_or(Instant::NEVER, |heart| {
                let learns = if state.asleep() || state.lease_lost { OnLostLease::Continue } else { on_lost_lease };
                heart.wakes(learns)
            });
            heal.min(beats)
        }
    }
}

/// Whether the worker learns now that its lease is gone and is to stop for it. Asleep it learns nothing.
pub(super) fn learn(state: &mut SlotState, on_lost_lease: OnLostLease, now: Instant) -> bool {
    let gone = state.heart.as_ref().is_some_and(|heart| heart.lost(now));
    let learns = gone && on_lost_lease == OnLostLease::Abort && !state.lease_lost && !state.asleep();
    state.lease_lost |= learns;
    learns
}

/// What all slots say about the time ahead, when nobody works.
struct Picture {
    changes: u64,
    /// The next heal or respawn.
    scheduled: Instant,
    /// That, or the next beat.
    wakes: Instant,
    /// Deliveries whose lease is renewed without end while nothing moves them.
    held_for_ever: u64,
    dead: usize,
    asleep: usize,
    hung: usize,
    cut: usize,
    slots: usize,
}

impl Picture {
    fn new(changes: u64, slots: usize) -> Picture {
        let (scheduled, wakes) = (Instant::NEVER, Instant::NEVER);
        Picture { changes, scheduled, wakes, held_for_ever: 0, dead: 0, asleep: 0, hung: 0, cut: 0, slots }
    }

    fn add(&mut self, state: &SlotState, on_lost_lease: OnLostLease, beats_arrive: bool) {
        let heal = state.faults.next_end().unwrap_or(Instant::NEVER);
        let back = match state.life {
            Life::Dead(back) => back.unwrap_or(Instant::NEVER),
            Life::Alive => Instant::NEVER,
        };
        self.wakes = self.wakes.min(slot_wakes(state, on_lost_lease));
        self.scheduled = self.scheduled.min(heal).min(back);
        self.dead += usize::from(matches!(state.life, Life::Dead(_)));
        self.asleep += usize::from(state.asleep());
        self.hung += usize::from(state.faults.has(Fault::Hang));
        self.cut += usize::from(state.faults.has(Fault::CutQueue) || state.faults.has(Fault::CutSink));
        let silenced = state.asleep() || state.faults.has(Fault::Stall) || state.faults.has(Fault::CutQueue);
        let renews = match (&state.heart, &state.delivery) {
            (Some(heart), Some(delivery)) => heart.renews(delivery.policy.lease),
            _ => false,
        };
        self.held_for_ever += u64::from(renews && beats_arrive && !silenced);
    }

    /// True when a heal or a respawn will change something.
    fn moves(&self) -> bool {
        self.scheduled < Instant::NEVER
    }

    fn why(&self) -> String {
        if self.dead == self.slots {
            return "no worker is left".into();
        }
        let count = |n: usize, what: &str| (n > 0).then(|| format!("{n} {what}"));
        let reasons = [
            count(self.dead, "dead"),
            count(self.asleep, "asleep"),
            count(self.hung, "hung"),
            count(self.cut, "cut off"),
        ];
        let reasons: Vec<String> = reasons.into_iter().flatten().collect();
        match reasons.is_empty() {
            true => "what is left is blocked by its key".into(),
            false => format!("of {} workers {}", self.slots, reasons.join(", ")),
        }
    }
}
