//! The presenter: one thought a screen, and nothing that moves by itself.
//!
//! It leads a run in virtual time from one thing that the lab says to the next, so that a step ends at once and going
//! back undoes it. What the screens are is worked out beforehand ([`slides`]), from a rehearsal of the whole run.

mod digits;
mod frame;
mod slides;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::app::{App, is_fault};
use super::exhibit::{Exhibit, Request};
use super::keys::{self, Command, Context, Direction, Key, Stroke};
use super::lesson::{Outcome, Stage};
use super::theme::Look;
use super::watch::{Effect, Moment, View, see};
use super::{Error, Run};
use crate::action::{Action, Who};
use crate::board::{Line, WorkerState, WorkerView};
use crate::event::{By, End, Spot, What};
use crate::lab::Lab;
use crate::setup::Driver;

use slides::{Place, Slide};

/// Steps that are gone through in search of one; more than any run says.
const MOST_STEPS: usize = 100_000;

/// What is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// A thought.
    Slide,
    /// The whole sandbox at the same moment.
    Sandbox,
    /// The keys, from this line on.
    Keys(u16),
}

/// A lab that is presented.
pub struct Present<'a> {
    stage: Rc<dyn Stage + 'a>,
    run: Box<dyn Run>,
    slides: Vec<Slide>,
    at: usize,
    look: Look,
    app: App,
    sight: Sight,
    /// What the lab has said in the run, by its steps, and what of the runs behind it the slides know.
    said: Vec<usize>,
    known: u64,
    /// True once somebody has asked to leave.
    asks: bool,
    message: Option<String>,
}

/// What has to be said of a lab whose figures do not hold in virtual time.
fn word_about(lab: &Lab) -> Option<String> {
    (lab.driver == Some(Driver::Threads))
        .then(|| "shown in virtual time; the figures of this lab hold on threads".to_owned())
}

