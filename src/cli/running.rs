//! Runs as the screen knows them: live on threads, or in virtual time, where they can be taken back.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use super::headless::{Consumer, locked};
use super::launch;
use crate::action::Action;
use crate::board::Board;
use crate::driver::{Handle, Mode, plan};
use crate::event::By;
use crate::rehearsal::{Piece, Rehearsal};
use crate::request::{Sink, SinkError};
use crate::setup::{Driver, Setup};
use crate::time::Instant;
use crate::tui::{Badge, Run, Showing};

/// A run that was started for the screen. Cheap to clone.
#[derive(Clone)]
pub enum Running {
    /// On threads, by the wall clock.
    Live(Live),
    /// In virtual time.
    Virtual(Rehearsal),
}

impl Running {
    /// Starts a run of each set-up. On threads there is only ever one, and its effects go to the file at `path` if
    /// there is one; in virtual time they stay in memory, since they can be taken back.
    ///
    /// # Errors
    /// What keeps it from starting.
    pub fn start(setups: Vec<Setup>, path: Option<PathBuf>) -> anyhow::Result<Running> {
        match setups.as_slice() {
            [setup] if setup.driver == Driver::Threads => Live::start(setup, path).map(Running::Live),
            _ => rehearse(setups).map(Running::Virtual),
        }
    }

    /// The same run, to be handed to the screen.
    pub fn shown(&self) -> Box<dyn Run> {
        match self.clone() {
            Running::Live(live) => Box::new(live),
            Running::Virtual(rehearsal) => Box::new(rehearsal),
        }
    }

    /// The board of one side.
    pub fn board(&self, side: usize) -> Box<dyn Deref<Target = Board> + '_> {
        match self {
            Running::Live(live) => Run::board(live, side),
            Running::Virtual(rehearsal) => Run::board(rehearsal, side),
        }
    }

    /// Has the run end; deliveries on threads get this long.
    pub fn quit(&self, grace: Duration) {
        match self {
            Running::Live(live) => live.handle.quit(grace),
            Running::Virtual(rehearsal) => rehearsal.quit(),
        }
    }

    /// Waits at most `patience` for the end.
    pub fn wait_for(&self, patience: Duration) {
        match self {
            Running::Live(live) => drop(live.handle.wait_for(patience)),
            Running::Virtual(rehearsal) => _ = rehearsal.wait_for(patience),
        }
    }
}

fn rehearse(setups: Vec<Setup>) -> anyhow::Result<Rehearsal> {
    let open = |setup: &Setup| {
        let store = launch::open(setup, None).map_err(|error| SinkError(format!("{error:#}")))?;
        let run = store.run();
        Ok((Arc::new(store) as Arc<dyn Sink>, run))
    };
    Ok(Rehearsal::start(Piece::of(setups, Box::new(open)))?)
}

/// A run on threads.
#[derive(Clone)]
pub struct Live {
    handle: Handle,
    board: Arc<Mutex<Board>>,
    version: Arc<AtomicU64>,
}

impl Live {
    fn start(setup: &Setup, path: Option<PathBuf>) -> anyhow::Result<Live> {
        let store = launch::open(setup, path)?;
        let (board, version) = (Arc::new(Mutex::new(Board::new())), Arc::new(AtomicU64::new(0)));
        let alarm = Arc::new(OnceLock::new());
        let consumer = fold_and_watch(board.clone(), version.clone(), alarm.clone());
        let handle = launch::start(setup, store, Mode::Interactive, plan::nothing(), vec![consumer])?;
        let _it_is_set_here_only = alarm.set(handle.clone());
        Ok(Live { handle, board, version })
    }
}

/// Folds events and ends the run once an invariant does not hold.
fn fold_and_watch(board: Arc<Mutex<Board>>, version: Arc<AtomicU64>, alarm: Arc<OnceLock<Handle>>) -> Consumer {
    let mut alarmed = false;
    Box::new(move |events| {
        let mut board = locked(&board);
        board.extend(events);
        version.store(board.seq(), Ordering::Release);
        if let (false, Some(text), Some(handle)) = (alarmed, board.violations().first(), alarm.get()) {
            alarmed = true;
            handle.violated(text.clone());
        }
    })
}

impl Run for Live {
    fn sides(&self) -> usize {
        1
    }

    fn board(&self, _side: usize) -> Box<dyn Deref<Target = Board> + '_> {
        Box::new(locked(&self.board))
    }

    fn now(&self) -> Instant {
        self.handle.now()
    }

    fn showing(&self) -> Showing {
        Showing::live(&locked(&self.board))
    }

    fn act(&self, action: Action, by: By) -> Option<String> {
        self.handle.act(action, by);
        None
    }

    fn back(&self) -> Option<String> {
        None
    }

    fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    fn quit(&self, grace: Duration) {
        self.handle.quit(grace);
    }

    fn ended(&self) -> bool {
        self.handle.ended()
    }
}

impl Run for Rehearsal {
    fn sides(&self) -> usize {
        Rehearsal::sides(self)
    }

    fn board(&self, side: usize) -> Box<dyn Deref<Target = Board> + '_> {
        Box::new(Rehearsal::board(self, side))
    }

    fn now(&self) -> Instant {
        Rehearsal::now(self)
    }

    fn showing(&self) -> Showing {
        Showing { badge: Badge::Virtual, stopped: self.stopped(), speed: self.speed() }
    }

    fn act(&self, action: Action, by: By) -> Option<String> {
        Rehearsal::act(self, action, by)
    }

    fn back(&self) -> Option<String> {
        Some(Rehearsal::back(self))
    }

    fn version(&self) -> u64 {
        Rehearsal::version(self)
    }

    fn quit(&self, _grace: Duration) {
        Rehearsal::quit(self);
    }

    fn ended(&self) -> bool {
        Rehearsal::ended(self)
    }
}
