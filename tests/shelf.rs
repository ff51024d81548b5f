//! The shelf of recordings: it keeps the newest, and touches nothing that is not its own.

use std::fs;
use std::path::Path;

use onceish::board::Board;
use onceish::event::{Event, What};
use onceish::recording::{Header, Shelf, Writer};
use onceish::setup::Setup;
use onceish::time::Instant;

fn header(begun: u64) -> Header {
    Header::of(&Setup::sandbox(7), None, begun)
}

fn events() -> Vec<Event> {
    let setup = Box::new(Setup::sandbox(7));
    let marked = What::Marked { text: "here".into() };
    [(0, What::Started { setup, run: 1 }), (9, marked)].map(|(at, what)| Event { at: Instant(at), what }).to_vec()
}

fn begin(shelf: &Shelf, begun: u64) -> Writer {
    let writer = shelf.begin("sandbox-s7", &header(begun)).expect("a new file");
    writer.take(&events());
    writer
}

fn record(shelf: &Shelf, begun: u64) {
    begin(shelf, begun).close(&events().iter().collect::<Board>()).expect("written");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().expect("text")).collect();
    names.sort();
    names
}

#[test]
fn the_folder_is_made_when_it_is_needed_and_its_recordings_are_listed_newest_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = Shelf::new(folder.path().join("a").join("b"));
    assert!(shelf.list().is_empty());
    for begun in [10, 30, 20] {
        record(&shelf, begun);
    }
    let listed = shelf.list();
    assert_eq!(listed.iter().map(|one| one.header.begun).collect::<Vec<_>>(), [30, 20, 10]);
    assert!(listed.iter().all(|one| one.what == "sandbox-s7" && one.ends == Instant(9) && !one.open));
    assert!(listed.iter().all(|one| one.closing.as_ref().is_some_and(|closing| closing.events == 2)));
}

#[test]
fn the_oldest_go_and_those_that_are_being_written_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = Shelf::new(folder.path());
    let open = begin(&shelf, 1);
    (2..=6).for_each(|begun| record(&shelf, begun));
    assert_eq!(shelf.prune(2), 3);
    assert_eq!(
        shelf.list().iter().map(|one| (one.header.begun, one.open)).collect::<Vec<_>>(),
        [(6, false), (5, false), (1, true)]
    );
    drop(open);
    assert_eq!(shelf.prune(2), 1, "it was cut off, and is nobody's any more");
    assert_eq!(shelf.prune(0), 2);
}

#[test]
fn what_is_no_recording_by_its_name_and_its_first_line_is_never_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = Shelf::new(folder.path());
    record(&shelf, 1);
    let recording = names(folder.path()).remove(0);
    fs::copy(folder.path().join(&recording), folder.path().join("mine.jsonl")).expect("copied");
    fs::write(folder.path().join("notes-20261130T140203Z.jsonl"), "my notes\n").expect("written");
    fs::create_dir(folder.path().join("sandbox-s1-20261130T140203Z.jsonl")).expect("a folder");
    let before = names(folder.path());
    assert_eq!(shelf.prune(0), 1);
    let kept: Vec<String> = before.into_iter().filter(|name| *name != recording).collect();
    assert_eq!(names(folder.path()), kept);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_recording_is_left_alone() {
    let (folder, elsewhere) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    record(&Shelf::new(elsewhere.path()), 1);
    let name = names(elsewhere.path()).remove(0);
    std::os::unix::fs::symlink(elsewhere.path().join(&name), folder.path().join(&name)).expect("a link");
    assert_eq!(Shelf::new(folder.path()).prune(0), 0);
    assert_eq!((names(folder.path()), names(elsewhere.path())), (vec![name.clone()], vec![name]));
}

#[test]
fn two_recordings_of_one_second_have_two_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = Shelf::new(folder.path());
    (0..3).for_each(|_| record(&shelf, 5));
    let stem = "sandbox-s7-19700101T000005Z";
    assert_eq!(names(folder.path()), ["-2.jsonl", "-3.jsonl", ".jsonl"].map(|end| format!("{stem}{end}")));
    assert_eq!(shelf.prune(1), 2);
    assert_eq!(names(folder.path()), [format!("{stem}-3.jsonl")], "the last one is the newest");
}

#[test]
fn a_recording_that_is_not_whole_is_not_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = Shelf::new(folder.path());
    let board: Board = events()[..1].iter().collect();
    let refused = begin(&shelf, 1).close(&board).expect_err("another board");
    assert!(refused.contains("2 events") && refused.contains('1'), "{refused}");
    assert_eq!(shelf.list()[0].closing, None);
}
