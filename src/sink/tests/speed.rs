//! Measurements, in release builds only:
//! `cargo test --release --lib sink::tests::speed -- --ignored --nocapture --test-threads=1`.
//!
//! What counts is the ratio of a gate to the bare loop that was measured right beside it, the longest wait of any
//! worker, and the least-served worker's part of its fair share.

#![allow(clippy::disallowed_methods, reason = "measuring needs the clock, and a slow host sleeps")]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant as Clock};

use crate::ids::Job;
use crate::policy::Dedup;
use crate::request::{Fact, FinalJob, Host, JobState, Sink, Transacted};
use crate::setup::Synchronous;
use crate::sink::apply::Applying;
use crate::sink::bare::bare_loop;
use crate::sink::gate::Manner;
use crate::sink::lock::Patience;
use crate::sink::{Store, Target, open, open_with, place, session};
use crate::time::Instant;

use super::desk::delivery;

/// A host as a driver has it: it reads a clock and writes to a log that all workers share.
struct LoggingHost<'a> {
    start: Clock,
    log: &'a Mutex<Vec<Fact>>,
}

impl Host for LoggingHost<'_> {
    fn now(&mut self) -> Instant {
        Instant(u64::try_from(self.start.elapsed().as_nanos()).expect("a short run"))
    }
    fn interrupted(&mut self) -> bool {
        false
    }
    fn locked_out(&mut self) {}
    fn facts(&mut self, facts: &[Fact]) {
        self.log.lock().expect("no panic").extend_from_slice(facts);
    }
    fn undone(&mut self) {}
}

struct Measured {
    rate: f64,
    longest: Duration,
    least_share: f64,
}

/// What stands in front of the write lock.
#[derive(Clone, Copy)]
enum Front {
    Gate(Manner),
    StdMutex,
    BusyHandler,
}

fn measure(front: Front, threads: u32, rest: Duration) -> Measured {
    let manner = if let Front::Gate(manner) = front { manner } else { Manner::CHOSEN };
    let store = open_with(Target::Temporary, Synchronous::Normal, manner, &Patience::at_start()).expect("a store");
    let (next, stop) = (AtomicU32::new(0), AtomicBool::new(false));
    let (mutex, log) = (Mutex::new(()), Mutex::new(Vec::new()));
    let start = Clock::now();
    let workers: Vec<(u32, Duration)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut one = worker(&store, front, &mutex, LoggingHost { start, log: &log });
                    let (mut done, mut longest) = (0, Duration::ZERO);
                    while !stop.load(Ordering::Relaxed) {
                        let began = Clock::now();
                        one(next.fetch_add(1, Ordering::Relaxed));
                        done += 1;
                        longest = longest.max(began.elapsed());
                        if !rest.is_zero() {
                            std::thread::sleep(rest);
                        }
                    }
                    (done, longest)
                })
            })
            .collect();
        std::thread::sleep(Duration::from_secs(1));
        stop.store(true, Ordering::Relaxed);
        handles.into_iter().map(|handle| handle.join().expect("no panic")).collect()
    });
    let total: u32 = workers.iter().map(|(done, _)| done).sum();
    let least = workers.iter().map(|(done, _)| *done).min().expect("a worker");
    Measured {
        rate: f64::from(total) / start.elapsed().as_secs_f64(),
        longest: workers.iter().map(|(_, longest)| *longest).max().expect("a worker"),
        least_share: f64::from(least) * f64::from(threads) / f64::from(total),
    }
}

