//! The panels, by their numbers.

/// One panel of the run's screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Panel {
    /// 1: the workers.
    Workers,
    /// 2: the lease timeline.
    Timeline,
    /// 3: the worker's program.
    Program,
    /// 4: the dead letters.
    Dead,
    /// 5: the log.
    Log,
    /// 6: rates and latencies.
    Rates,
}

impl Panel {
    /// All of them, by number. Tab goes through them in this order.
    pub const ALL: [Panel; 6] =
        [Panel::Workers, Panel::Timeline, Panel::Program, Panel::Dead, Panel::Log, Panel::Rates];

    /// The panel after this one, or before it; past the last comes the first.
    pub fn beside(self, forward: bool) -> Panel {
        let place = Panel::ALL.iter().position(|panel| *panel == self).unwrap_or(0);
        let step = if forward { 1 } else { Panel::ALL.len() - 1 };
        Panel::ALL[(place + step) % Panel::ALL.len()]
    }
}
