//! One lane as a row of cells.
//!
//! A cell has one winner: anomalies, what the operator did, outcomes, labels, renewals, lines. The line of now and those
//! of policy switches run through all lanes and yield to marks and labels. Nothing here knows a colour or a buffer.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::lines::{self, Line};
use super::seats::{self, Seat};
use super::sparkline;
use super::window::Window;
use crate::board::{Bar, Lane, Mark, MarkKind};
use crate::ids::{Job, Token};
use crate::tui::glyphs::Glyphs;
use crate::tui::theme::Role;

/// What stands in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyph {
    /// Nothing.
    #[default]
    Blank,
    /// What held over time.
    Line(Line),
    /// A renewal.
    Renewal,
    /// The end of a lease: it ran out or, right of now, its deadline.
    Expiry,
    /// The line of now.
    Now,
    /// The line of a policy switch.
    Switch,
    /// A mark, a sign for folded marks, or a piece of a label.
    Letter(char),
    /// A level of a sparkline, 0 to 3.
    Spark(u8),
}

impl Glyph {
    /// The character for this in one set of line marks.
    pub fn symbol(self, glyphs: &Glyphs) -> char {
        match self {
            Glyph::Blank => ' ',
            Glyph::Line(Line::Work) => glyphs.work,
            Glyph::Line(Line::Rest) => glyphs.rest,
            Glyph::Line(Line::Zombie | Line::Unprotected) => glyphs.zombie,
            Glyph::Renewal => glyphs.renewal,
            Glyph::Expiry => glyphs.expiry,
            Glyph::Now => glyphs.now,
            Glyph::Switch => glyphs.switch,
            Glyph::Letter(letter) => letter,
            Glyph::Spark(level) => glyphs.spark[usize::from(level.min(3))],
        }
    }
}

/// How heavy a cell is, beside its role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// As its role says.
    #[default]
    Plain,
    /// It belongs to the selected job.
    Bold,
    /// It belongs to another job while one is selected.
    Dim,
}

/// One cell of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What stands in it.
    pub glyph: Glyph,
    /// What it is, as far as its style goes.
    pub role: Role,
    /// How heavy it is.
    pub weight: Weight,
}

/// What a lane is drawn with, the same for all lanes.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The stretch of time.
    pub window: Window,
    /// The columns of policy switches.
    pub switches: &'a [usize],
    /// False while the ledger is hidden.
    pub truth: bool,
    /// The job that stands out.
    pub selected: Option<Job>,
}

impl Frame<'_> {
    /// True for the kinds of mark that may be told: a hidden ledger hides what only it knows.
    pub fn shows(&self, kind: MarkKind) -> bool {
        self.truth || !matches!(kind, MarkKind::EffectAgain | MarkKind::Lost | MarkKind::Recognised)
    }
}

/// Draws a lane. The row has as many cells as the window has columns.
pub fn row(lane: &Lane, frame: &Frame) -> Vec<Cell> {
    let mut canvas = Canvas::new(frame);
    if let Some(counts) = sparkline::counts(&lane.bars, &frame.window) {
        canvas.sparkline(&counts);
        canvas.verticals();
        canvas.marks(lane, |kind| frame.shows(kind) && sparkline::shows(kind));
        canvas.deadlines(&lane.bars);
    } else {
        canvas.lines(&lane.bars);
        canvas.renewals(lane);
        canvas.verticals();
        canvas.marks(lane, |kind| frame.shows(kind));
        canvas.deadlines(&lane.bars);
        canvas.labels(&lane.bars);
    }
    canvas.finish()
}

/// The empty row between two lanes: only what runs through all of them.
pub fn gap(frame: &Frame) -> Vec<Cell> {
    let mut canvas = Canvas::new(frame);
    canvas.verticals();
    canvas.finish()
}

/// What a cell is taken by; the greater wins, and labels ask what is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    #[default]
    Line,
    Renewal,
    Vertical,
    Label,
    Mark,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    glyph: Glyph,
    role: Role,
    layer: Layer,
    job: Option<Job>,
}

struct Canvas<'a> {
    slots: Vec<Slot>,
    frame: &'a Frame<'a>,
}

