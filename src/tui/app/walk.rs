//! Moving about: what the arrows do in each panel.

use super::{App, Moment, workers_of};
use crate::tui::keys::Direction;
use crate::tui::panel::Panel;
use crate::tui::view::{dead, log};

/// How many rows or cells a page is.
const PAGE: usize = 10;

/// A step along a list: how far, and which way.
fn along(direction: Direction) -> isize {
    match direction {
        Direction::Up | Direction::Left => -1,
        Direction::Down | Direction::Right => 1,
        Direction::PageUp => -(PAGE as isize),
        Direction::PageDown => PAGE as isize,
        Direction::Home => isize::MIN,
        Direction::End => isize::MAX,
    }
}

/// `place` moved along a list of `all` rows.
fn moved(place: usize, direction: Direction, all: usize) -> usize {
    place.saturating_add_signed(along(direction)).min(all.saturating_sub(1))
}

impl App {
    pub(super) fn walk(&mut self, direction: Direction, moment: Moment<'_>) {
        let sideways = matches!(direction, Direction::Left | Direction::Right);
        if self.inspector.is_some() && !sideways && !(self.zoomed && self.focus == Panel::Dead) {
            self.walk_story(along(direction), moment);
            return;
        }
        match self.focus {
            Panel::Workers if !sideways => self.walk_workers(direction, moment),
            Panel::Timeline => self.walk_timeline(direction, moment),
            Panel::Program if self.zoomed && !sideways => {
                let rows = 2 * moment.board.program().lines().len() + 1;
                self.program_scroll = moved(self.program_scroll, direction, rows);
            }
            Panel::Dead if !sideways => {
                let letters = dead::shown(&moment.board.dead_letters(), &self.dead.filter).len();
                self.dead.selected = moved(self.dead.selected.min(letters.saturating_sub(1)), direction, letters);
            }
            Panel::Log if !sideways => self.walk_log(direction, moment),
            _ => {}
        }
    }

    fn walk_workers(&mut self, direction: Direction, moment: Moment<'_>) {
        self.worker = moved(self.worker, direction, workers_of(moment.board));
    }

    /// Up and down choose a lane, left and right go through time.
    fn walk_timeline(&mut self, direction: Direction, moment: Moment<'_>) {
        let extent = self.extent(moment);
        let page = i64::try_from(extent.columns / 2).unwrap_or(1).max(1);
        match direction {
            Direction::Up | Direction::Down => return self.walk_workers(direction, moment),
            Direction::Left => self.timeline.step(-1, extent),
            Direction::Right => self.timeline.step(1, extent),
            Direction::PageUp => self.timeline.step(-page, extent),
            Direction::PageDown => self.timeline.step(page, extent),
            Direction::Home => self.timeline.goto(crate::time::Instant::START, None, extent),
            Direction::End => self.timeline.follow(),
        }
        self.look.selected = None;
    }

    /// The selection starts at the newest line; below it there is none, and the log follows again.
    fn walk_log(&mut self, direction: Direction, moment: Moment<'_>) {
        let lines: Vec<u64> =
            log::entries(moment.board, &self.log.filter, self.look.truth).map(|(seq, _)| seq).collect();
        let here = self.log.selected.and_then(|seq| lines.iter().position(|line| *line <= seq));
        let back = along(direction).saturating_neg();
        let place = match here {
            None if back > 0 => Some(usize::try_from(back - 1).unwrap_or(0)),
            None => None,
            Some(place) if back < 0 && place == 0 => None,
            Some(place) => Some(place.saturating_add_signed(back)),
        };
        self.log.selected = place.and_then(|place| lines.get(place.min(lines.len().saturating_sub(1))).copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_ends_at_its_ends() {
        assert_eq!(moved(0, Direction::Up, 4), 0);
        assert_eq!(moved(3, Direction::Down, 4), 3);
        assert_eq!(moved(1, Direction::End, 4), 3);
        assert_eq!(moved(3, Direction::Home, 4), 0);
        assert_eq!(moved(0, Direction::Down, 0), 0);
        assert_eq!(moved(2, Direction::PageDown, 40), 12);
    }
}
