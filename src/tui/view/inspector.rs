//! The inspector: every event of one job, one line each, then why, what monitoring saw, and what would have held.

use super::Scene;
use crate::board::Story;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::{moment, wrap};
use crate::tui::theme::Role;

/// A line of the inspector.
struct Row {
    text: String,
    role: Role,
    /// The line of the story under the cursor's count, if it is one.
    place: Option<usize>,
}

impl Row {
    fn new(text: impl Into<String>, role: Role) -> Row {
        Row { text: text.into(), role, place: None }
    }
}

/// Draws the inspector with its rule. `first` names what comes first: docked at the right, the events do; where it
/// takes the whole width, the reasons do.
pub fn draw(canvas: &mut Canvas<'_>, scene: &Scene<'_>, docked: bool) {
    let Some(inspector) = &scene.app.inspector else { return };
    let number = scene.app.timeline.anomaly_number(scene.board.anomalies());
    let title = match number {
        Some(n) => format!("why: anomaly {n} of {}", scene.board.anomalies().len()),
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
    let (rows, whole) = fitted(&story, scene.app.look.truth, room, height, docked);
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
fn fitted(story: &Story, truth: bool, room: usize, height: usize, docked: bool) -> (Vec<Row>, bool) {
    if docked {
        let mut all = rows(story, truth, room, true);
        while all.len() > height
            && let Some(air) = all.iter().position(|row| row.text.is_empty())
        {
            all.remove(air);
        }
        if all.len() <= height {
            return (all, true);
        }
    }
    let all = rows(story, truth, room, false);
    let fits = all.len() <= height;
    (all, fits)
}

/// Scrolls only as far as the cursor needs, with two rows below it.
fn first_row(here: usize, all: usize, height: usize) -> usize {
    (here + 3).saturating_sub(height).min(all.saturating_sub(height))
}

fn rows(story: &Story, truth: bool, room: usize, docked: bool) -> Vec<Row> {
    let mut rows = vec![Row::new(title(story, truth), Role::Strong), Row::new("", Role::Text)];
    if docked {
        events(&mut rows, story, truth);
        reasons(&mut rows, story, truth, room);
    } else {
        rows.pop();
        reasons(&mut rows, story, truth, room);
        rows.push(Row::new("", Role::Text));
        events(&mut rows, story, truth);
    }
    rows
}

/// A story row by row, its events and then the reasons, without what would have held: whoever has another side to show
/// shows it there.
pub fn told(story: &Story, room: usize) -> Vec<(String, Role)> {
    let story = Story { holds: String::new(), ..story.clone() };
    rows(&story, true, room, true).into_iter().map(|row| (row.text, row.role)).collect()
}

/// What the ledger says of the job is left out while the truth is hidden.
fn title(story: &Story, truth: bool) -> String {
    if truth { story.title.clone() } else { format!("job {}   {} tries", story.job, story.tries.len()) }
}

fn events(rows: &mut Vec<Row>, story: &Story, truth: bool) {
    if story.truncated {
        rows.push(Row::new("older events are no longer in memory", Role::Dim));
    }
    let mut place = 0;
    for attempt in &story.tries {
        rows.push(Row::new(attempt.title.clone(), Role::Text));
        for line in &attempt.lines {
            let again = line.text.contains("AGAIN");
            let text = if truth { line.text.clone() } else { line.text.replace(" AGAIN", "") };
            let role = if again && truth { Role::Bad } else { Role::Text };
            let text = format!("  {:>5}  {text}", moment(line.at));
            rows.push(Row { text, role, place: Some(place) });
            place += 1;
        }
    }
}

fn reasons(rows: &mut Vec<Row>, story: &Story, truth: bool, room: usize) {
    let parts = [
        ("why", &story.why, true),
        ("what monitoring saw", &story.monitoring, false),
        ("what holds here", &story.holds, true),
    ];
    for (heading, words, ledger) in parts {
        let hidden = ledger && !truth;
        if words.is_empty() || hidden {
            continue;
        }
        rows.push(Row::new("", Role::Text));
        rows.push(Row::new(heading, Role::Accent));
        rows.extend(wrap(words, room).into_iter().map(|line| Row::new(line, Role::Text)));
    }
}

/// The moments of the story's lines, in order.
pub fn moments(story: &Story) -> Vec<(crate::time::Instant, u64)> {
    story.tries.iter().flat_map(|attempt| &attempt.lines).map(|line| (line.at, line.seq)).collect()
}
