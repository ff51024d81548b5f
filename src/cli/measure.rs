//! What `onceish bench` and the benches measure: the whole lab against the bare loop of the same statements, the
//! queue alone, and the board alone. Both sides of a comparison are measured in turn in one process, since the
//! machine may be busy with something else.
#![allow(clippy::disallowed_methods, reason = "measuring needs the clock and threads")]

pub mod recorded;
pub mod virtually;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant as Clock};

use super::runner::LabRunner;
use crate::board::Board;
use crate::claims::Runner;
use crate::driver::Mode;
use crate::driver::log::Consumer;
use crate::driver::plan;
use crate::driver::threads::start;
use crate::engine::queue::{NewJob, Queue};
use crate::event::{End, Event, What};
use crate::ids::{OrderKey, Worker};
use crate::policy::{Dedup, Policy};
use crate::request::SinkError;
use crate::setup::{Driver, Setup, Synchronous};
use crate::sink::bare::bare_loop;
use crate::sink::{Target, open};
use crate::time::{Instant, Span};
use crate::tui::theme::{Environment, Look};
use crate::tui::{Options, Showing, paint};

/// What one run of the whole lab gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabRun {
    /// Effects committed in a second, from the first to the last.
    pub effects: f64,
    /// The longest time that any worker went without an effect.
    pub longest_wait: Duration,
    /// The effects of the least-served worker over a fair share of them.
    pub least_share: f64,
    /// The events of the run.
    pub events: usize,
}

/// The lab beside the bare loop of the same policy, measured in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Jobs a second of the bare loop, median.
    pub bare: f64,
    /// The lab, the run with the median rate.
    pub lab: LabRun,
}

/// Runs the whole lab (queue, leases, events, board, audit, SQLite file) over `jobs` jobs without work time.
///
/// # Errors
/// What the sink says when the temporary file cannot be used.
pub fn lab(dedup: Dedup, workers: u16, jobs: u32) -> Result<LabRun, SinkError> {
    lab_with(dedup, workers, jobs, Vec::new())
}

/// The same, its events shown to `more` consumers.
fn lab_with(dedup: Dedup, workers: u16, jobs: u32, more: Vec<Consumer>) -> Result<LabRun, SinkError> {
    let mut setup = Setup::headless(1);
    setup.workload.jobs = Some(jobs);
    setup.workers = workers;
    setup.policy.dedup = dedup;
    let store = open(Target::Temporary, setup.synchronous)?;
    let run = store.run();
    let served = Arc::new(Mutex::new(Served::default()));
    let witness = served.clone();
    let mut board = Board::new();
    let consumer = move |batch: &[Event]| {
        board.extend(batch);
        witness.lock().expect("this thread alone writes").take(batch);
    };
    let consumers = std::iter::once(Box::new(consumer) as Consumer).chain(more).collect();
    let handle = start(setup, run, Arc::new(store), Mode::Headless, plan::nothing(), consumers)?;
    handle.wait();
    let served = served.lock().expect("the run is over");
    Ok(served.result(workers))
}

/// When each worker wrote its effects.
#[derive(Default)]
struct Served {
    first: Option<Instant>,
    last: Instant,
    by_worker: BTreeMap<Worker, (u64, Instant)>,
    longest: Span,
    events: usize,
}

impl Served {
    fn take(&mut self, batch: &[Event]) {
        self.events += batch.len();
        for event in batch {
            let What::Effect { w, .. } = event.what else { continue };
            let first = *self.first.get_or_insert(event.at);
            self.last = event.at;
            let (count, before) = self.by_worker.entry(w).or_insert((0, first));
            self.longest = self.longest.max(event.at.since(*before));
            (*count, *before) = (*count + 1, event.at);
        }
    }

    fn result(&self, workers: u16) -> LabRun {
        let total: u64 = self.by_worker.values().map(|(count, _)| count).sum();
        let least = self.by_worker.values().map(|(count, _)| *count).min().unwrap_or(0);
        let all_served = self.by_worker.len() == usize::from(workers);
        let took = self.last.since(self.first.unwrap_or(self.last)).as_seconds();
        LabRun {
            effects: total as f64 / took.max(f64::MIN_POSITIVE),
            longest_wait: Duration::from_nanos(self.longest.0),
            least_share: if all_served { least as f64 * f64::from(workers) / total as f64 } else { 0.0 },
            events: self.events,
        }
    }
}

