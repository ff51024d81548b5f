//! Events of workers and faults.

use super::{Board, Moment, Sound};
use crate::board::view::MarkKind;
use crate::board::words;
use crate::board::workers::Active;
use crate::event::{By, Fault, Hold, Spot, What};
use crate::ids::Worker;
use crate::time::Instant;

impl Board {
    pub(super) fn fold_workers(&mut self, moment: Moment, what: &What) -> Sound {
        match *what {
            What::Died { w, generation, by, back } => self.died(moment, w, generation, by, back),
            What::Spawned { w, generation } => self.spawned(moment, w, generation),
            What::Armed { w, point } => self.workers.slot(w).armed = Some(point),
            What::Disarmed { w, .. } => self.workers.slot(w).armed = None,
            What::Fault { w, what, factor, until } => {
                let active = Active { factor, since: moment.at, seq: moment.seq, until };
                self.faulty(moment, w, what, Some(active));
            }
            What::Healed { w, what } => self.faulty(moment, w, what, None),
            What::Held { w, k, what } => {
                self.workers.slot(w).held = Some(what);
                self.run.lock_waits += u64::from(what == Hold::Locked);
                if what != Hold::Locked {
                    self.lanes.mark(w, moment.at, MarkKind::Unheard, k);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn died(&mut self, moment: Moment, worker: Worker, generation: u32, by: By, back: Option<Instant>) {
        let slot = self.workers.slot(worker);
        slot.alive = false;
        slot.died = true;
        slot.generation = generation;
        slot.back = back;
        slot.held = None;
        let armed = slot.armed.take();
        let spot = slot.died_at.map(|(spot, _)| spot);
        let token = slot.died_with.map(|(_, token)| token);
        let sprung = armed.is_some() && armed.map(Spot::After) == spot;
        if matches!(by, By::Operator | By::Lab) && !sprung {
            self.lanes.mark(worker, moment.at, MarkKind::Kill, token);
            self.lanes.note(moment.at, format!("x {worker}"), false);
        } else {
            self.lanes.mark(worker, moment.at, MarkKind::Died, token);
            let place = match spot {
                Some(Spot::After(point)) => format!(" at {point}"),
                Some(spot) => format!(" {}", words::spot(spot)),
                None => String::new(),
            };
            self.lanes.note(moment.at, format!("X {worker}{place}"), false);
        }
    }

    fn spawned(&mut self, moment: Moment, worker: Worker, generation: u32) {
        let slot = self.workers.slot(worker);
        slot.alive = true;
        slot.generation = generation;
        slot.back = None;
        slot.heard = Some(moment.at);
        slot.died_at = None;
        slot.died_with = None;
        slot.left = None;
        if std::mem::take(&mut slot.died) {
            self.lanes.mark(worker, moment.at, MarkKind::Restart, None);
        }
        self.moved();
    }

    /// A fault begins or ends, on one worker or on all. Lost messages concern the links of all and no worker's state, so
    /// that they are lost no longer moves nobody.
    fn faulty(&mut self, moment: Moment, worker: Option<Worker>, fault: Fault, active: Option<Active>) {
        if active.is_some() {
            self.run.faults += 1;
        } else if worker.is_some() {
            self.moved();
        }
        // A death ends the faults of a worker; that is no healing to be shown.
        let buried =
            active.is_none() && worker.and_then(|worker| self.workers.get(worker)).is_some_and(|slot| !slot.alive);
        if !buried {
            self.lanes.note(moment.at, caption(worker, fault, active), false);
        }
        let lost = matches!(fault, Fault::LoseBeats | Fault::LoseAcks | Fault::LoseReplies);
        match worker {
            Some(worker) => self.faulty_at(moment, worker, fault, active),
            None if lost => {}
            None => self.workers.all().for_each(|worker| self.faulty_at(moment, worker, fault, active)),
        }
    }

    fn faulty_at(&mut self, moment: Moment, worker: Worker, fault: Fault, active: Option<Active>) {
        let slot = self.workers.slot(worker);
        slot.set_fault(fault, active, moment.at);
        let freed = match fault {
            Fault::CutQueue => matches!(slot.held, Some(Hold::Claim | Hold::Ack)),
            Fault::CutSink => slot.held == Some(Hold::Sink),
            _ => false,
        };
        if active.is_none() && freed {
            slot.held = None;
        }
        let token = slot.live.as_ref().map(|live| live.token);
        let kind = match active {
            Some(_) => mark(fault),
            None => slot.alive.then_some(MarkKind::Heal),
        };
        if let Some(kind) = kind {
            self.lanes.mark(worker, moment.at, kind, token);
        }
        self.show_rest(worker, moment.at);
    }
}

fn mark(fault: Fault) -> Option<MarkKind> {
    Some(match fault {
        Fault::Stall => MarkKind::Stall,
        Fault::Pause => MarkKind::Pause,
        Fault::Hang => MarkKind::Hang,
        Fault::CutQueue => MarkKind::CutQueue,
        Fault::CutSink => MarkKind::CutSink,
        Fault::Slow => MarkKind::Slow,
        Fault::LoseBeats | Fault::LoseAcks | Fault::LoseReplies => return None,
    })
}

/// `s w2`, `l w2 x3`, `u w2`; `lose acks 0.2` for what concerns everybody.
fn caption(worker: Option<Worker>, fault: Fault, active: Option<Active>) -> String {
    let who = worker.map_or_else(|| "all".to_owned(), |worker| worker.to_string());
    match (active, mark(fault)) {
        (Some(active), Some(_)) if fault == Fault::Slow => format!("l {who} x{}", active.factor),
        (Some(_), Some(kind)) => format!("{kind} {who}"),
        (Some(active), None) => format!("lose {fault} {}", active.factor),
        (None, Some(_)) => format!("u {who}"),
        (None, None) => format!("lose {fault} 0"),
    }
}
