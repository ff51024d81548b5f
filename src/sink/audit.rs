//! The second witness: it counts with SQL alone, over a connection of its own, and never trusts an event.
//!
//! While a run goes on it reads the rows that are new since its last look, a batch at a time, so that no read stays
//! open and the write-ahead log can be emptied. At the end it writes the queue's final job states beside the effects,
//! in the same file, so that anybody with `sqlite3` can count the same.

use std::sync::Arc;

use rusqlite::Connection;

use super::lock::Patience;
use super::{Home, place, schema};
use crate::ids::Row;
use crate::request::{Auditor, FinalCounts, FinalJob, RowCounts, SinkError};

/// Rows that one read looks at.
const BATCH: usize = 10_000;

/// The second witness of one run.
pub(super) struct FileAuditor {
    home: Arc<Home>,
    /// Only reads. In memory there is none of its own.
    connection: Option<Connection>,
    tally: Tally,
}

/// What was counted so far.
#[derive(Default)]
struct Tally {
    counts: RowCounts,
    applied: JobSet,
}

impl Tally {
    /// Counts one batch of rows; returns how many there were.
    fn count_batch(&mut self, connection: &Connection, run: i64) -> rusqlite::Result<usize> {
        let sql = "SELECT row, job FROM effects WHERE row > ?1 AND run = ?2 ORDER BY row LIMIT ?3";
        let mut statement = connection.prepare_cached(sql)?;
        let limit = i64::try_from(BATCH).expect("a small number");
        let mut rows = statement.query((self.counts.row.0, run, limit))?;
        let mut read = 0;
        while let Some(row) = rows.next()? {
            read += 1;
            self.counts.row = Row(row.get(0)?);
            self.counts.rows += 1;
            self.counts.jobs += u64::from(self.applied.insert(row.get(1)?));
        }
        Ok(read)
    }
}

impl FileAuditor {
    /// A witness that has seen nothing yet.
    pub(super) fn open(home: Arc<Home>) -> Result<FileAuditor, SinkError> {
        let connection = match home.shared {
            Some(_) => None,
            None => Some(place::connect_to_read(&home.path).map_err(|error| home.failed("connecting to", &error))?),
        };
        Ok(FileAuditor { home, connection, tally: Tally::default() })
    }

    fn count_batch(&mut self) -> rusqlite::Result<usize> {
        let run = self.home.ledger.run;
        match &self.connection {
            Some(own) => self.tally.count_batch(own, run),
            None => self.home.on_the_shared(|shared| self.tally.count_batch(shared, run)),
        }
    }

    fn store_and_count(&self, jobs: &mut dyn Iterator<Item = FinalJob>) -> rusqlite::Result<FinalCounts> {
        if self.home.shared.is_some() {
            return self.home.on_the_shared(|shared| self.store_and_count_on(shared, jobs));
        }
        let connect = || place::connect(&self.home.path, self.home.synchronous);
        self.store_and_count_on(&Patience::at_end().retry(connect)?, jobs)
    }

    fn store_and_count_on(
        &self,
        writer: &Connection,
        jobs: &mut dyn Iterator<Item = FinalJob>,
    ) -> rusqlite::Result<FinalCounts> {
        let patience = Patience::at_end();
        let run = self.home.ledger.run;
        writer.pragma_update(None, "temp_store", "MEMORY")?;
        patience.retry(|| writer.execute_batch("BEGIN IMMEDIATE"))?;
        store(writer, run, jobs)?;
        patience.retry(|| writer.execute_batch("COMMIT"))?;
        count_all(writer, run)
    }
}

impl Auditor for FileAuditor {
    fn count(&mut self) -> Result<RowCounts, SinkError> {
        let patience = Patience::at_end();
        loop {
            match patience.retry(|| self.count_batch()) {
                Ok(BATCH) => {}
                Ok(_) => return Ok(self.tally.counts),
                Err(error) => return Err(self.home.failed("counting in", &error)),
            }
        }
    }

    fn close(&mut self, jobs: &mut dyn Iterator<Item = FinalJob>) -> Result<FinalCounts, SinkError> {
        self.store_and_count(jobs).map_err(|error| self.home.failed("closing the run in", &error))
    }
}

fn store(writer: &Connection, run: i64, jobs: &mut dyn Iterator<Item = FinalJob>) -> rusqlite::Result<()> {
    writer.execute("DELETE FROM jobs WHERE run = ?1", [run])?;
    let mut insert =
        writer.prepare("INSERT INTO jobs (run, job, state, attempts, reason) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for job in jobs {
        insert.execute((run, job.job.0, job.state.name(), job.attempts, job.reason))?;
    }
    schema::close_run(writer, run)
}

/// Counts everything in one read, so that all figures are of one moment.
fn count_all(connection: &Connection, run: i64) -> rusqlite::Result<FinalCounts> {
    connection.execute_batch(
        "DROP TABLE IF EXISTS temp.applied;
         CREATE TEMP TABLE applied (job INTEGER PRIMARY KEY, effects INTEGER NOT NULL) STRICT;",
    )?;
    connection.execute(
        "INSERT INTO temp.applied SELECT job, count(*) FROM main.effects WHERE run = ?1 GROUP BY job",
        [run],
    )?;
    let mut counts = connection.query_row(
        "SELECT coalesce(sum(effects), 0), count(*), count(*) FILTER (WHERE effects = 1),
           count(*) FILTER (WHERE effects > 1) FROM temp.applied",
        [],
        |row| {
            Ok(FinalCounts {
                rows: count(row, 0)?,
                applied: count(row, 1)?,
                once: count(row, 2)?,
                duplicated: count(row, 3)?,
                ..FinalCounts::default()
            })
        },
    )?;
    connection.query_row(
        "SELECT count(*), count(*) FILTER (WHERE effects IS NULL AND state IN ('done', 'unprotected')),
           count(*) FILTER (WHERE state = 'dead'), count(*) FILTER (WHERE state = 'dead' AND effects IS NOT NULL),
           count(*) FILTER (WHERE effects IS NULL AND state NOT IN ('done', 'unprotected', 'dead'))
         FROM main.jobs LEFT JOIN temp.applied USING (job) WHERE run = ?1",
        [run],
        |row| {
            counts.enqueued = count(row, 0)?;
            counts.lost = count(row, 1)?;
            counts.dead = count(row, 2)?;
            counts.dead_applied = count(row, 3)?;
            counts.pending = count(row, 4)?;
            Ok(counts)
        },
    )
}

fn count(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

/// A set of job ids, one bit each.
#[derive(Default)]
struct JobSet {
    words: Vec<u64>,
}

impl JobSet {
    /// Adds `job`; true when it was not there.
    fn insert(&mut self, job: u32) -> bool {
        let (word, bit) = (job as usize / 64, 1 << (job % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }
}
