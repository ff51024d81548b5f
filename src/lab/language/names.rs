//! The names that tests and figures know: counters, the figures beside them, and events.
//!
//! Counters have the names under which reports write them, taken from the counters themselves. Events have the names that
//! recordings write; those that tell how somebody looked on, or that differ from one driver to the other, are left out,
//! since what a lab says has to mean the same everywhere.

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

use crate::board::Counters;

/// Figures that no counter counts: the verdict as 1 or 0, and how long the run took, in seconds of lab time.
pub const BESIDE: &[&str] = &["kept", "broken", "elapsed"];

/// What is made of something in parentheses.
pub const FUNCTIONS: &[&str] = &["count", "time", "last", "peak", "jobs"];

/// The names of all counters, in the order of reports.
pub fn counters() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    let _only_its_fields_are_asked_for = Counters::deserialize(Fields(&mut names));
    names
}

/// Hears which fields something has, and gives it none.
struct Fields<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        Err(Error::custom("there is nothing behind the names"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("only a structure has names"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// An event that a lab may name, and what can be said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name, as recordings write it.
    pub name: &'static str,
    /// True when it is of a worker.
    pub worker: bool,
    /// True when it is of a job, which the event names or the delivery that it belongs to.
    pub job: bool,
    /// True when it belongs to a delivery, and so to an attempt.
    pub attempt: bool,
}

/// An event that is about none of them.
const fn of_the_run(name: &'static str) -> Named {
    Named { name, worker: false, job: false, attempt: false }
}

/// An event about a job.
const fn of_a_job(name: &'static str) -> Named {
    Named { name, worker: false, job: true, attempt: false }
}

/// An event about a worker.
const fn of_a_worker(name: &'static str) -> Named {
    Named { name, worker: true, job: false, attempt: false }
}

/// An event of a delivery.
const fn of_a_delivery(name: &'static str) -> Named {
    Named { name, worker: true, job: true, attempt: true }
}

/// Every event that a lab may name.
pub const EVENTS: &[Named] = &[
    of_the_run("policy"),
    of_the_run("action"),
    of_the_run("marked"),
    of_the_run("violated"),
    of_the_run("drained"),
    of_the_run("stuck"),
    of_a_job("enqueued"),
    of_a_job("dead"),
    of_a_job("redriven"),
    of_a_job("gap"),
    of_a_job("overtaken"),
    of_a_job("outdated"),
    of_a_delivery("claimed"),
    of_a_delivery("renewed"),
    of_a_delivery("beat_lost"),
    of_a_delivery("renewal_stale"),
    of_a_delivery("expired"),
    of_a_delivery("released"),
    of_a_delivery("acked"),
    of_a_delivery("ack_lost"),
    of_a_delivery("ack_stale"),
    of_a_delivery("ack_repeated"),
    of_a_delivery("nacked"),
    of_a_delivery("nack_stale"),
    of_a_delivery("ended"),
    of_a_delivery("stepped"),
    of_a_delivery("effect"),
    of_a_delivery("key"),
    of_a_delivery("recognised"),
    of_a_delivery("fenced"),
    of_a_delivery("undone"),
    of_a_delivery("reply_lost"),
    of_a_worker("died"),
    of_a_worker("spawned"),
    of_a_worker("armed"),
    of_a_worker("disarmed"),
    of_a_worker("fault"),
    of_a_worker("healed"),
    of_a_worker("held"),
];

/// Events that a lab may not name, and why.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("started", "a step without a trigger comes before the run"),
    ("stopped", "it tells how somebody looked on"),
    ("going", "it tells how somebody looked on"),
    ("speed", "it tells how somebody looked on"),
    ("jumped", "it tells how somebody looked on"),
    ("said", "wait for a step with after"),
    ("asked", "wait for a step with after"),
    ("answered", "no run waits for an answer"),
    ("audited", "how often SQL counts differs from one driver to the other"),
    ("finished", "what is expected is judged at the end anyway"),
];

/// The event of this name, if a lab may name it.
pub fn event(name: &str) -> Option<&'static Named> {
    EVENTS.iter().find(|event| event.name == name)
}

/// The figure of this name, if it is a counter or stands beside them.
pub fn figure(name: &str) -> Option<&'static str> {
    counters().iter().chain(BESIDE).copied().find(|known| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::What;

    #[test]
    fn counters_have_the_names_that_reports_give_them() {
        let promised = "jobs enqueued deliveries redeliveries acked acks_lost stale_acks repeated_acks nacked failed \
            aborted refused released renewals beats_lost replies_lost stale_renewals expirations crashes deaths \
            dedup_hits fenced effects extra_effects once duplicated lost pending waiting leased unprotected done dead \
            dead_applied redriven at_risk order_gaps overtaken outdated";
        for name in promised.split_whitespace() {
            assert!(counters().contains(&name), "{name} is promised and unknown");
        }
        let written = serde_json::to_value(Counters::default()).expect("writes");
        let written: Vec<&str> = written.as_object().expect("an object").keys().map(String::as_str).collect();
        let mut known = counters().to_vec();
        known.sort_unstable();
        assert_eq!(known, written);
    }

    /// The names of all events, from the list that a refusal of an unknown one gives.
    fn all_events() -> Vec<String> {
        let refusal = serde_json::from_str::<What>(r#"{"e":"no such event"}"#).expect_err("unknown").to_string();
        let names: Vec<String> = refusal.split('`').skip(1).step_by(2).skip(1).map(str::to_owned).collect();
        assert!(names.len() > 30, "{refusal}");
        names
    }

    #[test]
    fn every_event_is_known_or_left_out_for_a_reason() {
        let mut known: Vec<String> = EVENTS.iter().map(|event| event.name.to_owned()).collect();
        known.extend(LEFT_OUT.iter().map(|(name, _)| (*name).to_owned()));
        known.sort_unstable();
        let mut all = all_events();
        all.sort_unstable();
        assert_eq!(known, all);
    }

    #[test]
    fn an_event_may_be_asked_for_the_worker_and_the_job_that_it_names() {
        let example = serde_json::json!({
            "w": 2, "j": 7, "k": 3, "n": 1, "key": 0, "due": 0, "poison": null, "reason": "lease_expired", "tries": 1,
            "max": null, "deadline": 0, "lease": 0, "work": 0, "until": null, "words": "", "how": "done", "by": null,
            "p": "work", "row": 1, "generation": 1, "back": null, "point": "work", "what": "stall", "factor": 1.0,
        });
        let mut seen = 0;
        for event in EVENTS {
            let mut line = example.clone();
            line["e"] = event.name.into();
            let Ok(what) = serde_json::from_value::<What>(line) else { continue };
            seen += 1;
            assert!(event.worker || what.worker().is_none(), "{} names a worker", event.name);
            assert!(event.job || what.job().is_none(), "{} names a job", event.name);
            assert!(!event.worker || what.worker().is_some(), "{} names no worker", event.name);
            assert!(!event.job || what.job().or(what.token().map(|_| crate::ids::Job(7))).is_some(), "{}", event.name);
            assert_eq!(event.attempt, event.worker && what.token().is_some(), "{}", event.name);
        }
        assert!(seen > 25, "only {seen} of the events could be made");
    }
}
