//! Recordings: what was written is read again, whole or cut off anywhere, and any moment of it can be shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceish::action;
use onceish::board::Board;
use onceish::digest::{Digest, first_difference};
use onceish::driver::plan::{Planned, When};
use onceish::driver::simulation;
use onceish::event::{By, Event};
use onceish::recording::{Closing, Entry, Header, Player, Reader, Writer};
use onceish::setup::{Driver, Setup};
use onceish::sink::{Target, open};
use onceish::time::{Instant, Span};
use proptest::prelude::*;

/// A run with kills, stalls, a partition and a switch of policy.
fn setup(jobs: u32) -> Setup {
    let mut setup = Setup::sandbox(11);
    setup.driver = Driver::Simulation;
    setup.workload.jobs = Some(jobs);
    setup.crash.push("5%@effect".parse().expect("a strike"));
    setup
}

fn events(jobs: u32) -> Vec<Event> {
    let setup = setup(jobs);
    let store = open(Target::Memory, setup.synchronous).expect("memory");
    let told = [(5, "kill w1"), (9, "stall w2 for 6s"), (15, "dedup effect-then-key"), (20, "cut w3 queue for 8s")];
    let planned = |(second, text)| Planned {
        when: When::At(Instant::START + Span::seconds(second)),
        action: action::parse(text).expect("an action"),
        by: By::Operator,
    };
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let consumer = move |batch: &[Event]| seen.lock().expect("alone").extend_from_slice(batch);
    let (run, plan) = (store.run(), told.map(planned).to_vec());
    let handle =
        simulation::start(setup, run, Arc::new(store), plan.into(), vec![Box::new(consumer)]).expect("it starts");
    handle.wait_for(Duration::from_secs(60)).expect("it ends");
    let told = events.lock().expect("the run is over");
    told.clone()
}

fn fold(events: &[Event]) -> Board {
    let mut board = Board::new();
    events.iter().for_each(|event| board.fold(event));
    board
}

fn closing(events: &[Event]) -> Closing {
    let mut digest = Digest::default();
    digest.take(events);
    Closing::of(&fold(events), &digest)
}

struct Shelf {
    folder: tempfile::TempDir,
}

