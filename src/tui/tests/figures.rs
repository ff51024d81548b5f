//! Figures that stand on the screen add up, whatever the run did.

use super::press;
use crate::event::What;
use crate::ids::Row;
use crate::request::RowCounts;
use crate::tui::fixture::{Deed, Model, app, rows};
use crate::tui::glyphs::Glyphs;

fn screen(model: &Model, keys: &str, size: (u16, u16)) -> Vec<String> {
    let mut app = app(size.0, size.1, Glyphs::UNICODE);
    press(&mut app, model, keys);
    rows(&app, &model.board, model.now(), size.0, size.1)
}

/// The numbers of a row, in order.
fn numbers(row: &str) -> Vec<u64> {
    row.split(|c: char| !c.is_ascii_digit() && c != ',').filter_map(|word| word.replace(',', "").parse().ok()).collect()
}

#[test]
fn jobs_by_fate_add_up_to_the_jobs_enqueued() {
    for until in [0.5, 18.3, 40.3, 46.3, 60.0] {
        let model = Model::sandbox(until);
        for size in [(120, 36), (80, 24)] {
            let figures = numbers(&screen(&model, "", size)[1]);
            let all = figures[5];
            assert_eq!(figures[..5].iter().sum::<u64>(), all, "at {until} in {size:?}");
            assert_eq!(all, model.board.counters().enqueued);
        }
    }
}

#[test]
fn both_conservation_sums_hold_on_the_screen() {
    let model = Model::sandbox(46.3);
    let figures = numbers(&screen(&model, "", (120, 36))[2]);
    assert_eq!(figures[..5].iter().sum::<u64>(), figures[5], "queue");
    assert_eq!(figures[6], figures[7] + figures[8], "sink");
    assert_eq!(figures[8], 1, "the worker that was killed after its effect made one extra row");
}

#[test]
fn a_broken_thing_is_in_capitals() {
    let row = &screen(&Model::sandbox(46.3), "", (120, 36))[1];
    assert!(row.contains("BROKEN") && row.contains("TWICE 1") && row.contains("lost 0"), "{row}");
    let row = &screen(&Model::sandbox(40.3), "", (120, 36))[1];
    assert!(row.contains("KEPT SO FAR") && row.contains("twice 0"), "{row}");
}

#[test]
fn witnesses_that_differ_are_told_with_both_figures() {
    let mut model = Model::sandbox(40.3);
    let rows = model.board.counters().effects;
    let counts = RowCounts { row: Row(rows as i64), rows: rows + 1, jobs: rows };
    model.tell(What::Audited { counts });
    for size in [(120, 36), (80, 24)] {
        let row = &screen(&model, "", size)[2];
        let wanted = format!("BOARD {rows}, SQL {}", rows + 1);
        assert!(row.contains(&wanted) || size.0 == 80 && row.contains("BOARD"), "{row}");
    }
}

#[test]
fn hiding_the_truth_hides_every_word_of_it() {
    let model = Model::sandbox(46.3);
    for keys in ["t", "tni", "t5\n/effect\n", "t3\n", "t4\n\n", "tX", "t6\n", "tn\n"] {
        for size in [(120, 36), (80, 24), (60, 16)] {
            let all = screen(&model, keys, size).join("\n");
            for word in ["TWICE", "BROKEN", "KEPT", "SECOND", "AGAIN", "LOST", "never applied"] {
                assert!(!all.contains(word), "{word} shows after {keys:?} at {size:?}:\n{all}");
            }
        }
    }
}

#[test]
fn a_shown_figure_never_outgrows_its_row() {
    let mut model = Model::new(4, &[(1.0, Deed::Kill(2))]);
    model.run(5.0);
    model.flood(150_000);
    let small = screen(&model, "", (80, 24));
    assert!(small[1].contains("pending 150k") || small[1].contains("pending 150,0"), "{}", small[1]);
    assert!(small[3].starts_with(" effectively-once:"), "the promise moves to the policy's row: {}", small[3]);
}

#[test]
fn the_sink_s_sum_is_in_the_strip_at_every_size_however_many_jobs_there_are() {
    for flood in [0, 4_000, 150_000] {
        let mut model = Model::sandbox(46.3);
        model.flood(flood);
        let c = model.board.counters();
        for width in (80..=200).step_by(5) {
            let rows = screen(&model, "", (width, 36));
            let wanted = format!("{} rows = {}", c.effects, c.effects - c.extra_effects);
            assert!(rows[2].contains(&wanted), "{width} columns, {flood} more jobs: {}", rows[2]);
            assert!(rows[2].contains("leased") && !rows[2].contains('~'), "{width}: {}", rows[2]);
        }
    }
}

#[test]
fn a_wider_strip_tells_no_less_than_a_narrow_one() {
    let model = Model::sandbox(46.3);
    for width in 80..=200 {
        let rows = screen(&model, "", (width, 30));
        assert!(rows[1].contains("= 56") && rows[1].contains("effectively-once"), "{width}: {}", rows[1]);
        assert!(rows[3].contains("3 tries") && !rows[3].contains('~'), "{width}: {}", rows[3]);
        assert!(width < 110 || rows[1].contains("at risk 0"), "{width}: {}", rows[1]);
    }
}

#[test]
fn the_tries_keep_their_room_when_the_promise_moves_to_the_policy_s_row() {
    let mut model = Model::sandbox(46.3);
    model.flood(1_000);
    let row = &screen(&model, "", (80, 24))[3];
    assert!(row.starts_with(" effectively-once:") && row.contains("3 tries."), "{row}");
}

#[test]
fn a_million_jobs_leave_both_sums_whole_at_80_columns() {
    let mut model = Model::sandbox(60.0);
    model.flood(1_000_000);
    let row = &screen(&model, "", (80, 24))[2];
    assert!(row.contains("= 1.00M") && row.contains("rows = ") && !row.contains('~'), "{row}");
}
