//! How long a job waits after a nack. A lease that ran out is no reason to wait: its job is ready at once.

use crate::policy::Backoff;
use crate::time::Span;

/// The most that jitter adds, as a part of the wait.
pub const JITTER: f64 = 0.2;

/// The wait after the `tries`th try (from 1) was nacked: min(cap, base x factor^(tries-1) x (1 + jitter)), where
/// `u` in [0, 1) is the drawn part of the greatest jitter. Never below the base, never above the cap.
pub fn wait(backoff: &Backoff, tries: u32, u: f64) -> Span {
    if backoff.base.is_zero() {
        return Span::ZERO;
    }
    let factor = f64::from(backoff.factor_milli) / 1_000.0;
    let growth = libm::pow(factor, f64::from(tries.saturating_sub(1)));
    let wanted = backoff.base.0 as f64 * growth * (1.0 + JITTER * u);
    // A float too great for the integer becomes the greatest integer, and so the cap.
    Span(wanted as u64).max(backoff.base).min(backoff.cap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn schedule(text: &str) -> Backoff {
        text.parse().expect("a backoff")
    }

    #[test]
    fn a_wait_doubles_from_one_second_to_thirty() {
        let seconds: Vec<f64> = (1..=7).map(|n| wait(&Backoff::default(), n, 0.0).as_seconds()).collect();
        assert_eq!(seconds, [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]);
        assert_eq!(wait(&Backoff::default(), 2, 0.5), Span::millis(2_200));
    }

    #[test]
    fn a_backoff_of_a_hundred_doublings_stays_at_its_cap() {
        for text in ["100ms,2,30s", "100ms,10,30s", "1h,10,2h"] {
            let backoff = schedule(text);
            let waits: Vec<Span> = (1..=100).map(|n| wait(&backoff, n, 0.9)).collect();
            assert!(waits.is_sorted(), "{text}: {waits:?}");
            assert!(waits.iter().all(|w| *w >= backoff.base), "{text}");
            assert_eq!((waits[40], waits[99]), (backoff.cap, backoff.cap), "{text}");
        }
        assert_eq!(wait(&schedule("1ns,1000,24h"), u32::MAX, 0.99), Span::seconds(24 * 3_600));
    }

    #[test]
    fn a_base_too_fine_for_a_float_is_still_the_least_wait() {
        let base = Span((1 << 53) + 1);
        assert_eq!(wait(&Backoff { base, factor_milli: 1_000, cap: Span(1 << 60) }, 1, 0.0), base);
    }

    #[test]
    fn a_base_of_zero_means_no_wait_however_often() {
        assert_eq!(wait(&schedule("0"), u32::MAX, 0.5), Span::ZERO);
    }

    proptest! {
        #[test]
        fn a_wait_lies_between_its_base_and_its_cap(
            base in 1_u64..=u64::MAX / 4, extra in 0_u64..=u64::MAX / 4, factor_milli in 1_000_u32..=1_000_000,
            tries in 0_u32.., u in 0.0..1.0_f64,
        ) {
            let backoff = Backoff { base: Span(base), factor_milli, cap: Span(base + extra) };
            let waited = wait(&backoff, tries, u);
            prop_assert!(waited >= backoff.base && waited <= backoff.cap);
        }

        #[test]
        fn jitter_lengthens_a_wait_by_a_fifth_at_most(tries in 1_u32..5, u in 0.0..1.0_f64) {
            let plain = wait(&Backoff::default(), tries, 0.0);
            let jittered = wait(&Backoff::default(), tries, u);
            prop_assert!(jittered >= plain && jittered.0 <= plain.scaled(6, 5).0);
        }
    }
}
