//! The words of the command line: commands and flags, with the help that each of them shows.
//!
//! A flag that was not given is empty here; what it then is depends on whether the run is headless, and is decided in
//! [`super::setup`].

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use super::export::{self, Kind, Moment, Size};
use super::values::{self, Deaths, Redeliver, Respawn, choice, named_value};
use crate::claims::compare::Spec;
use crate::claims::sweep::Sweep;
use crate::ids::Job;
use crate::policy::{AckOrder, Attempts, Backoff, Dedup, DedupKey, OnDead, OnLostLease, Ordering, Renewal, Values};
use crate::setup::{Driver, PoisonSpec, Rate, Strike, Synchronous, Work};
use crate::time::Span;

/// What a kill is, in the words that help and README share.
pub const ABOUT_KILLS: &str = "\
A thread cannot be killed from outside in Rust. Here \"kill\" means that the worker abandons what it does at once \
(its waits are interruptible), or at the named gap, and that its connection is dropped as it stands, so that SQLite \
rolls back what was open.";

/// What each exit code says.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    the promise held, or nothing was put to the test; also on leaving the screen
  1    the promise or an invariant was broken, or the two witnesses disagree
  2    usage
  3    inconclusive: stuck, cut short, or a fault that had to strike did not
  4    runtime error: files, locks, the disk
  129, 130, 143    ended by a hang-up, by ctrl-c, by SIGTERM";

/// What each exit code says of a command that measures and does not judge.
pub const MEASURING_CODES: &str = "\
Exit codes:
  0    measured, whatever was found
  1    an invariant was broken, or the two witnesses disagree
  2    usage
  3    inconclusive: stuck, or a fault that had to strike did not
  4    runtime error: files, locks, the disk
  129, 130, 143    ended by a hang-up, by ctrl-c, by SIGTERM";

/// What each exit code says of `verify`.
pub const VERIFY_CODES: &str = "\
Exit codes:
  0    every claim that was checked holds
  1    a claim fails
  2    usage
  4    runtime error: files, locks, the disk
  129, 130, 143    ended by a hang-up, by ctrl-c, by SIGTERM";

/// What each exit code says of `check`.
pub const CHECK_CODES: &str = "\
Exit codes:
  0    every lab is whole; warnings do not count
  2    usage, or a lab has an error
  4    runtime error: a file cannot be read";

/// What each exit code says of a lab.
pub const LAB_CODES: &str = "\
Exit codes:
  0    what the lab expects came, and was put to the test
  1    an expectation or an invariant was broken, or the two witnesses disagree
  2    usage, or the lab's file has an error
  3    inconclusive: what had to happen did not, a step never came, or a run was cut short
  4    runtime error: files, locks, the disk
  129, 130, 143    ended by a hang-up, by ctrl-c, by SIGTERM";
/// What each exit code says of `export`.
pub const EXPORT_CODES: &str = "\
Exit codes:
  0    done
  2    usage, or a recording that is damaged
  4    runtime error: files, the disk";

/// Where exports go, and what they look like.
pub const ABOUT_EXPORTS: &str = "\
Reports and drafts go to stdout, all else to a file beside the recording, with the ending of its kind, whose path is
printed. Nothing that is there is overwritten unless --force is given, and the recording itself never is.
What is made does not depend on the terminal: colours are those for a dark background unless --theme or --color says
otherwise, and lines are drawn with line characters unless --ascii is given.
A recording that was cut off at its end is exported up to there; one that is damaged elsewhere is refused.
--marks writes one picture for each mark: NAME-01.svg, NAME-02.svg and so on.";

/// What each exit code says of `replay`.
pub const REPLAY_CODES: &str = "\
Exit codes:
  0    the events come to what the recording says at its end; also on leaving the screen
  1    they do not, or an invariant was broken
  2    usage, no recording, or a damaged one
  3    it was cut off: it has no end that it could be held against
  4    runtime error: files, the terminal
  129, 130, 143    ended by a hang-up, by ctrl-c, by SIGTERM";

