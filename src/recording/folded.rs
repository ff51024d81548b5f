//! A recording read once from its start to its end, in bounded memory: what it comes to, and whether it says so itself.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::line::{Closing, Header};
use super::reader::{Damage, Entry, Reader};
use crate::board::Board;
use crate::digest::Digest;

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
}

impl Folded {
    /// Reads the recording at `path` into `board`.
    ///
    /// # Errors
    /// Where it is damaged, or why it cannot be read.
    pub fn read(path: &Path, mut board: Board) -> Result<Folded, Damage> {
        let mut reader = open(path)?;
        let (mut digest, mut closing) = (Digest::default(), None);
        while let Some(entry) = reader.entry()? {
            match entry {
                Entry::Event(event) => {
                    board.fold(&event);
                    digest.take_line(reader.line());
                }
                Entry::Closed(last) => closing = Some(*last),
            }
        }
        Ok(Folded { header: reader.header().clone(), board, digest, closing })
    }

    /// What the recording says of its end that its events do not bear out, in words.
    pub fn contradiction(&self) -> Option<String> {
        self.closing.as_ref()?.contradicted_by(&self.board, &self.digest)
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
