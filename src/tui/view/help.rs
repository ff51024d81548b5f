//! Help: one screen, drawn from the key table, the focused panel's keys first in the eye; below it the marks.

use crate::tui::canvas::{Canvas, Rule};
use crate::tui::field::Field;
use crate::tui::fit::width;
use crate::tui::glyphs::Glyphs;
use crate::tui::keys::{self, Command, Context, Direction, Key, KeyBinding, Shelf, Stroke};
use crate::tui::overlay::Decision;
use crate::tui::panel::Panel;
use crate::tui::theme::{Look, Role};
use crate::tui::view::footer;
use crate::tui::{home, replay};

/// The least columns at which help is drawn in three columns.
const WIDTH: u16 = 80;

/// What help is about: whose keys it lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One run.
    Sandbox,
    /// Two runs beside each other.
    Compare,
    /// A recording that is played.
    Replay,
    /// Sandbox, labs and recordings.
    Home,
}

impl Subject {
    fn title(self) -> &'static str {
        match self {
            Subject::Sandbox => "help: sandbox",
            Subject::Compare => "help: compare",
            Subject::Replay => "help: replay",
            Subject::Home => "help: home",
        }
    }

    /// The context that has words of its own for this.
    fn context(self) -> Context {
        match self {
            Subject::Sandbox => Context::Run,
            Subject::Compare => Context::Compare,
            Subject::Replay => Context::Replay,
            Subject::Home => Context::Home,
        }
    }

    /// The rows of the table that hold here. What this has words for takes the place of what its keys mean in one run.
    fn rows(self) -> impl Iterator<Item = &'static KeyBinding> {
        let context = self.context();
        let own = keys::table().iter().filter(move |row| row.context == context && row.shelf != Shelf::Nowhere);
        let taken: Vec<Key> = own.flat_map(|row| row.presses).map(|(key, _)| *key).collect();
        keys::table().iter().filter(move |row| match row.context {
            Context::Compare | Context::Replay | Context::Home | Context::Run if row.context == context => true,
            Context::Compare | Context::Replay | Context::Home => false,
            Context::Run if !self.looks_at_a_run() => false,
            _ if self == Subject::Sandbox => true,
            _ if self == Subject::Replay && row.presses.iter().all(|(_, command)| is_refused(*command)) => false,
            _ if self == Subject::Home => !row.presses.iter().any(|(key, _)| taken.contains(key)),
            _ => !row.presses.iter().all(|(key, _)| taken.contains(key)),
        })
    }

    fn looks_at_a_run(self) -> bool {
        self != Subject::Home
    }

    /// The columns, with what stands above each.
    fn shelves(self) -> [(&'static str, Shelf); 3] {
        let (faults, policy) = match self {
            Subject::Sandbox => ("faults (same key heals)", "policy, jobs, view"),
            Subject::Compare => ("faults (hit both sides)", "jobs, view"),
            Subject::Replay => return [("playing", Shelf::Own), ("view", Shelf::Policy), ("looking", Shelf::Time)],
            Subject::Home => return [("choosing", Shelf::Own), ("", Shelf::Policy), ("", Shelf::Time)],
        };
        [(faults, Shelf::Faults), (policy, Shelf::Policy), ("time and looking", Shelf::Time)]
    }

    /// The keys that the footer has too, and whose they are.
    fn own(self, focus: Panel) -> (Vec<Command>, &'static str) {
        match self {
            Subject::Sandbox => (footer::commands(focus), panel_name(focus)),
            Subject::Compare => (footer::compare_commands(), "the comparison"),
            Subject::Replay => (replay::commands(), "the replay bar"),
            Subject::Home => (home::commands(), "home"),
        }
    }
}

/// True for what is not done in a replay.
fn is_refused(command: Command) -> bool {
    command.acts() || command == Command::Mark
}

/// Help while it is open.
#[derive(Clone, Debug)]
pub struct Help {
    subject: Subject,
    scroll: usize,
    filter: Field,
    typing: bool,
}

impl Help {
    /// Help from its top.
    pub fn about(subject: Subject) -> Help {
        Help { subject, scroll: 0, filter: Field::with(""), typing: false }
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key, stroke: Stroke) -> Decision {
        if self.typing {
            match key {
                Key::Esc => {
                    self.filter.set("");
                    self.typing = false;
                }
                Key::Enter => self.typing = false,
                key => {
                    self.filter.press(key);
                }
            }
            return Decision::Open;
        }
        match (keys::command(key, &[Context::Help]), stroke) {
            (Some(Command::Out), Stroke::Press) if !self.filter.text().is_empty() && key == Key::Esc => {
                self.filter.set("");
            }
            (Some(Command::Out), Stroke::Press) => return Decision::Close,
            (Some(Command::Filter), Stroke::Press) => self.typing = true,
            (Some(Command::Move(direction)), _) => self.scroll = scrolled(self.scroll, direction),
            _ => {}
        }
        Decision::Open
    }

