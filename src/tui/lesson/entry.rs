//! The answer to a question while it is given: a figure in a field, or one of a few choices.
//!
//! Here it is only put together; what counts as an answer is decided by the question itself.

use super::text::{Line, Text};
use crate::lab::{Answer, Ask};
use crate::tui::field::Field;
use crate::tui::fit::tidy;
use crate::tui::keys::{self, Command, Context, Direction, Key};
use crate::tui::theme::Role;

/// The cells of a figure.
const LONGEST: usize = 24;

/// An answer under way.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    field: Field,
    chosen: usize,
    /// True while keys go to it.
    pub held: bool,
}

/// What a key came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// It was taken, and nothing is answered yet.
    Taken,
    /// This is the answer.
    Answer(String),
    /// It is none, for this reason.
    Refused(String),
    /// The key has nothing to do with the answer.
    Other,
}

impl Entry {
    /// An answer that nothing is known of yet, and that keys go to.
    pub fn new() -> Entry {
        Entry { held: true, ..Entry::default() }
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key, ask: &Ask) -> Entered {
        match &ask.answer {
            Answer::Choice { choices, .. } => self.choose(key, choices.len(), ask),
            Answer::Number { .. } => self.type_in(key, ask),
        }
    }

    fn choose(&mut self, key: Key, all: usize, ask: &Ask) -> Entered {
        match (key, keys::command(key, &[Context::Lesson])) {
            (Key::Up, _) => self.chosen = self.chosen.saturating_sub(1),
            (Key::Down, _) => self.chosen = (self.chosen + 1).min(all.saturating_sub(1)),
            (Key::Enter, _) => return given(ask, &letter(self.chosen).to_string()),
            (Key::Char(_), Some(Command::Help)) => return Entered::Other,
            (Key::Char(c), _) => {
                let c = keys::letter(c).to_ascii_lowercase();
                return match (0..all).map(letter).find(|letter| *letter == c) {
                    Some(letter) => given(ask, &letter.to_string()),
                    None => Entered::Refused(format!("{}; esc lets go, and all keys are back", takes(ask))),
                };
            }
            _ => return Entered::Other,
        }
        Entered::Taken
    }

    fn type_in(&mut self, key: Key, ask: &Ask) -> Entered {
        match key {
            Key::Enter if self.field.text().trim().is_empty() => Entered::Refused(format!("type {} first", takes(ask))),
            Key::Enter => given(ask, self.field.text()),
            Key::Ctrl('u') => {
                self.field.set("");
                Entered::Taken
            }
            Key::Char('?') | Key::PageUp | Key::PageDown => Entered::Other,
            Key::Char(c) if !(c.is_ascii_digit() || ".,-_ %".contains(c)) => {
                Entered::Refused(format!("{}; esc lets go of the field, and all keys are back", takes(ask)))
            }
            Key::Char(_) if self.field.text().chars().count() >= LONGEST => Entered::Refused("that is too long".into()),
            key if self.field.press(key) => Entered::Taken,
            _ => Entered::Other,
        }
    }

    /// Takes a paste.
    pub fn paste(&mut self, text: &str, ask: &Ask) {
        if self.held && matches!(ask.answer, Answer::Number { .. }) {
            let fits = |c: &char| c.is_ascii_digit() || ".,-_ %".contains(*c);
            let room = LONGEST.saturating_sub(self.field.text().chars().count());
            self.field.type_in(&text.chars().filter(fits).take(room).collect::<String>());
        }
    }

    /// Writes it down under its question, and says at which cell of which line the cursor is.
    pub fn write(&self, text: &mut Text, ask: &Ask, select: char) -> Option<(u16, usize)> {
        match &ask.answer {
            Answer::Choice { choices, .. } => {
                for (i, choice) in choices.iter().enumerate() {
                    let here = i == self.chosen && self.held;
                    let from = text.lines.len();
                    text.words(9, &choice.text, if here { Role::Strong } else { Role::Text });
                    if let Some(line) = text.lines.get_mut(from) {
                        let mark = if here { select } else { ' ' };
                        line.0.push((4, format!("{mark} {}", letter(i)), Role::Accent));
                    }
                }
                None
            }
            Answer::Number { .. } => Some(self.write_field(text, ask, select)),
        }
    }

    fn write_field(&self, text: &mut Text, ask: &Ask, select: char) -> (u16, usize) {
        let mark = if self.held { select } else { ' ' };
        let line = Line::of(4, "your answer", Role::Text)
            .and(17, mark.to_string(), Role::Accent)
            .and(19, self.field.text(), Role::Strong)
            .ending(text.width.saturating_sub(5), &takes(ask), Role::Text);
        text.push(line);
        (19 + self.field.cursor() as u16, text.lines.len() - 1)
    }
}

/// The letter of a choice.
pub fn letter(place: usize) -> char {
    char::from(b'a' + u8::try_from(place.min(25)).unwrap_or(0))
}

fn given(ask: &Ask, text: &str) -> Entered {
    match ask.answer.accept(text) {
        Ok(answer) => Entered::Answer(answer),
        Err(_) => Entered::Refused(format!("{} can be given", takes(ask))),
    }
}

/// What can be given, with its unit.
fn takes(ask: &Ask) -> String {
    match &ask.answer {
        Answer::Number { unit, .. } if !unit.is_empty() => format!("{} {}", ask.answer.takes(), tidy(unit)),
        answer => answer.takes(),
    }
}

/// True for a key that begins an answer where nothing holds the cursor.
pub fn begins(key: Key, ask: &Ask) -> bool {
    match (&ask.answer, key) {
        (_, Key::Enter) => true,
        (Answer::Number { .. }, Key::Char(c)) => c.is_ascii_digit(),
        (Answer::Choice { .. }, Key::Up | Key::Down) => true,
        _ => false,
    }
}

/// A direction to scroll in.
pub fn scrolled(scroll: u16, direction: Direction) -> u16 {
    match direction {
        Direction::Up => scroll.saturating_sub(1),
        Direction::Down => scroll.saturating_add(1),
        Direction::PageUp => scroll.saturating_sub(10),
        Direction::PageDown => scroll.saturating_add(10),
        Direction::Home => 0,
        Direction::End => u16::MAX,
        Direction::Left | Direction::Right => scroll,
    }
}
