//! A cast of a recording shows on a terminal what a replay shows, and is as long as it should be.

mod support;

use std::path::PathBuf;

use onceish::export::cast::{self, LONGEST, Options, Version};
use onceish::recording::Player;
use onceish::time::{Instant, Span};
use onceish::tui::picture::{Colour, Format, Picture, replayed};
use onceish::tui::theme::Theme;
use serde_json::Value;
use support::recorded::two_writes;

struct Recorded {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Recorded {
    fn of(lab: support::Lab) -> Recorded {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.jsonl");
        lab.simulate().record(&path);
        Recorded { path, _folder: folder }
    }

    fn player(&self) -> Player {
        Player::open(&self.path).expect("whole")
    }

    fn cast(&self, options: &Options) -> Vec<Value> {
        let mut out = Vec::new();
        cast::write(&mut self.player(), options, &mut out).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }
}

fn options(version: Version, ascii: bool) -> Options {
    let format = Format { width: 120, height: 36, theme: Theme::Dark, ascii };
    Options { version, format, speed: None, fps: 5, idle_limit: Span::seconds(2) }
}

/// The lines behind the header with their times since the start, in seconds.
fn told(cast: &[Value]) -> Vec<(f64, &str, &str)> {
    let relative = cast[0]["version"] == 3;
    let mut now = 0.0;
    let line = |line: &'_ Value| {
        let time = line[0].as_f64().expect("a time");
        now = if relative { now + time } else { time };
        now
    };
    let times: Vec<f64> = cast[1..].iter().map(line).collect();
    times
        .into_iter()
        .zip(&cast[1..])
        .map(|(at, line)| (at, line[1].as_str().expect("a code"), line[2].as_str().expect("a text")))
        .collect()
}

fn colour(colour: vt100::Color) -> Option<Colour> {
    use Colour::{Black, Blue, Cyan, Green, Magenta, Red, White, Yellow};
    match colour {
        vt100::Color::Default => None,
        vt100::Color::Idx(n) => Some([Black, Red, Green, Yellow, Blue, Magenta, Cyan, White][usize::from(n)]),
        vt100::Color::Rgb(..) => panic!("no theme uses it"),
    }
}

/// Every cell of the terminal's screen with its ink is the picture's.
#[track_caller]
fn shows(terminal: &vt100::Parser, picture: &Picture) {
    let screen = terminal.screen();
    for (y, row) in picture.rows().enumerate() {
        let mut x = 0;
        for piece in row {
            let mut text = String::new();
            for _ in 0..piece.cells {
                let cell = screen.cell(y as u16, x).expect("a cell");
                text.push_str(if cell.has_contents() { cell.contents() } else { " " });
                let seen = (colour(cell.fgcolor()), cell.bold(), cell.dim(), cell.inverse());
                let ink = (piece.ink.colour, piece.ink.bold, piece.ink.dim, piece.ink.reversed);
                assert_eq!(seen, ink, "row {y} column {x}: {:?}", piece.text);
                x += 1;
            }
            assert_eq!(text, piece.text, "row {y} before column {x}");
        }
    }
}

#[test]
fn the_last_screen_of_a_cast_is_the_replay_s() {
    let recorded = Recorded::of(two_writes(60));
    for version in [Version::V2, Version::V3] {
        for ascii in [false, true] {
            let options = options(version, ascii);
            let cast = recorded.cast(&options);
            let mut terminal = vt100::Parser::new(36, 120, 0);
            told(&cast).iter().filter(|line| line.1 == "o").for_each(|line| terminal.process(line.2.as_bytes()));
            let player = recorded.player();
            shows(&terminal, &replayed(player.last(), player.ends(), options.format));
        }
    }
}

#[test]
fn at_every_marker_the_screen_is_the_replay_s_at_that_moment() {
    let recorded = Recorded::of(two_writes(60));
    let options = options(Version::V2, false);
    let cast = recorded.cast(&options);
    let mut terminal = vt100::Parser::new(36, 120, 0);
    let mut player = recorded.player();
    let mut markers = Vec::new();
    for (at, code, text) in told(&cast) {
        if code == "o" {
            terminal.process(text.as_bytes());
        } else {
            let at = Instant((at * 1_000.0).round() as u64 * 1_000_000);
            player.show_until(at).expect("unchanged");
            shows(&terminal, &replayed(player.board(), at, options.format));
            markers.push(text.to_owned());
        }
    }
    // The kill between effect and key doubles the job that w2 had, once its lease of 3 s is over; that it was armed 2 s
    // before the mark puts the mark between.
    assert_eq!(markers[..3], ["kill w4", "kill w2 at effect", "one worker is down, nothing is wrong yet"]);
    assert!(markers[3].starts_with("twice: job "), "{markers:?}");
    assert_eq!(markers.len(), 4, "{markers:?}");
}

#[test]
fn both_versions_tell_the_same_at_the_same_times() {
    let recorded = Recorded::of(two_writes(20));
    let casts = [Version::V2, Version::V3].map(|version| recorded.cast(&options(version, false)));
    let [two, three] = &casts;
    assert_eq!((&two[0]["width"], &two[0]["height"]), (&120.into(), &36.into()));
    assert_eq!((&three[0]["term"]["cols"], &three[0]["term"]["rows"]), (&120.into(), &36.into()));
    for ((at, code, text), (other_at, other_code, other_text)) in told(two).into_iter().zip(told(three)) {
        assert_eq!((code, text), (other_code, other_text));
        assert!((at - other_at).abs() < 1e-6, "{at} {other_at}");
    }
    let last = told(two).last().expect("lines").0;
    assert!((last - recorded.player().ends().seconds()).abs() < 0.001, "a session of this length is at its own speed");
}

#[test]
fn time_in_which_nothing_happens_has_no_frames_and_the_header_limits_it() {
    // One job whose worker dies for good: its lease of 30 s runs out with nobody there, and nothing happens until then.
    let alone = support::lab(1).workers(1).work("1s").crash("ids:0@work").respawn(None).with("renew off");
    let recorded = Recorded::of(alone.change(|setup| setup.idle_jump = onceish::policy::Switch::Off));
    let cast = recorded.cast(&options(Version::V2, false));
    assert_eq!(cast[0]["idle_time_limit"], 2.0);
    let quiet = told(&cast).windows(2).map(|pair| pair[1].0 - pair[0].0).fold(0.0, f64::max);
    assert!((28.9..=29.1).contains(&quiet), "from the death at 1 s to the end of the lease at 30 s: {quiet}");
}

#[test]
fn a_long_recording_makes_a_session_of_two_minutes_and_of_bounded_size() {
    let recorded = Recorded::of(two_writes(2_000));
    let length = recorded.player().ends().seconds();
    assert!(length > 1_600.0, "2,000 jobs at 1.2 a second");
    let mut out = Vec::new();
    let options = Options { fps: 10, ..options(Version::V3, false) };
    cast::write(&mut recorded.player(), &options, &mut out).expect("written");
    let cast: Vec<Value> = String::from_utf8(out.clone())
        .expect("UTF-8")
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    let last = told(&cast).last().expect("lines").0;
    assert!((last - LONGEST.as_seconds()).abs() < 0.01, "{last}");
    assert!(told(&cast).iter().filter(|line| line.1 == "o").count() <= 1_202, "at most 10 frames a second");
    assert!(out.len() < 8_000_000, "{} bytes", out.len());
    println!("{} bytes for {length} s", out.len());
}
