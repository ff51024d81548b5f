//! The report of a lab for programs: one JSON object with a format version.

use serde::Serialize;

use super::super::json::{Exit, Head, line};
use super::super::outcome::Outcome;
use super::result::{questions, score};
use super::runs::Ran;
use crate::board::{Counters, Word};
use crate::event::Finish;
use crate::ids::Job;
use crate::lab::{self, Checked, Judgement, Lab, Watch, number_of};
use crate::policy::Promise;
use crate::request::FinalCounts;
use crate::setup::Setup;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    head: Head,
    lab: &'a str,
    title: &'a str,
    teaches: &'a str,
    outcome: &'a str,
    why: &'a str,
    variants: Vec<Variant<'a>>,
    expects: Vec<Expected<'a>>,
    must_happen: Vec<Expected<'a>>,
    missed: Vec<Missed<'a>>,
    interfered: Option<Interfered<'a>>,
    answers: Vec<Answer<'a>>,
    right: usize,
    of: usize,
    warnings: &'a [String],
    recording: Option<String>,
    elapsed_s: f64,
    exit: Exit<'a>,
}

#[derive(Serialize)]
struct Variant<'a> {
    name: &'a str,
    says: &'a str,
    #[serde(flatten)]
    counters: Counters,
    promise: Promise,
    verdict: Word,
    why: String,
    lab_s: f64,
    jumped_s: f64,
    audit: Option<FinalCounts>,
    agree: bool,
    finish: Option<&'a Finish>,
    violations: &'a [String],
    lost_jobs: Vec<Job>,
    duplicated_jobs: Vec<Job>,
    setup: &'a Setup,
}

#[derive(Serialize)]
struct Expected<'a> {
    that: &'a str,
    says: &'a str,
    wanted: &'a str,
    got: &'a str,
    held: Option<bool>,
}

#[derive(Serialize)]
struct Missed<'a> {
    step: u32,
    id: &'a str,
    say: &'a str,
}

#[derive(Serialize)]
struct Interfered<'a> {
    at_s: f64,
    action: &'a str,
}

#[derive(Serialize)]
struct Answer<'a> {
    step: u32,
    question: &'a str,
    said: Option<String>,
    right: Option<bool>,
    measured: String,
    band: String,
    gives: Option<String>,
}

/// The object, on one line that ends with a line feed.
pub fn json(lab: &Lab, ran: &Ran, judgement: &Judgement, outcome: &Outcome, warnings: &[String]) -> String {
    let setups = &mut lab.variants.iter().map(|variant| &variant.setup);
    let first = setups.next().expect("a lab has a variant");
    let questions = questions(lab, &ran.watches);
    let (right, of) = score(&questions);
    let missed = judgement.missed.iter().map(|place| {
        let step = &lab.steps[*place];
        Missed { step: number_of(*place), id: &step.id, say: &step.say }
    });
    let answers = questions.into_iter().map(|question| Answer {
        step: question.step,
        question: &question.ask.text,
        said: Some(question.graded.said).filter(|said| !said.is_empty()),
        right: question.graded.right,
        measured: question.graded.measured,
        band: question.graded.band,
        gives: question.graded.gives,
    });
    line(&Report {
        head: Head::of("lab", first.seed, first.driver),
        lab: &lab.name,
        title: &lab.title,
        teaches: &lab.teaches,
        outcome: match judgement.outcome {
            lab::Outcome::Held => "held",
            lab::Outcome::Broken => "broken",
            lab::Outcome::Inconclusive => "inconclusive",
        },
        why: &judgement.why,
        variants: variants(lab, &ran.watches),
        expects: judgement.expects.iter().map(expected).collect(),
        must_happen: judgement.must_happen.iter().map(expected).collect(),
        missed: missed.collect(),
        interfered: judgement.interfered.as_ref().map(|(at, action)| Interfered { at_s: at.seconds(), action }),
        answers: answers.collect(),
        right,
        of,
        warnings,
        recording: ran.recording.as_ref().map(|path| path.to_string_lossy().into_owned()),
        elapsed_s: ran.elapsed.as_secs_f64(),
        exit: Exit::of(outcome),
    })
}

fn variants<'a>(lab: &'a Lab, watches: &'a [Watch]) -> Vec<Variant<'a>> {
    let variants = lab.variants.iter().zip(watches);
    variants
        .map(|(variant, watch)| {
            let board = watch.board();
            let verdict = board.verdict();
            Variant {
                name: &variant.name,
                says: &variant.says,
                counters: board.counters(),
                promise: verdict.promise,
                verdict: verdict.word,
                why: verdict.why,
                lab_s: board.now().seconds(),
                jumped_s: board.jumped().as_seconds(),
                audit: board.finished().and_then(|(_, counts)| counts.copied()),
                agree: board.witnesses_agree(),
                finish: board.finished().map(|(how, _)| how),
                violations: board.violations(),
                lost_jobs: board.harm().lost.iter().copied().collect(),
                duplicated_jobs: board.harm().twice.iter().copied().collect(),
                setup: &variant.setup,
            }
        })
        .collect()
}

fn expected(checked: &Checked) -> Expected<'_> {
    let Checked { text, says, wanted, got, held } = checked;
    Expected { that: text, says, wanted, got, held: *held }
}
