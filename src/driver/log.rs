//! The one ordered log of a run: position is sequence, and no event bears an earlier time than the one before it.
//!
//! Appending is a push under one lock. One thread takes whole batches out and shows them to the consumers, so a slow
//! consumer delays no worker, unless it falls behind by more events than fit in memory.
#![allow(clippy::disallowed_methods, reason = "the batching thread is spawned here")]

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::clock::Clock;
use crate::event::{Event, What};
use crate::time::Instant;

/// Whoever is shown the events of a run, batch by batch, in order.
pub type Consumer = Box<dyn FnMut(&[Event]) + Send>;

/// Appending waits for the consumers above this many unseen events, so that memory stays bounded.
const MOST_UNSEEN: usize = 1 << 20;
/// How long a batch is gathered before it is shown: well within a frame.
const GATHER: Duration = Duration::from_millis(4);

/// The event log of one run.
#[derive(Debug)]
pub struct Log {
    clock: Arc<Clock>,
    state: Mutex<State>,
    /// Signalled when the first event of a batch arrives, and at the close.
    filled: Condvar,
    /// Signalled when a batch was taken out.
    emptied: Condvar,
}

#[derive(Debug, Default)]
struct State {
    last: Instant,
    /// How many events were appended.
    told: u64,
    batch: Vec<Event>,
    /// True once a thread shows batches to consumers, and so can be waited for.
    read: bool,
    reader_waits: bool,
    closed: bool,
}

/// The log, locked: what is appended now bears the one time that was read.
pub struct Entry<'a> {
    log: &'a Log,
    state: MutexGuard<'a, State>,
    now: Instant,
}

impl Log {
    /// An empty log that stamps with `clock`.
    pub fn new(clock: Arc<Clock>) -> Arc<Log> {
        let log = Log { clock, state: Mutex::default(), filled: Condvar::new(), emptied: Condvar::new() };
        Arc::new(log)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the log and reads the time once.
    pub fn enter(&self) -> Entry<'_> {
        let mut state = self.state();
        while state.batch.len() >= MOST_UNSEEN && state.read && !state.closed {
            state = self.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let now = self.clock.now().max(state.last);
        Entry { log: self, state, now }
    }

    /// Appends one event at the time that it is appended.
    pub fn append(&self, what: What) {
        self.enter().append(what);
    }

    /// No more events will come; the consumers are shown what is left.
    pub fn close(&self) {
        self.state().closed = true;
        self.filled.notify_all();
        self.emptied.notify_all();
    }

    fn take(&self) -> Option<Vec<Event>> {
        let mut state = self.state();
        while state.batch.is_empty() && !state.closed {
            state.reader_waits = true;
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.closed {
            let gathered = self.filled.wait_timeout_while(state, GATHER, |state| !state.closed);
            state = gathered.unwrap_or_else(PoisonError::into_inner).0;
        }
        let batch = mem::take(&mut state.batch);
        self.emptied.notify_all();
        if batch.is_empty() { None } else { Some(batch) }
    }

    /// How many events there are.
    pub fn told(&self) -> u64 {
        self.state().told
    }

    /// Moves what nobody was shown yet behind `events`, without waiting.
    pub fn take_into(&self, events: &mut Vec<Event>) {
        events.append(&mut self.state().batch);
    }

    /// Starts the thread that shows batches to the consumers; it ends when the log is closed and empty.
    pub fn consume(self: &Arc<Log>, mut consumers: Vec<Consumer>) -> JoinHandle<()> {
        self.state().read = true;
        let log = self.clone();
        let work = move || {
            while let Some(batch) = log.take() {
                consumers.iter_mut().for_each(|consumer| consumer(&batch));
            }
        };
        thread::Builder::new().name("events".into()).spawn(work).expect("a thread can be started")
    }
}

impl Entry<'_> {
    /// The time of what is appended now.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Reads the time again, after the clock was moved.
    pub fn refresh(&mut self) {
        self.now = self.log.clock.now().max(self.now);
    }

    /// Appends an event.
    pub fn append(&mut self, what: What) {
        self.state.last = self.now;
        self.state.told += 1;
        self.state.batch.push(Event { at: self.now, what });
        if mem::take(&mut self.state.reader_waits) {
            self.log.filled.notify_one();
        }
    }

    /// Appends what a queue call gave out, and empties it.
    pub fn append_all(&mut self, out: &mut Vec<What>) {
        out.drain(..).for_each(|what| self.append(what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consumers_see_every_event_in_order_and_time_never_goes_back() {
        let log = Log::new(Arc::new(Clock::new(1.0)));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = seen.clone();
        let reader =
            log.consume(vec![Box::new(move |batch: &[Event]| sink.lock().expect("alone").extend_from_slice(batch))]);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|n| log.append(What::Speed { x: f64::from(n) })));
            }
        });
        log.close();
        reader.join().expect("the reader ends with the log");
        let seen = seen.lock().expect("alone");
        assert_eq!(seen.len(), 2_000);
        assert!(seen.is_sorted_by_key(|event| event.at));
    }
}
