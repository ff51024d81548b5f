//! Renewal: a small machine beside the worker's program, one for each delivery that holds a lease.
//!
//! It says when it next wants to beat and takes in what came of it. Whoever drives it scans all of them; a delivery
//! never wakes the renewer, and the renewer never waits for the sink.

use crate::ids::Token;
use crate::policy::OnLostLease;
use crate::request::Delivery;
use crate::time::{Instant, Span};

/// The heartbeat of one delivery.
#[derive(Clone, Debug, PartialEq)]
pub struct Heartbeat {
    /// The receipt that every beat carries.
    pub token: Token,
    /// The beats sent or missed so far; each lost beat is drawn under its number.
    pub beats: u32,
    interval: Option<Span>,
    next: Instant,
    /// The last deadline that the worker knows of.
    deadline: Instant,
    knows_lost: bool,
}

impl Heartbeat {
    /// The heartbeat of a delivery that was handed out at `now`. A lease that ends as planned gets none.
    pub fn new(delivery: &Delivery, now: Instant) -> Heartbeat {
        let interval = delivery.policy.beat().filter(|_| delivery.renewable);
        Heartbeat {
            token: delivery.token,
            beats: 0,
            interval,
            next: interval.map_or(Instant::NEVER, |interval| now + interval),
            deadline: delivery.deadline,
            knows_lost: false,
        }
    }

    /// When there is something to do: the next beat, or the deadline by which the worker learns that it missed it.
    pub fn wakes(&self, on_lost_lease: OnLostLease) -> Instant {
        match on_lost_lease {
            OnLostLease::Abort if !self.knows_lost => self.next.min(self.deadline),
            _ => self.next,
        }
    }

    /// The last deadline that the worker knows of.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// True when beats that arrive keep the lease alive without end.
    pub fn renews(&self, lease: Span) -> bool {
        !self.knows_lost && self.interval.is_some_and(|interval| interval < lease)
    }

    /// True when a beat is due. Taking it schedules the next one, an interval after this one was due.
    pub fn take_beat(&mut self, now: Instant) -> bool {
        let due = self.next <= now;
        if due && let Some(interval) = self.interval {
            self.beats += 1;
            self.next = (self.next + interval).max(now);
        }
        due
    }

    /// A beat was accepted: the lease holds until `deadline`.
    pub fn accepted(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    /// A beat was refused, so the worker knows.
    pub fn refused(&mut self) {
        self.knows_lost = true;
    }

    /// True when the worker knows that its lease is gone: by a refusal, or by its own last known deadline.
    pub fn lost(&self, now: Instant) -> bool {
        self.knows_lost || self.deadline <= now
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ids::{Job, OrderKey, Worker};
    use crate::policy::{Policy, Renewal};

    fn heartbeat(renew: Renewal) -> Heartbeat {
        Heartbeat::new(&delivery(renew, true), Instant::START)
    }

    fn delivery(renew: Renewal, renewable: bool) -> Delivery {
        let policy = Policy { lease: Span::seconds(3), renew, ..Policy::default() };
        Delivery {
            worker: Worker(1),
            job: Job(0),
            attempt: 1,
            token: Token(1),
            key: OrderKey(0),
            deadline: Instant::START + policy.lease,
            renewable,
            work: Span::ZERO,
            poison: None,
            policy: Arc::new(policy),
        }
    }

    #[test]
    fn a_planned_lease_has_no_beats_and_its_worker_learns_of_its_end() {
        let heart = Heartbeat::new(&delivery(Renewal::Third, false), Instant::START);
        assert_eq!(heart.wakes(OnLostLease::Continue), Instant::NEVER);
        assert_eq!(heart.wakes(OnLostLease::Abort), Instant::START + Span::seconds(3));
        assert!(!heart.renews(Span::seconds(3)), "it keeps nothing alive");
    }

    #[test]
    fn three_beats_come_before_the_deadline_and_two_misses_are_survived() {
        let mut heart = heartbeat(Renewal::Third);
        let beats: Vec<u64> = std::iter::from_fn(|| {
            let at = heart.wakes(OnLostLease::Continue);
            heart.take_beat(at).then_some(at.0 / 1_000_000)
        })
        .take(4)
        .collect();
        assert_eq!(beats, [950, 1_900, 2_850, 3_800], "the third is before 3,000 ms and the fourth after it");
    }

    #[test]
    fn a_worker_learns_by_its_own_deadline_even_when_nobody_refuses_it() {
        let heart = heartbeat(Renewal::Off);
        assert_eq!(heart.wakes(OnLostLease::Abort), Instant::START + Span::seconds(3));
        assert!(!heart.lost(Instant(2_999_999_999)) && heart.lost(Instant(3_000_000_000)));
        assert_eq!(heart.wakes(OnLostLease::Continue), Instant::NEVER);
    }

    #[test]
    fn an_accepted_beat_moves_the_deadline_and_a_refused_one_tells() {
        let mut heart = heartbeat(Renewal::Third);
        heart.accepted(Instant(5_000_000_000));
        assert!(!heart.lost(Instant(4_000_000_000)));
        heart.refused();
        assert!(heart.lost(Instant(4_000_000_000)));
    }
}
