//! The palette: a line of the action grammar, completed with what is possible now.

use super::Decision;
use super::complete::{Candidate, Offer, candidates};
use crate::action::{ParseError, VERBS, Who, parse};
use crate::ids::Worker;
use crate::tui::app::Command as Meaning;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::field::Field;
use crate::tui::keys::{self, Command, Context, Direction, Key, Stroke};
use crate::tui::theme::{Role, Theme};

/// How many lines are offered at once.
const ROWS: usize = 5;
/// How many lines the history keeps.
const HISTORY: usize = 50;

/// The palette while it is open, and its history while it is not.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    field: Field,
    chosen: Option<usize>,
    wrong: Option<ParseError>,
    history: Vec<String>,
    /// How many lines back in the history; 0 for none.
    back: usize,
}

impl Palette {
    /// Opens it empty.
    pub fn open(&mut self) {
        self.field.set("");
        self.changed();
        self.back = 0;
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key, stroke: Stroke, offer: &Offer<'_>) -> Decision {
        let command = keys::command(key, &[Context::Palette]);
        match (command, stroke) {
            (Some(Command::Out), Stroke::Press) => return Decision::Close,
            (Some(Command::In), Stroke::Press) => return self.run(offer),
            (Some(Command::Complete), Stroke::Press) => self.complete(offer),
            (Some(Command::Clear), Stroke::Press) => {
                self.field.set("");
                self.changed();
            }
            (Some(Command::Move(direction)), _) => self.choose(direction, offer),
            (Some(Command::Older), _) => self.recall(1),
            (Some(Command::Newer), _) => self.recall(-1),
            (Some(_), Stroke::Repeat) => {}
            _ => {
                if self.field.press(key) {
                    self.changed();
                }
            }
        }
        Decision::Open
    }

    /// Takes a paste.
    pub fn paste(&mut self, text: &str) {
        self.field.type_in(text);
        self.changed();
    }

    fn changed(&mut self) {
        self.chosen = None;
        self.wrong = None;
    }

    fn choose(&mut self, direction: Direction, offer: &Offer<'_>) {
        let last = candidates(self.field.text(), offer).len();
        let here = self.chosen;
        self.chosen = match direction {
            _ if last == 0 => None,
            Direction::Up => here.map_or(Some(last - 1), |n| n.checked_sub(1)),
            _ => Some(here.map_or(0, |n| (n + 1).min(last - 1))),
        };
    }

    fn recall(&mut self, step: isize) {
        self.back = self.back.saturating_add_signed(step).min(self.history.len());
        let line = self.history.len().checked_sub(self.back).and_then(|place| self.history.get(place));
        let line = line.cloned().unwrap_or_default();
        self.field.set(&line);
        self.changed();
    }

    /// Takes the chosen line, else the one that was meant, else the first that could follow.
    fn complete(&mut self, offer: &Offer<'_>) {
        let meant = self.meant();
        let offered = candidates(self.field.text(), offer);
        let chosen = self.chosen.and_then(|place| offered.get(place)).or_else(|| offered.first());
        let line = match (self.chosen, meant, chosen) {
            (None, Some(line), _) => line,
            (_, _, Some(candidate)) => format!("{} ", candidate.line),
            _ => return,
        };
        self.field.set(&line);
        self.changed();
    }

    /// The text with the wrong word replaced by the one that was probably meant.
    fn meant(&self) -> Option<String> {
        let wrong = self.wrong.as_ref()?;
        let word = wrong.suggestion.as_ref()?;
        let letters: Vec<char> = self.field.text().chars().collect();
        let start = wrong.column.saturating_sub(1).min(letters.len());
        let end = (start + wrong.len).min(letters.len());
        let before: String = letters[..start].iter().collect();
        let after: String = letters[end..].iter().collect();
        Some(format!("{before}{word}{after}"))
    }

    /// Runs the chosen line if it is whole, else what was typed.
    fn run(&mut self, offer: &Offer<'_>) -> Decision {
        let offered = candidates(self.field.text(), offer);
        if let Some(candidate) = self.chosen.and_then(|place| offered.get(place)) {
            let line = candidate.line.clone();
            let whole = candidate.whole;
            self.field.set(if whole { line.trim_end() } else { &line });
            self.changed();
            if !whole {
                self.field.type_in(" ");
                return Decision::Open;
            }
        }
        let text = self.field.text().trim().to_owned();
        if text.is_empty() {
            return Decision::Close;
        }
        match meaning(&text).and_then(|meaning| of_this_run(meaning, &text, offer)) {
            Ok(meaning) => {
                self.remember(text);
                Decision::Do(meaning)
            }
            Err(wrong) => {
                self.field.set(&text);
                self.wrong = Some(of_this_program(wrong, &text, offer));
                Decision::Open
            }
        }
    }

