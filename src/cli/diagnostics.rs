//! What the program notes about itself, for whoever looks for a fault: lines in a file, never on the screen.
//!
//! A file a day in the state folder, of which a few are kept. If the folder cannot be used the program goes on
//! without. What is written is cleaned, since errors quote foreign text. Recordings and reports do not pass through
//! here: under load lines are dropped rather than waited for.

use std::io::{self, Write};
use std::path::Path;
use std::{panic, thread};

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

use super::places::Places;
use crate::text::clean_lines;

/// The variable that says what is noted: a level, or `module=level`.
pub const LEVEL: &str = "ONCEISH_LOG";
/// How the files' names begin and end; the day stands between.
pub const FILE: (&str, &str) = ("onceish", "log");
/// How many files are kept.
const KEPT: usize = 5;

/// Starts taking notes. They reach the file at the latest when the guard is dropped, so it has to live to the end of
/// the program. `None` when no notes can be taken.
pub fn start() -> Option<WorkerGuard> {
    let folder = Places::find()?.state;
    let level = EnvFilter::try_from_env(LEVEL).unwrap_or_else(|_| EnvFilter::new("info"));
    let (writer, guard) = tracing_appender::non_blocking(Cleaned(file_in(&folder)?));
    let notes = tracing_subscriber::fmt().with_env_filter(level).with_writer(writer).with_ansi(false);
    notes.try_init().ok()?;
    Some(guard)
}

/// Has panics on workers' threads noted and not printed: a handler that panics is one failed delivery, told as such.
pub fn note_panics_of_workers() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().name().is_some_and(is_worker) {
            tracing::warn!(panic = %info, "a panic on the thread of a worker");
        } else {
            usual(info);
        }
    }));
}

fn is_worker(thread: &str) -> bool {
    thread.strip_prefix('w').is_some_and(|number| number.parse::<u16>().is_ok())
}

/// Today's file in `folder`, if it can be had.
fn file_in(folder: &Path) -> Option<RollingFileAppender> {
    std::fs::create_dir_all(folder).ok()?;
    let file = RollingFileAppender::builder().rotation(Rotation::DAILY).max_log_files(KEPT);
    file.filename_prefix(FILE.0).filename_suffix(FILE.1).build(folder).ok()
}

/// Cleans lines on their way to a file.
struct Cleaned<W>(W);

impl<W: Write> Write for Cleaned<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(clean_lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_threads_of_workers_are_kept_quiet() {
        assert!(is_worker("w1") && is_worker("w256"));
        assert!(!is_worker("main") && !is_worker("w") && !is_worker("watch") && !is_worker("keeper"));
    }

    #[test]
    fn notes_are_cleaned_and_stay_lines() {
        let mut written = Vec::new();
        Cleaned(&mut written).write_all("one\u{1b}]0;x\u{7}\ntwo\u{202e}\n".as_bytes()).expect("written");
        assert_eq!(String::from_utf8(written).expect("text"), "one]0;x\ntwo\n");
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_done_without() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert!(file_in(&file.path().join("below")).is_none());
        let folder = tempfile::tempdir().expect("a folder");
        assert!(file_in(&folder.path().join("new")).is_some());
    }
}
