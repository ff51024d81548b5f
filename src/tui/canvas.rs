//! A part of the screen to draw on, with its own coordinates. Every text passes through here, so that none is drawn
//! outside, none unclean, and none longer than its place.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::fit::{cut, tidy, width};
use super::glyphs::Joint;
use super::theme::{Look, Role};

/// A rectangle of the buffer. Coordinates count from its upper left corner; what lies outside is not drawn.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    /// How to look.
    pub look: &'a Look,
}

/// The title row of a panel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rule<'a> {
    /// What the panel is called, with its number: `1 workers`.
    pub title: &'a str,
    /// What stands at its right end.
    pub right: &'a str,
    /// Whether the panel has the focus.
    pub focused: bool,
    /// True when something is wrong that is out of sight.
    pub alarm: bool,
}

impl<'a> Canvas<'a> {
    /// The part of `buffer` that `area` covers.
    pub fn new(buffer: &'a mut Buffer, area: Rect, look: &'a Look) -> Canvas<'a> {
        let area = area.intersection(buffer.area);
        Canvas { buffer, area, look }
    }

    /// A part of this part, in this part's coordinates.
    pub fn part(&mut self, area: Rect) -> Canvas<'_> {
        let placed = Rect {
            x: self.area.x.saturating_add(area.x),
            y: self.area.y.saturating_add(area.y),
            width: area.width,
            height: area.height,
        };
        Canvas { area: placed.intersection(self.area), buffer: self.buffer, look: self.look }
    }

    /// The buffer itself and the place in it, for a view that places its own cells.
    pub fn raw(&mut self) -> (&mut Buffer, Rect) {
        (self.buffer, self.area)
    }

    /// Cells from left to right.
    pub fn width(&self) -> u16 {
        self.area.width
    }

    /// Rows.
    pub fn height(&self) -> u16 {
        self.area.height
    }

    /// Draws `text` from `x` on and returns where it ends; it is cut at the right edge.
    pub fn put(&mut self, x: u16, y: u16, text: &str, role: Role) -> u16 {
        let room = self.area.width.saturating_sub(x);
        self.put_within(x, y, room, text, role)
    }

    /// Draws `text` in at most `room` cells from `x` on and returns where it ends.
    pub fn put_within(&mut self, x: u16, y: u16, room: u16, text: &str, role: Role) -> u16 {
        let room = room.min(self.area.width.saturating_sub(x));
        if y >= self.area.height || room == 0 {
            return x;
        }
        let cleaned = tidy(text);
        let shown = cut(&cleaned, usize::from(room));
        let style = self.look.style(role);
        let (end, _) = self.buffer.set_stringn(self.area.x + x, self.area.y + y, &shown, usize::from(room), style);
        end - self.area.x
    }

    /// Draws `text` so that it ends before `right`, and returns where it starts. Too long a text starts at 0.
    pub fn put_right(&mut self, right: u16, y: u16, text: &str, role: Role) -> u16 {
        let cells = u16::try_from(width(&tidy(text))).unwrap_or(u16::MAX);
        let start = right.saturating_sub(cells);
        self.put_within(start, y, right - start, text, role);
        start
    }

    /// Draws pieces one after the other and returns where the last ends.
    pub fn pieces(&mut self, x: u16, y: u16, pieces: &[(&str, Role)]) -> u16 {
        pieces.iter().fold(x, |x, (text, role)| self.put(x, y, text, *role))
    }

    /// Draws `glyph` in one cell.
    pub fn cell(&mut self, x: u16, y: u16, glyph: char, role: Role) {
        let mut bytes = [0; 4];
        self.put_within(x, y, 1, glyph.encode_utf8(&mut bytes), role);
    }

    /// Draws a row of one glyph.
    pub fn fill(&mut self, x: u16, y: u16, cells: u16, glyph: char, role: Role) {
        for x in x..x.saturating_add(cells).min(self.area.width) {
            self.cell(x, y, glyph, role);
        }
    }

    /// Draws a line between two columns, `height` rows long.
    pub fn column(&mut self, x: u16, y: u16, height: u16) {
        let glyph = self.look.glyphs.column;
        for y in y..y.saturating_add(height).min(self.area.height) {
            self.cell(x, y, glyph, Role::Dim);
        }
    }

    /// Makes every cell of this part blank.
    pub fn clear(&mut self) {
        for y in 0..self.area.height {
            self.fill(0, y, self.area.width, ' ', Role::Text);
        }
    }

    /// Draws a panel's rule over the whole width at row `y`.
    pub fn rule(&mut self, y: u16, rule: Rule<'_>) {
        let role = if rule.focused { Role::Accent } else { Role::Dim };
        let line = self.look.glyphs.line(rule.focused);
        self.fill(0, y, self.area.width, line, role);
        let title_end = self.rule_title(y, rule);
        let alarm = if rule.alarm { " !" } else { "" };
        let right = format!(" {}{alarm} ", rule.right);
        let start = self.area.width.saturating_sub(1).saturating_sub(width(&right) as u16);
        if (rule.right.is_empty() && !rule.alarm) || start < title_end {
            return;
        }
        self.put(start, y, &right, if rule.focused { Role::Text } else { Role::Dim });
        if rule.alarm {
            self.cell(self.area.width.saturating_sub(3), y, '!', Role::Bad);
        }
    }

    fn rule_title(&mut self, y: u16, rule: Rule<'_>) -> u16 {
        if rule.title.is_empty() {
            return 0;
        }
        let room = self.area.width.saturating_sub(4);
        let x = self.put(1, y, " ", Role::Text);
        let x = if rule.focused { self.put(x, y, &self.look.glyphs.select.to_string(), Role::Accent) } else { x };
        let role = if rule.focused { Role::Title } else { Role::Text };
        let x = self.put_within(x, y, room, rule.title, role);
        self.put_within(x, y, 1, " ", Role::Text)
    }

    /// Sets a joint into a rule.
    pub fn joint(&mut self, x: u16, y: u16, joint: Joint, focused: bool) {
        let glyph = self.look.glyphs.joint(joint, focused);
        self.cell(x, y, glyph, if focused { Role::Accent } else { Role::Dim });
    }

    /// Draws a gauge of `cells` cells that is full to `part`, 0 to 1; anything above nothing fills one cell.
    pub fn gauge(&mut self, x: u16, y: u16, cells: u16, part: f64) {
        let glyphs = self.look.glyphs;
        let full = (part.clamp(0.0, 1.0) * f64::from(cells)).ceil() as u16;
        self.fill(x, y, full, glyphs.full, Role::Text);
        self.fill(x + full, y, cells - full, glyphs.empty, Role::Dim);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::glyphs::Glyphs;
    use crate::tui::theme::Theme;

    fn drawn(area: Rect, draw: impl FnOnce(&mut Canvas<'_>)) -> Vec<String> {
        let look = Look::new(Theme::Mono, Glyphs::ASCII);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 3));
        draw(&mut Canvas::new(&mut buffer, area, &look));
        (0..3).map(|y| (0..20).map(|x| buffer[(x, y)].symbol()).collect::<String>()).collect()
    }

    #[test]
    fn a_focused_rule_shows_without_colour() {
        let rows = drawn(Rect::new(0, 0, 20, 3), |canvas| {
            canvas.rule(0, Rule { title: "1 workers", right: "hint", focused: true, alarm: false });
            canvas.rule(1, Rule { title: "5 log", ..Rule::default() });
            canvas.rule(2, Rule { title: "1 workers", right: "much too long", ..Rule::default() });
        });
        assert_eq!(rows[0], "= >1 workers == hint =".replace("== h", " h"));
        assert_eq!(rows[1], "- 5 log ------------");
        assert_eq!(rows[2], "- 1 workers --------");
    }

    #[test]
    fn nothing_is_drawn_outside_or_unclean() {
        let rows = drawn(Rect::new(2, 1, 6, 1), |canvas| {
            canvas.put(0, 0, "\u{1b}[31mlong words", Role::Text);
            canvas.put(0, 5, "below", Role::Text);
            canvas.put(90, 0, "right", Role::Text);
            canvas.put_right(3, 9, "right", Role::Text);
        });
        assert_eq!(rows, ["                    ", "  [31ml~            ", "                    "]);
    }

    #[test]
    fn a_gauge_with_anything_left_is_not_empty() {
        let rows = drawn(Rect::new(0, 0, 4, 3), |canvas| {
            canvas.gauge(0, 0, 4, 0.01);
            canvas.gauge(0, 1, 4, 1.0);
            canvas.gauge(0, 2, 4, 0.0);
        });
        assert_eq!([&rows[0][..4], &rows[1][..4], &rows[2][..4]], ["#...", "####", "...."]);
    }
}
