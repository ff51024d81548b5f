//! A terminal for tests: starts the whole program in a pseudo-terminal, presses its keys, waits until it shows
//! something, and keeps every byte that it wrote.

#![allow(dead_code, reason = "each test binary uses its own part of this")]
#![allow(clippy::disallowed_methods, reason = "a terminal is read by a thread, and waited for in real time")]

pub mod bytes;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal};
use tempfile::TempDir;

/// No condition is waited for longer than this.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// A shell that leads the session, ignores hang-ups and waits for the program, which then is told of none. Without an
/// end-of-file character, the test's end of the terminal presses no key when it is closed.
pub const DEAF_TO_HANG_UPS: &str = r#"stty eof undef; trap "" HUP; "$0" "$@"; exit $?"#;
/// A shell with job control: when its job is stopped it makes the terminal its own, says so, and takes the job back
/// to the foreground at the next line.
pub const JOB_CONTROL: &str = r#"set -m
sh -c 'echo $$ >pid; exec "$0" "$@"' "$0" "$@"; code=$?
while [ $code -gt 128 ] && kill -0 "$(cat pid)" 2>/dev/null; do
  stty sane; echo "job stopped"; read -r _; fg >/dev/null; code=$?
done
exit $code"#;

/// A terminal in which nothing runs yet, with a folder of its own for everything that the program may write.
pub struct Desk {
    folder: TempDir,
    size: (u16, u16),
    environment: Vec<(&'static str, &'static str)>,
    shell: Option<&'static str>,
}

/// A terminal of 24 rows and 80 columns.
pub fn desk() -> Desk {
    Desk { folder: tempfile::tempdir().expect("a folder"), size: (24, 80), environment: Vec::new(), shell: None }
}

impl Desk {
    /// Rows and columns.
    pub fn size(mut self, rows: u16, columns: u16) -> Desk {
        self.size = (rows, columns);
        self
    }

    /// A variable for the program.
    pub fn env(mut self, name: &'static str, value: &'static str) -> Desk {
        self.environment.push((name, value));
        self
    }

    /// A file in the folder of this test, there before the program starts.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }

    /// Starts the program from this script, whose `"$0" "$@"` it is.
    pub fn within(mut self, script: &'static str) -> Desk {
        self.shell = Some(script);
        self
    }

    /// Starts the program with the words of `line`.
    pub fn start(self, line: &str) -> Screen {
        let words: Vec<&str> = line.split_whitespace().collect();
        self.start_with(&words)
    }

    /// Starts the program with these arguments.
    pub fn start_with(self, words: &[&str]) -> Screen {
        let pair = native_pty_system().openpty(pty_size(self.size.0, self.size.1)).expect("a pseudo-terminal");
        let child = pair.slave.spawn_command(self.command(words)).expect("the program starts");
        let seen = Seen { parser: vt100::Parser::new(self.size.0, self.size.1, 0), ..Seen::default() };
        let shared = Arc::new((Mutex::new(seen), Condvar::new()));
        let reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let pid = Pid::from_raw(child.process_id().expect("it has an id").cast_signed()).expect("not 0");
        let to_read = shared.clone();
        let reading = std::thread::spawn(move || read(reader, &to_read));
        let to_wait = shared.clone();
        std::thread::spawn(move || wait(child, &to_wait));
        let ends = Some(Ends { writer, reading, slave: pair.slave, master: pair.master });
        Screen { shared, ends, pid, folder: self.folder }
    }

    fn command(&self, words: &[&str]) -> CommandBuilder {
        let program = env!("CARGO_BIN_EXE_onceish");
        let mut command = match self.shell {
            None => CommandBuilder::new(program),
            Some(script) => {
                let mut shell = CommandBuilder::new("sh");
                shell.args(["-c", script, program]);
                shell
            }
        };
        command.args(words);
        command.cwd(self.folder.path());
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        for (name, folder) in [("HOME", "home"), ("XDG_STATE_HOME", "state"), ("TMPDIR", "tmp")] {
            let folder = self.folder.path().join(folder);
            std::fs::create_dir_all(&folder).expect("a folder");
            command.env(name, folder);
        }
        self.environment.iter().for_each(|(name, value)| command.env(name, value));
        command
    }
}

