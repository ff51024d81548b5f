//! Labs on a real pseudo-terminal: from the first question to the score, and before an audience.
#![cfg(unix)]

mod pty_support;

use pty_support::{Screen, desk};

const LAB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept/two-writes.toml");

/// Presses a key and waits until another picture shows.
fn turn(screen: &mut Screen, key: &str) -> String {
    let before = screen.picture();
    screen.press(key).waits_until("another page shows", |text| !text.starts_with(&before));
    screen.picture()
}

#[test]
fn a_lab_is_taken_from_its_first_question_to_its_score() {
    let mut screen = desk().start_with(&["lab", LAB]);
    screen.waits_for("Two workers, six jobs.").waits_for("step 1 of 7").press("\r");
    screen.waits_for("How many jobs are applied twice?").waits_for("a whole number, 0 to 6");
    screen.press("9\r").waits_for("a whole number, 0 to 6 can be given");
    screen.press("\x15").press("1\r").waits_for("What becomes of its job?").waits_for("Time stands until");
    screen.press("c").waits_for("enter what came of it").waits_for("you said c  It is done again");
    screen.press("\r").waits_for("RIGHT").waits_for("deaths between the writes").waits_for("1 of 1 right");
    screen.press("o").waits_for("enter back to the lesson").press("q").waits_for("RIGHT");
    screen.press("\r").waits_for("right is").waits_for("2 of 2 right");
    screen.press("\r").waits_for("enter home").waits_for("The run was recorded to");
    screen.press("\r");
    let scores = std::fs::read_to_string(screen.path("state/onceish/scores.json")).unwrap_or_default();
    screen.ended_cleanly(0);
    assert!(scores.contains("\"right\": 2") && scores.contains("\"of\": 2"), "{scores}");
}

#[test]
fn a_run_that_somebody_interferes_with_is_not_judged() {
    let mut screen = desk().start_with(&["lab", LAB]);
    screen.waits_for("Two workers, six jobs.").press("\r").waits_for("your answer").press("1\r");
    screen.waits_for("What becomes of its job?").press("c").waits_for("you said");
    screen.act("enqueue 1").waits_for("enter what came of it").press("\r");
    screen.waits_for("YOUR RUN: you").waits_for("so the lab does not judge it");
    screen.press("q");
    screen.ended_cleanly(0);
}

#[test]
fn a_lab_is_presented_forwards_backwards_and_again_with_equal_pictures() {
    let mut screen = desk().start_with(&["lab", LAB, "--present"]);
    screen.waits_for("1 of ").waits_for("space next");
    let mut pictures = vec![screen.picture()];
    loop {
        let before = pictures.last().cloned().unwrap_or_default();
        screen.press(" ").waits_until("another page, or the last", |text| {
            !text.starts_with(&before) || text.contains("this is the last")
        });
        match screen.picture() {
            same if same == before => break,
            next => pictures.push(next),
        }
    }
    let last = pictures.last().expect("the last page");
    assert!(last.contains("9 of 9") && pictures.iter().any(|picture| picture.contains("TWICE")), "{last}");
    for expected in pictures.iter().rev().skip(1) {
        assert_eq!(&turn(&mut screen, "\x1b[D"), expected, "backwards");
    }
    turn(&mut screen, " ");
    turn(&mut screen, " ");
    screen.press("\x12").waits_until("the first page", |text| text.starts_with(&pictures[0]));
    for expected in &pictures[1..] {
        assert_eq!(&turn(&mut screen, "\x1b[6~"), expected, "again, with a clicker");
    }
    screen.press("v").waits_for("VIRTUAL STOPPED").press("v").waits_for("space next");
    screen.press("q").waits_for("leave the presenter?").press("q");
    screen.ended_cleanly(0);
}

#[test]
fn the_fault_of_a_presented_lab_strikes_once_more_also_where_its_worker_is_dead() {
    let mut screen = desk().start_with(&["lab", "5", "--present"]);
    screen.waits_for("1 of ").waits_for("space next");
    let mut turns = 0;
    while !screen.text().contains("w2 died before it wrote the key.") {
        turn(&mut screen, " ");
        turns += 1;
        assert!(turns < 30, "{}", screen.text());
    }
    screen.press("f").waits_for("kill random at effect: w").waits_for("will die after effect (d)");
    turn(&mut screen, " ");
    turn(&mut screen, " ");
    screen.press("v").waits_for("VIRTUAL STOPPED").waits_for("TWICE 2");
}
