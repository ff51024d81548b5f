//! A lesson from its first page to its score, on a run that was written down.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::fixture::{Theatre, tape};
use super::{Came, Lesson, Outcome, Table};
use crate::event::What;
use crate::lab::fixture::{asks, chooses, lab, says};
use crate::lab::{Answer, Lab, Variant};
use crate::policy::{Dedup, Point};
use crate::setup::{Strike, Whom};
use crate::tui::exhibit::{Exhibit, Request};
use crate::tui::fit::width;
use crate::tui::fixture::text;
use crate::tui::glyphs::Glyphs;
use crate::tui::keys::{Key, Stroke};
use crate::tui::theme::{Look, Theme};

const HOSTILE: &str = "\u{1b}]52;c;aGk=\u{7} \u{1b}[2J \u{9b}6n \u{202e}evil\u{200b} \ttab \u{7f} 日本語 ";

fn look(glyphs: Glyphs) -> Look {
    Look::new(Theme::Mono, glyphs)
}

fn said(step: u32, text: &str, pause: bool) -> What {
    What::Said { step, text: text.into(), pause }
}

fn window() -> Lab {
    let question = "How many of the 398 are applied twice?";
    let mut step = asks(question).saying(
        "20,000 jobs run. 398 workers die after their commit and before their ack, so 398 jobs come back.\n\n\
         The sink remembers the last 1,000 job ids that it applied, and no more. A job whose id has been forgotten \
         is applied again.",
    );
    if let Some(ask) = &mut step.ask {
        ask.formula = Some("crashes x (1 - window / longest delay)".into());
        ask.worked = Some("398 x (1 - 1,000 / 2,000)".into());
        ask.gives = Some(199.0);
        ask.why = "An id is forgotten once 1,000 others have been applied after it. A job that comes back later than \
                   that looks new."
            .into();
        ask.aloud = Some("A dedup window must outlive the longest redelivery.".into());
        ask.note = Some("The page calls this a 1.5 % leak. 195 of 20,000 is 0.97 %.".into());
    }
    let ran = says("Dead workers are back at once. Each crashed job waits its turn.").at(1);
    let mut lab = lab(vec![says("A sink that forgets."), step, ran]);
    let setup = &mut lab.variants[0].setup;
    setup.policy.dedup = Dedup::Window(1_000);
    setup.crash.push(Strike { whom: Whom::Page, at: Point::Commit });
    lab
}

fn measured() -> Came {
    Came {
        right: Some(true),
        said: "200".into(),
        measured: "195".into(),
        band: "179 to 219 counts as right".into(),
        figures: vec![
            ("lost".into(), "0".into(), String::new()),
            ("recognised".into(), "203".into(), "203 + 195 = 398 that came back".into()),
        ],
        fates: [0, 19_805, 195],
        about: String::new(),
        waits: Vec::new(),
    }
}

fn theatre() -> Theatre {
    let lines = [
        (0.0, said(1, "A sink that forgets.", false)),
        (0.0, said(2, "", false)),
        (1.0, said(3, "Dead workers are back at once. Each crashed job waits its turn.", false)),
    ];
    let theatre = Theatre::of(window(), tape(&lines, 48.0));
    theatre.outcome.borrow_mut().questions = vec![measured()];
    theatre
}

/// A lesson that is looked at.
struct Desk<'a> {
    lesson: Lesson<'a>,
    size: (u16, u16),
}

