//! How often something happened, in buckets of equal width over the latest stretch of lab time.

use std::collections::VecDeque;

use crate::time::{Instant, Span};

/// Counts in the latest buckets; older ones are forgotten.
#[derive(Clone, Debug)]
pub(super) struct Series {
    width: u64,
    most: usize,
    /// The number of the newest bucket.
    newest: u64,
    counts: VecDeque<u32>,
}

impl Series {
    /// Buckets of `width`, at most `most` of them.
    pub fn new(width: Span, most: usize) -> Series {
        Series { width: width.0.max(1), most, newest: 0, counts: VecDeque::new() }
    }

    /// One more at `at`, which is not before the last one.
    pub fn add(&mut self, at: Instant) {
        let bucket = at.0 / self.width;
        if self.counts.is_empty() || bucket >= self.newest.saturating_add(self.most as u64) {
            self.counts.clear();
            self.counts.push_back(0);
            self.newest = bucket;
        }
        while self.newest < bucket {
            self.newest += 1;
            self.counts.push_back(0);
            if self.counts.len() > self.most {
                self.counts.pop_front();
            }
        }
        if let Some(count) = self.counts.back_mut() {
            *count = count.saturating_add(1);
        }
    }

    fn count(&self, bucket: u64) -> u32 {
        let age = self.newest.checked_sub(bucket).and_then(|age| usize::try_from(age).ok());
        age.and_then(|age| self.counts.len().checked_sub(age + 1)).map_or(0, |index| self.counts[index])
    }

    /// The last `n` buckets up to the one that holds `now`, oldest first; what lies before the start is 0.
    pub fn last(&self, n: usize, now: Instant) -> Vec<u32> {
        let newest = now.0 / self.width;
        (0..n as u64).rev().map(|age| newest.checked_sub(age).map_or(0, |bucket| self.count(bucket))).collect()
    }

    /// How many there were in the last `n` buckets up to the one that holds `now`.
    pub fn sum(&self, n: usize, now: Instant) -> u64 {
        self.last(n, now).into_iter().map(u64::from).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_counts_in_seconds_and_forgets_what_is_old() {
        let mut series = Series::new(Span::seconds(1), 3);
        for tenth in [0, 9, 10, 25] {
            series.add(Instant(tenth * 100_000_000));
        }
        assert_eq!(series.last(4, Instant(2_900_000_000)), [0, 2, 1, 1]);
        assert_eq!(series.last(2, Instant(3_000_000_000)), [1, 0]);
        series.add(Instant(3_500_000_000));
        assert_eq!(series.last(4, Instant(3_900_000_000)), [0, 1, 1, 1], "the first second is forgotten");
        series.add(Instant(u64::MAX));
        assert_eq!(series.sum(3, Instant(u64::MAX)), 1);
    }
}