impl<'a> Present<'a> {
    /// Rehearses the lab once, and shows its first thought.
    ///
    /// # Errors
    /// What keeps a run from starting.
    pub fn open(stage: Rc<dyn Stage + 'a>, look: Look) -> anyhow::Result<Present<'a>> {
        let run = stage.rehearse(Vec::new())?;
        let mut app = App::new(look, Rect::ZERO);
        app.name = super::lesson::name_of(&*stage);
        let message = word_about(stage.lab());
        let mut present = Present {
            stage,
            run,
            slides: Vec::new(),
            at: 0,
            look,
            app,
            sight: Sight::Slide,
            said: Vec::new(),
            known: 0,
            asks: false,
            message,
        };
        present.cut();
        Ok(present)
    }

    /// Cuts the lab into slides anew: the run may have become another one. What is shown stays as far as it can.
    fn cut(&mut self) {
        self.go_to(Place::End);
        let said: Vec<usize> = {
            let board = self.run.board(0);
            let said = board.narration().iter().filter(|line| matches!(line.line, Line::Said { .. }));
            let all = self.stage.lab().steps.len();
            said.filter_map(|line| usize::try_from(line.step).ok()?.checked_sub(1)).filter(|at| *at < all).collect()
        };
        self.said = said;
        self.write();
        self.show(self.at);
    }

    /// Writes the slides down with what is known of all runs.
    fn write(&mut self) {
        self.known = self.stage.version();
        let outcome: Outcome = self.stage.presented(&Vec::new());
        self.slides = slides::slides(self.stage.lab(), &self.said, &outcome);
        self.at = self.at.min(self.slides.len() - 1);
    }

    /// The slide that is shown.
    fn slide(&self) -> &Slide {
        &self.slides[self.at.min(self.slides.len() - 1)]
    }

    /// How many thoughts there are.
    fn thoughts(&self) -> usize {
        self.slides.last().map_or(1, |slide| slide.number)
    }

    fn show(&mut self, at: usize) {
        self.at = at.min(self.slides.len() - 1);
        self.go_to(self.slide().place);
    }

    /// How often the lab has spoken by what is shown, and whether that is the last thing shown.
    fn spoken(&self) -> (usize, bool) {
        let board = self.run.board(0);
        let said = board.narration().iter().filter(|line| matches!(line.line, Line::Said { .. })).count();
        let here = matches!(board.recent().back(), Some((_, event)) if matches!(event.what, What::Said { .. }));
        (said, here)
    }

    /// Leads the run to a place: exactly to the words it is named after, whichever side it is reached from.
    fn go_to(&mut self, place: Place) {
        let target = match place {
            Place::Start => 1,
            Place::Said(n) => n,
            Place::End => usize::MAX,
        };
        for _ in 0..MOST_STEPS {
            let stuck = match self.spoken() {
                (said, _) if said < target => self.run.on_to_step(),
                (said, true) if said == target => break,
                _ => self.run.back_to_step(),
            };
            if stuck.is_some() {
                break;
            }
        }
    }

    fn next(&mut self) {
        if self.at + 1 < self.slides.len() {
            self.show(self.at + 1);
        } else {
            self.message = Some("this is the last; ctrl-r begins again".to_owned());
        }
    }

    fn previous(&mut self) {
        match self.at.checked_sub(1) {
            Some(at) => self.show(at),
            None => self.message = Some("this is the first".to_owned()),
        }
    }

    /// The same seed from its start.
    fn reset(&mut self) -> Result<(), anyhow::Error> {
        let fresh = self.stage.rehearse(Vec::new())?;
        self.run.quit(std::time::Duration::ZERO);
        self.run = fresh;
        self.at = 0;
        self.app.start_over();
        self.cut();
        Ok(())
    }

    /// The last fault up to what is shown: what the lab did, else a death by its crash list, then on any worker.
    fn last_fault(&self) -> Option<Action> {
        let steps = &self.stage.lab().steps;
        let upto = self.slide().step.map_or(0, |step| step + 1);
        let mut faults = steps.iter().take(upto).flat_map(|step| &step.acts).map(|cue| &cue.action);
        faults.rfind(|action| is_fault(action)).cloned().or_else(|| {
            let board = self.run.board(0);
            board.recent().iter().rev().find_map(|(_, event)| match &event.what {
                What::Ended { how: End::Crashed(Spot::After(point)), .. } => {
                    Some(Action::Kill(Who::Random, Some(*point)))
                }
                _ => None,
            })
        })
    }

    /// A fault at whom it was meant for, or at any other worker where that one is dead.
    fn aimed_at_the_living(&self, fault: Action) -> Action {
        let now = self.run.now();
        let lies = |who: &Who| {
            let workers = self.run.board(0).workers(now);
            let dead = |view: &WorkerView| matches!(view.state, WorkerState::Dead | WorkerState::Gone);
            workers.iter().any(|view| *who == Who::Worker(view.worker) && dead(view))
        };
        match fault.target() {
            Some(who) if lies(&who) => fault.aimed_at(Who::Random),
            _ => fault,
        }
    }

    /// What came of what was done last, in words.
    fn came(&self, text: &str) -> Option<String> {
        let board = self.run.board(0);
        board.recent().iter().rev().find_map(|(_, event)| match &event.what {
            What::Action { text: done, by: By::Operator, came, .. } if **done == *text => Some(came.to_string()),
            _ => None,
        })
    }

    /// The last fault once more.
    fn fault_again(&mut self) {
        let Some(fault) = self.last_fault() else {
            self.message = Some("no fault to repeat yet".to_owned());
            return;
        };
        if self.run.ended() && self.slide().place == Place::End {
            self.message = Some("the run is over here: left goes back, then f".to_owned());
            return;
        }
        let fault = self.aimed_at_the_living(fault);
        let words = fault.to_string();
        self.run.act(fault, By::Operator);
        self.go_to(Place::End);
        let came = self.came(&words);
        self.cut();
        self.message = Some(match came {
            Some(came) => format!("{words}: {came}; space goes on"),
            None => format!("{words}, again; space goes on"),
        });
    }

    fn press_slide(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        let command = keys::command(key, &[Context::Presenter]);
        if std::mem::take(&mut self.asks) {
            self.message = None;
            let leaves = command == Some(Command::Quit) || matches!(key, Key::Char('y') | Key::Enter);
            return if leaves { vec![Request::Quit] } else { Vec::new() };
        }
        if stroke == Stroke::Repeat {
            return Vec::new();
        }
        self.message = None;
        match command {
            Some(Command::Next) => self.next(),
            Some(Command::Previous) => self.previous(),
            Some(Command::Move(Direction::Home)) => self.show(0),
            Some(Command::Move(_)) => self.show(usize::MAX),
            Some(Command::Truth) => self.look.truth = !self.look.truth,
            Some(Command::FaultAgain) => self.fault_again(),
            Some(Command::Present) => {
                self.app.look.truth = self.look.truth;
                self.sight = Sight::Sandbox;
            }
            Some(Command::Again) => {
                if let Err(error) = self.reset() {
                    self.message = Some(format!("it cannot be started again: {error:#}"));
                }
            }
            Some(Command::Help) => self.sight = Sight::Keys(0),
            Some(Command::Quit) => {
                self.asks = true;
                self.message = Some("leave the presenter? q or enter leaves, any other key stays".to_owned());
            }
            _ => {}
        }
        Vec::new()
    }

    fn press_sandbox(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        let bare = self.app.layer.is_none() && stroke == Stroke::Press;
        let command = keys::command(key, &[Context::Presenter]).filter(|_| bare);
        let out = keys::command(key, &[Context::Screen]) == Some(Command::Out);
        if (out && bare && self.app.is_outermost()) || matches!(command, Some(Command::Present | Command::Quit)) {
            self.close_sandbox();
            return Vec::new();
        }
        let effects = see(&*self.run, |sides| View::press(&mut self.app, key, stroke, sides));
        effects.into_iter().filter_map(|effect| self.carry_out(effect)).collect()
    }

    /// Back to the thought, and to its moment.
    fn close_sandbox(&mut self) {
        self.sight = Sight::Slide;
        self.look.truth = self.app.look.truth;
        self.run.act(Action::Stop, By::Lab);
        self.cut();
    }

    fn carry_out(&mut self, effect: Effect) -> Option<Request> {
        let said = match effect {
            Effect::Act(action) => self.run.act(action, By::Operator),
            Effect::Back => self.run.back(),
            Effect::GoTo(_) => None,
            Effect::Ask(Request::Quit) => {
                self.close_sandbox();
                None
            }
            Effect::Ask(Request::Again) => {
                self.sight = Sight::Slide;
                let failed = self.reset().err();
                failed.map(|error| format!("it cannot be started again: {error:#}"))
            }
            Effect::Ask(request) => return Some(request),
        };
        if said.is_some() {
            *self.message() = said;
        }
        None
    }

    fn press_keys(&mut self, key: Key, scroll: u16) -> Vec<Request> {
        self.sight = match keys::command(key, &[Context::Help]) {
            Some(Command::Move(direction)) => Sight::Keys(super::lesson::scrolled(scroll, direction).min(40)),
            Some(Command::Out) => Sight::Slide,
            _ => Sight::Keys(scroll),
        };
        Vec::new()
    }

    /// The moment of the run that is shown.
    fn with_moment<T>(&self, look: impl FnOnce(Moment<'_>) -> T) -> T {
        see(&*self.run, |sides| look(sides[0]))
    }
}

impl Exhibit for Present<'_> {
    fn press(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        if self.sight == Sight::Sandbox {
            return self.press_sandbox(key, stroke);
        }
        match (keys::command(key, &[Context::Always]), self.sight) {
            (Some(Command::Interrupt), _) => vec![Request::Interrupt],
            (Some(Command::Suspend), _) => vec![Request::Suspend],
            (Some(_), _) => vec![Request::Repaint],
            (None, Sight::Keys(scroll)) => self.press_keys(key, scroll),
            (None, _) => self.press_slide(key, stroke),
        }
    }

    fn paste(&mut self, text: &str) {
        if self.sight == Sight::Sandbox {
            self.app.paste(text);
        }
    }

    fn strikes(&self, key: Key) -> bool {
        match self.sight {
            Sight::Sandbox => View::strikes(&self.app, key),
            _ => false,
        }
    }

    fn draw(&mut self, buffer: &mut Buffer) -> Option<Position> {
        if self.known != self.stage.version() {
            self.write();
        }
        match self.sight {
            Sight::Sandbox => see(&*self.run, |sides| View::draw(&mut self.app, buffer, sides)),
            _ => {
                frame::draw(buffer, self);
                None
            }
        }
    }

    fn version(&self) -> u64 {
        self.run.version() + self.stage.version()
    }

    fn moves(&self) -> bool {
        self.sight == Sight::Sandbox && !self.run.ended() && !self.run.showing().stopped
    }

    fn message(&mut self) -> &mut Option<String> {
        match self.sight {
            Sight::Sandbox => &mut self.app.message,
            _ => &mut self.message,
        }
    }

    fn run(&self) -> Option<&dyn Run> {
        Some(&*self.run)
    }

    fn leave(&mut self) {
        self.app.leave();
    }

    fn again(&mut self) -> Result<(), Error> {
        self.reset().map_err(Error::Launch)
    }
}
