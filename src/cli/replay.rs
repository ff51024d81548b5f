//! `onceish replay`: a recording on the screen.

use std::path::Path;

use super::args::{ReplayArgs, ScreenArgs};
use super::failure::Failure;
use super::playing::Playing;
use super::screen::{failed, options, require_terminal};
use crate::recording::{Damage, Header, Player};
use crate::setup::Setup;
use crate::text::clean;
use crate::tui::replay::About;
use crate::tui::{self, Screen};

/// Plays a recording on the screen until the operator leaves. The result is the exit code.
///
/// # Errors
/// When the file cannot be read, is damaged or is no recording, with its line; when there is no terminal.
pub fn replay(args: &ReplayArgs) -> Result<u8, Failure> {
    let player = open(&args.file)?;
    require_terminal()?;
    show(player, &args.file, &args.screen)
}

/// Opens a recording.
///
/// # Errors
/// When the file cannot be read, is damaged or is no recording, with its line.
pub fn open(file: &Path) -> Result<Player, Failure> {
    Player::open(file).map_err(|damage| Failure::Usage(vec![located(file, &damage)]))
}

/// Where a file is damaged, and how: `FILE:LINE:COLUMN: WHAT`.
pub fn located(file: &Path, damage: &Damage) -> String {
    clean(&format!("{}:{damage}", file.display())).into_owned()
}

fn show(player: Player, file: &Path, look: &ScreenArgs) -> Result<u8, Failure> {
    let playing = Playing::start(about(&player, file), player)?;
    let left = tui::show(&options(look), |look| Ok(Screen::replay(Box::new(playing), look)));
    left.map(tui::Exit::code).map_err(failed)
}

/// What is told of a recording in a file.
pub fn about(player: &Player, file: &Path) -> About {
    let (name, title) = named(player.header(), file);
    About::of(player, name, title)
}

/// What was run: as the title row calls it, and with its seed.
pub fn named(header: &Header, file: &Path) -> (String, String) {
    let name = match &header.lab {
        Some(_) => lab_name(file),
        None if is_sandbox(&header.setup) => "sandbox".to_owned(),
        None => "run".to_owned(),
    };
    let title = format!("{name}, seed {}", header.seed);
    (name, title)
}

/// True for a set-up at the sandbox's pace: an endless stream.
fn is_sandbox(setup: &Setup) -> bool {
    setup.workload.jobs.is_none()
}

/// A lab by the name of its recording: `lab-08-memory-in-the-worker-s1-20261130T140203Z` is lab 08.
fn lab_name(file: &Path) -> String {
    let stem = file.file_stem().map_or("lab".into(), |stem| stem.to_string_lossy().into_owned());
    let words: Vec<&str> = stem.split('-').collect();
    match words.as_slice() {
        ["lab", number, ..] if number.bytes().all(|byte| byte.is_ascii_digit()) => format!("lab {number}"),
        _ => "lab".to_owned(),
    }
}
