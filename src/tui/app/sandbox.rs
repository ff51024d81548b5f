//! The sandbox as a way to look at a run: its first side, which is its only one.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::App;
use crate::tui::keys::{self, Context, Key, Stroke};
use crate::tui::screen;
use crate::tui::watch::{Effect, Moment, View};

impl View for App {
    fn press(&mut self, key: Key, stroke: Stroke, sides: &[Moment<'_>]) -> Vec<Effect> {
        sides.first().map_or(Vec::new(), |moment| self.press(key, stroke, *moment))
    }

    fn paste(&mut self, text: &str) {
        self.paste(text);
    }

    fn strikes(&self, key: Key) -> bool {
        self.layer.is_none() && keys::command(key, &[Context::Run]).is_some_and(keys::Command::strikes)
    }

    fn draw(&mut self, buffer: &mut Buffer, sides: &[Moment<'_>]) -> Option<Position> {
        let moment = *sides.first()?;
        self.resize(buffer.area);
        self.absorb(moment);
        screen::draw(buffer, self, moment)
    }

    fn step_back(&mut self, sides: &[Moment<'_>]) {
        if let Some(moment) = sides.first() {
            self.step_back(*moment);
        }
    }

    fn message(&mut self) -> &mut Option<String> {
        &mut self.message
    }

    fn leave(&mut self) {
        self.leave();
    }

    fn start_over(&mut self) {
        self.start_over();
    }
}
