//! Runs on the screen are recorded, and what is recorded outlives the program, however that ends.
#![cfg(unix)]

mod pty_support;

use std::path::{Path, PathBuf};

use onceish::board::Board;
use onceish::recording::{Folded, Shelf, Summary};
use pty_support::{Screen, desk};
use rustix::process::Signal;

/// Short jobs, few enough that what is done stays in the log for a while.
const BUSY: &str = "run --seed 5 --work 20ms --rate 3";

fn folder(screen: &Screen) -> PathBuf {
    screen.path("state").join("onceish").join("recordings")
}

fn recordings(screen: &Screen) -> Vec<Summary> {
    Shelf::new(folder(screen)).list()
}

fn fold(path: &Path) -> Folded {
    Folded::read(path, Board::new()).unwrap_or_else(|damage| panic!("{}: {damage}", path.display()))
}

#[test]
fn a_run_on_the_screen_leaves_a_recording_and_says_where() {
    for driver in ["threads", "simulation"] {
        let mut screen = desk().size(36, 120).start(&format!("{BUSY} --driver {driver}"));
        screen.waits_for("seed 5   rec").act("kill w1").act("dedup none").waits_for("dedup none");
        screen.press("q");
        assert_eq!(screen.ends(), 0, "{driver}");
        let found = recordings(&screen);
        assert_eq!(found.len(), 1, "{driver}");
        assert!(!found[0].open && found[0].what == "sandbox-s5");
        screen.waits_for("recording  /");
        let folded = fold(&found[0].path);
        assert!(folded.closing.is_some(), "{driver}");
        assert_eq!(folded.contradiction(), None, "{driver}");
        let counters = folded.board.counters();
        assert!(counters.deaths >= 1, "{driver}: {counters:?}");
    }
}

#[test]
fn starting_over_begins_another_recording_and_closes_the_first() {
    for driver in ["threads", "simulation"] {
        let mut screen = desk().size(36, 120).start(&format!("{BUSY} --driver {driver}"));
        screen.waits_for("seed 5   rec").act("mark first").waits_for("mark    first");
        screen.press("\x12").waits_until("it started over", |text| !text.contains("mark    first"));
        screen.act("mark second").waits_for("mark    second").press("q");
        assert_eq!(screen.ends(), 0);
        let found = recordings(&screen);
        assert_eq!(found.len(), 2, "{driver}");
        let mut marks: Vec<String> = Vec::new();
        for one in &found {
            assert!(one.closing.is_some(), "{driver}");
            assert_eq!(fold(&one.path).contradiction(), None);
            marks.extend(fold(&one.path).board.marks().iter().map(|(_, text)| text.clone()));
        }
        marks.sort();
        assert_eq!(marks, ["first", "second"], "{driver}");
    }
}

#[test]
fn what_was_recorded_when_the_program_was_killed_is_whole() {
    let mut screen = desk().size(36, 120).start(BUSY);
    screen.waits_for("seed 5   rec").waits_until("jobs are applied", |text| text.contains("board = SQL"));
    screen.signal(Signal::KILL);
    screen.is_gone();
    let found = recordings(&screen);
    assert_eq!(found.len(), 1);
    assert!(!found[0].open, "the system let the lock go");
    let folded = fold(&found[0].path);
    assert!(folded.closing.is_none() && folded.board.violations().is_empty());
    assert!(folded.board.counters().effects > 0, "{:?}", folded.board.counters());
    let replay = std::process::Command::new(env!("CARGO_BIN_EXE_onceish"))
        .args(["replay", "--headless"])
        .arg(&found[0].path)
        .output()
        .expect("the program starts");
    assert_eq!(replay.status.code(), Some(3));
    let said = String::from_utf8(replay.stderr).expect("text");
    assert!(said.lines().count() == 1 && said.contains("was cut off at"), "{said}");
}

#[test]
fn a_state_folder_that_cannot_be_used_is_said_once_and_the_run_goes_on() {
    let screen = desk().size(36, 120).env("XDG_STATE_HOME", "/proc/nothing");
    let mut screen = screen.start(BUSY);
    screen.waits_for("not recorded: ").waits_until("the run goes on", |text| text.contains("board = SQL"));
    assert!(!screen.text().contains("   rec"), "{}", screen.text());
    screen.press("q");
    assert_eq!(screen.ends(), 0);
}

#[test]
fn settings_say_how_many_are_kept_and_whether_any_is_made() {
    let desk_with = |settings: &str| {
        let desk = desk().size(36, 120);
        desk.write("home/.config/onceish/settings.toml", settings);
        desk
    };
    let mut screen = desk_with("recordings = 0\nascii = true\n").start(BUSY);
    screen.waits_for("seed 5").waits_until("jobs are applied", |text| text.contains("board = SQL"));
    assert!(screen.text().is_ascii() && !screen.text().contains("   rec"), "{}", screen.text());
    screen.press("q");
    assert_eq!(screen.ends(), 0);
    assert!(!folder(&screen).exists());

    let mut screen = desk_with("recordings = 1\n").start(BUSY);
    screen.waits_for("seed 5   rec").press("\x12").waits_for("seed 5   rec").act("mark it").waits_for("mark    it");
    screen.press("q");
    assert_eq!(screen.ends(), 0);
    assert_eq!(recordings(&screen).len(), 1);

    let mut screen = desk_with("recordings = 1\ncolour = \"red\"\n").start(BUSY);
    screen.waits_for("settings.toml:2:1: colour cannot be set");
    assert_eq!(screen.ends(), 2);
    assert!(!folder(&screen).exists(), "nothing ran");
}
