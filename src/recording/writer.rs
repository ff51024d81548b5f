//! Writes a recording while the run goes on, on a thread of its own.
//!
//! Whoever hands events over waits only if the disk is far behind. Nothing is left out: a recording that cannot be
//! written any more says so, and the run goes on without it.
#![allow(clippy::disallowed_methods, reason = "the thread that writes is started here")]

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use sha2::{Digest as _, Sha256};

use super::line::{Closing, Header, Last};
use crate::board::Board;
use crate::digest::hex;
use crate::event::Event;

/// Batches that may wait for the disk.
const WAITING: usize = 64;
/// Every so many events the writer notes where they begin, so that it can cut there.
const STRIDE: u64 = 256;
/// Bytes that are gathered before they are written, unless nothing more waits.
const BUFFER: usize = 64 * 1_024;

/// What the thread is told.
enum Told {
    Events(Vec<Event>),
    Cut(u64),
    Close(Box<Closing>),
}

/// A recording that is being written. When it is dropped, what was handed over is written down, and the recording stays
/// open at its end.
pub struct Writer {
    path: PathBuf,
    told: Option<SyncSender<Told>>,
    thread: Option<JoinHandle<()>>,
    failure: Arc<Mutex<Option<String>>>,
}

impl Writer {
    /// Begins a recording in a new file at `path`.
    ///
    /// # Errors
    /// When there is a file already, or none can be made or written.
    pub fn create(path: &Path, header: &Header) -> io::Result<Writer> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let _where_files_cannot_be_locked_nobody_asks = file.try_lock();
        let mut page = Page::new(file);
        page.begin(header)?;
        let (told, heard) = sync_channel(WAITING);
        let failure = Arc::new(Mutex::new(None));
        let failed = failure.clone();
        let work = move || {
            if let Err(error) = page.keep(&heard) {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
            }
        };
        let thread = Some(thread::Builder::new().name("recording".into()).spawn(work)?);
        Ok(Writer { path: path.to_owned(), told: Some(told), thread, failure })
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why it cannot be written any more, if that is so.
    pub fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the events that come next.
    pub fn take(&self, events: &[Event]) {
        self.tell(Told::Events(events.to_vec()));
    }

    /// Forgets all but the first `events`: the run was taken back to there.
    pub fn cut(&self, events: u64) {
        self.tell(Told::Cut(events));
    }

    /// Closes the recording with what `board`, the fold of all its events, has come to, and waits until it is written
    /// down.
    ///
    /// # Errors
    /// What kept it from being written, in words; also when the board has folded more events than were handed over, or
    /// fewer. The recording then stays open at its end.
    pub fn close(mut self, board: &Board) -> Result<(), String> {
        let finish = board.finished().map(|(how, _)| how.clone());
        let closing = Closing {
            events: board.seq(),
            digest: String::new(),
            finish,
            counters: board.counters(),
            verdict: board.verdict(),
        };
        self.tell(Told::Close(Box::new(closing)));
        self.end();
        self.failure().map_or(Ok(()), Err)
    }

    fn tell(&self, told: Told) {
        if let Some(thread) = &self.told {
            let _it_has_failed_and_said_so = thread.send(told);
        }
    }

    fn end(&mut self) {
        self.told = None;
        if let Some(thread) = self.thread.take() {
            let _a_panic_leaves_what_was_flushed = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Where an event begins: after so many bytes of the file, and after events with this digest.
struct Begin {
    bytes: u64,
    hash: Sha256,
}

/// The file, and where its events begin.
struct Page {
    file: BufWriter<File>,
    /// Bytes written.
    length: u64,
    events: u64,
    /// The digest of the events so far.
    hash: Sha256,
    /// Where every [`STRIDE`]th event begins.
    begins: Vec<Begin>,
    line: Vec<u8>,
}

impl Page {
    fn new(file: File) -> Page {
        let (file, hash) = (BufWriter::with_capacity(BUFFER, file), Sha256::new());
        Page { file, length: 0, events: 0, hash, begins: Vec::new(), line: Vec::new() }
    }

    fn begin(&mut self, header: &Header) -> io::Result<()> {
        self.write(header)?;
        self.file.flush()
    }

    /// Writes what is told until nobody tells any more. Flushes whenever nothing waits.
    fn keep(&mut self, heard: &Receiver<Told>) -> io::Result<()> {
        while let Ok(mut told) = heard.recv() {
            loop {
                self.take(told)?;
                match heard.try_recv() {
                    Ok(next) => told = next,
                    Err(_) => break,
                }
            }
            self.file.flush()?;
        }
        Ok(())
    }

    fn take(&mut self, told: Told) -> io::Result<()> {
        match told {
            Told::Events(events) => events.iter().try_for_each(|event| self.event(event)),
            Told::Cut(events) => self.cut(events),
            Told::Close(closing) => self.close(*closing),
        }
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        if self.events.is_multiple_of(STRIDE) {
            self.begins.push(Begin { bytes: self.length, hash: self.hash.clone() });
        }
        self.write(event)?;
        self.events += 1;
        self.hash.update(&self.line);
        Ok(())
    }

    fn close(&mut self, closing: Closing) -> io::Result<()> {
        if closing.events != self.events {
            let what = format!("{} events were written, and the run has {}", self.events, closing.events);
            return Err(io::Error::other(what));
        }
        self.write(&Last { closed: Closing { digest: hex(self.hash.clone()), ..closing } })
    }

    fn write(&mut self, line: &impl serde::Serialize) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line)?;
        self.line.push(b'\n');
        self.length += self.line.len() as u64;
        self.file.write_all(&self.line)
    }

    fn cut(&mut self, events: u64) -> io::Result<()> {
        if events >= self.events {
            return Ok(());
        }
        self.file.flush()?;
        let stride = usize::try_from(events / STRIDE).unwrap_or(usize::MAX);
        let Begin { bytes: mut length, mut hash } =
            self.begins.drain(stride..).next().ok_or(io::ErrorKind::NotFound)?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(length))?;
        if !events.is_multiple_of(STRIDE) {
            self.begins.push(Begin { bytes: length, hash: hash.clone() });
        }
        let mut lines = BufReader::new(&*file);
        for _ in 0..events % STRIDE {
            self.line.clear();
            lines.read_until(b'\n', &mut self.line)?;
            hash.update(&self.line);
            length += self.line.len() as u64;
        }
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        (self.length, self.events, self.hash) = (length, events, hash);
        Ok(())
    }
}
