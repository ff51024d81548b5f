//! The sink: the only SQL of the house. Effects are rows of a SQLite file, and duplicates are rows too.
//!
//! In reading order: [`schema`] has the tables and tells our files from others; `place` decides whether a path can be
//! used, and opens it; `session` is one worker's connection and performs its transactions, whose statements are in
//! `apply` and, where keys are concerned, in `recognise`; `gate` stands in front of the write lock and `lock` waits
//! for other programs; `audit` is the second witness, which counts with SQL alone; [`bare`] is the plain loop that the
//! rest is measured against.
//!
//! The sink knows transactions and hosts ([`crate::request`]), never queues, workers, events or boards.

mod apply;
mod audit;
pub mod bare;
mod gate;
mod lock;
mod place;
mod recognise;
pub mod schema;
mod session;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tempfile::TempDir;

use crate::request::{Auditor, Session, Sink, SinkError};
use crate::setup::Synchronous;
use crate::time::Instant;

pub use place::OpenError;

use gate::{Gate, Manner};
use lock::Patience;

/// Where a run's effects go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To this file: a new one, an empty one, or a database of ours, which gets one more run.
    File(PathBuf),
    /// To a file in a fresh temporary folder, which is removed with the last user of the store.
    Temporary,
    /// To one connection in memory, which everybody shares: for virtual time, where nobody ever waits for another.
    Memory,
}

/// Opens `target` and begins a new run in it.
///
/// Another program's lock is waited for up to five seconds. A path that cannot be used is left exactly as it was.
pub fn open(target: Target, synchronous: Synchronous) -> Result<Store, OpenError> {
    open_with(target, synchronous, Manner::CHOSEN, &Patience::at_start())
}

fn open_with(
    target: Target,
    synchronous: Synchronous,
    manner: Manner,
    patience: &Patience,
) -> Result<Store, OpenError> {
    let (path, folder) = match target {
        Target::File(path) => (path, None),
        Target::Temporary => {
            let folder = TempDir::with_prefix("onceish-").map_err(OpenError::NoTemporary)?;
            (folder.path().join("sink.db"), Some(folder))
        }
        Target::Memory => return in_memory(synchronous, manner),
    };
    let opened = place::open(&path, synchronous, patience)?;
    let home = Home {
        path: opened.path,
        synchronous,
        ledger: opened.ledger,
        gate: Gate::new(manner),
        shared: None,
        _folder: folder,
    };
    Ok(Store { anchor: Some(Mutex::new(opened.connection)), created: opened.created, home: Arc::new(home) })
}

fn in_memory(synchronous: Synchronous, manner: Manner) -> Result<Store, OpenError> {
    let path = PathBuf::from(":memory:");
    let (connection, ledger) = place::in_memory().map_err(|error| place::explain(&path, &error))?;
    let shared = Some(Mutex::new(Some(connection)));
    let home = Home { path, synchronous, ledger, gate: Gate::new(manner), shared, _folder: None };
    Ok(Store { anchor: None, created: true, home: Arc::new(home) })
}

impl From<OpenError> for SinkError {
    fn from(error: OpenError) -> SinkError {
        SinkError(error.to_string())
    }
}

/// An open database and the run that was begun in it.
pub struct Store {
    /// Stays open, so that the write-ahead log outlives the death of the only worker. Dropped before `home`. There is
    /// none in memory.
    anchor: Option<Mutex<Connection>>,
    created: bool,
    home: Arc<Home>,
}

/// What every connection of one run shares.
struct Home {
    path: PathBuf,
    synchronous: Synchronous,
    ledger: Ledger,
    gate: Gate,
    /// The one connection in memory, while nobody has it in hand.
    shared: Option<Mutex<Option<Connection>>>,
    _folder: Option<TempDir>,
}

/// The run that rows are written for, and the moment its times count from.
#[derive(Clone, Copy, Debug)]
struct Ledger {
    run: i64,
    epoch: Instant,
}

impl Ledger {
    /// `now` of this run as the file stores it: nanoseconds on the file's own line of time.
    fn stamp(&self, now: Instant) -> i64 {
        column(self.epoch.0.saturating_add(now.0))
    }
}

/// `number` as SQLite's integers hold it; what is too large for them becomes their greatest.
fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Store {
    /// The file, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.home.path
    }

    /// The id of this run, which each of its rows bears.
    pub fn run(&self) -> i64 {
        self.home.ledger.run
    }

    /// True when the database was made just now, false when a run was appended to one.
    pub fn created(&self) -> bool {
        self.created
    }

    /// The greatest time the file held when this run was begun; 0 in a new one. This run's stored times are its own
    /// plus this.
    pub fn epoch(&self) -> Instant {
        self.home.ledger.epoch
    }

    /// Does something on the connection that stays open: the anchor of a file, the one in memory.
    fn on_the_anchor<T>(&self, act: impl FnOnce(&Connection) -> T) -> T {
        match &self.anchor {
            Some(anchor) => act(&anchor.lock().unwrap_or_else(PoisonError::into_inner)),
            None => self.home.on_the_shared(act),
        }
    }

    /// Notes the seed and the set-up (as JSON) of this run in the file, for whoever reads it later.
    pub fn describe(&self, seed: u64, setup: &str) -> Result<(), SinkError> {
        let sql = "UPDATE runs SET seed = ?2, setup = ?3 WHERE run = ?1";
        Patience::at_start()
            .retry(|| self.on_the_anchor(|anchor| anchor.execute(sql, (self.run(), column(seed), setup))))
            .map(|_| ())
            .map_err(|error| self.home.failed("noting the set-up in", &error))
    }
}

impl Home {
    /// Does something on the one connection in memory, which nobody has in hand.
    fn on_the_shared<T>(&self, act: impl FnOnce(&Connection) -> T) -> T {
        let shared = self.shared.as_ref().expect("only asked of a store in memory");
        let connection = shared.lock().unwrap_or_else(PoisonError::into_inner);
        act(connection.as_ref().expect("it was handed back"))
    }

    /// `error`, met while `doing` something to the database, in words.
    fn failed(&self, doing: &str, error: &rusqlite::Error) -> SinkError {
        SinkError(format!("{doing} {} failed: {}", self.path.display(), lock::reason(error)))
    }
}

impl Sink for Store {
    fn session(&self) -> Result<Box<dyn Session>, SinkError> {
        Ok(Box::new(session::FileSession::new(Arc::clone(&self.home))))
    }

    fn auditor(&self) -> Result<Box<dyn Auditor>, SinkError> {
        Ok(Box::new(audit::FileAuditor::open(Arc::clone(&self.home))?))
    }
}