/// What each exit code says of `explain`.
pub const EXPLAIN_CODES: &str = "\
Exit codes:
  0    told
  2    usage, no recording, a damaged one, or one without that job";

/// What each exit code says of `rerun`.
pub const RERUN_CODES: &str = "\
Exit codes:
  0    the same again: every event in virtual time, on threads the fate of the jobs and the verdict
  1    something else came of it
  2    usage, no recording, or a damaged one
  4    runtime error: files, locks, the disk";

/// How a recording is run again.
pub const ABOUT_RERUNS: &str = "\
In virtual time every action is done again at its place among the events, and every event must come again. On threads
an action is done at its moment of lab time, so the order of events is never quite the same: where they part first is
told, and what is compared is how many jobs were lost, applied once, applied twice, dead and pending, and the verdict.";

/// How a policy is named, and where its workers die.
pub const ABOUT_POLICIES: &str = "\
A policy is a name, settings, or a name with settings:
  at-most-once                ack before, no dedup; its workers die after ack
  at-least-once               ack after, no dedup; after effect
  two-write, effect-then-key  ack after, effect and key in two transactions; after effect
  key-then-effect             the same the other way round; after key
  transactional               effect and key in one transaction; after effect
  window:N, ttl:D             the sink remembers so many, or so long; after commit
  per-worker                  the worker remembers; after commit
Another gap is named behind an @, as in two-write@key, or by at=key among settings.
The settings are ack, dedup, key, lease, renew, attempts, order, on-dead, on-lost-lease, fence and backoff, as in
--policy \"ack=after dedup=window:1000 lease=5s at=effect\". What a policy leaves open is as the policy flags say.";

/// What can be swept, and what is swept unless flags say otherwise.
pub const ABOUT_SWEEPS: &str = "\
Each parameter has a set-up of its own, which the flags change; all have 20,000 jobs and 8 workers:
  window        dedup window:N; a job arrives each second and takes no time; the page's 398 workers die after
                commit, and their jobs come back 1 to 2,000 jobs later
  lease         no dedup, no renewal, 2 attempts; work as the page has it
  renewal       the same at a lease of 5s; values are off, 1/3, 2x or a duration
  crash-rate    ack after, no dedup, or the --policy; workers die where that tells most, or at its gap
  max-attempts  30 % of the attempts fail after work, unless --crash, --fail or --poison is given
A range is written FROM..TO/STEP, as in window=100..2000/100 or lease=5s..60s/5s; there may be 50 values.";

