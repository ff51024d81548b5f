//! The keeper's thread: it sleeps until something is due or somebody tells it something.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use crate::driver::hub::{Command, Shared};
use crate::driver::keeper::{Keeper, Mode};
use crate::event::{Finish, What};

/// With time stopped and nobody telling anything, the keeper looks this often all the same.
const LONGEST_SLEEP: Duration = Duration::from_secs(3_600);

pub(super) struct Minder<'a> {
    keeper: Keeper<'a>,
    commands: Receiver<Command>,
    /// Workers' threads that have not ended.
    threads: usize,
    /// When the grace of the deliveries under way is over.
    grace: Option<Instant>,
}

impl<'a> Minder<'a> {
    pub fn new(shared: &'a Shared, commands: Receiver<Command>, mode: Mode) -> Minder<'a> {
        let jumps = shared.setup.idle_jump.is_on();
        Minder { keeper: Keeper::new(shared, mode, jumps), commands, threads: shared.slots.len(), grace: None }
    }

    /// Minds the run until every worker's thread has ended.
    pub fn run(mut self) -> Finish {
        while self.threads > 0 {
            self.keeper.tend(!self.commands.is_empty());
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
            Command::EndWhenSettled => self.keeper.mode = Mode::Headless,
            Command::Quit(grace) => self.end(Finish::Quit, grace),
            Command::Failed(words) => self.end(Finish::Failed(words.into()), Duration::ZERO),
            Command::Gone => self.threads -= 1,
            Command::Violated(text) => {
                shared.log.append(What::Violated { text: text.into() });
                self.end(Finish::Violated, Duration::ZERO);
            }
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
        let wakes = self.keeper.wakes.min(clock.now() + self.keeper.shortest_notice());
        let lab = clock.until(wakes).unwrap_or(LONGEST_SLEEP);
        self.grace.map_or(lab, |over| lab.min(over.saturating_duration_since(Instant::now())))
    }
}
