//! What the operator can do to a running lab, and what is said about it.
//!
//! An action is judged first, told as one event with what comes of it in words, and then carried out, so that the log
//! has the cause before its consequences.

use super::hub::Losses;
use super::keeper::{Keeper, learn};
use super::slot::{Life, Slot, SlotState, Stance};
use crate::action::{Action, Letters, Message, Who};
use crate::engine::draw::{Purpose, bits};
use crate::event::{By, Fault, What};
use crate::ids::Job;
use crate::policy::{Point, Setting, SettingName};
use crate::setup::{MAX_JOBS, Poison, Rate};
use crate::time::{Instant, Span};

/// What comes of an action: words for the person, or why nothing does.
type Judged<T> = Result<(T, String), String>;

impl Keeper<'_> {
    /// Judges, tells and carries out one action.
    pub fn act(&mut self, action: &Action, by: By) {
        self.actions += 1;
        match action {
            Action::Kill(who, None) => self.kill(action, by, *who),
            Action::Kill(who, Some(point)) => self.arm(action, by, *who, *point),
            Action::Disarm(who) => self.disarm(action, by, *who),
            Action::Stall(who, span) => self.begin(action, by, *who, Fault::Stall, 1.0, *span),
            Action::Pause(who, span) => self.begin(action, by, *who, Fault::Pause, 1.0, *span),
            Action::Hang(who, span) => self.begin(action, by, *who, Fault::Hang, 1.0, *span),
            Action::Cut(who, link, span) => self.begin(action, by, *who, link.fault(), 1.0, *span),
            Action::Slow(who, factor, span) => self.begin(action, by, *who, Fault::Slow, *factor, *span),
            Action::Lose(message, rate) => self.lose(action, by, *message, *rate),
            Action::Heal(who, fault) => self.heal(action, by, *who, *fault),
            Action::Restart(who) => self.restart(action, by, *who),
            Action::Enqueue(n) => self.enqueue(action, by, *n, None),
            Action::Poison(how) => self.enqueue(action, by, 1, Some(*how)),
            Action::Redrive(letters) => self.redrive(action, by, *letters),
            Action::Set(setting) => self.set(action, by, *setting),
            Action::Stop | Action::Go => self.stop_or_go(action, by),
            Action::Step => self.step(action, by),
            Action::Speed(x) => self.speed(action, by, *x),
            Action::Jump => self.jump_on(action, by),
            Action::Mark(text) => self.mark(action, by, text),
            Action::Answer(step, text) => self.answer(action, by, *step, text),
        }
    }

    fn told(&self, action: &Action, by: By, came: String, refused: bool) {
        let text = action.to_string().into();
        self.shared.log.append(What::Action { text, by, came: came.into(), refused });
    }

    /// Tells what comes of the action, and hands out what it needs if anything does.
    fn tell_judged<T>(&self, action: &Action, by: By, judged: Judged<T>) -> Option<T> {
        match judged {
            Ok((needs, came)) => {
                self.told(action, by, came, false);
                Some(needs)
            }
            Err(why) => {
                self.told(action, by, why, true);
                None
            }
        }
    }

    /// The slots that an action concerns, of those that `fit`; `unfit` says why a single one does not.
    fn choose(
        &self,
        who: Who,
        fit: impl Fn(&SlotState) -> bool,
        unfit: impl Fn(&Slot) -> String,
        none: &str,
    ) -> Result<Vec<&Slot>, String> {
        let slots = &self.shared.slots;
        let fitting: Vec<&Slot> = slots.iter().filter(|slot| fit(&slot.lock())).collect();
        match who {
            Who::Worker(worker) => {
                let slot = slots.get(worker.index()).ok_or_else(|| format!("there is no {worker}"))?;
                if fit(&slot.lock()) { Ok(vec![slot]) } else { Err(unfit(slot)) }
            }
            _ if fitting.is_empty() => Err(none.to_owned()),
            Who::All => Ok(fitting),
            Who::Random => {
                let seed = self.shared.setup.seed;
                let drawn = bits(seed, u64::from(self.actions), 0, Purpose::KillRandom, 0);
                Ok(vec![fitting[(drawn % fitting.len() as u64) as usize]])
            }
        }
    }

    fn living(&self, who: Who) -> Result<Vec<&Slot>, String> {
        let dead = |slot: &Slot| format!("{} is dead already; r restarts it", slot.worker);
        self.choose(who, |state| state.life == Life::Alive, dead, "every worker is dead; r restarts one")
    }

    fn kill(&self, action: &Action, by: By, who: Who) {
        let judged = self.living(who).map(|slots| {
            let came = format!("{} killed", names(&slots));
            (slots, came)
        });
        for slot in self.tell_judged(action, by, judged).unwrap_or_default() {
            slot.change(|state| state.kill = Some(by));
        }
    }

    fn arm(&self, action: &Action, by: By, who: Who, point: Point) {
        let program = self.shared.hub().queue.policy().program();
        let judged = self.living(who).and_then(|slots| {
            let letter = program.letter(point).ok_or_else(|| {
                let points: Vec<&str> = program.points().iter().map(|point| point.name()).collect();
                format!("this program has no point {point}; it has {}", points.join(", "))
            })?;
            let came = format!("{} will die after {point} ({letter})", named(&slots));
            Ok((slots, came))
        });
        for slot in self.tell_judged(action, by, judged).unwrap_or_default() {
            slot.change(|state| {
                state.faults.armed = Some((point, by));
                self.shared.log.append(What::Armed { w: slot.worker, point });
            });
        }
    }

    fn disarm(&self, action: &Action, by: By, who: Who) {
        let unarmed = |slot: &Slot| format!("{} is not armed", slot.worker);
        let judged = self.choose(who, |state| state.faults.armed.is_some(), unarmed, "no worker is armed");
        let judged = judged.map(|slots| {
            let came = format!("{} disarmed", names(&slots));
            (slots, came)
        });
        for slot in self.tell_judged(action, by, judged).unwrap_or_default() {
            slot.change(|state| {
                if let Some((point, _)) = state.faults.armed.take() {
                    self.shared.log.append(What::Disarmed { w: slot.worker, point });
                }
            });
        }
    }

    fn begin(&self, action: &Action, by: By, who: Who, fault: Fault, factor: f64, span: Option<Span>) {
        let judged = self.living(who).map(|slots| {
            let came = format!("{} {}{}", named(&slots), befallen(fault, factor), lasting(span));
            (slots, came)
        });
        for slot in self.tell_judged(action, by, judged).unwrap_or_default() {
            slot.change(|state| {
                let mut entry = self.shared.log.enter();
                let until = span.map(|span| entry.now() + span);
                state.faults.begin(fault, factor, until);
                state.repace(entry.now());
                entry.append(What::Fault { w: Some(slot.worker), what: fault, factor, until });
            });
        }
    }

    fn heal(&self, action: &Action, by: By, who: Who, fault: Option<Fault>) {
        let sick = |state: &SlotState| match fault {
            Some(fault) => state.faults.has(fault),
            None => !state.faults.all().is_empty(),
        };
        let well = |slot: &Slot| match fault {
            Some(fault) => format!("{} has no {fault} to heal", slot.worker),
            None => format!("nothing to heal on {}", slot.worker),
        };
        let losses = if who == Who::All { self.losses_in_force(fault) } else { Vec::new() };
        let judged = match self.choose(who, sick, well, "nothing to heal") {
            Ok(slots) => {
                let came = format!("{} healed", names(&slots));
                Ok((slots, came))
            }
            Err(_) if !losses.is_empty() => Ok((Vec::new(), "no more messages are lost".to_owned())),
            Err(why) => Err(why),
        };
        let Some(slots) = self.tell_judged(action, by, judged) else { return };
        losses.into_iter().for_each(|message| self.set_loss(message, Rate::ZERO));
        let on_lost_lease = self.shared.hub().queue.policy().on_lost_lease;
        for slot in slots {
            let mut state = slot.lock();
            let over = fault.map_or_else(|| state.faults.all(), |fault| vec![fault]);
            for what in over {
                if state.faults.heal(what) {
                    self.shared.log.append(What::Healed { w: Some(slot.worker), what });
                }
            }
            state.repace(self.shared.clock.now());
            learn(&mut state, on_lost_lease, self.shared.clock.now());
            self.shared.set_stance(&mut state, Stance::Busy);
            slot.wake_up(&state);
        }
    }

    fn losses_in_force(&self, fault: Option<Fault>) -> Vec<Message> {
        let losses = self.shared.losses();
        let in_force = |message: &Message| match message {
            Message::Beats => losses.beats > 0.0,
            Message::Acks => losses.acks > 0.0,
            Message::Replies => losses.replies > 0.0,
        };
        let named = |message: &Message| fault.is_none_or(|fault| message.fault() == fault);
        Message::ALL.iter().copied().filter(in_force).filter(named).collect()
    }

    fn lose(&self, action: &Action, by: By, message: Message, rate: Rate) {
        let came = match rate.value() {
            0.0 => format!("no {message} are lost from now on"),
            p => format!("{} of the {message} are lost from now on", percent(p)),
        };
        self.told(action, by, came, false);
        self.set_loss(message, rate);
    }

    fn set_loss(&self, message: Message, rate: Rate) {
        let p = rate.value();
        let mut losses = self.shared.losses.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        *losses = match message {
            Message::Beats => Losses { beats: p, ..*losses },
            Message::Acks => Losses { acks: p, ..*losses },
            Message::Replies => Losses { replies: p, ..*losses },
        };
        drop(losses);
        let what = message.fault();
        self.shared.log.append(if p == 0.0 {
            What::Healed { w: None, what }
        } else {
            What::Fault { w: None, what, factor: p, until: None }
        });
    }

    fn restart(&self, action: &Action, by: By, who: Who) {
        let alive = |slot: &Slot| format!("{} is alive; x kills it", slot.worker);
        let judged = self.choose(who, |state| state.life != Life::Alive, alive, "every worker is alive");
        let judged = judged.map(|slots| {
            let came = format!("{} back, memory empty", names(&slots));
            (slots, came)
        });
        for slot in self.tell_judged(action, by, judged).unwrap_or_default() {
            let mut state = slot.lock();
            if state.life != Life::Alive {
                self.respawn(&mut state, slot.worker);
                self.shared.set_stance(&mut state, Stance::Busy);
                slot.wake_up(&state);
            }
        }
    }

    fn enqueue(&self, action: &Action, by: By, n: u32, poison: Option<Poison>) {
        let next = self.shared.hub().queue.tally().enqueued();
        if next + u64::from(n) > u64::from(MAX_JOBS) {
            return self.told(action, by, format!("a run has at most {MAX_JOBS} jobs"), true);
        }
        let came = match (n, poison) {
            (_, Some(Poison::Fail)) => format!("job {next} will fail each time"),
            (_, Some(Poison::Crash)) => format!("job {next} will kill its worker each time"),
            (_, Some(Poison::Panic)) => format!("the handler of job {next} will panic each time"),
            (1, None) => format!("job {next} enqueued"),
            (n, None) => format!("{n} jobs enqueued, from job {next} on"),
        };
        self.told(action, by, came, false);
        self.shared.queue(|hub, now, out| {
            for i in 0..n {
                let job = Job(u32::try_from(next).unwrap_or(u32::MAX) + i);
                let new = hub.stream.extra(now, job, poison);
                hub.queue.enqueue(now, new, out);
            }
        });
    }

    fn redrive(&self, action: &Action, by: By, letters: Letters) {
        let dead: Vec<Job> = self.shared.hub().queue.dead().collect();
        let judged = match letters {
            Letters::One(job) if dead.contains(&job) => Ok(((), format!("job {job} is back with a fresh budget"))),
            Letters::One(job) => Err(format!("job {job} is not in the DLQ")),
            Letters::All if dead.is_empty() => Err("the DLQ is empty".to_owned()),
            Letters::All => Ok(((), format!("{} back with a fresh budget", jobs(dead.len())))),
        };
        if self.tell_judged(action, by, judged).is_some() {
            self.shared.queue(|hub, now, out| hub.queue.redrive(now, letters, out));
        }
    }

    fn set(&self, action: &Action, by: By, setting: Setting) {
        let name = setting.name();
        let (from, to) = {
            let policy = (**self.shared.hub().queue.policy()).clone();
            let mut changed = policy.clone();
            changed.set(setting);
            (policy.value(name), changed.value(name))
        };
        if from == to {
            return self.told(action, by, format!("{name} is {to} already"), true);
        }
        let from_when = match name {
            SettingName::Attempts | SettingName::Order | SettingName::OnDead => "from now on",
            SettingName::Backoff | SettingName::OnLostLease => "from now on",
            _ => "from the next delivery on",
        };
        self.told(action, by, format!("{name} is {to} {from_when}"), false);
        self.shared.queue(|hub, now, out| hub.queue.set(now, setting, out));
    }

    fn stop_or_go(&self, action: &Action, by: By) {
        let stop = *action == Action::Stop;
        if self.shared.clock.stopped() == stop {
            return self.told(action, by, if stop { "time stands already" } else { "time goes already" }.into(), true);
        }
        let came = if stop { "time stands; each worker stops at its next gap" } else { "time goes" };
        self.told(action, by, came.into(), false);
        self.set_stopped(stop);
        self.wake_all();
    }

    /// Lets the worker that stands longest at a gap pass it; if none stands at one, time moves on to the next moment.
    fn step(&mut self, action: &Action, by: By) {
        if !self.shared.clock.stopped() {
            self.told(action, by, "time stands; each worker stops at its next gap".into(), false);
            self.set_stopped(true);
            return self.wake_all();
        }
        let slots = &self.shared.slots;
        let standing = slots.iter().filter_map(|slot| {
            let state = slot.lock();
            state.stands.filter(|_| !state.pass).map(|ticket| (ticket, slot))
        });
        let standing = standing.min_by_key(|(ticket, _)| *ticket);
        match standing {
            None if let Some(slot) = slots.iter().find(|slot| slot.lock().is_on_its_way()) => {
                self.told(action, by, format!("{} is still on its way to its gap", slot.worker), true);
            }
            Some((_, slot)) => {
                self.told(action, by, format!("{} goes on to its next gap", slot.worker), false);
                slot.change(|state| state.pass = true);
            }
            None => {
                let moment = self.next_moment();
                let due = moment < Instant::NEVER;
                let came = if due { "on to the next moment" } else { "nothing is due" };
                self.told(action, by, came.into(), !due);
                self.jump_to(moment);
            }
        }
    }

    fn speed(&self, action: &Action, by: By, x: f64) {
        self.told(action, by, format!("time goes x{x}"), false);
        let mut entry = self.shared.log.enter();
        self.shared.clock.set_speed(x);
        entry.append(What::Speed { x });
        drop(entry);
        self.wake_all();
    }

    fn jump_on(&mut self, action: &Action, by: By) {
        let moment = self.next_moment();
        let by_how_much = moment.since(self.shared.clock.now());
        if moment == Instant::NEVER {
            return self.told(action, by, "nothing is due".into(), true);
        }
        self.told(action, by, format!("{:.2} s on", by_how_much.as_seconds()), false);
        self.jump_to(moment);
    }

    fn mark(&self, action: &Action, by: By, text: &str) {
        self.told(action, by, "marked".into(), false);
        self.shared.log.append(What::Marked { text: text.into() });
    }

    fn answer(&self, action: &Action, by: By, step: u32, text: &str) {
        self.told(action, by, String::new(), false);
        self.shared.log.append(What::Answered { step, text: text.into() });
    }
}

