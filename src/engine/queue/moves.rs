//! How a job goes from place to place: what time moves by itself, and the steps that every call is made of.
//!
//! A job is in one place at a time. Each step here takes it out of the structure that held it, or is told that it has
//! been, and leaves it in the one that its new place means.

use super::{Lease, Place, Queue};
use crate::event::{Reason, What};
use crate::ids::Job;
use crate::policy::{Attempts, OnDead};
use crate::sabotage::{Flaw, strikes};
use crate::time::Instant;

impl Queue {
    /// Lets time pass up to `now` and deals with what became due on the way.
    pub(super) fn pass(&mut self, now: Instant, out: &mut Vec<What>) {
        self.now = self.now.max(now);
        while let Some((token, lease)) = self.leases.take_due(self.now) {
            let works = self.records[lease.job].working > 0;
            if let Some(span) = lease.renewal.filter(|_| works && strikes(Flaw::WorkKeepsTheLease)) {
                self.leases.grant(token, Lease { deadline: self.now + span, ..lease });
                continue;
            }
            out.push(What::Expired { w: lease.worker, j: lease.job, k: token });
            if strikes(Flaw::ExpirySettles) {
                self.move_to(lease.job, if works { Place::Unprotected } else { Place::Done });
            } else if self.may_try_again(lease.job) {
                self.offer(lease.job);
            } else {
                self.bury(lease.job, lease.cause.unwrap_or(Reason::LeaseExpired), out);
            }
        }
        while let Some((until, job)) = self.delayed.first().copied().filter(|(until, _)| *until <= self.now) {
            self.delayed.remove(&(until, job));
            self.offer(job);
        }
    }

    pub(super) fn may_try_again(&self, job: Job) -> bool {
        self.policy.attempts.allows(self.records[job].used)
    }

    /// Lets a job wait for a moment, which may be now.
    pub(super) fn wait_until(&mut self, job: Job, until: Instant) {
        if until <= self.now {
            return self.offer(job);
        }
        self.delayed.insert((until, job));
        self.move_to(job, Place::Delayed);
    }

    /// Lets a job wait that is not in the ready set: for a worker, or for the earlier jobs of its key.
    pub(super) fn offer(&mut self, job: Job) {
        let key = self.records[job].key;
        if self.keys.as_ref().is_some_and(|keys| !keys.is_head(key, job)) {
            return self.move_to(job, Place::Blocked);
        }
        self.ready.insert(job);
        self.move_to(job, Place::Ready);
    }

    /// Sends a job to the DLQ that is neither leased, ready nor delayed any more.
    pub(super) fn bury(&mut self, job: Job, reason: Reason, out: &mut Vec<What>) {
        let max = match self.policy.attempts {
            Attempts::Limit(limit) => Some(limit),
            Attempts::Unlimited => None,
        };
        out.push(What::Dead { j: job, reason: reason.clone(), tries: self.records[job].used, max });
        self.dlq.bury(job, reason);
        self.move_to(job, Place::Dead);
        if self.keys.is_some() && self.policy.on_dead == OnDead::Skip {
            self.skip(job, out);
        }
    }

    /// Lets a key go on without a dead job.
    pub(super) fn skip(&mut self, job: Job, out: &mut Vec<What>) {
        out.push(What::Gap { key: self.records[job].key, j: job });
        self.release_key(job);
    }

    /// Lets a job hold its key. If it goes in front of one that was ready, that one is blocked.
    pub(super) fn hold_key(&mut self, job: Job) {
        let key = self.records[job].key;
        let passed = self.keys.as_mut().and_then(|keys| keys.hold(key, job));
        if let Some(head) = passed.filter(|head| self.ready.remove(*head)) {
            self.move_to(head, Place::Blocked);
        }
    }

    /// Takes a job's hold on its key away. The next of that key is ready if it was only waiting for this.
    pub(super) fn release_key(&mut self, job: Job) {
        let key = self.records[job].key;
        let head = self.keys.as_mut().and_then(|keys| keys.release(key, job));
        if let Some(head) = head.filter(|head| self.records[*head].place == Place::Blocked) {
            self.offer(head);
        }
    }

    pub(super) fn move_to(&mut self, job: Job, place: Place) {
        let record = &mut self.records[job];
        *self.tally.of(record.place) -= 1;
        *self.tally.of(place) += 1;
        record.place = place;
    }
}
