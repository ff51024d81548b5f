//! Events of the worker's program and of the sink: points passed, effects, keys, recognitions.

use super::{Board, Moment, Sound};
use crate::board::undo::{Undo, UndoEffect, UndoKey};
use crate::board::view::{AnomalyKind, MarkKind};
use crate::event::What;
use crate::ids::{Job, Row, Token, Worker};
use crate::policy::{DedupKey, Memory, Point};

impl Board {
    pub(super) fn fold_sink(&mut self, moment: Moment, what: &What) -> Sound {
        match *what {
            What::Stepped { w, k, p } => self.stepped(moment, w, k, p),
            What::Effect { w, j, k, row } => self.effect(moment, (w, j, k), row),
            What::Key { w, j, k } => self.key(moment, w, j, k),
            What::Recognised { w, j, k } => self.recognised(moment, w, j, k),
            What::Fenced { w, j, k } => {
                self.demand(w, j, k, "fenced")?;
                self.lanes.mark(w, moment.at, MarkKind::Fenced, Some(k));
                self.anomaly(moment, AnomalyKind::Fenced, j, w);
                self.transact(w, None, |fresh| Undo { fenced: true, ..fresh });
                Ok(())
            }
            What::Undone { w, k } => {
                self.undone(w, k);
                Ok(())
            }
            What::ReplyLost { w, k } => {
                self.lanes.mark(w, moment.at, MarkKind::Unheard, Some(k));
                if let Some(live) = self.workers.slot(w).delivery(k) {
                    live.undo = Undo::default();
                }
                Ok(())
            }
            ref other => self.fold_workers(moment, other),
        }
    }

    /// The delivery passed a point: whatever its last transaction recorded stands.
    pub(super) fn pass(&mut self, moment: Moment, worker: Worker, token: Token, point: Point) {
        let slot = self.workers.slot(worker);
        slot.held = None;
        if let Some(live) = slot.live.as_mut().filter(|live| live.token == token) {
            live.passed = point;
            live.undo = Undo::default();
            if point == Point::Work {
                live.work.stop(moment.at);
            }
        }
    }

    /// A transaction of the worker's delivery is about to be committed, after which it stands at `passed`.
    fn transact(&mut self, worker: Worker, passed: Option<Point>, recorded: impl FnOnce(Undo) -> Undo) {
        let slot = self.workers.slot(worker);
        slot.held = None;
        if let Some(live) = &mut slot.live {
            let fresh = Undo { passed: Some(live.passed), ..Undo::default() };
            let shared = live.terms.bracket && live.undo.effect.is_some() && live.undo.key.is_none();
            live.undo = recorded(if shared && passed == Some(Point::Key) { live.undo } else { fresh });
            live.passed = passed.unwrap_or(live.passed);
        }
    }

    fn stepped(&mut self, moment: Moment, worker: Worker, token: Token, point: Point) -> Sound {
        let job = self.workers.job_of(worker, token).ok_or_else(|| Board::not_its(worker, "stepped", token))?;
        self.demand(worker, job, token, "stepped")?;
        self.pass(moment, worker, token, point);
        let slot = self.workers.slot(worker);
        let terms = slot.live.as_ref().map(|live| live.terms).expect("just demanded");
        if point == Point::Work {
            self.show_rest(worker, moment.at);
        } else if point == Point::Key && terms.memory == Memory::Worker {
            let generation = slot.generation;
            self.lanes.mark(worker, moment.at, MarkKind::Key, Some(token));
            if terms.key == DedupKey::Job {
                self.memories.remember(job, worker, generation);
            }
        }
        Ok(())
    }

    fn effect(&mut self, moment: Moment, delivery: (Worker, Job, Token), row: Row) -> Sound {
        let (worker, job, token) = delivery;
        self.demand(worker, job, token, "effect")?;
        let slot = self.workers.slot(worker);
        let promise = slot.live.as_ref().map(|live| live.terms.promise).expect("just demanded");
        let (applied, sound) = self.jobs.apply(job, promise);
        self.witness.effect(row, !applied.again);
        self.flow.effects.add(moment.at);
        let kind = if applied.again { MarkKind::EffectAgain } else { MarkKind::Effect };
        self.lanes.mark(worker, moment.at, kind, Some(token));
        if applied.again {
            self.anomaly(moment, AnomalyKind::Twice, job, worker);
        }
        self.last_writer = Some((worker, job));
        let effect = Some(UndoEffect { applied, row, seq: moment.seq });
        self.transact(worker, Some(Point::Effect), |fresh| Undo { effect, ..fresh });
        sound
    }

