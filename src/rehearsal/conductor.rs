//! The thread of a rehearsal: it lets the machines go on as the wall clock does, and carries out what is asked for.
#![allow(clippy::disallowed_methods, reason = "the thread of a rehearsal is started here")]

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender};

use super::Open;
use super::scene::Stage;
use super::script::Script;
use super::take::{Next, Take, grounds};
use crate::action::Action;
use crate::event::By;
use crate::request::SinkError;
use crate::setup::Setup;
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
    /// The end.
    Quit,
}

/// How a take ended.
enum After {
    /// The runs are over.
    Over,
    /// An earlier moment is to be gone on from, and then this is to be done.
    Again(Order),
}

/// Starts the thread; `ready` hears when the first take has begun.
pub(super) fn start(
    setups: Vec<Setup>,
    open: Open,
    stage: Arc<Stage>,
    inbox: Receiver<Order>,
    ready: Sender<Result<(), SinkError>>,
) -> Result<(), SinkError> {
    let work = move || {
        let conductor = Conductor { setups, open, stage, inbox, script: Script::default(), taken_back: false };
        conductor.conduct(&ready);
    };
    let started = thread::Builder::new().name("rehearsal".into()).spawn(work);
    started.map(drop).map_err(|error| SinkError(error.to_string()))
}

struct Conductor {
    setups: Vec<Setup>,
    open: Open,
    stage: Arc<Stage>,
    inbox: Receiver<Order>,
    script: Script,
    /// True while what is done is the first thing in a take that goes on from an earlier moment.
    taken_back: bool,
}

impl Conductor {
    /// One take after the other, until the runs are over.
    fn conduct(mut self, ready: &Sender<Result<(), SinkError>>) {
        let mut pending = None;
        loop {
            let grounds = grounds(&self.setups, &self.open);
            let mut grounds = match grounds {
                Ok(grounds) => grounds,
                Err(error) => {
                    let _nobody_asks_after_the_first = ready.try_send(Err(error));
                    return self.stage.end();
                }
            };
            let mut take = Take::new(&mut grounds, self.stage.clone());
            take.play_again(&self.script);
            let _nobody_asks_after_the_first = ready.try_send(Ok(()));
            match self.lead(&mut take, pending.take()) {
                After::Over => return self.stage.end(),
                After::Again(order) => {
                    take.quit();
                    take.close();
                    self.script.cut(&self.stage.scene().shown());
                    pending = Some(order);
                }
            }
        }
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
                return After::Over;
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
            Order::Quit => take.quit(),
        }
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

    /// On to the next moment at which anything is due.
    fn jump(&self, take: &mut Take<'_>) -> String {
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
        Order::Back(_) | Order::Quit => false,
    }
}
