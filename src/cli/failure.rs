//! Why a command ends without a result of its own, and how that and other text reaches stdout and stderr.
//!
//! Whoever reads stdout may go away, which is no error, or the disk behind it may be full, which is one. Neither may
//! end in a panic, so nothing here prints through the macros that do.

use std::io::{self, Write};

use super::outcome::{Outcome, Signal};
use crate::text::clean_lines;

/// Why a command ends early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command line is wrong, a text for each mistake. Exit code 2.
    #[error("{}", .0.join("\n"))]
    Usage(Vec<String>),
    /// Files, locks, the disk, the terminal. Exit code 4.
    #[error("{0:#}")]
    Runtime(#[from] anyhow::Error),
    /// A signal ended it before there was a result. Exit code 129, 130 or 143.
    #[error("{}", Outcome::signalled(*.0).reason)]
    Signalled(Signal),
    /// Nobody reads stdout any more. Exit code 0, and not a word.
    #[error("stdout is closed")]
    ClosedPipe,
}

impl Failure {
    /// A failure to write to stdout: a closed pipe is quiet, all else is not.
    pub fn stdout(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Runtime(anyhow::Error::new(error).context("cannot write to stdout")),
        }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::ClosedPipe => 0,
            Failure::Usage(_) => 2,
            Failure::Runtime(_) => 4,
            Failure::Signalled(signal) => signal.code(),
        }
    }

    /// Says it on stderr, unless there is nothing to say.
    pub fn tell(&self) {
        match self {
            Failure::Usage(mistakes) => mistakes.iter().for_each(|mistake| complain(&format!("error: {mistake}\n"))),
            Failure::Runtime(_) => complain(&format!("error: {self}\n")),
            Failure::Signalled(_) => complain(&format!("{self}\n")),
            Failure::ClosedPipe => {}
        }
    }
}

/// Writes `text` to stdout and makes sure that it has arrived.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(Failure::stdout)
}

/// Writes `text`, cleaned, to stderr. If that is closed too there is nobody left to tell.
pub fn complain(text: &str) {
    let _nobody_is_left_to_tell = io::stderr().lock().write_all(clean_lines(text).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_no_failure_and_a_full_disk_is_one() {
        assert_eq!(Failure::stdout(io::ErrorKind::BrokenPipe.into()).code(), 0);
        let full = Failure::stdout(io::ErrorKind::StorageFull.into());
        assert_eq!(full.code(), 4);
        assert!(full.to_string().starts_with("cannot write to stdout: "), "{full}");
    }
}
