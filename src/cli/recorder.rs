//! Records runs: those on the screen on the shelf of the state folder, those without where somebody wants it.
//!
//! A run never waits for its recording, and goes on when that cannot be written; what is the matter is then said once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use super::failure::Failure;
use super::headless::{Consumer, locked};
use super::places::{Places, full};
use crate::board::Board;
use crate::event::{Event, What};
use crate::recording::{Header, Shelf, Writer};
use crate::rehearsal::Keep;
use crate::setup::Setup;

/// What records one run, or nothing does. Cheap to clone; all clones are the same.
#[derive(Clone, Default)]
pub struct Recorder {
    writer: Arc<Mutex<Option<Writer>>>,
    status: Arc<Mutex<Status>>,
}

/// What is known of a recording without waiting for it.
#[derive(Default)]
struct Status {
    path: Option<PathBuf>,
    writing: bool,
    /// Why it is not written, or not any more.
    trouble: Option<String>,
    /// True once that was said.
    said: bool,
}

/// The shelf of the current user; `None` without a state folder.
pub fn shelf() -> Option<Shelf> {
    Places::find().map(|places| Shelf::new(places.recordings()))
}

/// Now, in seconds since 1970.
pub fn now() -> u64 {
    #[allow(
        clippy::disallowed_methods,
        reason = "when a recording was begun, and how old it is, goes by the wall clock"
    )]
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Recorder {
    /// Begins a recording of `what` on the shelf of the current user, which keeps so many; none if that is 0. What keeps
    /// it from being begun is its trouble.
    pub fn on_shelf(what: &str, setup: &Setup, lab: Option<String>, keep: usize) -> Recorder {
        match (keep, shelf()) {
            (0, _) => Recorder::default(),
            (_, None) => Recorder::in_trouble("there is no home folder".to_owned()),
            (_, Some(shelf)) => Recorder::on(&shelf, what, setup, lab, keep),
        }
    }

    /// The same on any shelf.
    pub fn on(shelf: &Shelf, what: &str, setup: &Setup, lab: Option<String>, keep: usize) -> Recorder {
        match shelf.begin(what, &Header::of(setup, lab, now())) {
            Ok(writer) => {
                shelf.prune(keep);
                Recorder::by(writer)
            }
            Err(error) => Recorder::in_trouble(format!("{}: {error}", shelf.folder().display())),
        }
    }

    /// Begins a recording in a new file at `path`.
    ///
    /// # Errors
    /// A mistake in usage when there is a file already, which is left as it is; else what keeps the file from being made.
    pub fn in_file(path: &Path, setup: &Setup, lab: Option<String>) -> Result<Recorder, Failure> {
        refuse_existing(path)?;
        let begun = Writer::create(path, &Header::of(setup, lab, now()));
        begun.map(Recorder::by).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => exists(path),
            _ => anyhow::Error::new(error).context(format!("cannot record to {}", path.display())).into(),
        })
    }

    fn by(writer: Writer) -> Recorder {
        let path = full(writer.path());
        let status = Status { path: Some(path), writing: true, ..Status::default() };
        Recorder { writer: Arc::new(Mutex::new(Some(writer))), status: Arc::new(Mutex::new(status)) }
    }

    fn in_trouble(why: String) -> Recorder {
        Recorder {
            status: Arc::new(Mutex::new(Status { trouble: Some(why), ..Status::default() })),
            ..Recorder::default()
        }
    }

    /// A consumer that records what it is shown, and closes the recording with what the board of `fold` has come to when
    /// the run is over. It has to come after the one that folds.
    pub fn consumer<F: Send + 'static>(&self, fold: Arc<Mutex<F>>, board: fn(&F) -> &Board) -> Consumer {
        let recorder = self.clone();
        Box::new(move |events| {
            recorder.record(events);
            if events.iter().any(|event| matches!(event.what, What::Finished { .. })) {
                recorder.close(board(&locked(&fold)));
            }
        })
    }

    /// Records the events that come next.
    fn record(&self, events: &[Event]) {
        let mut writer = locked(&self.writer);
        let failure = writer.as_ref().and_then(|writer| {
            writer.take(events);
            writer.failure()
        });
        if failure.is_some() {
            *writer = None;
            self.stopped(failure);
        }
    }

    /// Closes the recording, if it is open still, with what the fold of all its events has come to.
    pub fn close(&self, board: &Board) {
        if let Some(writer) = locked(&self.writer).take() {
            self.stopped(writer.close(board).err());
        }
    }

    /// Ends the recording as it stands: nobody knows what the run has come to.
    pub fn abandon(&self) {
        if let Some(writer) = locked(&self.writer).take() {
            self.stopped(writer.failure());
        }
    }

    /// Removes the recording of a run that did not start.
    pub fn discard(&self) {
        let path = locked(&self.status).path.take();
        self.abandon();
        if let Some(path) = path {
            let _nobody_misses_it = std::fs::remove_file(path);
        }
    }

    fn stopped(&self, trouble: Option<String>) {
        let mut status = locked(&self.status);
        status.writing = false;
        if let Some(why) = trouble {
            status.trouble = Some(why);
        }
    }

    /// True while it is being written.
    pub fn writes(&self) -> bool {
        locked(&self.status).writing
    }

    /// Where the recording is, by its full path, if there is one.
    pub fn path(&self) -> Option<PathBuf> {
        locked(&self.status).path.clone()
    }

    /// Why the run is not recorded, or not any more, if that is so.
    pub fn trouble(&self) -> Option<String> {
        locked(&self.status).trouble.clone()
    }

    /// True while there is something to be said.
    pub fn has_news(&self) -> bool {
        let status = locked(&self.status);
        status.trouble.is_some() && !status.said
    }

    /// Why the run is not recorded, or not any more, in words for the bottom line, the first time this is asked.
    pub fn news(&self) -> Option<String> {
        let mut status = locked(&self.status);
        let fresh = !status.said;
        status.said = status.trouble.is_some();
        let begun = if status.path.is_some() { "no longer recorded" } else { "not recorded" };
        status.trouble.as_ref().filter(|_| fresh).map(|why| format!("{begun}: {why}"))
    }
}

