//! What arrives and what befalls it: the stream of jobs with their work times and poison, and whom the crash and
//! failure lists and rates of a set-up strike.
//!
//! Everything follows from the set-up alone. Who performs a crash, and when a job is enqueued, is left to others.

mod plan;
mod stream;
mod strikes;

pub use stream::Stream;
pub use strikes::Strikes;