impl<'a> Desk<'a> {
    fn new(theatre: &'a Theatre) -> Desk<'a> {
        Desk::at(theatre, (80, 24), Glyphs::UNICODE)
    }

    fn at(theatre: &'a Theatre, size: (u16, u16), glyphs: Glyphs) -> Desk<'a> {
        let lesson = Lesson::new(Rc::new(theatre), Rc::new(theatre), look(glyphs))
            .unwrap_or_else(|error| panic!("it opens: {error}"));
        let mut desk = Desk { lesson, size };
        desk.rows();
        desk
    }

    fn rows(&mut self) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        self.lesson.draw(&mut buffer);
        text(&buffer)
    }

    fn picture(&mut self) -> String {
        self.rows().iter().map(|row| format!("{row}|\n")).collect()
    }

    fn shows(&mut self, words: &str) -> bool {
        self.rows().iter().any(|row| row.contains(words))
    }

    fn stroke(&mut self, key: Key) -> Vec<Request> {
        let requests = self.lesson.press(key, Stroke::Press);
        self.rows();
        requests
    }

    fn press(&mut self, keys: &str) -> Vec<Request> {
        keys.chars().flat_map(|c| self.stroke(crate::tui::tests::key(c))).collect()
    }
}

const SIZES: [(&str, (u16, u16), Glyphs); 3] = [
    ("80x24", (80, 24), Glyphs::UNICODE),
    ("120x36", (120, 36), Glyphs::UNICODE),
    ("80x24_ascii", (80, 24), Glyphs::ASCII),
];

#[test]
fn each_page_at_each_size() {
    for (name, size, glyphs) in SIZES {
        let theatre = theatre();
        let mut desk = Desk::at(&theatre, size, glyphs);
        insta::assert_snapshot!(format!("said_{name}"), desk.picture());
        desk.press("\n200");
        insta::assert_snapshot!(format!("question_{name}"), desk.picture());
        theatre.tape.show(theatre.tape.upto(3) + 300);
        desk.press("\n");
        insta::assert_snapshot!(format!("run_{name}"), desk.picture());
        desk.press("\n");
        insta::assert_snapshot!(format!("story_{name}"), desk.picture());
        theatre.tape.show(usize::MAX);
        desk.press("\n");
        insta::assert_snapshot!(format!("result_{name}"), desk.picture());
        desk.press("\n");
        insta::assert_snapshot!(format!("end_{name}"), desk.picture());
        desk.press("?");
        insta::assert_snapshot!(format!("keys_{name}"), desk.picture());
    }
}

#[test]
fn nothing_runs_before_the_first_answer_which_is_the_one_that_counts() {
    let theatre = theatre();
    let mut desk = Desk::new(&theatre);
    desk.press("\n");
    assert!(theatre.started.borrow().is_empty());
    desk.press("\x1b>");
    assert!(desk.shows("nothing runs before this is answered") && theatre.started.borrow().is_empty());
    desk.press("200\n");
    assert_eq!(*theatre.started.borrow(), [[(2, "200".to_owned())]]);
    assert!(desk.shows("you said 200"));
}

#[test]
fn digits_go_to_the_field_and_esc_lets_go_of_it() {
    let theatre = theatre();
    let mut desk = Desk::new(&theatre);
    desk.press("\n12\x08");
    assert!(desk.shows("your answer  ► 1"));
    assert!(desk.press("q").is_empty(), "a letter is no key while the field is open");
    assert!(desk.shows("esc lets go of the field"));
    desk.press("\x1b");
    assert!(desk.shows("enter take the field"));
    desk.press("<");
    assert!(desk.shows("A sink that forgets."));
    desk.press("\n7");
    assert!(desk.shows("your answer  ► 7"), "a digit takes the field again");
    desk.press("\x1b");
    assert_eq!(desk.press("q"), [Request::Quit]);
    assert_eq!(*theatre.noted.borrow(), ["left at 2"]);
}

#[test]
fn what_cannot_be_given_is_refused_with_what_can() {
    let theatre = theatre();
    let mut desk = Desk::new(&theatre);
    desk.press("\n\n");
    assert!(desk.shows("type a whole number, 0 to 398 first"));
    for text in ["399", "1.5", "-1"] {
        desk.press(text);
        desk.press("\n");
        assert!(desk.shows("a whole number, 0 to 398 can be given"), "{text}");
        desk.stroke(Key::Ctrl('u'));
    }
    assert!(theatre.started.borrow().is_empty());
}

fn choice() -> Theatre {
    let lab = lab(vec![chooses("How often is the customer charged?", &["Not at all", "Once", "Twice"])]);
    Theatre::of(lab, tape(&[(0.0, said(1, "", false))], 2.0))
}

#[test]
fn a_choice_is_made_by_its_letter_or_with_the_arrows() {
    let theatre = choice();
    let mut desk = Desk::new(&theatre);
    assert!(desk.shows("  ► a  Not at all") && desk.shows("    c  Twice"));
    desk.press("d");
    assert!(desk.shows("a letter, a to c") && theatre.started.borrow().is_empty());
    desk.press("__^\n");
    assert_eq!(*theatre.started.borrow(), [[(1, "b".to_owned())]]);
    let other = choice();
    Desk::new(&other).press("c");
    assert_eq!(*other.started.borrow(), [[(1, "c".to_owned())]]);
}

/// A lab that asks in the course of its run.
fn asking() -> Theatre {
    let question = chooses("What becomes of job 43?", &["Once", "Twice"]).at(30);
    let lab = lab(vec![says("Look at w2.").at(1).pausing(), question.saying("w2 wrote the effect and died.")]);
    let asked = What::Asked { step: 2, text: "What becomes of job 43?".into() };
    let lines =
        [(1.0, said(1, "Look at w2.", true)), (40.0, said(2, "w2 wrote the effect and died.", false)), (40.0, asked)];
    Theatre::of(lab, tape(&lines, 48.0))
}

#[test]
fn a_question_of_the_run_opens_when_it_is_asked_and_its_answer_lets_time_go() {
    let theatre = asking();
    let mut desk = Desk::new(&theatre);
    theatre.tape.show(theatre.tape.upto(1));
    theatre.tape.stop(true);
    assert!(desk.shows("Look at w2.") && desk.shows("space go on"));
    assert!(theatre.tape.acts().is_empty(), "a pause waits for somebody: {:?}", theatre.tape.acts());
    theatre.tape.show(theatre.tape.upto(3));
    assert!(desk.shows("What becomes of job 43?") && desk.shows("Time stands until you give it."));
    desk.press("b");
    assert_eq!(theatre.tape.acts(), ["answer 2 b by operator", "go by lab"]);
    assert!(desk.shows("you said b  Twice") && desk.shows("truth"));
}

#[test]
fn time_is_let_go_where_it_stands_for_what_was_said_before_the_run() {
    let theatre = theatre();
    let mut desk = Desk::new(&theatre);
    desk.press("\n200\n");
    theatre.tape.show(theatre.tape.upto(2));
    theatre.tape.stop(true);
    desk.rows();
    assert_eq!(theatre.tape.acts(), ["go by lab"]);
    theatre.tape.stop(true);
    desk.rows();
    assert_eq!(theatre.tape.acts(), ["go by lab"], "whoever stops time after that wants it to stand");
}

#[test]
fn the_run_says_which_of_several_it_is_until_the_lab_has_more_to_say() {
    let mut lab = window();
    lab.variants[0].says = "20,000 jobs, all at once".to_owned();
    let name = lab.variants[0].name.clone();
    lab.variants.push(Variant { name: "batch".to_owned(), ..lab.variants[0].clone() });
    let lines = [
        (0.0, said(1, "A sink that forgets.", false)),
        (0.0, said(2, "", false)),
        (1.0, said(3, "Dead workers are back at once.", false)),
    ];
    let theatre = Theatre::of(lab, tape(&lines, 48.0));
    let mut desk = Desk::new(&theatre);
    desk.press("\n200\n");
    theatre.tape.show(theatre.tape.upto(2));
    assert!(desk.shows(&format!("You see {name}: 20,000 jobs, all at once.")) && desk.shows("Behind it: batch."));
    theatre.tape.show(theatre.tape.upto(3));
    assert!(desk.shows("Dead workers are back at once.") && !desk.shows("Behind it"));
}

#[test]
fn the_sandbox_takes_all_other_keys_while_the_run_is_shown() {
    let theatre = theatre();
    let mut desk = Desk::new(&theatre);
    theatre.tape.show(theatre.tape.upto(3) + 300);
    desk.press("\n200\nx");
    assert_eq!(theatre.tape.acts(), ["kill w1 by operator"]);
    desk.press("22");
    assert!(desk.shows("►2 lease timeline") && !desk.shows("1 workers"), "the number again goes into a panel");
}

fn at_result(theatre: &Theatre) -> Desk<'_> {
    let mut desk = Desk::new(theatre);
    theatre.tape.show(usize::MAX);
    desk.press("\n200\n\n");
    desk
}

