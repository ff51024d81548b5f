//! A lab on the screen: as a lesson, or presented.
//!
//! The first of a lab's runs is shown; the others run behind it without a screen. What came of them is judged and graded
//! by the lab's own rules once they are over. Runs are put together here and nowhere below.
#![allow(clippy::disallowed_methods, reason = "runs behind the shown one are waited for by a thread")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use super::args::ScreenArgs;
use super::failure::Failure;
use super::headless::locked;
use super::lab::runs::fold_and_watch;
use super::launch;
use super::recorder::Recorder;
use super::running::{Direction, Running};
use super::scores::{Score, Scores, Taken};
use super::screen;
use super::settings::Settings;
use crate::action::Action;
use crate::driver::{Handle, Mode};
use crate::event::{By, Event, What};
use crate::lab::figure::Figure;
use crate::lab::lesson::Pages;
use crate::lab::named::{Named, subject};
use crate::lab::{self, Director, Judgement, Lab, Trigger, Watch};
use crate::rehearsal::Rehearsal;
use crate::text::clean;
use crate::tui::lesson::{Answers, Came, Notes, Outcome, Stage, Table};
use crate::tui::theme::Look;
use crate::tui::{self, Run, Screen};

/// How long a run that is left may take to write down how it ended.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// The most columns of the table of variants.
const COLUMNS: usize = 5;

/// What is opened, and how it looks.
pub struct Order<'a> {
    /// The lab.
    pub lab: Arc<Lab>,
    /// Its place in the course, of how many.
    pub place: Option<(usize, usize)>,
    /// True for the presenter.
    pub present: bool,
    /// What is legal but will surprise, a sentence each.
    pub warnings: &'a [String],
    /// How the screen looks.
    pub screen: &'a ScreenArgs,
}

/// Opens a lab on this terminal. The result is the exit code.
///
/// # Errors
/// Where there is no terminal, and what keeps a run from starting.
pub fn open(order: &Order<'_>) -> Result<u8, Failure> {
    screen::require_terminal("onceish lab --headless, --plain or --json")?;
    let settings = Settings::load()?;
    let opened = Opened::new(order.lab.clone(), order.place, order.warnings, settings);
    let left = tui::show(&screen::options(order.screen, settings), |look| opened.screen(order.present, look));
    opened.close();
    left.map(tui::Exit::code).map_err(screen::failed)
}

/// A lab that is open on a screen.
pub struct Opened {
    desk: Rc<Desk>,
    notebook: Rc<Notebook>,
}

impl Opened {
    /// Makes ready for a lab. Nothing runs yet.
    pub fn new(lab: Arc<Lab>, place: Option<(usize, usize)>, warnings: &[String], settings: Settings) -> Opened {
        let (scores, warning) = Scores::load();
        let notebook = Notebook { lab: lab.name.clone(), scores: Mutex::new(scores) };
        let desk = Desk {
            lab,
            place,
            keep: settings.recordings,
            warnings: warnings.iter().cloned().chain(warning).collect(),
            shown: Mutex::default(),
            behind: Mutex::default(),
            presented: Mutex::default(),
            version: Arc::default(),
        };
        Opened { desk: Rc::new(desk), notebook: Rc::new(notebook) }
    }

    /// The lab as a lesson, or presented.
    ///
    /// # Errors
    /// What keeps a run from starting.
    pub fn screen(&self, present: bool, look: Look) -> Result<Screen<'static>, tui::Error> {
        match present {
            true => Screen::presenter(self.desk.clone(), look),
            false => Screen::lesson(self.desk.clone(), self.notebook.clone(), look),
        }
    }

    /// Ends whatever goes on, and closes its recording.
    pub fn close(&self) {
        self.desk.close();
    }
}

/// The scores of one lab.
pub struct Notebook {
    /// The name of the lab.
    pub lab: String,
    /// All scores.
    pub scores: Mutex<Scores>,
}

impl Notebook {
    fn note(&self, taken: Taken) {
        if let Err(why) = locked(&self.scores).note(&self.lab, taken) {
            tracing::warn!(why, "a score is not noted");
        }
    }
}

