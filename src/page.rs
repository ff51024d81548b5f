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

    /// What `randint(low, high)` gives next: each whole number from `low` to `high` is as likely as the next. The
    /// generator is asked for as few bits as can hold how many there are, again and again until what it gives is one.
    pub fn randint(&mut self, low: u32, high: u32) -> u32 {
        let many = u64::from(high.saturating_sub(low)) + 1;
        let bits = u64::BITS - many.leading_zeros();
        loop {
            let drawn = self.bits(bits);
            if drawn < many {
                return low + u32::try_from(drawn).expect("less than there are numbers up to high");
            }
        }
    }

    /// What `getrandbits(k)` gives next, with k from 1 to 64: whole outputs from the lowest bits up, the last one's
    /// upper bits.
    fn bits(&mut self, k: u32) -> u64 {
        match k.checked_sub(u32::BITS) {
            None | Some(0) => u64::from(self.generator.next_u32() >> (u32::BITS - k)),
            Some(more) => {
                let low = u64::from(self.generator.next_u32());
                low | u64::from(self.generator.next_u32() >> (u32::BITS - more)) << u32::BITS
            }
        }
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

    #[test]
    fn whole_numbers_are_drawn_as_cpython_draws_them() {
        let drawn = |seed, low, high| {
            let mut python = Cpython::new(seed);
            [0; 4].map(|_| python.randint(low, high))
        };
        // As Python 3 prints them.
        assert_eq!(drawn(17, 1, 2_000), [1_070, 849, 1_653, 622]);
        assert_eq!(drawn(17, 5, 12), [11, 9, 10, 9]);
        assert_eq!(drawn(1, 0, u32::MAX), [3_280_387_012, 1_095_513_148, 1_930_549_411, 2_798_570_523]);
        assert_eq!(drawn(3, 7, 7), [7; 4]);
    }

    #[test]
    fn a_number_that_was_drawn_in_vain_is_followed_by_another() {
        // 6 numbers take 3 bits, of whose 8 values 2 are drawn again.
        let mut python = Cpython::new(5);
        let mut seen = [0_u32; 6];
        (0..6_000).for_each(|_| seen[python.randint(10, 15) as usize - 10] += 1);
        // Each is binomial with mean 1,000 and deviation 29; five deviations.
        assert!(seen.iter().all(|n| (855..=1_145).contains(n)), "{seen:?}");
    }
}
