//! Lanes written by hand for tests, in seconds.

use std::collections::VecDeque;

use super::cells::Cell;
use super::window::Window;
use crate::board::{Bar, Lane, Mark, MarkKind};
use crate::ids::{Job, Token};
use crate::time::{Instant, Span};
use crate::tui::glyphs::Glyphs;

/// The lease of every delivery here, in seconds.
pub const LEASE: f64 = 3.0;

/// The moment `seconds` after the start.
pub fn at(seconds: f64) -> Instant {
    Instant::START + Span::from_seconds(seconds)
}

/// A window of cells of 250 ms.
pub fn window(start: f64, columns: usize, now: f64) -> Window {
    Window { start: at(start), cell: Span::millis(250), columns, now: at(now) }
}

/// The characters of a row.
pub fn text(cells: &[Cell], glyphs: &Glyphs) -> String {
    cells.iter().map(|cell| cell.glyph.symbol(glyphs)).collect()
}

/// Writes a lane in the order in which things happened.
#[derive(Default)]
pub struct Writer {
    lane: Lane,
    /// Deliveries of other lanes have tokens between this lane's.
    next: u64,
}

impl Writer {
    /// The lane.
    pub fn lane(mut self) -> Lane {
        self.lane.marks.make_contiguous().sort_by_key(|mark| mark.at);
        self.lane
    }

    fn bar(&mut self) -> &mut Bar {
        self.lane.bars.back_mut().expect("a delivery was claimed")
    }

    /// A job is handed out.
    pub fn claim(mut self, when: f64, job: u32, attempt: u32) -> Writer {
        self.next += 7;
        self.lane.bars.push_back(Bar {
            token: Token(self.next),
            job: Job(job),
            attempt,
            from: at(when),
            lease_until: None,
            deadline: at(when + LEASE),
            ended: None,
            rests: Vec::new(),
            acked_first: false,
        });
        self
    }

    /// A mark of the latest delivery.
    pub fn mark(mut self, when: f64, kind: MarkKind) -> Writer {
        let token = self.lane.bars.back().map(|bar| bar.token);
        self.lane.marks.push_back(Mark { at: at(when), kind, token });
        self
    }

    /// The lease is renewed, in each of these moments.
    pub fn renew(mut self, moments: &[f64]) -> Writer {
        for when in moments {
            self.bar().deadline = at(when + LEASE);
            self = self.mark(*when, MarkKind::Renewed);
        }
        self
    }

    /// The work ends; what was noted of the lease stays.
    pub fn end(mut self, when: f64) -> Writer {
        self.bar().ended = Some(at(when));
        self
    }

    /// The lease is over.
    pub fn lease_over(mut self, when: f64) -> Writer {
        self.bar().lease_until = Some(at(when));
        self
    }

    /// The lease runs out.
    pub fn expire(self, when: f64) -> Writer {
        self.lease_over(when).mark(when, MarkKind::Expired)
    }

    /// The ack is accepted, 10 ms after the effect.
    pub fn apply(self, when: f64) -> Writer {
        self.mark(when - 0.01, MarkKind::Effect).ack(when)
    }

    /// The ack is accepted.
    pub fn ack(self, when: f64) -> Writer {
        self.mark(when, MarkKind::Acked).lease_over(when).end(when)
    }

    /// The delivery fails.
    pub fn fail(self, when: f64) -> Writer {
        self.mark(when, MarkKind::Failed).lease_over(when).end(when)
    }

    /// The worker dies by hand.
    pub fn kill(self, when: f64) -> Writer {
        self.mark(when, MarkKind::Kill).end(when)
    }

    /// The worker sleeps or hangs from `from` to `to`.
    pub fn rest(mut self, from: f64, to: Option<f64>) -> Writer {
        self.bar().rests.push((at(from), to.map(at)));
        self
    }

    /// The ack was accepted before the work.
    pub fn ack_first(mut self, when: f64) -> Writer {
        self.bar().acked_first = true;
        self.mark(when, MarkKind::Acked).lease_over(when)
    }
}

/// Marks without a delivery at these moments.
pub fn marks(kinds: &[(f64, MarkKind)]) -> VecDeque<Mark> {
    kinds.iter().map(|(when, kind)| Mark { at: at(*when), kind: *kind, token: None }).collect()
}
