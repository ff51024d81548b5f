//! Labs: one file that is a lesson, a check and a presenter's deck.
//!
//! A [`Lab`] is what a file comes to once it was read and checked: the set-up of each variant, the steps of the story, and
//! what has to come of it. Whoever runs it and however it is shown, the same steps are done and the same expectations
//! are judged. Reading files, opening sinks and drawing are left to others.

pub mod course;
mod director;
pub mod figure;
#[cfg(test)]
pub mod fixture;
mod grade;
mod judge;
pub mod language;
pub mod lesson;
pub mod model;
pub mod named;
mod read;
mod trace;
mod value;
mod watch;
mod words;

pub use course::{Shipped, course};
pub use director::Director;
pub use figure::{Figure, Test};
pub use grade::{Graded, Shown, grade};
pub use judge::{Checked, Judgement, Outcome, judge};
pub use model::{Answer, Ask, Band, Choice, Cue, Expect, Lab, Step, Trigger, Until, Variant};
pub use read::{LONGEST_FILE, Problem, Read, read, render};
pub use value::{holds, value};
pub use watch::Watch;
pub use words::number;

/// The number of a step, from its place in the list.
pub fn number_of(place: usize) -> u32 {
    u32::try_from(place + 1).expect("a lab file has no four thousand million steps")
}
