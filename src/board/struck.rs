//! Whether crash and failure lists struck every first attempt that they had to strike.
//!
//! A list that struck fewer proves nothing, however good the run looks.

use crate::event::{By, End, Spot};
use crate::ids::Job;
use crate::page;
use crate::policy::{Point, Program};
use crate::setup::{Setup, Strike, Whom};

#[derive(Clone, Debug)]
struct List {
    crash: bool,
    strike: Strike,
    struck: u64,
}

impl List {
    fn names(&self, job: Job) -> bool {
        match &self.strike.whom {
            Whom::Rate(_) => false,
            Whom::Page => page::crashes().contains(&job.0),
            Whom::Ids(ids) => ids.contains(&job.0),
        }
    }

    fn due(&self, jobs: u32) -> u64 {
        match &self.strike.whom {
            Whom::Rate(_) => 0,
            Whom::Page => page::crashes().range(..jobs).count() as u64,
            Whom::Ids(ids) => ids.range(..jobs).count() as u64,
        }
    }
}

/// The lists of a set-up, and how often each struck.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    lists: Vec<List>,
    jobs: Option<u32>,
}

impl Lists {
    /// The lists of this set-up: those of `crash`, then those of `fail`.
    pub fn of(setup: &Setup) -> Lists {
        let list = |crash: bool, strike: &Strike| List { crash, strike: strike.clone(), struck: 0 };
        let crashes = setup.crash.iter().map(|strike| list(true, strike));
        let fails = setup.fail.iter().map(|strike| list(false, strike));
        let lists = crashes.chain(fails).filter(|list| !matches!(list.strike.whom, Whom::Rate(_))).collect();
        Lists { lists, jobs: setup.workload.jobs }
    }

    /// The first attempt at a job ended like this under `program`. An end does not tell where a delivery was made to
    /// fail, and need not: only the first of several points can be reached.
    pub fn ended(&mut self, job: Job, how: &End, by: Option<By>, program: &Program) {
        if self.lists.is_empty() {
            return;
        }
        match how {
            End::Crashed(Spot::After(point)) if by == Some(By::List) => self.strike(job, true, |at| at == *point),
            End::Failed(_) if by == Some(By::List) => {
                let first = self.first_failure(job, program);
                self.strike(job, false, |at| Some(at) == first);
            }
            _ => {}
        }
    }

    fn first_failure(&self, job: Job, program: &Program) -> Option<Point> {
        let named =
            |point: &Point| self.lists.iter().any(|list| !list.crash && list.strike.at == *point && list.names(job));
        program.points().into_iter().find(named)
    }

    fn strike(&mut self, job: Job, crash: bool, at: impl Fn(Point) -> bool) {
        let hit = |list: &&mut List| list.crash == crash && at(list.strike.at) && list.names(job);
        self.lists.iter_mut().filter(hit).for_each(|list| list.struck += 1);
    }

    /// For each list: how many it struck, and how many it had to. An endless stream has to strike those that came.
    pub fn view(&self, enqueued: u64) -> Vec<(u64, u64)> {
        let jobs = self.jobs.unwrap_or(u32::try_from(enqueued).unwrap_or(u32::MAX));
        self.lists.iter().map(|list| (list.struck, list.due(jobs))).collect()
    }
}
