//! What the operator looks at: how long a cell is, which stretch of time shows, and where the cursor stands.
//!
//! Looking back stops following now, never the jobs. Nothing here draws.

use std::collections::VecDeque;

use super::window::Window;
use crate::board::Anomaly;
use crate::time::{Instant, Span};

/// The lengths that a cell may have, in milliseconds: 10 ms to 10 min.
const SIZES: [u64; 21] = [
    10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_000, 2_500, 5_000, 10_000, 20_000, 25_000, 50_000, 60_000, 120_000,
    150_000, 300_000, 600_000,
];

/// How many cells a lease should have at the least, so that its three beats can be told apart.
const CELLS_A_LEASE: u64 = 12;

/// Where the timeline is drawn, as far as moving about in it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Columns of a lane, without its name.
    pub columns: usize,
    /// The moment that is now.
    pub now: Instant,
    /// The lease in force; right of now there is room for one and a second.
    pub lease: Span,
}

/// A moment that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cursor {
    at: Instant,
    /// The event of the log that it stands on, if it was brought to one.
    seq: Option<u64>,
}

/// What the timeline shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineState {
    size: usize,
    /// The end of the view; `None` while it follows now.
    end: Option<Instant>,
    cursor: Option<Cursor>,
}

impl Default for TimelineState {
    /// Following now, at a quarter second a cell.
    fn default() -> TimelineState {
        TimelineState::fitting(Span::seconds(3))
    }
}

impl TimelineState {
    /// Following now, with cells as long as they may be while a lease has a dozen of them.
    pub fn fitting(lease: Span) -> TimelineState {
        let fits = |millis: &u64| Span::millis(*millis).0.saturating_mul(CELLS_A_LEASE) <= lease.0;
        TimelineState { size: SIZES.iter().rposition(fits).unwrap_or(0), end: None, cursor: None }
    }

    /// How long a cell is.
    pub fn cell(&self) -> Span {
        Span::millis(SIZES[self.size])
    }

    /// True while the view moves along with now.
    pub fn is_following(&self) -> bool {
        self.end.is_none()
    }

    /// The moment under the cursor, if there is one.
    pub fn cursor(&self) -> Option<Instant> {
        self.cursor.map(|cursor| cursor.at)
    }

    /// The event under the cursor, if it was brought to one.
    pub fn seq(&self) -> Option<u64> {
        self.cursor.and_then(|cursor| cursor.seq)
    }

    /// A cell spans more time. False if it is the longest already.
    pub fn wider(&mut self) -> bool {
        self.resize(self.size + 1)
    }

    /// A cell spans less time. False if it is the shortest already.
    pub fn finer(&mut self) -> bool {
        self.size.checked_sub(1).is_some_and(|size| self.resize(size))
    }

    /// The cursor keeps its column.
    fn resize(&mut self, size: usize) -> bool {
        let Some(millis) = SIZES.get(size) else { return false };
        if let (Some(end), Some(cursor)) = (self.end, self.cursor) {
            self.end = Some(cursor.at + end.since(cursor.at).scaled(*millis, SIZES[self.size]));
        }
        self.size = size;
        true
    }

    /// Follows now again, without a cursor.
    pub fn follow(&mut self) {
        self.end = None;
        self.cursor = None;
    }

    /// The run was taken back to `now`, where it has `seq` events: a cursor beyond that is gone, an event too.
    pub fn taken_back(&mut self, now: Instant, seq: u64) {
        match &mut self.cursor {
            Some(cursor) if cursor.at <= now => cursor.seq = cursor.seq.filter(|on| *on < seq),
            _ => self.follow(),
        }
    }

    /// Moves the cursor by `cells`, to the left if negative; from now if there is none. The view follows it.
    pub fn step(&mut self, cells: i64, extent: Extent) {
        let window = self.window(extent);
        let from = self.cursor.map_or_else(|| extent.now.min(window.end() - Span(1)), |cursor| cursor.at);
        let aligned = Instant(from.0 - from.0 % self.cell().0);
        let way = Span(self.cell().0.saturating_mul(cells.unsigned_abs()));
        let to = if cells < 0 { aligned - way } else { aligned + way };
        self.cursor = Some(Cursor { at: to.min(extent.now), seq: None });
        self.end = Some(window.end());
    }

