//! The digest of an event log: what two runs have in common that went the same way to the last byte.
//!
//! It is the SHA-256 of the events, each written as one line of JSON, so whoever has the lines can check it with any
//! other tool. Where two logs differ is told by [`first_difference`], since a digest cannot.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::event::Event;

/// Takes in a log, batch by batch.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    hash: Sha256,
    /// The lines of one batch; kept for its space.
    lines: Vec<u8>,
    events: u64,
}

impl Digest {
    /// Takes in the events that come next.
    pub fn take(&mut self, events: &[Event]) {
        self.lines.clear();
        for event in events {
            serde_json::to_writer(&mut self.lines, event).expect("an event can be written as JSON");
            self.lines.push(b'\n');
        }
        self.hash.update(&self.lines);
        self.events += events.len() as u64;
    }

    /// Takes in the event that comes next as its line, line feed included.
    pub(crate) fn take_line(&mut self, line: &[u8]) {
        self.hash.update(line);
        self.events += 1;
    }

    /// How many events it has taken in.
    pub fn events(&self) -> u64 {
        self.events
    }
}

impl fmt::Display for Digest {
    /// The digest so far, as 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.hash.clone()))
    }
}

/// The digest of many: the SHA-256 of them as lines.
pub fn of_all<'a>(digests: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for digest in digests {
        hash.update(digest);
        hash.update(b"\n");
    }
    hex(hash)
}

/// What was taken in, as 64 hexadecimal digits.
pub(crate) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where two logs first differ, in words; `None` when they are the same.
pub fn first_difference(one: &[Event], other: &[Event]) -> Option<String> {
    let line = |event: &Event| serde_json::to_string(event).unwrap_or_default();
    let place = one.iter().zip(other).position(|(a, b)| a != b);
    match place {
        Some(n) => Some(format!("event {n} differs:\n  {}\n  {}", line(&one[n]), line(&other[n]))),
        None if one.len() == other.len() => None,
        None => {
            let n = one.len().min(other.len());
            let more = one.get(n).or(other.get(n)).map(line).unwrap_or_default();
            Some(format!("one log ends before event {n}, the other goes on:\n  {more}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::What;
    use crate::time::Instant;

    fn log(speeds: &[f64]) -> Vec<Event> {
        speeds.iter().zip(1..).map(|(x, at)| Event { at: Instant(at), what: What::Speed { x: *x } }).collect()
    }

    #[test]
    fn the_digest_is_that_of_the_lines_however_they_come_in_batches() {
        let events = log(&[1.0, 2.0, 4.0]);
        let mut at_once = Digest::default();
        at_once.take(&events);
        let mut one_by_one = Digest::default();
        events.iter().for_each(|event| one_by_one.take(std::slice::from_ref(event)));
        assert_eq!(at_once.to_string(), one_by_one.to_string());
        assert_eq!((at_once.events(), one_by_one.events()), (3, 3));
        let lines: String = events.iter().map(|event| serde_json::to_string(event).expect("JSON") + "\n").collect();
        let hash: String = Sha256::digest(lines).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(at_once.to_string(), hash);
    }

    #[test]
    fn nothing_at_all_has_the_digest_that_the_standard_gives_it() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::default().to_string(), empty);
    }

    #[test]
    fn a_difference_is_told_with_its_place_and_both_sides() {
        let one = log(&[1.0, 2.0]);
        assert_eq!(first_difference(&one, &one.clone()), None);
        let told = first_difference(&one, &log(&[1.0, 3.0])).expect("they differ");
        assert!(told.starts_with("event 1 differs") && told.contains("2.0") && told.contains("3.0"), "{told}");
        let told = first_difference(&one, &log(&[1.0])).expect("they differ");
        assert!(told.contains("ends before event 1"), "{told}");
    }
}
