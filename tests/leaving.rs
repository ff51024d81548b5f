//! What is left in the terminal after the screen: two lines, so that neither a seed that was drawn nor the recording is
//! lost with it.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a terminal is driven by a clock")]

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// How long the screen may take to show. Only a guard.
const DEADLINE: Duration = Duration::from_secs(30);

#[test]
fn leaving_prints_the_verdict_the_seed_and_where_the_run_was_recorded() {
    let size = PtySize { rows: 36, cols: 120, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_onceish"));
    command.args(["run", "--seed", "249", "--renew", "10s", "--lease", "5s"]);
    command.env("TERM", "xterm-256color");
    let home = tempfile::tempdir().expect("a folder");
    command.env("XDG_STATE_HOME", home.path());
    command.env("XDG_CONFIG_HOME", home.path());
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let mut keys = pair.master.take_writer().expect("a writer");
    let (mut screen, mut written, mut left) = (vt100::Parser::new(36, 120, 0), Vec::new(), false);
    let (start, mut bytes) = (Instant::now(), [0; 4096]);
    while let Ok(n @ 1..) = reader.read(&mut bytes) {
        written.extend_from_slice(&bytes[..n]);
        screen.process(&bytes[..n]);
        let shown = screen.screen().contents();
        assert!(left || start.elapsed() < DEADLINE, "the screen never shows both warnings\n{shown}");
        let warned = shown.contains("warning: renewal 10s comes later than the lease");
        if !left && warned && shown.contains("Lease 5 s, renewed too late, after 10 s.") {
            keys.write_all(b"q").expect("a key");
            left = true;
        }
    }
    assert_eq!(child.wait().expect("it ends").exit_code(), 0);
    let written = String::from_utf8_lossy(&written);
    let (_, after) = written.rsplit_once("\x1b[?1049l").expect("the screen is left");
    let lines: Vec<&str> = after.lines().collect();
    assert_eq!(lines.len(), 2, "the verdict, and the file of the recording: {lines:?}");
    assert!(lines[1].starts_with("recording  ") && lines[1].ends_with(".jsonl"), "{lines:?}");
    assert!(lines[0].starts_with("onceish run   left; ") && lines[0].ends_with("; seed 249"), "{lines:?}");
}
