//! What production monitoring can hear of a run: messages at the queue and the supervision of workers.
//!
//! This is the only way into the operator's fold. There is no signal for anything the ledger knows.

use crate::event::{End, What};
use crate::ids::{Job, Worker};
use crate::time::{Instant, Span};

/// Something that monitoring can hear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Signal {
    /// A job arrived, ready at `due`.
    Arrived { job: Job, due: Instant },
    /// A job was handed out.
    HandedOut { worker: Worker, job: Job, again: bool, lease: Span },
    /// The queue heard a worker without anything changing.
    Heard { worker: Worker },
    /// The queue accepted an ack.
    Acked { worker: Worker },
    /// The queue got the job back from its worker, ready at `until`.
    GivenBack { worker: Worker, job: Job, until: Option<Instant> },
    /// A refused ack or nack: the worker is done all the same.
    Refused { worker: Worker },
    /// A job is ready again without its worker having said anything.
    ReadyAgain { job: Job },
    /// A delivery is over; `error` says that a failure was logged.
    Over { worker: Worker, error: bool },
    /// A job is in the DLQ.
    Dead { job: Job },
    /// A job left the DLQ.
    Redriven { job: Job },
    /// A process is gone.
    Down { worker: Worker },
    /// A process is there.
    Up { worker: Worker },
}

impl Signal {
    /// What monitoring hears of an event, if it hears anything.
    pub fn of(what: &What) -> Option<Signal> {
        Some(match *what {
            What::Enqueued { j, due, .. } => Signal::Arrived { job: j, due },
            What::Claimed { w, j, n, lease, .. } => Signal::HandedOut { worker: w, job: j, again: n > 1, lease },
            What::Renewed { w, .. } | What::RenewalStale { w, .. } => Signal::Heard { worker: w },
            What::Acked { w, .. } => Signal::Acked { worker: w },
            What::AckStale { w, .. } | What::AckRepeated { w, .. } | What::NackStale { w, .. } => {
                Signal::Refused { worker: w }
            }
            What::Nacked { w, j, until, .. } => Signal::GivenBack { worker: w, job: j, until },
            What::Expired { j, .. } | What::Released { j, .. } => Signal::ReadyAgain { job: j },
            What::Ended { w, ref how, .. } => Signal::Over { worker: w, error: matches!(how, End::Failed(_)) },
            What::Dead { j, .. } => Signal::Dead { job: j },
            What::Redriven { j } => Signal::Redriven { job: j },
            What::Died { w, .. } => Signal::Down { worker: w },
            What::Spawned { w, .. } => Signal::Up { worker: w },
            _ => return None,
        })
    }
}
