//! What cannot be, and what will surprise, in a set-up as a whole: every check that needs more than one of its parts.
//!
//! Each finding names the part that it is about, so that a lab file can point at it; how parts are called is the
//! caller's: `--jobs` on a command line, `jobs` in a file.

use super::{Driver, Setup, Strike, Whom};
use crate::policy::{AckOrder, OnDead, Ordering, Point, Policy};
use crate::time::Span;

/// The shortest lease of wall-clock time that a busy machine keeps.
const SHORTEST_REAL_LEASE: Span = Span::millis(100);

/// One thing about a set-up that its writer should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The part that it is about, as [`super::fields`] names it.
    pub field: &'static str,
    /// Which one of a list.
    pub nth: usize,
    /// The point that the policy's program does not have, if that is what is wrong.
    pub misses: Option<Point>,
    /// It, in words.
    pub text: String,
}

impl Finding {
    fn about(field: &'static str, text: impl Into<String>) -> Finding {
        Finding { field, nth: 0, misses: None, text: text.into() }
    }
}

/// What cannot be. Every part's name has `dash` in front of it.
pub fn mistakes(setup: &Setup, dash: &str) -> Vec<Finding> {
    let workload = &setup.workload;
    let mut found = Vec::new();
    if workload.jobs.is_none() && workload.rate.is_none() {
        let text = format!("{dash}for without {dash}jobs is an endless stream of jobs: it needs a {dash}rate");
        found.push(Finding::about("for", text));
    }
    match (workload.poison, workload.jobs) {
        (Some(_), None) => {
            found.push(Finding::about("poison", format!("{dash}poison draws jobs of the stream: it needs {dash}jobs")));
        }
        (Some(poison), Some(jobs)) if poison.count > jobs => {
            let text = format!("{dash}poison {poison} asks for more than the {jobs} jobs of {dash}jobs");
            found.push(Finding::about("poison", text));
        }
        _ => {}
    }
    found.extend(setup.cannot_redeliver().map(|why| Finding::about("redeliver-after", why)));
    found.extend(strikes(setup).filter_map(|(field, nth, strike)| {
        let text = misplaced(&format!("{dash}{field}"), strike, &setup.policy)?;
        Some(Finding { nth, misses: Some(strike.at), ..Finding::about(field, text) })
    }));
    found
}

/// What is legal but will surprise, a sentence each.
pub fn warnings(setup: &Setup, dash: &str) -> Vec<Finding> {
    let policy = &setup.policy;
    let mut found = Vec::new();
    let late = policy.beat().is_some_and(|beat| beat >= policy.lease);
    if late && policy.ack == AckOrder::After {
        let text = format!(
            "renewal {} comes later than the lease of {}: every job longer than the lease will be redelivered",
            policy.renew, policy.lease
        );
        found.push(Finding::about("renew", text));
    }
    let real = Span::from_seconds(policy.lease.as_seconds() / setup.speed);
    if setup.driver == Driver::Threads && real < SHORTEST_REAL_LEASE {
        let text = format!(
            "a lease of {} at speed {} is {:.0} ms on the wall clock: a busy machine redelivers by accident",
            policy.lease,
            setup.speed,
            real.as_seconds() * 1_000.0
        );
        found.push(Finding::about("lease", text));
    }
    if policy.on_dead == OnDead::Block && policy.order == Ordering::None {
        let text = format!("{dash}on-dead block holds keys, and without {dash}order key there are none to hold");
        found.push(Finding::about("on-dead", text));
    }
    found.extend(strikes(setup).filter_map(|(field, nth, strike)| {
        let text = beyond(&format!("{dash}{field}"), strike, setup.workload.jobs, dash)?;
        Some(Finding { nth, ..Finding::about(field, text) })
    }));
    found
}

/// All strikes, with the part that each belongs to and its place there.
fn strikes(setup: &Setup) -> impl Iterator<Item = (&'static str, usize, &Strike)> {
    numbered("crash", &setup.crash).chain(numbered("fail", &setup.fail))
}

fn numbered<'a>(field: &'static str, list: &'a [Strike]) -> impl Iterator<Item = (&'static str, usize, &'a Strike)> {
    list.iter().enumerate().map(move |(nth, strike)| (field, nth, strike))
}

/// Says so when a strike stands at a point that the policy's program does not have.
fn misplaced(flag: &str, strike: &Strike, policy: &Policy) -> Option<String> {
    let strike_at = match &strike.whom {
        Whom::Rate(rate) => format!("{}%@{}", rounded(rate.value() * 100.0), strike.at),
        Whom::Page | Whom::Ids(_) => strike.to_string(),
    };
    nobody_stands_at(strike.at, policy).map(|why| format!("{flag} {strike_at}: {why}"))
}

/// Why no worker dies or fails at `point` under `policy`; `None` when its program has the point.
pub fn nobody_stands_at(point: Point, policy: &Policy) -> Option<String> {
    let program = policy.program();
    if program.has(point) {
        return None;
    }
    let points: Vec<&str> = program.points().into_iter().map(Point::name).collect();
    Some(format!(
        "no worker stands at {point} with ack {} and dedup {}; the points are {}",
        policy.ack,
        policy.dedup,
        points.join(", ")
    ))
}

/// `value` with at most two decimals.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Says so when a list names jobs that will not arrive: they need not be struck.
fn beyond(flag: &str, strike: &Strike, jobs: Option<u32>, dash: &str) -> Option<String> {
    let (Whom::Ids(ids), Some(jobs)) = (&strike.whom, jobs) else { return None };
    let missing = ids.range(jobs..).count();
    let names = format!("{flag} at {} names {missing} of {} jobs", strike.at, ids.len());
    (missing > 0).then(|| format!("{names} beyond {dash}jobs {jobs}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_its_part_and_its_place_and_calls_parts_as_it_is_told() {
        let mut setup = Setup::headless(1);
        setup.workload.poison = Some("2000".parse().expect("poison"));
        setup.crash = ["1%@work", "page@ack"].map(|text| text.parse().expect(text)).to_vec();
        setup.fail = ["ids:1,5000@work", "2.5%@key"].map(|text| text.parse().expect(text)).to_vec();
        setup.policy.dedup = crate::policy::Dedup::None;
        let found = mistakes(&setup, "");
        let places: Vec<_> = found.iter().map(|finding| (finding.field, finding.nth, finding.misses)).collect();
        assert_eq!(places, [("poison", 0, None), ("fail", 1, Some(Point::Key))]);
        assert!(found[0].text.ends_with("the 1000 jobs of jobs"), "{found:?}");
        assert!(found[1].text.starts_with("fail 2.5%@key: no worker stands at key"), "{found:?}");
        let warned = warnings(&setup, "--");
        assert_eq!(warned[0].text, "--fail at work names 1 of 2 jobs beyond --jobs 1000");
        assert_eq!((warned[0].field, warned[0].nth), ("fail", 0));
    }
}
