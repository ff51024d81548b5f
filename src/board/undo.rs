//! What the last transaction of a delivery recorded, so that a failed commit can be taken back.

use super::jobs::Applied;
use super::memory::Recorded;
use crate::policy::{Point, Promise};

/// An effect that may be taken back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UndoEffect {
    /// What it did to its job.
    pub applied: Applied,
    /// Its row in the ledger.
    pub row: crate::ids::Row,
    /// The place of its event in the log.
    pub seq: u64,
}

/// A key that may be taken back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UndoKey {
    /// It was the first of its job in the durable table.
    pub durable: bool,
    /// Its place in the bounded memory.
    pub bounded: Option<Recorded>,
    /// If it was the job's own key: whose key the job had before.
    pub before: Option<Option<Promise>>,
}

/// What a delivery's last transaction recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Undo {
    /// The last point that was passed before it.
    pub passed: Option<Point>,
    /// Its effect.
    pub effect: Option<UndoEffect>,
    /// Its key.
    pub key: Option<UndoKey>,
    /// It recognised a duplicate; whether another delivery had before.
    pub recognised: Option<bool>,
    /// It was fenced.
    pub fenced: bool,
    /// Values it overwrote as the older job.
    pub overtaken: u32,
    /// Values of it that were refused.
    pub outdated: u32,
}
