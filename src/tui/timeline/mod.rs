//! The lease timeline: what every worker did and when, one lane each, on a shared axis of time.
//!
//! Letters are events and lines are states. A lane is a row of cells, computed from the board's deliveries and marks
//! alone ([`cells`]); [`state`] says which stretch of time shows, [`axis`] and [`captions`] draw the rows around the
//! lanes, and [`under`] lists what lies under the cursor. The panel's own rule and its keys belong to the screen.

pub mod axis;
pub mod captions;
pub mod cells;
pub mod layout;
pub mod lines;
pub mod names;
pub mod seats;
pub mod sparkline;
pub mod state;
pub mod under;
pub mod window;

use std::collections::VecDeque;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use self::axis::Piece;
use self::cells::{Cell, Frame, Glyph, Weight};
use self::layout::Layout;
use self::window::Window;
use super::theme::{Look, Role};
use crate::board::{Board, Lane, Note, WorkerView};
use crate::time::Instant;

pub use names::range_text;
pub use state::{Extent, TimelineState};
pub use under::Under;

/// The lanes and everything around them, ready to be drawn.
struct Scene<'a> {
    /// Names, whether a fault is named with them, and lanes, in order of number.
    lanes: Vec<(String, bool, &'a Lane)>,
    /// Columns of the names.
    margin: u16,
    notes: &'a VecDeque<Note>,
    marks: &'a [(Instant, String)],
    window: Window,
    cursor: Option<Instant>,
}

/// Draws the timeline below its panel's rule: captions, the lanes of the workers at the places `shown` as far as there
/// are rows for them, and the axis. Bars of the job that `look` selects stand out. Nothing outside of `area` is touched.
pub fn render(
    buf: &mut Buffer,
    area: Rect,
    board: &Board,
    now: Instant,
    state: &TimelineState,
    look: &Look,
    shown: Range<usize>,
) {
    let extent = extent(area.intersection(buf.area), board, now, board.workers(now).len());
    render_within(buf, area, board, state, look, shown, extent);
}

/// Draws the timeline like [`render`], with room for as much time as `extent` says: two timelines that are given the same
/// share one axis.
pub fn render_within(
    buf: &mut Buffer,
    area: Rect,
    board: &Board,
    state: &TimelineState,
    look: &Look,
    shown: Range<usize>,
    extent: Extent,
) {
    let area = area.intersection(buf.area);
    let workers = board.workers(extent.now);
    let shown = shown.start.min(workers.len())..shown.end.min(workers.len());
    let layout = Layout::of(usize::from(area.height), shown.len());
    let scene = Scene {
        lanes: workers[shown].iter().take(layout.lanes).map(|worker| lane_of(board, worker)).collect(),
        margin: names::width(workers.len()),
        notes: board.notes(),
        marks: board.marks(),
        window: state.window(extent),
        cursor: state.cursor(),
    };
    draw(buf, area, &layout, &scene, look);
}

fn lane_of<'a>(board: &'a Board, worker: &WorkerView) -> (String, bool, &'a Lane) {
    (names::name(worker), names::fault_letter(worker).is_some(), board.lane(worker.worker))
}

/// How much time fits into `area` for `workers` workers: what moving about in the timeline needs to know.
pub fn extent(area: Rect, board: &Board, now: Instant, workers: usize) -> Extent {
    let columns = area.width.saturating_sub(names::width(workers) + 1);
    Extent { columns: usize::from(columns), now, lease: board.policy().lease }
}

/// What lies under the cursor on the lanes of all workers, by time; empty without a cursor.
pub fn under_cursor(board: &Board, state: &TimelineState, extent: Extent, look: &Look) -> Vec<Under> {
    let window = state.window(extent);
    let Some(column) = state.cursor().and_then(|at| window.column(at)) else { return Vec::new() };
    let frame = Frame { window, switches: &[], truth: look.truth, selected: None };
    let mut all = under::notes(board.notes().iter(), &frame, column);
    for worker in board.workers(extent.now) {
        all.extend(under::lane(board.lane(worker.worker), worker.worker, &frame, column));
    }
    all.sort();
    all.truncate(under::MOST);
    all
}

fn draw(buf: &mut Buffer, area: Rect, layout: &Layout, scene: &Scene, look: &Look) {
    let lane_area = Rect { x: area.x.saturating_add(scene.margin), ..area };
    let row_at = |row: usize| (row < usize::from(area.height)).then(|| area.y + row as u16);
    let switches = captions::switches(scene.notes, &scene.window);
    let frame = Frame { window: scene.window, switches: &switches, truth: look.truth, selected: look.selected };
    if let (true, Some(y)) = (layout.captions, row_at(0)) {
        put_pieces(buf, area, lane_area.x, y, &captions::pieces(scene.notes, scene.marks, &scene.window), look);
    }
    let gap = cells::gap(&frame);
    let axis_row = layout.axis_row(usize::from(area.height));
    for (index, (name, faulty, lane)) in scene.lanes.iter().enumerate() {
        let Some(y) = row_at(layout.row(index)) else { break };
        let role = if *faulty { Role::Look } else { Role::Text };
        put_pieces(buf, area, area.x + 1, y, &[Piece { column: 0, text: name.clone(), role }], look);
        put_cells(buf, area, lane_area.x, y, &cells::row(lane, &frame), look);
        let below = layout.row(index) + 1;
        if let (true, true, Some(y)) = (layout.airy, below < axis_row, row_at(below)) {
            put_cells(buf, area, lane_area.x, y, &gap, look);
        }
    }
    if let (true, Some(y)) = (layout.axis, row_at(axis_row)) {
        put_pieces(buf, area, lane_area.x, y, &axis::pieces(&scene.window, scene.cursor, &look.glyphs), look);
    }
}

/// Writes cells from `x` on, as far as `area` reaches. Blank cells are left as they are.
fn put_cells(buf: &mut Buffer, area: Rect, x: u16, y: u16, cells: &[Cell], look: &Look) {
    for (x, cell) in (x..area.right()).zip(cells) {
        if cell.glyph != Glyph::Blank {
            buf[(x, y)].set_char(cell.glyph.symbol(&look.glyphs)).set_style(style(cell, look));
        }
    }
}

fn style(cell: &Cell, look: &Look) -> Style {
    let style = look.style(cell.role);
    match cell.weight {
        Weight::Plain => style,
        Weight::Bold => style.remove_modifier(Modifier::DIM).add_modifier(Modifier::BOLD),
        Weight::Dim => style.remove_modifier(Modifier::BOLD).add_modifier(Modifier::DIM),
    }
}

/// Writes texts at their columns, counted from `x`, as far as `area` reaches.
fn put_pieces(buf: &mut Buffer, area: Rect, x: u16, y: u16, pieces: &[Piece], look: &Look) {
    for piece in pieces {
        let from = usize::from(x) + piece.column;
        for (x, letter) in (from..usize::from(area.right())).zip(piece.text.chars()) {
            buf[(x as u16, y)].set_char(letter).set_style(look.style(piece.role));
        }
    }
}

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod screens;
