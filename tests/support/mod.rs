//! A lab for tests: starts a run, on real threads or in virtual time, over a real SQLite file, acts on it when something has happened, and
//! judges it by its events, by both witnesses, and by SQL of the test's own.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::disallowed_methods, reason = "a condition is waited for with a deadline in real time")]

pub mod is;
pub mod script;

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use onceish::action;
use onceish::board::Board;
use onceish::digest::Digest;
use onceish::driver::{Handle, Mode, simulation, threads};
use onceish::event::{By, Event, Finish, What};
use onceish::ids::{Job, Worker};
use onceish::policy::{AckOrder, Dedup, Setting, SettingName, Switch};
use onceish::request::FinalCounts;
use onceish::request::Sink;
use onceish::setup::{Driver, Poison, PoisonSpec, Setup};
use onceish::sink::{Target, open};
use onceish::time::{self, Span};
use script::Cue;

/// No condition is waited for longer than this.
const DEADLINE: Duration = Duration::from_secs(60);

/// A set-up under construction.
#[derive(Clone)]
pub struct Lab {
    pub setup: Setup,
    mode: Mode,
    in_memory: bool,
    pub script: Vec<Cue>,
}

/// A lab of `jobs` jobs with the headless defaults.
pub fn lab(jobs: u32) -> Lab {
    let mut setup = Setup::headless(1);
    setup.workload.jobs = Some(jobs);
    Lab { setup, mode: Mode::Headless, in_memory: false, script: Vec::new() }
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

    /// At this lab time, in seconds, somebody does this; `holder` means the worker that got the first job. The run goes
    /// on at least until all of it is done.
    pub fn at(mut self, seconds: f64, action: &str) -> Lab {
        self.script.push(Cue::new(seconds, action));
        self
    }

    /// Runs on threads and in virtual time and makes the same claims on both. What `judge` returns must be the same on
    /// both to the last figure.
    #[track_caller]
    pub fn on_both<T: PartialEq + Debug>(self, judge: impl Fn(&Ended) -> T) {
        let simulated = judge(&self.clone().on(Driver::Simulation).run());
        let real = judge(&self.on(Driver::Threads).run());
        assert_eq!(real, simulated, "threads and virtual time differ");
    }

    /// The run does not end by itself.
    pub fn interactive(mut self) -> Lab {
        self.mode = Mode::Interactive;
        self
    }

    /// Starts the run in a temporary folder that lives as long as the run. A script is left to whoever plays it on
    /// threads; idle time then passes instead of being jumped over, or its moments would be missed.
    pub fn start(mut self) -> Run {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sink.db");
        let target = if self.in_memory { Target::Memory } else { Target::File(path.clone()) };
        let store = open(target, self.setup.synchronous).expect("a sink");
        let seen = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
        let teller = seen.clone();
        let consumer = move |batch: &[Event]| {
            teller.0.lock().expect("no test panics with it").extend_from_slice(batch);
            teller.1.notify_all();
        };
        if !self.script.is_empty() && self.setup.driver == Driver::Threads {
            self.setup.idle_jump = Switch::Off;
            self.mode = Mode::Interactive;
        }
        let (run, speed, driver) = (store.run(), self.setup.speed, self.setup.driver);
        let consumers: Vec<onceish::driver::log::Consumer> = vec![Box::new(consumer)];
        let sink: Arc<dyn Sink> = Arc::new(store);
        let started = match driver {
            Driver::Threads => threads::start(self.setup, run, sink, self.mode, consumers),
            Driver::Simulation => simulation::start(self.setup, run, sink, script::plan(&self.script), consumers),
        };
        let handle = started.expect("it starts");
        Run { handle, seen, path, speed, driver, _folder: folder }
    }

    /// Runs to the end in virtual time over a sink in memory: quick, but nobody else can look into it.
    #[track_caller]
    pub fn simulate(mut self) -> Ended {
        self.in_memory = true;
        self.on(Driver::Simulation).run()
    }

    /// Runs to the end by itself, with its script played on the way.
    #[track_caller]
    pub fn run(self) -> Ended {
        let script = self.script.clone();
        let run = self.start();
        if run.driver == Driver::Threads && !script.is_empty() {
            run.play(&script);
            run.handle.end_when_settled();
        }
        let ended = run.end();
        if ended.virtually && script.iter().any(Cue::names_the_holder) {
            assert_eq!(script::holder(&ended.events), Some(script::FIRST), "the script has the wrong worker");
        }
        ended
    }
}

/// A run that goes on.
pub struct Run {
    pub handle: Handle,
    pub seen: Arc<(Mutex<Vec<Event>>, Condvar)>,
    path: PathBuf,
    speed: f64,
    driver: Driver,
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
        let virtually = self.driver == Driver::Simulation;
        let ended = Ended { how, events, board, virtually, path: self.path, _folder: self._folder };
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
    /// True when it ran in virtual time, so that moments are exact.
    pub virtually: bool,
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

    /// The moments of the events that are as `is` says, in lab seconds.
    pub fn moments(&self, is: impl Fn(&What) -> bool) -> Vec<f64> {
        self.events.iter().filter(|event| is(&event.what)).map(|event| event.at.seconds()).collect()
    }

    /// In virtual time such events come at exactly these moments, in lab seconds; on threads there are as many, each
    /// no earlier, since a real lab is late and never early.
    #[track_caller]
    pub fn comes_at(&self, moments: &[f64], is: impl Fn(&What) -> bool) {
        let came = self.moments(is);
        assert_eq!(came.len(), moments.len(), "{came:?} instead of {moments:?}");
        let near = |(came, wanted): (&f64, &f64)| {
            let off = came - wanted;
            if self.virtually { off.abs() < 1e-6 } else { off > -1e-6 }
        };
        assert!(came.iter().zip(moments).all(near), "{came:?} instead of {moments:?}");
    }

    /// The same where a late act makes things come earlier, as slowing down work does: on threads only the number counts.
    #[track_caller]
    pub fn comes_about(&self, moments: &[f64], is: impl Fn(&What) -> bool) {
        if self.virtually {
            return self.comes_at(moments, is);
        }
        let came = self.moments(is);
        assert_eq!(came.len(), moments.len(), "{came:?} instead of about {moments:?}");
    }

    /// The same for beats and what follows them, of which one more or less may fit in on threads: there nothing is
    /// claimed.
    #[track_caller]
    pub fn ticks_at(&self, moments: &[f64], is: impl Fn(&What) -> bool) {
        if self.virtually {
            self.comes_at(moments, is);
        }
    }

    /// The place in the log of the first event that is as `is` says.
    #[track_caller]
    pub fn place(&self, is: impl Fn(&What) -> bool) -> usize {
        self.events.iter().position(|event| is(&event.what)).expect("it happened")
    }

    /// When the first event that is as `is` says came.
    #[track_caller]
    pub fn time(&self, is: impl Fn(&What) -> bool) -> time::Instant {
        self.events[self.place(is)].at
    }

    /// How many deliveries were handed out.
    pub fn claims(&self) -> usize {
        self.count(|what| matches!(what, What::Claimed { .. }))
    }

    /// The worker that got the first job.
    #[track_caller]
    pub fn holder(&self) -> Worker {
        script::holder(&self.events).expect("a job was handed out")
    }

    /// Lost, once, duplicated, by SQL.
    pub fn fates(&self) -> (u64, u64, u64) {
        let counts = self.counts();
        (counts.lost, counts.once, counts.duplicated)
    }

    /// The digest of all that happened.
    pub fn digest(&self) -> String {
        let mut digest = Digest::default();
        digest.take(&self.events);
        digest.to_string()
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
