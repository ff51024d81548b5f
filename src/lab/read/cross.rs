//! What needs more than one part of a lab to be judged: whether its workers and crash points exist, its steps can come,
//! its stream ends, and whether it proves anything.

use std::collections::BTreeSet;

use super::problem::Findings;
use super::setups::Setups;
use super::steps::Steps;
use super::table::{Placed, Table};
use crate::action::{Action, Who};
use crate::lab::model::{Lab, Step, Trigger, Until};
use crate::policy::{Point, Policy, Setting};
use crate::setup::check;

pub(super) fn check(lab: &Lab, top: &Table<'_>, setups: &Setups<'_>, steps: &Steps<'_>, found: &mut Findings) {
    for variant in 0..lab.variants.len() {
        judge_setup(lab, setups, variant, found);
    }
    endless(lab, setups, found);
    for (place, step) in lab.steps.iter().enumerate() {
        for (nth, (cue, text)) in step.acts.iter().zip(&steps.acts[place]).enumerate() {
            for variant in runs(step, lab.variants.len()) {
                worker(lab, variant, &cue.action, text, found);
                point(lab, variant, (place, nth), text, found);
            }
        }
    }
    order(lab, steps, found);
    idle(lab, steps, found);
    proves_nothing(lab, top, found);
}

/// The variants whose runs have `step`.
fn runs(step: &Step, variants: usize) -> Vec<usize> {
    if step.variants.is_empty() { (0..variants).collect() } else { step.variants.clone() }
}

fn judge_setup(lab: &Lab, setups: &Setups<'_>, variant: usize, found: &mut Findings) {
    let setup = &lab.variants[variant].setup;
    for finding in check::mistakes(setup, "") {
        let at = setups.place(variant, finding.field, finding.nth);
        match finding.misses {
            Some(point) if reaches(lab, variant, (lab.steps.len(), 0), point) => {
                found.warn(&at, finding.text, Some("it can strike only once a step has changed the policy".to_owned()));
            }
            _ => found.error(&at, finding.text, None),
        }
    }
    for finding in check::warnings(setup, "") {
        found.warn(&setups.place(variant, finding.field, finding.nth), finding.text, None);
    }
}

/// Refuses to wait for the end of a stream that has none.
fn endless(lab: &Lab, setups: &Setups<'_>, found: &mut Findings) {
    let drained = lab.until == Until::Drained;
    for (place, variant) in lab.variants.iter().enumerate() {
        let workload = &variant.setup.workload;
        if drained && workload.jobs.is_none() && workload.stream_for.is_none() && workload.rate.is_some() {
            let help = Some("give [setup] until, jobs or for".to_owned());
            found.error(&setups.place(place, "until", 0), "the stream never ends, so nothing is ever drained", help);
        }
    }
}

/// The policies that a variant may run under before this action of this step: the one it starts with, and those that
/// earlier steps may have switched it to.
fn policies(lab: &Lab, variant: usize, until: (usize, usize)) -> Vec<Policy> {
    let start = &lab.variants[variant].setup.policy;
    let (mut acks, mut dedups) = (vec![start.ack], vec![start.dedup]);
    for (place, step) in lab.steps.iter().enumerate().take(until.0 + 1) {
        if !runs(step, lab.variants.len()).contains(&variant) {
            continue;
        }
        let acts = if place == until.0 { until.1 } else { step.acts.len() };
        for cue in &step.acts[..acts] {
            match &cue.action {
                Action::Set(Setting::Ack(ack)) => acks.push(*ack),
                Action::Set(Setting::Dedup(dedup)) => dedups.push(*dedup),
                _ => {}
            }
        }
    }
    acks.dedup();
    let with = |ack| {
        let policy = move |dedup: &_| Policy { ack, dedup: *dedup, ..start.clone() };
        dedups.iter().map(policy).collect::<Vec<_>>()
    };
    acks.into_iter().flat_map(with).collect()
}

/// True when a worker may stand at `point` at this action of this step.
fn reaches(lab: &Lab, variant: usize, until: (usize, usize), point: Point) -> bool {
    policies(lab, variant, until).iter().any(|policy| policy.program().has(point))
}

/// The worker that an action names.
fn who(action: &Action) -> Option<Who> {
    use Action::{Cut, Disarm, Hang, Heal, Kill, Pause, Restart, Slow, Stall};
    match action {
        Kill(who, _)
        | Disarm(who)
        | Stall(who, _)
        | Pause(who, _)
        | Hang(who, _)
        | Cut(who, ..)
        | Slow(who, ..)
        | Heal(who, _)
        | Restart(who) => Some(*who),
        _ => None,
    }
}

