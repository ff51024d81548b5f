//! Writing to the terminal, by a thread of its own.
//!
//! A terminal that nobody reads (a stopped one, a connection that hangs) blocks whoever writes to it, for as long as it
//! likes. That may be this thread and nobody else: the loop hands it one frame at a time and goes on hearing keys and
//! signals. What it is handed is written in that order, each frame whole.

use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The one painter of this program: a panic hook has to reach it too.
pub static PAINTER: Painter = Painter::new();

/// What is to be written, and how it goes.
#[derive(Debug)]
struct State {
    started: bool,
    /// What is written next.
    waiting: Option<Vec<u8>>,
    /// Something is being written.
    busy: bool,
    /// What writing failed with, until somebody was told.
    failed: Option<io::Error>,
}

/// The thread that writes, as others see it.
#[derive(Debug)]
pub struct Painter {
    state: Mutex<State>,
    changed: Condvar,
}

impl Painter {
    const fn new() -> Painter {
        let state = State { started: false, waiting: None, busy: false, failed: None };
        Painter { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread unless it runs. It lives as long as the program.
    #[allow(clippy::disallowed_methods, reason = "writing to a terminal blocks, and the loop must not")]
    pub fn start(&'static self) -> io::Result<()> {
        let mut state = self.lock();
        if !state.started {
            thread::Builder::new().name("painter".to_owned()).spawn(|| self.work(write_out))?;
            state.started = true;
        }
        Ok(())
    }

    /// Writes what it is handed, for ever.
    fn work(&self, mut write: impl FnMut(&[u8]) -> io::Result<()>) {
        let mut state = self.lock();
        loop {
            match state.waiting.take() {
                Some(bytes) => {
                    state.busy = true;
                    drop(state);
                    let failed = write(&bytes).err();
                    state = self.lock();
                    state.busy = false;
                    state.failed = failed.or(state.failed.take());
                    self.changed.notify_all();
                }
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// True when it takes more: nothing waits to be written.
    pub fn is_free(&self) -> bool {
        self.lock().waiting.is_none()
    }

    /// Hands it bytes, behind those that wait. Fails with what an earlier write failed with.
    pub fn paint(&self, bytes: Vec<u8>) -> io::Result<()> {
        let mut state = self.lock();
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        state.waiting.get_or_insert_default().extend(bytes);
        self.changed.notify_all();
        Ok(())
    }

    /// Hands it the last bytes and waits until all is written, but no longer than `patience`; true if it is.
    pub fn finish(&self, bytes: Vec<u8>, patience: Duration) -> bool {
        let mut state = self.lock();
        state.waiting.get_or_insert_default().extend(bytes);
        self.changed.notify_all();
        let unwritten = |state: &mut State| state.busy || state.waiting.is_some();
        let waited = self.changed.wait_timeout_while(state, patience, unwritten);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

/// Writes to the terminal past the lock of stdout, which would then be held for as long as the terminal blocks.
#[cfg(unix)]
fn write_out(bytes: &[u8]) -> io::Result<()> {
    struct Out;
    impl Write for Out {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(rustix::io::write(io::stdout(), bytes)?)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    Out.write_all(bytes)
}

#[cfg(not(unix))]
fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(bytes)?;
    stdout.flush()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "what blocks needs a thread that it blocks")]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_terminal_that_takes_nothing_holds_up_nobody_and_gets_all_in_order_later() {
        let painter: &'static Painter = Box::leak(Box::new(Painter::new()));
        let (read, reading) = channel::<()>();
        let (wrote, written) = channel();
        thread::spawn(move || {
            painter.work(|bytes| {
                let _ = reading.recv();
                let _ = wrote.send(bytes.to_vec());
                Ok(())
            });
        });
        painter.paint(b"one ".to_vec()).expect("taken");
        painter.paint(b"two ".to_vec()).expect("taken");
        assert!(!painter.finish(b"three".to_vec(), Duration::from_millis(20)), "nothing was read");
        drop(read);
        assert!(painter.finish(Vec::new(), Duration::from_secs(10)));
        assert_eq!(written.try_iter().flatten().collect::<Vec<u8>>(), b"one two three");
        assert!(painter.is_free());
    }

    #[test]
    fn the_next_frame_hears_of_a_write_that_failed() {
        let painter: &'static Painter = Box::leak(Box::new(Painter::new()));
        thread::spawn(move || painter.work(|_| Err(io::Error::other("gone"))));
        painter.paint(b"one".to_vec()).expect("taken");
        painter.finish(Vec::new(), Duration::from_secs(10));
        assert!(painter.paint(b"two".to_vec()).is_err());
    }
}
