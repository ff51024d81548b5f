//! The board: a pure fold of events into everything that screens and reports show.
//!
//! It knows events only. Whoever has the events of a run can rebuild it exactly, at any size and speed. `fold` takes an
//! event apart; `jobs`, `memory`, `workers`, `lanes`, `operator` and the rest each fold their own part of it; `view`
//! is what comes out, and a [`Tape`] has the board of any moment of a run.

mod anomalies;
mod arrivals;
mod audit;
mod backlog;
mod brief;
mod cell;
mod charges;
mod counters;
mod dead;
mod fold;
mod history;
mod invariants;
mod jobs;
mod lanes;
mod memory;
mod operator;
mod policies;
mod progress;
mod rates;
mod run;
mod series;
mod signal;
mod snapshots;
mod story;
mod struck;
mod tape;
mod tries;
mod truth;
mod undo;
mod verdict;
pub mod view;
mod why;
mod words;
mod workers;

use std::collections::{BTreeMap, VecDeque};

use crate::event::{Event, Finish};
use crate::ids::{Job, Worker};
use crate::policy::{Policy, Program};
use crate::request::FinalCounts;
use crate::setup::Setup;
use crate::time::{Instant, Span};

pub use snapshots::Snapshots;
pub use tape::Tape;
pub use view::*;

#[cfg(test)]
mod tests;

/// The fold of a run's events.
#[derive(Clone, Debug)]
pub struct Board {
    seq: u64,
    now: Instant,
    run: run::Run,
    policies: policies::Policies,
    counters: Counters,
    jobs: jobs::Jobs,
    memories: memory::Memories,
    workers: workers::Workers,
    lanes: lanes::Lanes,
    operator: operator::Operator,
    witness: audit::Witness,
    flow: rates::Flow,
    arrivals: arrivals::Arrivals,
    recent: history::Recent,
    lives: history::Lives,
    anomalies: anomalies::Anomalies,
    /// The lives that were asked for, kept whole.
    asked: BTreeMap<Job, history::Life>,
    dead: dead::DeadLetters,
    lists: struck::Lists,
    breaches: invariants::Breaches,
    /// The worker that wrote the latest effect, and for which job: what is told of the job's value belongs to it.
    last_writer: Option<(Worker, Job)>,
    /// The job that the event being folded settled.
    settled: Option<Job>,
}

