//! The terminal screen: the only place that knows ratatui and crossterm.
//!
//! It folds nothing and decides nothing: it draws a board, turns keys into actions and hands them on. It knows no
//! engine, sink or driver; whoever starts it hands in a [`Launcher`], which makes the [`Run`]s that it shows. It reads
//! no clock but the one of the run, and the timers of its own loop.

mod app;
mod canvas;
mod compare;
mod event_loop;
mod exhibit;
mod field;
mod fit;
#[cfg(test)]
mod fixture;
pub mod glyphs;
pub mod home;
mod keyboard;
pub mod keys;
mod layout;
pub mod lesson;
mod overlay;
mod painter;
pub mod panel;
pub mod picture;
mod present;
pub mod replay;
mod screen;
mod signals;
mod terminal;
#[cfg(test)]
mod tests;
pub mod theme;
pub mod timeline;
mod view;
mod watch;
pub mod words;

use std::io::{self, IsTerminal};
use std::ops::Deref;
use std::rc::Rc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use self::glyphs::Glyphs;
use self::theme::{ColourChoice, Environment, Look, Theme, ThemeChoice};
use crate::action::Action;
use crate::board::Board;
use crate::event::By;
use crate::time::Instant;

/// A run that goes on while it is shown; or two, side by side, on the same stream.
pub trait Run: Send {
    /// How many sides there are: 1, or 2 in a comparison.
    fn sides(&self) -> usize;
    /// The fold of one side as it is shown. Held only while a frame is computed or a key is taken, never while anything
    /// is written; meanwhile nothing but the other side's board is asked of the run.
    fn board(&self, side: usize) -> Box<dyn Deref<Target = Board> + '_>;
    /// The moment that is shown.
    fn now(&self) -> Instant;
    /// What the title row says of it.
    fn showing(&self) -> Showing;
    /// Hands an action to every side; `by` says whether a person asked for it. What comes of it is an event; what is no
    /// event of the run (the pace of virtual time) is said at once.
    fn act(&self, action: Action, by: By) -> Option<String>;
    /// Takes the last event back, where time can be taken back, and says what came of it. `None`: time cannot be taken
    /// back here.
    fn back(&self) -> Option<String>;
    /// Goes on, at once, to where a plan says something next, or to the end, and time stands there. Says what came of it
    /// if there is nothing to go on to; a run that only goes by itself cannot be led.
    fn on_to_step(&self) -> Option<String> {
        Some("this run goes by itself".to_owned())
    }
    /// Goes back to where a plan said something before. Says what came of it if it said nothing.
    fn back_to_step(&self) -> Option<String> {
        Some("this run goes by itself".to_owned())
    }
    /// A number that changes whenever what is shown has changed.
    fn version(&self) -> u64;
    /// Has the run end: no more claims, and whatever works on gets this long to finish. Returns at once.
    fn quit(&self, grace: Duration);
    /// True once the run has ended and all its events are folded.
    fn ended(&self) -> bool;
    /// What happened beside the run that the operator has to know, in words; each is given out once.
    fn news(&self) -> Option<String> {
        None
    }
}

/// What kind of time is shown, and how it goes. In virtual time the pace is no event of the run, so no board knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Showing {
    /// What kind of run it is.
    pub badge: Badge,
    /// True while time stands.
    pub stopped: bool,
    /// Lab seconds in a second of the wall clock.
    pub speed: f64,
    /// True while it is being recorded.
    pub recorded: bool,
}

impl Showing {
    /// A live run, whose pace is told by its own events.
    pub fn live(board: &Board) -> Showing {
        Showing { badge: Badge::Live, stopped: board.stopped(), speed: board.speed(), recorded: false }
    }
}

/// What kind of run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Badge {
    /// It happens now, on threads.
    Live,
    /// It is computed in virtual time, and can be taken back.
    Virtual,
    /// It has happened, and is shown again.
    Replay,
}

impl Badge {
    /// The badge in capitals, as the title row has it.
    pub const fn name(self) -> &'static str {
        match self {
            Badge::Live => "LIVE",
            Badge::Virtual => "VIRTUAL",
            Badge::Replay => "REPLAY",
        }
    }
}

/// Starts runs: the first, and each that starts over with the same seed and set-up.
pub trait Launcher {
    /// Starts a run.
    fn launch(&self) -> anyhow::Result<Box<dyn Run>>;
    /// What is legal but will surprise, a sentence each.
    fn warnings(&self) -> &[String];
}

impl<L: Launcher + ?Sized> Launcher for &L {
    fn launch(&self) -> anyhow::Result<Box<dyn Run>> {
        (**self).launch()
    }

