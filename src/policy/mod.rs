//! Everything the operator can choose, and what each choice promises.
//!
//! A [`Policy`] is data: flags, actions and lab files write it, the queue and the workers read it.
//! The [`program`] module turns one into the list of steps that a worker walks.

pub mod program;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::time::Span;

pub use program::{Line, Point, Program, Stage, Statement};

/// Why a text is not a value of some choice, in words for the person who typed it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not {wanted}")]
pub struct NotAChoice {
    /// What was written.
    pub found: String,
    /// What may be written instead.
    pub wanted: String,
}

impl NotAChoice {
    /// `found` stands where `wanted` belongs.
    pub fn new(found: &str, wanted: impl Into<String>) -> NotAChoice {
        NotAChoice { found: found.to_owned(), wanted: wanted.into() }
    }
}

/// Declares an enum whose values have one written name each, the same in flags, actions, files and screens.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// Every value, in the order in which they are listed for people.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The written name.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::policy::NotAChoice;
            fn from_str(text: &str) -> Result<$name, $crate::policy::NotAChoice> {
                $name::ALL.iter().copied().find(|value| value.name() == text).ok_or_else(|| {
                    let names: Vec<&str> = $name::ALL.iter().map(|value| value.name()).collect();
                    $crate::policy::NotAChoice::new(text, format!("one of {}", names.join(", ")))
                })
            }
        }
    };
}
pub(crate) use named;

named! {
    /// Where the ack goes.
    AckOrder {
        /// Before the work: a worker that dies afterwards takes the job with it.
        Before = "before",
        /// After the effect: a worker that dies before it leaves the job to the next one.
        After = "after",
    }
}

named! {
    /// What the dedup key is made of.
    DedupKey {
        /// The job's id: the same for every attempt.
        Job = "job",
        /// The job's id and the attempt: never the same twice, so it never matches.
        Attempt = "attempt",
        /// A fresh random number: never matches either.
        Random = "random",
    }
}

named! {
    /// What a worker does that learns that its lease is gone.
    OnLostLease {
        /// It goes on as a zombie.
        Continue = "continue",
        /// It stops, at once in a wait, else at the next gap.
        Abort = "abort",
    }
}

named! {
    /// Which jobs wait for each other.
    Ordering {
        /// None.
        None = "none",
        /// Jobs of one order key are delivered one after the other.
        Key = "key",
    }
}

named! {
    /// What happens to a key whose head is dead-lettered.
    OnDead {
        /// The key goes on, with a gap.
        Skip = "skip",
        /// The key is held until the head is redriven.
        Block = "block",
    }
}

named! {
    /// A switch that is on or off.
    Switch {
        /// On.
        On = "on",
        /// Off.
        Off = "off",
    }
}

named! {
    /// What an effect does with the value of its job's order key.
    Values {
        /// Nothing is kept.
        Off = "off",
        /// The last writer wins, even an older job.
        LastWrite = "last-write",
        /// An older job's value is refused; its effect row stands.
        Versioned = "versioned",
    }
}

impl Switch {
    /// True when on.
    pub fn is_on(self) -> bool {
        self == Switch::On
    }
}

/// How a duplicate is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Dedup {
    /// It is not.
    None,
    /// Two transactions: the effect, then its key.
    EffectThenKey,
    /// Two transactions: the key, then the effect.
    KeyThenEffect,
    /// One transaction holds check, effect and key.
    Transactional,
    /// One transaction; the sink remembers the last n ids that it recorded.
    Window(u32),
    /// One transaction; the sink remembers ids for this long.
    Ttl(Span),
    /// The worker remembers what it committed, and forgets it when it dies.
    PerWorker,
}

impl Dedup {
    /// The window that is used when none is given.
    pub const DEFAULT_WINDOW: u32 = 1_000;
    /// The ttl that is used when none is given.
    pub const DEFAULT_TTL: Span = Span::seconds(600);

