//! Tests of the whole screen, on the run of a small model.

mod back;
mod compare;
mod figures;
mod hostile;
mod pictures;
mod presses;
mod room;
mod sizes;

use super::app::App;
use super::fixture::Model;
use super::keys::{Key, Stroke};
use super::watch::Effect;

/// The key that a character stands for: newline is enter, and so on.
pub fn key(c: char) -> Key {
    match c {
        '\n' => Key::Enter,
        '\t' => Key::Tab,
        '\x1b' => Key::Esc,
        '\x03' => Key::Ctrl('c'),
        '\x08' => Key::Backspace,
        '^' => Key::Up,
        '_' => Key::Down,
        '<' => Key::Left,
        '>' => Key::Right,
        c => Key::Char(c),
    }
}

/// Presses keys one after the other and returns what the loop would have to do.
fn press(app: &mut App, model: &Model, keys: &str) -> Vec<Effect> {
    let moment = model.moment();
    keys.chars().flat_map(|c| app.press(key(c), Stroke::Press, moment)).collect()
}
