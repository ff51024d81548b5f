//! A lab told line by line, for who has no screen: what it says, as it comes; what it asks, answered on stdin by letter or
//! number; then what came of it, and why.
//!
//! A run of few jobs is told event by event. Of one of many only what the lab says and does is told, and what it came to.
//! While somebody thinks about a question, time stands. Without an answer, because there is none to be had, it goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use super::super::failure::Failure;
use super::super::headless::locked;
use super::super::plain::Narrator;
use super::super::recorder::Recorder;
use super::super::words::labelled;
use super::result::{questions, told};
use super::runs::{self, Order};
use super::typed::Typed;
use super::{outcome, report};
use crate::action::Action;
use crate::driver::plan::{Cue, Plan};
use crate::event::{By, Event, What};
use crate::lab::{self, Answer, Ask, Director, Lab, Trigger};
use crate::setup::Driver;
use crate::text::clean;
use crate::time::Instant;

/// A run of at most so many jobs is told event by event.
const FEW: u32 = 50;
/// After so many answers that a question does not take it goes on without one.
const MOST_ANSWERS: usize = 10;
/// Where the words of an event begin.
const INDENT: usize = 10;

/// Runs a lab, tells it on `out` and takes answers from `input`, which is `echoed` where a terminal shows what is typed. The
/// result is the exit code.
///
/// # Errors
/// What keeps its runs from being made or told.
pub fn plain<I: Read + Send + 'static, O: Write + Send + 'static>(
    lab: &Arc<Lab>,
    warnings: &[String],
    answers: Vec<(u32, String)>,
    recorder: Option<(usize, &Recorder)>,
    (input, echoed): (I, bool),
    out: O,
) -> Result<u8, Failure> {
    let typed = Typed::from(input);
    let left = typed.left.clone();
    let teller = Teller { echoed, ..Teller::new(lab.clone(), answers, typed, Box::new(out)) };
    let teller = Arc::new(Mutex::new(teller));
    locked(&teller).begin();
    let plan = |variant: usize| Box::new(Aloud::new(lab.clone(), variant, teller.clone())) as Box<dyn Plan>;
    let order = Order {
        plan: &plan,
        recorder,
        one_by_one: true,
        progress: false,
        on_signal: &|| left.store(true, Ordering::Relaxed),
    };
    let ran = runs::perform(lab, &order)?;
    let judgement = lab::judge(lab, &ran.watches);
    let outcome = outcome(&judgement, &ran);
    let questions = questions(lab, &ran.watches);
    let results: String = questions.iter().map(|question| told(question) + "\n").collect();
    let text = format!(
        "\n{}\n{results}{}",
        report::table(lab, &ran.watches),
        report::verdict(lab, &judgement, &questions, &outcome, (warnings, ran.recording.as_deref()))
    );
    let mut teller = locked(&teller);
    teller.write(&text);
    match teller.failed.take() {
        Some(error) => Err(Failure::stdout(error)),
        None => Ok(outcome.code),
    }
}

/// Tells and asks.
struct Teller {
    lab: Arc<Lab>,
    typed: Typed,
    out: Box<dyn Write + Send>,
    /// True when what is typed is seen, with the end of its line.
    echoed: bool,
    /// Why nothing can be told any more.
    failed: Option<io::Error>,
    answers: BTreeMap<u32, String>,
    asked: BTreeSet<u32>,
    /// Steps whose words have been told in another run.
    told: BTreeSet<u32>,
}

impl Teller {
    fn new(lab: Arc<Lab>, answers: Vec<(u32, String)>, typed: Typed, out: Box<dyn Write + Send>) -> Teller {
        let answers: BTreeMap<u32, String> = answers.into_iter().collect();
        let asked = answers.keys().copied().collect();
        Teller { lab, typed, out, echoed: false, failed: None, answers, asked, told: BTreeSet::new() }
    }

    fn write(&mut self, text: &str) {
        if self.failed.is_none() {
            let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
            self.failed = written.err();
        }
    }

    fn begin(&mut self) {
        let head = format!("{}: {}", clean(&self.lab.name), clean(&self.lab.title));
        let head = labelled("lab", INDENT, &head) + &labelled("", INDENT, &clean(&self.lab.teaches));
        self.write(&head);
    }

    /// Says which run begins, if there are several.
    fn begin_run(&mut self, variant: usize) {
        let variant = &self.lab.variants[variant];
        if self.lab.variants.len() > 1 {
            let words = format!("{}: {}", clean(&variant.name), clean(&variant.says));
            let words = words.trim_end_matches([':', ' ']).to_owned();
            self.write(&format!("\n{}", labelled("run", INDENT, &words)));
        } else {
            self.write("\n");
        }
    }

    /// True for what was told before a run and is not told again before the next.
    fn was_told(&mut self, number: u32) -> bool {
        let before = self.lab.step(number).is_some_and(|step| step.trigger == Trigger::Before);
        !self.told.insert(number) && before
    }

    fn say(&mut self, at: Instant, number: u32, text: &str) {
        if !self.was_told(number) && !text.is_empty() {
            self.write(&labelled(&moment(at), INDENT, &clean(text)));
        }
    }

