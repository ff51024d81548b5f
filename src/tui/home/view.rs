//! Home drawn: the sandbox, the course in teaching order, the recordings, and the keys.

use ratatui::layout::Rect;

use super::Home;
use super::choice::Choice;
use super::listing::{Best, Listing};
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::{cut, span, width};
use crate::tui::keys::{Command, Context};
use crate::tui::theme::{Role, Theme};
use crate::tui::view::footer::hint_in;

/// From this width on it is told what a lab runs in and how long it takes.
const WIDE: u16 = 100;
/// From this width on columns have their full distance.
const ROOMY: u16 = 120;
/// From this height on the sandbox has a row for each way to open it.
const HIGH: u16 = 30;

/// The row of each thing, from the top.
struct Rows {
    sandbox: Rect,
    labs: Rect,
    recordings: Rect,
}

/// Shares the rows out: the sandbox first, then two recordings, then the course, and the rest to recordings.
fn share(size: Rect, ways: u16, course: u16, recordings: u16) -> Rows {
    let ways = if size.height >= HIGH { ways } else { 1 };
    let left = size.height.saturating_sub(2 + 1 + ways + 1 + 1 + 1);
    let few = recordings.clamp(1, if size.height >= 20 { 2 } else { 1 });
    let labs = course.clamp(1, left.saturating_sub(few).max(1));
    let place = |y: u16, rows: u16| Rect { x: 0, y, width: size.width, height: rows };
    Rows {
        sandbox: place(2, 1 + ways),
        labs: place(3 + ways, 1 + labs),
        recordings: place(4 + ways + labs, (1 + left).saturating_sub(labs)),
    }
}

/// A line of the course.
enum Line {
    Chapter(String),
    Lab(usize, Choice),
}

/// The course as lines: a chapter's name above its labs.
fn course(home: &Home<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut chapter = None;
    for (row, choice) in home.chosen.listed(1, &home.listing).into_iter().enumerate() {
        let Choice::Lab(place) = choice else { continue };
        let of = &home.listing.labs[place].chapter;
        if chapter != Some(of) && !of.is_empty() {
            lines.push(Line::Chapter(of.clone()));
        }
        chapter = Some(of);
        lines.push(Line::Lab(row, choice));
    }
    lines
}

/// The first line that shows, so that the selected one does: the window begins with a chapter where it can.
fn first_line(lines: &[Line], selected: usize, visible: usize) -> usize {
    let at = lines.iter().position(|line| matches!(line, Line::Lab(row, _) if *row == selected)).unwrap_or(0);
    let chapter = lines[..at].iter().rposition(|line| matches!(line, Line::Chapter(_))).unwrap_or(0);
    chapter.max((at + 1).saturating_sub(visible)).min(lines.len().saturating_sub(visible))
}

/// The first row that shows of a plain list.
fn first_row(selected: usize, visible: usize, all: usize) -> usize {
    (selected + 1).saturating_sub(visible).min(all.saturating_sub(visible))
}

/// Draws everything but what is open on top.
pub fn draw(canvas: &mut Canvas<'_>, home: &Home<'_>) {
    let size = Rect::new(0, 0, canvas.width(), canvas.height());
    let lines = course(home);
    let ways = home.chosen.listed(0, &home.listing).len() as u16;
    let recordings = home.chosen.listed(2, &home.listing).len();
    let few = u16::try_from(recordings).unwrap_or(u16::MAX);
    let rows = share(size, ways, lines.len() as u16, few);
    title(canvas, home);
    sandbox(&mut canvas.part(rows.sandbox), home);
    labs(&mut canvas.part(rows.labs), home, &lines);
    shelf(&mut canvas.part(rows.recordings), home);
}

