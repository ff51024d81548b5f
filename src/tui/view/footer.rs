//! The bottom row: what came of the last action, else the keys of the focused panel at the left and global ones at the
//! right.

use crate::tui::Badge;
use crate::tui::app::App;
use crate::tui::canvas::Canvas;
use crate::tui::fit::width;
use crate::tui::keys::{self, Command, Context, Direction};
use crate::tui::panel::Panel;
use crate::tui::theme::Role;

/// What is between two hints.
pub const GAP: &str = "  ";

/// A key of the footer, and when it is dropped: the higher, the earlier.
type Item = (Command, u8);

const WORKERS: &[Item] = &[
    (Command::Kill, 0),
    (Command::KillAt, 1),
    (Command::Stall, 2),
    (Command::Sleep, 3),
    (Command::CutQueue, 4),
    (Command::CutSink, 9),
    (Command::FaultMenu, 5),
];
const TIMELINE: &[Item] = &[
    (Command::NextAnomaly, 0),
    (Command::Explain, 1),
    (Command::Move(Direction::Up), 3),
    (Command::Wider, 4),
    (Command::Follow, 2),
    (Command::In, 5),
    (Command::Out, 6),
];
const PROGRAM: &[Item] = &[(Command::KillAt, 0), (Command::Dedup, 1), (Command::Ack, 2), (Command::In, 3)];
const DEAD: &[Item] =
    &[(Command::Redrive, 0), (Command::Explain, 1), (Command::In, 2), (Command::Filter, 3), (Command::Out, 6)];
const LOG: &[Item] =
    &[(Command::Filter, 0), (Command::Move(Direction::Up), 1), (Command::Explain, 2), (Command::In, 3)];
const RATES: &[Item] = &[(Command::Enqueue, 0), (Command::In, 1), (Command::NextPanel, 2)];
const GLOBAL: &[Item] = &[
    (Command::FaultAgain, 10),
    (Command::Dedup, 6),
    (Command::Ack, 8),
    (Command::NextAnomaly, 7),
    (Command::Explain, 9),
    (Command::Step, 7),
    (Command::Palette, 12),
    (Command::Help, 0),
];

fn items(panel: Panel) -> &'static [Item] {
    match panel {
        Panel::Workers => WORKERS,
        Panel::Timeline => TIMELINE,
        Panel::Program => PROGRAM,
        Panel::Dead => DEAD,
        Panel::Log => LOG,
        Panel::Rates => RATES,
    }
}

/// The commands of a panel's own keys.
pub fn commands(panel: Panel) -> Vec<Command> {
    items(panel).iter().map(|(command, _)| *command).collect()
}

/// The footer's words for a command.
fn hint(command: Command) -> Option<&'static str> {
    keys::binding(command).map(|row| row.hint).filter(|hint| !hint.is_empty())
}

/// The footer's words for a command in one context.
pub fn hint_in(context: Context, command: Command) -> Option<&'static str> {
    let rows = keys::table().iter().filter(|row| row.context == context);
    rows.filter(|row| row.presses.iter().any(|(_, c)| *c == command)).map(|row| row.hint).find(|hint| !hint.is_empty())
}

/// Draws the bottom row.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, badge: Badge) {
    canvas.clear();
    if let Some(message) = &app.message {
        canvas.put(1, 0, message, Role::Strong);
        return;
    }
    let room = usize::from(canvas.width().saturating_sub(2));
    let (left, right) = fitting(app.focus, room, GAP.len(), &|command| is_of_use(command, app, badge));
    canvas.put(1, 0, &left.join(GAP), Role::Dim);
    canvas.put_right(canvas.width().saturating_sub(1), 0, &right.join(GAP), Role::Dim);
}

/// False for a key that would do nothing here: esc with nothing to come out of, enter with nothing to go into. Steps are
/// named where they go both ways.
fn is_of_use(command: Command, app: &App, badge: Badge) -> bool {
    match command {
        Command::Step => badge == Badge::Virtual,
        Command::Out => app.zoomed || app.inspector.is_some(),
        Command::In => !app.zoomed,
        Command::FaultAgain => app.has_fault(),
        _ => true,
    }
}

/// The hints that fit: the ones that are dropped first are those of the highest number. Help never is.
fn fitting(
    panel: Panel,
    room: usize,
    gap: usize,
    of_use: &dyn Fn(Command) -> bool,
) -> (Vec<&'static str>, Vec<&'static str>) {
    let useful =
        |items: &[Item]| -> Vec<Item> { items.iter().filter(|(command, _)| of_use(*command)).copied().collect() };
    let own = useful(items(panel));
    let mut global = useful(GLOBAL);
    global.retain(|(command, _)| own.iter().all(|(c, _)| c != command));
    let mut dropped = u8::MAX;
    loop {
        let words = |items: &[Item]| -> Vec<&'static str> {
            items.iter().filter(|(_, rank)| *rank < dropped).filter_map(|(command, _)| hint(*command)).collect()
        };
        let (left, right) = (words(&own), words(&global));
        let cells: usize = left.iter().chain(&right).map(|text| width(text) + gap).sum();
        if cells <= room || dropped <= 1 {
            return (left, right);
        }
        let highest = own.iter().chain(&global).map(|(_, rank)| *rank).filter(|rank| *rank < dropped).max();
        dropped = highest.unwrap_or(1).max(1);
    }
}

