//! What a death in each gap comes to, derived by walking the program. Nothing about a policy is typed in here.
//!
//! A worker dies in a gap. What it had committed by then stands; what was open is rolled back. If the queue still has
//! the job, a healthy worker walks the same program once more and may recognise what it finds.

use crate::policy::program::stage_points;
use crate::policy::{Dedup, DedupKey, Memory, Point, Policy, Stage, Statement};

/// What becomes of a job whose worker died in a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is applied once.
    Once,
    /// It is applied twice.
    Twice,
    /// It is forgotten and was never applied.
    Lost,
}

/// A death in a gap, and how it comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    /// What becomes of the job.
    pub fate: Fate,
    /// True when the queue hands it out again.
    pub redelivered: bool,
    /// True when the second worker finds the key.
    pub recognised: bool,
    /// True when the death rolls a transaction back.
    pub rolled_back: bool,
}

/// What stands at some moment of a job's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Standing {
    effects: u32,
    key: bool,
    acked: bool,
}

/// How a death at `point` comes out under `policy`; `None` if the policy has no such gap. The memories are taken as
/// fresh: the id has not been forgotten when the job comes back.
pub fn death(policy: &Policy, point: Point) -> Option<Death> {
    let program = policy.program();
    let memory = program.memory();
    let mut standing = Standing::default();
    let mut rolled_back = false;
    let mut reached = false;
    for stage in program.stages() {
        let points = stage_points(*stage);
        let dies_here = points.contains(&point);
        if dies_here && points.len() > 1 && point != Point::Commit {
            rolled_back = true;
        } else {
            walk(*stage, &mut standing);
        }
        if dies_here {
            reached = true;
            break;
        }
    }
    reached.then(|| {
        let before = standing;
        forget(&mut standing, policy, memory);
        second_delivery(program.stages(), before.acked, standing, rolled_back)
    })
}

/// One stage, done to its end.
fn walk(stage: Stage, standing: &mut Standing) {
    match stage {
        Stage::Claim | Stage::Work => {}
        Stage::Ack => standing.acked = true,
        Stage::Remember => standing.key = true,
        Stage::Transaction(statements) => {
            for statement in statements {
                match statement {
                    Statement::Check => {}
                    Statement::Effect => standing.effects += 1,
                    Statement::Key => standing.key = true,
                }
            }
        }
    }
}

/// What the second worker can still find of the key: not what died with the first one, and not one made afresh.
fn forget(standing: &mut Standing, policy: &Policy, memory: Memory) {
    if memory == Memory::Worker || policy.key != DedupKey::Job {
        standing.key = false;
    }
}

/// A healthy worker takes what comes back.
fn second_delivery(stages: &[Stage], acked: bool, mut standing: Standing, rolled_back: bool) -> Death {
    let mut recognised = false;
    if !acked {
        for stage in stages {
            let checks = matches!(stage, Stage::Transaction(statements) if statements.contains(&Statement::Check));
            if checks && standing.key {
                recognised = true;
                break;
            }
            walk(*stage, &mut standing);
        }
    }
    let fate = match standing.effects {
        0 => Fate::Lost,
        1 => Fate::Once,
        _ => Fate::Twice,
    };
    Death { fate, redelivered: !acked, recognised, rolled_back }
}

impl Death {
    /// How it comes out, in a word or two: `once, recognised`.
    pub fn brief(self) -> &'static str {
        match self.fate {
            Fate::Lost => "LOST",
            Fate::Twice => "TWICE",
            Fate::Once if self.recognised => "once, recognised",
            Fate::Once if self.rolled_back => "once, rolled back",
            Fate::Once => "once",
        }
    }

    /// How it comes out, in a few words: `comes back, no key, applied TWICE`.
    pub fn words(self, policy: &Policy) -> &'static str {
        let keyed = policy.program().memory() != Memory::None;
        match (self.fate, self.redelivered, self.recognised, self.rolled_back) {
            (Fate::Lost, false, ..) => "nobody looks again: LOST",
            (Fate::Lost, true, ..) => "comes back, key is there, no effect: LOST",
            (Fate::Once, false, ..) => "acked and applied once",
            (Fate::Once, true, true, _) => "comes back, key is there, recognised",
            (Fate::Once, true, false, true) => "rolled back, comes back, applied once",
            (Fate::Once, true, false, false) => "comes back, applied once",
            (Fate::Twice, ..) if keyed => "comes back, no key, applied TWICE",
            (Fate::Twice, ..) => "comes back, applied TWICE",
        }
    }
}

