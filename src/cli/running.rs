//! Runs as the screen knows them: live on threads, or in virtual time, where they can be taken back.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use super::headless::{Consumer, locked};
use super::launch;
use super::recorder::Recorder;
use crate::action::Action;
use crate::board::Board;
use crate::driver::{Handle, Mode, plan};
use crate::event::{By, Event};
use crate::rehearsal::{Keep, Piece, PlanOf, Rehearsal};
use crate::request::{Sink, SinkError};
use crate::setup::{Driver, Setup};
use crate::time::Instant;
use crate::tui::{Badge, Run, Showing};

/// A run that was started for the screen, and what records it. Cheap to clone.
#[derive(Clone)]
pub struct Running {
    kind: Kind,
    recorder: Recorder,
}

#[derive(Clone)]
enum Kind {
    /// On threads, by the wall clock.
    Live(Live),
    /// In virtual time.
    Virtual(Rehearsal),
}

impl Running {
    /// Starts a run of each set-up, the first of them recorded by `recorder`. On threads there is only ever one, and its
    /// effects go to the file at `path` if there is one; in virtual time they stay in memory, since they can be taken
    /// back.
    ///
    /// # Errors
    /// What keeps it from starting; then there is no recording either.
    pub fn start(setups: Vec<Setup>, path: Option<PathBuf>, recorder: Recorder) -> anyhow::Result<Running> {
        let started = match setups.as_slice() {
            [setup] if setup.driver == Driver::Threads => {
                Live::start(setup, path, &recorder, Direction::nobody()).map(Kind::Live)
            }
            _ => rehearse(setups, Some(recorder.clone()), Direction::nobody()).map(Kind::Virtual),
        };
        Running::begun(started, recorder)
    }

    /// Starts one run that is directed by a plan.
    ///
    /// # Errors
    /// As [`Running::start`].
    pub fn directed(setup: Setup, direction: Direction, recorder: Recorder) -> anyhow::Result<Running> {
        let started = match setup.driver {
            Driver::Threads => Live::start(&setup, None, &recorder, direction).map(Kind::Live),
            Driver::Simulation => rehearse(vec![setup], Some(recorder.clone()), direction).map(Kind::Virtual),
        };
        Running::begun(started, recorder)
    }

    /// Starts one run in virtual time that is directed by a plan and that nobody records.
    ///
    /// # Errors
    /// What keeps it from starting.
    pub fn rehearsed(setup: Setup, direction: Direction) -> anyhow::Result<Rehearsal> {
        rehearse(vec![Setup { driver: Driver::Simulation, ..setup }], None, direction)
    }

    fn begun(started: anyhow::Result<Kind>, recorder: Recorder) -> anyhow::Result<Running> {
        if started.is_err() {
            recorder.discard();
        }
        Ok(Running { kind: started?, recorder })
    }

    /// The events of the run as they are shown, in virtual time, where they can be taken back.
    pub fn events(&self) -> Option<Vec<Event>> {
        match &self.kind {
            Kind::Live(_) => None,
            Kind::Virtual(rehearsal) => Some(rehearsal.events(0)),
        }
    }

    /// Where it is recorded, if it is.
    pub fn recorded(&self) -> Option<PathBuf> {
        self.recorder.path()
    }

    /// The same run, to be handed to the screen.
    pub fn shown(&self) -> Box<dyn Run> {
        let recorder = self.recorder.clone();
        match self.kind.clone() {
            Kind::Live(run) => Box::new(Recorded { run, recorder }),
            Kind::Virtual(run) => Box::new(Recorded { run, recorder }),
        }
    }

    /// Closes the recording of a run that has ended, and says where it is, if there is one.
    pub fn close(&self) -> Option<PathBuf> {
        match self.board(0) {
            board if board.finished().is_some() => self.recorder.close(&board),
            _ => self.recorder.abandon(),
        }
        self.recorder.path()
    }

    /// The board of one side.
    pub fn board(&self, side: usize) -> Box<dyn Deref<Target = Board> + '_> {
        match &self.kind {
            Kind::Live(live) => Run::board(live, side),
            Kind::Virtual(rehearsal) => Run::board(rehearsal, side),
        }
    }

    /// Has the run end; deliveries on threads get this long.
    pub fn quit(&self, grace: Duration) {
        match &self.kind {
            Kind::Live(live) => live.handle.quit(grace),
            Kind::Virtual(rehearsal) => rehearsal.quit(),
        }
    }

    /// Waits at most `patience` for the end.
    pub fn wait_for(&self, patience: Duration) {
        match &self.kind {
            Kind::Live(live) => drop(live.handle.wait_for(patience)),
            Kind::Virtual(rehearsal) => _ = rehearsal.wait_for(patience),
        }
    }
}

