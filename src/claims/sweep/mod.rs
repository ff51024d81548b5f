//! One parameter against what comes of it: a run of the lab for each value, beside what arithmetic predicts.
//!
//! `values` reads what is swept, `predict` has the formulas. Each parameter has a set-up of its own that repeats one of
//! the page's measurements unless something else is asked for.

mod predict;
mod values;

use serde::Serialize;

use super::{Ran, Runner, Soundness, measure};
use crate::board::Counters;
use crate::policy::{Attempts, Dedup, Point, Renewal, SettingName, named};
use crate::request::SinkError;
use crate::setup::{PAGE_JOBS, Rate, RedeliverAfter, Setup, Strike, Whom, Work};
use crate::time::Span;

pub use values::{MOST, Sweep};

named! {
    /// What can be swept.
    Parameter {
        /// How many ids the sink remembers.
        Window = "window",
        /// How long one delivery is leased.
        Lease = "lease",
        /// When the lease is renewed.
        Renewal = "renewal",
        /// The probability that the worker of an attempt dies.
        CrashRate = "crash-rate",
        /// How often a job may be started.
        MaxAttempts = "max-attempts",
    }
}

/// One value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of [`Parameter::Window`].
    Window(u32),
    /// Of [`Parameter::Lease`].
    Lease(Span),
    /// Of [`Parameter::Renewal`].
    Renewal(Renewal),
    /// Of [`Parameter::CrashRate`].
    CrashRate(Rate),
    /// Of [`Parameter::MaxAttempts`].
    MaxAttempts(u32),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Window(n) | Value::MaxAttempts(n) => n.fmt(f),
            Value::Lease(span) => span.fmt(f),
            Value::Renewal(renewal) => renewal.fmt(f),
            Value::CrashRate(rate) => rate.fmt(f),
        }
    }
}

impl Value {
    /// The value as a number: jobs, seconds, a probability, starts. A renewal has none.
    pub fn number(self) -> Option<f64> {
        match self {
            Value::Window(n) | Value::MaxAttempts(n) => Some(n.into()),
            Value::Lease(span) => Some(span.as_seconds()),
            Value::Renewal(_) => None,
            Value::CrashRate(rate) => Some(rate.value()),
        }
    }

    /// Puts the value into a set-up. Workers of a crash rate die at `at`.
    fn put(self, setup: &mut Setup, at: Point) {
        match self {
            Value::Window(n) => setup.policy.dedup = Dedup::Window(n),
            Value::Lease(lease) => setup.policy.lease = lease,
            Value::Renewal(renew) => setup.policy.renew = renew,
            Value::CrashRate(rate) => setup.crash = vec![Strike { whom: Whom::Rate(rate), at }],
            Value::MaxAttempts(n) => setup.policy.attempts = Attempts::Limit(n),
        }
    }
}

impl Parameter {
    /// The setting of a policy that the sweep sets; a crash rate is none.
    pub fn setting(self) -> Option<SettingName> {
        match self {
            Parameter::Window => Some(SettingName::Dedup),
            Parameter::Lease => Some(SettingName::Lease),
            Parameter::Renewal => Some(SettingName::Renew),
            Parameter::CrashRate => None,
            Parameter::MaxAttempts => Some(SettingName::Attempts),
        }
    }

    /// What is swept unless something else is asked for: the page's measurement of this parameter, or one like it.
    pub fn defaults(self, seed: u64) -> Setup {
        let mut setup = Setup::headless(seed);
        setup.workload.jobs = Some(PAGE_JOBS);
        setup.workers = 8;
        match self {
            Parameter::Window => {
                setup.workload.rate = Some(1.0);
                setup.workload.redeliver_after = Some(RedeliverAfter { jobs: (1, 2_000), seed: 17 });
                setup.policy.dedup = Dedup::Window(Dedup::DEFAULT_WINDOW);
            }
            Parameter::Lease | Parameter::Renewal => {
                setup.workload.work = Work::Page;
                setup.policy.dedup = Dedup::None;
                setup.policy.renew = Renewal::Off;
                setup.policy.lease = Span::seconds(5);
                setup.policy.attempts = Attempts::Limit(2);
            }
            Parameter::CrashRate => setup.policy.dedup = Dedup::None,
            Parameter::MaxAttempts => {}
        }
        setup
    }

