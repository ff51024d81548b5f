//! Planned redelivery: when the jobs of the crash lists come back, in jobs instead of in time.
//!
//! A job that is to come back d jobs after its own arrival has a first lease that ends half a tick before that job
//! arrives, a tick being the time from one arrival to the next. So with d = 1 it comes back right behind itself. Those
//! that would come back after the last job all do so together, a quarter of a tick before the end of its tick.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::Job;
use crate::page::{self, Cpython};
use crate::setup::{Setup, Whom};
use crate::time::{Instant, Span};

/// When jobs come back.
#[derive(Clone, Debug)]
pub(super) struct Returns {
    /// Seconds from one arrival to the next.
    tick: f64,
    /// After how many jobs each comes back.
    after: BTreeMap<Job, u32>,
    /// When everything has come back that will.
    last: Instant,
}

impl Returns {
    /// What `setup` plans, if it does. A plan that its stream cannot keep is none.
    pub(super) fn of(setup: &Setup) -> Option<Returns> {
        if setup.cannot_redeliver().is_some() {
            return None;
        }
        let (plan, rate, jobs) = (setup.workload.redeliver_after?, setup.workload.rate?, setup.workload.jobs?);
        let mut python = Cpython::new(plan.seed);
        let (low, high) = plan.jobs;
        let after = struck(setup).into_iter().map(|id| (Job(id), python.randint(low, high))).collect();
        let last = Instant::START + Span::from_seconds((f64::from(jobs) - 0.25) / rate) + setup.workload.delay;
        Some(Returns { tick: 1.0 / rate, after, last })
    }

    /// The end of the first lease of `job`, which is due at `due`; `None` for one that comes back as others do.
    pub(super) fn deadline(&self, job: Job, due: Instant) -> Option<Instant> {
        let after = self.after.get(&job)?;
        Some((due + self.half_before(*after)).min(self.last))
    }

    /// The shortest lease that may be planned for a job that is handed out when it is due.
    pub(super) fn shortest(&self) -> Span {
        Span::from_seconds(self.tick / 2.0)
    }

    /// From a job's arrival to half a tick before that of the job which is `after` behind it.
    fn half_before(&self, after: u32) -> Span {
        Span::from_seconds((f64::from(after) - 0.5) * self.tick)
    }
}

/// The jobs that a crash list of `setup` strikes.
fn struck(setup: &Setup) -> BTreeSet<u32> {
    let lists = setup.crash.iter().filter_map(|strike| match &strike.whom {
        Whom::Rate(_) => None,
        Whom::Page => Some(page::crashes()),
        Whom::Ids(ids) => Some(ids),
    });
    lists.flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::RedeliverAfter;

    /// The plan of a stream of `jobs` jobs, one a second, whose `ids` crash.
    fn planned(jobs: u32, ids: &str, between: (u32, u32)) -> Returns {
        let mut setup = Setup::headless(1);
        setup.workload.jobs = Some(jobs);
        setup.workload.rate = Some(1.0);
        setup.workload.redeliver_after = Some(RedeliverAfter { jobs: between, seed: 17 });
        setup.crash.push(format!("{ids}@commit").parse().expect("a strike"));
        Returns::of(&setup).expect("a plan")
    }

    /// The second at which a job comes back that arrives at the second of its id.
    fn back(returns: &Returns, id: u32) -> f64 {
        returns.deadline(Job(id), Instant::START + Span::seconds(u64::from(id))).expect("planned").seconds()
    }

    #[test]
    fn a_job_comes_back_half_a_tick_before_the_one_that_is_so_many_behind_it() {
        let returns = planned(100, "ids:10", (1, 1));
        assert_eq!(back(&returns, 10), 10.5, "right behind itself");
        assert_eq!(back(&planned(100, "ids:10", (7, 7)), 10), 16.5);
        assert_eq!(returns.deadline(Job(11), Instant::START), None, "nobody crashes there");
    }

    #[test]
    fn what_would_come_back_after_the_last_job_comes_back_together_behind_it() {
        let returns = planned(100, "ids:95,96,97,98,99", (4, 4));
        assert_eq!([95, 96].map(|id| back(&returns, id)), [98.5, 99.5], "jobs 99 and 100 would be the next");
        assert_eq!([97, 98, 99].map(|id| back(&returns, id)), [99.75; 3]);
    }

    #[test]
    fn distances_are_drawn_in_order_of_id_whoever_arrives_first() {
        let returns = planned(20_000, "page", (1, 2_000));
        // The first draws of `random.Random(17).randint(1, 2000)`, for the first of the page's crashed jobs.
        let mut python = Cpython::new(17);
        let drawn: Vec<u32> = [16, 102, 112].map(|id| (id, python.randint(1, 2_000))).map(|(_, after)| after).to_vec();
        let planned: Vec<u32> = returns.after.values().take(3).copied().collect();
        assert_eq!(planned, drawn);
        assert_eq!(returns.after.len(), 398);
    }

    #[test]
    fn jobs_that_are_due_later_than_they_arrive_come_back_later_too() {
        let mut setup = Setup::headless(1);
        setup.workload.jobs = Some(10);
        setup.workload.rate = Some(2.0);
        setup.workload.delay = Span::seconds(3);
        setup.workload.redeliver_after = Some(RedeliverAfter { jobs: (4, 4), seed: 1 });
        setup.crash.push("ids:0,9@commit".parse().expect("a strike"));
        let returns = Returns::of(&setup).expect("a plan");
        let due = |arrival: f64| Instant::START + Span::from_seconds(arrival + 3.0);
        assert_eq!(returns.deadline(Job(0), due(0.0)), Some(due(1.75)), "three and a half ticks of half a second");
        assert_eq!(returns.deadline(Job(9), due(4.5)), Some(due(4.875)));
    }
}
