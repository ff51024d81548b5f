//! A lab for tests: starts a run, on real threads or in virtual time, over a real SQLite file, acts on it when something has happened, and
//! judges it by its events, by both witnesses, and by SQL of the test's own.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::disallowed_methods, reason = "a condition is waited for with a deadline in real time")]

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use onceish::action;
use onceish::board::Board;
use onceish::driver::{Handle, Mode, simulation, threads};
use onceish::event::{By, Event, Finish, What};
use onceish::ids::{Job, Worker};
use onceish::policy::{AckOrder, Dedup, Setting, SettingName};
use onceish::request::FinalCounts;
use onceish::request::Sink;
use onceish::setup::{Driver, Poison, PoisonSpec, Setup};
use onceish::sink::{Target, open};
use onceish::time::Span;

/// No condition is waited for longer than this.
const DEADLINE: Duration = Duration::from_secs(60);

/// A set-up under construction.
#[derive(Clone)]
pub struct Lab {
    pub setup: Setup,
    mode: Mode,
}

/// A lab of `jobs` jobs with the headless defaults.
pub fn lab(jobs: u32) -> Lab {
    let mut setup = Setup::headless(1);
    setup.workload.jobs = Some(jobs);
    Lab { setup, mode: Mode::Headless }
}

impl Lab {
    pub fn workers(mut self, n: u16) -> Lab {
        self.setup.workers = n;
        self
    }

    pub fn ack(mut self, ack: AckOrder) -> Lab {
        self.setup.policy.ack = ack;
        self
    }

    pub fn dedup(mut self, dedup: Dedup) -> Lab {
        self.setup.policy.dedup = dedup;
        self
    }

    /// Settings as actions write them: `lease 10s, renew off`.
    pub fn with(mut self, settings: &str) -> Lab {
        for setting in settings.split(", ") {
            let (name, value) = setting.split_once(' ').expect("a name and a value");
            let name: SettingName = name.parse().expect("a setting");
            self.setup.policy.set(Setting::parse(name, value).expect("a value"));
        }
        self
    }

    /// Workers that die: `page@effect`, `ids:1,5@ack`.
    pub fn crash(mut self, strike: &str) -> Lab {
        self.setup.crash.push(strike.parse().expect("a strike"));
        self
    }

    pub fn fail(mut self, strike: &str) -> Lab {
        self.setup.fail.push(strike.parse().expect("a strike"));
        self
    }

    pub fn work(mut self, text: &str) -> Lab {
        self.setup.workload.work = text.parse().expect("a work time");
        self
    }

    /// Lab seconds in a second: fast enough for a test, slow enough that a lease is far longer than a delay of the
    /// machine.
    pub fn speed(mut self, x: f64) -> Lab {
        self.setup.speed = x;
        self
    }

    pub fn poison(mut self, count: u32, how: Poison) -> Lab {
        self.setup.workload.poison = Some(PoisonSpec { count, how });
        self
    }

    pub fn respawn(mut self, after: Option<Span>) -> Lab {
        self.setup.respawn = after;
        self
    }

    pub fn change(mut self, change: impl FnOnce(&mut Setup)) -> Lab {
        change(&mut self.setup);
        self
    }

    /// On one driver or the other: the same body makes the same claims on both.
    pub fn on(mut self, driver: Driver) -> Lab {
        self.setup.driver = driver;
        self
    }

    /// The run does not end by itself.
    pub fn interactive(mut self) -> Lab {
        self.mode = Mode::Interactive;
        self
    }

    /// Starts the run in a temporary folder that lives as long as the run.
    pub fn start(self) -> Run {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sink.db");
        let store = open(Target::File(path.clone()), self.setup.synchronous).expect("a sink");
        let seen = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
        let teller = seen.clone();
        let consumer = move |batch: &[Event]| {
            teller.0.lock().expect("no test panics with it").extend_from_slice(batch);
            teller.1.notify_all();
        };
        let run = store.run();
        let consumers: Vec<onceish::driver::log::Consumer> = vec![Box::new(consumer)];
        let sink: Arc<dyn Sink> = Arc::new(store);
        let started = match self.setup.driver {
            Driver::Threads => threads::start(self.setup, run, sink, self.mode, consumers),
            Driver::Simulation => simulation::start(self.setup, run, sink, Vec::new(), consumers),
        };
        let handle = started.expect("it starts");
        Run { handle, seen, path, _folder: folder }
    }

    /// Runs to the end by itself.
    pub fn run(self) -> Ended {
        self.start().end()
    }
}

