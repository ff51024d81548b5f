//! The grid: what becomes of one job whose worker dies in each gap of each program.
//!
//! Every cell is a run of its own, with two workers and one death. What became of the job is told from the events.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Ran, Runner, Soundness, measure};
use crate::board::Board;
use crate::event::{End, Spot, What};
use crate::ids::Token;
use crate::policy::{AckOrder, Dedup, Point, Program, named};
use crate::request::SinkError;
use crate::setup::{Driver, Setup, Strike, Whom};

named! {
    /// What became of the job.
    Fate {
        /// Applied once.
        Once = "once",
        /// Applied once; the dead worker's effect was rolled back.
        RolledBack = "once, rolled back",
        /// Applied once; the redelivery of a committed bracket was recognised.
        Recognised = "once, recognised",
        /// Applied more than once.
        Twice = "TWICE",
        /// Forgotten without an effect.
        Lost = "LOST",
        /// None of these: the run did not settle it.
        Unsettled = "unsettled",
    }
}

/// Where in the grid: a program and a gap of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Where the ack goes.
    pub ack: AckOrder,
    /// How duplicates are recognised.
    pub dedup: Dedup,
    /// Behind which step the worker dies.
    pub point: Point,
}

/// One cell, computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// What became of the job.
    pub fate: Fate,
    /// Deliveries.
    pub deliveries: u64,
    /// Redeliveries that were recognised.
    pub dedup_hits: u64,
    /// Whether the run can be believed.
    #[serde(flatten)]
    pub soundness: Soundness,
    /// The digest of its log, in virtual time.
    pub digest: Option<String>,
}

/// The programs of the grid: ack first without dedup, and ack last without dedup and with each durable way.
pub const PROGRAMS: [(AckOrder, Dedup); 5] = [
    (AckOrder::Before, Dedup::None),
    (AckOrder::After, Dedup::None),
    (AckOrder::After, Dedup::EffectThenKey),
    (AckOrder::After, Dedup::KeyThenEffect),
    (AckOrder::After, Dedup::Transactional),
];

/// The 23 cells of the grid: each gap of [`PROGRAMS`] but the one behind a last ack, which harms nothing.
pub fn places() -> Vec<Place> {
    let all = PROGRAMS.into_iter().flat_map(|(ack, dedup)| column(ack, dedup));
    all.filter(|place| (place.ack, place.point) != (AckOrder::After, Point::Ack)).collect()
}

/// Every gap of both acks with every way to recognise a duplicate.
pub fn all_places() -> Vec<Place> {
    AckOrder::ALL.iter().flat_map(|ack| Dedup::ALL.into_iter().flat_map(|dedup| column(*ack, dedup))).collect()
}

fn column(ack: AckOrder, dedup: Dedup) -> impl Iterator<Item = Place> {
    Program::of(ack, dedup).points().into_iter().map(move |point| Place { ack, dedup, point })
}

impl Place {
    /// The run that computes this cell.
    pub fn setup(self, driver: Driver, seed: u64) -> Setup {
        let mut setup = Setup::headless(seed);
        setup.driver = driver;
        setup.workload.jobs = Some(1);
        setup.workers = 2;
        (setup.policy.ack, setup.policy.dedup) = (self.ack, self.dedup);
        setup.crash.push(Strike { whom: Whom::Ids(BTreeSet::from([0])), at: self.point });
        setup
    }
}

/// Computes the cells of `places` by running each.
///
/// # Errors
/// What the sink says when it cannot be used.
pub fn compute(runner: &dyn Runner, places: &[Place], driver: Driver, seed: u64) -> Result<Vec<Cell>, SinkError> {
    let setups: Vec<Setup> = places.iter().map(|place| place.setup(driver, seed)).collect();
    measure(runner, &setups, |n, ran| cell(places[n], ran))
}

fn cell(place: Place, ran: &Ran) -> Cell {
    let counters = ran.board.counters();
    Cell {
        place,
        fate: fate(&ran.board, place),
        deliveries: counters.deliveries,
        dedup_hits: counters.dedup_hits,
        soundness: Soundness::of(&ran.board),
        digest: ran.digest.clone(),
    }
}

fn fate(board: &Board, place: Place) -> Fate {
    let counters = board.counters();
    match (counters.lost, counters.once, counters.duplicated) {
        (1, 0, 0) => Fate::Lost,
        (0, 0, 1) => Fate::Twice,
        (0, 1, 0) if place.point == Point::Commit && counters.dedup_hits > 0 => Fate::Recognised,
        (0, 1, 0) if died_with_an_open_effect(board, place) => Fate::RolledBack,
        (0, 1, 0) => Fate::Once,
        _ => Fate::Unsettled,
    }
}

/// True when the worker died at or behind its effect and no event tells of that effect: SQLite took it back.
fn died_with_an_open_effect(board: &Board, place: Place) -> bool {
    let points = Program::of(place.ack, place.dedup).points();
    let passed_the_effect = points.iter().take_while(|point| **point != place.point).any(|p| *p == Point::Effect)
        || place.point == Point::Effect;
    let died = board.recent().iter().find_map(|(_, event)| match event.what {
        What::Ended { k, how: End::Crashed(Spot::After(_)), .. } => Some(k),
        _ => None,
    });
    passed_the_effect && died.is_some_and(|token| !wrote(board, token))
}

fn wrote(board: &Board, token: Token) -> bool {
    board.recent().iter().any(|(_, event)| matches!(event.what, What::Effect { k, .. } if k == token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_23_cells_and_the_whole_one_every_gap_of_fourteen_programs() {
        assert_eq!(places().len(), 23);
        // Points by dedup: none 4, two writes 6 each, one bracket 7 each (three of them), per-worker 7.
        assert_eq!(all_places().len(), 2 * (4 + 6 + 6 + 7 + 7 + 7 + 7));
        assert!(all_places().contains(&Place { ack: AckOrder::After, dedup: Dedup::None, point: Point::Ack }));
    }
}
