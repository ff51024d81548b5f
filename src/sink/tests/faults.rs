//! What happens when SQLite itself fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::Connection;
use rusqlite::hooks::{AuthContext, Authorization};

use super::desk::{Notes, delivery, effects, number, store};
use crate::policy::Dedup;
use crate::request::{Fact, Session, Transacted};
use crate::sink::Store;
use crate::sink::lock::Caller;
use crate::sink::session::FileSession;

fn session(store: &Store) -> FileSession {
    let mut session = FileSession::new(Arc::clone(&store.home));
    session.connect(&mut Caller::new(&mut Notes::default())).expect("connects");
    session
}

fn connection(session: &mut FileSession) -> &mut Connection {
    session.connection.as_mut().expect("connected")
}

/// The effects that the host believes in after one transaction.
fn believed(notes: &Notes) -> usize {
    let told = notes.facts.iter().filter(|fact| matches!(fact, Fact::Effect(_))).count();
    if notes.undone > 0 { 0 } else { told }
}

#[test]
fn a_commit_that_sqlite_turns_into_a_rollback_is_taken_back() {
    let store = store();
    let mut session = session(&store);
    connection(&mut session).commit_hook(Some(|| true)).expect("a hook");
    let mut notes = Notes::default();
    let error = session.transact(&delivery(1, 1, Dedup::Transactional).bracket(), &mut notes).expect_err("fails");
    assert!(error.0.starts_with("committing to ") && !error.0.contains("cannot rollback"), "{error}");
    assert_eq!((notes.facts.len(), notes.undone, effects(&store)), (2, 1, 0));
}

#[test]
fn a_commit_that_leaves_its_transaction_open_is_rolled_back_and_taken_back() {
    let store = store();
    let mut session = session(&store);
    let other = Connection::open(store.path()).expect("opens");
    other
        .execute_batch(
            "CREATE TABLE ghosts (run REFERENCES runs (run) DEFERRABLE INITIALLY DEFERRED);
             CREATE TRIGGER haunt AFTER INSERT ON effects BEGIN INSERT INTO ghosts VALUES (-1); END;",
        )
        .expect("a constraint that only the commit meets");
    let mut notes = Notes::default();
    let error = session.transact(&delivery(1, 1, Dedup::Transactional).bracket(), &mut notes).expect_err("fails");
    assert!(error.0.contains("FOREIGN KEY constraint failed"), "{error}");
    assert_eq!((notes.undone, effects(&store)), (1, 0));
    other.execute_batch("DROP TRIGGER haunt").expect("the write lock is free");
    let again = session.transact(&delivery(1, 1, Dedup::Transactional).bracket(), &mut Notes::default());
    assert_eq!(again, Ok(Transacted::Applied));
}

#[test]
fn a_full_disk_ends_with_the_reason_and_without_a_row_that_was_only_told() {
    let store = store();
    let mut session = session(&store);
    let pages = number(store.path(), "PRAGMA page_count");
    connection(&mut session).pragma_update(None, "max_page_count", pages).expect("a limit");
    let (mut rows, mut job) = (0, 0);
    let error = loop {
        let mut notes = Notes::default();
        match session.transact(&delivery(job, 1, Dedup::Transactional).bracket(), &mut notes) {
            Ok(_) => rows += 1,
            Err(error) => {
                assert_eq!(believed(&notes), 0);
                break error;
            }
        }
        job += 1;
    };
    assert!(error.0.contains("database or disk is full"), "{error}");
    assert!(error.0.contains(&store.path().display().to_string()), "{error}");
    assert_eq!(effects(&store), rows);
}

/// Has SQLite refuse the `n`-th thing it is asked for; the counter falls to zero when it does.
fn refuse_nth(connection: &mut Connection, n: u32) -> Arc<AtomicI64> {
    let left = Arc::new(AtomicI64::new(i64::from(n)));
    let counter = Arc::clone(&left);
    let judge = move |_: AuthContext<'_>| match counter.fetch_sub(1, Ordering::SeqCst) {
        1 => Authorization::Deny,
        _ => Authorization::Allow,
    };
    connection.authorizer(Some(judge)).expect("an authorizer");
    left
}

#[test]
fn whichever_statement_sqlite_refuses_the_host_believes_what_the_file_holds() {
    for dedup in [Dedup::Transactional, Dedup::Window(3), Dedup::Ttl(Dedup::DEFAULT_TTL)] {
        let store = store();
        for n in 1_u32.. {
            let mut session = session(&store);
            let left = refuse_nth(connection(&mut session), n);
            let mut notes = Notes::default();
            let came = session.transact(&delivery(n, 1, dedup).bracket(), &mut notes);
            let rows = number(store.path(), &format!("SELECT count(*) FROM effects WHERE job = {n}"));
            assert_eq!(i64::try_from(believed(&notes)), Ok(rows), "{dedup}, refused at {n}");
            assert_eq!(came.is_ok(), rows == 1, "{dedup}, refused at {n}");
            if left.load(Ordering::SeqCst) > 0 {
                assert!(n > 5, "begin, check, effect, key and commit can be refused");
                break;
            }
        }
    }
}

#[test]
fn a_file_that_is_gone_is_told_when_it_is_next_opened() {
    let store = store();
    let mut session = session(&store);
    session.abandon();
    std::fs::remove_file(store.path()).expect("removes");
    let error = session.transact(&delivery(1, 1, Dedup::None).bracket(), &mut Notes::default()).expect_err("fails");
    assert!(error.0.contains("unable to open database file"), "{error}");
}
