//! Home: the sandbox, the course of labs and the recordings, and what is started from there.
//!
//! It lists what a [`Source`] hands it and has the source open what is chosen; what that is, is for others to know. When
//! what was opened is left, home shows again with everything as it is then.

mod choice;
mod listing;
#[cfg(test)]
mod tests;
mod view;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use self::choice::Chosen;
use super::app::Command as Meaning;
use super::canvas::Canvas;
use super::exhibit::{Exhibit, Request};
use super::field::Field;
use super::glyphs::Glyphs;
use super::keys::{self, Command, Context, Key, Stroke};
use super::layout::LEAST;
use super::overlay::complete::{Offer, Reach};
use super::overlay::{Decision, Palette};
use super::panel::Panel;
use super::theme::Look;
use super::view::help::{Help, Subject};
use super::view::{footer, small};
use super::{Error, Run, Screen};
use crate::ids::Worker;
use crate::policy::Policy;

pub use choice::Choice;
pub use listing::{Best, LabEntry, Listing, RecordingEntry};
pub use view::commands;

/// Knows what can be started, and starts it.
pub trait Source {
    /// Everything that can be started, as it is now.
    fn listing(&self) -> Listing;
    /// Opens what was chosen from the listing that was handed out last.
    ///
    /// # Errors
    /// Why it cannot be opened, in words for the bottom line.
    fn open(&self, choice: Choice, look: Look) -> Result<Screen<'static>, String>;
    /// What was opened last has been left.
    fn left(&self);
}

/// What is open on top and takes the keys.
enum Layer {
    Help(Help),
    Palette,
}

/// Home as an exhibit.
pub(super) struct Home<'a> {
    source: Box<dyn Source + 'a>,
    listing: Listing,
    look: Look,
    chosen: Chosen,
    /// The filter that is being typed.
    typing: Option<Field>,
    layer: Option<Layer>,
    palette: Palette,
    message: Option<String>,
    opened: Option<Box<dyn Exhibit>>,
    version: u64,
}

