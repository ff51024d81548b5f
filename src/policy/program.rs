//! The program of a worker, derived from a policy: the one list that workers walk and screens draw.
//!
//! A program is a list of [`Stage`]s. Each stage is one request of the worker; a transaction is one stage with one
//! to three [`Statement`]s. Behind every step stands a [`Point`], a gap in which a fault can land.

use super::{AckOrder, Dedup, Memory, named};
use crate::sabotage::{Flaw, strikes};

named! {
    /// A crash point: the gap behind the step whose name it bears.
    Point {
        /// The job is in hand and nothing is done.
        Claim = "claim",
        /// The queue has forgotten the job.
        Ack = "ack",
        /// The work is done and nothing is written.
        Work = "work",
        /// The sink was asked for the key.
        Check = "check",
        /// The effect was written: committed if it stands alone, still open within a bracket.
        Effect = "effect",
        /// The key was written: committed if it stands alone, still open within a bracket.
        Key = "key",
        /// The bracket was committed.
        Commit = "commit",
    }
}

named! {
    /// One statement of a sink transaction.
    Statement {
        /// Ask for the key; if it is there, the rest is left out.
        Check = "check",
        /// Write the effect row.
        Effect = "effect",
        /// Write the key, or remember the id in the sink's bounded memory.
        Key = "key",
    }
}

impl Statement {
    /// The point behind this statement.
    pub fn point(self) -> Point {
        match self {
            Statement::Check => Point::Check,
            Statement::Effect => Point::Effect,
            Statement::Key => Point::Key,
        }
    }
}

/// One request of a worker's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Take the next ready job; its lease starts.
    Claim,
    /// Do the job.
    Work,
    /// One SQLite transaction.
    Transaction(&'static [Statement]),
    /// The worker notes the id in its own memory.
    Remember,
    /// Tell the queue to forget the job.
    Ack,
}

/// How a step is bracketed: `[ ]` is one SQLite transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// Not part of a transaction.
    Outside,
    /// A transaction of this one write.
    Alone,
    /// The first step of a bracket.
    Opens,
    /// A step between the first and the last.
    Within,
    /// The last step of a bracket.
    Closes,
}

/// One step as people see it, with the crash points behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The step's name: `claim`, `work`, `check key`, `effect`, `key`, `remember`, `ack`.
    pub label: &'static str,
    /// The step's place in a transaction.
    pub bracket: Bracket,
    /// The point right behind the step, before a bracket's commit.
    pub point: Point,
    /// The letter of that point.
    pub letter: char,
    /// For the last step of a bracket: the letter of the point `commit`, behind the commit.
    pub commit_letter: Option<char>,
}

/// The steps of a worker under one policy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    stages: Vec<Stage>,
    memory: Memory,
}

impl Program {
    /// Derives the program: the effect part follows from `dedup`, and `ack` puts the ack second or last.
    pub fn of(ack: AckOrder, dedup: Dedup) -> Program {
        use Statement::{Check, Effect, Key};
        let apply: &[Stage] = match dedup {
            Dedup::None => &[Stage::Transaction(&[Effect])],
            Dedup::EffectThenKey if strikes(Flaw::TwoWritesAreOne) => &[Stage::Transaction(&[Check, Effect, Key])],
            Dedup::EffectThenKey => {
                &[Stage::Transaction(&[Check]), Stage::Transaction(&[Effect]), Stage::Transaction(&[Key])]
            }
            Dedup::KeyThenEffect => {
                &[Stage::Transaction(&[Check]), Stage::Transaction(&[Key]), Stage::Transaction(&[Effect])]
            }
            Dedup::Transactional | Dedup::Window(_) | Dedup::Ttl(_) => &[Stage::Transaction(&[Check, Effect, Key])],
            Dedup::PerWorker => &[Stage::Transaction(&[Check, Effect]), Stage::Remember],
        };
        let mut stages = vec![Stage::Claim, Stage::Work];
        stages.extend_from_slice(apply);
        let place = if ack == AckOrder::Before { 1 } else { stages.len() };
        stages.insert(place, Stage::Ack);
        Program { stages, memory: dedup.memory() }
    }

    /// The requests in order; the first is always the claim.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Where this program keeps its keys.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// The crash points in the order in which a worker passes them.
    pub fn points(&self) -> Vec<Point> {
        self.stages.iter().flat_map(|stage| stage_points(*stage)).collect()
    }

    /// True when a worker can stand at `point` under this program.
    pub fn has(&self, point: Point) -> bool {
        self.points().contains(&point)
    }

    /// The letter of `point`: a, b, c ... in the order of the program.
    pub fn letter(&self, point: Point) -> Option<char> {
        self.points().iter().position(|p| *p == point).map(letter_at)
    }

    /// The point that has this letter.
    pub fn point(&self, letter: char) -> Option<Point> {
        self.points().into_iter().enumerate().find(|(i, _)| letter_at(*i) == letter).map(|(_, point)| point)
    }

