//! The report of a lab for people: its runs side by side, its questions with their figures, and what was expected beside
//! what came. ASCII, at most 80 columns, and it ends with the exit code's reason.

use std::path::Path;

use super::super::comparison::exit_line;
use super::super::outcome::Outcome;
use super::super::words::{self, labelled};
use super::result::{Question, questions, score, told};
use super::runs::Ran;
use crate::lab::{Checked, Judgement, Lab, Watch, number_of};
use crate::text::{clean, count, counted};

/// Where the text begins.
const INDENT: usize = 10;
/// Where the text begins under the headline.
const HEAD: usize = 14;
/// The longest name of a variant that is printed.
const LONGEST_NAME: usize = 20;

/// The whole report.
pub fn report(lab: &Lab, ran: &Ran, judgement: &Judgement, outcome: &Outcome, warnings: &[String]) -> String {
    let questions = questions(lab, &ran.watches);
    let asked: String = questions.iter().map(|question| told(question) + "\n").collect();
    let parts = [head(lab, ran) + "\n", table(lab, &ran.watches) + "\n", asked];
    parts.concat() + &verdict(lab, judgement, &questions, outcome, (warnings, ran.recording.as_deref()))
}

/// What a lab came to: what was expected, what had to happen, what is missing, and the exit code.
pub fn verdict(
    lab: &Lab,
    judgement: &Judgement,
    questions: &[Question<'_>],
    outcome: &Outcome,
    (warnings, recording): (&[String], Option<&Path>),
) -> String {
    let mut text = String::new();
    judgement.expects.iter().for_each(|checked| text += &expected(checked, ["held", "BROKEN", "unjudged"]));
    judgement.must_happen.iter().for_each(|checked| text += &expected(checked, ["happened", "MISSING", "unjudged"]));
    for place in &judgement.missed {
        let say = lab.steps.get(*place).map(|step| step.say.as_str()).unwrap_or_default();
        let say = if say.is_empty() { String::new() } else { format!(": \"{say}\"") };
        text += &labelled("MISSING", INDENT, &clean(&format!("step {} never came{say}", number_of(*place))));
    }
    if let Some((at, what)) = &judgement.interfered {
        let words = format!("somebody did \"{}\" at {:.2} s", clean(what), at.seconds());
        text += &labelled("YOUR RUN", INDENT, &words);
    }
    warnings.iter().for_each(|warning| text += &labelled("warning", INDENT, &clean(warning)));
    if let Some(path) = recording {
        text += &format!("recording {}\n", clean(&path.to_string_lossy()));
    }
    let (right, of) = score(questions);
    if questions.iter().any(|question| !question.graded.said.is_empty()) {
        text += &labelled("answers", INDENT, &format!("{right} of {of} right"));
    }
    text + &exit_line(outcome, INDENT)
}

/// The lab and what it was run on.
pub fn head(lab: &Lab, ran: &Ran) -> String {
    let title = format!("{}: {}", clean(&lab.name), clean(&lab.title));
    let setups = || lab.variants.iter().map(|variant| &variant.setup);
    let driver = setups().next().map(|setup| setup.driver.to_string()).unwrap_or_default();
    let seed = setups().next().map_or(0, |setup| setup.seed);
    let runs = counted(lab.variants.len() as u64, "run", "runs");
    let took = words::seconds(ran.elapsed.as_secs_f64());
    let mut text = labelled("onceish lab", HEAD, &title);
    text += &labelled("", HEAD, &format!("{runs}, {driver}, SQLite, seed {seed}, {took}"));
    text + &labelled("", HEAD, &clean(&lab.teaches))
}

/// What became of the jobs of each run.
pub fn table(lab: &Lab, watches: &[Watch]) -> String {
    let names: Vec<String> = lab.variants.iter().map(|variant| name(&variant.name)).collect();
    let width = names.iter().map(String::len).max().unwrap_or_default().max(INDENT);
    let mut text = format!("{:width$}", "");
    for title in ["jobs", "lost", "once", "twice", "dead", "pending"] {
        text += &format!("{title:>9}");
    }
    text += "\n";
    for (name, watch) in names.iter().zip(watches) {
        let n = watch.board().counters();
        let figures = [n.enqueued, n.lost, n.once, n.duplicated, n.dead_unapplied(), n.pending].map(count);
        let figures: String = figures.iter().map(|figure| format!("{figure:>9}")).collect();
        text += format!("{name:width$}{figures}").trim_end();
        text += "\n";
    }
    text
}

fn name(variant: &str) -> String {
    let name = if variant.is_empty() { "the run" } else { variant };
    clean(name).chars().take(LONGEST_NAME).collect()
}

/// An expectation with what came of it; `labels` for one that held, one that did not, and one that was not judged.
fn expected(checked: &Checked, labels: [&str; 3]) -> String {
    let [held, broken, unjudged] = labels;
    let (label, came) = match checked.held {
        Some(true) => (held, format!("got {}", checked.got)),
        Some(false) => (broken, format!("got {}, wanted {}", checked.got, checked.wanted)),
        None => (unjudged, format!("got {}", checked.got)),
    };
    let says = if checked.says.is_empty() { String::new() } else { format!(" ({})", checked.says) };
    labelled(label, INDENT, &clean(&format!("{}: {came}{says}", checked.text)))
}
