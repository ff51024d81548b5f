//! One take of a rehearsal: fresh machines, with everything that the script says done at its turn.

use std::sync::Arc;

use super::scene::Stage;
use super::script::{Cue, Place, Script};
use super::{Keep, Piece};
use crate::action::Action;
use crate::board::Tape;
use crate::driver::simulation::{Ground, Machine, Said};
use crate::event::{By, Event, Finish};
use crate::request::SinkError;
use crate::setup::Setup;
use crate::time::Instant;

/// Turns of one machine between two looks at what else is asked for.
const TURNS_AT_ONCE: usize = 2_048;

/// Moments at which nothing is told that are gone through in search of the next event. A sleeper's heart has such moments
/// without end.
const QUIET_MOMENTS: usize = 16;

/// What a search for the next event came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Something happened.
    Event,
    /// Time went on, and nothing happened.
    Quiet,
    /// Nothing is due on any side.
    Nothing,
}

/// Lays the ground of every side.
pub(super) fn grounds(piece: &Piece) -> Result<Vec<Ground>, SinkError> {
    let ground = |setup: &Setup| {
        let (sink, run) = (piece.open)(setup)?;
        Ground::lay(setup.clone(), run, &*sink, piece.mode)
    };
    piece.setups.iter().map(ground).collect()
}

/// The machines of a take, and what has come of them.
pub(super) struct Take<'a> {
    machines: Vec<Machine<'a>>,
    /// How many events of each have gone to its tape.
    told: Vec<usize>,
    stage: Arc<Stage>,
    /// What the plans have said since this was last asked.
    said: Said,
    keep: Option<&'a mut Box<dyn Keep>>,
}

impl<'a> Take<'a> {
    pub(super) fn new(grounds: &'a mut [Ground], piece: &'a mut Piece, stage: Arc<Stage>) -> Take<'a> {
        let told = vec![0; grounds.len()];
        let machine = |(side, ground): (usize, &'a mut Ground)| ground.machine((piece.plan)(side));
        let machines = grounds.iter_mut().enumerate().map(machine).collect();
        Take { machines, told, stage, said: Said::Nothing, keep: piece.keep.as_mut() }
    }

    /// What the plans have said since this was last asked.
    pub(super) fn take_said(&mut self) -> Said {
        std::mem::take(&mut self.said)
    }

    /// Does again what the script says, until each side has told what is shown of it. What the tapes hold of that is
    /// compared, and what was not shown is put behind it.
    pub(super) fn play_again(&mut self, script: &Script) {
        for side in 0..self.machines.len() {
            let shown = self.stage.tape(side).shown();
            let events = self.play_side(side, script, shown);
            let differs = self.stage.change(|scene| put_behind(&mut scene.tapes[side], &events));
            self.told[side] = events.len();
            if let (0, Some(keep)) = (side, &mut self.keep) {
                keep.cut(shown);
                keep.take(events.get(shown..).unwrap_or_default());
            }
            if let Some(number) = differs {
                self.machines[side].violated(&format!("virtual time did not repeat itself: event {number} differs"));
            }
        }
    }

    fn play_side(&mut self, side: usize, script: &Script, shown: usize) -> Vec<Event> {
        let machine = &mut self.machines[side];
        let mut events = machine.take();
        for cue in &script.cues {
            while machine.turns() < cue.places[side].turns {
                machine.turn();
            }
            machine.pass_to(cue.at);
            machine.act(&cue.action, cue.by);
            events.append(&mut machine.take());
        }
        while events.len() < shown && !machine.over() && machine.next_moment() < Instant::NEVER {
            machine.turn();
            events.append(&mut machine.take());
        }
        events
    }

    /// The next moment at which anything happens on any side.
    pub(super) fn next_moment(&self) -> Instant {
        let going = self.machines.iter().filter(|machine| !machine.over());
        going.map(Machine::next_moment).min().unwrap_or(Instant::NEVER)
    }

    /// How far lab time has come on the side that is farthest.
    pub(super) fn now(&self) -> Instant {
        self.machines.iter().map(Machine::now).max().unwrap_or_default()
    }

    /// True when every run has nothing left but to be closed.
    pub(super) fn over(&self) -> bool {
        self.machines.iter().all(Machine::over)
    }

