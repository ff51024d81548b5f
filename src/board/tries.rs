//! A job's life sorted into its attempts, with what a story asks about each of them.

use super::history::{Entry, Life};
use super::policies::Policies;
use crate::event::{By, End, Fault, What};
use crate::ids::{Token, Worker};
use crate::policy::{Policy, Program, Statement};
use crate::time::Instant;

/// One attempt.
#[derive(Clone, Debug)]
pub(super) struct Try<'a> {
    /// Who had it.
    pub worker: Worker,
    /// Its receipt.
    pub token: Token,
    /// Which attempt.
    pub attempt: u32,
    /// When it was handed out.
    pub claimed: Instant,
    /// The policy it kept.
    pub policy: &'a Policy,
    /// The program of that policy.
    pub program: Program,
    /// Its events, in order.
    pub entries: Vec<&'a Entry>,
}

/// An effect that stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Written {
    /// The place of its attempt.
    pub by: usize,
    /// The place of its event in the log.
    pub seq: u64,
    /// When it was written.
    pub at: Instant,
    /// Keys the bounded memory had taken in by then.
    pub taken: u64,
}

impl<'a> Try<'a> {
    /// Its events with what they say.
    pub fn whats(&self) -> impl DoubleEndedIterator<Item = (&'a Entry, &'a What)> + '_ {
        self.entries.iter().map(|entry| (*entry, &entry.event.what))
    }

    /// The first of its events that `pick` takes.
    pub fn find<T>(&self, pick: impl Fn(&'a Entry, &'a What) -> Option<T>) -> Option<T> {
        self.whats().find_map(|(entry, what)| pick(entry, what))
    }

    /// How it ended, and who ended it.
    pub fn end(&self) -> Option<(&'a End, Option<By>)> {
        self.find(|_, what| if let What::Ended { how, by, .. } = what { Some((how, *by)) } else { None })
    }

    /// When its lease ran out.
    pub fn expired(&self) -> Option<Instant> {
        self.find(|entry, what| matches!(what, What::Expired { .. }).then_some(entry.event.at))
    }

    /// True when the queue took its ack.
    pub fn acked(&self) -> bool {
        self.find(|_, what| matches!(what, What::Acked { .. }).then_some(())).is_some()
    }

    /// True when its ack was lost on the way.
    pub fn ack_lost(&self) -> bool {
        self.find(|_, what| matches!(what, What::AckLost { .. }).then_some(())).is_some()
    }

    /// True when it was given back as failed.
    pub fn nacked(&self) -> bool {
        self.find(|_, what| matches!(what, What::Nacked { .. }).then_some(())).is_some()
    }

    /// True when it found the key.
    pub fn recognised(&self) -> bool {
        self.find(|_, what| matches!(what, What::Recognised { .. }).then_some(())).is_some()
    }

    /// True when the sink refused its write.
    pub fn fenced(&self) -> bool {
        self.find(|_, what| matches!(what, What::Fenced { .. }).then_some(())).is_some()
    }

    /// True when it wrote an effect, whether or not the commit failed later.
    pub fn wrote(&self) -> bool {
        self.find(|_, what| matches!(what, What::Effect { .. }).then_some(())).is_some()
    }

    /// Its key, when it was written and how many keys the bounded memory had then taken in.
    pub fn key(&self) -> Option<&'a Entry> {
        self.find(|entry, what| matches!(what, What::Key { .. }).then_some(entry))
    }

    /// Accepted renewals.
    pub fn renewals(&self) -> u32 {
        self.whats().filter(|(_, what)| matches!(what, What::Renewed { .. })).map(|(entry, _)| entry.times).sum()
    }

    /// Renewals that were lost on the way.
    pub fn beats_lost(&self) -> bool {
        self.find(|_, what| matches!(what, What::BeatLost { .. }).then_some(())).is_some()
    }

    /// True when this fault held during it, before `until`.
    pub fn suffered(&self, fault: Fault, until: Instant) -> bool {
        self.find(|entry, what| match what {
            What::Fault { what, .. } if *what == fault && entry.event.at <= until => Some(()),
            _ => None,
        })
        .is_some()
    }

    /// True when check, effect and key share one transaction.
    pub fn in_bracket(&self) -> bool {
        use crate::policy::Stage;
        self.program.stages().iter().any(|stage| matches!(stage, Stage::Transaction(all) if all.len() > 1))
    }

    /// True when the key is part of the effect's transaction.
    pub fn commits_key(&self) -> bool {
        use crate::policy::Stage;
        let whole = |stage: &Stage| matches!(stage, Stage::Transaction(all) if all.contains(&Statement::Effect) && all.contains(&Statement::Key));
        self.program.stages().iter().any(whole)
    }
}

/// A life in order.
#[derive(Clone, Debug)]
pub(super) struct Tries<'a> {
    /// What came before the first attempt that is known.
    pub before: Vec<&'a Entry>,
    /// The attempts.
    pub all: Vec<Try<'a>>,
}

impl<'a> Tries<'a> {
    /// Sorts a life into attempts: by token where an event has one, else by worker, else to the latest.
    pub fn of(life: &'a Life, policies: &'a Policies) -> Tries<'a> {
        let mut tries = Tries { before: Vec::new(), all: Vec::new() };
        for entry in &life.entries {
            if let What::Claimed { w, n, k, .. } = entry.event.what {
                let policy = policies.at(entry.seq);
                tries.all.push(Try {
                    worker: w,
                    token: k,
                    attempt: n,
                    claimed: entry.event.at,
                    policy,
                    program: policy.program(),
                    entries: vec![entry],
                });
                continue;
            }
            match tries.home(&entry.event.what) {
                Some(index) => tries.all[index].entries.push(entry),
                None => tries.before.push(entry),
            }
        }
        tries
    }

    fn home(&self, what: &What) -> Option<usize> {
        if let Some(token) = what.token() {
            return self.all.iter().rposition(|t| t.token == token);
        }
        let by_worker = what.worker().and_then(|worker| self.all.iter().rposition(|t| t.worker == worker));
        by_worker.or(self.all.len().checked_sub(1))
    }

    /// The effects that stand, in the order of their rows.
    pub fn effects(&self) -> Vec<Written> {
        let mut written: Vec<Written> = Vec::new();
        for (by, one) in self.all.iter().enumerate() {
            let mut last = None;
            for (entry, what) in one.whats() {
                match what {
                    What::Effect { .. } => {
                        written.push(Written { by, seq: entry.seq, at: entry.event.at, taken: entry.taken });
                        last = Some(entry.seq);
                    }
                    What::Key { .. } if one.in_bracket() => {}
                    What::Undone { .. } => {
                        written.retain(|effect| Some(effect.seq) != last);
                        last = None;
                    }
                    What::Key { .. } | What::Stepped { .. } | What::ReplyLost { .. } => last = None,
                    _ => {}
                }
            }
        }
        written.sort_by_key(|effect| effect.seq);
        written
    }

    /// The attempt at `index`.
    pub fn get(&self, index: usize) -> &Try<'a> {
        &self.all[index]
    }
}
