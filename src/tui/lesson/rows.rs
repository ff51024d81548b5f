//! The run of a lab: the whole sandbox, and the lesson's two rows above the keys.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::Lesson;
use super::frame::fitted;
use super::pages::{answered, progress};
use crate::board::{Board, Line};
use crate::lab::lesson::Page;
use crate::lab::{Lab, Trigger};
use crate::tui::canvas::Canvas;
use crate::tui::fit::wrap;
use crate::tui::theme::Role;
use crate::tui::watch::View;

/// The cell at which narration begins.
const WORDS: u16 = 16;

/// What the two rows say.
struct Rows {
    step: String,
    words: Vec<String>,
    said: String,
    keys: String,
    progress: String,
}

impl Lesson<'_> {
    pub(super) fn draw_run(&mut self, buffer: &mut Buffer) -> Option<Position> {
        let (area, over) = (buffer.area, self.over());
        let drawn = self.with_run(|lesson, sides| {
            let cursor = View::draw(&mut lesson.app, buffer, sides);
            let moment = sides[0];
            (cursor, lesson.rows(moment.board, over, moment.showing.stopped, area.width))
        });
        let (cursor, rows) = drawn?;
        lower_keys(buffer);
        let look = self.look;
        let place = Rect { y: area.bottom().saturating_sub(3), height: 2, ..area };
        let mut canvas = Canvas::new(buffer, area, &look);
        draw(&mut canvas.part(place), &rows);
        cursor
    }

    fn rows(&self, board: &Board, over: bool, stopped: bool, cells: u16) -> Rows {
        let said = board
            .narration()
            .iter()
            .rev()
            .find(|line| matches!(line.line, Line::Said { .. } | Line::Asked) && !line.text.trim().is_empty());
        let room = usize::from(cells.saturating_sub(WORDS + 1));
        let begun = said.is_some_and(|line| !told_before(self.stage.lab(), line.step));
        let shown = shown(self.stage.lab()).filter(|_| !begun);
        let text = shown.or_else(|| said.map(|line| line.text.to_string()));
        let words = text.map_or(Vec::new(), |text| wrap(&fitted(&text, u16::MAX), room));
        let result = self.walk.page() != Page::Run;
        let keys = match (result, over, stopped) {
            (true, ..) => "enter back to the lesson",
            (_, true, _) => "enter what came of it",
            (_, _, true) => "space go on   enter open the lesson",
            _ => "enter open the lesson",
        };
        Rows {
            step: format!("step {} of {}", self.number(), self.walk.pages().len()),
            words,
            said: self.last_answer(),
            keys: keys.to_owned(),
            progress: progress(board),
        }
    }

    /// What was said to the last question that was answered.
    fn last_answer(&self) -> String {
        let questions = self.walk.pages().questions().iter().rev();
        let mut given = questions.filter_map(|step| Some((*step, self.walk.answer(*step)?)));
        given
            .next()
            .map_or(String::new(), |(step, answer)| format!("you said {}", answered(self.stage.lab(), step, answer)))
    }
}

/// True for a step that comes before the run.
fn told_before(lab: &Lab, step: u32) -> bool {
    lab.step(step).is_some_and(|step| step.trigger == Trigger::Before)
}

/// What the run is that is shown, where others run behind it.
fn shown(lab: &Lab) -> Option<String> {
    let (first, others) = lab.variants.split_first().filter(|(_, others)| !others.is_empty())?;
    let others: Vec<&str> = others.iter().map(|variant| variant.name.as_str()).collect();
    let says = first.says.trim_end_matches('.');
    Some(format!("You see {}: {says}. Behind it: {}.", first.name, others.join(", ")))
}

/// The keys of the sandbox stand on the first of its bottom rows; they move to the last, and the others are the lesson's.
fn lower_keys(buffer: &mut Buffer) {
    let area = buffer.area;
    let (from, to) = (area.bottom().saturating_sub(3), area.bottom().saturating_sub(1));
    for x in area.left()..area.right() {
        buffer[(x, to)] = buffer[(x, from)].clone();
    }
}

fn draw(canvas: &mut Canvas<'_>, rows: &Rows) {
    canvas.clear();
    let edge = canvas.width().saturating_sub(1);
    canvas.put_within(1, 0, WORDS - 2, &rows.step, Role::Accent);
    let start = canvas.put_right(edge, 1, &rows.progress, Role::Text);
    let start = canvas.put_right(start.saturating_sub(3), 1, &rows.keys, Role::Strong);
    match rows.words.as_slice() {
        [] | [_] => {
            canvas.put(WORDS, 0, rows.words.first().map_or("", String::as_str), Role::Strong);
            canvas.put_within(1, 1, start.saturating_sub(3), &rows.said, Role::Text);
        }
        [first, rest @ ..] => {
            canvas.put(WORDS, 0, first, Role::Strong);
            let rest = rest.join(" ");
            canvas.put_within(WORDS, 1, start.saturating_sub(WORDS + 2), &rest, Role::Strong);
        }
    }
}
