//! The steps of a lab: what each waits for, says, does and asks.

use std::collections::BTreeMap;
use std::ops::Range;

use super::asks;
use super::problem::Findings;
use super::setups::named;
use super::table::{Placed, Table, string};
use super::{Known, MOST, end, is_name};
use crate::action::{self, Action};
use crate::lab::language;
use crate::lab::model::{Cue, Step, Trigger, Until};
use crate::text::nearest;
use crate::time::{Instant, Span};

const KEYS: &[&str] =
    &["id", "variant", "at", "when", "after", "wait", "within", "repeat", "every", "do", "say", "mark", "pause", "ask"];
/// The longest thing that is said, in characters.
const LONGEST_SAY: usize = 2_000;
/// The longest mark, in characters.
const LONGEST_MARK: usize = 200;
/// How often a step may come.
const MOST_TIMES: u32 = 10_000;
/// The most actions of a step.
const MOST_ACTS: usize = 100;

/// The steps, and where the file says what.
pub(super) struct Steps<'t> {
    pub steps: Vec<Step>,
    pub ids: Ids,
    pub tables: Vec<Table<'t>>,
    /// For each step, where each of its actions stands, and its text.
    pub acts: Vec<Vec<Placed<String>>>,
}

/// The places of steps by their ids.
#[derive(Default)]
pub(super) struct Ids(BTreeMap<String, usize>);

impl Ids {
    /// The place of the step that is called so.
    pub fn place(&self, id: &Placed<&str>, found: &mut Findings) -> Option<usize> {
        let place = self.0.get(id.value).copied();
        if place.is_none() {
            let near = nearest(id.value, self.0.keys().map(String::as_str));
            found.error(
                &id.at,
                format!("no step has the id {}", id.value),
                near.map(|word| format!("did you mean {word}?")),
            );
        }
        place
    }
}

pub(super) fn read<'t>(top: &Table<'t>, known: Known<'_>, until: Until, found: &mut Findings) -> Steps<'t> {
    let tables = top.tables("step", MOST, found);
    if tables.is_empty() && !top.has("step") {
        found.error(&top.at, "no steps", Some("a lab has at least one [[step]]".to_owned()));
    }
    let ids = ids(&tables, found);
    let mut steps = Steps { steps: Vec::new(), ids, tables: Vec::new(), acts: Vec::new() };
    for table in &tables {
        let (step, acts) = step(table, known, until, &steps.ids, found);
        steps.steps.push(step);
        steps.acts.push(acts);
    }
    steps.tables = tables;
    steps
}

fn ids(tables: &[Table<'_>], found: &mut Findings) -> Ids {
    let mut ids = BTreeMap::new();
    for (place, table) in tables.iter().enumerate() {
        let Some(id) = table.string("id", found) else { continue };
        if !is_name(id.value) {
            found.error(&id.at, "an id has letters, digits and hyphens, a letter first, and at most 30 of them", None);
        } else if ids.contains_key(id.value) {
            found.error(&id.at, format!("there is a step {} already", id.value), None);
        } else {
            ids.insert(id.value.to_owned(), place);
        }
    }
    Ids(ids)
}

type Acts = Vec<Placed<String>>;

fn step(table: &Table<'_>, known: Known<'_>, until: Until, ids: &Ids, found: &mut Findings) -> (Step, Acts) {
    table.refuse_unknown(KEYS, elsewhere, found);
    let variants = named(table, known, found);
    let trigger = trigger(table, known, &variants, ids, found);
    let (times, every) = repeats(table, &trigger, found);
    let wait = table.span("wait", found).map_or(Span::ZERO, |span| span.value);
    let within = within(table, &trigger, found);
    if let Trigger::Before = trigger {
        table.refuse(
            &["wait", "every"],
            "a step without a trigger comes before the run; give it at, when or after",
            found,
        );
    }
    if let Trigger::At(at) = trigger {
        too_late(table, at, wait, end(until), found);
    }
    let (acts, places) = acts(table, found);
    let step = Step {
        id: table.get("id").and_then(|value| value.get_ref().as_str()).unwrap_or_default().to_owned(),
        trigger,
        wait,
        within,
        times,
        every,
        say: table.words("say", LONGEST_SAY, found).unwrap_or_default(),
        acts,
        mark: mark(table, found),
        pause: table.yes("pause", false, found),
        ask: table.get("ask").and_then(|value| asks::read(value, known, &variants, found)),
        variants,
    };
    (step, places)
}

fn elsewhere(key: &str) -> Option<&'static str> {
    match key {
        "text" | "choices" | "answer" | "between" | "band" | "why" | "proof" => Some("it belongs in [step.ask]"),
        "that" | "always" | "tolerance" => Some("it belongs in an [[expect]]"),
        _ => None,
    }
}

