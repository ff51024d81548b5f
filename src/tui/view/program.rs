//! The worker's program: on two rows with whoever stands where, or whole, with what a death in each gap comes to.

use super::Scene;
use crate::board::{StepView, WorkerState, WorkerView};
use crate::policy::program::Bracket;
use crate::policy::{Dedup, DedupKey, Line, Memory, Point, Policy, Program};
use crate::text::count;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::{chosen, span, width};
use crate::tui::panel::Panel;
use crate::tui::theme::Role;
use crate::tui::words::fate::{Fate, death};

/// A step or a gap on the strip.
struct Token {
    text: String,
    place: Place,
}

/// What a worker must be at to stand here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Step(Point),
    Gap(Point),
}

/// Draws the program on two rows under its rule.
pub fn draw_strip(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let policy = scene.board.policy();
    let wide = canvas.width() >= 100;
    let title = if wide { named(policy) } else { "3 worker program".to_owned() };
    let last = scene.board.program().points().len().saturating_sub(1);
    let last = char::from(b'a' + u8::try_from(last).unwrap_or(0));
    let right = format!("[ ] one transaction   a..{last} crash points");
    let right = if wide { right.as_str() } else { "" };
    canvas.rule(0, Rule { title: &title, right, focused: scene.app.focus == Panel::Program, alarm: false });
    let room = usize::from(canvas.width()).saturating_sub(1);
    let tokens = fitting(scene.board.program(), room);
    let used: usize = tokens.iter().map(|token| width(&token.text)).sum();
    let joins = tokens.len().saturating_sub(1);
    let line = scene.look_line();
    // Where it is tight, the connectors touch the steps.
    let pad = u16::from(used + 3 * joins <= room);
    let free = room.saturating_sub(used + 2 * usize::from(pad) * joins);
    let (dashes, spare) = (free.checked_div(joins).unwrap_or(1).max(1), free.checked_rem(joins).unwrap_or(0));
    let mut x = 1;
    let mut crowds = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let here: Vec<String> = scene.workers.iter().filter_map(|view| name_at(view, token.place)).collect();
        let lit = scene.workers.iter().any(|view| stands(view, token.place));
        if !here.is_empty() {
            crowds.push((x, here));
        }
        x = canvas.put(x, 1, &token.text, token_role(token.place, lit));
        if i < joins {
            // What does not divide goes to the first connectors, so that the program ends at the right edge.
            let dashes = dashes + usize::from(i < spare);
            let connector: String = std::iter::repeat_n(line, dashes).collect();
            x = canvas.put(x + pad, 1, &connector, Role::Dim) + pad;
        }
    }
    standing(canvas, 2, &crowds);
}

/// Draws the program with its crash points on one row, in as few cells as it takes, and below it who stands where.
pub fn draw_compact(canvas: &mut Canvas<'_>, program: &Program, workers: &[WorkerView]) {
    let mut x = 1;
    let mut crowds = Vec::new();
    for token in tokens(program, true, false) {
        let here: Vec<String> = workers.iter().filter_map(|view| name_at(view, token.place)).collect();
        let lit = workers.iter().any(|view| stands(view, token.place));
        if !here.is_empty() {
            crowds.push((x, here));
        }
        x = canvas.put(x, 0, &token.text, token_role(token.place, lit)) + 1;
    }
    standing(canvas, 1, &crowds);
}

/// A program with its crash points on one line of at most `room` cells, and the cell at which each point stands.
pub fn line(program: &Program, room: usize, rule: char) -> (String, Vec<(Point, usize)>) {
    let joined = |brief| {
        let (mut text, mut points) = (String::new(), Vec::new());
        for token in tokens(program, brief, false) {
            if !text.is_empty() {
                text.push_str(&format!(" {rule} "));
            }
            if let Place::Gap(point) = token.place {
                points.push((point, width(&text)));
            }
            text.push_str(&token.text);
        }
        (text, points)
    };
    let long = joined(false);
    if width(&long.0) <= room { long } else { joined(true) }
}

fn token_role(place: Place, lit: bool) -> Role {
    match (place, lit) {
        (_, true) => Role::Accent,
        (Place::Step(_), false) => Role::Text,
        (Place::Gap(_), false) => Role::Dim,
    }
}

