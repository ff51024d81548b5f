//! What a line of a recording can be.

use serde::{Deserialize, Serialize};

use crate::board::{Board, Counters, Verdict};
use crate::digest::Digest;
use crate::event::Finish;
use crate::setup::{Driver, Setup};

/// The version of the format.
pub const FORMAT: u32 = 1;
/// The longest line, in bytes, its line feed included.
pub const LONGEST: usize = 64 * 1_024;
/// The longest of the first two lines, which hold the set-up with its lists, and the text of a lab.
pub const LONGEST_START: usize = 4 * 1_024 * 1_024;

/// The first line: what was run, and with what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the format.
    pub recording: u32,
    /// The program that wrote it, with its version.
    pub program: String,
    /// When it was begun, in seconds since 1970.
    pub begun: u64,
    /// The seed of every random decision.
    pub seed: u64,
    /// What drove the run.
    pub driver: Driver,
    /// What the run started with.
    pub setup: Setup,
    /// The text of the lab that was run, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lab: Option<String>,
}

impl Header {
    /// The header of a run of `setup` that begins at `begun`, in seconds since 1970.
    pub fn of(setup: &Setup, lab: Option<String>, begun: u64) -> Header {
        Header {
            recording: FORMAT,
            program: concat!("onceish ", env!("CARGO_PKG_VERSION")).to_owned(),
            begun,
            seed: setup.seed,
            driver: setup.driver,
            setup: setup.clone(),
            lab,
        }
    }
}

/// The last line: what the run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closing {
    /// How many events there are.
    pub events: u64,
    /// Their digest.
    pub digest: String,
    /// How the run ended; none if it was still going on.
    pub finish: Option<Finish>,
    /// The counters after the last event.
    pub counters: Counters,
    /// The verdict after the last event.
    pub verdict: Verdict,
}

impl Closing {
    /// What closes a recording whose events were folded into `board` and taken into `digest`.
    pub fn of(board: &Board, digest: &Digest) -> Closing {
        Closing {
            events: digest.events(),
            digest: digest.to_string(),
            finish: board.finished().map(|(how, _)| how.clone()),
            counters: board.counters(),
            verdict: board.verdict(),
        }
    }
}

/// The last line as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Last {
    /// The recording is closed with this.
    pub(super) closed: Closing,
}
