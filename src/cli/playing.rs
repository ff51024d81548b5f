//! A recording that is played: its clock, and the thread that folds it.
//!
//! Playing on folds a little at a time, so the board can be lent to whoever draws. A jump may have to fold a good part of
//! a snapshot's distance; until it has arrived, what was shown before it stays, and keys are answered.

#![allow(clippy::disallowed_methods, reason = "a recording is played by the wall clock, on a thread of its own")]

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant as Wall};

use anyhow::Context;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::headless::locked;
use crate::action::Action;
use crate::board::Board;
use crate::event::By;
use crate::recording::{Damage, Player};
use crate::time::{Instant, Span};
use crate::tui::replay::{About, Recorded, Seek};
use crate::tui::{Badge, Run, Showing};

/// The time between two moments that are shown.
const FRAME: Duration = Duration::from_millis(33);
/// So many events are folded while the board is held.
const AT_ONCE: usize = 2_000;
/// How long the board is let go between two lots of events.
const BREATH: Duration = Duration::from_millis(1);

/// What is asked of the thread.
enum Order {
    Act(Action),
    Back,
    Seek(Seek, bool),
}

/// How time goes.
#[derive(Clone, Copy, Debug)]
struct Pace {
    moment: Instant,
    stopped: bool,
    speed: f64,
}

/// What the thread and the screen share.
struct Stage {
    player: Mutex<Player>,
    pace: Mutex<Pace>,
    /// What is shown while a jump is under way.
    held: Mutex<Option<Arc<Board>>>,
    version: AtomicU64,
    trouble: Mutex<Option<String>>,
}

/// A recording that is played. It ends when this is dropped.
pub struct Playing {
    orders: Sender<Order>,
    stage: Arc<Stage>,
    about: About,
}

impl Playing {
    /// Plays a recording from its start, at its own pace.
    ///
    /// # Errors
    /// When no thread can be had.
    pub fn start(about: About, player: Player) -> anyhow::Result<Playing> {
        let pace = Pace { moment: Instant::START, stopped: false, speed: 1.0 };
        let stage = Arc::new(Stage {
            player: Mutex::new(player),
            pace: Mutex::new(pace),
            held: Mutex::default(),
            version: AtomicU64::new(0),
            trouble: Mutex::default(),
        });
        let (orders, inbox) = unbounded();
        let shared = stage.clone();
        let play = move || Deck { stage: shared, since: (Wall::now(), Instant::START), speed: 1.0 }.play(&inbox);
        thread::Builder::new().name("player".into()).spawn(play).context("cannot start a thread")?;
        Ok(Playing { orders, stage, about })
    }

    fn order(&self, order: Order) {
        let _the_thread_goes_only_with_this = self.orders.send(order);
    }
}

/// The thread's own part.
struct Deck {
    stage: Arc<Stage>,
    /// When by the wall clock the pace was set, and what was shown then.
    since: (Wall, Instant),
    /// Lab seconds in a second since then.
    speed: f64,
}

