//! A comparison: what it looks like at every size, and what its keys do.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::key;
use crate::action::{Action, Link, Who};
use crate::event::What;
use crate::ids::{Job, Worker};
use crate::policy::Point;
use crate::tui::compare::{Compare, differing};
use crate::tui::exhibit::Request;
use crate::tui::fixture::{Deed, Model, text};
use crate::tui::glyphs::Glyphs;
use crate::tui::keys::{Key, Stroke};
use crate::tui::theme::{Look, Theme};
use crate::tui::watch::{Effect, Moment, View};
use crate::tui::{Badge, Showing};

/// A comparison that is looked at.
struct Desk {
    sides: [Model; 2],
    view: Compare,
    size: (u16, u16),
}

impl Desk {
    fn at(sides: [Model; 2], size: (u16, u16), glyphs: Glyphs) -> Desk {
        let mut desk = Desk { sides, view: Compare::new(Look::new(Theme::Mono, glyphs)), size };
        desk.rows();
        desk
    }

    fn new() -> Desk {
        Desk::at(Model::compared(46.3), (120, 36), Glyphs::UNICODE)
    }

    fn moments(sides: &[Model; 2]) -> [Moment<'_>; 2] {
        let showing = Showing { badge: Badge::Virtual, stopped: false, speed: 1.0, recorded: false };
        sides.each_ref().map(|model| Moment { showing, ..model.moment() })
    }

    fn rows(&mut self) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        self.view.draw(&mut buffer, &Desk::moments(&self.sides));
        text(&buffer)
    }

    /// All that shows, when nothing is said at the bottom any more.
    fn quiet(&mut self) -> Vec<String> {
        self.rows();
        *self.view.message() = None;
        self.rows()
    }

    fn press(&mut self, keys: &str) -> Vec<Effect> {
        keys.chars().flat_map(|c| self.stroke(key(c))).collect()
    }

    fn stroke(&mut self, key: Key) -> Vec<Effect> {
        self.view.press(key, Stroke::Press, &Desk::moments(&self.sides))
    }

    fn message(&mut self) -> String {
        self.view.message().clone().unwrap_or_default()
    }

    fn picture(&mut self) -> String {
        self.quiet().iter().map(|row| format!("{row}|\n")).collect()
    }
}

#[test]
fn same_faults_same_deliveries_one_row_more_on_the_left() {
    for (name, size, glyphs) in [
        ("compare_120x19", (120, 19), Glyphs::UNICODE),
        ("compare_120x36", (120, 36), Glyphs::UNICODE),
        ("compare_120x36_ascii", (120, 36), Glyphs::ASCII),
        ("compare_80x24", (80, 24), Glyphs::UNICODE),
        ("compare_60x16", (60, 16), Glyphs::UNICODE),
    ] {
        insta::assert_snapshot!(name, Desk::at(Model::compared(46.3), size, glyphs).picture());
    }
}

#[test]
fn one_job_on_both_sides() {
    for (name, size, keys) in [
        ("compare_job_120x36", (120, 36), "n\n"),
        ("compare_job_80x24", (80, 24), "n\n\t"),
        ("compare_help_80x24", (80, 24), "?"),
        ("compare_kill_at_80x24", (80, 24), "jX"),
    ] {
        let mut desk = Desk::at(Model::compared(46.3), size, Glyphs::UNICODE);
        desk.press(keys);
        insta::assert_snapshot!(name, desk.picture());
    }
}

fn w(n: u16) -> Who {
    Who::Worker(Worker(n))
}

#[test]
fn faults_go_out_once_and_hit_the_same_worker_on_both_sides() {
    let mut desk = Desk::new();
    assert_eq!(desk.press("x"), [Effect::Act(Action::Kill(w(1), None))]);
    assert_eq!(desk.press("jjP"), [Effect::Act(Action::Cut(w(3), Link::Sink, None))]);
    assert_eq!(desk.press("f"), [Effect::Act(Action::Cut(w(3), Link::Sink, None))]);
    assert_eq!(desk.press(" "), [Effect::Act(Action::Stop)]);
    assert_eq!(desk.press(","), [Effect::Back]);
    assert_eq!(desk.press("q"), [Effect::Ask(Request::Quit)]);
}

#[test]
fn the_letters_of_gaps_are_those_of_the_side_that_is_looked_at() {
    let mut desk = Desk::new();
    assert_eq!(desk.press("Xe"), [Effect::Act(Action::Kill(w(1), Some(Point::Key)))], "effect-then-key: e is its key");
    assert_eq!(
        desk.press("\tXf"),
        [Effect::Act(Action::Kill(w(1), Some(Point::Commit)))],
        "transactional: f is after it"
    );
}

#[test]
fn the_policies_stay_as_they_are_by_key_and_by_palette() {
    let mut desk = Desk::new();
    for keys in ["d", "a", "c", ":ack before\n", ":dedup none\n"] {
        assert_eq!(desk.press(keys), [], "{keys}");
        assert!(desk.message().starts_with("the policies are what is compared"), "{keys}: {}", desk.message());
    }
    assert_eq!(desk.press(":kill w2\n"), [Effect::Act(Action::Kill(w(2), None))]);
}