/// A chaos lab for job delivery, in a terminal.
///
/// A real queue, real worker threads and a real SQLite sink, which you break while they run, to see what was lost, what
/// was done twice, and why. Without a command it opens home on this terminal: the sandbox, a course of labs, recordings.
#[derive(Debug, Parser)]
#[command(name = "onceish", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
#[command(after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    #[allow(missing_docs, reason = "the documentation of a flattened group would become the help of its owner")]
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the sandbox: on the screen, or with --headless to the end and a report
    #[command(after_long_help = format!("{ABOUT_KILLS}\n\n{EXIT_CODES}"), after_help = EXIT_CODES)]
    Run(Box<RunArgs>),
    /// Compute what becomes of a job whose worker dies in each gap of each program
    #[command(after_help = MEASURING_CODES)]
    Grid(GridArgs),
    /// Run one stream of jobs and deaths under several policies, and compare what came of it
    #[command(after_help = MEASURING_CODES, after_long_help = format!("{ABOUT_POLICIES}\n\n{MEASURING_CODES}"))]
    Compare(Box<CompareArgs>),
    /// Run the lab at each value of one parameter: a table, a plot, CSV or JSON
    #[command(after_help = MEASURING_CODES, after_long_help = format!("{ABOUT_SWEEPS}\n\n{MEASURING_CODES}"))]
    Sweep(Box<SweepArgs>),
    /// Re-derive every claim of the hands-on page through this engine; 1 if one fails
    #[command(after_help = VERIFY_CODES)]
    Verify(VerifyArgs),
    /// List the labs that come with the program
    Labs(LabsArgs),
    /// Read lab files and tell all that is wrong with them, without running anything
    #[command(after_help = CHECK_CODES)]
    Check(CheckArgs),
    /// Run a lab: a lesson on the screen, a check with --headless, line by line with --plain
    #[command(after_help = LAB_CODES)]
    Lab(LabArgs),
    /// Take a recording elsewhere: a terminal session, a picture, a report, a page or a draft of a lab
    #[command(after_help = EXPORT_CODES, after_long_help = format!("{ABOUT_EXPORTS}\n\n{EXPORT_CODES}"))]
    Export(ExportArgs),
    /// Play a recording: every panel at any moment of it; with --headless check that it comes to what it says itself
    #[command(after_help = REPLAY_CODES)]
    Replay(ReplayArgs),
    /// Tell the story of one job of a recording, as the key i does on the screen
    #[command(after_help = EXPLAIN_CODES)]
    Explain(ExplainArgs),
    /// Run a recording's set-up and actions again, and say where the two part
    #[command(after_help = RERUN_CODES, after_long_help = format!("{ABOUT_RERUNS}\n\n{RERUN_CODES}"))]
    Rerun(RerunArgs),
    /// Measure this machine: the lab beside a bare loop, both in the same run
    Bench,
    /// Say where everything is: files, versions, limits
    Info,
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Of one command, such as run, instead of the whole
        command: Option<String>,
    },
}

/// Everything that `run` takes.
#[derive(Args, Clone, Debug, Default)]
#[allow(missing_docs, reason = "the documentation of a flattened group would become the help of its owner")]
pub struct RunArgs {
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub workload: WorkloadArgs,
    #[command(flatten)]
    pub crash: CrashArgs,
    #[command(flatten)]
    pub faults: FaultArgs,
    #[command(flatten)]
    pub crew: CrewArgs,
    #[command(flatten)]
    pub running: RunningArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Everything that `grid` takes.
#[derive(Args, Clone, Debug, Default)]
#[allow(missing_docs, reason = "the documentation of a flattened group would become the help of its owner")]
pub struct GridArgs {
    /// Both acks with every way to recognise a duplicate, and the gap behind a last ack too
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
}

/// Everything that `compare` takes.
#[derive(Args, Clone, Debug, Default)]
#[allow(missing_docs, reason = "the documentation of a flattened group would become the help of its owner")]
pub struct CompareArgs {
    /// A policy to compare, with the gap in which its workers die, written as --help says; may be given more than once
    /// (default: at-most-once, at-least-once, two-write and transactional)
    #[arg(long = "policy", value_name = "P", value_parser = values::policy)]
    pub policies: Vec<Spec>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// Whose workers die, each in the gap of its policy: page (a fixed list of 398 jobs among the first 20,000), a rate
    /// such as 2% (each attempt), ids:1,5 or none (default: page)
    #[arg(long, value_name = "WHOM", value_parser = values::deaths, help_heading = "Faults")]
    pub crash: Option<Deaths>,
    #[command(flatten)]
    pub faults: FaultArgs,
    #[command(flatten)]
    pub crew: CrewArgs,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
    /// Show two policies side by side on this terminal, on one stream in virtual time at the sandbox's pace, so that what
    /// you do is done to both (default policies: two-write and transactional; nobody dies unless --crash is given)
    #[arg(long = "screen", conflicts_with = "json", help_heading = "Screen")]
    pub on_screen: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Everything that `sweep` takes.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "the documentation of a flattened group would become the help of its owner")]
