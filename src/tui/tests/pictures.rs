//! What the screen looks like: one moment of one run, at every size and in both sets of lines.

use super::press;
use crate::tui::fixture::{Model, app, rows};
use crate::tui::glyphs::Glyphs;

/// The rows after some keys, each closed by a bar so that its width shows.
fn picture(model: &Model, keys: &str, size: (u16, u16), glyphs: Glyphs) -> String {
    let mut app = app(size.0, size.1, glyphs);
    press(&mut app, model, keys);
    let rows = rows(&app, &model.board, model.now(), size.0, size.1);
    rows.iter().map(|row| format!("{row}|\n")).collect()
}

#[test]
fn one_worker_is_down_and_nothing_is_wrong_yet() {
    let model = Model::sandbox(40.3);
    insta::assert_snapshot!("down_120x36", picture(&model, "_", (120, 36), Glyphs::UNICODE));
    insta::assert_snapshot!("down_80x24", picture(&model, "_", (80, 24), Glyphs::UNICODE));
    insta::assert_snapshot!("down_80x24_ascii", picture(&model, "_", (80, 24), Glyphs::ASCII));
    insta::assert_snapshot!("down_60x16", picture(&model, "_", (60, 16), Glyphs::UNICODE));
}

#[test]
fn the_anomaly_and_why() {
    let model = Model::sandbox(46.3);
    insta::assert_snapshot!("why_120x36", picture(&model, "ni", (120, 36), Glyphs::UNICODE));
    insta::assert_snapshot!("why_120x36_ascii", picture(&model, "ni", (120, 36), Glyphs::ASCII));
    insta::assert_snapshot!("why_80x24", picture(&model, "ni", (80, 24), Glyphs::UNICODE));
}

#[test]
fn each_panel_on_all_below_the_strip() {
    let model = Model::sandbox(46.3);
    for (name, keys) in [
        ("workers", "1\n"),
        ("timeline", "n\n"),
        ("program", "3\n"),
        ("dead_letters", "4\n\n"),
        ("log", "5\n/job 37\n"),
        ("rates", "6\n"),
    ] {
        insta::assert_snapshot!(format!("zoom_{name}_80x24"), picture(&model, keys, (80, 24), Glyphs::UNICODE));
    }
}

#[test]
fn choosers_palette_and_help() {
    let model = Model::sandbox(46.3);
    for (name, keys) in [
        ("dedup", "d"),
        ("change", "c"),
        ("faults", "F"),
        ("kill_at", "X"),
        ("redrive", "R"),
        ("enqueue", "E"),
        ("palette", ":kill w2 at "),
        ("palette_wrong", ":kil w2\n"),
        ("help", "?"),
    ] {
        insta::assert_snapshot!(format!("over_{name}_80x24"), picture(&model, keys, (80, 24), Glyphs::UNICODE));
    }
}
