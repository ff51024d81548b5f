//! A recording of the model's run, played by hand: what shows, what keys do, and what they refuse.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::about::stops;
use super::bar::Bar;
use super::*;
use crate::board::{Anomaly, AnomalyKind, Board};
use crate::event::{Event, What};
use crate::ids::{Job, Worker};
use crate::recording::Place;
use crate::tui::fixture::{Deed as Done, Model, seconds, text};
use crate::tui::glyphs::Glyphs;
use crate::tui::theme::Theme;
use crate::tui::{Badge, Showing};

/// What plays without a clock.
struct Deck {
    board: Board,
    shown: usize,
    moment: Instant,
    stopped: bool,
    speed: f64,
}

/// The events of a run, at any moment of it.
#[derive(Clone)]
struct Tape {
    events: Arc<Vec<Event>>,
    about: About,
    deck: Arc<Mutex<Deck>>,
}

struct Lent<'a>(MutexGuard<'a, Deck>);

impl Deref for Lent<'_> {
    type Target = Board;
    fn deref(&self) -> &Board {
        &self.0.board
    }
}

impl Tape {
    fn of(model: &Model) -> Tape {
        let places =
            model.events.iter().enumerate().filter(|(_, event)| {
                matches!(event.what, What::Marked { .. } | What::Action { .. } | What::Died { .. })
            });
        let places: Vec<Place> =
            places.map(|(n, event)| Place { events: n + 1, at: event.at, what: event.what.clone() }).collect();
        let about = About {
            name: "sandbox".to_owned(),
            title: "sandbox, seed 249".to_owned(),
            events: model.events.len(),
            ends: model.events.last().map_or(Instant::START, |event| event.at),
            cut_off: false,
            narrates: model.events.iter().any(|event| matches!(event.what, What::Said { .. })),
            stops: stops(&places),
            anomalies: model.board.anomalies().iter().copied().collect(),
        };
        let deck = Deck { board: Board::new(), shown: 0, moment: Instant::START, stopped: true, speed: 1.0 };
        Tape { events: Arc::new(model.events.clone()), about, deck: Arc::new(Mutex::new(deck)) }
    }

    fn deck(&self) -> MutexGuard<'_, Deck> {
        self.deck.lock().expect("one thread")
    }

    fn show(&self, n: usize) {
        let mut deck = self.deck();
        let n = n.min(self.events.len());
        deck.board = self.events[..n].iter().collect();
        (deck.shown, deck.moment) = (n, deck.board.now());
    }
}

impl Run for Tape {
    fn sides(&self) -> usize {
        1
    }
    fn board(&self, _: usize) -> Box<dyn Deref<Target = Board> + '_> {
        Box::new(Lent(self.deck()))
    }
    fn now(&self) -> Instant {
        self.deck().moment
    }
    fn showing(&self) -> Showing {
        let deck = self.deck();
        Showing { badge: Badge::Replay, stopped: deck.stopped, speed: deck.speed, recorded: false }
    }
    fn act(&self, action: Action, _: By) -> Option<String> {
        let shown = self.deck().shown;
        match action {
            Action::Stop => self.deck().stopped = true,
            Action::Go => self.deck().stopped = false,
            Action::Step => self.show(shown + 1),
            Action::Speed(speed) => self.deck().speed = speed,
            other => panic!("{other} reached the recording"),
        }
        None
    }
    fn back(&self) -> Option<String> {
        let shown = self.deck().shown;
        self.show(shown.saturating_sub(1));
        None
    }
    fn version(&self) -> u64 {
        7
    }
    fn quit(&self, _: Duration) {}
    fn ended(&self) -> bool {
        true
    }
}

impl Recorded for Tape {
    fn about(&self) -> &About {
        &self.about
    }
    fn seek(&self, to: Seek, stand: bool) {
        match to {
            Seek::Events(n) => self.show(n),
            Seek::At(at) => {
                self.show(self.events.partition_point(|event| event.at <= at));
                self.deck().moment = at;
            }
        }
        let mut deck = self.deck();
        deck.stopped |= stand;
    }
    fn trouble(&self) -> Option<String> {
        None
    }
}

