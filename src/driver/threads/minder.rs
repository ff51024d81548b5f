//! The keeper's thread: it sleeps until something is due or somebody tells it something.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use crate::driver::hub::{Command, Shared};
use crate::driver::keeper::{Keeper, Mode};
use crate::driver::plan::{Cue, Plan};
use crate::event::{Event, Finish, What};
use crate::time as lab;

/// With time stopped and nobody telling anything, the keeper looks this often all the same.
const LONGEST_SLEEP: Duration = Duration::from_secs(3_600);

/// What is planned waits for what has happened to be heard, which takes about this long.
const HEARING: Duration = Duration::from_millis(1);

pub(super) struct Minder<'a> {
    keeper: Keeper<'a>,
    commands: Receiver<Command>,
    /// Workers' threads that have not ended.
    threads: usize,
    /// When the grace of the deliveries under way is over.
    grace: Option<Instant>,
    plan: Box<dyn Plan>,
    /// How the run ends once nothing more is planned.
    mode: Mode,
    /// How many events the plan has heard of.
    heard: u64,
}

impl<'a> Minder<'a> {
    pub fn new(shared: &'a Shared, commands: Receiver<Command>, mode: Mode, plan: Box<dyn Plan>) -> Minder<'a> {
        let mut keeper = Keeper::new(shared, mode, shared.setup.idle_jump.is_on());
        keeper.listened = plan.listens();
        Minder { keeper, commands, threads: shared.slots.len(), grace: None, plan, mode, heard: 0 }
    }

    /// Does what is planned for the start: the jobs that arrive at it are there, and no worker's thread is.
    pub fn open(&mut self) {
        self.keeper.tend(true);
        loop {
            let cues = self.plan.due(lab::Instant::START);
            if cues.is_empty() {
                return;
            }
            cues.into_iter().for_each(|cue| self.carry_out(cue));
        }
    }

    /// Minds the run until every worker's thread has ended.
    pub fn run(mut self) -> Finish {
        while self.threads > 0 {
            self.keep_to_the_plan();
            let pending = !self.commands.is_empty() || self.deaf();
            self.keeper.tend(pending);
            match self.commands.recv_timeout(self.patience()) {
                Ok(command) => self.take_all(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.mind_the_grace();
        }
        self.keeper.ending.unwrap_or(Finish::Quit)
    }

    fn take_all(&mut self, first: Command) {
        let mut next = Some(first);
        while let Some(command) = next {
            self.take(command);
            next = self.commands.try_recv().ok();
        }
    }

    fn take(&mut self, command: Command) {
        let shared = self.keeper.shared;
        match command {
            Command::Act(action, by) => self.keeper.act(&action, by),
            Command::Look => shared.looking(),
            Command::EndWhenSettled => self.mode = Mode::Headless,
            Command::Heard(events) => self.hear(&events),
            Command::Quit(grace) => self.end(Finish::Quit, grace),
            Command::Failed(words) => self.end(Finish::Failed(words.into()), Duration::ZERO),
            Command::Gone => self.threads -= 1,
            Command::Violated(text) => {
                shared.log.append(What::Violated { text: text.into() });
                self.end(Finish::Violated, Duration::ZERO);
            }
        }
    }

    /// True while there is something that the plan has not heard of, so that nothing is settled behind its back.
    fn deaf(&self) -> bool {
        self.plan.listens() && self.heard < self.keeper.shared.log.told()
    }

    fn hear(&mut self, events: &[Event]) {
        self.heard += events.len() as u64;
        for cue in self.plan.heard(events) {
            self.carry_out(cue);
        }
    }

    /// Does what is planned for now. While time stands a plan does not wait for its moment, which would never come; it
    /// goes on once it has heard of all that came of what it did before.
    fn keep_to_the_plan(&mut self) {
        while self.keeper.ending.is_none() && !self.deaf() {
            let clock = &self.keeper.shared.clock;
            let until = if clock.stopped() { lab::Instant::NEVER } else { clock.now() };
            let cues = self.plan.due(until);
            if cues.is_empty() {
                break;
            }
            cues.into_iter().for_each(|cue| self.carry_out(cue));
        }
        self.keeper.mode = if self.plan.next() < lab::Instant::NEVER { Mode::Interactive } else { self.mode };
        self.keeper.planned = self.plan.next();
    }

    fn carry_out(&mut self, cue: Cue) {
        match cue {
            Cue::Act(action, by) => self.keeper.act(&action, by),
            Cue::Tell(what) => self.keeper.shared.log.append(what),
            Cue::End => self.end(Finish::Quit, Duration::ZERO),
        }
    }

    fn end(&mut self, how: Finish, grace: Duration) {
        self.keeper.end(how);
        self.grace = Some(Instant::now() + grace);
    }

    fn mind_the_grace(&mut self) {
        if self.grace.is_some_and(|over| over <= Instant::now()) {
            self.grace = None;
            self.keeper.cut_off();
        }
    }

    /// How long to sleep: until the keeper has something to do, or might have for a delivery that begins meanwhile.
    fn patience(&self) -> Duration {
        let clock = &self.keeper.shared.clock;
        let wakes = self.keeper.wakes.min(self.plan.next()).min(clock.now() + self.keeper.shortest_notice());
        let lab = clock.until(wakes).unwrap_or(LONGEST_SLEEP);
        let lab = if self.deaf() { lab.max(HEARING) } else { lab };
        self.grace.map_or(lab, |over| lab.min(over.saturating_duration_since(Instant::now())))
    }
}