pub struct SweepArgs {
    /// The parameter and its values: window, lease, renewal, crash-rate or max-attempts, as in window=100,1000,2000 or
    /// lease=5s..60s/5s. See --help for what is swept
    #[arg(value_name = "NAME=A,B,C", value_parser = values::sweep)]
    pub sweep: Sweep,
    /// Print a line of comma-separated figures for each value instead of table and plot
    #[arg(long, conflicts_with = "json", help_heading = "Measuring")]
    pub csv: bool,
    /// The policy, written as for compare; its gap is where a crash rate strikes
    #[arg(long = "policy", value_name = "P", value_parser = values::policy, help_heading = "Policy")]
    pub named: Option<Spec>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// Jobs of the crash lists come back LO to HI jobs later, drawn from SEED (17), or off: when their leases run out;
    /// it needs --rate and --jobs (default: 1..2000 for window, else off)
    #[arg(long, value_name = "LO..HI[,SEED]", value_parser = values::redeliver, help_heading = "Jobs")]
    pub redeliver: Option<Redeliver>,
    #[command(flatten)]
    pub crash: CrashArgs,
    #[command(flatten)]
    pub faults: FaultArgs,
    #[command(flatten)]
    pub crew: CrewArgs,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
}

/// Everything that `verify` takes.
#[derive(Args, Clone, Debug, Default)]
pub struct VerifyArgs {
    /// What drives the runs: simulation, in virtual time, or threads, which leave out the claims that only virtual time
    /// can make exact (default: simulation)
    #[arg(long, value_name = "WHAT", value_parser = named_value!(Driver))]
    pub driver: Option<Driver>,
    /// Print one JSON object instead of the text
    #[arg(long)]
    pub json: bool,
}

/// Everything that `labs` takes.
#[derive(Args, Clone, Debug, Default)]
pub struct LabsArgs {
    /// Print one JSON object instead of the list
    #[arg(long)]
    pub json: bool,
}

/// Everything that `check` takes.
#[derive(Args, Clone, Debug, Default)]
pub struct CheckArgs {
    /// Lab files, or labs that come with the program by number or name
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
}

/// Everything that `lab` takes.
#[derive(Args, Clone, Debug, Default)]
#[allow(missing_docs, reason = "the documentation of a flattened group would become the help of its owner")]
pub struct LabArgs {
    /// The lab: its number or name, as labs lists them, or a file
    #[arg(value_name = "NAME|FILE")]
    pub lab: String,
    #[command(flatten)]
    pub output: LabOutputArgs,
    /// Show it before an audience: one thought a screen
    #[arg(long, conflicts_with_all = ["headless", "plain", "json"], help_heading = "Screen")]
    pub present: bool,
    /// An answer to the question of step N; may be given more than once
    #[arg(long = "answer", value_name = "N=TEXT", value_parser = values::answer, help_heading = "Running")]
    pub answers: Vec<(u32, String)>,
    /// What drives its runs: threads or simulation, if its figures hold on both (default: the only one on which they do,
    /// else simulation)
    #[arg(long, value_name = "WHAT", value_parser = named_value!(Driver), help_heading = "Running")]
    pub driver: Option<Driver>,
    /// The source of every random decision, 0 to 2^63-1 (default: the lab's, with which its figures hold)
    #[arg(long, value_name = "S", value_parser = values::seed, help_heading = "Running")]
    pub seed: Option<u64>,
    /// Lab seconds in a second on threads, 0.1 to 100 (default: the lab's)
    #[arg(long, value_name = "X", value_parser = values::speed, help_heading = "Running")]
    pub speed: Option<f64>,
    /// Record the run of the first variant, or of --variant, in this new file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub record: Option<PathBuf>,
    /// Which variant's run --record records
    #[arg(long, value_name = "NAME", requires = "record", help_heading = "Output")]
    pub variant: Option<String>,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// What is told of a lab on stdout.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct LabOutputArgs {
    /// No screen: run it to its end, judge it and print a report
    #[arg(long)]
    pub headless: bool,
    /// No screen: tell it line by line and ask its questions on stdin
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// No screen: print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

impl LabOutputArgs {
    /// True when there is to be no screen.
    pub fn is_headless(&self) -> bool {
        self.headless || self.plain || self.json
    }
}

/// Everything that `replay` takes.
#[derive(Args, Clone, Debug, Default)]
#[allow(missing_docs, reason = "the documentation of a flattened group would become the help of its owner")]
pub struct ReplayArgs {
    /// The recording
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// No screen: read it to its end and report
    #[arg(long)]
    pub headless: bool,
    /// No screen: print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Everything that `explain` takes.
#[derive(Args, Clone, Debug, Default)]
pub struct ExplainArgs {
    /// The recording
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The number of the job
    #[arg(
        value_name = "JOB",
        required_unless_present = "all_anomalies",
        value_parser = values::job,
        allow_negative_numbers = true
    )]
    pub job: Option<Job>,
    /// Tell what went wrong instead: each kind with its count and one example
    #[arg(long, conflicts_with = "job")]
    pub all_anomalies: bool,
}

