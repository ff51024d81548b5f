//! The pages of a lab, and the way through them: what is said and asked before the run, the run, what came of each
//! question, and the end.
//!
//! A [`Walk`] knows at which page somebody is and what was answered. The first answer to a question counts, and nothing
//! runs before every question before the run has one. What is on a page, and how it looks, is left to others.

use std::collections::BTreeMap;

use super::model::{Lab, Trigger};

/// A page. A step is named by its place in the lab's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Page {
    /// Something is said before the run.
    Said(usize),
    /// A question stands alone before the run.
    Question(usize),
    /// The run.
    Run,
    /// What came of a question.
    Result(usize),
    /// The score.
    End,
}

/// The pages of a lab, as they are gone through with one of its variants on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pages {
    before: Vec<Page>,
    /// The steps of the run that say or ask something.
    during: Vec<usize>,
    /// The steps that ask, in order.
    questions: Vec<usize>,
}

impl Pages {
    /// The pages of `lab` with the run of `shown` on the screen. What is asked in the course of another run is asked
    /// before any of them, since nobody sees that one.
    pub fn of(lab: &Lab, shown: usize) -> Pages {
        let (mut before, mut during, mut questions) = (Vec::new(), Vec::new(), Vec::new());
        for (place, step) in lab.steps.iter().enumerate() {
            let early = step.trigger == Trigger::Before || !step.is_in(shown);
            match (&step.ask, early) {
                (Some(_), true) => before.push(Page::Question(place)),
                (None, true) if step.trigger == Trigger::Before && !step.say.is_empty() => {
                    before.push(Page::Said(place))
                }
                (_, false) if step.ask.is_some() || !step.say.is_empty() => during.push(place),
                _ => {}
            }
            if step.ask.is_some() {
                questions.push(place);
            }
        }
        Pages { before, during, questions }
    }

    /// The steps that ask, in the order of the file.
    pub fn questions(&self) -> &[usize] {
        &self.questions
    }

    /// The steps that ask in the course of the run.
    pub fn asked_during(&self, step: usize) -> bool {
        self.during.contains(&step) && self.questions.contains(&step)
    }

    /// How many steps the way has.
    pub fn len(&self) -> usize {
        self.before.len() + self.stretch() + self.questions.len() + 1
    }

    /// False: a way always has its run and its end.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// How many steps of the way the run takes: one for each of its steps that says something.
    fn stretch(&self) -> usize {
        self.during.len().max(1)
    }

    /// The number of a page on the way, from 1; in the run the steps that were told count, each once.
    pub fn number(&self, page: Page, told: usize) -> usize {
        let ran = self.before.len() + self.stretch();
        match page {
            Page::Said(_) | Page::Question(_) => self.before.iter().position(|one| *one == page).unwrap_or(0) + 1,
            Page::Run => self.before.len() + told.clamp(1, self.stretch()),
            Page::Result(step) => ran + self.questions.iter().position(|one| *one == step).unwrap_or(0) + 1,
            Page::End => self.len(),
        }
    }

    /// How many of the steps that were told, from 1 as a run numbers them, belong to the run, each counted once.
    pub fn told(&self, steps: impl IntoIterator<Item = u32>) -> usize {
        let told: std::collections::BTreeSet<usize> =
            steps.into_iter().filter_map(|number| usize::try_from(number).ok()?.checked_sub(1)).collect();
        self.during.iter().filter(|step| told.contains(step)).count()
    }

    /// All pages in order.
    pub fn all(&self) -> Vec<Page> {
        let results = self.questions.iter().map(|step| Page::Result(*step));
        self.before.iter().copied().chain([Page::Run]).chain(results).chain([Page::End]).collect()
    }
}

/// Where somebody is on the way, and what was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    pages: Pages,
    at: usize,
    answers: BTreeMap<usize, String>,
}

impl Walk {
    /// At the first page, with nothing answered.
    pub fn new(pages: Pages) -> Walk {
        Walk { pages, at: 0, answers: BTreeMap::new() }
    }

    /// At the page with this number on the way, or at the first question before it: what was answered is not known any
    /// more, and nothing is passed over.
    pub fn resumed(pages: Pages, number: usize) -> Walk {
        let mut walk = Walk::new(pages);
        while walk.number(0) < number && walk.forward() {}
        walk
    }

    /// The pages.
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// The page.
    pub fn page(&self) -> Page {
        self.pages.all()[self.at]
    }

    /// Its number on the way, from 1; see [`Pages::number`].
    pub fn number(&self, told: usize) -> usize {
        self.pages.number(self.page(), told)
    }

