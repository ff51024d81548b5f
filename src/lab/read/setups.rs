//! The set-up of each variant: what `[setup]` says, and over it what the variant says.

use std::ops::Range;

use toml::de::DeValue;

use super::problem::Findings;
use super::table::{Table, Value, kind, string};
use super::{MOST_VARIANTS, is_name};
use crate::lab::model::{Until, Variant};
use crate::setup::fields::{FIELDS, Field};
use crate::setup::{Driver, MAX_JOBS, RedeliverAfter, Setup};
use crate::time::Instant;

/// Keys of `[setup]` that are no part of a set-up.
const OF_THE_LAB: &[&str] = &["base", "until", "cut"];
/// Keys of `[[variant]]` that are no part of a set-up.
const OF_A_VARIANT: &[&str] = &["name", "says"];
/// The part of a set-up that no flag of a run has.
const REDELIVER: &str = "redeliver-after";

/// What is run, and where the file says so.
pub(super) struct Setups<'t> {
    pub variants: Vec<Variant>,
    pub until: Until,
    pub cut: bool,
    /// `[setup]`, if it is there.
    pub common: Option<Table<'t>>,
    /// `[[variant]]`, as many as there are variants, or none.
    pub own: Vec<Table<'t>>,
}

impl Setups<'_> {
    /// Where the file gives this part of a variant's set-up: the `nth` of a list.
    pub fn place(&self, variant: usize, field: &str, nth: usize) -> Range<usize> {
        let tables = self.own.get(variant).into_iter().chain(&self.common);
        let value = tables.clone().find_map(|table| table.get(field));
        match value.map(|value| (value.get_ref(), value.span())) {
            Some((DeValue::Array(values), at)) => values.get(nth).map_or(at, Value::span),
            Some((_, at)) => at,
            None => tables.map(|table| table.at.clone()).next().unwrap_or(0..0),
        }
    }
}

pub(super) fn read<'t>(top: &Table<'t>, seed: u64, driver: Option<Driver>, found: &mut Findings) -> Setups<'t> {
    let common = top.get("setup").and_then(|value| Table::of(value, "setup", found));
    let mut setup = Setup::headless(seed);
    let (mut until, mut cut) = (Until::Drained, false);
    if let Some(table) = &common {
        table.refuse_unknown(&known(OF_THE_LAB), elsewhere, found);
        setup = base(table, seed, found);
        until = end(table, found);
        cut = table.yes("cut", false, found);
        put(table, &mut setup, false, found);
    }
    setup.driver = driver.unwrap_or(setup.driver);
    let own = top.tables("variant", MOST_VARIANTS, found);
    let has_jobs = common.as_ref().is_some_and(|table| table.has("jobs"));
    let mut variants: Vec<Variant> = Vec::new();
    for table in &own {
        let variant = variant(table, &setup, has_jobs, &variants, found);
        variants.push(variant);
    }
    if variants.is_empty() {
        variants.push(Variant { name: String::new(), says: String::new(), setup });
    }
    Setups { variants, until, cut, common, own }
}

