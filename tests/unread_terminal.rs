//! A terminal that nobody reads: a stopped one, a connection that hangs. It blocks whoever writes to it, and the
//! program must still end when it is told to.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "a terminal is driven by a clock")]

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::Signal;

/// How long ending may take, on a busy machine: the drain has 2 s.
const SOON: Duration = Duration::from_secs(10);

/// The program on a terminal that was read until the screen showed, and then never again.
struct Unread {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    _reader: Box<dyn Read + Send>,
    database: tempfile::TempDir,
}

impl Unread {
    fn run() -> Unread {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let database = tempfile::tempdir().expect("a folder");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_onceish"));
        command.args(["run", "--seed", "1", "--rate", "50", "--workers", "8", "--work", "10ms", "--db"]);
        command.arg(database.path().join("run.db"));
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let mut seen = Vec::new();
        let mut bytes = [0; 4096];
        while !String::from_utf8_lossy(&seen).contains("operator") {
            let n = reader.read(&mut bytes).expect("the screen shows");
            seen.extend(&bytes[..n]);
        }
        Unread { child, master: pair.master, _reader: reader, database }
    }

    /// Fills the terminal to its brim, so that the next write of the program blocks.
    fn fill(&self) {
        let path = self.master.tty_name().expect("a name");
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).expect("flags");
        let mut terminal = OpenOptions::new().write(true).custom_flags(flags).open(path).expect("it opens");
        loop {
            match terminal.write(&[b'.'; 1024]) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("the terminal fails: {error}"),
            }
        }
    }

    fn signal(&self, signal: Signal) {
        let id = self.child.process_id().and_then(|id| i32::try_from(id).ok()).expect("a process");
        let id = rustix::process::Pid::from_raw(id).expect("a process");
        rustix::process::kill_process(id, signal).expect("the signal is sent");
    }

    fn effects(&self) -> i64 {
        let connection = rusqlite::Connection::open(self.database.path().join("run.db")).expect("a database");
        connection.query_row("SELECT count(*) FROM effects", [], |row| row.get(0)).expect("a count")
    }

    /// Waits for jobs to be done while nobody reads: the engine does not wait for the screen.
    fn works_on(&self) {
        let (start, before) = (Instant::now(), self.effects());
        while self.effects() < before + 50 {
            assert!(start.elapsed() < SOON, "the engine waits for the terminal");
            std::thread::yield_now();
        }
    }

    fn exit_code(&mut self) -> u32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return status.exit_code();
            }
            assert!(start.elapsed() < SOON, "it does not end");
            std::thread::yield_now();
        }
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn signals_end_the_program_while_its_terminal_takes_nothing() {
    for (signals, code) in [(vec![Signal::TERM], 143), (vec![Signal::INT, Signal::INT], 130), (vec![Signal::HUP], 129)]
    {
        let mut unread = Unread::run();
        unread.fill();
        unread.works_on();
        for signal in &signals {
            unread.signal(*signal);
        }
        assert_eq!(unread.exit_code(), code, "{signals:?}");
    }
}
