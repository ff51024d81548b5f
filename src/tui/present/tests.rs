//! A lab that is presented, on a run that was written down.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Present;
use crate::event::What;
use crate::lab::Lab;
use crate::lab::fixture::{chooses, lab, says};
use crate::policy::Dedup;
use crate::tui::exhibit::{Exhibit, Request};
use crate::tui::fixture::text;
use crate::tui::glyphs::Glyphs;
use crate::tui::keys::{Key, Stroke};
use crate::tui::lesson::fixture::{Theatre, tape};
use crate::tui::theme::{Look, Theme};

fn two_writes() -> Lab {
    let question = chooses("How often is the customer charged?", &["Not at all", "Once", "Twice"]);
    let kill = says("Watch w2.").at(37).doing("kill w2 at effect");
    let died = question.at(39).saying("w2 wrote the effect.\n\nw2 died before it wrote the key.");
    let mut lab = lab(vec![says("A worker writes an effect, then a key."), kill, died, says("Nobody noticed.").at(44)]);
    lab.title = "Two writes".into();
    lab.variants[0].setup.policy.dedup = Dedup::EffectThenKey;
    lab
}

fn theatre() -> Theatre {
    let said = |step, text: &str| What::Said { step, text: text.into(), pause: false };
    let asked = What::Asked { step: 3, text: "How often is the customer charged?".into() };
    let lines = [
        (0.0, said(1, "A worker writes an effect, then a key.")),
        (37.0, said(2, "Watch w2.")),
        (39.5, said(3, "w2 died before it wrote the key.")),
        (39.5, asked),
        (47.0, said(4, "Nobody noticed.")),
    ];
    Theatre::of(two_writes(), tape(&lines, 48.0))
}

/// A presentation that is looked at.
struct Hall<'a> {
    present: Present<'a>,
    size: (u16, u16),
}

impl<'a> Hall<'a> {
    fn at(theatre: &'a Theatre, size: (u16, u16), glyphs: Glyphs) -> Hall<'a> {
        let look = Look::new(Theme::Mono, glyphs);
        Hall { present: Present::open(Rc::new(theatre), look).unwrap_or_else(|error| panic!("{error}")), size }
    }

    fn picture(&mut self) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        self.present.draw(&mut buffer);
        text(&buffer).iter().map(|row| format!("{row}|\n")).collect()
    }

    fn press(&mut self, keys: &str) -> Vec<Request> {
        keys.chars().flat_map(|c| self.present.press(crate::tui::tests::key(c), Stroke::Press)).collect()
    }
}

#[test]
fn one_thought_a_screen_and_revealing_moves_nothing() {
    for (name, size, glyphs) in [
        ("80x24", (80, 24), Glyphs::UNICODE),
        ("120x36", (120, 36), Glyphs::UNICODE),
        ("80x24_ascii", (80, 24), Glyphs::ASCII),
    ] {
        let theatre = theatre();
        let mut hall = Hall::at(&theatre, size, glyphs);
        insta::assert_snapshot!(format!("first_{name}"), hall.picture());
        hall.press("   ");
        let hidden = hall.picture();
        insta::assert_snapshot!(format!("hidden_{name}"), hidden);
        hall.press(" ");
        let revealed = hall.picture();
        insta::assert_snapshot!(format!("revealed_{name}"), revealed);
        let down = usize::from(size.1 - 24) / 2;
        for (y, (before, after)) in hidden.lines().zip(revealed.lines()).enumerate() {
            let changes = (down + 14..=down + 21).contains(&y);
            assert!(changes || before == after, "row {y}: {before} {after}");
        }
    }
}

#[test]
fn forwards_backwards_and_after_a_reset_the_pictures_are_equal() {
    let theatre = theatre();
    let mut hall = Hall::at(&theatre, (80, 24), Glyphs::UNICODE);
    let mut pictures = vec![hall.picture()];
    for _ in 1..hall.present.slides.len() {
        hall.press(">");
        pictures.push(hall.picture());
    }
    hall.press(" ");
    assert!(hall.picture().contains("this is the last"));
    for expected in pictures.iter().rev().skip(1) {
        hall.press("<");
        assert_eq!(&hall.picture(), expected);
    }
    hall.press("  ");
    hall.present.press(Key::Ctrl('r'), Stroke::Press);
    for expected in &pictures {
        assert_eq!(&hall.picture(), expected);
        hall.present.press(Key::PageDown, Stroke::Press);
    }
}

#[test]
fn the_truth_can_be_hidden_and_figures_become_question_marks() {
    let theatre = theatre();
    let mut hall = Hall::at(&theatre, (80, 24), Glyphs::ASCII);
    hall.press("    t");
    insta::assert_snapshot!("without_truth_80x24_ascii", hall.picture());
}

#[test]
fn leaving_asks_and_any_other_key_stays() {
    let theatre = theatre();
    let mut hall = Hall::at(&theatre, (80, 24), Glyphs::ASCII);
    assert!(hall.press("q").is_empty());
    assert!(hall.picture().contains("leave the presenter?"));
    assert!(hall.press("x").is_empty());
    assert!(!hall.picture().contains("leave the presenter?"));
    assert_eq!(hall.press("qq"), [Request::Quit]);
}

#[test]
fn the_last_fault_strikes_again_with_one_key() {
    let theatre = theatre();
    let mut hall = Hall::at(&theatre, (80, 24), Glyphs::ASCII);
    hall.press("f");
    assert!(hall.picture().contains("no fault to repeat yet"));
    hall.press("  f");
    assert_eq!(theatre.tape.acts(), ["kill random at effect by operator"], "w2 is dead by then");
    assert!(hall.picture().contains("kill random at effect, again; space goes on"));
}

#[test]
fn the_whole_sandbox_opens_at_the_same_moment_and_closes_again() {
    let theatre = theatre();
    let mut hall = Hall::at(&theatre, (120, 36), Glyphs::ASCII);
    hall.press("   ");
    let before = hall.picture();
    hall.press("v");
    assert!(hall.picture().contains(">1 workers") && hall.picture().contains("VIRTUAL STOPPED"));
    assert!(hall.press("q").is_empty());
    assert_eq!(hall.picture(), before);
    hall.press("v");
    hall.present.press(Key::Esc, Stroke::Press);
    assert_eq!(hall.picture(), before, "esc comes out one layer");
}
