//! Reads single values of a table, and says of each that is not what belongs there.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::Findings;
use crate::text::{clean_lines, nearest};
use crate::time::{SECOND, Span};

/// The longest time that a lab may name: 1,000 h of lab time.
const LONGEST_TIME: Span = Span(1_000 * 3_600 * SECOND);
/// The longest word for which a nearest one is looked for.
const LONGEST_WORD: usize = 40;
/// The greatest number, and with a minus sign the least.
const GREATEST: f64 = 1e15;

/// A value of a file and where it stands.
pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// Something that was read, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub value: T,
    pub at: Range<usize>,
}

/// A table of the file.
#[derive(Clone)]
pub(super) struct Table<'t> {
    pub fields: &'t DeTable<'t>,
    /// Where its header stands.
    pub at: Range<usize>,
}

impl<'t> Table<'t> {
    /// `value` as a table.
    pub fn of(value: &'t Value<'t>, name: &str, found: &mut Findings) -> Option<Table<'t>> {
        match value.get_ref() {
            DeValue::Table(fields) => Some(Table { fields, at: value.span() }),
            other => {
                found.error(&value.span(), format!("{name} is a table, not {}", kind(other)), None);
                None
            }
        }
    }

    /// Refuses every key that is not in `known`; `elsewhere` says of a key where else it belongs.
    pub fn refuse_unknown(&self, known: &[&str], elsewhere: fn(&str) -> Option<&'static str>, found: &mut Findings) {
        for key in self.fields.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref().as_ref();
            let near =
                if found.is_full() || name.len() > LONGEST_WORD { None } else { nearest(name, known.iter().copied()) };
            let help = elsewhere(name).map(str::to_owned).or(near.map(|word| format!("did you mean {word}?")));
            found.error(&key.span(), format!("no such key: {name}"), help);
        }
    }

    pub fn get(&self, key: &str) -> Option<&'t Value<'t>> {
        self.fields.get(key)
    }

    /// Where the key stands, if it is there.
    pub fn key(&self, key: &str) -> Option<Range<usize>> {
        self.fields.get_key_value(key).map(|(key, _)| key.span())
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Refuses the table for lack of a key.
    pub fn lacks(&self, key: &str, why: &str, found: &mut Findings) {
        found.error(&self.at, format!("{key} is missing"), Some(why.to_owned()));
    }

    /// Refuses keys that have no place beside others.
    pub fn refuse(&self, keys: &[&str], why: &str, found: &mut Findings) {
        for key in keys {
            if let Some(at) = self.key(key) {
                found.error(&at, format!("{key}: {why}"), None);
            }
        }
    }

    /// A string, as it is written.
    pub fn string(&self, key: &str, found: &mut Findings) -> Option<Placed<&'t str>> {
        string(self.get(key)?, key, found)
    }

    /// Words for people: at most `longest` characters, none of which acts on a terminal.
    pub fn words(&self, key: &str, longest: usize, found: &mut Findings) -> Option<String> {
        words(self.get(key)?, key, longest, found)
    }

    /// Words on one line; empty if there are none.
    pub fn line(&self, key: &str, longest: usize, found: &mut Findings) -> String {
        let Some(text) = self.words(key, longest, found) else { return String::new() };
        if let (true, Some(value)) = (text.contains('\n'), self.get(key)) {
            found.error(&value.span(), format!("{key} is one line"), None);
        }
        text
    }

    pub fn yes(&self, key: &str, otherwise: bool, found: &mut Findings) -> bool {
        match self.get(key).map(|value| (value.get_ref(), value)) {
            None => otherwise,
            Some((DeValue::Boolean(yes), _)) => *yes,
            Some((other, value)) => {
                found.error(&value.span(), format!("{key} is true or false, not {}", kind(other)), None);
                otherwise
            }
        }
    }

    pub fn number(&self, key: &str, found: &mut Findings) -> Option<Placed<f64>> {
        number(self.get(key)?, key, found)
    }

    /// A whole number within limits.
    pub fn count(&self, key: &str, least: u32, most: u32, found: &mut Findings) -> Option<u32> {
        let value = self.get(key)?;
        let read = match value.get_ref() {
            DeValue::Integer(n) => u32::from_str_radix(n.as_str(), n.radix()).ok(),
            _ => None,
        };
        let fits = read.filter(|n| (least..=most).contains(n));
        if fits.is_none() {
            found.error(&value.span(), format!("{key} is a whole number from {least} to {most}"), None);
        }
        fits
    }

    /// A length of lab time.
    pub fn span(&self, key: &str, found: &mut Findings) -> Option<Placed<Span>> {
        let value = self.get(key)?;
        let wanted = format!("{key} is a time with its unit, such as \"5s\" or \"1.5min\", up to 1000h");
        let DeValue::String(text) = value.get_ref() else {
            found.error(&value.span(), format!("{wanted}, not {}", kind(value.get_ref())), None);
            return None;
        };
        match text.parse::<Span>() {
            Ok(span) if span <= LONGEST_TIME => Some(Placed { value: span, at: value.span() }),
            _ => {
                found.error(&value.span(), wanted, None);
                None
            }
        }
    }

    /// The values of a list; one that stands alone is a list of one.
    pub fn list(&self, key: &str) -> Vec<&'t Value<'t>> {
        match self.get(key) {
            None => Vec::new(),
            Some(value) => match value.get_ref() {
                DeValue::Array(values) => values.iter().collect(),
                _ => vec![value],
            },
        }
    }

    /// The tables of a list of tables, at most so many.
    pub fn tables(&self, key: &str, most: usize, found: &mut Findings) -> Vec<Table<'t>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let DeValue::Array(values) = value.get_ref() else {
            let help = Some(format!("write [[{key}]]: there may be several"));
            found.error(&value.span(), format!("{key} is a list of tables, not {}", kind(value.get_ref())), help);
            return Vec::new();
        };
        if let Some(over) = values.get(most) {
            found.error(&over.span(), format!("a lab has at most {most} of [[{key}]], not {}", values.len()), None);
        }
        values.iter().take(most).filter_map(|value| Table::of(value, key, found)).collect()
    }
}

