//! One stream of jobs with its work times and deaths under several policies, side by side.
//!
//! A policy is asked for in words, over a base that says what the words leave open, and each brings the gap in which
//! its workers die. What is compared is the fate of each job: two policies may harm the very same jobs.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::{Ran, Runner, Soundness, measure};
use crate::board::{Counters, Word};
use crate::ids::Job;
use crate::policy::{AckOrder, Dedup, NotAChoice, Point, Policy, Promise, Setting, SettingName, as_text, named};
use crate::request::SinkError;
use crate::setup::{Setup, Strike, Whom};

/// The most policies that are compared at once.
pub const MOST: usize = 20;

/// The four that are compared when none is named.
pub const PRESETS: [&str; 4] = ["at-most-once", "at-least-once", "two-write", "transactional"];

/// A policy in words: a name, settings, or both, and the gap in which its workers die.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Spec {
    /// The name and the settings as they were written.
    pub name: String,
    /// What they set, in order.
    pub settings: Vec<Setting>,
    /// The gap, if it is named.
    pub at: Option<Point>,
}

as_text!(Spec);

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&label(&self.name, self.at))
    }
}

/// A policy's name with its gap, as it may be written.
fn label(name: &str, at: Option<Point>) -> String {
    match at {
        None => name.to_owned(),
        Some(at) if name.contains('=') => format!("{name} at={at}"),
        Some(at) => format!("{name}@{at}"),
    }
}

impl FromStr for Spec {
    type Err = NotAChoice;

    /// Reads a name, as in `two-write` or `two-write@key`, or settings, as in `ack=after dedup=window:1000 at=effect`,
    /// or a name with settings.
    fn from_str(text: &str) -> Result<Spec, NotAChoice> {
        let mut spec = Spec { name: String::new(), settings: Vec::new(), at: None };
        for (i, word) in text.split_whitespace().enumerate() {
            match word.split_once('=') {
                Some(("at", point)) => spec.die_at(point)?,
                Some((name, value)) => spec.set(word, name, value)?,
                None if i == 0 => spec.call(word)?,
                None => return Err(NotAChoice::new(word, "a setting such as dedup=window:1000, or at=effect")),
            }
        }
        if spec.settings.is_empty() { Err(NotAChoice::new(text, wanted())) } else { Ok(spec) }
    }
}

fn wanted() -> String {
    let names: Vec<&str> = PRESETS.into_iter().chain(Dedup::NAMES).collect();
    let mut known: Vec<&str> = Vec::new();
    names.into_iter().filter(|name| *name != "none").for_each(|name| {
        if !known.contains(&name) {
            known.push(name);
        }
    });
    format!("a policy: {}, or settings such as \"ack=after dedup=window:1000 at=effect\"", known.join(", "))
}

impl Spec {
    fn call(&mut self, word: &str) -> Result<(), NotAChoice> {
        let (name, point) = word.split_once('@').map_or((word, None), |(name, point)| (name, Some(point)));
        let (ack, dedup) = match name {
            "at-most-once" => (AckOrder::Before, Dedup::None),
            "at-least-once" => (AckOrder::After, Dedup::None),
            // A figure that is out of range says so itself.
            _ if name.contains(':') => (AckOrder::After, name.parse()?),
            _ => (AckOrder::After, name.parse().map_err(|_| NotAChoice::new(name, wanted()))?),
        };
        self.settings = vec![Setting::Ack(ack), Setting::Dedup(dedup)];
        self.add(name);
        point.map_or(Ok(()), |point| self.die_at(point))
    }

    fn set(&mut self, word: &str, name: &str, value: &str) -> Result<(), NotAChoice> {
        let names: Vec<&str> = SettingName::ALL.iter().map(|name| name.name()).collect();
        let known: SettingName = name
            .parse()
            .map_err(|_| NotAChoice::new(name, format!("a setting: {}, or at for the gap", names.join(", "))))?;
        let setting = Setting::parse(known, value)?;
        if self.name.split(' ').any(|before| before.split_once('=').is_some_and(|(before, _)| before == name)) {
            return Err(NotAChoice::new(word, format!("to be given, since {name} was set before")));
        }
        self.settings.push(setting);
        self.add(word);
        Ok(())
    }

    fn die_at(&mut self, point: &str) -> Result<(), NotAChoice> {
        if let Some(before) = self.at {
            return Err(NotAChoice::new(point, format!("to be given, since the gap is {before} already")));
        }
        self.at = Some(point.parse()?);
        Ok(())
    }

