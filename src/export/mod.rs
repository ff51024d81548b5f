//! Recordings taken elsewhere: as casts, pictures, documents and drafts of labs.
//!
//! Everything here is drawn or written from the fold of a recording's events, by the painter that draws the screen, so
//! that an export shows what a replay shows. Files and terminals are left to whoever asks.
//!
//! In reading order: [`cast`] is a terminal session that players play; [`svg`] draws one moment as a picture, in the
//! colours of a [`palette`]; a [`tale`] is what a recording comes to, if of a lab [`judged`] again, which [`page`] tells as HTML and [`report`] as
//! Markdown; [`draft`] makes a lab of it, with the set-up that [`differences`] writes down.

pub mod cast;
pub mod differences;
pub mod draft;
pub mod judged;
pub mod page;
pub mod palette;
pub mod report;
pub mod svg;
pub mod tale;

use std::io;

use crate::action;
use crate::event::What;
use crate::lab;
use crate::recording::{Damage, Place, Player};
use crate::text::clean;
use crate::time::Instant;

/// Characters of a title that are kept.
const LONGEST_TITLE: usize = 200;

/// Why a recording could not be taken elsewhere.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The recording cannot be read.
    #[error("{0}")]
    Damaged(#[from] Damage),
    /// What it becomes cannot be written.
    #[error("{0}")]
    Unwritable(#[from] io::Error),
}

/// The words that name what was run: the lab's title if its text is that of a lab, else the sandbox; never an empty text.
pub fn title(player: &Player) -> String {
    let header = player.header();
    let what = header.lab.as_deref().and_then(lab_title).unwrap_or_else(|| "sandbox".to_owned());
    format!("{what}, seed {}", header.seed)
}

/// The title of a lab.
fn lab_title(text: &str) -> Option<String> {
    let lab = lab::read("recorded", text.as_bytes()).lab?;
    let title: String = clean(&lab.title).trim().chars().take(LONGEST_TITLE).collect();
    (!title.is_empty()).then_some(title)
}

/// Minutes, seconds and hundredths, as players of recordings say it: `0:40.30`, `1:02:03.50`.
pub fn clock(at: Instant) -> String {
    let hundredths = at.0 / 10_000_000;
    let (seconds, rest) = (hundredths / 100, hundredths % 100);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}.{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}.{rest:02}"),
    }
}

/// A moment worth a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// How many events there are by then.
    pub events: usize,
    /// When.
    pub at: Instant,
    /// What happened, in words.
    pub words: String,
}

/// The moments worth a picture, in order of time, at most so many: the end first of all, then marks, anomalies and
/// actions, of each the earliest.
pub fn shots(player: &Player, most: usize) -> Vec<Shot> {
    let marked = |place: &&Place| matches!(place.what, What::Marked { .. });
    let told = || player.places().iter().filter(|place| is_told(place));
    let shot = |place: &Place| {
        let words = cast::label(place).unwrap_or_default();
        Shot { events: place.events, at: place.at, words }
    };
    let anomalies = player.anomalies().iter().map(|anomaly| Shot {
        events: usize::try_from(anomaly.seq).unwrap_or(usize::MAX).saturating_add(1),
        at: anomaly.at,
        words: format!("{}: job {}", anomaly.kind, anomaly.job),
    });
    let end = Shot { events: player.len(), at: player.ends(), words: "the end".to_owned() };
    let marks = told().filter(marked).map(shot);
    let acts = told().filter(|place| !marked(place)).map(shot);
    let mut shots: Vec<Shot> = std::iter::once(end).chain(marks).chain(anomalies).chain(acts).take(most).collect();
    shots.sort_by_key(|shot| shot.events);
    shots.dedup_by_key(|shot| shot.events);
    shots
}

/// The moments that somebody marked.
pub fn marked(player: &Player) -> Vec<Shot> {
    let shot = |place: &Place| match &place.what {
        What::Marked { text } => Some(Shot { events: place.events, at: place.at, words: clean(text).into_owned() }),
        _ => None,
    };
    player.places().iter().filter_map(shot).collect()
}

/// True for marks and for what changes what becomes of jobs. An action that sets a mark is told by the mark.
fn is_told(place: &Place) -> bool {
    match &place.what {
        What::Action { text, .. } => action::parse(text).map_or(true, |action| action.interferes()),
        What::Marked { .. } => true,
        _ => false,
    }
}
