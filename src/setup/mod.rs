//! What a run starts with: policy, workload, faults, workers and seed. Data only; flags and lab files write it,
//! the first event of a run carries it, so that a run can be told and repeated from its events alone.
//!
//! [`read`] reads single values, [`fields`] puts them by name, and [`check`] judges the whole.

pub mod check;
pub mod fields;
pub mod read;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::policy::{NotAChoice, Point, Policy, Switch, as_text, named};
use crate::time::Span;

/// The most jobs a run may have.
pub const MAX_JOBS: u32 = 10_000_000;
/// The most workers a run may have.
pub const MAX_WORKERS: u16 = 256;
/// The greatest seed; SQLite's integers and JSON readers hold it.
pub const MAX_SEED: u64 = i64::MAX as u64;
/// The page's stream has this many jobs; its crash list names none above.
pub const PAGE_JOBS: u32 = 20_000;

/// Everything a run starts with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Setup {
    /// The policy in force at the start.
    pub policy: Policy,
    /// The jobs and how they arrive.
    pub workload: Workload,
    /// Workers that die, by list or rate, each at its point.
    pub crash: Vec<Strike>,
    /// Deliveries that fail, by list or rate, each at its point.
    pub fail: Vec<Strike>,
    /// The probability that a renewal is lost on its way.
    pub lose_beats: Rate,
    /// The probability that an ack is lost on its way.
    pub lose_acks: Rate,
    /// The probability that the sink's answer is lost; below 1, since the worker asks again until it gets one.
    pub lose_replies: Rate,
    /// The number of workers, 1 to 256.
    pub workers: u16,
    /// How long after its death a worker is back; `None` for never.
    pub respawn: Option<Span>,
    /// The wait after every effect and key commit, so that a kill can land between.
    pub gap: Span,
    /// Lab seconds in a second of the wall clock, 0.1 to 100.
    pub speed: f64,
    /// Whether the lab clock jumps when nobody works and nothing is ready.
    pub idle_jump: Switch,
    /// The source of every random decision, 0 to 2^63-1.
    pub seed: u64,
    /// How SQLite syncs.
    pub synchronous: Synchronous,
    /// What drives the run.
    pub driver: Driver,
}

named! {
    /// What drives a run.
    Driver {
        /// Real threads, the wall clock and a SQLite file.
        Threads = "threads",
        /// One thread, virtual time and SQLite in memory: seeded and exactly repeatable.
        Simulation = "simulation",
    }
}

named! {
    /// SQLite's `synchronous` pragma.
    Synchronous {
        /// Safe from corruption; the last commits may be lost with the power.
        Normal = "normal",
        /// Every commit is synced.
        Full = "full",
    }
}

/// The jobs of a run and how they arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Workload {
    /// How many jobs arrive; `None` for an endless stream.
    pub jobs: Option<u32>,
    /// Arrivals in a second of lab time, evenly spaced, the first at 0; `None` for all at once.
    pub rate: Option<f64>,
    /// The stream ends at this lab time, if it has not before.
    pub stream_for: Option<Span>,
    /// Each job is due this long after it arrives.
    pub delay: Span,
    /// How long a job takes.
    pub work: Work,
    /// The number of order keys; a job's key is its id modulo this.
    pub keys: u32,
    /// Jobs that always fail, or always kill their worker, drawn from the seed.
    pub poison: Option<PoisonSpec>,
    /// When the jobs of the crash lists come back; `None` when their leases run out as those of all others do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redeliver_after: Option<RedeliverAfter>,
}

/// Planned redelivery: each job of a crash list comes back a drawn number of jobs after its own arrival.
///
/// Its first lease ends half an arrival's distance before that job arrives and is never renewed; those that would come
/// back after the last arrival all come back together behind it, in the order of their deliveries. So the stream has to
/// have a rate and an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedeliverAfter {
    /// The least and the greatest distance, in jobs; each between them is as likely as the next.
    pub jobs: (u32, u32),
    /// The seed of CPython's generator, which draws a distance for each job of the lists in order of id.
    pub seed: u32,
}

