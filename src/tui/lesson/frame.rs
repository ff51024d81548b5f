//! One frame of a lesson: the title, the way through the lab, the page, and the keys; or the run with the lesson's two
//! rows below it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::keys_page;
use super::pages::Written;
use super::text::{Text, WIDTH};
use super::{Lesson, Sight};
use crate::lab::lesson::Page;
use crate::tui::canvas::Canvas;
use crate::tui::fit::{cut, tidy, width};
use crate::tui::keys::Context;
use crate::tui::layout::LEAST;
use crate::tui::theme::Role;
use crate::tui::view::{footer, small};

/// The part of a screen that a page keeps: its columns, in the middle.
pub fn centred(area: Rect) -> Rect {
    let width = area.width.min(WIDTH);
    Rect { x: area.x + (area.width - width) / 2, width, ..area }
}

/// Draws the way: the double part is what lies behind.
pub fn draw_way(canvas: &mut Canvas<'_>, y: u16, at: usize, of: usize) {
    let cells = canvas.width();
    let done = usize::from(cells) * at.min(of) / of.max(1);
    let glyphs = canvas.look.glyphs;
    canvas.fill(0, y, cells, glyphs.rule, Role::Dim);
    canvas.fill(0, y, done as u16, glyphs.rule_focus, Role::Accent);
}

