//! What is remembered of single jobs: the latest events of all, and the whole lives of those worth asking about.
//!
//! A life is kept from a job's first claim on, while the job is under way or dead. When it is settled the life is
//! dropped, unless something befell the job; of those the latest are kept. The memory is bounded throughout.

use std::collections::VecDeque;

use super::jobs::NO_HISTORY;
use crate::event::{Event, What};
use crate::ids::Job;

/// The latest events of the whole log that are kept.
const RECENT: usize = 20_000;
/// Lives of jobs that came to harm, or nearly so.
const ODD: usize = 10_000;
/// Lives of jobs that came back and were settled without harm.
const RETRIED: usize = 2_000;
/// Lives of jobs that are not settled. Jobs that are first claimed beyond it are not followed.
const OPEN: usize = 50_000;
/// Events in one life, beyond which the oldest are forgotten.
const LIFE: usize = 400;
/// Events in a life that was asked for.
const WHOLE_LIFE: usize = 100_000;

/// One event of a life, or several alike that came one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The place of the last one in the log.
    pub seq: u64,
    /// The last one.
    pub event: Event,
    /// How many there were.
    pub times: u32,
    /// How many keys the sink's bounded memory had taken in by then.
    pub taken: u64,
}

/// What happened to one job.
#[derive(Clone, Debug, Default)]
pub(super) struct Life {
    /// In order.
    pub entries: VecDeque<Entry>,
    /// True when what came first is missing.
    pub truncated: bool,
}

impl Life {
    fn push(&mut self, entry: Entry) {
        self.push_within(LIFE, entry);
    }

    /// Adds an event to a life that is kept as whole as can be.
    pub fn push_whole(&mut self, entry: Entry) {
        self.push_within(WHOLE_LIFE, entry);
    }

    fn push_within(&mut self, most: usize, entry: Entry) {
        if let Some(last) = self.entries.back_mut()
            && alike(&last.event.what, &entry.event.what)
        {
            *last = Entry { times: last.times.saturating_add(entry.times), ..entry };
            return;
        }
        if self.entries.len() == most {
            self.entries.pop_front();
            self.truncated = true;
        }
        self.entries.push_back(entry);
    }
}

/// Beats of one delivery that are told together.
fn alike(one: &What, other: &What) -> bool {
    match (one, other) {
        (What::Renewed { k: a, .. }, What::Renewed { k: b, .. })
        | (What::BeatLost { k: a, .. }, What::BeatLost { k: b, .. })
        | (What::RenewalStale { k: a, .. }, What::RenewalStale { k: b, .. }) => a == b,
        _ => false,
    }
}

/// The lives that are kept, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Lives {
    lives: Vec<Life>,
    free: Vec<u32>,
    open: usize,
    odd: VecDeque<Job>,
    retried: VecDeque<Job>,
}

impl Lives {
    /// Begins a life; `late` if something of it was missed. Gives its number, or [`NO_HISTORY`] if there is no room.
    pub fn begin(&mut self, late: bool) -> u32 {
        if self.open == OPEN {
            return NO_HISTORY;
        }
        self.open += 1;
        let number = self.free.pop().unwrap_or_else(|| {
            self.lives.push(Life::default());
            (self.lives.len() - 1) as u32
        });
        self.lives[number as usize].truncated = late;
        number
    }

    /// Adds an event to a life.
    pub fn add(&mut self, number: u32, entry: Entry) {
        if let Some(life) = self.lives.get_mut(number as usize) {
            life.push(entry);
        }
    }

    /// A life by its number.
    pub fn get(&self, number: u32) -> Option<&Life> {
        self.lives.get(number as usize)
    }

    /// The job of a life is settled without anything to tell.
    pub fn forget(&mut self, number: u32) {
        self.open -= 1;
        self.drop_life(number);
    }

    /// The job of a life is settled, with something to tell. Gives the job whose life makes room for it, if one does.
    #[must_use]
    pub fn keep(&mut self, job: Job, odd: bool) -> Option<Job> {
        self.open -= 1;
        let (kept, most) = if odd { (&mut self.odd, ODD) } else { (&mut self.retried, RETRIED) };
        kept.push_back(job);
        if kept.len() > most { kept.pop_front() } else { None }
    }

    /// Forgets a life that was kept.
    pub fn drop_life(&mut self, number: u32) {
        if let Some(life) = self.lives.get_mut(number as usize) {
            life.entries.clear();
            life.entries.shrink_to(64);
            self.free.push(number);
        }
    }
}

/// The latest events.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    events: VecDeque<(u64, Event)>,
}

impl Recent {
    /// Takes in an event.
    pub fn push(&mut self, seq: u64, event: &Event) {
        if self.events.len() == RECENT {
            self.events.pop_front();
        }
        self.events.push_back((seq, event.clone()));
    }

    /// The latest events, oldest first.
    pub fn events(&self) -> &VecDeque<(u64, Event)> {
        &self.events
    }

    /// What the latest events still tell of one job.
    pub fn life_of(&self, job: Job) -> Option<Life> {
        let mut life = Life::default();
        let mut tokens = Vec::new();
        for (seq, event) in &self.events {
            if let What::Claimed { j, k, .. } = &event.what
                && *j == job
            {
                tokens.push(*k);
            }
            let about = event.what.job() == Some(job)
                || event.what.job().is_none() && event.what.token().is_some_and(|token| tokens.contains(&token));
            if about {
                life.push(Entry { seq: *seq, event: event.clone(), times: 1, taken: 0 });
            }
        }
        let first = life.entries.front()?;
        life.truncated = !matches!(first.event.what, What::Enqueued { .. });
        Some(life)
    }
}
