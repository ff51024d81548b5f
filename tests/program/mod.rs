//! The program from outside: a line of words in, an exit code and what it printed out.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program in a folder of its own, where its notes go too.
pub struct Program {
    pub folder: TempDir,
}

/// What a run of the program came to.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Program {
    pub fn new() -> Program {
        Program { folder: tempfile::tempdir().expect("a folder") }
    }

    /// The program with the words of a line; nobody types anything.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        for (name, folder) in [("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config"), ("HOME", "home")] {
            command.env(name, self.path(folder));
        }
        command.env("TERM", "xterm-256color").env_remove("ONCEISH_LOG");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn say(&self, line: &str) -> Said {
        said(self.command(line).output().expect("the program starts"))
    }

    /// The same, with a file whose text is typed into it.
    pub fn say_typed(&self, line: &str, typed: &str) -> Said {
        fs::write(self.path("typed"), typed).expect("written");
        let typed = fs::File::open(self.path("typed")).expect("a file");
        said(self.command(line).stdin(typed).output().expect("the program starts"))
    }

    pub fn json(&self, line: &str) -> Value {
        let said = self.say(line);
        serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{line}: {error} in {}{}", said.out, said.err))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

pub fn said(output: Output) -> Said {
    Said {
        code: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// The words without the ends of lines.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
