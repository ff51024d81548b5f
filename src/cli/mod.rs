//! The commands. They only wire the other rooms together: flags to a set-up, a run to a report, a result to an exit
//! code.
//!
//! In reading order: [`args`] has the words of the command line and [`values`] reads what flags are given; [`setup`]
//! puts them together and checks them; [`launch`] makes a run of them, which [`headless`] watches and tells, by way of
//! an [`account`], an [`outcome`] and one of [`report`], [`json`] and [`plain`]. [`runner`] makes the many runs of a
//! comparison, which [`comparison`] waits for and judges, and [`running`] those that
//! [`screen`] shows. [`replay`] opens recordings, which [`playing`] plays; [`home`] opens all of them.

pub mod account;
pub mod args;
pub mod bench;
pub mod check;
pub mod compare;
pub mod comparison;
pub mod diagnostics;
pub mod explain;
pub mod export;
pub mod failure;
pub mod grid;
pub mod headless;
pub mod home;
pub mod info;
pub mod json;
pub mod lab;
pub mod labs;
pub mod last_time;
pub mod launch;
pub mod lesson;
pub mod manual;
pub mod measure;
pub mod outcome;
pub mod places;
pub mod plain;
pub mod playing;
pub mod plot;
pub mod progress;
pub mod recorder;
pub mod refold;
pub mod replay;
pub mod report;
pub mod rerun;
pub mod runner;
pub mod running;
pub mod scores;
pub mod screen;
pub mod settings;
pub mod setup;
pub mod signals;
pub mod sweep;
pub mod values;
pub mod verify;
pub mod words;

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::process::ExitCode;

use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use args::{Cli, Command, RunArgs};
use failure::Failure;
use headless::Telling;

use crate::setup::Driver;
use crate::text::nearest;

/// What is said of `--record` where there is a screen.
const RECORDED_ANYWAY: &str = "every run on the screen is recorded, and its file is named on leaving: add --headless, \
                               --plain or --json to --record";

/// Does what the command line says. The result is the exit code of the program.
pub fn main() -> ExitCode {
    let done = parse().and_then(|cli| match cli {
        Some(cli) => dispatch(cli),
        None => Ok(0),
    });
    ExitCode::from(done.unwrap_or_else(|failure| {
        failure.tell();
        failure.code()
    }))
}

/// Reads the command line; `None` when it asked for help or the version, which were then given.
fn parse() -> Result<Option<Cli>, Failure> {
    let parsed = args::command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(cli) => Ok(Some(cli)),
        Err(answer) if !answer.use_stderr() => failure::print(&answer.render().to_string()).map(|()| None),
        Err(mut error) => {
            suggest(&mut error);
            let text = error.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            Err(Failure::Usage(vec![text.trim_end().to_owned()]))
        }
    }
}

/// Has clap name the command that was meant, where it knows none near enough, and the one that a flag belongs to.
fn suggest(error: &mut clap::Error) {
    let run = args::command();
    let wrong = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand if error.get(ContextKind::SuggestedSubcommand).is_none() => {
            let word = wrong(ContextKind::InvalidSubcommand).unwrap_or_default();
            if let Some(meant) = nearest(&word, run.get_subcommands().map(clap::Command::get_name)) {
                let meant = ContextValue::Strings(vec![meant.to_owned()]);
                error.insert(ContextKind::SuggestedSubcommand, meant);
            }
        }
        ErrorKind::UnknownArgument if std::env::args().nth(1).is_some_and(|first| first.starts_with('-')) => {
            let flag = wrong(ContextKind::InvalidArg).unwrap_or_default();
            let run = run.find_subcommand("run");
            let is_it = |arg: &clap::Arg| arg.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long));
            if run.is_some_and(|run| run.get_arguments().any(is_it)) {
                error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("onceish run {flag}")));
            }
        }
        _ => {}
    }
}

fn dispatch(cli: Cli) -> Result<u8, Failure> {
    let screen = cli.screen;
    let Some(command) = cli.command else { return home::home(&screen) };
    match command {
        Command::Run(args) => run(*args),
        Command::Grid(args) => grid::grid(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::Labs(args) => labs::labs(&args),
        Command::Check(args) => check::check(&args),
        Command::Replay(args) => replay::replay(&args),
        Command::Lab(args) => lab::lab(&args),
        Command::Export(args) => export::export(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Rerun(args) => rerun::rerun(&args),
        Command::Bench => bench::bench().map(|()| 0),
        Command::Info => failure::print(&info::info()).map(|()| 0),
        Command::Completions { shell } => print_bytes(&manual::completions(shell)),
        Command::Man { command } => print_bytes(&manual::page(command.as_deref())?),
    }
}

fn print_bytes(bytes: &[u8]) -> Result<u8, Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(Failure::stdout).map(|()| 0)
}

fn run(args: RunArgs) -> Result<u8, Failure> {
    let prepared = setup::prepare(&args, draw_seed).map_err(Failure::Usage)?;
    if let (Some(record), Some(db)) = (&args.output.record, &args.running.db)
        && record == db
    {
        return Err(Failure::Usage(vec!["--record and --db name the same file".to_owned()]));
    }
    let telling = match (args.output.plain, args.output.json) {
        (true, _) => Telling::Plain,
        (_, true) => Telling::Json,
        _ => Telling::Report,
    };
    if !args.output.is_headless() {
        if args.output.record.is_some() {
            return Err(Failure::Usage(vec![RECORDED_ANYWAY.to_owned()]));
        }
        if prepared.setup.driver == Driver::Simulation && args.running.db.is_some() {
            let why = "on the screen a run in virtual time can be taken back, so it leaves no database: add --headless, \
                       --plain or --json to --db, or leave out --driver simulation";
            return Err(Failure::Usage(vec![why.to_owned()]));
        }
        screen::require_terminal("onceish run --headless, --plain or --json")?;
    }
    let _notes_reach_their_file_when_this_is_dropped = diagnostics::start();
    diagnostics::note_panics_of_workers();
    tracing::info!(seed = prepared.setup.seed, workers = prepared.setup.workers, "a run begins");
    if args.output.is_headless() {
        launch::headless(&prepared, telling, args.running.db, args.output.record.as_deref())
    } else {
        screen::open(&prepared, &args.screen, args.running.db)
    }
}

/// A seed that is short enough to be typed again.
fn draw_seed() -> u64 {
    #[allow(clippy::disallowed_methods, reason = "a run without a seed draws one, which all else then comes from")]
    let chance = RandomState::new();
    chance.hash_one("seed") % 1_000_000
}
