//! The house as data: which room may use which, and what no file may have.
//!
//! Arrows point one way. A room may be cut differently inside; a new arrow has to be written down here first.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The words that every room uses.
const LEAVES: &[&str] =
    &["action", "digest", "event", "ids", "page", "policy", "request", "sabotage", "setup", "text", "time"];

/// Each room beside the leaves, and the rooms that it may use.
const ROOMS: &[(&str, &[&str])] = &[
    ("engine", &[]),
    ("sink", &[]),
    ("driver", &["engine"]),
    ("board", &[]),
    ("rehearsal", &["driver", "board"]),
    ("claims", &["driver", "board"]),
    ("recording", &["board"]),
    ("lab", &["driver", "board", "recording"]),
    ("tui", &["board", "recording", "lab"]),
    ("export", &["board", "recording", "lab", "tui"]),
    ("cli", &["engine", "sink", "driver", "board", "rehearsal", "claims", "recording", "lab", "tui", "export"]),
];

/// Rooms in which nothing has a part in what a run does or in what is told of it. All others give the same answers to the
/// same questions, whatever the machine.
const BESIDE_THE_RUN: &[&str] = &["tui", "cli"];
/// What comes in another order each time, or differs from one platform's mathematics to another's.
const UNSTEADY: &[&str] = &["HashMap", "HashSet", "RandomState", "DefaultHasher"];
const UNSTEADY_CALLS: &[&str] = &[".exp()", ".ln()", ".powf(", ".log10()", ".log2()", ".sin()", ".cos()"];

/// What only rooms that perform may name, and which ones.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("rusqlite", &["sink"]),
    ("ratatui", &["tui"]),
    ("crossterm", &["tui"]),
    ("tokio", &["tui", "cli"]),
    ("crossbeam_channel", &["driver", "rehearsal", "cli"]),
    ("clap", &["cli"]),
    ("toml", &["lab", "cli"]),
    ("std::thread", &["sink", "driver", "rehearsal", "recording", "tui", "cli"]),
    ("std::time", &["sink", "driver", "rehearsal", "tui", "cli"]),
    ("std::fs", &["sink", "recording", "cli"]),
    ("std::env", &["tui", "cli"]),
    ("std::io", &["sink", "recording", "export", "tui", "cli"]),
    ("std::net", &[]),
    ("std::process", &["tui", "cli"]),
];

/// The longest function, in lines.
const LONGEST_FUNCTION: usize = 70;