fn title(canvas: &mut Canvas<'_>, home: &Home<'_>) {
    let edge = canvas.width().saturating_sub(1);
    canvas.put(1, 0, "onceish", Role::Strong);
    let version = env!("CARGO_PKG_VERSION");
    let theme = match home.look.theme {
        Theme::Dark => "dark",
        Theme::Light => "light",
        Theme::Mono => "mono",
    };
    let right = if edge + 1 >= WIDE { format!("{version}   {theme}   threads") } else { version.to_owned() };
    canvas.put_right(edge, 0, &right, Role::Text);
    let long = "What happens to a job when something dies? Run a real queue, break it, and see what was lost and what was done twice.";
    let brief = "What happens to a job when something dies? Break a real queue and see.";
    let words = if width(long) <= usize::from(edge) { long } else { brief };
    canvas.put(1, 1, words, Role::Dim);
}

/// The mark of the selected row: the focused section's stands out.
fn mark(canvas: &mut Canvas<'_>, y: u16, focused: bool) {
    if focused {
        canvas.cell(1, y, canvas.look.glyphs.select, Role::Accent);
    }
}

/// A section's title, with what its list is filtered by.
fn named(home: &Home<'_>, section: usize, title: &str) -> String {
    match home.chosen.filters[section].as_str() {
        "" => title.to_owned(),
        words => format!("{title} / {words}"),
    }
}

fn sandbox(canvas: &mut Canvas<'_>, home: &Home<'_>) {
    let focused = home.chosen.section == 0;
    let wide = canvas.width() >= WIDE;
    canvas.rule(0, Rule { title: "1 sandbox", focused, ..Rule::default() });
    let ways = home.chosen.listed(0, &home.listing);
    let selected = home.chosen.row(0, &home.listing);
    let visible = usize::from(canvas.height().saturating_sub(1));
    let first = first_row(selected, visible, ways.len());
    for (y, (row, way)) in (1..).zip(ways.iter().enumerate().skip(first).take(visible)) {
        let selected = focused && row == selected;
        mark(canvas, y, selected);
        let (name, words) = match way {
            Choice::LastTime => ("As last time", home.listing.last_time.clone().unwrap_or_default()),
            _ => ("Free play", free_play(canvas.width()).to_owned()),
        };
        let role = if selected { Role::Strong } else { Role::Text };
        canvas.put(3, y, name, role);
        canvas.put(if wide { 20 } else { 15 + 2 * u16::from(*way == Choice::LastTime) }, y, &words, role);
    }
}

fn free_play(columns: u16) -> &'static str {
    if columns >= ROOMY {
        "4 workers, a queue, a SQLite sink. Kill, stall and cut workers; change the policy while they run."
    } else {
        "4 workers, a queue, a SQLite sink; break it while it runs"
    }
}

/// Where the columns of the course are.
struct Columns {
    number: u16,
    title: u16,
    teaches: u16,
    /// What it runs in and how long it takes, where there is room for both.
    runs: Option<(u16, u16)>,
    /// Where the best result ends.
    best: u16,
}

impl Columns {
    fn of(columns: u16) -> Columns {
        if columns >= ROOMY {
            let runs = Some((columns - 35, columns - 25));
            Columns { number: 5, title: 7, teaches: 35, runs, best: columns - 8 }
        } else if columns >= WIDE {
            let runs = Some((columns - 24, columns - 15));
            Columns { number: 5, title: 7, teaches: 31, runs, best: columns - 1 }
        } else {
            Columns { number: 4, title: 5, teaches: 30, runs: None, best: columns }
        }
    }

    /// How many cells there are for what a lab teaches, beside its best result of so many cells.
    fn room(&self, best: u16) -> u16 {
        let end = self.runs.map_or(self.best.saturating_sub(best + u16::from(best > 0)), |(runs, _)| runs - 1);
        end.saturating_sub(self.teaches)
    }
}

fn labs(canvas: &mut Canvas<'_>, home: &Home<'_>, lines: &[Line]) {
    let focused = home.chosen.section == 1;
    let columns = Columns::of(canvas.width());
    rule_of_labs(canvas, home, focused);
    let selected = home.chosen.row(1, &home.listing);
    let visible = usize::from(canvas.height().saturating_sub(1));
    let first = first_line(lines, selected, visible);
    if lines.is_empty() {
        canvas.put(3, 1, "none that says so; / and enter show all", Role::Dim);
    }
    for (y, line) in (1..).zip(lines.iter().skip(first).take(visible)) {
        match line {
            Line::Chapter(name) => {
                canvas.put(1, y, name, Role::Dim);
                if y == 1 {
                    headings(canvas, &columns);
                }
            }
            Line::Lab(row, choice) => {
                let selected = focused && *row == selected;
                mark(canvas, y, selected);
                lab(canvas, y, home, *choice, &columns, selected);
            }
        }
    }
}

