//! `onceish` without a command: home, and how each of its entries is opened.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use super::args::ScreenArgs;
use super::failure::Failure;
use super::headless::locked;
use super::lesson::Opened;
use super::playing::Playing;
use super::replay;
use super::scores::Scores;
use super::screen::{Stage, failed, options, require_terminal};
use super::settings::Settings;
use super::setup::warnings;
use super::{diagnostics, draw_seed, last_time, recorder};
use crate::board::Counters;
use crate::lab::{self, Lab};
use crate::recording::{Closing, Summary};
use crate::setup::{Driver, Setup};
use crate::time::Instant;
use crate::tui::home::{Best, Choice, LabEntry, Listing, RecordingEntry, Source};
use crate::tui::theme::Look;
use crate::tui::{self, Screen};

/// Shows home until the operator leaves. The result is the exit code.
///
/// # Errors
/// Where there is no terminal, and what is wrong with the settings.
pub fn home(look: &ScreenArgs) -> Result<u8, Failure> {
    require_terminal("onceish run --headless or onceish lab --headless")?;
    let settings = Settings::load()?;
    let _notes_reach_their_file_when_this_is_dropped = diagnostics::start();
    diagnostics::note_panics_of_workers();
    let desk = Rc::new(Desk {
        settings,
        course: course(),
        sandbox: Mutex::default(),
        lesson: Mutex::default(),
        listed: Mutex::default(),
    });
    let source = Listed(desk.clone());
    let left = tui::show(&options(look, settings), |look| Ok(Screen::home(Box::new(source), look)));
    desk.close();
    left.map(tui::Exit::code).map_err(failed)
}

/// The labs of the course that can be read.
fn course() -> Vec<Arc<Lab>> {
    let read = |shipped: &lab::Shipped| lab::read(shipped.name, shipped.text.as_bytes()).lab.map(Arc::new);
    lab::course().iter().filter_map(read).collect()
}

/// What is opened from home.
struct Desk {
    settings: Settings,
    course: Vec<Arc<Lab>>,
    /// The sandbox while it is open.
    sandbox: Mutex<Option<Arc<Stage>>>,
    /// The lab while it is open.
    lesson: Mutex<Option<Opened>>,
    /// The files of the recordings that were listed last.
    listed: Mutex<Vec<PathBuf>>,
}

/// The desk as home knows it.
struct Listed(Rc<Desk>);

impl Source for Listed {
    fn listing(&self) -> Listing {
        let desk = &self.0;
        let (scores, warning) = Scores::load();
        let shelf = recorder::shelf().map(|shelf| shelf.list()).unwrap_or_default();
        *locked(&desk.listed) = shelf.iter().map(|one| one.path.clone()).collect();
        let now = recorder::now();
        Listing {
            last_time: last_time::load().map(|setup| last_time::words(&setup)),
            labs: desk.course.iter().zip(1..).map(|(lab, number)| entry(lab, number, &scores)).collect(),
            warning,
            recordings: shelf.iter().map(|one| recording(one, now)).collect(),
        }
    }

    fn open(&self, choice: Choice, look: Look) -> Result<Screen<'static>, String> {
        match choice {
            Choice::FreePlay => self.0.sandbox(Setup::sandbox(draw_seed()), look),
            Choice::LastTime => {
                let setup = last_time::load().ok_or("the set-up of last time is gone")?;
                self.0.sandbox(setup, look)
            }
            Choice::Lab(place) => self.0.lab(place, false, look),
            Choice::Present(place) => self.0.lab(place, true, look),
            Choice::Recording(place) => self.0.recording(place, look),
        }
    }

    fn left(&self) {
        self.0.close();
    }
}