/// How long a job takes; drawn from the seed and the job's id alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Work {
    /// Always this long.
    Fixed(Span),
    /// Uniform between (1 - p) and (1 + p) times the span; p in thousandths.
    Around(Span, u32),
    /// Exponential with this mean.
    Exponential(Span),
    /// The page's: 95 % with a mean of 2 s, 5 % with a mean of 40 s, from CPython's generator seeded with 31.
    Page,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Fixed(span) => span.fmt(f),
            Work::Around(span, milli) => write!(f, "{span}~{}%", f64::from(*milli) / 10.0),
            Work::Exponential(mean) => write!(f, "exp:{mean}"),
            Work::Page => f.write_str("page"),
        }
    }
}

impl FromStr for Work {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<Work, NotAChoice> {
        let refuse = || NotAChoice::new(text, "a work time: D, D~P%, exp:D or page, with D a duration up to 24h");
        let span = |text: &str| match text.parse::<Span>() {
            Ok(span) if span <= Span::seconds(24 * 3_600) => Ok(span),
            _ => Err(refuse()),
        };
        if text == "page" {
            return Ok(Work::Page);
        }
        if let Some(mean) = text.strip_prefix("exp:") {
            return span(mean).map(Work::Exponential);
        }
        match text.split_once('~') {
            None => span(text).map(Work::Fixed),
            Some((middle, spread)) => {
                let percent = spread.strip_suffix('%').and_then(|p| p.parse::<f64>().ok());
                match percent {
                    Some(p) if (0.0..=100.0).contains(&p) => Ok(Work::Around(span(middle)?, (p * 10.0).round() as u32)),
                    _ => Err(refuse()),
                }
            }
        }
    }
}

named! {
    /// What a poisonous job does each time it is worked on.
    Poison {
        /// It fails and is nacked.
        Fail = "fail",
        /// It kills its worker in the middle of the work.
        Crash = "crash",
        /// Its handler panics; that is one failed delivery and no death.
        Panic = "panic",
    }
}

/// How many poisonous jobs there are, and what they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PoisonSpec {
    /// How many jobs of the stream.
    pub count: u32,
    /// What they do.
    pub how: Poison,
}

impl fmt::Display for PoisonSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.how {
            Poison::Fail => write!(f, "{}", self.count),
            how => write!(f, "{}:{how}", self.count),
        }
    }
}

impl FromStr for PoisonSpec {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<PoisonSpec, NotAChoice> {
        let (count, how) = text.split_once(':').unwrap_or((text, "fail"));
        match (count.parse::<u32>(), how.parse::<Poison>()) {
            (Ok(count), Ok(how)) if (1..=MAX_JOBS).contains(&count) => Ok(PoisonSpec { count, how }),
            _ => Err(NotAChoice::new(text, "a number of poisonous jobs: N, N:crash or N:panic")),
        }
    }
}

/// Whom a crash or a failure strikes, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Strike {
    /// Whom it strikes.
    pub whom: Whom,
    /// The gap in which it strikes.
    pub at: Point,
}

/// Whom a crash or a failure strikes.
#[derive(Clone, Debug, PartialEq)]
pub enum Whom {
    /// Each attempt, with this probability.
    Rate(Rate),
    /// The first attempts of the page's 398 jobs.
    Page,
    /// The first attempts of these jobs.
    Ids(BTreeSet<u32>),
}

impl fmt::Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Whom::Rate(rate) => rate.fmt(f),
            Whom::Page => f.write_str("page"),
            Whom::Ids(ids) => {
                let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
                write!(f, "ids:{}", ids.join(","))
            }
        }
    }
}

