//! The life of one job, told line by line: every event of it, sorted by attempt.
//!
//! Why it came out so is for [`super::why`].

use std::borrow::Cow;

use super::Board;
use super::arrivals::Arrival;
use super::history::{Entry, Life};
use super::jobs::{Fate, NO_HISTORY};
use super::tries::{Tries, Try};
use super::view::{Story, StoryLine, StoryTry};
use super::why;
use super::words::{clock, count, quoted, spot};
use crate::event::{By, End, Fault, Hold, Reason, Spot, What};
use crate::ids::Job;
use crate::policy::{AckOrder, DedupKey, Memory, Point};
use crate::request::JobState;
use crate::setup::Poison;
use crate::text::count as number;

impl Board {
    /// Tells the job's story.
    pub(super) fn tell_story(&self, job: Job) -> Option<Story> {
        let life = self.life(job)?;
        let tries = Tries::of(&life, &self.policies);
        let arrival = self.arrivals.of(job);
        let effects: Vec<u64> = tries.effects().iter().map(|effect| effect.seq).collect();
        let teller = Teller { job, first_effect: effects.first().copied() };
        let truncated = life.truncated || (arrival.is_none() && tries.before.is_empty());
        let mut told = Vec::new();
        if let Some(before) = teller.before(&tries, arrival) {
            told.push(before);
        }
        told.extend(tries.all.iter().map(|one| teller.attempt(one)));
        let said = why::explain(self, job, &tries);
        Some(Story {
            job,
            title: self.title(job, &tries),
            tries: told,
            truncated,
            why: said.why,
            monitoring: said.monitoring,
            holds: said.holds,
        })
    }

    /// The job's kept life, or what the latest events still hold of it.
    pub(super) fn life(&self, job: Job) -> Option<Cow<'_, Life>> {
        if !self.jobs.knows(job) {
            return None;
        }
        if let Some(life) = self.asked.get(&job) {
            return Some(Cow::Borrowed(life));
        }
        match self.jobs.history(job) {
            NO_HISTORY => self.recent.life_of(job).map(Cow::Owned),
            number => self.lives.get(number).map(Cow::Borrowed),
        }
    }

    fn title(&self, job: Job, tries: &Tries) -> String {
        let effects = self.jobs.effects(job);
        let dead = self.jobs.place(job) == JobState::Dead;
        let fate = match self.jobs.fate(job) {
            Fate::Lost => "was LOST".to_owned(),
            Fate::Dead => "is DEAD".to_owned(),
            Fate::Twice if effects > 2 => format!("was applied {effects} TIMES"),
            Fate::Twice => "was applied TWICE".to_owned(),
            Fate::Once if dead => "is DEAD, yet it was applied once".to_owned(),
            Fate::Once => "was applied once".to_owned(),
            Fate::Pending if self.jobs.working(job) > 0 => "is under way".to_owned(),
            Fate::Pending if self.jobs.place(job) == JobState::Leased => "is leased, its worker is gone".to_owned(),
            Fate::Pending => "waits".to_owned(),
        };
        let tried = match self.jobs.attempts(job) {
            1 => "1 try".to_owned(),
            n => format!("{} tries", number(u64::from(n))),
        };
        let policy = tries.all.last().map_or(self.policy(), |one| one.policy);
        let key = match (policy.dedup.memory(), policy.key) {
            (Memory::None, _) => "no key".to_owned(),
            (_, DedupKey::Job) => format!("key {job}"),
            (_, DedupKey::Attempt) => format!("key {job}/try"),
            (_, DedupKey::Random) => "key at random".to_owned(),
        };
        format!("job {job} {fate}    {tried}   {key}")
    }
}

/// Puts the events of one job into words.
struct Teller {
    job: Job,
    first_effect: Option<u64>,
}

impl Teller {
    fn before(&self, tries: &Tries, arrival: Option<Arrival>) -> Option<StoryTry> {
        let mut lines: Vec<StoryLine> = tries.before.iter().filter_map(|entry| self.line(entry, None)).collect();
        let told = tries.before.iter().any(|entry| matches!(entry.event.what, What::Enqueued { .. }));
        if let Some(Arrival { seq, at, due, poison }) = arrival.filter(|_| !told) {
            let text = arrived((due > at).then(|| clock(due)), poison);
            lines.insert(0, StoryLine { at, seq, worker: None, text });
        }
        (!lines.is_empty()).then(|| StoryTry { title: "before any try".to_owned(), lines })
    }

