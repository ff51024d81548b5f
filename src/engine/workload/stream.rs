//! The stream of jobs: when each arrives, how long it takes and whether it is poisonous.

use std::collections::BTreeSet;

use crate::engine::draw::{self, Purpose};
use crate::engine::queue::NewJob;
use crate::ids::{Job, OrderKey};
use crate::page::Cpython;
use crate::setup::{MAX_JOBS, Poison, Setup, Work, Workload};

use super::plan::Returns;
use crate::time::{Instant, Span};

/// The jobs of a set-up in the order of their arrival, and those that are enqueued by hand between them.
///
/// The queue numbers jobs in the order in which it gets them, so every job it gets has to come from here.
#[derive(Clone, Debug)]
pub struct Stream {
    seed: u64,
    workload: Workload,
    /// Places in the stream, not ids: jobs enqueued by hand do not change how many are poisonous.
    poisoned: BTreeSet<u32>,
    /// How many jobs of the stream have arrived.
    arrived: u32,
    /// The id of the next job, whether of the stream or by hand.
    next_id: u32,
    page: PageWork,
    returns: Option<Returns>,
}

impl Stream {
    /// The whole stream of `setup`, with nothing arrived yet.
    pub fn new(setup: &Setup) -> Stream {
        Stream {
            seed: setup.seed,
            workload: setup.workload.clone(),
            poisoned: poisoned(setup),
            arrived: 0,
            next_id: 0,
            page: PageWork::new(),
            returns: Returns::of(setup),
        }
    }

    /// The shortest lease that a job of the stream is planned to have; `None` when none is planned.
    pub fn shortest_planned(&self) -> Option<Span> {
        self.returns.as_ref().map(Returns::shortest)
    }

    /// When the next job arrives; `None` once the stream has ended.
    pub fn next_arrival(&self) -> Option<Instant> {
        let arrival = match self.workload.rate {
            Some(rate) => Instant::START + Span::from_seconds(f64::from(self.arrived) / rate),
            None => Instant::START,
        };
        let all_here = self.workload.jobs.is_some_and(|jobs| self.arrived >= jobs) || self.next_id >= MAX_JOBS;
        let over = self.workload.stream_for.is_some_and(|span| arrival >= Instant::START + span);
        (!all_here && !over).then_some(arrival)
    }

    /// The next arriving job. To be called only while [`Stream::next_arrival`] has one.
    pub fn take(&mut self) -> NewJob {
        let arrival = self.next_arrival().unwrap_or(Instant::NEVER);
        let poison = self.workload.poison.map(|spec| spec.how).filter(|_| self.poisoned.contains(&self.arrived));
        self.arrived += 1;
        self.job(arrival, Job(self.next_id), poison)
    }

    /// A job enqueued by hand at `now`, which will have the id `job`.
    pub fn extra(&mut self, now: Instant, job: Job, poison: Option<Poison>) -> NewJob {
        self.job(now, job, poison)
    }

    fn job(&mut self, arrival: Instant, job: Job, poison: Option<Poison>) -> NewJob {
        self.next_id = job.0.saturating_add(1);
        let due = arrival + self.workload.delay;
        NewJob {
            key: OrderKey(job.0 % self.workload.keys.max(1)),
            due,
            work: self.work(job),
            poison,
            first_deadline: self.returns.as_ref().and_then(|returns| returns.deadline(job, due)),
        }
    }

    fn work(&mut self, job: Job) -> Span {
        let drawn = || draw::unit(self.seed, u64::from(job.0), 0, Purpose::Work, 0);
        match self.workload.work {
            Work::Fixed(span) => span,
            Work::Around(middle, milli) => {
                let swing = f64::from(milli) / 1_000.0 * (2.0 * drawn() - 1.0);
                Span((middle.0 as f64 * (1.0 + swing)).round() as u64)
            }
            Work::Exponential(mean) => Span((mean.0 as f64 * -libm::log(1.0 - drawn())).round() as u64),
            Work::Page => self.page.of(job.0),
        }
    }
}

