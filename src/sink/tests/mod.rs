//! What the sink promises, in sentences.

mod audits;
mod desk;
mod faults;
mod gates;
mod memory;
mod opening;
mod order;
mod speed;
mod together;
mod transactions;
