//! Figures of a run and what can be said of them: the language of triggers, answers and expectations.
//!
//! A figure is a number, a counter by its name (`duplicated`), one of another variant (`key-first.lost`), how often
//! something happened (`count(effect j7)`), when it first or last did, in seconds (`time(died w2)`, `last(died w2)`), the
//! most that a counter ever was (`peak(waiting)`), or a sum of such. A test compares two figures, says that something
//! happened (`claimed w2`), that the same jobs came to two harms (`jobs(a.lost) == jobs(b.duplicated)`), or joins such
//! with `and`, `or` and `not`.

use crate::ids::{Job, Worker};

/// A number that a run has.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A number.
    Number(f64),
    /// A counter of a variant, or one of `kept`, `broken` (the verdict: 1 or 0) and `elapsed` (seconds); `None` for the
    /// variant that is asked about.
    Counter(Option<usize>, &'static str),
    /// The most that the counter ever was.
    Peak(Option<usize>, &'static str),
    /// How often this happened.
    Count(Option<usize>, Pattern),
    /// When it first happened, in seconds of lab time.
    First(Option<usize>, Pattern),
    /// When it last happened.
    Last(Option<usize>, Pattern),
    /// Two figures put together.
    Both(Box<Figure>, Arithmetic, Box<Figure>),
}

/// How two figures are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Over,
}

/// Events of one name, about all or some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The name of the event, as recordings write it.
    pub event: &'static str,
    /// Only of this worker.
    pub worker: Option<Worker>,
    /// Only of this job.
    pub job: Option<Job>,
    /// Only of this attempt.
    pub attempt: Option<u32>,
}

/// Something that holds or does not.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Two figures compare so, with this tolerance.
    Compare(Figure, Relation, Figure, Tolerance),
    /// This happened.
    Happened(Option<usize>, Pattern),
    /// The same jobs came to this harm here and to that harm there.
    SameJobs((Option<usize>, Harmed), (Option<usize>, Harmed)),
    /// It does not hold.
    Not(Box<Test>),
    /// Both hold.
    And(Box<Test>, Box<Test>),
    /// One of them holds, or both.
    Or(Box<Test>, Box<Test>),
}

/// How two figures compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// How far two figures may be apart and still count as equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Not at all.
    Exact,
    /// So much.
    Within(f64),
    /// So much of the right-hand figure, 0 to 1.
    Share(f64),
}

/// Jobs that came to harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harmed {
    /// They were lost.
    Lost,
    /// They were applied more than once.
    Duplicated,
}
