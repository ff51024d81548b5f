//! Reads the values of a set-up from text, for flags and lab files alike: every value that is refused names its range
//! and, where it has names, the nearest one.
//!
//! What a value means together with others is judged in [`super::check`].

use std::str::FromStr;

use super::{MAX_JOBS, MAX_SEED, MAX_WORKERS, Rate};
use crate::policy::NotAChoice;
use crate::text::nearest;
use crate::time::Span;

/// The longest work time, gap, delay and respawn time.
pub const LONGEST: Span = Span::seconds(24 * 3_600);
/// The greatest arrival rate, in jobs a second.
const MAX_RATE: f64 = 1_000_000.0;
/// The smallest arrival rate, in jobs a second.
const MIN_RATE: f64 = 0.001;

/// Reads a choice that is more than a name, such as `window:1000`.
pub fn choice<T: FromStr<Err = NotAChoice>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error| explain(&error))
}

/// Reads a lease within its limits.
pub fn lease(text: &str) -> Result<Span, String> {
    crate::policy::parse_lease(text).map_err(|error| explain(&error))
}

/// What belonged there, and the nearest of the words that it lists.
pub fn explain(error: &NotAChoice) -> String {
    let is_name = |word: &&str| word.len() > 2 && word.starts_with(|c: char| c.is_ascii_alphabetic());
    let words = error.wanted.split([' ', ',', ':']).filter(is_name);
    match nearest(&error.found, words) {
        Some(word) if !error.found.starts_with(word) => format!("expected {}; did you mean {word}?", error.wanted),
        _ => format!("expected {}", error.wanted),
    }
}

/// Reads a duration up to 24 h; 0 is fine.
pub fn span(text: &str) -> Result<Span, String> {
    match text.parse::<Span>() {
        Ok(span) if span <= LONGEST => Ok(span),
        Ok(_) => Err("expected a duration from 0 to 24h".to_owned()),
        Err(_) => Err("expected a duration: a number and a unit (ns, us, ms, s, min, h), from 0 to 24h".to_owned()),
    }
}

/// Reads how long a stream lasts: longer than 0.
pub fn stream(text: &str) -> Result<Span, String> {
    match span(text)? {
        Span::ZERO => Err("expected a duration above 0, up to 24h".to_owned()),
        span => Ok(span),
    }
}

/// Reads how long after its death a worker is back: a duration, or `off` for never.
pub fn respawn(text: &str) -> Result<Respawn, String> {
    match text {
        "off" => Ok(Respawn(None)),
        _ => match span(text) {
            Ok(span) => Ok(Respawn(Some(span))),
            Err(_) => Err("expected off, or a duration from 0 to 24h with a unit (ms, s, min, h)".to_owned()),
        },
    }
}

/// How long after its death a worker is back, if ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Respawn(pub Option<Span>);

/// Reads a probability below 1.
pub fn rate_below_one(text: &str) -> Result<Rate, String> {
    match text.parse::<Rate>() {
        Ok(rate) if rate.value() < 1.0 => Ok(rate),
        _ => Err("expected a probability from 0 to below 1, since the worker asks until it hears an answer".to_owned()),
    }
}

/// Reads an arrival rate in jobs a second.
pub fn arrivals(text: &str) -> Result<f64, String> {
    let rate = text.strip_suffix("/s").unwrap_or(text);
    decimal(rate, MIN_RATE, MAX_RATE).ok_or_else(|| format!("expected jobs a second, from {MIN_RATE} to {MAX_RATE}"))
}

/// Reads a speed.
pub fn speed(text: &str) -> Result<f64, String> {
    decimal(text, 0.1, 100.0).ok_or_else(|| "expected a speed from 0.1 to 100".to_owned())
}

/// A number with digits and a point only, so that `NaN`, `inf` and exponents are none, within its limits.
fn decimal(text: &str, min: f64, max: f64) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|value| plain && (min..=max).contains(value))
}

