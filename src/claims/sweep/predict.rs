//! What arithmetic says of a sweep before anything is run.
//!
//! A formula holds for a plain set-up only: whatever else is asked for that could change the outcome leaves it without
//! a prediction, and never with a wrong one.

use super::{Parameter, Prediction, Quantity};
use crate::page;
use crate::policy::{
    AckOrder, Attempts, Dedup, DedupKey, Memory, OnLostLease, Ordering, Point, Policy, Stage, Statement, Switch,
};
use crate::setup::{Setup, Whom, Work};
use crate::time::Span;

/// What is expected of `setup`, which has one value of `parameter`.
pub fn predict(parameter: Parameter, setup: &Setup) -> Prediction {
    match parameter {
        Parameter::Window => Prediction {
            of: Quantity::Twice,
            formula: "crashes x (1 - window / longest distance), at least 0",
            expected: forgotten(setup),
            crashes: None,
        },
        Parameter::Lease => Prediction {
            of: Quantity::Twice,
            formula: "jobs whose work outlasts the lease",
            expected: outlasting(setup),
            crashes: None,
        },
        Parameter::Renewal => Prediction {
            of: Quantity::Twice,
            formula: "0 when a beat comes in time, else jobs whose work outlasts the lease",
            expected: outlasting(setup),
            crashes: None,
        },
        Parameter::CrashRate => crashed(setup),
        Parameter::MaxAttempts => Prediction {
            of: Quantity::Dead,
            formula: "jobs x rate ^ attempts, or poisonous jobs",
            expected: dead(setup),
            crashes: None,
        },
    }
}

/// What stands in the way of every formula.
fn is_plain(setup: &Setup) -> bool {
    let nothing_is_lost =
        [setup.lose_beats, setup.lose_acks, setup.lose_replies].iter().all(|rate| rate.value() == 0.0);
    let (policy, workload) = (&setup.policy, &setup.workload);
    let goes_on = policy.on_lost_lease == OnLostLease::Continue && policy.fence == Switch::Off;
    nothing_is_lost
        && goes_on
        && policy.order == Ordering::None
        && workload.stream_for.is_none()
        && setup.respawn.is_some()
}

fn jobs(setup: &Setup) -> Option<f64> {
    setup.workload.jobs.map(f64::from)
}

/// Jobs of the one crash list that the window has forgotten when they come back.
fn forgotten(setup: &Setup) -> Option<f64> {
    let (policy, workload) = (&setup.policy, &setup.workload);
    let (Dedup::Window(window), Some(planned), [strike]) = (policy.dedup, workload.redeliver_after, &setup.crash[..])
    else {
        return None;
    };
    let alone = setup.fail.is_empty() && workload.poison.is_none() && policy.key == DedupKey::Job;
    let tried_again = policy.ack == AckOrder::After && allows_two(policy);
    if !(is_plain(setup) && alone && tried_again && strike.at == Point::Commit) {
        return None;
    }
    let jobs = workload.jobs?;
    let crashes = match &strike.whom {
        Whom::Page => page::crashes().range(..jobs).count(),
        Whom::Ids(ids) => ids.range(..jobs).count(),
        Whom::Rate(_) => return None,
    };
    let (least, most) = planned.jobs;
    let distances = f64::from(most - least + 1);
    let beyond = f64::from(most.saturating_sub(window.max(least - 1)));
    Some(crashes as f64 * beyond / distances)
}

fn allows_two(policy: &Policy) -> bool {
    policy.attempts.allows(1)
}

/// Jobs that are applied twice because their work outlasts their lease, with nothing that recognises the second.
fn outlasting(setup: &Setup) -> Option<f64> {
    let (policy, workload) = (&setup.policy, &setup.workload);
    let no_faults = setup.crash.is_empty() && setup.fail.is_empty() && workload.poison.is_none();
    if !(is_plain(setup) && no_faults && setup.gap.is_zero()) {
        return None;
    }
    let jobs = jobs(setup)?;
    let in_time = policy.beat().is_some_and(|beat| beat < policy.lease);
    if policy.ack == AckOrder::Before || in_time || !allows_two(policy) {
        return Some(0.0);
    }
    match policy.dedup {
        Dedup::None => Some(jobs * longer_than(workload.work, policy.lease)),
        Dedup::Transactional if policy.key == DedupKey::Job => Some(0.0),
        _ => None,
    }
}

