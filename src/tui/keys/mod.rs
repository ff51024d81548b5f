//! Keys: what is pressed, what it means where, and how it is told.
//!
//! One table carries it all. Dispatch looks keys up in it; footer, help screen, manual page and README print it, so
//! none of them can differ from what a key does.

mod position;
mod table;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

pub use table::{Command, Context, Direction, KeyBinding, Shelf, table};

/// A key, with the modifiers that matter folded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A printable character, as typed.
    Char(char),
    /// A character with ctrl, in lower case.
    Ctrl(char),
    /// Enter.
    Enter,
    /// Esc.
    Esc,
    /// Tab.
    Tab,
    /// Shift and tab.
    BackTab,
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
}

/// What the terminal says of a key: only a press acts, a repeat only moves, a release does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// It went down.
    Press,
    /// It is held.
    Repeat,
}

/// The key and the stroke of a terminal event; `None` for a release, a modifier alone, and keys without a meaning.
pub fn read(event: &KeyEvent) -> Option<(Key, Stroke)> {
    let stroke = match event.kind {
        KeyEventKind::Press => Stroke::Press,
        KeyEventKind::Repeat => Stroke::Repeat,
        KeyEventKind::Release => return None,
    };
    let held = |modifier| event.modifiers.contains(modifier);
    // AltGr arrives as ctrl and alt together on some terminals; what it typed is then just a character.
    let ctrl = held(KeyModifiers::CONTROL) && !held(KeyModifiers::ALT);
    if held(KeyModifiers::ALT) && !held(KeyModifiers::CONTROL) {
        return None;
    }
    let key = match event.code {
        KeyCode::Char(c) if ctrl => Key::Ctrl(c.to_ascii_lowercase()),
        KeyCode::Char(c) => Key::Char(if held(KeyModifiers::SHIFT) { c.to_uppercase().next().unwrap_or(c) } else { c }),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab if held(KeyModifiers::SHIFT) => Key::BackTab,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        _ => return None,
    };
    Some((key, stroke))
}

/// What `key` means in the first of `contexts` that knows it. A layout without Latin letters is read by position.
pub fn command(key: Key, contexts: &[Context]) -> Option<Command> {
    let look_up = |key: Key| {
        contexts.iter().find_map(|context| {
            let rows = table().iter().filter(|row| row.context == *context);
            rows.flat_map(|row| row.presses).find(|(pressed, _)| *pressed == key).map(|(_, command)| *command)
        })
    };
    look_up(key).or_else(|| match key {
        Key::Char(c) => position::latin(c).and_then(|c| look_up(Key::Char(c))),
        _ => None,
    })
}

/// The letter that a chooser should take for `c`: itself, or the Latin letter at its place on the keyboard.
pub fn letter(c: char) -> char {
    position::latin(c).unwrap_or(c)
}

/// The row of the table that `command` stands in.
pub fn binding(command: Command) -> Option<&'static KeyBinding> {
    table().iter().find(|row| row.presses.iter().any(|(_, c)| *c == command))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn event(code: KeyCode, modifiers: KeyModifiers, kind: KeyEventKind) -> KeyEvent {
        KeyEvent::new_with_kind(code, modifiers, kind)
    }

    #[test]
    fn no_key_has_two_meanings_where_both_could_be_meant() {
        let together: &[&[Context]] = &[
            &[Context::Always, Context::Screen, Context::Run],
            &[Context::Always, Context::Compare],
            &[Context::Always, Context::Replay],
            &[Context::Always, Context::Home],
            &[Context::Always, Context::Lesson],
            &[Context::Always, Context::LabRun],
            &[Context::Always, Context::Presenter],
            &[Context::Always, Context::Palette],
            &[Context::Always, Context::Field],
            &[Context::Always, Context::Chooser],
            &[Context::Always, Context::Help],
        ];
        for contexts in together {
            let mut seen: BTreeMap<Key, &str> = BTreeMap::new();
            for row in table().iter().filter(|row| contexts.contains(&row.context)) {
                for (key, _) in row.presses {
                    let other = seen.insert(*key, row.key);
                    assert_eq!(other, None, "{key:?} of {} has another meaning in {contexts:?}", row.key);
                }
            }
        }
    }

    #[test]
    fn keys_that_terminals_and_multiplexers_take_are_not_used() {
        for row in table() {
            for (key, _) in row.presses {
                if let Key::Ctrl(c) = key {
                    assert!(!"hijmabsq".contains(*c), "ctrl-{c} is taken");
                }
                if let Key::Char(c) = key {
                    assert!(!";{}@\\~`".contains(*c), "{c} needs AltGr or a dead key on many layouts");
                }
            }
        }
    }

    #[test]
    fn a_release_never_means_anything_and_a_repeat_is_told_apart() {
        let x = |kind| read(&event(KeyCode::Char('x'), KeyModifiers::NONE, kind));
        assert_eq!(x(KeyEventKind::Press), Some((Key::Char('x'), Stroke::Press)));
        assert_eq!(x(KeyEventKind::Repeat), Some((Key::Char('x'), Stroke::Repeat)));
        assert_eq!(x(KeyEventKind::Release), None);
    }

    #[test]
    fn shift_ctrl_and_altgr_are_read_as_typed() {
        let press = |code, modifiers| read(&event(code, modifiers, KeyEventKind::Press)).map(|(key, _)| key);
        assert_eq!(press(KeyCode::Char('x'), KeyModifiers::SHIFT), Some(Key::Char('X')));
        assert_eq!(press(KeyCode::Char('C'), KeyModifiers::CONTROL), Some(Key::Ctrl('c')));
        assert_eq!(press(KeyCode::Char('['), KeyModifiers::CONTROL | KeyModifiers::ALT), Some(Key::Char('[')));
        assert_eq!(press(KeyCode::Char('x'), KeyModifiers::ALT), None);
    }

    #[test]
    fn cyrillic_and_greek_keys_work_by_their_place_on_the_keyboard() {
        let contexts = [Context::Always, Context::Screen, Context::Run];
        assert_eq!(command(Key::Char('ч'), &contexts), Some(Command::Kill));
        assert_eq!(command(Key::Char('Ч'), &contexts), Some(Command::KillAt));
        assert_eq!(command(Key::Char('χ'), &contexts), Some(Command::Kill));
        assert_eq!(command(Key::Char('q'), &contexts), Some(Command::Quit));
    }

    #[test]
    fn every_row_says_what_it_does_and_hints_name_their_key() {
        for row in table() {
            assert!(!row.does.is_empty() && !row.key.is_empty());
            assert!(row.does.is_ascii() && row.help.is_ascii());
            let hinted = row.hint.split(' ').next().unwrap_or_default();
            assert!(row.hint.is_empty() || row.key.contains(hinted) || hinted == "hjkl", "{}: {}", row.key, row.hint);
        }
    }
}