/// What a value is, in words.
pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// `value` as a string; `what` it is.
pub(super) fn string<'t>(value: &'t Value<'t>, what: &str, found: &mut Findings) -> Option<Placed<&'t str>> {
    match value.get_ref() {
        DeValue::String(text) => Some(Placed { value: text.as_ref(), at: value.span() }),
        other => {
            found.error(&value.span(), format!("{what} is a string, not {}", kind(other)), None);
            None
        }
    }
}

/// `value` as words for people. Line ends are as a clean file has them, and a tab is a space.
pub(super) fn words(value: &Value<'_>, what: &str, longest: usize, found: &mut Findings) -> Option<String> {
    let text = match value.get_ref() {
        DeValue::String(text) => text.replace("\r\n", "\n").replace('\t', " "),
        other => {
            found.error(&value.span(), format!("{what} is a string, not {}", kind(other)), None);
            return None;
        }
    };
    if clean_lines(&text) != text {
        found.error(&value.span(), format!("{what} has characters that act on a terminal instead of being seen"), None);
    }
    let length = text.chars().count();
    if length > longest {
        found.error(&value.span(), format!("{what} has {length} characters; at most {longest} fit"), None);
    }
    Some(text.trim().to_owned())
}

/// `value` as a number.
pub(super) fn number(value: &Value<'_>, what: &str, found: &mut Findings) -> Option<Placed<f64>> {
    let read = match value.get_ref() {
        DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).ok().map(|n| n as f64),
        DeValue::Float(x) => x.as_str().parse().ok(),
        other => {
            found.error(&value.span(), format!("{what} is a number, not {}", kind(other)), None);
            return None;
        }
    };
    let fits = read.filter(|x: &f64| x.abs() <= GREATEST);
    if fits.is_none() {
        found.error(&value.span(), format!("{what} is a number no greater than 10^15"), None);
    }
    fits.map(|number| Placed { value: number, at: value.span() })
}
