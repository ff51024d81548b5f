//! What a lesson hears of its run: what is said, what is asked, and what time stands for.

use super::entry::Entry;
use super::{Lesson, Sight};
use crate::action::Action;
use crate::board::{Line, Narrated};
use crate::event::By;
use crate::lab::Trigger;
use crate::lab::lesson::Page;

impl Lesson<'_> {
    /// Takes in what the run has said since it was last heard.
    pub(super) fn listen(&mut self) {
        if self.walk.page() != Page::Run {
            return;
        }
        let Some(run) = &self.run else { return };
        let stopped = run.showing().stopped;
        let (fresh, all, steps) = {
            let board = run.board(0);
            let lines = board.narration();
            let heard = self.heard.min(lines.len());
            let steps: Vec<u32> = lines.iter().map(|line| line.step).collect();
            (lines[heard..].to_vec(), lines.len(), steps)
        };
        self.told = self.walk.pages().told(steps);
        if all < self.heard {
            self.passed = self.passed.min(all);
        }
        self.heard = all;
        for line in &fresh {
            self.hear(line);
        }
        if stopped && self.sight == Sight::Run && self.passed < all {
            self.pass_what_waits_for_nobody(all);
        }
    }

    fn hear(&mut self, line: &Narrated) {
        let Some(step) = place(line) else { return };
        let asks = line.line == Line::Asked && self.walk.pages().asked_during(step);
        if asks && self.walk.answer(step).is_none() {
            (self.sight, self.entry, self.scroll) = (Sight::Asking(step), Entry::new(), 0);
        }
    }

    /// Time stands for what was said before the run, and for a question that has its answer: it is let go.
    fn pass_what_waits_for_nobody(&mut self, all: usize) {
        let Some(run) = &self.run else { return };
        let last = {
            let board = run.board(0);
            board.narration().iter().rev().find(|line| line.line != Line::Answered).cloned()
        };
        let Some(step) = last.as_ref().and_then(place) else { return };
        let lab = self.stage.lab();
        let before = lab.steps.get(step).is_none_or(|step| step.trigger == Trigger::Before);
        let asked = last.is_some_and(|line| line.line == Line::Asked);
        match self.walk.answer(step).filter(|_| asked && !before) {
            Some(answer) => {
                let number = u32::try_from(step + 1).unwrap_or(u32::MAX);
                run.act(Action::Answer(number, answer.to_owned()), By::Operator);
                run.act(Action::Go, By::Lab);
            }
            None if before => drop(run.act(Action::Go, By::Lab)),
            None => return,
        }
        self.passed = all;
    }

    /// A question of the run was answered: the run is shown again, and time goes on.
    pub(super) fn go_on_with_the_run(&mut self) {
        self.sight = Sight::Run;
        if let Some(run) = &self.run {
            run.act(Action::Go, By::Lab);
        }
        self.passed = self.heard;
    }
}

/// The place of the step that a line belongs to.
fn place(line: &Narrated) -> Option<usize> {
    usize::try_from(line.step).ok()?.checked_sub(1)
}
