//! A session that was recorded is the session: its last frame, its counters, its lease spans and every moment that was
//! seen while it went on are shown again, from threads and from virtual time, also when it was taken back on the way.

#![allow(clippy::disallowed_methods, reason = "a run on threads is waited for by the wall clock")]

mod waiting;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant as Wall;

use onceish::action;
use onceish::board::{Board, Lane};
use onceish::digest::first_difference;
use onceish::driver::log::Consumer;
use onceish::driver::plan::{Planned, When};
use onceish::driver::{Mode, threads};
use onceish::event::{By, Event, Finish, What};
use onceish::ids::Worker;
use onceish::recording::{Entry, Header, Player, Reader, Writer};
use onceish::rehearsal::{Keep, Piece, Rehearsal};
use onceish::request::Sink;
use onceish::setup::{Driver, Setup};
use onceish::sink::{Target, open};
use onceish::time::{Instant, Span};
use onceish::tui::glyphs::Glyphs;
use onceish::tui::theme::{Look, Theme};
use onceish::tui::{Badge, Showing, paint};
use proptest::prelude::*;
use waiting::{DEADLINE, wait};

const SIZES: [(u16, u16); 2] = [(120, 36), (80, 24)];

/// What is done, and at which second: kills, stalls, a partition on both sides of a worker, a pause, a switch of
/// policy, and time that stands and goes on faster.
const DONE: [(u64, &str); 13] = [
    (4, "kill w1"),
    (6, "stall w2 for 6s"),
    (8, "cut w3 queue for 7s"),
    (9, "cut w4 sink for 6s"),
    (12, "pause w1 for 6s"),
    (15, "dedup effect-then-key"),
    (16, "kill w2 at effect"),
    (20, "lease 4s"),
    (24, "stall w4"),
    (27, "heal w4"),
    (29, "mark it is quiet again"),
    (30, "stop"),
    (30, "go"),
];

fn setup(driver: Driver) -> Setup {
    let mut setup = Setup::sandbox(249);
    setup.driver = driver;
    setup.speed = 20.0;
    setup.workload.jobs = Some(60);
    setup
}

fn planned(done: &[(u64, &str)]) -> Vec<Planned> {
    let planned = |(second, text): &(u64, &str)| Planned {
        when: When::At(Instant::START + Span::seconds(*second)),
        action: action::parse(text).expect(text),
        by: By::Operator,
    };
    done.iter().map(planned).collect()
}

/// What a frame and its lanes come to: at these sizes, at this moment.
#[derive(Debug, PartialEq)]
struct Seen {
    frames: Vec<String>,
    lanes: Vec<Lane>,
    counters: String,
}

fn lanes(board: &Board) -> Vec<Lane> {
    let workers = board.setup().map_or(0, |setup| setup.workers);
    (1..=workers).map(|w| board.lane(Worker(w)).clone()).collect()
}

/// Everything that somebody sees of a board at `now`, shown as that of a live run.
fn see(board: &Board, now: Instant) -> Seen {
    let showing = Showing { badge: Badge::Live, stopped: board.stopped(), speed: board.speed(), recorded: true };
    let look = Look::new(Theme::Dark, Glyphs::UNICODE);
    let frame = |(width, height)| format!("{:?}", paint(board, now, showing, width, height, look));
    Seen { frames: SIZES.map(frame).to_vec(), lanes: lanes(board), counters: format!("{:?}", board.counters()) }
}

/// A session that is over: its recording, its board, its events and what was seen while it went on, after so many events.
struct Session {
    _folder: tempfile::TempDir,
    path: PathBuf,
    board: Board,
    events: Vec<Event>,
    seen: BTreeMap<usize, (Instant, Seen)>,
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.jsonl");
    (folder, path)
}

/// What somebody knows of a run who only looks on.
#[derive(Default)]
struct Onlooker {
    board: Board,
    events: Vec<Event>,
    seen: BTreeMap<usize, (Instant, Seen)>,
}

impl Onlooker {
    fn look(&mut self, events: &[Event]) {
        for event in events {
            self.board.fold(event);
            if self.board.seq().is_multiple_of(50) {
                let now = self.board.now() + Span::millis(40);
                self.seen.insert(self.board.seq() as usize, (now, see(&self.board, now)));
            }
        }
        self.events.extend_from_slice(events);
    }
}

fn on_threads() -> Session {
    let (folder, path) = folder();
    let setup = setup(Driver::Threads);
    let store = open(Target::File(folder.path().join("sink.db")), setup.synchronous).expect("a sink");
    let run = store.run();
    let writer = Arc::new(Mutex::new(Some(Writer::create(&path, &Header::of(&setup, None, 0)).expect("a new file"))));
    let onlooker = Arc::new(Mutex::new(Onlooker::default()));
    let (pen, eyes) = (writer.clone(), onlooker.clone());
    let write = move |events: &[Event]| pen.lock().expect("alone").as_ref().expect("open").take(events);
    let look = move |events: &[Event]| eyes.lock().expect("alone").look(events);
    let consumers: Vec<Consumer> = vec![Box::new(look), Box::new(write)];
    let plan = planned(&DONE).into();
    let handle = threads::start(setup, run, Arc::new(store), Mode::Headless, plan, consumers).expect("it starts");
    let how = handle.wait_for(DEADLINE).expect("it ends");
    assert!(matches!(how, Finish::Drained), "{how:?}");
    let Onlooker { board, events, seen } = std::mem::take(&mut *onlooker.lock().expect("alone"));
    writer.lock().expect("alone").take().expect("open").close(&board).expect("written");
    Session { _folder: folder, path, board, events, seen }
}