impl Notes for Notebook {
    fn unfinished(&self) -> Option<usize> {
        locked(&self.scores).unfinished(&self.lab).and_then(|step| usize::try_from(step).ok())
    }

    fn left(&self, step: usize) {
        self.note(Taken::Left(u32::try_from(step).unwrap_or(u32::MAX)));
    }

    fn finished(&self, right: usize, of: usize, touched: bool) {
        let figure = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.note(Taken::Finished(Score { right: figure(right), of: figure(of), interfered: touched }));
    }
}

/// A run of one variant behind the shown one.
struct Behind {
    variant: usize,
    handle: Handle,
    watch: Arc<Mutex<Watch>>,
}

/// The runs of a lab that are on the screen and behind it.
struct Desk {
    lab: Arc<Lab>,
    place: Option<(usize, usize)>,
    /// How many recordings are kept.
    keep: usize,
    warnings: Vec<String>,
    shown: Mutex<Option<Shown>>,
    behind: Mutex<Vec<Behind>>,
    presented: Mutex<Option<Rehearsal>>,
    version: Arc<AtomicU64>,
}

/// The run that is shown.
struct Shown {
    running: Running,
    /// The fold of its events on threads; in virtual time it is made of what is shown.
    watch: Arc<Mutex<Watch>>,
}

impl Desk {
    fn recorder(&self) -> Recorder {
        let short = self.lab.name.split('-').next().unwrap_or_default();
        let short = if short.bytes().all(|byte| byte.is_ascii_digit()) { short } else { &self.lab.name };
        let what = format!("lab-{short}");
        Recorder::on_shelf(&what, &self.lab.variants[0].setup, Some(self.lab.text.clone()), self.keep)
    }

    /// Starts the shown run.
    fn show(&self, answers: &Answers) -> anyhow::Result<Box<dyn Run>> {
        self.end();
        let watch = Arc::new(Mutex::new(Watch::new(&self.lab, 0)));
        let direction = Direction {
            plan: director(&self.lab, answers),
            mode: Mode::Headless,
            listener: Some(listener(self.lab.clone(), watch.clone())),
        };
        let running = Running::directed(self.lab.variants[0].setup.clone(), direction, self.recorder())?;
        let run = running.shown();
        *locked(&self.shown) = Some(Shown { running, watch });
        Ok(run)
    }

    /// Starts the runs of all other variants.
    fn start_others(&self, answers: &Answers) {
        let mut behind = locked(&self.behind);
        for variant in 1..self.lab.variants.len() {
            match start_behind(&self.lab, variant, answers.clone()) {
                Ok(run) => {
                    wait_for(&run, self.version.clone());
                    behind.push(run);
                }
                Err(error) => tracing::warn!(%error, variant, "a run behind the shown one did not start"),
            }
        }
    }

    /// Ends whatever goes on.
    fn end(&self) {
        if let Some(shown) = locked(&self.shown).take() {
            shown.running.quit(Duration::ZERO);
            shown.running.wait_for(LAST_WORDS);
            shown.running.close();
        }
        for run in locked(&self.behind).drain(..) {
            run.handle.quit(Duration::ZERO);
        }
    }

    /// Ends whatever goes on, the presenter's run too.
    fn close(&self) {
        self.end();
        if let Some(rehearsal) = locked(&self.presented).take() {
            rehearsal.quit();
        }
    }

    /// The watches of all variants, and those whose runs are under way.
    fn watches(&self) -> (Vec<Watch>, BTreeSet<usize>) {
        let mut watches: Vec<Watch> = (0..self.lab.variants.len()).map(|n| Watch::new(&self.lab, n)).collect();
        let mut running = BTreeSet::new();
        if let Some(shown) = &*locked(&self.shown) {
            watches[0] = match shown.running.events() {
                Some(events) => folded(&self.lab, 0, &events),
                None => locked(&shown.watch).clone(),
            };
        }
        for run in &*locked(&self.behind) {
            watches[run.variant] = locked(&run.watch).clone();
        }
        running.extend((0..watches.len()).filter(|n| watches[*n].board().finished().is_none()));
        (watches, running)
    }
}

