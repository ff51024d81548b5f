//! One worker's connection, and how a transaction begins and ends on it.
//!
//! In a file each worker has a connection of its own, and a death drops it as it stands. In memory there is one, which
//! passes from hand to hand, and a death rolls it back.

use std::sync::{Arc, PoisonError};

use rusqlite::Connection;

use super::apply::{Applying, Course};
use super::lock::Caller;
use super::{Home, place, recognise};
use crate::policy::Statement;
use crate::request::{Fact, Host, Session, SinkError, Transacted, Transaction};

/// One worker's connection to the file.
pub(super) struct FileSession {
    home: Arc<Home>,
    /// Empty after the worker died, until it is next needed.
    pub(super) connection: Option<Connection>,
    /// What the transaction in hand is about to commit; kept for its space.
    facts: Vec<Fact>,
}

impl FileSession {
    /// A session that connects when it is first needed.
    pub(super) fn new(home: Arc<Home>) -> FileSession {
        FileSession { home, connection: None, facts: Vec::new() }
    }

    /// Connects unless it is; false when the host gave up waiting for another program.
    pub(super) fn connect(&mut self, caller: &mut Caller<'_>) -> Result<bool, SinkError> {
        if self.connection.is_some() {
            return Ok(true);
        }
        if let Some(shared) = &self.home.shared {
            self.connection = shared.lock().unwrap_or_else(PoisonError::into_inner).take();
            return Ok(self.connection.is_some());
        }
        let Home { path, synchronous, .. } = &*self.home;
        let connected = caller.persist(|_| (), || place::connect(path, *synchronous));
        self.connection = connected.map_err(|error| self.home.failed("connecting to", &error))?;
        Ok(self.connection.is_some())
    }

    /// Gives the one connection in memory back, with nothing open on it. One of a file's own stays.
    fn hand_back(&mut self) {
        if let Some(shared) = &self.home.shared {
            *shared.lock().unwrap_or_else(PoisonError::into_inner) = self.connection.take();
        }
    }

    /// The worker died with its transaction open: SQLite takes back what was not committed.
    fn drop_as_it_stands(&mut self) {
        if self.home.shared.is_some() {
            self.roll_back();
        } else {
            self.connection = None;
        }
    }

    /// The open connection.
    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("connected at the start of every transaction")
    }

    fn perform(&mut self, transaction: &Transaction, caller: &mut Caller<'_>) -> Result<Transacted, SinkError> {
        if transaction.statements[..] == [Statement::Check] {
            return self.look_up(transaction, caller);
        }
        let home = Arc::clone(&self.home);
        let Some(_pass) = home.gate.enter(caller) else {
            return Ok(Transacted::Interrupted);
        };
        self.write(transaction, caller)
    }

    /// A transaction that only asks for its key: a plain read, which needs neither gate nor write lock.
    fn look_up(&mut self, transaction: &Transaction, caller: &mut Caller<'_>) -> Result<Transacted, SinkError> {
        let ledger = self.home.ledger;
        let at = ledger.stamp(caller.host.now());
        let connection = self.connection();
        let known = caller.persist(|_| (), || recognise::known(connection, ledger.run, at, transaction));
        match known.map_err(|error| self.home.failed("reading from", &error))? {
            None => Ok(Transacted::Interrupted),
            Some(false) => Ok(Transacted::Applied),
            Some(true) => {
                caller.host.facts(&[Fact::Recognised]);
                Ok(Transacted::Recognised)
            }
        }
    }

    /// Performs a transaction that writes. The gate is ours.
    fn write(&mut self, transaction: &Transaction, caller: &mut Caller<'_>) -> Result<Transacted, SinkError> {
        if !self.begin(caller)? {
            return Ok(Transacted::Interrupted);
        }
        let ledger = self.home.ledger;
        let at = ledger.stamp(caller.host.now());
        let mut facts = std::mem::take(&mut self.facts);
        facts.clear();
        let connection = self.connection();
        let course = Applying { connection, transaction, run: ledger.run, at, facts: &mut facts }.walk();
        let came = self.end(course, &facts, caller.host);
        self.facts = facts;
        came
    }

    /// Takes the write lock; false when the host gave up waiting for another program.
    fn begin(&self, caller: &mut Caller<'_>) -> Result<bool, SinkError> {
        let connection = self.connection();
        let gate = &self.home.gate;
        let begun = caller.persist(|locked| gate.note_foreign_lock(locked), || run(connection, "BEGIN IMMEDIATE"));
        Ok(begun.map_err(|error| self.home.failed("writing to", &error))?.is_some())
    }

    /// Ends the transaction as its course demands, and tells the host what it is to record.
    fn end(
        &mut self,
        course: rusqlite::Result<Course>,
        facts: &[Fact],
        host: &mut dyn Host,
    ) -> Result<Transacted, SinkError> {
        match course {
            Ok(Course::Through) => return self.commit(facts, host),
            Ok(Course::Dies) => {
                self.drop_as_it_stands();
                return Ok(Transacted::Died);
            }
            Ok(Course::Known) => host.facts(&[Fact::Recognised]),
            Ok(Course::Fenced) => host.facts(&[Fact::Fenced]),
            Ok(Course::Fails) | Err(_) => {}
        }
        self.roll_back();
        match course {
            Ok(Course::Known) => Ok(Transacted::Recognised),
            Ok(Course::Fenced) => Ok(Transacted::Fenced),
            Ok(_) => Ok(Transacted::Failed),
            Err(error) => Err(self.home.failed("writing to", &error)),
        }
    }

    fn commit(&mut self, facts: &[Fact], host: &mut dyn Host) -> Result<Transacted, SinkError> {
        host.facts(facts);
        match run(self.connection(), "COMMIT") {
            Ok(()) => Ok(Transacted::Applied),
            Err(error) => {
                host.undone();
                self.roll_back();
                Err(self.home.failed("committing to", &error))
            }
        }
    }

    /// Rolls back, unless SQLite already has. A connection that cannot is dropped, which rolls back too.
    fn roll_back(&mut self) {
        let connection = self.connection();
        if !connection.is_autocommit() && run(connection, "ROLLBACK").is_err() {
            self.connection = None;
        }
    }
}

/// Runs a statement without parameters that is kept prepared.
pub(super) fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(|_| ())
}

impl Session for FileSession {
    fn transact(&mut self, transaction: &Transaction, host: &mut dyn Host) -> Result<Transacted, SinkError> {
        let alone = transaction.statements.len() == 1;
        debug_assert!(
            !alone || (transaction.dies_after.is_none() && transaction.fails_after.is_none()),
            "the point of a single statement lies after its commit, where the worker looks after it"
        );
        let mut caller = Caller::new(host);
        if !self.connect(&mut caller)? {
            return Ok(Transacted::Interrupted);
        }
        let came = self.perform(transaction, &mut caller);
        self.hand_back();
        came
    }

    fn abandon(&mut self) {
        self.connection = None;
    }
}
