//! What a step asks: a choice or a number, what is right, and what is said about it afterwards.

use toml::de::DeValue;

use super::Known;
use super::problem::Findings;
use super::table::{Placed, Table, Value, kind, number, string, words};
use crate::lab::figure::{Figure, Test};
use crate::lab::language;
use crate::lab::model::{Answer, Ask, Band, Choice};

const KEYS: &[&str] = &[
    "text", "choices", "answer", "proof", "between", "whole", "unit", "band", "formula", "worked", "gives", "why",
    "aloud", "note", "figures",
];
/// The longest question, reason or note, in characters.
const LONGEST_TEXT: usize = 2_000;
/// The longest choice, formula or unit, in characters.
const LONGEST_LINE: usize = 200;
/// The most choices: each has a letter that is quickly found.
const MOST_CHOICES: usize = 9;
/// The most figures that are shown with an answer.
const MOST_FIGURES: usize = 20;

pub(super) fn read(value: &Value<'_>, known: Known<'_>, variants: &[usize], found: &mut Findings) -> Option<Ask> {
    let table = Table::of(value, "ask", found)?;
    table.refuse_unknown(KEYS, |_| None, found);
    for (key, why) in [("text", "the question"), ("answer", "what is right"), ("why", "why it is so, in words")] {
        if !table.has(key) {
            table.lacks(key, why, found);
        }
    }
    let mut paragraph = |key: &str| table.words(key, LONGEST_TEXT, found).filter(|text| !text.is_empty());
    let (text, why) = (paragraph("text").unwrap_or_default(), paragraph("why").unwrap_or_default());
    let (aloud, note) = (paragraph("aloud"), paragraph("note"));
    let mut line = |key: &str| Some(table.line(key, LONGEST_LINE, found)).filter(|text| !text.is_empty());
    let (formula, worked) = (line("formula"), line("worked"));
    let gives = table.number("gives", found).map(|number| number.value);
    let figures = figures(&table, known, variants, found);
    let answer = if table.has("choices") {
        table.refuse(&["between", "whole", "unit", "band"], "it goes with a number, and there are choices here", found);
        choice(&table, known, variants, found)
    } else {
        table.refuse(&["proof"], "it goes with choices; a number is graded by its answer", found);
        measured(&table, known, variants, found)
    };
    Some(Ask { text, answer: answer?, formula, worked, gives, why, aloud, note, figures })
}

fn choice(table: &Table<'_>, known: Known<'_>, variants: &[usize], found: &mut Findings) -> Option<Answer> {
    let values = table.list("choices");
    let mut choices = Vec::new();
    for value in &values {
        if let Some(text) = words(value, "a choice", LONGEST_LINE, found) {
            choices.push(Choice { text });
        }
    }
    if !(2..=MOST_CHOICES).contains(&values.len()) {
        let at = table.get("choices").map_or(0..0, Value::span);
        found.error(&at, format!("2 to {MOST_CHOICES} choices can be asked for, not {}", values.len()), None);
    }
    let proof = proof(table, known, variants, found);
    let answer = table.string("answer", found)?;
    let mut letters = answer.value.chars();
    let right = match (letters.next(), letters.next()) {
        (Some(letter), None) => (b'a'..=b'z').position(|known| char::from(known) == letter),
        _ => None,
    };
    match right.filter(|right| *right < values.len()) {
        Some(right) => Some(Answer::Choice { choices, right, proof }),
        None => {
            let last = char::from(b'a' + u8::try_from(values.len().clamp(1, 26) - 1).unwrap_or(0));
            found.error(&answer.at, format!("the answer is the letter of a choice, a to {last}"), None);
            None
        }
    }
}

fn proof(table: &Table<'_>, known: Known<'_>, variants: &[usize], found: &mut Findings) -> Option<Test> {
    let text = table.string("proof", found)?;
    let read = language::test(text.value, known.scope(variants, false));
    read.map_err(|wrong| found.wrong(&text.at, wrong)).ok()
}

fn measured(table: &Table<'_>, known: Known<'_>, variants: &[usize], found: &mut Findings) -> Option<Answer> {
    if !table.has("between") {
        found.error(&table.at, "an ask has choices, or between for a number", Some("between = [0, 100]".to_owned()));
    }
    let between = range(table.get("between")?, "between", found)?;
    let whole = table.yes("whole", true, found);
    if whole && (between.value.0.fract() != 0.0 || between.value.1.fract() != 0.0) {
        found.error(&between.at, "between has whole numbers, unless whole = false", None);
    }
    let unit = table.line("unit", 20, found);
    let band = band(table, &between, found);
    let right = table.get("answer").and_then(|value| right(value, known, variants, found))?;
    let (least, most) = between.value;
    if let (Figure::Number(n), Some(value)) = (&right, table.get("answer"))
        && !(least..=most).contains(n)
    {
        found.error(&value.span(), format!("the answer {n} cannot be given: between is {least} to {most}"), None);
    }
    Some(Answer::Number { between: between.value, whole, unit, right, band: band? })
}

