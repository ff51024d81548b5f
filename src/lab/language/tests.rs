//! What the language reads, and where it says that a text goes wrong.

use proptest::prelude::*;

use super::*;
use crate::ids::{Job, Worker};
use crate::lab::figure::{Arithmetic, Harmed, Pattern, Relation, Tolerance};

fn variants() -> Vec<String> {
    ["a", "key-first", "effect-first"].map(str::to_owned).to_vec()
}

fn read(text: &str) -> Result<Test, Wrong> {
    test(text, Scope { variants: &variants(), workers: 4, alone: false })
}

fn fine(text: &str) -> Test {
    read(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"))
}

fn counter(name: &'static str) -> Figure {
    Figure::Counter(None, name)
}

fn event(name: &'static str) -> Pattern {
    Pattern { event: name, worker: None, job: None, attempt: None }
}

fn equal(left: Figure, right: Figure) -> Test {
    Test::Compare(left, Relation::Equal, right, Tolerance::Exact)
}

#[test]
fn figures_compare_in_six_ways() {
    let ways = [
        ("==", Relation::Equal),
        ("!=", Relation::Unequal),
        ("<", Relation::Less),
        ("<=", Relation::AtMost),
        (">", Relation::More),
        (">=", Relation::AtLeast),
    ];
    for (sign, relation) in ways {
        let wanted = Test::Compare(counter("duplicated"), relation, Figure::Number(1_000.5), Tolerance::Exact);
        assert_eq!(fine(&format!("duplicated {sign} 1_000.5")), wanted);
        assert_eq!(fine(&format!("duplicated{sign}1000.5")), wanted);
    }
}

#[test]
fn products_bind_closer_than_sums_and_both_go_from_left_to_right() {
    let both = |left, how, right| Figure::Both(Box::new(left), how, Box::new(right));
    let number = Figure::Number;
    let read = |text: &str| figure(text, Scope { variants: &[], workers: 4, alone: false }).expect(text);
    let product = both(number(2.0), Arithmetic::Times, number(3.0));
    assert_eq!(read("1 + 2 * 3"), both(number(1.0), Arithmetic::Plus, product));
    let first = both(number(8.0), Arithmetic::Minus, number(2.0));
    assert_eq!(read("8 - 2 - 1"), both(first.clone(), Arithmetic::Minus, number(1.0)));
    assert_eq!(read("(8 - 2) / lost"), both(first, Arithmetic::Over, counter("lost")));
    assert_eq!(read("-3"), number(-3.0));
    assert_eq!(read("-lost"), both(number(0.0), Arithmetic::Minus, counter("lost")));
}

#[test]
fn not_binds_closer_than_and_and_that_closer_than_or() {
    let (one, two, three) = (event("drained"), event("stuck"), event("violated"));
    let happened = |pattern: &Pattern| Box::new(Test::Happened(None, pattern.clone()));
    let nobody = Box::new(Test::Not(happened(&one)));
    let wanted = Test::Or(Box::new(Test::And(nobody, happened(&two))), happened(&three));
    assert_eq!(fine("not drained and stuck or violated"), wanted);
    let wanted = Test::Not(Box::new(Test::And(happened(&one), Box::new(Test::Or(happened(&two), happened(&three))))));
    assert_eq!(fine("not (drained and (stuck or violated))"), wanted);
}

#[test]
fn parentheses_may_stand_around_figures_and_around_tests() {
    let both = Figure::Both(Box::new(counter("lost")), Arithmetic::Plus, Box::new(counter("dead")));
    assert_eq!(fine("(lost + dead) == 3"), equal(both.clone(), Figure::Number(3.0)));
    assert_eq!(fine("((lost + dead) == 3)"), equal(both, Figure::Number(3.0)));
}

#[test]
fn an_event_is_narrowed_by_worker_job_and_attempt_in_any_order() {
    let wanted = Pattern { event: "claimed", worker: Some(Worker(2)), job: Some(Job(7)), attempt: Some(2) };
    assert_eq!(fine("claimed w2 j7 n2"), Test::Happened(None, wanted.clone()));
    assert_eq!(fine("claimed n2 j7 w2"), Test::Happened(None, wanted));
}

#[test]
fn a_name_that_both_an_event_and_a_counter_have_is_the_counter_where_arithmetic_follows() {
    assert_eq!(fine("acked"), Test::Happened(None, event("acked")));
    assert_eq!(fine("acked and drained").clone(), {
        let happened = |name| Box::new(Test::Happened(None, event(name)));
        Test::And(happened("acked"), happened("drained"))
    });
    assert_eq!(fine("acked == fenced"), equal(counter("acked"), counter("fenced")));
    assert!(matches!(fine("acked + 1 > 2"), Test::Compare(..)));
}

#[test]
fn a_variant_is_read_whole_before_its_dot_though_hyphens_are_signs_too() {
    let of = |variant, name| Figure::Counter(Some(variant), name);
    assert_eq!(fine("key-first.lost == effect-first.duplicated"), equal(of(1, "lost"), of(2, "duplicated")));
    assert_eq!(fine("effect-first.drained"), Test::Happened(Some(2), event("drained")));
    let minus = |left, right| Figure::Both(Box::new(left), Arithmetic::Minus, Box::new(right));
    assert_eq!(fine("lost-a.lost == 0"), equal(minus(counter("lost"), of(0, "lost")), Figure::Number(0.0)));
}

#[test]
fn functions_say_how_often_when_and_at_most() {
    let died = Pattern { worker: Some(Worker(2)), ..event("died") };
    let number = Figure::Number;
    assert_eq!(fine("count(effect) == 2"), equal(Figure::Count(None, event("effect")), number(2.0)));
    assert_eq!(fine("time(died w2) == 4"), equal(Figure::First(None, died.clone()), number(4.0)));
    assert_eq!(fine("last(a.died w2) == 4"), equal(Figure::Last(Some(0), died.clone()), number(4.0)));
    assert_eq!(fine("a.last(died w2) == 4"), equal(Figure::Last(Some(0), died), number(4.0)));
    assert_eq!(fine("peak(waiting) == 4"), equal(Figure::Peak(None, "waiting"), number(4.0)));
    let same = Test::SameJobs((Some(0), Harmed::Lost), (Some(1), Harmed::Duplicated));
    assert_eq!(fine("jobs(a.lost) == jobs(key-first.duplicated)"), same);
    assert_eq!(fine("jobs == 3"), equal(counter("jobs"), number(3.0)));
}

#[test]
fn the_verdict_stands_alone() {
    assert_eq!(fine("broken"), equal(counter("broken"), Figure::Number(1.0)));
    assert_eq!(fine("not kept"), Test::Not(Box::new(equal(counter("kept"), Figure::Number(1.0)))));
}

/// Each wrong text, the column and length of what is wrong, a part of what is said, and of the suggestion.
const WRONG: &[(&str, usize, usize, &str, &str)] = &[
    ("dupplicated == 0", 1, 11, "no such figure: dupplicated", "mean duplicated?"),
    ("lost == 0 and dupplicated == 0", 15, 11, "no such figure", "mean duplicated?"),
    ("clamed w2", 1, 6, "no such event: clamed", "mean claimed?"),
    ("count(clamed) == 2", 7, 6, "no such event", "mean claimed?"),
    ("claimed w5", 9, 2, "there is no w5: the lab has 4 workers", ""),
    ("claimed w0", 9, 2, "there is no w0", ""),
    ("claimed n0", 9, 2, "counted from n1", ""),
    ("claimed j10000000", 9, 9, "there is no job", ""),
    ("claimed w1 w2", 12, 2, "a worker is named already", ""),
    ("died w1 j3", 9, 2, "died: a job is no part of it", ""),
    ("drained w1", 9, 2, "drained: a worker is no part of it", ""),
    ("said", 1, 4, "a lab cannot wait for said", "after"),
    ("kye-first.lost == 0", 1, 9, "no such variant: kye-first", "mean key-first?"),
    ("lost = 0", 6, 1, "= means nothing here", "write =="),
    ("lost == 0 && drained", 11, 2, "&& means nothing", "write and"),
    ("lost == 5s", 9, 2, "5s is not a number", "seconds"),
    ("lost == 5%", 9, 2, "5% is not a number", "its own key"),
    ("lost == 1e308", 9, 5, "1e308 is not a number", ""),
    ("lost == 99999999999999999", 9, 17, "up to 2^53", ""),
    ("lost == NaN", 9, 3, "no such figure: NaN", ""),
    ("lost", 6, 1, "here belongs a comparison", ""),
    ("lost ==", 9, 1, "here belongs a figure", ""),
    ("", 1, 1, "here belongs a figure", ""),
    ("(lost == 0", 12, 1, "here belongs )", ""),
    ("lost == 0)", 10, 1, ") is too much here", ""),
    ("lost == 0 == 0", 11, 2, "== is too much here", "join several with and"),
    ("lost == 0 adn drained", 11, 3, "adn is too much here", "mean and?"),
    ("claimed == 3", 1, 7, "claimed happens and is no figure", "count(claimed)"),
    ("cout(claimed) == 3", 1, 4, "no such function: cout", "mean count?"),
    ("peak(kept) == 1", 6, 4, "here belongs a counter, such as waiting, not kept", ""),
    ("jobs(dead) == jobs(lost)", 6, 4, "here belongs lost or duplicated", ""),
    ("jobs(lost) > jobs(lost)", 12, 1, "here belongs ==", ""),
    ("jobs(lost) == 3", 15, 1, "here belongs jobs(VARIANT.lost)", ""),
    ("lost == jobs(lost)", 9, 4, "stands alone", ""),
    ("lost == \u{e9}", 9, 1, "means nothing here", ""),
    ("\u{e9}t\u{e9}", 1, 1, "means nothing here", ""),
    ("lost == \u{1b}[2J", 9, 1, "a character that cannot be seen", ""),
];

#[test]
fn what_is_wrong_is_pointed_at_and_the_nearest_word_offered() {
    for (text, column, len, message, suggestion) in WRONG {
        let wrong = read(text).expect_err(text);
        assert_eq!((wrong.column, wrong.len), (*column, *len), "{text:?}: {wrong:?}");
        assert!(wrong.message.contains(message), "{text:?}: {wrong:?}");
        assert!(wrong.suggestion.unwrap_or_default().contains(suggestion), "{text:?}");
    }
}

#[test]
fn columns_are_counted_in_characters() {
    let wrong = read("lost == 0 and \u{fc}ber").expect_err("no word");
    assert_eq!(wrong.column, 15);
    let wrong = read("lost ==\u{a0}0 adn").expect_err("no word");
    assert_eq!(wrong.column, 11, "a space of two bytes is one character");
}

#[test]
fn what_is_asked_of_one_run_names_no_variant() {
    let names = variants();
    let wrong =
        test("lost == 1 or a.lost == 2", Scope { variants: &names, workers: 4, alone: true }).expect_err("alone");
    assert_eq!((wrong.column, wrong.len), (14, 1));
    assert_eq!(wrong.suggestion.as_deref(), Some("leave the variant's name out"));
    let wrong = test("a.lost == 2", Scope { variants: &[], workers: 4, alone: true }).expect_err("there is none");
    assert!(wrong.message.contains("this lab has no variants"), "{wrong:?}");
}

#[test]
fn what_is_nested_too_deep_or_too_long_is_refused() {
    let deep = format!("{}lost == 0{}", "(".repeat(400), ")".repeat(400));
    assert!(read(&deep).expect_err("deep").message.contains("nested too deep"));
    assert!(read(&"not ".repeat(200)).expect_err("deep").message.contains("nested too deep"));
    assert!(read(&"-".repeat(900)).expect_err("deep").message.contains("nested too deep"));
    let long = "lost == 0 or ".repeat(100) + "lost == 0";
    assert!(read(&long).expect_err("long").message.contains("longer than 1000 characters"));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic_and_every_error_lies_within_reach(text in "\\PC{0,40}|[a-z0-9 ().=<>&w-]{0,40}") {
        let length = text.chars().count();
        let scope = Scope { variants: &variants(), workers: 4, alone: false };
        for wrong in read(&text).err().into_iter().chain(figure(&text, scope).err()) {
            prop_assert!((1..=length + 2).contains(&wrong.column), "{text:?}: {wrong:?}");
        }
    }

    #[test]
    fn words_of_the_language_in_any_order_never_panic(words in proptest::collection::vec(
        proptest::sample::select(vec!["lost", "(", ")", "and", "or", "not", "==", "<", "-", "*", "claimed", "w2", "j7",
            "n1", "a.", "key-first.", "count", "peak", "jobs", "3", "0.5", "kept", "."]), 0..20)) {
        let _either_way = read(&words.join(" "));
        let _either_way = read(&words.concat());
    }
}
