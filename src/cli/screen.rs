//! Opens the screen on runs, if there is a terminal for it.
//!
//! Leaving the screen is no verdict: whatever was broken in it was broken on purpose. Only a run that failed, or whose
//! figures cannot be trusted, is spoken of afterwards.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use super::account::Account;
use super::args::{ColorArg, ScreenArgs, ThemeArg};
use super::failure::{Failure, complain, print};
use super::headless::locked;
use super::last_time;
use super::outcome;
use super::recorder::Recorder;
use super::running::Running;
use super::settings::Settings;
use super::setup::Prepared;
use crate::event::Finish;
use crate::setup::Setup;
use crate::text::clean;
use crate::tui::theme::{ColourChoice, ThemeChoice};
use crate::tui::{self, Exit, Launcher, Options, Run};

/// How long a run that was told to end may take to write down how it ended, once there is no screen any more.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// How long the last line may take.
const FAREWELL: Duration = Duration::from_millis(500);

/// Refuses to open a screen where there is none, before a byte is written. `instead` names what does without.
pub fn require_terminal(instead: &str) -> Result<(), Failure> {
    let term_is_known = !cfg!(unix) || std::env::var_os("TERM").is_some_and(|term| !term.is_empty());
    let why = match (io::stdin().is_terminal(), io::stdout().is_terminal(), term_is_known) {
        (true, true, true) => return Ok(()),
        (_, false, _) => "stdout is not a terminal",
        (false, ..) => "stdin is not a terminal",
        (.., false) => "TERM is not set",
    };
    Err(Failure::Usage(vec![format!("{why}: use {instead}")]))
}

/// Shows runs of what was prepared until the operator leaves. The result is the exit code.
pub fn open(prepared: &Prepared, look: &ScreenArgs, path: Option<PathBuf>) -> Result<u8, Failure> {
    let settings = Settings::load()?;
    let stage = Stage::sandbox(prepared.setup.clone(), prepared.warnings.clone(), path, settings);
    let left = tui::run(&stage, &options(look, settings));
    finish(&stage, left, "run")
}

/// Shows two set-ups of the same stream side by side, in virtual time, until the operator leaves. The result is the exit
/// code.
pub fn compare(setups: [Setup; 2], warnings: &[String], look: &ScreenArgs) -> Result<u8, Failure> {
    let settings = Settings::load()?;
    let (setups, last) = (setups.into(), Mutex::default());
    let stage = Stage { setups, warnings: warnings.to_vec(), path: None, what: "compare", settings, last };
    let left = tui::compare(&stage, &options(look, settings));
    finish(&stage, left, "compare")
}

/// Lets the run that was shown last end, and says what came of it under the name of the command.
fn finish(stage: &Stage, left: Result<Exit, tui::Error>, command: &str) -> Result<u8, Failure> {
    if left.is_err() {
        stage.quit();
    }
    let closed = stage.close();
    let exit = left.map_err(failed)?;
    let (last, recording) = closed.unzip();
    let recording = recording.flatten();
    let sides = stage.setups.iter().enumerate();
    let accounts: Vec<Account> = last.map_or(Vec::new(), |running| {
        sides.map(|(side, setup)| Account::of(&running.board(side), setup, Duration::ZERO)).collect()
    });
    let spoilt = accounts.iter().find_map(outcome::spoilt);
    let code = spoilt.as_ref().filter(|_| exit == Exit::Quit).map_or(exit.code(), |outcome| outcome.code);
    let farewell = (exit != Exit::HungUp).then(|| farewell(command, &accounts, exit, recording.as_deref())).flatten();
    tell_in_time(farewell, spoilt.map(|outcome| format!("error: {}\n", outcome.reason)));
    Ok(code)
}

/// Why there is no screen, as a failure of the command.
pub fn failed(error: tui::Error) -> Failure {
    match error {
        tui::Error::NotATerminal => Failure::Usage(vec![error.to_string()]),
        tui::Error::Launch(error) => Failure::Runtime(error),
        tui::Error::Terminal(_) => Failure::Runtime(error.into()),
    }
}

/// How the screen was left, what came of the promise on each side, and the seed, which would be lost with the screen; and
/// where the recording is.
fn farewell(command: &str, accounts: &[Account], exit: Exit, recording: Option<&Path>) -> Option<String> {
    let first = accounts.first()?;
    let failed =
        accounts.iter().map(|account| &account.finish).find(|finish| matches!(finish, Some(Finish::Failed(_))));
    let left = match (failed.unwrap_or(&first.finish), exit) {
        (Some(Finish::Failed(_)), _) => "failed",
        (_, Exit::Interrupted) => "interrupted",
        (_, Exit::Terminated) => "terminated",
        (_, Exit::Quit | Exit::HungUp) => "left",
    };
    let letter = |side: usize| match (accounts.len(), side) {
        (1, _) => "",
        (_, 0) => "A ",
        _ => "B ",
    };
    let verdicts = accounts.iter().enumerate().map(|(side, Account { verdict, .. })| {
        let why = if verdict.why.is_empty() { String::new() } else { format!(": {}", clean(&verdict.why)) };
        format!("{}{}{why}; ", letter(side), verdict.word)
    });
    let verdicts: String = verdicts.collect();
    let recording = recording.map(|path| format!("recording  {}\n", clean(&path.to_string_lossy())));
    let line = format!("onceish {command}   {left}; {verdicts}seed {}\n", first.setup.seed);
    Some(line + &recording.unwrap_or_default())
}

