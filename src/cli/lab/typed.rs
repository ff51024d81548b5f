//! What somebody types, line by line, without waiting for it any longer than the run goes on.
#![allow(clippy::disallowed_methods, reason = "a read from a terminal cannot be interrupted, so a thread waits for it")]

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

/// The most bytes of a line that are read at once; what is longer is no answer to anything.
const LONGEST: u64 = 4_096;
/// How often somebody who waits for a line looks whether the run was left.
const LOOK: Duration = Duration::from_millis(50);

/// Lines that are typed.
pub struct Typed {
    lines: Receiver<String>,
    /// True once nobody waits for lines any more.
    pub left: Arc<AtomicBool>,
}

impl Typed {
    /// Reads from `input`, on a thread that waits for each line until it is asked for. It ends with the input, or with
    /// the program.
    pub fn from(input: impl Read + Send + 'static) -> Typed {
        let (typed, lines) = bounded(0);
        let read = move || {
            let mut input = BufReader::new(input);
            let mut line = String::new();
            while input.by_ref().take(LONGEST).read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                if typed.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        };
        let _without_it_there_are_no_lines = std::thread::Builder::new().name("typed".into()).spawn(read);
        Typed { lines, left: Arc::default() }
    }

    /// The next line; `None` when there is none to be had.
    pub fn line(&self) -> Option<String> {
        while !self.left.load(Ordering::Relaxed) {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_until_the_input_ends() {
        let typed = Typed::from("b\n\n7".as_bytes());
        let lines: Vec<String> = std::iter::from_fn(|| typed.line()).collect();
        assert_eq!(lines, ["b\n", "\n", "7"]);
    }

    #[test]
    fn a_line_without_an_end_is_given_in_parts() {
        let typed = Typed::from(std::io::repeat(b'x'));
        assert_eq!(typed.line().map(|line| line.len()), usize::try_from(LONGEST).ok());
    }

    #[test]
    fn who_has_left_waits_for_nothing() {
        let (silent, _open) = std::io::pipe().expect("a pipe");
        let typed = Typed::from(silent);
        typed.left.store(true, Ordering::Relaxed);
        assert_eq!(typed.line(), None);
    }
}