/// The tokens in the longest form that fits.
fn fitting(program: &Program, room: usize) -> Vec<Token> {
    let cells = |tokens: &[Token]| {
        let used: usize = tokens.iter().map(|token| width(&token.text)).sum();
        used + 3 * tokens.len().saturating_sub(1)
    };
    let forms = [(false, true), (false, false), (true, true), (true, false)];
    let laid = forms.into_iter().map(|(brief, last)| tokens(program, brief, last));
    let mut shortest = Vec::new();
    for tokens in laid {
        let fits = cells(&tokens) <= room;
        shortest = tokens;
        if fits {
            break;
        }
    }
    shortest
}

fn tokens(program: &Program, brief: bool, last_gap: bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    for line in program.lines() {
        let label = if brief { line.label.split(' ').next().unwrap_or(line.label) } else { line.label };
        let text = match line.bracket {
            Bracket::Outside | Bracket::Within | Bracket::Closes => label.to_owned(),
            Bracket::Alone => format!("[{label}]"),
            Bracket::Opens => format!("[{label}"),
        };
        tokens.push(Token { text, place: Place::Step(line.point) });
        let closes = if line.commit_letter.is_some() { "]" } else { "" };
        tokens.push(Token { text: format!("{}{closes}", line.letter), place: Place::Gap(line.point) });
        if let Some(letter) = line.commit_letter {
            tokens.push(Token { text: letter.to_string(), place: Place::Gap(Point::Commit) });
        }
    }
    if !last_gap {
        tokens.pop();
    }
    tokens
}

fn stands(view: &WorkerView, place: Place) -> bool {
    match (view.step, place) {
        (StepView::In(at, _), Place::Step(point)) => at == point,
        (StepView::After(at), Place::Gap(point)) => at == point,
        _ => false,
    }
}

/// Who stands at the places, and who will die there: `w1 w3`, `w2 x`, `w2!`. Each crowd begins below its place, or as
/// near to it as the others let it.
fn standing(canvas: &mut Canvas<'_>, y: u16, crowds: &[(u16, Vec<String>)]) {
    let wide = usize::from(canvas.width());
    let needed = |most: usize| crowds.iter().map(|(_, here)| width(&crowd(here, most)) + 1).sum::<usize>();
    let most = [4, 2, 1].into_iter().find(|most| needed(*most) < wide).unwrap_or(1);
    let shown: Vec<String> = crowds.iter().map(|(_, here)| crowd(here, most)).collect();
    let mut places: Vec<usize> = Vec::new();
    let mut free = 1;
    for ((x, _), words) in crowds.iter().zip(&shown) {
        let place = usize::from(*x).max(free);
        free = place + width(words) + 1;
        places.push(place);
    }
    let mut end = wide;
    for (place, words) in places.iter_mut().zip(&shown).rev() {
        *place = (*place).min(end.saturating_sub(width(words)));
        end = place.saturating_sub(1);
    }
    for ((place, words), (_, here)) in places.iter().zip(&shown).zip(crowds) {
        let bad = here.iter().any(|name| name.ends_with('x'));
        canvas.put(*place as u16, y, words, if bad { Role::Bad } else { Role::Text });
    }
}

/// All names if there are `most` at most; else the first ones and how many more there are.
fn crowd(here: &[String], most: usize) -> String {
    if here.len() <= most {
        return here.join(" ");
    }
    let named = most.div_ceil(2);
    format!("{} +{}", here[..named].join(" "), here.len() - named)
}

fn name_at(view: &WorkerView, place: Place) -> Option<String> {
    let dead = view.state == WorkerState::Dead;
    match place {
        Place::Gap(point) if view.armed == Some(point) && !dead => Some(format!("{}!", view.worker)),
        _ if stands(view, place) && dead => Some(format!("{} x", view.worker)),
        _ if stands(view, place) => Some(view.worker.to_string()),
        _ => None,
    }
}

/// The panel with how duplicates are recognised.
fn named(policy: &Policy) -> String {
    match policy.dedup {
        Dedup::None => "3 worker program: no dedup".to_owned(),
        dedup => format!("3 worker program: {dedup}"),
    }
}

