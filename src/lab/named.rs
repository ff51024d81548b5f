//! Which variants and which counters a lab speaks of, in the order in which it does.

use super::figure::{Figure, Harmed, Test};
use super::model::{Answer, Ask, Lab, Step};

/// What was found, each thing once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Variants, by their places.
    pub variants: Vec<usize>,
    /// Counters, by their names.
    pub counters: Vec<&'static str>,
}

impl Named {
    /// What the figures beside a question, and then its answer, name.
    pub fn by_question(ask: &Ask) -> Named {
        let mut named = Named::default();
        ask.figures.iter().for_each(|(_, figure, _)| named.figure(figure));
        match &ask.answer {
            Answer::Number { right, .. } => named.figure(right),
            Answer::Choice { proof: Some(proof), .. } => named.test(proof),
            Answer::Choice { .. } => {}
        }
        named
    }

    /// What all questions of a lab and then its expectations name.
    pub fn by_lab(lab: &Lab) -> Named {
        let mut named = Named::default();
        for ask in lab.steps.iter().filter_map(|step| step.ask.as_ref()) {
            let asked = Named::by_question(ask);
            asked.variants.into_iter().for_each(|variant| named.variant(Some(variant)));
            asked.counters.into_iter().for_each(|counter| named.counter(counter));
        }
        lab.expects.iter().for_each(|expect| named.test(&expect.that));
        named
    }

    fn variant(&mut self, variant: Option<usize>) {
        if let Some(variant) = variant.filter(|variant| !self.variants.contains(variant)) {
            self.variants.push(variant);
        }
    }

    fn counter(&mut self, counter: &'static str) {
        if !self.counters.contains(&counter) {
            self.counters.push(counter);
        }
    }

    fn figure(&mut self, figure: &Figure) {
        match figure {
            Figure::Number(_) => {}
            Figure::Counter(variant, name) => {
                self.variant(*variant);
                self.counter(name);
            }
            Figure::Peak(variant, _)
            | Figure::Count(variant, _)
            | Figure::First(variant, _)
            | Figure::Last(variant, _) => self.variant(*variant),
            Figure::Both(one, _, other) => {
                self.figure(one);
                self.figure(other);
            }
        }
    }

    fn test(&mut self, test: &Test) {
        match test {
            Test::Compare(one, _, other, _) => {
                self.figure(one);
                self.figure(other);
            }
            Test::Happened(variant, _) => self.variant(*variant),
            Test::SameJobs(one, other) => {
                for (variant, harm) in [one, other] {
                    self.variant(*variant);
                    self.counter(match harm {
                        Harmed::Lost => "lost",
                        Harmed::Duplicated => "duplicated",
                    });
                }
            }
            Test::Not(test) => self.test(test),
            Test::And(one, other) | Test::Or(one, other) => {
                self.test(one);
                self.test(other);
            }
        }
    }
}

/// The variant that the question of a step is about: the first that it names, else the first whose runs have the step.
pub fn subject(step: &Step) -> usize {
    let named = step.ask.as_ref().and_then(|ask| Named::by_question(ask).variants.first().copied());
    named.or(step.variants.first().copied()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::fixture::{asks, lab};

    #[test]
    fn a_question_is_about_the_variant_that_its_figures_name_first() {
        let mut step = asks("How many?").of_variant(0);
        assert_eq!(subject(&step), 0);
        if let Some(ask) = &mut step.ask {
            ask.figures = vec![("lost".into(), Figure::Counter(Some(2), "lost"), String::new())];
        }
        assert_eq!(subject(&step), 2);
        let named = Named::by_lab(&lab(vec![step.clone(), step]));
        assert_eq!(named, Named { variants: vec![2], counters: vec!["lost", "duplicated"] });
    }
}
