//! The replay bar, in place of the footer: badge, place and speed; the way through the recording with its marks and
//! anomalies; keys. Where a lab was run, what it says stands above them.

use super::about::{About, letter_of, shown_with};
use crate::board::{AnomalyKind, Line, Narrated};
use crate::time::Instant;
use crate::tui::canvas::Canvas;
use crate::tui::fit::width;
use crate::tui::keys::{Command, Context};
use crate::tui::theme::Role;
use crate::tui::view::footer::{GAP, hint_in};
use crate::tui::watch::Moment;

/// The rows of the bar without a narration.
pub const ROWS: u16 = 3;

/// What the bar is drawn from.
pub struct Bar<'a> {
    /// The recording.
    pub about: &'a About,
    /// The moment that is shown.
    pub moment: Moment<'a>,
    /// False while the truth is hidden.
    pub truth: bool,
    /// What came of the last key.
    pub message: Option<&'a str>,
    /// False while something that is open has its own keys in the last row.
    pub keys: bool,
}

impl Bar<'_> {
    /// Draws it over the whole of `canvas`.
    pub fn draw(&self, canvas: &mut Canvas<'_>) {
        let last = canvas.height().saturating_sub(1);
        let above = canvas.height().saturating_sub(ROWS);
        self.blank(canvas, above + 2);
        let told = self.narration().filter(|_| self.about.narrates);
        if let (1.., Some(told)) = (above, &told) {
            canvas.put(1, 0, told, Role::Strong);
        }
        self.place(canvas, above);
        self.way(canvas, above + 1);
        if !self.keys {
            return;
        }
        canvas.part(ratatui::layout::Rect { y: last, height: 1, x: 0, width: canvas.width() }).clear();
        match (self.message, told) {
            (Some(message), _) => _ = canvas.put(1, last, message, Role::Strong),
            (None, Some(told)) if above == 0 => _ = canvas.put(1, last, &told, Role::Strong),
            _ => self.keys(canvas, last),
        }
    }

    fn blank(&self, canvas: &mut Canvas<'_>, rows: u16) {
        for y in 0..rows {
            canvas.fill(0, y, canvas.width(), ' ', Role::Text);
        }
    }

    /// The latest that the lab has said, asked or was answered.
    fn narration(&self) -> Option<String> {
        let said = self.moment.board.narration().iter().rev().find(|said| !said.text.is_empty())?;
        let Narrated { step, text, line, .. } = said;
        let verb = match line {
            Line::Said { .. } => "",
            Line::Asked => "asks: ",
            Line::Answered => "answered: ",
        };
        Some(format!("step {step}   {verb}{text}"))
    }

    /// Anomalies that may be told: what only the ledger knows is hidden with it.
    fn told(&self, kind: AnomalyKind) -> bool {
        self.truth || matches!(kind, AnomalyKind::Stale | AnomalyKind::Fenced)
    }

    /// Badge, place and speed at the left; the nearest mark and anomaly at the right. In the longest form that fits.
    fn place(&self, canvas: &mut Canvas<'_>, y: u16) {
        let About { title, ends, cut_off, .. } = self.about;
        let badge = if *cut_off { format!("REPLAY (cut off at {})", clock(*ends)) } else { "REPLAY".to_owned() };
        let speed = self.moment.showing.speed;
        let at = format!("{} of {}", clock(self.moment.now.min(*ends)), clock(*ends));
        let percent = percent(self.moment.now, *ends);
        let long = format!("{badge}  {title}   x{speed}   {at}   {percent} %");
        let brief = format!("{badge} x{speed}   {at}   {percent} %");
        let (mark, named) = self.mark();
        let anomaly = self.anomaly();
        let next = |words: &str| if words.starts_with("anomaly") { format!("next {words}") } else { words.to_owned() };
        let right = [
            format!("{mark}{named}   {}", next(&anomaly)),
            format!("{mark}   {anomaly}"),
            anomaly.clone(),
            self.next().map(|next| format!("anomaly {}", clock(next))).unwrap_or_default(),
            String::new(),
        ];
        let forms = [(&long, 0), (&long, 1), (&brief, 1), (&brief, 2), (&brief, 3), (&brief, 4)];
        let room = usize::from(canvas.width().saturating_sub(2));
        let fits = |(left, right): (&String, &String)| width(left) + 3 + width(right) <= room;
        let form = forms.iter().map(|(left, at)| (*left, &right[*at])).find(|form| fits(*form));
        let (left, right) = form.unwrap_or((&at, &right[4]));
        canvas.put(1, y, left, Role::Text);
        canvas.put(1, y, &badge, if *cut_off { Role::Look } else { Role::Strong });
        canvas.put_right(canvas.width().saturating_sub(1), y, right, Role::Text);
    }

    /// The nearest mark before what is shown, and its words.
    fn mark(&self) -> (String, String) {
        let stops = &self.about.stops;
        let passed = self.about.stops_until(self.shown());
        match (stops.len(), passed.checked_sub(1).and_then(|last| stops.get(last))) {
            (0, _) => ("no marks".to_owned(), String::new()),
            (all, None) => (format!("mark 0 of {all}"), String::new()),
            (all, Some(stop)) => (format!("mark {passed} of {all}"), format!(": {}", stop.text)),
        }
    }

    /// The next anomaly, or that there is none.
    fn anomaly(&self) -> String {
        let told = self.about.anomalies.iter().filter(|anomaly| self.told(anomaly.kind));
        let (all, passed) = (told.clone().count(), told.filter(|anomaly| shown_with(anomaly) <= self.shown()).count());
        match (all, self.next()) {
            (0, _) if !self.truth => "anomalies ?".to_owned(),
            (0, _) => "no anomaly".to_owned(),
            (all, Some(next)) => format!("anomaly {} of {all} at {}", passed + 1, clock(next)),
            (all, None) => format!("no later anomaly of {all}"),
        }
    }

    /// When the next anomaly is.
    fn next(&self) -> Option<Instant> {
        let later = self.about.anomalies.iter().filter(|anomaly| shown_with(anomaly) > self.shown());
        later.filter(|anomaly| self.told(anomaly.kind)).map(|anomaly| anomaly.at).next()
    }

    fn shown(&self) -> usize {
        usize::try_from(self.moment.board.seq()).unwrap_or(usize::MAX)
    }

    /// The way through the recording: played, here, and marks and anomalies by their letters.
    fn way(&self, canvas: &mut Canvas<'_>, y: u16) {
        let cells = canvas.width().saturating_sub(2);
        let here = column(self.moment.now, self.about.ends, cells);
        let glyphs = canvas.look.glyphs;
        canvas.fill(1, y, here, glyphs.rule_focus, Role::Accent);
        canvas.fill(1 + here, y, cells.saturating_sub(here), glyphs.rule, Role::Dim);
        for stop in &self.about.stops {
            canvas.cell(1 + column(stop.at, self.about.ends, cells), y, stop.letter, Role::Mine);
        }
        for anomaly in self.about.anomalies.iter().filter(|anomaly| self.told(anomaly.kind)) {
            let role = if anomaly.kind == AnomalyKind::Twice || anomaly.kind == AnomalyKind::Lost {
                Role::BadMark
            } else {
                Role::Look
            };
            canvas.cell(1 + column(anomaly.at, self.about.ends, cells), y, letter_of(anomaly.kind), role);
        }
        canvas.cell(1 + here, y, glyphs.select, Role::Accent);
    }

    /// The keys that fit, those that matter least left out first.
    fn keys(&self, canvas: &mut Canvas<'_>, y: u16) {
        let room = usize::from(canvas.width().saturating_sub(2));
        let mut dropped = u8::MAX;
        loop {
            let words = |keys: &[Item]| -> Vec<&'static str> {
                let kept = keys.iter().filter(|(.., rank)| *rank < dropped);
                kept.filter_map(|(context, command, _)| hint_in(*context, *command)).collect()
            };
            let (left, right) = (words(LEFT), words(RIGHT));
            let cells: usize = left.iter().chain(&right).map(|text| width(text) + GAP.len()).sum();
            if cells <= room + GAP.len() || dropped <= 1 {
                let mut left = left.join(GAP);
                if self.moment.showing.stopped {
                    left = left.replacen("space stop", "space go  ", 1);
                }
                canvas.put(1, y, &left, Role::Dim);
                canvas.put_right(canvas.width().saturating_sub(1), y, &right.join(GAP), Role::Dim);
                return;
            }
            dropped =
                LEFT.iter().chain(RIGHT).map(|(.., rank)| *rank).filter(|rank| *rank < dropped).max().unwrap_or(1);
        }
    }
}