/// Everything that `rerun` takes.
#[derive(Args, Clone, Debug, Default)]
pub struct RerunArgs {
    /// The recording
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// What all commands that measure take.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Measuring")]
pub struct MeasuringArgs {
    /// The source of every random decision, 0 to 2^63-1 (default: 1)
    #[arg(long, value_name = "S", value_parser = values::seed)]
    pub seed: Option<u64>,
    /// What drives the runs: simulation, in virtual time, or threads (default: simulation)
    #[arg(long, value_name = "WHAT", value_parser = named_value!(Driver))]
    pub driver: Option<Driver>,
    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,
}

impl MeasuringArgs {
    /// The driver that was asked for.
    pub fn driver(&self) -> Driver {
        self.driver.unwrap_or(Driver::Simulation)
    }

    /// The seed that was asked for.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(super::comparison::SEED)
    }
}

/// The policy in force at the start.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Policy")]
pub struct PolicyArgs {
    /// Where the ack goes: before the work or after the effect (default: after)
    #[arg(long, value_name = "WHERE", value_parser = named_value!(AckOrder))]
    pub ack: Option<AckOrder>,
    /// How a duplicate is recognised: none, effect-then-key, key-then-effect, transactional, window:N, ttl:D or
    /// per-worker (default: transactional)
    #[arg(long, value_name = "HOW", value_parser = choice::<Dedup>)]
    pub dedup: Option<Dedup>,
    /// What the dedup key is made of (default: job)
    #[arg(long, value_name = "OF", value_parser = named_value!(DedupKey))]
    pub key: Option<DedupKey>,
    /// How long one delivery is leased, 1ms to 24h (default: 30s; on the screen 3s)
    #[arg(long, value_name = "D", value_parser = values::lease)]
    pub lease: Option<Span>,
    /// When the lease is renewed: off, 1/3 (three beats within it), 2x (too late) or every D (default: 1/3)
    #[arg(long, value_name = "WHEN", value_parser = choice::<Renewal>)]
    pub renew: Option<Renewal>,
    /// How often a job may be started before it is dead-lettered: a number or unlimited (default: 3)
    #[arg(long, value_name = "N", value_parser = choice::<Attempts>)]
    pub max_attempts: Option<Attempts>,
    /// What a worker does that learns that its lease is gone (default: continue)
    #[arg(long, value_name = "WHAT", value_parser = named_value!(OnLostLease))]
    pub on_lost_lease: Option<OnLostLease>,
    /// Which jobs wait for each other: none, or those of one order key (default: none)
    #[arg(long, value_name = "WHICH", value_parser = named_value!(Ordering))]
    pub order: Option<Ordering>,
    /// What happens to a key whose head is dead-lettered (default: skip)
    #[arg(long, value_name = "WHAT", value_parser = named_value!(OnDead))]
    pub on_dead: Option<OnDead>,
    /// The sink refuses a write whose token is lower than the last it saw for the job
    #[arg(long)]
    pub fence: bool,
    /// What an effect does with the value of its order key (default: off)
    #[arg(long, value_name = "WHAT", value_parser = named_value!(Values))]
    pub values: Option<Values>,
    /// The wait after a failure: D, or D,FACTOR or D,FACTOR,CAP (default: 1s,2,30s)
    #[arg(long, value_name = "D", value_parser = choice::<Backoff>)]
    pub backoff: Option<Backoff>,
}

