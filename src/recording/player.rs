//! Shows any moment of a recording: the fold of its first n events, with n going on, back, or anywhere at once.
//!
//! The file is read once when it is opened, to know how long it is, where its marks and anomalies are and what it comes
//! to. After that only what a move needs is read again, from the nearest snapshot on.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::Path;

use super::line::{Closing, Header};
use super::reader::{Damage, Entry, Reader};
use crate::board::{Anomaly, Board, Snapshots};
use crate::digest::Digest;
use crate::event::{Event, What};
use crate::time::Instant;

/// Every so many events it is noted where they begin in the file.
const STRIDE: usize = 1_024;

/// A place in a recording that somebody wants to find again.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The number of events with this one.
    pub events: usize,
    /// When.
    pub at: Instant,
    /// What was done or noted.
    pub what: What,
}

/// Where an event begins in the file.
#[derive(Clone, Copy)]
struct Begin {
    events: usize,
    at: Instant,
    bytes: u64,
}

/// A recording, and the moment of it that is shown.
pub struct Player {
    reader: Reader<BufReader<File>>,
    begins: Vec<Begin>,
    snapshots: Snapshots,
    len: usize,
    ends: Instant,
    digest: Digest,
    last: Box<Board>,
    closing: Option<Box<Closing>>,
    torn: bool,
    places: Vec<Place>,
    board: Board,
    shown: usize,
    /// The event behind those that are shown, if it was read already.
    ahead: Option<Event>,
}

impl Player {
    /// Opens the recording at `path` and shows its start.
    ///
    /// # Errors
    /// Where it is damaged, or why it cannot be read.
    pub fn open(path: &Path) -> Result<Player, Damage> {
        let reader = super::open(path)?;
        let start = Begin { events: 0, at: Instant::START, bytes: reader.bytes() };
        let mut player = Player {
            reader,
            begins: vec![start],
            snapshots: Snapshots::default(),
            len: 0,
            ends: Instant::START,
            digest: Digest::default(),
            last: Box::default(),
            closing: None,
            torn: false,
            places: Vec::new(),
            board: Board::new(),
            shown: 0,
            ahead: None,
        };
        player.read_through()?;
        player.show(0)?;
        Ok(player)
    }

    fn read_through(&mut self) -> Result<(), Damage> {
        let mut digest = Digest::default();
        while let Some(entry) = self.reader.entry()? {
            let event = match entry {
                Entry::Event(event) => event,
                Entry::Closed(closing) => {
                    self.closing = Some(closing);
                    continue;
                }
            };
            self.board.fold(&event);
            digest.take_line(self.reader.line());
            (self.shown, self.ends) = (self.shown + 1, event.at);
            self.snapshots.offer(self.shown, &self.board);
            if self.shown.is_multiple_of(STRIDE) {
                self.begins.push(Begin { events: self.shown, at: event.at, bytes: self.reader.bytes() });
            }
            if matches!(event.what, What::Marked { .. } | What::Action { .. } | What::Died { .. }) {
                self.places.push(Place { events: self.shown, at: event.at, what: event.what });
            }
        }
        (self.len, self.torn, self.digest) = (self.shown, self.reader.torn(), digest);
        *self.last = self.board.clone();
        Ok(())
    }

    /// What was run.
    pub fn header(&self) -> &Header {
        self.reader.header()
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when nothing happened.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// When the last event was.
    pub fn ends(&self) -> Instant {
        self.ends
    }

    /// True when the recording ends where its writer was cut off.
    pub fn torn(&self) -> bool {
        self.torn
    }

    /// What the run came to, as the recording says, if it was closed.
    pub fn closing(&self) -> Option<&Closing> {
        self.closing.as_deref()
    }

    /// What the run came to, as its events say.
    pub fn last(&self) -> &Board {
        &self.last
    }

    /// What the recording says of its end that its events do not bear out, in words.
    pub fn contradiction(&self) -> Option<String> {
        self.closing.as_deref()?.contradicted_by(&self.last, &self.digest)
    }

    /// What was done and marked, and who died, in order.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// What went wrong, in order; of very many the latest.
    pub fn anomalies(&self) -> &VecDeque<Anomaly> {
        self.last.anomalies()
    }

    /// The fold of the events that are shown.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// How many events are shown.
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// When the next event is; `None` at the end.
    ///
    /// # Errors
    /// When the file has changed since it was opened.
    pub fn next_at(&mut self) -> Result<Option<Instant>, Damage> {
        Ok(self.look_ahead()?.map(|event| event.at))
    }

    /// Shows the first `n` events.
    ///
    /// # Errors
    /// When the file has changed since it was opened.
    pub fn show(&mut self, n: usize) -> Result<(), Damage> {
        let n = n.min(self.len);
        let (near, board) = self.snapshots.before(n);
        if n < self.shown || near > self.shown {
            (self.shown, self.board) = (near, board.clone());
            self.stand_behind(near)?;
        }
        while self.shown < n && self.fold_next()? {}
        Ok(())
    }

    /// Shows all that has happened by `at`.
    ///
    /// # Errors
    /// When the file has changed since it was opened.
    pub fn show_until(&mut self, at: Instant) -> Result<(), Damage> {
        let before = self.begins.partition_point(|begin| begin.at <= at).saturating_sub(1);
        let begin = self.begins[before];
        if self.board.now() > at || begin.events > self.shown {
            self.show(begin.events)?;
        }
        while self.look_ahead()?.is_some_and(|event| event.at <= at) && self.fold_next()? {}
        Ok(())
    }

    fn look_ahead(&mut self) -> Result<Option<&Event>, Damage> {
        if self.ahead.is_none() && self.shown < self.len {
            self.ahead = match self.reader.entry()? {
                Some(Entry::Event(event)) => Some(event),
                _ => return Err(changed()),
            };
        }
        Ok(self.ahead.as_ref())
    }

    fn fold_next(&mut self) -> Result<bool, Damage> {
        self.look_ahead()?;
        let Some(event) = self.ahead.take() else { return Ok(false) };
        self.board.fold(&event);
        self.shown += 1;
        Ok(true)
    }

    /// Has the reader stand behind the first `n` events.
    fn stand_behind(&mut self, n: usize) -> Result<(), Damage> {
        self.ahead = None;
        let begin = self.begins[self.begins.partition_point(|begin| begin.events <= n) - 1];
        self.reader.seek(begin.events as u64, begin.at, begin.bytes)?;
        for _ in begin.events..n {
            self.reader.entry()?.ok_or_else(changed)?;
        }
        Ok(())
    }
}

fn changed() -> Damage {
    Damage { line: None, column: None, what: "the file has changed since it was opened".to_owned() }
}

impl<R: Seek + std::io::Read> Reader<BufReader<R>> {
    /// Goes on reading behind so many events, the last of them at this time, where so many bytes were read.
    fn seek(&mut self, events: u64, last: Instant, bytes: u64) -> Result<(), Damage> {
        let moved = self.source_mut().seek(SeekFrom::Start(bytes));
        moved.map_err(|error| Damage { line: Some(1 + events), column: None, what: error.to_string() })?;
        self.stand(events, last, bytes);
        Ok(())
    }
}