fn worker(lab: &Lab, variant: usize, action: &Action, text: &Placed<String>, found: &mut Findings) {
    let workers = lab.variants[variant].setup.workers;
    if let Some(Who::Worker(worker)) = who(action)
        && worker.0 > workers
    {
        let at = word(text, 2, found);
        let of = named(lab, variant);
        found.error(&at, format!("{of}there is no {worker}: there are {workers} workers"), None);
    }
}

fn point(lab: &Lab, variant: usize, until: (usize, usize), text: &Placed<String>, found: &mut Findings) {
    let Action::Kill(_, Some(point)) = lab.steps[until.0].acts[until.1].action else { return };
    let Some(why) = check::nobody_stands_at(point, &lab.variants[variant].setup.policy) else { return };
    let at = word(text, 4, found);
    let why = format!("{}{why}", named(lab, variant));
    if reaches(lab, variant, until, point) {
        found.warn(&at, why, Some("an earlier step may have changed the policy, and then it can".to_owned()));
    } else {
        found.error(&at, why, None);
    }
}

/// Which variant is meant, where there are several.
fn named(lab: &Lab, variant: usize) -> String {
    match lab.variants[variant].name.as_str() {
        "" => String::new(),
        name => format!("in {name} "),
    }
}

/// The bytes of the `nth` word of an action, from 1.
fn word(text: &Placed<String>, nth: usize, found: &Findings) -> std::ops::Range<usize> {
    let words = text.value.split_whitespace();
    let Some(word) = words.clone().nth(nth - 1) else { return text.at.clone() };
    let start = word.as_ptr().addr() - text.value.as_ptr().addr();
    found.source.inside(&text.at, text.value[..start].chars().count() + 1, word.chars().count())
}

/// Refuses steps that wait for each other, or for one that their runs do not have.
fn order(lab: &Lab, steps: &Steps<'_>, found: &mut Findings) {
    for (place, step) in lab.steps.iter().enumerate() {
        let Trigger::After(before, _) = step.trigger else { continue };
        let at = steps.tables[place].get("after").map_or(0..0, toml::Spanned::span);
        if before == place {
            found.error(&at, "a step cannot come after itself", None);
        } else if in_a_circle(lab, place) {
            found.error(&at, "this step never comes: it waits for one that waits for it", None);
        }
        let has = runs(&lab.steps[before], lab.variants.len());
        let lacks = runs(step, lab.variants.len()).into_iter().find(|variant| !has.contains(variant));
        if let Some(variant) = lacks {
            let name = &lab.variants[variant].name;
            found.error(&at, format!("the run of {name} does not have the step {}", lab.steps[before].id), None);
        }
    }
}

/// True when the step at `place` waits for others that at last wait for it.
fn in_a_circle(lab: &Lab, place: usize) -> bool {
    let mut seen = BTreeSet::new();
    let mut at = place;
    while let Trigger::After(before, _) = lab.steps[at].trigger {
        if before == place {
            return true;
        }
        if !seen.insert(before) {
            return false;
        }
        at = before;
    }
    false
}

/// Warns of steps of which nothing comes.
fn idle(lab: &Lab, steps: &Steps<'_>, found: &mut Findings) {
    let waited_for = |place: usize| {
        let by_a_step = |step: &Step| matches!(step.trigger, Trigger::After(before, _) if before == place);
        lab.steps.iter().any(by_a_step) || lab.expects.iter().any(|expect| expect.after == Some(place))
    };
    for (place, table) in steps.tables.iter().enumerate() {
        let does = ["say", "do", "mark", "pause", "ask", "within"].iter().any(|key| table.has(key));
        if !does && !waited_for(place) {
            found.warn(&table.at, "this step says nothing and does nothing", None);
        }
    }
}

/// Warns of a lab that would hold whatever happened.
fn proves_nothing(lab: &Lab, top: &Table<'_>, found: &mut Findings) {
    let proof = |step: &Step| {
        use crate::lab::model::Answer::Choice;
        matches!(step.ask.as_ref().map(|ask| &ask.answer), Some(Choice { proof: Some(_), .. }))
    };
    if !top.has("expect") && !lab.steps.iter().any(proof) {
        let help = Some("an [[expect]] says what has to come of it".to_owned());
        found.warn(&top.at, "nothing is expected, so it holds whatever happens", help);
    }
    let strikes = |setup: &crate::setup::Setup| !setup.crash.is_empty() || !setup.fail.is_empty();
    let breaks = lab.variants.iter().any(|variant| strikes(&variant.setup));
    let acts = lab.steps.iter().flat_map(|step| &step.acts).any(|cue| cue.action.interferes());
    if !top.has("must_happen") && (breaks || acts) {
        let help = Some("a [[must_happen]] says what has to have struck".to_owned());
        found.warn(&top.at, "nothing must happen, so it passes though its faults never struck", help);
    }
}