/// The run of the sandbox pictures, in which job 43 is applied twice at 43.5 s.
fn model() -> Model {
    let mut model = Model::new(4, &[(18.2, Done::Kill(4)), (37.0, Done::Arm(2))]);
    model.run(60.0);
    model
}

struct Player {
    tape: Tape,
    replay: Replay,
}

impl Player {
    fn of(model: &Model) -> Player {
        Player::with(model, Glyphs::UNICODE)
    }

    fn with(model: &Model, glyphs: Glyphs) -> Player {
        let tape = Tape::of(model);
        let replay = Replay::new(Box::new(tape.clone()), Look::new(Theme::Mono, glyphs));
        Player { tape, replay }
    }

    /// The rows of a frame, each closed by a bar so that its width shows.
    fn rows(&mut self, width: u16, height: u16) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        self.replay.draw(&mut buffer);
        text(&buffer)
    }

    fn picture(&mut self, width: u16, height: u16) -> String {
        self.rows(width, height).iter().map(|row| format!("{row}|\n")).collect()
    }

    /// Presses keys, with a frame after each.
    fn press(&mut self, keys: &[Key]) -> Vec<Request> {
        let mut asked = Vec::new();
        for key in keys {
            asked.extend(self.replay.press(*key, Stroke::Press));
            self.rows(120, 36);
        }
        asked
    }

    fn type_in(&mut self, keys: &str) -> Vec<Request> {
        let keys: Vec<Key> = keys.chars().map(|c| if c == '\n' { Key::Enter } else { Key::Char(c) }).collect();
        self.press(&keys)
    }

    fn at(&self) -> Instant {
        self.tape.now()
    }

    fn message(&mut self) -> String {
        self.replay.message().clone().unwrap_or_default()
    }
}

#[test]
fn any_moment_shows_the_sandbox_as_it_was_with_the_bar_below() {
    let model = model();
    let mut player = Player::of(&model);
    player.type_in("g40.3\n");
    insta::assert_snapshot!("replay_120x36", player.picture(120, 36));
    insta::assert_snapshot!("replay_80x24", player.picture(80, 24));
    insta::assert_snapshot!("replay_60x16", player.picture(60, 16));
    let mut plain = Player::with(&model, Glyphs::ASCII);
    plain.type_in("g40.3\n");
    insta::assert_snapshot!("replay_80x24_ascii", plain.picture(80, 24));
    assert!(plain.picture(120, 36).is_ascii());
}

#[test]
fn every_panel_is_drawn_as_in_a_live_session() {
    let model = Model::sandbox(40.3);
    let mut player = Player::of(&model);
    player.press(&[Key::End]);
    let live = crate::tui::fixture::rows(
        &crate::tui::fixture::app(120, 34, Glyphs::UNICODE),
        &model.board,
        model.board.now(),
        120,
        34,
    );
    let shown = player.rows(120, 36);
    assert_eq!(shown[1..33], live[1..33], "but for the title, and the rows at the bottom");
}

