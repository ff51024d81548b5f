//! The signals that end a run: an interrupt, SIGTERM, a hang-up.
//!
//! They are only passed on. A thread of their own waits for them, so that whoever runs the lab learns of them in its
//! own time and drains.

#![allow(clippy::disallowed_methods, reason = "the thread that waits for signals is started here")]

use std::io;

use crossbeam_channel::Sender;

use super::outcome::Signal;

/// From here on signals do not end the process but are sent to `heard` until nobody listens any more.
pub fn watch(heard: Sender<Signal>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut ears = {
        let _inside = runtime.enter();
        Ears::open()?
    };
    let listen = move || {
        runtime.block_on(async {
            while let Some(signal) = ears.next().await {
                if heard.send(signal).is_err() {
                    break;
                }
            }
        });
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).map(|_| ())
}

#[cfg(unix)]
struct Ears {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ears {
    fn open() -> io::Result<Ears> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Ears {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Option<Signal> {
        tokio::select! {
            heard = self.interrupt.recv() => heard.map(|()| Signal::Interrupt),
            heard = self.terminate.recv() => heard.map(|()| Signal::Terminate),
            heard = self.hang_up.recv() => heard.map(|()| Signal::HangUp),
        }
    }
}

#[cfg(not(unix))]
struct Ears;

#[cfg(not(unix))]
impl Ears {
    fn open() -> io::Result<Ears> {
        Ok(Ears)
    }

    async fn next(&mut self) -> Option<Signal> {
        tokio::signal::ctrl_c().await.ok().map(|()| Signal::Interrupt)
    }
}
