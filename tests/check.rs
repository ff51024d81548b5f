//! The commands `check` and `labs` as a whole: what they print and how they exit.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const GOOD: &str =
    "title = \"A\"\nteaches = \"b\"\nseed = 1\n[[step]]\nsay = \"c\"\n[[expect]]\nthat = \"lost == 0\"\n";

fn onceish(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_onceish")).args(args).output().expect("it starts")
}

/// What the program printed on stdout, and its exit code.
fn told(args: &[&str]) -> (String, i32) {
    let output = onceish(args);
    (String::from_utf8(output.stdout).expect("text"), output.status.code().expect("a code"))
}

/// Files in a folder of their own, which goes with it.
fn files(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |(name, bytes): &(&str, &[u8])| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        path
    };
    let paths = files.iter().map(write).collect();
    (folder, paths)
}

#[test]
fn a_whole_lab_is_said_to_be_whole() {
    let (_folder, paths) = files(&[("a.toml", GOOD.as_bytes()), ("b.toml", GOOD.as_bytes())]);
    let paths: Vec<&str> = paths.iter().map(|path| path.to_str().expect("text")).collect();
    assert_eq!(told(&["check", paths[0]]), ("1 lab is whole\n".to_owned(), 0));
    assert_eq!(told(&["check", paths[0], paths[1]]), ("2 labs are whole\n".to_owned(), 0));
}

#[test]
fn every_error_of_every_file_is_told_with_its_place_and_the_code_is_2() {
    let wrong = GOOD.replace("seed = 1", "sed = 1").replace("lost", "lsot");
    let (folder, paths) = files(&[("a.toml", wrong.as_bytes()), ("b.toml", GOOD.as_bytes()), ("c.toml", b"x\0")]);
    let missing = folder.path().join("d.toml");
    let all: Vec<&str> = paths.iter().chain([&missing]).map(|path| path.to_str().expect("text")).collect();
    let (text, code) = told(&[&["check"], all.as_slice()].concat());
    assert_eq!(code, 2);
    let heads = [
        format!("{}:1:1: seed is missing", all[0]),
        format!("{}:3:1: no such key: sed", all[0]),
        format!("{}:7:9: no such figure: lsot", all[0]),
        format!("{}:1:2: byte 1 is NUL, which no text has", all[2]),
        format!("there is no file {}", all[3]),
    ];
    for head in &heads {
        assert!(text.lines().any(|line| line == head), "{head} in\n{text}");
    }
    assert!(text.contains("  7 | that = \"lsot == 0\"\n    |         ^^^^\n  help: did you mean lost?\n"), "{text}");
    assert!(text.ends_with("\n1 lab is whole, 3 not: 5 errors\n"), "{text}");
}

#[test]
fn warnings_are_told_and_do_not_count_as_errors() {
    let (_folder, paths) = files(&[("a.toml", GOOD.split("[[expect]]").next().expect("a part").as_bytes())]);
    let (text, code) = told(&["check", paths[0].to_str().expect("text")]);
    assert_eq!(code, 0);
    assert!(
        text.contains(":1:1: warning: nothing is expected") && text.ends_with("1 lab is whole, with 1 warning\n"),
        "{text}"
    );
}

#[test]
fn what_is_asked_for_and_is_no_lab_is_an_error_of_usage() {
    let (folder, _) = files(&[]);
    let (text, code) = told(&["check", folder.path().to_str().expect("text"), "xyzzy\u{1b}[2J"]);
    assert_eq!(code, 2);
    assert!(text.contains("is a folder, not a lab"), "{text}");
    assert!(text.contains("no lab and no file is called xyzzy[2J; onceish labs lists them"), "{text:?}");
    assert_eq!(onceish(&["check"]).status.code(), Some(2), "something has to be checked");
}

#[test]
fn a_file_without_an_end_is_read_no_further_than_a_lab_can_be() {
    if cfg!(target_os = "linux") {
        let (text, code) = told(&["check", "/dev/zero"]);
        assert_eq!(code, 2);
        assert!(text.contains("/dev/zero:1:1: the file is longer than 1,048,576 bytes"), "{text}");
    }
}

#[test]
fn the_labs_that_come_with_the_program_are_whole_and_listed() {
    let (text, code) = told(&["labs", "--json"]);
    assert_eq!(code, 0);
    let list: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let labs = list["labs"].as_array().expect("a list");
    let (table, _) = told(&["labs"]);
    for lab in labs {
        let (name, title) = (lab["name"].as_str().expect("a name"), lab["title"].as_str().expect("a title"));
        assert!(table.contains(title), "{title} in {table}");
        let (text, code) = told(&["check", name]);
        assert_eq!(code, 0, "{text}");
    }
}

#[test]
fn a_recording_is_told_from_a_lab_at_once() {
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/05-two-writes.jsonl");
    for command in [&["check"][..], &["lab", "--headless"]] {
        let output = onceish(&[command, &[recording]].concat());
        assert_eq!(output.status.code(), Some(2));
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).expect("text");
        assert!(said.contains(":1:1: this is a recording, and no lab"), "{said}");
        assert!(said.contains("onceish replay shows it"), "{said}");
        assert!(said.lines().count() < 8 && said.lines().all(|line| line.len() < 300), "{said}");
    }
}