fn rule_of_labs(canvas: &mut Canvas<'_>, home: &Home<'_>, focused: bool) {
    let (done, right, of) = home.listing.done();
    let all = home.listing.labs.len();
    let answers = if canvas.width() >= WIDE { " answers" } else { "" };
    let right = match of {
        0 => format!("{done} of {all} done"),
        _ => format!("{done} of {all} done   {right} of {of}{answers} right"),
    };
    let title = named(home, 1, "2 labs: a course");
    canvas.rule(0, Rule { title: &title, right: &right, focused, alarm: false });
}

fn headings(canvas: &mut Canvas<'_>, columns: &Columns) {
    let Some((runs, takes)) = columns.runs else { return };
    canvas.put(columns.teaches - 1, 1, "what it teaches", Role::Dim);
    canvas.put(runs - 1, 1, "runs in", Role::Dim);
    canvas.put(takes - 1, 1, "takes", Role::Dim);
    canvas.put_right(columns.best - 1, 1, "best", Role::Dim);
}

fn lab(canvas: &mut Canvas<'_>, y: u16, home: &Home<'_>, choice: Choice, columns: &Columns, selected: bool) {
    let Choice::Lab(place) = choice else { return };
    let lab = &home.listing.labs[place];
    let role = if selected { Role::Strong } else { Role::Text };
    canvas.put_right(columns.number, y, &lab.number.to_string(), role);
    canvas.put_within(columns.title, y, columns.teaches - columns.title - 1, &lab.title, role);
    let best = lab.best.words();
    canvas.put_within(columns.teaches, y, columns.room(width(&best) as u16), &lab.teaches, role);
    if let Some((runs, takes)) = columns.runs {
        canvas.put_within(runs, y, takes - runs - 1, &lab.runs_in, role);
        canvas.put_within(takes, y, 9, &lab.takes, role);
    }
    let ends = match lab.best {
        Best::Done { marked: true, .. } => columns.best + 2,
        _ => columns.best,
    };
    canvas.put_right(ends.min(canvas.width()), y, &best, role);
}

fn shelf(canvas: &mut Canvas<'_>, home: &Home<'_>) {
    let focused = home.chosen.section == 2;
    let all = home.chosen.listed(2, &home.listing);
    let selected = home.chosen.row(2, &home.listing);
    let visible = usize::from(canvas.height().saturating_sub(1));
    let first = first_row(selected, visible, all.len());
    let right = match all.len() {
        n if n > visible => format!("{}-{} of {n}", first + 1, first + visible),
        _ => String::new(),
    };
    canvas.rule(0, Rule { title: &named(home, 2, "3 recordings"), right: &right, focused, alarm: false });
    if all.is_empty() {
        let none = match home.chosen.filters[2].as_str() {
            "" => "none yet; whatever is run on the screen is recorded",
            _ => "none that says so; / and enter show all",
        };
        canvas.put(3, 1, none, Role::Dim);
    }
    for (y, (row, choice)) in (1..).zip(all.iter().enumerate().skip(first).take(visible)) {
        let selected = focused && row == selected;
        mark(canvas, y, selected);
        recording(canvas, y, &home.listing, *choice, if selected { Role::Strong } else { Role::Text });
    }
}

