//! The views: each draws one part of the screen from a [`Scene`], and changes nothing.

pub mod dead;
pub mod footer;
pub mod help;
pub mod inspector;
pub mod log;
pub mod panes;
pub mod program;
pub mod rates;
pub mod small;
pub mod strip;
pub mod workers;

use std::cell::OnceCell;

use super::Showing;
use super::app::App;
use super::layout::Layout;
use super::watch::Moment;
use crate::board::{Board, Counters, DeadView, Verdict, WorkerView};
use crate::time::Instant;

/// Everything a view draws from: one moment of the run, and what the operator looks at.
pub struct Scene<'a> {
    /// The run.
    pub board: &'a Board,
    /// The moment that is drawn.
    pub now: Instant,
    /// How time goes.
    pub showing: Showing,
    /// What the operator looks at.
    pub app: &'a App,
    /// Where everything sits.
    pub layout: &'a Layout,
    /// The counters of this moment.
    pub counters: Counters,
    /// The verdict of this moment.
    pub verdict: Verdict,
    /// The workers at this moment.
    pub workers: Vec<WorkerView>,
    letters: OnceCell<Vec<DeadView>>,
}

impl<'a> Scene<'a> {
    /// The scene of a moment.
    pub fn new(moment: Moment<'a>, app: &'a App, layout: &'a Layout) -> Scene<'a> {
        let Moment { board, now, showing } = moment;
        Scene {
            board,
            now,
            showing,
            app,
            layout,
            counters: board.counters(),
            verdict: board.verdict(),
            workers: board.workers(now),
            letters: OnceCell::new(),
        }
    }

    /// The moment itself.
    pub fn moment(&self) -> Moment<'a> {
        Moment { board: self.board, now: self.now, showing: self.showing }
    }

    /// The dead letters of this moment, oldest first; there can be many, so they are asked for once.
    pub fn letters(&self) -> &[DeadView] {
        self.letters.get_or_init(|| self.board.dead_letters())
    }

    /// The line of rules and connectors.
    pub fn look_line(&self) -> char {
        self.app.look.glyphs.rule
    }
}