    /// Who dies and who fails unless faults are asked for.
    pub fn default_faults(self, setup: &mut Setup) {
        let thirty_percent = Rate::new(0.3).expect("a probability");
        match self {
            Parameter::Window if setup.crash.is_empty() => {
                setup.crash.push(Strike { whom: Whom::Page, at: Point::Commit });
            }
            Parameter::MaxAttempts
                if setup.crash.is_empty() && setup.fail.is_empty() && setup.workload.poison.is_none() =>
            {
                setup.fail.push(Strike { whom: Whom::Rate(thirty_percent), at: Point::Work });
            }
            _ => {}
        }
    }
}

named! {
    /// What is predicted, among the fates of jobs.
    Quantity {
        /// Jobs lost.
        Lost = "lost",
        /// Jobs applied more than once.
        Twice = "twice",
        /// Jobs that are dead and were not applied.
        Dead = "dead",
    }
}

impl Quantity {
    /// How many there were.
    pub fn of(self, counters: &Counters) -> u64 {
        match self {
            Quantity::Lost => counters.lost,
            Quantity::Twice => counters.duplicated,
            Quantity::Dead => counters.dead_unapplied(),
        }
    }
}

/// What arithmetic says before anything is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Of what.
    pub of: Quantity,
    /// By which formula, in words.
    pub formula: &'static str,
    /// How many are expected; `None` where the formula does not hold.
    pub expected: Option<f64>,
    /// How many workers are expected to die, where that is known.
    pub crashes: Option<f64>,
}

/// A sweep with its set-up.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What is swept.
    pub sweep: Sweep,
    /// What all runs have in common.
    pub base: Setup,
    /// Where the workers of a crash rate die.
    pub at: Point,
}

impl Plan {
    /// The run at each value.
    pub fn setups(&self) -> Vec<Setup> {
        let setup = |value: &Value| {
            let mut setup = self.base.clone();
            value.put(&mut setup, self.at);
            setup
        };
        self.sweep.values.iter().map(setup).collect()
    }

    /// What is expected at each value.
    pub fn predictions(&self) -> Vec<Prediction> {
        self.setups().iter().map(|setup| predict::predict(self.sweep.parameter, setup)).collect()
    }
}

/// One row: what came of one value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The value, as a flag writes it.
    pub value: String,
    /// The value as a number, if it is one.
    pub number: Option<f64>,
    /// All counters.
    #[serde(flatten)]
    pub counters: Counters,
    /// How many were measured of what is predicted.
    pub measured: u64,
    /// How many are expected, where a formula is known.
    pub predicted: Option<f64>,
    /// How many more were measured than expected.
    pub difference: Option<f64>,
    /// How many workers are expected to die, where that is known.
    pub predicted_crashes: Option<f64>,
    /// Whether the run can be believed.
    #[serde(flatten)]
    pub soundness: Soundness,
    /// The digest of its log, in virtual time.
    pub digest: Option<String>,
}

/// Runs `plan` at each of its values.
///
/// # Errors
/// What the sink says when it cannot be used.
pub fn sweep(runner: &dyn Runner, plan: &Plan) -> Result<Vec<Row>, SinkError> {
    let predictions = plan.predictions();
    measure(runner, &plan.setups(), |n, ran| row(plan.sweep.values[n], predictions[n], ran))
}

fn row(value: Value, prediction: Prediction, ran: &Ran) -> Row {
    let counters = ran.board.counters();
    let measured = prediction.of.of(&counters);
    Row {
        value: value.to_string(),
        number: value.number(),
        counters,
        measured,
        predicted: prediction.expected,
        difference: prediction.expected.map(|expected| measured as f64 - expected),
        predicted_crashes: prediction.crashes,
        soundness: Soundness::of(&ran.board),
        digest: ran.digest.clone(),
    }
}