    /// Every way, with the default window and ttl, in the order in which they are listed for people.
    pub const ALL: [Dedup; 7] = [
        Dedup::None,
        Dedup::EffectThenKey,
        Dedup::KeyThenEffect,
        Dedup::Transactional,
        Dedup::Window(Dedup::DEFAULT_WINDOW),
        Dedup::Ttl(Dedup::DEFAULT_TTL),
        Dedup::PerWorker,
    ];

    /// The names of all ways as they may be written, without their figures.
    pub const NAMES: [&str; 8] =
        ["none", "effect-then-key", "key-then-effect", "transactional", "window", "ttl", "per-worker", "two-write"];

    /// Where keys are kept, if they are.
    pub fn memory(self) -> Memory {
        match self {
            Dedup::None => Memory::None,
            Dedup::EffectThenKey | Dedup::KeyThenEffect | Dedup::Transactional => Memory::Durable,
            Dedup::Window(n) => Memory::Window(n),
            Dedup::Ttl(d) => Memory::Ttl(d),
            Dedup::PerWorker => Memory::Worker,
        }
    }
}

/// Where the keys of applied jobs are kept. A switch between two policies of one kind keeps what was recorded;
/// window and ttl share one memory; no other switch carries anything over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Nowhere.
    None,
    /// In the sink's table of keys, for good.
    Durable,
    /// In the sink's bounded memory: the last n recorded.
    Window(u32),
    /// In the sink's bounded memory: those recorded less than this long ago.
    Ttl(Span),
    /// In the worker's own memory.
    Worker,
}

impl fmt::Display for Dedup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dedup::None => f.write_str("none"),
            Dedup::EffectThenKey => f.write_str("effect-then-key"),
            Dedup::KeyThenEffect => f.write_str("key-then-effect"),
            Dedup::Transactional => f.write_str("transactional"),
            Dedup::Window(n) => write!(f, "window:{n}"),
            Dedup::Ttl(d) => write!(f, "ttl:{d}"),
            Dedup::PerWorker => f.write_str("per-worker"),
        }
    }
}

impl FromStr for Dedup {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<Dedup, NotAChoice> {
        let (name, amount) = match text.split_once(':') {
            Some((name, amount)) => (name, Some(amount)),
            None => (text, None),
        };
        let bad_amount = |wanted: &str| NotAChoice::new(text, wanted);
        match (name, amount) {
            ("none", None) => Ok(Dedup::None),
            ("effect-then-key" | "two-write", None) => Ok(Dedup::EffectThenKey),
            ("key-then-effect", None) => Ok(Dedup::KeyThenEffect),
            ("transactional", None) => Ok(Dedup::Transactional),
            ("per-worker", None) => Ok(Dedup::PerWorker),
            ("window", None) => Ok(Dedup::Window(Dedup::DEFAULT_WINDOW)),
            ("ttl", None) => Ok(Dedup::Ttl(Dedup::DEFAULT_TTL)),
            ("window", Some(n)) => match n.parse() {
                Ok(n) if (1..=10_000_000).contains(&n) => Ok(Dedup::Window(n)),
                _ => Err(bad_amount("a window: window:N with N from 1 to 10000000")),
            },
            ("ttl", Some(d)) => match d.parse::<Span>() {
                Ok(d) if !d.is_zero() => Ok(Dedup::Ttl(d)),
                _ => Err(bad_amount("a ttl: ttl:D with D a duration above 0, as in ttl:10min")),
            },
            _ => Err(NotAChoice::new(
                text,
                "one of none, effect-then-key, key-then-effect, transactional, window:N, ttl:D, per-worker",
            )),
        }
    }
}

/// When a lease is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Renewal {
    /// Never.
    Off,
    /// Three beats within a lease, the third at 95 % of it, so that two misses in a row are survived.
    Third,
    /// Every second lease: always too late.
    Double,
    /// At this interval.
    Every(Span),
}

