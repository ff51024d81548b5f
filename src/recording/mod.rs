//! Recordings: the events of a run in a file, one a line, written while it goes on and folded again later.
//!
//! The first line says what was run, and with which program; then come the events, as JSON; the last line closes the
//! recording with the counters and the verdict that the run came to, so that whoever replays it can check. The SHA-256
//! of the event lines is the digest of the log.
//!
//! In reading order: [`mod@line`] is what a line can be; a [`Writer`] takes events and writes on a thread of its own, never
//! in the way of whoever hands them over; a [`Reader`] reads a file of any length, line by line, and says where it is
//! damaged; what it comes to as a whole is [`Folded`]; a [`Player`] shows any moment of a recording; a [`Shelf`] is a
//! folder that keeps so many of them. Where that is, and what recordings look like on a screen, is left to others.

mod folded;
pub mod line;
mod name;
mod player;
mod reader;
mod shelf;
mod writer;

pub use folded::{Folded, open};
pub use line::{Closing, Header};
pub use player::{Place, Player};
pub use reader::{Damage, Entry, Reader};
pub use shelf::{Shelf, Summary};
pub use writer::Writer;