impl FromStr for Whom {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<Whom, NotAChoice> {
        let refuse = || NotAChoice::new(text, "a rate from 0 to 1 or 0% to 100%, page or ids:1,5");
        match text.strip_prefix("ids:") {
            Some(ids) => {
                let ids: Result<BTreeSet<u32>, _> = ids.split(',').map(|id| id.trim().parse::<u32>()).collect();
                ids.map(Whom::Ids).map_err(|_| refuse())
            }
            None if text == "page" => Ok(Whom::Page),
            None => text.parse().map(Whom::Rate).map_err(|_| refuse()),
        }
    }
}

impl fmt::Display for Strike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.whom, self.at)
    }
}

impl FromStr for Strike {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<Strike, NotAChoice> {
        let wanted = "a strike: RATE@POINT, page@POINT or ids:1,5@POINT, with RATE from 0 to 1 or a percentage";
        let refuse = || NotAChoice::new(text, wanted);
        let (whom, point) = text.split_once('@').ok_or_else(refuse)?;
        let at: Point = point.parse()?;
        Ok(Strike { whom: whom.parse().map_err(|_| refuse())?, at })
    }
}

/// A probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Rate(f64);

impl Rate {
    /// Never.
    pub const ZERO: Rate = Rate(0.0);

    /// `value` as a probability, if it is one.
    pub fn new(value: f64) -> Option<Rate> {
        (0.0..=1.0).contains(&value).then_some(Rate(value))
    }

    /// The probability, 0 to 1.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Rate {
    type Err = NotAChoice;

    /// Reads `0.02` or `2%`.
    fn from_str(text: &str) -> Result<Rate, NotAChoice> {
        let refuse = || NotAChoice::new(text, "a probability: 0 to 1, or 0% to 100%");
        let (number, scale) = match text.strip_suffix('%') {
            Some(number) => (number, 100.0),
            None => (text, 1.0),
        };
        let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let value: f64 = number.parse().ok().filter(|_| plain).ok_or_else(refuse)?;
        Rate::new(value / scale).ok_or_else(refuse)
    }
}

as_text!(Work, PoisonSpec, Strike, Rate);

impl Setup {
    /// The defaults of headless runs and labs.
    pub fn headless(seed: u64) -> Setup {
        Setup {
            policy: Policy::default(),
            workload: Workload {
                jobs: Some(1_000),
                rate: None,
                stream_for: None,
                delay: Span::ZERO,
                work: Work::Fixed(Span::ZERO),
                keys: 8,
                poison: None,
                redeliver_after: None,
            },
            crash: Vec::new(),
            fail: Vec::new(),
            lose_beats: Rate::ZERO,
            lose_acks: Rate::ZERO,
            lose_replies: Rate::ZERO,
            workers: 4,
            respawn: Some(Span::ZERO),
            gap: Span::ZERO,
            speed: 1.0,
            idle_jump: Switch::On,
            seed,
            synchronous: Synchronous::Normal,
            driver: Driver::Threads,
        }
    }

    /// The crash lists and then the failure lists, which name the jobs that they have to strike, and whether each is a
    /// crash list.
    pub fn lists(&self) -> impl Iterator<Item = (&Strike, bool)> {
        let crash = self.crash.iter().map(|strike| (strike, true));
        let fail = self.fail.iter().map(|strike| (strike, false));
        crash.chain(fail).filter(|(strike, _)| !matches!(strike.whom, Whom::Rate(_)))
    }

