//! When a run in virtual time is given up because it would go on for ever.
//!
//! An honest run does a lot at one moment too: a million jobs without work are all done at the moment of their arrival.
//! But each of its jobs is handed out once, or again until its tries are used up, and then settled. So the turns between
//! one job that arrives or is settled and the next are bounded. More of them at one moment are a livelock: a job, say,
//! that always fails, is tried without end and never waits. Many more of them while time passes are a run that has no
//! end: a job that kills every worker and is tried without end.

use crate::policy::Attempts;
use crate::time::Instant;

/// Turns that nobody has to account for.
const FREE: u64 = 200_000;
/// A delivery takes at most about this many turns.
const OF_A_DELIVERY: u64 = 16;
/// How many times as many turns may be taken while time passes.
const PATIENCE: u64 = 5;
/// The count of jobs is looked at this often, in turns.
const LOOK_EVERY: u64 = 4_096;

/// How far a run has come, as far as coming to an end is concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// Jobs that have arrived.
    pub(super) enqueued: u64,
    /// Jobs that are done or dead.
    pub(super) settled: u64,
}

/// Why a run is given up, in words for whoever made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GivenUp {
    /// Time does not pass.
    Livelock(String),
    /// Time passes, and nothing comes of it.
    Endless(String),
}

/// Counts turns that nothing comes of.
#[derive(Clone, Debug, Default)]
pub(super) struct Patience {
    turns: u64,
    now: Instant,
    /// The turns before this moment.
    before_now: u64,
    progress: Progress,
    /// The turns when it was last seen that something came of them, and when that was.
    before_progress: u64,
    progress_at: Instant,
}

impl Patience {
    /// Counts a turn at `now`. True when it is time to [look](Patience::look).
    pub(super) fn turn(&mut self, now: Instant) -> bool {
        if now > self.now {
            (self.now, self.before_now) = (now, self.turns);
        }
        self.turns += 1;
        self.turns.is_multiple_of(LOOK_EVERY)
    }

    /// Looks at what came of the turns so far.
    pub(super) fn look(&mut self, progress: Progress, attempts: Attempts) -> Option<GivenUp> {
        if progress != self.progress {
            (self.progress, self.before_progress, self.progress_at) = (progress, self.turns, self.now);
        }
        let tries = match attempts {
            Attempts::Limit(limit) => u64::from(limit),
            Attempts::Unlimited => 0,
        };
        let honest = FREE + OF_A_DELIVERY * (progress.enqueued + tries);
        let in_vain = self.turns - self.before_progress;
        let at_once = in_vain.min(self.turns - self.before_now);
        let (from, to) = (self.progress_at.seconds(), self.now.seconds());
        if at_once > honest {
            let words = format!("livelock: in {at_once} turns at {to:.3} s no time passed and no job was settled");
            return Some(GivenUp::Livelock(words));
        }
        let words = || format!("no end in sight: in {in_vain} turns, from {from:.3} to {to:.3} s, no job was settled");
        (in_vain > PATIENCE * honest).then(|| GivenUp::Endless(words()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `turns` turns come to, with a moment each `a_moment` turns; `settled` tells how many jobs are after so many.
    fn after(turns: u64, a_moment: u64, jobs: u64, attempts: Attempts, settled: fn(u64) -> u64) -> Option<GivenUp> {
        let mut patience = Patience::default();
        (1..=turns).find_map(|n| {
            let look = patience.turn(Instant(n / a_moment));
            look.then(|| patience.look(Progress { enqueued: jobs, settled: settled(n) }, attempts)).flatten()
        })
    }

    #[test]
    fn turns_at_one_moment_that_settle_nothing_are_a_livelock() {
        let given_up = after(2 * FREE, u64::MAX, 1, Attempts::Unlimited, |_| 0);
        assert!(matches!(given_up, Some(GivenUp::Livelock(words)) if words.contains("turns at 0.000 s")));
        assert_eq!(after(FREE, u64::MAX, 1, Attempts::Unlimited, |_| 0), None, "not yet");
    }

    #[test]
    fn turns_that_settle_nothing_while_time_passes_are_a_run_without_end() {
        let given_up = after(6 * FREE, 10, 1, Attempts::Unlimited, |_| 0);
        assert!(matches!(given_up, Some(GivenUp::Endless(_))), "{given_up:?}");
        assert_eq!(after(5 * FREE, 10, 1, Attempts::Unlimited, |_| 0), None, "not yet");
    }

    #[test]
    fn any_number_of_turns_is_fine_while_jobs_are_settled() {
        for a_moment in [10, u64::MAX] {
            assert_eq!(after(10_000_000, a_moment, 1_000, Attempts::Limit(3), |n| n / 100_000), None);
        }
    }

    #[test]
    fn the_greatest_budget_may_be_used_up_and_every_job_tried_once_before_one_is_settled() {
        let a_try = 8;
        let limit = Attempts::Limit(Attempts::MAX);
        assert_eq!(after(u64::from(Attempts::MAX) * a_try, u64::MAX, 1, limit, |_| 0), None);
        assert_eq!(after(1_000_000 * a_try, u64::MAX, 1_000_000, Attempts::Limit(3), |_| 0), None);
    }
}
