//! The log: events in words, filtered, with the last thing that the operator did kept in sight.

use super::Scene;
use crate::board::{AnomalyKind, Board};
use crate::event::{Event, What};
use crate::ids::{Job, Worker};
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::moment;
use crate::tui::panel::Panel;
use crate::tui::theme::Role;
use crate::tui::words::event::{Context, Told, is_mine, is_noise, tell};

/// Which events the log shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Job(Job),
    Worker(Worker),
    Words(String),
}

impl Filter {
    /// Reads a filter: `job 43` and `w2` mean what they say, other words must occur. An empty one leaves out
    /// renewals, checks and keys; `*` shows everything.
    pub fn read(text: &str) -> Filter {
        let text = text.trim().to_lowercase();
        let mut terms = Vec::new();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let job = (word == "job").then(|| words.peek().and_then(|n| n.parse().ok())).flatten();
            if let Some(job) = job {
                words.next();
                terms.push(Term::Job(Job(job)));
            } else if let Some(n) = word.strip_prefix('w').and_then(|n| n.parse().ok()) {
                terms.push(Term::Worker(Worker(n)));
            } else if word != "*" {
                terms.push(Term::Words(word.to_owned()));
            }
        }
        Filter { text, terms }
    }

    /// The filter as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the rule says of it.
    fn says(&self) -> String {
        if self.text.is_empty() { "/ no renewals".to_owned() } else { format!("/ {}", self.text) }
    }

    fn lets_through(&self, event: &Event, told: impl FnOnce() -> Told) -> bool {
        if self.text.is_empty() {
            return !is_noise(&event.what);
        }
        let mut words: Option<String> = None;
        let mut told = Some(told);
        self.terms.iter().all(|term| match term {
            Term::Job(job) => event.what.job() == Some(*job),
            Term::Worker(worker) => event.what.worker() == Some(*worker),
            Term::Words(wanted) => {
                let words = words.get_or_insert_with(|| {
                    told.take()
                        .map(|told| told())
                        .map_or(String::new(), |told| format!("{} {}", told.verb, told.words).to_lowercase())
                });
                words.contains(wanted.as_str())
            }
        })
    }
}

/// A line of the log: the event's place and the event.
pub type Entry<'a> = (u64, &'a Event);

/// The event in words, as this board and this look tell it.
pub fn told(board: &Board, truth: bool, (seq, event): Entry<'_>) -> Told {
    let again = truth
        && matches!(event.what, What::Effect { .. })
        && board.anomalies().iter().rev().any(|a| a.seq == seq && a.kind == AnomalyKind::Twice);
    tell(event, Context { program: board.program(), again })
}

/// The lines that the filter lets through, newest first.
pub fn entries<'a>(board: &'a Board, filter: &'a Filter, truth: bool) -> impl Iterator<Item = Entry<'a>> + 'a {
    board
        .recent()
        .iter()
        .rev()
        .map(|(seq, event)| (*seq, event))
        .filter(move |entry| filter.lets_through(entry.1, || told(board, truth, *entry)))
}

/// The lines that show in `rows` rows, oldest first: the newest, or those around the selected one.
fn showing<'a>(
    board: &'a Board,
    filter: &'a Filter,
    truth: bool,
    selected: Option<u64>,
    rows: usize,
) -> Vec<Entry<'a>> {
    let mut lines: Vec<Entry<'a>> = Vec::new();
    for entry in entries(board, filter, truth) {
        if lines.len() == rows {
            let seen = selected.is_none_or(|seq| lines[rows.div_ceil(2) - 1].0 <= seq);
            if seen {
                break;
            }
            lines.remove(0);
        }
        lines.push(entry);
    }
    lines.reverse();
    lines
}

/// Draws the log with its rule.
pub fn draw(canvas: &mut Canvas<'_>, scene: &Scene<'_>, title: &str) {
    let focused = scene.app.focus == Panel::Log;
    let filter = &scene.app.log.filter;
    canvas.rule(0, Rule { title, right: &filter.says(), focused, alarm: false });
    let mut y = 1;
    let height = canvas.height();
    let selected = if focused { scene.app.log.selected } else { None };
    if height > 3 && filter.text.is_empty() && selected.is_none() {
        y += pinned(canvas, scene);
    }
    let rows = usize::from(height.saturating_sub(y));
    if rows == 0 {
        return;
    }
    let lines = showing(scene.board, filter, scene.app.look.truth, selected, rows);
    for (y, entry) in (y..).zip(&lines) {
        line(canvas, y, *entry, scene, selected == Some(entry.0));
    }
    if lines.is_empty() && y == 1 {
        let words = match (filter.text.is_empty(), scene.board.seq()) {
            (true, 0) => "nothing has happened yet",
            (true, _) => "nothing worth a line among the latest events",
            (false, _) => "nothing matches; / changes the filter",
        };
        canvas.put(1, 1, words, Role::Dim);
    }
}

/// The last thing the operator did, if the newest lines would not show it anyway. Returns the rows it took.
fn pinned(canvas: &mut Canvas<'_>, scene: &Scene<'_>) -> u16 {
    let recent = scene.board.recent();
    let Some((seq, event)) = recent.iter().rev().find(|(_, event)| is_mine(&event.what)) else { return 0 };
    let rows = usize::from(canvas.height().saturating_sub(1));
    let newest = entries(scene.board, &scene.app.log.filter, scene.app.look.truth);
    if newest.take(rows).any(|(other, _)| other == *seq) {
        return 0;
    }
    line(canvas, 1, (*seq, event), scene, false);
    1
}

fn line(canvas: &mut Canvas<'_>, y: u16, entry: Entry<'_>, scene: &Scene<'_>, selected: bool) {
    let told = told(scene.board, scene.app.look.truth, entry);
    let bad = told.words.ends_with("SECOND effect") || told.verb == "BROKEN";
    let role = match (bad, is_mine(&entry.1.what), selected) {
        (true, ..) => Role::Bad,
        (_, true, _) => Role::Accent,
        (.., true) => Role::Strong,
        _ => Role::Text,
    };
    if selected {
        let mark = canvas.look.glyphs.select;
        canvas.cell(0, y, mark, Role::Accent);
    }
    // Room for 9999.99, so that nothing moves when a run grows older.
    let x = canvas.put(1, y, &format!("{:>7}", moment(entry.1.at)), Role::Dim) + 1;
    canvas.put_within(x, y, 7, told.verb, role);
    canvas.put(x + 8, y, &told.words, role);
}

/// The last events, where there is no room for a log.
pub fn draw_tail(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let rows = usize::from(canvas.height());
    let filter = Filter::default();
    let mut lines = showing(scene.board, &filter, scene.app.look.truth, None, rows);
    let mine = scene.board.recent().iter().rev().find(|(_, event)| is_mine(&event.what));
    let shows = |seq: u64| lines.iter().any(|(other, _)| *other == seq);
    if let Some((seq, event)) = mine.filter(|(seq, _)| !shows(*seq))
        && let Some(first) = lines.first_mut()
    {
        *first = (*seq, event);
    }
    for (y, entry) in (0..).zip(&lines) {
        line(canvas, y, *entry, scene, false);
    }
}