    fn warnings(&self) -> &[String] {
        (**self).warnings()
    }
}

impl<L: Launcher + ?Sized> Launcher for std::sync::Arc<L> {
    fn launch(&self) -> anyhow::Result<Box<dyn Run>> {
        (**self).launch()
    }

    fn warnings(&self) -> &[String] {
        (**self).warnings()
    }
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
pub fn paint(board: &Board, now: Instant, showing: Showing, width: u16, height: u16, look: Look) -> Buffer {
    let area = Rect::new(0, 0, width, height);
    let mut app = app::App::new(look, area);
    let shown = watch::Moment { board, now, showing };
    app.absorb(shown);
    let mut buffer = Buffer::empty(area);
    screen::draw(&mut buffer, &app, shown);
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

/// Draws one frame of a comparison off the screen, `width` by `height` cells, as its sides stand at `now`.
pub fn paint_compare(
    boards: [&Board; 2],
    now: Instant,
    showing: Showing,
    width: u16,
    height: u16,
    look: Look,
) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let sides = boards.map(|board| watch::Moment { board, now, showing });
    let _no_field_is_open = watch::View::draw(&mut compare::Compare::new(look), &mut buffer, &sides);
    buffer
}

/// Something that can be shown: a run, a comparison, a recording, home.
pub struct Screen<'a>(Box<dyn exhibit::Exhibit + 'a>);

impl<'a> Screen<'a> {
    /// The sandbox on a run of this launcher, which is started at once.
    ///
    /// # Errors
    /// Why it could not be started.
    pub fn sandbox(launcher: Box<dyn Launcher + 'a>, look: Look) -> Result<Screen<'a>, Error> {
        Ok(Screen(Box::new(watch::Watch::new(launcher, app::App::new(look, Rect::ZERO))?)))
    }

    /// A comparison: this launcher's runs have two sides. All else is as in [`Screen::sandbox`].
    ///
    /// # Errors
    /// Why it could not be started.
    pub fn compare(launcher: Box<dyn Launcher + 'a>, look: Look) -> Result<Screen<'a>, Error> {
        Ok(Screen(Box::new(watch::Watch::new(launcher, compare::Compare::new(look))?)))
    }

    /// A recording that is played.
    pub fn replay(recorded: Box<dyn replay::Recorded>, look: Look) -> Screen<'static> {
        Screen(Box::new(replay::Replay::new(recorded, look)))
    }

    /// A lab as a lesson, from its first page or the step at which it was left.
    ///
    /// # Errors
    /// What keeps a run from starting that nothing stands before.
    pub fn lesson(
        stage: Rc<dyn lesson::Stage + 'a>,
        notes: Rc<dyn lesson::Notes + 'a>,
        look: Look,
    ) -> Result<Screen<'a>, Error> {
        Ok(Screen(Box::new(lesson::Lesson::new(stage, notes, look)?)))
    }

    /// A lab that is presented.
    ///
    /// # Errors
    /// What keeps its run from starting.
    pub fn presenter(stage: Rc<dyn lesson::Stage + 'a>, look: Look) -> Result<Screen<'a>, Error> {
        Ok(Screen(Box::new(present::Present::open(stage, look).map_err(Error::Launch)?)))
    }

    /// Home, which opens what is chosen and is come back to.
    pub fn home(source: Box<dyn home::Source + 'a>, look: Look) -> Screen<'a> {
        Screen(Box::new(home::Home::new(source, look)))
    }
}

/// Shows what `open` makes, until the operator leaves, the terminal closes or a signal ends it. Errors come before
/// anything is drawn where they can.
///
/// # Errors
/// Why there is no screen, or none any more.
pub fn show<'a>(options: &Options, open: impl FnOnce(Look) -> Result<Screen<'a>, Error>) -> Result<Exit, Error> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Error::NotATerminal);
    }
    let environment = Environment::read(|name| std::env::var(name).ok());
    let look = options.look(&environment);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let _panics = terminal::PanicGuard::install();
    runtime.block_on(event_loop::show(|| open(look).map(|screen| screen.0)))
}

/// Shows a run; all else is as in [`show`].
///
/// # Errors
/// As in [`show`].
pub fn run(launcher: &dyn Launcher, options: &Options) -> Result<Exit, Error> {
    show(options, |look| Screen::sandbox(Box::new(launcher), look))
}

/// Shows a comparison: a launcher's runs have two sides. All else is as in [`show`].
///
/// # Errors
/// As in [`show`].
pub fn compare(launcher: &dyn Launcher, options: &Options) -> Result<Exit, Error> {
    show(options, |look| Screen::compare(Box::new(launcher), look))
}
