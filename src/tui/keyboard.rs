//! Keys as they come, read by a thread of their own.
//!
//! On a terminal that was closed, reading may never return. It must not be the loop that is caught in it, for the loop
//! has to leave; so a thread reads, and the loop only takes what it is sent.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossterm::event::{Event, poll, read};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// How long the thread may go on after nobody listens any more.
const LINGER: Duration = Duration::from_millis(100);

/// What is typed, pasted and resized, while this lives.
pub struct Keyboard {
    events: UnboundedReceiver<io::Result<Event>>,
    closing: Arc<AtomicBool>,
}

impl Keyboard {
    /// Listens from here on. There may be one at a time.
    #[allow(clippy::disallowed_methods, reason = "reading a terminal blocks, and the loop must not")]
    pub fn listen() -> io::Result<Keyboard> {
        let (send, events) = unbounded_channel();
        let closing = Arc::new(AtomicBool::new(false));
        let closed = closing.clone();
        let forward = move || {
            while !closed.load(Ordering::Relaxed) {
                let event = match poll(LINGER) {
                    Ok(false) => continue,
                    Ok(true) => read(),
                    Err(error) => Err(error),
                };
                let failed = event.is_err();
                if send.send(event).is_err() || failed {
                    break;
                }
            }
        };
        thread::Builder::new().name("keyboard".to_owned()).spawn(forward)?;
        Ok(Keyboard { events, closing })
    }

    /// The next event; none or an error when there will be no more.
    pub async fn next(&mut self) -> Option<io::Result<Event>> {
        self.events.recv().await
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
    }
}
