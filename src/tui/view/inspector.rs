//! The inspector: every event of one job, one line each, then why, what monitoring saw, and what would have held.

use super::Scene;
use crate::board::Story;
use crate::text::count;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::wrap;
use crate::tui::theme::Role;
use crate::tui::words::story::{Row, Telling, rows};

/// Draws the inspector with its rule. `first` names what comes first: docked at the right, the events do; where it
/// takes the whole width, the reasons do.
pub fn draw(canvas: &mut Canvas<'_>, scene: &Scene<'_>, docked: bool) {
    let Some(inspector) = &scene.app.inspector else { return };
    let number = scene.app.timeline.anomaly_number(scene.board.anomalies());
    let all = scene.board.anomalies_in_all();
    let forgotten = all.saturating_sub(scene.board.anomalies().len() as u64);
    let title = match number {
        Some(n) => format!("why: anomaly {} of {}", count(forgotten + n as u64), count(all)),
        None => format!("why: job {}", inspector.job),
    };
    canvas.rule(0, Rule { title: &title, right: KEYS, focused: !docked, alarm: false });
    let Some(story) = scene.board.story(inspector.job) else {
        let words = format!("job {} is settled, well, and no longer in memory", inspector.job);
        for (y, line) in (1..).zip(wrap(&words, usize::from(canvas.width().saturating_sub(2)))) {
            canvas.put(1, y, &line, Role::Dim);
        }
        return;
    };
    let room = usize::from(canvas.width().saturating_sub(2));
    let height = usize::from(canvas.height().saturating_sub(1));
    let telling = Telling { room, truth: scene.app.look.truth, docked, live: scene.app.ends.is_none() };
    let (rows, whole) = fitted(&story, telling, height);
    let here = rows.iter().position(|row| row.place == Some(inspector.cursor)).unwrap_or(0);
    let first = if whole || inspector.moved { first_row(here, rows.len(), height) } else { 0 };
    let below = rows.len().saturating_sub(first + height);
    if below > 0 {
        let right = format!("{below} more below   {KEYS}");
        canvas.rule(0, Rule { title: &title, right: &right, focused: !docked, alarm: false });
    }
    for (y, row) in (1..).zip(rows.iter().skip(first).take(height)) {
        canvas.put(1, y, &row.text, row.role);
        if row.place == Some(inspector.cursor) {
            let mark = canvas.look.glyphs.select;
            canvas.cell(1, y, mark, Role::Accent);
        }
    }
}

const KEYS: &str = "n next   esc";

/// The rows, and whether all of them fit. Docked, the events come first as long as everything fits, be it with less air;
/// else the reasons do.
fn fitted(story: &Story, telling: Telling, height: usize) -> (Vec<Row>, bool) {
    if telling.docked {
        let mut all = rows(story, telling);
        while all.len() > height
            && let Some(air) = all.iter().position(|row| row.text.is_empty())
        {
            all.remove(air);
        }
        if all.len() <= height {
            return (all, true);
        }
    }
    let all = rows(story, Telling { docked: false, ..telling });
    let fits = all.len() <= height;
    (all, fits)
}

/// Scrolls only as far as the cursor needs, with two rows below it.
fn first_row(here: usize, all: usize, height: usize) -> usize {
    (here + 3).saturating_sub(height).min(all.saturating_sub(height))
}
