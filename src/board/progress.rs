//! How far the work of a delivery has come: work time done, standing while the worker rests, at a fraction while slow.

use crate::time::{Instant, Span};

/// The work of one delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Progress {
    total: Span,
    done: f64,
    /// When the present pace began; `None` while nobody is at the work.
    since: Option<Instant>,
    pace: f64,
}

impl Progress {
    /// Work of this length that has not begun.
    pub fn of(total: Span) -> Progress {
        Progress { total, done: 0.0, since: None, pace: 1.0 }
    }

    /// The work begins, at this pace: 1 is full, 0 stands.
    pub fn begin(&mut self, at: Instant, pace: f64) {
        self.since = Some(at);
        self.pace = pace;
    }

    /// The pace changes, if somebody is at the work.
    pub fn set_pace(&mut self, at: Instant, pace: f64) {
        if self.since.is_some() {
            self.done = self.nanos(at);
            self.begin(at, pace);
        }
    }

    /// Nobody is at the work any more.
    pub fn stop(&mut self, at: Instant) {
        self.done = self.nanos(at);
        self.since = None;
    }

    fn nanos(&self, now: Instant) -> f64 {
        self.done + self.since.map_or(0.0, |since| now.since(since).0 as f64 * self.pace)
    }

    /// The part that is done at `now`, 0 to 1; work that takes no time is done at once.
    pub fn part(&self, now: Instant) -> f64 {
        if self.total.is_zero() { 1.0 } else { (self.nanos(now) / self.total.0 as f64).clamp(0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::START + Span::seconds(seconds)
    }

    #[test]
    fn work_stands_during_a_rest_and_goes_at_a_quarter_while_slowed_four_times() {
        let mut work = Progress::of(Span::seconds(10));
        work.begin(at(0), 1.0);
        assert_eq!(work.part(at(2)), 0.2);
        work.set_pace(at(2), 0.0);
        assert_eq!(work.part(at(9)), 0.2);
        work.set_pace(at(9), 0.25);
        assert_eq!(work.part(at(13)), 0.3);
        work.stop(at(13));
        assert_eq!(work.part(at(99)), 0.3);
    }

    #[test]
    fn work_is_never_more_than_done() {
        let mut work = Progress::of(Span::seconds(1));
        work.begin(at(0), 1.0);
        assert_eq!(work.part(at(5)), 1.0);
        assert_eq!(Progress::of(Span::ZERO).part(at(0)), 1.0);
    }
}