/// A key of the bar, and when it is left out: the higher, the earlier.
type Item = (Context, Command, u8);

const LEFT: &[Item] = &[
    (Context::Replay, Command::StopGo, 1),
    (Context::Replay, Command::Step, 2),
    (Context::Replay, Command::NextMark, 3),
    (Context::Replay, Command::NextAnomaly, 2),
    (Context::Replay, Command::Faster, 5),
    (Context::Replay, Command::GoTo, 7),
    (Context::Replay, Command::ToStart, 8),
];
const RIGHT: &[Item] = &[
    (Context::Run, Command::Explain, 4),
    (Context::Replay, Command::NextPanel, 8),
    (Context::Screen, Command::Help, 0),
    (Context::Replay, Command::Quit, 1),
];

/// The commands that the bar names.
pub fn commands() -> Vec<Command> {
    LEFT.iter().chain(RIGHT).map(|(_, command, _)| *command).collect()
}

/// A moment as players write it: `0:40.3`, `2:10.0`, `1:02:10.0`.
pub fn clock(at: Instant) -> String {
    let tenths = at.0 / 100_000_000;
    let (seconds, minutes, hours) = (tenths / 10 % 60, tenths / 600 % 60, tenths / 36_000);
    let tenth = tenths % 10;
    match hours {
        0 => format!("{minutes}:{seconds:02}.{tenth}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}.{tenth}"),
    }
}

fn part(at: Instant, of: Instant) -> f64 {
    if of.0 == 0 { 1.0 } else { (at.0 as f64 / of.0 as f64).clamp(0.0, 1.0) }
}

fn percent(at: Instant, of: Instant) -> u64 {
    (part(at, of) * 100.0) as u64
}

/// The cell of a moment.
fn column(at: Instant, of: Instant, cells: u16) -> u16 {
    ((part(at, of) * f64::from(cells)) as u16).min(cells.saturating_sub(1))
}