/// The keys of a comparison, with when each is dropped; `false` for those of a job that is open on both sides.
const COMPARE: &[(Context, Command, bool, u8)] = &[
    (Context::Screen, Command::Out, false, 1),
    (Context::Help, Command::Move(Direction::Up), false, 2),
    (Context::Compare, Command::NextPanel, true, 1),
    (Context::Compare, Command::NextAnomaly, true, 2),
    (Context::Compare, Command::In, true, 5),
    (Context::Run, Command::StopGo, true, 3),
    (Context::Run, Command::Step, true, 4),
    (Context::Compare, Command::Kill, true, 6),
];

/// The commands of a comparison's own keys.
pub fn compare_commands() -> Vec<Command> {
    COMPARE.iter().map(|(_, command, ..)| *command).collect()
}

/// Draws the bottom row of a comparison: what came of the last action, else the keys that fit.
pub fn draw_compare(canvas: &mut Canvas<'_>, message: Option<&str>, opened: bool) {
    canvas.clear();
    if let Some(message) = message {
        canvas.put(1, 0, message, Role::Strong);
        return;
    }
    let last = hint(Command::Help).unwrap_or_default();
    let room = usize::from(canvas.width().saturating_sub(2)).saturating_sub(width(last));
    let mut dropped = u8::MAX;
    let hints = loop {
        let kept = COMPARE.iter().filter(|(_, _, own, rank)| *rank < dropped && (*own || opened));
        let hints: Vec<&str> = kept.filter_map(|(context, command, ..)| hint_in(*context, *command)).collect();
        if hints.iter().map(|text| width(text) + 3).sum::<usize>() <= room || dropped == 1 {
            break hints;
        }
        dropped = if dropped == u8::MAX { 6 } else { dropped - 1 };
    };
    canvas.put(1, 0, &hints.join("   "), Role::Dim);
    canvas.put_right(canvas.width().saturating_sub(1), 0, last, Role::Dim);
}

/// Draws these hints: the last at the right edge, the others at the left as far as they fit; what came of the last key
/// goes before all of them.
pub fn draw_own(canvas: &mut Canvas<'_>, message: Option<&str>, hints: &[&str]) {
    canvas.clear();
    if let Some(message) = message {
        canvas.put(1, 0, message, Role::Strong);
        return;
    }
    let edge = canvas.width().saturating_sub(1);
    let (last, others) = hints.split_last().map_or(("", hints), |(last, others)| (*last, others));
    let start = canvas.put_right(edge, 0, last, Role::Dim);
    let mut x = 1;
    for hint in others {
        if x + width(hint) as u16 + 2 > start {
            break;
        }
        x = canvas.put(x, 0, hint, Role::Dim) + 3;
    }
}

/// Draws the keys of what is open on top.
pub fn draw_hints(canvas: &mut Canvas<'_>, context: Context) {
    canvas.clear();
    let mut hints: Vec<&str> = keys::table()
        .iter()
        .filter(|row| row.context == context)
        .map(|row| row.hint)
        .filter(|h| !h.is_empty())
        .collect();
    let room = usize::from(canvas.width().saturating_sub(2));
    while hints.len() > 1 && hints.iter().map(|hint| width(hint) + 3).sum::<usize>() > room {
        hints.remove(hints.len() - 2);
    }
    canvas.put(1, 0, &hints.join("   "), Role::Dim);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_never_dropped() {
        for panel in Panel::ALL {
            for room in [10, 20, 58, 78, 118] {
                let (_, right) = fitting(panel, room, 2, &|_| true);
                assert_eq!(right.last(), Some(&"? help"), "{panel:?} in {room}");
            }
        }
    }

    #[test]
    fn at_80_columns_the_keys_of_the_workers_are_those_that_matter_most() {
        let (left, right) = fitting(Panel::Workers, 78, 2, &|_| true);
        assert_eq!(left[..4], ["x kill", "X kill at", "s stall", "z sleep"]);
        assert!(left.contains(&"F more"));
        assert!(right.contains(&"d dedup"));
    }

    #[test]
    fn what_is_shown_fits() {
        for panel in Panel::ALL {
            for room in 40..160 {
                let (left, right) = fitting(panel, room, 2, &|_| true);
                let cells: usize = left.iter().chain(&right).map(|text| text.len() + 2).sum();
                assert!(cells <= room, "{panel:?} in {room}");
            }
        }
    }
}
