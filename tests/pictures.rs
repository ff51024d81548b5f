//! The pictures of the README are made by this program from recordings that are kept beside them, and are what it makes
//! today.
//!
//! After a change that is meant to change them they are renewed with `ONCEISH_RENEW_KEPT=1 cargo test --test pictures`,
//! and looked at.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use support::Lab;
use support::recorded::two_writes;

/// With this set everything that is kept is written anew instead of being compared.
const RENEW: &str = "ONCEISH_RENEW_KEPT";

/// The recordings, and the labs that they were made of.
fn recordings() -> [(&'static str, Lab); 1] {
    [("sandbox-249.jsonl", two_writes(60))]
}

/// The pictures: their files, and how each is made.
const PICTURES: &[(&str, &str)] = &[
    ("one-worker-down-dark.svg", "sandbox-249.jsonl --at 40.3s --theme dark"),
    ("one-worker-down-light.svg", "sandbox-249.jsonl --at 40.3s --theme light"),
    ("applied-twice-dark.svg", "sandbox-249.jsonl --at 47.3s --theme dark"),
    ("applied-twice-light.svg", "sandbox-249.jsonl --at 47.3s --theme light"),
];

fn at_home(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Compares `made` with the file that is kept, to the byte, or puts it there.
#[track_caller]
fn is_kept(path: &Path, made: &[u8]) {
    if env::var_os(RENEW).is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, made).expect("it can be written");
    }
    let kept = fs::read(path).unwrap_or_default();
    let renew = format!("{RENEW}=1 cargo test --test pictures, and look at what changed");
    assert!(kept == made, "{} is not what is made today; if that is meant: {renew}", path.display());
}

fn make(how: &str) -> Vec<u8> {
    let mut words = how.split(' ');
    let recording = at_home("recordings").join(words.next().expect("a recording"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
    command.arg("export").arg(recording).args(["--to", "svg", "--out", "-"]).args(words);
    let made = command.output().expect("it starts");
    assert!(made.status.success(), "{how}: {}", String::from_utf8_lossy(&made.stderr));
    made.stdout
}

#[test]
fn the_recordings_and_pictures_of_the_readme_are_what_is_made_today() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, lab) in recordings() {
        let path = folder.path().join(name);
        lab.simulate().record(&path);
        is_kept(&at_home("recordings").join(name), &fs::read(&path).expect("a recording"));
    }
    for (name, how) in PICTURES {
        is_kept(&at_home("docs/pictures").join(name), &make(how));
    }
    let kept = fs::read_dir(at_home("docs/pictures")).expect("pictures");
    for name in kept.map(|entry| entry.expect("an entry").file_name()) {
        assert!(PICTURES.iter().any(|(made, _)| name == *made), "{name:?} is nobody's");
    }
}