/// A run that goes on.
pub struct Run {
    pub handle: Handle,
    seen: Arc<(Mutex<Vec<Event>>, Condvar)>,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Run {
    /// Does what an operator would, in the words of the grammar.
    pub fn act(&self, text: &str) -> &Run {
        self.handle.act(action::parse(text).expect("an action"), By::Operator);
        self
    }

    /// Waits until the events so far satisfy `happened`.
    #[track_caller]
    pub fn when(&self, what: &str, mut happened: impl FnMut(&[Event]) -> bool) -> &Run {
        let (events, told) = &*self.seen;
        let deadline = Instant::now() + DEADLINE;
        let mut events = events.lock().expect("no test panics with it");
        while !happened(&events) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it never happened that {what}; the last events were {:#?}", tail(&events));
            events = told.wait_timeout(events, left).expect("no test panics with it").0;
        }
        drop(events);
        self
    }

    /// Waits until some event is as `is` says.
    #[track_caller]
    pub fn sees(&self, what: &str, is: impl Fn(&What) -> bool) -> &Run {
        self.when(what, |events| events.iter().any(|event| is(&event.what)))
    }

    /// Waits until `worker` has claimed its first job and returns which.
    #[track_caller]
    pub fn first_job_of(&self, worker: Worker) -> Job {
        let mut job = None;
        self.when("the worker claims a job", |events| {
            job = events.iter().find_map(|event| match event.what {
                What::Claimed { w, j, .. } if w == worker => Some(j),
                _ => None,
            });
            job.is_some()
        });
        job.expect("just seen")
    }

    /// Waits for the end and gathers what there is to judge.
    #[track_caller]
    pub fn end(self) -> Ended {
        let how = self.handle.wait_for(DEADLINE).expect("the run ends within the deadline");
        let events = self.seen.0.lock().expect("no test panics with it").clone();
        let mut board = Board::new();
        events.iter().for_each(|event| board.fold(event));
        let ended = Ended { how, events, board, path: self.path, _folder: self._folder };
        ended.check_the_witnesses();
        ended
    }

    /// Quits with ample grace, then as [`Run::end`].
    #[track_caller]
    pub fn quit(self) -> Ended {
        self.handle.quit(Duration::from_secs(30));
        self.end()
    }
}

fn tail(events: &[Event]) -> &[Event] {
    &events[events.len().saturating_sub(12)..]
}

/// A run that is over.
pub struct Ended {
    pub how: Finish,
    pub events: Vec<Event>,
    pub board: Board,
    pub path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Ended {
    pub fn counts(&self) -> FinalCounts {
        self.events
            .iter()
            .find_map(|event| match &event.what {
                What::Finished { counts, .. } => counts.as_deref().copied(),
                _ => None,
            })
            .expect("a run ends with an audit")
    }

    /// How many events are as `is` says.
    pub fn count(&self, is: impl Fn(&What) -> bool) -> usize {
        self.events.iter().filter(|event| is(&event.what)).count()
    }

    /// Lost, once, duplicated, by SQL.
    pub fn fates(&self) -> (u64, u64, u64) {
        let counts = self.counts();
        (counts.lost, counts.once, counts.duplicated)
    }

    /// One number by SQL of the test's own, over a connection of its own.
    pub fn sql(&self, query: &str) -> i64 {
        let connection = rusqlite::Connection::open(&self.path).expect("the file is a database");
        connection.query_row(query, [], |row| row.get(0)).expect(query)
    }

    /// Ids by SQL of the test's own.
    pub fn ids(&self, query: &str) -> Vec<u32> {
        let connection = rusqlite::Connection::open(&self.path).expect("the file is a database");
        let mut statement = connection.prepare(query).expect(query);
        let rows = statement.query_map([], |row| row.get(0)).expect(query);
        rows.map(|row| row.expect("an id")).collect()
    }

    /// Board and SQL must agree at the end of every run, and every delivery has exactly one end.
    #[track_caller]
    fn check_the_witnesses(&self) {
        let counters = self.board.counters();
        let counts = self.counts();
        let board = (counters.lost, counters.once, counters.duplicated, counters.effects, counters.dead_applied);
        let sql = (counts.lost, counts.once, counts.duplicated, counts.rows, counts.dead_applied);
        assert_eq!(board, sql, "board and SQL differ");
        assert!(self.board.witnesses_agree(), "an audit differed");
        assert_eq!(self.board.violations(), [] as [String; 0]);
        let claimed = self.count(|what| matches!(what, What::Claimed { .. }));
        let ended = self.count(|what| matches!(what, What::Ended { .. }));
        assert_eq!(claimed, ended, "every delivery has exactly one end");
    }
}