    /// Beats with nothing told between them are told together, whatever happened elsewhere meanwhile.
    fn attempt(&self, one: &Try) -> StoryTry {
        let mut told = Life::default();
        let entries = one.entries.iter().filter(|entry| self.line(entry, Some(one)).is_some());
        entries.for_each(|entry| told.push_whole((*entry).clone()));
        StoryTry {
            title: format!("try {}   {}   token {}", one.attempt, one.worker, one.token),
            lines: told.entries.iter().filter_map(|entry| self.line(entry, Some(one))).collect(),
        }
    }

    fn line(&self, entry: &Entry, one: Option<&Try>) -> Option<StoryLine> {
        let text = match &entry.event.what {
            What::Enqueued { due, poison, .. } => arrived((*due > entry.event.at).then(|| clock(*due)), *poison),
            What::Dead { reason, tries, max, .. } => dead(reason, *tries, *max),
            What::Redriven { .. } => "redriven: a fresh budget".to_owned(),
            What::Gap { key, .. } => format!("order key {key} goes on without it"),
            What::Overtaken { key, .. } => format!("overwrote a newer value of order key {key}"),
            What::Outdated { key, .. } => format!("its value was refused: order key {key} has a newer one"),
            What::Fault { what, factor, .. } => {
                let since = one.filter(|one| entry.event.at < one.claimed).map(|_| clock(entry.event.at));
                fault(*what, *factor, since)
            }
            What::Healed { what, .. } => healed(*what).to_owned(),
            What::Held { what, .. } => held(*what).to_owned(),
            what => self.delivery(what, entry, one?)?,
        };
        Some(StoryLine { at: entry.event.at, seq: entry.seq, worker: entry.event.what.worker(), text })
    }

    fn delivery(&self, what: &What, entry: &Entry, one: &Try) -> Option<String> {
        let times = u64::from(entry.times);
        Some(match what {
            What::Claimed { deadline, .. } => format!("claimed, lease to {}", clock(*deadline)),
            What::Renewed { deadline, .. } if times > 1 => {
                format!("renewed {times} times, lease to {}", clock(*deadline))
            }
            What::Renewed { deadline, .. } => format!("renewed, lease to {}", clock(*deadline)),
            What::BeatLost { .. } => format!("{} lost on the way", count(times, "renewal", "renewals")),
            What::RenewalStale { .. } => format!("{} refused: the lease is over", count(times, "renewal", "renewals")),
            What::Expired { .. } if self.dies(entry, one) => "lease ran out".to_owned(),
            What::Expired { .. } => format!("lease ran out; {} is ready again", self.job),
            What::Released { .. } => "lease given back: the run ended".to_owned(),
            What::Acked { .. } if one.policy.ack == AckOrder::Before => "acked, before the work".to_owned(),
            What::Acked { .. } => "acked: done".to_owned(),
            What::AckLost { .. } => "acked, but the ack was lost on the way".to_owned(),
            What::AckStale { .. } => "ack refused: the lease is over".to_owned(),
            What::AckRepeated { .. } => "acked again".to_owned(),
            What::Nacked { until: Some(until), words, .. } => {
                format!("failed: {}; ready again at {}", quoted(words, 60), clock(*until))
            }
            What::Nacked { words, .. } => format!("failed: {}", quoted(words, 60)),
            What::NackStale { .. } => "failed; nack refused: the lease is over".to_owned(),
            What::Ended { how, by, .. } => ended(how, *by, one)?,
            other => return self.sink(other, entry, one),
        })
    }

    /// True when the job goes to the DLQ right after this event.
    fn dies(&self, entry: &Entry, one: &Try) -> bool {
        let next = one.entries.iter().find(|other| other.seq > entry.seq);
        next.is_some_and(|next| matches!(next.event.what, What::Dead { .. }))
    }

    fn sink(&self, what: &What, entry: &Entry, one: &Try) -> Option<String> {
        let again = self.first_effect.is_some_and(|first| first < entry.seq);
        let key = match one.policy.key {
            DedupKey::Job => format!("key {}", self.job),
            DedupKey::Attempt => format!("key {}/{}", self.job, one.attempt),
            DedupKey::Random => "its key".to_owned(),
        };
        Some(match what {
            What::Stepped { p: Point::Check, .. } => format!("asked the sink for {key}: not there"),
            What::Stepped { p: Point::Key, .. } => "noted the id in its own memory".to_owned(),
            What::Effect { row, .. } => match (one.in_bracket(), one.commits_key(), again) {
                (true, true, false) => format!("committed effect and key, row {row}"),
                (true, true, true) => format!("committed effect AGAIN and key, row {row}"),
                (true, false, false) => format!("committed the effect, row {row}"),
                (true, false, true) => format!("committed the effect AGAIN, row {row}"),
                (false, _, false) => format!("wrote the effect, row {row}"),
                (false, _, true) => format!("wrote the effect AGAIN, row {row}"),
            },
            What::Key { .. } if one.commits_key() => return None,
            What::Key { .. } => "wrote the key".to_owned(),
            What::Recognised { .. } if one.in_bracket() => "recognised as a duplicate".to_owned(),
            What::Recognised { .. } => format!("asked the sink for {key}: it is there"),
            What::Fenced { .. } => "write refused: a higher token was there".to_owned(),
            What::Undone { .. } => "the commit failed: nothing of it stands".to_owned(),
            What::ReplyLost { .. } => "the sink's answer was lost".to_owned(),
            _ => return None,
        })
    }
}

