//! A run that was taken back: whatever the view had of the time after it is let go.
//!
//! What lies before the moment that is shown stays as it is, so that steps on and as many back end where they began.

use super::{App, Moment};
use crate::tui::words::story::moments;

impl App {
    /// Lets go of what the run has not come to any more: marks counted, lines and moments selected, a story's end.
    pub fn taken_back(&mut self, moment: Moment<'_>) {
        let board = moment.board;
        self.marks = self.marks.min(board.marks().len());
        self.timeline.taken_back(moment.now, board.seq());
        self.log.selected = self.log.selected.filter(|seq| *seq < board.seq());
        let arrived = board.counters().enqueued;
        self.look.selected = self.look.selected.filter(|job| u64::from(job.0) < arrived);
        self.inspector = self.inspector.filter(|open| u64::from(open.job.0) < arrived);
        if let Some(open) = &mut self.inspector {
            let lines = board.story(open.job).map_or(0, |story| moments(&story).len());
            open.cursor = open.cursor.min(lines.saturating_sub(1));
        }
    }
}
