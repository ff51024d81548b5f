//! The thread of a rehearsal: it lets the machines go on as the wall clock does, and carries out what is asked for.
#![allow(clippy::disallowed_methods, reason = "the thread of a rehearsal is started here")]

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender};

use super::Piece;
use super::scene::Stage;
use super::script::Script;
use super::take::{Next, Take, grounds};
use crate::action::Action;
use crate::driver::simulation::Said;
use crate::event::By;
use crate::request::SinkError;
use crate::time::Instant;

/// Who is told, in words, what came of it.
pub(super) type Answer = Sender<Option<String>>;

/// What is asked for.
pub(super) enum Order {
    /// Something is done to the runs.
    Act(Action, By),
    /// Something is done to the pace at which they are shown.
    Pace(Action, Answer),
    /// The last event is taken back.
    Back(Answer),
    /// On to the next step of the plan.
    OnToStep(Answer),
    /// Back to the step before.
    BackToStep(Answer),
    /// The end.
    Quit,
}

/// What is said of a run that is over.
pub(super) const OVER: &str = "the run is over";

/// How a take ended.
enum After {
    /// The runs are over, and somebody has ended them.
    Quit,
    /// The runs are over by themselves.
    Over,
    /// An earlier moment is to be gone on from, and then this is to be done.
    Again(Order),
}

/// Starts the thread; `ready` hears when the first take has begun.
pub(super) fn start(
    piece: Piece,
    stage: Arc<Stage>,
    inbox: Receiver<Order>,
    ready: Sender<Result<(), SinkError>>,
) -> Result<(), SinkError> {
    let work = move || {
        let conductor = Conductor { stage, inbox, script: Script::default(), taken_back: false, left: false };
        conductor.conduct(piece, &ready);
    };
    let started = thread::Builder::new().name("rehearsal".into()).spawn(work);
    started.map(drop).map_err(|error| SinkError(error.to_string()))
}

struct Conductor {
    stage: Arc<Stage>,
    inbox: Receiver<Order>,
    script: Script,
    /// True while what is done is the first thing in a take that goes on from an earlier moment.
    taken_back: bool,
    /// True once somebody has ended the runs.
    left: bool,
}

impl Conductor {
    /// One take after the other, until somebody ends the runs, or they have ended by themselves and nobody can take them
    /// back any more.
    fn conduct(mut self, mut piece: Piece, ready: &Sender<Result<(), SinkError>>) {
        let mut pending = None;
        loop {
            let grounds = grounds(&piece);
            let mut grounds = match grounds {
                Ok(grounds) => grounds,
                Err(error) => {
                    let _nobody_asks_after_the_first = ready.try_send(Err(error));
                    return self.stage.end(true);
                }
            };
            let mut take = Take::new(&mut grounds, &mut piece, self.stage.clone());
            take.play_again(&self.script);
            let _nobody_asks_after_the_first = ready.try_send(Ok(()));
            let again = match self.lead(&mut take, pending.take()) {
                After::Again(order) => {
                    take.quit();
                    take.close();
                    Some(order)
                }
                After::Over => {
                    self.stage.end(true);
                    self.look_back()
                }
                After::Quit => None,
            };
            let Some(order) = again else { return self.stage.end(true) };
            self.stage.end(false);
            self.script.cut(&self.stage.scene().shown());
            pending = Some(order);
        }
    }

    /// The runs are over by themselves: what there is can be looked at. Returns what is to be done at an earlier moment,
    /// if anything is.
    fn look_back(&mut self) -> Option<Order> {
        while let Ok(order) = self.inbox.recv() {
            let at_end = self.stage.scene().at_end();
            let (answer, words) = match order {
                Order::Quit => {
                    // What is left behind is the whole run, whatever was looked at.
                    self.stage.change(|scene| scene.follow());
                    return None;
                }
                order if starts_over(&order) && !at_end => return Some(order),
                Order::Act(..) => continue,
                Order::Back(answer) => (answer, Some(self.back())),
                Order::BackToStep(answer) => (answer, self.back_to_step()),
                Order::OnToStep(answer) => (answer, self.show_next_step()),
                Order::Pace(Action::Step, answer) if !at_end => {
                    self.stage.change(|scene| scene.show_next());
                    (answer, None)
                }
                Order::Pace(_, answer) => (answer, Some(OVER.to_owned())),
            };
            let _nobody_waits_any_more = answer.send(words);
        }
        None
    }

    /// Leads a take to its end, or to where another one has to begin. `pending` is done first, at what is shown.
    fn lead(&mut self, take: &mut Take<'_>, pending: Option<Order>) -> After {
        self.taken_back = pending.is_some();
        if let Some(order) = pending {
            self.stage.change(|scene| scene.follow());
            take.publish(true);
            self.carry_out(take, order);
            self.taken_back = false;
        }
        loop {
            while let Ok(order) = self.inbox.try_recv() {
                if matches!(order, Order::Quit) {
                    self.left = true;
                    take.quit();
                } else if starts_over(&order) && !self.stage.scene().at_end() {
                    return After::Again(order);
                } else {
                    self.carry_out(take, order);
                }
            }
            let reached = self.keep_pace(take);
            if take.over() {
                take.close();
                take.publish(true);
                self.stage.change(|scene| scene.follow());
                return if self.left { After::Quit } else { After::Over };
            }
            if reached {
                self.wait(take.next_moment());
            }
        }
    }

    /// Goes on as far as time has. True when there is nothing more to do by now.
    fn keep_pace(&self, take: &mut Take<'_>) -> bool {
        let target = self.stage.pace().due();
        let reached = target.is_none_or(|target| take.go_on(target));
        if !take.publish(target.is_some()) {
            self.stage.pace().next = take.next_moment();
        }
        if take.take_said() == Said::Pause && target.is_some() {
            self.stage.change(|scene| scene.pace.stop_at(take.now()));
        }
        reached
    }

