//! The rules of the queue, each as a test; and in `model`, all of them at once against a plain telling of them.
//!
//! Names that begin with a letter and a number protect against a failure that was once reported of another queue.

mod leases;
mod model;
mod order;
mod rig;
mod settled;
mod tries;
mod waiting;