    /// Goes on to `target`, or a good part of the way there, or to where a plan asks for a pause. True when there is
    /// nothing more to do by then.
    pub(super) fn go_on(&mut self, target: Instant) -> bool {
        let due = |machine: &Machine<'_>| !machine.over() && machine.next_moment() <= target;
        for machine in &mut self.machines {
            for _ in 0..TURNS_AT_ONCE {
                if !due(machine) {
                    break;
                }
                machine.turn();
                self.said = self.said.max(machine.take_said());
                if self.said == Said::Pause {
                    return true;
                }
            }
        }
        !self.machines.iter().any(due)
    }

    /// Goes on to where the first side's plan says or asks something, or to the end.
    pub(super) fn go_to_next_step(&mut self) -> bool {
        while !self.machines[0].over() && self.machines[0].next_moment() < Instant::NEVER {
            self.machines[0].turn();
            if self.machines[0].take_said() > Said::Nothing {
                return true;
            }
        }
        false
    }

    /// Several sides all go on to `at`, so that what is done next is done to each at the same moment. One side may lag
    /// behind the clock, and is acted on where it is.
    pub(super) fn align(&mut self, at: Instant) {
        while self.machines.len() > 1 && !self.go_on(at) {}
    }

    /// Goes on to the next event: one machine as far as the turn that tells it, several as far as the end of its moment.
    pub(super) fn go_to_next_event(&mut self) -> Next {
        let mut quiet = 0;
        while self.machines.iter().all(|machine| machine.fresh() == 0) {
            let next = self.next_moment();
            if next == Instant::NEVER {
                return Next::Nothing;
            }
            if next > self.now() {
                quiet += 1;
            }
            if quiet > QUIET_MOMENTS {
                return Next::Quiet;
            }
            match self.machines.as_mut_slice() {
                [one] => one.turn(),
                _ => while !self.go_on(next) {},
            }
        }
        Next::Event
    }

    /// Does something to every side at `at`, and returns it as a cue.
    pub(super) fn act(&mut self, at: Instant, action: Action, by: By) -> Cue {
        let places = self.machines.iter().zip(&self.told);
        let places = places.map(|(machine, told)| Place { turns: machine.turns(), events: told + machine.fresh() });
        let cue = Cue { places: places.collect(), at, action, by };
        for machine in &mut self.machines {
            machine.pass_to(at);
            machine.act(&cue.action, by);
        }
        cue
    }

    /// Puts what has happened on the tapes. True if anything has.
    pub(super) fn publish(&mut self, follow: bool) -> bool {
        let fresh: Vec<Vec<Event>> = self.machines.iter_mut().map(Machine::take).collect();
        if fresh.iter().all(Vec::is_empty) {
            return false;
        }
        if let (Some(keep), Some(events)) = (&mut self.keep, fresh.first()) {
            keep.take(events);
        }
        let next = self.next_moment();
        let mut broken = Vec::new();
        self.stage.change(|scene| {
            for ((tape, events), told) in scene.tapes.iter_mut().zip(fresh).zip(&mut self.told) {
                *told += events.len();
                tape.push(events);
            }
            if follow {
                scene.follow();
            }
            scene.pace.next = next;
            broken.extend(scene.tapes.iter().map(|tape| tape.board().violations().first().cloned()));
        });
        for (machine, broken) in self.machines.iter_mut().zip(broken) {
            if let Some(text) = broken.filter(|_| !machine.over()) {
                machine.violated(&text);
            }
        }
        true
    }

    /// Ends every run here and now.
    pub(super) fn quit(&mut self) {
        self.machines.iter_mut().for_each(|machine| machine.quit(Finish::Quit));
        for machine in &mut self.machines {
            while !machine.over() {
                machine.turn();
            }
        }
    }

    /// Closes every run: its last events tell how it ended.
    pub(super) fn close(&mut self) {
        for machine in &mut self.machines {
            machine.close();
        }
    }
}

/// Puts what was told again behind what is shown, in place of what was there. Says which event differs from what is
/// kept, if one does.
fn put_behind(tape: &mut Tape, events: &[Event]) -> Option<usize> {
    tape.cut();
    let shown = tape.shown();
    let kept = tape.least()..shown.min(events.len());
    let differs = kept.into_iter().find(|n| tape.event(*n) != events.get(*n));
    tape.push(events.iter().skip(shown).cloned());
    differs.or((events.len() < shown).then_some(events.len()))
}
