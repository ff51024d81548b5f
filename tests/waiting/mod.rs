//! Waits for conditions that come about on other threads.

#![allow(clippy::disallowed_methods, reason = "what other threads do is waited for by the wall clock")]

use std::time::{Duration, Instant};

/// No condition is waited for longer than this.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Waits until it is so.
#[track_caller]
pub fn wait(is: impl Fn() -> bool, what: &str) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < DEADLINE, "{what} did not come");
        std::thread::yield_now();
    }
}
