//! The pages before the run, and the lesson as it is opened again while the run goes on.

use super::Lesson;
use super::text::{Line, Text};
use crate::board::{Line as Told, Narrated};
use crate::lab::lesson::Page;
use crate::lab::named::{Named, subject};
use crate::lab::{Lab, Step};
use crate::policy::Program;
use crate::setup::{Setup, Strike, Whom};
use crate::text::counted;
use crate::tui::fit::{moment, width};
use crate::tui::theme::Role;
use crate::tui::view::program;

/// What a page asks for beside its text: the line and cell of the text cursor.
pub struct Written {
    /// The page.
    pub text: Text,
    /// The cell and the line of the cursor, if a field is open.
    pub cursor: Option<(u16, usize)>,
}

impl Lesson<'_> {
    /// Something that is said before the run.
    pub(super) fn write_said(&self, step: usize, cells: u16) -> Written {
        let mut text = Text::new(cells);
        let lab = self.stage.lab();
        if self.number() == 1 {
            text.words(1, &lab.title, Role::Strong);
            text.words(1, &lab.teaches, Role::Dim);
            text.gap();
        }
        text.words(1, &lab.steps[step].say, Role::Text);
        Written { text, cursor: None }
    }

    /// A question: what is said, the policy as code, and where the answer goes.
    pub(super) fn write_question(&self, step: usize, cells: u16) -> Written {
        let mut text = Text::new(cells);
        let lab = self.stage.lab();
        let asking = &lab.steps[step];
        text.words(1, &asking.say, Role::Text);
        text.gap();
        write_programs(&mut text, lab, asking, self.look.glyphs.rule);
        let Some(ask) = &asking.ask else { return Written { text, cursor: None } };
        text.gap();
        text.words(1, &ask.text, Role::Strong);
        text.gap();
        let cursor = match self.walk.answer(step) {
            None => {
                let cursor = self.entry.write(&mut text, ask, self.look.glyphs.select);
                text.gap();
                text.words(1, self.rule_of_answers(step), Role::Dim);
                cursor.filter(|_| self.entry.held)
            }
            Some(answer) => {
                text.push(Line::of(4, "you said", Role::Text).and(17, answered(lab, step, answer), Role::Strong));
                None
            }
        };
        Written { text, cursor }
    }

    /// What counts, and what waits for it.
    fn rule_of_answers(&self, step: usize) -> &'static str {
        match self.walk.page() {
            Page::Question(one) if one == step => {
                "Your first answer is the one that counts. Nothing runs until you give it."
            }
            _ => "Your first answer is the one that counts. Time stands until you give it.",
        }
    }

    /// What the lab has said so far, and what was answered.
    pub(super) fn write_story(&mut self, cells: u16) -> Written {
        let mut text = Text::new(cells);
        let lines: Vec<Narrated> = self.with_run(|_, sides| sides[0].board.narration().to_vec()).unwrap_or_default();
        for line in &lines {
            write_told(&mut text, self.stage.lab(), line);
        }
        if text.lines.is_empty() {
            text.words(1, "The lab has said nothing yet. The run goes on.", Role::Text);
        }
        Written { text, cursor: None }
    }
}

fn write_told(text: &mut Text, lab: &Lab, line: &Narrated) {
    const WORDS: u16 = 11;
    let (words, role) = match line.line {
        Told::Said { .. } => (line.text.clone(), Role::Text),
        Told::Asked => (line.text.clone(), Role::Strong),
        Told::Answered => {
            let step = usize::try_from(line.step).unwrap_or(1).saturating_sub(1);
            (format!("you said {}", answered(lab, step, &line.text)), Role::Text)
        }
    };
    if words.trim().is_empty() {
        return;
    }
    text.gap();
    let from = text.lines.len();
    text.words(WORDS, &words, role);
    let at = moment(line.at);
    if let Some(first) = text.lines.get_mut(from) {
        first.0.insert(0, (WORDS.saturating_sub(2 + width(&at) as u16), at, Role::Dim));
    }
}

/// An answer as it is repeated: a number as it was given, a choice with its words.
pub(super) fn answered(lab: &Lab, step: usize, answer: &str) -> String {
    use crate::lab::Answer::{Choice, Number};
    let ask = lab.steps.get(step).and_then(|step| step.ask.as_ref());
    match ask.map(|ask| &ask.answer) {
        Some(Choice { choices, .. }) => {
            let place = answer.bytes().next().map_or(usize::MAX, |letter| usize::from(letter.wrapping_sub(b'a')));
            choices.get(place).map_or_else(|| answer.to_owned(), |choice| format!("{answer}  {}", choice.text))
        }
        Some(Number { unit, .. }) => {
            let figure = answer.parse().map_or_else(|_| answer.to_owned(), crate::lab::number);
            if unit.is_empty() { figure } else { format!("{figure} {unit}") }
        }
        None => answer.to_owned(),
    }
}

/// The program of the variant that a question is about, or of all if it is about none in particular, one for all that
/// share it, with who dies where by itself.
fn write_programs(text: &mut Text, lab: &Lab, step: &Step, rule: char) {
    let mut told: Vec<Program> = Vec::new();
    let named = step.ask.as_ref().is_some_and(|ask| !Named::by_question(ask).variants.is_empty());
    let about = |n: usize| if named || !step.variants.is_empty() { n == subject(step) } else { true };
    let concerned: Vec<_> = lab.variants.iter().enumerate().filter(|(n, _)| about(*n)).map(|(_, v)| v).collect();
    let differ = concerned.windows(2).any(|two| two[0].setup.policy.program() != two[1].setup.policy.program());
    for variant in concerned {
        let program = variant.setup.policy.program();
        if told.contains(&program) {
            continue;
        }
        if differ {
            let says = if variant.says.is_empty() { &variant.name } else { &variant.says };
            text.words(1, says, Role::Dim);
        }
        write_program(text, &program, &variant.setup, rule);
        told.push(program);
    }
}

fn write_program(text: &mut Text, program: &Program, setup: &Setup, rule: char) {
    let (line, points) = program::line(program, usize::from(text.width.saturating_sub(2)), rule);
    text.push(Line::of(1, line, Role::Accent));
    let mut marks = Line::default();
    for strike in &setup.crash {
        if let Some((_, x)) = points.iter().find(|(point, _)| *point == strike.at) {
            let words = deaths(strike);
            let x = (1 + *x as u16).saturating_sub(width(&words) as u16 - 1);
            marks = marks.and(x, words, Role::Bad);
        }
    }
    if !marks.0.is_empty() {
        text.push(marks);
    }
}

/// How many die: `398 x`, `2% x`.
fn deaths(strike: &Strike) -> String {
    match &strike.whom {
        Whom::Rate(rate) => format!("{rate} x"),
        Whom::Page => format!("{} x", crate::page::crashes().len()),
        Whom::Ids(ids) => format!("{} x", ids.len()),
    }
}

/// What a run comes to so far: `12,480 of 20,000`.
pub(super) fn progress(board: &crate::board::Board) -> String {
    let counters = board.counters();
    let settled = counters.done + counters.dead;
    match board.setup().and_then(|setup| setup.workload.jobs) {
        Some(jobs) => format!("{} of {}", crate::text::count(settled), crate::text::count(u64::from(jobs))),
        None => format!("{} done", counted(settled, "job", "jobs")),
    }
}
