//! The labs that come with the program, in the order in which they teach, and how one of them is asked for.
//!
//! Their files are part of the program, so that it needs none beside it. A lab's number is its place, which its file's
//! name begins with.

use crate::text::nearest;

/// A lab that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// The name of its file without the ending: `08-memory-in-the-worker`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Shipped {
    /// Its number, from 1.
    pub fn number(&self) -> u32 {
        split(self.name).0
    }

    /// Its name without the number.
    pub fn bare(&self) -> &'static str {
        split(self.name).1
    }
}

/// The number and the rest of a name.
fn split(name: &str) -> (u32, &str) {
    let (number, rest) = name.split_once('-').unwrap_or(("", name));
    (number.parse().unwrap_or(0), rest)
}

/// The labs of these names, each from its file.
macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(Shipped { name: $name, text: include_str!(concat!("../../labs/", $name, ".toml")) }),*]
    };
}

const COURSE: &[Shipped] = shipped![
    "01-ack-first",
    "02-ack-last",
    "03-harmless-crash",
    "04-killed-at-random",
    "05-two-writes",
    "06-one-transaction",
    "07-unstable-key",
    "08-memory-in-the-worker",
    "09-bounded-window",
    "10-replay-after-the-window",
    "11-shorter-than-the-tail",
    "12-renewal",
    "13-stalled-heartbeat",
    "14-cut-off-zombie",
    "15-long-pause",
    "16-two-fences",
    "17-giving-up",
    "18-one-of-four",
    "19-poison",
    "20-poison-in-order",
    "21-overtaken",
    "22-dlq-nobody-reads",
];

/// The labs that come with the program, in the order in which they teach.
pub fn course() -> &'static [Shipped] {
    COURSE
}

/// The lab of `course` that is asked for by its number (`9`, `09`) or its name, with or without the number.
pub fn find<'a>(course: &'a [Shipped], asked: &str) -> Option<&'a Shipped> {
    let number = asked.parse::<u32>().ok().filter(|_| asked.bytes().all(|b| b.is_ascii_digit()));
    course.iter().find(|lab| number == Some(lab.number()) || asked == lab.name || asked == lab.bare())
}

/// The name of the lab that was probably meant.
pub fn near<'a>(course: &'a [Shipped], asked: &str) -> Option<&'a str> {
    let names = course.iter().flat_map(|lab| [lab.name, lab.bare()]);
    nearest(asked, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &[Shipped] =
        &[Shipped { name: "01-ack-first", text: "" }, Shipped { name: "09-bounded-window", text: "" }];

    #[test]
    fn a_lab_is_asked_for_by_number_or_by_name_with_or_without_it() {
        for asked in ["9", "09", "09-bounded-window", "bounded-window"] {
            assert_eq!(find(TWO, asked).map(|lab| lab.name), Some("09-bounded-window"), "{asked}");
        }
        for asked in ["", "2", "+9", "bounded", "labs/09-bounded-window.toml"] {
            assert_eq!(find(TWO, asked), None, "{asked}");
        }
        assert_eq!(near(TWO, "bounded-widow"), Some("bounded-window"));
        assert_eq!(near(TWO, "xyzzy"), None);
    }

    #[test]
    fn the_course_is_numbered_from_1_without_a_gap() {
        for (place, lab) in course().iter().enumerate() {
            assert_eq!(usize::try_from(lab.number()), Ok(place + 1), "{}", lab.name);
        }
    }
}
