//! `onceish replay`: a recording on the screen.

use std::path::Path;

use super::args::ReplayArgs;
use super::failure::Failure;
use super::headless::{ProgressLine, shows_progress};
use super::playing::Playing;
use super::refold;
use super::screen::{failed, options, require_terminal};
use super::settings::Settings;
use crate::lab;
use crate::recording::{Header, Player};
use crate::text::clean;
use crate::tui::replay::About;
use crate::tui::{self, Screen};

/// So many bytes are read before anybody wonders.
const QUICK: u64 = 32_000_000;

/// Plays a recording on the screen until the operator leaves. The result is the exit code.
///
/// # Errors
/// When the file cannot be read, is damaged or is no recording, with its line; when there is no terminal.
pub fn replay(args: &ReplayArgs) -> Result<u8, Failure> {
    if args.headless || args.json {
        return refold::replay(args);
    }
    let player = open_slowly(&args.file)?;
    require_terminal("onceish replay --headless or --json")?;
    let settings = Settings::load()?;
    let playing = Playing::start(about(&player), player)?;
    let left = tui::show(&options(&args.screen, settings), |look| Ok(Screen::replay(Box::new(playing), look)));
    left.map(tui::Exit::code).map_err(failed)
}

/// Opens a recording.
///
/// # Errors
/// When the file cannot be read, is damaged or is no recording, with its line.
pub fn open(file: &Path) -> Result<Player, Failure> {
    Player::open(file).map_err(|damage| refold::damaged(file, &damage))
}

/// The same, and says so on stderr where it takes a while.
fn open_slowly(file: &Path) -> Result<Player, Failure> {
    let bytes = std::fs::metadata(file).map_or(0, |found| found.len());
    let mut line = ProgressLine::new(bytes > QUICK && shows_progress());
    line.show(&format!("reading {} MB", bytes / 1_000_000));
    let player = open(file);
    line.wipe();
    player
}

/// What is told of a recording.
pub fn about(player: &Player) -> About {
    let (name, title) = named(player.header());
    About::of(player, name, title)
}

/// What was run: as a title row calls it, and with its seed where that is the only difference.
pub fn named(header: &Header) -> (String, String) {
    if let Some(text) = &header.lab {
        let name = lab_named(text);
        return (name.clone(), name);
    }
    // The sandbox's stream has no end.
    let name = if header.setup.workload.jobs.is_none() { "sandbox" } else { "run" };
    (name.to_owned(), format!("{name}, seed {}", header.seed))
}

/// A lab by its text: `lab 08 memory in the worker` for one of the course, else by its title.
fn lab_named(text: &str) -> String {
    let title = |text: &str| lab::read("lab", text.as_bytes()).lab.map(|lab| lab.title);
    let of_course = lab::course().iter().find(|shipped| shipped.text == text);
    match of_course {
        Some(shipped) => format!("lab {:02} {}", shipped.number(), shipped.bare().replace('-', " ")),
        None => title(text).map_or("lab".to_owned(), |title| format!("lab {}", clean(&title))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;

    #[test]
    fn a_recording_is_named_by_what_was_run() {
        let sandbox = Header::of(&Setup::sandbox(249), None, 0);
        assert_eq!(named(&sandbox), ("sandbox".to_owned(), "sandbox, seed 249".to_owned()));
        let run = Header::of(&Setup::headless(7), None, 0);
        assert_eq!(named(&run).1, "run, seed 7");
        let lab = Header { lab: Some("no lab any more".to_owned()), ..run };
        assert_eq!(named(&lab).0, "lab");
    }
}