impl Desk {
    fn sandbox(&self, setup: Setup, look: Look) -> Result<Screen<'static>, String> {
        let stage = Arc::new(Stage::sandbox(setup.clone(), warnings(&setup), None, self.settings));
        let screen = Screen::sandbox(Box::new(stage.clone()), look).map_err(|error| error.to_string())?;
        *locked(&self.sandbox) = Some(stage);
        Ok(screen)
    }

    fn lab(&self, place: usize, present: bool, look: Look) -> Result<Screen<'static>, String> {
        let lab = self.course.get(place).ok_or("there is no such lab")?;
        let of = Some((place + 1, self.course.len()));
        let opened = Opened::new(lab.clone(), of, &[], self.settings);
        let screen = opened.screen(present, look).map_err(|error| error.to_string())?;
        *locked(&self.lesson) = Some(opened);
        Ok(screen)
    }

    fn recording(&self, place: usize, look: Look) -> Result<Screen<'static>, String> {
        let path = locked(&self.listed).get(place).cloned().ok_or("the recording is gone")?;
        let player = replay::open(&path).map_err(|failure| failure.to_string())?;
        let playing = Playing::start(replay::about(&player), player).map_err(|error| format!("{error:#}"))?;
        Ok(Screen::replay(Box::new(playing), look))
    }

    /// Lets what was opened last end, and closes its recording.
    fn close(&self) {
        let sandbox = locked(&self.sandbox).take();
        if let Some(stage) = sandbox {
            stage.close();
        }
        if let Some(lesson) = locked(&self.lesson).take() {
            lesson.close();
        }
    }
}

/// A lab of the course as home lists it.
fn entry(lab: &Lab, number: usize, scores: &Scores) -> LabEntry {
    let best = match (scores.unfinished(&lab.name), scores.best(&lab.name)) {
        (Some(step), _) => Best::Unfinished(step),
        (None, Some(score)) => Best::Done { right: score.right, of: score.of, marked: score.interfered },
        (None, None) => Best::Untouched,
    };
    let runs_in = if lab.driver == Some(Driver::Simulation) { "virtual" } else { "threads" };
    LabEntry {
        chapter: lab.chapter.clone(),
        number,
        title: lab.title.clone(),
        teaches: lab.teaches.clone(),
        runs_in: runs_in.to_owned(),
        takes: lab.takes.clone(),
        best,
    }
}

/// A recording as home lists it.
fn recording(one: &Summary, now: u64) -> RecordingEntry {
    let (_, title) = replay::named(&one.header);
    RecordingEntry {
        title,
        when: ago(one.header.begun, now),
        lasts: (one.ends > Instant::START).then(|| one.ends.since(Instant::START)),
        crashes: one.closing.as_ref().map(|closing| closing.counters.deaths),
        harm: one.closing.as_ref().map(|closing| harm(&closing.counters)).unwrap_or_default(),
        verdict: verdict(one.closing.as_ref(), one.open).to_owned(),
    }
}

fn verdict(closing: Option<&Closing>, open: bool) -> &'static str {
    match closing {
        Some(closing) => closing.verdict.word.name(),
        None if open => "going on",
        None => "cut off",
    }
}

fn harm(counters: &Counters) -> String {
    let told = [("lost", counters.lost), ("twice", counters.duplicated)];
    let told = told.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{word} {n}"));
    told.collect::<Vec<_>>().join(" ")
}

/// How long ago something was, as people say it. The clock of the wall is not asked for its zone.
fn ago(begun: u64, now: u64) -> String {
    let seconds = now.saturating_sub(begun);
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "1 day ago".to_owned(),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_as_people_say_them() {
        let day = 86_400;
        for (seconds, told) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 min ago"),
            (3_599, "59 min ago"),
            (7_200, "2 h ago"),
            (day, "1 day ago"),
            (3 * day, "3 days ago"),
        ] {
            assert_eq!(ago(1_000_000, 1_000_000 + seconds), told);
        }
        assert_eq!(ago(2_000_000, 1_000_000), "just now", "a clock that was set back");
    }

    #[test]
    fn harm_is_told_where_there_is_any() {
        let counters = |lost, duplicated| Counters { lost, duplicated, ..Counters::default() };
        assert_eq!(
            [counters(0, 0), counters(2, 0), counters(1, 3)].map(|c| harm(&c)),
            ["", "lost 2", "lost 1 twice 3"]
        );
    }
}
