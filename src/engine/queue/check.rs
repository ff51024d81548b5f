//! The recount: everything that the queue keeps twice is compared, from scratch.

use super::{Place, Queue, Record, Tally};
use crate::ids::Job;
use crate::policy::OnDead;
use crate::request::JobState;

/// Fails with the words unless the condition holds.
fn demand(holds: bool, words: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(words()) }
}

impl Queue {
    /// Recounts everything and compares it with what was kept up step by step. In time proportional to the jobs;
    /// for tests and for the end of a run.
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, in words: I1 (each job in exactly one state), I3 (one live lease a
    /// job, under its newest token) or I4 (budgets and counters).
    pub fn check(&self) -> Result<(), String> {
        self.contradiction.clone().map_or(Ok(()), Err)?;
        self.check_states()?;
        self.check_places()?;
        self.check_leases()?;
        self.check_keys()
    }

    fn check_states(&self) -> Result<(), String> {
        let mut counted = Tally::default();
        for (_, record) in self.records.iter() {
            *counted.of(record.place) += 1;
            counted.working += u64::from(record.working);
        }
        demand(counted == self.tally, || format!("I1: counted {counted:?}, kept {:?}", self.tally))?;
        let Tally { waiting, leased, unprotected, done, dead, .. } = counted;
        let sum = waiting + leased + unprotected + done + dead;
        let enqueued = u64::from(self.records.len());
        demand(sum == enqueued, || format!("I1: {enqueued} jobs were enqueued and {sum} are in a state"))
    }

    fn check_places(&self) -> Result<(), String> {
        let mut places = [0_usize; 3];
        for (job, record) in self.records.iter() {
            places[0] += usize::from(record.place == Place::Ready);
            places[1] += usize::from(record.place == Place::Delayed);
            places[2] += usize::from(record.place == Place::Dead);
            self.check_job(job, record)?;
        }
        let kept = [self.ready.len(), self.delayed.len(), self.dlq.len()];
        demand(places == kept, || format!("I1: ready, delayed and dead are {places:?}, kept {kept:?}"))?;
        let overdue = self.next_due().filter(|due| *due <= self.now);
        demand(overdue.is_none(), || format!("what was due at {overdue:?} is not dealt with at {:?}", self.now))
    }

    fn check_job(&self, job: Job, record: &Record) -> Result<(), String> {
        let ready = self.ready.contains(job) == (record.place == Place::Ready);
        let dead = self.dlq.reason(job).is_some() == (record.place == Place::Dead);
        demand(ready && dead, || format!("I1: job {job} is in two places, one of them {:?}", record.place))?;
        let budget =
            self.closing || record.place.state() != JobState::Waiting || self.policy.attempts.allows(record.used);
        demand(budget, || format!("I4: job {job} waits with its {} tries used up", record.used))?;
        let settled = record.place != Place::Done || record.working == 0;
        demand(settled, || format!("I1: job {job} is done and somebody works on it"))?;
        let protected = record.place != Place::Unprotected || record.working > 0;
        demand(protected, || format!("I1: job {job} is unprotected and nobody works on it"))?;
        let counted = record.used <= record.attempts && u32::from(record.working) <= record.attempts;
        demand(counted && record.token <= self.token, || format!("I4: job {job} counts more than was handed out"))
    }

    fn check_leases(&self) -> Result<(), String> {
        demand(self.leases.is_sound(), || "I3: leases and deadlines differ".to_owned())?;
        let live = self.leases.len() as u64;
        demand(live == self.tally.leased, || format!("I3: {live} leases for {} leased jobs", self.tally.leased))?;
        self.leases.iter().try_for_each(|(token, lease)| {
            let record = &self.records[lease.job];
            let newest = record.place == Place::Leased && record.token == token;
            demand(newest, || format!("I3: token {token} is a live lease and not job {}'s", lease.job))
        })
    }

    fn check_keys(&self) -> Result<(), String> {
        let Some(keys) = &self.keys else {
            let blocked = self.records.iter().find(|(_, record)| record.place == Place::Blocked);
            return demand(blocked.is_none(), || format!("{blocked:?} is blocked with no order in force"));
        };
        let mut holders = 0;
        for (job, record) in self.records.iter() {
            let holds = record.place.holds_key(self.policy.on_dead == OnDead::Block);
            holders += usize::from(holds);
            demand(holds == keys.holds(record.key, job), || format!("job {job} should hold its key: {holds}"))?;
            let head = keys.is_head(record.key, job);
            let right = match record.place {
                Place::Ready => head,
                Place::Blocked => !head,
                _ => true,
            };
            demand(right, || format!("job {job} is {:?} and head of its key: {head}", record.place))?;
        }
        demand(holders == keys.len(), || format!("{holders} jobs hold a key, kept {}", keys.len()))
    }
}