    /// Brings the cursor to `at`, in the middle of the view unless it shows already. `seq` names an event there.
    pub fn goto(&mut self, at: Instant, seq: Option<u64>, extent: Extent) {
        let window = self.window(extent);
        let half = Span(window.cell.0.saturating_mul(extent.columns as u64 / 2));
        self.cursor = Some(Cursor { at, seq });
        self.end = Some(if window.column(at).is_some() { window.end() } else { at + half });
    }

    /// Brings the cursor to the next anomaly after it; to the newest if there is no cursor. `None` leaves it.
    pub fn next_anomaly(&mut self, anomalies: &VecDeque<Anomaly>, extent: Extent) -> Option<Anomaly> {
        let here = self.cursor.map(|cursor| (cursor.at, cursor.seq.unwrap_or(0)));
        let found = match here {
            Some(here) => anomalies.iter().find(|anomaly| (anomaly.at, anomaly.seq) > here),
            None => anomalies.back(),
        };
        self.goto_anomaly(found.copied(), extent)
    }

    /// Brings the cursor to the anomaly before it; to the newest if there is no cursor. `None` leaves it.
    pub fn previous_anomaly(&mut self, anomalies: &VecDeque<Anomaly>, extent: Extent) -> Option<Anomaly> {
        let here = self.cursor.map(|cursor| (cursor.at, cursor.seq.unwrap_or(0)));
        let found = match here {
            Some(here) => anomalies.iter().rfind(|anomaly| (anomaly.at, anomaly.seq) < here),
            None => anomalies.back(),
        };
        self.goto_anomaly(found.copied(), extent)
    }

    fn goto_anomaly(&mut self, found: Option<Anomaly>, extent: Extent) -> Option<Anomaly> {
        let anomaly = found?;
        self.goto(anomaly.at, Some(anomaly.seq), extent);
        Some(anomaly)
    }

    /// The place of the anomaly under the cursor, counted from 1, for `anomaly 1 of 3`.
    pub fn anomaly_number(&self, anomalies: &VecDeque<Anomaly>) -> Option<usize> {
        let seq = self.seq()?;
        anomalies.iter().position(|anomaly| anomaly.seq == seq).map(|index| index + 1)
    }

    /// Brings the cursor to the next set mark, or to the previous one if `back`. False if there is none.
    pub fn goto_mark(&mut self, marks: &[(Instant, String)], back: bool, extent: Extent) -> bool {
        let here = self.cursor().unwrap_or(extent.now);
        let found =
            if back { marks.iter().rfind(|(at, _)| *at < here) } else { marks.iter().find(|(at, _)| *at > here) };
        if let Some((at, _)) = found {
            self.goto(*at, None, extent);
        }
        found.is_some()
    }

    /// The stretch of time that shows. Its cells begin at multiples of their length, so that nothing shivers as time
    /// goes on; a run that is younger than the view begins at its left edge.
    pub fn window(&self, extent: Extent) -> Window {
        let cell = self.cell();
        let columns = extent.columns as u64;
        let ahead = (extent.lease + Span::seconds(1)).0.div_ceil(cell.0).min(columns / 4);
        let last = match self.end {
            None => extent.now.0 / cell.0 + ahead,
            Some(end) => end.0.div_ceil(cell.0).saturating_sub(1),
        };
        let first = self.in_sight((last + 1).saturating_sub(columns), columns);
        Window { start: Instant(first.saturating_mul(cell.0)), cell, columns: extent.columns, now: extent.now }
    }

    /// Moves the view as little as makes the cursor show: it was moved, or the panel has become narrower.
    fn in_sight(&self, first: u64, columns: u64) -> u64 {
        let Some(cursor) = self.cursor else { return first };
        let here = cursor.at.0 / self.cell().0;
        first.min(here).max((here + 1).saturating_sub(columns))
    }

    /// What the right end of the panel's rule says, for a panel of `width` columns.
    pub fn rule_text(&self, width: usize) -> String {
        let cell = length(self.cell());
        match (width >= 100, self.is_following()) {
            (true, true) => format!("1 cell = {cell}   following"),
            (true, false) => format!("1 cell = {cell}   G follow"),
            (false, true) => cell,
            (false, false) => format!("{cell}   G follow"),
        }
    }
}

