//! Reads a recording line by line, in bounded memory, and says where it is damaged.
//!
//! A recording may end anywhere: whoever wrote it may have been killed. So what is whole is read, and a last line that
//! is torn is left out. A line that is wrong anywhere else is damage, and so is everything that no run could have told.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::Path;

use super::line::{Closing, FORMAT, Header, LONGEST, LONGEST_START, Last};
use crate::event::{Event, What};
use crate::setup::{MAX_JOBS, MAX_WORKERS};
use crate::text::clean;
use crate::time::Instant;

/// The most characters of a reason that are said.
const MOST_SAID: usize = 160;

/// Why a recording cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Damage {
    /// The line, from 1; none where the file cannot be read at all.
    pub line: Option<u64>,
    /// The byte of the line, from 1, where that is known.
    pub column: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl Damage {
    /// The file cannot be read, for this reason.
    pub(super) fn unreadable(error: &io::Error) -> Damage {
        Damage { line: None, column: None, what: error.to_string() }
    }

    /// What is wrong with the file at `path`, in one line, as compilers say it.
    pub fn in_file(&self, path: &Path) -> String {
        let space = if self.line.is_some() { "" } else { " " };
        format!("{}:{space}{self}", clean(&path.to_string_lossy()))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in self.line.into_iter().chain(self.column.map(|column| column as u64)) {
            write!(f, "{place}:")?;
        }
        let space = if self.line.is_some() { " " } else { "" };
        write!(f, "{space}{}", clean(&self.what))
    }
}

/// What stands behind the header.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Something happened.
    Event(Event),
    /// The recording is closed with this; nothing follows.
    Closed(Box<Closing>),
}

/// Reads a recording.
pub struct Reader<R> {
    source: R,
    header: Header,
    buffer: Vec<u8>,
    /// Lines read.
    lines: u64,
    /// Bytes read.
    bytes: u64,
    events: u64,
    last: Instant,
    closed: bool,
    torn: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// When the first line is not the header of a recording, or of one that this program does not know.
    pub fn new(mut source: R) -> Result<Reader<R>, Damage> {
        let mut buffer = Vec::new();
        let whole = read_line(&mut source, &mut buffer, 1)?;
        if buffer.is_empty() {
            return Err(damage(1, "the file is empty: not a recording"));
        }
        if !whole {
            return Err(damage(1, "not a recording, or one that ends within its first line"));
        }
        let header = header(&buffer)?;
        let bytes = buffer.len() as u64;
        let last = Instant::START;
        Ok(Reader { source, header, buffer, lines: 1, bytes, events: 0, last, closed: false, torn: false })
    }

    /// What was run.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many bytes were read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// True once the end was reached, and it is not the end that a closed recording has: its writer was cut off.
    pub fn torn(&self) -> bool {
        self.torn
    }

    /// The line of the last event, its line feed included.
    pub(super) fn line(&self) -> &[u8] {
        &self.buffer
    }

    /// What it reads from.
    pub(super) fn source_mut(&mut self) -> &mut R {
        &mut self.source
    }

    /// The source was moved to behind so many events, the last of them at this time, where so many bytes were read.
    pub(super) fn stand(&mut self, events: u64, last: Instant, bytes: u64) {
        (self.events, self.last, self.bytes, self.lines) = (events, last, bytes, 1 + events);
        (self.closed, self.torn) = (false, false);
    }

    /// The next entry; `None` at the end.
    ///
    /// # Errors
    /// When a line is neither an event that could come here nor the end.
    pub fn entry(&mut self) -> Result<Option<Entry>, Damage> {
        let whole = read_line(&mut self.source, &mut self.buffer, self.lines + 1)?;
        let parsed = serde_json::from_slice::<Event>(&self.buffer);
        let is_torn = || !whole && serde_json::from_slice::<Last>(&self.buffer).is_err();
        if self.buffer.is_empty() || (parsed.is_err() && is_torn()) {
            self.torn = !self.closed;
            return Ok(None);
        }
        self.lines += 1;
        if self.closed {
            return Err(damage(self.lines, "something follows the line that closes the recording"));
        }
        self.bytes += self.buffer.len() as u64;
        match parsed {
            Ok(event) => {
                self.check(&event)?;
                if !whole {
                    self.buffer.push(b'\n');
                }
                (self.events, self.last) = (self.events + 1, event.at);
                Ok(Some(Entry::Event(event)))
            }
            Err(error) => self.closing(&error).map(Some),
        }
    }

