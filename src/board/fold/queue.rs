//! Events of the queue: jobs and their deliveries.

use super::{Board, Moment, Sound};
use crate::board::arrivals::Arrival;
use crate::board::invariants::Breach;
use crate::board::jobs::{NO_HISTORY, Settled};
use crate::board::progress::Progress;
use crate::board::undo::Undo;
use crate::board::view::{AnomalyKind, Bar, MarkKind};
use crate::board::workers::{Lease, Live};
use crate::event::{By, End, What};
use crate::ids::{Job, Token, Worker};
use crate::policy::{AckOrder, Point};
use crate::time::{Instant, Span};

/// A hand-out, as its event tells it.
struct Claim {
    worker: Worker,
    job: Job,
    attempt: u32,
    token: Token,
    deadline: Instant,
    lease: Span,
    work: Span,
}

impl Board {
    pub(super) fn fold_queue(&mut self, moment: Moment, what: &What) -> Sound {
        match *what {
            What::Enqueued { j, due, poison, .. } => {
                self.jobs.enqueue(j)?;
                self.arrivals.add(j, Arrival { seq: moment.seq, at: moment.at, due, poison });
                self.flow.arrivals.add(moment.at);
                self.moved();
                Ok(())
            }
            What::Expired { w, j, k } => self.expired(moment, w, j, k),
            What::Released { w, j, k } => {
                self.jobs.give_back(j, k, "released")?;
                self.lease_over(w, k, Lease::Over, moment.at);
                Ok(())
            }
            What::Dead { j, ref reason, tries, max } => {
                self.jobs.bury(j)?;
                self.dead.bury(j, moment.seq, moment.at, reason, (tries, max));
                Ok(())
            }
            What::Redriven { j } => {
                self.jobs.redrive(j)?;
                self.dead.redrive(j);
                self.moved();
                Ok(())
            }
            What::Gap { .. } => Ok(()),
            What::Overtaken { j, .. } => self.valued(j, |undo| undo.overtaken += 1),
            What::Outdated { j, .. } => self.valued(j, |undo| undo.outdated += 1),
            What::Claimed { w, j, n, k, deadline, lease, work } => {
                self.claimed(moment, Claim { worker: w, job: j, attempt: n, token: k, deadline, lease, work })
            }
            ref other => self.fold_delivery(moment, other),
        }
    }

    fn fold_delivery(&mut self, moment: Moment, what: &What) -> Sound {
        match *what {
            What::Renewed { w, k, deadline } => self.renewed(moment, w, k, deadline),
            What::BeatLost { w, k } => {
                self.lanes.mark(w, moment.at, MarkKind::Unheard, Some(k));
                Ok(())
            }
            What::RenewalStale { w, k } => {
                self.workers.slot(w).heard = Some(moment.at);
                self.lanes.mark(w, moment.at, MarkKind::Stale, Some(k));
                if let Some(job) = self.workers.job_of(w, k) {
                    self.anomaly(moment, AnomalyKind::Stale, job, w);
                }
                Ok(())
            }
            What::Acked { w, j, k } => self.acked(moment, w, j, k),
            What::AckLost { w, j, k } => {
                self.demand(w, j, k, "ack_lost")?;
                self.lanes.mark(w, moment.at, MarkKind::Unheard, Some(k));
                self.pass(moment, w, k, Point::Ack);
                Ok(())
            }
            What::AckStale { w, j, k } | What::NackStale { w, j, k } => {
                self.heard(moment, w);
                self.lanes.mark(w, moment.at, MarkKind::Stale, Some(k));
                self.anomaly(moment, AnomalyKind::Stale, j, w);
                Ok(())
            }
            What::AckRepeated { w, .. } => {
                self.heard(moment, w);
                Ok(())
            }
            What::Nacked { w, j, k, .. } => {
                self.demand(w, j, k, "nacked")?;
                self.jobs.give_back(j, k, "nacked")?;
                self.heard(moment, w);
                self.lease_over(w, k, Lease::Settled, moment.at);
                self.dead.gave_up(j, w);
                self.lanes.mark(w, moment.at, MarkKind::Failed, Some(k));
                Ok(())
            }
            What::Ended { w, j, k, ref how, by } => self.ended(moment, (w, j, k), how, by),
            ref other => self.fold_sink(moment, other),
        }
    }

    /// Refuses an event of a delivery that the worker does not have.
    pub(super) fn demand(&self, worker: Worker, job: Job, token: Token, event: &'static str) -> Sound {
        let live = self.workers.get(worker).and_then(|slot| slot.live.as_ref());
        match live {
            Some(live) if live.token == token && live.job == job => Ok(()),
            _ => Err(Board::not_its(worker, event, token)),
        }
    }

    /// The queue has a message of this worker, so nothing holds it back.
    fn heard(&mut self, moment: Moment, worker: Worker) {
        let slot = self.workers.slot(worker);
        slot.heard = Some(moment.at);
        slot.held = None;
    }

    fn lease_over(&mut self, worker: Worker, token: Token, how: Lease, at: Instant) {
        if let Some(bar) = self.lanes.bar(worker, token) {
            bar.lease_until = Some(at);
        }
        let slot = self.workers.slot(worker);
        if let Some(live) = slot.delivery(token) {
            live.lease = how;
        }
        if slot.left.as_ref().is_some_and(|left| left.token == token) {
            slot.left = None;
        }
    }

