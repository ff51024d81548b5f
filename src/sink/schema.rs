//! The tables, and how a file of ours is told from any other.
//!
//! The schema's own comments are kept in the file, so `.schema` in the `sqlite3` shell explains it. A file is ours when
//! its `application_id` says so, and of this version when its `user_version` does. Both are written in the first
//! transaction, before the file is switched to a write-ahead log, so the main file alone always tells.

use rusqlite::Connection;

/// The `application_id` of our files: the letters `once`.
pub const APPLICATION_ID: i32 = 0x6f6e_6365;
/// The `user_version` of our files: the version of the schema below.
pub const VERSION: i32 = 1;

/// The tables and views of a new file.
pub const SCHEMA: &str = "
CREATE TABLE runs ( -- one row a run; every other table bears its number
  run INTEGER PRIMARY KEY,
  started TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), -- wall clock, UTC
  epoch INTEGER NOT NULL, -- the stored times of this run count from here, in ns
  program TEXT NOT NULL, -- the version of onceish that wrote it
  seed INTEGER,
  setup TEXT, -- JSON
  closed TEXT, -- wall clock, UTC, when `jobs` was written; null when the run was cut short
  last INTEGER -- the greatest stored time of a closed run
) STRICT;

CREATE TABLE effects ( -- one row an effect; two rows of one job are a duplicate
  row INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,
  attempt INTEGER NOT NULL, -- from 1
  worker INTEGER NOT NULL, -- the worker's slot, from 1
  token INTEGER NOT NULL, -- the receipt of the delivery
  at INTEGER NOT NULL -- lab time in ns, later runs after earlier ones
) STRICT;

CREATE TABLE keys ( -- dedup keys that are kept for good
  run INTEGER NOT NULL,
  key INTEGER NOT NULL,
  PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory ( -- dedup keys that window and ttl still remember
  run INTEGER NOT NULL,
  ord INTEGER NOT NULL, -- the order in which they were recorded, without gaps
  key INTEGER NOT NULL,
  at INTEGER NOT NULL, -- when it was recorded, as in effects
  PRIMARY KEY (run, ord)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX memory_key ON memory (run, key);

CREATE TABLE fences ( -- the highest token that wrote for a job under a fence
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,
  token INTEGER NOT NULL,
  PRIMARY KEY (run, job)
) STRICT, WITHOUT ROWID;

CREATE TABLE key_values ( -- who wrote the value of an order key last
  run INTEGER NOT NULL,
  order_key INTEGER NOT NULL,
  job INTEGER NOT NULL,
  token INTEGER NOT NULL,
  PRIMARY KEY (run, order_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs ( -- where the queue held each job at the end of its run
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,
  state TEXT NOT NULL, -- waiting, leased, unprotected, done, dead
  attempts INTEGER NOT NULL,
  reason TEXT, -- why it is dead
  PRIMARY KEY (run, job)
) STRICT, WITHOUT ROWID;

CREATE VIEW fates AS -- what became of each job of the runs that were closed
  SELECT jobs.run, jobs.job, state, attempts, reason, coalesce(effects, 0) AS effects,
    CASE
      WHEN effects = 1 THEN 'once'
      WHEN effects > 1 THEN 'twice'
      WHEN state IN ('done', 'unprotected') THEN 'lost'
      WHEN state = 'dead' THEN 'dead'
      ELSE 'pending'
    END AS fate
  FROM jobs LEFT JOIN (SELECT run, job, count(*) AS effects FROM effects GROUP BY run, job) AS applied
    ON applied.run = jobs.run AND applied.job = jobs.job;

CREATE VIEW lost AS -- jobs that the queue forgot and that have no effect
  SELECT run, job, state, attempts FROM fates WHERE fate = 'lost';

CREATE VIEW duplicated AS -- jobs with more than one effect, also of runs that were cut short
  SELECT run, job, count(*) AS effects FROM effects GROUP BY run, job HAVING count(*) > 1;
";

/// Whose file this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A database without any table, which nobody has claimed.
    Blank,
    /// Ours, of this version.
    Ours,
    /// Ours, of a version that this program does not know.
    OtherVersion(i32),
    /// Another program's.
    Foreign,
}

/// Reads whose database `connection` has open.
pub fn identify(connection: &Connection) -> rusqlite::Result<Identity> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    Ok(match (pragma("application_id")?, pragma("user_version")?) {
        (APPLICATION_ID, VERSION) => Identity::Ours,
        (APPLICATION_ID, version) => Identity::OtherVersion(version),
        (0, 0) if is_blank(connection)? => Identity::Blank,
        _ => Identity::Foreign,
    })
}

fn is_blank(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// Makes a blank database ours. Belongs in a transaction.
pub fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(SCHEMA)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)
}

/// The greatest time that the file holds; 0 when there is none. Only runs that were cut short have to be searched.
pub fn greatest_time(connection: &Connection) -> rusqlite::Result<i64> {
    let (noted, open): (i64, bool) = connection.query_row(
        "SELECT coalesce(max(max(epoch, coalesce(last, 0))), 0), count(*) > count(last) FROM runs",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if !open {
        return Ok(noted);
    }
    let sql = "SELECT coalesce(max(at), 0) FROM effects WHERE run IN (SELECT run FROM runs WHERE last IS NULL)";
    let found: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(noted.max(found))
}

/// Notes that the final job states of `run` are written, and its greatest time.
pub fn close_run(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE runs SET closed = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
        last = coalesce((SELECT max(at) FROM effects WHERE effects.run = ?1), epoch) WHERE run = ?1";
    connection.execute(sql, [run]).map(|_| ())
}

/// Begins a run whose times count from `epoch`, and returns its number.
pub fn begin_run(connection: &Connection, epoch: i64) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO runs (epoch, program) VALUES (?1, ?2)";
    connection.execute(sql, (epoch, env!("CARGO_PKG_VERSION")))?;
    Ok(connection.last_insert_rowid())
}
