//! The two witnesses side by side: what SQL counted up to a row, and what the board had counted at that row.
//!
//! The board may be ahead of an audit, so the effects since the last one are kept, in runs of neighbouring rows.

use std::collections::VecDeque;

use super::view::AuditView;
use crate::ids::Row;
use crate::request::{FinalCounts, RowCounts};
use crate::time::Instant;

/// Rows without a gap that are all first effects, or all further ones.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stretch {
    first: i64,
    last: i64,
    fresh: bool,
}

/// The comparison of board and SQL.
#[derive(Clone, Debug, Default)]
pub(super) struct Witness {
    /// The board's own count at the last audited row.
    base: RowCounts,
    /// Effects after that row.
    ahead: VecDeque<Stretch>,
    last: Option<(AuditView, Instant)>,
    differed: bool,
}

impl Witness {
    /// The board folded an effect; `fresh` if it is the first of its job.
    pub fn effect(&mut self, row: Row, fresh: bool) {
        match self.ahead.back_mut() {
            Some(stretch) if stretch.fresh == fresh && stretch.last.checked_add(1) == Some(row.0) => {
                stretch.last = row.0;
            }
            _ => self.ahead.push_back(Stretch { first: row.0, last: row.0, fresh }),
        }
    }

    /// The newest effect was taken back, or one that an audit already passed.
    pub fn undo(&mut self, row: Row, fresh: bool) {
        let Some(index) = self.ahead.iter().rposition(|s| s.fresh == fresh && (s.first..=s.last).contains(&row.0))
        else {
            self.base.rows = self.base.rows.saturating_sub(1);
            self.base.jobs = self.base.jobs.saturating_sub(u64::from(fresh));
            return;
        };
        let stretch = self.ahead[index];
        self.ahead.remove(index);
        let after = row.0.checked_add(1).map(|first| Stretch { first, ..stretch });
        let before = row.0.checked_sub(1).map(|last| Stretch { last, ..stretch });
        for part in [after, before].into_iter().flatten().filter(|part| part.first <= part.last) {
            self.ahead.insert(index, part);
        }
    }

    /// SQL counted.
    pub fn audit(&mut self, counts: RowCounts, at: Instant) {
        while let Some(stretch) = self.ahead.front_mut() {
            if stretch.first > counts.row.0 {
                break;
            }
            let last = stretch.last.min(counts.row.0);
            let rows = last.abs_diff(stretch.first) + 1;
            self.base.rows += rows;
            self.base.jobs += if stretch.fresh { rows } else { 0 };
            if last == stretch.last {
                self.ahead.pop_front();
            } else {
                stretch.first = last + 1;
            }
        }
        self.base.row = counts.row;
        let view = AuditView { sql: counts, board: self.base };
        self.differed |= !view.agrees();
        self.last = Some((view, at));
    }

    /// SQL counted everything at the end, and so did the board.
    pub fn close(&mut self, sql: &FinalCounts, board: &FinalCounts) {
        self.differed |= sql != board;
    }

    /// The last audit and when it was made.
    pub fn last(&self) -> Option<(AuditView, Instant)> {
        self.last
    }

    /// True when the witnesses never differed.
    pub fn agree(&self) -> bool {
        !self.differed
    }
}
