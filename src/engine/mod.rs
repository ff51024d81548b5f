//! The pure part of the lab: what the queue decides, what a worker does next, when a failed job is tried again, what
//! work arrives and whom the faults of the set-up strike.
//!
//! Nothing here reads a clock, starts a thread, opens a file or speaks SQL. Time comes in with every call and
//! randomness comes from the seed, so that the same calls always have the same results. In reading order:
//!
//! - [`queue`]: jobs, leases, tokens, the DLQ and per-key order.
//! - [`retry`]: the wait after a nack.
//! - [`draw`]: every random decision, and CPython's generator for the page's own figures.
//! - [`workload`]: arrivals, work times, poison, and whom crash and failure lists strike.
//! - [`worker`]: the interpreter of a policy's program, and [`renewal`], the heartbeat beside it.
//! - [`faults`]: what is wrong with one worker's slot, and what that does to its work.

pub mod draw;
pub mod faults;
pub mod queue;
pub mod renewal;
pub mod retry;
pub mod worker;
pub mod workload;
