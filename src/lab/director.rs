//! The plan of a lab's run: it waits for what each step waits for, and says, asks and does what the step is about.
//!
//! Pure: it hears of events and moments, and nothing else. A step that waits for something to happen comes at that very
//! event, before anybody goes on; one that comes at a moment, or behind another step, comes once what was done before it
//! has had its consequences. Several at once come in the order of the file.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::figure::Test;
use super::model::{Lab, Step, Trigger, Until};
use super::number_of;
use super::trace::{Asked, Traces};
use super::value::{Alone, Known, raise, test_holds};
use crate::action::Action;
use crate::board::Board;
use crate::driver::plan::{Cue, Plan};
use crate::event::{By, Event, What};
use crate::time::Instant;

/// What a step is up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The step that it follows has not come.
    Later,
    /// It listens, since this moment, for what it waits for.
    Listens(Instant),
    /// It comes at this moment; `prompt` says that it comes at the event that it waited for.
    Comes { at: Instant, prompt: bool },
    /// Nothing more comes of it.
    Over,
}

/// A step of this run, and what it is up to.
#[derive(Debug)]
struct Part {
    /// The step's place in the lab.
    place: usize,
    stage: Stage,
    /// How often it has come.
    came: u32,
    /// What happened since it began to listen, as far as its test asks.
    traces: Traces,
    /// True when its test asks for counters, which any event may change.
    counts: bool,
}

/// Directs one run of a lab.
#[derive(Debug)]
pub struct Director {
    lab: Arc<Lab>,
    variant: usize,
    answers: BTreeMap<u32, String>,
    parts: Vec<Part>,
    board: Board,
    /// The board is folded only if a test asks for counters.
    folds: bool,
    peaks: Vec<(&'static str, f64)>,
    /// The moment of the last event that was heard.
    now: Instant,
    ended: bool,
}

impl Director {
    /// Directs a run of this variant of `lab`. `answers` are answers that were given before the run, each with the
    /// number of the step that asks.
    pub fn new(lab: Arc<Lab>, variant: usize, answers: Vec<(u32, String)>) -> Director {
        let ours = lab.steps.iter().enumerate().filter(|(_, step)| step.is_in(variant));
        let parts: Vec<Part> = ours.map(|(place, step)| Part::new(place, step, variant)).collect();
        let asked = Asked::by(lab.steps.iter().filter(|step| step.is_in(variant)).filter_map(test_of), variant);
        Director {
            variant,
            answers: answers.into_iter().collect(),
            parts,
            board: Board::new(),
            folds: asked.counters,
            peaks: asked.peaks.into_iter().map(|name| (name, 0.0)).collect(),
            now: Instant::START,
            ended: false,
            lab,
        }
    }

    /// The next part that comes, with its moment: of several at one moment the first of the file.
    fn next_part(&self, is: impl Fn(bool) -> bool) -> Option<(usize, Instant)> {
        let coming = self.parts.iter().enumerate().filter_map(|(index, part)| match part.stage {
            Stage::Comes { at, prompt } if is(prompt) && self.may_come(part) => Some((at, index)),
            _ => None,
        });
        coming.min().map(|(at, index)| (index, at))
    }

    fn end_at(&self) -> Instant {
        match self.lab.until {
            Until::At(at) if !self.ended => at,
            _ => Instant::NEVER,
        }
    }

    /// Lets a part come, and those begin that follow it.
    fn come(&mut self, index: usize, at: Instant) -> Vec<Cue> {
        let place = self.parts[index].place;
        let step = &self.lab.steps[place];
        let part = &mut self.parts[index];
        part.came += 1;
        part.stage = match part.came < step.times {
            true => Stage::Comes { at: at + step.every, prompt: false },
            false => Stage::Over,
        };
        let cues = self.cues(place);
        if self.parts[index].came == 1 {
            self.let_follow(place, at);
        }
        cues
    }

    /// Those that follow the step at `place` without waiting for anything else come once it has.
    fn let_follow(&mut self, place: usize, at: Instant) {
        for part in &mut self.parts {
            let step = &self.lab.steps[part.place];
            if part.stage == Stage::Later && step.trigger == Trigger::After(place, None) {
                part.stage = Stage::Comes { at: at + step.wait, prompt: false };
            }
        }
    }

    /// What a step says, asks, marks and does.
    fn cues(&self, place: usize) -> Vec<Cue> {
        let step = &self.lab.steps[place];
        let number = number_of(place);
        let mut cues = vec![Cue::Tell(What::Said { step: number, text: step.say.as_str().into(), pause: step.pause })];
        if let Some(ask) = &step.ask {
            cues.push(Cue::Tell(What::Asked { step: number, text: ask.text.as_str().into() }));
            let given = self.answers.get(&number);
            cues.extend(given.map(|text| Cue::Act(Action::Answer(number, text.clone()), By::Operator)));
        }
        cues.extend(step.mark.iter().map(|text| Cue::Tell(What::Marked { text: text.as_str().into() })));
        cues.extend(step.acts.iter().map(|cue| Cue::Act(cue.action.clone(), By::Lab)));
        cues
    }

