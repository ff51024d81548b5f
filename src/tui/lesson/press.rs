//! What the keys of a lesson do: on its pages, and over its run.

use super::entry::{Entered, Entry, begins, scrolled};
use super::{Lesson, Sight};
use crate::action::Action;
use crate::event::By;
use crate::lab::lesson::Page;
use crate::tui::exhibit::{Exhibit, Request};
use crate::tui::keys::{self, Command, Context, Direction, Key, Stroke};
use crate::tui::present::Present;
use crate::tui::watch::{Effect, View, see};

impl Lesson<'_> {
    pub(super) fn take_key(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        if let Some(presenter) = &mut self.presenter {
            let requests = presenter.press(key, stroke);
            return self.after_presenter(requests);
        }
        if self.sight == Sight::Run && !self.keys {
            return self.press_run(key, stroke);
        }
        if stroke == Stroke::Press {
            self.message = None;
        }
        match keys::command(key, &[Context::Always]) {
            Some(Command::Interrupt) => vec![Request::Interrupt],
            Some(Command::Suspend) => vec![Request::Suspend],
            Some(_) => vec![Request::Repaint],
            None => self.press_page(key, stroke),
        }
    }

    /// The step that asks on this page, if its answer is still to be given.
    pub(super) fn asked(&self) -> Option<usize> {
        let step = match (self.sight, self.walk.page()) {
            (Sight::Asking(step), _) => step,
            (Sight::Page, Page::Question(step)) => step,
            _ => return None,
        };
        self.walk.answer(step).is_none().then_some(step)
    }

    fn press_page(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        if let (false, Some(step)) = (self.keys, self.asked())
            && let Some(requests) = self.press_entry(step, key, stroke)
        {
            return requests;
        }
        let Some(command) = keys::command(key, &[Context::Lesson]) else { return Vec::new() };
        if stroke == Stroke::Repeat && !command.moves() {
            return Vec::new();
        }
        self.command(command)
    }

    /// A key on a question without an answer; `None` if it has nothing to do with the answer.
    fn press_entry(&mut self, step: usize, key: Key, stroke: Stroke) -> Option<Vec<Request>> {
        let stage = self.stage.clone();
        let ask = stage.lab().steps.get(step)?.ask.as_ref()?;
        if !self.entry.held {
            if !begins(key, ask) || stroke == Stroke::Repeat {
                return None;
            }
            self.entry.held = true;
            if key == Key::Enter {
                return Some(Vec::new());
            }
        }
        if key == Key::Esc {
            self.entry.held = false;
            return Some(Vec::new());
        }
        if key == Key::Enter && stroke == Stroke::Repeat {
            return Some(Vec::new());
        }
        match self.entry.press(key, ask) {
            Entered::Other => return None,
            Entered::Taken => {}
            Entered::Refused(why) => self.message = Some(why),
            Entered::Answer(answer) => return Some(self.answered(step, &answer)),
        }
        Some(Vec::new())
    }

    /// The first answer to a question: the lab goes on.
    fn answered(&mut self, step: usize, answer: &str) -> Vec<Request> {
        self.walk.give(step, answer);
        (self.entry, self.scroll) = (Entry::new(), 0);
        match self.sight {
            Sight::Asking(_) => {
                if let Some(run) = &self.run {
                    let number = u32::try_from(step + 1).unwrap_or(u32::MAX);
                    run.act(Action::Answer(number, answer.to_owned()), By::Operator);
                }
                self.go_on_with_the_run();
                Vec::new()
            }
            _ => self.next(),
        }
    }

    fn command(&mut self, command: Command) -> Vec<Request> {
        match command {
            Command::Quit | Command::Out if self.keys => self.keys = false,
            Command::Help => self.keys = !self.keys,
            Command::Move(direction) => self.scroll(direction),
            _ if self.keys => {}
            Command::Quit if self.sight == Sight::Story => self.sight = Sight::Run,
            Command::Quit => return self.leave_lesson(),
            Command::In | Command::Next => return self.on(),
            Command::Previous | Command::Out => self.back(command == Command::Previous),
            Command::OpenRun => self.open_run(false),
            Command::Explain => self.open_run(true),
            Command::Present => self.present(),
            Command::Again => return vec![Request::Again],
            _ => {}
        }
        Vec::new()
    }

    /// What is left is a lesson that may not be finished.
    pub(super) fn leave_lesson(&mut self) -> Vec<Request> {
        self.note_left();
        vec![Request::Quit]
    }

    fn scroll(&mut self, direction: Direction) {
        self.scroll = scrolled(self.scroll, direction).min(self.beyond);
    }

    /// Enter: on to what comes next.
    fn on(&mut self) -> Vec<Request> {
        match (self.sight, self.walk.page()) {
            (Sight::Story, _) if self.over() => self.see_results(),
            (Sight::Story, _) => self.sight = Sight::Run,
            (_, Page::End) => return vec![Request::Quit],
            _ => return self.next(),
        }
        Vec::new()
    }

    fn next(&mut self) -> Vec<Request> {
        self.scroll = 0;
        if self.walk.forward() {
            self.entry = Entry::new();
        } else if self.asked().is_some() {
            self.message = Some("nothing runs before this is answered".to_owned());
        }
        if let Err(error) = self.begin_if_due() {
            self.message = Some(format!("the run cannot be started: {error:#}"));
            self.walk.back_from_run();
        }
        Vec::new()
    }

    fn back(&mut self, asked_for: bool) {
        match self.sight {
            Sight::Story => self.sight = Sight::Run,
            Sight::Page if asked_for => {
                self.scroll = 0;
                self.walk.back();
                if self.walk.page() == Page::Run {
                    self.sight = Sight::Run;
                }
            }
            _ => {}
        }
    }

    /// The run is over: what came of the first question.
    pub(super) fn see_results(&mut self) {
        self.walk.ran();
        (self.sight, self.scroll) = (Sight::Page, 0);
    }

    /// The finished run in the sandbox; with the first job that came to harm explained, if that was asked for.
    fn open_run(&mut self, explain: bool) {
        if self.run.is_none() {
            self.message = Some("nothing has run yet".to_owned());
            return;
        }
        if !matches!(self.walk.page(), Page::Result(_) | Page::End) {
            self.sight = Sight::Run;
            return;
        }
        self.sight = Sight::Run;
        let found = self.with_run(|lesson, sides| {
            let anomaly = sides[0].board.anomalies().front().copied();
            if explain && let Some(anomaly) = anomaly {
                lesson.app.explain_job(anomaly.job, anomaly.seq, sides[0]);
            }
            anomaly.is_some()
        });
        if explain && found == Some(false) {
            self.app.message = Some("no job came to harm in this run".to_owned());
        }
    }

    fn press_run(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        let bare = self.app.layer.is_none();
        match keys::command(key, &[Context::LabRun]).filter(|_| bare && stroke == Stroke::Press) {
            Some(Command::In) => {
                self.open_lesson();
                return Vec::new();
            }
            Some(Command::Present) => {
                self.present();
                return Vec::new();
            }
            Some(Command::Quit) => {
                return self.leave_run();
            }
            _ => {}
        }
        if bare && self.zooms(key) {
            self.app.zoomed = true;
            return Vec::new();
        }
        let effects = self.with_run(|lesson, sides| View::press(&mut lesson.app, key, stroke, sides));
        effects.unwrap_or_default().into_iter().filter_map(|effect| self.carry_out(effect)).collect()
    }

    /// True for the number of the panel that has the focus already: enter is taken, so this is the way into a panel.
    fn zooms(&self, key: Key) -> bool {
        let command = keys::command(key, &[Context::Screen]);
        !self.app.zoomed && command == Some(Command::Focus(self.app.focus))
    }

    /// Enter over the run: the lesson again, or what came of it.
    fn open_lesson(&mut self) {
        match self.walk.page() {
            Page::Run if self.over() => self.see_results(),
            Page::Run => (self.sight, self.scroll) = (Sight::Story, u16::MAX),
            _ => self.sight = Sight::Page,
        }
    }

    /// `q` over the run leaves the lesson, or only the look at a run whose results are open.
    fn leave_run(&mut self) -> Vec<Request> {
        match self.walk.page() {
            Page::Run => self.leave_lesson(),
            _ => {
                self.sight = Sight::Page;
                Vec::new()
            }
        }
    }

    fn carry_out(&mut self, effect: Effect) -> Option<Request> {
        let run = self.run.as_deref()?;
        let said = match effect {
            Effect::Act(action) => {
                if matches!(action, Action::Stop | Action::Step | Action::Go | Action::Jump) {
                    self.passed = self.heard;
                }
                run.act(action, By::Operator)
            }
            Effect::Back => {
                self.passed = usize::MAX;
                let said = run.back();
                if said.is_none() {
                    self.with_run(|lesson, sides| View::step_back(&mut lesson.app, sides));
                }
                said
            }
            Effect::GoTo(_) => None,
            Effect::Ask(Request::Quit) => return self.leave_run().pop(),
            Effect::Ask(request) => return Some(request),
        };
        if said.is_some() {
            self.app.message = said;
        }
        None
    }

    /// Has the sandbox's view look at the run.
    pub(super) fn with_run<T>(
        &mut self,
        look: impl FnOnce(&mut Self, &[crate::tui::watch::Moment<'_>]) -> T,
    ) -> Option<T> {
        let run = self.run.take()?;
        let result = see(&*run, |sides| look(self, sides));
        self.run = Some(run);
        Some(result)
    }

    /// Opens the presenter; a run that goes on stands meanwhile.
    fn present(&mut self) {
        match Present::open(self.stage.clone(), self.look) {
            Ok(presenter) => {
                let going = self.run.as_ref().filter(|run| !run.ended() && !run.showing().stopped);
                self.held = going.is_some();
                if let Some(run) = going {
                    run.act(Action::Stop, By::Lab);
                }
                self.presenter = Some(presenter);
            }
            Err(error) => *self.message() = Some(format!("it cannot be presented: {error:#}")),
        }
    }

    /// Whatever the presenter asks for; leaving it comes back here.
    fn after_presenter(&mut self, requests: Vec<Request>) -> Vec<Request> {
        let leaves = requests.contains(&Request::Quit);
        if leaves {
            if let Some(presenter) = self.presenter.take() {
                presenter.quit(std::time::Duration::ZERO);
            }
            if std::mem::take(&mut self.held)
                && let Some(run) = &self.run
            {
                run.act(Action::Go, By::Lab);
            }
        }
        requests.into_iter().filter(|request| *request != Request::Quit).collect()
    }
}
