//! The loop: keys, signals and ticks come in, frames and actions go out.
//!
//! A key is answered with a frame at once; otherwise a frame is drawn when something has changed, at most thirty times
//! a second. While time stands still and nothing happens, nothing is drawn. The run is never waited for while drawing,
//! and never waits for the terminal.

use std::pin::Pin;
use std::time::Duration;

use crossterm::event::{Event, KeyEvent};
use ratatui::buffer::Buffer;
use tokio::time::{Instant as Wall, MissedTickBehavior, Sleep};

use super::app::{App, Effect, Moment};
use super::keyboard::Keyboard;
use super::keys::{self, Context, Key, Stroke};
use super::signals::{Signal, Signals};
use super::terminal::Terminal;
use super::theme::Look;
use super::{Error, Exit, Launcher, Run, Showing, screen};
use crate::action::Action;
use crate::board::Board;
use crate::event::By;
use crate::time::Instant;

/// The time between two frames at the least.
const FRAME: Duration = Duration::from_millis(33);
/// How long what came of an action is shown.
const MESSAGE: Duration = Duration::from_secs(3);
/// How long the warnings of the set-up are shown.
const WARNING: Duration = Duration::from_secs(10);
/// How long deliveries get to finish when the operator leaves.
const GRACE: Duration = Duration::from_secs(2);
/// How long they get when the terminal is gone.
const GRACE_HUNG_UP: Duration = Duration::from_millis(500);
/// How much longer than its grace a run may take to end before the screen stops waiting for it.
const PATIENCE: Duration = Duration::from_secs(3);
/// Between these times after the last one, a press of the same key comes from the keyboard's own repeat: a person is
/// slower, and what is pasted or scripted is faster.
const HELD: std::ops::Range<Duration> = Duration::from_millis(15)..Duration::from_millis(100);

/// Shows runs until something ends the screen. Signals are heard before the first run starts, so that none of them
/// finds the terminal taken and nobody to give it back.
pub async fn show(launcher: &dyn Launcher, look: Look) -> Result<Exit, Error> {
    let signals = Signals::listen()?;
    let run = launcher.launch().map_err(Error::Launch)?;
    let terminal = match Terminal::enter() {
        Ok(terminal) => terminal,
        Err(error) if is_gone(&error) => return Ok(hung_up(&*run)),
        Err(error) => return Err(error.into()),
    };
    let mut show = Show {
        launcher,
        run,
        app: App::new(look, terminal.shown()),
        terminal,
        signals,
        shown: None,
        fade: None,
        last: None,
        leaving: None,
    };
    show.warn();
    match show.until_left().await {
        // Whatever cannot be written to or asked any more has been closed.
        Err(Error::Terminal(_)) => Ok(hung_up(&*show.run)),
        end => end,
    }
}

/// The terminal is gone: the run gets a short grace.
fn hung_up(run: &dyn Run) -> Exit {
    run.quit(GRACE_HUNG_UP);
    Exit::HungUp
}

/// True for what a terminal says that was closed.
#[cfg(unix)]
fn is_gone(error: &std::io::Error) -> bool {
    let gone = [rustix::io::Errno::IO, rustix::io::Errno::NXIO, rustix::io::Errno::NODEV];
    error.raw_os_error().is_some_and(|code| gone.iter().any(|errno| errno.raw_os_error() == code))
}

#[cfg(not(unix))]
fn is_gone(_: &std::io::Error) -> bool {
    false
}

/// Leaving, once it was asked for.
struct Leaving {
    exit: Exit,
    patience: Pin<Box<Sleep>>,
}

struct Show<'a> {
    launcher: &'a dyn Launcher,
    run: Box<dyn Run>,
    app: App,
    terminal: Terminal,
    signals: Signals,
    /// The version of the run that the last frame showed.
    shown: Option<u64>,
    /// The end of the message's life.
    fade: Option<Pin<Box<Sleep>>>,
    /// The last key and when it came, to tell a held key.
    last: Option<(Key, Wall)>,
    leaving: Option<Leaving>,
}

/// What the loop woke up for.
enum Woken {
    Signal(Signal),
    Event(Option<std::io::Result<Event>>),
    Faded,
    Tick,
    OutOfPatience,
}

async fn due(sleep: Option<&mut Pin<Box<Sleep>>>) {
    match sleep {
        Some(sleep) => sleep.await,
        None => std::future::pending().await,
    }
}

