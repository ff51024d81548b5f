//! What came of a lab, as whoever ran it says: one answer to each question, and how all its runs ended.

/// What came of all questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What came of each question, in the order of the file.
    pub questions: Vec<Came>,
    /// What somebody did to the run that the lab did not, in words: `you killed w3 at 14.2 s`.
    pub touched: Option<String>,
    /// Why nothing was put to the test, if nothing was.
    pub untested: Option<String>,
    /// Why the lab itself does not hold, if it does not.
    pub broken: Option<String>,
    /// How many of the lab's expectations hold, of how many; none before all runs are over.
    pub held: Option<(usize, usize)>,
    /// True when the board and SQL have counted the same in every run.
    pub agree: bool,
    /// The figures of every variant, where there are several.
    pub table: Table,
    /// The variants whose runs are still under way.
    pub running: Vec<String>,
}

/// What came of one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Came {
    /// Whether the answer was right; none where that cannot be said.
    pub right: Option<bool>,
    /// What was said.
    pub said: String,
    /// What is right, or was measured.
    pub measured: String,
    /// What counts as right, in words: `179 to 219 counts as right`; empty for a choice.
    pub band: String,
    /// Figures shown with the answer: what they are called, the figure, words about it.
    pub figures: Vec<(String, String, String)>,
    /// How many jobs were lost, applied once and applied twice in the run that it is about.
    pub fates: [u64; 3],
    /// The name of the variant that it is about.
    pub about: String,
    /// The variants that it needs and whose runs are still under way.
    pub waits: Vec<String>,
}

/// Figures of several variants beside each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What the columns are called.
    pub columns: Vec<String>,
    /// A variant, and its figures; none while its run is under way.
    pub rows: Vec<(String, Option<Vec<String>>)>,
}

impl Outcome {
    /// How many answers were right, of how many.
    pub fn score(&self) -> (usize, usize) {
        (self.questions.iter().filter(|came| came.right == Some(true)).count(), self.questions.len())
    }

    /// True when the lab does not judge: somebody interfered, or nothing was put to the test.
    pub fn unjudged(&self) -> bool {
        self.touched.is_some() || self.untested.is_some()
    }
}
