//! The second witness, against plain SQL and arithmetic.

use rusqlite::Connection;

use super::desk::{apply, delivery, number, second, store};
use crate::ids::{Job, Row};
use crate::policy::Dedup;
use crate::request::{FinalCounts, FinalJob, JobState, RowCounts, Sink};
use crate::setup::Synchronous;
use crate::sink::{Target, open};

fn job(id: u32, state: JobState) -> FinalJob {
    let reason = (state == JobState::Dead).then(|| "lease expired".to_owned());
    FinalJob { job: Job(id), state, attempts: 1, reason }
}

#[test]
fn it_counts_only_what_is_new_and_adds_it_up() {
    let store = store();
    let mut session = store.session().expect("a session");
    let mut auditor = store.auditor().expect("an auditor");
    assert_eq!(auditor.count(), Ok(RowCounts::default()));
    for id in [3, 70, 3] {
        apply(&mut *session, delivery(id, 1, Dedup::None), second(1));
    }
    assert_eq!(auditor.count(), Ok(RowCounts { row: Row(3), rows: 3, jobs: 2 }));
    assert_eq!(auditor.count(), Ok(RowCounts { row: Row(3), rows: 3, jobs: 2 }));
    for id in [70, 71] {
        apply(&mut *session, delivery(id, 1, Dedup::None), second(1));
    }
    assert_eq!(auditor.count(), Ok(RowCounts { row: Row(5), rows: 5, jobs: 3 }));
}

#[test]
fn it_agrees_with_plain_sql_over_more_rows_than_one_read_takes() {
    let store = store();
    let rows = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 24999)
        INSERT INTO effects (run, job, attempt, worker, token, at) SELECT 1, i * 7 % 9973, 1, 1, i, i FROM n";
    Connection::open(store.path()).expect("opens").execute_batch(rows).expect("fills");
    let counts = store.auditor().expect("an auditor").count().expect("counts");
    assert_eq!(counts, RowCounts { row: Row(25_000), rows: 25_000, jobs: 9_973 });
    assert_eq!(number(store.path(), "SELECT count(DISTINCT job) FROM effects"), 9_973);
}

#[test]
fn no_read_stays_open_so_the_log_can_be_emptied_beside_it() {
    let store = store();
    let mut session = store.session().expect("a session");
    let mut auditor = store.auditor().expect("an auditor");
    apply(&mut *session, delivery(1, 1, Dedup::None), second(1));
    auditor.count().expect("counts");
    let busy = number(store.path(), "PRAGMA wal_checkpoint(TRUNCATE)");
    assert_eq!(busy, 0, "the whole log could be written back");
}

/// Jobs 0 once, 1 twice, 2 lost, 3 dead, 4 dead and applied, 5 waiting, 6 three times, 7 unprotected without an effect.
fn eight_fates(store: &crate::sink::Store) -> FinalCounts {
    let mut session = store.session().expect("a session");
    for id in [0, 1, 1, 4, 6, 6, 6] {
        apply(&mut *session, delivery(id, 1, Dedup::None), second(1));
    }
    use JobState::{Dead, Done, Leased, Unprotected, Waiting};
    let states = [Done, Done, Done, Dead, Dead, Waiting, Leased, Unprotected];
    let mut jobs = (0..).zip(states).map(|(id, state)| job(id, state));
    store.auditor().expect("an auditor").close(&mut jobs).expect("closes")
}

#[test]
fn at_the_end_sql_alone_tells_every_fate() {
    let store = store();
    let expected = FinalCounts {
        enqueued: 8,
        rows: 7,
        applied: 4,
        once: 2,
        duplicated: 2,
        lost: 2,
        dead: 2,
        dead_applied: 1,
        pending: 1,
    };
    let counts = eight_fates(&store);
    assert_eq!(counts, expected);
    let dead_without_effect = counts.dead - counts.dead_applied;
    let fates = counts.once + counts.duplicated + counts.lost + dead_without_effect + counts.pending;
    assert_eq!(fates, counts.enqueued, "every job has one fate");
}

#[test]
fn the_views_say_the_same_to_whoever_opens_the_file() {
    let store = store();
    eight_fates(&store);
    let fates = "SELECT group_concat(fate, ' ') FROM (SELECT fate FROM fates ORDER BY job)";
    let connection = Connection::open(store.path()).expect("opens");
    let told: String = connection.query_row(fates, [], |row| row.get(0)).expect("a row");
    assert_eq!(told, "once twice lost dead once pending twice lost");
    assert_eq!(number(store.path(), "SELECT count(*) FROM lost"), 2);
    assert_eq!(number(store.path(), "SELECT sum(effects) FROM duplicated"), 5);
    assert_eq!(number(store.path(), "SELECT count(*) FROM jobs WHERE reason = 'lease expired'"), 2);
    assert_eq!(number(store.path(), "SELECT count(*) FROM runs WHERE closed IS NOT NULL"), 1);
}

#[test]
fn closing_again_replaces_the_states() {
    let store = store();
    eight_fates(&store);
    let mut auditor = store.auditor().expect("an auditor");
    let counts = auditor.close(&mut std::iter::once(job(0, JobState::Done))).expect("closes");
    assert_eq!((counts.enqueued, counts.lost), (1, 0));
}

#[test]
fn each_run_is_audited_by_itself() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let target = Target::File(folder.path().join("runs.db"));
    eight_fates(&open(target.clone(), Synchronous::Normal).expect("opens"));
    let second_run = open(target, Synchronous::Normal).expect("opens");
    let mut auditor = second_run.auditor().expect("an auditor");
    assert_eq!(auditor.count(), Ok(RowCounts::default()));
    apply(&mut *second_run.session().expect("a session"), delivery(9, 1, Dedup::None), second(1));
    assert_eq!(auditor.count(), Ok(RowCounts { row: Row(8), rows: 1, jobs: 1 }));
    let counts = auditor.close(&mut std::iter::once(job(9, JobState::Done))).expect("closes");
    assert_eq!((counts.enqueued, counts.rows, counts.once), (1, 1, 1));
}