    /// Takes a paste.
    pub fn paste(&mut self, text: &str) {
        if self.typing {
            self.filter.type_in(text);
        }
    }

    /// Draws help over the whole screen and returns the cell of the cursor, if a filter is being typed.
    pub fn draw(&self, canvas: &mut Canvas<'_>, focus: Panel) -> Option<(u16, u16)> {
        canvas.clear();
        canvas.put(1, 0, self.subject.title(), Role::Strong);
        canvas.rule(1, Rule::default());
        let (own, whose) = self.subject.own(focus);
        let lines = lines(canvas.look, self.subject, &own, self.filter.text(), canvas.width());
        let rows = usize::from(canvas.height().saturating_sub(3));
        let first = self.scroll.min(lines.len().saturating_sub(rows));
        let hint = match lines.len().saturating_sub(first + rows) {
            0 => format!("keys of {whose} in bold"),
            below => format!("keys of {whose} in bold   {below} more below"),
        };
        canvas.put_right(canvas.width().saturating_sub(1), 0, &hint, Role::Dim);
        for (y, line) in (2..).zip(lines.iter().skip(first).take(rows)) {
            for piece in line {
                canvas.put(piece.x, y, &piece.text, piece.role);
            }
        }
        self.last_row(canvas)
    }

    fn last_row(&self, canvas: &mut Canvas<'_>) -> Option<(u16, u16)> {
        let y = canvas.height().saturating_sub(1);
        if self.typing || !self.filter.text().is_empty() {
            let x = canvas.put(1, y, "/ ", Role::Accent);
            canvas.put(x, y, self.filter.text(), Role::Text);
            let cursor = x.saturating_add(self.filter.cursor() as u16);
            return self.typing.then_some((cursor.min(canvas.width().saturating_sub(1)), y));
        }
        let hints = [Command::Out, Command::Move(Direction::Up), Command::Filter];
        let hints: Vec<&str> = hints.iter().filter_map(|command| footer::hint_in(Context::Help, *command)).collect();
        let end = canvas.put(1, y, &hints.join("   "), Role::Dim);
        let more = "all keys: onceish man";
        if end + 2 + more.len() as u16 <= canvas.width().saturating_sub(1) {
            canvas.put_right(canvas.width().saturating_sub(1), y, more, Role::Dim);
        }
        None
    }
}

fn scrolled(scroll: usize, direction: Direction) -> usize {
    match direction {
        Direction::Up => scroll.saturating_sub(1),
        Direction::Down => (scroll + 1).min(100),
        Direction::PageUp => scroll.saturating_sub(10),
        Direction::PageDown => (scroll + 10).min(100),
        Direction::Home => 0,
        Direction::End => 100,
        Direction::Left | Direction::Right => scroll,
    }
}

/// What the focused panel is called.
pub fn panel_name(panel: Panel) -> &'static str {
    match panel {
        Panel::Workers => "1 workers",
        Panel::Timeline => "2 timeline",
        Panel::Program => "3 program",
        Panel::Dead => "4 dead letters",
        Panel::Log => "5 log",
        Panel::Rates => "6 rates",
    }
}

/// Some text of a line.
struct Piece {
    x: u16,
    text: String,
    role: Role,
}

fn piece(x: u16, text: impl Into<String>, role: Role) -> Piece {
    Piece { x, text: text.into(), role }
}

fn lines(look: &Look, subject: Subject, own: &[Command], filter: &str, width: u16) -> Vec<Vec<Piece>> {
    let shelves = subject.shelves().map(|(title, shelf)| (title, entries(subject, shelf)));
    let mut lines = if width >= WIDTH {
        side_by_side(&shelves, own, filter)
    } else {
        shelves.iter().flat_map(|shelf| side_by_side(std::slice::from_ref(shelf), own, filter)).collect()
    };
    lines.push(Vec::new());
    lines.extend(general(subject, filter, width));
    if subject.looks_at_a_run() {
        lines.extend(legend(&look.glyphs).into_iter().map(|text| vec![piece(1, text, Role::Text)]));
    }
    lines.push(Vec::new());
    lines.extend(NOTES.iter().map(|text| vec![piece(1, *text, Role::Dim)]));
    lines
}

const NOTES: [&str; 4] = [
    "--ascii draws plain lines, NO_COLOR no colour: nothing is told by colour alone.",
    "Threads cannot be killed from outside: a killed worker drops its work and its",
    "connection at once, or at the gap you armed. SQLite rolls back what was open.",
    "A handler that panics is one failed delivery on a living worker, not a death.",
];

