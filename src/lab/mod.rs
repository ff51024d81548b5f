//! Labs: one file that is a lesson, a check and a presenter's deck.
//!
//! A [`Lab`] is what a file comes to once it was read and checked: the set-up of each variant, the steps of the story, and
//! what has to come of it. Whoever runs it and however it is shown, the same steps are done and the same expectations
//! are judged. Reading files, opening sinks and drawing are left to others.

pub mod course;
pub mod figure;
pub mod language;
pub mod model;
mod read;

pub use course::{Shipped, course};
pub use figure::{Figure, Test};
pub use model::{Answer, Ask, Band, Choice, Cue, Expect, Lab, Step, Trigger, Until, Variant};
pub use read::{LONGEST_FILE, Problem, Read, read, render};