    fn remember(&mut self, line: String) {
        self.history.retain(|old| *old != line);
        self.history.push(line);
        if self.history.len() > HISTORY {
            self.history.remove(0);
        }
    }

    /// The rows it takes, its rule included.
    pub const HEIGHT: u16 = ROWS as u16 + 3;

    /// Draws it with its rule and returns the cell of the cursor.
    pub fn draw(&self, canvas: &mut Canvas<'_>, offer: &Offer<'_>) -> (u16, u16) {
        canvas.clear();
        let focused = false;
        canvas.rule(0, Rule { title: "palette", focused, ..Rule::default() });
        let offered = candidates(self.field.text(), offer);
        let first = self.chosen.map_or(0, |place| (place + 1).saturating_sub(ROWS));
        for (y, (place, candidate)) in (1..).zip(offered.iter().enumerate().skip(first).take(ROWS)) {
            offered_row(canvas, y, candidate, self.chosen == Some(place));
        }
        if offered.len() > ROWS {
            let more = format!("{} more", offered.len() - ROWS);
            canvas.put_right(canvas.width().saturating_sub(1), 0, &format!(" {more} "), Role::Dim);
        }
        let (note_row, line_row) = (ROWS as u16 + 2, ROWS as u16 + 1);
        let x = canvas.put(1, line_row, ": ", Role::Accent);
        canvas.put(x, line_row, self.field.text(), Role::Text);
        self.note(canvas, note_row, x);
        (x.saturating_add(self.field.cursor() as u16).min(canvas.width().saturating_sub(1)), line_row)
    }

    /// Below the line: what is wrong with it, under the wrong word; else how the action is written.
    fn note(&self, canvas: &mut Canvas<'_>, y: u16, x: u16) {
        if let Some(wrong) = &self.wrong {
            let start = x + u16::try_from(wrong.column.saturating_sub(1)).unwrap_or(0).min(canvas.width());
            let carets: String = std::iter::repeat_n('^', wrong.len.min(20)).collect();
            let meant = wrong.suggestion.as_ref().map(|word| format!(". Did you mean {word}? (tab)"));
            let words = format!("{carets} {}{}", wrong.message, meant.unwrap_or_default());
            let start = start.min(canvas.width() / 2);
            canvas.put(start, y, &words, Role::Look);
            return;
        }
        let first = self.field.text().split_whitespace().next().unwrap_or_default();
        if let Some(verb) = VERBS.iter().find(|verb| verb.name == first) {
            canvas.put(1, y, &format!("{}: {}", verb.form, verb.does), Role::Dim);
        }
    }
}

/// What was meant, unless it is about a worker that the run does not have.
fn of_this_run(meaning: Meaning, text: &str, offer: &Offer<'_>) -> Result<Meaning, ParseError> {
    let there = |worker: Worker| offer.workers.is_empty() || offer.workers.iter().any(|view| view.worker == worker);
    match &meaning {
        Meaning::Act(action) => match action.target() {
            Some(Who::Worker(worker)) if !there(worker) => {
                let word = worker.to_string();
                let before = text.find(&word).map_or(0, |at| text[..at].chars().count());
                let message = format!("there is no {word}");
                Err(ParseError { column: before + 1, len: word.chars().count(), message, suggestion: None })
            }
            _ => Ok(meaning),
        },
        _ => Ok(meaning),
    }
}

fn offered_row(canvas: &mut Canvas<'_>, y: u16, candidate: &Candidate, chosen: bool) {
    if chosen {
        let mark = canvas.look.glyphs.select;
        canvas.cell(1, y, mark, Role::Accent);
    }
    let end = canvas.put(2, y, &candidate.line, if chosen { Role::Strong } else { Role::Text });
    canvas.put(end.max(24) + 2, y, &candidate.says, Role::Dim);
}