impl<'a> Canvas<'a> {
    fn new(frame: &'a Frame<'a>) -> Canvas<'a> {
        let blank = Slot { glyph: Glyph::Blank, role: Role::Text, layer: Layer::Line, job: None };
        Canvas { slots: vec![blank; frame.window.columns], frame }
    }

    fn put(&mut self, column: usize, glyph: Glyph, role: Role, layer: Layer, job: Option<Job>) {
        if let Some(slot) = self.slots.get_mut(column) {
            *slot = Slot { glyph, role, layer, job };
        }
    }

    /// Later deliveries cover earlier ones: a new delivery hides the lease that a dead one left behind.
    fn lines(&mut self, bars: &VecDeque<Bar>) {
        let window = self.frame.window;
        for bar in lines::shown(bars, &window) {
            lines::each_cell(bar, &window, |column, line| {
                let role = match line {
                    Line::Work => Role::Text,
                    Line::Rest => Role::Dim,
                    Line::Zombie => Role::Bad,
                    Line::Unprotected => Role::Look,
                };
                self.put(column, Glyph::Line(line), role, Layer::Line, Some(bar.job));
            });
        }
    }

    fn sparkline(&mut self, counts: &[u32]) {
        for (column, level) in sparkline::levels(counts) {
            self.put(column, Glyph::Spark(level), Role::Text, Layer::Line, None);
        }
    }

    fn renewals(&mut self, lane: &Lane) {
        let window = self.frame.window;
        let (from, to) = seats::between(&lane.marks, window.start, window.end());
        for mark in lane.marks.range(from..to).filter(|mark| mark.kind == MarkKind::Renewed) {
            if let Some(column) = window.column(mark.at) {
                let job = self.job_of(&lane.bars, mark.token);
                self.put(column, Glyph::Renewal, Role::Text, Layer::Renewal, job);
            }
        }
    }

    /// Now is drawn over a switch of this moment; the switch shows as soon as now has moved on.
    fn verticals(&mut self) {
        for column in self.frame.switches {
            self.put(*column, Glyph::Switch, Role::Accent, Layer::Vertical, None);
        }
        if let Some(column) = self.frame.window.column(self.frame.window.now) {
            self.put(column, Glyph::Now, Role::Accent, Layer::Vertical, None);
        }
    }

    fn marks(&mut self, lane: &Lane, shows: impl Fn(MarkKind) -> bool) {
        let seats = seats::seats(&lane.marks, &self.frame.window, shows);
        for (index, seat) in seats.iter().enumerate() {
            let Some(column) = self.frame.window.visible(seat.place) else { continue };
            let joins = seat.folded && index > 0 && seats[index - 1].folded && seats[index - 1].place == seat.place;
            let stronger = joins && seats::rank(seats[index - 1].mark.kind) <= seats::rank(seat.mark.kind);
            if !stronger {
                self.mark(column, seat, self.job_of(&lane.bars, seat.mark.token));
            }
        }
    }

    fn mark(&mut self, column: usize, seat: &Seat, job: Option<Job>) {
        let glyph = match seat.mark.kind {
            _ if seat.folded => Glyph::Letter('+'),
            MarkKind::Expired => Glyph::Expiry,
            kind => Glyph::Letter(letter(kind)),
        };
        self.put(column, glyph, mark_role(&seat.mark), Layer::Mark, job);
    }

    /// A deadline stands right of now, however near, as long as its lease is live.
    fn deadlines(&mut self, bars: &VecDeque<Bar>) {
        let window = self.frame.window;
        for bar in lines::shown(bars, &window).filter(|bar| bar.lease_until.is_none()) {
            let place = window.place(bar.deadline).max(window.place(window.now).saturating_add(1));
            let Some(column) = window.visible(place) else { continue };
            let free = (column..self.slots.len()).find(|c| self.slots[*c].layer < Layer::Mark);
            if let Some(column) = free.filter(|_| self.slots[column].glyph != Glyph::Expiry) {
                self.put(column, Glyph::Expiry, Role::Look, Layer::Mark, Some(bar.job));
            }
        }
    }

    /// A label never covers the first cell of the next delivery.
    fn labels(&mut self, bars: &VecDeque<Bar>) {
        let window = &self.frame.window;
        let mut text = String::new();
        let mut shown = lines::shown(bars, window).peekable();
        while let Some(bar) = shown.next() {
            let until = shown.peek().map_or(i64::MAX, |next| window.place(next.from));
            if until < 0 {
                continue;
            }
            write_delivery(&mut text, bar.job, bar.attempt);
            let Some(column) = self.room_for_label(bar, text.len()) else { continue };
            if (column + text.len()) as i64 > until {
                continue;
            }
            for (offset, letter) in text.chars().enumerate() {
                self.put(column + offset, Glyph::Letter(letter), Role::Text, Layer::Label, Some(bar.job));
            }
        }
    }

    /// Where the label of `bar` fits: at its first cell, or right behind the marks that stand there, as long as that is
    /// still in the bar; with no mark in the way and no other label touching it.
    fn room_for_label(&self, bar: &Bar, length: usize) -> Option<usize> {
        let window = &self.frame.window;
        let first = window.column(bar.from).or_else(|| self.fills(bar).then_some(0))?;
        let last = lines::end(bar).and_then(|end| window.column(end)).unwrap_or(usize::MAX);
        let is_free = |column: usize| self.slots.get(column).is_some_and(|slot| slot.layer < Layer::Label);
        let column = (first..=last.min(first + LABEL_REACH)).find(|column| is_free(*column))?;
        let touches = column > 0 && self.slots[column - 1].layer == Layer::Label;
        (!touches && (column..column + length).all(is_free)).then_some(column)
    }

    /// True if `bar` began before the window and holds through all of it: without a label at the left edge nothing would
    /// tell whose it is.
    fn fills(&self, bar: &Bar) -> bool {
        let window = &self.frame.window;
        bar.from < window.start && lines::end(bar).is_none_or(|end| end >= window.end().min(window.now))
    }

    /// The job of the delivery with `token`; looked up only where a selection asks for it.
    fn job_of(&self, bars: &VecDeque<Bar>, token: Option<Token>) -> Option<Job> {
        self.frame.selected?;
        find(bars, token?).map(|bar| bar.job)
    }

    fn finish(self) -> Vec<Cell> {
        let selected = self.frame.selected;
        self.slots
            .iter()
            .map(|slot| Cell { glyph: slot.glyph, role: slot.role, weight: weight(slot, selected) })
            .collect()
    }
}

