//! Measured comparisons: what comes of the same jobs under other policies, deaths and parameters.
//!
//! Every figure here comes from a run of the whole lab. Who runs it is handed in as a [`Runner`], so the same claims are
//! made on real threads and in virtual time.

use crate::board::Board;
use crate::request::SinkError;
use crate::setup::Setup;

/// Whoever runs set-ups to their end and folds their events.
pub trait Runner {
    /// Runs each of `setups` on a sink of its own, and returns what came of them in the same order.
    ///
    /// # Errors
    /// What the sink says when it cannot be used.
    fn run(&self, setups: &[Setup]) -> Result<Vec<Ran>, SinkError>;
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The fold of its events.
    pub board: Board,
    /// The digest of its log, if it ran in virtual time: the same for the same set-up, always.
    pub digest: Option<String>,
}
