//! No size and no keys make the screen panic.

use std::sync::OnceLock;

use proptest::prelude::*;

use super::press;
use crate::ids::Worker;
use crate::tui::fit::width;
use crate::tui::fixture::{Model, app, rows};
use crate::tui::glyphs::Glyphs;
use crate::tui::keys::{Key, Stroke};
use crate::tui::watch::Effect;

fn any_key() -> impl Strategy<Value = Key> {
    let special = [
        Key::Enter,
        Key::Esc,
        Key::Tab,
        Key::BackTab,
        Key::Up,
        Key::Down,
        Key::Left,
        Key::Right,
        Key::PageUp,
        Key::PageDown,
        Key::Home,
        Key::End,
        Key::Backspace,
        Key::Delete,
        Key::Ctrl('p'),
        Key::Ctrl('u'),
    ];
    prop_oneof![
        3 => prop::char::range(' ', '~').prop_map(Key::Char),
        1 => prop::sample::select(special.to_vec()),
        1 => prop::sample::select("123456dcFXRE:?/nNiwWgG".chars().collect::<Vec<_>>()).prop_map(Key::Char),
    ]
}

/// The same run before anything happened, after the first death, during the second, and after the anomaly.
fn models() -> &'static [Model] {
    static MODELS: OnceLock<Vec<Model>> = OnceLock::new();
    MODELS.get_or_init(|| [0.0, 18.3, 40.3, 46.3].map(Model::sandbox).into())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn any_keys_at_any_size(
        sizes in prop::collection::vec((0u16..=200, 0u16..=60), 1..4),
        keys in prop::collection::vec(any_key(), 0..40),
        moment in prop::sample::select(vec![0, 1, 2, 3]),
        ascii: bool,
    ) {
        let model = &models()[moment];
        let glyphs = if ascii { Glyphs::ASCII } else { Glyphs::UNICODE };
        let mut app = app(80, 24, glyphs);
        let moment = model.moment();
        for (i, key) in keys.into_iter().enumerate() {
            let stroke = if i % 5 == 4 { Stroke::Repeat } else { Stroke::Press };
            app.press(key, stroke, moment);
            let (columns, height) = sizes[i % sizes.len()];
            app.resize(ratatui::layout::Rect::new(0, 0, columns, height));
            for row in rows(&app, &model.board, model.now(), columns, height) {
                prop_assert_eq!(width(&row), usize::from(columns));
            }
        }
    }
}

#[test]
fn every_size_shows_every_panel() {
    let model = Model::sandbox(46.3);
    for (columns, height) in (0..=200).step_by(13).flat_map(|w| (0..=60).step_by(5).map(move |h| (w, h))) {
        for keys in ["", "ni", "4\n\n", "3\n", "d", ":", "?"] {
            let mut app = app(columns, height, Glyphs::UNICODE);
            press(&mut app, &model, keys);
            let rows = rows(&app, &model.board, model.now(), columns, height);
            assert_eq!(rows.len(), usize::from(height));
        }
    }
}

#[test]
fn sixty_four_workers_scroll_with_the_selection_and_say_what_is_out_of_sight() {
    let mut model = Model::new(64, &[(2.0, crate::tui::fixture::Deed::Kill(64))]);
    model.run(3.0);
    let mut view = app(80, 24, Glyphs::UNICODE);
    let before = rows(&view, &model.board, model.now(), 80, 24);
    assert!(before[8].contains("w1-w4 of 64") && before[8].contains('!'), "{}", before[8]);
    let mut effects = Vec::new();
    for _ in 0..63 {
        effects.extend(press(&mut view, &model, "j"));
    }
    let after = rows(&view, &model.board, model.now(), 80, 24);
    assert!(after[8].contains("w61-w64 of 64") && !after[8].contains('!'), "{}", after[8]);
    assert!(after[12].contains("w64") && after[12].contains("DEAD"), "{}", after[12]);
    assert!(after.iter().any(|row| row.starts_with(" w64x")), "its lane shows too");
    let restarted = press(&mut view, &model, "r");
    let wanted = crate::action::Action::Restart(crate::action::Who::Worker(Worker(64)));
    assert_eq!(restarted, [Effect::Act(wanted)]);
}
