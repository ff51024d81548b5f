//! Words from outside never reach the screen as more than words.

use super::press;
use crate::event::{End, What};
use crate::ids::{Job, Token, Worker};
use crate::tui::fit::width;
use crate::tui::fixture::{Model, app, rows};
use crate::tui::glyphs::Glyphs;

const HOSTILE: &str = "\u{1b}]52;c;aGk=\u{7} \u{1b}[2J \u{9b}6n \u{202e}evil\u{200b} \ttab \u{7f} 日本語 👨\u{200d}👩\u{200d}👧 ①ｶﾞ e\u{301} \u{fe0f}";

/// A run in which marks, errors and answers are hostile.
fn model() -> Model {
    let mut model = Model::sandbox(30.0);
    model.tell(What::Marked { text: HOSTILE.into() });
    model.acted(HOSTILE, HOSTILE);
    model.tell(What::Stuck { why: HOSTILE.into() });
    let (w, j, k) = (Worker(1), Job(900), Token(5_000));
    let key = crate::ids::OrderKey(0);
    model.tell(What::Enqueued { j, key, due: model.now(), poison: None });
    model.tell(What::Ended { w, j, k, how: End::Failed(HOSTILE.into()), by: None });
    model
}

const SCREENS: [&str; 8] = ["", "5\n", "4\n\n", "2\n(", "i", ":mark x", "?", "5/evil\n"];

#[test]
fn no_control_direction_or_hidden_character_reaches_the_screen() {
    let model = model();
    for keys in SCREENS {
        let mut app = app(120, 36, Glyphs::UNICODE);
        app.absorb(model.moment());
        let shown = app.message.clone();
        press(&mut app, &model, keys);
        app.message = shown;
        app.paste(HOSTILE);
        for row in rows(&app, &model.board, model.now(), 120, 36) {
            let acts =
                |c: char| c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{fe0f}');
            assert!(!row.contains(acts), "{keys:?}: {row:?}");
        }
    }
}

#[test]
fn wide_characters_keep_every_row_as_wide_as_the_terminal() {
    let model = model();
    for (columns, height) in [(120, 36), (80, 24), (60, 16), (83, 31)] {
        for keys in SCREENS {
            let mut app = app(columns, height, Glyphs::UNICODE);
            press(&mut app, &model, keys);
            app.paste(HOSTILE);
            app.absorb(model.moment());
            for (y, row) in rows(&app, &model.board, model.now(), columns, height).iter().enumerate() {
                assert_eq!(width(row), usize::from(columns), "row {y} after {keys:?}: {row:?}");
            }
        }
    }
}
