//! What is shown where there is no room for a picture.

use ratatui::buffer::Buffer;

use crate::tui::canvas::Canvas;
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
    canvas.put(1, 0, &words, Role::Text);
    canvas.put(1, 1, "Enlarge the window. Jobs go on.  q leaves.", Role::Text);
}
