//! The dead letters: why each is there, whether it was in fact applied, and one of them looked into.

use super::Scene;
use crate::board::{DeadView, Light, StoryTry};
use crate::event::Reason;
use crate::text::count;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::{moment, narrow, span, width, wrap};
use crate::tui::panel::Panel;
use crate::tui::theme::Role;

/// The dead letters that the filter lets through, oldest first.
pub fn shown<'a>(letters: &'a [DeadView], filter: &str) -> Vec<&'a DeadView> {
    let filter = filter.to_lowercase();
    let matches = |letter: &&DeadView| {
        filter.split_whitespace().all(|word| {
            let words = letter.words.to_lowercase();
            letter.job.to_string() == word || why(letter).contains(word) || words.contains(word) || word == "job"
        })
    };
    letters.iter().filter(matches).collect()
}

/// Why it is there, in a word.
fn why(letter: &DeadView) -> &'static str {
    match letter.reason {
        Reason::Failed(_) => "failed",
        Reason::Crashed(_) => "crashed",
        Reason::LeaseExpired => "expired",
        Reason::AttemptsLowered => "lowered",
    }
}

fn tries(letter: &DeadView) -> String {
    match letter.tries {
        (tries, Some(max)) => format!("{tries}/{max}"),
        (tries, None) => tries.to_string(),
    }
}

/// Draws the list on a narrow panel with its rule.
pub fn draw(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let focused = scene.app.focus == Panel::Dead;
    if canvas.width() >= 76 {
        draw_whole(canvas, scene);
        return;
    }
    let letters = shown(scene.letters(), &scene.app.dead.filter);
    let title = format!("4 dead letters {}", count(scene.counters.dead));
    canvas.rule(0, Rule { title: &title, right: "", focused, alarm: false });
    if letters.is_empty() {
        for (y, line) in (1..).zip(wrap(EMPTY, usize::from(canvas.width().saturating_sub(2)))) {
            canvas.put(1, y, &line, Role::Dim);
        }
        return;
    }
    let more = more_digits(&letters, 4);
    canvas.put_right(4 + more, 1, "job", Role::Dim);
    let age_end = if more > 3 { 28 } else { 27 };
    canvas.put(6 + more, 1, "why", Role::Dim);
    canvas.put(14 + more, 1, "tries", Role::Dim);
    canvas.put_right(age_end - 1, 1, "age", Role::Dim);
    let rows = usize::from(canvas.height().saturating_sub(2));
    let first = first_row(scene.app.dead.selected, letters.len(), rows, focused);
    for (y, (place, letter)) in (2..).zip(letters.iter().enumerate().skip(first).take(rows)) {
        let chosen = focused && place == scene.app.dead.selected.min(letters.len() - 1);
        let role = if chosen { Role::Strong } else { Role::Text };
        if chosen {
            let mark = canvas.look.glyphs.select;
            canvas.cell(0, y, mark, Role::Accent);
        }
        canvas.put_right(4 + more, y, &letter.job.to_string(), role);
        canvas.put(6 + more, y, why(letter), role);
        canvas.put(14 + more, y, &tries(letter), role);
        canvas.put_right(age_end, y, &narrow(scene.now.since(letter.since)), role);
    }
}

/// By how many cells the longest job id is longer than `usual`.
fn more_digits(letters: &[&DeadView], usual: usize) -> u16 {
    let longest = letters.iter().map(|letter| letter.job.to_string().len()).max().unwrap_or(0);
    longest.saturating_sub(usual) as u16
}

const EMPTY: &str = "none. A job comes here when its last allowed try fails.";

/// The first row to show so that the selected one is in sight; without focus the newest rows show.
fn first_row(selected: usize, all: usize, rows: usize, focused: bool) -> usize {
    let selected = if focused { selected.min(all.saturating_sub(1)) } else { all.saturating_sub(1) };
    (selected + 1).saturating_sub(rows)
}

/// Draws the list on a wide panel, and below it the letter that is looked into.
pub fn draw_whole(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let focused = scene.app.focus == Panel::Dead;
    let all = scene.letters();
    let letters = shown(all, &scene.app.dead.filter);
    whole_rule(canvas, scene, all, focused);
    if letters.is_empty() {
        canvas.put(3, 1, if all.is_empty() { EMPTY } else { "nothing matches; / changes the filter" }, Role::Dim);
        return;
    }
    let more = more_digits(&letters, 4);
    canvas.put(3, 1, "job", Role::Dim);
    canvas.put(8 + more, 1, "why", Role::Dim);
    canvas.put(19 + u16::from(more > 3), 1, "tries   dead for   applied   redriven   last words", Role::Dim);
    let height = usize::from(canvas.height());
    let inspecting = scene.app.dead.inspecting && height >= 10;
    let rows = if inspecting { (height - 2).min(letters.len()).min(height / 3) } else { height.saturating_sub(2) };
    let selected = scene.app.dead.selected.min(letters.len() - 1);
    let first = (selected + 1).saturating_sub(rows);
    for (y, (place, letter)) in (2..).zip(letters.iter().enumerate().skip(first).take(rows)) {
        row(canvas, (y, more), letter, scene, focused && place == selected);
    }
    if inspecting {
        let top = (2 + rows) as u16;
        let (width, height) = (canvas.width(), canvas.height());
        let mut below = canvas.part(ratatui::layout::Rect::new(0, top, width, height.saturating_sub(top)));
        inspect(&mut below, scene, letters[selected]);
    }
}