impl Renewal {
    /// The time from one beat to the next under a lease of `lease`; `None` when there are no beats.
    pub fn interval(self, lease: Span) -> Option<Span> {
        match self {
            Renewal::Off => None,
            Renewal::Third => Some(lease.scaled(95, 300)),
            Renewal::Double => Some(lease.scaled(2, 1)),
            Renewal::Every(span) => Some(span),
        }
    }
}

impl fmt::Display for Renewal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Renewal::Off => f.write_str("off"),
            Renewal::Third => f.write_str("1/3"),
            Renewal::Double => f.write_str("2x"),
            Renewal::Every(span) => span.fmt(f),
        }
    }
}

impl FromStr for Renewal {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<Renewal, NotAChoice> {
        match text {
            "off" => Ok(Renewal::Off),
            "1/3" => Ok(Renewal::Third),
            "2x" => Ok(Renewal::Double),
            _ => match text.parse::<Span>() {
                Ok(span) if !span.is_zero() => Ok(Renewal::Every(span)),
                _ => Err(NotAChoice::new(text, "a renewal: off, 1/3, 2x or a duration above 0")),
            },
        }
    }
}

/// How many times a job may be started between two redrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Attempts {
    /// At most this often, then it is dead-lettered; at least 1.
    Limit(u32),
    /// Without end.
    Unlimited,
}

impl Attempts {
    /// The greatest limit that may be written.
    pub const MAX: u32 = 1_000_000;

    /// True when a job that was started `used` times since its last redrive may be started once more.
    pub fn allows(self, used: u32) -> bool {
        match self {
            Attempts::Limit(limit) => used < limit,
            Attempts::Unlimited => true,
        }
    }
}

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attempts::Limit(n) => write!(f, "{n}"),
            Attempts::Unlimited => f.write_str("unlimited"),
        }
    }
}

impl FromStr for Attempts {
    type Err = NotAChoice;

    fn from_str(text: &str) -> Result<Attempts, NotAChoice> {
        match (text, text.parse::<u32>()) {
            ("unlimited", _) => Ok(Attempts::Unlimited),
            (_, Ok(n)) if (1..=Attempts::MAX).contains(&n) && !text.starts_with('+') => Ok(Attempts::Limit(n)),
            _ => Err(NotAChoice::new(text, format!("a number of attempts from 1 to {}, or unlimited", Attempts::MAX))),
        }
    }
}

/// The wait after a nack: min(cap, base x factor^(n-1) x (1 + u)), u uniform in 0..0.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Backoff {
    /// The wait after the first failure.
    pub base: Span,
    /// By how much each further failure lengthens it, in thousandths (2 is 2000), at least 1000.
    pub factor_milli: u32,
    /// The longest wait.
    pub cap: Span,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff { base: Span::seconds(1), factor_milli: 2_000, cap: Span::seconds(30) }
    }
}

impl fmt::Display for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.base, f64::from(self.factor_milli) / 1_000.0, self.cap)
    }
}

impl FromStr for Backoff {
    type Err = NotAChoice;

    /// Reads `BASE[,FACTOR[,CAP]]`. A base above the cap raises the default cap, and refuses a written one.
    fn from_str(text: &str) -> Result<Backoff, NotAChoice> {
        let refuse =
            || NotAChoice::new(text, "a backoff: BASE[,FACTOR[,CAP]] with FACTOR from 1 to 1000 and BASE at most CAP");
        let mut parts = text.split(',');
        let base: Span = parts.next().unwrap_or_default().trim().parse().map_err(|_| refuse())?;
        let factor_milli = match parts.next().map(|part| part.trim().parse::<f64>()) {
            None => Backoff::default().factor_milli,
            Some(Ok(factor)) if (1.0..=1_000.0).contains(&factor) => (factor * 1_000.0).round() as u32,
            Some(_) => return Err(refuse()),
        };
        let cap = match parts.next().map(|part| part.trim().parse::<Span>()) {
            None => Backoff::default().cap.max(base),
            Some(Ok(cap)) if cap >= base => cap,
            Some(_) => return Err(refuse()),
        };
        if parts.next().is_some() { Err(refuse()) } else { Ok(Backoff { base, factor_milli, cap }) }
    }
}

