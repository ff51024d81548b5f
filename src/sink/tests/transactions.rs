//! What stands after a transaction, and what its host was told.

use rusqlite::Connection;

use super::desk::{Notes, delivery, effects, number, second, store, walk};
use crate::ids::{Row, Worker};
use crate::policy::{Dedup, Point};
use crate::request::{Fact, Sink, Transacted, Transaction};

const TTL: Dedup = Dedup::Ttl(Dedup::DEFAULT_TTL);

/// Kills the first worker after `point`, lets a second do the job again, and counts the effects.
fn effects_when_killed_after(dedup: Dedup, point: Point) -> i64 {
    let store = store();
    let lived = walk(&store, delivery(7, 1, dedup), Some(point)).expect("the sink works");
    assert!(!lived, "{dedup} reaches {point}");
    walk(&store, delivery(7, 2, dedup), None).expect("the sink works");
    effects(&store)
}

#[test]
fn a_kill_in_each_gap_of_each_policy_leaves_what_the_grid_says() {
    use Point::{Check, Commit, Effect, Key};
    for (dedup, point, left) in [
        (Dedup::None, Effect, 2),
        (Dedup::EffectThenKey, Check, 1),
        (Dedup::EffectThenKey, Effect, 2),
        (Dedup::EffectThenKey, Key, 1),
        (Dedup::KeyThenEffect, Check, 1),
        (Dedup::KeyThenEffect, Key, 0),
        (Dedup::KeyThenEffect, Effect, 1),
        (Dedup::Transactional, Check, 1),
        (Dedup::Transactional, Effect, 1),
        (Dedup::Transactional, Key, 1),
        (Dedup::Transactional, Commit, 1),
        (Dedup::Window(5), Effect, 1),
        (Dedup::Window(5), Commit, 1),
        (TTL, Key, 1),
        (TTL, Commit, 1),
        (Dedup::PerWorker, Effect, 1),
        (Dedup::PerWorker, Commit, 2),
    ] {
        assert_eq!(effects_when_killed_after(dedup, point), left, "{dedup} killed after {point}");
    }
}

#[test]
fn the_host_hears_of_the_row_and_the_key_in_order_and_once() {
    let store = store();
    let mut session = store.session().expect("a session");
    let mut notes = Notes::default();
    let came = session.transact(&delivery(4, 1, Dedup::Transactional).bracket(), &mut notes);
    assert_eq!(came, Ok(Transacted::Applied));
    assert_eq!(notes.facts, [Fact::Effect(Row(1)), Fact::Key]);
}

#[test]
fn a_known_key_is_recognised_and_writes_nothing() {
    let store = store();
    let mut session = store.session().expect("a session");
    let bracket = delivery(4, 1, Dedup::Transactional).bracket();
    session.transact(&bracket, &mut Notes::default()).expect("applied");
    let mut notes = Notes::default();
    assert_eq!(session.transact(&bracket, &mut notes), Ok(Transacted::Recognised));
    assert_eq!(notes.facts, [Fact::Recognised]);
    assert_eq!(effects(&store), 1);
}

#[test]
fn a_worker_that_dies_in_a_bracket_leaves_no_row_no_key_and_no_lock() {
    let store = store();
    let mut session = store.session().expect("a session");
    for point in [Point::Check, Point::Effect, Point::Key] {
        let mut bracket = delivery(4, 1, Dedup::Transactional).bracket();
        bracket.dies_after = Some(point);
        let mut notes = Notes::default();
        assert_eq!(session.transact(&bracket, &mut notes), Ok(Transacted::Died));
        assert_eq!(notes.facts, [], "nothing was about to be committed");
        assert_eq!(number(store.path(), "SELECT (SELECT count(*) FROM effects) + (SELECT count(*) FROM keys)"), 0);
        let outsider = Connection::open(store.path()).expect("opens");
        outsider.execute_batch("BEGIN IMMEDIATE; ROLLBACK").expect("the write lock is free");
    }
}

#[test]
fn a_worker_may_die_or_fail_behind_a_check_that_found_the_key_and_then_nothing_is_told() {
    let store = store();
    let mut session = store.session().expect("a session");
    let known = delivery(4, 1, Dedup::Transactional).bracket();
    session.transact(&known, &mut Notes::default()).expect("applied");
    let dies = Transaction { dies_after: Some(Point::Check), ..known.clone() };
    let fails = Transaction { fails_after: Some(Point::Check), ..known.clone() };
    for (transaction, came) in [(dies, Transacted::Died), (fails, Transacted::Failed)] {
        let mut notes = Notes::default();
        assert_eq!(session.transact(&transaction, &mut notes), Ok(came));
        assert_eq!(notes.facts, []);
    }
}

#[test]
fn a_fault_behind_a_statement_that_is_not_reached_does_not_strike() {
    let store = store();
    let mut session = store.session().expect("a session");
    let known = delivery(4, 1, Dedup::Transactional).bracket();
    session.transact(&known, &mut Notes::default()).expect("applied");
    let dies = Transaction { dies_after: Some(Point::Effect), ..known };
    assert_eq!(session.transact(&dies, &mut Notes::default()), Ok(Transacted::Recognised));
}

#[test]
fn a_delivery_that_fails_in_a_bracket_is_rolled_back_and_its_worker_goes_on() {
    let store = store();
    let mut session = store.session().expect("a session");
    for point in [Point::Check, Point::Effect, Point::Key] {
        let bracket = delivery(4, 1, Dedup::Transactional).bracket();
        let fails = Transaction { fails_after: Some(point), ..bracket };
        assert_eq!(session.transact(&fails, &mut Notes::default()), Ok(Transacted::Failed));
        assert_eq!(number(store.path(), "SELECT (SELECT count(*) FROM effects) + (SELECT count(*) FROM keys)"), 0);
    }
    let again = session.transact(&delivery(4, 2, Dedup::Transactional).bracket(), &mut Notes::default());
    assert_eq!(again, Ok(Transacted::Applied));
}

#[test]
fn a_row_says_who_applied_what_when_and_under_which_receipt() {
    let store = store();
    let mut session = store.session().expect("a session");
    let bracket = Transaction { worker: Worker(3), attempt: 2, ..delivery(4, 46, Dedup::None).bracket() };
    session.transact(&bracket, &mut Notes::at(second(5))).expect("applied");
    let row = "SELECT count(*) FROM effects WHERE row = 1 AND run = 1 AND job = 4 AND attempt = 2 AND worker = 3
        AND token = 46 AND at = 5000000000";
    assert_eq!(number(store.path(), row), 1);
}