#[test]
fn a_wrong_answer_is_not_quite_and_tells_the_band() {
    let theatre = theatre();
    theatre.outcome.borrow_mut().questions[0].right = Some(false);
    let mut desk = at_result(&theatre);
    assert!(desk.shows("NOT QUITE") && desk.shows("179 to 219 counts as right"));
}

#[test]
fn what_was_not_put_to_the_test_or_interfered_with_is_not_judged() {
    let theatre = theatre();
    theatre.outcome.borrow_mut().untested = Some("no worker died, so nothing was tested.".into());
    let mut desk = at_result(&theatre);
    assert!(desk.shows("INCONCLUSIVE: no worker died, so nothing was tested."));
    theatre.outcome.borrow_mut().touched = Some("you killed w3 at 14.2 s".into());
    theatre.tape.show(10);
    assert!(desk.shows("YOUR RUN: you killed w3 at 14.2 s, so the lab does not judge it."));
    desk.press("\n");
    assert_eq!(theatre.noted.borrow().last().map(String::as_str), Some("1/1 *"));
}

#[test]
fn variants_stand_beside_each_other_and_those_under_way_say_so() {
    let theatre = theatre();
    *theatre.outcome.borrow_mut() = Outcome {
        questions: vec![Came { waits: vec!["key-first".into()], ..measured() }],
        table: Table {
            columns: vec!["lost".into(), "duplicated".into()],
            rows: vec![("effect-first".into(), Some(vec!["0".into(), "398".into()])), ("key-first".into(), None)],
        },
        running: vec!["key-first".into()],
        ..Outcome::default()
    };
    let mut desk = at_result(&theatre);
    insta::assert_snapshot!("result_of_variants_80x24", desk.picture());
    desk.press("\n");
    assert!(theatre.noted.borrow().is_empty(), "no score before all runs are over");
    theatre.outcome.borrow_mut().running.clear();
    theatre.tape.show(10);
    desk.rows();
    assert_eq!(*theatre.noted.borrow(), ["1/1"]);
}

