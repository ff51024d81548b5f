//! The parts of a set-up by name: the flags of a run without their dashes, which are the keys of lab files.
//!
//! Each part reads its value from text with the reader that its flag uses, so that a file and a command line mean the same
//! by the same words and refuse the same values. What is made of a key that is no name here is left to whoever read it.

use super::{Setup, Strike, read};

/// One part of a set-up.
#[derive(Clone, Copy)]
pub struct Field {
    /// Its name: that of its flag.
    pub name: &'static str,
    /// What its value is, in words.
    pub wanted: &'static str,
    put: Put,
}

/// Where a value goes.
#[derive(Clone, Copy)]
enum Put {
    /// In place of the one before.
    One(fn(&mut Setup, &str) -> Result<(), String>),
    /// To the others of a list.
    Strike(fn(&mut Setup) -> &mut Vec<Strike>),
}

impl Field {
    /// Reads `text` and puts it into `setup`: in place of what was there, or at the end of a list. The error says what
    /// was expected.
    pub fn put(&self, setup: &mut Setup, text: &str) -> Result<(), String> {
        match self.put {
            Put::One(put) => put(setup, text),
            Put::Strike(list) => read::choice(text).map(|strike| list(setup).push(strike)),
        }
    }

    /// True when there may be several values.
    pub fn is_list(&self) -> bool {
        matches!(self.put, Put::Strike(_))
    }

    /// Takes out what a list has; does nothing else.
    pub fn clear(&self, setup: &mut Setup) {
        if let Put::Strike(list) = self.put {
            list(setup).clear();
        }
    }
}

/// A field whose value is read by `$read` and put where `$place` says.
macro_rules! field {
    ($name:literal, $wanted:literal, $read:expr, |$setup:ident, $value:ident| $put:expr) => {
        Field {
            name: $name,
            wanted: $wanted,
            put: Put::One(|$setup, text| {
                let $value = $read(text)?;
                $put;
                Ok(())
            }),
        }
    };
}

/// Every part of a set-up that has a flag with a value, in the order of help.
pub const FIELDS: &[Field] = &[
    field!("ack", "before or after", read::choice, |setup, value| setup.policy.ack = value),
    field!("dedup", "a way to recognise a duplicate", read::choice, |setup, value| setup.policy.dedup = value),
    field!("key", "job, attempt or random", read::choice, |setup, value| setup.policy.key = value),
    field!("lease", "a duration such as 30s", read::lease, |setup, value| setup.policy.lease = value),
    field!("renew", "off, 1/3, 2x or a duration", read::choice, |setup, value| setup.policy.renew = value),
    field!("max-attempts", "a number or unlimited", read::choice, |setup, value| setup.policy.attempts = value),
    field!("on-lost-lease", "continue or abort", read::choice, |setup, value| setup.policy.on_lost_lease = value),
    field!("order", "none or key", read::choice, |setup, value| setup.policy.order = value),
    field!("on-dead", "skip or block", read::choice, |setup, value| setup.policy.on_dead = value),
    field!("fence", "true or false", read::choice, |setup, value| setup.policy.fence = value),
    field!("values", "off, last-write or versioned", read::choice, |setup, value| setup.policy.values = value),
    field!("backoff", "D, D,FACTOR or D,FACTOR,CAP", read::choice, |setup, value| setup.policy.backoff = value),
    field!("jobs", "a number of jobs", read::jobs, |setup, value| setup.workload.jobs = Some(value)),
    field!("for", "a duration such as 30s", read::stream, |setup, value| setup.workload.stream_for = Some(value)),
    field!("rate", "jobs a second", read::arrivals, |setup, value| setup.workload.rate = Some(value)),
    field!("work", "D, D~P%, exp:D or page", read::choice, |setup, value| setup.workload.work = value),
    field!("delay", "a duration such as 1s", read::span, |setup, value| setup.workload.delay = value),
    field!("keys", "a number of keys", read::keys, |setup, value| setup.workload.keys = value),
    field!("poison", "N, N:crash or N:panic", read::choice, |setup, value| setup.workload.poison = Some(value)),
    Field { name: "crash", wanted: "WHOM@POINT", put: Put::Strike(|setup| &mut setup.crash) },
    Field { name: "fail", wanted: "WHOM@POINT", put: Put::Strike(|setup| &mut setup.fail) },
    field!("lose-beats", "a probability", read::choice, |setup, value| setup.lose_beats = value),
    field!("lose-acks", "a probability", read::choice, |setup, value| setup.lose_acks = value),
    field!("lose-replies", "a probability below 1", read::rate_below_one, |setup, value| setup.lose_replies = value),
    field!("workers", "a number of workers", read::workers, |setup, value| setup.workers = value),
    field!("respawn", "a duration or off", read::respawn, |setup, value| setup.respawn = value.0),
    field!("gap", "a duration such as 10ms", read::span, |setup, value| setup.gap = value),
    field!("speed", "a number from 0.1 to 100", read::speed, |setup, value| setup.speed = value),
    field!("idle-jump", "true or false", read::choice, |setup, value| setup.idle_jump = value),
    field!("synchronous", "normal or full", read::choice, |setup, value| setup.synchronous = value),
];

/// The part of this name.
pub fn field(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Switch;

    #[test]
    fn a_value_goes_where_its_name_says() {
        let mut setup = Setup::headless(1);
        for (name, text) in [("jobs", "5"), ("fence", "on"), ("respawn", "off"), ("crash", "page@work")] {
            field(name).expect(name).put(&mut setup, text).expect(text);
        }
        assert_eq!((setup.workload.jobs, setup.policy.fence, setup.respawn), (Some(5), Switch::On, None));
        assert_eq!(setup.crash, ["page@work".parse().expect("a strike")]);
        assert!(field("leese").is_none());
    }

    #[test]
    fn no_two_parts_change_the_same_thing() {
        let values = ["before", "none", "attempt", "7s", "off", "7", "abort", "key", "block", "on", "versioned", "2s"];
        let more = ["7", "7s", "7", "7s", "7s", "7", "7", "page@work", "7%@work", "7%", "7%", "7%", "7", "7s", "7s"];
        let values: Vec<&str> = values.into_iter().chain(more).chain(["7", "off", "full"]).collect();
        assert_eq!(values.len(), FIELDS.len());
        let changed: Vec<Setup> = FIELDS
            .iter()
            .zip(values)
            .map(|(field, text)| {
                let mut setup = Setup::headless(1);
                field.put(&mut setup, text).unwrap_or_else(|error| panic!("{} {text}: {error}", field.name));
                setup
            })
            .collect();
        for (i, setup) in changed.iter().enumerate() {
            assert_ne!(*setup, Setup::headless(1), "{} changes nothing", FIELDS[i].name);
            let same = changed[..i].iter().position(|other| other == setup);
            assert_eq!(same.map(|same| FIELDS[same].name), None, "{} changes the same", FIELDS[i].name);
        }
    }
}
