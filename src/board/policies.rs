//! The policies that were in force one after the other, and the terms that a delivery keeps from its own.
//!
//! A switch makes a new policy and leaves the old ones in place, since a delivery goes on under the one it started with.

use std::sync::Arc;

use crate::policy::{AckOrder, DedupKey, Memory, NotAChoice, Point, Policy, Program, Promise, Setting, SettingName};

/// What the fold needs of a delivery's policy, copied when the job is handed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terms {
    /// The place of the policy in the list.
    pub index: u32,
    /// What the policy claims.
    pub promise: Promise,
    /// Where it keeps keys.
    pub memory: Memory,
    /// What its keys are made of.
    pub key: DedupKey,
    /// Where its ack goes.
    pub ack: AckOrder,
    /// True when the effect shares its transaction with the check.
    pub bracket: bool,
    /// The last point before the ack, or before the end if the ack comes first.
    pub applied: Point,
}

impl Terms {
    fn of(index: u32, policy: &Policy, program: &Program) -> Terms {
        Terms {
            index,
            promise: policy.promise(),
            memory: policy.dedup.memory(),
            key: policy.key,
            ack: policy.ack,
            bracket: program.has(Point::Commit),
            applied: program.points().into_iter().rfind(|point| *point != Point::Ack).unwrap_or(Point::Claim),
        }
    }
}

#[derive(Clone, Debug)]
struct Entry {
    policy: Arc<Policy>,
    program: Arc<Program>,
    since: u64,
}

/// The policies of a run, in the order in which they came into force.
#[derive(Clone, Debug)]
pub(super) struct Policies {
    entries: Vec<Entry>,
    terms: Terms,
}

impl Policies {
    /// Begins with `policy`.
    pub fn new(policy: Policy) -> Policies {
        let program = policy.program();
        let terms = Terms::of(0, &policy, &program);
        Policies { entries: vec![Entry { policy: Arc::new(policy), program: Arc::new(program), since: 0 }], terms }
    }

    fn last(&self) -> &Entry {
        self.entries.last().expect("there is one from the start")
    }

    /// The policy in force.
    pub fn current(&self) -> &Policy {
        &self.last().policy
    }

    /// The program of the policy in force.
    pub fn program(&self) -> &Program {
        &self.last().program
    }

    /// The terms of a delivery that starts now.
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// The program of the policy at `index`.
    pub fn program_of(&self, index: u32) -> &Program {
        self.entries.get(index as usize).map_or_else(|| self.program(), |entry| &entry.program)
    }

    /// The policy that was in force when the event with the sequence number `seq` was recorded.
    pub fn at(&self, seq: u64) -> &Policy {
        let after = self.entries.partition_point(|entry| entry.since <= seq);
        &self.entries[after.saturating_sub(1)].policy
    }

    /// Puts `to` in force for the setting `what`, from the event `seq` on.
    pub fn switch(&mut self, seq: u64, what: SettingName, to: &str) -> Result<(), NotAChoice> {
        let setting = Setting::parse(what, to)?;
        let mut policy = self.current().clone();
        policy.set(setting);
        let program = policy.program();
        self.terms = Terms::of(self.entries.len() as u32, &policy, &program);
        self.entries.push(Entry { policy: Arc::new(policy), program: Arc::new(program), since: seq });
        Ok(())
    }
}