impl Lesson<'_> {
    pub(super) fn draw_frame(&mut self, buffer: &mut Buffer) -> Option<Position> {
        let area = buffer.area;
        if area.width < LEAST.0 || area.height < LEAST.1 {
            small::draw(buffer, &self.look);
            return None;
        }
        if self.sight == Sight::Run && !self.keys {
            return self.draw_run(buffer);
        }
        let look = self.look;
        let mut canvas = Canvas::new(buffer, area, &look);
        canvas.clear();
        let place = centred(area);
        let written = self.write(place.width);
        let cursor = self.draw_page(&mut canvas.part(place), written);
        let bottom = Rect { y: place.bottom() - 1, height: 1, ..place };
        let hints = self.hints();
        let hints: Vec<&str> = hints.iter().map(String::as_str).collect();
        footer::draw_own(&mut canvas.part(bottom), self.message.as_deref(), &hints);
        cursor.map(|(x, y)| Position { x: place.x + x, y: place.y + y })
    }

    /// What the page says.
    fn write(&mut self, cells: u16) -> Written {
        if self.keys {
            return Written { text: keys_page::write(&[Context::Lesson, Context::LabRun], cells), cursor: None };
        }
        match (self.sight, self.walk.page()) {
            (Sight::Story, _) => self.write_story(cells),
            (Sight::Asking(step), _) | (_, Page::Question(step)) => self.write_question(step, cells),
            (_, Page::Said(step)) => self.write_said(step, cells),
            (_, Page::Result(step)) => self.write_result(step, cells),
            (_, Page::End) => self.write_end(cells),
            (_, Page::Run) => Written { text: Text::new(cells), cursor: None },
        }
    }

    /// Draws title, way and page, and says where the cursor is.
    fn draw_page(&mut self, canvas: &mut Canvas<'_>, written: Written) -> Option<(u16, u16)> {
        self.title(canvas);
        draw_way(canvas, 1, self.number(), self.walk.pages().len());
        let top: u16 = 3;
        let rows = canvas.height().saturating_sub(top + 1);
        let lines = written.text.lines.len() as u16;
        self.beyond = lines.saturating_sub(rows);
        self.scroll = self.scroll.min(self.beyond);
        for (y, line) in (top..top + rows).zip(written.text.lines.iter().skip(usize::from(self.scroll))) {
            line.draw(canvas, y);
        }
        if self.scroll < self.beyond {
            let more = format!("down: {} more", self.beyond - self.scroll);
            canvas.put_right(canvas.width().saturating_sub(1), 2, &more, Role::Dim);
        }
        let (x, line) = written.cursor?;
        let y = (line as u16).checked_sub(self.scroll).filter(|y| *y < rows)?;
        Some((x.min(canvas.width().saturating_sub(1)), top + y))
    }

    fn title(&self, canvas: &mut Canvas<'_>) {
        let lab = self.stage.lab();
        let number = self.stage.place().map_or(String::new(), |(n, of)| format!(" {n} of {of}"));
        let step = format!("step {} of {}", self.number(), self.walk.pages().len());
        let setup = &lab.variants[0].setup;
        let seeds = setup.workload.redeliver_after.map_or(String::new(), |plan| format!(", {}", plan.seed));
        let badge = match setup.driver {
            crate::setup::Driver::Simulation => "VIRTUAL",
            crate::setup::Driver::Threads => "LIVE",
        };
        let right = format!("{step}   {badge}   seed {}{seeds}", setup.seed);
        let start = canvas.put_right(canvas.width().saturating_sub(1), 0, &right, Role::Text);
        let end = canvas.put(1, 0, &format!("lab{number}"), Role::Text);
        let room = start.saturating_sub(end + 4);
        canvas.put_within(end + 2, 0, room, &lab.title, Role::Strong);
    }

    /// The keys that are of use on this page, the last of them at the right edge.
    fn hints(&self) -> Vec<String> {
        let own = |hints: &[&str]| hints.iter().map(|hint| (*hint).to_owned()).collect::<Vec<_>>();
        if self.keys {
            return own(&["up down scroll", "esc close"]);
        }
        if let Some(step) = self.asked() {
            return self.asking_hints(step);
        }
        match (self.sight, self.walk.page()) {
            (Sight::Story, _) if self.over() => own(&["enter what came of it", "up down scroll", "? help"]),
            (Sight::Story, _) => own(&["enter back to the run", "up down scroll", "? help"]),
            (_, Page::Result(_)) => {
                let (right, of) = self.judged();
                let score = format!("{right} of {of} right   ? help");
                let mut hints = own(&["enter next", "left back", "o open this run", "i why"]);
                hints.push(score);
                hints
            }
            (_, Page::End) => own(&["enter home", "ctrl-r again", "left back", "o open this run", "? help"]),
            _ => own(&["enter next", "left back", "v present", "q leave", "? help"]),
        }
    }

    fn asking_hints(&self, step: usize) -> Vec<String> {
        let runs =
            self.walk.page() == Page::Question(step) && self.walk.pages().all().get(self.number()) == Some(&Page::Run);
        let enter = match (self.entry.held, runs) {
            (false, _) => "enter take the field",
            (true, true) => "enter answer and run",
            (true, false) => "enter answer",
        };
        let is_number = self.stage.lab().steps[step]
            .ask
            .as_ref()
            .is_some_and(|ask| matches!(ask.answer, crate::lab::Answer::Number { .. }));
        let second = match (self.entry.held, is_number) {
            (false, _) => "left back",
            (true, true) => "ctrl-u clear",
            (true, false) => "up down choose",
        };
        let last = match (self.entry.held, is_number) {
            (false, _) => "q leave   ? help",
            (true, true) => "esc let go of the field   ? help",
            (true, false) => "esc let go   ? help",
        };
        [enter, second, last].map(str::to_owned).to_vec()
    }

    /// How many answers are right of those whose results were seen up to this page.
    fn judged(&self) -> (usize, usize) {
        let Some((_, outcome)) = &self.outcome else { return (0, 0) };
        let Page::Result(step) = self.walk.page() else { return outcome.score() };
        let upto = self.walk.pages().questions().iter().take_while(|one| **one <= step).count();
        let seen = outcome.questions.iter().take(upto);
        (seen.filter(|came| came.right == Some(true) && came.waits.is_empty()).count(), upto)
    }
}

/// `text` in at most so many cells, clean.
pub(super) fn fitted(text: &str, cells: u16) -> String {
    let clean = tidy(text);
    if width(&clean) <= usize::from(cells) { clean.into_owned() } else { cut(&clean, usize::from(cells)).into_owned() }
}
