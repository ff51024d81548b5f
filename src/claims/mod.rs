//! Measured comparisons: what comes of the same jobs under other policies, deaths and parameters.
//!
//! Every figure here comes from a run of the whole lab. Who runs it is handed in as a [`Runner`], so the same claims are
//! made on real threads and in virtual time.
//!
//! - [`grid`]: one job and one death in each gap of each program.
//! - [`compare`]: one stream of jobs and deaths under several policies.
//! - [`sweep`]: one parameter against what comes of it, beside what arithmetic expects.

pub mod compare;
pub mod grid;
pub mod sweep;
pub mod verify;

use serde::Serialize;

use crate::board::Board;
use crate::digest;
use crate::event::Finish;
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

/// Runs that are made before their boards are reduced to what is wanted of them, since a board is large.
const AT_ONCE: usize = 8;

/// Runs `setups` and keeps of each run what `take` takes of it.
///
/// # Errors
/// What the sink says when it cannot be used.
pub fn measure<T>(
    runner: &dyn Runner,
    setups: &[Setup],
    mut take: impl FnMut(usize, &Ran) -> T,
) -> Result<Vec<T>, SinkError> {
    let mut taken = Vec::with_capacity(setups.len());
    for some in setups.chunks(AT_ONCE) {
        for ran in runner.run(some)? {
            taken.push(take(taken.len(), &ran));
        }
    }
    Ok(taken)
}

/// What says whether the figures of a run can be believed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Soundness {
    /// Whether both witnesses could count, and counted the same.
    pub agree: bool,
    /// Invariants that did not hold, in words.
    pub violations: Vec<String>,
    /// Why the run did not come to its proper end, if it did not.
    pub unfinished: Option<String>,
    /// What each list of crashes and failures struck.
    pub lists: Vec<List>,
}

/// What a list of crashes or failures struck.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct List {
    /// The list, as a flag writes it.
    pub strike: String,
    /// How many jobs it struck.
    pub struck: u64,
    /// How many it had to.
    pub had_to: u64,
}

impl Soundness {
    /// What `board` says of its run.
    pub fn of(board: &Board) -> Soundness {
        let lists = board.setup().into_iter().flat_map(Setup::lists).zip(board.struck());
        let list = |((strike, _), (struck, had_to)): ((&crate::setup::Strike, bool), (u64, u64))| List {
            strike: strike.to_string(),
            struck,
            had_to,
        };
        Soundness {
            agree: board.witnesses_agree() && board.finished().is_some_and(|(_, counts)| counts.is_some()),
            violations: board.violations().to_vec(),
            unfinished: unfinished(board),
            lists: lists.map(list).collect(),
        }
    }

    /// The first list that struck fewer than it had to.
    pub fn missed(&self) -> Option<&List> {
        self.lists.iter().find(|list| list.struck < list.had_to)
    }
}

fn unfinished(board: &Board) -> Option<String> {
    match board.finished() {
        Some((Finish::Drained, _)) => None,
        Some((Finish::Stuck, _)) => Some(format!("stuck, {}", board.stuck().unwrap_or("nothing could move"))),
        Some((Finish::Quit, _)) => Some("cut short".to_owned()),
        Some((Finish::Violated, _)) => Some("an invariant did not hold".to_owned()),
        Some((Finish::Failed(why), _)) => Some(why.to_string()),
        None => Some("it never came to its end".to_owned()),
    }
}

/// The digest of many runs; `None` if one of them had none.
pub fn digest_of<'a>(digests: impl IntoIterator<Item = &'a Option<String>>) -> Option<String> {
    let digests: Option<Vec<&str>> = digests.into_iter().map(Option::as_deref).collect();
    digests.map(digest::of_all)
}