#[test]
fn the_bar_is_as_it_was_drawn() {
    let ends = seconds(130.0);
    let stop =
        |events: usize, s: f64, letter: char, text: &str| Stop { events, at: seconds(s), letter, text: text.into() };
    let anomaly =
        |seq: u64, s: f64| Anomaly { at: seconds(s), kind: AnomalyKind::Twice, job: Job(43), worker: Worker(4), seq };
    let later = 1_000_000;
    let about = About {
        title: "sandbox, seed 249".into(),
        ends,
        stops: vec![
            stop(1, 18.2, 'x', "x w4"),
            stop(2, 37.0, 'X', "X w2 at effect"),
            stop(later, 70.8, 'd', "dedup transactional"),
            stop(later, 79.6, 'X', "X w1 died"),
            stop(later, 82.9, 'x', "x w3"),
        ],
        anomalies: vec![anomaly(later as u64, 43.5), anomaly(later as u64, 88.4), anomaly(later as u64, 101.6)],
        ..About::default()
    };
    let model = Model::sandbox(40.3);
    let showing = Showing { badge: Badge::Replay, stopped: false, speed: 4.0, recorded: false };
    let moment = Moment { showing, ..model.moment() };
    let drawn = |about: &About, width: u16| {
        let look = Look::new(Theme::Mono, Glyphs::UNICODE);
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 3));
        let bar = Bar { about, moment, truth: true, message: None, keys: true };
        bar.draw(&mut Canvas::new(&mut buffer, Rect::new(0, 0, width, 3), &look));
        text(&buffer)
    };
    let wide = drawn(&about, 120);
    let place = " REPLAY  sandbox, seed 249   x4   0:40.3 of 2:10.0   31 %   mark 2 of 5: X w2 at effect   next anomaly 1 of 3 at 0:43.5 ";
    let keys = " space stop  , . step  ( ) mark  n N anomaly  + - speed  g go to  home end           i why  tab panels  ? help  q leave ";
    assert_eq!([&wide[0], &wide[2]], [place, keys]);
    assert!(wide[1].starts_with(" ════════════════x════════════════X══►──#──"), "{}", wide[1]);
    let small = drawn(&about, 80);
    let place = " REPLAY x4   0:40.3 of 2:10.0   31 %     mark 2 of 5   anomaly 1 of 3 at 0:43.5 ";
    let keys = " space stop  , . step  ( ) mark  n N anomaly  + - speed  i why  ? help  q leave ";
    assert_eq!([&small[0], &small[2]], [place, keys]);
    assert!(small[1].starts_with(" ══════════x═══════════X═►─#──"), "{}", small[1]);
    let torn = About { cut_off: true, ends: seconds(112.3), ..about };
    assert!(drawn(&torn, 120)[0].starts_with(" REPLAY (cut off at 1:52.3)  "), "{}", drawn(&torn, 120)[0]);
}

#[test]
fn a_step_on_and_a_step_back_end_where_they_began() {
    let mut player = Player::of(&model());
    player.type_in("g40.3\n,");
    let mut pictures = vec![player.picture(120, 36)];
    for _ in 0..40 {
        player.type_in(".");
        pictures.push(player.picture(120, 36));
    }
    for wanted in pictures.iter().rev().skip(1) {
        player.type_in(",");
        assert_eq!(player.picture(120, 36), *wanted);
    }
}

#[test]
fn n_goes_to_the_anomaly_of_the_whole_recording_and_i_explains_it() {
    let mut player = Player::of(&model());
    player.type_in("n");
    let anomaly = player.tape.about.anomalies[0];
    assert_eq!((player.at(), anomaly.kind), (anomaly.at, AnomalyKind::Twice));
    assert!(player.tape.deck().stopped, "time stands there");
    let shown = player.picture(120, 36);
    assert!(shown.contains("TWICE 1"), "{shown}");
    player.type_in("i");
    let shown = player.picture(120, 36);
    assert!(shown.contains(&format!("job {} was applied TWICE", anomaly.job.0)), "{shown}");
    player.type_in("n");
    assert_eq!(player.message(), "no later anomaly");
    player.press(&[Key::Home]);
    player.type_in("N");
    assert_eq!(player.message(), "no earlier anomaly");
}

#[test]
fn marks_are_what_was_done_and_who_died() {
    let mut player = Player::of(&model());
    let mut met = Vec::new();
    for _ in 0..3 {
        player.type_in(")");
        met.push((player.at(), player.message()));
    }
    let stops = player.tape.about.stops.clone();
    let at = |n: usize| stops[n].at;
    let wanted = [(at(0), "0:18.2  x w4"), (at(1), "0:37.0  X w2 at effect"), (at(2), "0:38.4  X w2 died")];
    assert_eq!(met[..2], wanted.map(|(at, words)| (at, words.to_owned()))[..2]);
    assert!(met[2].1.ends_with("X w2 died"), "{met:?}");
    player.type_in(")");
    assert_eq!(player.message(), "no later mark");
    player.type_in("([");
    assert_eq!(player.at(), at(0));
    player.type_in("]");
    assert_eq!(player.at(), at(1));
}

