//! Where the page contradicts itself, or says more than it shows. None of this makes a claim fail.

use serde::Serialize;

use super::cases::Case;
use super::figures::{self, JOBS, LONGEST_DELAY};
use super::runs::Runs;
use crate::policy::Renewal;
use crate::text::count;

/// One of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The claim that it concerns.
    pub claim: u8,
    /// What the page says, what is measured here, and why.
    pub text: String,
}

/// What was found about the claims that `runs` could make.
pub fn findings(runs: &Runs) -> Vec<Finding> {
    let twice = |case| runs.of(case).map(|facts| facts.sql.duplicated);
    let found = [
        twice(Case::AckFirst).map(|_| (1, one_flag_for_two_instants())),
        twice(Case::Window { window: LONGEST_DELAY / 2, delay: LONGEST_DELAY }).map(|n| (4, half_a_window(n))),
        twice(Case::Window { window: 10_000, delay: 20_000 }).map(|n| (4, the_end_of_the_stream(n))),
        twice(Case::Window { window: 100, delay: LONGEST_DELAY }).map(|_| (4, first_in_first_out())),
        twice(Case::Lease { seconds: 300, renew: Renewal::Off }).map(|n| (8, a_draw(n))),
        twice(Case::Lease { seconds: 5, renew: Renewal::Double }).map(|n| (9, twice_the_lease(n))),
        twice(Case::Lease { seconds: 5, renew: Renewal::Third }).map(|_| (9, a_strict_third())),
    ];
    found.into_iter().flatten().map(|(claim, text)| Finding { claim, text }).collect()
}

fn one_flag_for_two_instants() -> String {
    "one flag, \"crashed\", stands for two instants: before the effect here, after it in block 2. On a real worker each \
     is a gap of its own, and a kill at a random instant mostly lands in the work, which costs one retry"
        .to_owned()
}

fn half_a_window(escaped: u64) -> String {
    let share = escaped as f64 * 100.0 / JOBS as f64;
    format!(
        "it says half a window leaks 1.5 %; {} of {} is {share:.2} %. The rule is crashes x (1 - window / longest delay)",
        count(escaped),
        count(JOBS)
    )
}

fn the_end_of_the_stream(escaped: u64) -> String {
    format!(
        "the rule knows no end of the stream, which brings the last jobs back early: at 10,000 of 20,000 it expects {:.0}, \
         and {escaped} escape",
        figures::expected_escapes(10_000, 20_000)
    )
}

fn first_in_first_out() -> String {
    "the window that it calls LRU forgets whichever id was recorded first, used since or not".to_owned()
}

fn a_draw(doubled: u64) -> String {
    format!("{doubled} at 300 s is a draw, not a law: {:.2} are expected", figures::expected_outlasting(300))
}

fn twice_the_lease(doubled: u64) -> String {
    format!(
        "it asserts True and measures nothing; \"renew at 2t\" doubles {} there, {} at 5 s here: only jobs that outlast \
         the lease come back, as without renewal",
        count(JOBS),
        count(doubled)
    )
}

fn a_strict_third() -> String {
    "\"renew at t/3 so two failures are survivable\" is off by a hair: the third beat of a strict third falls on the \
     deadline itself. Here three beats come within the lease, the third at 95 % of it"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_that_half_a_window_leaks_is_that_of_its_own_table() {
        // 195 of 20,000 are 0.975 %, which the page cuts to 0.97; 300, which a window of 500 leaks, are 1.5 %.
        assert!(half_a_window(195).contains("195 of 20,000 is 0.97 %"), "{}", half_a_window(195));
        assert!(half_a_window(300).contains("is 1.50 %"));
    }
}
