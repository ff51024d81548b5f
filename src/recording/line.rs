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

impl Closing {
    /// What this says that is not borne out by the events before it, whose fold and digest these are; in words.
    pub fn contradicted_by(&self, board: &Board, digest: &Digest) -> Option<String> {
        if self.events != digest.events() {
            return Some(format!("it has {} events, and says that it has {}", digest.events(), self.events));
        }
        if self.digest != digest.to_string() {
            return Some("its events are not those that were written: their digest is another".to_owned());
        }
        self.other_counter(&board.counters()).or_else(|| {
            let other = self.verdict != board.verdict();
            other.then(|| "its events come to another verdict than it says".to_owned())
        })
    }

    /// The first counter that is another than those of `folded`.
    fn other_counter(&self, folded: &Counters) -> Option<String> {
        let values = |counters: &Counters| serde_json::to_value(counters).ok();
        let (said, folded) = (values(&self.counters)?, values(folded)?);
        let differs = |(name, n): (&String, &serde_json::Value)| {
            let other = folded.get(name).filter(|other| *other != n)?;
            Some(format!("its events come to {name} {other}, and it says {n}"))
        };
        said.as_object()?.iter().find_map(differs)
    }
}

/// The last line as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Last {
    /// The recording is closed with this.
    pub(super) closed: Closing,
}