/// A source file: its path under the package and its text.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The room that the file belongs to; a leaf's name for a leaf.
    fn room(&self) -> &str {
        let inside = self.path.strip_prefix("src").expect("a file of the library");
        let first = inside.iter().next().and_then(|part| part.to_str()).expect("a name");
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// Lines that are not comments, with their numbers.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(i, line)| (i + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `folder` whose name ends in one of `endings`, in order.
fn files(folder: &str, endings: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![package().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
                let text = fs::read_to_string(&path).expect("a text");
                found.push(Source { path: path.strip_prefix(package()).expect("inside").to_owned(), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The library without its entrance and the program.
fn library() -> Vec<Source> {
    let mut sources = files("src", &[".rs"]);
    sources.retain(|source| source.path != Path::new("src/lib.rs") && source.path != Path::new("src/main.rs"));
    assert!(sources.len() > 20, "the sources are looked for in the right place");
    sources
}

/// The names that follow `crate::` in a line, those in braces too. A group of rooms that is spread over lines gives a
/// name that no room has.
fn used(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for after in line.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(group) => {
                names.extend(group.trim_end_matches(['}', ';']).split(',').map(|part| first_name(part.trim())));
            }
            None => names.push(first_name(after)),
        }
    }
    names
}

/// True for what is no module: a macro of the crate, or an item at its top.
fn is_item(name: &str) -> bool {
    name == "named" || name.starts_with(|c: char| c.is_uppercase())
}

/// The identifier that a text begins with.
fn first_name(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// True when `code` names `path` as a path of its own.
fn names(code: &str, path: &str) -> bool {
    code.match_indices(path).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + path.len()..].chars().next();
        let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !word(before) && !word(after) && before != Some('"')
    })
}

fn fail_with(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_room_is_in_the_table() {
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    for source in library() {
        let room = source.room();
        assert!(rooms.contains_key(room) || LEAVES.contains(&room), "{} belongs to no room", source.path.display());
    }
}

#[test]
fn no_room_uses_what_it_must_not_know() {
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut wrong = Vec::new();
    for source in library() {
        let room = source.room();
        let allowed = rooms.get(room).copied().unwrap_or_default();
        for (line, text) in source.code() {
            for name in used(text) {
                let known = LEAVES.contains(&name) || name == room || allowed.contains(&name) || is_item(name);
                if !known {
                    wrong.push(format!("{}: {room} must not know {name}", source.at(line)));
                }
            }
        }
    }
    fail_with(&wrong);
}

#[test]
fn only_rooms_that_perform_reach_outside() {
    let mut wrong = Vec::new();
    for source in library() {
        let room = source.room();
        for (line, text) in source.code() {
            for (outside, who) in OUTSIDE.iter().filter(|(outside, _)| names(text, outside)) {
                if !who.contains(&room) {
                    wrong.push(format!("{}: {room} must not use {outside}", source.at(line)));
                }
            }
        }
    }
    fail_with(&wrong);
}

#[test]
fn nothing_that_a_run_depends_on_has_an_order_or_a_figure_of_its_machine() {
    let mut wrong = Vec::new();
    for source in library().iter().filter(|source| !BESIDE_THE_RUN.contains(&source.room())) {
        for (line, text) in source.code() {
            let unsteady = UNSTEADY.iter().any(|name| names(text, name));
            if unsteady || UNSTEADY_CALLS.iter().any(|call| text.contains(call)) {
                wrong.push(format!("{}: {}", source.at(line), text.trim()));
            }
        }
    }
    fail_with(&wrong);
}

#[test]
fn every_module_says_what_it_is_for() {
    let of_tests = |source: &Source| source.path.iter().any(|part| part == "tests");
    let silent = files("src", &[".rs"]).into_iter().filter(|s| !of_tests(s) && !s.text.starts_with("//! "));
    fail_with(&silent.map(|source| source.path.display().to_string()).collect::<Vec<_>>());
}

#[test]
fn no_function_is_too_long_to_be_read_at_once() {
    let mut wrong = Vec::new();
    for source in ["src", "tests", "benches"].into_iter().flat_map(|folder| files(folder, &[".rs"])) {
        let lines: Vec<&str> = source.text.lines().collect();
        for (start, line) in lines.iter().enumerate().filter(|(_, line)| opens_function(line)) {
            let closing = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
            let length = lines[start..].iter().position(|line| *line == closing).map_or(0, |end| end + 1);
            if length > LONGEST_FUNCTION {
                wrong.push(format!("{}: {length} lines", source.at(start + 1)));
            }
        }
    }
    fail_with(&wrong);
}

/// True for the first line of a function with a body that does not end on the same line.
fn opens_function(line: &str) -> bool {
    let mut words = line
        .split_whitespace()
        .skip_while(|word| word.starts_with("pub") || matches!(*word, "const" | "async" | "extern" | "unsafe"));
    words.next() == Some("fn") && !line.trim_end().ends_with('}') && !line.trim_end().ends_with(';')
}

#[test]
fn nothing_is_left_for_later() {
    let markers = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
        concat!("unimplemen", "ted!"),
        concat!("to", "do!("),
        concat!("db", "g!("),
    ];
    let text = [".rs", ".toml", ".md", "run"];
    let folders = ["src", "tests", "benches", "labs", ".ci"];
    let mut sources: Vec<Source> = folders.iter().flat_map(|folder| files(folder, &text)).collect();
    for name in ["README.md", "Cargo.toml", "clippy.toml"] {
        let text = fs::read_to_string(package().join(name)).expect(name);
        sources.push(Source { path: name.into(), text });
    }
    let mut wrong = Vec::new();
    for source in &sources {
        for (i, line) in source.text.lines().enumerate() {
            wrong.extend(
                markers
                    .iter()
                    .filter(|marker| line.contains(**marker))
                    .map(|marker| format!("{}: {marker}", source.at(i + 1))),
            );
        }
    }
    fail_with(&wrong);
}

#[test]
fn the_reading_of_uses_is_right() {
    assert_eq!(used("use crate::board::{Board, Word};"), ["board"]);
    assert_eq!(used("use crate::{action, sink::Store};"), ["action", "sink"]);
    assert_eq!(used("    fn f(x: crate::tui::Exit) -> crate::ids::Job {"), ["tui", "ids"]);
    assert!(names("use std::thread;", "std::thread") && !names("use std::threads;", "std::thread"));
    assert!(opens_function("    pub(crate) async fn f(") && !opens_function("pub fn f() {}"));
}