/// Which places of the stream are poisonous: as many as asked for, each set of them as likely as the next. The
/// sample is drawn without replacement: place `top` stands in for one that was drawn already.
fn poisoned(setup: &Setup) -> BTreeSet<u32> {
    let (Some(spec), Some(jobs)) = (setup.workload.poison, setup.workload.jobs) else { return BTreeSet::new() };
    let mut chosen = BTreeSet::new();
    for (n, top) in (jobs.saturating_sub(spec.count)..jobs).enumerate() {
        let bits = draw::bits(setup.seed, 0, 0, Purpose::Poison, n as u32);
        let place = ((u128::from(bits) * u128::from(top + 1)) >> 64) as u32;
        if !chosen.insert(place) {
            chosen.insert(top);
        }
    }
    chosen
}

/// The page's work times, drawn one after the other in the order of ids, past the page's 20,000 too.
#[derive(Clone, Debug)]
struct PageWork {
    generator: Cpython,
    next_id: u32,
}

impl PageWork {
    fn new() -> PageWork {
        PageWork { generator: Cpython::new(31), next_id: 0 }
    }

    /// The work time of job `id`; cheap when ids come in order.
    fn of(&mut self, id: u32) -> Span {
        if id < self.next_id {
            *self = PageWork::new();
        }
        while self.next_id < id {
            self.draw();
        }
        Span::from_seconds(self.draw())
    }