/// The probability that a job works for `lease` or longer.
fn longer_than(work: Work, lease: Span) -> f64 {
    let seconds = lease.as_seconds();
    match work {
        Work::Page => 0.95 * libm::exp(-seconds / 2.0) + 0.05 * libm::exp(-seconds / 40.0),
        Work::Exponential(mean) if mean.is_zero() => 0.0,
        Work::Exponential(mean) => libm::exp(-seconds / mean.as_seconds()),
        Work::Fixed(span) => f64::from(u8::from(span >= lease)),
        Work::Around(middle, milli) => {
            let swing = middle.as_seconds() * f64::from(milli) / 1_000.0;
            let (low, high) = (middle.as_seconds() - swing, middle.as_seconds() + swing);
            if swing == 0.0 {
                f64::from(u8::from(middle >= lease))
            } else {
                ((high - seconds) / (high - low)).clamp(0.0, 1.0)
            }
        }
    }
}

/// What a delivery that ends in a gap leaves behind for the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// Nothing: the job comes back and is done from the start.
    Nothing,
    /// An effect that nobody will recognise, and the job comes back.
    Effect,
    /// A key without an effect, and the job comes back to it.
    Key,
    /// An effect that will be recognised, or nothing comes back.
    Settled,
    /// Nothing, and nothing comes back.
    Forgotten,
}

/// What is left when a worker of `policy` ends at `at`; `None` when it depends on how long the sink remembers.
fn left(policy: &Policy, at: Point) -> Option<Left> {
    let (mut acked, mut effect, mut key) = (false, false, false);
    let program = policy.program();
    for stage in program.stages() {
        let ends_here = match stage {
            Stage::Transaction(statements) => {
                let inside = statements.iter().any(|statement| statement.point() == at);
                let rolled_back = inside && statements.len() > 1;
                effect |= statements.contains(&Statement::Effect) && !rolled_back;
                key |= statements.contains(&Statement::Key) && !rolled_back;
                inside || (at == Point::Commit && statements.len() > 1)
            }
            Stage::Ack => {
                acked = true;
                at == Point::Ack
            }
            Stage::Claim => at == Point::Claim,
            Stage::Work => at == Point::Work,
            Stage::Remember => at == Point::Key,
        };
        if ends_here {
            break;
        }
    }
    let recognised = key && policy.key == DedupKey::Job;
    match (acked, effect, recognised) {
        (true, true, _) => Some(Left::Settled),
        (true, false, _) => Some(Left::Forgotten),
        (false, true, true) if program.memory() == Memory::Durable => Some(Left::Settled),
        (false, true, true) => None,
        (false, true, false) => Some(Left::Effect),
        (false, false, true) => Some(Left::Key),
        (false, false, false) => Some(Left::Nothing),
    }
}

/// What comes of workers that die at one rate, each attempt anew.
fn crashed(setup: &Setup) -> Prediction {
    let nothing = Prediction { of: Quantity::Twice, formula: "", expected: None, crashes: None };
    let [strike] = &setup.crash[..] else { return nothing };
    let Whom::Rate(rate) = strike.whom else { return nothing };
    let alone = setup.fail.is_empty() && setup.workload.poison.is_none() && setup.workload.redeliver_after.is_none();
    let plain = is_plain(setup) && alone && !outlives_its_lease(setup);
    let (jobs, rate) = (jobs(setup).filter(|_| plain), rate.value());
    let (first, last) = (jobs.map(|jobs| jobs * rate), jobs.map(|jobs| jobs * last_of(rate, setup.policy.attempts)));
    let again = first.map(|first| if allows_two(&setup.policy) { first } else { 0.0 });
    let starts = jobs.map(|jobs| jobs * rate * starts(rate, setup.policy.attempts));
    match left(&setup.policy, strike.at) {
        None => nothing,
        Some(Left::Nothing) => Prediction {
            of: Quantity::Dead,
            formula: "jobs x rate ^ attempts: each crash is tried again",
            expected: last,
            crashes: starts,
        },
        Some(Left::Effect) => {
            let formula = "jobs x rate: the first crash leaves an effect that is not recognised";
            Prediction { of: Quantity::Twice, formula, expected: again, crashes: starts }
        }
        Some(Left::Key) => {
            let formula = "jobs x rate: the first crash leaves a key without its effect";
            Prediction { of: Quantity::Lost, formula, expected: again, crashes: None }
        }
        Some(Left::Forgotten) => {
            let formula = "jobs x rate: the first crash is the last, since the job was acked";
            Prediction { of: Quantity::Lost, formula, expected: first, crashes: first }
        }
        Some(Left::Settled) => {
            let formula = "0: a crash comes too late to harm";
            Prediction { of: Quantity::Twice, formula, expected: jobs.map(|_| 0.0), crashes: None }
        }
    }
}

