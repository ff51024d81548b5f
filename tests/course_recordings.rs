//! Each lab of the course has a recording: what it holds is what a run of the lab tells today, to the byte.
//!
//! `ONCEISH_RENEW_KEPT=1 cargo test --test course_recordings` makes them anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use onceish::board::Board;
use onceish::driver::simulation;
use onceish::event::Event;
use onceish::lab::course::Shipped;
use onceish::lab::{self, Director, Lab};
use onceish::recording::{Header, Writer};
use onceish::setup::{Driver, Setup};
use onceish::sink::{Target, open};

/// The longest recording that is kept, in bytes.
const LONGEST: u64 = 256 * 1_024;

fn kept(shipped: &Shipped) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(format!("{}.jsonl", shipped.name))
}

/// The variant that is recorded: one that is there to be followed job by job, else the one that a screen shows.
fn recorded(lab: &Lab) -> usize {
    lab.variants.iter().position(|variant| variant.name == "small").unwrap_or(0)
}

fn run(lab: &Arc<Lab>, variant: usize, setup: &Setup) -> Vec<Event> {
    let store = open(Target::Memory, setup.synchronous).expect("memory");
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let consumer = move |batch: &[Event]| seen.lock().expect("alone").extend_from_slice(batch);
    let plan = Box::new(Director::new(lab.clone(), variant, Vec::new()));
    let id = store.run();
    let handle = simulation::start(setup.clone(), id, Arc::new(store), plan, vec![Box::new(consumer)]);
    handle.expect("it starts").wait();
    let events = events.lock().expect("the run is over");
    events.clone()
}

/// A recording of the lab as it is today.
fn record(shipped: &Shipped, path: &Path) {
    let lab = Arc::new(lab::read(shipped.name, shipped.text.as_bytes()).lab.expect("a lab"));
    let variant = recorded(&lab);
    let setup = Setup { driver: Driver::Simulation, ..lab.variants[variant].setup.clone() };
    let events = run(&lab, variant, &setup);
    let header = Header::of(&setup, Some(shipped.text.to_owned()), 0);
    let writer = Writer::create(path, &header).expect("a new file");
    writer.take(&events);
    writer.close(&events.iter().collect::<Board>()).expect("written");
}

#[test]
fn every_lab_of_the_course_has_a_recording_of_what_it_tells_today() {
    let folder = tempfile::tempdir().expect("a folder");
    for shipped in lab::course() {
        let (fresh, kept) = (folder.path().join(shipped.name), kept(shipped));
        record(shipped, &fresh);
        if std::env::var_os("ONCEISH_RENEW_KEPT").is_some() {
            fs::copy(&fresh, &kept).expect("written");
        }
        let text = |path: &Path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (was, is) = (text(&kept), text(&fresh));
        let differs = was.lines().zip(is.lines()).position(|(was, is)| was != is);
        assert_eq!(differs, None, "{}: first line that differs, from 0", shipped.name);
        assert_eq!(was.len(), is.len(), "{}", shipped.name);
        assert!(fs::metadata(&kept).expect("a file").len() <= LONGEST, "{} is too long", shipped.name);
    }
}

/// What a command on each recording exits with.
fn codes(command: &[&str]) -> Vec<(&'static str, Option<i32>)> {
    let code = |shipped: &'static Shipped| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_onceish"));
        let output = run.args(command).arg(kept(shipped)).output().expect("it runs");
        (shipped.name, output.status.code())
    };
    lab::course().iter().map(code).filter(|(_, code)| *code != Some(0)).collect()
}

#[test]
fn every_recording_of_the_course_bears_out_its_own_end() {
    assert_eq!(codes(&["replay", "--headless"]), []);
}

#[test]
fn every_recording_of_the_course_runs_again_event_by_event() {
    assert_eq!(codes(&["rerun"]), []);
}
