//! The second witness in virtual time: when SQL counts the rows.

use crate::request::{Auditor, FinalCounts, FinalJob, RowCounts, SinkError};

/// The most rows between two audits.
const MOST_ROWS_UNAUDITED: i64 = 1_000;

/// Who counts with SQL, how far the ledger has come, and how far it was audited.
pub(super) struct Witness {
    auditor: Box<dyn Auditor>,
    last: i64,
    audited: i64,
}

impl Witness {
    pub(super) fn new(auditor: Box<dyn Auditor>) -> Witness {
        Witness { auditor, last: 0, audited: 0 }
    }

    /// The ledger has come to this row.
    pub(super) fn saw(&mut self, row: i64) {
        self.last = row;
    }

    /// Counts the rows, if it is time to. Virtual time has no wall clock to audit by: the next audit comes when there are
    /// a tenth more rows, so that a short run is audited throughout and a long one seldom.
    pub(super) fn audit_if_due(&mut self) -> Option<Result<RowCounts, SinkError>> {
        if self.last - self.audited < (self.audited / 10).clamp(1, MOST_ROWS_UNAUDITED) {
            return None;
        }
        let counted = self.auditor.count();
        self.audited = counted.as_ref().map_or(self.last, |counts| counts.row.0);
        Some(counted)
    }

    /// Writes the final job states and counts everything.
    pub(super) fn close(&mut self, jobs: &mut dyn Iterator<Item = FinalJob>) -> Result<FinalCounts, SinkError> {
        self.auditor.close(jobs)
    }
}