/// Who directs a run, and how it ends.
pub struct Direction {
    /// Makes its plan; each take of a rehearsal gets one of its own.
    pub plan: PlanOf,
    /// Whether it is over when nothing more is to come.
    pub mode: Mode,
    /// Hears of its events on threads, once they were folded.
    pub listener: Option<Listener>,
}

/// Hears of the events of a run on threads, and may act on it.
pub type Listener = Box<dyn FnMut(&[Event], &Handle) + Send>;

impl Direction {
    /// Nobody directs it, and it goes on until somebody ends it.
    pub fn nobody() -> Direction {
        Direction { plan: Box::new(|_| plan::nothing()), mode: Mode::Interactive, listener: None }
    }
}

fn rehearse(setups: Vec<Setup>, recorder: Option<Recorder>, direction: Direction) -> anyhow::Result<Rehearsal> {
    let open = |setup: &Setup| {
        let store = launch::open(setup, None).map_err(|error| SinkError(format!("{error:#}")))?;
        let run = store.run();
        Ok((Arc::new(store) as Arc<dyn Sink>, run))
    };
    let keep = recorder.map(|recorder| Box::new(recorder) as Box<dyn Keep>);
    let Direction { plan, mode, .. } = direction;
    Ok(Rehearsal::start(Piece { keep, plan, mode, ..Piece::of(setups, Box::new(open)) })?)
}

/// A run on threads.
#[derive(Clone)]
pub struct Live {
    handle: Handle,
    board: Arc<Mutex<Board>>,
    version: Arc<AtomicU64>,
}

impl Live {
    fn start(setup: &Setup, path: Option<PathBuf>, recorder: &Recorder, direction: Direction) -> anyhow::Result<Live> {
        let store = launch::open(setup, path)?;
        let (board, version) = (Arc::new(Mutex::new(Board::new())), Arc::new(AtomicU64::new(0)));
        let alarm = Arc::new(OnceLock::new());
        let consumer = fold_and_watch(board.clone(), version.clone(), alarm.clone());
        let mut consumers = vec![consumer, recorder.consumer(board.clone(), |board| board)];
        consumers.extend(direction.listener.map(|listener| listen(listener, alarm.clone())));
        let handle = launch::start(setup, store, direction.mode, (direction.plan)(0), consumers)?;
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

/// Hands events to a listener together with the run, as soon as that is known.
fn listen(mut listener: Listener, run: Arc<OnceLock<Handle>>) -> Consumer {
    let mut early: Vec<Event> = Vec::new();
    Box::new(move |events| match run.get() {
        Some(handle) => {
            if !early.is_empty() {
                listener(&std::mem::take(&mut early), handle);
            }
            listener(events, handle);
        }
        None => early.extend_from_slice(events),
    })
}

/// A run that is recorded while it is shown.
pub struct Recorded<R> {
    /// The run.
    pub run: R,
    /// What records it.
    pub recorder: Recorder,
}

impl<R: Run> Run for Recorded<R> {
    fn sides(&self) -> usize {
        self.run.sides()
    }

    fn board(&self, side: usize) -> Box<dyn Deref<Target = Board> + '_> {
        self.run.board(side)
    }

    fn now(&self) -> Instant {
        self.run.now()
    }

    fn showing(&self) -> Showing {
        Showing { recorded: self.recorder.writes(), ..self.run.showing() }
    }

    fn act(&self, action: Action, by: By) -> Option<String> {
        self.run.act(action, by)
    }

    fn back(&self) -> Option<String> {
        self.run.back()
    }

    fn on_to_step(&self) -> Option<String> {
        self.run.on_to_step()
    }

    fn back_to_step(&self) -> Option<String> {
        self.run.back_to_step()
    }

    fn version(&self) -> u64 {
        // What is said beside the run changes what is shown too.
        self.run.version() ^ (u64::from(self.recorder.has_news()) << 63)
    }

    fn quit(&self, grace: Duration) {
        self.run.quit(grace);
    }

    fn ended(&self) -> bool {
        self.run.ended()
    }

    fn news(&self) -> Option<String> {
        self.recorder.news().or_else(|| self.run.news())
    }
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
        Showing { badge: Badge::Virtual, stopped: self.stopped(), speed: self.speed(), recorded: false }
    }

    fn act(&self, action: Action, by: By) -> Option<String> {
        Rehearsal::act(self, action, by)
    }

    fn back(&self) -> Option<String> {
        Some(Rehearsal::back(self))
    }

    fn on_to_step(&self) -> Option<String> {
        Rehearsal::on_to_step(self)
    }

    fn back_to_step(&self) -> Option<String> {
        Rehearsal::back_to_step(self)
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
