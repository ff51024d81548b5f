//! A recording on the screen: every panel of the sandbox at any moment of it, with the replay bar below.
//!
//! Whoever plays it is a [`Recorded`]: a run that has happened, whose clock goes by itself and which can be taken to any
//! moment. What was done then cannot be done again here, so keys that act only say so.

mod about;
mod bar;
mod desk;
#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use self::desk::{Deed, Desk};
use super::canvas::Canvas;
use super::exhibit::{Exhibit, Request};
use super::keys::{Key, Stroke};
use super::layout::LEAST;
use super::theme::Look;
use super::watch::Moment;
use super::{Error, Run, screen};
use crate::action::Action;
use crate::event::By;
use crate::time::Instant;

pub use about::{About, Stop};
use bar::clock;
pub use bar::commands;

/// Where in a recording to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// To where so many events have happened.
    Events(usize),
    /// To where everything until this moment has happened.
    At(Instant),
}

/// A recording that is played. As a run it has one side, knows the actions that concern time and goes back event by
/// event; its board has folded as many events as are shown.
pub trait Recorded: Run {
    /// What is known of it before it is played.
    fn about(&self) -> &About;
    /// Shows another moment, now or soon; time stands there if `stand` says so, and else goes on as it did.
    fn seek(&self, to: Seek, stand: bool);
    /// Why it cannot be played on, if it cannot.
    fn trouble(&self) -> Option<String>;
}

/// A recording as an exhibit.
pub(super) struct Replay {
    recorded: Box<dyn Recorded>,
    desk: Desk,
}

impl Replay {
    /// Plays a recording.
    pub fn new(recorded: Box<dyn Recorded>, look: Look) -> Replay {
        let desk = Desk::new(recorded.about().clone(), look);
        Replay { recorded, desk }
    }

    /// Has the desk look at what is shown: board and clock of one moment.
    fn see<T>(&mut self, see: impl FnOnce(&mut Desk, Moment<'_>) -> T) -> T {
        let recorded = &*self.recorded;
        loop {
            let version = recorded.version();
            let (now, showing) = (recorded.now(), recorded.showing());
            let board = recorded.board(0);
            // While the board is held nothing moves; what moved before that is looked at again.
            if recorded.version() == version {
                return see(&mut self.desk, Moment { board: &board, now: now.max(board.now()), showing });
            }
        }
    }

    fn carry_out(&mut self, deed: Deed) -> Option<Request> {
        let said = match deed {
            Deed::Act(action) => self.recorded.act(action, By::Operator),
            Deed::Back => self.recorded.back(),
            Deed::Seek(to, stand) => {
                self.recorded.seek(to, stand);
                None
            }
            Deed::Ask(request) => return Some(request),
        };
        if said.is_some() {
            self.desk.app.message = said;
        }
        None
    }
}

impl Exhibit for Replay {
    fn press(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        let deeds = self.see(|desk, moment| desk.press(key, stroke, moment));
        deeds.into_iter().filter_map(|deed| self.carry_out(deed)).collect()
    }

    fn paste(&mut self, text: &str) {
        self.desk.app.paste(text);
    }

    fn strikes(&self, _key: Key) -> bool {
        false
    }

    fn draw(&mut self, buffer: &mut Buffer) -> Option<Position> {
        if self.desk.app.message.is_none() {
            self.desk.app.message = self.recorded.trouble();
        }
        self.see(|desk, moment| {
            desk.take_in(buffer.area, moment);
            let cursor = screen::draw(buffer, &desk.app, moment);
            let area = buffer.area;
            if area.width >= LEAST.0 && area.height >= LEAST.1 {
                let look = desk.app.look;
                desk.draw_bar(&mut Canvas::new(buffer, area, &look), moment);
            }
            cursor
        })
    }

    fn version(&self) -> u64 {
        self.recorded.version()
    }

    fn moves(&self) -> bool {
        !self.recorded.showing().stopped
    }

    fn message(&mut self) -> &mut Option<String> {
        &mut self.desk.app.message
    }

    fn run(&self) -> Option<&dyn Run> {
        Some(&*self.recorded)
    }

    fn leave(&mut self) {}

    fn again(&mut self) -> Result<(), Error> {
        self.desk.app.timeline.follow();
        self.recorded.seek(Seek::Events(0), false);
        self.desk.app.message = self.recorded.act(Action::Go, By::Operator);
        Ok(())
    }
}