/// A figure of the run, or a number.
fn right(value: &Value<'_>, known: Known<'_>, variants: &[usize], found: &mut Findings) -> Option<Figure> {
    match value.get_ref() {
        DeValue::String(text) => {
            let read = language::figure(text, known.scope(variants, false));
            read.map_err(|wrong| found.wrong(&value.span(), wrong)).ok()
        }
        _ => number(value, "the answer, unless it is a figure such as \"duplicated\",", found)
            .map(|number| Figure::Number(number.value)),
    }
}

/// Two numbers in their order.
fn range(value: &Value<'_>, what: &str, found: &mut Findings) -> Option<Placed<(f64, f64)>> {
    let wanted = format!("{what} is two numbers, the lesser first: [0, 100]");
    let DeValue::Array(values) = value.get_ref() else {
        found.error(&value.span(), format!("{wanted}, not {}", kind(value.get_ref())), None);
        return None;
    };
    let numbers: Vec<f64> = values.iter().filter_map(|value| number(value, what, found)).map(|n| n.value).collect();
    match (numbers.as_slice(), values.len()) {
        (&[least, most], 2) if least <= most => Some(Placed { value: (least, most), at: value.span() }),
        (told, all) if told.len() < all => None,
        _ => {
            found.error(&value.span(), wanted, None);
            None
        }
    }
}

fn band(table: &Table<'_>, between: &Placed<(f64, f64)>, found: &mut Findings) -> Option<Band> {
    let Some(value) = table.get("band") else { return Some(Band::Within(0.0)) };
    match value.get_ref() {
        DeValue::Array(_) => {
            let band = range(value, "band", found)?;
            let (least, most) = between.value;
            if band.value.0 < least || band.value.1 > most {
                found.error(&band.at, format!("band lies within between, {least} to {most}"), None);
            }
            Some(Band::Between(band.value.0, band.value.1))
        }
        DeValue::String(_) => share(value, "band", found).map(Band::Share),
        _ => {
            let band = number(value, "band", found)?;
            if band.value < 0.0 {
                found.error(&band.at, "band is no less than 0", None);
            }
            Some(Band::Within(band.value))
        }
    }
}

/// `5%` as a share, 0 to 1.
pub(super) fn share(value: &Value<'_>, what: &str, found: &mut Findings) -> Option<f64> {
    let text = string(value, what, found)?;
    let plain = |digits: &&str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let percent = text.value.strip_suffix('%').filter(plain).and_then(|digits| digits.parse::<f64>().ok());
    match percent.filter(|percent| *percent <= 100.0) {
        Some(percent) => Some(percent / 100.0),
        None => {
            found.error(&text.at, format!("{what} is a number such as 20, or a share such as \"5%\" up to 100%"), None);
            None
        }
    }
}

fn figures(
    table: &Table<'_>,
    known: Known<'_>,
    variants: &[usize],
    found: &mut Findings,
) -> Vec<(String, Figure, String)> {
    let Some(value) = table.get("figures") else { return Vec::new() };
    let DeValue::Array(rows) = value.get_ref() else {
        found.error(&value.span(), "figures is a list of lists: [[\"lost\", \"lost\", \"words about it\"]]", None);
        return Vec::new();
    };
    if let Some(over) = rows.get(MOST_FIGURES) {
        found.error(&over.span(), format!("at most {MOST_FIGURES} figures are shown"), None);
    }
    rows.iter().take(MOST_FIGURES).filter_map(|row| figure(row, known, variants, found)).collect()
}

fn figure(
    row: &Value<'_>,
    known: Known<'_>,
    variants: &[usize],
    found: &mut Findings,
) -> Option<(String, Figure, String)> {
    let parts: &[Value<'_>] = match row.get_ref() {
        DeValue::Array(parts) => parts,
        _ => &[],
    };
    let (what, figure, about) = match parts {
        [what, figure] => (what, figure, None),
        [what, figure, about] => (what, figure, Some(about)),
        _ => {
            found.error(&row.span(), "a figure is [\"what it is called\", \"the figure\", \"words about it\"]", None);
            return None;
        }
    };
    let about = about.and_then(|about| words(about, "words about a figure", LONGEST_LINE, found)).unwrap_or_default();
    let what = words(what, "what a figure is called", 40, found);
    Some((what?, right(figure, known, variants, found)?, about))
}
