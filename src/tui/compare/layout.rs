//! Where everything of a comparison sits. Pure arithmetic: nothing here draws.
//!
//! From 110 columns on both sides stand beside each other; narrower, both keep their strip and one of them has the room.
//! Every place includes the rule above it.

use ratatui::layout::Rect;

use crate::tui::layout::LEAST;

/// From this width on both sides show.
const BOTH: u16 = 110;
/// Lanes that are always asked for.
const LANES: usize = 4;

/// Where everything sits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The row that tells what both sides share.
    pub stream: Option<u16>,
    /// Each side, in order.
    pub sides: [Place; 2],
    /// The column between the sides.
    pub split: Option<u16>,
    /// Jobs whose fate differs.
    pub difference: Rect,
    /// All between the strips and the footer: where both stories of a job are told.
    pub body: Rect,
    /// Keys and messages.
    pub footer: Rect,
    /// How many lanes show.
    pub visible: usize,
}

/// Where a side sits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Name, verdict, fates and sums; a single row where there is no room for a rule.
    pub strip: Rect,
    /// The program and who stands where.
    pub program: Option<Rect>,
    /// The timeline; none for a side that does not show.
    pub lanes: Option<Rect>,
}

/// Rows that are handed out, one wish after the other.
struct Spare(u16);

impl Spare {
    /// This many rows if there are as many, else none.
    fn all_of(&mut self, rows: u16) -> u16 {
        if rows <= self.0 { self.up_to(rows) } else { 0 }
    }

    /// At most this many rows.
    fn up_to(&mut self, rows: u16) -> u16 {
        let given = rows.min(self.0);
        self.0 -= given;
        given
    }
}

/// How many rows each part has.
struct Rows {
    stream: u16,
    strip: u16,
    program: u16,
    lanes: u16,
    visible: u16,
}

impl Rows {
    /// Shares out `height` rows: to lanes for four workers, the program and the row of what is shared, then to more
    /// lanes, captions, a longer difference, air between lanes. What is left goes to the difference, whose least is
    /// `difference`.
    fn of(height: u16, workers: usize, parts: (u16, u16), program: u16, difference: u16) -> Rows {
        let (strip, strips) = parts;
        let workers = u16::try_from(workers.max(1)).unwrap_or(u16::MAX);
        let mut spare = Spare(height.saturating_sub(1 + strips + 2 + difference + 1));
        let least = spare.up_to(workers.min(LANES as u16)).max(1);
        let program = spare.all_of(program);
        let stream = spare.all_of(1);
        let visible = least + spare.up_to(workers.saturating_sub(least));
        let captions = spare.all_of(1);
        let _for_the_difference = spare.up_to(3);
        let air = spare.all_of(visible - 1);
        Rows { stream, strip, program, lanes: 2 + visible + captions + air, visible }
    }
}

impl Places {
    /// The places for a terminal of this size, where `shown` is the side that shows if only one can; `None` if it is too
    /// small for a picture.
    pub fn of(size: Rect, workers: usize, shown: usize) -> Option<Places> {
        if size.width < LEAST.0 || size.height < LEAST.1 {
            return None;
        }
        Some(if size.width >= BOTH { beside(size, workers) } else { in_turn(size, workers, shown) })
    }
}

fn beside(size: Rect, workers: usize) -> Places {
    let rows = Rows::of(size.height, workers, (4, 4), 2, 4);
    let split = (size.width - 1) / 2;
    let side = |x: u16, width: u16| {
        let top = 1 + rows.stream;
        let program = Rect::new(x, top + rows.strip, width, rows.program);
        Place {
            strip: Rect::new(x, top, width, rows.strip),
            program: (rows.program > 0).then_some(program),
            lanes: Some(Rect::new(x, program.bottom(), width, rows.lanes)),
        }
    };
    let sides = [side(0, split), side(split + 1, size.width - split - 1)];
    finish(size, &rows, sides, Some(split))
}

