//! Files that were made to do harm, given to whatever reads recordings: each is refused with its line, or shown as far as
//! it can be; at once, in little memory, and without an escape that would act on the terminal.

#![allow(clippy::disallowed_methods, reason = "how long a file takes is held against a generous limit")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant as Wall};

use onceish::event::{Event, What};
use onceish::ids::{Job, Worker};
use onceish::recording::{Damage, Header, Player};
use onceish::setup::{Driver, Setup};
use onceish::time::{Instant, Span};
use onceish::tui::glyphs::Glyphs;
use onceish::tui::theme::{Look, Theme};
use onceish::tui::{Badge, Showing, paint};
use proptest::prelude::*;
use serde_json::{Value, json};

/// No file of a few MiB takes longer, however busy the machine is.
const AT_ONCE: Duration = Duration::from_secs(30);
/// The longest line, with its line feed.
const LONGEST: usize = 65_536;
/// The longest of the first two lines.
const LONGEST_START: usize = 4 * 1_024 * 1_024;
/// What would set a terminal's title, as bytes of 7 and of 8 bits.
const TITLE: &str = "\u{1b}]0;gotcha\u{7}\u{9b}2J";

fn setup() -> Setup {
    let mut setup = Setup::sandbox(3);
    setup.driver = Driver::Simulation;
    setup.workload.jobs = Some(4);
    setup
}

fn header() -> Value {
    serde_json::to_value(Header::of(&setup(), None, 0)).expect("JSON")
}

fn told(at: u64, what: What) -> String {
    serde_json::to_string(&Event { at: Instant(at), what }).expect("JSON")
}

fn marked(text: &str) -> String {
    told(0, What::Marked { text: text.into() })
}

/// A line of exactly so many bytes with its line feed: a mark.
fn mark_of(bytes: usize) -> String {
    let empty = marked("").len() + 1;
    marked(&"x".repeat(bytes - empty))
}

/// A recording of a run that has begun: a header, the start, and its workers in lines 3 to 6.
fn begun() -> Vec<Vec<u8>> {
    let setup = setup();
    let mut lines = vec![header().to_string()];
    let spawned = |w| What::Spawned { w: Worker(w), generation: 1 };
    let workers = (1..=setup.workers).map(spawned);
    let started = std::iter::once(What::Started { setup: Box::new(setup), run: 1 });
    lines.extend(started.chain(workers).map(|what| told(0, what)));
    lines.into_iter().map(String::into_bytes).collect()
}

/// A file with these lines.
struct Hostile {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Hostile {
    fn of(bytes: &[u8]) -> Hostile {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.jsonl");
        fs::write(&path, bytes).expect("written");
        Hostile { _folder: folder, path }
    }

    fn lines(lines: &[Vec<u8>]) -> Hostile {
        let ended = lines.iter().flat_map(|line| line.iter().copied().chain([b'\n']));
        Hostile::of(&ended.collect::<Vec<u8>>())
    }

    /// A run that has begun, then this line (the 7th), then a mark.
    fn with(line: impl Into<Vec<u8>>) -> Hostile {
        let mut lines = begun();
        lines.extend([line.into(), marked("behind").into_bytes()]);
        Hostile::lines(&lines)
    }

    /// The same run with another first line.
    fn headed(line: impl Into<Vec<u8>>) -> Hostile {
        let mut lines = begun();
        lines[0] = line.into();
        Hostile::lines(&lines)
    }

