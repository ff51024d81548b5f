//! The ways to recognise a duplicate: keys that are kept for good, and the bounded memory that window and ttl share.
//!
//! The memory numbers what it records without gaps, and forgets from its old end only. So the last n recorded are those
//! whose number is above the greatest less n, and times grow with the numbers. Recognising an id does not refresh it;
//! one that was forgotten and is recorded again is the newest.

use rusqlite::Connection;

use super::column;
use crate::policy::Memory;
use crate::request::Transaction;
use crate::sabotage::{Flaw, strikes};

/// What is asked of the bounded memory. `+?1` and not `?1` where the newest or the oldest of a run is looked for: SQLite
/// would take a plain parameter for a hint to plan by, and compile the statement anew each time that it is bound.
pub(super) const IN_WINDOW: &str = "SELECT 1 FROM memory WHERE run = ?1 AND key = ?2
    AND ord > (SELECT max(ord) FROM memory WHERE run = +?1) - ?3";
pub(super) const SINCE: &str = "SELECT 1 FROM memory WHERE run = ?1 AND key = ?2 AND at > ?3";
pub(super) const REMEMBER: &str = "INSERT OR REPLACE INTO memory (run, ord, key, at)
    VALUES (?1, coalesce((SELECT max(ord) FROM memory WHERE run = +?1), 0) + 1, ?2, ?3)";
pub(super) const KEEP_WINDOW: &str =
    "DELETE FROM memory WHERE run = ?1 AND ord <= (SELECT max(ord) FROM memory WHERE run = +?1) - ?2";
/// What a flaw makes of it: only the first ones that were ever recorded stay.
const KEEP_FIRST: &str = "DELETE FROM memory WHERE run = ?1 AND ord > ?2";
pub(super) const KEEP_SINCE: &str = "DELETE FROM memory WHERE run = ?1
    AND ord < (SELECT ord FROM memory WHERE run = +?1 AND at > ?2 ORDER BY ord LIMIT 1)";

/// True when the key of `transaction` is known in `run` at the stored time `at`.
pub(super) fn known(connection: &Connection, run: i64, at: i64, transaction: &Transaction) -> rusqlite::Result<bool> {
    let key = transaction.dedup_key;
    match transaction.memory {
        Memory::None => Ok(false),
        Memory::Worker => Ok(transaction.remembered),
        Memory::Durable if strikes(Flaw::KeyNeverFound) => Ok(false),
        Memory::Durable => {
            connection.prepare_cached("SELECT 1 FROM keys WHERE run = ?1 AND key = ?2")?.exists((run, key))
        }
        Memory::Window(n) => connection.prepare_cached(IN_WINDOW)?.exists((run, key, held(n))),
        Memory::Ttl(d) => connection.prepare_cached(SINCE)?.exists((run, key, at.saturating_sub(column(d.0)))),
    }
}

/// Records the key of `transaction` for `run` at the stored time `at`, and forgets what the memory no longer holds.
pub(super) fn record(connection: &Connection, run: i64, at: i64, transaction: &Transaction) -> rusqlite::Result<()> {
    let key = transaction.dedup_key;
    match transaction.memory {
        Memory::None | Memory::Worker => Ok(()),
        Memory::Durable => {
            connection.prepare_cached("INSERT OR IGNORE INTO keys (run, key) VALUES (?1, ?2)")?.execute((run, key))?;
            Ok(())
        }
        Memory::Window(n) => {
            remember(connection, run, at, key)?;
            let keep = if strikes(Flaw::WindowForgetsTheNewest) { KEEP_FIRST } else { KEEP_WINDOW };
            connection.prepare_cached(keep)?.execute((run, held(n)))?;
            Ok(())
        }
        Memory::Ttl(d) => {
            remember(connection, run, at, key)?;
            connection.prepare_cached(KEEP_SINCE)?.execute((run, at.saturating_sub(column(d.0))))?;
            Ok(())
        }
    }
}

/// How many ids a window of `n` holds.
fn held(n: u32) -> u32 {
    match n {
        n if strikes(Flaw::WindowHoldsHalf) => n / 2,
        _ if strikes(Flaw::WindowForgetsNothing) => u32::MAX,
        n => n,
    }
}

fn remember(connection: &Connection, run: i64, at: i64, key: i64) -> rusqlite::Result<()> {
    connection.prepare_cached(REMEMBER)?.execute((run, key, at)).map(|_| ())
}
