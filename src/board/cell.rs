//! One job in 32 bytes: its place, its effects, and by whose promise each was made.

use super::jobs::{Fate, NO_HISTORY};
use crate::ids::Token;
use crate::policy::Promise;
use crate::request::JobState;

/// The flags of a job, as bits.
pub(super) mod flag {
    pub const LOST: u8 = 1;
    /// Its key, made of its id, is in the table that never forgets.
    pub const KEYED: u8 = 2;
    /// Its key was found by a delivery.
    pub const FOUND: u8 = 4;
    /// Something befell it that is worth telling.
    pub const ODD: u8 = 8;
}

/// What the board keeps of every job, for as long as the run lasts.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// The token of its latest delivery.
    pub token: Token,
    /// Effect rows.
    pub effects: u32,
    /// Deliveries so far.
    pub attempts: u32,
    /// Deliveries up to the last redrive.
    pub spent: u32,
    /// The number of its kept life.
    pub history: u32,
    /// Deliveries that have not ended, zombies too.
    pub working: u16,
    /// Where the queue holds it.
    pub place: JobState,
    flags: u8,
    /// The promise under which its latest effect was made.
    pub effect_by: Option<Promise>,
    /// The promise under which its key was written.
    pub key_by: Option<Promise>,
    /// The promise under which its ack was made.
    pub acked_by: Option<Promise>,
}

impl Cell {
    /// A job that has just arrived.
    pub const NEW: Cell = Cell {
        token: Token(0),
        effects: 0,
        attempts: 0,
        spent: 0,
        history: NO_HISTORY,
        working: 0,
        place: JobState::Waiting,
        flags: 0,
        effect_by: None,
        key_by: None,
        acked_by: None,
    };

    /// Whether a flag is set.
    pub fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Sets a flag, or takes it off.
    pub fn set(&mut self, flag: u8, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }

    /// What became of it so far.
    pub fn fate(&self) -> Fate {
        match (self.effects, self.place) {
            _ if self.is(flag::LOST) => Fate::Lost,
            (0, JobState::Dead) => Fate::Dead,
            (0, _) => Fate::Pending,
            (1, _) => Fate::Once,
            _ => Fate::Twice,
        }
    }

    /// An effect is in the ledger and the queue may still hand the job out, or somebody is still at it.
    pub fn exposed(&self) -> bool {
        self.effects > 0 && !matches!(self.place, JobState::Done | JobState::Dead)
    }

    /// Deliveries since the last redrive.
    pub fn used(&self) -> u32 {
        self.attempts - self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_jobs_take_32_megabytes() {
        assert!(size_of::<Cell>() <= 32, "a job takes {} bytes", size_of::<Cell>());
    }
}