#[test]
fn an_answer_is_said_once_and_two_answers_with_their_sides() {
    let mut desk = Desk::new();
    desk.quiet();
    desk.sides.iter_mut().for_each(|side| side.acted("kill w2", "w2 killed"));
    desk.rows();
    assert_eq!(desk.message(), "w2 killed");
    desk.sides[0].acted("kill w2 at commit", "this program has no point commit");
    desk.sides[1].acted("kill w2 at commit", "w2 will die after commit (f)");
    desk.rows();
    assert_eq!(desk.message(), "A: this program has no point commit   B: w2 will die after commit (f)");
}

#[test]
fn the_next_difference_is_the_newest_and_goes_around() {
    let mut desk = Desk::new();
    desk.press("n");
    assert_eq!(desk.view.chosen_job(), Some(Job(37)));
    let rows = desk.rows();
    assert!(rows[8].contains("G follow"), "both timelines stand where it came to harm: {}", rows[8]);
    desk.press("nN");
    assert_eq!(desk.view.chosen_job(), Some(Job(37)));
    desk.press("\x1b");
    assert_eq!(desk.view.chosen_job(), None);
}

#[test]
fn differences_are_gone_through_in_order_of_their_jobs() {
    let arm = |at| (at, Deed::Arm(2));
    let sides = Model::compared_with(&[arm(5.0), arm(20.0), arm(37.0)], 60.0);
    let jobs = differing(&sides[0].board, &sides[1].board);
    assert_eq!(jobs.len(), 3, "{jobs:?}");
    let mut desk = Desk::at(sides, (120, 36), Glyphs::UNICODE);
    let mut gone_to = |keys: &str| {
        desk.press(keys);
        desk.view.chosen_job().expect("a job")
    };
    assert_eq!([gone_to("n"), gone_to("n"), gone_to("n"), gone_to("n")], [jobs[2], jobs[0], jobs[1], jobs[2]]);
    assert_eq!([gone_to("N"), gone_to("N"), gone_to("N")], [jobs[1], jobs[0], jobs[2]]);
    let rows = desk.quiet().join("\n");
    assert!(rows.contains("difference: 3 jobs") && rows.contains("3 of 3"), "{rows}");
    let all = format!("twice in A, once in B   {}, {}, {}", jobs[0], jobs[1], jobs[2]);
    assert!(rows.contains(&all), "{rows}");
}

#[test]
fn a_job_that_is_open_on_one_side_is_no_difference_yet() {
    let all = |until| {
        let sides = Model::compared(until);
        differing(&sides[0].board, &sides[1].board)
    };
    assert_eq!(all(40.3), [], "w2 is dead, its row stands on one side and was rolled back on the other");
    assert_eq!(all(46.3), [Job(37)]);
    let ([a, _], [_, b]) = (Model::compared(46.3), Model::compared(44.0));
    assert_eq!(differing(&a.board, &b.board), [], "twice on one side, and under way on the other");
}

#[test]
fn nothing_is_compared_before_anything_differs() {
    let mut desk = Desk::at(Model::compared(40.3), (120, 36), Glyphs::UNICODE);
    desk.press("n");
    assert_eq!(desk.message(), "no job differs so far");
    let rows = desk.quiet().join("\n");
    assert!(rows.contains("difference: none so far") && rows.contains("fate differs"), "{rows}");
}

#[test]
fn both_timelines_share_one_axis() {
    let mut desk = Desk::new();
    for keys in ["", "w", "W", "n", "<<<", "G"] {
        desk.press(keys);
        let rows = desk.quiet();
        let axis = rows.iter().find(|row| row.contains("now 46.3") || row.contains('^')).expect("an axis");
        let (left, right) = axis.split_once('│').expect("two sides");
        assert_eq!(left.trim_end(), right.trim_end(), "after {keys:?}");
    }
}

#[test]
fn what_was_taken_back_on_either_side_is_let_go() {
    let mut desk = Desk::new();
    desk.press("n\n");
    assert!(desk.rows().join("\n").contains("job 37 in A"));
    desk.sides = Model::compared(20.0);
    let rows = desk.rows().join("\n");
    assert!(!rows.contains("job 37 in A") && !rows.contains("G follow"), "{rows}");
}

#[test]
fn a_side_that_fails_or_breaks_a_rule_says_so_with_its_letter() {
    let mut desk = Desk::new();
    desk.sides[1].tell(What::Violated { text: "rows do not add up".into() });
    let title = &desk.rows()[0];
    assert!(title.contains("B: VIOLATED"), "{title}");
}

#[test]
fn no_size_makes_it_panic_and_every_row_is_as_wide_as_the_terminal() {
    let mut sides = Model::compared(46.3);
    for (columns, height) in (0..=200).step_by(17).flat_map(|w| (0..=60).step_by(7).map(move |h| (w, h))) {
        for keys in ["", "n\n", "\tx", "?", ":", "X"] {
            let mut desk = Desk::at(sides, (columns, height), Glyphs::UNICODE);
            desk.press(keys);
            for row in desk.rows() {
                assert_eq!(crate::tui::fit::width(&row), usize::from(columns), "{columns}x{height} {keys:?}");
            }
            sides = desk.sides;
        }
    }
}