impl Board {
    /// An empty board, to be folded from the event `started` on.
    pub fn new() -> Board {
        Board {
            seq: 0,
            now: Instant::START,
            run: run::Run::new(),
            policies: policies::Policies::new(Policy::default()),
            counters: Counters::default(),
            jobs: jobs::Jobs::default(),
            memories: memory::Memories::default(),
            workers: workers::Workers::default(),
            lanes: lanes::Lanes::default(),
            operator: operator::Operator::new(0),
            witness: audit::Witness::default(),
            flow: rates::Flow::new(),
            arrivals: arrivals::Arrivals::default(),
            recent: history::Recent::default(),
            lives: history::Lives::default(),
            anomalies: anomalies::Anomalies::default(),
            asked: BTreeMap::new(),
            dead: dead::DeadLetters::default(),
            lists: struck::Lists::default(),
            breaches: invariants::Breaches::default(),
            last_writer: None,
            settled: None,
        }
    }
    /// An empty board that will know the stories of these jobs, whatever else it forgets.
    pub fn that_follows(jobs: impl IntoIterator<Item = Job>) -> Board {
        Board { asked: jobs.into_iter().map(|job| (job, history::Life::default())).collect(), ..Board::new() }
    }
    /// Takes in the next event of the log.
    pub fn fold(&mut self, event: &Event) {
        self.fold_event(event);
    }
    /// The number of events folded; the sequence number of the next.
    pub fn seq(&self) -> u64 {
        self.seq
    }
    /// The time of the last event.
    pub fn now(&self) -> Instant {
        self.now
    }
    /// What the run started with, once it has.
    pub fn setup(&self) -> Option<&Setup> {
        self.run.setup.as_deref()
    }
    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        self.policies.current()
    }
    /// The program of the policy in force.
    pub fn program(&self) -> &Program {
        self.policies.program()
    }
    /// The counters.
    pub fn counters(&self) -> Counters {
        self.all_counters()
    }
    /// The counter of this name; `None` if there is none.
    pub fn counter(&self, name: &str) -> Option<u64> {
        self.counter_named(name)
    }
    /// The promise, and whether it was kept.
    pub fn verdict(&self) -> Verdict {
        verdict::verdict(self.policy().promise(), &self.jobs, &self.counters, &self.run)
    }
    /// Invariants that did not hold, in words; empty in a sound run.
    pub fn violations(&self) -> &[String] {
        self.breaches.texts()
    }
    /// How the run ended, and the final counts by SQL, once it has.
    pub fn finished(&self) -> Option<(&Finish, Option<&FinalCounts>)> {
        self.run.finish.as_ref().map(|(how, counts)| (how, counts.as_deref()))
    }
    /// Why the run is stuck, if it is.
    pub fn stuck(&self) -> Option<&str> {
        self.run.stuck.as_deref()
    }
    /// How often a worker had to wait for a lock that another program held on the database.
    pub fn lock_waits(&self) -> u64 {
        self.run.lock_waits
    }
    /// True while time is stopped.
    pub fn stopped(&self) -> bool {
        self.run.stopped
    }
    /// Lab seconds in a second of the wall clock.
    pub fn speed(&self) -> f64 {
        self.run.speed
    }
    /// How much lab time was jumped over.
    pub fn jumped(&self) -> Span {
        self.run.jumped
    }
    /// First attempts that a crash or failure list struck, for each of the set-up's `crash` and then `fail` entries
    /// that is a list: how many were struck, and how many had to be.
    pub fn struck(&self) -> Vec<(u64, u64)> {
        self.lists.view(self.jobs.enqueued())
    }
    /// What production monitoring could know at `now`.
    pub fn operator(&self, now: Instant) -> OperatorView {
        self.operator.view(now)
    }
    /// What the ledger says at `now`.
    pub fn truth(&self, now: Instant) -> TruthView {
        self.truth_view(now)
    }
    /// True when every audit so far agreed with the board, and the final one too.
    pub fn witnesses_agree(&self) -> bool {
        self.witness.agree()
    }
    /// The workers, in order of number, at `now`.
    pub fn workers(&self, now: Instant) -> Vec<WorkerView> {
        self.workers.view(&self.policies, now)
    }
    /// A worker's part of the timeline.
    pub fn lane(&self, worker: Worker) -> &Lane {
        self.lanes.lane(worker)
    }
    /// Captions and policy switches above the lanes, oldest first.
    pub fn notes(&self) -> &VecDeque<Note> {
        self.lanes.notes()
    }
    /// Marks that somebody set, oldest first.
    pub fn marks(&self) -> &[(Instant, String)] {
        &self.run.marks
    }
    /// What the lab said and asked and what was answered, oldest first.
    pub fn narration(&self) -> &[Narrated] {
        &self.run.narration
    }
    /// The DLQ, oldest first.
    pub fn dead_letters(&self) -> Vec<DeadView> {
        self.dead.view(|job| self.jobs.effects(job) > 0)
    }
    /// The latest events with their sequence numbers, oldest first; older ones are forgotten.
    pub fn recent(&self) -> &VecDeque<(u64, Event)> {
        self.recent.events()
    }
    /// What went wrong, oldest first, bounded; the oldest are forgotten first, the counters are not.
    pub fn anomalies(&self) -> &VecDeque<Anomaly> {
        self.anomalies.kept()
    }
    /// How many there were, forgotten ones too.
    pub fn anomalies_in_all(&self) -> u64 {
        self.kinds_of_anomalies().iter().map(|(_, count, _)| count).sum()
    }
    /// Of each kind of anomaly that there was: how many there were, forgotten ones too, and the first of them.
    pub fn kinds_of_anomalies(&self) -> Vec<(AnomalyKind, u64, Anomaly)> {
        let of = |kind| self.anomalies.of(kind).map(|(count, example)| (kind, count, example));
        anomalies::KINDS.into_iter().filter_map(of).collect()
    }
    /// The jobs that came to harm.
    pub fn harm(&self) -> &Harm {
        self.jobs.charges().harm()
    }
    /// Series for the sparklines up to `now`, the last `seconds` of them.
    pub fn rates(&self, now: Instant, seconds: usize) -> Rates {
        self.flow.view(now, seconds)
    }
    /// What became of a job, if that is decided: it is settled, or came to harm that nothing can undo. `None` while it is
    /// open, and for a job that has not arrived.
    pub fn outcome(&self, job: Job) -> Option<Fate> {
        self.decided(job)
    }
    /// What became of a job and how, in one sentence that names rows and workers; as long as its story is kept.
    pub fn brief(&self, job: Job) -> Option<String> {
        self.tell_briefly(job)
    }
    /// The job's story, if it is under way, came to harm, is dead, or is recent.
    pub fn story(&self, job: Job) -> Option<Story> {
        self.tell_story(job)
    }
}

impl<'a> Extend<&'a Event> for Board {
    /// Folds the events that come next.
    fn extend<T: IntoIterator<Item = &'a Event>>(&mut self, events: T) {
        events.into_iter().for_each(|event| self.fold(event));
    }
}

impl<'a> FromIterator<&'a Event> for Board {
    /// The fold of these events.
    fn from_iter<T: IntoIterator<Item = &'a Event>>(events: T) -> Board {
        let mut board = Board::new();
        board.extend(events);
        board
    }
}

impl Default for Board {
    fn default() -> Board {
        Board::new()
    }
}
