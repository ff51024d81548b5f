//! Small labs for tests, put together by hand.

use super::figure::Figure;
use super::model::{Answer, Ask, Band, Choice, Cue, Lab, Step, Trigger, Until, Variant};
use crate::action;
use crate::setup::Setup;
use crate::time::{Instant, Span};

/// A lab of one variant with these steps.
pub fn lab(steps: Vec<Step>) -> Lab {
    let mut setup = Setup::headless(13);
    setup.workload.jobs = Some(20);
    Lab {
        name: "09-bounded-window".into(),
        title: "The bounded window".into(),
        chapter: "Knowing a duplicate".into(),
        teaches: "dedup lasts as long as its memory".into(),
        takes: "4 min".into(),
        driver: None,
        variants: vec![Variant { name: String::new(), says: String::new(), setup }],
        until: Until::Drained,
        cut: false,
        steps,
        expects: Vec::new(),
        must_happen: Vec::new(),
        text: String::new(),
    }
}

/// A step before the run that says this.
pub fn says(text: &str) -> Step {
    Step {
        id: String::new(),
        variants: Vec::new(),
        trigger: Trigger::Before,
        wait: Span::ZERO,
        within: None,
        times: 1,
        every: Span::ZERO,
        say: text.into(),
        acts: Vec::new(),
        mark: None,
        pause: false,
        ask: None,
    }
}

/// A step before the run that asks how many jobs are applied twice.
pub fn asks(text: &str) -> Step {
    let answer = Answer::Number {
        between: (0.0, 398.0),
        whole: true,
        unit: String::new(),
        right: Figure::Counter(None, "duplicated"),
        band: Band::Within(20.0),
    };
    Step { ask: Some(question(text, answer)), ..says("") }
}

/// A step before the run that asks for one of these, of which the last is right.
pub fn chooses(text: &str, choices: &[&str]) -> Step {
    let choices: Vec<Choice> = choices.iter().map(|text| Choice { text: (*text).into() }).collect();
    let right = choices.len() - 1;
    Step { ask: Some(question(text, Answer::Choice { choices, right, proof: None })), ..says("") }
}

fn question(text: &str, answer: Answer) -> Ask {
    Ask {
        text: text.into(),
        answer,
        formula: None,
        worked: None,
        gives: None,
        why: "Nobody remembered the first time.".into(),
        aloud: None,
        note: None,
        figures: Vec::new(),
    }
}

impl Step {
    /// The same step, at this second.
    pub fn at(self, second: u64) -> Step {
        Step { trigger: Trigger::At(Instant::START + Span::seconds(second)), ..self }
    }

    /// The same step, of this variant only.
    pub fn of_variant(self, variant: usize) -> Step {
        Step { variants: vec![variant], ..self }
    }

    /// The same step, saying this first.
    pub fn saying(self, text: &str) -> Step {
        Step { say: text.into(), ..self }
    }

    /// The same step, with time standing behind it.
    pub fn pausing(self) -> Step {
        Step { pause: true, ..self }
    }

    /// The same step, which does this too.
    pub fn doing(mut self, line: &str) -> Step {
        self.acts.push(Cue { action: action::parse(line).expect("an action") });
        self
    }
}
