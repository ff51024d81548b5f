//! The numbers that name things. A bare integer never stands for one of them.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty), $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id!(
    /// A job, numbered from 0 in the order of enqueueing.
    Job(u32), ""
);
id!(
    /// The receipt of one delivery; it grows with every delivery of the whole queue and is the fencing token at the sink.
    Token(u64), ""
);
id!(
    /// A worker's slot, numbered from 1. A respawned worker keeps its slot and gets a new generation.
    Worker(u16), "w"
);
id!(
    /// An ordering key: the job's id modulo the number of keys.
    OrderKey(u32), ""
);
id!(
    /// A row of the effects table, as SQLite numbered it.
    Row(i64), ""
);

impl Worker {
    /// The place of this worker's slot in a list of slots.
    pub fn index(self) -> usize {
        usize::from(self.0) - 1
    }

    /// The worker of the slot at `index`.
    pub fn at(index: usize) -> Worker {
        Worker(u16::try_from(index + 1).expect("at most 256 workers"))
    }
}