    /// A line that is no event, for this reason, is the end, or damage.
    fn closing(&mut self, error: &serde_json::Error) -> Result<Entry, Damage> {
        let (error, what) = match serde_json::from_slice::<Last>(&self.buffer) {
            Ok(Last { closed }) => {
                self.closed = true;
                return Ok(Entry::Closed(Box::new(closed)));
            }
            Err(other) if self.buffer.starts_with(b"{\"closed\"") => (reason(&other), "not the end of a recording"),
            Err(_) => (reason(error), "not an event"),
        };
        Err(Damage { line: Some(self.lines), column: None, what: format!("{what}: {error}") })
    }

    /// What no run could have told is damage, so that nothing that folds events need fear it.
    fn check(&self, event: &Event) -> Result<(), Damage> {
        let first = self.events == 0;
        match &event.what {
            What::Started { setup, .. } if first && **setup == self.header.setup => {}
            What::Started { .. } if first => {
                return Err(damage(self.lines, "the run starts with another set-up than the header says"));
            }
            What::Started { .. } => return Err(damage(self.lines, "the run starts a second time")),
            _ if first => return Err(damage(self.lines, "the run does not start with its first event")),
            _ => {}
        }
        if event.at < self.last {
            return Err(damage(self.lines, "time goes back"));
        }
        let worker = event.what.worker().is_some_and(|w| w.0 == 0 || w.0 > self.header.setup.workers);
        if worker {
            return Err(damage(self.lines, "no such worker"));
        }
        Ok(())
    }
}

fn damage(line: u64, what: &str) -> Damage {
    Damage { line: Some(line), column: None, what: what.to_owned() }
}

/// Reads a line with its line feed; false when the source ends before one.
fn read_line(source: &mut impl BufRead, buffer: &mut Vec<u8>, line: u64) -> Result<bool, Damage> {
    buffer.clear();
    let longest = if line <= 2 { LONGEST_START } else { LONGEST };
    source
        .take(longest as u64 + 1)
        .read_until(b'\n', buffer)
        .map_err(|error: io::Error| damage(line, &error.to_string()))?;
    if buffer.len() > longest {
        return Err(damage(line, &format!("a line of more than {} KiB", longest / 1_024)));
    }
    Ok(buffer.ends_with(b"\n"))
}

fn header(line: &[u8]) -> Result<Header, Damage> {
    #[derive(serde::Deserialize)]
    struct Version {
        recording: u32,
    }
    match serde_json::from_slice::<Version>(line) {
        Err(_) => return Err(damage(1, "not a recording")),
        Ok(Version { recording }) if recording != FORMAT => {
            let what = format!("a recording of format {recording}, and this program knows only {FORMAT}");
            return Err(damage(1, &what));
        }
        Ok(_) => {}
    }
    let header: Header = serde_json::from_slice(line).map_err(|error| Damage {
        line: Some(1),
        column: Some(error.column()),
        what: format!("not a header: {}", reason(&error)),
    })?;
    let setup = &header.setup;
    let fits = setup.workload.jobs.is_none_or(|jobs| (1..=MAX_JOBS).contains(&jobs))
        && (1..=MAX_WORKERS).contains(&setup.workers)
        && (header.seed, header.driver) == (setup.seed, setup.driver);
    if fits { Ok(header) } else { Err(damage(1, "a set-up that no run can have")) }
}

/// What serde says, without the place, which is told beside it. It says foreign words again, which may have any length:
/// so no more than its beginning.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let said = text.split(" at line ").next().unwrap_or_default();
    match said.char_indices().nth(MOST_SAID) {
        Some((end, _)) => format!("{}...", &said[..end]),
        None => said.to_owned(),
    }
}
