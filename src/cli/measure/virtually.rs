//! Virtual time beside what it is measured against: the bare loop in memory, a sink that costs nothing, and the statements
//! that all of `verify` needs.

use std::num::NonZero;
use std::thread;
use std::time::Instant as Clock;

use crate::board::Board;
use crate::claims::verify::{asked, verify};
use crate::cli::runner::LabRunner;
use crate::driver::Mode;
use crate::driver::plan;
use crate::driver::simulation::Ground;
use crate::event::Event;
use crate::policy::Dedup;
use crate::request::{
    Auditor, Fact, FinalCounts, FinalJob, Host, RowCounts, Session, Sink, SinkError, Transacted, Transaction,
};
use crate::setup::{Driver, PAGE_JOBS, Setup, Synchronous};
use crate::sink::bare::bare_loop;
use crate::sink::{Target, open};

/// A figure beside the one that it is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The lab's.
    pub ours: f64,
    /// The other.
    pub bare: f64,
    /// Cores that the lab's had; the other has one.
    pub cores: usize,
}

/// Jobs a second of a run in virtual time (queue, leases, events, board, audit, SQLite in memory), and of the bare loop
/// in memory with the same statements; in turn, medians.
///
/// # Errors
/// What the sink says.
pub fn against_the_bare_loop(dedup: Dedup, jobs: u32, rounds: usize) -> Result<Pair, SinkError> {
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        bare.push(bare_loop(Target::Memory, dedup, Synchronous::Normal, jobs)?);
        ours.push(jobs_simulated(dedup, jobs)?);
    }
    bare.sort_by(f64::total_cmp);
    ours.sort_by(f64::total_cmp);
    Ok(Pair { ours: ours[rounds / 2], bare: bare[rounds / 2], cores: 1 })
}

/// Jobs a second of a run of the whole model in virtual time, until the last of them is settled.
///
/// # Errors
/// What the sink says.
pub fn jobs_simulated(dedup: Dedup, jobs: u32) -> Result<f64, SinkError> {
    let store = open(Target::Memory, Synchronous::Normal)?;
    let mut board = Board::new();
    let took = run_to_the_end(setup(dedup, jobs), &store, |events| board.extend(events))?;
    Ok(f64::from(jobs) / took)
}

/// Events a second that a run in virtual time makes when its sink costs nothing and nobody folds them.
///
/// # Errors
/// What the sink says.
pub fn events_with_a_free_sink(jobs: u32) -> Result<f64, SinkError> {
    let mut many = 0;
    let took = run_to_the_end(setup(Dedup::Transactional, jobs), &FreeSink, |events| many += events.len())?;
    Ok(many as f64 / took)
}

/// Runs `setup` until everybody has stopped, shows its events in batches, and returns how many seconds it took.
fn run_to_the_end(setup: Setup, sink: &dyn Sink, show: impl FnMut(&[Event])) -> Result<f64, SinkError> {
    let begun = Clock::now();
    let mut ground = Ground::lay(setup, 1, sink, Mode::Headless)?;
    ground.machine(plan::nothing()).run(show);
    Ok(begun.elapsed().as_secs_f64())
}

/// Seconds that all of `verify` takes on every core there is, and seconds of the bare loop in memory with the statements
/// of its runs, one after the other on one core.
///
/// # Errors
/// What the sink says.
pub fn verify_against_its_statements() -> Result<Pair, SinkError> {
    let begun = Clock::now();
    verify(&LabRunner::default(), Driver::Simulation)?;
    let ours = begun.elapsed().as_secs_f64();
    let mut bare = 0.0;
    for case in asked(Driver::Simulation) {
        let dedup = case.setup(Driver::Simulation).policy.dedup;
        bare += f64::from(PAGE_JOBS) / bare_loop(Target::Memory, dedup, Synchronous::Normal, PAGE_JOBS)?;
    }
    Ok(Pair { ours, bare, cores: thread::available_parallelism().map_or(1, NonZero::get) })
}

fn setup(dedup: Dedup, jobs: u32) -> Setup {
    let mut setup = Setup::headless(1);
    setup.driver = Driver::Simulation;
    setup.workload.jobs = Some(jobs);
    setup.workers = 8;
    setup.policy.dedup = dedup;
    setup
}

/// A sink that knows every key and has no rows.
struct FreeSink;

impl Sink for FreeSink {
    fn session(&self) -> Result<Box<dyn Session>, SinkError> {
        Ok(Box::new(FreeSink))
    }

    fn auditor(&self) -> Result<Box<dyn Auditor>, SinkError> {
        Ok(Box::new(FreeSink))
    }
}

impl Session for FreeSink {
    fn transact(&mut self, _: &Transaction, host: &mut dyn Host) -> Result<Transacted, SinkError> {
        host.facts(&[Fact::Recognised]);
        Ok(Transacted::Recognised)
    }

    fn abandon(&mut self) {}
}

impl Auditor for FreeSink {
    fn count(&mut self) -> Result<RowCounts, SinkError> {
        Ok(RowCounts::default())
    }

    fn close(&mut self, _: &mut dyn Iterator<Item = FinalJob>) -> Result<FinalCounts, SinkError> {
        Ok(FinalCounts::default())
    }
}
