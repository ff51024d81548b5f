//! What home lists: data that whoever knows labs, scores and recordings puts together.

use crate::time::Span;

/// Everything that can be started from home.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The sandbox as it was set up last, in words, if it was ever opened.
    pub last_time: Option<String>,
    /// The course, in teaching order.
    pub labs: Vec<LabEntry>,
    /// The recordings that are kept, newest first.
    pub recordings: Vec<RecordingEntry>,
    /// What is the matter with what is listed, if anything is.
    pub warning: Option<String>,
}

/// A lab of the course.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabEntry {
    /// The part of the course that it stands in.
    pub chapter: String,
    /// Its number in the course, from 1.
    pub number: usize,
    /// Its title.
    pub title: String,
    /// What it teaches, in one line.
    pub teaches: String,
    /// What drives it: `threads` or `virtual`.
    pub runs_in: String,
    /// How long it takes somebody: `3 min`.
    pub takes: String,
    /// How far somebody has come with it.
    pub best: Best,
}

/// How far somebody has come with a lab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Best {
    /// Never opened.
    #[default]
    Untouched,
    /// Left at this step.
    Unfinished(u32),
    /// Finished: so many answers right of so many; `marked` when somebody interfered with the run.
    Done {
        /// Right answers.
        right: u32,
        /// Questions.
        of: u32,
        /// Whether the run was interfered with.
        marked: bool,
    },
}

impl Best {
    /// As the list writes it; empty for a lab that nobody opened.
    pub fn words(self) -> String {
        match self {
            Best::Untouched => String::new(),
            Best::Unfinished(step) => format!("step {step}"),
            Best::Done { right, of, marked } => format!("{right}/{of}{}", if marked { " *" } else { "" }),
        }
    }
}

/// A recording that is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordingEntry {
    /// What was run: `sandbox, seed 249`.
    pub title: String,
    /// When it was begun: `today 14:02`.
    pub when: String,
    /// How long it is, in lab time; none where that cannot be told.
    pub lasts: Option<Span>,
    /// Workers that died.
    pub crashes: Option<u64>,
    /// What came of the jobs: `twice 2`; empty if nothing was lost or doubled.
    pub harm: String,
    /// The verdict in a word, or why there is none.
    pub verdict: String,
}

impl Listing {
    /// True when nothing was ever done here.
    pub fn is_fresh(&self) -> bool {
        let untouched = self.labs.iter().all(|lab| lab.best == Best::Untouched);
        untouched && self.last_time.is_none() && self.recordings.is_empty()
    }

    /// How many labs are done, and the right answers in them of how many.
    pub fn done(&self) -> (usize, u32, u32) {
        self.labs.iter().fold((0, 0, 0), |(labs, right, of), lab| match lab.best {
            Best::Done { right: more, of: asked, .. } => (labs + 1, right + more, of + asked),
            _ => (labs, right, of),
        })
    }

    /// The lab to go on with: one that was left in the middle, else the first that nobody opened, else the first.
    pub fn next_lab(&self) -> usize {
        let at = |best: fn(Best) -> bool| self.labs.iter().position(|lab| best(lab.best));
        let left = at(|best| matches!(best, Best::Unfinished(_)));
        left.or_else(|| at(|best| best == Best::Untouched)).unwrap_or(0)
    }
}
