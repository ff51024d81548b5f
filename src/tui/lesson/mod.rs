//! A lab as a lesson: questions that stand alone before anything runs, the run with the whole sandbox live, what came of
//! each answer, and the score.
//!
//! A [`Lesson`] is one more exhibit: it has the pages ([`Walk`]), the sandbox's view of the run while it is shown, and the
//! presenter while that is open. `press` takes keys, `listen` hears what the run says, `pages` and `results` write the
//! pages down and `frame` draws them. What runs, and what came of it, comes from a [`Stage`].

mod entry;
#[cfg(test)]
pub(super) mod fixture;
mod frame;
pub(super) mod keys_page;
mod listen;
mod outcome;
mod pages;
mod press;
mod results;
mod rows;
#[cfg(test)]
mod tests;
pub(super) mod text;

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use entry::{letter, scrolled};
pub(super) use frame::{centred, draw_way};
pub use outcome::{Came, Outcome, Table};

use super::app::App;
use super::exhibit::{Exhibit, Request};
use super::keys::{Key, Stroke};
use super::present::Present;
use super::theme::Look;
use super::watch::View;
use super::{Error, Run};
use crate::lab::Lab;
use crate::lab::lesson::{Page, Pages, Walk};

use entry::Entry;

/// Answers, with their steps numbered from 1.
pub type Answers = Vec<(u32, String)>;

/// Where a lab is run.
pub trait Stage {
    /// The lab.
    fn lab(&self) -> &Lab;
    /// Its place in the course, of how many.
    fn place(&self) -> Option<(usize, usize)>;
    /// Starts the run that is shown, the lab's first variant, with these answers given beforehand; the others start
    /// behind it.
    ///
    /// # Errors
    /// What keeps it from starting.
    fn start(&self, answers: Answers) -> anyhow::Result<Box<dyn Run>>;
    /// Starts a run of the same for a presenter: in virtual time, with time standing at its start.
    ///
    /// # Errors
    /// What keeps it from starting.
    fn rehearse(&self, answers: Answers) -> anyhow::Result<Box<dyn Run>>;
    /// What came of it, as far as the runs have come.
    fn outcome(&self, answers: &Answers) -> Outcome;
    /// What came of a run of the presenter's, as far as it has come.
    fn presented(&self, answers: &Answers) -> Outcome;
    /// A number that changes whenever a run behind the shown one has ended.
    fn version(&self) -> u64;
    /// The file that the run was recorded to.
    fn recorded(&self) -> Option<String>;
    /// What is legal but will surprise, a sentence each.
    fn warnings(&self) -> &[String];
}

/// Where it is noted how far somebody came.
pub trait Notes {
    /// The step at which the lab was left unfinished, from 1.
    fn unfinished(&self) -> Option<usize>;
    /// The lab is left at this step.
    fn left(&self, step: usize);
    /// The lab was finished: so many answers were right, of so many, and whether somebody interfered with the run.
    fn finished(&self, right: usize, of: usize, touched: bool);
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// The page.
    Page,
    /// The run in the sandbox.
    Run,
    /// What was said so far, while the run goes on.
    Story,
    /// A question of the run, for which time stands.
    Asking(usize),
}

/// A lab under way.
pub struct Lesson<'a> {
    stage: Rc<dyn Stage + 'a>,
    notes: Rc<dyn Notes + 'a>,
    look: Look,
    walk: Walk,
    sight: Sight,
    entry: Entry,
    scroll: u16,
    /// How far the page goes beyond what fits, so that scrolling ends there.
    beyond: u16,
    run: Option<Box<dyn Run>>,
    app: App,
    /// How many lines of the run's narration were heard, and up to where time was let go for them.
    heard: usize,
    passed: usize,
    /// How many steps of the run were told, and the words of the last.
    told: usize,
    outcome: Option<(u64, Outcome)>,
    keys: bool,
    presenter: Option<Present<'a>>,
    /// True when time has to be let go once the presenter is closed.
    held: bool,
    message: Option<String>,
    noted: bool,
}

