//! What recordings cost: writing one beside a run, opening a long one, and going to any place of it.

use std::path::Path;
use std::time::Instant as Clock;

use super::lab_with;
use crate::board::Board;
use crate::cli::launch;
use crate::driver::{Mode, plan};
use crate::event::Event;
use crate::policy::Dedup;
use crate::recording::{Header, Player, Writer};
use crate::request::SinkError;
use crate::setup::{Driver, Setup};

/// Effects a second with a recording and without, measured in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// While the run is recorded.
    pub on: f64,
    /// While it is not.
    pub off: f64,
}

/// What a long recording takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Played {
    /// Its events.
    pub events: usize,
    /// Seconds until it is open.
    pub open: f64,
    /// Seconds of the slowest of many seeks.
    pub worst_seek: f64,
    /// Seconds of the median one.
    pub median_seek: f64,
}

fn told(error: impl std::fmt::Display) -> SinkError {
    SinkError(error.to_string())
}

/// The lab with a recording and without, `rounds` times each in turn; medians.
///
/// # Errors
/// What the sink or the disk says.
pub fn cost(workers: u16, jobs: u32, rounds: usize) -> Result<Cost, SinkError> {
    let (mut on, mut off) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        off.push(lab_with(Dedup::Transactional, workers, jobs, Vec::new())?.effects);
        let folder = tempfile::tempdir().map_err(told)?;
        let header = Header::of(&Setup::headless(1), None, 0);
        let writer = Writer::create(&folder.path().join("run.jsonl"), &header).map_err(told)?;
        let record = Box::new(move |events: &[Event]| writer.take(events));
        on.push(lab_with(Dedup::Transactional, workers, jobs, vec![record])?.effects);
    }
    on.sort_by(f64::total_cmp);
    off.sort_by(f64::total_cmp);
    Ok(Cost { on: on[rounds / 2], off: off[rounds / 2] })
}

/// Writes a recording of a run of so many jobs, in virtual time, to `path`. Eight workers, of which many die.
///
/// # Errors
/// What the sink or the disk says.
pub fn write(path: &Path, jobs: u32) -> Result<(), SinkError> {
    let mut setup = Setup::headless(1);
    setup.driver = Driver::Simulation;
    setup.workers = 8;
    setup.workload.jobs = Some(jobs);
    setup.crash.push("2%@effect".parse().map_err(told)?);
    let writer = Writer::create(path, &Header::of(&setup, None, 0)).map_err(told)?;
    let (events, taken) = std::sync::mpsc::sync_channel::<Vec<Event>>(8);
    let hand_over = Box::new(move |batch: &[Event]| drop(events.send(batch.to_vec())));
    let store = launch::open(&setup, None).map_err(told)?;
    let handle = launch::start(&setup, store, Mode::Headless, plan::nothing(), vec![hand_over]).map_err(told)?;
    let mut board = Board::new();
    for batch in taken {
        writer.take(&batch);
        board.extend(&batch);
    }
    handle.wait();
    writer.close(&board).map_err(told)
}

/// Opens the recording at `path` and goes to `seeks` places all over it.
///
/// # Errors
/// What is wrong with it.
pub fn play(path: &Path, seeks: usize) -> Result<Played, SinkError> {
    let begun = Clock::now();
    let mut player = Player::open(path).map_err(told)?;
    let open = begun.elapsed().as_secs_f64();
    let mut times = Vec::new();
    for n in 0..seeks {
        let place = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (player.len() + 1);
        let begun = Clock::now();
        player.show(place).map_err(told)?;
        times.push(begun.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let worst = times.last().copied().unwrap_or_default();
    Ok(Played { events: player.len(), open, worst_seek: worst, median_seek: times[seeks / 2] })
}
