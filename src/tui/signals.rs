//! Signals from outside: what ends the screen, and what says that the terminal may have changed.

use std::io;

use super::Exit;

/// A signal that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Leave.
    End(Exit),
    /// The program was stopped and goes on.
    Continued,
}

/// The signals as they come.
#[cfg(unix)]
pub struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    go_on: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Listens from here on.
    pub fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            go_on: signal(SignalKind::from_raw(CONTINUE))?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.hang_up.recv() => Signal::End(Exit::HungUp),
            _ = self.terminate.recv() => Signal::End(Exit::Terminated),
            _ = self.interrupt.recv() => Signal::End(Exit::Interrupted),
            _ = self.go_on.recv() => Signal::Continued,
        }
    }

    /// Waits until the program goes on after it was stopped.
    pub async fn continued(&mut self) {
        self.go_on.recv().await;
    }
}

#[cfg(unix)]
const CONTINUE: i32 = rustix::process::Signal::CONT.as_raw();

/// The signals as they come: ctrl-c is the only one everywhere.
#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Listens from here on.
    pub fn listen() -> io::Result<Signals> {
        Ok(Signals)
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        let _ = tokio::signal::ctrl_c().await;
        Signal::End(Exit::Interrupted)
    }
}
