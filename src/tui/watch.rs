//! A run that is looked at: what a view draws of it, and what a view wants done to it.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::exhibit::{Exhibit, Request};
use super::keys::{Key, Stroke};
use super::{Error, Launcher, Run, Showing};
use crate::action::Action;
use crate::board::Board;
use crate::event::By;
use crate::time::Instant;

/// One side of a run as it is shown: what a frame is drawn from, and a key press is judged by.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// The fold of what has happened.
    pub board: &'a Board,
    /// The moment that is shown.
    pub now: Instant,
    /// How time goes.
    pub showing: Showing,
}

/// What a key press comes to that the view itself cannot do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Hand this action to the run.
    Act(Action),
    /// Take the last event back; where that is impossible, only the view goes back.
    Back,
    /// Show this moment of a recording.
    GoTo(Instant),
    /// Ask this of the loop.
    Ask(Request),
}

/// A way to look at a run. It touches neither the run nor the terminal nor a clock.
pub trait View {
    /// Takes a key; what it comes to beyond the view itself comes out.
    fn press(&mut self, key: Key, stroke: Stroke, sides: &[Moment<'_>]) -> Vec<Effect>;
    /// Takes a paste.
    fn paste(&mut self, text: &str);
    /// True for a key that must count once while it is held.
    fn strikes(&self, key: Key) -> bool;
    /// Takes in what has happened, and draws it over the whole buffer.
    fn draw(&mut self, buffer: &mut Buffer, sides: &[Moment<'_>]) -> Option<Position>;
    /// Moves one event back in what is looked at: the run cannot be taken back.
    fn step_back(&mut self, sides: &[Moment<'_>]);
    /// What the bottom line says.
    fn message(&mut self) -> &mut Option<String>;
    /// Notes that the run drains.
    fn leave(&mut self);
    /// Goes on with a run that starts over: what was shown of the old one is gone.
    fn start_over(&mut self);
}

/// A run, and the view of it.
pub struct Watch<'a, V> {
    launcher: Box<dyn Launcher + 'a>,
    run: Box<dyn Run>,
    view: V,
}

impl<'a, V: View> Watch<'a, V> {
    /// Starts a run to be looked at. What will surprise is said first of all.
    pub fn new(launcher: Box<dyn Launcher + 'a>, mut view: V) -> Result<Watch<'a, V>, Error> {
        let run = launcher.launch().map_err(Error::Launch)?;
        let warnings = launcher.warnings();
        if !warnings.is_empty() {
            *view.message() = Some(format!("warning: {}", warnings.join("; ")));
        }
        Ok(Watch { launcher, run, view })
    }

    /// Has the view look at all sides. Their boards are held meanwhile, taken in the order of the sides.
    fn see<T>(&mut self, see: impl FnOnce(&mut V, &[Moment<'_>]) -> T) -> T {
        self::see(&*self.run, |sides| see(&mut self.view, sides))
    }

    fn act(&mut self, action: Action) {
        let said = self.run.act(action, By::Operator);
        self.say(said);
    }

    fn back(&mut self) {
        match self.run.back() {
            None => self.see(|view, sides| view.step_back(sides)),
            said => self.say(said),
        }
    }

    fn say(&mut self, said: Option<String>) {
        if said.is_some() {
            *self.view.message() = said;
        }
    }
}

impl<V: View> Exhibit for Watch<'_, V> {
    fn press(&mut self, key: Key, stroke: Stroke) -> Vec<Request> {
        let mut requests = Vec::new();
        for effect in self.see(|view, sides| view.press(key, stroke, sides)) {
            match effect {
                Effect::Act(action) => self.act(action),
                Effect::Back => self.back(),
                // A run is only ever at its own moment; its view looks back by itself.
                Effect::GoTo(_) => {}
                Effect::Ask(request) => requests.push(request),
            }
        }
        requests
    }

    fn paste(&mut self, text: &str) {
        self.view.paste(text);
    }

    fn strikes(&self, key: Key) -> bool {
        self.view.strikes(key)
    }

    fn draw(&mut self, buffer: &mut Buffer) -> Option<Position> {
        if let Some(news) = self.run.news() {
            let message = self.view.message();
            *message = Some(message.take().map_or(news.clone(), |said| format!("{said}; {news}")));
        }
        self.see(|view, sides| view.draw(buffer, sides))
    }

    fn version(&self) -> u64 {
        self.run.version()
    }

    fn moves(&self) -> bool {
        !self.run.ended() && !self.run.showing().stopped
    }

    fn message(&mut self) -> &mut Option<String> {
        self.view.message()
    }

    fn run(&self) -> Option<&dyn Run> {
        Some(&*self.run)
    }

    fn leave(&mut self) {
        self.view.leave();
    }

    fn again(&mut self) -> Result<(), Error> {
        self.run = self.launcher.launch().map_err(Error::Launch)?;
        self.view.start_over();
        self.say(Some("started again: same seed, same set-up".to_owned()));
        Ok(())
    }
}

/// Looks at all sides of a run. Their boards are held meanwhile, taken in the order of the sides.
pub fn see<T>(run: &dyn Run, see: impl FnOnce(&[Moment<'_>]) -> T) -> T {
    let clock = Clock::of(run);
    let held: Vec<_> = (0..run.sides()).map(|side| run.board(side)).collect();
    let boards: Vec<&Board> = held.iter().map(|board| &***board).collect();
    see(&clock.moments(&boards))
}

/// How time stood before a board was asked for: while one is held, the run is asked for nothing but the others.
#[derive(Clone, Copy)]
struct Clock {
    /// The lab clock; none once the run has ended.
    now: Option<Instant>,
    showing: Showing,
}

impl Clock {
    fn of(run: &dyn Run) -> Clock {
        Clock { now: (!run.ended()).then(|| run.now()), showing: run.showing() }
    }

    /// The sides at the one moment that a frame shows: the lab clock, which a fold can be ahead of, or the run's end.
    fn moments<'a>(self, boards: &[&'a Board]) -> Vec<Moment<'a>> {
        let folded = boards.iter().map(|board| board.now());
        let now = folded.chain(self.now).max().unwrap_or(Instant::START);
        boards.iter().map(|board| Moment { board, now, showing: self.showing }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::Badge;
    use crate::tui::app::App;
    use crate::tui::fixture::{Model, app};
    use crate::tui::glyphs::Glyphs;
    use std::ops::Deref;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// A run that notes what is asked of it.
    struct Noted {
        board: Board,
        goes_back: bool,
        asked: Arc<Mutex<Vec<String>>>,
    }

    impl Noted {
        fn note(&self, asked: String) {
            self.asked.lock().expect("one thread").push(asked);
        }
    }

    impl Run for Noted {
        fn sides(&self) -> usize {
            1
        }
        fn board(&self, _: usize) -> Box<dyn Deref<Target = Board> + '_> {
            Box::new(&self.board)
        }
        fn now(&self) -> Instant {
            self.board.now()
        }
        fn showing(&self) -> Showing {
            Showing { badge: Badge::Virtual, stopped: true, speed: 1.0, recorded: false }
        }
        fn act(&self, action: Action, _: By) -> Option<String> {
            self.note(action.to_string());
            matches!(action, Action::Go).then(|| "time goes".to_owned())
        }
        fn back(&self) -> Option<String> {
            self.note("back".to_owned());
            self.goes_back.then(|| "one event back".to_owned())
        }
        fn version(&self) -> u64 {
            7
        }
        fn quit(&self, _: Duration) {}
        fn ended(&self) -> bool {
            false
        }
    }

    /// Starts the run of the sandbox pictures, over and over.
    struct Source {
        goes_back: bool,
        asked: Arc<Mutex<Vec<String>>>,
        warnings: Vec<String>,
    }

    impl Launcher for Source {
        fn launch(&self) -> anyhow::Result<Box<dyn Run>> {
            let (board, asked) = (Model::sandbox(20.0).board, self.asked.clone());
            Ok(Box::new(Noted { board, asked, goes_back: self.goes_back }))
        }
        fn warnings(&self) -> &[String] {
            &self.warnings
        }
    }

    fn source(goes_back: bool) -> Source {
        Source { goes_back, asked: Arc::default(), warnings: vec!["short lease".to_owned(), "slow disk".to_owned()] }
    }

    fn watch(source: &Source) -> Watch<'_, App> {
        let mut watch = Watch::new(Box::new(source), app(120, 36, Glyphs::UNICODE)).expect("it starts");
        *watch.message() = None;
        watch
    }

    fn press(watch: &mut Watch<'_, App>, key: Key) -> Vec<Request> {
        watch.press(key, Stroke::Press)
    }

    #[test]
    fn what_will_surprise_is_said_first_of_all() {
        let source = source(true);
        let mut watch = Watch::new(Box::new(&source), app(80, 24, Glyphs::UNICODE)).expect("it starts");
        assert_eq!(watch.message().as_deref(), Some("warning: short lease; slow disk"));
    }

    #[test]
    fn an_action_goes_to_the_run_and_an_answer_to_the_bottom_line() {
        let source = source(true);
        let mut watch = watch(&source);
        assert_eq!(press(&mut watch, Key::Char('x')), []);
        assert_eq!(*watch.message(), None, "what comes of it is an event");
        press(&mut watch, Key::Char(' '));
        assert_eq!(watch.message().as_deref(), Some("time goes"));
        assert_eq!(*source.asked.lock().expect("one thread"), ["kill w1", "go"]);
    }

    #[test]
    fn the_run_goes_back_where_it_can_and_else_the_view() {
        let virtual_time = source(true);
        let mut run = watch(&virtual_time);
        press(&mut run, Key::Char(','));
        assert_eq!(run.message().as_deref(), Some("one event back"));
        assert!(run.view.timeline.is_following());
        let threads = source(false);
        let mut view = watch(&threads);
        press(&mut view, Key::Char(','));
        assert!(!view.view.timeline.is_following());
        assert!(view.message().as_ref().is_some_and(|words| words.contains("threads cannot be run backwards")));
    }

    #[test]
    fn leaving_and_the_like_is_left_to_the_loop() {
        let source = source(true);
        let mut watch = watch(&source);
        assert_eq!(press(&mut watch, Key::Char('q')), [Request::Quit]);
        assert_eq!(press(&mut watch, Key::Ctrl('r')), [Request::Again]);
        watch.again().expect("it starts again");
        assert_eq!(watch.message().as_deref(), Some("started again: same seed, same set-up"));
    }

    #[test]
    fn all_sides_are_shown_at_one_moment_that_no_fold_is_ahead_of() {
        let (early, late) = (Model::sandbox(3.0), Model::sandbox(5.0));
        let showing = Showing::live(&early.board);
        let now = |clock: Option<Instant>| {
            let moments = Clock { now: clock, showing }.moments(&[&early.board, &late.board]);
            assert_eq!(moments[0].now, moments[1].now);
            moments[0].now
        };
        assert_eq!(now(Some(early.now())), late.board.now());
        assert_eq!(now(Some(Model::sandbox(9.0).now())), Model::sandbox(9.0).now());
        assert_eq!(now(None), late.board.now(), "the end of a run is its last event");
    }
}
