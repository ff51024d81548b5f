//! A tape shows the board of any moment of a run, as it was then.

use super::Script;
use crate::board::{Board, Tape};
use crate::event::Event;
use crate::time::Instant;

/// A log of some thousand events: the lives of many jobs, each a tenth of a second after the one before.
fn log() -> Vec<Event> {
    let mut script = Script::under("dedup transactional, lease 3s");
    for job in 0..400 {
        script.at(f64::from(job) / 10.0).enqueue(1).whole_life(1, job);
    }
    script.events
}

fn fold(events: &[Event]) -> Board {
    events.iter().collect()
}

/// Everything that a board knows.
fn all(board: &Board) -> String {
    format!("{board:?}")
}

/// Numbers of events that lie all over a log of so many, forward and back.
fn astray(len: usize) -> impl Iterator<Item = usize> {
    (0..60).map(move |n: usize| (n * 7_919 + n * n * 31) % (len + 1))
}

#[test]
fn any_moment_of_a_tape_is_the_fold_of_the_events_before_it() {
    let events = log();
    let mut tape = Tape::of_at_most(100_000);
    tape.push(events.iter().cloned());
    tape.follow();
    assert!(tape.at_end() && tape.len() == events.len());
    for n in astray(events.len()) {
        tape.show(n);
        assert_eq!(tape.shown(), n);
        assert_eq!(all(tape.board()), all(&fold(&events[..n])), "after {n} events");
    }
}

#[test]
fn a_tape_that_grows_while_an_older_moment_shows_stays_there_until_it_follows() {
    let events = log();
    let mut tape = Tape::default();
    tape.push(events[..500].iter().cloned());
    tape.follow();
    tape.show(300);
    tape.push(events[500..].iter().cloned());
    assert_eq!((tape.shown(), tape.at_end()), (300, false));
    assert_eq!(all(tape.board()), all(&fold(&events[..300])));
    tape.follow();
    assert_eq!(all(tape.board()), all(&fold(&events)));
}

#[test]
fn what_was_cut_off_is_forgotten_and_another_course_can_follow() {
    let events = log();
    let mut tape = Tape::of_at_most(100_000);
    tape.push(events.iter().cloned());
    tape.follow();
    tape.show(700);
    tape.cut();
    assert!(tape.at_end() && tape.len() == 700);
    let other: Vec<Event> = events[..700].iter().chain(&events[900..1_000]).cloned().collect();
    tape.push(other[700..].iter().cloned());
    tape.follow();
    assert_eq!(all(tape.board()), all(&fold(&other)));
    tape.show(650);
    assert_eq!(all(tape.board()), all(&fold(&other[..650])));
}

#[test]
fn a_long_tape_forgets_its_oldest_events_and_says_how_far_back_it_goes() {
    let events = log();
    let mut tape = Tape::of_at_most(400);
    for part in events.chunks(50) {
        tape.push(part.iter().cloned());
        tape.follow();
    }
    assert_eq!(tape.len(), events.len());
    let least = tape.least();
    assert!(events.len() - least <= 400 + 100, "at most what it may keep and the distance of two snapshots");
    assert!(events.len() - least >= 200, "it goes back a good part of that");
    tape.show(0);
    assert_eq!(tape.shown(), least);
    assert_eq!(all(tape.board()), all(&fold(&events[..least])));
    assert_eq!(tape.event(least), events.get(least));
    assert_eq!(tape.event(least - 1), None);
}

#[test]
fn a_moment_of_time_names_the_events_that_have_happened_by_then() {
    let events = log();
    let mut tape = Tape::default();
    tape.push(events.iter().cloned());
    let tenth = Instant(1_000_000_000);
    let by_then = events.iter().filter(|event| event.at <= tenth).count();
    assert_eq!(tape.until(tenth), by_then);
    assert_eq!(tape.until(Instant::NEVER), events.len());
}
