//! Drivers perform what the engine asks, by one set of rules.
//!
//! - [`log`]: the ordered event log; [`clock`]: lab time.
//! - `slot`: what is shared about one worker; `hub`: what is shared by all.
//! - [`Handle`]: a run under way, to act on it and to wait for its end.
//! - `hands`: performs a worker's requests; `keeper`: minds everything timed and carries out `actions`.
//! - [`threads`]: drives them on a thread for each worker, by the wall clock, against a SQLite file.
//! - [`simulation`]: drives them in virtual time, on one thread, exactly repeatable.
//!
//! A driver reaches the sink through the session trait only, and hands events to consumers that are given to it: it
//! knows no board, report or screen.

mod actions;
pub mod clock;
mod handle;
mod hands;
mod hub;
mod keeper;
pub mod log;
pub mod plan;
pub mod simulation;
mod slot;
pub mod threads;

pub use handle::Handle;
pub use keeper::Mode;

use crate::event::Finish;

/// How a run ended that could not be closed either: what failed first is the reason.
fn first_cause(how: Finish, closing: String) -> Finish {
    match how {
        failed @ Finish::Failed(_) => failed,
        _ => Finish::Failed(closing.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_first_is_the_reason() {
        let first = Finish::Failed("connecting to t.db failed".into());
        assert_eq!(first_cause(first.clone(), "closing the run in t.db failed".to_owned()), first);
        assert_eq!(first_cause(Finish::Quit, "no disk".to_owned()), Finish::Failed("no disk".into()));
    }
}
