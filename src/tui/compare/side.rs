//! One side of a comparison: its name, verdict, fates and sums, its program, and its timeline.

use ratatui::layout::Rect;

use super::Sight;
use super::layout::Place;
use crate::board::{Board, Counters, Verdict, WorkerView};
use crate::policy::{AckOrder, Policy, SettingName};
use crate::text::count;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::{short, width};
use crate::tui::theme::Role;
use crate::tui::timeline::{self, Extent};
use crate::tui::view::{program, strip};

/// The letters of the sides.
pub const NAMES: [&str; 2] = ["A", "B"];

/// How the fates are written where there is less and less room.
#[derive(Clone, Copy)]
struct Form {
    gap: &'static str,
    short: bool,
    total: bool,
}

const FORMS: [Form; 6] = [
    Form { gap: "   ", short: false, total: true },
    Form { gap: "  ", short: false, total: true },
    Form { gap: " ", short: false, total: true },
    Form { gap: "  ", short: true, total: true },
    Form { gap: " ", short: true, total: true },
    Form { gap: " ", short: true, total: false },
];

/// One side at one moment.
pub struct Side<'a> {
    /// Its letter.
    pub letter: &'static str,
    /// What it is called: its policy, as far as it takes to tell it from the other.
    pub name: String,
    /// Whether it is looked at.
    pub focused: bool,
    /// Its run.
    pub board: &'a Board,
    counters: Counters,
    verdict: Verdict,
    workers: Vec<WorkerView>,
}

