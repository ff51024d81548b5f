//! Where everything sits, for any size of the terminal. Pure arithmetic: nothing here draws.
//!
//! Every place includes the rule above it. Widths and heights between two steps belong to the smaller layout,
//! stretched: width goes to the timeline, height first to workers and lanes, then to the rows between lanes, then to
//! the lists.

use ratatui::layout::Rect;

/// The least size at which there is a picture.
pub const LEAST: (u16, u16) = (60, 16);
/// The columns of what is docked at the right.
pub const DOCK: u16 = 52;

/// How much the screen tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// From 60x16: verdict, one row for each pane, workers and timeline.
    Small,
    /// From 80x24: panels 4, 5 and 6 take turns in the timeline's place.
    Medium,
    /// From 100 wide and high enough: all panels at once.
    Full,
}

/// What asks for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Workers of the run.
    pub workers: usize,
    /// Whether the inspector is open.
    pub inspector: bool,
    /// The rows at the bottom: one for the keys, or more for whoever has more to say there.
    pub footer: u16,
}

/// Where everything sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How much the screen tells.
    pub form: Form,
    /// Title and verdict, on every screen.
    pub strip: Rect,
    /// All between strip and footer: what a zoomed panel takes.
    pub body: Rect,
    /// Operator and truth.
    pub panes: Rect,
    /// The workers.
    pub workers: Rect,
    /// The program, on two rows.
    pub program: Option<Rect>,
    /// The timeline, or the panel that has its turn there.
    pub timeline: Rect,
    /// Log, dead letters and rates.
    pub lists: Option<Rect>,
    /// The last events, where there is no room for a log.
    pub tail: Option<Rect>,
    /// The inspector, if it is open.
    pub inspector: Option<Rect>,
    /// The whole program, on the widest screens.
    pub dock: Option<Rect>,
    /// Keys and messages.
    pub footer: Rect,
    /// How many workers and lanes show.
    pub visible: usize,
    /// Whether there is an empty row below each lane.
    pub airy: bool,
    /// Whether there is a row for captions above the lanes.
    pub captions: bool,
    /// Whether the workers have a row of headings.
    pub headings: bool,
}

impl Layout {
    /// The layout for a terminal of this size; `None` if it is too small for a picture.
    pub fn of(size: Rect, wants: Wants) -> Option<Layout> {
        if size.width < LEAST.0 || size.height < LEAST.1 {
            return None;
        }
        let roomy = size.width >= 80 && size.height >= 24;
        let lanes = wants.workers.clamp(1, 4) as u16;
        let docked = wants.inspector && roomy && size.width >= 110;
        let full_rows = if docked { 21 } else { 23 } + wants.footer + 2 * lanes;
        Some(match roomy {
            false => small(size, wants),
            true if size.width >= 100 && size.height >= full_rows => full(size, wants, docked),
            true => medium(size, wants, docked),
        })
    }
}

/// Hands out rows from the top.
struct Rows {
    x: u16,
    width: u16,
    y: u16,
}

impl Rows {
    fn take(&mut self, height: u16) -> Rect {
        let place = Rect::new(self.x, self.y, self.width, height);
        self.y += height;
        place
    }
}

/// How many workers show when each costs two rows, and how many rows are left.
fn share(workers: usize, rows: u16) -> (usize, u16) {
    let visible = workers.max(1).min(usize::from(rows / 2)).max(1);
    (visible, rows.saturating_sub(2 * visible as u16))
}

/// The rows for an empty one below each lane, if there are as many to spare.
fn air(visible: usize, spare: u16) -> u16 {
    if spare >= visible as u16 { visible as u16 } else { 0 }
}

/// The strip above everything, the last rows for the keys, and what is between them.
fn around(size: Rect, footer: u16) -> (Rect, Rect, Rect) {
    let strip = Rect::new(0, 0, size.width, 4);
    let body = Rect::new(0, 4, size.width, size.height - 4 - footer);
    (strip, body, Rect::new(0, size.height - footer, size.width, footer))
}

fn small(size: Rect, wants: Wants) -> Layout {
    let mut rows = Rows { x: 0, width: size.width, y: 0 };
    let strip = rows.take(2);
    let (visible, spare) = share(wants.workers, size.height - 7 - wants.footer);
    let panes = rows.take(2);
    let body = Rect::new(0, 2, size.width, size.height - 2 - wants.footer);
    let workers = rows.take(1 + visible as u16);
    let captions = spare >= 1;
    let timeline = rows.take(2 + visible as u16 + spare);
    Layout {
        form: Form::Small,
        strip,
        body,
        panes,
        workers,
        program: None,
        timeline,
        lists: None,
        tail: None,
        inspector: wants.inspector.then_some(body),
        dock: None,
        footer: rows.take(wants.footer),
        visible,
        airy: spare > visible as u16,
        captions,
        headings: false,
    }
}

fn medium(size: Rect, wants: Wants, docked: bool) -> Layout {
    let (strip, body, footer) = around(size, wants.footer);
    let (width, dock) = docking(size, body, docked, false);
    let mut rows = Rows { x: 0, width, y: 4 };
    let (mut visible, mut spare) = share(wants.workers, size.height - 15 - wants.footer);
    // A lane of its own for each worker is worth more than a third row of panes and the last event.
    let tight = wants.footer > 1 && visible < wants.workers;
    if tight {
        (visible, spare) = share(wants.workers, size.height - 13 - wants.footer);
    }
    let panes = rows.take(if tight { 3 } else { 4 });
    let workers = rows.take(1 + visible as u16);
    let program = rows.take(3);
    let captions = spare >= 1;
    spare -= u16::from(captions);
    let air = air(visible, spare);
    let timeline = rows.take(2 + u16::from(captions) + visible as u16 + air);
    let tail = rows.take(u16::from(!tight) + spare - air);
    Layout {
        form: Form::Medium,
        strip,
        body,
        panes,
        workers,
        program: Some(program),
        timeline,
        lists: None,
        tail: Some(tail),
        inspector: if docked { dock } else { wants.inspector.then_some(body) },
        dock: None,
        footer,
        visible,
        airy: air > 0,
        captions,
        headings: false,
    }
}