    /// Waits for the next moment to come, or for an order.
    fn wait(&self, next: Instant) {
        let until = self.stage.pace().until(next);
        let mut selected = crossbeam_channel::Select::new();
        selected.recv(&self.inbox);
        match until {
            Some(real) => drop(selected.ready_timeout(real)),
            None => drop(selected.ready()),
        }
    }

    fn carry_out(&mut self, take: &mut Take<'_>, order: Order) {
        match order {
            Order::Act(action, by) => self.act(take, action, by),
            Order::Pace(action, answer) => {
                let words = self.pace(take, &action);
                let _nobody_waits_any_more = answer.send(words);
            }
            Order::Back(answer) => {
                let _nobody_waits_any_more = answer.send(Some(self.back()));
            }
            Order::OnToStep(answer) => {
                let words = self.on_to_step(take);
                let _nobody_waits_any_more = answer.send(words);
            }
            Order::BackToStep(answer) => {
                let _nobody_waits_any_more = answer.send(self.back_to_step());
            }
            Order::Quit => take.quit(),
        }
    }

    /// On to the next step of the plan: what is on the tapes already is shown, else the runs go on as far as that.
    fn on_to_step(&self, take: &mut Take<'_>) -> Option<String> {
        if self.stage.change(|scene| scene.show_next_step()) {
            return None;
        }
        self.stage.change(|scene| scene.follow());
        take.go_to_next_step();
        let at = take.now();
        take.align(at);
        take.take_said();
        take.publish(true);
        self.stage.change(|scene| scene.pace.stop_at(at));
        None
    }

    /// The next step of what is on the tapes, or their end.
    fn show_next_step(&self) -> Option<String> {
        let shown = self.stage.change(|scene| {
            let at_end = scene.at_end();
            let next = scene.show_next_step();
            scene.show_all_unless(next);
            next || !at_end
        });
        (!shown).then(|| OVER.to_owned())
    }

    fn back_to_step(&self) -> Option<String> {
        let shown = self.stage.change(|scene| scene.show_previous_step());
        (!shown).then(|| "this is the first step".to_owned())
    }

    /// Acts at the moment that is shown, or at the one that the machines have come to if they cannot keep pace.
    fn act(&mut self, take: &mut Take<'_>, action: Action, by: By) {
        let shown = self.stage.pace().now();
        take.align(shown);
        let at = if take.next_moment() > shown { shown.max(take.now()) } else { take.now() };
        self.script.cues.push(take.act(at, action, by));
        take.publish(true);
    }

    fn pace(&mut self, take: &mut Take<'_>, action: &Action) -> Option<String> {
        let stopped = self.stage.pace().stopped();
        match action {
            Action::Stop if stopped => Some("time stands already".into()),
            Action::Go if !stopped => Some("time goes already".into()),
            Action::Stop => Some(self.stop()),
            Action::Go => {
                let from = self.stage.change(|scene| {
                    scene.pace.go();
                    scene.pace.now()
                });
                Some(match std::mem::take(&mut self.taken_back) {
                    true => format!("time goes on from {:.3} s; what came later is undone", from.seconds()),
                    false => "time goes".into(),
                })
            }
            Action::Speed(x) => {
                self.stage.change(|scene| scene.pace.set_speed(*x));
                Some(format!("time goes x{x}"))
            }
            Action::Step if !stopped => Some(self.stop()),
            Action::Step => self.on(take),
            _ => Some(self.jump(take)),
        }
    }

    fn stop(&self) -> String {
        self.stage.change(|scene| scene.pace.stop());
        "time stands; . is one event on, , is one event back".into()
    }

    /// One event on.
    fn on(&self, take: &mut Take<'_>) -> Option<String> {
        if self.stage.scene().at_end() {
            match take.go_to_next_event() {
                Next::Nothing => return Some("nothing is due".into()),
                Next::Quiet => {
                    let now = take.now();
                    self.stage.change(|scene| scene.pace.jump(now));
                    return Some(format!("nothing happens until {:.3} s", now.seconds()));
                }
                Next::Event => drop(take.publish(false)),
            }
        }
        self.stage.change(|scene| scene.show_next());
        None
    }

    /// One event back.
    fn back(&self) -> String {
        self.stage.change(|scene| {
            if !scene.pace.stopped() {
                scene.pace.stop();
            }
            match scene.show_previous() {
                true => format!("one event back, at {:.3} s", scene.pace.now().seconds()),
                false => "this is as far back as it goes".into(),
            }
        })
    }

    /// On to the next moment at which anything is due. What is still due at the moment that is shown is done first, so a
    /// jump is always one ahead.
    fn jump(&self, take: &mut Take<'_>) -> String {
        let shown = self.stage.pace().now();
        while !take.go_on(shown) {}
        let next = take.next_moment();
        if next == Instant::NEVER {
            return "nothing is due".into();
        }
        while !take.go_on(next) {}
        take.publish(true);
        let by = self.stage.change(|scene| {
            let by = next.since(scene.pace.now());
            scene.pace.jump(next);
            by
        });
        format!("{:.2} s on", by.as_seconds())
    }
}

/// True for what cannot be done at an earlier moment without forgetting what came after.
fn starts_over(order: &Order) -> bool {
    match order {
        Order::Act(..) => true,
        Order::Pace(action, _) => matches!(action, Action::Go | Action::Jump),
        Order::Back(_) | Order::OnToStep(_) | Order::BackToStep(_) | Order::Quit => false,
    }
}