/// What is wrong with a gap that no program has: the grammar names all gaps, the policy in force has some of them.
fn of_this_program(wrong: ParseError, text: &str, offer: &Offer<'_>) -> ParseError {
    let words: Vec<&str> = text.split_whitespace().collect();
    if !matches!(words[..], ["kill", _, "at", _]) {
        return wrong;
    }
    let points: Vec<&str> = offer.policy.program().points().into_iter().map(|point| point.name()).collect();
    let suggestion = wrong.suggestion.filter(|word| points.contains(&word.as_str()));
    ParseError { message: format!("expected one of {}", points.join(", ")), suggestion, ..wrong }
}

/// A line as an action, or as something that concerns the screen.
fn meaning(text: &str) -> Result<Meaning, ParseError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["ascii"] => Ok(Meaning::SwitchGlyphs),
        ["theme", "dark"] => Ok(Meaning::Theme(Theme::Dark)),
        ["theme", "light"] => Ok(Meaning::Theme(Theme::Light)),
        ["theme", "mono"] => Ok(Meaning::Theme(Theme::Mono)),
        ["again"] => Ok(Meaning::Again),
        ["quit" | "q"] => Ok(Meaning::Quit),
        _ => parse(text).map(Meaning::Act),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::policy::Policy;
    use crate::tui::fixture::Model;
    use crate::tui::overlay::complete::Reach;

    fn typed(palette: &mut Palette, text: &str) -> Decision {
        let policy = Policy::default();
        let offer = Offer { workers: &[], selected: Worker(1), policy: &policy, dead: Vec::new(), reach: Reach::All };
        let mut last = Decision::Open;
        for c in text.chars() {
            let key = match c {
                '\n' => Key::Enter,
                '\t' => Key::Tab,
                '^' => Key::Ctrl('p'),
                c => Key::Char(c),
            };
            last = palette.press(key, Stroke::Press, &offer);
        }
        last
    }

    #[test]
    fn a_line_is_run_and_kept_in_the_history() {
        let mut palette = Palette::default();
        assert_eq!(
            typed(&mut palette, "kill w2\n"),
            Decision::Do(Meaning::Act(Action::Kill(Who::Worker(Worker(2)), None)))
        );
        palette.open();
        assert_eq!(typed(&mut palette, "^\n"), Decision::Do(Meaning::Act(Action::Kill(Who::Worker(Worker(2)), None))));
    }

    #[test]
    fn a_misspelt_line_stays_open_and_tab_puts_the_right_word_in() {
        let mut palette = Palette::default();
        assert_eq!(typed(&mut palette, "kil w2\n"), Decision::Open);
        assert!(palette.wrong.is_some());
        typed(&mut palette, "\t");
        assert_eq!(palette.field.text(), "kill w2");
    }

    #[test]
    fn a_gap_that_does_not_exist_is_answered_with_those_of_the_program_in_force() {
        let mut palette = Palette::default();
        assert_eq!(typed(&mut palette, "kill w2 at nowhere\n"), Decision::Open);
        let wrong = palette.wrong.expect("refused").message;
        let points: Vec<&str> = Policy::default().program().points().iter().map(|point| point.name()).collect();
        assert_eq!(wrong, format!("expected one of {}", points.join(", ")));
    }

    #[test]
    fn a_worker_that_the_run_does_not_have_keeps_the_line_open() {
        let model = Model::new(4, &[]);
        let (policy, workers) = (Policy::default(), model.board.workers(model.now()));
        let offer =
            Offer { workers: &workers, selected: Worker(1), policy: &policy, dead: Vec::new(), reach: Reach::All };
        for (line, runs) in [("kill w4", true), ("kill w99", false), ("heal w5", false), ("kill random", true)] {
            let mut palette = Palette::default();
            palette.paste(line);
            let done = palette.press(Key::Enter, Stroke::Press, &offer);
            assert_eq!(done != Decision::Open, runs, "{line}");
            let wrong = palette.wrong.map(|wrong| (wrong.column, wrong.len, wrong.message));
            let word = line.split(' ').next_back().expect("a word");
            assert_eq!(wrong, (!runs).then(|| (6, word.len(), format!("there is no {word}"))));
        }
    }

    #[test]
    fn what_concerns_the_screen_is_understood_too() {
        assert_eq!(typed(&mut Palette::default(), "ascii\n"), Decision::Do(Meaning::SwitchGlyphs));
        assert_eq!(typed(&mut Palette::default(), "theme light\n"), Decision::Do(Meaning::Theme(Theme::Light)));
    }
}