impl Stage for Desk {
    fn lab(&self) -> &Lab {
        &self.lab
    }

    fn place(&self) -> Option<(usize, usize)> {
        self.place
    }

    fn start(&self, answers: Answers) -> anyhow::Result<Box<dyn Run>> {
        let run = self.show(&answers)?;
        self.start_others(&answers);
        Ok(run)
    }

    fn rehearse(&self, answers: Answers) -> anyhow::Result<Box<dyn Run>> {
        let direction = Direction { plan: director(&self.lab, &answers), mode: Mode::Headless, listener: None };
        let rehearsal = Running::rehearsed(self.lab.variants[0].setup.clone(), direction)?;
        rehearsal.act(Action::Stop, By::Lab);
        *locked(&self.presented) = Some(rehearsal.clone());
        if locked(&self.behind).is_empty() {
            self.start_others(&answers);
        }
        Ok(Box::new(rehearsal))
    }

    fn outcome(&self, answers: &Answers) -> Outcome {
        let (watches, running) = self.watches();
        outcome(&self.lab, answers, &watches, &running)
    }

    fn presented(&self, answers: &Answers) -> Outcome {
        let lab = &self.lab;
        let (mut watches, mut running) = self.watches();
        if let Some(rehearsal) = &*locked(&self.presented) {
            watches[0] = folded(lab, 0, &rehearsal.events(0));
            running.remove(&0);
        }
        outcome(lab, answers, &watches, &running)
    }

    fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    fn recorded(&self) -> Option<String> {
        let path: PathBuf = locked(&self.shown).as_ref()?.running.recorded()?;
        Some(clean(&path.to_string_lossy()).into_owned())
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn director(lab: &Arc<Lab>, answers: &Answers) -> crate::rehearsal::PlanOf {
    let (lab, answers) = (lab.clone(), answers.clone());
    Box::new(move |_| Box::new(Director::new(lab.clone(), 0, answers.clone())))
}

/// Folds what happens on threads, and has time stand where the lab pauses or asks.
fn listener(lab: Arc<Lab>, watch: Arc<Mutex<Watch>>) -> super::running::Listener {
    Box::new(move |events, handle| {
        let mut watch = locked(&watch);
        for event in events {
            watch.fold(event);
            if stands_for(&lab, &event.what) {
                handle.act(Action::Stop, By::Lab);
            }
        }
    })
}

/// True for what somebody has to read or answer before time goes on.
fn stands_for(lab: &Lab, what: &What) -> bool {
    let step = match what {
        What::Said { step, pause: true, .. } | What::Asked { step, .. } => *step,
        _ => return false,
    };
    lab.step(step).is_some_and(|step| step.trigger != Trigger::Before)
}

fn start_behind(lab: &Arc<Lab>, variant: usize, answers: Answers) -> anyhow::Result<Behind> {
    let setup = &lab.variants[variant].setup;
    let store = launch::open(setup, None)?;
    let watch = Arc::new(Mutex::new(Watch::new(lab, variant)));
    let alarm = Arc::new(OnceLock::new());
    let consumers = vec![fold_and_watch(watch.clone(), alarm.clone())];
    let plan = Box::new(Director::new(lab.clone(), variant, answers));
    let handle = launch::start(setup, store, Mode::Headless, plan, consumers)?;
    let _it_is_set_here_only = alarm.set(handle.clone());
    Ok(Behind { variant, handle, watch })
}

/// Tells of the end of a run.
fn wait_for(run: &Behind, version: Arc<AtomicU64>) {
    let handle = run.handle.clone();
    let wait = move || {
        handle.wait();
        version.fetch_add(1, Ordering::AcqRel);
    };
    let _its_end_then_shows_with_the_next_key = std::thread::Builder::new().name("behind".into()).spawn(wait);
}

fn folded(lab: &Lab, variant: usize, events: &[Event]) -> Watch {
    let mut watch = Watch::new(lab, variant);
    events.iter().for_each(|event| watch.fold(event));
    watch
}

/// What came of a lab whose runs were watched so far.
fn outcome(lab: &Lab, answers: &Answers, watches: &[Watch], running: &BTreeSet<usize>) -> Outcome {
    let pages = Pages::of(lab, 0);
    let questions = pages.questions().iter().map(|step| came(lab, *step, answers, watches, running));
    let name = |variant: &usize| lab.variants[*variant].name.clone();
    let judgement = running.is_empty().then(|| lab::judge(lab, watches));
    let judged = judgement.as_ref();
    let touched = watches.iter().find_map(Watch::interfered);
    Outcome {
        questions: questions.collect(),
        touched: touched.map(|(at, what)| format!("you {} at {:.1} s", done(what), at.seconds())),
        untested: judged.and_then(untested),
        broken: judged.filter(|judged| judged.outcome == lab::Outcome::Broken).map(|judged| judged.why.clone()),
        held: judged.map(|judged| {
            (judged.expects.iter().filter(|expect| expect.held == Some(true)).count(), judged.expects.len())
        }),
        agree: watches.iter().all(|watch| watch.board().witnesses_agree()),
        table: table(lab, watches, running),
        running: running.iter().map(name).collect(),
    }
}

/// What somebody did, from the words of the grammar: `killed w3`.
fn done(action: &str) -> String {
    const PAST: [(&str, &str); 10] = [
        ("kill", "killed"),
        ("stall", "stalled"),
        ("pause", "put to sleep"),
        ("hang", "hung"),
        ("cut", "cut"),
        ("slow", "slowed"),
        ("heal", "healed"),
        ("restart", "restarted"),
        ("enqueue", "enqueued"),
        ("redrive", "redrove"),
    ];
    let (verb, rest) = action.split_once(' ').unwrap_or((action, ""));
    match PAST.iter().find(|(now, _)| *now == verb) {
        Some((_, past)) => format!("{past} {rest}"),
        None => format!("did \"{action}\""),
    }
}

fn untested(judged: &Judgement) -> Option<String> {
    (judged.outcome == lab::Outcome::Inconclusive && judged.interfered.is_none()).then(|| judged.why.clone())
}

fn came(lab: &Lab, step: usize, answers: &Answers, watches: &[Watch], running: &BTreeSet<usize>) -> Came {
    let Some(ask) = &lab.steps[step].ask else { return Came::default() };
    let here = lab.steps[step].variants.first().copied().unwrap_or(0);
    let number = u32::try_from(step + 1).unwrap_or(u32::MAX);
    let answer = answers.iter().find(|(one, _)| *one == number).map(|(_, text)| text.as_str());
    let needed: BTreeSet<usize> = Named::by_question(ask).variants.into_iter().chain([here]).collect();
    let about = subject(&lab.steps[step]);
    let counters = watches[about].board().counters();
    let graded = lab::grade(ask, answer, watches, here);
    Came {
        right: graded.right,
        said: graded.said,
        measured: graded.measured,
        band: graded.band,
        figures: graded.figures.into_iter().map(|shown| (shown.name, shown.value, shown.words)).collect(),
        fates: [counters.lost, counters.once, counters.duplicated],
        about: lab.variants[about].name.clone(),
        waits: needed.intersection(running).map(|n| lab.variants[*n].name.clone()).collect(),
    }
}

/// The counters that questions and expectations are about, of every variant.
fn table(lab: &Lab, watches: &[Watch], running: &BTreeSet<usize>) -> Table {
    if lab.variants.len() < 2 {
        return Table::default();
    }
    let columns: Vec<&'static str> = Named::by_lab(lab).counters.into_iter().take(COLUMNS).collect();
    let figures = |n: usize| {
        let value = |name: &&'static str| lab::value(&Figure::Counter(Some(n), name), watches, n);
        columns.iter().map(|name| value(name).map_or("-".to_owned(), lab::number)).collect()
    };
    let row = |n: usize| (lab.variants[n].name.clone(), (!running.contains(&n)).then(|| figures(n)));
    Table {
        rows: (0..lab.variants.len()).map(row).collect(),
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_did_is_told_as_people_say_it() {
        assert_eq!(done("kill w3"), "killed w3");
        assert_eq!(done("cut w2 queue for 3s"), "cut w2 queue for 3s");
        assert_eq!(done("dedup none"), "did \"dedup none\"");
    }
}