/// The keys of a table that holds a set-up and these beside it.
fn known(beside: &[&'static str]) -> Vec<&'static str> {
    FIELDS.iter().map(|field| field.name).chain([REDELIVER]).chain(beside.iter().copied()).collect()
}

fn elsewhere(key: &str) -> Option<&'static str> {
    match key {
        "seed" | "driver" | "title" => Some("it stands at the top of the file, in front of [setup]"),
        _ => None,
    }
}

fn base(table: &Table<'_>, seed: u64, found: &mut Findings) -> Setup {
    match table.string("base", found) {
        None => Setup::headless(seed),
        Some(base) if base.value == "headless" => Setup::headless(seed),
        Some(base) if base.value == "sandbox" => Setup::sandbox(seed),
        Some(base) => {
            found.error(&base.at, "base is headless or sandbox", None);
            Setup::headless(seed)
        }
    }
}

fn end(table: &Table<'_>, found: &mut Findings) -> Until {
    if let Some(DeValue::String(text)) = table.get("until").map(Value::get_ref)
        && text == "drained"
    {
        return Until::Drained;
    }
    match table.span("until", found) {
        Some(span) if span.value.is_zero() => {
            found.error(&span.at, "until is drained, or a time above 0", None);
            Until::Drained
        }
        Some(span) => Until::At(Instant(span.value.0)),
        None => Until::Drained,
    }
}

fn variant(table: &Table<'_>, setup: &Setup, has_jobs: bool, others: &[Variant], found: &mut Findings) -> Variant {
    table.refuse_unknown(
        &known(OF_A_VARIANT),
        |key| match key {
            "base" | "until" | "cut" => Some("it belongs in [setup], for all variants"),
            other => elsewhere(other),
        },
        found,
    );
    let mut setup = setup.clone();
    put(table, &mut setup, has_jobs, found);
    Variant { name: name(table, others, found), says: table.line("says", 80, found), setup }
}

fn name(table: &Table<'_>, others: &[Variant], found: &mut Findings) -> String {
    let Some(name) = table.string("name", found) else {
        if !table.has("name") {
            table.lacks("name", "a variant is asked for by its name", found);
        }
        return String::new();
    };
    if !is_name(name.value) {
        found.error(
            &name.at,
            "a variant's name has letters, digits and hyphens, a letter first, and at most 30 of them",
            None,
        );
    } else if others.iter().any(|other| other.name == name.value) {
        found.error(&name.at, format!("there is a variant {} already", name.value), None);
    }
    name.value.to_owned()
}

/// Puts what `table` gives over `setup`. A stream that ends by time ends after no number of jobs, unless one is given too.
fn put(table: &Table<'_>, setup: &mut Setup, has_jobs: bool, found: &mut Findings) {
    if table.has("for") && !table.has("jobs") && !has_jobs {
        setup.workload.jobs = None;
    }
    for field in FIELDS.iter().filter(|field| table.has(field.name)) {
        field.clear(setup);
        if !field.is_list() && table.get(field.name).is_some_and(|value| matches!(value.get_ref(), DeValue::Array(_))) {
            let at = table.get(field.name).map_or(0..0, Value::span);
            found.error(&at, format!("{} is {}, not a list", field.name, field.wanted), None);
            continue;
        }
        for value in table.list(field.name) {
            put_one(field, value, setup, found);
        }
    }
    if let Some(after) = table.get(REDELIVER) {
        setup.workload.redeliver_after = redeliver(after, found);
    }
}

fn put_one(field: &Field, value: &Value<'_>, setup: &mut Setup, found: &mut Findings) {
    let text = match value.get_ref() {
        DeValue::String(text) => text.as_ref(),
        DeValue::Integer(n) if n.radix() == 10 => n.as_str(),
        DeValue::Float(x) => x.as_str(),
        DeValue::Boolean(true) => "on",
        DeValue::Boolean(false) => "off",
        other => {
            return found.error(
                &value.span(),
                format!("{} is {}, not {}", field.name, field.wanted, kind(other)),
                None,
            );
        }
    };
    if let Err(why) = field.put(setup, text) {
        let (why, help) = match why.split_once("; ") {
            Some((why, help)) => (why.to_owned(), Some(help.to_owned())),
            None => (why, None),
        };
        found.error(&value.span(), format!("{}: {why}", field.name), help);
    }
}

/// Reads `{ jobs = [1, 2000], seed = 17 }`.
fn redeliver(value: &Value<'_>, found: &mut Findings) -> Option<RedeliverAfter> {
    let table = Table::of(value, REDELIVER, found)?;
    table.refuse_unknown(&["jobs", "seed"], |_| None, found);
    let seed = table.count("seed", 0, u32::MAX, found);
    let wanted = "redeliver-after is { jobs = [LEAST, GREATEST], seed = S }, with 1 <= LEAST <= GREATEST";
    let number = |value: &Value<'_>| match value.get_ref() {
        DeValue::Integer(n) => u32::from_str_radix(n.as_str(), n.radix()).ok(),
        _ => None,
    };
    let jobs: Vec<u32> = table.list("jobs").into_iter().filter_map(number).collect();
    match (jobs.as_slice(), table.list("jobs").len(), table.has("seed")) {
        (&[least, most], 2, true) if 1 <= least && least <= most && most <= MAX_JOBS => {
            seed.map(|seed| RedeliverAfter { jobs: (least, most), seed })
        }
        _ => {
            found.error(&value.span(), wanted, None);
            None
        }
    }
}

/// The names in a list of variants, or the one that stands alone.
pub(super) fn named(table: &Table<'_>, known: super::Known<'_>, found: &mut Findings) -> Vec<usize> {
    let mut places = Vec::new();
    for value in table.list("variant") {
        let Some(name) = string(value, "variant", found) else { continue };
        if let Some(place) = known.place(name.value, &name.at, found) {
            places.push(place);
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}
