//! What has to be read is whole where there is room for it.

use super::press;
use crate::event::{Reason, What};
use crate::ids::{Job, Token, Worker};
use crate::time::Span;
use crate::tui::fixture::{Model, app, rows};
use crate::tui::glyphs::Glyphs;

fn screen(model: &Model, keys: &str, size: (u16, u16)) -> Vec<String> {
    let mut app = app(size.0, size.1, Glyphs::UNICODE);
    press(&mut app, model, keys);
    rows(&app, &model.board, model.now(), size.0, size.1)
}

#[test]
fn choosers_cut_nothing_and_tell_more_where_it_is_wide() {
    let model = Model::sandbox(46.3);
    for width in [80, 100, 120, 200] {
        for (key, rows) in [("d", 8), ("c", 10), ("X", 8), ("F", 11)] {
            let all = screen(&model, key, (width, 36));
            for row in &all[35 - rows..35] {
                assert!(!row.contains('~'), "{key} at {width}: {row}");
            }
        }
    }
    let all = screen(&model, "X", (120, 36)).join("\n");
    assert!(all.contains("comes back, no key, applied TWICE"), "{all}");
    let all = screen(&model, "X", (60, 16)).join("\n");
    assert!(all.contains("TWICE"), "the outcome is whole even where its reason is cut: {all}");
}

#[test]
fn the_docked_inspector_ends_with_what_holds_here_or_says_that_there_is_more() {
    let model = Model::sandbox(46.3);
    let all = screen(&model, "ni", (120, 36)).join("\n");
    assert!(all.contains("Effect and key in one transaction") && !all.contains("more below"), "{all}");
    let all = screen(&model, "ni", (120, 30)).join("\n");
    assert!(all.contains("Effect and key in one transaction") && all.contains("more below"), "{all}");
}

#[test]
fn the_timeline_s_rule_names_the_mark_that_was_jumped_to() {
    let mut model = Model::sandbox(46.3);
    model.tell(What::Marked { text: "here it is".into() });
    model.run(47.0);
    let all = screen(&model, "2(", (120, 36)).join("\n");
    assert!(all.contains("2 lease timeline  46.30 here it is"), "{all}");
}

#[test]
fn long_numbers_never_run_into_their_neighbours() {
    let mut model = Model::sandbox(3.0);
    model.flood(1_200_000);
    let (w, j, now) = (Worker(2), Job(1_155_127), model.now());
    let claim = What::Claimed {
        w,
        j,
        n: 1,
        k: Token(9),
        deadline: now + Span::seconds(3),
        lease: Span::seconds(3),
        work: Span::seconds(2),
    };
    model.tell(claim);
    model.tell(What::Dead { j: Job(1_155_128), reason: Reason::LeaseExpired, tries: 3, max: Some(3) });
    for size in [(80, 24), (120, 36), (160, 50)] {
        let rows = screen(&model, "", size);
        let own = rows.iter().find(|row| row.contains("w2") && row.contains("working")).expect("the worker's row");
        let words: Vec<&str> = own.split_whitespace().collect();
        assert!(words.contains(&"working") && words.contains(&"1155127") && words.contains(&"1/3"), "{size:?} {own}");
    }
    let all = screen(&model, "", (120, 36)).join("\n");
    assert!(all.contains("1155128  expired"), "{all}");
}

#[test]
fn help_says_that_it_goes_on_below() {
    let model = Model::sandbox(3.0);
    assert!(screen(&model, "?", (80, 24))[0].contains("more below"));
    assert!(!screen(&model, "?", (120, 60))[0].contains("more below"));
    let small = screen(&model, "?", (60, 16));
    assert!(!small[15].contains("filterall"), "{}", small[15]);
}

#[test]
fn nothing_of_a_worker_is_cut_beside_the_inspector() {
    let model = Model::sandbox(40.3);
    for size in [(110, 24), (110, 36), (120, 36)] {
        let rows = screen(&model, "i", size);
        let workers = rows.iter().filter(|row| row.contains(" t4") && row.contains("1/3"));
        assert!(workers.clone().count() >= 4, "{size:?}");
        assert!(workers.clone().all(|row| !row.split('\u{2502}').next().unwrap_or("").contains('~')), "{rows:#?}");
    }
}