/// How far right of its bar's first cell a label may begin.
const LABEL_REACH: usize = 3;

/// Names a delivery, in place of what `text` held: `43`, or `43/2` after the first.
pub fn write_delivery(text: &mut String, job: Job, attempt: u32) {
    text.clear();
    let written = if attempt > 1 { write!(text, "{job}/{attempt}") } else { write!(text, "{job}") };
    written.expect("writing to a string cannot fail");
}

/// The delivery of this lane with `token`.
pub fn find(bars: &VecDeque<Bar>, token: Token) -> Option<&Bar> {
    bars.get(bars.partition_point(|bar| bar.token < token)).filter(|bar| bar.token == token)
}

/// What is wrong and what the operator did never step back.
fn weight(slot: &Slot, selected: Option<Job>) -> Weight {
    match (selected, slot.job) {
        (Some(selected), Some(job)) if selected == job => Weight::Bold,
        (Some(_), Some(_)) if !matches!(slot.role, Role::Bad | Role::BadMark | Role::Mine | Role::Look) => Weight::Dim,
        _ => Weight::Plain,
    }
}

/// The letter of a mark.
pub fn letter(kind: MarkKind) -> char {
    kind.name().chars().next().unwrap_or('?')
}

/// The role of a mark.
pub fn mark_role(mark: &Mark) -> Role {
    match mark.kind {
        MarkKind::Acked | MarkKind::Recognised => Role::Ok,
        MarkKind::Effect => Role::Strong,
        MarkKind::EffectAgain | MarkKind::Lost => Role::BadMark,
        MarkKind::Key | MarkKind::Renewed => Role::Text,
        kind if kind.is_mine() => Role::Mine,
        _ => Role::Look,
    }
}

#[cfg(test)]
mod tests;
