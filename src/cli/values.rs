//! How flags read their values: every value that is refused names its range and, where it has names, the nearest one.
//!
//! What a set-up is made of is read by the leaves, so that flags, actions and files know the same words; here are the
//! words that only flags have. What a value means together with others is not judged here.

use crate::claims::compare::Spec;
use crate::claims::sweep::Sweep;
use crate::ids::Job;
use crate::policy::NotAChoice;
use crate::setup::read::{explain, whole};
use crate::setup::{MAX_JOBS, RedeliverAfter, Whom};

pub use crate::setup::read::{
    LONGEST, Respawn, arrivals, choice, jobs, keys, lease, rate_below_one, respawn, seed, span, speed, stream, workers,
};

/// A parser for a type that [`crate::policy::named`] declares: its names are offered, completed and corrected.
macro_rules! named_value {
    ($name:ty) => {
        clap::builder::TypedValueParser::map(
            clap::builder::PossibleValuesParser::new(<$name>::ALL.iter().map(|value| value.name())),
            |word: String| word.parse::<$name>().expect("one of the possible values"),
        )
    };
}
pub(super) use named_value;

/// Reads a policy: a name, settings, or both. The word that is wrong is named, since there may be several.
pub fn policy(text: &str) -> Result<Spec, String> {
    text.parse().map_err(|error: NotAChoice| format!("{:?}: {}", error.found, explain(&error)))
}

/// Reads what is swept.
pub fn sweep(text: &str) -> Result<Sweep, String> {
    text.parse().map_err(|error: NotAChoice| format!("{:?}: {}", error.found, explain(&error)))
}

/// Reads when jobs of crash lists come back.
pub fn redeliver(text: &str) -> Result<Redeliver, String> {
    if text == "off" {
        return Ok(Redeliver(None));
    }
    let wanted = || format!("expected LO..HI or LO..HI,SEED with 1 <= LO <= HI <= {MAX_JOBS}, or off");
    let (range, seed) = text.split_once(',').unwrap_or((text, "17"));
    let (least, most) = range.split_once("..").ok_or_else(wanted)?;
    let number = |text: &str, max: u32| {
        whole(text, "", 0, max.into()).ok().and_then(|n| u32::try_from(n).ok()).ok_or_else(wanted)
    };
    let jobs = (number(least, MAX_JOBS)?, number(most, MAX_JOBS)?);
    let seed = number(seed, u32::MAX)?;
    if jobs.0 < 1 || jobs.0 > jobs.1 { Err(wanted()) } else { Ok(Redeliver(Some(RedeliverAfter { jobs, seed }))) }
}

/// When jobs of crash lists come back; `None` when their leases run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redeliver(pub Option<RedeliverAfter>);

/// Reads whose workers die, if any do.
pub fn deaths(text: &str) -> Result<Deaths, String> {
    let wanted = "page, ids:1,5, none, or a rate from 0 to 1 or 0% to 100%";
    match text {
        "none" => Ok(Deaths(None)),
        _ if text.contains('@') => {
            Err("each policy brings its own point: give WHOM alone, as in page or 2%".to_owned())
        }
        _ => match text.parse::<Whom>() {
            Ok(whom) => Ok(Deaths(Some(whom))),
            Err(_) => Err(explain(&NotAChoice::new(text, wanted))),
        },
    }
}

/// Whose workers die, if any do.
#[derive(Clone, Debug, PartialEq)]
pub struct Deaths(pub Option<Whom>);

/// Reads the number of a job: `43`, or `j43`.
pub fn job(text: &str) -> Result<Job, String> {
    let number = text.strip_prefix('j').unwrap_or(text);
    whole(number, "the number of a job", 0, u32::MAX.into()).map(|n| Job(u32::try_from(n).expect("within the limit")))
}

/// Reads an answer to the question of a step, written N=TEXT.
pub fn answer(text: &str) -> Result<(u32, String), String> {
    let refuse = || "expected the number of a step and an answer, as in 2=c or 5=200".to_owned();
    let (step, answer) = text.split_once('=').ok_or_else(refuse)?;
    let step = step.trim().parse::<u32>().ok().filter(|step| *step > 0).ok_or_else(refuse)?;
    Ok((step, answer.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_of_redelivery_is_a_range_of_jobs_with_a_seed() {
        let after = |jobs, seed| Ok(Redeliver(Some(RedeliverAfter { jobs, seed })));
        assert_eq!(redeliver("1..2000"), after((1, 2_000), 17));
        assert_eq!(redeliver("5..5,3"), after((5, 5), 3));
        assert_eq!(redeliver("off"), Ok(Redeliver(None)));
        for text in ["", "5", "0..5", "6..5", "1..x", "1..99999999999", "1..5,-1", "1..5,4294967296"] {
            assert!(redeliver(text).expect_err(text).contains("LO..HI"), "{text}");
        }
    }

    #[test]
    fn whom_a_comparison_kills_is_given_without_a_point() {
        assert_eq!(deaths("none"), Ok(Deaths(None)));
        assert_eq!(deaths("page"), Ok(Deaths(Some(Whom::Page))));
        assert!(deaths("page@effect").expect_err("a point").contains("its own point"));
        for text in ["NaN", "1.5", "ids:", "pag"] {
            assert!(deaths(text).expect_err(text).contains("expected page, ids:1,5, none"), "{text}");
        }
    }

    #[test]
    fn the_word_that_is_wrong_in_a_policy_is_named_with_the_nearest() {
        let refusal = policy("two-write dedpu=none").expect_err("misspelt");
        assert!(refusal.starts_with("\"dedpu\": expected") && refusal.ends_with("did you mean dedup?"), "{refusal}");
        let refusal = policy("at-least-onec").expect_err("misspelt");
        assert!(refusal.ends_with("did you mean at-least-once?"), "{refusal}");
        let refusal = sweep("windw=5").expect_err("misspelt");
        assert!(refusal.ends_with("did you mean window?"), "{refusal}");
    }
}