fn recording(canvas: &mut Canvas<'_>, y: u16, listing: &Listing, choice: Choice, role: Role) {
    let Choice::Recording(place) = choice else { return };
    let one = &listing.recordings[place];
    let verdict = if one.verdict == "BROKEN" { Role::Bad } else { role };
    let lasts = one.lasts.map(span).unwrap_or_default();
    let columns = canvas.width();
    if columns < 80 {
        let edge = columns.saturating_sub(1);
        let start = canvas.put_right(edge, y, &one.verdict, verdict);
        let start = canvas.put_right(start.saturating_sub(2), y, &one.when, role);
        canvas.put_within(3, y, start.saturating_sub(5), &one.title, role);
        return;
    }
    let [title, when, long, harm, end] = if columns >= WIDE { [5, 36, 52, 81, 93] } else { [3, 34, 48, 61, 70] };
    canvas.put_within(title, y, when - title - 1, &one.title, role);
    canvas.put_within(when, y, long - when - 1, &one.when, role);
    canvas.put_within(long, y, 12, &lasts, role);
    if columns >= WIDE
        && let Some(crashes) = one.crashes
    {
        let word = if crashes == 1 { "crash" } else { "crashes" };
        canvas.put_within(67, y, 13, &format!("{crashes} {word}"), role);
    }
    canvas.put_within(harm, y, end - harm - 1, &one.harm, role);
    canvas.put(end, y, &one.verdict, verdict);
}

/// The keys at the left and right of the bottom row, with when each is left out: the higher, the earlier.
const LEFT: &[(Context, Command, u8)] = &[
    (Context::Home, Command::In, 0),
    (Context::Home, Command::Present, 2),
    (Context::Home, Command::Filter, 3),
    (Context::Home, Command::NextPanel, 2),
    (Context::Home, Command::Move(crate::tui::keys::Direction::Up), 5),
];
const RIGHT: &[(Context, Command, u8)] =
    &[(Context::Screen, Command::Palette, 4), (Context::Screen, Command::Help, 0), (Context::Screen, Command::Quit, 1)];

/// The commands that the bottom row names.
pub fn commands() -> Vec<Command> {
    LEFT.iter().chain(RIGHT).map(|(_, command, _)| *command).collect()
}

/// Draws the bottom row: what came of the last key, the filter that is typed, or the keys.
pub fn footer(canvas: &mut Canvas<'_>, home: &Home<'_>) -> Option<u16> {
    canvas.clear();
    if let Some(field) = &home.typing {
        let x = canvas.put(1, 0, "/ ", Role::Accent);
        canvas.put(x, 0, field.text(), Role::Text);
        return Some(x.saturating_add(field.cursor() as u16).min(canvas.width().saturating_sub(1)));
    }
    if let Some(message) = &home.message {
        canvas.put(1, 0, message, Role::Strong);
        return None;
    }
    let selected = home.chosen.selected(&home.listing);
    let enter = match selected {
        Some(Choice::Lab(_)) if home.listing.is_fresh() => "enter: start here",
        Some(Choice::Recording(_)) => "enter replay",
        _ => "enter start",
    };
    let gap = if canvas.width() >= WIDE { "   " } else { "  " };
    let room = usize::from(canvas.width().saturating_sub(2));
    let mut dropped = if canvas.width() >= WIDE { u8::MAX } else { 5 };
    let (left, right) = loop {
        let of_use = |command: Command| match command {
            Command::Present => matches!(selected, Some(Choice::Lab(_))),
            _ => true,
        };
        let words = |keys: &[(Context, Command, u8)]| -> Vec<&'static str> {
            let kept = keys.iter().filter(|(_, command, rank)| *rank < dropped && of_use(*command));
            let words = kept.filter_map(|(context, command, _)| hint_in(*context, *command));
            words.map(|hint| if hint == "enter start" { enter } else { hint }).collect()
        };
        let (left, right) = (words(LEFT), words(RIGHT));
        let cells: usize = left.iter().chain(&right).map(|text| width(text) + gap.len()).sum();
        if cells <= room + gap.len() || dropped <= 1 {
            break (left.join(gap), right.join(gap));
        }
        dropped = LEFT.iter().chain(RIGHT).map(|(.., rank)| *rank).filter(|rank| *rank < dropped).max().unwrap_or(1);
    };
    let edge = canvas.width().saturating_sub(1);
    let start = canvas.put_right(edge, 0, &right, Role::Dim);
    canvas.put(1, 0, &cut(&left, usize::from(start.saturating_sub(2))), Role::Dim);
    None
}
