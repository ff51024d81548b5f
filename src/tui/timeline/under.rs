//! What lies under the cursor, with exact times: the only place where swallowed and folded marks are told one by one.

use super::cells::{self, Frame};
use super::seats::{self, Seat};
use super::{captions, lines};
use crate::board::{Bar, Lane, Mark, MarkKind, Note};
use crate::ids::Worker;
use crate::time::Instant;

/// How many are listed at most.
pub const MOST: usize = 64;

/// One thing under the cursor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Under {
    /// When, exactly.
    pub at: Instant,
    /// On which lane; `None` for what concerns all of them.
    pub worker: Option<Worker>,
    /// What: `A acked, job 43/2`.
    pub text: String,
}

impl Under {
    /// The time in seconds to the millisecond: `43.521`.
    pub fn time(&self) -> String {
        let millis = self.at.0 / 1_000_000;
        format!("{}.{:03}", millis / 1_000, millis % 1_000)
    }
}

/// What lies in `column` of a lane: deliveries that began, every mark of the cell, and marks that were moved here.
pub fn lane(lane: &Lane, worker: Worker, frame: &Frame, column: usize) -> Vec<Under> {
    let window = &frame.window;
    let (start, end) = (window.start_of(column), window.start_of(column + 1));
    let begun = lines::shown(&lane.bars, window).filter(|bar| start <= bar.from && bar.from < end);
    let mut all: Vec<Under> = begun
        .take(MOST)
        .map(|bar| Under {
            at: bar.from,
            worker: Some(worker),
            text: format!("claimed, job {} token {}", delivery(bar), bar.token),
        })
        .collect();
    let (from, to) = seats::between(&lane.marks, start, end);
    let own = lane.marks.range(from..to).filter(|mark| frame.shows(mark.kind)).copied();
    let moved = seats::seats(&lane.marks, window, |kind| frame.shows(kind));
    let moved = moved.iter().filter(|seat| is_moved_to(seat, column, start, end)).map(|seat| seat.mark);
    all.extend(own.chain(moved).take(MOST).map(|mark| tell(lane, worker, &mark)));
    all.sort();
    all.truncate(MOST);
    all
}

fn is_moved_to(seat: &Seat, column: usize, start: Instant, end: Instant) -> bool {
    usize::try_from(seat.place) == Ok(column) && !(start <= seat.mark.at && seat.mark.at < end)
}

/// The captions of `column`, which belong to no lane.
pub fn notes<'a>(notes: impl Iterator<Item = &'a Note>, frame: &Frame, column: usize) -> Vec<Under> {
    let here = notes.filter(|note| frame.window.column(note.at) == Some(column));
    here.take(MOST)
        .map(|note| Under { at: note.at, worker: None, text: captions::fitted(&note.text, usize::MAX) })
        .collect()
}

fn tell(lane: &Lane, worker: Worker, mark: &Mark) -> Under {
    let letter = mark.kind.name();
    let words = words(mark.kind);
    let bar = mark.token.and_then(|token| cells::find(&lane.bars, token));
    let text = match bar {
        Some(bar) => format!("{letter} {words}, job {}", delivery(bar)),
        None => format!("{letter} {words}"),
    };
    Under { at: mark.at, worker: Some(worker), text }
}

fn delivery(bar: &Bar) -> String {
    let mut text = String::new();
    cells::write_delivery(&mut text, bar.job, bar.attempt);
    text
}

/// What a mark says.
pub fn words(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Acked => "acked",
        MarkKind::Effect => "effect",
        MarkKind::EffectAgain => "effect AGAIN",
        MarkKind::Recognised => "recognised as a duplicate",
        MarkKind::Key => "key written",
        MarkKind::Failed => "failed",
        MarkKind::Stale => "refused: the lease is over",
        MarkKind::Fenced => "refused by the fence",
        MarkKind::Unheard => "sent, not heard",
        MarkKind::Lost => "LOST",
        MarkKind::Renewed => "renewed",
        MarkKind::Expired => "lease ran out",
        MarkKind::Kill => "killed",
        MarkKind::Died => "died",
        MarkKind::Stall => "heartbeats stalled",
        MarkKind::Pause => "put to sleep",
        MarkKind::CutQueue => "cut from the queue",
        MarkKind::CutSink => "cut from the sink",
        MarkKind::Hang => "made to hang",
        MarkKind::Slow => "slowed down",
        MarkKind::Restart => "back again",
        MarkKind::Heal => "healed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::timeline::fixture::{Writer, at, marks, window};

    fn listed(lane: &Lane, column: usize, truth: bool) -> Vec<String> {
        let frame = Frame { window: window(0.0, 12, 2.6), switches: &[], truth, selected: None };
        super::lane(lane, Worker(4), &frame, column)
            .iter()
            .map(|under| format!("{} {}", under.time(), under.text))
            .collect()
    }

    #[test]
    fn swallowed_marks_and_the_next_claim_are_told_with_exact_times() {
        let lane = Writer::default()
            .claim(0.1, 43, 2)
            .mark(1.001, MarkKind::EffectAgain)
            .mark(1.002, MarkKind::Key)
            .ack(1.013)
            .claim(1.1, 50, 1)
            .lane();
        let all = [
            "1.001 # effect AGAIN, job 43/2",
            "1.002 K key written, job 43/2",
            "1.013 A acked, job 43/2",
            "1.100 claimed, job 50 token 14",
        ];
        assert_eq!(listed(&lane, 4, true), all);
        assert_eq!(listed(&lane, 4, false), all[1..]);
        assert!(listed(&lane, 3, true).is_empty());
    }

    #[test]
    fn a_sign_for_folded_marks_tells_all_of_them() {
        use MarkKind::{Kill, Unheard};
        let crowd = [(0.1, Kill), (0.11, Unheard), (0.12, Unheard), (0.13, Unheard), (0.14, Unheard)];
        let lane = Lane { marks: marks(&crowd), ..Lane::default() };
        assert_eq!(listed(&lane, 3, true), ["0.130 ? sent, not heard", "0.140 ? sent, not heard"]);
        assert_eq!(listed(&lane, 1, true), ["0.110 ? sent, not heard"]);
        assert_eq!(listed(&lane, 0, true).len(), 5);
    }

    #[test]
    fn a_busy_cell_is_listed_up_to_a_bound() {
        let crowd: Vec<(f64, MarkKind)> = (0..500).map(|n| (0.1 + f64::from(n) / 1e5, MarkKind::Unheard)).collect();
        let lane = Lane { marks: marks(&crowd), ..Writer::default().claim(0.2, 1, 1).lane() };
        assert_eq!(listed(&lane, 0, true).len(), MOST);
    }

    #[test]
    fn captions_of_the_cell_belong_to_no_lane() {
        let written = [Note { at: at(1.0), text: "fence \u{7}on".to_owned(), switch: true }];
        let frame = Frame { window: window(0.0, 12, 2.6), switches: &[], truth: true, selected: None };
        let found = notes(written.iter(), &frame, 4);
        assert_eq!(found, [Under { at: at(1.0), worker: None, text: "fence on".to_owned() }]);
        assert!(notes(written.iter(), &frame, 5).is_empty());
    }
}