/// Lets serde write values as the text that flags and actions use.
macro_rules! as_text {
    ($($name:ident),+) => {$(
        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.to_string()
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::policy::NotAChoice;
            fn try_from(text: String) -> Result<$name, $crate::policy::NotAChoice> {
                text.parse()
            }
        }
    )+};
}
pub(crate) use as_text;

as_text!(Dedup, Renewal, Attempts, Backoff);

/// Everything the operator can choose about delivery.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Policy {
    /// Where the ack goes.
    pub ack: AckOrder,
    /// How a duplicate is recognised.
    pub dedup: Dedup,
    /// What the dedup key is made of.
    pub key: DedupKey,
    /// How long one delivery is leased, 1 ms to 24 h.
    pub lease: Span,
    /// When the lease is renewed.
    pub renew: Renewal,
    /// How often a job may be started.
    pub attempts: Attempts,
    /// What a worker does that lost its lease.
    pub on_lost_lease: OnLostLease,
    /// Which jobs wait for each other.
    pub order: Ordering,
    /// What happens to a key whose head is dead-lettered.
    pub on_dead: OnDead,
    /// Whether the sink refuses a write whose token is lower than the last it saw for the job.
    pub fence: Switch,
    /// What an effect does with its order key's value.
    pub values: Values,
    /// The wait after a nack.
    pub backoff: Backoff,
}

impl Default for Policy {
    /// The headless defaults.
    fn default() -> Policy {
        Policy {
            ack: AckOrder::After,
            dedup: Dedup::Transactional,
            key: DedupKey::Job,
            lease: Span::seconds(30),
            renew: Renewal::Third,
            attempts: Attempts::Limit(3),
            on_lost_lease: OnLostLease::Continue,
            order: Ordering::None,
            on_dead: OnDead::Skip,
            fence: Switch::Off,
            values: Values::Off,
            backoff: Backoff::default(),
        }
    }
}

impl Policy {
    /// The shortest lease that may be asked for.
    pub const SHORTEST_LEASE: Span = Span::millis(1);
    /// The longest lease that may be asked for.
    pub const LONGEST_LEASE: Span = Span::seconds(24 * 3_600);

    /// What this policy claims.
    pub fn promise(&self) -> Promise {
        match (self.ack, self.dedup) {
            (AckOrder::Before, _) => Promise::AtMostOnce,
            (AckOrder::After, Dedup::None) => Promise::AtLeastOnce,
            (AckOrder::After, _) => Promise::EffectivelyOnce,
        }
    }

    /// The condition under which the promise is given, if there is one.
    pub fn proviso(&self) -> Option<&'static str> {
        match (self.ack, self.dedup) {
            (AckOrder::After, Dedup::Window(_) | Dedup::Ttl(_)) => Some("while it remembers"),
            (AckOrder::After, Dedup::PerWorker) => Some("while it lives"),
            _ => None,
        }
    }

    /// The steps of a worker under this policy.
    pub fn program(&self) -> Program {
        Program::of(self.ack, self.dedup)
    }

    /// The time between two beats; `None` when leases are not renewed.
    pub fn beat(&self) -> Option<Span> {
        self.renew.interval(self.lease)
    }

    /// Puts one setting in force.
    pub fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Ack(value) => self.ack = value,
            Setting::Dedup(value) => self.dedup = value,
            Setting::Key(value) => self.key = value,
            Setting::Lease(value) => self.lease = value,
            Setting::Renew(value) => self.renew = value,
            Setting::Attempts(value) => self.attempts = value,
            Setting::Order(value) => self.order = value,
            Setting::OnDead(value) => self.on_dead = value,
            Setting::OnLostLease(value) => self.on_lost_lease = value,
            Setting::Fence(value) => self.fence = value,
            Setting::Backoff(value) => self.backoff = value,
        }
    }

    /// The value in force of the setting that is called `name`, as it would be written.
    pub fn value(&self, name: SettingName) -> String {
        match name {
            SettingName::Ack => self.ack.to_string(),
            SettingName::Dedup => self.dedup.to_string(),
            SettingName::Key => self.key.to_string(),
            SettingName::Lease => self.lease.to_string(),
            SettingName::Renew => self.renew.to_string(),
            SettingName::Attempts => self.attempts.to_string(),
            SettingName::Order => self.order.to_string(),
            SettingName::OnDead => self.on_dead.to_string(),
            SettingName::OnLostLease => self.on_lost_lease.to_string(),
            SettingName::Fence => self.fence.to_string(),
            SettingName::Backoff => self.backoff.to_string(),
        }
    }
}