impl Keep for Recorder {
    fn take(&mut self, events: &[Event]) {
        self.record(events);
    }

    fn cut(&mut self, events: usize) {
        if let Some(writer) = &*locked(&self.writer) {
            writer.cut(events as u64);
        }
    }
}

/// Refuses to write a recording over anything.
///
/// # Errors
/// A mistake in usage, when there is something at `path`.
pub fn refuse_existing(path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok() { Err(exists(path)) } else { Ok(()) }
}

fn exists(path: &Path) -> Failure {
    let what = match path.is_dir() {
        true => "that is a folder: name a file in it",
        false => "there is a file already, and a recording is never written over one: choose another name",
    };
    Failure::Usage(vec![format!("--record {}: {what}", path.display())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Instant;

    fn events() -> Vec<Event> {
        let setup = Setup::sandbox(3);
        let whats = [What::Started { setup: Box::new(setup), run: 1 }, What::Marked { text: "here".into() }];
        whats.into_iter().map(|what| Event { at: Instant(0), what }).collect()
    }

    fn begin(folder: &Path) -> Recorder {
        Recorder::on(&Shelf::new(folder), "sandbox-s3", &Setup::sandbox(3), None, 2)
    }

    #[test]
    fn a_run_is_recorded_while_it_goes_on_and_closed_with_what_it_came_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let recorder = begin(folder.path());
        assert!(recorder.writes());
        recorder.record(&events());
        recorder.close(&events().iter().collect());
        assert!(!recorder.writes() && recorder.trouble().is_none());
        let path = recorder.path().expect("a recording");
        assert!(path.is_absolute() && path.starts_with(folder.path()));
        let listed = Shelf::new(folder.path()).list();
        assert!(listed[0].path == path && listed[0].closing.is_some());
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_said_once_and_keeps_no_run_from_going_on() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let recorder = begin(&file.path().join("below"));
        assert!(!recorder.writes() && recorder.path().is_none() && recorder.has_news());
        recorder.record(&events());
        let said = recorder.news().expect("something is the matter");
        assert!(said.starts_with("not recorded: "), "{said}");
        assert!(recorder.news().is_none() && !recorder.has_news());
    }

    #[test]
    fn nothing_is_recorded_where_none_is_kept_and_nothing_is_said_about_it() {
        let recorder = Recorder::on_shelf("sandbox-s3", &Setup::sandbox(3), None, 0);
        assert!(!recorder.writes() && recorder.news().is_none() && recorder.path().is_none());
    }

    #[test]
    fn a_recording_that_is_missing_something_is_not_closed_and_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let recorder = begin(folder.path());
        recorder.record(&events());
        recorder.close(&events()[..1].iter().collect());
        assert!(recorder.news().is_some_and(|said| said.starts_with("no longer recorded: 2 events")));
    }

    #[test]
    fn a_run_that_did_not_start_leaves_no_recording() {
        let folder = tempfile::tempdir().expect("a folder");
        begin(folder.path()).discard();
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