    /// Takes in an event: what it changes for those that listen.
    fn hear(&mut self, event: &Event) {
        self.now = event.at;
        if self.folds {
            self.board.fold(event);
            raise(&mut self.peaks, &self.board);
        }
        let lab = self.lab.clone();
        let mut came = Vec::new();
        for index in 0..self.parts.len() {
            let place = self.parts[index].place;
            let stage = self.parts[index].stage;
            match stage {
                Stage::Later => self.parts[index].traces.follow(&event.what),
                Stage::Listens(since) if self.listen(index, since, event, &lab.steps[place]) => came.push(place),
                _ => {}
            }
        }
        came.into_iter().for_each(|place| self.let_listen(place, event.at));
        if let What::Said { step, .. } = event.what {
            let said = self.parts.iter().map(|part| part.place).find(|place| number_of(*place) == step);
            said.into_iter().for_each(|place| self.let_listen(place, event.at));
        }
    }

    /// Shows an event to a part that listens. True when it comes at this very event.
    fn listen(&mut self, index: usize, since: Instant, event: &Event, step: &Step) -> bool {
        let part = &mut self.parts[index];
        let left = part.traces.note(event);
        if !left && !part.counts {
            return false;
        }
        let late = step.within.is_some_and(|within| event.at > since + within);
        let prompt = step.wait.is_zero();
        if late {
            part.stage = Stage::Over;
        } else if self.happened(index, step) {
            self.parts[index].stage = Stage::Comes { at: event.at + step.wait, prompt };
            return prompt;
        }
        false
    }

    /// Whether what a step waits for has happened.
    fn happened(&self, index: usize, step: &Step) -> bool {
        let known = Known { board: &self.board, traces: &self.parts[index].traces, peaks: &self.peaks };
        test_of(step).is_some_and(|test| test_holds(test, &Alone { known, variant: self.variant }))
    }

    /// Those that wait for something to happen after the step at `place` begin to listen: to what comes behind the event
    /// at which it comes, and not behind the words that it says, which on threads are told a little later.
    fn let_listen(&mut self, place: usize, at: Instant) {
        for part in &mut self.parts {
            let step = &self.lab.steps[part.place];
            let follows = matches!(step.trigger, Trigger::After(after, Some(_)) if after == place);
            if part.stage == Stage::Later && follows {
                part.stage = Stage::Listens(at);
            }
        }
    }

    /// True when the step that a part follows has come, if it follows one.
    fn may_come(&self, part: &Part) -> bool {
        match self.lab.steps[part.place].trigger {
            Trigger::After(after, _) => self.parts.iter().any(|other| other.place == after && other.came > 0),
            Trigger::Before | Trigger::At(_) | Trigger::When(_) => true,
        }
    }
}

impl Part {
    fn new(place: usize, step: &Step, variant: usize) -> Part {
        let asked = Asked::by(test_of(step), variant);
        let stage = match &step.trigger {
            Trigger::Before => Stage::Comes { at: Instant::START + step.wait, prompt: false },
            Trigger::At(at) => Stage::Comes { at: *at + step.wait, prompt: false },
            Trigger::When(_) => Stage::Listens(Instant::START),
            Trigger::After(..) => Stage::Later,
        };
        Part { place, stage, came: 0, traces: Traces::of(asked.patterns), counts: asked.counters }
    }
}

/// What has to hold for a step to come.
fn test_of(step: &Step) -> Option<&Test> {
    match &step.trigger {
        Trigger::When(test) | Trigger::After(_, Some(test)) => Some(test),
        Trigger::Before | Trigger::At(_) | Trigger::After(_, None) => None,
    }
}

impl Plan for Director {
    fn next(&self) -> Instant {
        if self.ended {
            return Instant::NEVER;
        }
        self.next_part(|_| true).map_or(Instant::NEVER, |(_, at)| at).min(self.end_at())
    }

    fn due(&mut self, until: Instant) -> Vec<Cue> {
        if self.ended {
            return Vec::new();
        }
        match self.next_part(|_| true) {
            Some((index, at)) if at <= self.end_at() && at <= until => self.come(index, at),
            _ if self.end_at() <= until && self.end_at() < Instant::NEVER => {
                self.ended = true;
                vec![Cue::End]
            }
            _ => Vec::new(),
        }
    }

    fn listens(&self) -> bool {
        let listens = |part: &Part| {
            let asks = test_of(&self.lab.steps[part.place]).is_some();
            match part.stage {
                Stage::Later | Stage::Listens(_) => asks,
                Stage::Comes { prompt, .. } => prompt,
                Stage::Over => false,
            }
        };
        !self.ended && self.parts.iter().any(listens)
    }

    fn heard(&mut self, events: &[Event]) -> Vec<Cue> {
        events.iter().for_each(|event| self.hear(event));
        match self.next_part(|prompt| prompt) {
            Some((index, at)) if at <= self.now && !self.ended => self.come(index, at),
            _ => Vec::new(),
        }
    }
}
