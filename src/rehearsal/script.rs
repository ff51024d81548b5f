//! What was done to a rehearsal, each thing at its turn, so that it can be done again.

use crate::action::Action;
use crate::event::By;
use crate::time::Instant;

/// Something that was done to every side at once.
#[derive(Clone, Debug)]
pub(super) struct Cue {
    /// What each machine had done by then, in order of the sides.
    pub(super) places: Vec<Place>,
    /// The moment.
    pub(super) at: Instant,
    /// What was done.
    pub(super) action: Action,
    /// By whom.
    pub(super) by: By,
}

/// How far a machine had come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The turns it had taken.
    pub(super) turns: u64,
    /// The events it had told.
    pub(super) events: usize,
}

/// Everything that was done, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) cues: Vec<Cue>,
}

impl Script {
    /// Forgets what was done after the first `shown` events of each side.
    pub(super) fn cut(&mut self, shown: &[usize]) {
        let is_shown = |cue: &Cue| cue.places.iter().zip(shown).all(|(place, shown)| place.events < *shown);
        self.cues.retain(is_shown);
    }
}