    fn ask(&mut self, number: u32) -> Option<String> {
        if !self.asked.insert(number) {
            return None;
        }
        let ask = self.lab.step(number)?.ask.clone()?;
        self.write(&question(&ask));
        let answer = self.answer(&ask.answer)?;
        self.answers.insert(number, answer.clone());
        Some(answer)
    }

    /// An answer that the question takes; `None` when there is none to be had.
    fn answer(&mut self, takes: &Answer) -> Option<String> {
        for asked in 1..=MOST_ANSWERS {
            let Some(line) = self.typed.line().filter(|_| self.failed.is_none()) else { break };
            if !self.echoed {
                self.write(&format!("{}\n", clean(line.trim())));
            }
            match takes.accept(&line) {
                Ok(answer) => return Some(answer),
                Err(takes) if asked < MOST_ANSWERS => self.write(&format!("{:INDENT$}it takes {takes}: ", "")),
                Err(_) => self.write(&format!("{:INDENT$}enough: ", "")),
            }
        }
        self.write("no answer\n");
        None
    }
}

/// A question with what can be answered.
fn question(ask: &Ask) -> String {
    let mut text = labelled("question", INDENT, &clean(&ask.text));
    if let Answer::Choice { choices, .. } = &ask.answer {
        for (letter, choice) in ('a'..='z').zip(choices) {
            text += &labelled(&format!("{:INDENT$}{letter}", ""), INDENT + 3, &clean(&choice.text));
        }
    }
    text + &format!("{:INDENT$}{}: ", "", ask.answer.takes())
}

fn moment(at: Instant) -> String {
    format!("{:>9.2} ", at.seconds())
}

/// A director whose run is told as it goes on, and whose questions are asked.
struct Aloud {
    director: Director,
    teller: Arc<Mutex<Teller>>,
    narrator: Narrator,
    /// True when every event is told.
    all: bool,
    /// True when time has to be stopped for a question, since it would go on by itself.
    stops: bool,
}

impl Aloud {
    fn new(lab: Arc<Lab>, variant: usize, teller: Arc<Mutex<Teller>>) -> Aloud {
        let given = {
            let mut teller = locked(&teller);
            teller.begin_run(variant);
            teller.answers.clone()
        };
        let setup = &lab.variants[variant].setup;
        let (stops, all) = (setup.driver == Driver::Threads, setup.workload.jobs.is_some_and(|jobs| jobs <= FEW));
        let director = Director::new(lab.clone(), variant, given.into_iter().collect());
        Aloud { director, teller, narrator: Narrator::new(), all, stops }
    }

    /// Time stands while a question is open.
    fn stopping(&self, cues: Vec<Cue>) -> Vec<Cue> {
        let mut stopped = Vec::with_capacity(cues.len());
        for cue in cues {
            let asks =
                matches!(&cue, Cue::Tell(What::Asked { step, .. }) if !locked(&self.teller).asked.contains(step));
            stopped.push(cue);
            if asks && self.stops {
                stopped.push(Cue::Act(Action::Stop, By::Operator));
            }
        }
        stopped
    }

    /// Tells an event, and asks what it asks. What was answered is to be done.
    fn tell(&mut self, event: &Event) -> Vec<Cue> {
        let line = self.narrator.line(event);
        let mut teller = locked(&self.teller);
        match &event.what {
            What::Said { step, text, .. } => teller.say(event.at, *step, text),
            What::Asked { step, .. } => {
                let open = !teller.asked.contains(step);
                let answer = teller.ask(*step).map(|text| Cue::Act(Action::Answer(*step, text), By::Operator));
                let go = (open && self.stops).then_some(Cue::Act(Action::Go, By::Operator));
                return answer.into_iter().chain(go).collect();
            }
            What::Answered { .. } | What::Stopped | What::Going => {}
            What::Action { by: By::Operator, .. } => {}
            what if self.all || is_the_labs(what) => teller.write(&(line + "\n")),
            _ => {}
        }
        Vec::new()
    }
}

/// What is told of a run of many jobs: what was done to it, and how it ended.
fn is_the_labs(what: &What) -> bool {
    matches!(
        what,
        What::Action { .. }
            | What::Policy { .. }
            | What::Marked { .. }
            | What::Violated { .. }
            | What::Drained
            | What::Stuck { .. }
            | What::Finished { .. }
    )
}

impl Plan for Aloud {
    fn next(&self) -> Instant {
        self.director.next()
    }

    fn due(&mut self, until: Instant) -> Vec<Cue> {
        let cues = self.director.due(until);
        self.stopping(cues)
    }

    fn listens(&self) -> bool {
        true
    }

    fn heard(&mut self, events: &[Event]) -> Vec<Cue> {
        let mut cues: Vec<Cue> = events.iter().flat_map(|event| self.tell(event)).collect();
        let directed = self.director.heard(events);
        cues.extend(self.stopping(directed));
        if locked(&self.teller).failed.is_some() {
            cues.push(Cue::End);
        }
        cues
    }
}