/// One worker's way to apply a job.
fn worker<'a>(
    store: &'a Store,
    front: Front,
    mutex: &'a Mutex<()>,
    mut host: LoggingHost<'a>,
) -> Box<dyn FnMut(u32) + 'a> {
    if let Front::Gate(_) = front {
        let mut session = store.session().expect("a session");
        return Box::new(move |job| {
            let bracket = delivery(job, u64::from(job), Dedup::Transactional).bracket();
            assert_eq!(session.transact(&bracket, &mut host), Ok(Transacted::Applied));
        });
    }
    let connection = place::connect(store.path(), Synchronous::Normal).expect("connects");
    connection.busy_timeout(Duration::from_secs(30)).expect("a timeout");
    Box::new(move |job| {
        let transaction = &delivery(job, u64::from(job), Dedup::Transactional).bracket();
        let _held = matches!(front, Front::StdMutex).then(|| mutex.lock().unwrap_or_else(PoisonError::into_inner));
        session::run(&connection, "BEGIN IMMEDIATE").expect("begins");
        let at = i64::try_from(host.now().0).expect("a short run");
        let mut facts = Vec::new();
        let run = store.run();
        Applying { connection: &connection, transaction, run, at, facts: &mut facts }.walk().expect("walks");
        host.facts(&facts);
        session::run(&connection, "COMMIT").expect("commits");
    })
}

fn bare() -> f64 {
    bare_loop(Target::Temporary, Dedup::Transactional, Synchronous::Normal, 20_000).expect("the bare loop")
}

fn report(name: &str, front: Front, threads: u32, rest: Duration) {
    let mut lines: Vec<(f64, f64, f64)> = (0..3)
        .map(|_| {
            let before = bare();
            let measured = measure(front, threads, rest);
            let beside = (before + bare()) / 2.0;
            (measured.rate / beside, measured.longest.as_secs_f64() * 1e3, measured.least_share)
        })
        .collect();
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let shown: Vec<String> = lines.iter().map(|(r, l, s)| format!("{r:.2} ({l:.0} ms, {s:.2})")).collect();
    println!("{name:<34} {threads} threads: {}", shown.join("  "));
}

fn report_all(threads: u32, rest: Duration) {
    println!("{threads} workers that rest {rest:?} between two transactions:");
    report("the busy handler alone", Front::BusyHandler, threads, rest);
    report("std::sync::Mutex", Front::StdMutex, threads, rest);
    for slice in [0, 500, 1_000, 2_000, 4_000] {
        let manner = Manner { slice: Duration::from_micros(slice), ..Manner::CHOSEN };
        report(&format!("a gate with slices of {slice} us"), Front::Gate(manner), threads, rest);
    }
}

#[test]
#[ignore = "a measurement of two minutes; see the module"]
fn the_gate_against_the_bare_loop() {
    println!("ratio to the bare loop (longest wait, least-served worker's part of its share), three runs");
    report_all(1, Duration::ZERO);
    report_all(8, Duration::ZERO);
    report_all(16, Duration::from_micros(200));
}

#[test]
#[ignore = "a measurement of some seconds; see the module"]
fn a_million_jobs_are_closed_counted_and_appended_to() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let target = Target::File(folder.path().join("million.db"));
    let store = open(target.clone(), Synchronous::Normal).expect("opens");
    let rows = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999999)
        INSERT INTO effects (run, job, attempt, worker, token, at) SELECT 1, (i | 5) - (i & 5), 1, 1, i, i FROM n";
    rusqlite::Connection::open(store.path()).expect("opens").execute_batch(rows).expect("fills");
    let mut auditor = store.auditor().expect("an auditor");
    let start = Clock::now();
    assert_eq!(auditor.count().expect("counts").jobs, 1_000_000);
    println!("counted in {:?}", start.elapsed());
    let start = Clock::now();
    let mut jobs = (0..1_000_000).map(|id| FinalJob { job: Job(id), state: JobState::Done, attempts: 1, reason: None });
    assert_eq!(auditor.close(&mut jobs).expect("closes").once, 1_000_000);
    println!("closed in {:?}", start.elapsed());
    drop((auditor, store));
    let start = Clock::now();
    assert_eq!(open(target, Synchronous::Normal).expect("opens").run(), 2);
    println!("appended to in {:?}", start.elapsed());
}
