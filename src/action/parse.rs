//! Reads an action from text, and says where and how a text fails to be one.
//!
//! An error points at the wrong word and offers the nearest right one, since palettes show it under the line that is
//! being typed and lab files with a caret. What is read here is only well-formed: `w99` and `at ack` may not exist in
//! the run at hand.

use std::fmt;
use std::str::FromStr;

use super::{Action, Letters, Link, Message, VERBS, Who};
use crate::event::Fault;
use crate::ids::{Job, Worker};
use crate::policy::{AckOrder, Dedup, DedupKey, OnDead, OnLostLease, Ordering, Point, Setting, SettingName, Switch};
use crate::setup::{MAX_JOBS, MAX_WORKERS, Poison, Rate};
use crate::text::{clean, nearest};
use crate::time::Span;

/// The factor of `slow` when none is given.
const SLOW_FACTOR: f64 = 4.0;
/// The most jobs that one action may add.
const MAX_ENQUEUED: u32 = 1_000_000;
/// The longest time for which a fault may be asked.
const LONGEST_FAULT: Span = Span::seconds(24 * 3_600);
/// The longest text of a mark or an answer, in characters.
const LONGEST_TEXT: usize = 200;

/// Why a text is not an action, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The wrong word's first character, from 1; just past the end of the text when a word is missing.
    pub column: usize,
    /// The wrong word's length in characters, at least 1.
    pub len: usize,
    /// What is wrong with it.
    pub message: String,
    /// The word that was probably meant.
    pub suggestion: Option<String>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.suggestion {
            Some(word) => write!(f, ". Did you mean {word}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// One word and where it stands.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// Its first byte.
    start: usize,
    /// Its first character, from 1.
    column: usize,
}

impl Word<'_> {
    fn wrong(self, message: String) -> ParseError {
        ParseError { column: self.column, len: self.text.chars().count().max(1), message, suggestion: None }
    }

    /// The word is none of `known`, of which the nearest is offered.
    fn unknown<'k>(self, message: String, known: impl IntoIterator<Item = &'k str>) -> ParseError {
        ParseError { suggestion: nearest(self.text, known).map(str::to_owned), ..self.wrong(message) }
    }

    /// The word as one of the values of `T`, whose names are `known`; `what` says what belongs here.
    fn one_of<'k, T: FromStr>(self, what: &str, known: impl IntoIterator<Item = &'k str>) -> Result<T, ParseError> {
        let known: Vec<&str> = known.into_iter().collect();
        self.text.parse().map_err(|_| {
            let message = format!("{} is not {what}: {}", clean(self.text), known.join(", "));
            self.unknown(message, known)
        })
    }

    /// The word as a number in `min..=max`, digits only; `what` is counted.
    fn number(self, what: &str, min: u32, max: u32) -> Result<u32, ParseError> {
        let digits = self.text.bytes().all(|b| b.is_ascii_digit());
        match self.text.parse() {
            Ok(n) if digits && (min..=max).contains(&n) => Ok(n),
            _ => Err(self.wrong(format!("{} is not {what} from {min} to {max}", clean(self.text)))),
        }
    }
}

/// The words of a text, taken one after the other.
struct Words<'a> {
    text: &'a str,
    rest: std::vec::IntoIter<Word<'a>>,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Words<'a> {
        let word = |part: &'a str| {
            let start = part.as_ptr().addr() - text.as_ptr().addr();
            Word { text: part, start, column: text[..start].chars().count() + 1 }
        };
        let words: Vec<Word<'a>> = text.split_whitespace().map(word).collect();
        Words { text, rest: words.into_iter() }
    }

    /// The next word; `what` belongs there.
    fn next(&mut self, what: &str) -> Result<Word<'a>, ParseError> {
        let missing = || ParseError {
            column: match self.text.trim_end().chars().count() {
                0 => 1,
                length => length + 2,
            },
            len: 1,
            message: format!("here belongs {what}"),
            suggestion: None,
        };
        self.rest.next().ok_or_else(missing)
    }

    /// The next word if `wanted` accepts it.
    fn next_if(&mut self, wanted: impl Fn(&str) -> bool) -> Option<Word<'a>> {
        let word = *self.rest.as_slice().first().filter(|word| wanted(word.text))?;
        self.rest.next();
        Some(word)
    }

    fn end(mut self, form: &str) -> Result<(), ParseError> {
        match self.rest.next() {
            None => Ok(()),
            Some(word) => Err(word.wrong(format!("{} is one word too many: {form}", clean(word.text)))),
        }
    }
}

