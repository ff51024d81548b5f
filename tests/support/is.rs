//! Kinds of events by name, for claims about how many there are and when they come.

use onceish::event::{End, Fault, What};
use onceish::ids::Worker;
use onceish::policy::Point;

pub fn claimed(what: &What) -> bool {
    matches!(what, What::Claimed { .. })
}

pub fn expired(what: &What) -> bool {
    matches!(what, What::Expired { .. })
}

pub fn renewed(what: &What) -> bool {
    matches!(what, What::Renewed { .. })
}

pub fn beat_lost(what: &What) -> bool {
    matches!(what, What::BeatLost { .. })
}

pub fn effect(what: &What) -> bool {
    matches!(what, What::Effect { .. })
}

pub fn recognised(what: &What) -> bool {
    matches!(what, What::Recognised { .. })
}

pub fn fenced(what: &What) -> bool {
    matches!(what, What::Fenced { .. })
}

pub fn acked(what: &What) -> bool {
    matches!(what, What::Acked { .. })
}

pub fn ack_lost(what: &What) -> bool {
    matches!(what, What::AckLost { .. })
}

pub fn ack_stale(what: &What) -> bool {
    matches!(what, What::AckStale { .. })
}

pub fn reply_lost(what: &What) -> bool {
    matches!(what, What::ReplyLost { .. })
}

pub fn nacked(what: &What) -> bool {
    matches!(what, What::Nacked { .. })
}

pub fn dead(what: &What) -> bool {
    matches!(what, What::Dead { .. })
}

pub fn died(what: &What) -> bool {
    matches!(what, What::Died { .. })
}

pub fn worked(what: &What) -> bool {
    matches!(what, What::Stepped { p: Point::Work, .. })
}

pub fn failed(what: &What) -> bool {
    matches!(what, What::Ended { how: End::Failed(_), .. })
}

pub fn gave_up(what: &What) -> bool {
    matches!(what, What::Ended { how: End::LeaseLost, .. })
}

/// The fault came over a worker.
pub fn begun(fault: Fault) -> impl Fn(&What) -> bool {
    move |what| matches!(what, What::Fault { what, .. } if *what == fault)
}

/// The fault ended.
pub fn healed(fault: Fault) -> impl Fn(&What) -> bool {
    move |what| matches!(what, What::Healed { what, .. } if *what == fault)
}

/// The same about this worker only.
pub fn by(worker: Worker, is: impl Fn(&What) -> bool) -> impl Fn(&What) -> bool {
    move |what| what.worker() == Some(worker) && is(what)
}

/// The same about any worker but this.
pub fn by_another(worker: Worker, is: impl Fn(&What) -> bool) -> impl Fn(&What) -> bool {
    move |what| what.worker().is_some_and(|other| other != worker) && is(what)
}