    /// The same run whose set-up says something else, in the header and at its start.
    fn set_up(change: impl Fn(&mut Value)) -> Hostile {
        let mut lines = begun();
        for line in &mut lines[..2] {
            let mut value: Value = serde_json::from_slice(line).expect("JSON");
            change(&mut value["setup"]);
            *line = value.to_string().into_bytes();
        }
        Hostile::lines(&lines)
    }
}

/// Opens a file and looks at its end and its middle. What it comes to is shown without harm, or it is damaged.
fn look_at(path: &Path) -> Result<Player, Damage> {
    let begun = Wall::now();
    let looked = Player::open(path).and_then(|mut player| {
        for events in [player.len(), player.len() / 2, player.len()] {
            player.show(events)?;
            let board = player.board();
            let showing = Showing { badge: Badge::Replay, stopped: true, speed: board.speed(), recorded: false };
            for later in [0, 1_000] {
                let look = Look::new(Theme::Dark, Glyphs::ASCII);
                let frame = paint(board, player.ends() + Span::millis(later), showing, 120, 36, look);
                let controls = frame.content().iter().any(|cell| cell.symbol().contains(char::is_control));
                assert!(!controls, "a control character on the screen: {frame:?}");
            }
        }
        Ok(player)
    });
    assert!(begun.elapsed() < AT_ONCE, "it took {:?}", begun.elapsed());
    looked
}

/// The file is refused, at this line and for this reason, in words that act on no terminal.
#[track_caller]
fn refused(file: &Hostile, line: u64, why: &str) {
    refused_at(&file.path, line, why);
}

#[track_caller]
fn refused_at(path: &Path, line: u64, why: &str) {
    let damage = look_at(path).err().expect("it is damaged");
    let words = damage.to_string();
    assert_eq!(damage.line, Some(line), "{words}");
    assert!(words.contains(why), "{words}");
    assert!(!words.contains(char::is_control), "{words:?}");
    assert!(words.chars().count() <= 250, "{} characters: {words}", words.chars().count());
}

/// The file is shown, with so many events behind the five that the run begins with.
#[track_caller]
fn shown(file: &Hostile, events: usize) -> Player {
    let player = look_at(&file.path).unwrap_or_else(|damage| panic!("refused: {damage}"));
    assert_eq!(player.len(), 5 + events);
    player
}

#[test]
fn a_recording_that_has_only_begun_is_shown() {
    let player = shown(&Hostile::lines(&begun()), 0);
    assert!(player.torn());
    shown(&Hostile::with(marked("here")), 2);
}

#[test]
fn nul_bytes_are_no_events_and_behind_the_last_line_they_are_what_a_crash_left() {
    refused(&Hostile::with([0; 16]), 7, "not an event");
    refused(&Hostile::with(marked("x").replace('x', "\0")), 7, "not an event");
    refused(&Hostile::of(&[0; 100_000]), 1, "not a recording");
    let mut torn = begun().join(&b'\n');
    torn.push(b'\n');
    torn.extend([0; 4_096]);
    assert!(shown(&Hostile::of(&torn), 0).torn());
    shown(&Hostile::with(r#"{"at":0,"e":"marked","text":"a\u0000b\u001b]0;x\u0007"}"#), 2);
}

#[test]
fn a_line_has_at_most_64_kib_with_its_line_feed() {
    assert_eq!(mark_of(LONGEST).len(), LONGEST - 1);
    shown(&Hostile::with(mark_of(LONGEST)), 2);
    refused(&Hostile::with(mark_of(LONGEST + 1)), 7, "more than 64 KiB");
    refused(&Hostile::with(mark_of(10_000_000)), 7, "more than 64 KiB");
    refused(&Hostile::with(TITLE.repeat(20_000)), 7, "more than 64 KiB");
}

#[test]
fn the_first_two_lines_have_at_most_4_mib_each() {
    let with_lab = |bytes: usize| {
        let mut value = header();
        value["lab"] = "".into();
        let empty = value.to_string().len() + 1;
        value["lab"] = "x".repeat(bytes - empty).into();
        Hostile::headed(value.to_string())
    };
    shown(&with_lab(LONGEST_START), 0);
    refused(&with_lab(LONGEST_START + 1), 1, "more than 4096 KiB");
    refused(&with_lab(5 * 1_024 * 1_024), 1, "more than 4096 KiB");
    let mut second = begun();
    second[1] = mark_of(LONGEST_START + 1).into_bytes();
    refused(&Hostile::lines(&second), 2, "more than 4096 KiB");
    refused(&Hostile::of(&vec![b'x'; 6_000_000]), 1, "more than 4096 KiB");
}

#[test]
fn json_of_any_depth_is_refused_and_overflows_no_stack() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        refused(&Hostile::headed(deep(100_000)), 1, "not a recording");
        refused(&Hostile::headed(format!("{{\"recording\":1,\"setup\":{}}}", deep(100_000))), 1, "");
        refused(&Hostile::with(deep(10_000)), 7, "not an event");
        refused(&Hostile::with(format!(r#"{{"at":0,"e":"marked","text":{}}}"#, deep(5_000))), 7, "not an event");
        refused(
            &Hostile::with(format!(r#"{{"at":0,"e":"marked","text":"","more":{}}}"#, deep(5_000))),
            7,
            "not an event",
        );
        refused(&Hostile::with(format!(r#"{{"closed":{}}}"#, deep(5_000))), 7, "not the end of a recording");
        let mut second = begun();
        second[1] = format!(r#"{{"at":0,"e":"started","run":1,"setup":{}}}"#, deep(100_000)).into_bytes();
        refused(&Hostile::lines(&second), 2, "not an event");
    }
    refused(&Hostile::with("[".repeat(60_000)), 7, "not an event");
    refused(&Hostile::with("[".repeat(100_000)), 7, "more than 64 KiB");
}

#[test]
fn numbers_that_no_run_has_are_refused() {
    for at in ["1e400", "-1e400", "18446744073709551616", "-1", "0.5", "1e3", "NaN", "null", "\"0\""] {
        refused(&Hostile::with(format!(r#"{{"at":{at},"e":"stopped"}}"#)), 7, "not an event");
    }
    for x in ["1e400", "NaN", "Infinity"] {
        refused(&Hostile::with(format!(r#"{{"at":0,"e":"speed","x":{x}}}"#)), 7, "not an event");
    }
    let endless = "9".repeat(60_000);
    refused(&Hostile::with(format!(r#"{{"at":{endless},"e":"stopped"}}"#)), 7, "not an event");
    let header = header().to_string();
    for (there, instead) in [("\"begun\":0", "\"begun\":18446744073709551616"), ("\"speed\":1.0", "\"speed\":1e400")] {
        assert!(header.contains(there), "{header}");
        refused(&Hostile::headed(header.replace(there, instead)), 1, "not a");
    }
    for instead in ["-1", "1e400", "4294967296", "2", "0"] {
        let line = header.replace("\"recording\":1", &format!("\"recording\":{instead}"));
        refused(&Hostile::headed(line), 1, "recording");
    }
}

#[test]
fn numbers_at_the_edge_of_what_can_be_written_do_no_harm() {
    let lines = [
        r#"{"at":18446744073709551615,"e":"stopped"}"#.to_owned(),
        r#"{"at":18446744073709551614,"e":"enqueued","j":0,"key":0,"due":18446744073709551615,"poison":null}"#
            .to_owned(),
        r#"{"at":0,"e":"enqueued","j":4294967295,"key":4294967295,"due":0,"poison":"crash"}"#.to_owned(),
        r#"{"at":0,"e":"jumped","by":18446744073709551615}"#.to_owned(),
        r#"{"at":0,"e":"acked","w":1,"j":4294967295,"k":18446744073709551615}"#.to_owned(),
        r#"{"at":0,"e":"redriven","j":4294967295}"#.to_owned(),
        r#"{"at":0,"e":"overtaken","key":4294967295,"j":4294967295}"#.to_owned(),
        r#"{"at":0,"e":"said","step":4294967295,"text":"","pause":true}"#.to_owned(),
        r#"{"at":0,"e":"spawned","w":1,"generation":4294967295}"#.to_owned(),
        r#"{"at":0,"e":"fault","w":null,"what":"slow","factor":1.7976931348623157e308,"until":18446744073709551615}"#
            .to_owned(),
        r#"{"at":0,"e":"speed","x":1e308}"#.to_owned(),
        r#"{"at":0,"e":"speed","x":-1e308}"#.to_owned(),
        r#"{"at":0,"e":"speed","x":0}"#.to_owned(),
    ];
    let mut several = begun();
    for line in &lines {
        match look_at(&Hostile::with(line.clone()).path) {
            Ok(player) => assert_eq!(player.len(), 7, "{line}"),
            // What happens later than the mark behind it, or is no such event, is told with its line.
            Err(damage) => assert!([Some(7), Some(8)].contains(&damage.line), "{line}: {damage}"),
        }
        if line.contains("\"at\":0") {
            several.push(line.clone().into_bytes());
        }
    }
    several.push(lines[1].clone().into_bytes());
    several.push(lines[0].clone().into_bytes());
    let claim = r#"{"at":18446744073709551615,"e":"claimed","w":1,"j":0,"n":4294967295,"k":18446744073709551615,"deadline":18446744073709551615,"lease":18446744073709551615,"work":18446744073709551615}"#;
    several.push(claim.as_bytes().to_vec());
    look_at(&Hostile::lines(&several).path).unwrap_or_else(|damage| panic!("{damage}"));
}

#[test]
fn a_set_up_of_any_figures_is_shown_or_refused() {
    refused(&Hostile::set_up(|setup| setup["workers"] = json!(65_535)), 1, "a set-up that no run can have");
    refused(&Hostile::set_up(|setup| setup["workers"] = json!(257)), 1, "a set-up that no run can have");
    refused(&Hostile::set_up(|setup| setup["workers"] = json!(0)), 1, "a set-up that no run can have");
    refused(&Hostile::set_up(|setup| setup["workers"] = json!(65_536)), 1, "not a header");
    refused(
        &Hostile::set_up(|setup| setup["workload"]["jobs"] = json!(10_000_001)),
        1,
        "a set-up that no run can have",
    );
    refused(&Hostile::set_up(|setup| setup["workload"]["jobs"] = json!(0)), 1, "a set-up that no run can have");
    for speed in [json!(0), json!(-1), json!(1e308), json!(5e-324)] {
        shown(&Hostile::set_up(|setup| setup["speed"] = speed.clone()), 0);
    }
}

#[test]
fn ten_million_jobs_that_a_header_claims_are_no_memory() {
    let file = Hostile::set_up(|setup| setup["workload"]["jobs"] = json!(10_000_000));
    assert_eq!(shown(&file, 0).header().setup.workload.jobs, Some(10_000_000));
    assert_eq!(said("", &["replay", "--headless"], &file.path).code, 3, "cut off");
}

/// Ten million jobs of 32 bytes each would take 320 MB, and the program gets 150 MB in all.
#[cfg(target_os = "linux")]
#[test]
fn ten_million_jobs_that_a_header_claims_are_read_in_little_memory() {
    let file = Hostile::set_up(|setup| setup["workload"]["jobs"] = json!(10_000_000));
    for command in [&["replay", "--headless"][..], &["replay", "--json"], &["explain", "--all-anomalies"]] {
        let said = said("ulimit -v 150000;", command, &file.path);
        assert!([0, 3].contains(&said.code), "{command:?}: {} {}{}", said.code, said.out, said.err);
    }
}

#[test]
fn an_event_of_a_worker_that_is_not_there_is_refused() {
    for w in [65_535, 257, 5, 0] {
        refused(&Hostile::with(format!(r#"{{"at":0,"e":"spawned","w":{w},"generation":1}}"#)), 7, "no such worker");
    }
    refused(&Hostile::with(r#"{"at":0,"e":"spawned","w":65536,"generation":1}"#), 7, "not an event");
    let fault = r#"{"at":0,"e":"fault","w":65535,"what":"stalled","factor":1.0,"until":null}"#;
    let damage = look_at(&Hostile::with(fault).path).err().expect("it is damaged");
    assert_eq!(damage.line, Some(7), "{damage}");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    refused(&Hostile::with(b"\xff\xfe\x1b]0;x\x07".to_vec()), 7, "not an event");
    refused(
        &Hostile::with(b"{\"at\":0,\"e\":\"marked\",\"text\":\"\xc3\x28\xed\xa0\x80\"}".to_vec()),
        7,
        "not an event",
    );
    refused(&Hostile::headed(b"\xff\xfe{".to_vec()), 1, "not a recording");
    let wide: Vec<u8> = header().to_string().encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused(&Hostile::headed(wide), 1, "not a recording");
}

#[test]
fn escapes_are_in_no_message_and_on_no_screen() {
    for line in [
        TITLE.to_owned(),
        json!({ "at": 0, "e": TITLE }).to_string(),
        format!(r#"{{"at":0,"e":"{TITLE}"}}"#),
        format!(r#"{{"at":0,"e":"{}"}}"#, "\u{202e}\u{9b}\u{85}"),
        json!({ "at": TITLE, "e": "stopped" }).to_string(),
        json!({ "closed": TITLE }).to_string(),
        json!({ "closed": { TITLE: 1 } }).to_string(),
    ] {
        refused(&Hostile::with(line), 7, "not");
    }
    let with = |key: &str, value: Value| {
        let mut header = header();
        header[key] = value;
        Hostile::headed(header.to_string())
    };
    refused(&with(TITLE, json!(1)), 1, "not a header");
    refused(&with("driver", json!(TITLE)), 1, "not a header");
    refused(&with("seed", json!(TITLE)), 1, "not a header");
    shown(&with("program", json!(TITLE)), 0);
    shown(&with("lab", json!(TITLE)), 0);
    shown(&Hostile::with(marked(TITLE)), 2);
    let said_and_done = [
        What::Said { step: 1, text: TITLE.into(), pause: true },
        What::Asked { step: 1, text: TITLE.into() },
        What::Violated { text: TITLE.into() },
        What::Stuck { why: TITLE.into() },
    ];
    said_and_done.into_iter().for_each(|what| drop(shown(&Hostile::with(told(0, what)), 2)));
}

#[test]
fn a_name_without_an_end_is_not_said_again_in_full() {
    let long = "\u{fc}x".repeat(20_000);
    refused(&Hostile::with(json!({ "at": 0, "e": long }).to_string()), 7, "unknown variant");
    refused(&Hostile::with(json!({ "at": long, "e": "stopped" }).to_string()), 7, "not an event");
    refused(&Hostile::with(json!({ "closed": { &long: 1 } }).to_string()), 7, "unknown field");
    let mut longer = header();
    longer[long.repeat(10)] = json!(1);
    refused(&Hostile::headed(longer.to_string()), 1, "unknown field");
}

#[test]
fn a_run_starts_once_and_with_its_start() {
    let mut lines = begun();
    lines.insert(1, marked(TITLE).into_bytes());
    refused(&Hostile::lines(&lines), 2, "does not start with its first event");
    refused(&Hostile::with(begun()[1].clone()), 7, "starts a second time");
    let mut closed = begun();
    closed.insert(1, br#"{"closed":{}}"#.to_vec());
    refused(&Hostile::lines(&closed), 2, "not the end of a recording");
    let twice = begun().remove(0);
    refused(&Hostile::with(twice), 7, "not an event");
}

#[test]
fn a_header_alone_is_a_run_of_which_nothing_is_known() {
    let file = Hostile::lines(&begun()[..1]);
    let player = look_at(&file.path).expect("whole as far as it goes");
    assert_eq!((player.len(), player.torn(), player.contradiction()), (0, true, None));
    let said = said("", &["replay", "--headless"], &file.path);
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
    refused(&Hostile::of(&begun()[0]), 1, "ends within its first line");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_no_recording() {
    refused_at(Path::new("/dev/null"), 1, "the file is empty");
    refused_at(&std::env::temp_dir(), 1, "directory");
    #[cfg(target_os = "linux")]
    refused_at(Path::new("/dev/zero"), 1, "more than 4096 KiB");
}

/// The recording of a run in which much went wrong, without its end.
fn troubled() -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept/troubled.jsonl");
    let text = fs::read_to_string(file).expect("text");
    let told = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut lines: Vec<Value> = told.collect();
    let setup: Setup = serde_json::from_value(lines[0]["setup"].clone()).expect("a set-up");
    lines.insert(0, serde_json::to_value(Header::of(&setup, None, 0)).expect("JSON"));
    lines
}

/// One change of a line that no run would tell.
#[derive(Clone, Debug)]
enum Change {
    /// It is told again elsewhere.
    Again { to: f64 },
    /// It is not told.
    Gone,
    /// It changes places with another.
    Swapped { with: f64 },
    /// Its number of this place says something else.
    Number { which: usize, is: u64 },
}

fn change() -> impl Strategy<Value = (f64, Change)> {
    let number = prop_oneof![0..6_u64, Just(255), Just(65_535), Just(4_294_967_295), Just(u64::MAX), any::<u64>()];
    let change = prop_oneof![
        (0.0..1.0_f64).prop_map(|to| Change::Again { to }),
        Just(Change::Gone),
        (0.0..1.0_f64).prop_map(|with| Change::Swapped { with }),
        (0..6_usize, number).prop_map(|(which, is)| Change::Number { which, is }),
    ];
    (0.0..1.0_f64, change)
}

/// Changes the lines behind the first two, and leaves the others.
fn made_false(mut lines: Vec<Value>, changes: &[(f64, Change)]) -> Vec<Value> {
    for (part, change) in changes {
        let behind = (lines.len() - 2) as f64;
        let place = |part: f64| 2 + (part * behind) as usize;
        let here = place(*part);
        match *change {
            Change::Again { to } => lines.insert(place(to), lines[here].clone()),
            Change::Gone => drop(lines.remove(here)),
            Change::Swapped { with } => lines.swap(here, place(with)),
            Change::Number { which, is } => {
                let fields = lines[here].as_object_mut().expect("an object");
                let numbers = fields.iter_mut().filter(|(name, value)| *name != "at" && value.is_number());
                let mut numbers: Vec<&mut Value> = numbers.map(|(_, value)| value).collect();
                let count = numbers.len().max(1);
                if let Some(number) = numbers.get_mut(which % count) {
                    **number = json!(is);
                }
            }
        }
    }
    in_time(lines)
}

/// Time never goes back, or nothing else would be looked at.
fn in_time(mut lines: Vec<Value>) -> Vec<Value> {
    let mut latest = 0;
    for at in lines.iter_mut().filter_map(|line| line.get_mut("at")) {
        latest = at.as_u64().unwrap_or(latest).max(latest);
        *at = json!(latest);
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_tale_that_no_run_would_tell_is_shown_or_refused(changes in prop::collection::vec(change(), 1..12)) {
        let lines = made_false(troubled(), &changes);
        let file = Hostile::lines(&lines.iter().map(|line| line.to_string().into_bytes()).collect::<Vec<_>>());
        match look_at(&file.path) {
            Ok(player) => {
                let board = player.last();
                (0..board.counters().enqueued.min(100) as u32).for_each(|job| drop(board.story(Job(job))));
                let _told = (board.verdict(), player.contradiction());
            }
            Err(damage) => prop_assert!(damage.line > Some(2) && !damage.to_string().contains(char::is_control), "{damage}"),
        }
    }
}

struct Said {
    code: i32,
    out: String,
    err: String,
}

/// What the program says of the file, started with these words of a shell in front.
fn said(before: &str, command: &[&str], file: &Path) -> Said {
    let folder = tempfile::tempdir().expect("a folder");
    let script = format!("{before} exec \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_onceish")]).args(command).arg(file);
    for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"] {
        shell.env(name, folder.path());
    }
    let begun = Wall::now();
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Output { status, stdout, stderr } = shell.output().expect("the program starts");
    assert!(begun.elapsed() < AT_ONCE, "it took {:?}", begun.elapsed());
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Said { code: status.code().expect("it was not killed"), out: text(stdout), err: text(stderr) }
}

/// Every command that reads recordings.
const READERS: [&[&str]; 7] = [
    &["replay", "--headless"],
    &["replay", "--json"],
    &["replay"],
    &["explain", "--all-anomalies"],
    &["rerun"],
    &["export", "--to", "md", "--out", "-"],
    &["export", "--to", "lab", "--out", "-"],
];

#[test]
fn every_command_refuses_what_is_damaged_with_its_line() {
    let files = [
        (Hostile::with(TITLE), 7),
        (Hostile::with("[".repeat(60_000)), 7),
        (Hostile::with([0; 16]), 7),
        (Hostile::with(r#"{"at":1e400,"e":"stopped"}"#), 7),
        (Hostile::with(mark_of(LONGEST + 1)), 7),
        (Hostile::headed(b"\xff\x1b]0;x\x07".to_vec()), 1),
        (Hostile::of(b""), 1),
    ];
    for (file, line) in &files {
        for command in READERS {
            let said = said("", command, &file.path);
            assert_eq!((said.code, said.out.as_str()), (2, ""), "{command:?}: {}", said.err);
            let place = format!("error: {}:{line}: ", file.path.display());
            assert!(said.err.starts_with(&place), "{command:?}: {}", said.err);
            let words = said.err.trim_end().replace('\n', " ");
            assert!(!words.contains(char::is_control), "{words:?}");
        }
    }
}

#[test]
fn a_lab_file_is_no_recording() {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("labs/05-two-writes.toml");
    refused_at(&lab, 1, "not a recording");
    for command in READERS {
        let said = said("", command, &lab);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{command:?}: {}", said.err);
        assert!(said.err.contains("05-two-writes.toml:1: not a recording"), "{}", said.err);
    }
}
