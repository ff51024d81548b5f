//! A recording read once from its start to its end, in bounded memory: what it comes to, and whether it says so itself.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::line::{Closing, Header};
use super::reader::{Damage, Entry, Reader};
use crate::action;
use crate::board::Board;
use crate::digest::Digest;
use crate::event::{By, What};

/// What a recording comes to.
pub struct Folded {
    /// What was run.
    pub header: Header,
    /// The fold of its events.
    pub board: Board,
    /// The digest of its events.
    pub digest: Digest,
    /// What it says itself that it came to, if it was closed.
    pub closing: Option<Closing>,
    /// The first things that were done to the run and changed what became of jobs, in words of the grammar, and by whom.
    pub acts: Vec<(By, String)>,
    /// How many more there were.
    pub more_acts: u64,
}

/// Things that were done which are kept.
const ACTS: usize = 3;

impl Folded {
    /// Reads the recording at `path` into `board`.
    ///
    /// # Errors
    /// Where it is damaged, or why it cannot be read.
    pub fn read(path: &Path, mut board: Board) -> Result<Folded, Damage> {
        let mut reader = open(path)?;
        let (mut digest, mut closing, mut acts, mut more_acts) = (Digest::default(), None, Vec::new(), 0);
        while let Some(entry) = reader.entry()? {
            match entry {
                Entry::Event(event) => {
                    board.fold(&event);
                    digest.take_line(reader.line());
                    match interference(event.what) {
                        Some(act) if acts.len() < ACTS => acts.push(act),
                        Some(_) => more_acts += 1,
                        None => {}
                    }
                }
                Entry::Closed(last) => closing = Some(*last),
            }
        }
        Ok(Folded { header: reader.header().clone(), board, digest, closing, acts, more_acts })
    }

    /// What the recording says of its end that its events do not bear out, in words.
    pub fn contradiction(&self) -> Option<String> {
        self.closing.as_ref()?.contradicted_by(&self.board, &self.digest)
    }
}

/// What was done, and by whom, if it was done and changed what became of jobs.
fn interference(what: What) -> Option<(By, String)> {
    match what {
        What::Action { text, by, refused: false, .. } => {
            let changes = action::parse(&text).is_ok_and(|action| action.interferes());
            changes.then(|| (by, text.into_string()))
        }
        _ => None,
    }
}

/// Reads the file at `path`.
///
/// # Errors
/// Why it cannot be read, or is no recording.
pub fn open(path: &Path) -> Result<Reader<BufReader<File>>, Damage> {
    let file = File::open(path).map_err(|error| Damage::unreadable(&error))?;
    Reader::new(BufReader::with_capacity(BUFFER, file))
}

/// Bytes that are read at once.
const BUFFER: usize = 64 * 1_024;