fn jobs(n: usize) -> String {
    if n == 1 { "1 job is".into() } else { format!("{n} jobs are") }
}

/// `w2`, or `3 workers`, to go before a verb of its own.
fn named(slots: &[&Slot]) -> String {
    match slots {
        [one] => one.worker.to_string(),
        many => format!("each of {} workers", many.len()),
    }
}

/// `w2 is`, or `3 workers are`.
fn names(slots: &[&Slot]) -> String {
    match slots {
        [one] => format!("{} is", one.worker),
        many => format!("{} workers are", many.len()),
    }
}

fn befallen(fault: Fault, factor: f64) -> String {
    match fault {
        Fault::Stall => "works on without renewing".into(),
        Fault::Pause => "is asleep: no work, no renewals".into(),
        Fault::Hang => "hangs in its work and goes on renewing".into(),
        Fault::CutQueue => "is cut from the queue".into(),
        Fault::CutSink => "is cut from the sink".into(),
        Fault::Slow => format!("works {factor} times slower"),
        Fault::LoseBeats | Fault::LoseAcks | Fault::LoseReplies => "loses messages".into(),
    }
}

fn lasting(span: Option<Span>) -> String {
    span.map(|span| format!(", for {span}")).unwrap_or_default()
}

fn percent(p: f64) -> String {
    format!("{} %", (p * 1_000.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Link;

    #[test]
    fn a_cut_link_is_told_as_what_it_is() {
        assert_eq!(befallen(Link::Queue.fault(), 1.0), "is cut from the queue");
        assert_eq!(befallen(Link::Sink.fault(), 1.0), "is cut from the sink");
        assert_eq!(percent(0.2), "20 %");
    }
}
