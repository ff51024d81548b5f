//! The life of one job as the inspector shows it and `explain` prints it: every event of it, one line each, then why it
//! came out so, what monitoring saw, and what would have held.

use crate::board::Story;
use crate::tui::fit::{moment, wrap};
use crate::tui::theme::Role;

/// A line of a story.
pub struct Row {
    /// What it says.
    pub text: String,
    /// What it is.
    pub role: Role,
    /// Its place among the events of the story, if it is one.
    pub place: Option<usize>,
}

impl Row {
    fn new(text: impl Into<String>, role: Role) -> Row {
        Row { text: text.into(), role, place: None }
    }
}

/// How a story is told.
#[derive(Clone, Copy, Debug)]
pub struct Telling {
    /// How wide, in characters.
    pub room: usize,
    /// Whether it may tell what the ledger has.
    pub truth: bool,
    /// Whether the events come first, else the reasons do.
    pub docked: bool,
    /// Whether keys can be pressed for what it says would hold.
    pub live: bool,
}

/// The lines of a story.
pub fn rows(story: &Story, telling: Telling) -> Vec<Row> {
    let Telling { truth, docked, .. } = telling;
    let mut rows = vec![Row::new(title(story, truth), Role::Strong), Row::new("", Role::Text)];
    if docked {
        events(&mut rows, story, truth);
        reasons(&mut rows, story, telling);
    } else {
        rows.pop();
        reasons(&mut rows, story, telling);
        rows.push(Row::new("", Role::Text));
        events(&mut rows, story, truth);
    }
    rows
}

/// All lines of a recorded story as they are printed: its events and then the reasons, at most `room` characters wide.
pub fn lines(story: &Story, room: usize) -> Vec<String> {
    rows(story, Telling { room, truth: true, docked: true, live: false }).into_iter().map(|row| row.text).collect()
}

/// A story row by row, its events and then the reasons, without what would have held: whoever has another side to show
/// shows it there.
pub fn told(story: &Story, room: usize) -> Vec<(String, Role)> {
    let story = Story { holds: String::new(), ..story.clone() };
    let telling = Telling { room, truth: true, docked: true, live: true };
    rows(&story, telling).into_iter().map(|row| (row.text, row.role)).collect()
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

fn reasons(rows: &mut Vec<Row>, story: &Story, telling: Telling) {
    let holds = if telling.live { "what holds here" } else { "what holds in a live run" };
    let parts =
        [("why", &story.why, true), ("what monitoring saw", &story.monitoring, false), (holds, &story.holds, true)];
    for (heading, words, ledger) in parts {
        let hidden = ledger && !telling.truth;
        if words.is_empty() || hidden {
            continue;
        }
        rows.push(Row::new("", Role::Text));
        rows.push(Row::new(heading, Role::Accent));
        rows.extend(wrap(words, telling.room).into_iter().map(|line| Row::new(line, Role::Text)));
    }
}

/// The moments of the story's lines, in order.
pub fn moments(story: &Story) -> Vec<(crate::time::Instant, u64)> {
    story.tries.iter().flat_map(|attempt| &attempt.lines).map(|line| (line.at, line.seq)).collect()
}