/// The jobs and how they arrive.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Jobs")]
pub struct WorkloadArgs {
    /// How many jobs arrive, 1 to 10,000,000 (default: 1,000; on the screen, or with --for, endless)
    #[arg(long, value_name = "N", value_parser = values::jobs)]
    pub jobs: Option<u32>,
    /// The stream of jobs ends after D of lab time
    #[arg(long = "for", value_name = "D", value_parser = values::stream)]
    pub stream_for: Option<Span>,
    /// Jobs arriving in a second, evenly spaced (default: all at once; on the screen 1.2)
    #[arg(long, value_name = "R", value_parser = values::arrivals)]
    pub rate: Option<f64>,
    /// How long a job takes: D, D~P% (uniform around D), exp:D (exponential) or page (95 % with a mean of 2s, 5 %
    /// with one of 40s) (default: 0; on the screen 3s~20%)
    #[arg(long, value_name = "D", value_parser = choice::<Work>)]
    pub work: Option<Work>,
    /// Each job is due D after it arrives (default: 0)
    #[arg(long, value_name = "D", value_parser = values::span)]
    pub delay: Option<Span>,
    /// The number of order keys; the key of a job is its id modulo N (default: 8)
    #[arg(long, value_name = "N", value_parser = values::keys)]
    pub keys: Option<u32>,
    /// N jobs of the stream always fail; N:crash, they kill their worker; N:panic, their handler panics
    #[arg(long, value_name = "N[:HOW]", value_parser = choice::<PoisonSpec>)]
    pub poison: Option<PoisonSpec>,
}

/// Workers that die by themselves.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Faults")]
pub struct CrashArgs {
    /// Workers die at POINT: RATE@POINT (each attempt), ids:1,5@POINT, or page@POINT (a fixed list of 398 jobs among the
    /// first 20,000); may be given more than once
    #[arg(long, value_name = "WHOM@POINT", value_parser = choice::<Strike>)]
    pub crash: Vec<Strike>,
}

/// Other faults that strike by themselves.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Faults")]
pub struct FaultArgs {
    /// Deliveries fail at POINT: RATE@POINT (each attempt), ids:1,5@POINT, or page@POINT; may be given more than once
    #[arg(long, value_name = "WHOM@POINT", value_parser = choice::<Strike>)]
    pub fail: Vec<Strike>,
    /// The probability that a renewal is lost on its way, such as 0.02 or 2%
    #[arg(long, value_name = "P", value_parser = choice::<Rate>)]
    pub lose_beats: Option<Rate>,
    /// The probability that an ack is lost on its way
    #[arg(long, value_name = "P", value_parser = choice::<Rate>)]
    pub lose_acks: Option<Rate>,
    /// The probability, below 1, that the sink's answer is lost after its commit
    #[arg(long, value_name = "P", value_parser = values::rate_below_one)]
    pub lose_replies: Option<Rate>,
}

/// The workers.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Running")]
pub struct CrewArgs {
    /// The number of workers, 1 to 256 (default: 4)
    #[arg(long, value_name = "N", value_parser = values::workers)]
    pub workers: Option<u16>,
    /// How long after its death a worker is back, or off for never (default: 0; on the screen 5s)
    #[arg(long, value_name = "D", value_parser = values::respawn)]
    pub respawn: Option<Respawn>,
    /// The wait after every effect and key commit, so that a kill can land between (default: 0; on the screen 10ms)
    #[arg(long, value_name = "D", value_parser = values::span)]
    pub gap: Option<Span>,
}

