//! A chooser: rows with a letter each. Its letters mean its rows and nothing else.

use super::Decision;
use crate::action::Action;
use crate::tui::app::Command as Meaning;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::width as cells;
use crate::tui::keys::{self, Command, Context, Direction, Key, Stroke};
use crate::tui::theme::Role;

/// One way to choose a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// The figure, as the row shows it.
    pub figure: String,
    /// What is done.
    pub action: Action,
}

/// A row of a chooser.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Its letter.
    pub letter: char,
    /// What it is called.
    pub name: String,
    /// What it is or does.
    pub says: String,
    /// What it claims or comes to.
    pub claims: String,
    /// The same in more words, for where there is room; empty if there are none.
    pub claims_fully: String,
    /// True if that is harm.
    pub bad: bool,
    /// The ways to choose it; left and right go through them.
    pub picks: Vec<Pick>,
    /// The way that is shown.
    pub pick: usize,
}

impl Choice {
    /// A row with one way to choose it.
    pub fn plain(letter: char, name: impl Into<String>, says: impl Into<String>, action: Action) -> Choice {
        let pick = Pick { figure: String::new(), action };
        Choice {
            letter,
            name: name.into(),
            says: says.into(),
            claims: String::new(),
            claims_fully: String::new(),
            bad: false,
            picks: vec![pick],
            pick: 0,
        }
    }

    fn label(&self) -> String {
        self.picks.get(self.pick).map_or(self.name.clone(), |pick| self.label_of(pick))
    }

    fn label_of(&self, pick: &Pick) -> String {
        if pick.figure.is_empty() { self.name.clone() } else { format!("{} {}", self.name, pick.figure) }
    }

    /// The claims, in more words where they are to be had and wanted.
    fn claims(&self, fully: bool) -> &str {
        if fully && !self.claims_fully.is_empty() { &self.claims_fully } else { &self.claims }
    }
}

/// A chooser that is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Chooser {
    /// What is chosen.
    pub title: String,
    /// The rows.
    pub rows: Vec<Choice>,
    /// The row that enter chooses.
    pub selected: usize,
}

/// Where a row's words and its claims begin.
#[derive(Clone, Copy)]
struct Columns {
    says: u16,
    claims: u16,
    /// Whether the claims have room for more words.
    fully: bool,
}

/// Where the name of a row begins.
const NAME_AT: usize = 4;

impl Chooser {
    /// Takes a key.
    pub fn press(&mut self, key: Key, stroke: Stroke) -> Decision {
        if let Some(command) = keys::command(key, &[Context::Chooser]) {
            return self.command(command, stroke);
        }
        let (Key::Char(c), Stroke::Press) = (key, stroke) else { return Decision::Open };
        let by_letter = |letter: char| self.rows.iter().position(|row| row.letter == letter);
        match by_letter(c).or_else(|| by_letter(keys::letter(c))) {
            Some(place) => self.choose(place),
            None => Decision::Open,
        }
    }

    fn command(&mut self, command: Command, stroke: Stroke) -> Decision {
        match (command, stroke) {
            (Command::Out, Stroke::Press) => return Decision::Close,
            (Command::In, Stroke::Press) => return self.choose(self.selected),
            (Command::Move(Direction::Up), _) => self.selected = self.selected.saturating_sub(1),
            (Command::Move(Direction::Down), _) => {
                self.selected = (self.selected + 1).min(self.rows.len().saturating_sub(1));
            }
            (Command::Move(Direction::Left), _) => self.turn(false),
            (Command::Move(Direction::Right), _) => self.turn(true),
            _ => {}
        }
        Decision::Open
    }

    fn turn(&mut self, forward: bool) {
        if let Some(row) = self.rows.get_mut(self.selected) {
            let last = row.picks.len().saturating_sub(1);
            row.pick = if forward { (row.pick + 1).min(last) } else { row.pick.saturating_sub(1) };
        }
    }

    fn choose(&self, place: usize) -> Decision {
        match self.rows.get(place).and_then(|row| row.picks.get(row.pick)) {
            Some(pick) => Decision::Do(Meaning::Act(pick.action.clone())),
            None => Decision::Close,
        }
    }

    /// The rows that the chooser takes, its rule included.
    pub fn height(&self) -> u16 {
        self.rows.len() as u16 + 1
    }

    /// Draws it with its rule; what does not fit scrolls.
    pub fn draw(&self, canvas: &mut Canvas<'_>) {
        canvas.clear();
        canvas.rule(0, Rule { title: &self.title, ..Rule::default() });
        let columns = self.columns(usize::from(canvas.width()));
        let rows = usize::from(canvas.height().saturating_sub(1));
        let first = (self.selected + 1).saturating_sub(rows);
        for (y, (place, row)) in (1..).zip(self.rows.iter().enumerate().skip(first).take(rows)) {
            draw_row(canvas, y, row, columns, place == self.selected);
        }
    }

    /// The columns for a chooser of `width` cells: names and claims are whole, and what a row says as far as it fits.
    /// Values that left and right may bring count as well, so that nothing moves when they do.
    fn columns(&self, width: usize) -> Columns {
        let widest = |of: &dyn Fn(&Choice) -> usize| self.rows.iter().map(of).max().unwrap_or(0);
        let names = widest(&|row| row.picks.iter().map(|pick| cells(&row.label_of(pick))).max().unwrap_or(0));
        let says = widest(&|row| cells(&row.says));
        let claims = |fully: bool| widest(&|row| cells(row.claims(fully)));
        let least = |fully: bool| NAME_AT + names + 1 + says + 2 + claims(fully);
        let fully = least(true) <= width;
        let air = if least(fully) + 2 <= width { 2 } else { 1 };
        let says_at = NAME_AT + names + air;
        let claims_at = (says_at + says + 2).min(width.saturating_sub(claims(fully)));
        Columns { says: says_at as u16, claims: claims_at as u16, fully }
    }
}

fn draw_row(canvas: &mut Canvas<'_>, y: u16, row: &Choice, columns: Columns, selected: bool) {
    if selected {
        let mark = canvas.look.glyphs.select;
        canvas.cell(1, y, mark, Role::Accent);
    }
    canvas.cell(2, y, row.letter, Role::Accent);
    let role = if selected { Role::Strong } else { Role::Text };
    canvas.put_within(NAME_AT as u16, y, columns.says.saturating_sub(NAME_AT as u16 + 1), &row.label(), role);
    let claims = row.claims(columns.fully);
    let end = if claims.is_empty() { canvas.width() } else { columns.claims.saturating_sub(1) };
    canvas.put_within(columns.says, y, end.saturating_sub(columns.says), &row.says, Role::Text);
    canvas.put(columns.claims, y, claims, if row.bad { Role::Bad } else { Role::Text });
}
