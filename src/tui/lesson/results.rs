//! What came of a question, and the last page with the score.

use super::Lesson;
use super::outcome::{Came, Outcome, Table};
use super::pages::{Written, answered};
use super::text::{Line, Text, sentence};
use crate::lab::{Ask, number};
use crate::tui::fit::{tidy, width};
use crate::tui::theme::Role;

/// The cell at which figures end, and at which words beside them begin.
const FIGURE: u16 = 22;
const WORDS: u16 = 26;

impl Lesson<'_> {
    /// What came of the question of a step.
    pub(super) fn write_result(&mut self, step: usize, cells: u16) -> Written {
        let outcome = self.outcome();
        let mut text = Text::new(cells);
        let place = self.walk.pages().questions().iter().position(|one| *one == step).unwrap_or(0);
        let came = outcome.questions.get(place).cloned().unwrap_or_default();
        let lab = self.stage.lab();
        let Some(ask) = &lab.steps[step].ask else { return Written { text, cursor: None } };
        text.push(headline(&outcome, &came, cells));
        if !outcome.unjudged() && came.waits.is_empty() && self.walk.pages().questions().len() > 1 {
            text.gap();
            text.words(1, &ask.text, Role::Dim);
        }
        text.gap();
        let said = self.walk.answer(step).map_or("nothing".to_owned(), |answer| answered(lab, step, answer));
        row(&mut text, "you said", &said, "");
        write_formula(&mut text, ask);
        write_measured(&mut text, &came, ask, outcome.agree);
        text.gap();
        for (name, value, words) in &came.figures {
            row(&mut text, name, value, words);
        }
        write_reasons(&mut text, ask);
        write_table(&mut text, &outcome.table);
        Written { text, cursor: None }
    }

    /// The score, each answer with its reason in one line, whether the lab held, and where the run was recorded.
    pub(super) fn write_end(&mut self, cells: u16) -> Written {
        let outcome = self.outcome();
        let mut text = Text::new(cells);
        let lab = self.stage.lab();
        let (right, of) = outcome.score();
        if of > 0 {
            let star = if outcome.touched.is_some() { " *" } else { "" };
            text.push(Line::of(1, format!("{right} of {of} right{star}"), Role::Strong));
        }
        for (step, came) in self.walk.pages().questions().iter().zip(&outcome.questions) {
            let Some(ask) = &lab.steps[*step].ask else { continue };
            text.gap();
            let (word, role) = word(&outcome, came);
            let from = text.lines.len();
            text.words(16, &ask.text, Role::Text);
            if let Some(first) = text.lines.get_mut(from) {
                first.0.insert(0, (1, word.to_owned(), role));
            }
            let measured = if came.waits.is_empty() { came.measured.as_str() } else { "still running" };
            text.words(16, &format!("{}: {}", tidy(measured), sentence(&ask.why)), Role::Dim);
        }
        write_ending(&mut text, &outcome);
        write_table(&mut text, &outcome.table);
        text.gap();
        text.words(1, &format!("It teaches: {}", tidy(&lab.teaches)), Role::Text);
        if let Some(file) = self.stage.recorded() {
            text.gap();
            text.words(1, "The run was recorded to", Role::Dim);
            text.words(1, &file, Role::Text);
        }
        Written { text, cursor: None }
    }
}

/// The verdict on an answer, and what counts as right.
fn headline(outcome: &Outcome, came: &Came, cells: u16) -> Line {
    if let Some(touched) = &outcome.touched {
        return Line::of(1, format!("YOUR RUN: {}, so the lab does not judge it.", tidy(touched)), Role::Look);
    }
    if let Some(why) = &outcome.untested {
        return Line::of(1, format!("INCONCLUSIVE: {}", tidy(why)), Role::Look);
    }
    if !came.waits.is_empty() {
        return Line::of(1, format!("still running: {}", tidy(&came.waits.join(", "))), Role::Look);
    }
    let (word, role) = word(outcome, came);
    let line = Line::of(1, word, role);
    if came.band.is_empty() {
        return line;
    }
    line.ending(cells.saturating_sub(11), &came.band, Role::Text)
}