/// Time and storage.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Running")]
pub struct RunningArgs {
    /// Lab seconds in a second, 0.1 to 100 (default: 1)
    #[arg(long, value_name = "X", value_parser = values::speed)]
    pub speed: Option<f64>,
    /// Whether the lab clock jumps to the next moment at which anything is due when nobody works (default: on; on the
    /// screen off)
    #[arg(long, value_name = "SWITCH", value_parser = named_value!(crate::policy::Switch))]
    pub idle_jump: Option<crate::policy::Switch>,
    /// The source of every random decision, 0 to 2^63-1 (default: drawn, and printed)
    #[arg(long, value_name = "S", value_parser = values::seed)]
    pub seed: Option<u64>,
    /// How SQLite syncs: normal, or full, where every commit is synced (default: normal)
    #[arg(long, value_name = "HOW", value_parser = named_value!(Synchronous))]
    pub synchronous: Option<Synchronous>,
    /// What drives the run: threads, or simulation, in virtual time, which can be taken back on the screen (default:
    /// threads)
    #[arg(long, value_name = "WHAT", value_parser = named_value!(Driver))]
    pub driver: Option<Driver>,
    /// Keep the effects in this SQLite file; a run is appended to one that exists (default: a temporary file)
    #[arg(long, value_name = "PATH", value_parser = clap::value_parser!(PathBuf))]
    pub db: Option<PathBuf>,
}

/// What is told on stdout.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// No screen: run to the end and print a report
    #[arg(long)]
    pub headless: bool,
    /// No screen: tell every event on a line of its own, then the report
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// No screen: print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
    /// Without a screen: record the run in this new file; on the screen every run is recorded anyway
    #[arg(long, value_name = "FILE", value_parser = clap::value_parser!(PathBuf))]
    pub record: Option<PathBuf>,
}

impl OutputArgs {
    /// True when there is to be no screen.
    pub fn is_headless(&self) -> bool {
        self.headless || self.plain || self.json
    }
}

/// How the screen looks.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Screen")]
pub struct ScreenArgs {
    /// The colours of the screen (default: auto, unless the settings say otherwise)
    #[arg(long, value_enum)]
    pub theme: Option<ThemeArg>,
    /// Draw lines with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Whether the screen has colours; auto asks NO_COLOR
    #[arg(long, value_enum, default_value_t)]
    pub color: ColorArg,
}

/// Everything that `export` takes.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "the documentation of a flattened group would become the help of its owner")]
pub struct ExportArgs {
    /// The recording
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What becomes of it
    #[arg(long, value_enum, value_name = "KIND")]
    pub to: Kind,
    /// Where it goes, - for stdout (default: stdout for md and lab, else a file beside the recording)
    #[arg(long, value_name = "PATH", value_parser = clap::value_parser!(PathBuf))]
    pub out: Option<PathBuf>,
    /// Overwrite what is there
    #[arg(long)]
    pub force: bool,
    /// The size of the screens in cells (default: 120x36)
    #[arg(long, value_name = "WxH", value_parser = export::size)]
    pub size: Option<Size>,
    /// The moment of the picture: a time such as 90s or 1:30, or a part such as 40% (default: the end)
    #[arg(long, value_name = "WHEN", value_parser = export::moment, conflicts_with = "marks")]
    pub at: Option<Moment>,
    /// A picture for each mark
    #[arg(long)]
    pub marks: bool,
    /// Lab seconds in a second of the session (default: 1, or more where it would last longer than two minutes)
    #[arg(long, value_name = "X", value_parser = export::speed)]
    pub speed: Option<f64>,
    /// The most frames in a second of the session, 1 to 60 (default: 10)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub fps: Option<u32>,
    /// What players make of a longer time in which nothing happens (default: 2s)
    #[arg(long, value_name = "D", value_parser = export::idle_limit)]
    pub idle_limit: Option<Span>,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// A theme by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ThemeArg {
    /// Dark or light as COLORFGBG says, else dark
    #[default]
    Auto,
    /// For a dark terminal
    Dark,
    /// For a light terminal
    Light,
    /// Without colours
    Mono,
}