    fn key(&mut self, moment: Moment, worker: Worker, job: Job, token: Token) -> Sound {
        self.demand(worker, job, token, "key")?;
        let slot = self.workers.slot(worker);
        let terms = slot.live.as_ref().map(|live| live.terms).expect("just demanded");
        let by_id = terms.key == DedupKey::Job;
        let before = if by_id { Some(self.jobs.key_written(job, terms.promise)) } else { None };
        let durable = by_id && terms.memory == Memory::Durable && self.jobs.keep_key(job);
        let bounded = match terms.memory {
            Memory::Window(_) | Memory::Ttl(_) => Some(self.memories.record(job, terms.memory, terms.key, moment.at)),
            _ => None,
        };
        self.lanes.mark(worker, moment.at, MarkKind::Key, Some(token));
        let key = Some(UndoKey { durable, bounded, before });
        self.transact(worker, Some(Point::Key), |undo| Undo { key, ..undo });
        Ok(())
    }

    fn recognised(&mut self, moment: Moment, worker: Worker, job: Job, token: Token) -> Sound {
        self.demand(worker, job, token, "recognised")?;
        let before = self.jobs.found(job, true);
        self.lanes.mark(worker, moment.at, MarkKind::Recognised, Some(token));
        let passed = self.workers.slot(worker).live.as_ref().map(|live| live.terms.applied);
        self.transact(worker, passed, |fresh| Undo { recognised: Some(before), ..fresh });
        Ok(())
    }

    /// The value of the last effect's order key was older than another's.
    pub(super) fn valued(&mut self, job: Job, note: impl FnOnce(&mut Undo)) -> Sound {
        if let Some((worker, _)) = self.last_writer.filter(|(_, last)| *last == job)
            && let Some(live) = self.workers.slot(worker).live.as_mut().filter(|live| live.job == job)
        {
            note(&mut live.undo);
        }
        Ok(())
    }

    /// A commit failed: what the delivery's last transaction recorded never came to be.
    fn undone(&mut self, worker: Worker, token: Token) {
        let Some(live) = self.workers.slot(worker).delivery(token) else { return };
        let job = live.job;
        let undo = std::mem::take(&mut live.undo);
        live.passed = undo.passed.unwrap_or(live.passed);
        if let Some(UndoEffect { applied, row, seq }) = undo.effect {
            self.jobs.unapply(job, applied);
            self.witness.undo(row, !applied.again);
            let kind = if applied.again { MarkKind::EffectAgain } else { MarkKind::Effect };
            self.lanes.unmark(worker, kind, token);
            self.anomalies.undo_effect(seq);
        }
        if let Some(key) = undo.key {
            self.unkey(job, key);
            self.lanes.unmark(worker, MarkKind::Key, token);
        }
        if let Some(before) = undo.recognised {
            self.jobs.found(job, before);
            self.lanes.unmark(worker, MarkKind::Recognised, token);
            self.counters.dedup_hits -= 1;
        }
        if undo.fenced {
            self.lanes.unmark(worker, MarkKind::Fenced, token);
            self.counters.fenced -= 1;
            self.anomalies.undo_fence(job);
        }
        self.counters.overtaken -= u64::from(undo.overtaken);
        self.counters.outdated -= u64::from(undo.outdated);
    }

    fn unkey(&mut self, job: Job, key: UndoKey) {
        if key.durable {
            self.jobs.drop_key(job);
        }
        if let Some(recorded) = key.bounded {
            self.memories.unrecord(job, recorded);
        }
        if let Some(before) = key.before {
            self.jobs.key_unwritten(job, before);
        }
    }
}
