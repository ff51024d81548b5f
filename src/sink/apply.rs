//! The statements of a transaction, in order, up to the place where it ends. Beginning, ending and telling the host are
//! the session's part.

use rusqlite::{Connection, OptionalExtension};

use super::{column, recognise, session};
use crate::ids::Row;
use crate::policy::{Statement, Values};
use crate::request::{Fact, Transaction};
use crate::sabotage::{Flaw, strikes};

/// Where the statements of a transaction led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// To the end; the facts are to be committed.
    Through,
    /// To a key that was found.
    Known,
    /// To a fence that shuts this token out.
    Fenced,
    /// To the death of the worker.
    Dies,
    /// To the failure of the delivery.
    Fails,
}

/// One transaction on its way.
pub(super) struct Applying<'a> {
    pub(super) connection: &'a Connection,
    pub(super) transaction: &'a Transaction,
    pub(super) run: i64,
    /// The stored time of everything it writes.
    pub(super) at: i64,
    /// What it is about to make true, in order.
    pub(super) facts: &'a mut Vec<Fact>,
}

impl Applying<'_> {
    /// Performs the statements up to the last, or to the first that ends them.
    pub(super) fn walk(&mut self) -> rusqlite::Result<Course> {
        let mut passed_fence = !self.transaction.fence;
        for statement in self.transaction.statements.iter().copied() {
            if statement != Statement::Check && !passed_fence {
                if !self.pass_fence()? {
                    return Ok(Course::Fenced);
                }
                passed_fence = true;
            }
            let known = self.perform(statement)?;
            let point = Some(statement.point());
            if self.transaction.dies_after == point {
                return Ok(Course::Dies);
            }
            if self.transaction.fails_after == point {
                return Ok(Course::Fails);
            }
            if known {
                return Ok(Course::Known);
            }
        }
        Ok(Course::Through)
    }

    /// True when the statement was a check that found the key.
    fn perform(&mut self, statement: Statement) -> rusqlite::Result<bool> {
        match statement {
            Statement::Check => return recognise::known(self.connection, self.run, self.at, self.transaction),
            Statement::Effect => self.effect()?,
            Statement::Key => {
                recognise::record(self.connection, self.run, self.at, self.transaction)?;
                self.facts.push(Fact::Key);
            }
        }
        Ok(false)
    }

    /// Notes our token as the job's highest; false when a higher one was there.
    fn pass_fence(&self) -> rusqlite::Result<bool> {
        let stored = self
            .connection
            .prepare_cached(
                "INSERT INTO fences (run, job, token) VALUES (?1, ?2, ?3)
                 ON CONFLICT (run, job) DO UPDATE SET token = excluded.token WHERE excluded.token >= token",
            )?
            .execute((self.run, self.transaction.job.0, column(self.transaction.token.0)))?;
        Ok(stored == 1)
    }

    fn effect(&mut self) -> rusqlite::Result<()> {
        let t = self.transaction;
        self.connection
            .prepare_cached(
                "INSERT INTO effects (run, job, attempt, worker, token, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute((self.run, t.job.0, t.attempt, t.worker.0, column(t.token.0), self.at))?;
        self.facts.push(Fact::Effect(Row(self.connection.last_insert_rowid())));
        if strikes(Flaw::BracketIsTwoWrites) && t.statements.len() > 1 {
            session::run(self.connection, "COMMIT")?;
            session::run(self.connection, "BEGIN IMMEDIATE")?;
        }
        if t.values == Values::Off { Ok(()) } else { self.value() }
    }

    /// Writes the value of the order key, or refuses to. An older job is one with a lower id.
    fn value(&mut self) -> rusqlite::Result<()> {
        let t = self.transaction;
        let last: Option<u32> = self
            .connection
            .prepare_cached("SELECT job FROM key_values WHERE run = ?1 AND order_key = ?2")?
            .query_row((self.run, t.order_key.0), |row| row.get(0))
            .optional()?;
        let older = last.is_some_and(|last| last > t.job.0);
        if older && t.values == Values::Versioned {
            self.facts.push(Fact::Outdated(t.order_key));
            return Ok(());
        }
        if older {
            self.facts.push(Fact::Overtaken(t.order_key));
        }
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO key_values (run, order_key, job, token) VALUES (?1, ?2, ?3, ?4)")?
            .execute((self.run, t.order_key.0, t.job.0, column(t.token.0)))?;
        Ok(())
    }
}