impl<'a> Side<'a> {
    /// The side at `place` of all.
    pub fn new(sight: &Sight<'a>, place: usize) -> Side<'a> {
        let board = sight.sides[place].board;
        let other = sight.sides[1 - place].board;
        Side {
            letter: NAMES[place],
            name: name(board.policy(), other.policy()),
            focused: sight.compare.side == place,
            board,
            counters: board.counters(),
            verdict: board.verdict(),
            workers: board.workers(sight.now),
        }
    }

    /// Draws all of it that has a place.
    pub fn draw(&self, canvas: &mut Canvas<'_>, place: &Place, sight: &Sight<'_>) {
        match place.strip.height {
            1 => self.row(canvas, place.strip),
            3 => self.short_strip(&mut canvas.part(place.strip)),
            _ => self.strip(&mut canvas.part(place.strip)),
        }
        if let Some(at) = place.program {
            self.program(&mut canvas.part(at));
        }
        if let Some(at) = place.lanes {
            self.lanes(&mut canvas.part(at), sight);
        }
    }

    fn rule(&self, canvas: &mut Canvas<'_>) {
        let title = format!("{} {}", self.letter, self.name);
        canvas.rule(0, Rule { title: &title, focused: self.focused, ..Rule::default() });
    }

    fn strip(&self, canvas: &mut Canvas<'_>) {
        self.rule(canvas);
        self.verdict(canvas, 1, 1, "  ");
        self.fates(canvas, 1, 2);
        self.sums(canvas, 3);
    }

    fn short_strip(&self, canvas: &mut Canvas<'_>) {
        self.rule(canvas);
        let x = self.verdict(canvas, 1, 1, " ");
        self.fates(canvas, x + 2, 1);
        self.sums(canvas, 2);
    }

    /// All on one row: the letter, the verdict's word and the fates.
    fn row(&self, canvas: &mut Canvas<'_>, place: Rect) {
        let mut canvas = canvas.part(place);
        let role = if self.focused { Role::Title } else { Role::Text };
        if self.focused {
            let mark = canvas.look.glyphs.select;
            canvas.cell(0, 0, mark, Role::Accent);
        }
        let x = canvas.put(1, 0, self.letter, role);
        let (word, role) = strip::verdict_word(self.verdict.word);
        let x = canvas.put(x + 1, 0, word, role);
        self.fates(&mut canvas, x + 2, 0);
    }

    fn verdict(&self, canvas: &mut Canvas<'_>, x: u16, y: u16, gap: &str) -> u16 {
        let (word, role) = strip::verdict_word(self.verdict.word);
        canvas.pieces(x, y, &[(word, role), (gap, Role::Text), (self.verdict.promise.name(), Role::Text)])
    }

    /// The jobs by fate, in the longest form that fits.
    fn fates(&self, canvas: &mut Canvas<'_>, x: u16, y: u16) {
        let room = usize::from(canvas.width().saturating_sub(x));
        let mut shown = Vec::new();
        for form in FORMS {
            shown = self.written(form);
            if shown.iter().map(|(text, _)| width(text)).sum::<usize>() <= room {
                break;
            }
        }
        let pieces: Vec<(&str, Role)> = shown.iter().map(|(text, role)| (text.as_str(), *role)).collect();
        canvas.pieces(x, y, &pieces);
    }

    fn written(&self, form: Form) -> Vec<(String, Role)> {
        let write = if form.short { short } else { count };
        let figures = strip::figures(&self.counters).into_iter();
        let mut pieces: Vec<(String, Role)> =
            figures.map(|(label, n, role)| (format!("{label} {}{}", write(n), form.gap), role)).collect();
        if form.total {
            pieces.push((format!("= {}", write(self.counters.enqueued)), Role::Text));
        }
        pieces
    }

    fn sums(&self, canvas: &mut Canvas<'_>, y: u16) {
        let c = &self.counters;
        let applied = c.effects - c.extra_effects;
        let plural = |n: u64, one: &str, many: &str| format!("{} {}", short(n), if n == 1 { one } else { many });
        let words = format!(
            "{}, {} = {} + {} extra",
            plural(c.deliveries, "delivery", "deliveries"),
            plural(c.effects, "row", "rows"),
            plural(applied, "job", "jobs"),
            short(c.extra_effects)
        );
        let end = canvas.put(1, y, &words, Role::Text);
        if !self.board.witnesses_agree() {
            canvas.put(end + 2, y, "SQL DIFFERS", Role::Bad);
        }
    }

    fn program(&self, canvas: &mut Canvas<'_>) {
        let y = canvas.height().saturating_sub(2);
        if y > 0 {
            let title = format!("{} worker program", self.letter);
            canvas.rule(0, Rule { title: &title, ..Rule::default() });
        }
        let height = canvas.height() - y;
        let width = canvas.width();
        program::draw_compact(&mut canvas.part(Rect::new(0, y, width, height)), self.board.program(), &self.workers);
    }

    fn lanes(&self, canvas: &mut Canvas<'_>, sight: &Sight<'_>) {
        let app = &sight.compare.desk;
        let visible = sight.places.visible.min(self.workers.len());
        let first = app.first_worker(self.workers.len(), visible);
        let mut right = app.timeline.rule_text(usize::from(canvas.width()));
        let range = timeline::range_text(&self.workers, first, visible);
        let alarm = range.as_ref().is_some_and(|text| text.ends_with('!'));
        if let Some(text) = range {
            right = format!("{right}   {}", text.trim_end_matches(" !"));
        }
        let only = sight.places.split.is_none();
        let title = if only { format!("{} lease timeline", self.letter) } else { "lease timeline".to_owned() };
        canvas.rule(0, Rule { title: &title, right: &right, focused: false, alarm });
        let rows = canvas.height().saturating_sub(1);
        let mut below = canvas.part(Rect::new(0, 1, canvas.width(), rows));
        let (buffer, area) = below.raw();
        let extent = sight.extent;
        timeline::render_within(buffer, area, self.board, &app.timeline, &app.look, first..first + visible, extent);
        let lanes = timeline::layout::Layout::of(usize::from(rows), visible);
        if let Some(row) = app.worker.checked_sub(first).filter(|row| *row < lanes.lanes) {
            let mark = below.look.glyphs.select;
            below.cell(0, lanes.row(row) as u16, mark, Role::Accent);
        }
    }
}

/// How much time both timelines have room for: the same, so that they share one axis.
pub fn extent(sight_sides: &[Place; 2], boards: [&Board; 2], now: crate::time::Instant) -> Extent {
    let workers = boards.map(crate::tui::app::workers_of);
    let widths = sight_sides.iter().filter_map(|side| side.lanes).map(|lanes| lanes.width).min();
    let area = Rect::new(0, 0, widths.unwrap_or(0), 1);
    let extents = [0, 1].map(|i| timeline::extent(area, boards[i], now, workers[i]));
    Extent { lease: extents[0].lease.max(extents[1].lease), ..extents[0] }
}

/// A policy by how it recognises duplicates, and by whatever else differs from the other's.
pub fn name(policy: &Policy, other: &Policy) -> String {
    let mut words = Vec::new();
    if policy.ack == AckOrder::Before {
        words.push("ack first".to_owned());
    } else if other.ack == AckOrder::Before {
        words.push("ack last".to_owned());
    }
    words.push(match policy.dedup.to_string() {
        none if none == "none" => "no dedup".to_owned(),
        way => way,
    });
    let told = [SettingName::Ack, SettingName::Dedup];
    let differs = |name: &&SettingName| !told.contains(name) && policy.value(**name) != other.value(**name);
    words.extend(SettingName::ALL.iter().filter(differs).map(|name| format!("{name} {}", policy.value(*name))));
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Dedup;
    use crate::time::Span;

    #[test]
    fn a_side_is_named_by_what_tells_it_from_the_other() {
        let after = |dedup| Policy { dedup, ..Policy::default() };
        assert_eq!(name(&after(Dedup::EffectThenKey), &after(Dedup::Transactional)), "effect-then-key");
        let first = Policy { ack: AckOrder::Before, ..after(Dedup::None) };
        assert_eq!(name(&first, &after(Dedup::None)), "ack first, no dedup");
        assert_eq!(name(&after(Dedup::None), &first), "ack last, no dedup");
        let short = Policy { lease: Span::seconds(2), ..Policy::default() };
        assert_eq!(name(&short, &Policy::default()), "transactional, lease 2s");
        assert_eq!(name(&Policy::default(), &short), "transactional, lease 30s");
    }
}
