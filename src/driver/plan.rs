//! What is done to a run by itself: something that hears of every event and knows what comes next, on either driver.
//!
//! A [`Plan`] sees nothing but the events and the moments of the run, so that what it does can be repeated: in virtual
//! time exactly, on threads as far as the run itself is. A list of [`Planned`] actions is the simplest one.

use std::collections::{BTreeMap, VecDeque};

use crate::action::Action;
use crate::event::{By, Event, What};
use crate::ids::{Job, Token};
use crate::policy::Point;
use crate::time::Instant;

/// What a plan has done.
#[derive(Clone, Debug, PartialEq)]
pub enum Cue {
    /// This is done to the run; what comes of it is an event.
    Act(Action, By),
    /// This is told, for whoever looks on: words, never anything that a fold counts.
    Tell(What),
    /// The run ends here and now.
    End,
}

/// What is done to a run, decided from its events and moments as it goes on.
pub trait Plan: Send {
    /// The next moment at which something is to be done whatever happens until then; never, if nothing is. The run goes
    /// on at least until then.
    fn next(&self) -> Instant;
    /// Takes out what is to be done next, if that is for `until` or before: everything that belongs together, and
    /// nothing if nothing is due. What is done at one moment is asked for one by one, each once the one before has had
    /// its consequences at that moment; at the start of a run, before anybody has done anything.
    fn due(&mut self, until: Instant) -> Vec<Cue>;
    /// True when it is to hear of what happens.
    fn listens(&self) -> bool;
    /// Hears of what has just happened, and takes out what is to be done about it at once.
    fn heard(&mut self, events: &[Event]) -> Vec<Cue>;
}

/// No plan: nothing is done by itself.
pub fn nothing() -> Box<dyn Plan> {
    Vec::new().into()
}

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
    /// its consequences at that moment. At the start they come behind the jobs that arrive at it, and before one is handed out. The run goes on at least until then.
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

impl From<Vec<Planned>> for Box<dyn Plan> {
    fn from(planned: Vec<Planned>) -> Box<dyn Plan> {
        Box::new(Listed::new(planned))
    }
}

/// What of a list is still to be done.
struct Listed {
    at: VecDeque<(Instant, Action, By)>,
    passes: Vec<(Job, u32, Point, Action, By)>,
    /// The deliveries under way that something is planned for.
    watched: BTreeMap<Token, (Job, u32)>,
}

impl Listed {
    fn new(planned: Vec<Planned>) -> Listed {
        let mut plan = Listed { at: VecDeque::new(), passes: Vec::new(), watched: BTreeMap::new() };
        for Planned { when, action, by } in planned {
            match when {
                When::At(at) => plan.at.push_back((at, action, by)),
                When::Passes { job, attempt, point } => plan.passes.push((job, attempt, point, action, by)),
            }
        }
        plan.at.make_contiguous().sort_by_key(|(at, ..)| *at);
        plan
    }

    fn passed(&mut self, what: &What) -> Vec<Cue> {
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
        self.passes.extract_if(.., here).map(|(.., action, by)| Cue::Act(action, by)).collect()
    }
}

impl Plan for Listed {
    fn next(&self) -> Instant {
        self.at.front().map_or(Instant::NEVER, |(at, ..)| *at)
    }

    fn due(&mut self, until: Instant) -> Vec<Cue> {
        let next = self.at.pop_front_if(|(at, ..)| *at <= until);
        next.into_iter().map(|(_, action, by)| Cue::Act(action, by)).collect()
    }

    fn listens(&self) -> bool {
        !self.passes.is_empty()
    }

    fn heard(&mut self, events: &[Event]) -> Vec<Cue> {
        events.iter().flat_map(|event| self.passed(&event.what)).collect()
    }
}