    /// What was answered at a step.
    pub fn answer(&self, step: usize) -> Option<&str> {
        self.answers.get(&step).map(String::as_str)
    }

    /// All answers so far, with their steps numbered from 1 as a run numbers them.
    pub fn answers(&self) -> Vec<(u32, String)> {
        let number = |step: &usize| u32::try_from(step + 1).unwrap_or(u32::MAX);
        self.answers.iter().map(|(step, text)| (number(step), text.clone())).collect()
    }

    /// Takes an answer; false if there is one already, which counts.
    pub fn give(&mut self, step: usize, text: &str) -> bool {
        let fresh = !self.answers.contains_key(&step);
        if fresh {
            self.answers.insert(step, text.to_owned());
        }
        fresh
    }

    /// On to the next page, unless this one is a question without an answer, the run (see [`Walk::ran`]) or the last.
    pub fn forward(&mut self) -> bool {
        let goes = match self.page() {
            Page::Question(step) => self.answers.contains_key(&step),
            Page::Run | Page::End => false,
            Page::Said(_) | Page::Result(_) => true,
        };
        self.at += usize::from(goes);
        goes
    }

    /// The run is over: on to what came of it.
    pub fn ran(&mut self) {
        if self.page() == Page::Run {
            self.at += 1;
        }
    }

    /// The run cannot begin: back to the page before it.
    pub fn back_from_run(&mut self) {
        if self.page() == Page::Run {
            self.at = self.at.saturating_sub(1);
        }
    }

    /// Back to the page before; false at the first, and at the run, which cannot be taken back to its questions.
    pub fn back(&mut self) -> bool {
        let goes = self.at > 0 && self.page() != Page::Run;
        self.at -= usize::from(goes);
        goes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::fixture::{asks, lab, says};

    /// Two pages before the run, two steps in it of which one asks, two results and the end.
    fn way() -> Pages {
        Pages::of(&lab(vec![says("hear this"), asks("how many"), says("it begins").at(1), asks("and now").at(2)]), 0)
    }

    #[test]
    fn what_has_no_trigger_comes_before_the_run_and_each_question_has_its_result() {
        let pages = way();
        let all = [Page::Said(0), Page::Question(1), Page::Run, Page::Result(1), Page::Result(3), Page::End];
        assert_eq!(pages.all(), all);
        assert!(pages.asked_during(3) && !pages.asked_during(1));
    }

    #[test]
    fn every_step_of_the_way_has_a_number_and_the_run_takes_one_for_each_thing_it_says() {
        let pages = way();
        assert_eq!(pages.len(), 2 + 2 + 2 + 1);
        let numbers = [(Page::Said(0), 0), (Page::Question(1), 0), (Page::Run, 0), (Page::Run, 1), (Page::Run, 2)];
        assert_eq!(numbers.map(|(page, told)| pages.number(page, told)), [1, 2, 3, 3, 4]);
        assert_eq!([Page::Result(1), Page::Result(3), Page::End].map(|page| pages.number(page, 0)), [5, 6, 7]);
        assert_eq!(pages.told([1, 2, 3, 3, 3]), 1, "a step that is repeated counts once");
    }

    #[test]
    fn nothing_goes_on_past_a_question_without_an_answer_and_the_first_answer_counts() {
        let mut walk = Walk::new(way());
        assert!(walk.forward());
        assert!(!walk.forward());
        assert!(walk.give(1, "200"));
        assert!(!walk.give(1, "195"));
        assert_eq!(walk.answers(), [(2, "200".to_owned())]);
        assert!(walk.forward());
        assert!(!walk.forward() && !walk.back(), "the run ends by itself");
        walk.ran();
        assert_eq!(walk.page(), Page::Result(1));
        assert!(walk.forward() && walk.forward() && !walk.forward());
        assert!(walk.back());
    }

    #[test]
    fn an_unfinished_lab_goes_on_where_it_was_left_but_past_no_question() {
        for (number, page) in [(0, Page::Said(0)), (1, Page::Said(0)), (2, Page::Question(1)), (6, Page::Question(1))] {
            assert_eq!(Walk::resumed(way(), number).page(), page, "from step {number}");
        }
    }

    #[test]
    fn what_is_asked_in_a_run_that_nobody_sees_is_asked_before() {
        let hidden = asks("in the other one").at(3).of_variant(1);
        let pages = Pages::of(&lab(vec![says("only there").at(1).of_variant(1), hidden]), 0);
        assert_eq!(pages.all(), [Page::Question(1), Page::Run, Page::Result(1), Page::End]);
        assert_eq!(pages.len(), 4);
    }
}
