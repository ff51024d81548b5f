//! What a lab is, once its file was read and checked.

use super::figure::{Figure, Test};
use crate::action::Action;
use crate::setup::{Driver, Setup};
use crate::time::{Instant, Span};

/// A lab.
#[derive(Clone, Debug, PartialEq)]
pub struct Lab {
    /// Its name: the file's, without folder and ending.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The part of the course that it stands in; empty for a lab that stands alone.
    pub chapter: String,
    /// What it teaches, in one line.
    pub teaches: String,
    /// How long it takes somebody, in words; empty if nobody said.
    pub takes: String,
    /// The only driver on which its figures hold; `None` when they hold on both.
    pub driver: Option<Driver>,
    /// What is run: one variant, or several policies under the same stream. Never empty.
    pub variants: Vec<Variant>,
    /// When a run ends.
    pub until: Until,
    /// True when a run that is cut short at its end is no less a run for that.
    pub cut: bool,
    /// The steps, in the order of the file. A step's number is its place, from 1.
    pub steps: Vec<Step>,
    /// What has to come of it.
    pub expects: Vec<Expect>,
    /// What has to have happened, or nothing was tested.
    pub must_happen: Vec<Expect>,
    /// The text of its file.
    pub text: String,
}

impl Lab {
    /// The step of this number.
    pub fn step(&self, number: u32) -> Option<&Step> {
        self.steps.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }
}

/// One run of a lab.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name among the variants: letters, digits and hyphens; empty when there is only one.
    pub name: String,
    /// What it is, in words.
    pub says: String,
    /// What it starts with.
    pub setup: Setup,
}

/// When a run of a lab ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// When everything is settled and no step is planned.
    Drained,
    /// At this moment.
    At(Instant),
}

/// One step of a lab.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What other steps call it; empty if none does.
    pub id: String,
    /// The variants whose runs have it; empty for all.
    pub variants: Vec<usize>,
    /// When it comes.
    pub trigger: Trigger,
    /// How much later than its trigger it comes.
    pub wait: Span,
    /// How long it may take from where it began to wait; `None` for as long as the run goes on.
    pub within: Option<Span>,
    /// How often it comes, and how long apart; 1 for once.
    pub times: u32,
    /// The time between two of these.
    pub every: Span,
    /// What is said.
    pub say: String,
    /// What is done, in order.
    pub acts: Vec<Cue>,
    /// A mark that is set.
    pub mark: Option<String>,
    /// True when time is to stand where somebody looks on.
    pub pause: bool,
    /// What is asked.
    pub ask: Option<Ask>,
}

impl Step {
    /// True when runs of this variant have the step.
    pub fn is_in(&self, variant: usize) -> bool {
        self.variants.is_empty() || self.variants.contains(&variant)
    }
}

/// Something that a step does.
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    /// What is done.
    pub action: Action,
}

/// What a step waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// Nothing: it comes before the run.
    Before,
    /// A moment of lab time.
    At(Instant),
    /// That this holds, from the start of the run on.
    When(Test),
    /// That another step has come, by its place in the list, and then that this holds of what came after it.
    After(usize, Option<Test>),
}

/// A prediction that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The question.
    pub text: String,
    /// What it is answered with.
    pub answer: Answer,
    /// The formula that gives the answer, shown afterwards.
    pub formula: Option<String>,
    /// The formula with its figures.
    pub worked: Option<String>,
    /// What the formula gives.
    pub gives: Option<f64>,
    /// Why it is so.
    pub why: String,
    /// A sentence to say aloud.
    pub aloud: Option<String>,
    /// Something worth knowing beside it.
    pub note: Option<String>,
    /// Figures that are shown with the answer: what they are called, the figure, and words about it.
    pub figures: Vec<(String, Figure, String)>,
}

/// What a question is answered with.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// One of these, by its letter.
    Choice {
        /// What can be chosen, from a on.
        choices: Vec<Choice>,
        /// The place of the right one.
        right: usize,
        /// What must hold of the run for it to be right.
        proof: Option<Test>,
    },
    /// A number.
    Number {
        /// The least and the greatest that can be given.
        between: (f64, f64),
        /// True when only whole numbers can be given.
        whole: bool,
        /// What it is measured in, in words; may be empty.
        unit: String,
        /// What it is graded against.
        right: Figure,
        /// How near it has to come.
        band: Band,
    },
}

/// Something that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The words.
    pub text: String,
}

/// How near an answer has to come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Band {
    /// As near as this, on either side.
    Within(f64),
    /// As near as this share of what was measured, on either side; 0 to 1.
    Share(f64),
    /// Between these, whatever was measured.
    Between(f64, f64),
}

/// Something that has to hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The variant that it is about; `None` for the lab as a whole: figures without a variant's name are then those of
    /// every variant in turn.
    pub variant: Option<usize>,
    /// What has to hold.
    pub that: Test,
    /// It as it is written.
    pub text: String,
    /// What it says, in words; may be empty.
    pub says: String,
    /// True when it has to hold after every event, not only at the end.
    pub always: bool,
    /// When it is judged, by the place of a step: as that step comes. `None` for the end of the run.
    pub after: Option<usize>,
}