impl Show<'_> {
    /// Says what will surprise, first of all.
    fn warn(&mut self) {
        let warnings = self.launcher.warnings();
        if !warnings.is_empty() {
            self.app.message = Some(format!("warning: {}", warnings.join("; ")));
            self.fade = Some(Box::pin(tokio::time::sleep(WARNING)));
        }
    }

    async fn until_left(&mut self) -> Result<Exit, Error> {
        let mut keyboard = Keyboard::listen()?;
        let mut ticks = tokio::time::interval(FRAME);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.draw()?;
        loop {
            let woken = tokio::select! {
                biased;
                signal = self.signals.next() => Woken::Signal(signal),
                event = keyboard.next() => Woken::Event(event),
                () = due(self.leaving.as_mut().map(|leaving| &mut leaving.patience)) => Woken::OutOfPatience,
                () = due(self.fade.as_mut()) => Woken::Faded,
                _ = ticks.tick() => Woken::Tick,
            };
            if let Some(exit) = self.wake(woken).await? {
                return Ok(exit);
            }
        }
    }

    async fn wake(&mut self, woken: Woken) -> Result<Option<Exit>, Error> {
        match woken {
            Woken::Signal(Signal::End(Exit::HungUp)) | Woken::Event(None | Some(Err(_))) => {
                return Ok(Some(hung_up(&*self.run)));
            }
            Woken::Signal(Signal::End(exit)) => return Ok(self.leave(exit)),
            Woken::Signal(Signal::Continued) => {
                self.terminal.reenter()?;
                self.draw()?;
            }
            Woken::Event(Some(Ok(event))) => return self.event(event).await,
            Woken::OutOfPatience => return Ok(self.leaving.as_ref().map(|leaving| leaving.exit)),
            Woken::Faded => {
                self.fade = None;
                self.app.message = None;
                self.draw()?;
            }
            Woken::Tick => return self.tick(),
        }
        Ok(None)
    }

    fn tick(&mut self) -> Result<Option<Exit>, Error> {
        if let Some(leaving) = &self.leaving
            && self.run.ended()
        {
            return Ok(Some(leaving.exit));
        }
        let resized = self.terminal.size()? != self.terminal.shown();
        let moves = !self.run.ended() && !self.run.showing().stopped;
        if moves || resized || self.shown != Some(self.run.version()) {
            self.draw()?;
        }
        Ok(None)
    }

    async fn event(&mut self, event: Event) -> Result<Option<Exit>, Error> {
        match event {
            Event::Key(key) => {
                let effects = self.key(key);
                for effect in effects {
                    if let Some(exit) = self.carry_out(effect).await? {
                        return Ok(Some(exit));
                    }
                }
            }
            Event::Paste(text) => self.app.paste(&text),
            // A terminal forgets what was beyond a smaller size, also one that is over before it was drawn at.
            Event::Resize(..) => self.terminal.forget(),
            _ => return Ok(None),
        }
        self.draw()?;
        Ok(None)
    }

    fn key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let Some((key, stroke)) = keys::read(&event) else { return Vec::new() };
        let stroke = if self.is_held(key) { Stroke::Repeat } else { stroke };
        let clock = Clock::of(&*self.run);
        let board = self.run.board(0);
        let before = self.app.message.clone();
        let effects = self.app.press(key, stroke, clock.moment(&board));
        drop(board);
        self.note_message(before.as_deref());
        effects
    }

    /// True if the keyboard itself repeats a key that must not strike twice.
    fn is_held(&mut self, key: Key) -> bool {
        let now = Wall::now();
        let gap = self.last.filter(|(last, _)| *last == key).map(|(_, at)| now.duration_since(at));
        self.last = Some((key, now));
        let strikes = self.app.layer.is_none() && keys::command(key, &[Context::Run]).is_some_and(|c| c.strikes());
        strikes && gap.is_some_and(|gap| HELD.contains(&gap))
    }

    /// A new message lives for a while; one that is gone needs no timer.
    fn note_message(&mut self, before: Option<&str>) {
        if self.app.message.as_deref() != before {
            self.fade = self.app.message.is_some().then(|| Box::pin(tokio::time::sleep(MESSAGE)));
        }
    }

    async fn carry_out(&mut self, effect: Effect) -> Result<Option<Exit>, Error> {
        match effect {
            Effect::Act(action) => {
                let said = self.run.act(action, By::Operator);
                self.say(said);
            }
            Effect::Back => self.back(),
            Effect::Quit => return Ok(self.leave(Exit::Quit)),
            Effect::Interrupt => return Ok(self.leave(Exit::Interrupted)),
            Effect::Repaint => self.terminal.forget(),
            Effect::Again => self.again().await?,
            Effect::Suspend => self.suspend().await?,
        }
        Ok(None)
    }

    /// Shows what came of something, if anything is said of it.
    fn say(&mut self, said: Option<String>) {
        if said.is_some() {
            self.app.message = said;
            self.fade = Some(Box::pin(tokio::time::sleep(MESSAGE)));
        }
    }

    /// Takes the last event back, where time can be taken back; else the view goes back.
    fn back(&mut self) {
        let said = self.run.back();
        if said.is_none() {
            let clock = Clock::of(&*self.run);
            self.app.step_back(clock.moment(&self.run.board(0)));
        }
        let said = said.or_else(|| self.app.message.clone());
        self.say(said);
    }

    /// The first time the run drains; the second time, or if it has ended, the screen is left at once.
    fn leave(&mut self, exit: Exit) -> Option<Exit> {
        if self.leaving.is_some() || self.run.ended() {
            self.run.quit(Duration::ZERO);
            return Some(exit);
        }
        self.run.quit(GRACE);
        self.app.leave();
        self.leaving = Some(Leaving { exit, patience: Box::pin(tokio::time::sleep(GRACE + PATIENCE)) });
        let _ = self.draw();
        None
    }

    /// Ends this run and starts another one from the same seed and set-up.
    async fn again(&mut self) -> Result<(), Error> {
        self.run.quit(Duration::ZERO);
        let run = &self.run;
        let ended = async {
            while !run.ended() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, ended).await;
        self.run = self.launcher.launch().map_err(Error::Launch)?;
        self.app.start_over();
        self.app.message = Some("started again: same seed, same set-up".to_owned());
        self.fade = Some(Box::pin(tokio::time::sleep(MESSAGE)));
        self.shown = None;
        Ok(())
    }

    /// Stops the program as ctrl-z does. Lab time is stopped meanwhile, so that no lease runs out only because the
    /// whole program slept.
    #[cfg(unix)]
    async fn suspend(&mut self) -> Result<(), Error> {
        let stop = !self.run.ended() && !self.run.showing().stopped;
        if stop {
            let _nobody_asked = self.run.act(Action::Stop, By::Lab);
            let run = &self.run;
            let stopped = async {
                while !run.showing().stopped && !run.ended() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            let _ = tokio::time::timeout(Duration::from_millis(250), stopped).await;
        }
        self.terminal.leave();
        super::terminal::suspend();
        // Where nobody can stop this program the signal does nothing, and no other follows.
        let _ = tokio::time::timeout(Duration::from_millis(500), self.signals.continued()).await;
        self.terminal.reenter()?;
        if stop {
            let _nobody_asked = self.run.act(Action::Go, By::Lab);
        }
        Ok(())
    }

    #[cfg(not(unix))]
    async fn suspend(&mut self) -> Result<(), Error> {
        self.app.message = Some("this system knows no ctrl-z".to_owned());
        Ok(())
    }

    /// Draws the run as it is now, or at a later tick if the terminal is still busy with what it was given. The board
    /// is let go before anything is written.
    fn draw(&mut self) -> Result<(), Error> {
        if !self.terminal.is_free() {
            self.shown = None;
            return Ok(());
        }
        let size = self.terminal.size()?;
        self.app.resize(size);
        let mut buffer = Buffer::empty(size);
        let before = self.app.message.clone();
        let version = self.run.version();
        let cursor = {
            let clock = Clock::of(&*self.run);
            let board = self.run.board(0);
            let shown = clock.moment(&board);
            self.app.absorb(shown);
            screen::draw(&mut buffer, &self.app, shown)
        };
        self.note_message(before.as_deref());
        self.terminal.show(buffer, cursor)?;
        self.shown = Some(version);
        Ok(())
    }
}

/// How time stood before a board was asked for: while one is held, the run is asked for nothing else.
#[derive(Clone, Copy)]
struct Clock {
    /// The lab clock; none once the run has ended.
    now: Option<Instant>,
    showing: Showing,
}

impl Clock {
    fn of(run: &dyn Run) -> Clock {
        Clock { now: (!run.ended()).then(|| run.now()), showing: run.showing() }
    }

    /// The moment that a frame shows: the lab clock, which a fold can be ahead of, or the run's end.
    fn moment(self, board: &Board) -> Moment<'_> {
        Moment { board, now: self.now.map_or(board.now(), |now| now.max(board.now())), showing: self.showing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_key_is_told_from_a_hammered_and_from_a_scripted_one() {
        for (millis, held) in [(0, false), (5, false), (33, true), (92, true), (120, false), (500, false)] {
            assert_eq!(HELD.contains(&Duration::from_millis(millis)), held, "{millis} ms");
        }
    }
}
