//! What is run: each block of the page as set-ups of the whole engine, all of them 20,000 jobs on eight workers.
//!
//! A crash of the page is a worker that dies in a named gap, and its delay a planned lease. Claims that need the same
//! run name the same case, so that it is made once.

use std::collections::BTreeSet;
use std::fmt;

use super::figures;
use crate::page;
use crate::policy::{AckOrder, Attempts, Dedup, DedupKey, Point, Renewal};
use crate::setup::{Driver, PAGE_JOBS, RedeliverAfter, Setup, Strike, Whom, Work};
use crate::text::count;
use crate::time::Span;

/// The seed of every run. Nothing that is claimed depends on it: who dies, and when, follows from lists.
const SEED: u64 = 13;
/// Workers of every run.
const WORKERS: u16 = 8;

/// One run that claims are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Case {
    /// Block 1: the ack comes before the work, and the worker dies behind it.
    AckFirst,
    /// Its try: so many of a thousand workers die, by a list of its own.
    AckFirstRate(u32),
    /// Block 2: the ack comes last, and the worker dies behind the effect.
    AckLast,
    /// Block 3: effect and key in one transaction, with a key of this kind; the worker dies behind the commit.
    KeyAtTheSink(DedupKey),
    /// Block 4: the sink remembers so many ids, and the worker dies behind the commit; its job comes back up to
    /// `delay` jobs later.
    Window {
        /// The ids that are remembered.
        window: u32,
        /// The longest delay, in jobs.
        delay: u32,
    },
    /// Block 5: the effect, then the key; the worker dies between them.
    EffectThenKey,
    /// Block 5: the key, then the effect; the worker dies between them.
    KeyThenEffect,
    /// Block 5: both in one transaction; the worker dies between them.
    OneTransaction,
    /// Block 6: nobody dies and nothing is recognised; work takes its time under a lease of so many seconds.
    Lease {
        /// The lease.
        seconds: u32,
        /// How it is renewed.
        renew: Renewal,
    },
}

impl Case {
    /// The block of the page that it is from.
    pub fn block(self) -> u8 {
        match self {
            Case::AckFirst | Case::AckFirstRate(_) => 1,
            Case::AckLast => 2,
            Case::KeyAtTheSink(_) => 3,
            Case::Window { .. } => 4,
            Case::EffectThenKey | Case::KeyThenEffect | Case::OneTransaction => 5,
            Case::Lease { .. } => 6,
        }
    }

    /// True for what only virtual time can make exact: it depends on when things happen, and not only on their order
    /// within each job.
    pub fn needs_virtual_time(self) -> bool {
        matches!(self, Case::Window { .. } | Case::Lease { .. })
    }

    /// The set-up, for `driver`.
    pub fn setup(self, driver: Driver) -> Setup {
        let mut setup = Setup::headless(SEED);
        setup.driver = driver;
        setup.workers = WORKERS;
        setup.workload.jobs = Some(PAGE_JOBS);
        setup.policy.ack = if self.acks_first() { AckOrder::Before } else { AckOrder::After };
        setup.policy.dedup = self.dedup();
        setup.crash.extend(self.dies_after().map(|at| Strike { whom: self.who_dies(), at }));
        match self {
            Case::KeyAtTheSink(key) => setup.policy.key = key,
            Case::Window { delay, .. } => {
                setup.workload.rate = Some(1.0);
                let jobs = (1, delay);
                setup.workload.redeliver_after = Some(RedeliverAfter { jobs, seed: figures::DELAY_SEED });
            }
            Case::Lease { seconds, renew } => {
                setup.workload.work = Work::Page;
                setup.policy.lease = Span::seconds(seconds.into());
                setup.policy.renew = renew;
                setup.policy.attempts = Attempts::Limit(2);
            }
            _ => {}
        }
        setup
    }

    fn acks_first(self) -> bool {
        self.block() == 1
    }

    fn dedup(self) -> Dedup {
        match self {
            Case::AckFirst | Case::AckFirstRate(_) | Case::AckLast | Case::Lease { .. } => Dedup::None,
            Case::KeyAtTheSink(_) | Case::OneTransaction => Dedup::Transactional,
            Case::Window { window, .. } => Dedup::Window(window),
            Case::EffectThenKey => Dedup::EffectThenKey,
            Case::KeyThenEffect => Dedup::KeyThenEffect,
        }
    }

    fn dies_after(self) -> Option<Point> {
        Some(match self {
            Case::AckFirst | Case::AckFirstRate(_) => Point::Ack,
            Case::AckLast | Case::EffectThenKey | Case::OneTransaction => Point::Effect,
            Case::KeyAtTheSink(_) | Case::Window { .. } => Point::Commit,
            Case::KeyThenEffect => Point::Key,
            Case::Lease { .. } => return None,
        })
    }

    fn who_dies(self) -> Whom {
        match self {
            Case::AckFirstRate(_) => Whom::Ids(self.victims()),
            _ => Whom::Page,
        }
    }

    /// The jobs whose worker dies.
    pub fn victims(self) -> BTreeSet<u32> {
        match self {
            Case::AckFirstRate(of_a_thousand) => {
                (0..PAGE_JOBS).filter(|id| u64::from(*id) * 7_919 % 100_000 < u64::from(of_a_thousand) * 100).collect()
            }
            Case::Lease { .. } => BTreeSet::new(),
            _ => page::crashes().clone(),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Case::AckFirst => f.write_str("ack first"),
            Case::AckFirstRate(rate) => write!(f, "ack first, {} % die", f64::from(*rate) / 10.0),
            Case::AckLast => f.write_str("ack last"),
            Case::KeyAtTheSink(key) => write!(f, "a key at the sink, made of {key}"),
            Case::Window { window, delay } => {
                write!(f, "window {}, back within {}", count(u64::from(*window)), count(u64::from(*delay)))
            }
            Case::EffectThenKey => f.write_str("effect, then key"),
            Case::KeyThenEffect => f.write_str("key, then effect"),
            Case::OneTransaction => f.write_str("one transaction"),
            Case::Lease { seconds, renew: Renewal::Off } => write!(f, "lease {seconds} s, not renewed"),
            Case::Lease { seconds, renew } => write!(f, "lease {seconds} s, renewed {renew}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_of_the_try_have_as_many_jobs_as_the_page_lost() {
        for (rate, [lost, ..]) in figures::ACK_FIRST_TRY {
            assert_eq!(Case::AckFirstRate(rate).victims().len() as u64, lost, "{rate} of a thousand");
        }
    }

    #[test]
    fn what_is_planned_can_be_kept() {
        let setup = Case::Window { window: 1_000, delay: 2_000 }.setup(Driver::Simulation);
        assert_eq!(setup.cannot_redeliver(), None);
        assert!(setup.workload.redeliver_after.is_some());
    }
}