/// Reads a number of jobs.
pub fn jobs(text: &str) -> Result<u32, String> {
    whole(text, "a number of jobs", 1, MAX_JOBS.into()).map(|n| u32::try_from(n).expect("within the limit"))
}

/// Reads a number of order keys.
pub fn keys(text: &str) -> Result<u32, String> {
    whole(text, "a number of keys", 1, MAX_JOBS.into()).map(|n| u32::try_from(n).expect("within the limit"))
}

/// Reads a number of workers.
pub fn workers(text: &str) -> Result<u16, String> {
    whole(text, "a number of workers", 1, MAX_WORKERS.into()).map(|n| u16::try_from(n).expect("within the limit"))
}

/// Reads a seed.
pub fn seed(text: &str) -> Result<u64, String> {
    whole(text, "a seed", 0, MAX_SEED)
}

/// Reads a whole number, written with digits only, within its limits; `what` is counted.
pub fn whole(text: &str, what: &str, min: u64, max: u64) -> Result<u64, String> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(n) if digits && (min..=max).contains(&n) => Ok(n),
        _ => Err(format!("expected {what}, a whole number from {min} to {max}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Dedup;

    #[test]
    fn a_figure_out_of_its_range_is_refused_with_the_range() {
        for text in ["0", "-1", "2.5", "99999999", "", "4x", "+4"] {
            let refusal = workers(text).expect_err(text);
            assert!(refusal.ends_with("from 1 to 256"), "{refusal}");
        }
        assert_eq!(workers("256"), Ok(256));
        assert_eq!(jobs("10000000"), Ok(10_000_000));
        assert!(jobs("1000000000000").expect_err("too many").ends_with("from 1 to 10000000"));
    }

    #[test]
    fn a_seed_fits_in_the_integers_of_sqlite() {
        assert_eq!(seed("9223372036854775807"), Ok(MAX_SEED));
        for text in ["abc", "-1", "9223372036854775808", "18446744073709551616"] {
            assert!(seed(text).is_err(), "{text} must be refused");
        }
    }

    #[test]
    fn a_duration_without_a_unit_is_refused_with_the_units() {
        for text in ["5", "-1s", "5 parsecs", "1e400s", "NaNs"] {
            assert!(span(text).expect_err(text).contains("ms, s, min, h"), "{text}");
            assert!(lease(text).expect_err(text).contains("ms, s, min, h"), "{text}");
        }
        assert!(lease("0").expect_err("no lease").contains("1ms to 24h"));
        assert_eq!(span("0"), Ok(Span::ZERO));
        assert_eq!(respawn("off"), Ok(Respawn(None)));
        assert!(stream("0").is_err() && stream("1s").is_ok());
    }

    #[test]
    fn neither_nan_nor_infinity_is_a_figure() {
        for text in ["NaN", "inf", "-0.1", "1e1", ""] {
            assert!(speed(text).is_err() && arrivals(text).is_err() && rate_below_one(text).is_err(), "{text}");
        }
        assert!(rate_below_one("1").is_err() && rate_below_one("100%").is_err());
        assert_eq!(arrivals("1.2/s"), Ok(1.2));
    }

    #[test]
    fn a_misspelt_name_is_answered_with_the_nearest() {
        let refusal = choice::<Dedup>("transactionel").expect_err("misspelt");
        assert!(refusal.ends_with("did you mean transactional?"), "{refusal}");
        let refusal = choice::<Dedup>("windw:5").expect_err("misspelt");
        assert!(refusal.ends_with("did you mean window?"), "{refusal}");
        for text in ["window:0", "ttl:0"] {
            let refusal = choice::<Dedup>(text).expect_err("too small");
            assert!(!refusal.contains("did you mean"), "{refusal}");
        }
        let refusal = choice::<crate::policy::Backoff>("1s,0").expect_err("a factor below 1");
        assert!(!refusal.contains("did you mean"), "{refusal}");
    }
}
