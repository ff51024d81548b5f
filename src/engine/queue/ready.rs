//! The jobs that a claim could hand out, lowest id first.
//!
//! Jobs become ready mostly in the order of their ids, since they arrive in it. Those are kept as a list of runs of
//! ids, which costs next to nothing however many they are; only what comes back out of order goes into a tree.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use crate::ids::Job;

/// A set of jobs with a cheap least element.
#[derive(Clone, Debug, Default)]
pub(super) struct Ready {
    /// Runs of ids, none empty, each wholly below the next.
    runs: VecDeque<Range<u32>>,
    /// What came after a greater id had come. Never an id that lies in a run.
    late: BTreeSet<u32>,
    len: usize,
}

impl Ready {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a job that is not in the set.
    pub(super) fn insert(&mut self, job: Job) {
        self.len += 1;
        match self.runs.back_mut() {
            Some(last) if last.end == job.0 => last.end += 1,
            Some(last) if last.end > job.0 => {
                self.late.insert(job.0);
            }
            _ => self.runs.push_back(job.0..job.0 + 1),
        }
    }

    /// Takes the lowest id out.
    pub(super) fn pop(&mut self) -> Option<Job> {
        let in_run = self.runs.front().map(|run| run.start);
        let id = match (in_run, self.late.first().copied()) {
            (Some(run), Some(late)) if late < run => self.late.pop_first()?,
            (None, Some(_)) => self.late.pop_first()?,
            (Some(_), _) => self.pop_run()?,
            (None, None) => return None,
        };
        self.len -= 1;
        Some(Job(id))
    }

    fn pop_run(&mut self) -> Option<u32> {
        let run = self.runs.front_mut()?;
        let id = run.start;
        run.start += 1;
        if run.start == run.end {
            self.runs.pop_front();
        }
        Some(id)
    }

    /// Takes this job out; true if it was in.
    pub(super) fn remove(&mut self, job: Job) -> bool {
        let removed = self.late.remove(&job.0) || self.cut(job.0);
        self.len -= usize::from(removed);
        removed
    }

    fn cut(&mut self, id: u32) -> bool {
        let at = self.runs.partition_point(|run| run.end <= id);
        let Some(run) = self.runs.get_mut(at).filter(|run| run.contains(&id)) else { return false };
        let after = id + 1..run.end;
        run.end = id;
        if after.start < after.end {
            self.runs.insert(at + 1, after);
        }
        if self.runs[at].start == id {
            self.runs.remove(at);
        }
        true
    }

    /// Every job of the set, in no particular order.
    pub(super) fn into_jobs(self) -> impl Iterator<Item = Job> {
        self.runs.into_iter().flatten().chain(self.late).map(Job)
    }

    /// True when the job is in the set.
    pub(super) fn contains(&self, job: Job) -> bool {
        let at = self.runs.partition_point(|run| run.end <= job.0);
        self.late.contains(&job.0) || self.runs.get(at).is_some_and(|run| run.contains(&job.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_set_whose_lowest_id_comes_first(steps in prop::collection::vec((0..4_u8, 0..40_u32), 1..300)) {
            let (mut ready, mut model) = (Ready::default(), BTreeSet::new());
            for (step, id) in steps {
                match step {
                    0 => prop_assert_eq!(ready.pop().map(|job| job.0), model.pop_first()),
                    1 => prop_assert_eq!(ready.remove(Job(id)), model.remove(&id)),
                    _ if model.insert(id) => ready.insert(Job(id)),
                    _ => {}
                }
                prop_assert_eq!(ready.len(), model.len());
                prop_assert!((0..40).all(|id| ready.contains(Job(id)) == model.contains(&id)));
            }
            let rest: Vec<u32> = std::iter::from_fn(|| ready.pop().map(|job| job.0)).collect();
            prop_assert_eq!(rest, model.into_iter().collect::<Vec<u32>>());
        }
    }

    #[test]
    fn a_million_jobs_that_arrive_in_order_are_one_run() {
        let mut ready = Ready::default();
        (0..1_000_000).for_each(|id| ready.insert(Job(id)));
        assert_eq!((ready.runs.len(), ready.late.len(), ready.len()), (1, 0, 1_000_000));
    }
}
