//! The README says only what is true: its commands are understood, and its keys are the keys.

use std::fs;
use std::path::Path;
use std::process::Command;

use onceish::cli::args::command;
use onceish::tui::keys::{Context, table};

fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("a README")
}

/// The lines of the README between two marks.
fn between<'a>(text: &'a str, mark: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("<!-- {mark} -->\n")).unwrap_or_else(|| panic!("no mark {mark}"));
    rest.split_once(&format!("<!-- /{mark} -->")).unwrap_or_else(|| panic!("{mark} has no end")).0
}

/// True for the first line of a report, whose facts stand apart from the command.
fn is_a_report(line: &str) -> bool {
    let command = line.split(' ').nth(1).unwrap_or_default();
    line.starts_with(&format!("onceish {command}   "))
}

/// The words of a command, of which those in quotes are one.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = |(n, part): (usize, &str)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    };
    parts.flat_map(words).collect()
}

#[test]
fn every_command_of_the_readme_is_understood() {
    let text = readme();
    let commands: Vec<&str> = text.lines().filter(|line| line.starts_with("onceish ") && !is_a_report(line)).collect();
    assert!(commands.len() > 5, "the README shows commands");
    for line in commands {
        let words = words(line.split('#').next().expect("a first part"));
        if let Err(error) = command().try_get_matches_from(words) {
            panic!("{line}: {error}");
        }
    }
}

#[test]
fn the_keys_of_the_readme_are_the_keys() {
    let shown = [Context::Always, Context::Screen, Context::Run];
    let rows = table().iter().filter(|row| shown.contains(&row.context));
    let rows: String = rows.map(|row| format!("| `{}` | {} |\n", row.key, row.does)).collect();
    let wanted = format!("\n| key | does |\n|---|---|\n{rows}\n");
    assert_eq!(between(&readme(), "keys"), wanted, "the keys of the README should be:\n{wanted}");
}

#[test]
fn the_readme_has_the_two_commands_that_the_gate_runs() {
    let gate = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/run")).expect("a gate");
    let test = "cargo test --locked";
    assert!(readme().lines().any(|line| line.starts_with(test)), "the README says how to test");
    assert!(gate.lines().any(|line| line == test), "the gate tests as the README says");
    assert!(readme().lines().any(|line| line.starts_with("cargo run --release --locked ")));
}

#[test]
fn what_the_readme_shows_of_reports_is_what_is_printed() {
    for (name, line) in [
        ("grid", "grid"),
        ("compare", "compare"),
        ("sweep", "sweep lease=5s,15s,30s,60s,300s"),
        ("explain", "explain recordings/sandbox-249.jsonl 43"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(line.split(' '));
        let printed = command.output().expect("it starts");
        let printed = String::from_utf8(printed.stdout).expect("text");
        assert_eq!(between(&readme(), name), format!("```text\n{printed}```\n"), "{name}");
    }
}

#[test]
fn quotes_hold_words_together() {
    assert_eq!(words("onceish compare --policy \"ack=after at=effect\" --json").len(), 5);
    assert!(is_a_report("onceish grid   one job") && !is_a_report("onceish run --headless   # 398 lost"));
}
