//! A lane too busy for single deliveries: how many began in each cell.

use std::collections::VecDeque;

use super::window::Window;
use crate::board::{Bar, MarkKind};

/// How many deliveries may begin in one cell of a lane that still shows each of them.
const READABLE: u32 = 2;

/// How many deliveries began in each cell, if they are too many to be told apart: more than two in a cell somewhere,
/// or more than one a cell over all the time that is past, where nothing but folded marks would show.
pub fn counts(bars: &VecDeque<Bar>, window: &Window) -> Option<Vec<u32>> {
    let from = bars.partition_point(|bar| bar.from < window.start);
    let to = bars.partition_point(|bar| bar.from < window.end()).max(from);
    if to - from <= READABLE as usize || window.columns == 0 {
        return None;
    }
    let past = window.column(window.now).map_or(window.columns, |now| now + 1);
    let mut counts = vec![0; window.columns];
    for bar in bars.range(from..to) {
        if let Some(count) = window.column(bar.from).and_then(|column| counts.get_mut(column)) {
            *count += 1;
        }
    }
    (to - from > past || counts.iter().any(|count| *count > READABLE)).then_some(counts)
}

/// The cells that are not empty, with their level from 0 to 3; the busiest has the highest.
pub fn levels(counts: &[u32]) -> impl Iterator<Item = (usize, u8)> + '_ {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let level = move |count: u32| u8::try_from((u64::from(count) * 4).div_ceil(u64::from(most)) - 1).unwrap_or(3);
    counts.iter().enumerate().filter(|(_, count)| **count > 0).map(move |(column, count)| (column, level(*count)))
}

/// The marks that stand on a sparkline; there is no room for the others.
pub fn shows(kind: MarkKind) -> bool {
    kind.is_anomaly() || matches!(kind, MarkKind::Kill | MarkKind::Died)
}
