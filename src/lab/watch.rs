//! A pure fold of one run, with all that the figures of its lab ask for.
//!
//! Beside the board it keeps what cannot be asked at the end any more: how often and when events came, the most that
//! counters ever were, when an expectation that always had to hold first did not, how one stood when its step came, what
//! was answered, and whether somebody interfered.

use std::collections::BTreeMap;

use super::figure::Test;
use super::model::{Answer, Lab};
use super::trace::{Asked, Traces};
use super::value::{Alone, Known, raise, test_holds};
use super::words;
use crate::action;
use crate::board::Board;
use crate::event::{By, Event, Finish, What};
use crate::time::Instant;

/// How an expectation stood at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stood {
    pub held: bool,
    pub wanted: String,
    pub got: String,
}

/// An expectation that is not judged at the end, or not only.
#[derive(Clone, Debug)]
struct Standing {
    /// Which of the lab's it is.
    which: Which,
    that: Test,
    always: bool,
    /// The step as which comes it is judged, by its place.
    after: Option<usize>,
    /// How it stood when it was judged, or first failed.
    stood: Option<Stood>,
}

/// An expectation of a lab, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// One of what has to come of it.
    Expect(usize),
    /// One of what has to have happened.
    MustHappen(usize),
}

/// The fold of one run of a lab.
#[derive(Clone, Debug)]
pub struct Watch {
    variant: usize,
    board: Board,
    traces: Traces,
    peaks: Vec<(&'static str, f64)>,
    standing: Vec<Standing>,
    /// How often each step came, by its number.
    came: BTreeMap<u32, u32>,
    interfered: Option<(Instant, String)>,
    answers: BTreeMap<u32, String>,
    settled: bool,
    ended: Option<Instant>,
}

impl Watch {
    /// A watch over a run of this variant of `lab` that has not begun.
    pub fn new(lab: &Lab, variant: usize) -> Watch {
        let asked = asked_of(lab, variant);
        let standing = standing(lab, variant);
        Watch {
            variant,
            board: Board::new(),
            traces: Traces::of(asked.patterns),
            peaks: asked.peaks.into_iter().map(|name| (name, 0.0)).collect(),
            standing,
            came: BTreeMap::new(),
            interfered: None,
            answers: BTreeMap::new(),
            settled: false,
            ended: None,
        }
    }

    /// Takes in the next event of the run.
    pub fn fold(&mut self, event: &Event) {
        self.board.fold(event);
        self.traces.note(event);
        raise(&mut self.peaks, &self.board);
        match &event.what {
            What::Said { step, .. } => {
                *self.came.entry(*step).or_default() += 1;
                self.judge_those_after(*step);
            }
            What::Answered { step, text } => {
                self.answers.entry(*step).or_insert_with(|| text.to_string());
            }
            What::Action { text, by: By::Operator, refused: false, .. } => self.note_interference(event.at, text),
            What::Drained => self.settled = true,
            What::Enqueued { .. } | What::Redriven { .. } => self.settled = false,
            What::Finished { .. } => self.ended = Some(event.at),
            _ => {}
        }
        self.judge_those_of_always(event.at);
    }

    /// The board of the run.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Which variant's run it is.
    pub fn variant(&self) -> usize {
        self.variant
    }

    /// What was answered, by the number of the step that asked. The first answer is the one that counts.
    pub fn answers(&self) -> &BTreeMap<u32, String> {
        &self.answers
    }

    /// True once the step of this number has come.
    pub fn came(&self, step: u32) -> bool {
        self.came.contains_key(&step)
    }

    /// How often the step of this number has come.
    pub fn times(&self, step: u32) -> u32 {
        self.came.get(&step).copied().unwrap_or_default()
    }

    /// When somebody first did something to the run that changes what becomes of jobs, and what.
    pub fn interfered(&self) -> Option<&(Instant, String)> {
        self.interfered.as_ref()
    }

    /// True once everything is settled and nothing more will arrive.
    pub fn settled(&self) -> bool {
        self.settled || matches!(self.board.finished(), Some((Finish::Drained, _)))
    }

    /// When the run ended, once it has.
    pub fn ended(&self) -> Option<Instant> {
        self.ended
    }

    pub(super) fn known(&self) -> Known<'_> {
        Known { board: &self.board, traces: &self.traces, peaks: &self.peaks }
    }

    /// How an expectation stood that is not judged at the end; `None` if it has not been judged, or has always held.
    pub(super) fn stood(&self, which: Which) -> Option<&Stood> {
        self.standing.iter().find(|standing| standing.which == which)?.stood.as_ref()
    }

    fn alone(&self) -> Alone<'_> {
        Alone { known: self.known(), variant: self.variant }
    }

    fn note_interference(&mut self, at: Instant, text: &str) {
        if self.interfered.is_none() && action::parse(text).map_or(true, |action| action.interferes()) {
            self.interfered = Some((at, text.to_owned()));
        }
    }

    fn judge_those_after(&mut self, step: u32) {
        for place in 0..self.standing.len() {
            let Standing { after, stood, that, always, .. } = &self.standing[place];
            let now = after.is_some_and(|after| super::number_of(after) == step) && stood.is_none() && !always;
            if now {
                let runs = self.alone();
                let (wanted, got) = (words::wanted(that, &runs), words::got(that, &runs));
                let stood = Stood { held: test_holds(that, &runs), wanted, got };
                self.standing[place].stood = Some(stood);
            }
        }
    }

    /// Those that are to hold always, or from a step on.
    fn judge_those_of_always(&mut self, at: Instant) {
        for place in 0..self.standing.len() {
            let Standing { always, stood, that, after, .. } = &self.standing[place];
            let begun = after.is_none_or(|after| self.came(super::number_of(after)));
            if !always || !begun || stood.is_some() || test_holds(that, &self.alone()) {
                continue;
            }
            let runs = self.alone();
            let got = format!("{} at {:.2} s", words::got(that, &runs), at.seconds());
            self.standing[place].stood = Some(Stood { held: false, wanted: words::wanted(that, &runs), got });
        }
    }
}

/// Everything that is asked of the run of a variant once it is over.
fn asked_of(lab: &Lab, variant: usize) -> Asked {
    let expects = lab.expects.iter().chain(&lab.must_happen).map(|expect| &expect.that);
    let mut asked = Asked::by(expects, variant);
    for ask in lab.steps.iter().filter_map(|step| step.ask.as_ref()) {
        match &ask.answer {
            Answer::Choice { proof: Some(proof), .. } => asked.test(proof, variant),
            Answer::Number { right, .. } => asked.figure(right, variant),
            Answer::Choice { proof: None, .. } => {}
        }
        ask.figures.iter().for_each(|(_, figure, _)| asked.figure(figure, variant));
    }
    asked
}

fn standing(lab: &Lab, variant: usize) -> Vec<Standing> {
    let expects = lab.expects.iter().enumerate().map(|(i, expect)| (Which::Expect(i), expect));
    let must = lab.must_happen.iter().enumerate().map(|(i, expect)| (Which::MustHappen(i), expect));
    let ours = expects.chain(must).filter(|(_, expect)| expect.variant.is_none_or(|of| of == variant));
    let standing = ours.filter(|(_, expect)| expect.always || expect.after.is_some());
    standing
        .map(|(which, expect)| Standing {
            which,
            that: expect.that.clone(),
            always: expect.always,
            after: expect.after,
            stood: None,
        })
        .collect()
}
