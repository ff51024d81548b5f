//! A field that asks for one text: how many jobs, which moment, which words.

use super::Decision;
use crate::action::Action;
use crate::text::clean;
use crate::time::{Instant, SECOND, Span};
use crate::tui::app::Command as Meaning;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::field::Field;
use crate::tui::keys::{self, Command, Context, Key, Stroke};
use crate::tui::panel::Panel;
use crate::tui::theme::Role;

/// The most jobs that one action may add.
const MOST_JOBS: u32 = 1_000_000;

/// How many jobs an empty field stands for.
const USUAL_JOBS: u32 = 10;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// How many jobs to enqueue.
    Enqueue,
    /// Where to look: a moment, or a part of the run in percent.
    GoTo,
    /// What the panel's list shows.
    Filter(Panel),
}

/// A question that is open.
#[derive(Clone, Debug)]
pub struct Ask {
    question: Question,
    field: Field,
    wrong: Option<String>,
}

impl Ask {
    /// Asks, with `text` as the first answer.
    pub fn new(question: Question, text: &str) -> Ask {
        Ask { question, field: Field::with(text), wrong: None }
    }

    /// Takes a key; `now` is where the run stands.
    pub fn press(&mut self, key: Key, stroke: Stroke, now: Instant) -> Decision {
        match keys::command(key, &[Context::Field]) {
            Some(_) if stroke == Stroke::Repeat => return Decision::Open,
            Some(Command::Out) => return Decision::Close,
            Some(Command::Clear) => self.field.set(""),
            Some(Command::In) => return self.answer(now),
            _ => {
                self.field.press(key);
            }
        }
        self.wrong = None;
        Decision::Open
    }

    /// Takes a paste.
    pub fn paste(&mut self, text: &str) {
        self.field.type_in(text);
    }

    fn answer(&mut self, now: Instant) -> Decision {
        let text = self.field.text().trim();
        let meaning = match self.question {
            Question::Enqueue => number(text).map(|n| Meaning::Act(Action::Enqueue(n))),
            Question::GoTo => moment(text, now).map(Meaning::LookAt),
            Question::Filter(panel) => Ok(Meaning::Filter(panel, text.to_owned())),
        };
        match meaning {
            Ok(meaning) => Decision::Do(meaning),
            Err(wrong) => {
                self.wrong = Some(wrong);
                Decision::Open
            }
        }
    }

    /// The rows it takes, its rule included.
    pub const HEIGHT: u16 = 3;

    /// Draws it with its rule and returns the cell of the cursor.
    pub fn draw(&self, canvas: &mut Canvas<'_>) -> (u16, u16) {
        let (title, hint) = match self.question {
            Question::Enqueue => ("enqueue", "how many jobs, 1 to 1,000,000; enter alone adds 10"),
            Question::GoTo => ("go to", "a time or a part of the run: 1:30, 40.3 or 40%"),
            Question::Filter(Panel::Dead) => ("filter dead letters", "a job's number or words; nothing shows all"),
            Question::Filter(_) => ("filter the log", "job 43, w2 or words; nothing: no renewals; * everything"),
        };
        canvas.clear();
        canvas.rule(0, Rule { title, ..Rule::default() });
        match &self.wrong {
            Some(wrong) => canvas.put(1, 1, wrong, Role::Look),
            None => canvas.put(1, 1, hint, Role::Dim),
        };
        let x = canvas.put(1, 2, ": ", Role::Accent);
        canvas.put(x, 2, self.field.text(), Role::Text);
        (x.saturating_add(self.field.cursor() as u16).min(canvas.width().saturating_sub(1)), 2)
    }
}

fn number(text: &str) -> Result<u32, String> {
    if text.is_empty() {
        return Ok(USUAL_JOBS);
    }
    match text.replace(',', "").parse() {
        Ok(n) if (1..=MOST_JOBS).contains(&n) => Ok(n),
        _ => Err(format!("{} is not a number from 1 to 1,000,000", clean(text))),
    }
}

/// Reads `1:30`, `90`, `40.3`, `40.3 s` or `40%` as a moment; `now` is the end of the run so far.
fn moment(text: &str, now: Instant) -> Result<Instant, String> {
    let refuse = || match text {
        "" => "write a moment: 1:30, 40.3 or 40%".to_owned(),
        _ => format!("{} is not a moment: write 1:30, 40.3 or 40%", clean(text)),
    };
    let plain = |text: &str| -> Result<f64, String> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        text.parse::<f64>().ok().filter(|n| digits && n.is_finite()).ok_or_else(refuse)
    };
    let seconds = match (text.strip_suffix('%'), text.split_once(':')) {
        (Some(part), _) => now.seconds() * plain(part.trim())?.min(100.0) / 100.0,
        (_, Some((minutes, seconds))) => plain(minutes)? * 60.0 + plain(seconds)?,
        _ => plain(text.trim_end_matches('s').trim_end())?,
    };
    let longest = (u64::MAX / SECOND) as f64;
    Ok(Instant::START + Span::from_seconds(seconds.min(longest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_minutes_seconds_or_percent() {
        let now = Instant(200 * SECOND);
        assert_eq!(moment("1:30", now), Ok(Instant(90 * SECOND)));
        assert_eq!(moment("40.5 s", now), Ok(Instant(40_500_000_000)));
        assert_eq!(moment("40%", now), Ok(Instant(80 * SECOND)));
        assert_eq!(moment("150%", now), Ok(now));
        assert_eq!(moment("", now).expect_err("nothing"), "write a moment: 1:30, 40.3 or 40%");
        for text in ["", "soon", "-3", "1:", "%", "1e9", "NaN"] {
            assert!(moment(text, now).is_err(), "{text}");
        }
    }

    #[test]
    fn jobs_are_counted_within_their_limit() {
        assert_eq!(number("1,000"), Ok(1_000));
        assert_eq!(number(""), Ok(10));
        for text in ["0", "1000001", "-1", "ten"] {
            assert!(number(text).is_err(), "{text}");
        }
    }
}