    fn add(&mut self, word: &str) {
        if !self.name.is_empty() {
            self.name.push(' ');
        }
        self.name.push_str(word);
    }
}

/// A policy with the gap in which its workers die.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// How it is called, without its gap.
    pub name: String,
    /// The policy.
    pub policy: Policy,
    /// Behind which step the workers of the crash list die.
    pub at: Point,
}

impl Contender {
    /// What `spec` asks for over `base`.
    ///
    /// # Errors
    /// A gap that the program does not have, with those that it has.
    pub fn of(spec: &Spec, base: &Policy) -> Result<Contender, NotAChoice> {
        let mut policy = base.clone();
        spec.settings.iter().for_each(|setting| policy.set(*setting));
        let at = spec.at.unwrap_or(telling_point(&policy));
        if !policy.program().has(at) {
            let points: Vec<&str> = policy.program().points().iter().map(|point| point.name()).collect();
            return Err(NotAChoice::new(at.name(), format!("a point of its program: {}", points.join(", "))));
        }
        Ok(Contender { name: spec.name.clone(), policy, at })
    }

    /// The four presets over `base`.
    pub fn presets(base: &Policy) -> Vec<Contender> {
        let contender = |name: &str| {
            let spec = name.parse().expect("a preset is a policy");
            Contender::of(&spec, base).expect("a preset dies where its program can")
        };
        PRESETS.into_iter().map(contender).collect()
    }

    /// True when both ask the same question.
    pub fn same_as(&self, other: &Contender) -> bool {
        (&self.policy, self.at) == (&other.policy, other.at)
    }
}

/// The gap that tells most about a policy: where a death does the harm that the policy is for or against.
pub fn telling_point(policy: &Policy) -> Point {
    match (policy.ack, policy.dedup) {
        (AckOrder::Before, _) => Point::Ack,
        (AckOrder::After, Dedup::KeyThenEffect) => Point::Key,
        (AckOrder::After, Dedup::None | Dedup::EffectThenKey | Dedup::Transactional) => Point::Effect,
        (AckOrder::After, Dedup::Window(_) | Dedup::Ttl(_) | Dedup::PerWorker) => Point::Commit,
    }
}

/// One row of the table: what came of the stream under one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The policy's name.
    pub name: String,
    /// The gap in which its workers died; `None` when nobody was to die.
    pub at: Option<Point>,
    /// The policy.
    pub policy: Policy,
    /// All counters.
    #[serde(flatten)]
    pub counters: Counters,
    /// What the policy promised.
    pub promise: Promise,
    /// Whether it kept that.
    pub verdict: Word,
    /// The verdict in a sentence.
    pub why: String,
    /// Whether the run can be believed.
    #[serde(flatten)]
    pub soundness: Soundness,
    /// The digest of its log, in virtual time.
    pub digest: Option<String>,
    /// The jobs that were lost.
    pub lost_jobs: BTreeSet<Job>,
    /// The jobs that were applied more than once.
    pub duplicated_jobs: BTreeSet<Job>,
}

impl Row {
    /// The name with the gap.
    pub fn label(&self) -> String {
        label(&self.name, self.at)
    }
}

/// The run of `base` under `contender`, with workers that die as `whom` says.
pub fn setup(base: &Setup, whom: Option<&Whom>, contender: &Contender) -> Setup {
    let crash = whom.map(|whom| Strike { whom: whom.clone(), at: contender.at }).into_iter().collect();
    Setup { policy: contender.policy.clone(), crash, ..base.clone() }
}

/// Runs the stream of `base` with the deaths of `whom` under every contender.
///
/// # Errors
/// What the sink says when it cannot be used.
pub fn compare(
    runner: &dyn Runner,
    base: &Setup,
    whom: Option<&Whom>,
    contenders: &[Contender],
) -> Result<Vec<Row>, SinkError> {
    let setups: Vec<Setup> = contenders.iter().map(|contender| setup(base, whom, contender)).collect();
    measure(runner, &setups, |n, ran| row(&contenders[n], whom.is_some(), ran))
}

fn row(contender: &Contender, dies: bool, ran: &Ran) -> Row {
    let (verdict, harm) = (ran.board.verdict(), ran.board.harm());
    Row {
        name: contender.name.clone(),
        at: dies.then_some(contender.at),
        policy: contender.policy.clone(),
        counters: ran.board.counters(),
        promise: verdict.promise,
        verdict: verdict.word,
        why: verdict.why,
        soundness: Soundness::of(&ran.board),
        digest: ran.digest.clone(),
        lost_jobs: harm.lost.clone(),
        duplicated_jobs: harm.twice.clone(),
    }
}