impl Shelf {
    fn new() -> Shelf {
        Shelf { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run.jsonl")
    }

    /// The recording of these events, closed.
    fn record(&self, jobs: u32, events: &[Event]) -> PathBuf {
        let writer = Writer::create(&self.path(), &Header::of(&setup(jobs), None, 0)).expect("a new file");
        events.chunks(37).for_each(|batch| writer.take(batch));
        writer.close(&fold(events)).expect("written");
        self.path()
    }
}

fn read(path: &Path) -> (Vec<Event>, Option<Closing>, bool) {
    let file = std::io::BufReader::new(fs::File::open(path).expect("a file"));
    let mut reader = Reader::new(file).expect("a header");
    let (mut events, mut end) = (Vec::new(), None);
    while let Some(entry) = reader.entry().expect("whole") {
        match entry {
            Entry::Event(event) => events.push(event),
            Entry::Closed(closing) => end = Some(*closing),
        }
    }
    (events, end, reader.torn())
}

fn all(board: &Board) -> String {
    format!("{board:?}")
}

#[test]
fn what_was_recorded_is_read_again_with_the_end_that_it_came_to() {
    let (shelf, events) = (Shelf::new(), events(60));
    let path = shelf.record(60, &events);
    let (again, end, torn) = read(&path);
    assert_eq!(first_difference(&events, &again), None);
    assert_eq!((end, torn), (Some(closing(&events)), false));
    let player = Player::open(&path).expect("whole");
    assert_eq!((player.len(), player.ends()), (events.len(), events.last().expect("many").at));
    assert_eq!(player.contradiction(), None);
    assert_eq!(all(player.last()), all(&fold(&events)));
}

#[test]
fn the_digest_of_a_recording_is_that_of_its_event_lines() {
    use sha2::Digest as _;
    let (shelf, events) = (Shelf::new(), events(20));
    let text = fs::read_to_string(shelf.record(20, &events)).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let body: String = lines[1..lines.len() - 1].iter().map(|line| format!("{line}\n")).collect();
    let hash: String = sha2::Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(closing(&events).digest, hash);
}

#[test]
fn a_recording_that_was_cut_off_anywhere_is_read_up_to_its_last_whole_line() {
    let (shelf, events) = (Shelf::new(), events(12));
    let whole = fs::read(shelf.record(12, &events)).expect("bytes");
    let header = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let cut = shelf.folder.path().join("cut.jsonl");
    for length in 0..whole.len() {
        fs::write(&cut, &whole[..length]).expect("written");
        let opened = Player::open(&cut);
        if length < header {
            let damage = opened.err().expect("nothing to show");
            assert_eq!(damage.line, Some(1), "{damage}");
            continue;
        }
        let player = opened.unwrap_or_else(|damage| panic!("cut at byte {length}: {damage}"));
        let lines = whole[header..length].iter().filter(|byte| **byte == b'\n').count();
        let unended = whole[..length].ends_with(b"}") && whole.get(length) == Some(&b'\n');
        let kept = (lines + usize::from(unended)).min(events.len());
        assert_eq!(player.len(), kept, "cut at byte {length}");
        let closed = lines + usize::from(unended) > events.len();
        assert_eq!((player.torn(), player.closing().is_some()), (!closed, closed), "cut at byte {length}");
    }
}

#[test]
fn damage_in_the_middle_is_told_with_its_line() {
    let (shelf, events) = (Shelf::new(), events(12));
    let text = fs::read_to_string(shelf.record(12, &events)).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let with = |n: usize, line: &str| {
        let mut damaged: Vec<&str> = lines.clone();
        damaged[n - 1] = line;
        fs::write(shelf.path(), damaged.join("\n") + "\n").expect("written");
        Player::open(&shelf.path()).err().expect("damaged").to_string()
    };
    assert!(with(1, "{}").starts_with("1: not a recording"), "{}", with(1, "{}"));
    assert!(with(1, r#"{"recording":7}"#).contains("format 7"));
    assert!(with(2, lines[2]).starts_with("2: the run does not start with its first event"));
    assert!(with(20, "nonsense").starts_with("20: not an event"));
    assert!(with(20, r#"{"at":0,"e":"exploded"}"#).contains("exploded"));
    assert!(with(30, lines[1]).starts_with("30: the run starts a second time"));
    assert!(with(40, r#"{"at":0,"e":"stopped"}"#).starts_with("40: time goes back"));
    assert!(with(lines.len() - 1, lines[lines.len() - 1]).contains("something follows"));
    let long = format!(r#"{{"at":0,"e":"marked","text":"{}"}}"#, "x".repeat(70_000));
    assert!(with(20, &long).starts_with("20: a line of more than 64 KiB"));
    let escapes = with(20, "{\"at\":0,\"e\":\"\u{1b}]0;x\u{7}\"}");
    assert!(!escapes.contains('\u{1b}'), "{escapes:?}");
}

#[test]
fn an_end_that_the_events_do_not_bear_out_is_a_contradiction() {
    let (shelf, events) = (Shelf::new(), events(30));
    let text = fs::read_to_string(shelf.record(30, &events)).expect("text");
    let acked = fold(&events).counters().acked;
    let lie = text.replace(&format!("\"acked\":{acked}"), &format!("\"acked\":{}", acked + 1));
    fs::write(shelf.path(), lie).expect("written");
    let words = Player::open(&shelf.path()).expect("whole").contradiction().expect("a lie");
    assert_eq!(words, format!("its events come to acked {acked}, and it says {}", acked + 1));
}

#[test]
fn a_run_that_was_taken_back_leaves_the_recording_of_what_was_gone_on_from() {
    let events = events(40);
    for kept in [5, 255, 256, 257, 300] {
        let shelf = Shelf::new();
        let writer = Writer::create(&shelf.path(), &Header::of(&setup(40), None, 0)).expect("a new file");
        writer.take(&events[..400]);
        writer.cut(kept as u64);
        writer.take(&events[kept..]);
        writer.close(&fold(&events)).expect("written");
        let (again, end, _) = read(&shelf.path());
        assert_eq!(first_difference(&events, &again), None, "cut behind {kept}");
        assert!(end.is_some());
    }
}

#[test]
fn an_existing_file_is_never_written_over() {
    let shelf = Shelf::new();
    fs::write(shelf.path(), "precious").expect("written");
    assert!(Writer::create(&shelf.path(), &Header::of(&setup(1), None, 0)).is_err());
    assert_eq!(fs::read_to_string(shelf.path()).expect("text"), "precious");
}

#[test]
fn seeking_anywhere_shows_what_playing_there_shows() {
    let (shelf, events) = (Shelf::new(), events(600));
    let path = shelf.record(600, &events);
    assert!(events.len() > 5_000, "longer than a few snapshots: {}", events.len());
    let mut player = Player::open(&path).expect("whole");
    let last = events.last().expect("many").at.0;
    for n in 0..30_u64 {
        let at = Instant((n * 7_919 + n * n * 104_729) * 1_000_003 % (last + 1));
        player.show_until(at).expect("unchanged");
        let played = events.partition_point(|event| event.at <= at);
        assert_eq!(player.shown(), played, "at {at:?}");
        assert_eq!(all(player.board()), all(&fold(&events[..played])), "at {at:?}");
        let astray = (n as usize * 31_337 + 11) % (events.len() + 1);
        player.show(astray).expect("unchanged");
        assert_eq!(all(player.board()), all(&fold(&events[..astray])), "after {astray} events");
        let next = player.next_at().expect("unchanged");
        assert_eq!(next, events.get(astray).map(|event| event.at));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_damage_brings_the_player_down(at in 0.0..1.0_f64, byte in any::<u8>(), from in 0.0..1.0_f64, len in 0..40_usize) {
        static RECORDED: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let recorded = RECORDED.get_or_init(|| {
            let shelf = Shelf::new();
            fs::read(shelf.record(12, &events(12))).expect("bytes")
        });
        let mut damaged = recorded.clone();
        let place = |part: f64| (part * recorded.len() as f64) as usize;
        damaged[place(at)] = byte;
        let from = place(from);
        damaged.drain(from..(from + len).min(recorded.len()));
        let shelf = Shelf::new();
        fs::write(shelf.path(), damaged).expect("written");
        if let Ok(mut player) = Player::open(&shelf.path()) {
            let half = player.len() / 2;
            player.show(half).expect("unchanged");
            let _looked_at = (player.board().counters(), player.contradiction());
        }
    }
}