/// The lab and the bare loop in turn, `rounds` times each; medians by rate.
///
/// # Errors
/// What the sink says when the temporary file cannot be used.
pub fn against_the_bare_loop(dedup: Dedup, workers: u16, jobs: u32, rounds: usize) -> Result<Paired, SinkError> {
    let (mut bare, mut labs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        bare.push(bare_loop(Target::Temporary, dedup, Synchronous::Normal, jobs)?);
        labs.push(lab(dedup, workers, jobs)?);
    }
    bare.sort_by(f64::total_cmp);
    labs.sort_by(|a, b| a.effects.total_cmp(&b.effects));
    Ok(Paired { bare: bare[rounds / 2], lab: labs[rounds / 2] })
}

/// Jobs a second through the queue alone, claimed, acked and ended by `threads` threads behind one lock, with the
/// events that the queue gives out.
pub fn queue_alone(threads: u16, jobs: u32) -> f64 {
    let mut queue = Queue::new(Arc::new(Policy::default()), 1);
    let mut out = Vec::new();
    for id in 0..jobs {
        let (key, due) = (OrderKey(id % 8), Instant::START);
        let job = NewJob { key, due, work: Span::ZERO, poison: None, first_deadline: None };
        queue.enqueue(Instant::START, job, &mut out);
        out.clear();
    }
    let begun = Clock::now();
    let shared = Mutex::new((queue, out));
    thread::scope(|scope| {
        for worker in 1..=threads {
            let shared = &shared;
            scope.spawn(move || while serve_one(shared, Worker(worker), begun) {});
        }
    });
    f64::from(jobs) / begun.elapsed().as_secs_f64()
}

fn serve_one(shared: &Mutex<(Queue, Vec<What>)>, worker: Worker, begun: Clock) -> bool {
    let now = || Instant(begun.elapsed().as_nanos() as u64);
    let claimed = {
        let mut locked = shared.lock().expect("no thread panics with it");
        let (queue, out) = &mut *locked;
        out.clear();
        queue.claim(now(), worker, out)
    };
    let Some(delivery) = claimed else { return false };
    let mut locked = shared.lock().expect("no thread panics with it");
    let (queue, out) = &mut *locked;
    let now = now();
    queue.ack(now, &delivery, out);
    queue.ended(now, &delivery, End::Done, None, out);
    true
}

/// The events of a run of the whole lab, to fold or draw.
///
/// # Errors
/// What the sink says when the temporary file cannot be used.
pub fn events_of(setup: Setup) -> Result<Vec<Event>, SinkError> {
    let store = open(Target::Temporary, setup.synchronous)?;
    let run = store.run();
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let consumer = move |batch: &[Event]| seen.lock().expect("this thread alone writes").extend_from_slice(batch);
    start(setup, run, Arc::new(store), Mode::Headless, plan::nothing(), vec![Box::new(consumer)])?.wait();
    Ok(Arc::try_unwrap(events).map_or_else(
        |shared| shared.lock().expect("the run is over").clone(),
        |own| own.into_inner().expect("the run is over"),
    ))
}

/// Events a second that the board folds, its invariants checked after each.
pub fn fold(events: &[Event]) -> f64 {
    let begun = Clock::now();
    let board = black_box(events.iter().collect::<Board>());
    let took = begun.elapsed().as_secs_f64();
    drop(board);
    events.len() as f64 / took
}

/// The board of a dense moment: a minute of eight workers, in virtual time, some of which have died.
///
/// # Errors
/// What the sink says.
pub fn dense_board() -> Result<Board, SinkError> {
    let mut setup = Setup::sandbox(249);
    setup.driver = Driver::Simulation;
    setup.workers = 8;
    setup.workload.rate = Some(3.0);
    setup.workload.stream_for = Some(Span::seconds(60));
    setup.crash.push("5%@effect".parse().map_err(|error| SinkError(format!("{error}")))?);
    let mut ran = LabRunner::default().run(&[setup])?;
    Ok(ran.remove(0).board)
}

/// The look that frames are measured with: colours and line characters.
pub fn plain_look() -> Look {
    Options::default().look(&Environment::default())
}

/// Milliseconds for one full screen of 200 by 50 cells: the median of `frames`, each drawn from nothing.
pub fn draw(board: &Board, frames: usize) -> f64 {
    let look = plain_look();
    let mut times: Vec<f64> = (0..frames)
        .map(|_| {
            let begun = Clock::now();
            black_box(paint(board, board.now(), Showing::live(board), 200, 50, look));
            begun.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[frames / 2]
}