/// The verdict on an answer in a word. What is not right is no failure, and never red.
fn word(outcome: &Outcome, came: &Came) -> (&'static str, Role) {
    match (outcome.unjudged(), came.right) {
        (true, _) | (false, None) => ("not judged", Role::Look),
        (false, Some(true)) => ("RIGHT", Role::Ok),
        (false, Some(false)) => ("NOT QUITE", Role::Look),
    }
}

/// A figure under its name, with words beside it. What is longer than a figure begins where figures do.
fn row(text: &mut Text, name: &str, value: &str, words: &str) {
    let value = tidy(value);
    let long = width(&value) > 6;
    let from = text.lines.len();
    if long {
        text.words(19, &value, Role::Strong);
        if !words.is_empty() {
            text.words(WORDS, words, Role::Text);
        }
    } else if words.is_empty() {
        text.push(Line::default());
    } else {
        text.words(WORDS, words, Role::Text);
    }
    if let Some(line) = text.lines.get_mut(from) {
        let figure = FIGURE.saturating_sub(width(&value) as u16);
        if !long {
            line.0.insert(0, (figure, value.into_owned(), Role::Strong));
        }
        line.0.insert(0, (4, cut_name(name), Role::Text));
    }
}

fn cut_name(name: &str) -> String {
    crate::tui::fit::cut(&tidy(name), 14).into_owned()
}

fn write_formula(text: &mut Text, ask: &Ask) {
    let gives = ask.gives.map(number).unwrap_or_default();
    if let Some(formula) = &ask.formula {
        row(text, "formula", &gives, formula);
    }
    if let Some(worked) = &ask.worked {
        text.words(WORDS, worked, Role::Text);
    }
}

fn write_measured(text: &mut Text, came: &Came, ask: &Ask, agree: bool) {
    if !came.waits.is_empty() {
        row(text, "measured", "", "still running");
        return;
    }
    match &ask.answer {
        crate::lab::Answer::Choice { .. } => row(text, "right is", &came.measured, ""),
        _ => row(text, "measured", &came.measured, if agree { "the board and SQL agree" } else { "" }),
    }
}

fn write_reasons(text: &mut Text, ask: &Ask) {
    text.labelled("why", &ask.why);
    if let Some(aloud) = &ask.aloud {
        let quoted = aloud.trim().trim_matches('"');
        text.labelled("say it", &format!("\"{quoted}\""));
    }
    if let Some(note) = &ask.note {
        text.labelled("note", note);
    }
}

/// How the lab itself came out.
fn write_ending(text: &mut Text, outcome: &Outcome) {
    text.gap();
    let running = tidy(&outcome.running.join(", ")).into_owned();
    let (words, role) = match (&outcome.touched, &outcome.untested, &outcome.broken, outcome.held) {
        _ if !running.is_empty() => (format!("still running: {running}"), Role::Look),
        (Some(touched), ..) => (format!("YOUR RUN: {touched}, so the lab does not judge it."), Role::Look),
        (_, _, Some(broken), _) => (format!("THE LAB DOES NOT HOLD: {broken}"), Role::Bad),
        (_, Some(untested), ..) => (format!("INCONCLUSIVE: {untested}"), Role::Look),
        (.., Some((held, of))) if of > 0 => (format!("{held} of {of} of the lab's own expectations hold."), Role::Ok),
        _ => return,
    };
    text.words(1, &words, role);
}

/// The figures of all variants beside each other.
fn write_table(text: &mut Text, table: &Table) {
    if table.rows.len() < 2 || table.columns.is_empty() {
        return;
    }
    text.gap();
    let name_cells = table.rows.iter().map(|(name, _)| width(&tidy(name))).max().unwrap_or(0).clamp(7, 24) as u16;
    let mut ends = Vec::new();
    let mut end = 4 + name_cells;
    let mut head = Line::of(4, "variant", Role::Dim);
    for column in &table.columns {
        end += (width(column) as u16).max(7) + 2;
        head = head.ending(end, column, Role::Dim);
        ends.push(end);
    }
    text.push(head);
    for (name, figures) in &table.rows {
        let name = crate::tui::fit::cut(&tidy(name), usize::from(name_cells)).into_owned();
        let mut line = Line::of(4, name, Role::Text);
        match figures {
            Some(figures) => {
                for (figure, end) in figures.iter().zip(&ends) {
                    line = line.ending(*end, figure, Role::Text);
                }
            }
            None => line = line.and(4 + name_cells + 2, "still running", Role::Look),
        }
        text.push(line);
    }
}