/// With what in hand a worker dies at `point`: `with the effect written and the key not`.
pub fn standing_at(policy: &Policy, point: Point) -> &'static str {
    let bracketed = policy.program().has(Point::Commit);
    let key_first = policy.dedup == Dedup::KeyThenEffect;
    if policy.program().points().last() == Some(&point) {
        return "with everything done";
    }
    match point {
        Point::Claim => "with the job in hand and nothing done",
        Point::Ack => "with the job forgotten and nothing done",
        Point::Work => "with the work done and nothing written",
        Point::Check => "when it has asked for the key",
        Point::Effect if bracketed => "with the effect not yet committed",
        Point::Effect if key_first => "with key and effect written, not acked",
        Point::Effect if policy.dedup == Dedup::None => "with the effect written, not acked",
        Point::Effect => "with the effect written and the key not",
        Point::Key if policy.dedup == Dedup::PerWorker => "with all remembered, not acked",
        Point::Key if bracketed => "with effect and key not yet committed",
        Point::Key if key_first => "with the key written and the effect not",
        Point::Key => "with effect and key written, not acked",
        Point::Commit if policy.dedup == Dedup::PerWorker => "with the effect written, not remembered",
        Point::Commit => "with effect and key committed, not acked",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::AckOrder;

    fn fate(ack: AckOrder, dedup: Dedup, point: Point) -> Option<Fate> {
        death(&Policy { ack, dedup, ..Policy::default() }, point).map(|death| death.fate)
    }

    #[test]
    fn the_grid_of_deaths_has_18_once_3_lost_and_2_twice() {
        use Fate::{Lost, Once, Twice};
        let columns = [
            (AckOrder::Before, Dedup::None),
            (AckOrder::After, Dedup::None),
            (AckOrder::After, Dedup::EffectThenKey),
            (AckOrder::After, Dedup::KeyThenEffect),
            (AckOrder::After, Dedup::Transactional),
        ];
        let grid = [
            (Point::Claim, [Some(Once), Some(Once), Some(Once), Some(Once), Some(Once)]),
            (Point::Work, [Some(Lost), Some(Once), Some(Once), Some(Once), Some(Once)]),
            (Point::Check, [None, None, Some(Once), Some(Once), Some(Once)]),
            (Point::Effect, [Some(Once), Some(Twice), Some(Twice), Some(Once), Some(Once)]),
            (Point::Key, [None, None, Some(Once), Some(Lost), Some(Once)]),
            (Point::Commit, [None, None, None, None, Some(Once)]),
        ];
        for (point, row) in grid {
            for ((ack, dedup), expected) in columns.into_iter().zip(row) {
                assert_eq!(fate(ack, dedup, point), expected, "{ack} {dedup} {point}");
            }
        }
        assert_eq!(fate(AckOrder::Before, Dedup::None, Point::Ack), Some(Lost));
        for (ack, dedup) in &columns[1..] {
            assert_eq!(fate(*ack, *dedup, Point::Ack), Some(Once), "after the last ack nothing can go wrong");
        }
    }

    #[test]
    fn a_death_inside_a_bracket_rolls_back_and_one_after_it_is_recognised() {
        let policy = Policy { dedup: Dedup::Transactional, ..Policy::default() };
        let at = |point| death(&policy, point).expect("a gap");
        assert!(at(Point::Key).rolled_back && !at(Point::Key).recognised);
        assert!(!at(Point::Commit).rolled_back && at(Point::Commit).recognised);
    }

    #[test]
    fn a_memory_that_dies_and_a_key_that_changes_recognise_nothing() {
        let worker = Policy { dedup: Dedup::PerWorker, ..Policy::default() };
        assert_eq!(death(&worker, Point::Key).expect("a gap").fate, Fate::Twice);
        let unstable = Policy { key: DedupKey::Attempt, ..Policy::default() };
        assert_eq!(death(&unstable, Point::Commit).expect("a gap").fate, Fate::Twice);
    }
}
