//! What is done to a run in virtual time, known before it starts: at a moment, or when a job comes to a point.

use std::collections::{BTreeMap, VecDeque};

use crate::action::Action;
use crate::event::{By, Event, What};
use crate::ids::{Job, Token};
use crate::policy::Point;
use crate::time::Instant;

/// An action that is known before the run starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// When it is done.
    pub when: When,
    /// What is done.
    pub action: Action,
    /// Who does it.
    pub by: By,
}

/// When a planned action is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At this moment of lab time, before anything else that happens at it; of several, each once the one before has had
    /// its consequences at that moment. The run goes on at least until then.
    At(Instant),
    /// As soon as this attempt (from 1) at this job has passed the point, before its worker goes on. What happens
    /// inside a bracket is told at its commit, so there its points are passed together.
    Passes {
        /// The job.
        job: Job,
        /// Which attempt at it.
        attempt: u32,
        /// The point.
        point: Point,
    },
}

/// What is still to be done.
pub(super) struct Plan {
    at: VecDeque<(Instant, Action, By)>,
    passes: Vec<(Job, u32, Point, Action, By)>,
    /// The deliveries under way that something is planned for.
    watched: BTreeMap<Token, (Job, u32)>,
}

impl Plan {
    pub(super) fn new(planned: Vec<Planned>) -> Plan {
        let mut plan = Plan { at: VecDeque::new(), passes: Vec::new(), watched: BTreeMap::new() };
        for Planned { when, action, by } in planned {
            match when {
                When::At(at) => plan.at.push_back((at, action, by)),
                When::Passes { job, attempt, point } => plan.passes.push((job, attempt, point, action, by)),
            }
        }
        plan.at.make_contiguous().sort_by_key(|(at, ..)| *at);
        plan
    }

    /// The next moment at which something is planned.
    pub(super) fn next(&self) -> Instant {
        self.at.front().map_or(Instant::NEVER, |(at, ..)| *at)
    }

    /// Takes out what is planned next, if that is for `until` or before.
    pub(super) fn take_next(&mut self, until: Instant) -> Option<(Action, By)> {
        let (_, action, by) = self.at.pop_front_if(|(at, ..)| *at <= until)?;
        Some((action, by))
    }

    /// True when something waits for a job to come to a point.
    pub(super) fn watches(&self) -> bool {
        !self.passes.is_empty()
    }

    /// Takes out what is planned for the points that these events pass.
    pub(super) fn take_passed(&mut self, events: &[Event]) -> Vec<(Action, By)> {
        events.iter().flat_map(|event| self.passed(&event.what)).collect()
    }

    fn passed(&mut self, what: &What) -> Vec<(Action, By)> {
        let (token, point) = match *what {
            What::Claimed { j, n, k, .. } => {
                if self.passes.iter().any(|(job, attempt, ..)| (*job, *attempt) == (j, n)) {
                    self.watched.insert(k, (j, n));
                }
                (k, Point::Claim)
            }
            What::Stepped { k, p, .. } => (k, p),
            What::Effect { k, .. } => (k, Point::Effect),
            What::Key { k, .. } => (k, Point::Key),
            What::Acked { k, .. } | What::AckLost { k, .. } | What::AckStale { k, .. } => (k, Point::Ack),
            _ => return Vec::new(),
        };
        let Some((job, attempt)) = self.watched.get(&token).copied() else { return Vec::new() };
        let here = |(j, n, p, ..): &mut (Job, u32, Point, Action, By)| (*j, *n, *p) == (job, attempt, point);
        self.passes.extract_if(.., here).map(|(.., action, by)| (action, by)).collect()
    }
}