    /// The steps as people see them.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut letters = (0..).map(letter_at);
        for stage in &self.stages {
            match stage {
                Stage::Transaction(statements) => self.transaction_lines(statements, &mut letters, &mut lines),
                plain => lines.push(Line {
                    label: plain_label(*plain),
                    bracket: Bracket::Outside,
                    point: stage_points(*plain)[0],
                    letter: letters.next().expect("endless"),
                    commit_letter: None,
                }),
            }
        }
        lines
    }

    fn transaction_lines(
        &self,
        statements: &[Statement],
        letters: &mut impl Iterator<Item = char>,
        lines: &mut Vec<Line>,
    ) {
        let last = statements.len() - 1;
        for (i, statement) in statements.iter().enumerate() {
            let bracket = match (last, i) {
                (0, _) if *statement == Statement::Check => Bracket::Outside,
                (0, _) => Bracket::Alone,
                (_, 0) => Bracket::Opens,
                (_, i) if i == last => Bracket::Closes,
                _ => Bracket::Within,
            };
            let letter = letters.next().expect("endless");
            let commit_letter = if bracket == Bracket::Closes { letters.next() } else { None };
            lines.push(Line {
                label: self.statement_label(*statement),
                bracket,
                point: statement.point(),
                letter,
                commit_letter,
            });
        }
    }

    fn statement_label(&self, statement: Statement) -> &'static str {
        match (statement, self.memory) {
            (Statement::Check, Memory::Durable) => "check key",
            (Statement::Check, _) => "check memory",
            (Statement::Effect, _) => "effect",
            (Statement::Key, Memory::Durable) => "key",
            (Statement::Key, _) => "remember",
        }
    }
}

fn plain_label(stage: Stage) -> &'static str {
    match stage {
        Stage::Claim => "claim",
        Stage::Work => "work",
        Stage::Ack => "ack",
        Stage::Remember => "remember",
        Stage::Transaction(_) => unreachable!("a transaction has a label for each statement"),
    }
}

/// The points behind one stage. In a transaction of one statement the point lies after its commit; a bracket's
/// statements lie before the commit, and `commit` after it.
pub fn stage_points(stage: Stage) -> Vec<Point> {
    match stage {
        Stage::Claim => vec![Point::Claim],
        Stage::Work => vec![Point::Work],
        Stage::Ack => vec![Point::Ack],
        Stage::Remember => vec![Point::Key],
        Stage::Transaction([only]) => vec![only.point()],
        Stage::Transaction(statements) => statements.iter().map(|s| s.point()).chain([Point::Commit]).collect(),
    }
}

fn letter_at(index: usize) -> char {
    char::from(b'a' + u8::try_from(index).expect("a program has fewer than 26 points"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(ack: AckOrder, dedup: Dedup) -> String {
        let text = |line: &Line| {
            let commit = line.commit_letter.map(|l| format!("] {l}")).unwrap_or_default();
            match line.bracket {
                Bracket::Outside => format!("{} {}", line.label, line.letter),
                Bracket::Alone => format!("[{}] {}", line.label, line.letter),
                Bracket::Opens => format!("[{} {}", line.label, line.letter),
                Bracket::Within | Bracket::Closes => format!("{} {}{commit}", line.label, line.letter),
            }
        };
        Program::of(ack, dedup).lines().iter().map(text).collect::<Vec<_>>().join(" - ")
    }

    #[test]
    fn every_policy_compiles_to_the_program_of_the_design() {
        for (ack, dedup, program) in [
            (AckOrder::Before, Dedup::None, "claim a - ack b - work c - [effect] d"),
            (AckOrder::After, Dedup::None, "claim a - work b - [effect] c - ack d"),
            (AckOrder::After, Dedup::EffectThenKey, "claim a - work b - check key c - [effect] d - [key] e - ack f"),
            (AckOrder::After, Dedup::KeyThenEffect, "claim a - work b - check key c - [key] d - [effect] e - ack f"),
            (AckOrder::After, Dedup::Transactional, "claim a - work b - [check key c - effect d - key e] f - ack g"),
            (
                AckOrder::After,
                Dedup::Window(9),
                "claim a - work b - [check memory c - effect d - remember e] f - ack g",
            ),
            (
                AckOrder::After,
                Dedup::PerWorker,
                "claim a - work b - [check memory c - effect d] e - remember f - ack g",
            ),
        ] {
            assert_eq!(shown(ack, dedup), program);
        }
    }

    #[test]
    fn a_letter_names_one_point_and_only_points_of_the_program_have_one() {
        let program = Program::of(AckOrder::After, Dedup::Transactional);
        for point in program.points() {
            let letter = program.letter(point).expect("a point of the program");
            assert_eq!(program.point(letter), Some(point));
        }
        assert_eq!(Program::of(AckOrder::After, Dedup::None).letter(Point::Check), None);
    }
}
