//! Keys that become actions, and keys that ask first.

use super::{App, Effect, Layer, Moment};
use crate::action::{Action, Link, Who};
use crate::board::WorkerView;
use crate::event::Fault;
use crate::ids::Worker;
use crate::policy::{AckOrder, Setting};
use crate::setup::Poison;
use crate::tui::keys::Command as KeyCommand;
use crate::tui::overlay::ask::Question;
use crate::tui::overlay::{Ask, choices};

/// The speeds that `+` and `-` go through.
const SPEEDS: [f64; 10] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 20.0, 50.0, 100.0];

impl App {
    /// What a key does that acts or asks; `None` if it does neither.
    pub(super) fn act_command(&mut self, command: KeyCommand, moment: Moment<'_>) -> Option<Vec<Effect>> {
        if let Some(layer) = self.asking(command, moment) {
            self.layer = layer;
            return Some(Vec::new());
        }
        let action = self.fault(command, moment).or_else(|| self.deed(command, moment))?;
        Some(self.act(action))
    }

    /// Hands an action on, and remembers a fault for `f`.
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        if is_fault(&action) {
            self.last_fault = Some(action.clone());
        }
        vec![Effect::Act(action)]
    }

    fn who(&self) -> Who {
        Who::Worker(Worker::at(self.worker))
    }

    /// A small letter's fault; the same letter heals it.
    fn fault(&self, command: KeyCommand, moment: Moment<'_>) -> Option<Action> {
        let who = self.who();
        let (fault, action) = match command {
            KeyCommand::Kill => return Some(Action::Kill(who, None)),
            KeyCommand::Stall => (Fault::Stall, Action::Stall(who, None)),
            KeyCommand::Sleep => (Fault::Pause, Action::Pause(who, None)),
            KeyCommand::CutQueue => (Fault::CutQueue, Action::Cut(who, Link::Queue, None)),
            KeyCommand::CutSink => (Fault::CutSink, Action::Cut(who, Link::Sink, None)),
            _ => return None,
        };
        let view = self.view(moment);
        let in_force = view.is_some_and(|view| view.faults.iter().any(|(what, _)| *what == fault));
        Some(if in_force { Action::Heal(who, Some(fault)) } else { action })
    }

    /// The selected worker.
    pub(super) fn view(&self, moment: Moment<'_>) -> Option<WorkerView> {
        moment.board.workers(moment.now).into_iter().nth(self.worker)
    }

    /// What other keys do to the run.
    fn deed(&mut self, command: KeyCommand, moment: Moment<'_>) -> Option<Action> {
        let board = moment.board;
        Some(match command {
            KeyCommand::Restart => Action::Restart(self.who()),
            KeyCommand::FaultAgain => return self.fault_again(),
            KeyCommand::Heal => Action::Heal(self.who(), None),
            KeyCommand::HealAll => Action::Heal(Who::All, None),
            KeyCommand::Ack => Action::Set(Setting::Ack(match board.policy().ack {
                AckOrder::Before => AckOrder::After,
                AckOrder::After => AckOrder::Before,
            })),
            KeyCommand::Enqueue => Action::Enqueue(1),
            KeyCommand::PoisonFail => Action::Poison(Poison::Fail),
            KeyCommand::PoisonCrash => Action::Poison(Poison::Crash),
            KeyCommand::StopGo if moment.showing.stopped => Action::Go,
            KeyCommand::StopGo => Action::Stop,
            KeyCommand::Step if moment.showing.stopped => Action::Step,
            KeyCommand::Step => Action::Stop,
            KeyCommand::Faster => return self.speed(moment.showing.speed, true),
            KeyCommand::Slower => return self.speed(moment.showing.speed, false),
            KeyCommand::Jump => Action::Jump,
            KeyCommand::Mark => {
                self.marks += 1;
                Action::Mark(format!("mark {}", self.marks))
            }
            _ => return None,
        })
    }

    /// The last fault on the selected worker.
    fn fault_again(&mut self) -> Option<Action> {
        let again = self.last_fault.clone().map(|fault| fault.aimed_at(self.who()));
        if again.is_none() {
            self.message = Some("no fault to repeat yet; x kills, F lists all".to_owned());
        }
        again
    }

    fn speed(&mut self, now: f64, faster: bool) -> Option<Action> {
        let next = if faster {
            SPEEDS.iter().find(|speed| **speed > now + 1e-9)
        } else {
            SPEEDS.iter().rfind(|speed| **speed < now - 1e-9)
        };
        if next.is_none() {
            self.message = Some(format!("the speed is x{now} already"));
        }
        next.map(|speed| Action::Speed(*speed))
    }

    /// What a key opens that asks first. The inner option is empty when there is nothing to ask about.
    fn asking(&mut self, command: KeyCommand, moment: Moment<'_>) -> Option<Option<Layer>> {
        let policy = moment.board.policy();
        let worker = Worker::at(self.worker);
        let chooser = match command {
            KeyCommand::KillAt => Some(choices::kill_at(policy, worker, self.look.truth)),
            KeyCommand::FaultMenu => choices::faults_of(moment.board, moment.now, self.worker),
            KeyCommand::Dedup => Some(choices::dedup(policy)),
            KeyCommand::Change => Some(choices::change(policy)),
            KeyCommand::Redrive => {
                let letters = moment.board.dead_letters();
                let chooser = choices::redrive(&letters, self.selected_letter(moment));
                if chooser.is_none() {
                    self.message = Some("nothing to redrive: the DLQ is empty".to_owned());
                }
                chooser
            }
            KeyCommand::EnqueueMany => return Some(Some(Layer::Ask(Ask::new(Question::Enqueue, "")))),
            KeyCommand::GoTo => return Some(Some(Layer::Ask(Ask::new(Question::GoTo, "")))),
            _ => return None,
        };
        Some(chooser.map(Layer::Chooser))
    }
}

/// True for what `f` repeats.
pub fn is_fault(action: &Action) -> bool {
    matches!(
        action,
        Action::Kill(..)
            | Action::Stall(..)
            | Action::Pause(..)
            | Action::Hang(..)
            | Action::Cut(..)
            | Action::Slow(..)
            | Action::Lose(..)
    )
}
