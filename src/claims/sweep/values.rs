//! What is swept, in words: a parameter and its values, `window=100,500,1000` or `window=100..2000/100`.

use std::fmt;
use std::str::FromStr;

use super::{Parameter, Value};
use crate::policy::{Attempts, Dedup, NotAChoice, parse_lease};
use crate::setup::Rate;
use crate::time::Span;

/// The most values of one sweep.
pub const MOST: usize = 50;

/// Steps of a rate are rounded to this many to one, so that 0.1 and 0.2 make 0.3.
const RATE_GRAIN: f64 = 1e9;

/// A parameter and its values, each once, in the order in which they were written.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// What is swept.
    pub parameter: Parameter,
    /// The values.
    pub values: Vec<Value>,
}

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(Value::to_string).collect();
        write!(f, "{}={}", self.parameter, values.join(","))
    }
}

impl FromStr for Sweep {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<Sweep, NotAChoice> {
        let wanted = "a sweep: NAME=A,B,C or NAME=FROM..TO/STEP, as in window=100,1000 or lease=5s..60s/5s";
        let (name, list) = text.split_once('=').ok_or_else(|| NotAChoice::new(text, wanted))?;
        let parameter = parameter(name.trim())?;
        let mut values: Vec<Value> = Vec::new();
        for part in list.split(',').map(str::trim) {
            for value in part_of(parameter, part)? {
                if values.contains(&value) {
                    return Err(NotAChoice::new(
                        part,
                        format!("to be given, since {value} is among the values already"),
                    ));
                }
                if values.len() == MOST {
                    return Err(too_many(part));
                }
                values.push(value);
            }
        }
        Ok(Sweep { parameter, values })
    }
}

fn parameter(name: &str) -> Result<Parameter, NotAChoice> {
    match name {
        "crash" => Ok(Parameter::CrashRate),
        "attempts" => Ok(Parameter::MaxAttempts),
        "renew" => Ok(Parameter::Renewal),
        _ => {
            let names: Vec<&str> = Parameter::ALL.iter().map(|parameter| parameter.name()).collect();
            name.parse().map_err(|_| NotAChoice::new(name, format!("what can be swept: {}", names.join(", "))))
        }
    }
}

fn too_many(part: &str) -> NotAChoice {
    NotAChoice::new(part, format!("within the {MOST} values that one sweep may have"))
}

/// One value, or those of a range.
fn part_of(parameter: Parameter, text: &str) -> Result<Vec<Value>, NotAChoice> {
    match text.split_once("..") {
        None => value(parameter, text).map(|value| vec![value]),
        Some((from, rest)) => {
            let wanted = "a range: FROM..TO/STEP, with FROM at most TO and a STEP above 0";
            let refuse = || NotAChoice::new(text, wanted);
            let (to, step) = rest.split_once('/').ok_or_else(refuse)?;
            range(text, value(parameter, from)?, value(parameter, to)?, step)
        }
    }
}

fn value(parameter: Parameter, text: &str) -> Result<Value, NotAChoice> {
    match parameter {
        Parameter::Window => match format!("window:{text}").parse() {
            Ok(Dedup::Window(n)) => Ok(Value::Window(n)),
            _ => Err(NotAChoice::new(text, "a window: a whole number from 1 to 10000000")),
        },
        Parameter::Lease => parse_lease(text).map(Value::Lease),
        Parameter::Renewal => text.parse().map(Value::Renewal),
        Parameter::CrashRate => text.parse().map(Value::CrashRate),
        Parameter::MaxAttempts => match text.parse() {
            Ok(Attempts::Limit(n)) => Ok(Value::MaxAttempts(n)),
            _ => Err(NotAChoice::new(text, format!("a number of attempts from 1 to {}", Attempts::MAX))),
        },
    }
}

