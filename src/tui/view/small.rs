//! What is shown where there is no room for a picture.

use ratatui::buffer::Buffer;

use crate::tui::canvas::Canvas;
use crate::tui::fit::wrap;
use crate::tui::layout::LEAST;
use crate::tui::theme::{Look, Role};

/// Says how large the terminal should be, as far as that fits.
pub fn draw(buffer: &mut Buffer, look: &Look) {
    draw_for(buffer, look, LEAST);
}

/// The same for something that needs `least` columns and rows.
pub fn draw_for(buffer: &mut Buffer, look: &Look, least: (u16, u16)) {
    let size = buffer.area;
    let mut canvas = Canvas::new(buffer, size, look);
    let words = format!("onceish needs {}x{}, this is {}x{}.", least.0, least.1, size.width, size.height);
    let room = usize::from(size.width.saturating_sub(2)).max(1);
    let lines = wrap(&words, room).into_iter().chain(wrap("Enlarge the window. Jobs go on. q leaves.", room));
    for (y, line) in (0..).zip(lines) {
        canvas.put(1, y, &line, Role::Text);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;
    use crate::tui::fixture::text;
    use crate::tui::glyphs::Glyphs;
    use crate::tui::theme::Theme;

    #[test]
    fn the_size_that_is_needed_is_said_whole_where_there_is_room_for_its_words() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 6));
        draw(&mut buffer, &Look::new(Theme::Mono, Glyphs::ASCII));
        let said: Vec<String> = text(&buffer).iter().map(|row| row.trim().to_owned()).collect();
        assert_eq!(said.join(" "), "onceish needs 60x16, this is 20x6. Enlarge the window. Jobs go on. q leaves.");
    }
}
