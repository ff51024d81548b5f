//! The line marks, in Unicode and in ASCII. Every one is a single cell wide, so that a switch shifts nothing.
//!
//! Letters are events and are the same in both; only lines, gauges and joints differ.

/// One set of line marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// Lease held and worked on.
    pub work: char,
    /// Lease held, nobody works.
    pub rest: char,
    /// Work without a lease.
    pub zombie: char,
    /// A renewal.
    pub renewal: char,
    /// The end of a lease.
    pub expiry: char,
    /// Now, through all lanes.
    pub now: char,
    /// A policy switch, through all lanes.
    pub switch: char,
    /// The selected row or panel.
    pub select: char,
    /// The cursor on the time axis.
    pub cursor: char,
    /// A gauge's full cell.
    pub full: char,
    /// A gauge's empty cell.
    pub empty: char,
    /// A sparkline's levels from low to high.
    pub spark: [char; 4],
    /// A rule.
    pub rule: char,
    /// The rule of the focused panel.
    pub rule_focus: char,
    /// The line between two columns.
    pub column: char,
    /// A tick of the time axis.
    pub tick: char,
    joints: [char; 8],
}

/// Which way columns run from a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// A column begins below.
    Down,
    /// A column ends above.
    Up,
    /// A column crosses.
    Cross,
    /// The rule ends at a column to its right.
    Left,
}

impl Glyphs {
    /// Line characters.
    pub const UNICODE: Glyphs = Glyphs {
        work: '═',
        rest: '─',
        zombie: '░',
        renewal: '╪',
        expiry: '◊',
        now: '│',
        switch: '║',
        select: '►',
        cursor: '^',
        full: '█',
        empty: '░',
        spark: ['▁', '▃', '▅', '█'],
        rule: '─',
        rule_focus: '═',
        column: '│',
        tick: '|',
        joints: ['┬', '┴', '┼', '┤', '╤', '╧', '╪', '╡'],
    };

    /// Plain ASCII.
    pub const ASCII: Glyphs = Glyphs {
        work: '=',
        rest: '-',
        zombie: '%',
        renewal: '+',
        expiry: '!',
        now: '|',
        switch: ':',
        select: '>',
        cursor: '^',
        full: '#',
        empty: '.',
        spark: ['_', '-', '=', '#'],
        rule: '-',
        rule_focus: '=',
        column: '|',
        tick: '|',
        joints: ['-', '-', '-', '-', '=', '=', '=', '='],
    };

    /// The rule's own line, focused or not.
    pub fn line(&self, focused: bool) -> char {
        if focused { self.rule_focus } else { self.rule }
    }

    /// Where a rule meets a column.
    pub fn joint(&self, joint: Joint, focused: bool) -> char {
        let place = match joint {
            Joint::Down => 0,
            Joint::Up => 1,
            Joint::Cross => 2,
            Joint::Left => 3,
        };
        self.joints[place + if focused { 4 } else { 0 }]
    }

    /// True for the ASCII set.
    pub fn is_ascii(&self) -> bool {
        *self == Glyphs::ASCII
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthChar;

    fn all(glyphs: &Glyphs) -> Vec<char> {
        let mut all = vec![
            glyphs.work,
            glyphs.rest,
            glyphs.zombie,
            glyphs.renewal,
            glyphs.expiry,
            glyphs.now,
            glyphs.switch,
            glyphs.select,
            glyphs.cursor,
            glyphs.full,
            glyphs.empty,
            glyphs.rule,
            glyphs.rule_focus,
            glyphs.column,
            glyphs.tick,
        ];
        all.extend(glyphs.spark);
        all.extend(glyphs.joints);
        all
    }

    #[test]
    fn every_glyph_is_one_cell_wide() {
        for glyph in all(&Glyphs::UNICODE).into_iter().chain(all(&Glyphs::ASCII)) {
            assert_eq!(glyph.width(), Some(1), "{glyph}");
        }
    }

    #[test]
    fn the_ascii_set_is_ascii() {
        assert!(all(&Glyphs::ASCII).iter().all(char::is_ascii));
    }
}