fn pty_size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

/// What has come out of the terminal so far.
#[derive(Default)]
struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    status: Option<ExitStatus>,
    /// Nothing more will come.
    closed: bool,
    /// The reader is to go away with the next bytes, so that the terminal can be closed.
    closing: bool,
}

type Shared = (Mutex<Seen>, Condvar);

fn lock(shared: &Shared) -> MutexGuard<'_, Seen> {
    shared.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The words on the screen, a line a row. A blank that was written is like one that was not.
fn picture(seen: &Seen) -> String {
    let contents = seen.parser.screen().contents();
    contents.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn read(mut reader: Box<dyn Read + Send>, shared: &Shared) {
    let mut buffer = [0; 1 << 14];
    loop {
        let length = reader.read(&mut buffer).unwrap_or(0);
        let mut seen = lock(shared);
        seen.raw.extend_from_slice(&buffer[..length]);
        seen.parser.process(&buffer[..length]);
        seen.closed = length == 0 || seen.closing;
        let closed = seen.closed;
        drop(seen);
        shared.1.notify_all();
        if closed {
            break;
        }
    }
}

fn wait(mut child: Box<dyn Child + Send + Sync>, shared: &Shared) {
    let status = child.wait().expect("a child can be waited for");
    lock(shared).status = Some(status);
    shared.1.notify_all();
}

/// Both ends of the terminal. The far one is held too, so that the terminal outlives the program.
struct Ends {
    writer: Box<dyn Write + Send>,
    reading: JoinHandle<()>,
    slave: Box<dyn SlavePty + Send>,
    master: Box<dyn MasterPty + Send>,
}

/// The program in its terminal.
pub struct Screen {
    shared: Arc<Shared>,
    ends: Option<Ends>,
    pid: Pid,
    folder: TempDir,
}

impl Screen {
    /// A file or folder in the folder of this test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What is shown above the last row, which says what came of the last key.
    pub fn picture(&self) -> String {
        let text = self.text();
        text.lines().take(text.lines().count().saturating_sub(1)).collect::<Vec<_>>().join("\n")
    }

    /// Sends bytes as a terminal sends keys.
    pub fn press(&mut self, keys: &str) -> &mut Screen {
        let ends = self.ends.as_mut().expect("the terminal is open");
        ends.writer.write_all(keys.as_bytes()).and_then(|()| ends.writer.flush()).expect("the terminal takes keys");
        self
    }

    /// Types an action into the palette.
    pub fn act(&mut self, action: &str) -> &mut Screen {
        self.press(&format!(":{action}\r"))
    }

    /// Makes the terminal this large; what is beyond the new size is forgotten, as most terminals do. The model of a
    /// terminal needs two rows.
    pub fn resize(&mut self, rows: u16, columns: u16) -> &mut Screen {
        lock(&self.shared).parser.screen_mut().set_size(rows.max(2), columns.max(2));
        self.ends.as_ref().expect("the terminal is open").master.resize(pty_size(rows, columns)).expect("a size");
        self
    }

    /// Sends a signal to what was started: the shell if there is one, else the program.
    pub fn signal(&self, signal: Signal) -> &Screen {
        rustix::process::kill_process(self.pid, signal).expect("it is there");
        self
    }

    /// The program's own process when it was started with [`JOB_CONTROL`] and has shown something.
    pub fn job(&self) -> Pid {
        self.noted_job().expect("the shell wrote a number")
    }

    fn noted_job(&self) -> Option<Pid> {
        let text = std::fs::read_to_string(self.path("pid")).ok()?;
        Pid::from_raw(text.trim().parse().ok()?)
    }

    /// The words on the screen, a line a row.
    pub fn text(&self) -> String {
        picture(&lock(&self.shared))
    }

    /// Every byte so far.
    pub fn raw(&self) -> Vec<u8> {
        lock(&self.shared).raw.clone()
    }

    /// How many bytes came so far.
    pub fn written(&self) -> usize {
        lock(&self.shared).raw.len()
    }

    /// Waits until what was seen is as `is` says.
    #[track_caller]
    fn until(&self, what: &str, is: impl Fn(&Seen) -> bool) {
        let (held, seen) = self.within(DEADLINE, is);
        let left = seen.status.as_ref().map(|status| format!(" (it ended: {status:?})")).unwrap_or_default();
        let picture = picture(&seen);
        drop(seen);
        assert!(held, "it never happened that {what}{left}; the screen:\n{picture}");
    }

    fn within(&self, patience: Duration, is: impl Fn(&Seen) -> bool) -> (bool, MutexGuard<'_, Seen>) {
        let deadline = Instant::now() + patience;
        let mut seen = lock(&self.shared);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if is(&seen) || left.is_zero() {
                return (is(&seen), seen);
            }
            seen = self.shared.1.wait_timeout(seen, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until the screen shows `words`.
    #[track_caller]
    pub fn waits_for(&mut self, words: &str) -> &mut Screen {
        self.until(&format!("the screen shows {words:?}"), |seen| picture(seen).contains(words));
        self
    }

    /// Waits until the screen shows `words` no more.
    #[track_caller]
    pub fn waits_until_gone(&mut self, words: &str) -> &mut Screen {
        self.until(&format!("{words:?} is gone"), |seen| !picture(seen).contains(words));
        self
    }

    /// Waits until the screen's words are as `is` says.
    #[track_caller]
    pub fn waits_until(&mut self, what: &str, is: impl Fn(&str) -> bool) -> &mut Screen {
        self.until(what, |seen| is(&picture(seen)));
        self
    }

    /// Waits until `wanted` has been written `times` times.
    #[track_caller]
    pub fn waits_for_bytes(&mut self, wanted: &str, times: usize) -> &mut Screen {
        self.until(&format!("{wanted:?} is written {times} times"), |seen| bytes::count(&seen.raw, wanted) >= times);
        self
    }

    /// Waits until the program is no more, however it ended.
    #[track_caller]
    pub fn is_gone(&self) {
        self.until("it is gone", |seen| seen.status.is_some());
    }

    /// Waits until the terminal is back on its main screen, or on the other one.
    #[track_caller]
    pub fn waits_for_alternate(&mut self, alternate: bool) -> &mut Screen {
        let what = format!("the alternate screen is {}", if alternate { "on" } else { "off" });
        self.until(&what, |seen| seen.parser.screen().alternate_screen() == alternate);
        self
    }

    /// Whether any byte comes within `span`.
    pub fn writes_within(&self, span: Duration) -> bool {
        let before = self.written();
        self.within(span, |seen| seen.raw.len() > before).0
    }

    /// Waits until nothing is written for all of `span`.
    #[track_caller]
    pub fn waits_for_quiet(&mut self, span: Duration) -> &mut Screen {
        let deadline = Instant::now() + DEADLINE;
        while self.writes_within(span) {
            assert!(Instant::now() < deadline, "it never stops writing; the screen:\n{}", self.text());
        }
        self
    }

    /// Closes the terminal under the program, as a closed window does. The run must be drawing.
    #[track_caller]
    pub fn hang_up(&mut self) -> &mut Screen {
        lock(&self.shared).closing = true;
        self.close()
    }

    /// Closes the terminal under a program that draws nothing until a key asks for it.
    #[track_caller]
    pub fn hang_up_while_quiet(&mut self) -> &mut Screen {
        self.waits_for_quiet(Duration::from_millis(300));
        lock(&self.shared).closing = true;
        self.press("\x0c").close()
    }

    #[track_caller]
    fn close(&mut self) -> &mut Screen {
        self.until("the reader is out of the way", |seen| seen.closed);
        let ends = self.ends.take().expect("the terminal is open");
        ends.reading.join().expect("the reader does not panic");
        drop((ends.slave, ends.writer, ends.master));
        self
    }

    /// Waits for the end and returns the exit code.
    #[track_caller]
    pub fn ends(&mut self) -> u32 {
        self.until("it ends", |seen| seen.status.is_some());
        let status = lock(&self.shared).status.clone().expect("it ended");
        assert_eq!(status.signal(), None, "it ends by itself");
        status.exit_code()
    }

    /// Whether what is typed is shown by the terminal itself, as it is where nobody took the terminal. Only after the
    /// end.
    #[track_caller]
    pub fn echoes(&mut self) -> &mut Screen {
        self.press("\r@@ echo @@\r").waits_for_bytes("@@ echo @@\r\n", 1)
    }

    /// All that was written, once the program has ended.
    pub fn all_of_it(&mut self) -> Vec<u8> {
        let Some(ends) = self.ends.take() else { return self.raw() };
        drop(ends.slave);
        self.until("everything is read", |seen| seen.closed);
        ends.reading.join().expect("the reader does not panic");
        self.raw()
    }

    /// Ended with `code`, having entered and left the alternate screen once, with the cursor shown, paste as it was
    /// and the terminal's echo back. Returns every byte.
    #[track_caller]
    pub fn ended_cleanly(&mut self, code: u32) -> Vec<u8> {
        assert_eq!(self.ends(), code, "{}", self.text());
        self.echoes();
        let raw = self.all_of_it();
        assert_eq!((bytes::count(&raw, bytes::ENTER), bytes::count(&raw, bytes::LEAVE)), (1, 1));
        assert!(bytes::ends_with(&raw, bytes::LEAVE, bytes::ENTER));
        assert!(bytes::ends_with(&raw, bytes::SHOW_CURSOR, bytes::HIDE_CURSOR), "the cursor is shown");
        assert!(bytes::ends_with(&raw, bytes::PASTE_OFF, bytes::PASTE_ON), "paste is as it was");
        raw
    }

    /// What the program noted for whoever looks for a fault.
    pub fn notes(&self) -> String {
        let files = std::fs::read_dir(self.path("state/onceish")).expect("a folder of notes");
        let paths = files.map(|file| file.expect("an entry").path()).filter(|path| path.is_file());
        paths.map(|path| std::fs::read_to_string(path).expect("text")).collect()
    }
}

impl Drop for Screen {
    /// Whatever became of the test, nothing stays behind.
    fn drop(&mut self) {
        if lock(&self.shared).status.is_none() {
            for group in [Some(self.pid), self.noted_job()].into_iter().flatten() {
                let _it_may_just_have_ended = rustix::process::kill_process_group(group, Signal::KILL);
            }
        }
    }
}

/// The database of a run, after it.
pub struct Ledger(rusqlite::Connection);

impl Ledger {
    /// Opens it and has SQLite check it.
    #[track_caller]
    pub fn open(path: &Path) -> Ledger {
        let ledger = Ledger(rusqlite::Connection::open(path).expect("the file is a database"));
        let checked: String = ledger.0.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a check");
        assert_eq!(checked, "ok");
        ledger
    }

    /// One number.
    #[track_caller]
    pub fn count(&self, query: &str) -> i64 {
        self.0.query_row(query, [], |row| row.get(0)).expect(query)
    }

    /// The run was closed, and the queue's last states and the effects fit together: nothing that is done has none,
    /// nothing has two.
    #[track_caller]
    pub fn is_whole(&self) {
        assert_eq!(self.count("SELECT count(*) FROM runs WHERE closed IS NULL"), 0, "the run was closed");
        assert!(self.count("SELECT count(*) FROM jobs") > 0, "the states of its jobs were written");
        let leased = self.count("SELECT count(*) FROM jobs WHERE state IN ('leased', 'unprotected')");
        assert_eq!(leased, 0, "what was under way is ready again");
        let lost = "SELECT count(*) FROM jobs WHERE state = 'done' AND job NOT IN (SELECT job FROM effects)";
        assert_eq!(self.count(lost), 0, "nothing is lost");
        assert_eq!(self.count("SELECT count(*) - count(DISTINCT job) FROM effects"), 0, "nothing is there twice");
    }
}
