//! What window and ttl remember, and for how long.

use rusqlite::{Connection, StatementStatus, params_from_iter};

use super::desk::{Notes, apply, delivery, number, second, store};
use crate::policy::Dedup;
use crate::request::Transacted::{self, Applied, Recognised};
use crate::request::{Session, Sink};
use crate::sink::recognise::{IN_WINDOW, KEEP_SINCE, KEEP_WINDOW, REMEMBER, SINCE};
use crate::sink::schema;
use crate::time::{Instant, Span};

/// Applies `jobs` in turn under `dedup` and tells what came of each.
fn in_turn(session: &mut dyn Session, dedup: Dedup, jobs: &[u32]) -> Vec<Transacted> {
    jobs.iter().map(|job| apply(session, delivery(*job, 1, dedup), Instant::START)).collect()
}

#[test]
fn a_window_of_three_remembers_the_last_three_recorded_and_no_other() {
    let store = store();
    let mut session = store.session().expect("a session");
    let came = in_turn(&mut *session, Dedup::Window(3), &[1, 2, 3, 4]);
    assert_eq!(came, [Applied; 4]);
    assert_eq!(in_turn(&mut *session, Dedup::Window(3), &[4, 3, 2]), [Recognised; 3]);
    assert_eq!(in_turn(&mut *session, Dedup::Window(3), &[1]), [Applied], "the fourth last is forgotten");
}

#[test]
fn recognising_an_id_does_not_make_it_newer() {
    let store = store();
    let mut session = store.session().expect("a session");
    in_turn(&mut *session, Dedup::Window(2), &[1, 2]);
    assert_eq!(in_turn(&mut *session, Dedup::Window(2), &[1, 3, 1]), [Recognised, Applied, Applied]);
}

#[test]
fn an_id_that_was_forgotten_and_is_applied_again_is_the_newest() {
    let store = store();
    let mut session = store.session().expect("a session");
    in_turn(&mut *session, Dedup::Window(2), &[1, 2, 3, 1]);
    let came = in_turn(&mut *session, Dedup::Window(2), &[1, 3, 2]);
    assert_eq!(came, [Recognised, Recognised, Applied]);
}

#[test]
fn a_window_escapes_exactly_when_the_distance_is_above_its_size() {
    for distance in 1..=6 {
        let store = store();
        let mut session = store.session().expect("a session");
        let others: Vec<u32> = (1..distance).collect();
        in_turn(&mut *session, Dedup::Window(4), &[0]);
        in_turn(&mut *session, Dedup::Window(4), &others);
        let again = in_turn(&mut *session, Dedup::Window(4), &[0]);
        assert_eq!(again == [Applied], distance > 4, "redelivered at a distance of {distance}");
    }
}

#[test]
fn a_window_never_holds_more_than_its_size_and_a_smaller_one_forgets_at_once() {
    let store = store();
    let mut session = store.session().expect("a session");
    in_turn(&mut *session, Dedup::Window(100), &(0..50).collect::<Vec<_>>());
    assert_eq!(number(store.path(), "SELECT count(*) FROM memory"), 50);
    assert_eq!(in_turn(&mut *session, Dedup::Window(5), &[49, 45]), [Recognised; 2]);
    assert_eq!(in_turn(&mut *session, Dedup::Window(5), &[44]), [Applied], "not among the last five");
    assert_eq!(number(store.path(), "SELECT count(*) FROM memory"), 5);
    assert_eq!(number(store.path(), "SELECT count(*) FROM memory WHERE key = 44"), 1);
}

#[test]
fn a_ttl_remembers_what_is_younger_and_forgets_at_the_instant_itself() {
    let ttl = Dedup::Ttl(Span::seconds(10));
    let store = store();
    let mut session = store.session().expect("a session");
    assert_eq!(apply(&mut *session, delivery(1, 1, ttl), second(5)), Applied);
    let just_before = Instant(second(15).0 - 1);
    assert_eq!(apply(&mut *session, delivery(1, 2, ttl), just_before), Recognised);
    assert_eq!(apply(&mut *session, delivery(1, 3, ttl), second(15)), Applied, "ten seconds old is not younger");
    assert_eq!(apply(&mut *session, delivery(1, 4, ttl), second(24)), Recognised, "recorded anew at 15 s");
}

#[test]
fn a_ttl_drops_what_is_too_old_when_it_records() {
    let ttl = Dedup::Ttl(Span::seconds(10));
    let store = store();
    let mut session = store.session().expect("a session");
    for job in 0..20 {
        apply(&mut *session, delivery(job, 1, ttl), second(u64::from(job)));
    }
    assert_eq!(number(store.path(), "SELECT count(*) FROM memory"), 10);
    assert_eq!(number(store.path(), "SELECT min(key) FROM memory"), 10);
}

#[test]
fn window_and_ttl_share_one_memory_and_durable_keys_have_another() {
    let store = store();
    let mut session = store.session().expect("a session");
    in_turn(&mut *session, Dedup::Window(5), &[1]);
    assert_eq!(in_turn(&mut *session, Dedup::Ttl(Dedup::DEFAULT_TTL), &[1]), [Recognised]);
    assert_eq!(in_turn(&mut *session, Dedup::Transactional, &[1]), [Applied]);
}

#[test]
fn the_workers_own_memory_decides_for_itself() {
    let store = store();
    let mut session = store.session().expect("a session");
    let mut bracket = delivery(1, 1, Dedup::PerWorker).bracket();
    assert_eq!(session.transact(&bracket, &mut Notes::default()), Ok(Applied));
    bracket.remembered = true;
    assert_eq!(session.transact(&bracket, &mut Notes::default()), Ok(Recognised));
}

#[test]
fn no_statement_of_the_memory_is_compiled_more_than_once() {
    let connection = Connection::open_in_memory().expect("memory");
    schema::create(&connection).expect("tables");
    for sql in [IN_WINDOW, SINCE, REMEMBER, KEEP_WINDOW, KEEP_SINCE] {
        let mut statement = connection.prepare(sql).expect(sql);
        let many = statement.parameter_count();
        for n in 0..10_i64 {
            let numbers = params_from_iter(vec![n; many]);
            let done = if sql.starts_with("SELECT") {
                statement.exists(numbers).map(|_| ())
            } else {
                statement.execute(numbers).map(|_| ())
            };
            done.expect(sql);
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{sql}");
    }
}
