//! The bare loop: what one connection can do with the same statements and nothing around them. No gate, no host, no
//! queue. Everything else is measured against it, in the same process and in turn with it.

#![allow(clippy::disallowed_methods, reason = "a rate is measured by the wall clock")]

use std::borrow::Cow;
use std::time::Instant as Clock;

use rusqlite::Connection;

use super::apply::Applying;
use super::{Ledger, Target, place, session};
use crate::ids::{Job, OrderKey, Token, Worker};
use crate::policy::{AckOrder, Dedup, Program, Stage, Statement, Values};
use crate::request::{SinkError, Transaction};
use crate::setup::Synchronous;
use crate::time::Instant;

/// Applies `n` jobs one after the other as `dedup` does it, and returns how many it did in a second.
///
/// Opens `target` as [`super::open`] does and fails as it does.
pub fn bare_loop(target: Target, dedup: Dedup, synchronous: Synchronous, n: u32) -> Result<f64, SinkError> {
    let store = super::open(target, synchronous)?;
    let apply_all = |connection: &Connection| apply_all(connection, store.home.ledger, dedup, n);
    let rate = match &store.home.shared {
        Some(_) => store.home.on_the_shared(apply_all),
        None => place::connect(store.path(), synchronous).and_then(|connection| apply_all(&connection)),
    };
    rate.map_err(|error| store.home.failed("writing to", &error))
}

fn apply_all(connection: &Connection, ledger: Ledger, dedup: Dedup, n: u32) -> rusqlite::Result<f64> {
    let stages = transactions(dedup);
    let start = Clock::now();
    for job in 0..n {
        let at = Instant(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        for transaction in &stages {
            apply(connection, ledger, &of_job(transaction, job), at)?;
        }
    }
    Ok(f64::from(n) / start.elapsed().as_secs_f64())
}

/// The transactions of one job under `dedup`.
fn transactions(dedup: Dedup) -> Vec<Transaction> {
    let transaction = |statements: &'static [Statement]| Transaction {
        worker: Worker(1),
        job: Job(0),
        attempt: 1,
        token: Token(0),
        order_key: OrderKey(0),
        statements: Cow::Borrowed(statements),
        memory: dedup.memory(),
        dedup_key: 0,
        remembered: false,
        fence: false,
        values: Values::Off,
        dies_after: None,
        fails_after: None,
    };
    let program = Program::of(AckOrder::After, dedup);
    let stages = program.stages().iter();
    stages.filter_map(|stage| if let Stage::Transaction(s) = stage { Some(transaction(s)) } else { None }).collect()
}

fn of_job(transaction: &Transaction, job: u32) -> Transaction {
    Transaction { job: Job(job), token: Token(u64::from(job) + 1), dedup_key: i64::from(job), ..transaction.clone() }
}

fn apply(connection: &Connection, ledger: Ledger, transaction: &Transaction, now: Instant) -> rusqlite::Result<()> {
    if transaction.statements[..] == [Statement::Check] {
        return super::recognise::known(connection, ledger.run, ledger.stamp(now), transaction).map(|_| ());
    }
    let mut facts = Vec::new();
    session::run(connection, "BEGIN IMMEDIATE")?;
    Applying { connection, transaction, run: ledger.run, at: ledger.stamp(now), facts: &mut facts }.walk()?;
    session::run(connection, "COMMIT")
}