fn arrived(due: Option<String>, poison: Option<Poison>) -> String {
    let mut text = "enqueued".to_owned();
    if let Some(due) = due {
        text.push_str(", due at ");
        text.push_str(&due);
    }
    text.push_str(match poison {
        Some(Poison::Fail) => "; poison: always fails",
        Some(Poison::Crash) => "; poison: kills its worker",
        Some(Poison::Panic) => "; poison: it panics",
        None => "",
    });
    text
}

fn dead(reason: &Reason, tries: u32, max: Option<u32>) -> String {
    let why = match reason {
        Reason::Failed(_) => "it failed",
        Reason::Crashed(_) => "its worker died",
        Reason::LeaseExpired => "the lease ran out",
        Reason::AttemptsLowered => "the tries were lowered",
    };
    let of = max.map_or_else(String::new, |max| format!(" of {max}"));
    format!("DEAD after try {tries}{of}: {why}")
}

/// `killed after effect, by you (X d)`, `died in work (poison)`; nothing where another line tells the end.
fn ended(how: &End, by: Option<By>, one: &Try) -> Option<String> {
    Some(match how {
        End::Crashed(place) => crashed(*place, by, one),
        End::Failed(words) if one.policy.ack == AckOrder::Before => format!("failed: {}", quoted(words, 60)),
        End::LeaseLost => "gave up: its lease is gone".to_owned(),
        End::Quit => "stopped: the run ended".to_owned(),
        End::Done | End::Failed(_) | End::RefusedAck | End::Fenced => return None,
    })
}

fn crashed(place: Spot, by: Option<By>, one: &Try) -> String {
    let letter = match place {
        Spot::After(point) => one.program.letter(point),
        Spot::In(_) => None,
    };
    let place = spot(place);
    match (by, letter) {
        (Some(By::Operator), Some(letter)) => format!("killed {place}, by you (X {letter})"),
        (Some(By::Operator), None) => format!("killed {place}, by you (x)"),
        (Some(By::Lab), _) => format!("killed {place}, by the lab"),
        (Some(By::List), _) => format!("died {place} (crash list)"),
        (Some(By::Rate), _) => format!("died {place} (crash rate)"),
        (Some(By::Poison), _) => format!("died {place} (poison)"),
        (None, _) => format!("died {place}"),
    }
}

fn fault(what: Fault, factor: f64, since: Option<String>) -> String {
    let text = match what {
        Fault::Stall => "heartbeats stalled (s)".to_owned(),
        Fault::Pause => "put to sleep (z)".to_owned(),
        Fault::Hang => "made to hang (F h)".to_owned(),
        Fault::CutQueue => "cut from the queue (p)".to_owned(),
        Fault::CutSink => "cut from the sink (P)".to_owned(),
        Fault::Slow => format!("slowed x{factor} (F l)"),
        Fault::LoseBeats => "renewals are lost".to_owned(),
        Fault::LoseAcks => "acks are lost".to_owned(),
        Fault::LoseReplies => "the sink's answers are lost".to_owned(),
    };
    match since {
        Some(since) => format!("{text} since {since}"),
        None => text,
    }
}

fn healed(what: Fault) -> &'static str {
    match what {
        Fault::Stall => "heartbeats go again",
        Fault::Pause => "woke up",
        Fault::Hang => "hangs no longer",
        Fault::CutQueue => "reaches the queue again",
        Fault::CutSink => "reaches the sink again",
        Fault::Slow => "works at full speed again",
        Fault::LoseBeats => "renewals arrive again",
        Fault::LoseAcks => "acks arrive again",
        Fault::LoseReplies => "the sink's answers arrive again",
    }
}

fn held(what: Hold) -> &'static str {
    match what {
        Hold::Claim => "waits for the queue to claim",
        Hold::Ack => "waits: its ack cannot reach the queue",
        Hold::Sink => "waits: it cannot reach the sink",
        Hold::Locked => "waits: another program holds the database",
    }
}