/// Says this on stdout and that on stderr, and does not wait for a terminal that nobody reads.
#[allow(clippy::disallowed_methods, reason = "writing to a terminal blocks, and the end must not")]
fn tell_in_time(farewell: Option<String>, complaint: Option<String>) {
    let (said, done) = std::sync::mpsc::channel();
    let tell = move || {
        let _nobody_is_left_to_tell = farewell.map(|text| print(&text));
        if let Some(text) = complaint {
            complain(&text);
        }
        let _it_was_too_late = said.send(());
    };
    if std::thread::Builder::new().name("farewell".into()).spawn(tell).is_ok() {
        let _too_late_or_done = done.recv_timeout(FAREWELL);
    }
}

/// How the screen looks: as the flags say, and as the settings do where there is none.
pub fn options(look: &ScreenArgs, settings: Settings) -> Options {
    Options {
        theme: match look.theme.unwrap_or(settings.theme) {
            ThemeArg::Auto => ThemeChoice::Auto,
            ThemeArg::Dark => ThemeChoice::Dark,
            ThemeArg::Light => ThemeChoice::Light,
            ThemeArg::Mono => ThemeChoice::Mono,
        },
        colour: match look.color {
            ColorArg::Auto => ColourChoice::Auto,
            ColorArg::Always => ColourChoice::Always,
            ColorArg::Never => ColourChoice::Never,
        },
        ascii: look.ascii || settings.ascii,
    }
}

/// Where runs are started from, each with the same seed and set-ups.
pub struct Stage {
    /// The set-up of each side.
    setups: Vec<Setup>,
    warnings: Vec<String>,
    path: Option<PathBuf>,
    /// What is run, as the names of recordings have it.
    what: &'static str,
    settings: Settings,
    /// The run that was started last.
    last: Mutex<Option<Running>>,
}

/// What the sandbox is called among recordings.
const SANDBOX: &str = "sandbox";

impl Stage {
    /// Where the sandbox is opened; its effects go to the file at `path`, if there is one.
    pub fn sandbox(setup: Setup, warnings: Vec<String>, path: Option<PathBuf>, settings: Settings) -> Stage {
        Stage { setups: vec![setup], warnings, path, what: SANDBOX, settings, last: Mutex::default() }
    }

    /// Has the run that was started last end at once.
    fn quit(&self) {
        if let Some(running) = &*locked(&self.last) {
            running.quit(Duration::ZERO);
        }
    }

    /// Lets the run that was started last end, closes its recording and keeps the sandbox's set-up for the next time.
    /// The run, and where its recording is.
    pub fn close(&self) -> Option<(Running, Option<PathBuf>)> {
        let running = locked(&self.last).take()?;
        running.wait_for(LAST_WORDS);
        let path = running.close();
        if self.what == SANDBOX {
            last_time::save(&self.setups[0], running.board(0).policy());
        }
        Some((running, path))
    }
}

impl Launcher for Stage {
    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn launch(&self) -> anyhow::Result<Box<dyn Run>> {
        if let Some(before) = locked(&self.last).take() {
            before.close();
        }
        let first = &self.setups[0];
        let what = format!("{}-s{}", self.what, first.seed);
        let recorder = Recorder::on_shelf(&what, first, None, self.settings.recordings);
        let running = Running::start(self.setups.clone(), self.path.clone(), recorder)?;
        *locked(&self.last) = Some(running.clone());
        Ok(running.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::super::account::examples::{one_transaction, two_writes};
    use super::*;

    #[test]
    fn the_last_line_has_the_verdict_and_the_seed() {
        let said = |accounts: &[Account], exit| farewell("run", accounts, exit, None).expect("a last line");
        let left = said(&[two_writes()], Exit::Quit);
        assert_eq!(left, "onceish run   left; BROKEN: 398 jobs were applied twice; seed 13\n");
        let kept = said(&[one_transaction()], Exit::Interrupted);
        assert_eq!(kept, "onceish run   interrupted; KEPT; seed 13\n");
        let failed = Account { finish: Some(Finish::Failed("disk full".into())), ..one_transaction() };
        assert!(said(&[failed], Exit::Quit).starts_with("onceish run   failed; "));
        let path = Path::new("/home/a\u{1b}b/run.jsonl");
        let told = farewell("run", &[one_transaction()], Exit::Quit, Some(path)).expect("last lines");
        assert_eq!(told, "onceish run   left; KEPT; seed 13\nrecording  /home/ab/run.jsonl\n");
    }

    #[test]
    fn of_a_comparison_the_last_line_has_both_verdicts() {
        let left = farewell("compare", &[two_writes(), one_transaction()], Exit::Quit, None).expect("a last line");
        assert_eq!(left, "onceish compare   left; A BROKEN: 398 jobs were applied twice; B KEPT; seed 13\n");
    }
}