impl<'a> Home<'a> {
    /// Home at the lab to go on with.
    pub fn new(source: Box<dyn Source + 'a>, look: Look) -> Home<'a> {
        let mut listing = source.listing();
        let message = listing.warning.take();
        let chosen = Chosen::first(&listing);
        Home {
            source,
            listing,
            look,
            chosen,
            typing: None,
            layer: None,
            palette: Palette::default(),
            message,
            opened: None,
            version: 0,
        }
    }

    /// Takes a key while a filter is typed.
    fn type_filter(&mut self, key: Key) {
        let Some(mut field) = self.typing.take() else { return };
        match keys::command(key, &[Context::Field]) {
            Some(Command::Out) => self.chosen.filter(""),
            Some(Command::In) => {}
            Some(Command::Clear) => {
                self.chosen.filter("");
                self.typing = Some(Field::with(""));
            }
            _ => {
                field.press(key);
                self.chosen.filter(field.text());
                self.typing = Some(field);
            }
        }
    }

    fn press_layer(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        let Some(mut layer) = self.layer.take() else { return Vec::new() };
        let decision = match &mut layer {
            Layer::Help(help) => help.press(key, stroke),
            Layer::Palette => with_offer(|offer| self.palette.press(key, stroke, offer)),
        };
        match decision {
            Decision::Open => self.layer = Some(layer),
            Decision::Close => {}
            Decision::Do(meaning) => return self.carry_out(meaning),
        }
        Vec::new()
    }

    fn carry_out(&mut self, meaning: Meaning) -> Vec<Request> {
        match meaning {
            Meaning::SwitchGlyphs => {
                self.look.glyphs = if self.look.glyphs.is_ascii() { Glyphs::UNICODE } else { Glyphs::ASCII };
            }
            Meaning::Theme(theme) => self.look.theme = theme,
            Meaning::Quit => return vec![Request::Quit],
            Meaning::Act(action) => self.message = Reach::Screen.refuses(&action).map(str::to_owned),
            Meaning::Again | Meaning::LookAt(_) | Meaning::Filter(..) => {
                self.message = Some("nothing runs here; enter starts what is selected".to_owned());
            }
        }
        Vec::new()
    }

    fn command(&mut self, command: Command) -> Vec<Request> {
        match command {
            Command::Quit => return vec![Request::Quit],
            Command::Interrupt => return vec![Request::Interrupt],
            Command::Suspend => return vec![Request::Suspend],
            Command::Repaint => return vec![Request::Repaint],
            Command::In => return self.open(false),
            Command::Present => return self.open(true),
            Command::Out => self.chosen.filter(""),
            Command::Filter if self.chosen.section == 0 => {
                self.message = Some("nothing to filter in the sandbox; tab goes to labs and recordings".to_owned());
            }
            Command::Filter => self.typing = Some(Field::with(&self.chosen.filters[self.chosen.section])),
            Command::NextPanel => self.chosen.section = (self.chosen.section + 1) % 3,
            Command::PreviousPanel => self.chosen.section = (self.chosen.section + 2) % 3,
            Command::Section(section) => self.chosen.section = section,
            Command::Move(direction) => self.chosen.walk(direction, &self.listing),
            Command::Help => self.layer = Some(Layer::Help(Help::about(Subject::Home))),
            Command::Palette => {
                self.palette.open();
                self.layer = Some(Layer::Palette);
            }
            _ => {}
        }
        Vec::new()
    }

    /// Has the source open what is selected.
    fn open(&mut self, present: bool) -> Vec<Request> {
        let choice = match (self.chosen.selected(&self.listing), present) {
            (Some(Choice::Lab(place)), true) => Choice::Present(place),
            (_, true) => {
                self.message = Some("v presents a lab; 2 goes to the labs".to_owned());
                return Vec::new();
            }
            (Some(choice), false) => choice,
            (None, false) => {
                self.message = Some("nothing is selected".to_owned());
                return Vec::new();
            }
        };
        match self.source.open(choice, self.look) {
            Ok(screen) => {
                self.opened = Some(screen.0);
                vec![Request::Open]
            }
            Err(why) => {
                self.message = Some(why);
                Vec::new()
            }
        }
    }
}

/// What the palette may offer: nothing runs here.
fn with_offer<T>(take: impl FnOnce(&Offer<'_>) -> T) -> T {
    let policy = Policy::default();
    take(&Offer { workers: &[], selected: Worker(1), policy: &policy, dead: Vec::new(), reach: Reach::Screen })
}

impl Exhibit for Home<'_> {
    fn press(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        if stroke == Stroke::Press {
            self.message = None;
        }
        self.version += 1;
        let always = keys::command(key, &[Context::Always]);
        if always.is_none() && self.layer.is_some() {
            return self.press_layer(key, stroke);
        }
        if always.is_none() && self.typing.is_some() {
            self.type_filter(key);
            return Vec::new();
        }
        let command = always.or_else(|| keys::command(key, &[Context::Home, Context::Screen]));
        match command.filter(|command| stroke == Stroke::Press || command.moves()) {
            Some(command) => self.command(command),
            None => Vec::new(),
        }
    }

    fn paste(&mut self, text: &str) {
        match (&mut self.layer, &mut self.typing) {
            (Some(Layer::Palette), _) => self.palette.paste(text),
            (Some(Layer::Help(help)), _) => help.paste(text),
            (None, Some(field)) => {
                field.type_in(text);
                self.chosen.filter(field.text());
            }
            (None, None) => {}
        }
    }

    fn strikes(&self, _key: Key) -> bool {
        false
    }

    fn draw(&mut self, buffer: &mut Buffer) -> Option<Position> {
        let (size, look) = (buffer.area, self.look);
        if size.width < LEAST.0 || size.height < LEAST.1 {
            small::draw(buffer, &look);
            return None;
        }
        let mut canvas = Canvas::new(buffer, size, &look);
        let last = Rect { y: size.height - 1, height: 1, ..size };
        match &self.layer {
            Some(Layer::Help(help)) => help.draw(&mut canvas, Panel::Workers).map(|(x, y)| Position { x, y }),
            Some(Layer::Palette) => {
                view::draw(&mut canvas, self);
                let place = Rect { y: size.height - 1 - Palette::HEIGHT, height: Palette::HEIGHT, ..size };
                let (x, y) = with_offer(|offer| self.palette.draw(&mut canvas.part(place), offer));
                footer::draw_hints(&mut canvas.part(last), Context::Palette);
                Some(Position { x, y: place.y + y })
            }
            None => {
                view::draw(&mut canvas, self);
                view::footer(&mut canvas.part(last), self).map(|x| Position { x, y: last.y })
            }
        }
    }

    fn version(&self) -> u64 {
        self.version
    }

    fn moves(&self) -> bool {
        false
    }

    fn message(&mut self) -> &mut Option<String> {
        &mut self.message
    }

    fn run(&self) -> Option<&dyn Run> {
        None
    }

    fn leave(&mut self) {}

    fn again(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn opened(&mut self) -> Option<Box<dyn Exhibit>> {
        self.opened.take()
    }

    fn back(&mut self) {
        self.source.left();
        self.listing = self.source.listing();
        self.message = self.listing.warning.take().or(self.message.take());
        self.version += 1;
    }
}
