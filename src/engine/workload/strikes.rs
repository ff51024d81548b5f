//! Whom the crash and failure lists and rates of a set-up strike, and where.

use std::collections::BTreeSet;

use crate::engine::draw::{self, Purpose};
use crate::event::By;
use crate::ids::Job;
use crate::page;
use crate::policy::Point;
use crate::setup::{Setup, Strike, Whom};

/// The crashes and failures of a set-up, ready to be asked at every point of every delivery.
///
/// A list strikes first attempts only. A rate is drawn once for each attempt; each entry has a draw of its own, so
/// several may strike one delivery, and the first that its worker reaches ends it.
#[derive(Clone, Debug)]
pub struct Strikes {
    seed: u64,
    crash: Vec<Entry>,
    fail: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    at: Point,
    whom: Struck,
}

#[derive(Clone, Debug)]
enum Struck {
    List(BTreeSet<u32>),
    Page,
    Rate(f64),
}

impl Strikes {
    /// What `setup` asks for.
    pub fn new(setup: &Setup) -> Strikes {
        let entries = |strikes: &[Strike]| strikes.iter().map(Entry::new).collect();
        Strikes { seed: setup.seed, crash: entries(&setup.crash), fail: entries(&setup.fail) }
    }

    /// Whether the worker dies at `point` on this attempt (from 1), and what kills it.
    pub fn crash(&self, job: Job, attempt: u32, point: Point) -> Option<By> {
        self.first(&self.crash, Purpose::Crash, job, attempt, point)
    }

    /// Whether the delivery fails at `point` on this attempt (from 1), and what makes it.
    pub fn failure(&self, job: Job, attempt: u32, point: Point) -> Option<By> {
        self.first(&self.fail, Purpose::Fail, job, attempt, point)
    }

    fn first(&self, entries: &[Entry], purpose: Purpose, job: Job, attempt: u32, point: Point) -> Option<By> {
        let here = entries.iter().zip(0..).filter(|(entry, _)| entry.at == point);
        let struck = here.filter_map(|(entry, n)| entry.strikes(self.seed, purpose, n, job, attempt));
        // A list has to strike, and is seen to have struck by its name, so it goes before a rate.
        struck.reduce(|first, next| if next == By::List { next } else { first })
    }
}

impl Entry {
    fn new(strike: &Strike) -> Entry {
        let whom = match &strike.whom {
            Whom::Rate(rate) => Struck::Rate(rate.value()),
            Whom::Page => Struck::Page,
            Whom::Ids(ids) => Struck::List(ids.clone()),
        };
        Entry { at: strike.at, whom }
    }

    fn strikes(&self, seed: u64, purpose: Purpose, n: u32, job: Job, attempt: u32) -> Option<By> {
        match &self.whom {
            Struck::List(ids) => (attempt == 1 && ids.contains(&job.0)).then_some(By::List),
            Struck::Page => (attempt == 1 && page::crashes().contains(&job.0)).then_some(By::List),
            Struck::Rate(rate) => (draw::unit(seed, u64::from(job.0), attempt, purpose, n) < *rate).then_some(By::Rate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crashing(strikes: &[&str]) -> Setup {
        let mut setup = Setup::headless(99);
        setup.crash = strikes.iter().map(|text| text.parse().expect("a strike")).collect();
        setup
    }

    #[test]
    fn a_list_strikes_the_first_attempts_of_its_jobs_at_its_point() {
        let setup = crashing(&["ids:1,5@effect"]);
        assert_eq!(Strikes::new(&setup).crash(Job(5), 1, Point::Effect), Some(By::List));
        for (job, attempt, point) in [(5, 2, Point::Effect), (5, 1, Point::Key), (4, 1, Point::Effect)] {
            assert_eq!(Strikes::new(&setup).crash(Job(job), attempt, point), None);
        }
        assert_eq!(Strikes::new(&setup).failure(Job(5), 1, Point::Effect), None);
    }

    #[test]
    fn the_page_strikes_398_of_its_20_000_jobs_and_none_beyond() {
        let strikes = Strikes::new(&crashing(&["page@ack"]));
        let struck = (0..40_000).filter(|id| strikes.crash(Job(*id), 1, Point::Ack).is_some()).count();
        assert_eq!(struck, 398);
    }

    #[test]
    fn a_rate_strikes_its_share_of_all_attempts_and_decides_once_for_each() {
        let strikes = Strikes::new(&crashing(&["2%@work"]));
        for attempt in [1, 2] {
            let struck = |id: &u32| strikes.crash(Job(*id), attempt, Point::Work) == Some(By::Rate);
            let share = (0..20_000).filter(struck).count();
            // Binomial with mean 400 and deviation 20; five deviations.
            assert!((300..=500).contains(&share), "{share} of 20,000");
            assert_eq!(share, (0..20_000).filter(struck).count());
        }
        let never = Strikes::new(&crashing(&["0@work"]));
        let always = Strikes::new(&crashing(&["1@work"]));
        assert!((0..1_000).all(|id| never.crash(Job(id), 1, Point::Work).is_none()));
        assert!((0..1_000).all(|id| always.crash(Job(id), 1, Point::Work).is_some()));
    }

    #[test]
    fn several_strikes_stand_side_by_side_and_each_rate_has_its_own_draw() {
        let strikes = Strikes::new(&crashing(&["50%@work", "50%@effect"]));
        let both = |id: &u32| {
            strikes.crash(Job(*id), 1, Point::Work).is_some() && strikes.crash(Job(*id), 1, Point::Effect).is_some()
        };
        // Independent draws strike a quarter at both points: mean 2,500 and deviation 43 of 10,000.
        let share = (0..10_000).filter(both).count();
        assert!((2_284..=2_716).contains(&share), "{share} of 10,000");
    }

    #[test]
    fn a_job_that_a_list_and_a_rate_strike_at_one_point_was_struck_by_the_list() {
        for order in [["1@effect", "ids:7@effect"], ["ids:7@effect", "1@effect"]] {
            let strikes = Strikes::new(&crashing(&order));
            assert_eq!(strikes.crash(Job(7), 1, Point::Effect), Some(By::List));
            assert_eq!(strikes.crash(Job(7), 2, Point::Effect), Some(By::Rate));
        }
    }

    #[test]
    fn crashes_and_failures_are_drawn_apart() {
        let mut setup = crashing(&["50%@work"]);
        setup.fail = vec!["50%@work".parse().expect("a strike")];
        let strikes = Strikes::new(&setup);
        let differ = |id: &u32| {
            strikes.crash(Job(*id), 1, Point::Work).is_some() != strikes.failure(Job(*id), 1, Point::Work).is_some()
        };
        assert!((0..1_000).filter(differ).count() > 300);
    }
}
