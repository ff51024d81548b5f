//! What a change of policy moves: the rest of it concerns only deliveries that start later.

use std::sync::Arc;

use super::{Keys, Place, Queue};
use crate::event::{Reason, What};
use crate::policy::{OnDead, Ordering, Setting};
use crate::request::JobState;
use crate::time::Instant;

impl Queue {
    /// Puts a setting in force for deliveries from here on. Maximum attempts, order, what becomes of a dead head and
    /// backoff concern jobs already under way too. Setting what is in force already does nothing.
    pub fn set(&mut self, now: Instant, setting: Setting, out: &mut Vec<What>) {
        self.pass(now, out);
        let mut policy = (*self.policy).clone();
        policy.set(setting);
        if policy == *self.policy {
            return;
        }
        let what = setting.name();
        let (from, to) = (self.policy.value(what).into(), policy.value(what).into());
        out.push(What::Policy { what, from, to });
        self.policy = Arc::new(policy);
        match setting {
            Setting::Attempts(_) => self.bury_used_up(out),
            Setting::Order(Ordering::Key) => self.start_order(),
            Setting::Order(Ordering::None) => self.end_order(),
            Setting::OnDead(on_dead) if self.keys.is_some() => self.hold_for_dead(on_dead, out),
            _ => {}
        }
    }

    /// Sends waiting jobs to the DLQ whose budget is used up. A leased one may still end well.
    fn bury_used_up(&mut self, out: &mut Vec<What>) {
        let attempts = self.policy.attempts;
        let used_up = self
            .records
            .jobs_where(|record| record.place.state() == JobState::Waiting && !attempts.allows(record.used));
        self.delayed.retain(|(_, job)| used_up.binary_search(job).is_err());
        for job in used_up {
            self.ready.remove(job);
            self.bury(job, Reason::AttemptsLowered, out);
        }
    }

    /// Starts order by key among the jobs there are. Those under way stay so; of those that are ready only the heads
    /// of their keys do.
    fn start_order(&mut self) {
        let dead_hold = self.policy.on_dead == OnDead::Block;
        let mut keys = Keys::default();
        for (job, record) in self.records.iter().filter(|(_, record)| record.place.holds_key(dead_hold)) {
            keys.hold(record.key, job);
        }
        self.keys = Some(keys);
        let ready = std::mem::take(&mut self.ready);
        ready.into_jobs().for_each(|job| self.offer(job));
    }

    fn end_order(&mut self) {
        self.keys = None;
        for job in self.records.jobs_where(|record| record.place == Place::Blocked) {
            self.offer(job);
        }
    }

    fn hold_for_dead(&mut self, on_dead: OnDead, out: &mut Vec<What>) {
        let dead: Vec<_> = self.dlq.jobs().collect();
        for job in dead {
            match on_dead {
                OnDead::Block => self.hold_key(job),
                OnDead::Skip => self.skip(job, out),
            }
        }
    }
}