/// Reads one action, as [`Action`]'s `Display` writes it.
pub fn parse(text: &str) -> Result<Action, ParseError> {
    let mut words = Words::of(text);
    let first = words.next("an action, such as kill w2")?;
    let Some(verb) = VERBS.iter().find(|verb| verb.name == first.text) else {
        let message = format!("no such action: {}", clean(first.text));
        return Err(first.unknown(message, VERBS.iter().map(|verb| verb.name)));
    };
    match verb.name {
        "mark" => return free_text("mark", &mut words).map(Action::Mark),
        "answer" => {
            let step = words.next("the number of a step")?.number("the number of a step", 1, u32::MAX)?;
            return free_text("answer", &mut words).map(|text| Action::Answer(step, text));
        }
        _ => {}
    }
    let action = match verb.name.parse::<SettingName>() {
        Ok(name) => setting(name, words.next(&format!("a value: {}", verb.form))?).map(Action::Set)?,
        Err(_) => rest(verb.name, &mut words)?,
    };
    words.end(verb.form)?;
    Ok(action)
}

/// Reads what follows the first word of any action but marks and settings.
fn rest(verb: &str, words: &mut Words<'_>) -> Result<Action, ParseError> {
    Ok(match verb {
        "kill" => Action::Kill(who(words)?, point(words)?),
        "disarm" => Action::Disarm(who(words)?),
        "stall" => Action::Stall(who(words)?, lasting(words)?),
        "pause" => Action::Pause(who(words)?, lasting(words)?),
        "hang" => Action::Hang(who(words)?, lasting(words)?),
        "cut" => Action::Cut(who(words)?, link(words)?, lasting(words)?),
        "slow" => Action::Slow(who(words)?, factor(words)?, lasting(words)?),
        "lose" => {
            let message = message(words)?;
            Action::Lose(message, probability(message, words)?)
        }
        "heal" => Action::Heal(who(words)?, fault(words)?),
        "restart" => Action::Restart(who(words)?),
        "enqueue" => Action::Enqueue(words.next("a number of jobs")?.number("a number of jobs", 1, MAX_ENQUEUED)?),
        "poison" => Action::Poison(poison(words)?),
        "redrive" => Action::Redrive(letters(words)?),
        "stop" => Action::Stop,
        "go" => Action::Go,
        "step" => Action::Step,
        "speed" => Action::Speed(speed(words)?),
        "jump" => Action::Jump,
        other => unreachable!("{other} is in the table of verbs and read nowhere"),
    })
}

/// Reads the rest of the line as the text of `what`.
fn free_text(what: &str, words: &mut Words<'_>) -> Result<String, ParseError> {
    let first = words.next(&format!("the text of the {what}"))?;
    let text = words.text[first.start..].trim_end();
    if text.chars().count() > LONGEST_TEXT {
        return Err(first.wrong(format!("the text of the {what} has at most {LONGEST_TEXT} characters")));
    }
    Ok(text.to_owned())
}

fn who(words: &mut Words<'_>) -> Result<Who, ParseError> {
    let word = words.next("a worker: w1, w2 ..., random or all")?;
    match (word.text, word.text.strip_prefix('w')) {
        ("random", _) => Ok(Who::Random),
        ("all", _) => Ok(Who::All),
        (_, Some(number)) if number.starts_with(|c: char| c.is_ascii_digit()) => {
            let number = Word { text: number, ..word }.number("the number of a worker", 1, u32::from(MAX_WORKERS));
            let number = number.map_err(|error| ParseError { len: error.len + 1, ..error })?;
            Ok(Who::Worker(Worker(u16::try_from(number).expect("at most 256"))))
        }
        _ => {
            let message = format!("{} is not a worker: w1, w2 ..., random, all", clean(word.text));
            Err(word.unknown(message, ["random", "all"]))
        }
    }
}

fn point(words: &mut Words<'_>) -> Result<Option<Point>, ParseError> {
    if words.next_if(|word| word == "at").is_none() {
        return Ok(None);
    }
    let names = Point::ALL.iter().map(|point| point.name());
    words.next("a crash point")?.one_of("a crash point", names).map(Some)
}