/// The values from `from` to `to`, which is among them if a step falls on it.
fn range(text: &str, from: Value, to: Value, step: &str) -> Result<Vec<Value>, NotAChoice> {
    let refuse = || NotAChoice::new(text, "a range: FROM..TO/STEP, with FROM at most TO and a STEP above 0");
    let whole = |step: &str| step.parse::<u32>().map(u64::from).map_err(|_| refuse());
    match (from, to) {
        (Value::Window(a), Value::Window(b)) => {
            let steps = steps(text, a.into(), b.into(), whole(step)?)?;
            Ok(steps.map(|n| Value::Window(u32::try_from(n).expect("at most the end"))).collect())
        }
        (Value::MaxAttempts(a), Value::MaxAttempts(b)) => {
            let steps = steps(text, a.into(), b.into(), whole(step)?)?;
            Ok(steps.map(|n| Value::MaxAttempts(u32::try_from(n).expect("at most the end"))).collect())
        }
        (Value::Lease(a), Value::Lease(b)) => {
            let step: Span = step.parse().map_err(|_| refuse())?;
            Ok(steps(text, a.0, b.0, step.0)?.map(|n| Value::Lease(Span(n))).collect())
        }
        (Value::CrashRate(a), Value::CrashRate(b)) => {
            let step: Rate = step.parse().map_err(|_| refuse())?;
            let [a, b, step] = [a, b, step].map(|rate| (rate.value() * RATE_GRAIN).round() as u64);
            let rate = |n: u64| Rate::new(n as f64 / RATE_GRAIN).map(Value::CrashRate).expect("at most the end");
            Ok(steps(text, a, b, step)?.map(rate).collect())
        }
        _ => Err(NotAChoice::new(text, "a renewal: off, 1/3, 2x or a duration; it has no ranges")),
    }
}

/// The numbers from `from` to `to` in steps, checked before there are too many of them.
fn steps(text: &str, from: u64, to: u64, step: u64) -> Result<impl Iterator<Item = u64>, NotAChoice> {
    if step == 0 || from > to {
        return Err(NotAChoice::new(text, "a range: FROM..TO/STEP, with FROM at most TO and a STEP above 0"));
    }
    let last = (to - from) / step;
    if last >= MOST as u64 { Err(too_many(text)) } else { Ok((0..=last).map(move |n| from + n * step)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        text.parse::<Sweep>().unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
    }

    fn refused(text: &str) -> String {
        text.parse::<Sweep>().expect_err(text).to_string()
    }

    #[test]
    fn values_are_listed_or_stepped() {
        assert_eq!(read("window=100,500,5000"), "window=100,500,5000");
        assert_eq!(read("window=100..500/200,2000"), "window=100,300,500,2000");
        assert_eq!(read("window=1..10/4"), "window=1,5,9");
        assert_eq!(read("lease=5s..15s/5s,1min"), "lease=5s,10s,15s,1min");
        assert_eq!(read("renewal=off,1/3,2x,10s"), "renewal=off,1/3,2x,10s");
        assert_eq!(read("crash-rate=0..0.3/0.1"), "crash-rate=0,0.1,0.2,0.3");
        assert_eq!(read("crash=1%,2%"), "crash-rate=0.01,0.02");
        assert_eq!(read("attempts=1..3/1"), "max-attempts=1,2,3");
        assert_eq!(read("renew=off"), "renewal=off");
    }

    #[test]
    fn what_is_no_sweep_is_refused_with_what_would_be_one() {
        assert!(refused("window").contains("NAME=A,B,C"));
        assert!(refused("windw=5").contains("window, lease, renewal, crash-rate, max-attempts"));
        for text in ["window=", "window=0", "window=1,,2", "window=NaN", "window=-1", "window=99999999999999999999"] {
            assert!(refused(text).contains("from 1 to 10000000"), "{text}");
        }
        for text in ["window=1..2", "window=5..1/1", "window=1..5/0", "window=1..5/x", "crash=0..1/0"] {
            assert!(refused(text).contains("FROM..TO/STEP"), "{text}");
        }
        for text in ["crash=NaN", "crash=1.5", "crash=inf"] {
            assert!(refused(text).contains("a probability"), "{text}");
        }
        assert!(refused("lease=5").contains("a duration"));
        assert!(refused("lease=25h").contains("1ms to 24h"));
        assert!(refused("attempts=unlimited").contains("from 1 to 1000000"));
        assert!(refused("renewal=off..1/3").contains("a renewal"));
    }

    #[test]
    fn a_value_is_given_once_and_there_are_not_too_many() {
        assert!(refused("window=5,5").contains("among the values already"));
        assert!(refused("crash=2%,0.02").contains("among the values already"));
        assert!(refused("window=1..10000000/1").contains("50 values"));
        assert!(refused("window=1..50/1,60").contains("50 values"));
        assert_eq!("window=1..50/1".parse::<Sweep>().expect("just enough").values.len(), MOST);
    }
}