/// When there are colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// Unless NO_COLOR is set to something
    #[default]
    Auto,
    /// Whatever NO_COLOR says
    Always,
    /// No colours
    Never,
}

/// Commands that take flags of `run` with other defaults, and those defaults.
const DEFAULTS: &[(&str, &[(&str, &str)])] = &[
    ("compare", &[("jobs", "20,000"), ("workers", "8"), ("ack", "after")]),
    (
        "sweep",
        &[
            ("jobs", "20,000"),
            ("workers", "8"),
            ("rate", "1 for window, else all at once"),
            ("work", "page for lease and renewal, else 0"),
            ("dedup", "transactional for max-attempts, else none"),
            ("lease", "5s for renewal, else 30s"),
            ("renew", "off for lease and renewal, else 1/3"),
            ("max_attempts", "2 for lease and renewal, else 3"),
        ],
    ),
];

/// The command line as a whole. A value may begin with a hyphen, so that `-1` is refused as a value, with its range,
/// and not as a flag.
pub fn command() -> clap::Command {
    let is_value = |arg: &clap::Arg| {
        arg.get_action().takes_values() && !["db", "record"].contains(&arg.get_id().as_str()) && !arg.is_positional()
    };
    let mut command = Cli::command();
    for name in ["run", "grid", "compare", "sweep", "lab"] {
        command = command.mut_subcommand(name, |command| {
            command.mut_args(|arg| if is_value(&arg) { arg.allow_hyphen_values(true) } else { arg })
        });
    }
    for (name, defaults) in DEFAULTS {
        command =
            command.mut_subcommand(name, |command| command.mut_args(|arg| with_defaults_of_its_own(arg, defaults)));
    }
    command
}

/// Says of a flag that `run` has too which default it has here: another one, or none for a screen.
fn with_defaults_of_its_own(arg: clap::Arg, defaults: &[(&str, &str)]) -> clap::Arg {
    let Some(help) = arg.get_help().map(ToString::to_string) else { return arg };
    let told = help.strip_suffix(')').and_then(|help| help.rsplit_once(" (default: "));
    let Some((what, default)) = told else { return arg };
    let own = defaults.iter().find(|(id, _)| arg.get_id() == id).map(|(_, own)| *own);
    let without_a_screen = default.split_once("; on the screen").map_or(default, |(headless, _)| headless);
    let default = own.unwrap_or(without_a_screen);
    let help = format!("{what} (default: {default})");
    arg.help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn commands_that_measure_tell_defaults_of_their_own_and_none_of_a_screen() {
        let help = |name: &str| {
            let help = command().find_subcommand_mut(name).expect("there").render_long_help().to_string();
            help.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for name in ["compare", "sweep", "grid"] {
            let help = help(name);
            assert!(!help.contains("on the screen"), "{help}");
            assert!(help.contains("0 measured, whatever was found"), "{help}");
        }
        assert!(help("compare").contains("1 to 10,000,000 (default: 20,000)"));
        assert!(help("compare").contains("1 to 256 (default: 8)"));
        assert!(help("sweep").contains("1ms to 24h (default: 5s for renewal, else 30s)"));
        assert!(help("run").contains("1ms to 24h (default: 30s; on the screen 3s)"));
    }

    #[test]
    fn help_says_what_a_kill_is_and_what_each_exit_code_means() {
        let mut command = command();
        let help = command.find_subcommand_mut("run").expect("there").render_long_help().to_string();
        let flat = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("A thread cannot be killed from outside in Rust"), "{help}");
        for code in ["0 ", "1 ", "2 ", "3 ", "4 ", "129, 130, 143"] {
            assert!(help.lines().any(|line| line.trim_start().starts_with(code)), "{code} in {help}");
        }
    }
}
