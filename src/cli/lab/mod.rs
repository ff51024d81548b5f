//! `lab` runs a lab: every variant of it to its end, and then judges what came of them.
//!
//! [`runs`] makes the runs; [`report`], [`json`] and [`plain`] tell them. What opens a lab as a lesson on the screen, or
//! before an audience, is asked for here and is elsewhere.

pub mod json;
pub mod plain;
pub mod report;
pub mod result;
pub mod runs;
mod typed;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use super::args::LabArgs;
use super::failure::{self, Failure};
use super::headless::{shows_progress, was_recorded};
use super::labs;
use super::lesson;
use super::outcome::Outcome;
use super::recorder::Recorder;
use crate::driver::plan::Plan;
use crate::lab::{self, Director, Judgement, Lab};
use crate::setup::Driver;
use crate::text::clean;
use runs::{Order, Ran};

/// Does what the command line says of a lab. The result is the exit code.
pub fn lab(args: &LabArgs) -> Result<u8, Failure> {
    let (mut lab, problems) = labs::find(&args.lab)?.read()?;
    let warnings: Vec<String> = problems.into_iter().map(|problem| problem.what).collect();
    prepare(&mut lab, args)?;
    if args.present || !args.output.is_headless() {
        if args.record.is_some() {
            return Err(Failure::Usage(vec![super::RECORDED_ANYWAY.to_owned()]));
        }
        return open(lab, &warnings, args);
    }
    let answers = answers(&lab, &args.answers)?;
    let lab = Arc::new(lab);
    let recorded = recorded_variant(&lab, args.variant.as_deref())?;
    let start = |path: &PathBuf| Recorder::in_file(path, &lab.variants[recorded].setup, Some(lab.text.clone()));
    let recorder = args.record.as_ref().map(start).transpose()?;
    let code = tell(&lab, &warnings, args, answers, recorder.as_ref().map(|recorder| (recorded, recorder)))?;
    was_recorded(recorder.as_ref()).map(|()| code)
}

/// The place of the variant whose run is recorded: the first is the one that a screen shows.
fn recorded_variant(lab: &Lab, asked: Option<&str>) -> Result<usize, Failure> {
    let Some(asked) = asked else { return Ok(0) };
    lab.variants.iter().position(|variant| variant.name == asked).ok_or_else(|| {
        let names: Vec<&str> = lab.variants.iter().map(|variant| variant.name.as_str()).collect();
        Failure::Usage(vec![format!("--variant {}: this lab has {}", clean(asked), clean(&names.join(", ")))])
    })
}

/// Opens a lab on the screen, as a lesson or before an audience. Somebody watches it, so a lab whose figures hold on both
/// drivers runs live.
///
/// # Errors
/// Where there is no terminal, and what keeps its runs from being made.
pub fn open(mut lab: Lab, warnings: &[String], args: &LabArgs) -> Result<u8, Failure> {
    let driver = args.driver.or(lab.driver).unwrap_or(Driver::Threads);
    lab.variants.iter_mut().for_each(|variant| variant.setup.driver = driver);
    let course = lab::course();
    let place = course.iter().position(|shipped| shipped.name == lab.name).map(|at| (at + 1, course.len()));
    // What a lab of the course does is meant, and a warning would give its answer away.
    let warnings = if place.is_some() { &[] } else { warnings };
    let order = lesson::Order { lab: Arc::new(lab), place, present: args.present, warnings, screen: &args.screen };
    lesson::open(&order)
}

/// Runs a lab without a screen and tells it as it was asked for. `recorder` hears of the run of its variant.
fn tell(
    lab: &Arc<Lab>,
    warnings: &[String],
    args: &LabArgs,
    answers: Vec<(u32, String)>,
    recorder: Option<(usize, &Recorder)>,
) -> Result<u8, Failure> {
    if args.output.plain {
        let input = (io::stdin(), io::stdin().is_terminal());
        return plain::plain(lab, warnings, answers, recorder, input, io::stdout());
    }
    let plan = |variant| Box::new(Director::new(lab.clone(), variant, answers.clone())) as Box<dyn Plan>;
    let order = Order { plan: &plan, recorder, one_by_one: false, progress: shows_progress(), on_signal: &|| () };
    let ran = runs::perform(lab, &order)?;
    let judgement = lab::judge(lab, &ran.watches);
    let outcome = outcome(&judgement, &ran);
    let text = match args.output.json {
        true => json::json(lab, &ran, &judgement, &outcome, warnings),
        false => report::report(lab, &ran, &judgement, &outcome, warnings),
    };
    failure::print(&text).map(|()| outcome.code)
}

/// Sets what the command line says of driver, seed and speed.
///
/// # Errors
/// A driver on which the lab's figures do not hold.
pub fn prepare(lab: &mut Lab, args: &LabArgs) -> Result<(), Failure> {
    let driver = driver(lab, args.driver)?;
    for variant in &mut lab.variants {
        variant.setup.driver = driver;
        variant.setup.seed = args.seed.unwrap_or(variant.setup.seed);
        variant.setup.speed = args.speed.unwrap_or(variant.setup.speed);
    }
    Ok(())
}

/// The driver of a lab's runs: the one that was asked for, else the only one on which its figures hold, else virtual time,
/// in which they are exact and take no time.
///
/// # Errors
/// One was asked for on which the lab's figures do not hold.
pub fn driver(lab: &Lab, asked: Option<Driver>) -> Result<Driver, Failure> {
    match (asked, lab.driver) {
        (Some(asked), Some(only)) if asked != only => {
            let name = clean(&lab.name);
            Err(Failure::Usage(vec![format!("the figures of {name} hold on --driver {only} only, not on {asked}")]))
        }
        (Some(driver), _) | (None, Some(driver)) => Ok(driver),
        (None, None) => Ok(Driver::Simulation),
    }
}

/// The answers that were given on the command line, each with its step, as runs record them.
///
/// # Errors
/// A step that asks nothing, and an answer that its question does not take.
fn answers(lab: &Lab, given: &[(u32, String)]) -> Result<Vec<(u32, String)>, Failure> {
    let (mut accepted, mut mistakes) = (Vec::new(), Vec::new());
    for (number, text) in given {
        let ask = lab.step(*number).and_then(|step| step.ask.as_ref());
        let answer = ask.map(|ask| ask.answer.accept(text));
        match answer {
            Some(Ok(text)) => accepted.push((*number, text)),
            Some(Err(takes)) => {
                mistakes.push(format!("--answer {number}={}: step {number} takes {takes}", clean(text)))
            }
            None => mistakes.push(format!("--answer {number}={}: step {number} asks nothing", clean(text))),
        }
    }
    if mistakes.is_empty() { Ok(accepted) } else { Err(Failure::Usage(mistakes)) }
}

/// The exit code of a lab and its reason.
pub fn outcome(judgement: &Judgement, ran: &Ran) -> Outcome {
    if let Some(signal) = ran.signal {
        return Outcome::signalled(signal);
    }
    if let Some(why) = ran.failed() {
        return Outcome::new(4, why);
    }
    match judgement.outcome {
        lab::Outcome::Held => Outcome::new(0, judgement.why.clone()),
        lab::Outcome::Broken => Outcome::new(1, judgement.why.clone()),
        lab::Outcome::Inconclusive => Outcome::new(3, format!("inconclusive: {}", judgement.why)),
    }
}