    /// Why the crashed jobs cannot come back as [`Workload::redeliver_after`] plans it; `None` when they can, and when
    /// nothing is planned. Whoever builds a set-up with such a plan asks this before running it.
    pub fn cannot_redeliver(&self) -> Option<&'static str> {
        let (low, high) = self.workload.redeliver_after?.jobs;
        let strikes_a_list = self.lists().any(|(_, crash)| crash);
        if low == 0 || low > high {
            Some("planned redelivery needs a least and a greatest number of jobs, from 1 up")
        } else if self.workload.rate.is_none() {
            Some("planned redelivery counts arriving jobs, so they need a rate")
        } else if self.workload.jobs.is_none() || self.workload.stream_for.is_some() {
            Some("planned redelivery needs a stream that ends after a number of jobs")
        } else if !strikes_a_list {
            Some("planned redelivery concerns the jobs of a crash list, and there is none")
        } else {
            None
        }
    }

    /// The defaults of the sandbox: a pace that a person can read.
    pub fn sandbox(seed: u64) -> Setup {
        let mut setup = Setup::headless(seed);
        setup.policy.lease = Span::seconds(3);
        setup.workload.jobs = None;
        setup.workload.rate = Some(1.2);
        setup.workload.work = Work::Around(Span::seconds(3), 200);
        setup.respawn = Some(Span::seconds(5));
        setup.gap = Span::millis(10);
        setup.idle_jump = Switch::Off;
        setup
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_probability_or_a_percentage_and_never_nan() {
        assert_eq!("2%".parse(), Ok(Rate(0.02)));
        assert_eq!("0.02".parse(), Ok(Rate(0.02)));
        for text in ["1.5", "-0.1", "NaN", "inf", "101%", "", "%", "1e-2"] {
            assert!(text.parse::<Rate>().is_err(), "{text} must be refused");
        }
    }

    #[test]
    fn strikes_work_times_and_poison_read_back_as_they_are_written() {
        for text in ["0.02@effect", "page@ack", "ids:1,5@commit"] {
            assert_eq!(text.parse::<Strike>().expect(text).to_string(), text);
        }
        for text in ["3s", "3s~20%", "exp:2s", "page"] {
            assert_eq!(text.parse::<Work>().expect(text).to_string(), text);
        }
        for text in ["4", "4:crash", "1:panic"] {
            assert_eq!(text.parse::<PoisonSpec>().expect(text).to_string(), text);
        }
        for text in ["0.02", "page@nowhere", "ids:@effect", "ids:x@effect", "2@effect"] {
            assert!(text.parse::<Strike>().is_err(), "{text} must be refused");
        }
    }

    #[test]
    fn a_planned_redelivery_says_what_it_lacks() {
        let planned = |change: &dyn Fn(&mut Setup)| {
            let mut setup = Setup::headless(1);
            setup.workload.rate = Some(1.0);
            setup.crash = vec!["2%@work".parse().expect("a strike"), "page@effect".parse().expect("a strike")];
            setup.workload.redeliver_after = Some(RedeliverAfter { jobs: (1, 2_000), seed: 17 });
            change(&mut setup);
            setup.cannot_redeliver().unwrap_or("it can")
        };
        assert_eq!(planned(&|_| {}), "it can");
        assert_eq!(planned(&|setup| *setup = Setup::headless(1)), "it can");
        let jobs = |low, high| {
            planned(&|setup| setup.workload.redeliver_after = Some(RedeliverAfter { jobs: (low, high), seed: 1 }))
        };
        assert_eq!(jobs(3, 3), "it can");
        assert!(jobs(0, 5).contains("from 1 up") && jobs(6, 5).contains("from 1 up"));
        assert!(planned(&|setup| setup.workload.rate = None).contains("need a rate"));
        assert!(planned(&|setup| setup.workload.jobs = None).contains("after a number of jobs"));
        assert!(
            planned(&|setup| setup.workload.stream_for = Some(Span::seconds(5))).contains("after a number of jobs")
        );
        assert!(planned(&|setup| setup.crash.truncate(1)).contains("crash list"), "a rate names no jobs");
    }

    #[test]
    fn a_setup_survives_being_written_as_json() {
        let mut setup = Setup::sandbox(249);
        setup.crash.push("page@effect".parse().expect("a strike"));
        let text = serde_json::to_string(&setup).expect("writes");
        assert_eq!(serde_json::from_str::<Setup>(&text).expect("reads"), setup);
    }
}
