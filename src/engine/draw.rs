//! Random decisions. Each is a function of the seed, the job, the attempt, its purpose and a number within the
//! delivery, so that the same job meets the same fate whichever thread has it and in whatever order threads run.
//!
//! ChaCha8 makes them, with a stream a job. Only the hands-on page's own figures come from [`crate::page`].

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a draw decides. Each purpose has draws of its own, so that one more draw for one never moves another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Whether a crash rate strikes; `n` is its place in the set-up's list.
    Crash = 0,
    /// Whether a failure rate strikes; `n` is its place in the set-up's list.
    Fail = 1,
    /// How long a job takes; attempt 0, since every attempt takes as long.
    Work = 2,
    /// The jitter of the wait after a nack.
    Backoff = 3,
    /// Whether the delivery's `n`th renewal is lost.
    LoseBeat = 4,
    /// Whether the delivery's `n`th ack is lost.
    LoseAck = 5,
    /// Whether the delivery's `n`th answer of the sink is lost.
    LoseReply = 6,
    /// A random dedup key.
    Key = 7,
    /// Which jobs are poisonous; `n` counts them.
    Poison = 8,
    /// Whom `random` means; the job is the number of the action.
    KillRandom = 9,
}

/// Bits of a block's number that hold `n`.
const N_BITS: u32 = 32;
/// Bits that hold the attempt. No run comes near 2^28 attempts at one job; were one to, its draws would repeat.
const ATTEMPT_BITS: u32 = 28;
/// 32-bit words in one block of ChaCha.
const BLOCK_WORDS: u128 = 16;

/// 64 random bits.
pub fn bits(seed: u64, job: u64, attempt: u32, purpose: Purpose, n: u32) -> u64 {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(job);
    let attempt = u64::from(attempt) & ((1 << ATTEMPT_BITS) - 1);
    let block = ((purpose as u64) << (ATTEMPT_BITS + N_BITS)) | (attempt << N_BITS) | u64::from(n);
    rng.set_word_pos(u128::from(block) * BLOCK_WORDS);
    rng.next_u64()
}

/// A number in [0, 1), every multiple of 2^-53 as likely as the next.
pub fn unit(seed: u64, job: u64, attempt: u32, purpose: Purpose, n: u32) -> f64 {
    (bits(seed, job, attempt, purpose, n) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_depends_on_each_of_its_five_names_and_on_nothing_else() {
        let drawn = bits(7, 42, 2, Purpose::Crash, 1);
        assert_eq!(bits(7, 42, 2, Purpose::Crash, 1), drawn);
        for other in [
            bits(8, 42, 2, Purpose::Crash, 1),
            bits(7, 43, 2, Purpose::Crash, 1),
            bits(7, 42, 3, Purpose::Crash, 1),
            bits(7, 42, 2, Purpose::Fail, 1),
            bits(7, 42, 2, Purpose::Crash, 2),
        ] {
            assert_ne!(other, drawn);
        }
    }

    #[test]
    fn draws_are_spread_evenly_over_zero_to_one() {
        let drawn: Vec<f64> = (0..20_000).map(|job| unit(1, job, 1, Purpose::Crash, 0)).collect();
        assert!(drawn.iter().all(|u| (0.0..1.0).contains(u)));
        for tenth in 0..10 {
            let low = f64::from(tenth) / 10.0;
            let share = drawn.iter().filter(|u| (low..low + 0.1).contains(u)).count();
            // Binomial with mean 2,000 and deviation 42; five deviations.
            assert!((1_788..=2_212).contains(&share), "{share} of 20,000 from {low} on");
        }
    }

    #[test]
    fn the_generator_is_chacha_with_eight_rounds() {
        // The first block of the published test vector for a zero key and a zero nonce begins 3e 00 ef 2f 89 5f 40 d6.
        assert_eq!(bits(0, 0, 0, Purpose::Crash, 0), u64::from_le_bytes([0x3e, 0, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6]));
    }
}