fn whole_rule(canvas: &mut Canvas<'_>, scene: &Scene<'_>, all: &[DeadView], focused: bool) {
    let mut title = format!("4 dead letters: {}", count(scene.counters.dead));
    if let Some(oldest) = all.iter().map(|letter| scene.now.since(letter.since)).max() {
        title.push_str(&format!(", oldest {}", narrow(oldest)));
    }
    if scene.counters.dead_applied > 0 && scene.app.look.truth {
        title.push_str(&format!(", {} already applied", count(scene.counters.dead_applied)));
    }
    let operator = scene.board.operator(scene.now);
    let right = match operator.dead_newest {
        _ if !scene.app.dead.filter.is_empty() => format!("/ {}", scene.app.dead.filter),
        Some(age) if operator.dead_light <= Light::Ok || age > crate::time::Span::seconds(1) => {
            format!("none new for {}", span(age))
        }
        _ => String::new(),
    };
    canvas.rule(0, Rule { title: &title, right: &right, focused, alarm: false });
}

fn row(canvas: &mut Canvas<'_>, (y, more): (u16, u16), letter: &DeadView, scene: &Scene<'_>, selected: bool) {
    let role = if selected { Role::Strong } else { Role::Text };
    if selected {
        let mark = canvas.look.glyphs.select;
        canvas.cell(1, y, mark, Role::Accent);
    }
    canvas.put(3, y, &letter.job.to_string(), role);
    canvas.put(8 + more, y, why(letter), role);
    canvas.put(19 + u16::from(more > 3), y, &tries(letter), role);
    canvas.put_right(34, y, &narrow(scene.now.since(letter.since)), role);
    let (applied, applied_role) = match (scene.app.look.truth, letter.applied) {
        (false, _) => ("?", role),
        (true, true) => ("YES", Role::Look),
        (true, false) => ("no", role),
    };
    canvas.put(38, y, applied, applied_role);
    canvas.put_right(55, y, &count(u64::from(letter.redriven)), role);
    canvas.put(59, y, &letter.words, role);
}

/// Where the lines of an attempt begin.
const LINES_AT: u16 = 22;

/// The lines of an attempt, two in a row where both fit. Returns the row below them.
fn attempt_lines(canvas: &mut Canvas<'_>, mut y: u16, attempt: &StoryTry) -> u16 {
    let second_at = LINES_AT + canvas.width().saturating_sub(LINES_AT) / 2;
    let half = usize::from(second_at - LINES_AT - 1);
    let mut second = false;
    for line in &attempt.lines {
        let words = format!("{} {}", moment(line.at), line.text);
        let fits = width(&words) <= half;
        if second && !fits {
            y += 1;
            second = false;
        }
        canvas.put(if second { second_at } else { LINES_AT }, y, &words, Role::Text);
        if second || !fits {
            y += 1;
        }
        second = fits && !second;
    }
    y + u16::from(second || attempt.lines.is_empty())
}

fn inspect(canvas: &mut Canvas<'_>, scene: &Scene<'_>, letter: &DeadView) {
    let story = scene.board.story(letter.job);
    let truth = scene.app.look.truth;
    let title = match (truth, letter.applied) {
        (true, true) => format!("job {}: dead, but its effect is in the ledger", letter.job),
        (true, false) => format!("job {}: dead, and never applied", letter.job),
        (false, _) => format!("job {}", letter.job),
    };
    canvas.rule(0, Rule { title: &title, ..Rule::default() });
    let Some(story) = story else {
        canvas.put(1, 1, "its story is no longer in memory", Role::Dim);
        return;
    };
    let mut y = 1;
    for attempt in &story.tries {
        canvas.put_within(1, y, 20, &attempt.title.split_whitespace().collect::<Vec<_>>().join(" "), Role::Text);
        y = attempt_lines(canvas, y, attempt);
    }
    if truth {
        for line in wrap(&story.why, usize::from(canvas.width().saturating_sub(2))) {
            canvas.put(1, y, &line, Role::Text);
            y += 1;
        }
    }
}