fn in_turn(size: Rect, workers: usize, shown: usize) -> Places {
    let roomy = size.width >= 80 && size.height >= 24;
    let strip = if roomy { 3 } else { 1 };
    let rows = Rows::of(size.height, workers, (strip, 2 * strip), 3, 6);
    let top = 1 + rows.stream;
    let below = top + 2 * strip;
    let mut sides = [top, top + strip].map(|y| Place { strip: Rect::new(0, y, size.width, strip), ..Place::default() });
    let program = Rect::new(0, below, size.width, rows.program);
    sides[shown.min(1)].program = (rows.program > 0).then_some(program);
    sides[shown.min(1)].lanes = Some(Rect::new(0, program.bottom(), size.width, rows.lanes));
    finish(size, &rows, sides, None)
}

fn finish(size: Rect, rows: &Rows, sides: [Place; 2], split: Option<u16>) -> Places {
    let last = size.height - 1;
    let under = sides.iter().filter_map(|side| side.lanes).map(|lanes| lanes.bottom()).max().unwrap_or(last);
    let strips = sides.iter().map(|side| side.strip.bottom()).max().unwrap_or(1);
    Places {
        stream: (rows.stream > 0).then_some(1),
        sides,
        split,
        difference: Rect::new(0, under, size.width, last - under),
        body: Rect::new(0, strips, size.width, last - strips),
        footer: Rect::new(0, last, size.width, 1),
        visible: usize::from(rows.visible),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(width: u16, height: u16) -> Places {
        Places::of(Rect::new(0, 0, width, height), 4, 0).expect("a picture")
    }

    #[test]
    fn nineteen_rows_hold_everything_once() {
        let places = at(120, 19);
        assert_eq!(places.stream, Some(1));
        assert_eq!(places.split, Some(59));
        assert_eq!(places.sides[0].strip, Rect::new(0, 2, 59, 4));
        assert_eq!(places.sides[1].strip, Rect::new(60, 2, 60, 4));
        assert_eq!(places.sides[0].program, Some(Rect::new(0, 6, 59, 2)));
        assert_eq!(places.sides[0].lanes, Some(Rect::new(0, 8, 59, 6)));
        assert_eq!(places.difference, Rect::new(0, 14, 120, 4));
    }

    #[test]
    fn under_110_columns_one_side_has_the_room_and_both_keep_their_strip() {
        let places = at(80, 24);
        assert_eq!(places.split, None);
        assert_eq!([places.sides[0].strip.height, places.sides[1].strip.height], [3, 3]);
        assert!(places.sides[0].lanes.is_some() && places.sides[1].lanes.is_none());
        assert_eq!(places.difference.height, 6);
        let other = Places::of(Rect::new(0, 0, 109, 24), 4, 1).expect("a picture");
        assert!(other.sides[0].lanes.is_none() && other.sides[1].lanes.is_some());
    }

    #[test]
    fn the_least_picture_has_both_verdicts_four_lanes_and_the_difference() {
        let places = at(60, 16);
        assert_eq!([places.sides[0].strip.height, places.sides[1].strip.height], [1, 1]);
        assert_eq!((places.visible, places.difference.height, places.stream), (4, 6, None));
        assert_eq!(Places::of(Rect::new(0, 0, 59, 16), 4, 0), None);
        assert_eq!(Places::of(Rect::new(0, 0, 60, 15), 4, 0), None);
    }

    proptest! {
        #[test]
        fn the_parts_of_a_side_lie_below_each_other_and_on_the_screen(
            width in 60u16..250, height in 16u16..90, workers in 0usize..256, shown in 0usize..2,
        ) {
            let places = Places::of(Rect::new(0, 0, width, height), workers, shown).expect("a picture");
            prop_assert!(places.visible >= 1 && places.visible <= workers.max(1));
            prop_assert!(places.difference.height >= 4 && places.difference.bottom() == height - 1);
            for side in places.sides {
                let mut y = if places.split.is_some() { side.strip.bottom() } else { places.body.y };
                for part in [side.program, side.lanes].into_iter().flatten() {
                    prop_assert_eq!(part.y, y);
                    prop_assert!(part.right() <= width);
                    y = part.bottom();
                }
                prop_assert!(side.lanes.is_none() || y == places.difference.y);
            }
        }
    }
}
