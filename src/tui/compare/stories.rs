//! One job on both sides: its stories beside each other.

use ratatui::layout::Rect;

use super::Sight;
use super::side::NAMES;
use crate::board::Board;
use crate::ids::Job;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::wrap;
use crate::tui::glyphs::Joint;
use crate::tui::theme::Role;
use crate::tui::words::story::told;

/// A job that is looked at on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Which.
    pub job: Job,
    /// The first row that shows.
    pub scroll: usize,
}

/// Draws the stories, or the one of the side that shows.
pub fn draw(canvas: &mut Canvas<'_>, sight: &Sight<'_>, opened: Opened) {
    let body = sight.places.body;
    let boards = sight.sides.map(|side| side.board);
    match sight.places.split {
        Some(split) => {
            let (left, right) = (split, body.width - split - 1);
            story(&mut canvas.part(Rect { width: left, ..body }), NAMES[0], boards[0], opened);
            story(&mut canvas.part(Rect { x: split + 1, width: right, ..body }), NAMES[1], boards[1], opened);
            canvas.column(split, body.y + 1, body.height.saturating_sub(1));
            canvas.joint(split, body.y, Joint::Cross, false);
        }
        None => {
            let side = sight.compare.side;
            story(&mut canvas.part(body), NAMES[side], boards[side], opened);
        }
    }
}

fn story(canvas: &mut Canvas<'_>, letter: &str, board: &Board, opened: Opened) {
    let room = usize::from(canvas.width().saturating_sub(2));
    let rows = match board.story(opened.job) {
        Some(story) => told(&story, room),
        None => {
            let words = format!("job {} is settled, well, and no longer in memory", opened.job);
            wrap(&words, room).into_iter().map(|line| (line, Role::Dim)).collect()
        }
    };
    let height = usize::from(canvas.height().saturating_sub(1));
    let first = opened.scroll.min(rows.len().saturating_sub(height));
    let right = match rows.len().saturating_sub(first + height) {
        0 => "esc".to_owned(),
        below => format!("{below} more below   esc"),
    };
    let title = format!("job {} in {letter}", opened.job);
    canvas.rule(0, Rule { title: &title, right: &right, ..Rule::default() });
    for (y, (text, role)) in (1..).zip(rows.iter().skip(first).take(height)) {
        canvas.put(1, y, text, *role);
    }
}

/// How many rows there are to scroll through, on the side with the most.
pub fn length(sides: [&Board; 2], job: Job, room: usize) -> usize {
    let rows = |board: &Board| board.story(job).map_or(0, |story| told(&story, room).len());
    sides.into_iter().map(rows).max().unwrap_or(0)
}
