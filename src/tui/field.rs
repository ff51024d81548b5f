//! A line of text that is typed: printable keys are text, and paste is text too.

use tui_input::{Input, InputRequest};

use super::fit::tidy;
use super::keys::Key;

/// The longest text that a field takes, in characters.
const LONGEST: usize = 300;

/// A text under way.
#[derive(Clone, Debug, Default)]
pub struct Field {
    input: Input,
}

impl Field {
    /// A field that starts with `text`, the cursor behind it.
    pub fn with(text: &str) -> Field {
        Field { input: Input::new(text.to_owned()) }
    }

    /// What was typed.
    pub fn text(&self) -> &str {
        self.input.value()
    }

    /// The cell of the cursor, counted from the first of the text.
    pub fn cursor(&self) -> usize {
        self.input.visual_cursor()
    }

    /// Takes a key as text or as moving about in it; false if it is neither.
    pub fn press(&mut self, key: Key) -> bool {
        let request = match key {
            Key::Char(c) => {
                self.type_in(&c.to_string());
                return true;
            }
            Key::Backspace => InputRequest::DeletePrevChar,
            Key::Delete => InputRequest::DeleteNextChar,
            Key::Left => InputRequest::GoToPrevChar,
            Key::Right => InputRequest::GoToNextChar,
            Key::Home => InputRequest::GoToStart,
            Key::End => InputRequest::GoToEnd,
            Key::Ctrl('w') => InputRequest::DeletePrevWord,
            _ => return false,
        };
        self.input.handle(request);
        true
    }

    /// Takes a text as if it were typed, on one line and without what no key types.
    pub fn type_in(&mut self, text: &str) {
        for c in tidy(text).chars() {
            if self.input.value().chars().count() < LONGEST {
                self.input.handle(InputRequest::InsertChar(c));
            }
        }
    }

    /// Puts `text` in the place of what was typed.
    pub fn set(&mut self, text: &str) {
        *self = Field::with(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_edit_and_paste_is_one_clean_line() {
        let mut field = Field::with("kil");
        assert!(field.press(Key::Char('l')));
        field.type_in(" w2\nat\u{1b}[2J effect");
        assert_eq!(field.text(), "kill w2 at[2J effect");
        field.press(Key::Home);
        field.press(Key::Delete);
        assert_eq!(field.text(), "ill w2 at[2J effect");
        assert!(!field.press(Key::Esc));
    }

    #[test]
    fn a_field_does_not_grow_without_end() {
        let mut field = Field::default();
        field.type_in(&"x".repeat(10_000));
        assert_eq!(field.text().len(), LONGEST);
    }
}
