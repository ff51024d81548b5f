//! The screen in virtual time, in a real pseudo-terminal: its badge, a step on and a step back of the run itself, and
//! leaving.
#![cfg(unix)]

mod pty_support;

use pty_support::desk;

/// A sandbox in virtual time.
const SANDBOX: &str = "run --driver simulation --seed 249";

#[test]
fn a_step_back_shows_exactly_what_was_shown_before_the_step_on() {
    let mut screen = desk().start(SANDBOX);
    screen.waits_for("VIRTUAL").waits_for("3 leased").press(".").waits_for("VIRTUAL STOPPED");
    screen.press(".").waits_for("? help");
    let steps = 12;
    let mut pictures = vec![screen.picture()];
    for _ in 0..steps {
        let before = screen.picture();
        screen.press(".").waits_until("the next event shows", |text| !text.starts_with(&before));
        pictures.push(screen.picture());
    }
    for expected in pictures.iter().rev().skip(1) {
        screen.press(",").waits_for("one event back");
        screen.waits_until("the picture is the one before", |text| text.starts_with(expected.as_str()));
    }
    screen.press("q");
    screen.ended_cleanly(0);
}

#[test]
fn going_on_from_an_earlier_moment_undoes_the_kill_that_came_after_it() {
    let mut screen = desk().start(SANDBOX);
    screen.waits_for("3 leased").press(".").waits_for("VIRTUAL STOPPED");
    screen.press("x").waits_for("w1 is killed");
    screen.press(",").waits_until_gone("w1 is killed");
    screen.press(" ").waits_until_gone("STOPPED").waits_for("4 leased");
    assert!(!screen.text().contains("w1 is killed"));
    assert!(!screen.text().contains("DEAD"));
    screen.press("q");
    screen.ended_cleanly(0);
}

#[test]
fn one_death_doubles_a_job_on_one_side_of_a_comparison_only() {
    let mut screen = desk().size(36, 120).start("compare --screen --seed 249 --lease 2s --work 1s --respawn 0");
    screen.waits_for("compare: one stream, two policies").waits_for("VIRTUAL").waits_for("1 delivery");
    screen.act("kill all at effect").act("speed 20");
    screen.waits_for("TWICE").waits_for("twice in A, once in B");
    screen.press(".").waits_for("VIRTUAL STOPPED");
    let text = screen.text();
    assert!(text.contains("BROKEN") && text.contains("KEPT SO FAR"), "{text}");
    screen.press("q");
    screen.ended_cleanly(0);
}

#[test]
fn what_can_be_taken_back_leaves_no_database() {
    let mut screen = desk().start("run --driver simulation --db sink.db");
    assert_eq!(screen.ends(), 2);
    assert!(!screen.path("sink.db").exists());
}
