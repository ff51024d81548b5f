//! The page's figures, with the block that each comes from: what it prints, whether or not it is right.
//!
//! Nothing here was measured. Whoever judges a run reads these, and nobody else writes them.

use crate::page::Cpython;
use crate::policy::DedupKey;

/// The page's jobs.
pub const JOBS: u64 = crate::setup::PAGE_JOBS as u64;
/// The jobs of them whose worker dies.
pub const CRASHES: u64 = 398;

/// Block 1, ack before the work: lost, once, twice.
pub const ACK_FIRST: [u64; 3] = [CRASHES, 19_602, 0];
/// Block 1, try it yourself: of a thousand workers so many die; lost, twice, errors.
pub const ACK_FIRST_TRY: [(u32, [u64; 3]); 4] =
    [(1, [23, 0, 0]), (10, [204, 0, 0]), (50, [1_001, 0, 0]), (200, [4_003, 0, 0])];

/// Block 2, ack after the work: lost, once, twice.
pub const ACK_LAST: [u64; 3] = [0, 19_602, CRASHES];

/// Block 3, a key at the sink: lost, once, twice.
pub const KEY_AT_THE_SINK: [u64; 3] = [0, 20_000, 0];
/// Block 3: how many messages it says are still delivered twice, and are no-ops the second time.
pub const RECOGNISED: u64 = CRASHES;
/// Block 3, try it yourself: what the key is made of, and the duplicates.
pub const KEY_TRY: [(DedupKey, u64); 3] =
    [(DedupKey::Job, 0), (DedupKey::Attempt, CRASHES), (DedupKey::Random, CRASHES)];

/// Block 4: the longest distance after which a job is redelivered, in jobs.
pub const LONGEST_DELAY: u32 = 2_000;
/// Block 4: the window, and the duplicates that escaped it.
pub const WINDOWS: [(u32, u64); 6] = [(100, 380), (500, 300), (1_000, 195), (1_500, 104), (2_000, 0), (5_000, 0)];
/// Block 4, try it yourself: the longest delay, and for each window what escaped.
pub const WINDOWS_TRY: [(u32, [(u32, u64); 3]); 4] = [
    (200, [(500, 0), (2_000, 0), (10_000, 0)]),
    (1_000, [(500, 198), (2_000, 0), (10_000, 0)]),
    (5_000, [(500, 357), (2_000, 231), (10_000, 0)]),
    (20_000, [(500, 383), (2_000, 333), (10_000, 110)]),
];
/// Block 4: the seed of the distances.
pub const DELAY_SEED: u32 = 17;

/// Block 5: applied twice with effect and key in two writes, and in one transaction.
pub const TWO_WRITES: (u64, u64) = (CRASHES, 0);
/// Block 5, try it yourself, lost and twice: key then effect; effect then key; one transaction.
pub const ORDERS_TRY: [[u64; 2]; 3] = [[CRASHES, 0], [0, CRASHES], [0, 0]];

/// Block 6: a lease in seconds, and the jobs applied twice without renewal and with renewal at a third of it; from its
/// try, with renewal at twice the lease.
pub const LEASES: [(u32, u64, u64, u64); 5] =
    [(5, 2_448, 0, 20_000), (15, 715, 0, 20_000), (30, 499, 0, 20_000), (60, 233, 0, 20_000), (300, 0, 0, 20_000)];

/// The assembly, lost, once, twice: at-most-once; at-least-once; dedup outside the transaction; dedup inside it.
pub const ASSEMBLY: [[u64; 3]; 4] = [ACK_FIRST, ACK_LAST, ACK_LAST, KEY_AT_THE_SINK];

/// What a window of `window` ids is expected to let through when redelivery comes up to `delay` jobs later: the crashes
/// times the share of delays that are longer than the window.
pub fn expected_escapes(window: u32, delay: u32) -> f64 {
    CRASHES as f64 * (1.0 - f64::from(window) / f64::from(delay)).max(0.0)
}

/// How many jobs are expected to outlast a lease of `seconds`: of the work times 95 % have a mean of 2 s and 5 % one of
/// 40 s, both exponential.
pub fn expected_outlasting(seconds: u32) -> f64 {
    let longer = |mean: f64| libm::exp(-f64::from(seconds) / mean);
    JOBS as f64 * (0.95 * longer(2.0) + 0.05 * longer(40.0))
}

/// The page's work times in seconds, in order of id: drawn here once more, so that who outlasts a lease is known
/// without asking whoever ran it.
pub fn work_times() -> impl Iterator<Item = f64> {
    let mut python = Cpython::new(31);
    (0..JOBS).map(move |_| {
        let mean = if python.random() > 0.05 { 2.0 } else { 40.0 };
        python.exponential(1.0 / mean)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_give_what_arithmetic_gives() {
        // 398 x 0.95, x 0.75, x 0.5, x 0.25, and nothing from the longest delay on.
        let escapes = [100, 500, 1_000, 1_500, 2_000, 5_000].map(|window| expected_escapes(window, 2_000));
        let by_hand = [378.1, 298.5, 199.0, 99.5, 0.0, 0.0];
        assert!(escapes.iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 1e-9), "{escapes:?}");
        // 19,000 e^(-T/2) + 1,000 e^(-T/40); at 5 s 1,559.6 + 882.5, at 300 s only the second counts.
        let outlasting = [5, 15, 30, 60, 300].map(expected_outlasting);
        let by_hand = [2_442.1, 697.8, 472.4, 223.1, 0.55];
        assert!(outlasting.iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 0.05), "{outlasting:?}");
    }

    #[test]
    fn the_work_times_are_those_that_the_page_counted() {
        let works: Vec<f64> = work_times().collect();
        for (lease, without, ..) in LEASES {
            assert_eq!(
                works.iter().filter(|work| **work > f64::from(lease)).count() as u64,
                without,
                "lease {lease} s"
            );
        }
    }
}