fn lasting(words: &mut Words<'_>) -> Result<Option<Span>, ParseError> {
    if words.next_if(|word| word == "for").is_none() {
        return Ok(None);
    }
    let word = words.next("a duration, such as 5s")?;
    match word.text.parse::<Span>() {
        Ok(span) if !span.is_zero() && span <= LONGEST_FAULT => Ok(Some(span)),
        Ok(_) => Err(word.wrong(format!("{} is out of range: a fault lasts up to 24h, and not 0", clean(word.text)))),
        Err(_) => Err(word.wrong(format!("{} is not a duration, such as 250ms, 5s or 2min", clean(word.text)))),
    }
}

fn link(words: &mut Words<'_>) -> Result<Link, ParseError> {
    let names = Link::ALL.iter().map(|link| link.name());
    words.next("a link: queue or sink")?.one_of("a link", names)
}

/// A factor may be left out, so only a word that begins like one is taken for it.
fn factor(words: &mut Words<'_>) -> Result<f64, ParseError> {
    let Some(word) = words.next_if(|word| word != "for") else {
        return Ok(SLOW_FACTOR);
    };
    let read = word.text.strip_prefix('x').and_then(decimal);
    match read {
        Some(factor) if (1.0..=1_000.0).contains(&factor) => Ok(factor),
        _ => Err(word.wrong(format!("{} is not a factor from x1 to x1000", clean(word.text)))),
    }
}

fn message(words: &mut Words<'_>) -> Result<Message, ParseError> {
    let names = Message::ALL.iter().map(|message| message.name());
    words.next("what is lost: beats, acks or replies")?.one_of("a kind of message", names)
}

fn probability(message: Message, words: &mut Words<'_>) -> Result<Rate, ParseError> {
    let word = words.next("a probability, such as 0.02 or 2%")?;
    match word.text.parse::<Rate>() {
        Ok(rate) if message == Message::Replies && rate.value() >= 1.0 => {
            Err(word.wrong("replies are lost below 100%: a worker asks again until it gets one".to_owned()))
        }
        Ok(rate) => Ok(rate),
        Err(_) => Err(word.wrong(format!("{} is not a probability from 0 to 1", clean(word.text)))),
    }
}

fn fault(words: &mut Words<'_>) -> Result<Option<Fault>, ParseError> {
    let names = Fault::ALL.iter().map(|fault| fault.name());
    words.next_if(|_| true).map(|word| word.one_of("a fault", names)).transpose()
}

fn poison(words: &mut Words<'_>) -> Result<Poison, ParseError> {
    let names = Poison::ALL.iter().map(|poison| poison.name());
    words.next("what the job does: fail, crash or panic")?.one_of("a kind of poison", names)
}

fn letters(words: &mut Words<'_>) -> Result<Letters, ParseError> {
    let word = words.next("a job's number, or all")?;
    match word.text {
        "all" => Ok(Letters::All),
        _ => word.number("all or a job", 0, MAX_JOBS - 1).map(|job| Letters::One(Job(job))),
    }
}

fn speed(words: &mut Words<'_>) -> Result<f64, ParseError> {
    let word = words.next("a speed from 0.1 to 100")?;
    match decimal(word.text) {
        Some(x) if (0.1..=100.0).contains(&x) => Ok(x),
        _ => Err(word.wrong(format!("{} is not a speed from 0.1 to 100", clean(word.text)))),
    }
}

/// A number written with digits and a point, so that `inf`, `NaN` and exponents are none.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|_| plain)
}

fn setting(name: SettingName, word: Word<'_>) -> Result<Setting, ParseError> {
    Setting::parse(name, word.text).map_err(|error| {
        let message = format!("{} is not {}", clean(&error.found), error.wanted);
        word.unknown(message, values(name))
    })
}

/// The values of a setting that have a name.
fn values(name: SettingName) -> Vec<&'static str> {
    match name {
        SettingName::Ack => AckOrder::ALL.iter().map(|value| value.name()).collect(),
        SettingName::Dedup => Dedup::NAMES.to_vec(),
        SettingName::Key => DedupKey::ALL.iter().map(|value| value.name()).collect(),
        SettingName::Order => Ordering::ALL.iter().map(|value| value.name()).collect(),
        SettingName::OnDead => OnDead::ALL.iter().map(|value| value.name()).collect(),
        SettingName::OnLostLease => OnLostLease::ALL.iter().map(|value| value.name()).collect(),
        SettingName::Fence => Switch::ALL.iter().map(|value| value.name()).collect(),
        SettingName::Attempts => vec!["unlimited"],
        SettingName::Renew => vec!["off"],
        SettingName::Lease | SettingName::Backoff => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
