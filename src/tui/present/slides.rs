//! A lab cut into thoughts, one a screen: what is said, what is asked with its answer, and where the run stands for each.

use crate::lab::named::subject;
use crate::lab::{Answer, Ask, Lab, Trigger, number};
use crate::tui::fit::{tidy, width, wrap};
use crate::tui::lesson::text::{paragraphs, sentence};
use crate::tui::lesson::{Came, Outcome};

/// The columns that words keep.
pub const COLUMNS: usize = 60;
/// The lines of words where there is nothing else, and beside a program.
const ALONE: usize = 8;
const BESIDE: usize = 3;
/// The lines of a question, and of an answer.
const ASKED: usize = 2;

/// Where the run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At its start.
    Start,
    /// Where the lab says something for this time, counted from 1.
    Said(usize),
    /// At its end.
    End,
}

/// One screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slide {
    /// Its number; a question and its answer have the same.
    pub number: usize,
    /// What is said, a line a row.
    pub words: Vec<String>,
    /// True where the worker's program is shown.
    pub program: bool,
    /// What is asked.
    pub question: Vec<String>,
    /// The answer, or how to get at it.
    pub answer: Vec<String>,
    /// True where the three figures are shown.
    pub figures: bool,
    /// The three figures, and whose they are, where they are not of the run that is shown.
    pub other: Option<([u64; 3], String)>,
    /// Where the run stands.
    pub place: Place,
    /// The step that it belongs to.
    pub step: Option<usize>,
}

/// Slides under construction.
struct Deck {
    slides: Vec<Slide>,
    number: usize,
}

/// The slides of a lab whose run has said these steps, by their places, in this order, the ones before the run first.
pub fn slides(lab: &Lab, said: &[usize], outcome: &Outcome) -> Vec<Slide> {
    let mut deck = Deck { slides: Vec::new(), number: 0 };
    deck.words(&[tidy(&lab.title).into_owned(), tidy(&lab.teaches).into_owned()], Place::Start, None);
    let questions: Vec<usize> = (0..lab.steps.len()).filter(|step| lab.steps[*step].ask.is_some()).collect();
    let came = |step: usize| questions.iter().position(|one| *one == step).and_then(|n| outcome.questions.get(n));
    for (step, one) in lab.steps.iter().enumerate().filter(|(_, step)| step.trigger == Trigger::Before) {
        deck.words(&paragraphs(&one.say), Place::Start, Some(step));
        if let Some(ask) = &one.ask {
            deck.asked_before(ask, step);
        }
    }
    let ran = deck.slides.len();
    let mut answered = Vec::new();
    for (at, step) in said.iter().copied().enumerate() {
        let repeats = at > 0 && said[at - 1] == step;
        if lab.steps[step].trigger == Trigger::Before || repeats {
            continue;
        }
        let next = (at + 1..said.len()).find(|later| said[*later] != step);
        let end = next.map_or(Place::End, |next| Place::Said(next + 1));
        if deck.told(lab, step, (Place::Said(at + 1), end)) {
            answered.push(step);
        }
    }
    if deck.slides.len() == ran {
        deck.ran();
    }
    for step in questions.iter().copied().filter(|step| !answered.contains(step)) {
        if let Some(ask) = &lab.steps[step].ask {
            deck.result(ask, (step, subject(&lab.steps[step]) == 0), came(step));
        }
    }
    deck.slides
}

impl Deck {
    fn push(&mut self, slide: Slide) {
        self.slides.push(Slide { number: self.number, ..slide });
    }

    fn blank(place: Place, step: Option<usize>) -> Slide {
        Slide {
            number: 0,
            words: Vec::new(),
            program: false,
            question: Vec::new(),
            answer: Vec::new(),
            figures: false,
            other: None,
            place,
            step,
        }
    }

    /// Words alone, on as many screens as they need.
    fn words(&mut self, text: &[String], place: Place, step: Option<usize>) {
        for words in screens(text, ALONE) {
            self.number += 1;
            self.push(Slide { words, ..Deck::blank(place, step) });
        }
    }

    /// A question before the run: the run answers it.
    fn asked_before(&mut self, ask: &Ask, step: usize) {
        self.number += 1;
        let mut slide = self.with_question(Deck::blank(Place::Start, Some(step)), ask);
        slide.answer = vec!["( the run will tell )".to_owned()];
        self.push(slide);
    }