fn full(size: Rect, wants: Wants, docked: bool) -> Layout {
    let (strip, body, footer) = around(size, wants.footer);
    let wide = size.width >= 160 && !docked;
    let (width, dock) = docking(size, body, docked, wide);
    let mut rows = Rows { x: 0, width, y: 4 };
    let panes = rows.take(6);
    let headings = !docked;
    let captions = !docked;
    let program_rows = if wide { 0 } else { 3 };
    let fixed = 4 + 6 + 1 + u16::from(headings) + program_rows + 2 + u16::from(captions) + 5 + wants.footer;
    let (visible, spare) = share(wants.workers, size.height - fixed);
    let workers = rows.take(1 + u16::from(headings) + visible as u16);
    let program = (!wide).then(|| rows.take(3));
    let air = air(visible, spare);
    let timeline = rows.take(2 + u16::from(captions) + visible as u16 + air);
    let lists = rows.take(5 + spare - air);
    Layout {
        form: Form::Full,
        strip,
        body,
        panes,
        workers,
        program,
        timeline,
        lists: Some(lists),
        tail: None,
        inspector: if docked { dock } else { wants.inspector.then_some(body) },
        dock: if wide { dock } else { None },
        footer,
        visible,
        airy: air > 0,
        captions,
        headings,
    }
}

/// The width that is left for panels beside a dock, and the dock.
fn docking(size: Rect, body: Rect, docked: bool, wide: bool) -> (u16, Option<Rect>) {
    if docked || wide {
        // The program leaves the panels the width that their words need.
        let dock = if docked { DOCK } else { (size.width - 114).clamp(46, DOCK) };
        let place = Rect { x: size.width - dock, width: dock, ..body };
        (size.width - dock - 1, Some(place))
    } else {
        (size.width, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(width: u16, height: u16, workers: usize, inspector: bool) -> Option<Layout> {
        Layout::of(Rect::new(0, 0, width, height), Wants { workers, inspector, footer: 1 })
    }

    /// The places that lie below each other and cover the screen.
    fn stack(layout: &Layout) -> Vec<Rect> {
        let mut places = vec![layout.strip, layout.panes, layout.workers];
        places.extend(layout.program);
        places.push(layout.timeline);
        places.extend(layout.lists);
        places.extend(layout.tail);
        places.push(layout.footer);
        places
    }

    #[test]
    fn a_terminal_under_60x16_has_no_picture() {
        assert_eq!(at(59, 40, 4, false), None);
        assert_eq!(at(200, 15, 4, false), None);
        assert!(at(60, 16, 4, false).is_some());
    }

    #[test]
    fn each_step_of_size_tells_more() {
        let form = |width, height| at(width, height, 4, false).expect("a picture").form;
        assert_eq!(form(60, 16), Form::Small);
        assert_eq!(form(79, 60), Form::Small);
        assert_eq!(form(80, 24), Form::Medium);
        assert_eq!(form(99, 60), Form::Medium);
        assert_eq!(form(120, 31), Form::Medium);
        assert_eq!(form(100, 32), Form::Full);
    }

    #[test]
    fn at_120x36_lanes_have_air_and_the_log_four_rows() {
        let layout = at(120, 36, 4, false).expect("a picture");
        assert!(layout.airy && layout.captions && layout.headings);
        assert_eq!(layout.timeline, Rect::new(0, 19, 120, 11));
        assert_eq!(layout.lists, Some(Rect::new(0, 30, 120, 5)));
    }

    #[test]
    fn the_inspector_docks_from_110_and_else_takes_all_below_the_strip() {
        let docked = at(120, 36, 4, true).expect("a picture");
        assert_eq!(docked.inspector, Some(Rect::new(68, 4, 52, 31)));
        assert_eq!(docked.workers.width, 67);
        assert_eq!(docked.lists, Some(Rect::new(0, 28, 67, 7)));
        assert_eq!(at(80, 24, 4, true).expect("a picture").inspector, Some(Rect::new(0, 4, 80, 19)));
    }

    #[test]
    fn the_whole_program_docks_from_160() {
        let layout = at(160, 48, 4, false).expect("a picture");
        assert_eq!(layout.program, None);
        assert_eq!(layout.dock, Some(Rect::new(114, 4, 46, 43)));
    }

    #[test]
    fn eighty_by_twenty_four_holds_four_workers_of_sixty_four() {
        assert_eq!(at(80, 24, 64, false).expect("a picture").visible, 4);
        assert_eq!(at(80, 24, 2, false).expect("a picture").visible, 2);
    }

    proptest! {
        #[test]
        fn places_cover_every_row_once(
            width in 60u16..250, height in 16u16..90, workers in 1usize..256, inspector: bool, footer in 1u16..5,
        ) {
            let size = Rect::new(0, 0, width, height);
            let layout = Layout::of(size, Wants { workers, inspector, footer }).expect("a picture");
            let mut y = 0;
            for place in stack(&layout) {
                prop_assert_eq!(place.y, y);
                y = place.bottom();
                prop_assert!(place.right() <= width);
            }
            prop_assert_eq!(y, height);
            for place in layout.inspector.into_iter().chain(layout.dock) {
                prop_assert!(place.right() == width && place.bottom() == height - footer);
            }
            prop_assert!(layout.visible >= 1 && layout.visible <= workers);
        }
    }
}