    fn draw(&mut self) -> f64 {
        self.next_id += 1;
        let mean = if self.generator.random() > 0.05 { 2.0 } else { 40.0 };
        self.generator.exponential(1.0 / mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(jobs: u32) -> Setup {
        let mut setup = Setup::headless(13);
        setup.workload.jobs = Some(jobs);
        setup
    }

    fn all(setup: &Setup) -> Vec<(Instant, NewJob)> {
        let mut stream = Stream::new(setup);
        std::iter::from_fn(|| stream.next_arrival().map(|at| (at, stream.take()))).collect()
    }

    #[test]
    fn the_page_has_these_many_jobs_that_outlast_a_lease() {
        let mut setup = setup(20_000);
        setup.workload.work = "page".parse().expect("a work time");
        let works: Vec<f64> = all(&setup).iter().map(|(_, job)| job.work.as_seconds()).collect();
        let longer = |lease: f64| works.iter().filter(|work| **work > lease).count();
        assert_eq!([5.0, 15.0, 30.0, 60.0, 300.0].map(longer), [2_448, 715, 499, 233, 0]);
        // 0.95 x 2 s + 0.05 x 40 s = 3.9 s, with a deviation of 12.8 s for one job and 0.09 s for the mean of 20,000.
        let mean = works.iter().sum::<f64>() / 20_000.0;
        assert!((3.45..=4.35).contains(&mean), "a mean of {mean} s");
    }

    #[test]
    fn a_page_work_time_follows_from_the_id_whatever_was_asked_before() {
        let mut in_order = PageWork::new();
        let times: Vec<Span> = (0..50).map(|id| in_order.of(id)).collect();
        let mut astray = PageWork::new();
        assert_eq!(astray.of(40), times[40]);
        assert_eq!(astray.of(3), times[3]);
    }

    #[test]
    fn random_work_times_keep_to_their_distribution() {
        let mut setup = setup(20_000);
        setup.workload.work = "3s~20%".parse().expect("a work time");
        let around = all(&setup);
        assert!(around.iter().all(|(_, job)| (2.4..=3.6).contains(&job.work.as_seconds())));
        let mean = |jobs: &[(Instant, NewJob)]| {
            jobs.iter().map(|(_, job)| job.work.as_seconds()).sum::<f64>() / jobs.len() as f64
        };
        // Uniform over 1.2 s has a deviation of 0.35 s, so 0.0025 s for the mean; five of them.
        assert!((mean(&around) - 3.0).abs() < 0.0125, "{}", mean(&around));
        setup.workload.work = "exp:2s".parse().expect("a work time");
        let exponential = all(&setup);
        // The deviation of an exponential is its mean, so 0.014 s for the mean of 20,000.
        assert!((mean(&exponential) - 2.0).abs() < 0.07, "{}", mean(&exponential));
        let over_mean = exponential.iter().filter(|(_, job)| job.work > Span::seconds(2)).count();
        // 20,000 / e = 7,358 with a deviation of 68.
        assert!((7_018..=7_698).contains(&over_mean), "{over_mean} above the mean");
    }

    #[test]
    fn arrivals_are_evenly_spaced_with_the_first_at_zero() {
        let mut setup = setup(4);
        setup.workload.rate = Some(4.0);
        setup.workload.delay = Span::seconds(2);
        let jobs = all(&setup);
        let at: Vec<u64> = jobs.iter().map(|(at, _)| at.0 / 1_000_000).collect();
        assert_eq!(at, [0, 250, 500, 750]);
        let due: Vec<u64> = jobs.iter().map(|(_, job)| job.due.0 / 1_000_000).collect();
        assert_eq!(due, [2_000, 2_250, 2_500, 2_750]);
    }

    #[test]
    fn a_stream_ends_with_its_jobs_or_its_time_whichever_is_first() {
        let mut setup = setup(100);
        setup.workload.rate = Some(1.0);
        setup.workload.stream_for = Some(Span::seconds(10));
        assert_eq!(all(&setup).len(), 10);
        setup.workload.jobs = Some(3);
        assert_eq!(all(&setup).len(), 3);
        setup.workload.jobs = None;
        assert_eq!(all(&setup).len(), 10);
    }

    #[test]
    fn a_job_by_hand_takes_the_next_id_with_its_key_and_work_and_leaves_the_arrivals_alone() {
        let mut setup = setup(3);
        setup.workload.keys = 2;
        setup.workload.work = "exp:2s".parse().expect("a work time");
        let plain: Vec<Span> = all(&setup).iter().map(|(_, job)| job.work).collect();
        let mut stream = Stream::new(&setup);
        let first = stream.take();
        let by_hand = stream.extra(Instant(5), Job(1), Some(Poison::Crash));
        let second = stream.take();
        assert_eq!([first.key.0, by_hand.key.0, second.key.0], [0, 1, 0]);
        assert_eq!([first.work, by_hand.work, second.work], [plain[0], plain[1], plain[2]]);
        assert_eq!((by_hand.poison, by_hand.due), (Some(Poison::Crash), Instant(5)));
        stream.take();
        assert_eq!(stream.next_arrival(), None);
    }

    #[test]
    fn as_many_jobs_are_poisonous_as_were_asked_for() {
        let mut setup = setup(100);
        for count in [1, 4, 99, 100, 5_000] {
            setup.workload.poison = format!("{count}:crash").parse().ok();
            let poisonous = all(&setup).iter().filter(|(_, job)| job.poison == Some(Poison::Crash)).count();
            assert_eq!(poisonous, count.min(100));
        }
    }

    #[test]
    fn only_the_jobs_of_a_crash_list_have_a_planned_lease() {
        let mut setup = setup(6);
        setup.workload.rate = Some(1.0);
        setup.crash = ["ids:1,4@commit", "50%@work"].map(|text| text.parse().expect("a strike")).to_vec();
        assert!(all(&setup).iter().all(|(_, job)| job.first_deadline.is_none()), "without a plan there is none");
        setup.workload.redeliver_after = Some(crate::setup::RedeliverAfter { jobs: (3, 3), seed: 1 });
        let planned: Vec<_> = all(&setup).iter().map(|(_, job)| job.first_deadline.map(Instant::seconds)).collect();
        // Job 1 comes back half a second before job 4. Job 4 has one more behind it, so it comes back after the last.
        assert_eq!(planned, [None, Some(3.5), None, None, Some(5.75), None]);
    }

    #[test]
    fn another_seed_poisons_other_jobs() {
        let poisoned = |seed| {
            let mut setup = setup(1_000);
            setup.seed = seed;
            setup.workload.poison = "10".parse().ok();
            super::poisoned(&setup)
        };
        assert_eq!(poisoned(1), poisoned(1));
        assert_ne!(poisoned(1), poisoned(2));
    }
}