    /// A step of the run: what it says with the program, and at its end the figures. True if its question was answered
    /// there and then.
    fn told(&mut self, lab: &Lab, step: usize, (start, end): (Place, Place)) -> bool {
        let mut chunks = screens(&paragraphs(&lab.steps[step].say), BESIDE);
        let ask = lab.steps[step].ask.as_ref();
        let last = chunks.pop().unwrap_or_default();
        for words in chunks {
            self.number += 1;
            self.push(Slide { words, program: true, ..Deck::blank(start, Some(step)) });
        }
        let Some(ask) = ask else {
            if !last.is_empty() {
                self.number += 1;
                let slide = Deck::blank(end, Some(step));
                self.push(Slide { words: last, program: true, figures: true, ..slide });
            }
            return false;
        };
        self.number += 1;
        let slide = Slide { words: last, program: true, ..Deck::blank(start, Some(step)) };
        let slide = self.with_question(slide, ask);
        let Answer::Choice { choices, right, .. } = &ask.answer else {
            self.push(Slide { answer: vec!["( the run will tell )".to_owned()], ..slide });
            return false;
        };
        self.push(Slide { answer: vec![HIDDEN.to_owned()], ..slide.clone() });
        let right = choices.get(*right).map_or("", |choice| &choice.text);
        let (answer, why) = answer(right, ask);
        self.push(Slide { answer, figures: true, place: end, ..slide });
        self.reasons(ask, why, end, step);
        true
    }

    /// The run itself, where it says nothing.
    fn ran(&mut self) {
        self.number += 1;
        let words = vec!["The run, from its start to its end.".to_owned()];
        self.push(Slide { words, program: true, figures: true, ..Deck::blank(Place::End, None) });
    }

    /// A question that the whole run answers: the one that is shown, or another.
    fn result(&mut self, ask: &Ask, (step, of_shown): (usize, bool), came: Option<&Came>) {
        self.number += 1;
        let other = came.filter(|_| !of_shown).map(|came| (came.fates, came.about.clone()));
        let shown = Slide { program: other.is_none(), other, ..Deck::blank(Place::End, Some(step)) };
        let slide = self.with_question(shown, ask);
        self.push(Slide { answer: vec![HIDDEN.to_owned()], ..slide.clone() });
        let right = match &ask.answer {
            Answer::Choice { choices, right, .. } => choices.get(*right).map_or("", |choice| &choice.text).to_owned(),
            Answer::Number { unit, .. } => {
                let measured = came.map_or(String::new(), measured);
                if unit.is_empty() || measured.ends_with(unit.as_str()) {
                    measured
                } else {
                    format!("{measured} {unit}")
                }
            }
        };
        let (answer, why) = answer(&right, ask);
        self.push(Slide { answer, figures: true, ..slide });
        if let Some(formula) = &ask.formula {
            let gives = ask.gives.map(|gives| format!("= {}", number(gives))).unwrap_or_default();
            let all = [Some(formula.clone()), ask.worked.clone(), Some(gives)];
            let all: Vec<String> = all.into_iter().flatten().filter(|line| !line.is_empty()).collect();
            self.words(&all, Place::End, Some(step));
        }
        self.reasons(ask, why, Place::End, step);
    }

    /// The slide with its question. One that is too long for its place goes ahead, on a screen of its own.
    fn with_question(&mut self, slide: Slide, ask: &Ask) -> Slide {
        let mut question = lines(&paragraphs(&ask.text));
        if question.len() > ASKED {
            let told =
                Slide { number: self.number, words: question.split_off(0), ..Deck::blank(slide.place, slide.step) };
            let words = told.words.iter().take(ALONE).cloned().collect();
            self.push(Slide { words, ..told });
            self.number += 1;
        }
        Slide { question, ..slide }
    }

    /// The reasons that found no room beside the answer, and the sentence to say aloud.
    fn reasons(&mut self, ask: &Ask, why: bool, place: Place, step: usize) {
        if why {
            self.words(&paragraphs(&ask.why), place, Some(step));
        }
        if let Some(aloud) = &ask.aloud {
            let quoted = format!("\"{}\"", aloud.trim().trim_matches('"'));
            self.words(&paragraphs(&quoted), place, Some(step));
        }
    }
}

/// What stands in place of an answer until it is asked for.
const HIDDEN: &str = "( the answer: space )";

