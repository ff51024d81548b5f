//! What the loop shows: anything that takes keys and draws itself, with a run behind it or without.
//!
//! The loop knows keys, timers, signals and the terminal, and nothing of what is on it; what is on it knows none of
//! those. Whatever gets a screen of its own is one more implementor.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::keys::{Key, Stroke};
use super::{Error, Run};

/// What is shown on the terminal.
pub trait Exhibit {
    /// Takes a key and does what it comes to; what concerns the loop is left over.
    fn press(&mut self, key: Key, stroke: Stroke) -> Vec<Request>;
    /// Takes a paste: text for a field that is open, and nothing anywhere else.
    fn paste(&mut self, text: &str);
    /// True for a key whose second press would undo the first or strike another: while it is held it counts once.
    fn strikes(&self, key: Key) -> bool;
    /// Draws it as it is now over the whole buffer, and says where the text cursor is, if a field is open.
    fn draw(&mut self, buffer: &mut Buffer) -> Option<Position>;
    /// A number that changes whenever what is shown has changed by itself.
    fn version(&self) -> u64;
    /// True while the mere passing of time changes what is shown.
    fn moves(&self) -> bool;
    /// What the bottom line says. The loop takes it away after a while.
    fn message(&mut self) -> &mut Option<String>;
    /// The run behind it, if there is one: it is stopped while the program is suspended, and ended on leaving.
    fn run(&self) -> Option<&dyn Run>;
    /// Notes that the screen is left as soon as the run has drained.
    fn leave(&mut self);
    /// Starts again, once the run behind it has ended.
    fn again(&mut self) -> Result<(), Error>;

    /// What this opened, to be shown in its place for a while.
    fn opened(&mut self) -> Option<Box<dyn Exhibit>> {
        None
    }

    /// What this opened was left, and this is shown again.
    fn back(&mut self) {}

    /// Has the run end, if there is one: whatever works on gets this long.
    fn quit(&self, grace: Duration) {
        if let Some(run) = self.run() {
            run.quit(grace);
        }
    }

    /// True when no run goes on behind it.
    fn ended(&self) -> bool {
        self.run().is_none_or(Run::ended)
    }
}

/// What is asked of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Leave: drain first, or at once if that is under way.
    Quit,
    /// Leave on ctrl-c: drain first, or at once if that is under way.
    Interrupt,
    /// Stop the program, as ctrl-z does.
    Suspend,
    /// Draw everything anew.
    Repaint,
    /// Start again.
    Again,
    /// Show what this opened, and come back to this when that is left.
    Open,
}
