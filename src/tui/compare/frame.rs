//! One frame of a comparison: title, what both sides share, the sides, and what differs.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::difference::{self, Difference};
use super::layout::Places;
use super::side::{self, Side};
use super::{Compare, Sight, stories};
use crate::board::Board;
use crate::ids::Job;
use crate::setup::{Strike, Whom};
use crate::text::{count, counted};
use crate::tui::app::{Layer, workers_of};
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::{cut, moment, width, wrap};
use crate::tui::glyphs::Joint;
use crate::tui::screen;
use crate::tui::theme::Role;
use crate::tui::view::{footer, small, strip};
use crate::tui::watch::Moment;

/// The column at which the words of a difference begin, where both sides stand beside each other.
const WORDS: u16 = 33;
/// The column of its job.
const JOB: u16 = 25;

/// Draws a frame and returns the cell of the text cursor, if a field is open.
pub fn draw(buffer: &mut Buffer, compare: &Compare, sides: [Moment<'_>; 2]) -> Option<Position> {
    let (size, look) = (buffer.area, compare.desk.look);
    let boards = sides.map(|side| side.board);
    let workers = boards.map(workers_of).into_iter().max().unwrap_or(0);
    let Some(places) = Places::of(size, workers, compare.side) else {
        small::draw(buffer, &look);
        return None;
    };
    let mut canvas = Canvas::new(buffer, size, &look);
    if let Some(Layer::Help(help)) = &compare.desk.layer {
        return help.draw(&mut canvas, compare.desk.focus).map(|(x, y)| Position { x, y });
    }
    let now = sides[0].now;
    let extent = side::extent(&places.sides, boards, now);
    let sight = Sight { compare, sides, now, extent, places: &places };
    title(&mut canvas, &sight);
    if let Some(y) = places.stream {
        stream(&mut canvas, y, boards);
    }
    let both = [Side::new(&sight, 0), Side::new(&sight, 1)];
    for (side, place) in both.iter().zip(&places.sides) {
        side.draw(&mut canvas, place, &sight);
    }
    what_differs(&mut canvas, &sight);
    columns(&mut canvas, &sight);
    if let Some(opened) = compare.opened {
        canvas.part(places.body).clear();
        stories::draw(&mut canvas, &sight, opened);
    }
    bottom(&mut canvas, &sight)
}

/// What is open on top, or the bottom row.
fn bottom(canvas: &mut Canvas<'_>, sight: &Sight<'_>) -> Option<Position> {
    let (desk, places) = (&sight.compare.desk, sight.places);
    if let Some(layer) = &desk.layer {
        let side = &sight.sides[sight.compare.side];
        return screen::overlay(canvas, desk, layer, places.footer, places.body, *side);
    }
    footer::draw_compare(&mut canvas.part(places.footer), desk.message.as_deref(), sight.compare.opened.is_some());
    None
}

fn title(canvas: &mut Canvas<'_>, sight: &Sight<'_>) {
    let first = sight.sides[0];
    let seed = first.board.setup().map(|setup| format!("   seed {}", setup.seed)).unwrap_or_default();
    let start = strip::clockwork(canvas, first, &seed);
    let words = if canvas.width() >= 100 { "  compare: one stream, two policies" } else { "  compare" };
    let end = canvas.pieces(1, 0, &[("onceish", Role::Strong), (words, Role::Text)]);
    let leaving = sight.compare.desk.is_leaving();
    let said = sight.sides.map(|side| strip::notice(side, leaving));
    let notice = match said {
        [Some(a), Some(b)] if a == b => Some(a),
        [Some((words, role)), _] => Some((format!("A: {words}"), role)),
        [None, Some((words, role))] => Some((format!("B: {words}"), role)),
        [None, None] => None,
    };
    if let Some((words, role)) = notice {
        let room = start.saturating_sub(end + 4);
        canvas.put_within(end + 2, 0, room, &words, role);
    }
}

/// What both sides share: the jobs, and the faults that befell them.
fn stream(canvas: &mut Canvas<'_>, y: u16, boards: [&Board; 2]) {
    let jobs = boards[0].counters().enqueued;
    let jobs = if jobs == 1 { "The one job".to_owned() } else { format!("The same {} jobs", count(jobs)) };
    let room = usize::from(canvas.width().saturating_sub(2));
    let long = format!("{jobs}, work times and faults on both sides: ");
    let brief = jobs.trim_start_matches("The ").replacen("same", "Same", 1);
    let lead = if room >= 100 { long } else { format!("{brief}, same faults: ") };
    let faults = newest_last(&faults(boards), room.saturating_sub(width(&lead) + 1));
    let x = canvas.put(1, y, &lead, Role::Text);
    canvas.put(x, y, &format!("{faults}."), Role::Text);
}

/// The faults so far, oldest first: what befell the workers of A. Where workers die elsewhere in B, that is told first,
/// and of what befell workers only what was done by hand.
fn faults(boards: [&Board; 2]) -> Vec<String> {
    let strikes = boards.map(|board| board.setup().map(|setup| setup.crash.as_slice()).unwrap_or_default());
    let alike = strikes[0] == strikes[1];
    let own = |text: &str| text.starts_with(|letter: char| letter.is_lowercase());
    let notes = boards[0].notes().iter().filter(|note| !note.switch && (alike || own(&note.text)));
    let told = notes.map(|note| {
        let text = match note.text.strip_prefix("X ") {
            Some(died) => died.replacen(" at ", " died after ", 1).replacen(" in ", " died in ", 1),
            None => note.text.clone(),
        };
        format!("{text} at {}", moment(note.at))
    });
    (!alike).then(|| deaths(strikes)).into_iter().chain(told).collect()
}

/// Where workers die on either side: `deaths in 10 % of tries: after ack in A, effect in B`.
fn deaths(strikes: [&[Strike]; 2]) -> String {
    let whom = |strike: &Strike| match &strike.whom {
        Whom::Rate(rate) => format!("in {} % of tries", (rate.value() * 1e4).round() / 1e2),
        Whom::Page => "at the page's 398 jobs".to_owned(),
        Whom::Ids(ids) => format!("at {}", counted(ids.len() as u64, "listed job", "listed jobs")),
    };
    match strikes {
        [[a], [b]] if a.whom == b.whom => format!("deaths {}: after {} in A, {} in B", whom(a), a.at, b.at),
        sides => {
            let [a, b] = sides.map(|side| {
                let each = side.iter().map(|strike| format!("{} after {}", whom(strike), strike.at));
                let all = each.collect::<Vec<_>>().join(", ");
                if all.is_empty() { "none".to_owned() } else { all }
            });
            format!("deaths in A: {a}, in B: {b}")
        }
    }
}

/// As many of the newest as fit, oldest of them first; `~` stands for those before them.
fn newest_last(all: &[String], room: usize) -> String {
    let Some(newest) = all.last() else { return "none so far".to_owned() };
    let mut shown = newest.clone();
    for (place, text) in all.iter().enumerate().rev().skip(1) {
        let longer = format!("{text}; {shown}");
        let mark = if place > 0 { 2 } else { 0 };
        if width(&longer) + mark > room {
            shown = format!("~ {shown}");
            break;
        }
        shown = longer;
    }
    cut(&shown, room).into_owned()
}

/// The line between the sides, and where rules end at it.
fn columns(canvas: &mut Canvas<'_>, sight: &Sight<'_>) {
    let places = sight.places;
    let Some(split) = places.split else { return };
    let top = places.sides[0].strip.y;
    canvas.column(split, top, places.difference.y - top);
    canvas.joint(split, top, Joint::Down, false);
    if let Some(lanes) = places.sides[0].lanes {
        canvas.joint(split, lanes.y, Joint::Cross, false);
    }
    canvas.joint(split, places.difference.y, Joint::Up, false);
}

fn what_differs(canvas: &mut Canvas<'_>, sight: &Sight<'_>) {
    let place = sight.places.difference;
    let boards = sight.sides.map(|side| side.board);
    let all = difference::differences(boards[0], boards[1]);
    let chosen = sight.compare.chosen(&all);
    let mut canvas = canvas.part(place);
    differences_rule(&mut canvas, &all, chosen);
    let counters = boards.map(Board::counters);
    let lost = difference::lost(&counters[0], &counters[1]);
    let behaved = difference::behaviour(&counters[0], &counters[1]);
    let last = canvas.height().saturating_sub(1);
    if sight.places.split.is_some() {
        let found = chosen.map(|chosen| all[chosen]);
        beside(&mut canvas, found, boards);
        for (y, row) in (3..last).zip(more(&all, found, boards, canvas.width(), usize::from(last.saturating_sub(3)))) {
            for (x, text, role) in row {
                canvas.put(x, y, &text, role);
            }
        }
        canvas.put(1, last, "lost in A or B", Role::Text);
        canvas.put(JOB, last, &lost, Role::Text);
        let x = WORDS.max(JOB + width(&lost) as u16 + 3);
        canvas.put(x, last, &behaved, Role::Text);
    } else {
        below(&mut canvas, chosen.map(|chosen| all[chosen]), boards, &lost, &behaved);
    }
}

fn differences_rule(canvas: &mut Canvas<'_>, all: &[Difference], chosen: Option<usize>) {
    let title = match all.len() {
        0 => "difference: none so far".to_owned(),
        1 => "difference: 1 job".to_owned(),
        n => format!("difference: {} jobs", count(n as u64)),
    };
    let right = match chosen {
        Some(place) if all.len() > 1 => format!("{} of {}   n N", count(place as u64 + 1), count(all.len() as u64)),
        _ => String::new(),
    };
    canvas.rule(0, Rule { title: &title, right: &right, ..Rule::default() });
}

/// What is said while no fate differs.
const ALIKE: &str = "every job that is decided on both sides fared alike";

/// The sentence that tells what became of a job on one side.
fn sentence(board: &Board, found: Difference) -> String {
    board.brief(found.job).unwrap_or_else(|| "it is no longer in memory".to_owned())
}

/// The chosen job with a sentence for each side.
fn beside(canvas: &mut Canvas<'_>, found: Option<Difference>, boards: [&Board; 2]) {
    let Some(found) = found else {
        canvas.put(1, 1, "fate differs", Role::Text);
        canvas.put(JOB, 1, "none", Role::Text);
        canvas.put(WORDS, 1, ALIKE, Role::Dim);
        return;
    };
    canvas.put(1, 1, &found.label(), Role::Bad);
    canvas.put(JOB, 1, &found.job.to_string(), Role::Strong);
    for (y, (letter, board)) in (1..).zip(side::NAMES.iter().zip(boards)) {
        canvas.put(WORDS, y, &format!("{letter}: {}", sentence(board, found)), Role::Text);
    }
}

/// One row of what is told where there is room: its pieces, each with its column.
type Row = Vec<(u16, String, Role)>;

/// What is told in `rows` rows if it fits there whole: all jobs that differ, a row for each kind; why the chosen one came
/// out so on either side; what monitoring saw of it.
fn more(all: &[Difference], found: Option<Difference>, boards: [&Board; 2], columns: u16, rows: usize) -> Vec<Row> {
    let room = usize::from(columns.saturating_sub(WORDS + 1));
    let mut blocks = vec![listed(all, room)];
    let stories = found.map(|found| boards.map(|board| board.story(found.job)));
    if let Some([Some(a), Some(b)]) = stories {
        let seen = match a.monitoring == b.monitoring {
            true => format!("the same on both sides: {}", a.monitoring),
            false => format!("A: {} B: {}", a.monitoring, b.monitoring),
        };
        let told = [("why in A", &a.why), ("why in B", &b.why), ("what monitoring saw", &seen)];
        blocks.extend(told.map(|(label, words)| labelled(label, words, room)));
    }
    let mut shown: Vec<Row> = Vec::new();
    for block in blocks.into_iter().filter(|block| !block.is_empty()) {
        if shown.len() + 1 + block.len() <= rows {
            shown.push(Vec::new());
            shown.extend(block);
        }
    }
    shown
}

/// The jobs of each kind of difference, if more than one job differs.
fn listed(all: &[Difference], room: usize) -> Vec<Row> {
    let kinds = if all.len() > 1 { difference::kinds(all) } else { Vec::new() };
    let row = |(label, jobs): (String, Vec<Job>)| {
        let ids: Vec<String> = jobs.iter().take(room).map(ToString::to_string).collect();
        let ids = cut(&ids.join(", "), room + usize::from(WORDS - JOB)).into_owned();
        vec![(1, label, Role::Text), (JOB, ids, Role::Text)]
    };
    kinds.into_iter().map(row).collect()
}

/// Words in as many rows as they take, with a label at the first.
fn labelled(label: &str, words: &str, room: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = wrap(words, room).into_iter().map(|line| vec![(WORDS, line, Role::Text)]).collect();
    if let Some(first) = rows.first_mut() {
        first.push((1, label.to_owned(), Role::Accent));
    }
    rows
}

/// The same below each other, for a narrow screen. Sentences are told whole before it is said how the queue behaved.
fn below(canvas: &mut Canvas<'_>, found: Option<Difference>, boards: [&Board; 2], lost: &str, behaved: &str) {
    let room = usize::from(canvas.width().saturating_sub(2));
    let height = usize::from(canvas.height().saturating_sub(1));
    let text = |line: String| (line, Role::Text);
    let mut rows: Vec<(String, Role)> = Vec::new();
    match found {
        Some(found) => {
            rows.push((format!("job {}: {}", found.job, found.label()), Role::Bad));
            let told = side::NAMES.iter().zip(boards);
            let told: Vec<String> =
                told.map(|(letter, board)| format!("{letter}: {}", sentence(board, found))).collect();
            let wrapped: Vec<String> = told.iter().flat_map(|words| wrap(words, room)).collect();
            let fits = wrapped.len() < height;
            rows.extend((if fits { wrapped } else { told }).into_iter().map(text));
        }
        None => rows.push((ALIKE.to_owned(), Role::Dim)),
    }
    rows.extend(wrap(behaved, room).into_iter().map(text));
    for (y, (text, role)) in (1..canvas.height()).zip(&rows) {
        canvas.put(1, y, text, *role);
    }
    let lost = format!("lost: {lost}");
    let used = rows.first().map_or(0, |(text, _)| width(text));
    if used + 3 + width(&lost) <= room {
        canvas.put_right(canvas.width().saturating_sub(1), 1, &lost, Role::Text);
    }
}
