//! A recording is run again: in virtual time every event comes again, whatever was done to the run on the screen.

mod waiting;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use onceish::action;
use onceish::event::{By, Event, What};
use onceish::recording::{Header, Writer};
use onceish::rehearsal::{Keep, Piece, Rehearsal};
use onceish::request::Sink;
use onceish::setup::{Driver, Setup};
use onceish::sink::{Target, open};
use waiting::{DEADLINE, wait};

/// Hands events and cuts to a writer that others can close.
struct Pen(Arc<std::sync::Mutex<Option<Writer>>>);

impl Keep for Pen {
    fn take(&mut self, events: &[Event]) {
        if let Some(writer) = &*self.0.lock().expect("no test panics with it") {
            writer.take(events);
        }
    }

    fn cut(&mut self, events: usize) {
        if let Some(writer) = &*self.0.lock().expect("no test panics with it") {
            writer.cut(events as u64);
        }
    }
}

fn actions(rehearsal: &Rehearsal) -> usize {
    rehearsal.events(0).iter().filter(|event| matches!(event.what, What::Action { .. })).count()
}

/// Does something at a moment that nobody chose, and waits until it is told.
fn act(rehearsal: &Rehearsal, text: &str) {
    let before = actions(rehearsal);
    rehearsal.act(action::parse(text).expect(text), By::Operator);
    wait(|| actions(rehearsal) > before, text);
}

fn goes_on(rehearsal: &Rehearsal, events: usize) {
    let before = rehearsal.events(0).len();
    wait(|| rehearsal.events(0).len() >= before + events, "more events");
}

/// A session in virtual time with kills, stalls, partitions and a switch of policy, in the midst of moments too, part of
/// which is taken back.
fn session(path: &Path) {
    let mut setup = Setup::sandbox(249);
    (setup.driver, setup.speed) = (Driver::Simulation, 20.0);
    let writer = Writer::create(path, &Header::of(&setup, None, 0)).expect("a new file");
    let pen = Arc::new(std::sync::Mutex::new(Some(writer)));
    let fresh = |setup: &Setup| {
        let store = open(Target::Memory, setup.synchronous)?;
        let run = store.run();
        Ok((Arc::new(store) as Arc<dyn Sink>, run))
    };
    let keep: Option<Box<dyn Keep>> = Some(Box::new(Pen(pen.clone())));
    let rehearsal = Rehearsal::start(Piece { keep, patience: DEADLINE, ..Piece::of(vec![setup], Box::new(fresh)) })
        .expect("it starts");
    let done = ["kill w1", "stall w2 for 6s", "dedup effect-then-key", "cut w3 queue for 8s", "kill w2 at effect"];
    for text in done {
        goes_on(&rehearsal, 40);
        act(&rehearsal, text);
    }
    rehearsal.act(action::parse("stop").expect("an action"), By::Operator);
    wait(|| rehearsal.stopped(), "time stands");
    for text in ["kill w4", "cut w1 sink for 3s", "kill random"] {
        for _ in 0..7 {
            rehearsal.act(action::parse("step").expect("an action"), By::Operator);
        }
        act(&rehearsal, text);
    }
    (0..12).for_each(|_| drop(rehearsal.back()));
    rehearsal.act(action::parse("go").expect("an action"), By::Operator);
    wait(|| !rehearsal.stopped(), "time goes");
    goes_on(&rehearsal, 120);
    rehearsal.quit();
    assert!(rehearsal.wait_for(DEADLINE));
    let writer = pen.lock().expect("alone").take().expect("a writer");
    writer.close(&rehearsal.board(0)).expect("written");
}

fn rerun(path: &Path) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_onceish")).arg("rerun").arg(path).output().expect("it starts");
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
    (output.status.code().expect("it was not killed"), text)
}

fn record(folder: &Path, line: &str) -> std::path::PathBuf {
    let path = folder.join("run.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
    command.args(line.split_whitespace()).arg("--record").arg(&path);
    let output = command.output().expect("it starts");
    assert!(path.exists(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

#[test]
fn a_session_in_virtual_time_comes_again_event_by_event() {
    for n in 0..3 {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("session.jsonl");
        session(&path);
        let (code, text) = rerun(&path);
        assert_eq!(code, 0, "session {n}: {text}");
        assert!(text.contains("every event came again"), "{text}");
    }
}

#[test]
fn a_headless_run_comes_again_to_its_end_and_so_does_what_is_whole_of_one_that_was_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = record(folder.path(), "run --headless --driver simulation --jobs 50 --seed 5 --crash 10%@effect");
    let (code, text) = rerun(&path);
    assert!(code == 0 && text.contains("every event came again"), "{text}");
    let whole = std::fs::read_to_string(&path).expect("text");
    let half: Vec<&str> = whole.lines().take(whole.lines().count() / 2).collect();
    std::fs::write(&path, half.join("\n") + "\n").expect("written");
    let (code, text) = rerun(&path);
    assert!(code == 0 && text.contains("every event came again") && text.contains("cut off"), "{text}");
}

#[test]
fn a_recording_that_no_run_has_told_parts_from_its_rerun_at_the_event_that_was_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = record(folder.path(), "run --headless --driver simulation --jobs 50 --seed 5");
    let whole = std::fs::read_to_string(&path).expect("text");
    let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    let place = lines.iter().rposition(|line| line.contains("\"e\":\"effect\"")).expect("an effect");
    lines[place] = lines[place].replace("\"e\":\"effect\"", "\"e\":\"key\"");
    lines[place] = lines[place].split(",\"row\"").next().expect("the rest").to_owned() + "}";
    std::fs::write(&path, lines.join("\n") + "\n").expect("written");
    let (code, text) = rerun(&path);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(&format!("parted    at event {}", place - 1)), "{text}");
    assert!(text.contains("\nrecorded ") && text.contains("\nagain "), "{text}");
}

#[test]
fn on_threads_the_same_becomes_of_the_jobs_where_the_set_up_decides_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "run --headless --jobs 200 --seed 5 --dedup effect-then-key --crash ids:3,7,9@effect";
    let (code, text) = rerun(&record(folder.path(), line));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("parted    at event"), "the order is never quite the same: {text}");
}