#[test]
fn the_finished_run_opens_in_the_sandbox_and_closes_again() {
    let theatre = theatre();
    let mut desk = at_result(&theatre);
    desk.press("o");
    assert!(desk.shows("►1 workers") && desk.shows("enter back to the lesson"));
    assert!(desk.press("q").is_empty());
    assert!(desk.shows("RIGHT"));
    desk.press("i");
    assert!(desk.shows("was applied TWICE"));
    desk.press("\n");
    assert!(desk.shows("RIGHT"));
}

#[test]
fn a_score_is_noted_once_and_the_last_page_goes_home_or_begins_again() {
    let theatre = theatre();
    let mut desk = at_result(&theatre);
    desk.press("\n");
    assert!(desk.shows("1 of 1 right") && desk.shows("recordings/lab-09"));
    desk.rows();
    assert_eq!(*theatre.noted.borrow(), ["1/1"]);
    assert_eq!(desk.stroke(Key::Ctrl('r')), [Request::Again]);
    desk.lesson.again().unwrap_or_else(|error| panic!("{error}"));
    assert!(desk.shows("A sink that forgets.") && desk.shows("step 1 of"));
    desk.press("\n200\n\n\n");
    assert_eq!(desk.press("\n"), [Request::Quit]);
}

#[test]
fn an_unfinished_lab_opens_at_its_step() {
    let theatre = Theatre { unfinished: Some(2), ..theatre() };
    assert!(Desk::new(&theatre).shows("How many of the 398"));
}

/// Screens of a lab whose every text is hostile.
fn hostile_screens(size: (u16, u16)) -> Vec<String> {
    let long = format!("{HOSTILE}{}", "w".repeat(300));
    let mut step = chooses(&long, &[&long, &long]).saying(&long);
    if let Some(ask) = &mut step.ask {
        (ask.why, ask.aloud, ask.note) = (long.clone(), Some(long.clone()), Some(long.clone()));
        (ask.formula, ask.worked) = (Some(long.clone()), Some(long.clone()));
    }
    let mut number = asks(&long);
    if let Some(Answer::Number { unit, .. }) = number.ask.as_mut().map(|ask| &mut ask.answer) {
        *unit = long.clone();
    }
    let mut lab = lab(vec![says(&long), step, number, says(&long).at(1)]);
    (lab.title, lab.teaches) = (long.clone(), long.clone());
    let lines = [(1.0, said(4, &long, true))];
    let theatre = Theatre::of(lab, tape(&lines, 48.0));
    let came = Came {
        measured: long.clone(),
        band: long.clone(),
        figures: vec![(long.clone(), long.clone(), long.clone())],
        ..Came::default()
    };
    *theatre.outcome.borrow_mut() =
        Outcome { questions: vec![came.clone(), came], broken: Some(long.clone()), ..Outcome::default() };
    let mut desk = Desk::at(&theatre, size, Glyphs::UNICODE);
    let mut all = desk.rows();
    for keys in ["\n", "a", "5", "\n", "\n", "\n", "\n", "\n", "v", ">", ">", ">", ">", ">", ">", ">", ">"] {
        theatre.tape.show(usize::MAX);
        desk.press(keys);
        desk.lesson.paste(HOSTILE);
        all.extend(desk.rows());
    }
    all
}

#[test]
fn words_of_a_lab_never_act_on_the_terminal_and_never_break_a_row() {
    for size in [(80, 24), (120, 36), (60, 16)] {
        for row in hostile_screens(size) {
            let acts = |c: char| c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}');
            assert!(!row.contains(acts), "{row:?}");
            assert_eq!(width(&row), usize::from(size.0), "{row:?}");
        }
    }
}

#[test]
fn no_size_is_too_small_for_a_lesson() {
    for size in [(1, 1), (20, 5), (59, 15), (60, 16), (79, 23), (200, 60)] {
        let theatre = asking();
        let mut desk = Desk::at(&theatre, size, Glyphs::UNICODE);
        theatre.tape.show(usize::MAX);
        desk.press("b\n\n?\x1bov>><<");
    }
}

#[test]
fn the_presenter_opens_over_the_lesson_and_time_stands_meanwhile() {
    let theatre = theatre();
    let mut desk = Desk::new(&theatre);
    desk.press("\n200\nv");
    assert!(desk.shows("1 of ") && desk.shows("space next"));
    desk.press("q");
    assert!(desk.shows("leave the presenter?"));
    assert!(desk.press("q").is_empty());
    assert!(desk.shows("step 3 of"));
}