/// Writes down what a rehearsal tells, and cuts off what is taken back.
struct Pen(Arc<Mutex<Option<Writer>>>);

impl Pen {
    fn with(&self, write: impl FnOnce(&Writer)) {
        if let Some(writer) = &*self.0.lock().expect("alone") {
            write(writer);
        }
    }
}

impl Keep for Pen {
    fn take(&mut self, events: &[Event]) {
        self.with(|writer| writer.take(events));
    }
    fn cut(&mut self, events: usize) {
        self.with(|writer| writer.cut(events as u64));
    }
}

/// A run in virtual time that somebody leads.
struct Led {
    rehearsal: Rehearsal,
    seen: BTreeMap<usize, (Instant, Seen)>,
}

impl Led {
    fn do_it(&self, text: &str) {
        let told = || self.rehearsal.events(0).iter().filter(|event| is_action(event)).count();
        let before = told();
        self.rehearsal.act(action::parse(text).expect(text), By::Operator);
        wait(|| told() > before, text);
    }

    fn pace(&self, text: &str) {
        self.rehearsal.act(action::parse(text).expect(text), By::Operator);
    }

    fn shown(&self) -> usize {
        self.rehearsal.board(0).seq() as usize
    }

    fn look(&mut self) {
        let (shown, now) = (self.shown(), self.rehearsal.now());
        let seen = see(&self.rehearsal.board(0), now);
        self.seen.insert(shown, (now, seen));
    }

    /// So many events on, with a look at every 20th moment.
    fn step_on(&mut self, events: usize) {
        let target = self.shown() + events;
        let begun = Wall::now();
        while self.shown() < target {
            assert!(begun.elapsed() < DEADLINE, "it does not go on");
            self.pace("step");
            if self.shown().is_multiple_of(20) {
                self.look();
            }
        }
    }

    /// So many events back; what was seen behind them is no more.
    fn step_back(&mut self, events: usize) {
        let target = self.shown() - events;
        let begun = Wall::now();
        while self.shown() > target {
            assert!(begun.elapsed() < DEADLINE, "it does not go back");
            self.rehearsal.back();
        }
        self.seen.retain(|shown, _| *shown <= target);
    }
}

fn is_action(event: &Event) -> bool {
    matches!(event.what, What::Action { .. })
}

/// The rehearsal of all that is done but for the last: in virtual time it is no event that time stands.
fn lead(pen: Pen) -> Led {
    let fresh = |setup: &Setup| {
        let store = open(Target::Memory, setup.synchronous)?;
        let run = store.run();
        Ok((Arc::new(store) as Arc<dyn Sink>, run))
    };
    let piece = Piece {
        plan: Box::new(|_| planned(&DONE[..11]).into()),
        mode: Mode::Headless,
        keep: Some(Box::new(pen)),
        patience: DEADLINE,
        ..Piece::of(vec![setup(Driver::Simulation)], Box::new(fresh))
    };
    let rehearsal = Rehearsal::start(piece).expect("it starts");
    rehearsal.act(action::parse("stop").expect("an action"), By::Operator);
    Led { rehearsal, seen: BTreeMap::new() }
}

fn in_virtual_time() -> Session {
    let (folder, path) = folder();
    let header = Header::of(&setup(Driver::Simulation), None, 0);
    let writer = Arc::new(Mutex::new(Some(Writer::create(&path, &header).expect("a new file"))));
    let mut led = lead(Pen(writer.clone()));
    led.step_on(120);
    led.do_it("stall w1 for 2s");
    led.step_on(60);
    led.do_it("mark this is undone");
    led.do_it("kill w3");
    led.step_on(80);
    led.step_back(110);
    led.do_it("slow w2 x2 for 3s");
    led.step_on(40);
    led.step_back(10);
    led.step_on(4);
    led.pace("speed 100");
    led.pace("go");
    assert!(led.rehearsal.wait_for(DEADLINE), "it ends");
    led.step_back(90);
    led.do_it("enqueue 3");
    led.do_it("kill w2");
    led.pace("go");
    assert!(led.rehearsal.wait_for(DEADLINE), "it ends again");
    led.step_back(25);
    led.rehearsal.quit();
    wait(|| matches!(led.rehearsal.board(0).finished(), Some((Finish::Drained, _))), "the whole run");
    let board = led.rehearsal.board(0).clone();
    writer.lock().expect("alone").take().expect("open").close(&board).expect("written");
    Session { _folder: folder, path, events: led.rehearsal.events(0), board, seen: led.seen }
}

