//! The live leases: who has which job until when, found by token and by deadline.
//!
//! Most leases are over soon after they are granted, so the latest ones lie in a small ring, each at the place that
//! its token names, where they cost no search. One that is still live when the ring comes round again moves to the
//! trees, which hold any number.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::Reason;
use crate::ids::{Job, Token, Worker};
use crate::sabotage::{Flaw, strikes};
use crate::time::{Instant, Span};

/// One live lease.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    /// Who has it.
    pub(super) worker: Worker,
    /// For which job.
    pub(super) job: Job,
    /// When it runs out; it holds while now is before this.
    pub(super) deadline: Instant,
    /// How long each renewal grants it for; `None` if it ends as planned and no renewal moves it.
    pub(super) renewal: Option<Span>,
    /// What is known to have ended its delivery, for the DLQ.
    pub(super) cause: Option<Reason>,
}

/// Places in the ring; a power of two. Tests have few, so that their leases grow old.
const RING: usize = if cfg!(test) { 4 } else { 64 };

/// Every live lease.
#[derive(Clone, Debug)]
pub(super) struct Leases {
    ring: Vec<Option<(Token, Lease)>>,
    older: BTreeMap<Token, Lease>,
    /// The deadlines of the older ones.
    deadlines: BTreeSet<(Instant, Token)>,
    len: usize,
    /// No lease runs out before this, so that before it nobody has to look.
    none_before: Instant,
}

impl Default for Leases {
    fn default() -> Leases {
        Leases {
            ring: vec![None; RING],
            older: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            len: 0,
            none_before: Instant::NEVER,
        }
    }
}

fn place(token: Token) -> usize {
    token.0 as usize % RING
}

impl Leases {
    /// Adds a lease under a token that was never used before.
    pub(super) fn grant(&mut self, token: Token, lease: Lease) {
        self.len += 1;
        self.none_before = self.none_before.min(lease.deadline);
        if let Some((token, lease)) = self.ring[place(token)].replace((token, lease)) {
            self.deadlines.insert((lease.deadline, token));
            self.older.insert(token, lease);
        }
    }

    /// Moves a live lease on to a full span from `now`, unless it ends as planned, and returns its deadline.
    pub(super) fn renew(&mut self, token: Token, now: Instant) -> Option<Instant> {
        let lease = self.find(token)?;
        let renewal = lease.renewal.filter(|_| !strikes(Flaw::RenewalIsIgnored));
        let moved = renewal.map_or(lease.deadline, |span| now + span);
        let before = std::mem::replace(&mut lease.deadline, moved);
        let deadline = lease.deadline;
        if self.deadlines.remove(&(before, token)) {
            self.deadlines.insert((deadline, token));
        }
        Some(deadline)
    }

    /// Takes a live lease out.
    pub(super) fn take(&mut self, token: Token) -> Option<Lease> {
        let in_ring = self.ring[place(token)].take_if(|(held, _)| *held == token);
        let lease = match in_ring {
            Some((_, lease)) => lease,
            None => {
                let lease = self.older.remove(&token)?;
                self.deadlines.remove(&(lease.deadline, token));
                lease
            }
        };
        self.len -= 1;
        Some(lease)
    }

    /// Takes out the lease that ran out first of those that have by `now`; of one moment's, the oldest token.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<(Token, Lease)> {
        if now < self.none_before {
            return None;
        }
        let next = self.next();
        self.none_before = next.map_or(Instant::NEVER, |(deadline, _)| deadline);
        let (_, token) = next.filter(|(deadline, _)| *deadline <= now)?;
        self.take(token).map(|lease| (token, lease))
    }

    /// Notes what ended the delivery of a live lease.
    pub(super) fn note(&mut self, token: Token, cause: Reason) {
        if let Some(lease) = self.find(token) {
            lease.cause = Some(cause);
        }
    }

    /// The earliest deadline.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.next().map(|(deadline, _)| deadline)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Every live lease, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Token, &Lease)> {
        let recent = self.ring.iter().flatten().map(|(token, lease)| (*token, lease));
        recent.chain(self.older.iter().map(|(token, lease)| (*token, lease)))
    }

    /// True when each lease is where it is looked for and none runs out unseen.
    pub(super) fn is_sound(&self) -> bool {
        let placed = |(at, held): (usize, &Option<(Token, Lease)>)| {
            held.as_ref().is_none_or(|(token, _)| place(*token) == at && !self.older.contains_key(token))
        };
        self.ring.iter().enumerate().all(placed)
            && self.older.len() == self.deadlines.len()
            && self.older.iter().all(|(token, lease)| self.deadlines.contains(&(lease.deadline, *token)))
            && self.iter().count() == self.len
            && self.iter().all(|(_, lease)| self.none_before <= lease.deadline)
    }

    fn find(&mut self, token: Token) -> Option<&mut Lease> {
        match &mut self.ring[place(token)] {
            Some((held, lease)) if *held == token => Some(lease),
            _ => self.older.get_mut(&token),
        }
    }

    /// The earliest deadline and its token, the oldest of several.
    fn next(&self) -> Option<(Instant, Token)> {
        let recent = self.ring.iter().flatten().map(|(token, lease)| (lease.deadline, *token));
        recent.chain(self.deadlines.first().copied()).min()
    }
}
