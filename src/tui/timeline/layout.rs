//! Which rows of the panel hold what.

/// How the rows below the panel's rule are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// True if the first row holds captions.
    pub captions: bool,
    /// Lanes that show.
    pub lanes: usize,
    /// True if an empty row follows each lane.
    pub airy: bool,
    /// True if the axis shows, in the row after the lanes.
    pub axis: bool,
}

impl Layout {
    /// Shares out `rows` among `lanes`: first the lanes and the axis, then empty rows if there is one for each pair of
    /// lanes, then captions; without empty rows the first spare one goes to captions.
    pub fn of(rows: usize, lanes: usize) -> Layout {
        let axis = rows > 1;
        let rest = rows - usize::from(axis);
        let shown = lanes.min(rest);
        let airy = lanes > 0 && rest + 1 >= 2 * lanes;
        let used = if airy { 2 * lanes - 1 } else { shown };
        Layout { captions: rest > used, lanes: shown, airy, axis }
    }

    /// The rows that `lanes` lanes take at their best: captions, an empty row after each, the axis.
    pub fn wanted(lanes: usize) -> usize {
        2 * lanes + 2
    }

    /// The row of the lane at `index`, counted from the first of the panel.
    pub fn row(&self, index: usize) -> usize {
        usize::from(self.captions) + index * if self.airy { 2 } else { 1 }
    }

    /// The row of the axis when the panel has `rows`: after the lanes, and after an empty row if one is left.
    pub fn axis_row(&self, rows: usize) -> usize {
        let next = usize::from(self.captions) + self.lanes * if self.airy { 2 } else { 1 };
        next.min(rows.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_large_screen_has_captions_and_air_between_lanes() {
        let layout = Layout::of(10, 4);
        assert_eq!(layout, Layout { captions: true, lanes: 4, airy: true, axis: true });
        assert_eq!([layout.row(0), layout.row(3), layout.axis_row(10)], [1, 7, 9]);
    }

    #[test]
    fn one_row_less_gives_up_the_captions_before_the_air() {
        let layout = Layout::of(8, 4);
        assert_eq!(layout, Layout { captions: false, lanes: 4, airy: true, axis: true });
        assert_eq!([layout.row(0), layout.row(3), layout.axis_row(8)], [0, 6, 7]);
    }

    #[test]
    fn the_small_screen_has_lanes_and_axis_only_and_a_spare_row_for_captions() {
        assert_eq!(Layout::of(5, 4), Layout { captions: false, lanes: 4, airy: false, axis: true });
        assert_eq!(Layout::of(5, 3), Layout { captions: true, lanes: 3, airy: false, axis: true });
    }

    #[test]
    fn too_few_rows_show_the_lanes_that_fit() {
        assert_eq!(Layout::of(9, 64), Layout { captions: false, lanes: 8, airy: false, axis: true });
        assert_eq!(Layout::of(1, 64), Layout { captions: false, lanes: 1, airy: false, axis: false });
        assert_eq!(Layout::of(0, 64), Layout { captions: false, lanes: 0, airy: false, axis: false });
        assert_eq!(Layout::of(5, 0).lanes, 0);
    }
}
