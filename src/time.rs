//! Lab time: instants and spans in nanoseconds, and how people write them.
//!
//! Nothing here reads a clock. An [`Instant`] counts from the start of its run, so two runs of one
//! seed can carry the same instants whatever the time of day was.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Nanoseconds in one second.
pub const SECOND: u64 = 1_000_000_000;

/// A moment of lab time: nanoseconds since the run started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Instant(pub u64);

/// A length of lab time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub u64);

impl Instant {
    /// The start of the run.
    pub const START: Instant = Instant(0);
    /// A moment that no run reaches.
    pub const NEVER: Instant = Instant(u64::MAX);

    /// How long after `earlier` this is; zero if it is not after it.
    pub fn since(self, earlier: Instant) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Seconds since the start of the run.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / SECOND as f64
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// A span of whole milliseconds.
    pub const fn millis(n: u64) -> Span {
        Span(n * 1_000_000)
    }

    /// A span of whole seconds.
    pub const fn seconds(n: u64) -> Span {
        Span(n * SECOND)
    }

    /// A span of `s` seconds, rounded to the nanosecond; negative and NaN give zero, too large gives the longest span.
    pub fn from_seconds(s: f64) -> Span {
        Span((s * SECOND as f64).round() as u64)
    }

    /// The length in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / SECOND as f64
    }

    /// True for no time at all.
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// This span times `numerator / denominator`, without overflow on the way.
    pub fn scaled(self, numerator: u64, denominator: u64) -> Span {
        let wide = u128::from(self.0) * u128::from(numerator) / u128::from(denominator);
        Span(u64::try_from(wide).unwrap_or(u64::MAX))
    }

    /// What is left of this span after `other` is taken away; zero at the least.
    pub fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Add<Span> for Instant {
    type Output = Instant;
    fn add(self, span: Span) -> Instant {
        Instant(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Instant {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Instant {
    type Output = Instant;
    fn sub(self, span: Span) -> Instant {
        Instant(self.0.saturating_sub(span.0))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Span {
        spans.fold(Span::ZERO, Add::add)
    }
}

/// The units a duration may carry, with their length in nanoseconds, longest name first where one ends another.
const UNITS: [(&str, u64); 7] = [
    ("min", 60 * SECOND),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
    ("h", 3_600 * SECOND),
    ("m", 60 * SECOND),
    ("s", SECOND),
];

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not a duration: write a number and a unit (ns, us, ms, s, min, h), as in 250ms or 3s")]
pub struct NotADuration {
    found: String,
}

impl FromStr for Span {
    type Err = NotADuration;

    /// Reads `250ms`, `3s`, `1.5min`, `2h`; a bare `0` is fine, any other bare number is not.
    fn from_str(text: &str) -> Result<Span, NotADuration> {
        let refuse = || NotADuration { found: text.to_owned() };
        if text == "0" {
            return Ok(Span::ZERO);
        }
        let (unit, length) = UNITS.iter().find(|(unit, _)| text.ends_with(unit)).ok_or_else(refuse)?;
        let number = &text[..text.len() - unit.len()];
        let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let value: f64 = number.parse().ok().filter(|_| plain).ok_or_else(refuse)?;
        let nanos = value * *length as f64;
        if nanos > (u64::MAX / 4) as f64 { Err(refuse()) } else { Ok(Span(nanos.round() as u64)) }
    }
}

impl fmt::Display for Span {
    /// The shortest of the forms that [`Span::from_str`] reads back to the same span: `3s`, `250ms`, `10min`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0");
        }
        const SHOWN: [(&str, u64); 6] =
            [("h", 3_600 * SECOND), ("min", 60 * SECOND), ("s", SECOND), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
        let exact = SHOWN.iter().find(|(_, length)| self.0.is_multiple_of(*length));
        let tenths = SHOWN[2..].iter().find(|(_, length)| self.0 >= *length && self.0.is_multiple_of(length / 100));
        match (exact, tenths) {
            (_, Some((unit, length))) if !self.0.is_multiple_of(*length) => {
                write!(f, "{}{unit}", self.0 as f64 / *length as f64)
            }
            (Some((unit, length)), _) => write!(f, "{}{unit}", self.0 / length),
            _ => write!(f, "{}ns", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_carries_a_unit_and_only_zero_may_stand_bare() {
        for (text, nanos) in [
            ("3s", 3 * SECOND),
            ("250ms", 250_000_000),
            ("1.5s", 1_500_000_000),
            ("10min", 600 * SECOND),
            ("2h", 7_200 * SECOND),
            ("0", 0),
            ("7us", 7_000),
        ] {
            assert_eq!(text.parse(), Ok(Span(nanos)), "{text}");
        }
        for text in ["5", "-1s", "5 parsecs", "1e400s", "s", "", "NaNs", "infs", "1..2s", "99999999999h"] {
            assert!(text.parse::<Span>().is_err(), "{text} must be refused");
        }
    }

    #[test]
    fn a_printed_duration_reads_back_as_itself() {
        for nanos in [0, 1, 999, 950_000_000, 3 * SECOND, 600 * SECOND, 1_500_000_000, 28_500_000_000, 7_200 * SECOND] {
            let printed = Span(nanos).to_string();
            assert_eq!(printed.parse(), Ok(Span(nanos)), "{printed}");
        }
        assert_eq!(Span::millis(950).to_string(), "950ms");
        assert_eq!(Span::seconds(3).to_string(), "3s");
    }

    #[test]
    fn time_never_wraps() {
        assert_eq!(Instant::NEVER + Span(5), Instant::NEVER);
        assert_eq!(Instant(3).since(Instant(9)), Span::ZERO);
        assert_eq!(Span(u64::MAX).scaled(3, 1), Span(u64::MAX));
    }
}