/// Draws the whole program: each step with what the worker does, each gap with what a death there comes to.
pub fn draw_whole(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let policy = scene.board.policy();
    let wide = canvas.width() >= 80;
    let title = named(policy);
    let proviso = policy.proviso().map(|words| format!(" {words}")).unwrap_or_default();
    let claims = format!("claims {}{proviso}", policy.promise());
    let right = if wide { claims.as_str() } else { policy.promise().name() };
    canvas.rule(0, Rule { title: &title, right, focused: scene.app.focus == Panel::Program, alarm: false });
    canvas.put(3, 1, if wide { "step        what the worker does" } else { "step" }, Role::Dim);
    canvas.put_right(canvas.width().saturating_sub(1), 1, "here now", Role::Dim);
    let rows = whole_rows(scene.board.program(), policy);
    let visible = usize::from(canvas.height().saturating_sub(2));
    let first = scene.app.program_scroll.min(rows.len().saturating_sub(visible));
    for (y, row) in (2..).zip(rows.iter().skip(first).take(visible)) {
        whole_row(canvas, y, row, scene, wide);
    }
}

/// One row of the whole program.
struct Row {
    place: Place,
    label: String,
    words: String,
    fate: Option<Fate>,
}

fn whole_rows(program: &Program, policy: &Policy) -> Vec<Row> {
    let mut rows = Vec::new();
    for line in program.lines() {
        rows.push(Row {
            place: Place::Step(line.point),
            label: bracketed(&line),
            words: does(&line, policy),
            fate: None,
        });
        rows.push(gap(line.letter, line.point, policy));
        if let Some(letter) = line.commit_letter {
            rows.push(gap(letter, Point::Commit, policy));
        }
    }
    rows
}

fn gap(letter: char, point: Point, policy: &Policy) -> Row {
    let death = death(policy, point);
    let words = death.map_or(String::new(), |death| format!("dies here: {}", death.words(policy)));
    Row { place: Place::Gap(point), label: letter.to_string(), words, fate: death.map(|death| death.fate) }
}

fn bracketed(line: &Line) -> String {
    match line.bracket {
        Bracket::Outside => line.label.to_owned(),
        Bracket::Alone => format!("[{}]", line.label),
        Bracket::Opens => format!("[{}", line.label),
        Bracket::Within => format!(" {}", line.label),
        Bracket::Closes => format!(" {}]", line.label),
    }
}

/// What the worker does at a step.
fn does(line: &Line, policy: &Policy) -> String {
    let key = match policy.key {
        DedupKey::Job => "job id",
        DedupKey::Attempt => "job id + try",
        DedupKey::Random => "a random number",
    };
    match (line.point, line.bracket) {
        (Point::Claim, _) => format!("take the oldest ready job; its lease starts ({})", chosen(policy.lease)),
        (Point::Work, _) => match policy.beat() {
            Some(beat) => format!("do the job; renew every {} beside it", chosen(beat)),
            None => "do the job; the lease is not renewed".to_owned(),
        },
        (Point::Ack, _) => "tell the queue to forget the job".to_owned(),
        (Point::Check, Bracket::Outside) => format!("ask the sink for key = {key}; if it is there, go to ack"),
        (Point::Check, _) => match policy.dedup.memory() {
            Memory::Window(n) => format!("one transaction: is key = {key} among the last {}?", count(u64::from(n))),
            Memory::Ttl(d) => format!("one transaction: is key = {key} younger than {}?", chosen(d)),
            Memory::Worker => format!("one transaction: do I remember key = {key}?"),
            _ => format!("one transaction: if key = {key} is there, go to ack"),
        },
        (Point::Effect, Bracket::Alone) => "write the row; a transaction of its own".to_owned(),
        (Point::Effect, _) => "write the row".to_owned(),
        (Point::Key, Bracket::Alone) => "write the key; a transaction of its own".to_owned(),
        (Point::Key, Bracket::Outside) => "note the id in the worker's own memory".to_owned(),
        (Point::Key, _) => "write the key; then commit".to_owned(),
        (Point::Commit, _) => String::new(),
    }
}