fn side_by_side(shelves: &[(&str, Vec<Entry>)], own: &[Command], filter: &str) -> Vec<Vec<Piece>> {
    let columns: Vec<Vec<[Piece; 2]>> = shelves
        .iter()
        .zip([1, 29, 56])
        .map(|((_, entries), x)| entries.iter().map(|entry| entry.pieces(x, own, filter)).collect())
        .collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines: Vec<Vec<Piece>> = Vec::new();
    lines.push(shelves.iter().zip([1, 29, 56]).map(|((title, _), x)| piece(x, *title, Role::Accent)).collect());
    lines.extend((0..rows).map(|_| Vec::new()));
    for column in columns {
        for (row, pieces) in column.into_iter().enumerate() {
            lines[row + 1].extend(pieces);
        }
    }
    lines
}

/// A row of help: one key, or two that belong together.
#[derive(Clone)]
struct Entry {
    keys: String,
    words: String,
    commands: Vec<Command>,
}

impl Entry {
    fn pieces(&self, x: u16, own: &[Command], filter: &str) -> [Piece; 2] {
        let found = filter.is_empty() || format!("{} {}", self.keys, self.words).contains(filter);
        let own = own.iter().any(|command| self.commands.contains(command));
        let role = match (found, own) {
            (false, _) => Role::Dim,
            (true, true) => Role::Strong,
            (true, false) => Role::Text,
        };
        let words_at = x + 7.max(width(&self.keys) as u16 + 1);
        [piece(x, self.keys.clone(), role), piece(words_at, self.words.clone(), role)]
    }
}

fn entries(subject: Subject, shelf: Shelf) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for row in subject.rows().filter(|row| row.shelf == shelf) {
        let commands = row.presses.iter().map(|(_, command)| *command);
        match entries.last_mut() {
            Some(last) if row.joins => {
                last.keys.push_str(&format!(" {}", row.key));
                if !row.help.is_empty() {
                    last.words.push_str(&format!(", {}", row.help));
                }
                last.commands.extend(commands);
            }
            _ => entries.push(Entry {
                keys: row.key.to_owned(),
                words: row.help.to_owned(),
                commands: commands.collect(),
            }),
        }
    }
    entries
}

/// The keys that work everywhere, one after the other.
fn general(subject: Subject, filter: &str, cells: u16) -> Vec<Vec<Piece>> {
    let rows = subject.rows().filter(|row| row.shelf == Shelf::General);
    let mut lines: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut x = 1;
    for row in rows {
        let text = format!("{} {}", row.key, row.help);
        let end = x + width(&text) as u16;
        if end > cells.saturating_sub(1) && x > 1 {
            lines.push(Vec::new());
            x = 1;
        }
        let role = if filter.is_empty() || text.contains(filter) { Role::Text } else { Role::Dim };
        let end = x + width(&text) as u16;
        if let Some(line) = lines.last_mut() {
            line.push(piece(x, text, role));
        }
        x = end + 3;
    }
    lines
}

fn legend(glyphs: &Glyphs) -> [String; 4] {
    [
        format!(
            "{} lease and work   {} lease only   {} work only   {} renewed   {} lease ends",
            glyphs.work, glyphs.rest, glyphs.zombie, glyphs.renewal, glyphs.expiry
        ),
        "A applied, acked   E applied   # AGAIN   K key   D recognised   N failed".to_owned(),
        "S stale, refused   F fenced    ? unheard   L LOST   X died   r back   u healed".to_owned(),
        "x s z p P h l r: what you did, by its key".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_a_run_is_on_the_help_screen() {
        let shelves = [Shelf::Faults, Shelf::Policy, Shelf::Time, Shelf::General];
        let told: Vec<Command> = shelves
            .into_iter()
            .flat_map(|shelf| entries(Subject::Sandbox, shelf))
            .flat_map(|entry| entry.commands)
            .collect();
        for row in keys::table().iter().filter(|row| row.context == Context::Run) {
            for (_, command) in row.presses {
                assert!(told.contains(command), "{}", row.key);
            }
        }
    }

    #[test]
    fn help_on_a_comparison_has_its_own_words_and_not_those_of_one_run() {
        let all = [Shelf::Faults, Shelf::Policy, Shelf::Time].map(|shelf| entries(Subject::Compare, shelf)).concat();
        let words: Vec<&str> = all.iter().map(|entry| entry.words.as_str()).collect();
        assert!(words.contains(&"job that differs") && words.contains(&"kill now"));
        assert!(!words.contains(&"anomaly") && !words.contains(&"dedup ..."), "{words:?}");
    }

    #[test]
    fn keys_that_belong_together_share_a_row() {
        let entries = entries(Subject::Sandbox, Shelf::Faults);
        let cut = entries.iter().find(|entry| entry.keys == "p P").expect("the cuts");
        assert_eq!(cut.words, "cut queue, sink");
    }
}
