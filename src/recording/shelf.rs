//! The folder in which recordings are kept without being asked for, so many of them and no more.
//!
//! Whoever writes a recording holds a lock on its file, which the system lets go when the writer is gone, however that
//! came. So it is known which files are still being written, by whichever process, and those are never removed. Nothing
//! is removed that is not a recording by its name and by its first line.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::line::{Closing, Header, LONGEST, Last};
use super::name;
use super::reader::Reader;
use super::writer::Writer;
use crate::event::Event;
use crate::time::Instant;

/// The most recordings that can be begun in one second.
const MOST_IN_A_SECOND: u32 = 1_000;

/// A folder of recordings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelf {
    folder: PathBuf,
}

/// A recording on a shelf, in short.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The file.
    pub path: PathBuf,
    /// What was run, as its name says: `sandbox-s249`, `lab-08`, `compare-s1`.
    pub what: String,
    /// What was run, with what, and when.
    pub header: Header,
    /// When the last event was; the start if there is none.
    pub ends: Instant,
    /// What it came to; none if it was cut off or is still being written.
    pub closing: Option<Closing>,
    /// True while somebody writes it.
    pub open: bool,
}

impl Shelf {
    /// The shelf in this folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Shelf {
        Shelf { folder: folder.into() }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins a recording of `what` in a new file, and makes the folder if there is none.
    ///
    /// # Errors
    /// When the folder or the file cannot be made or written.
    pub fn begin(&self, what: &str, header: &Header) -> io::Result<Writer> {
        fs::create_dir_all(&self.folder)?;
        for again in 0..MOST_IN_A_SECOND {
            match Writer::create(&self.folder.join(name::of(what, header.begun, again)), header) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                begun => return begun,
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// The recordings that can be read, newest first. What is no recording, or damaged at its start, is left out.
    pub fn list(&self) -> Vec<Summary> {
        let mut found: Vec<Summary> = self.files().iter().filter_map(|path| summary(path)).collect();
        let age = |one: &Summary| {
            let name = one.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            (one.header.begun, name::again(name))
        };
        found.sort_by_key(|one| std::cmp::Reverse(age(one)));
        found
    }

    /// Removes the oldest recordings until `keep` are left, those aside that are still being written. Returns how many
    /// were removed; what cannot be removed stays.
    pub fn prune(&self, keep: usize) -> usize {
        let old = self.list().into_iter().skip(keep).filter(|one| !one.open);
        old.filter(|one| fs::remove_file(&one.path).is_ok()).count()
    }

    /// Files of this folder with a recording's name.
    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
        let named = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).and_then(name::what).is_some();
        entries.filter_map(Result::ok).filter(is_file).map(|entry| entry.path()).filter(named).collect()
    }
}

fn summary(path: &Path) -> Option<Summary> {
    let what = name::what(path.file_name()?.to_str()?)?.to_owned();
    let mut file = File::open(path).ok()?;
    let open = is_being_written(&file);
    let header = Reader::new(BufReader::new(&file)).ok()?.header().clone();
    let (ends, closing) = end(&mut file).unwrap_or_default();
    Some(Summary { path: path.to_owned(), what, header, ends, closing, open })
}

/// A lock that cannot be asked for is not held against anybody's file: it counts as being written.
fn is_being_written(file: &File) -> bool {
    match file.try_lock_shared() {
        Ok(()) => file.unlock().is_err(),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
    }
}

/// The time of the last event, and what closes the recording, read from its last lines.
fn end(file: &mut File) -> io::Result<(Instant, Option<Closing>)> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(2 * LONGEST as u64)))?;
    let mut tail = Vec::new();
    file.take(2 * LONGEST as u64).read_to_end(&mut tail)?;
    let mut lines = tail.rsplit(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let last = lines.next().unwrap_or_default();
    let closing = serde_json::from_slice::<Last>(last).ok().map(|last| last.closed);
    let at = std::iter::once(last).chain(lines).find_map(|line| serde_json::from_slice::<Event>(line).ok());
    Ok((at.map_or(Instant::START, |event| event.at), closing))
}
