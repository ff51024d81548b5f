//! The second witness at work: SQL counts the rows now and then, on a thread of its own, and all at the end.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

use crate::driver::hub::{Command, Shared};
use crate::event::{Finish, What};
use crate::request::{Auditor, SinkError};

/// How often SQL counts while a run goes on, in real time.
const INTERVAL: Duration = Duration::from_millis(400);

pub(super) struct Audit {
    stop: Sender<()>,
    thread: JoinHandle<Box<dyn Auditor>>,
}

impl Audit {
    pub fn start(shared: &Arc<Shared>, mut auditor: Box<dyn Auditor>) -> Audit {
        let shared = shared.clone();
        let (stop, stopped) = bounded(1);
        let work = move || {
            let mut last = None;
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                match auditor.count() {
                    Ok(counts) if last != Some(counts) => {
                        last = Some(counts);
                        shared.log.append(What::Audited { counts });
                    }
                    Ok(_) => {}
                    Err(SinkError(words)) => shared.send(Command::Failed(words)),
                }
            }
            auditor
        };
        let thread = thread::Builder::new().name("audit".into()).spawn(work).expect("a thread can be started");
        Audit { stop, thread }
    }

    /// Writes the queue's final job states, has SQL count everything, and tells how the run ended.
    pub fn close(self, shared: &Shared, how: Finish) -> Finish {
        let _already_stopped = self.stop.send(());
        let closed = match self.thread.join() {
            Ok(mut auditor) => auditor.close(&mut shared.hub().queue.final_jobs()),
            Err(_) => Err(SinkError("the audit's thread panicked".into())),
        };
        let (how, counts) = match closed {
            Ok(counts) => (how, Some(Box::new(counts))),
            Err(SinkError(words)) => (crate::driver::first_cause(how, words), None),
        };
        shared.log.append(What::Finished { how: how.clone(), counts });
        how
    }
}
