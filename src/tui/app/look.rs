//! Keys that change what is looked at: time, anomalies, the inspector, the truth.

use super::{App, Inspector, Moment, workers_of};
use crate::board::{Anomaly, Bar};
use crate::ids::Job;
use crate::time::Instant;
use crate::tui::fit::moment as written;
use crate::tui::glyphs::Glyphs;
use crate::tui::keys::Command as KeyCommand;
use crate::tui::panel::Panel;
use crate::tui::timeline::{self, Extent};
use crate::tui::view::dead;
use crate::tui::words::story::moments;

impl App {
    pub(super) fn look_command(&mut self, command: KeyCommand, moment: Moment<'_>) {
        let extent = self.extent(moment);
        match command {
            KeyCommand::NextAnomaly => {
                let found = self.timeline.next_anomaly(moment.board.anomalies(), extent);
                self.show_anomaly(found, moment, "no later anomaly; N goes back");
            }
            KeyCommand::PreviousAnomaly => {
                let found = self.timeline.previous_anomaly(moment.board.anomalies(), extent);
                self.show_anomaly(found, moment, "no earlier anomaly");
            }
            KeyCommand::NextMark | KeyCommand::PreviousMark => {
                let back = command == KeyCommand::PreviousMark;
                if !self.timeline.goto_mark(moment.board.marks(), back, extent) {
                    let which = if back { "earlier" } else { "later" };
                    self.message = Some(format!("no {which} mark; m sets one"));
                }
            }
            KeyCommand::Follow => {
                self.timeline.follow();
                self.look.selected = None;
                self.log.selected = None;
            }
            KeyCommand::Wider => {
                self.timeline.wider();
            }
            KeyCommand::Finer => {
                self.timeline.finer();
            }
            KeyCommand::Explain => self.explain(moment),
            KeyCommand::Truth => self.look.truth = !self.look.truth,
            _ => {}
        }
    }

    pub(super) fn switch_glyphs(&mut self) {
        self.look.glyphs = if self.look.glyphs.is_ascii() { Glyphs::UNICODE } else { Glyphs::ASCII };
    }

    /// How much time the timeline has room for.
    pub(super) fn extent(&self, moment: Moment<'_>) -> Extent {
        if let Some(extent) = self.extent {
            return Extent { now: moment.now, ..extent };
        }
        let workers = workers_of(moment.board);
        let place = self.layout(workers).map_or(self.size, |layout| {
            if self.zoomed && self.focus == Panel::Timeline { layout.body } else { layout.timeline }
        });
        timeline::extent(place, moment.board, moment.now, workers)
    }

    /// Brings a moment into sight.
    pub fn look_at(&mut self, at: Instant, seq: Option<u64>, moment: Moment<'_>) {
        let extent = self.extent(moment);
        self.timeline.goto(at, seq, extent);
    }

    /// On threads the run cannot go back, so the view does.
    pub fn step_back(&mut self, moment: Moment<'_>) {
        let here = self.timeline.cursor().unwrap_or(moment.now);
        let before = moment.board.recent().iter().rev().find(|(_, event)| event.at < here);
        match before.map(|(seq, event)| (*seq, event.at)) {
            Some((seq, at)) => {
                self.look_at(at, Some(seq), moment);
                self.message =
                    Some(format!("the view is at {}; threads cannot be run backwards, G follows", written(at)));
            }
            None => self.message = Some("no earlier event in memory".to_owned()),
        }
    }

    fn show_anomaly(&mut self, found: Option<Anomaly>, moment: Moment<'_>, none: &str) {
        let Some(anomaly) = found else {
            let all = moment.board.anomalies_in_all();
            self.message = Some(if all == 0 { "no anomaly so far".to_owned() } else { none.to_owned() });
            return;
        };
        self.meet(anomaly, moment);
    }

    /// Turns to an anomaly that is in sight: its lane, its job, and its story if stories are open.
    pub fn meet(&mut self, anomaly: Anomaly, moment: Moment<'_>) {
        self.focus = Panel::Timeline;
        self.set_turn();
        self.worker = anomaly.worker.index();
        self.look.selected = Some(anomaly.job);
        if self.inspector.is_some() {
            self.inspect(anomaly.job, Some(anomaly.seq), moment);
        }
    }