fn trigger(table: &Table<'_>, known: Known<'_>, variants: &[usize], ids: &Ids, found: &mut Findings) -> Trigger {
    if table.has("at") {
        table.refuse(&["when", "after"], "a step has one trigger, and at is one already", found);
    }
    let at = table.span("at", found).map(|span| Instant(span.value.0));
    let when = table.string("when", found).and_then(|text| {
        let read = language::test(text.value, known.scope(variants, true));
        read.map_err(|wrong| found.wrong(&text.at, wrong)).ok()
    });
    let after = table.string("after", found).and_then(|id| ids.place(&id, found));
    match (at, when, after) {
        (Some(at), ..) => Trigger::At(at),
        (_, when, Some(after)) => Trigger::After(after, when),
        (_, Some(when), None) => Trigger::When(when),
        (None, None, None) if table.has("at") => Trigger::At(Instant::START),
        // What it waits for is wrong and was told: no further problem is to come of that.
        (None, None, None) if table.has("when") || table.has("after") => Trigger::At(Instant::START),
        (None, None, None) => Trigger::Before,
    }
}

fn repeats(table: &Table<'_>, trigger: &Trigger, found: &mut Findings) -> (u32, Span) {
    let times = table.count("repeat", 1, MOST_TIMES, found).unwrap_or(1);
    let every = table.span("every", found).map_or(Span::ZERO, |span| span.value);
    if table.has("repeat") != table.has("every") {
        let (has, lacks) = if table.has("repeat") { ("repeat", "every") } else { ("every", "repeat") };
        let at = table.key(has).unwrap_or_else(|| table.at.clone());
        found.error(&at, format!("{has} needs {lacks}"), Some("repeat = 3 and every = \"2s\" go together".to_owned()));
    }
    if matches!(trigger, Trigger::Before) {
        table.refuse(&["repeat"], "what comes before the run comes once; give it at = \"0s\"", found);
    }
    (times, every)
}

fn within(table: &Table<'_>, trigger: &Trigger, found: &mut Findings) -> Option<Span> {
    if !matches!(trigger, Trigger::When(_) | Trigger::After(..)) && !table.has("when") && !table.has("after") {
        table.refuse(&["within"], "only what waits for something can be late: it needs when or after", found);
    }
    let within = table.span("within", found)?;
    if within.value.is_zero() {
        found.error(&within.at, "within is longer than 0", None);
    }
    Some(within.value)
}

/// Refuses a moment that lies behind the end of the run.
fn too_late(table: &Table<'_>, at: Instant, wait: Span, end: Instant, found: &mut Findings) {
    if at + wait > end {
        let place = table.get("at").map_or(table.at.clone(), toml::Spanned::span);
        let until = Span(end.0);
        found.error(&place, format!("this step never comes: the run ends at {until}"), None);
    }
}

fn mark(table: &Table<'_>, found: &mut Findings) -> Option<String> {
    let mark = table.line("mark", LONGEST_MARK, found);
    if mark.is_empty() && table.has("mark") {
        let at = table.key("mark").unwrap_or(0..0);
        found.error(&at, "a mark has words", None);
    }
    Some(mark).filter(|mark| !mark.is_empty())
}

fn acts(table: &Table<'_>, found: &mut Findings) -> (Vec<Cue>, Acts) {
    let (mut cues, mut places) = (Vec::new(), Vec::new());
    let values = table.list("do");
    if let Some(over) = values.get(MOST_ACTS) {
        found.error(&over.span(), format!("a step does at most {MOST_ACTS} things"), None);
    }
    for value in values.into_iter().take(MOST_ACTS) {
        let Some(text) = string(value, "do", found) else { continue };
        match action::parse(text.value) {
            Ok(action) => {
                refuse_for_a_lab(&action, &text.at, found);
                cues.push(Cue { action });
                places.push(Placed { value: text.value.to_owned(), at: text.at });
            }
            Err(error) => {
                let at = found.source.inside(&text.at, error.column, error.len);
                found.error(&at, error.message, error.suggestion.map(|word| format!("did you mean {word}?")));
            }
        }
    }
    (cues, places)
}

/// Refuses what only somebody who looks on can do.
fn refuse_for_a_lab(action: &Action, at: &Range<usize>, found: &mut Findings) {
    let help = match action {
        Action::Stop | Action::Go | Action::Step => "pause = true lets time stand at a step where somebody looks on",
        Action::Answer(..) => "its answer stands in [step.ask]",
        _ => return,
    };
    found.error(
        at,
        format!("a lab cannot {action}: it has to run the same where nobody looks on"),
        Some(help.to_owned()),
    );
}