named! {
    /// What a policy claims.
    Promise {
        /// No job is applied twice; some may be lost.
        AtMostOnce = "at-most-once",
        /// No job is lost; some may be applied twice.
        AtLeastOnce = "at-least-once",
        /// No job is lost and none is applied twice.
        EffectivelyOnce = "effectively-once",
    }
}

impl Promise {
    /// True when a duplicate breaks this promise.
    pub fn forbids_duplicates(self) -> bool {
        self != Promise::AtLeastOnce
    }

    /// True when a loss breaks this promise.
    pub fn forbids_loss(self) -> bool {
        self != Promise::AtMostOnce
    }
}

named! {
    /// The settings that can be changed while a run goes on, by the names that actions use.
    SettingName {
        /// Where the ack goes.
        Ack = "ack",
        /// How a duplicate is recognised.
        Dedup = "dedup",
        /// What the dedup key is made of.
        Key = "key",
        /// How long one delivery is leased.
        Lease = "lease",
        /// When the lease is renewed.
        Renew = "renew",
        /// How often a job may be started.
        Attempts = "attempts",
        /// Which jobs wait for each other.
        Order = "order",
        /// What happens to a key whose head is dead-lettered.
        OnDead = "on-dead",
        /// What a worker does that lost its lease.
        OnLostLease = "on-lost-lease",
        /// Whether the sink fences.
        Fence = "fence",
        /// The wait after a nack.
        Backoff = "backoff",
    }
}

/// One setting with its new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    /// See [`Policy::ack`].
    Ack(AckOrder),
    /// See [`Policy::dedup`].
    Dedup(Dedup),
    /// See [`Policy::key`].
    Key(DedupKey),
    /// See [`Policy::lease`].
    Lease(Span),
    /// See [`Policy::renew`].
    Renew(Renewal),
    /// See [`Policy::attempts`].
    Attempts(Attempts),
    /// See [`Policy::order`].
    Order(Ordering),
    /// See [`Policy::on_dead`].
    OnDead(OnDead),
    /// See [`Policy::on_lost_lease`].
    OnLostLease(OnLostLease),
    /// See [`Policy::fence`].
    Fence(Switch),
    /// See [`Policy::backoff`].
    Backoff(Backoff),
}

impl Setting {
    /// Reads the value of the setting that is called `name`.
    pub fn parse(name: SettingName, value: &str) -> Result<Setting, NotAChoice> {
        Ok(match name {
            SettingName::Ack => Setting::Ack(value.parse()?),
            SettingName::Dedup => Setting::Dedup(value.parse()?),
            SettingName::Key => Setting::Key(value.parse()?),
            SettingName::Lease => Setting::Lease(parse_lease(value)?),
            SettingName::Renew => Setting::Renew(value.parse()?),
            SettingName::Attempts => Setting::Attempts(value.parse()?),
            SettingName::Order => Setting::Order(value.parse()?),
            SettingName::OnDead => Setting::OnDead(value.parse()?),
            SettingName::OnLostLease => Setting::OnLostLease(value.parse()?),
            SettingName::Fence => Setting::Fence(value.parse()?),
            SettingName::Backoff => Setting::Backoff(value.parse()?),
        })
    }