/// The answer on one line with its reason if there is room for that; and whether the reasons still have to be told.
fn answer(right: &str, ask: &Ask) -> (Vec<String>, bool) {
    let right = tidy(right.trim()).into_owned();
    let stop = if right.ends_with(['.', '!', '?']) { "" } else { "." };
    let all = paragraphs(&ask.why);
    let short = format!("{right}{stop} {}", sentence(&ask.why));
    if width(&short) <= COLUMNS {
        let told_all = all.len() == 1 && all[0] == sentence(&ask.why);
        return (vec![short], !told_all);
    }
    (wrap(&format!("{right}{stop}"), COLUMNS).into_iter().take(ASKED).collect(), true)
}

/// What was measured, or that it is not known yet.
fn measured(came: &Came) -> String {
    if came.waits.is_empty() { came.measured.clone() } else { format!("still running: {}", came.waits.join(", ")) }
}

/// Words in screens of so many rows. A sentence begins on a row of its own, and is not torn if a screen can hold it.
fn screens(text: &[String], rows: usize) -> Vec<Vec<String>> {
    let mut screens: Vec<Vec<String>> = Vec::new();
    for sentence in text.iter().flat_map(|paragraph| sentences(paragraph)) {
        let lines = wrap(&tidy(&sentence), COLUMNS);
        match screens.last_mut() {
            Some(last) if last.len() + lines.len() <= rows => last.extend(lines),
            _ => screens.extend(lines.chunks(rows).map(<[String]>::to_vec)),
        }
    }
    screens
}

/// The sentences of a paragraph.
fn sentences(paragraph: &str) -> Vec<String> {
    let mut rest = paragraph.trim();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let first = sentence(rest);
        rest = rest.get(first.len()..).unwrap_or_default().trim_start();
        all.push(first);
    }
    all
}

/// Words as rows.
fn lines(text: &[String]) -> Vec<String> {
    text.iter().flat_map(|paragraph| wrap(&tidy(paragraph), COLUMNS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::fixture::{asks, chooses, lab, says};

    fn places(slides: &[Slide]) -> Vec<(usize, Place)> {
        slides.iter().map(|slide| (slide.number, slide.place)).collect()
    }

    #[test]
    fn a_question_and_its_answer_have_one_number_and_the_answer_plays_the_step_to_its_end() {
        let lab =
            lab(vec![says("Hear this."), says("It died.").at(1), chooses("How often?", &["Once", "Twice"]).at(2)]);
        let slides = slides(&lab, &[0, 1, 2], &Outcome::default());
        use Place::{End, Said, Start};
        assert_eq!(places(&slides), [(1, Start), (2, Start), (3, Said(3)), (4, Said(3)), (4, End)]);
        assert_eq!(slides[3].answer, ["( the answer: space )"]);
        assert_eq!(slides[4].answer, ["Twice. Nobody remembered the first time."]);
        assert!(!slides[3].figures && slides[4].figures);
    }

    #[test]
    fn what_is_asked_before_the_run_is_answered_behind_it() {
        let lab = lab(vec![asks("How many?")]);
        let came = Came { measured: "195".into(), ..Came::default() };
        let slides = slides(&lab, &[0], &Outcome { questions: vec![came], ..Outcome::default() });
        assert_eq!(slides.iter().map(|slide| slide.number).collect::<Vec<_>>(), [1, 2, 3, 4, 4]);
        assert_eq!(slides[1].answer, ["( the run will tell )"]);
        assert_eq!(slides[4].answer, ["195. Nobody remembered the first time."]);
        assert_eq!(slides[4].place, Place::End);
    }

    #[test]
    fn no_screen_has_more_than_eight_lines_of_sixty_columns() {
        let long = "a thought that goes on and on, ".repeat(60);
        let question = chooses(&long, &["yes", &long]).at(2).saying(&long);
        let lab = lab(vec![says(&long), asks(&long), says(&long).at(1), question]);
        for slide in slides(&lab, &[0, 1, 2, 3], &Outcome::default()) {
            let rows = [&slide.words, &slide.question, &slide.answer];
            let all = rows.iter().map(|rows| rows.len()).sum::<usize>() + usize::from(slide.program);
            assert!(all <= 8, "{slide:?}");
            assert!(rows.into_iter().flatten().all(|row| width(row) <= 60), "{slide:?}");
        }
    }

    #[test]
    fn a_step_that_is_repeated_is_one_screen() {
        let lab = lab(vec![says("Again.").at(1), says("Done.").at(9)]);
        let slides = slides(&lab, &[0, 0, 0, 1], &Outcome::default());
        assert_eq!(places(&slides)[1..], [(2, Place::Said(4)), (3, Place::End)]);
    }
}