impl<'a> Lesson<'a> {
    /// A lab from its first page, or from the step at which it was left.
    ///
    /// # Errors
    /// What keeps a run from starting that nothing stands before.
    pub fn new(stage: Rc<dyn Stage + 'a>, notes: Rc<dyn Notes + 'a>, look: Look) -> Result<Lesson<'a>, Error> {
        let app = sandbox(&*stage, look);
        let pages = Pages::of(stage.lab(), 0);
        let walk = match notes.unfinished() {
            Some(step) => Walk::resumed(pages, step),
            None => Walk::new(pages),
        };
        let message = stage.warnings().first().map(|_| format!("warning: {}", stage.warnings().join("; ")));
        let mut lesson = Lesson {
            stage,
            notes,
            look,
            walk,
            sight: Sight::Page,
            entry: Entry::new(),
            scroll: 0,
            beyond: 0,
            run: None,
            app,
            heard: 0,
            passed: 0,
            told: 0,
            outcome: None,
            keys: false,
            presenter: None,
            held: false,
            message,
            noted: false,
        };
        lesson.begin_if_due().map_err(Error::Launch)?;
        Ok(lesson)
    }

    /// Starts the run once every page before it is behind.
    fn begin_if_due(&mut self) -> anyhow::Result<()> {
        if self.walk.page() == Page::Run && self.run.is_none() {
            self.run = Some(self.stage.start(self.walk.answers())?);
            (self.heard, self.passed, self.told, self.outcome, self.noted) = (0, 0, 0, None, false);
            self.app = sandbox(&*self.stage, self.look);
            self.sight = Sight::Run;
        }
        Ok(())
    }

    /// The step of the way that somebody is at, from 1.
    fn number(&self) -> usize {
        self.walk.number(self.told)
    }

    /// What came of the lab, asked for anew when a run has gone on.
    fn outcome(&mut self) -> Outcome {
        let version = self.version();
        match &self.outcome {
            Some((at, outcome)) if *at == version => outcome.clone(),
            _ => {
                let outcome = self.stage.outcome(&self.walk.answers());
                self.outcome = Some((version, outcome.clone()));
                outcome
            }
        }
    }

    /// True once the run that is shown is over.
    fn over(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.ended())
    }

    /// Notes the score once the last page is open and nothing is under way any more.
    fn note_score(&mut self) {
        if self.noted || self.walk.page() != Page::End {
            return;
        }
        let outcome = self.outcome();
        if outcome.running.is_empty() {
            let (right, of) = outcome.score();
            self.notes.finished(right, of, outcome.touched.is_some());
            self.noted = true;
        }
    }

    /// Notes where an unfinished lab is left.
    fn note_left(&self) {
        if self.walk.page() != Page::End {
            self.notes.left(self.number());
        }
    }

    /// The lab from its first page again, with nothing answered.
    fn begin_anew(&mut self) {
        self.walk = Walk::new(self.walk.pages().clone());
        (self.run, self.outcome, self.sight) = (None, None, Sight::Page);
        (self.entry, self.scroll) = (Entry::new(), 0);
    }
}

/// What the title row of a lab's run calls it.
pub(super) fn name_of(stage: &dyn Stage) -> String {
    match stage.place() {
        Some((n, _)) => format!("lab {n}"),
        None => "lab".to_owned(),
    }
}

/// The sandbox's view of a lab's run, with room for the lesson's two rows.
fn sandbox(stage: &dyn Stage, look: Look) -> App {
    let mut app = App::new(look, Rect::ZERO);
    app.name = name_of(stage);
    app.foot = 3;
    app
}

impl Exhibit for Lesson<'_> {
    fn press(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        self.take_key(key, stroke)
    }

    fn paste(&mut self, text: &str) {
        match (&mut self.presenter, self.sight) {
            (Some(presenter), _) => presenter.paste(text),
            (None, Sight::Run) => self.app.paste(text),
            (None, _) => {
                if let Some(step) = self.asked()
                    && let Some(ask) = &self.stage.lab().steps[step].ask
                {
                    self.entry.paste(text, ask);
                }
            }
        }
    }

    fn strikes(&self, key: Key) -> bool {
        match &self.presenter {
            Some(presenter) => presenter.strikes(key),
            None => self.sight == Sight::Run && View::strikes(&self.app, key),
        }
    }

    fn draw(&mut self, buffer: &mut Buffer) -> Option<Position> {
        self.listen();
        self.note_score();
        if let Some(news) = self.run.as_ref().and_then(|run| run.news()) {
            *self.message() = Some(news);
        }
        match &mut self.presenter {
            Some(presenter) => presenter.draw(buffer),
            None => self.draw_frame(buffer),
        }
    }

    fn version(&self) -> u64 {
        let run = self.run.as_ref().map_or(0, |run| run.version() + u64::from(run.ended()));
        let presented = self.presenter.as_ref().map_or(0, Exhibit::version);
        run + self.stage.version() + presented
    }

    fn moves(&self) -> bool {
        let shown = self.presenter.is_none() && matches!(self.sight, Sight::Run | Sight::Story);
        shown && self.run.as_ref().is_some_and(|run| !run.ended() && !run.showing().stopped)
    }

    fn message(&mut self) -> &mut Option<String> {
        match (&mut self.presenter, self.sight) {
            (Some(presenter), _) => presenter.message(),
            (None, Sight::Run) => &mut self.app.message,
            _ => &mut self.message,
        }
    }

    fn run(&self) -> Option<&dyn Run> {
        self.run.as_deref()
    }

    fn leave(&mut self) {
        self.app.leave();
    }

    fn again(&mut self) -> Result<(), Error> {
        self.run = None;
        match self.walk.page() {
            Page::Result(_) | Page::End => self.begin_anew(),
            _ => {}
        }
        self.begin_if_due().map_err(Error::Launch)
    }

    fn quit(&self, grace: std::time::Duration) {
        if let Some(presenter) = &self.presenter {
            presenter.quit(grace);
        }
        if let Some(run) = &self.run {
            run.quit(grace);
        }
    }
}
