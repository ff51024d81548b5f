//! Traces that events leave: how often something happened, and when it first and last did.
//!
//! Only what was asked for beforehand leaves a trace, so an event that nobody asked for costs next to nothing.

use std::collections::BTreeMap;

use super::figure::{Figure, Pattern, Test};
use crate::event::{Event, What};
use crate::ids::{Job, Token};
use crate::time::Instant;

/// What was asked of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    /// Patterns of events.
    pub patterns: Vec<Pattern>,
    /// Counters whose most is asked for.
    pub peaks: Vec<&'static str>,
    /// True when the value of a counter is.
    pub counters: bool,
}

impl Asked {
    /// What these tests ask of the run of a variant.
    pub fn by<'a>(tests: impl IntoIterator<Item = &'a Test>, variant: usize) -> Asked {
        let mut asked = Asked::default();
        tests.into_iter().for_each(|test| asked.test(test, variant));
        asked
    }

    /// Adds what a test asks of the run of a variant.
    pub fn test(&mut self, test: &Test, variant: usize) {
        match test {
            Test::Compare(left, _, right, _) => {
                self.figure(left, variant);
                self.figure(right, variant);
            }
            Test::Happened(of, pattern) => self.pattern(*of, pattern, variant),
            Test::SameJobs(..) => {}
            Test::Not(inner) => self.test(inner, variant),
            Test::And(left, right) | Test::Or(left, right) => {
                self.test(left, variant);
                self.test(right, variant);
            }
        }
    }

    /// Adds what a figure asks of the run of a variant.
    pub fn figure(&mut self, figure: &Figure, variant: usize) {
        match figure {
            Figure::Number(_) => {}
            Figure::Counter(..) => self.counters = true,
            Figure::Peak(of, name) => {
                self.counters = true;
                if of.is_none_or(|of| of == variant) && !self.peaks.contains(name) {
                    self.peaks.push(name);
                }
            }
            Figure::Count(of, pattern) | Figure::First(of, pattern) | Figure::Last(of, pattern) => {
                self.pattern(*of, pattern, variant);
            }
            Figure::Both(left, _, right) => {
                self.figure(left, variant);
                self.figure(right, variant);
            }
        }
    }

    fn pattern(&mut self, of: Option<usize>, pattern: &Pattern, variant: usize) {
        if of.is_none_or(|of| of == variant) && !self.patterns.contains(pattern) {
            self.patterns.push(pattern.clone());
        }
    }
}

/// What events of one pattern have left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// How often it happened.
    pub count: u64,
    /// When it first did.
    pub first: Option<Instant>,
    /// When it last did.
    pub last: Option<Instant>,
}

/// The traces of the patterns that were asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Traces {
    patterns: Vec<(Pattern, Seen)>,
    /// The places of the patterns of each event.
    by_name: Vec<(&'static str, Vec<usize>)>,
    /// True when a pattern asks for a job or an attempt, which some events tell by their token only.
    follows: bool,
    deliveries: BTreeMap<Token, (Job, u32)>,
}

impl Traces {
    /// No traces yet of these patterns.
    pub fn of(patterns: Vec<Pattern>) -> Traces {
        let mut traces = Traces::default();
        for (place, pattern) in patterns.into_iter().enumerate() {
            traces.follows |= pattern.job.is_some() || pattern.attempt.is_some();
            match traces.by_name.iter_mut().find(|(name, _)| *name == pattern.event) {
                Some((_, places)) => places.push(place),
                None => traces.by_name.push((pattern.event, vec![place])),
            }
            traces.patterns.push((pattern, Seen::default()));
        }
        traces
    }

    /// Takes in the next event. True when it left a trace.
    pub fn note(&mut self, event: &Event) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        self.follow(&event.what);
        let name = event.what.name();
        let Some((_, places)) = self.by_name.iter().find(|(of, _)| *of == name) else { return false };
        let mut left = false;
        for place in places {
            let (pattern, seen) = &mut self.patterns[*place];
            if fits(pattern, &event.what, &self.deliveries) {
                seen.count += 1;
                seen.first.get_or_insert(event.at);
                seen.last = Some(event.at);
                left = true;
            }
        }
        left
    }

    /// What events of this pattern have left.
    pub fn seen(&self, pattern: &Pattern) -> Seen {
        let found = self.patterns.iter().find(|(of, _)| of == pattern);
        found.map(|(_, seen)| *seen).unwrap_or_default()
    }

    /// Notes which job and attempt an event's token belongs to. Whoever begins to note late has to follow from the start.
    pub fn follow(&mut self, what: &What) {
        if let (true, What::Claimed { j, n, k, .. }) = (self.follows, what) {
            let asked = |(pattern, _): &(Pattern, Seen)| {
                (pattern.job.is_some() || pattern.attempt.is_some())
                    && pattern.job.is_none_or(|job| job == *j)
                    && pattern.attempt.is_none_or(|attempt| attempt == *n)
            };
            if self.patterns.iter().any(asked) {
                self.deliveries.insert(*k, (*j, *n));
            }
        }
    }
}

fn fits(pattern: &Pattern, what: &What, deliveries: &BTreeMap<Token, (Job, u32)>) -> bool {
    if pattern.worker.is_some_and(|worker| what.worker() != Some(worker)) {
        return false;
    }
    if pattern.job.is_none() && pattern.attempt.is_none() {
        return true;
    }
    let delivery = what.token().and_then(|token| deliveries.get(&token));
    let job = what.job().or(delivery.map(|(job, _)| *job));
    let attempt = delivery.map(|(_, attempt)| *attempt);
    pattern.job.is_none_or(|wanted| job == Some(wanted)) && pattern.attempt.is_none_or(|wanted| attempt == Some(wanted))
}
