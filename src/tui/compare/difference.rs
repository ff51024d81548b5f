//! What differs between two sides: by job, and by how often the queue handed jobs out.

use std::collections::BTreeSet;

use crate::board::{Board, Counters, Fate};
use crate::ids::Job;
use crate::text::count;

/// A job whose fate is decided on both sides, and not the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The job.
    pub job: Job,
    /// What became of it on either side.
    pub fates: (Fate, Fate),
}

impl Difference {
    /// `twice in A, once in B`.
    pub fn label(&self) -> String {
        format!("{} in A, {} in B", self.fates.0, self.fates.1)
    }
}

/// The jobs whose fate differs, by number. A job that is still open on one side may yet come out alike.
pub fn differences(a: &Board, b: &Board) -> Vec<Difference> {
    let mut jobs = BTreeSet::new();
    for board in [a, b] {
        jobs.extend(board.harm().lost.iter().chain(&board.harm().twice));
        if board.counters().dead > 0 {
            jobs.extend(board.dead_letters().iter().map(|letter| letter.job));
        }
    }
    let decided = |job: &Job| Some(Difference { job: *job, fates: (a.outcome(*job)?, b.outcome(*job)?) });
    jobs.iter().filter_map(decided).filter(|found| found.fates.0 != found.fates.1).collect()
}

/// The kinds of differences with their jobs, in the order in which the first of each stands.
pub fn kinds(all: &[Difference]) -> Vec<(String, Vec<Job>)> {
    let mut kinds: Vec<(String, Vec<Job>)> = Vec::new();
    for found in all {
        let label = found.label();
        match kinds.iter_mut().find(|(known, _)| *known == label) {
            Some((_, jobs)) => jobs.push(found.job),
            None => kinds.push((label, vec![found.job])),
        }
    }
    kinds
}

/// Whether any job was lost: `none`, `A 3`, `A 3, B 1`.
pub fn lost(a: &Counters, b: &Counters) -> String {
    match (a.lost, b.lost) {
        (0, 0) => "none".to_owned(),
        (n, 0) => format!("A {}", count(n)),
        (0, n) => format!("B {}", count(n)),
        (n, m) => format!("A {}, B {}", count(n), count(m)),
    }
}

/// Whether the queue behaved alike, and the sink. Jobs that are under way are a matter of moments, so where deliveries
/// differ by these alone it is the redeliveries that count.
pub fn behaviour(a: &Counters, b: &Counters) -> String {
    let alike = match (a.deliveries == b.deliveries, a.redeliveries == b.redeliveries) {
        (true, true) => "deliveries are equal".to_owned(),
        (_, true) => format!("redeliveries are equal, {}", count(a.redeliveries)),
        _ => {
            let [a, b] = [a, b].map(|side| count(side.redeliveries));
            return format!("the queue did not behave alike: {a} redeliveries in A, {b} in B");
        }
    };
    match (a.extra_effects == b.extra_effects && a.lost == b.lost, a.redeliveries) {
        (true, 0) => format!("{alike}: nothing has been put to the test"),
        (true, _) => format!("{alike}, and so is what came of them"),
        (false, _) => format!("{alike}: the queue behaved alike, only the sink did not"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(job: u32, a: Fate, b: Fate) -> Difference {
        Difference { job: Job(job), fates: (a, b) }
    }

    #[test]
    fn jobs_that_differ_in_the_same_way_stand_together() {
        let all =
            [found(3, Fate::Twice, Fate::Once), found(5, Fate::Lost, Fate::Once), found(9, Fate::Twice, Fate::Once)];
        let wanted = [
            ("twice in A, once in B".to_owned(), vec![Job(3), Job(9)]),
            ("lost in A, once in B".to_owned(), vec![Job(5)]),
        ];
        assert_eq!(kinds(&all), wanted);
    }

    #[test]
    fn what_was_lost_is_told_with_its_side() {
        let lost_jobs = |lost| Counters { lost, ..Counters::default() };
        assert_eq!(lost(&lost_jobs(0), &lost_jobs(0)), "none");
        assert_eq!(lost(&lost_jobs(398), &lost_jobs(0)), "A 398");
        assert_eq!(lost(&lost_jobs(2), &lost_jobs(1)), "A 2, B 1");
    }

    #[test]
    fn the_queue_and_the_sink_are_told_apart() {
        let side = |deliveries, redeliveries, extra_effects| Counters {
            deliveries,
            redeliveries,
            extra_effects,
            ..Counters::default()
        };
        let told = |a, b| behaviour(&a, &b);
        assert_eq!(
            told(side(56, 2, 1), side(56, 2, 0)),
            "deliveries are equal: the queue behaved alike, only the sink did not"
        );
        assert_eq!(
            told(side(57, 2, 1), side(56, 2, 0)),
            "redeliveries are equal, 2: the queue behaved alike, only the sink did not"
        );
        assert_eq!(told(side(56, 2, 0), side(56, 2, 0)), "deliveries are equal, and so is what came of them");
        assert_eq!(told(side(8, 0, 0), side(8, 0, 0)), "deliveries are equal: nothing has been put to the test");
        assert_eq!(
            told(side(20_000, 0, 0), side(20_398, 398, 398)),
            "the queue did not behave alike: 0 redeliveries in A, 398 in B"
        );
    }
}