impl Deck {
    fn play(mut self, inbox: &Receiver<Order>) {
        loop {
            let stopped = locked(&self.stage.pace).stopped;
            let order = if stopped {
                inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                inbox.recv_timeout(FRAME)
            };
            let done = match order {
                Ok(order) => self.carry_out(order),
                Err(RecvTimeoutError::Timeout) => self.go_on(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if let Err(damage) = done {
                *locked(&self.stage.trouble) = Some(format!("the recording cannot be played on: {damage}"));
                self.set(|pace| pace.stopped = true);
            }
        }
    }

    /// Changes the pace; what is shown counts from now on.
    fn set(&mut self, change: impl FnOnce(&mut Pace)) {
        let moment = {
            let mut pace = locked(&self.stage.pace);
            change(&mut pace);
            pace.moment
        };
        self.since = (Wall::now(), moment);
        self.stage.version.fetch_add(1, Ordering::AcqRel);
    }

    fn carry_out(&mut self, order: Order) -> Result<(), Damage> {
        let stopped = locked(&self.stage.pace).stopped;
        match order {
            Order::Act(Action::Speed(speed)) => {
                self.speed = speed;
                self.set(|_| ());
            }
            Order::Act(Action::Step) if stopped => return self.show(true, |player| player.show(player.shown() + 1)),
            Order::Act(Action::Step) => self.set(|pace| pace.stopped = true),
            Order::Act(Action::Jump) => {
                return self.show(stopped, |player| match player.next_at()? {
                    Some(at) => player.show_until(at),
                    None => Ok(()),
                });
            }
            // Whether time stands was said already; from here on it is counted anew.
            Order::Act(_) => self.set(|_| ()),
            Order::Back => return self.jump(true, |player| player.show(player.shown().saturating_sub(1))),
            Order::Seek(Seek::Events(events), stand) => {
                return self.jump(stopped || stand, |player| player.show(events));
            }
            Order::Seek(Seek::At(at), stand) => {
                self.jump(stopped || stand, |player| player.show_until(at))?;
                self.set(|pace| pace.moment = pace.moment.max(at));
            }
        }
        Ok(())
    }

    /// Shows another moment, while what is shown now stays in sight.
    fn jump(&mut self, stand: bool, go: impl FnOnce(&mut Player) -> Result<(), Damage>) -> Result<(), Damage> {
        let shown = Arc::new(locked(&self.stage.player).board().clone());
        *locked(&self.stage.held) = Some(shown);
        self.show(stand, go)
    }

    /// Shows another moment; board and clock change together.
    fn show(&mut self, stand: bool, go: impl FnOnce(&mut Player) -> Result<(), Damage>) -> Result<(), Damage> {
        let stage = self.stage.clone();
        let mut player = locked(&stage.player);
        let went = go(&mut player);
        let moment = if player.shown() == 0 { Instant::START } else { player.board().now() };
        *locked(&stage.held) = None;
        self.set(|pace| (pace.moment, pace.stopped) = (moment, stand));
        drop(player);
        went
    }

    /// Shows what has happened by now; at the end time stands. Where folding does not keep pace, the clock goes on from
    /// what is shown, so that keys are heard.
    fn go_on(&mut self) -> Result<(), Damage> {
        let begun = Wall::now();
        let until = self.since.1 + Span::from_seconds(self.since.0.elapsed().as_secs_f64() * self.speed);
        while !self.fold_on(until)? {
            if begun.elapsed() > FRAME {
                self.set(|_| ());
                break;
            }
            thread::sleep(BREATH);
        }
        Ok(())
    }

    /// Folds the next lot of what happened by `until`, and shows it. True if that was all.
    fn fold_on(&mut self, until: Instant) -> Result<bool, Damage> {
        let stage = self.stage.clone();
        let mut player = locked(&stage.player);
        let arrived = play_until(&mut player, until)?;
        let moment = if arrived { until.min(player.ends()) } else { player.board().now() };
        let over = arrived && player.shown() == player.len() && until >= player.ends();
        let mut pace = locked(&stage.pace);
        pace.moment = moment;
        pace.stopped |= over;
        stage.version.fetch_add(1, Ordering::AcqRel);
        Ok(arrived)
    }
}

/// Folds what happened by `until`, but not too much at once. True if that was all.
fn play_until(player: &mut Player, until: Instant) -> Result<bool, Damage> {
    for _ in 0..AT_ONCE {
        if player.next_at()?.is_none_or(|at| at > until) {
            return Ok(true);
        }
        player.show(player.shown() + 1)?;
    }
    Ok(false)
}

/// The board that is lent out.
enum Lent<'a> {
    Held(Arc<Board>),
    Shown(MutexGuard<'a, Player>),
}

impl Deref for Lent<'_> {
    type Target = Board;

    fn deref(&self) -> &Board {
        match self {
            Lent::Held(board) => board,
            Lent::Shown(player) => player.board(),
        }
    }
}

impl Run for Playing {
    fn sides(&self) -> usize {
        1
    }

    fn board(&self, _side: usize) -> Box<dyn Deref<Target = Board> + '_> {
        let held = locked(&self.stage.held).clone();
        Box::new(held.map_or_else(|| Lent::Shown(locked(&self.stage.player)), Lent::Held))
    }

    fn now(&self) -> Instant {
        locked(&self.stage.pace).moment
    }

    fn showing(&self) -> Showing {
        let pace = *locked(&self.stage.pace);
        Showing { badge: Badge::Replay, stopped: pace.stopped, speed: pace.speed, recorded: false }
    }

    /// What concerns the pace shows at once, so that keys in quick succession count from each other.
    fn act(&self, action: Action, _by: By) -> Option<String> {
        {
            let mut pace = locked(&self.stage.pace);
            match action {
                Action::Stop => pace.stopped = true,
                Action::Go => pace.stopped = false,
                Action::Speed(speed) => pace.speed = speed,
                _ => {}
            }
        }
        self.stage.version.fetch_add(1, Ordering::AcqRel);
        self.order(Order::Act(action));
        None
    }

    fn back(&self) -> Option<String> {
        self.order(Order::Back);
        None
    }

    fn version(&self) -> u64 {
        self.stage.version.load(Ordering::Acquire)
    }

    /// What has happened does not go on: there is nothing to drain.
    fn quit(&self, _grace: Duration) {}

    fn ended(&self) -> bool {
        true
    }
}

impl Recorded for Playing {
    fn about(&self) -> &About {
        &self.about
    }

    fn seek(&self, to: Seek, stand: bool) {
        self.order(Order::Seek(to, stand));
    }

    fn trouble(&self) -> Option<String> {
        locked(&self.stage.trouble).clone()
    }
}
