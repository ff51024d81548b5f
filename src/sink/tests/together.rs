//! Many workers at once, and other programs beside them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use rusqlite::Connection;

use super::desk::{Notes, delivery, effects, number, store};
use crate::policy::Dedup;
use crate::request::{Fact, Host, Sink, Transacted};
use crate::sink::Store;
use crate::time::Instant;

/// A host that runs `release` when it is told of a foreign lock.
struct LockedOut<F: FnMut()> {
    notes: Notes,
    release: F,
}

impl<F: FnMut()> Host for LockedOut<F> {
    fn now(&mut self) -> Instant {
        self.notes.now()
    }
    fn interrupted(&mut self) -> bool {
        self.notes.interrupted()
    }
    fn locked_out(&mut self) {
        self.notes.locked_out();
        (self.release)();
    }
    fn facts(&mut self, facts: &[Fact]) {
        self.notes.facts(facts);
    }
    fn undone(&mut self) {
        self.notes.undone();
    }
}

fn outsider(store: &Store) -> Connection {
    let other = Connection::open(store.path()).expect("opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("holds the write lock");
    other
}

#[test]
fn another_programs_lock_delays_a_transaction_and_is_told_once() {
    let store = store();
    let mut session = store.session().expect("a session");
    let other = outsider(&store);
    let release = || other.execute_batch("ROLLBACK").expect("lets go");
    let mut host = LockedOut { notes: Notes::default(), release };
    let came = session.transact(&delivery(1, 1, Dedup::Transactional).bracket(), &mut host);
    assert_eq!((came, host.notes.locked_out), (Ok(Transacted::Applied), 1));
    assert_eq!(effects(&store), 1);
}

#[test]
fn a_wait_for_another_programs_lock_can_be_given_up() {
    let store = store();
    let mut session = store.session().expect("a session");
    let other = outsider(&store);
    let mut notes = Notes { patience: Some(3), ..Notes::default() };
    let bracket = delivery(1, 1, Dedup::Transactional).bracket();
    assert_eq!(session.transact(&bracket, &mut notes), Ok(Transacted::Interrupted));
    assert_eq!((notes.locked_out, notes.facts.len()), (1, 0));
    other.execute_batch("ROLLBACK").expect("lets go");
    assert_eq!(
        session.transact(&bracket, &mut Notes::default()),
        Ok(Transacted::Applied),
        "and nothing was left behind"
    );
}

/// Has sixteen workers perform the deliveries that `next` hands out until there are none, and adds up what came.
fn sixteen_workers(store: &Store, told: impl Fn() + Sync, next: impl Fn() -> Option<u32> + Sync) -> (u32, u32) {
    let (applied, recognised) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let mut session = store.session().expect("a session");
                let mut host = LockedOut { notes: Notes::default(), release: &told };
                while let Some(job) = next() {
                    let bracket = delivery(job, 1, Dedup::Transactional).bracket();
                    match session.transact(&bracket, &mut host).expect("no error") {
                        Transacted::Applied => applied.fetch_add(1, Ordering::Relaxed),
                        other => {
                            assert_eq!(other, Transacted::Recognised);
                            recognised.fetch_add(1, Ordering::Relaxed)
                        }
                    };
                }
            });
        }
    });
    (applied.into_inner(), recognised.into_inner())
}

#[test]
fn sixteen_workers_lose_nothing_while_an_outside_writer_holds_the_lock() {
    let store = store();
    let other = Mutex::new(Some(outsider(&store)));
    let told = AtomicUsize::new(0);
    // The outsider lets go only when all sixteen have heard of it, those who stand at the gate too.
    let release = || {
        if told.fetch_add(1, Ordering::SeqCst) == 15 {
            drop(other.lock().expect("no panic").take());
        }
    };
    let next = AtomicU32::new(0);
    let came =
        sixteen_workers(&store, release, || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|job| *job < 5_000));
    assert_eq!(came, (5_000, 0));
    assert_eq!(number(store.path(), "SELECT count(DISTINCT job) FROM effects"), 5_000);
    assert_eq!(effects(&store), 5_000);
}

#[test]
fn a_hot_job_delivered_200_times_to_sixteen_workers_has_one_effect() {
    for _ in 0..5 {
        let store = store();
        let next = AtomicU32::new(0);
        let came = sixteen_workers(&store, || (), || (next.fetch_add(1, Ordering::Relaxed) < 200).then_some(77));
        assert_eq!(came, (1, 199));
        assert_eq!(effects(&store), 1);
    }
}

#[test]
fn check_then_act_lets_two_workers_through_that_both_looked_first() {
    for dedup in [Dedup::EffectThenKey, Dedup::KeyThenEffect] {
        let store = store();
        let mut sessions = [store.session().expect("a session"), store.session().expect("a session")];
        for step in delivery(1, 1, dedup).transactions() {
            for session in &mut sessions {
                assert_eq!(session.transact(&step, &mut Notes::default()), Ok(Transacted::Applied));
            }
        }
        assert_eq!(effects(&store), 2, "{dedup} is as weak as it is labelled");
    }
}