fn whole_row(canvas: &mut Canvas<'_>, y: u16, row: &Row, scene: &Scene<'_>, wide: bool) {
    let here: Vec<String> = scene.workers.iter().filter_map(|view| here_words(view, row.place, scene)).collect();
    let here = if here.len() > 4 { format!("{} +{}", here[..2].join("  "), here.len() - 2) } else { here.join("  ") };
    let edge = canvas.width().saturating_sub(1);
    let free = if here.is_empty() { edge + 1 } else { edge.saturating_sub(width(&here) as u16 + 1) };
    let words_at = if wide { 15 } else { 4 };
    match row.place {
        Place::Step(_) => {
            canvas.put(3, y, &row.label, if here.is_empty() { Role::Text } else { Role::Accent });
            if wide {
                canvas.put_within(words_at, y, free.saturating_sub(words_at), &row.words, Role::Text);
            }
        }
        Place::Gap(_) => {
            canvas.put(1, y, &row.label, Role::Accent);
            let line: String = std::iter::repeat_n(scene.look_line(), if wide { 5 } else { 1 }).collect();
            let x = canvas.put(3, y, &line, Role::Dim) + 1;
            let bad = matches!(row.fate, Some(Fate::Lost | Fate::Twice)) && scene.app.look.truth;
            let words = if scene.app.look.truth { row.words.as_str() } else { "dies here: ?" };
            let words = if wide { words } else { words.trim_start_matches("dies here: ") };
            canvas.put_within(x, y, free.saturating_sub(x), words, if bad { Role::Bad } else { Role::Text });
        }
    }
    if !here.is_empty() {
        canvas.put_right(edge, y, &here, Role::Text);
    }
}

/// Who stands here, with its job, and since when if it is dead.
fn here_words(view: &WorkerView, place: Place, scene: &Scene<'_>) -> Option<String> {
    let name = name_at(view, place)?;
    let job = view.delivery.as_ref().map(|delivery| format!(" {}", delivery.job)).unwrap_or_default();
    if view.state != WorkerState::Dead {
        return Some(if name.ends_with('!') { name } else { format!("{name}{job}") });
    }
    let lane = scene.board.lane(view.worker);
    let died = lane.bars.back().and_then(|bar| bar.ended).map(|at| format!(", {} ago", span(scene.now.since(at))));
    Some(format!("x {}{job}{}", view.worker, died.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;

    use super::*;
    use crate::tui::fixture::text;
    use crate::tui::glyphs::Glyphs;
    use crate::tui::theme::{Look, Theme};

    fn names(crowds: &[(u16, &[&str])]) -> String {
        let look = Look::new(Theme::Mono, Glyphs::ASCII);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 30, 3));
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let crowds: Vec<_> = crowds.iter().map(|(x, here)| (*x, owned(here))).collect();
        standing(&mut Canvas::new(&mut buffer, Rect::new(0, 0, 30, 3), &look), 2, &crowds);
        text(&buffer)[2].trim_end().to_owned()
    }

    #[test]
    fn names_never_overwrite_each_other() {
        assert_eq!(names(&[(3, &["w1", "w3"]), (6, &["w2 x"])]), "   w1 w3 w2 x");
        assert_eq!(names(&[(10, &["w4"]), (28, &["w1", "w2 x"])]), "          w4           w1 w2 x");
        assert_eq!(names(&[(1, &["w1", "w2", "w3", "w4", "w5"])]), " w1 w2 +3");
        let crowd: &[&str] = &["w11", "w12", "w13", "w14"];
        assert_eq!(names(&[(1, crowd), (5, crowd)]), " w11 +3 w11 +3");
    }

    #[test]
    fn a_program_is_whole_beside_the_inspector() {
        for dedup in crate::policy::Dedup::ALL {
            for ack in [crate::policy::AckOrder::After, crate::policy::AckOrder::Before] {
                let tokens = fitting(&Program::of(ack, dedup), 66);
                let used: usize = tokens.iter().map(|token| width(&token.text)).sum();
                assert!(used + tokens.len() - 1 <= 66, "{ack} {dedup}");
            }
        }
    }
}