/// Both sessions, made once.
fn sessions() -> &'static [Session; 2] {
    static SESSIONS: OnceLock<[Session; 2]> = OnceLock::new();
    SESSIONS.get_or_init(|| [on_threads(), in_virtual_time()])
}

fn read(path: &Path) -> Vec<Event> {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("a file"));
    let mut reader = Reader::new(file).expect("a header");
    let mut events = Vec::new();
    while let Some(entry) = reader.entry().expect("whole") {
        if let Entry::Event(event) = entry {
            events.push(event);
        }
    }
    events
}

fn texts(events: &[Event]) -> Vec<&str> {
    let text = |event: &'_ Event| matches!(event.what, What::Action { refused: false, .. });
    let told = events.iter().filter(|event| text(event));
    told.filter_map(|event| if let What::Action { text, .. } = &event.what { Some(&**text) } else { None }).collect()
}

#[test]
fn the_sessions_have_what_they_are_to_show() {
    let [threads, simulated] = sessions();
    assert_eq!(texts(&threads.events), DONE.map(|(_, text)| text));
    for Session { board, seen, .. } in sessions() {
        let counters = board.counters();
        assert!(counters.deaths >= 2 && counters.expirations >= 2 && counters.redeliveries >= 2, "{counters:?}");
        assert!(seen.len() >= 8, "{} moments were seen", seen.len());
        assert_eq!(board.violations(), [] as [String; 0]);
        assert!(lanes(board).iter().all(|lane| lane.bars.len() > 5 && !lane.marks.is_empty()));
    }
    let done = texts(&simulated.events);
    assert!(!done.contains(&"mark this is undone") && !done.contains(&"kill w3"), "{done:?}");
    for kept in ["stall w1 for 2s", "slow w2 x2 for 3s", "enqueue 3", "kill w2", "kill w2 at effect"] {
        assert!(done.contains(&kept), "{kept} is missing: {done:?}");
    }
}

#[test]
fn the_recording_of_a_session_has_its_events_and_its_end() {
    for Session { path, board, events, .. } in sessions() {
        assert_eq!(first_difference(events, &read(path)), None);
        let player = Player::open(path).expect("whole");
        assert_eq!((player.len(), player.torn()), (events.len(), false));
        let closing = player.closing().expect("closed");
        assert_eq!(player.contradiction(), None);
        assert_eq!((&closing.counters, &closing.verdict), (&board.counters(), &board.verdict()));
        assert_eq!(closing.finish, Some(Finish::Drained));
    }
}

#[test]
fn the_last_frame_the_counters_and_every_lease_span_are_those_of_the_session() {
    for Session { path, board, .. } in sessions() {
        let mut player = Player::open(path).expect("whole");
        player.show(player.len()).expect("unchanged");
        for now in [player.ends(), player.ends() + Span::millis(700)] {
            let (live, again) = (see(board, now), see(player.board(), now));
            assert_eq!(live.lanes, again.lanes);
            assert_eq!(live.counters, again.counters);
            assert_eq!(live.frames, again.frames);
        }
        assert_eq!(player.board().verdict(), board.verdict());
        assert_eq!(player.board().finished(), board.finished());
    }
}

#[test]
fn every_moment_that_was_seen_while_the_session_went_on_is_seen_again() {
    for Session { path, seen, .. } in sessions() {
        let mut player = Player::open(path).expect("whole");
        let forth_and_back = seen.iter().chain(seen.iter().rev());
        for (events, (now, then)) in forth_and_back {
            player.show(*events).expect("unchanged");
            assert_eq!(&see(player.board(), *now), then, "after {events} events");
        }
    }
}

/// Somebody who seeks from moment to moment, in no order.
fn seeking(session: usize) -> std::sync::MutexGuard<'static, Player> {
    static PLAYERS: OnceLock<[Mutex<Player>; 2]> = OnceLock::new();
    let open = |session: &Session| Mutex::new(Player::open(&session.path).expect("whole"));
    let players = PLAYERS.get_or_init(|| sessions().each_ref().map(open));
    players[session].lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

proptest! {
    // A session on threads is never the same twice, so there is nothing to keep of a failure.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn seeking_to_a_moment_shows_what_playing_there_from_the_start_shows(
        session in 0..2_usize,
        part in 0.0..1.02_f64,
        by_time in any::<bool>(),
        later in 0..3_000_u64,
    ) {
        let events = &sessions()[session].events;
        let last = events.last().expect("many").at;
        let at = Instant((last.0 as f64 * part) as u64);
        let n = if by_time { events.partition_point(|event| event.at <= at) } else { (events.len() as f64 * part) as usize };
        let n = n.min(events.len());
        let mut player = seeking(session);
        if by_time { player.show_until(at) } else { player.show(n) }.expect("unchanged");
        let played: Board = events[..n].iter().collect();
        prop_assert_eq!(player.shown(), n);
        let now = played.now().max(if by_time { at } else { played.now() }) + Span::millis(later);
        prop_assert_eq!(see(player.board(), now), see(&played, now));
    }
}