/// A cell's length with a blank before its unit: `250 ms`, `2.5 s`, `10 min`.
fn length(span: Span) -> String {
    let (unit, nanos) = match span.0 {
        0..1_000_000_000 => ("ms", 1_000_000.0),
        1_000_000_000..60_000_000_000 => ("s", 1e9),
        _ => ("min", 6e10),
    };
    format!("{} {unit}", span.0 as f64 / nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::AnomalyKind;
    use crate::ids::{Job, Worker};
    use crate::tui::timeline::fixture::at;

    fn extent(columns: usize, now: f64) -> Extent {
        Extent { columns, now: at(now), lease: Span::seconds(3) }
    }

    fn anomalies(moments: &[(f64, u64)]) -> VecDeque<Anomaly> {
        let anomaly =
            |when, seq| Anomaly { at: at(when), kind: AnomalyKind::Twice, job: Job(43), worker: Worker(4), seq };
        moments.iter().map(|(when, seq)| anomaly(*when, *seq)).collect()
    }

    #[test]
    fn the_view_leaves_room_for_one_lease_and_a_second_right_of_now() {
        let window = TimelineState::default().window(extent(74, 40.3));
        assert_eq!((window.start, window.cell), (at(26.0), Span::millis(250)));
        assert_eq!(window.column(window.now), Some(74 - 1 - 16));
    }

    #[test]
    fn a_narrow_panel_gives_a_quarter_of_itself_to_the_future() {
        let window = TimelineState::default().window(extent(61, 44.3));
        assert_eq!((window.start, window.column(window.now)), (at(33.0), Some(45)));
    }

    #[test]
    fn a_young_run_begins_at_the_left_edge() {
        let window = TimelineState::default().window(extent(74, 1.6));
        assert_eq!((window.start, window.column(window.now)), (at(0.0), Some(6)));
    }

    #[test]
    fn within_a_cell_of_time_nothing_moves() {
        let state = TimelineState::default();
        let starts = [40.26, 40.3, 40.49].map(|now| state.window(extent(74, now)).start);
        assert_eq!(starts, [at(26.0); 3]);
        assert_eq!(state.window(extent(74, 40.5)).start, at(26.25));
    }

    #[test]
    fn cells_go_from_10_ms_to_10_min_and_no_further() {
        let mut state = TimelineState::default();
        while state.finer() {}
        assert_eq!(state.cell(), Span::millis(10));
        let mut sizes = vec![state.cell()];
        while state.wider() {
            sizes.push(state.cell());
        }
        assert_eq!(sizes.last(), Some(&Span::seconds(600)));
        assert!(sizes.is_sorted());
        assert_eq!(state.cell(), Span::seconds(600));
    }

    #[test]
    fn a_cell_is_a_twelfth_of_the_lease_at_the_most() {
        let cell = |lease| TimelineState::fitting(lease).cell();
        assert_eq!(cell(Span::seconds(3)), Span::millis(250));
        assert_eq!(cell(Span::seconds(30)), Span::millis(2_500));
        assert_eq!(cell(Span::millis(1)), Span::millis(10));
        assert_eq!(cell(Span::seconds(86_400)), Span::seconds(600));
    }

    #[test]
    fn looking_left_stops_following_and_scrolls_only_at_the_edge() {
        let mut state = TimelineState::default();
        let extent = extent(74, 40.3);
        state.step(-1, extent);
        assert!(!state.is_following());
        assert_eq!((state.cursor(), state.window(extent).start), (Some(at(40.0)), at(26.0)));
        state.step(-56, extent);
        assert_eq!((state.cursor(), state.window(extent).start), (Some(at(26.0)), at(26.0)));
        state.step(-2, extent);
        assert_eq!((state.cursor(), state.window(extent).start), (Some(at(25.5)), at(25.5)));
        state.step(1, extent);
        assert_eq!((state.cursor(), state.window(extent).start), (Some(at(25.75)), at(25.5)));
    }

    #[test]
    fn the_cursor_stays_between_the_start_and_now() {
        let mut state = TimelineState::default();
        let extent = extent(74, 40.3);
        state.step(-1_000_000, extent);
        assert_eq!((state.cursor(), state.window(extent).start), (Some(at(0.0)), at(0.0)));
        state.step(i64::MAX, extent);
        assert_eq!(state.cursor(), Some(at(40.3)));
        state.step(i64::MIN, extent);
        assert_eq!(state.cursor(), Some(at(0.0)));
    }

    #[test]
    fn a_fixed_view_stands_still_while_time_goes_on_until_it_follows_again() {
        let mut state = TimelineState::default();
        state.step(-1, extent(74, 40.3));
        assert_eq!(state.window(extent(74, 99.0)).start, at(26.0));
        state.follow();
        assert_eq!((state.is_following(), state.cursor()), (true, None));
        assert_eq!(state.window(extent(74, 99.0)).start, at(84.75));
    }

    #[test]
    fn going_to_a_time_in_sight_leaves_the_view_and_otherwise_centres_it() {
        let mut state = TimelineState::default();
        let extent = extent(60, 100.0);
        let before = state.window(extent);
        state.goto(at(95.0), None, extent);
        assert_eq!(state.window(extent).start, before.start);
        state.goto(at(20.0), None, extent);
        assert_eq!(state.window(extent).column(at(20.0)), Some(30));
        assert_eq!(state.cursor(), Some(at(20.0)));
    }

    #[test]
    fn the_cursor_keeps_its_column_when_the_cells_change() {
        let mut state = TimelineState::default();
        let extent = extent(60, 100.0);
        state.goto(at(50.0), None, extent);
        let column = state.window(extent).column(at(50.0));
        state.wider();
        assert_eq!(state.window(extent).column(at(50.0)), column);
        state.finer();
        state.finer();
        assert_eq!(state.window(extent).column(at(50.0)), column);
    }

    #[test]
    fn the_cursor_shows_though_the_panel_became_narrower() {
        let mut state = TimelineState::default();
        state.goto(at(27.0), None, extent(74, 40.3));
        assert_eq!(state.window(extent(74, 40.3)).column(at(27.0)), Some(4));
        assert!(state.window(extent(20, 40.3)).column(at(27.0)).is_some());
        assert!(state.window(extent(1, 40.3)).column(at(27.0)).is_some());
    }

    #[test]
    fn the_first_anomaly_shown_is_the_newest_and_from_there_both_ways() {
        let mut state = TimelineState::default();
        let list = anomalies(&[(5.0, 50), (43.52, 300), (43.52, 301)]);
        let extent = extent(60, 44.3);
        assert_eq!(state.next_anomaly(&list, extent).map(|anomaly| anomaly.seq), Some(301));
        assert_eq!((state.cursor(), state.anomaly_number(&list)), (Some(at(43.52)), Some(3)));
        assert_eq!(state.next_anomaly(&list, extent), None);
        assert_eq!(state.seq(), Some(301), "there is none after it, so it stays");
        assert_eq!(state.previous_anomaly(&list, extent).map(|anomaly| anomaly.seq), Some(300));
        assert_eq!(state.previous_anomaly(&list, extent).map(|anomaly| anomaly.seq), Some(50));
        assert_eq!(state.previous_anomaly(&list, extent), None);
        assert_eq!(state.next_anomaly(&list, extent).map(|anomaly| anomaly.seq), Some(300));
        assert_eq!(state.next_anomaly(&list, extent).map(|anomaly| anomaly.seq), Some(301));
    }

    #[test]
    fn set_marks_are_visited_in_order() {
        let mut state = TimelineState::default();
        let marks = [(at(5.0), "a".to_owned()), (at(9.0), "b".to_owned())];
        let extent = extent(60, 44.3);
        assert!(!state.goto_mark(&marks, false, extent), "now is after the last");
        assert!(state.goto_mark(&marks, true, extent));
        assert_eq!(state.cursor(), Some(at(9.0)));
        assert!(state.goto_mark(&marks, true, extent));
        assert!(!state.goto_mark(&marks, true, extent));
        assert_eq!(state.cursor(), Some(at(5.0)));
    }

    #[test]
    fn the_rule_says_how_long_a_cell_is_and_whether_now_is_followed() {
        let mut state = TimelineState::default();
        assert_eq!(state.rule_text(120), "1 cell = 250 ms   following");
        assert_eq!(state.rule_text(80), "250 ms");
        state.step(-1, extent(60, 44.3));
        assert_eq!(state.rule_text(120), "1 cell = 250 ms   G follow");
        assert_eq!(state.rule_text(67), "250 ms   G follow");
        let texts = [2_500, 5_000, 50_000, 60_000, 150_000, 600_000].map(|millis| length(Span::millis(millis)));
        assert_eq!(texts, ["2.5 s", "5 s", "50 s", "1 min", "2.5 min", "10 min"]);
    }
}
