//! What a finished run comes to: the figures that every report prints, taken from a board once.
//!
//! Reports, JSON and the exit code read this instead of the board, so that all three speak of one moment and can be
//! held against figures written down by hand.

use std::time::Duration;

use crate::board::{Board, Counters, Harm, Verdict};
use crate::event::Finish;
use crate::ids::Job;
use crate::policy::Policy;
use crate::request::FinalCounts;
use crate::setup::{Setup, Strike};
use crate::time::Span;

/// How a run came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// What it started with.
    pub setup: Setup,
    /// The policy in force at its end.
    pub policy: Policy,
    /// The first witness: counts folded from events.
    pub counters: Counters,
    /// The second witness: counts by SQL, if they could be made.
    pub counts: Option<FinalCounts>,
    /// Whether the witnesses agreed throughout.
    pub agree: bool,
    /// The promise, and whether it was kept.
    pub verdict: Verdict,
    /// How the run ended; `None` when it never came to an end.
    pub finish: Option<Finish>,
    /// Why it was stuck, if it was.
    pub stuck: Option<String>,
    /// How often a worker waited for a lock that another program held on the database.
    pub lock_waits: u64,
    /// Invariants that did not hold.
    pub violations: Vec<String>,
    /// For each crash list and then each failure list: how many jobs it struck, and how many it had to.
    pub struck: Vec<(u64, u64)>,
    /// The jobs that came to harm.
    pub harm: Harm,
    /// Why the first lost job and the first duplicated job came out so, where the board still knows.
    pub whys: Vec<(Job, String)>,
    /// Lab time that was jumped over.
    pub jumped: Span,
    /// What the run took on the wall clock.
    pub elapsed: Duration,
}

impl Account {
    /// Takes the figures of `board`, whose run took `elapsed`. `setup` stands in if the run never started.
    pub fn of(board: &Board, setup: &Setup, elapsed: Duration) -> Account {
        let harm = board.harm().clone();
        let firsts = harm.lost.first().into_iter().chain(harm.twice.first());
        let whys = firsts.filter_map(|job| board.story(*job).map(|story| (*job, story.why))).collect();
        let finished = board.finished();
        Account {
            setup: board.setup().unwrap_or(setup).clone(),
            policy: board.setup().map_or(&setup.policy, |_| board.policy()).clone(),
            counters: board.counters(),
            counts: finished.and_then(|(_, counts)| counts.copied()),
            agree: board.witnesses_agree(),
            verdict: board.verdict(),
            finish: finished.map(|(how, _)| how.clone()),
            stuck: board.stuck().map(str::to_owned),
            lock_waits: board.lock_waits(),
            violations: board.violations().to_vec(),
            struck: board.struck(),
            whys,
            harm,
            jumped: board.jumped(),
            elapsed,
        }
    }

    /// Each crash list and then each failure list of the set-up, whether it is a crash list, and how many jobs it
    /// struck of how many it had to.
    pub fn lists(&self) -> impl Iterator<Item = (&Strike, bool, (u64, u64))> {
        self.setup.lists().zip(&self.struck).map(|((strike, crash), struck)| (strike, crash, *struck))
    }

    /// Settled jobs in a second of the wall clock.
    pub fn jobs_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { (self.counters.done + self.counters.dead) as f64 / seconds } else { 0.0 }
    }
}

#[cfg(test)]
pub(super) mod examples {
    //! Accounts written by hand, with figures that add up.

    use super::*;
    use crate::board::Word;
    use crate::policy::{Dedup, Promise};

    /// 20,000 jobs under two writes, 398 workers dead between them: each of the 398 was applied twice.
    pub fn two_writes() -> Account {
        let mut setup = Setup::headless(13);
        setup.policy.dedup = Dedup::EffectThenKey;
        setup.workload.jobs = Some(20_000);
        setup.workers = 8;
        setup.crash.push("page@effect".parse().expect("a strike"));
        let twice: Vec<u32> = [16, 102, 112, 139, 168].into_iter().chain(1_000..1_393).collect();
        Account {
            policy: setup.policy.clone(),
            setup,
            counters: Counters {
                jobs: 20_000,
                enqueued: 20_000,
                deliveries: 20_398,
                redeliveries: 398,
                acked: 20_000,
                expirations: 398,
                crashes: 398,
                deaths: 398,
                effects: 20_398,
                extra_effects: 398,
                once: 19_602,
                duplicated: 398,
                done: 20_000,
                ..Counters::default()
            },
            counts: Some(FinalCounts {
                enqueued: 20_000,
                rows: 20_398,
                applied: 20_000,
                once: 19_602,
                duplicated: 398,
                ..FinalCounts::default()
            }),
            agree: true,
            verdict: Verdict {
                word: Word::Broken,
                promise: Promise::EffectivelyOnce,
                why: "398 jobs were applied twice".to_owned(),
            },
            finish: Some(Finish::Drained),
            stuck: None,
            lock_waits: 0,
            violations: Vec::new(),
            struck: vec![(398, 398)],
            harm: Harm { twice: twice.into_iter().map(Job).collect(), ..Harm::default() },
            whys: vec![(
                Job(16),
                "w3 wrote the effect and died before it wrote the key. Nobody acked, so 30 s after the last renewal \
                 the lease ran out and the job went to w5. w5 asked for the key, found none, and did the work again."
                    .to_owned(),
            )],
            jumped: Span::millis(30_100),
            elapsed: Duration::from_millis(1_200),
        }
    }

    /// The same with effect and key in one transaction: nothing came to harm.
    pub fn one_transaction() -> Account {
        let mut account = two_writes();
        account.setup.policy.dedup = Dedup::Transactional;
        account.policy = account.setup.policy.clone();
        account.counters =
            Counters { effects: 20_000, extra_effects: 0, once: 20_000, duplicated: 0, ..account.counters };
        account.counts =
            account.counts.map(|counts| FinalCounts { rows: 20_000, once: 20_000, duplicated: 0, ..counts });
        account.verdict = Verdict { word: Word::Kept, why: String::new(), ..account.verdict };
        account.harm = Harm::default();
        account.whys.clear();
        account
    }
}
