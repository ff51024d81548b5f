//! The operator's view: what production monitoring could know.
//!
//! It is folded from [`Signal`]s alone, so it has no access to effects, keys or fates, and it stays green while the
//! ledger goes wrong. That is the first lesson.

use super::backlog::Backlog;
use super::series::Series;
use super::signal::Signal;
use super::view::{Light, OperatorView};
use crate::ids::{Job, Worker};
use crate::policy::Policy;
use crate::time::{Instant, Span};

/// Monitoring looks back this far.
const WINDOW: Span = Span::seconds(10);
const BUCKET: Span = Span::millis(100);
const BUCKETS: usize = (WINDOW.0 / BUCKET.0) as usize;

#[derive(Clone, Debug, Default)]
struct Process {
    up: bool,
    /// Its last message to the queue, or its start.
    heard: Option<Instant>,
    /// How often it should be heard while it holds a job.
    beat: Option<Span>,
    holding: bool,
}

impl Process {
    /// How long it has been silent, and by how much that is too long.
    fn silence(&self, now: Instant) -> Option<(Span, Span)> {
        let silent = now.since(self.heard?);
        let beat = self.beat.filter(|_| self.holding);
        match (self.up, beat) {
            (false, beat) => Some((silent, silent.saturating_sub(beat.unwrap_or(Span::ZERO)))),
            (true, Some(beat)) if silent > beat.scaled(3, 2) => Some((silent, silent.saturating_sub(beat))),
            _ => None,
        }
    }
}

/// The fold of what monitoring hears.
#[derive(Clone, Debug)]
pub(super) struct Operator {
    backlog: Backlog,
    processes: Vec<Process>,
    arrivals: Series,
    acks: Series,
    errors: Series,
    redeliveries: u64,
    failed: u64,
    dead: u64,
    dead_newest: Option<Instant>,
}

impl Operator {
    /// Watches `workers` workers.
    pub fn new(workers: usize) -> Operator {
        let series = || Series::new(BUCKET, BUCKETS + 1);
        Operator {
            backlog: Backlog::default(),
            processes: vec![Process::default(); workers],
            arrivals: series(),
            acks: series(),
            errors: series(),
            redeliveries: 0,
            failed: 0,
            dead: 0,
            dead_newest: None,
        }
    }

    /// Takes in a signal; `policy` is the configuration in force. For a job that is handed out, says how long it had
    /// been ready.
    pub fn fold(&mut self, at: Instant, signal: Signal, policy: &Policy) -> Option<Span> {
        match signal {
            Signal::Arrived { job, due } => {
                self.arrivals.add(at);
                self.backlog.arrive(job, due);
            }
            Signal::HandedOut { worker, job, again, lease } => {
                self.redeliveries += u64::from(again);
                self.hear(worker, at, |process| {
                    process.holding = true;
                    process.beat = policy.renew.interval(lease);
                });
                return self.backlog.leave(job).map(|ready| at.since(ready));
            }
            Signal::Heard { worker } => self.hear(worker, at, |_| {}),
            Signal::Acked { worker } => {
                self.acks.add(at);
                self.hear(worker, at, |process| process.holding = false);
            }
            Signal::GivenBack { worker, job, until } => {
                self.hear(worker, at, |process| process.holding = false);
                self.backlog.wait(job, until.unwrap_or(at));
            }
            Signal::Refused { worker } => self.hear(worker, at, |process| process.holding = false),
            Signal::ReadyAgain { job } => self.backlog.wait(job, at),
            Signal::Over { worker, error } => self.over(worker, error, at),
            Signal::Dead { job } => self.bury(job, at),
            Signal::Redriven { job } => {
                self.dead = self.dead.saturating_sub(1);
                self.backlog.wait(job, at);
            }
            Signal::Down { worker } => self.supervise(worker, at, false),
            Signal::Up { worker } => self.supervise(worker, at, true),
        }
        None
    }

    fn hear(&mut self, worker: Worker, at: Instant, change: impl FnOnce(&mut Process)) {
        let process = &mut self.processes[worker.index()];
        process.heard = Some(at);
        change(process);
    }

    fn over(&mut self, worker: Worker, error: bool, at: Instant) {
        self.processes[worker.index()].holding = false;
        if error {
            self.failed += 1;
            self.errors.add(at);
        }
    }

    fn bury(&mut self, job: Job, at: Instant) {
        self.backlog.leave(job);
        self.dead += 1;
        self.dead_newest = Some(at);
    }

    fn supervise(&mut self, worker: Worker, at: Instant, up: bool) {
        let process = &mut self.processes[worker.index()];
        process.up = up;
        if up {
            process.holding = false;
            process.heard = Some(at);
        }
    }

    /// The run failed, and its workers are gone with it.
    pub fn all_down(&mut self) {
        self.processes.iter_mut().for_each(|process| process.up = false);
    }

    /// What a screen of monitoring shows at `now`.
    pub fn view(&self, now: Instant) -> OperatorView {
        let silences =
            || self.processes.iter().enumerate().filter_map(move |(i, process)| Some((i, process.silence(now)?)));
        let silent = silences().max_by_key(|(i, (_, beyond))| (*beyond, std::cmp::Reverse(*i)));
        let workers = self.processes.len();
        let down = self.processes.iter().filter(|process| !process.up || process.silence(now).is_some()).count();
        let errors_recent = self.errors.sum(BUCKETS, now);
        let dead_newest = self.dead_newest.filter(|_| self.dead > 0).map(|at| now.since(at));
        let oldest = self.backlog.oldest(now);
        OperatorView {
            backlog_light: look_if(oldest.is_some_and(|age| age > WINDOW)),
            backlog: self.backlog.waiting(),
            oldest,
            flow_light: look_if(self.is_stalled(now)),
            arrivals: self.rate(&self.arrivals, now),
            acks: self.rate(&self.acks, now),
            redeliveries: self.redeliveries,
            workers_light: if workers > 0 && down == workers { Light::Bad } else { look_if(down > 0) },
            up: workers - down,
            workers,
            silent: silent.map(|(i, (silent, _))| (Worker::at(i), silent)),
            errors_light: look_if(errors_recent > 0),
            errors_recent,
            errors: self.failed,
            dead_light: look_if(dead_newest.is_some_and(|age| age < WINDOW)),
            dead: self.dead,
            dead_newest,
        }
    }

    /// Jobs have been ready for a while and nothing was acked meanwhile.
    fn is_stalled(&self, now: Instant) -> bool {
        self.backlog.oldest(now).is_some_and(|age| age > WINDOW) && self.acks.sum(BUCKETS, now) == 0
    }

    /// A second, over the last 10 s or what there is of them, but at least over one.
    fn rate(&self, series: &Series, now: Instant) -> f64 {
        let span = now.since(Instant::START).min(WINDOW).max(Span::seconds(1));
        series.sum(BUCKETS, now) as f64 / span.as_seconds()
    }
}

fn look_if(look: bool) -> Light {
    if look { Light::Look } else { Light::Ok }
}