    fn claimed(&mut self, moment: Moment, claim: Claim) -> Sound {
        let Claim { worker, job, attempt, token, deadline, lease, work } = claim;
        let (handed, sound) = self.jobs.claim(job, token, attempt, self.policies.current().attempts);
        if !handed {
            return sound;
        }
        self.moved();
        self.dead.moved_on(job);
        if self.jobs.history(job) == NO_HISTORY {
            let number = self.lives.begin(attempt > 1);
            self.jobs.set_history(job, number);
        }
        let terms = self.policies.terms();
        let acked_first = terms.ack == AckOrder::Before;
        self.lanes.open(
            worker,
            Bar {
                token,
                job,
                attempt,
                from: moment.at,
                lease_until: None,
                deadline,
                ended: None,
                rests: Vec::new(),
                acked_first,
            },
        );
        let slot = self.workers.slot(worker);
        slot.heard = Some(moment.at);
        slot.held = None;
        let mut progress = Progress::of(work);
        if !acked_first {
            progress.begin(moment.at, slot.pace());
        }
        let live = Live {
            job,
            attempt,
            token,
            terms,
            claimed: moment.at,
            deadline,
            full: lease,
            lease: Lease::Live,
            passed: Point::Claim,
            work: progress,
            undo: Undo::default(),
        };
        let old = slot.live.replace(live);
        self.show_rest(worker, moment.at);
        match old {
            Some(old) => Err(Breach::Busy { worker, job, old: old.job }),
            None => sound,
        }
    }

    fn renewed(&mut self, moment: Moment, worker: Worker, token: Token, deadline: Instant) -> Sound {
        let job = self.workers.job_of(worker, token).ok_or_else(|| Board::not_its(worker, "renewed", token))?;
        if !self.jobs.holds(job, token) {
            return Err(Breach::Lease { job, event: "renewed", token });
        }
        let slot = self.workers.slot(worker);
        slot.heard = Some(moment.at);
        if let Some(live) = slot.delivery(token) {
            live.deadline = deadline;
        }
        if let Some(bar) = self.lanes.bar(worker, token) {
            bar.deadline = deadline;
        }
        self.lanes.mark(worker, moment.at, MarkKind::Renewed, Some(token));
        Ok(())
    }

    fn expired(&mut self, moment: Moment, worker: Worker, job: Job, token: Token) -> Sound {
        self.jobs.give_back(job, token, "expired")?;
        self.moved();
        let ran_out = self.lanes.bar(worker, token).map_or(moment.at, |bar| bar.deadline.min(moment.at));
        self.lease_over(worker, token, Lease::Over, ran_out);
        self.lanes.mark(worker, ran_out, MarkKind::Expired, Some(token));
        self.dead.gave_up(job, worker);
        Ok(())
    }

    fn acked(&mut self, moment: Moment, worker: Worker, job: Job, token: Token) -> Sound {
        self.demand(worker, job, token, "acked")?;
        let live = self.workers.get(worker).and_then(|slot| slot.live.as_ref());
        let (promise, claimed) = live.map(|live| (live.terms.promise, live.claimed)).expect("just demanded");
        let settled = self.jobs.ack(job, token, promise)?;
        self.moved();
        self.heard(moment, worker);
        self.flow.acks.add(moment.at);
        self.flow.served(moment.at.since(claimed));
        self.lanes.mark(worker, moment.at, MarkKind::Acked, Some(token));
        self.lease_over(worker, token, Lease::Settled, moment.at);
        self.pass(moment, worker, token, Point::Ack);
        let slot = self.workers.slot(worker);
        let pace = slot.pace();
        if let Some(live) = slot.live.as_mut().filter(|live| live.at_work()) {
            live.work.begin(moment.at, pace);
        }
        self.show_rest(worker, moment.at);
        self.judge(moment, worker, job, token, settled);
        Ok(())
    }

    fn judge(&mut self, moment: Moment, worker: Worker, job: Job, token: Token, settled: Settled) {
        if settled.lost {
            self.lanes.mark(worker, moment.at, MarkKind::Lost, Some(token));
            self.anomaly(moment, AnomalyKind::Lost, job, worker);
        }
        if settled.over {
            self.settled = Some(job);
        }
    }

    fn ended(&mut self, moment: Moment, delivery: (Worker, Job, Token), how: &End, by: Option<By>) -> Sound {
        let (worker, job, token) = delivery;
        self.demand(worker, job, token, "ended")?;
        // A stuck run whose deliveries are abandoned since it ends was stuck all the same.
        if *how != End::Quit {
            self.moved();
        }
        let holds = self.jobs.holds(job, token);
        let slot = self.workers.slot(worker);
        slot.held = None;
        let mut live = slot.live.take().expect("just demanded");
        live.work.stop(moment.at);
        if let End::Crashed(spot) = how {
            slot.died_at = Some((*spot, live.work.part(moment.at)));
            slot.died_with = Some((job, token));
        }
        if live.attempt == 1 {
            self.lists.ended(job, how, by, self.policies.program_of(live.terms.index));
        }
        self.lanes.rest(worker, token, moment.at, false);
        if let Some(bar) = self.lanes.bar(worker, token) {
            bar.ended = Some(moment.at);
        }
        if matches!(how, End::Failed(_)) && live.terms.ack == AckOrder::Before {
            self.lanes.mark(worker, moment.at, MarkKind::Failed, Some(token));
        }
        if holds && matches!(how, End::Crashed(_)) {
            self.workers.slot(worker).left = Some(live);
        }
        let settled = self.jobs.end(job);
        self.judge(moment, worker, job, token, settled);
        Ok(())
    }

    /// The open bar of a worker shows whether it rests.
    pub(super) fn show_rest(&mut self, worker: Worker, at: Instant) {
        let slot = self.workers.slot(worker);
        if let Some(live) = &slot.live {
            let (token, rests) = (live.token, slot.rests());
            self.lanes.rest(worker, token, at, rests);
        }
    }
}
