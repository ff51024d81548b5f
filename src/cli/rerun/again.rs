//! What was done to a recorded run, as a plan that does it again.

use std::collections::VecDeque;
use std::io::BufRead;

use crate::action;
use crate::driver::plan::{Cue, Plan};
use crate::event::{By, End, Event, Finish, What};
use crate::recording::{Damage, Entry, Reader};
use crate::time::Instant;

/// Something that was done, and its place: after so many events, at this moment.
struct Step {
    events: u64,
    at: Instant,
    cue: Cue,
}

/// Everything that was done, in order.
#[derive(Default)]
pub struct Done {
    steps: VecDeque<Step>,
}

impl Done {
    /// Takes out where somebody ended the run, if somebody did: after so many events, at this moment.
    pub fn take_end(&mut self) -> Option<(u64, Instant)> {
        let end = self.steps.pop_back_if(|step| matches!(step.cue, Cue::End))?;
        Some((end.events, end.at))
    }

    /// How many of these are actions.
    pub fn acts(&self) -> u64 {
        self.steps.iter().filter(|step| matches!(step.cue, Cue::Act(..))).count() as u64
    }
}

/// Reads what was done. The end of a run that did not end by itself is done too; one that was cut off is ended where the
/// recording is.
///
/// # Errors
/// Where the recording is damaged.
pub fn everything_done<R: BufRead>(mut reader: Reader<R>) -> Result<Done, Damage> {
    let mut done = Done::default();
    let (mut events, mut last) = (0, Instant::START);
    // Where the events begin that only the end of a run has.
    let mut ending: Option<(u64, Instant)> = None;
    let mut quit = true;
    // True behind an action, which brings its own mark about.
    let mut by_hand = false;
    while let Some(entry) = reader.entry()? {
        let Entry::Event(event) = entry else { continue };
        let here = (events, event.at);
        ending = match &event.what {
            _ if !ends(&event.what) && !matches!(event.what, What::Audited { .. }) => None,
            What::Audited { .. } => ending.filter(|(_, at)| *at == event.at),
            _ => ending.filter(|(_, at)| *at == event.at).or(Some(here)),
        };
        if let What::Finished { how, .. } = &event.what {
            quit = !matches!(how, Finish::Drained | Finish::Stuck);
        }
        if let Some(cue) = cue(&event, by_hand) {
            done.steps.push_back(Step { events, at: event.at, cue });
        }
        by_hand = matches!(event.what, What::Action { .. });
        (events, last) = (events + 1, event.at);
    }
    if quit {
        let (events, at) = ending.unwrap_or((events, last));
        done.steps.push_back(Step { events, at, cue: Cue::End });
    }
    Ok(done)
}

/// True for what only the end of a run brings about.
fn ends(what: &What) -> bool {
    matches!(what, What::Ended { how: End::Quit, .. } | What::Released { .. } | What::Finished { .. })
}

/// What was done, if the event tells of that. A mark that no action sets is a lab's.
fn cue(event: &Event, by_hand: bool) -> Option<Cue> {
    match &event.what {
        What::Action { text, by: by @ (By::Operator | By::Lab), .. } => {
            action::parse(text).ok().map(|action| Cue::Act(action, *by))
        }
        What::Said { .. } | What::Asked { .. } => Some(Cue::Tell(event.what.clone())),
        What::Marked { .. } if !by_hand => Some(Cue::Tell(event.what.clone())),
        _ => None,
    }
}

/// Does again what was done: each thing once as many events have been told as then, or only at its moment.
pub struct Again {
    steps: VecDeque<Step>,
    /// Events that were told; none are counted where only moments matter.
    told: Option<u64>,
    /// True when the moment of the next step has come and not its place, and nothing was told since.
    early: bool,
}

impl Again {
    /// Everything at its place among the events.
    pub fn in_place(done: Done) -> Again {
        Again { steps: done.steps, told: Some(0), early: false }
    }

    /// Everything at its moment.
    pub fn in_time(done: Done) -> Again {
        Again { steps: done.steps, told: None, early: false }
    }

    fn has_come(&self, step: &Step) -> bool {
        self.told.is_none_or(|told| told >= step.events)
    }

    /// What is next, if its place has come by `until`, with what follows it event by event.
    fn next_ones(&mut self, until: Instant) -> Vec<Cue> {
        let comes = self.steps.front().is_some_and(|step| self.has_come(step) && step.at <= until);
        let Some(first) = self.steps.pop_front_if(|_| comes) else { return Vec::new() };
        let (mut last, at) = (first.events, first.at);
        let mut cues = vec![first.cue];
        while let Some(step) = self.steps.pop_front_if(|step| step.events == last + 1 && step.at == at) {
            last = step.events;
            cues.push(step.cue);
        }
        cues
    }
}

impl Plan for Again {
    /// A step whose place has not come yet may still be what the run goes on for.
    fn next(&self) -> Instant {
        self.steps.front().filter(|_| !self.early).map_or(Instant::NEVER, |step| step.at)
    }

    fn due(&mut self, until: Instant) -> Vec<Cue> {
        let cues = self.next_ones(until);
        self.early = cues.is_empty() && self.steps.front().is_some_and(|step| step.at <= until);
        cues
    }

    fn listens(&self) -> bool {
        self.told.is_some()
    }

    fn heard(&mut self, events: &[Event]) -> Vec<Cue> {
        if let Some(told) = &mut self.told {
            *told += events.len() as u64;
        }
        self.early = false;
        events.last().map_or_else(Vec::new, |last| self.next_ones(last.at))
    }
}
