//! The hands-on page's own randomness: CPython's generator, and the list of jobs whose worker dies.
//!
//! Whoever strikes with the list and whoever checks that it struck read the same one.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use rand_mt::Mt;

use crate::setup::PAGE_JOBS;

/// Python's `random.Random`: the Mersenne Twister.
#[derive(Clone, Debug)]
pub struct Cpython {
    generator: Mt,
}

impl Cpython {
    /// The generator that `random.Random(seed)` gives.
    pub fn new(seed: u32) -> Cpython {
        Cpython { generator: Mt::new_with_key([seed]) }
    }

    /// What `random()` gives next: 53 bits from two outputs, in [0, 1).
    pub fn random(&mut self) -> f64 {
        let high = f64::from(self.generator.next_u32() >> 5);
        let low = f64::from(self.generator.next_u32() >> 6);
        (high * (1_u64 << 26) as f64 + low) / (1_u64 << 53) as f64
    }

    /// What `expovariate(rate)` gives next.
    pub fn exponential(&mut self, rate: f64) -> f64 {
        -libm::log(1.0 - self.random()) / rate
    }
}

/// The jobs of the page's stream whose worker dies: 2 % of 20,000, drawn by `random.Random(13)` in order of id.
pub fn crashes() -> &'static BTreeSet<u32> {
    static CRASHES: OnceLock<BTreeSet<u32>> = OnceLock::new();
    CRASHES.get_or_init(|| {
        let mut page = Cpython::new(13);
        (0..PAGE_JOBS).filter(|_| page.random() < 0.02).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_crashes_398_jobs_and_these_are_the_first() {
        let crashes = crashes();
        assert_eq!(crashes.len(), 398);
        let first: Vec<u32> = crashes.iter().copied().take(10).collect();
        assert_eq!(first, [16, 102, 112, 139, 168, 217, 266, 336, 383, 392]);
        assert!(crashes.iter().all(|id| *id < PAGE_JOBS));
    }
}
