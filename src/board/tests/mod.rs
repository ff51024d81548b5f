//! The board against logs written by hand: every figure is one that follows by counting.

mod audits;
mod fates;
mod invariants;
mod lanes;
mod memory_bounds;
mod operator;
mod properties;
mod risk;
mod sandbox;
mod script;
mod stories;
mod tape;
mod verdicts;
mod workers;

use script::{Script, jobs, seconds};
