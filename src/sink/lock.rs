//! Waiting for locks that other programs hold, and telling a lock from a real failure.
//!
//! SQLite's own busy handler sleeps in growing steps and cannot be interrupted, so the sink gives it one short slice at
//! a time and decides itself whether to go on.

#![allow(clippy::disallowed_methods, reason = "another program's lock is waited for in real time")]

use std::time::{Duration, Instant};

use rusqlite::ffi::SQLITE_READONLY_DIRECTORY;
use rusqlite::{Connection, Error, ErrorCode};

use crate::request::Host;

/// The longest time for which nobody looks up from a wait.
pub(super) const SLICE: Duration = Duration::from_millis(10);

/// Some locks are reported at once, without SQLite's own wait; this keeps those from being asked for without a pause.
const BREATH: Duration = Duration::from_millis(1);

/// True when `error` is another's lock, which passes.
pub(super) fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// The reason that SQLite and the system give, with SQLite's extended code.
pub(super) fn reason(error: &Error) -> String {
    match error {
        Error::SqliteFailure(code, _) if code.extended_code == SQLITE_READONLY_DIRECTORY => {
            "its folder is write-protected".to_owned()
        }
        Error::SqliteFailure(code, Some(text)) => format!("{text} (SQLite code {})", code.extended_code),
        other => other.to_string(),
    }
}

/// How long other programs' locks are waited for where no host can interrupt.
pub(super) struct Patience {
    until: Instant,
}

impl Patience {
    /// As long as `span`.
    pub(super) fn of(span: Duration) -> Patience {
        Patience { until: Instant::now() + span }
    }

    /// Five seconds: somebody waits at a prompt.
    pub(super) fn at_start() -> Patience {
        Patience::of(Duration::from_secs(5))
    }

    /// Half a minute: a whole run would be thrown away.
    pub(super) fn at_end() -> Patience {
        Patience::of(Duration::from_secs(30))
    }

    /// Tries until `attempt` meets no lock or the time is up, and returns the last answer.
    pub(super) fn retry<T>(&self, mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        loop {
            match attempt() {
                Err(error) if is_busy(&error) && Instant::now() < self.until => std::thread::sleep(SLICE),
                answer => return answer,
            }
        }
    }
}

/// Who waits, and whether it has been told that another program is the reason.
pub(super) struct Caller<'h> {
    pub(super) host: &'h mut dyn Host,
    told: bool,
}

impl<'h> Caller<'h> {
    /// A new request of `host`.
    pub(super) fn new(host: &'h mut dyn Host) -> Caller<'h> {
        Caller { host, told: false }
    }

    /// Tells the host, the first time, that another program holds the database.
    pub(super) fn locked_out(&mut self) {
        if !self.told {
            self.told = true;
            self.host.locked_out();
        }
    }

    /// Runs `attempt` until no foreign lock is in its way; `None` when the host gave up. `noted` hears whether there
    /// is one.
    pub(super) fn persist<T>(
        &mut self,
        noted: impl Fn(bool),
        mut attempt: impl FnMut() -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        let mut locked = false;
        let answer = loop {
            match attempt() {
                Err(error) if is_busy(&error) => {
                    locked = true;
                    noted(true);
                    self.locked_out();
                    if self.host.interrupted() {
                        break Ok(None);
                    }
                    std::thread::sleep(BREATH);
                }
                answer => break answer.map(Some),
            }
        };
        if locked {
            noted(false);
        }
        answer
    }
}

/// Has SQLite wait for one slice before it reports a lock.
pub(super) fn wait_in_slices(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(SLICE)
}
