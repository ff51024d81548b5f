//! The questions of a lab once its runs are over: what was answered, what came, and why. The same lines stand in the
//! report and behind a lab that is told line by line.

use super::super::words::labelled;
use crate::lab::{self, Ask, Graded, Lab, Watch, number_of};
use crate::text::clean;

/// Where the text begins.
const INDENT: usize = 10;
/// How wide names and figures are.
const NAMES: usize = 15;

/// A question with its grade.
pub struct Question<'a> {
    /// The number of the step that asks.
    pub step: u32,
    /// What is asked.
    pub ask: &'a Ask,
    /// How the answer came out.
    pub graded: Graded,
}

/// The questions of a lab, graded by its runs. The first answer that any of them heard counts.
pub fn questions<'a>(lab: &'a Lab, watches: &[Watch]) -> Vec<Question<'a>> {
    let asked = lab.steps.iter().enumerate().filter_map(|(place, step)| Some((place, step, step.ask.as_ref()?)));
    asked
        .map(|(place, variants, ask)| {
            let number = number_of(place);
            let answer = watches.iter().find_map(|watch| watch.answers().get(&number));
            let here = variants.variants.first().copied().unwrap_or_default();
            let graded = lab::grade(ask, answer.map(String::as_str), watches, here);
            Question { step: number, ask, graded }
        })
        .collect()
}

/// How many answers are right, and how many questions there are.
pub fn score(questions: &[Question<'_>]) -> (usize, usize) {
    (questions.iter().filter(|question| question.graded.right == Some(true)).count(), questions.len())
}

/// A question with its answer, the figures and the reason.
pub fn told(question: &Question<'_>) -> String {
    let Question { step, ask, graded } = question;
    let verdict = match (graded.right, graded.said.is_empty()) {
        (Some(true), _) => "RIGHT",
        (Some(false), _) => "NOT QUITE",
        (None, false) => "NOT GRADED",
        (None, true) => "not answered",
    };
    let band = if graded.band.is_empty() { String::new() } else { format!(" ({})", graded.band) };
    let mut text = labelled(&format!("step {step}"), INDENT, &clean(&ask.text));
    text += &labelled("", INDENT, &format!("{verdict}{band}"));
    text += &figures(graded);
    text += &labelled("why", INDENT, &clean(&ask.why));
    for (label, words) in [("say it", &ask.aloud), ("note", &ask.note)] {
        text += &words.as_ref().map(|words| labelled(label, INDENT, &clean(words))).unwrap_or_default();
    }
    text
}

fn figures(graded: &Graded) -> String {
    let line = |name: &str, value: &str, words: &str| {
        let value = if words.is_empty() { value.to_owned() } else { format!("{value}; {words}") };
        let name: String = clean(name).chars().take(NAMES - 1).collect();
        labelled(&format!("{:INDENT$}{name}", ""), INDENT + NAMES, &clean(&value))
    };
    let mut text = String::new();
    if !graded.said.is_empty() {
        text += &line("you said", &graded.said, "");
    }
    let formula = [&graded.formula, &graded.worked].map(|words| words.clone().unwrap_or_default());
    match (&graded.gives, formula) {
        (Some(gives), [formula, worked]) => {
            text += &line("formula", gives, &formula);
            text += &if worked.is_empty() { String::new() } else { line("", &worked, "") };
        }
        (None, [formula, worked]) if !formula.is_empty() => text += &line("formula", &formula, &worked),
        _ => {}
    }
    text += &line("measured", &graded.measured, "");
    graded.figures.iter().for_each(|figure| text += &line(&figure.name, &figure.value, &figure.words));
    text
}
