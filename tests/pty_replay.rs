//! Recordings on the screen, and home, in a real pseudo-terminal: what is played, gone to and stepped through, and what
//! is opened and come back from.
#![cfg(unix)]

mod pty_support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pty_support::{Screen, desk};
use tempfile::TempDir;

/// The recording of a minute of virtual time in which workers die after their effects.
fn recorded() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.jsonl");
    let line = "run --headless --driver simulation --seed 11 --jobs 40 --rate 1.2 --work 3s --lease 3s \
                --crash 20%@effect --dedup effect-then-key --respawn 5s --record";
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
    command.args(line.split_whitespace()).arg(&file).current_dir(folder.path());
    for name in ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TMPDIR"] {
        command.env(name, folder.path());
    }
    let done = command.output().expect("it starts");
    assert_eq!(done.status.code(), Some(1), "some jobs are applied twice: {done:?}");
    (folder, file)
}

fn play(file: &Path, rows: u16, columns: u16) -> Screen {
    let file = file.to_str().expect("a plain path");
    desk().size(rows, columns).start_with(&["replay", file])
}

#[test]
fn steps_on_and_back_show_the_same_pictures_and_n_goes_to_the_anomaly() {
    let (_folder, file) = recorded();
    let mut screen = play(&file, 36, 120);
    screen.waits_for("REPLAY  ").waits_for("space stop").press(" ").waits_for("REPLAY STOPPED");
    screen.press("g0:20\r").waits_for("0:20.0 of ");
    let pictures: Vec<String> = (0..10)
        .map(|_| {
            let before = screen.picture();
            screen.press(".").waits_until("the next event shows", |text| !text.starts_with(&before));
            screen.picture()
        })
        .collect();
    for expected in pictures.iter().rev().skip(1) {
        screen.press(",").waits_until("the picture is the one before", |text| text.starts_with(expected.as_str()));
    }
    screen.press("g50%\r").waits_for("50 %");
    screen.press("g0:20\r").press("..").waits_until("it is the second again", |text| text.starts_with(&pictures[1]));
    screen
        .press("\x1b[H")
        .waits_for("0:00.0 of ")
        .press("n")
        .waits_for("TWICE 1")
        .press("i")
        .waits_for("was applied TWICE");
    screen.press("x").waits_for("a replay cannot be acted on; onceish rerun");
    screen.press("q");
    screen.ended_cleanly(0);
}

#[test]
fn a_recording_plays_by_itself_and_stands_at_its_end() {
    let (_folder, file) = recorded();
    let mut screen = play(&file, 24, 80);
    screen.waits_for("REPLAY x1").press("++++++").waits_for("REPLAY x100");
    screen.waits_for("100 %").waits_for("REPLAY STOPPED").waits_for("run over:");
    screen.press(" ").waits_for("home goes to its start");
    screen.press("\x1b[H").waits_for("0:00.0 of ").press("+").press("q");
    screen.ended_cleanly(0);
}

#[test]
fn what_is_cut_off_is_played_up_to_there_and_says_so() {
    let (folder, file) = recorded();
    let whole = fs::read(&file).expect("bytes");
    let torn = folder.path().join("torn.jsonl");
    fs::write(&torn, &whole[..whole.len() * 2 / 3]).expect("written");
    let mut screen = play(&torn, 36, 120);
    screen.waits_for("REPLAY (cut off at ").press("\x1b[F").waits_for("100 %").press("q");
    screen.ended_cleanly(0);
}

#[test]
fn what_is_no_recording_is_refused_before_the_screen_is_taken() {
    let (folder, file) = recorded();
    let mut text = fs::read_to_string(&file).expect("text");
    let third = text.match_indices('\n').nth(1).expect("three lines").0 + 1;
    text.insert_str(third, "{\"at\": oops}\n");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("damaged.jsonl"), &text).expect("written");
    fs::write(path("else.jsonl"), "{\"a\": \"\u{1b}[2J\"}\n").expect("written");
    for (name, said) in [("damaged.jsonl", "damaged.jsonl:3"), ("else.jsonl", "else.jsonl:1"), ("gone.jsonl", "gone")] {
        let mut screen = play(&path(name), 24, 200);
        assert_eq!(screen.ends(), 2, "{name}");
        let raw = String::from_utf8_lossy(&screen.all_of_it()).into_owned();
        assert!(raw.contains(said) && !raw.contains("\u{1b}["), "{name}: {raw:?}");
    }
}

#[test]
fn home_opens_the_sandbox_comes_back_and_replays_its_recording() {
    let mut screen = desk().start_with(&[]);
    screen.waits_for("2 labs: a course").waits_for("none yet").press("1").waits_for("\u{25ba}1 sandbox");
    screen.press("\r").waits_for("operator").waits_for("LIVE").waits_for("leased");
    screen.press("q").waits_for("2 labs: a course").waits_for("sandbox, seed ");
    screen.press("3").waits_for("enter replay").press("\r").waits_for("REPLAY x1");
    screen.press("q").waits_for("2 labs: a course").press("1j").waits_for("As last time");
    screen.press("\r").waits_for("LIVE");
    screen.press("\x03");
    screen.ended_cleanly(130);
}
