//! Deliberate faults in the mechanism, so that tests can show that a claim which rests on it is able to fail.
//!
//! Each stands at its real place, where the mechanism asks whether it strikes. Outside this crate's own tests the answer
//! is a constant no, and nothing is left of the question. In a test one flaw at most strikes, and only on the thread that
//! asked for it.

/// A fault in the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// An ack before the work does not release the lease.
    EarlyAckKeepsTheLease,
    /// A lease that runs out settles its job.
    ExpirySettles,
    /// A key that is kept for good is looked for and never found.
    KeyNeverFound,
    /// A full window forgets the id that it was just told, instead of the oldest.
    WindowForgetsTheNewest,
    /// A window holds half of what it should.
    WindowHoldsHalf,
    /// A window forgets nothing.
    WindowForgetsNothing,
    /// Effect and key of two writes are committed in one transaction.
    TwoWritesAreOne,
    /// The effect of a bracket is committed before its key.
    BracketIsTwoWrites,
    /// A lease does not run out while its worker still works.
    WorkKeepsTheLease,
    /// A lease lasts half as long as it should.
    LeaseLastsHalf,
    /// A renewal is accepted and moves no deadline.
    RenewalIsIgnored,
}

/// Whether the mechanism has this flaw.
#[cfg(not(test))]
pub(crate) const fn strikes(_: Flaw) -> bool {
    false
}

#[cfg(test)]
pub(crate) use of_this_thread::{strikes, with};

#[cfg(test)]
mod of_this_thread {
    use std::cell::Cell;

    use super::Flaw;

    thread_local! {
        static FLAW: Cell<Option<Flaw>> = const { Cell::new(None) };
    }

    /// Whether this flaw strikes on this thread.
    pub(crate) fn strikes(flaw: Flaw) -> bool {
        FLAW.get() == Some(flaw)
    }

    /// Does something while `flaw` strikes on this thread.
    pub(crate) fn with<T>(flaw: Flaw, act: impl FnOnce() -> T) -> T {
        FLAW.set(Some(flaw));
        let result = act();
        FLAW.set(None);
        result
    }
}