/// True when leases run out for another reason than a death.
fn outlives_its_lease(setup: &Setup) -> bool {
    let in_time = setup.policy.beat().is_some_and(|beat| beat < setup.policy.lease);
    !in_time && longer_than(setup.workload.work, setup.policy.lease) > 0.0
}

/// The probability that each attempt that is allowed ends so, of which each does with `rate`.
fn last_of(rate: f64, attempts: Attempts) -> f64 {
    match attempts {
        Attempts::Limit(n) => libm::pow(rate, n.into()),
        Attempts::Unlimited => 0.0,
    }
}

/// How often a job is started on average when each start fails with `rate`: 1 + rate + rate^2 and so on.
fn starts(rate: f64, attempts: Attempts) -> f64 {
    match attempts {
        Attempts::Limit(n) if rate >= 1.0 => n.into(),
        _ => (1.0 - last_of(rate, attempts)) / (1.0 - rate),
    }
}

/// Jobs that no attempt brings through: those that fail or crash at one rate, or the poisonous ones.
fn dead(setup: &Setup) -> Option<f64> {
    let (policy, workload) = (&setup.policy, &setup.workload);
    if !is_plain(setup) || workload.redeliver_after.is_some() || outlives_its_lease(setup) {
        return None;
    }
    let strikes: Vec<_> = setup.crash.iter().chain(&setup.fail).collect();
    match (&strikes[..], workload.poison) {
        ([], None) => Some(0.0),
        ([], Some(poison)) if policy.ack == AckOrder::After => Some(poison.count.into()),
        ([strike], None) => match (&strike.whom, left(policy, strike.at)?) {
            (Whom::Rate(rate), Left::Nothing) => Some(jobs(setup)? * last_of(rate.value(), policy.attempts)),
            (Whom::Rate(_), Left::Effect | Left::Settled | Left::Forgotten) => Some(0.0),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::compare::Contender;
    use crate::claims::sweep::{Plan, Sweep};
    use crate::policy::Program;

    fn plan(text: &str) -> Plan {
        let sweep: Sweep = text.parse().expect("a sweep");
        let mut base = sweep.parameter.defaults(1);
        sweep.parameter.default_faults(&mut base);
        Plan { at: crate::claims::compare::telling_point(&base.policy), sweep, base }
    }

    fn expected(plan: &Plan) -> Vec<Option<f64>> {
        plan.predictions().iter().map(|prediction| prediction.expected.map(|n| (n * 100.0).round() / 100.0)).collect()
    }

    fn some(figures: &[f64]) -> Vec<Option<f64>> {
        figures.iter().copied().map(Some).collect()
    }

    #[test]
    fn a_window_forgets_in_proportion_to_what_it_lacks() {
        // 398 crashes: 398 x 1,900 / 2,000, 398 x 3 / 4, 398 / 2, 398 / 4, none.
        let wanted = [378.1, 298.5, 199.0, 99.5, 0.0, 0.0];
        assert_eq!(expected(&plan("window=100,500,1000,1500,2000,5000")), some(&wanted));
        let mut unstable = plan("window=100");
        unstable.base.policy.key = DedupKey::Random;
        assert_eq!(expected(&unstable), [None]);
    }

    #[test]
    fn a_lease_is_outlasted_as_the_distribution_of_the_work_says() {
        // 20,000 x (0.95 e^(-T/2) + 0.05 e^(-T/40)), worked out apart from this code.
        assert_eq!(expected(&plan("lease=5s,15s,30s,60s,300s")), some(&[2_442.11, 697.8, 472.37, 223.13, 0.55]));
        let mut fixed = plan("lease=2s,3s,4s");
        fixed.base.workload.work = Work::Fixed(Span::seconds(3));
        assert_eq!(expected(&fixed), some(&[20_000.0, 20_000.0, 0.0]), "a lease ends at its deadline");
        fixed.base.workload.work = Work::Around(Span::seconds(3), 500);
        assert_eq!(expected(&fixed), some(&[16_666.67, 10_000.0, 3_333.33]), "uniform from 1.5 s to 4.5 s");
        fixed.base.policy.dedup = Dedup::Transactional;
        assert_eq!(expected(&fixed), some(&[0.0; 3]));
        fixed.base.policy.dedup = Dedup::PerWorker;
        assert_eq!(expected(&fixed), [None; 3]);
    }

    #[test]
    fn a_beat_in_time_frees_the_lease_from_the_work() {
        assert_eq!(expected(&plan("renewal=off,1/3,2x,4s,5s")), some(&[2_442.11, 0.0, 2_442.11, 0.0, 2_442.11]));
    }

    #[test]
    fn a_crash_rate_harms_by_policy_and_gap() {
        let of = |text: &str| {
            let mut plan = plan("crash-rate=10%");
            let contender = Contender::of(&text.parse().expect("a policy"), &plan.base.policy).expect("a gap");
            (plan.base.policy, plan.at) = (contender.policy, contender.at);
            let prediction = plan.predictions()[0];
            (prediction.of, prediction.expected.map(f64::round), prediction.crashes.map(f64::round))
        };
        // 2,000 of 20,000 die at their first start, 200 at the second, 20 at the third.
        assert_eq!(of("at-least-once"), (Quantity::Twice, Some(2_000.0), Some(2_220.0)));
        assert_eq!(of("two-write"), (Quantity::Twice, Some(2_000.0), Some(2_220.0)));
        assert_eq!(of("at-most-once"), (Quantity::Lost, Some(2_000.0), Some(2_000.0)));
        assert_eq!(of("transactional"), (Quantity::Dead, Some(20.0), Some(2_220.0)));
        assert_eq!(of("transactional@commit"), (Quantity::Twice, Some(0.0), None));
        assert_eq!(of("transactional@commit key=attempt"), (Quantity::Twice, Some(2_000.0), Some(2_220.0)));
        assert_eq!(of("key-then-effect"), (Quantity::Lost, Some(2_000.0), None));
        assert_eq!(of("per-worker"), (Quantity::Twice, Some(2_000.0), Some(2_220.0)));
        assert_eq!(of("at-least-once attempts=1"), (Quantity::Twice, Some(0.0), Some(2_000.0)));
        assert_eq!(of("at-least-once@ack"), (Quantity::Twice, Some(0.0), None));
        assert_eq!(of("window:5"), (Quantity::Twice, None, None), "it depends on what the window still has");
    }

    #[test]
    fn attempts_bury_what_fails_each_time() {
        // 30 % of 20,000, again and again.
        assert_eq!(expected(&plan("max-attempts=1,2,3,4")), some(&[6_000.0, 1_800.0, 540.0, 162.0]));
        let mut poisoned = plan("max-attempts=1,5");
        poisoned.base.fail.clear();
        poisoned.base.workload.poison = "7:crash".parse().ok();
        assert_eq!(expected(&poisoned), some(&[7.0, 7.0]));
    }

    #[test]
    fn what_a_death_leaves_is_what_the_grid_says() {
        use crate::claims::grid::places;
        for place in places() {
            let policy = Policy { ack: place.ack, dedup: place.dedup, ..Policy::default() };
            assert!(Program::of(place.ack, place.dedup).has(place.point));
            let wanted = match (place.ack, place.dedup, place.point) {
                (AckOrder::Before, _, Point::Ack | Point::Work) => Left::Forgotten,
                (AckOrder::Before, _, Point::Effect) => Left::Settled,
                (_, Dedup::None | Dedup::EffectThenKey, Point::Effect) => Left::Effect,
                (_, Dedup::KeyThenEffect, Point::Key) => Left::Key,
                (_, Dedup::EffectThenKey, Point::Key) | (_, Dedup::KeyThenEffect, Point::Effect) => Left::Settled,
                (_, _, Point::Commit) => Left::Settled,
                _ => Left::Nothing,
            };
            assert_eq!(left(&policy, place.point), Some(wanted), "{place:?}");
        }
    }
}
