//! The keys of a screen as a page, from the table that dispatch reads.

use super::text::{Line, Text};
use crate::tui::keys::{self, Context};
use crate::tui::theme::Role;

/// Writes down every key of these contexts.
pub fn write(contexts: &[Context], cells: u16) -> Text {
    const WORDS: u16 = 22;
    let mut text = Text::new(cells);
    for context in contexts {
        text.gap();
        text.push(Line::of(1, context.place(), Role::Accent));
        for row in keys::table().iter().filter(|row| row.context == *context) {
            let from = text.lines.len();
            text.words(WORDS, row.does, Role::Text);
            if let Some(first) = text.lines.get_mut(from) {
                first.0.insert(0, (1, row.key.to_owned(), Role::Strong));
            }
        }
    }
    text
}
