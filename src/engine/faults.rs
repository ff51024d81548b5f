//! What is wrong with one worker's slot, and what that does to its work. Pure state; the driver acts on it.
//!
//! Faults stay distinct because merging two loses a lesson: a stall stops renewals only, a hang stops work only, a
//! pause stops both, and a cut stops messages.

use std::collections::BTreeMap;

use crate::event::{By, Fault};
use crate::policy::Point;
use crate::time::{Instant, Span};

/// One fault in force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InForce {
    /// How many times slower, for a slow worker; 1 for the rest.
    pub factor: f64,
    /// When it heals by itself.
    pub until: Option<Instant>,
}

/// The faults of one slot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    in_force: BTreeMap<Fault, InForce>,
    /// The point at which the worker will die, and who armed it.
    pub armed: Option<(Point, By)>,
}

impl Faults {
    /// Puts a fault in force, or gives one that is in force a new end.
    pub fn begin(&mut self, fault: Fault, factor: f64, until: Option<Instant>) {
        self.in_force.insert(fault, InForce { factor, until });
    }

    /// Ends a fault; false when it was not in force.
    pub fn heal(&mut self, fault: Fault) -> bool {
        self.in_force.remove(&fault).is_some()
    }

    /// True while the fault is in force.
    pub fn has(&self, fault: Fault) -> bool {
        !self.in_force.is_empty() && self.in_force.contains_key(&fault)
    }

    /// The faults in force, in a fixed order.
    pub fn all(&self) -> Vec<Fault> {
        self.in_force.keys().copied().collect()
    }

    /// The earliest moment at which a fault heals by itself.
    pub fn next_end(&self) -> Option<Instant> {
        self.in_force.values().filter_map(|fault| fault.until).min()
    }

    /// Ends the faults that are over at `now` and names them.
    pub fn end_due(&mut self, now: Instant) -> Vec<Fault> {
        self.take(|_, fault| fault.until.is_some_and(|until| until <= now))
    }

    /// Ends what dies with the process: a dead worker is neither asleep nor slow. Cut links stay cut.
    pub fn bury(&mut self) -> Vec<Fault> {
        self.take(|what, _| matches!(what, Fault::Stall | Fault::Pause | Fault::Hang | Fault::Slow))
    }

    fn take(&mut self, over: impl Fn(Fault, InForce) -> bool) -> Vec<Fault> {
        if self.in_force.is_empty() {
            return Vec::new();
        }
        let ended: Vec<Fault> = self.in_force.iter().filter(|(f, i)| over(**f, **i)).map(|(f, _)| *f).collect();
        ended.iter().for_each(|fault| {
            self.in_force.remove(fault);
        });
        ended
    }

    /// How fast work goes: 0 while asleep or hung, 1/n while slow, else 1.
    pub fn pace(&self) -> f64 {
        if self.in_force.is_empty() {
            1.0
        } else if self.has(Fault::Pause) || self.has(Fault::Hang) {
            0.0
        } else {
            self.in_force.get(&Fault::Slow).map_or(1.0, |slow| 1.0 / slow.factor)
        }
    }
}

/// Work under way: how much is done, at a pace that faults change.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    left: Span,
    at: Instant,
    pace: f64,
}

impl Progress {
    /// Work of length `span` that begins at `now` at full pace.
    pub fn new(span: Span, now: Instant) -> Progress {
        Progress { left: span, at: now, pace: 1.0 }
    }

    /// Lets time pass up to `now` and goes on at `pace`. Time is credited only when the pace changes or the end has come:
    /// a pace that no float holds exactly loses a little with each credit, so whoever looked often enough would put the
    /// end off for ever.
    pub fn advance(&mut self, now: Instant, pace: f64) {
        let over = self.ends().is_some_and(|end| end <= now);
        if pace == self.pace && !over {
            return;
        }
        let elapsed = now.since(self.at);
        let done = match over {
            true => self.left,
            false => Span((elapsed.0 as f64 * self.pace) as u64),
        };
        self.left = self.left.saturating_sub(done);
        self.at = now;
        self.pace = pace;
    }

    /// True when nothing is left to do.
    pub fn done(&self) -> bool {
        self.left.is_zero()
    }

    /// When the work will be done at the pace in force; `None` while it stands.
    pub fn ends(&self) -> Option<Instant> {
        if self.pace == 1.0 {
            Some(self.at + self.left)
        } else if self.pace > 0.0 {
            Some(self.at + Span((self.left.0 as f64 / self.pace).ceil() as u64))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::START + Span::seconds(seconds)
    }

    #[test]
    fn slow_work_takes_n_times_as_long_and_sleep_stops_it() {
        let mut faults = Faults::default();
        let mut work = Progress::new(Span::seconds(4), at(0));
        faults.begin(Fault::Slow, 4.0, None);
        work.advance(at(1), faults.pace());
        assert_eq!(work.ends(), Some(at(13)), "1 s is done, the other 3 take 12");
        faults.begin(Fault::Pause, 1.0, None);
        work.advance(at(5), faults.pace());
        assert_eq!(work.ends(), None, "asleep");
        faults.heal(Fault::Pause);
        faults.heal(Fault::Slow);
        work.advance(at(100), faults.pace());
        assert_eq!(work.ends(), Some(at(102)), "2 s were left and none were done asleep");
        work.advance(at(102), 1.0);
        assert!(work.done());
    }

    #[test]
    fn work_ends_when_it_says_however_often_somebody_looks() {
        for factor in 2..=1_000 {
            let pace = 1.0 / f64::from(factor);
            let mut work = Progress::new(Span::seconds(23), at(0));
            work.advance(at(0), pace);
            let end = work.ends().expect("it goes on");
            for before in (0..20).rev() {
                work.advance(end - Span(before), pace);
            }
            assert!(work.done(), "{factor} times as slow, {work:?} is left at {end:?}");
        }
    }

    #[test]
    fn a_timed_fault_heals_at_its_end_and_death_heals_what_dies_with_the_process() {
        let mut faults = Faults::default();
        faults.begin(Fault::Stall, 1.0, Some(at(5)));
        faults.begin(Fault::CutQueue, 1.0, None);
        faults.begin(Fault::Hang, 1.0, None);
        assert_eq!(faults.next_end(), Some(at(5)));
        assert_eq!(faults.end_due(at(4)), []);
        assert_eq!(faults.end_due(at(5)), [Fault::Stall]);
        assert_eq!(faults.bury(), [Fault::Hang]);
        assert_eq!(faults.all(), [Fault::CutQueue]);
    }
}