    /// Opens the inspector on the selected job; closes it if it shows that job already.
    pub(super) fn explain(&mut self, moment: Moment<'_>) {
        let Some(job) = self.selected_job(moment) else {
            self.message = Some("no job here to explain; select a worker at work or a row".to_owned());
            return;
        };
        if self.inspector.is_some_and(|open| open.job == job) {
            self.inspector = None;
            self.look.selected = None;
            return;
        }
        self.inspect(job, self.timeline.seq(), moment);
    }

    /// Opens the inspector on a job that came to harm at the event `seq`, with the timeline at that moment.
    pub fn explain_job(&mut self, job: Job, seq: u64, moment: Moment<'_>) {
        self.inspect(job, Some(seq), moment);
    }

    /// Opens the inspector with its cursor at the event `seq`, else at the last.
    fn inspect(&mut self, job: Job, seq: Option<u64>, moment: Moment<'_>) {
        let lines = moment.board.story(job).map(|story| moments(&story)).unwrap_or_default();
        let at = seq.and_then(|seq| lines.iter().position(|(_, line)| *line >= seq));
        self.inspector = Some(Inspector { job, cursor: at.unwrap_or(lines.len().saturating_sub(1)), moved: false });
        self.look.selected = Some(job);
    }

    /// Moves the inspector's cursor; the timeline follows.
    pub(super) fn walk_story(&mut self, step: isize, moment: Moment<'_>) {
        let Some(mut open) = self.inspector else { return };
        let lines = moment.board.story(open.job).map(|story| moments(&story)).unwrap_or_default();
        open.cursor = open.cursor.saturating_add_signed(step).min(lines.len().saturating_sub(1));
        open.moved = true;
        self.inspector = Some(open);
        if let Some((at, seq)) = lines.get(open.cursor) {
            self.look_at(*at, Some(*seq), moment);
        }
    }

    /// The job that `i` explains: of the selected row, under the cursor, or in the selected worker's hands.
    pub fn selected_job(&self, moment: Moment<'_>) -> Option<Job> {
        match self.focus {
            Panel::Dead => self.selected_letter(moment),
            Panel::Log => self.job_of_line(moment).or_else(|| self.job_in_hand(moment)),
            Panel::Timeline => self.job_under_cursor(moment).or_else(|| self.job_in_hand(moment)),
            Panel::Workers | Panel::Program | Panel::Rates => self.job_in_hand(moment),
        }
    }

    /// The selected dead letter.
    pub(super) fn selected_letter(&self, moment: Moment<'_>) -> Option<Job> {
        let all = moment.board.dead_letters();
        let letters = dead::shown(&all, &self.dead.filter);
        letters.get(self.dead.selected.min(letters.len().saturating_sub(1))).map(|letter| letter.job)
    }

    fn job_of_line(&self, moment: Moment<'_>) -> Option<Job> {
        let selected = self.log.selected?;
        let (_, event) = moment.board.recent().iter().find(|(seq, _)| *seq == selected)?;
        event.what.job()
    }

    fn job_under_cursor(&self, moment: Moment<'_>) -> Option<Job> {
        let at = self.timeline.cursor()?;
        if let Some(anomaly) =
            self.timeline.seq().and_then(|seq| moment.board.anomalies().iter().find(|a| a.seq == seq))
        {
            return Some(anomaly.job);
        }
        let worker = self.view(moment)?.worker;
        let holds = |bar: &&Bar| bar.from <= at && bar.ended.is_none_or(|ended| at <= ended);
        let lane = moment.board.lane(worker);
        let bar = lane.bars.iter().rev().find(holds).or_else(|| lane.bars.iter().rev().find(|bar| bar.from <= at))?;
        Some(bar.job)
    }

    /// The job of the selected worker, else the last one that it had.
    fn job_in_hand(&self, moment: Moment<'_>) -> Option<Job> {
        let view = self.view(moment)?;
        let last = || moment.board.lane(view.worker).bars.back().map(|bar| bar.job);
        view.delivery.as_ref().map(|delivery| delivery.job).or_else(last)
    }
}
