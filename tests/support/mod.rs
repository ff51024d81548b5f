//! A lab for tests: starts a run, on real threads or in virtual time, over a real SQLite file, acts on it when something
//! has happened, and judges it by its events, by both witnesses, and by SQL of the test's own.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::disallowed_methods, reason = "a condition is waited for with a deadline in real time")]

mod ended;
pub mod is;
pub mod recorded;
pub mod script;

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

pub use ended::Ended;
use onceish::action;
use onceish::driver::plan::{self, Planned, When};
use onceish::driver::simulation;
use onceish::driver::{Handle, Mode, threads};
use onceish::event::{By, Event};
use onceish::ids::Job;
use onceish::policy::{AckOrder, Dedup, Point, Setting, SettingName, Switch};
use onceish::request::Sink;
use onceish::setup::{Driver, Poison, PoisonSpec, Setup};
use onceish::sink::{Target, open};
use onceish::time::Span;
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
    /// What is done at points of jobs, which only virtual time can plan.
    at_points: Vec<Planned>,
}

/// A lab of `jobs` jobs with the headless defaults.
pub fn lab(jobs: u32) -> Lab {
    let mut setup = Setup::headless(1);
    setup.workload.jobs = Some(jobs);
    Lab { setup, mode: Mode::Headless, in_memory: false, script: Vec::new(), at_points: Vec::new() }
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

    /// As soon as this attempt at this job has passed the point somebody does this; in virtual time only.
    pub fn at_point(mut self, job: u32, attempt: u32, point: Point, action: &str) -> Lab {
        let when = When::Passes { job: Job(job), attempt, point };
        self.at_points.push(script::planned(when, action));
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
            Driver::Threads => threads::start(self.setup, run, sink, self.mode, plan::nothing(), consumers),
            Driver::Simulation => {
                let plan = [script::plan(&self.script), self.at_points].concat();
                simulation::start(self.setup, run, sink, plan.into(), consumers)
            }
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

    /// Waits for the end and gathers what there is to judge.
    #[track_caller]
    pub fn end(self) -> Ended {
        let how = self.handle.wait_for(DEADLINE).expect("the run ends within the deadline");
        let events = self.seen.0.lock().expect("no test panics with it").clone();
        Ended::new(how, events, self.driver == Driver::Simulation, self.path, self._folder)
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
