//! A recording as a terminal session that asciinema and its players play, drawn from the fold.
//!
//! A frame is drawn at most so often in a second of the session, and only what changed since the one before is written;
//! time in which nothing happens has no frames, and its length is left to the player, which the header gives a limit.
//! Marks, actions and anomalies become markers, each right behind the frame that first shows it.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Value, json};

use super::palette::Palette;
use super::{Trouble, is_told, title};
use crate::board::{Anomaly, AnomalyKind};
use crate::event::What;
use crate::recording::{Place, Player};
use crate::text::{clean, count};
use crate::time::{Instant, Span};
use crate::tui::picture::{Format, Picture, replayed};

/// A session lasts no longer than this unless a speed is asked for.
pub const LONGEST: Span = Span::seconds(120);
/// Markers for one frame, beyond which the rest is counted.
const MARKERS: usize = 8;

/// Which form of the format is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Times since the start of the session.
    V2,
    /// Times since the event before.
    V3,
}

/// How a session is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Which form is written.
    pub version: Version,
    /// How frames are drawn.
    pub format: Format,
    /// Lab seconds in a second of the session; `None` for 1, or whatever has it last [`LONGEST`].
    pub speed: Option<f64>,
    /// The most frames in a second of the session.
    pub fps: u32,
    /// What players make of a longer time in which nothing changes.
    pub idle_limit: Span,
}

/// Lab seconds in a second of the session.
pub fn speed(player: &Player, options: &Options) -> f64 {
    options.speed.unwrap_or_else(|| (player.ends().seconds() / LONGEST.as_seconds()).max(1.0))
}

/// Writes the session.
///
/// # Errors
/// When the recording has changed since it was opened, or the session cannot be written.
pub fn write(player: &mut Player, options: &Options, out: &mut dyn Write) -> Result<(), Trouble> {
    let speed = speed(player, options);
    writeln!(out, "{}", header(player, options))?;
    let mut session = Session { out, version: options.version, speed, last: 0 };
    let tick = Span::from_seconds(speed / f64::from(options.fps.max(1))).max(Span(1));
    let idle = Span::from_seconds(options.idle_limit.as_seconds() * speed);
    let (mut at, mut shown, mut drawn) = (Instant::START, 0, None::<Picture>);
    player.show(0)?;
    loop {
        let seq = player.board().seq();
        player.show_until(at)?;
        let picture = replayed(player.board(), at, options.format);
        let change = match &drawn {
            None => format!("\u{1b}[?25l{}", picture.ansi()),
            Some(before) => picture.ansi_after(before),
        };
        session.draw(at, &change)?;
        drawn = Some(picture);
        for label in markers(player, shown, seq) {
            session.tell(at, "m", &label)?;
        }
        shown = player.shown();
        let Some(next) = player.next_at()?.filter(|_| at < player.ends()) else { break };
        let quiet = next.since(player.board().now()) > idle;
        at = if quiet { next } else { (at + tick).min(player.ends()) };
    }
    session.draw(at, &format!("\u{1b}[{};1H\u{1b}[?25h", options.format.height))?;
    Ok(session.out.flush()?)
}

/// The first line.
fn header(player: &Player, options: &Options) -> Value {
    let Format { width, height, theme, .. } = options.format;
    let palette = Palette::of(theme);
    let colours = json!({ "fg": palette.text, "bg": palette.background, "palette": palette.colours.join(":") });
    let mut header = match options.version {
        Version::V2 => json!({ "version": 2, "width": width, "height": height, "theme": colours }),
        Version::V3 => json!({ "version": 3, "term": { "cols": width, "rows": height, "theme": colours } }),
    };
    header["title"] = json!(format!("onceish: {}", title(player)));
    header["idle_time_limit"] = json!(options.idle_limit.as_seconds());
    if player.header().begun > 0 {
        header["timestamp"] = json!(player.header().begun);
    }
    header
}

/// The lines behind the header.
struct Session<'a> {
    out: &'a mut dyn Write,
    version: Version,
    speed: f64,
    /// When the last line was, in thousandths of a second.
    last: u64,
}

impl Session<'_> {
    fn draw(&mut self, at: Instant, change: &str) -> Result<(), Trouble> {
        if change.is_empty() { Ok(()) } else { self.tell(at, "o", change) }
    }

    fn tell(&mut self, at: Instant, code: &str, text: &str) -> Result<(), Trouble> {
        let now = ((at.seconds() / self.speed * 1_000.0).round() as u64).max(self.last);
        let time = match self.version {
            Version::V2 => now,
            Version::V3 => now - self.last,
        };
        self.last = now;
        writeln!(self.out, "[{}.{:03}, \"{code}\", {}]", time / 1_000, time % 1_000, json!(text))?;
        Ok(())
    }
}

/// What was done and what went wrong since the first `shown` events, whose board had the number `seq`.
fn markers(player: &Player, shown: usize, seq: u64) -> Vec<String> {
    let places = player.places();
    let from = places.partition_point(|place| place.events <= shown);
    let to = places.partition_point(|place| place.events <= player.shown());
    let told = || places[from..to].iter().filter(|place| is_told(place));
    let mut labels: Vec<String> = told().take(MARKERS).filter_map(label).collect();
    let more = told().count().saturating_sub(MARKERS);
    if more > 0 {
        labels.push(format!("{} more", count(more as u64)));
    }
    let anomalies = player.board().anomalies().iter().rev().take_while(|anomaly| anomaly.seq >= seq);
    labels.extend(gathered(anomalies));
    labels
}

/// What a place is called; nothing for what is no mark and no action.
pub(super) fn label(place: &Place) -> Option<String> {
    match &place.what {
        What::Marked { text } => Some(clean(text).into_owned()),
        What::Action { text, refused: false, .. } => Some(clean(text).into_owned()),
        What::Action { text, refused: true, .. } => Some(format!("{} (refused)", clean(text))),
        _ => None,
    }
}

/// One label for each kind: `twice: job 43`, `lost: 12 jobs, such as job 7`.
pub(super) fn gathered<'a>(anomalies: impl Iterator<Item = &'a Anomaly>) -> Vec<String> {
    let mut kinds: BTreeMap<&str, (u64, &Anomaly)> = BTreeMap::new();
    for anomaly in anomalies {
        let (times, first) = kinds.entry(anomaly.kind.name()).or_insert((0, anomaly));
        *times += 1;
        *first = if anomaly.seq < first.seq { anomaly } else { *first };
    }
    let label = |(kind, (times, first)): (&str, (u64, &Anomaly))| match (times, first.kind) {
        (1, _) => format!("{kind}: job {}", first.job),
        (times, AnomalyKind::Twice | AnomalyKind::Lost) => {
            format!("{kind}: {} jobs, such as job {}", count(times), first.job)
        }
        (times, _) => format!("{kind}: {} times, first job {}", count(times), first.job),
    };
    kinds.into_iter().map(label).collect()
}