named! {
    /// A harm that jobs came to.
    Kind {
        /// Forgotten without an effect.
        Lost = "lost",
        /// Applied more than once.
        Twice = "twice",
    }
}

/// Jobs that came to harm together, and under which rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Harmed<'a> {
    /// The jobs.
    pub jobs: &'a BTreeSet<Job>,
    /// The rows that harmed exactly these, by place, and how.
    pub by: Vec<(usize, Kind)>,
}

/// The sets of jobs that came to harm, each once, in the order of the rows that harmed them first.
pub fn harmed(rows: &[Row]) -> Vec<Harmed<'_>> {
    let mut sets: Vec<Harmed<'_>> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        for (kind, jobs) in [(Kind::Lost, &row.lost_jobs), (Kind::Twice, &row.duplicated_jobs)] {
            match sets.iter_mut().find(|set| set.jobs == jobs) {
                _ if jobs.is_empty() => {}
                Some(set) => set.by.push((n, kind)),
                None => sets.push(Harmed { jobs, by: vec![(n, kind)] }),
            }
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Spec {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn contender(text: &str) -> Contender {
        Contender::of(&spec(text), &Policy::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn refused(text: &str) -> String {
        text.parse::<Spec>().expect_err(text).to_string()
    }

    #[test]
    fn each_preset_dies_where_it_tells_most() {
        let names: Vec<String> =
            Contender::presets(&Policy::default()).into_iter().map(|it| label(&it.name, Some(it.at))).collect();
        assert_eq!(names, ["at-most-once@ack", "at-least-once@effect", "two-write@effect", "transactional@effect"]);
        for (text, at) in [
            ("key-then-effect", Point::Key),
            ("effect-then-key", Point::Effect),
            ("window:5", Point::Commit),
            ("ttl", Point::Commit),
            ("per-worker", Point::Commit),
            ("two-write@key", Point::Key),
            ("ack=before dedup=transactional", Point::Ack),
        ] {
            assert_eq!(contender(text).at, at, "{text}");
        }
    }

    #[test]
    fn a_policy_written_out_sets_what_it_says_and_leaves_the_rest_to_the_base() {
        let base = Policy { lease: crate::time::Span::seconds(7), ..Policy::default() };
        let it = Contender::of(&spec("dedup=window:9 attempts=2 at=effect"), &base).expect("a policy");
        assert_eq!((it.policy.dedup, it.policy.lease, it.at), (Dedup::Window(9), base.lease, Point::Effect));
        assert_eq!(it.policy.attempts, crate::policy::Attempts::Limit(2));
        assert_eq!(it.name, "dedup=window:9 attempts=2");
        let it = contender("two-write lease=5s fence=on");
        assert_eq!(it.policy.dedup, Dedup::EffectThenKey);
        assert_eq!(it.policy.fence, crate::policy::Switch::On);
    }

    #[test]
    fn every_setting_of_the_grammar_may_be_written() {
        for name in SettingName::ALL {
            let text = format!("{name}={}", Policy::default().value(*name));
            assert_eq!(contender(&text).policy, Policy::default(), "{text}");
        }
    }

    #[test]
    fn what_is_no_policy_is_refused_with_what_would_be_one() {
        assert!(refused("").contains("a policy: at-most-once"));
        assert!(refused("at-least-onec").contains("at-least-once, two-write"));
        assert!(refused("dedpu=none").contains("\"dedpu\" is not a setting: ack, dedup"));
        assert!(refused("dedup=windw").contains("window:N"));
        assert!(refused("window:0").contains("from 1 to"));
        assert!(refused("two-write two-write").contains("a setting such as"));
        assert!(refused("dedup=none dedup=ttl").contains("dedup was set before"));
        assert!(refused("two-write@effect at=key").contains("the gap is effect already"));
        assert!(refused("two-write@nowhere").contains("one of claim"));
        assert!(refused("at=effect").contains("a policy"), "a gap alone is no policy");
    }

    #[test]
    fn a_gap_that_the_program_lacks_is_refused_with_those_that_it_has() {
        let error = Contender::of(&spec("two-write@commit"), &Policy::default()).expect_err("no bracket");
        assert!(error.to_string().ends_with("claim, work, check, effect, key, ack"), "{error}");
    }

    #[test]
    fn a_policy_reads_back_as_it_is_written() {
        for text in ["two-write", "two-write@key", "ack=after dedup=ttl:5s at=effect", "window:5"] {
            assert_eq!(spec(text).to_string(), text);
        }
    }
}
