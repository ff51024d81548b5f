//! The terminal screen: the only place that knows ratatui and crossterm.
//!
//! It folds nothing and decides nothing: it draws a board, turns keys into actions and hands them on. It knows no
//! engine, sink or driver; whoever starts it hands in a [`Launcher`], which makes the [`Run`]s that it shows. It reads
//! no clock but the one of the run, and the timers of its own loop.

mod app;
mod canvas;
mod event_loop;
mod field;
mod fit;
#[cfg(test)]
mod fixture;
pub mod glyphs;
mod keyboard;
pub mod keys;
mod layout;
mod overlay;
mod painter;
pub mod panel;
mod screen;
mod signals;
mod terminal;
#[cfg(test)]
mod tests;
pub mod theme;
pub mod timeline;
mod view;
pub mod words;

use std::io::{self, IsTerminal};
use std::sync::MutexGuard;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use self::glyphs::Glyphs;
use self::theme::{ColourChoice, Environment, Look, Theme, ThemeChoice};
use crate::action::Action;
use crate::board::Board;
use crate::event::By;
use crate::time::Instant;

/// A run that goes on while it is shown.
pub trait Run: Send {
    /// The fold of what has happened so far. Held only while a frame is computed, never while it is written.
    fn board(&self) -> MutexGuard<'_, Board>;
    /// The lab clock.
    fn now(&self) -> Instant;
    /// Hands an action to the run; what comes of it is an event. `by` says whether a person asked for it.
    fn act(&self, action: Action, by: By);
    /// A number that grows with every event folded.
    fn version(&self) -> u64;
    /// Has the run end: no more claims, and whatever works on gets this long to finish. Returns at once.
    fn quit(&self, grace: Duration);
    /// True once the run has ended and all its events are folded.
    fn ended(&self) -> bool;
}

/// Starts runs: the first, and each that starts over with the same seed and set-up.
pub trait Launcher {
    /// Starts a run.
    fn launch(&self) -> anyhow::Result<Box<dyn Run>>;
    /// What is legal but will surprise, a sentence each.
    fn warnings(&self) -> &[String];
}

/// How the screen looks, as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The theme.
    pub theme: ThemeChoice,
    /// When colour is used.
    pub colour: ColourChoice,
    /// True for plain ASCII lines, also where line characters could be drawn.
    pub ascii: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { theme: ThemeChoice::Auto, colour: ColourChoice::Auto, ascii: false }
    }
}

impl Options {
    /// The look for these options in this environment.
    pub fn look(&self, environment: &Environment) -> Look {
        let glyphs = if self.ascii || environment.wants_ascii() { Glyphs::ASCII } else { Glyphs::UNICODE };
        Look::new(Theme::choose(self.theme, self.colour, environment), glyphs)
    }
}

/// Draws one frame of a run off the screen, `width` by `height` cells, as it stands at `now`.
pub fn paint(board: &Board, now: Instant, width: u16, height: u16, look: Look) -> Buffer {
    let area = Rect::new(0, 0, width, height);
    let mut app = app::App::new(look, area);
    app.absorb(board);
    let mut buffer = Buffer::empty(area);
    screen::draw(&mut buffer, &app, board, now);
    buffer
}

/// How the screen was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By `q`.
    Quit,
    /// By ctrl-c, or an interrupt from outside.
    Interrupted,
    /// By a request to terminate.
    Terminated,
    /// The terminal was closed.
    HungUp,
}

impl Exit {
    /// The exit code of the program.
    pub fn code(self) -> u8 {
        match self {
            Exit::Quit => 0,
            Exit::Interrupted => 130,
            Exit::Terminated => 143,
            Exit::HungUp => 129,
        }
    }
}

/// Why there is no screen, or none any more. The terminal has been given back.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Standard input or output is not a terminal.
    #[error("the screen needs a terminal; --headless runs without one")]
    NotATerminal,
    /// A run could not be started.
    #[error("{0:#}")]
    Launch(anyhow::Error),
    /// The terminal failed.
    #[error("the terminal failed: {0}")]
    Terminal(#[from] io::Error),
}

/// Shows a run until the operator leaves, the terminal closes or a signal ends it. Errors come before anything is
/// drawn where they can.
pub fn run(launcher: &dyn Launcher, options: &Options) -> Result<Exit, Error> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Error::NotATerminal);
    }
    let environment = Environment::read(|name| std::env::var(name).ok());
    let look = options.look(&environment);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let _panics = terminal::PanicGuard::install();
    runtime.block_on(event_loop::show(launcher, look))
}