    /// The setting's name.
    pub fn name(self) -> SettingName {
        match self {
            Setting::Ack(_) => SettingName::Ack,
            Setting::Dedup(_) => SettingName::Dedup,
            Setting::Key(_) => SettingName::Key,
            Setting::Lease(_) => SettingName::Lease,
            Setting::Renew(_) => SettingName::Renew,
            Setting::Attempts(_) => SettingName::Attempts,
            Setting::Order(_) => SettingName::Order,
            Setting::OnDead(_) => SettingName::OnDead,
            Setting::OnLostLease(_) => SettingName::OnLostLease,
            Setting::Fence(_) => SettingName::Fence,
            Setting::Backoff(_) => SettingName::Backoff,
        }
    }
}

impl fmt::Display for Setting {
    /// The setting as an action writes it: its name and its value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut policy = Policy::default();
        policy.set(*self);
        write!(f, "{} {}", self.name(), policy.value(self.name()))
    }
}

/// Reads a lease within its limits.
pub fn parse_lease(text: &str) -> Result<Span, NotAChoice> {
    let limits = Policy::SHORTEST_LEASE..=Policy::LONGEST_LEASE;
    match text.parse::<Span>() {
        Ok(span) if limits.contains(&span) => Ok(span),
        Ok(_) => Err(NotAChoice::new(text, "a lease from 1ms to 24h")),
        Err(_) => Err(NotAChoice::new(text, "a duration: a number and a unit (us, ms, s, min, h), from 1ms to 24h")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_beats_fit_in_a_lease_with_the_third_at_95_percent() {
        let beat = Renewal::Third.interval(Span::seconds(3)).expect("renewed");
        assert_eq!(beat, Span::millis(950));
        assert!(beat.scaled(3, 1) < Span::seconds(3) && beat.scaled(4, 1) > Span::seconds(3));
        assert_eq!(Renewal::Double.interval(Span::seconds(3)), Some(Span::seconds(6)));
    }

    #[test]
    fn every_choice_reads_back_as_it_is_written() {
        for name in SettingName::ALL {
            let written = Policy::default().value(*name);
            let setting = Setting::parse(*name, &written).expect("its own text");
            assert_eq!(setting.to_string(), format!("{name} {written}"));
        }
        for dedup in Dedup::ALL {
            assert_eq!(dedup.to_string().parse(), Ok(dedup));
        }
        assert_eq!("two-write".parse(), Ok(Dedup::EffectThenKey));
    }

    #[test]
    fn a_value_out_of_its_range_is_refused_with_the_range() {
        for (name, value) in [
            (SettingName::Lease, "0"),
            (SettingName::Lease, "25h"),
            (SettingName::Attempts, "0"),
            (SettingName::Attempts, "18446744073709551616"),
            (SettingName::Dedup, "window:0"),
            (SettingName::Dedup, "ttl:0"),
            (SettingName::Backoff, "2s,0.5"),
            (SettingName::Backoff, "2s,2,1s"),
            (SettingName::Renew, "0"),
        ] {
            assert!(Setting::parse(name, value).is_err(), "{name} {value} must be refused");
        }
    }

    #[test]
    fn the_promise_follows_the_ack_and_the_dedup() {
        let mut policy = Policy::default();
        assert_eq!(policy.promise(), Promise::EffectivelyOnce);
        policy.dedup = Dedup::None;
        assert_eq!(policy.promise(), Promise::AtLeastOnce);
        policy.ack = AckOrder::Before;
        assert_eq!(policy.promise(), Promise::AtMostOnce);
    }
}