#[test]
fn a_moment_is_gone_to_by_time_or_percent() {
    let mut player = Player::of(&model());
    let ends = player.tape.about.ends;
    for (typed, wanted) in
        [("0:30", seconds(30.0)), ("45", seconds(45.0)), ("50%", Instant(ends.0 / 2)), ("9:00", ends)]
    {
        player.type_in(&format!("g{typed}\n"));
        assert_eq!(player.at().0.abs_diff(wanted.0) / 1_000, 0, "{typed}");
    }
    assert!(player.message().starts_with("the recording ends at "), "{}", player.message());
    player.press(&[Key::Home]);
    assert_eq!(player.at(), Instant::START);
    player.press(&[Key::End]);
    assert_eq!(player.at(), ends);
    player.type_in(" ");
    assert_eq!(player.message(), "the recording ends here; home goes to its start");
}

#[test]
fn what_would_act_is_refused_and_rerun_is_named() {
    let mut player = Player::of(&model());
    player.type_in("g30\n");
    for keys in
        ["x", "X", "s", "z", "p", "P", "r", "f", "F", "u", "U", "d", "a", "c", "e", "E", "b", "B", "R", ":kill w1\n"]
    {
        player.type_in(keys);
        assert!(player.message().contains("cannot be acted on; onceish rerun"), "{keys}: {}", player.message());
        assert!(player.replay.desk.app.layer.is_none(), "{keys}");
    }
    player.type_in("m");
    assert!(player.message().contains("not in a replay"));
    player.type_in(":speed 20\n");
    assert!((player.tape.deck().speed - 20.0).abs() < 1e-9);
    assert_eq!(player.type_in("q"), [Request::Quit]);
    assert!(player.replay.ended(), "there is nothing to drain");
}

#[test]
fn with_the_truth_hidden_the_bar_keeps_what_only_the_ledger_knows() {
    let mut player = Player::of(&model());
    player.type_in("g30\n");
    assert!(player.rows(120, 36)[34].contains('#'));
    player.type_in("t");
    let shown = player.rows(120, 36);
    assert!(!shown[34].contains('#') && shown[33].contains("anomalies ?"), "{shown:#?}");
}

#[test]
fn what_a_lab_says_stands_above_the_bar() {
    let mut model = model();
    model.tell(What::Said { step: 3, text: "w2 wrote the effect \u{1b}[2Jand died\u{202e}.".into(), pause: false });
    model.run(62.0);
    let mut player = Player::of(&model);
    player.press(&[Key::End]);
    let wanted = " step 3   w2 wrote the effect [2Jand died.";
    for (width, height, row) in [(120, 36, 32), (80, 24, 20), (60, 16, 15)] {
        let rows = player.rows(width, height);
        assert!(rows[row].starts_with(wanted), "{rows:#?}");
    }
}

#[test]
fn hostile_names_are_only_words() {
    let model = model();
    let mut tape = Tape::of(&model);
    tape.about.title = "\u{1b}]52;c;aGk=\u{7}\u{202e}evil".to_owned();
    tape.about.name = "\u{9b}31m lab\u{200b}".to_owned();
    let mut replay = Replay::new(Box::new(tape), Look::new(Theme::Mono, Glyphs::UNICODE));
    let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 36));
    replay.draw(&mut buffer);
    for row in text(&buffer) {
        assert!(!row.contains(|c: char| c.is_control() || matches!(c, '\u{200b}' | '\u{202e}')), "{row:?}");
    }
}

#[test]
fn help_and_every_size_are_drawn() {
    let mut player = Player::of(&model());
    player.type_in("g40\n?");
    insta::assert_snapshot!("replay_help_80x24", player.picture(80, 24));
    player.press(&[Key::Esc]);
    for (width, height) in [(1, 1), (59, 20), (60, 16), (61, 17), (79, 23), (99, 30), (110, 31), (200, 60)] {
        for keys in ["", "i", ":", "g"] {
            player.type_in(keys);
            player.rows(width, height);
            player.press(&[Key::Esc]);
        }
    }
}
