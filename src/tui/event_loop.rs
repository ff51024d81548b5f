//! The loop: keys, signals and ticks come in, frames and actions go out.
//!
//! A key is answered with a frame at once; otherwise a frame is drawn when something has changed, at most thirty times
//! a second. While time stands still and nothing happens, nothing is drawn. The run is never waited for while drawing,
//! and never waits for the terminal. What is shown is an [`Exhibit`]; the loop knows nothing of what is on it.

use std::pin::Pin;
use std::time::Duration;

use crossterm::event::{Event, KeyEvent};
use ratatui::buffer::Buffer;
use tokio::time::{Instant as Wall, MissedTickBehavior, Sleep};

use super::exhibit::{Exhibit, Request};
use super::keyboard::Keyboard;
use super::keys::{self, Key, Stroke};
use super::signals::{Signal, Signals};
use super::terminal::Terminal;
use super::{Error, Exit};
use crate::action::Action;
use crate::event::By;

/// The time between two frames at the least.
const FRAME: Duration = Duration::from_millis(33);
/// How long what came of an action is shown.
const MESSAGE: Duration = Duration::from_secs(3);
/// How long what is said first of all is shown.
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

/// Shows what is opened until something ends the screen. Signals are heard before anything starts, so that none of them
/// finds the terminal taken and nobody to give it back.
pub async fn show<'a>(open: impl FnOnce() -> Result<Box<dyn Exhibit + 'a>, Error>) -> Result<Exit, Error> {
    let signals = Signals::listen()?;
    let mut exhibit = open()?;
    let terminal = match Terminal::enter() {
        Ok(terminal) => terminal,
        Err(error) if is_gone(&error) => return Ok(hung_up(&*exhibit)),
        Err(error) => return Err(error.into()),
    };
    let fade = exhibit.message().is_some().then(|| Box::pin(tokio::time::sleep(WARNING)));
    let below = Vec::new();
    let mut show = Show { exhibit, below, terminal, signals, shown: None, fade, last: None, leaving: None };
    match show.until_left().await {
        // Whatever cannot be written to or asked any more has been closed.
        Err(Error::Terminal(_)) => Ok(hung_up(&*show.exhibit)),
        end => end,
    }
}

/// The terminal is gone: the run gets a short grace.
fn hung_up(exhibit: &dyn Exhibit) -> Exit {
    exhibit.quit(GRACE_HUNG_UP);
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
    exhibit: Box<dyn Exhibit + 'a>,
    /// What is come back to when the exhibit is left, the nearest last.
    below: Vec<Box<dyn Exhibit + 'a>>,
    terminal: Terminal,
    signals: Signals,
    /// The version of what the last frame showed.
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
            if let Some(exit) = self.wake(woken).await?
                && !(exit == Exit::Quit && self.come_back()?)
            {
                return Ok(exit);
            }
        }
    }

    async fn wake(&mut self, woken: Woken) -> Result<Option<Exit>, Error> {
        match woken {
            Woken::Signal(Signal::End(Exit::HungUp)) | Woken::Event(None | Some(Err(_))) => {
                return Ok(Some(hung_up(&*self.exhibit)));
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
                *self.exhibit.message() = None;
                self.draw()?;
            }
            Woken::Tick => return self.tick(),
        }
        Ok(None)
    }

    fn tick(&mut self) -> Result<Option<Exit>, Error> {
        if let Some(leaving) = &self.leaving
            && self.exhibit.ended()
        {
            return Ok(Some(leaving.exit));
        }
        let resized = self.terminal.size()? != self.terminal.shown();
        if self.exhibit.moves() || resized || self.shown != Some(self.exhibit.version()) {
            self.draw()?;
        }
        Ok(None)
    }

    async fn event(&mut self, event: Event) -> Result<Option<Exit>, Error> {
        match event {
            Event::Key(key) => {
                for request in self.key(key) {
                    if let Some(exit) = self.carry_out(request).await? {
                        return Ok(Some(exit));
                    }
                }
            }
            Event::Paste(text) => self.exhibit.paste(&text),
            // A terminal forgets what was beyond a smaller size, also one that is over before it was drawn at.
            Event::Resize(..) => self.terminal.forget(),
            _ => return Ok(None),
        }
        self.draw()?;
        Ok(None)
    }

    fn key(&mut self, event: KeyEvent) -> Vec<Request> {
        let Some((key, stroke)) = keys::read(&event) else { return Vec::new() };
        let stroke = if self.is_held(key) { Stroke::Repeat } else { stroke };
        let before = self.exhibit.message().clone();
        let requests = self.exhibit.press(key, stroke);
        self.note_message(before.as_deref());
        requests
    }

    /// True if the keyboard itself repeats a key that must not strike twice.
    fn is_held(&mut self, key: Key) -> bool {
        let now = Wall::now();
        let gap = self.last.filter(|(last, _)| *last == key).map(|(_, at)| now.duration_since(at));
        self.last = Some((key, now));
        self.exhibit.strikes(key) && gap.is_some_and(|gap| HELD.contains(&gap))
    }

    /// A new message lives for a while; one that is gone needs no timer.
    fn note_message(&mut self, before: Option<&str>) {
        let message = self.exhibit.message();
        if message.as_deref() != before {
            self.fade = message.is_some().then(|| Box::pin(tokio::time::sleep(MESSAGE)));
        }
    }

    async fn carry_out(&mut self, request: Request) -> Result<Option<Exit>, Error> {
        match request {
            Request::Quit => return Ok(self.leave(Exit::Quit)),
            Request::Interrupt => return Ok(self.leave(Exit::Interrupted)),
            Request::Repaint => self.terminal.forget(),
            Request::Again => self.again().await?,
            Request::Open => self.open(),
            Request::Suspend => self.suspend().await?,
        }
        Ok(None)
    }

    /// The first time the run drains; the second time, or if it has ended, the screen is left at once.
    fn leave(&mut self, exit: Exit) -> Option<Exit> {
        if self.leaving.is_some() || self.exhibit.ended() {
            self.exhibit.quit(Duration::ZERO);
            return Some(exit);
        }
        self.exhibit.quit(GRACE);
        self.exhibit.leave();
        self.leaving = Some(Leaving { exit, patience: Box::pin(tokio::time::sleep(GRACE + PATIENCE)) });
        let _ = self.draw();
        None
    }

    /// Shows what the exhibit opened in its place.
    fn open(&mut self) {
        if let Some(opened) = self.exhibit.opened() {
            self.below.push(std::mem::replace(&mut self.exhibit, opened));
            self.turn_to();
            self.fade = self.exhibit.message().is_some().then(|| Box::pin(tokio::time::sleep(WARNING)));
        }
    }

    /// Shows again what this was opened from; false if it was opened from nothing.
    fn come_back(&mut self) -> Result<bool, Error> {
        let Some(below) = self.below.pop() else { return Ok(false) };
        self.exhibit = below;
        self.exhibit.back();
        self.turn_to();
        self.note_message(None);
        self.draw()?;
        Ok(true)
    }

    /// Another exhibit is shown from now on: what was noted of the one before does not concern it.
    fn turn_to(&mut self) {
        (self.shown, self.last, self.leaving) = (None, None, None);
    }

    /// Ends what goes on and starts it again.
    async fn again(&mut self) -> Result<(), Error> {
        self.exhibit.quit(Duration::ZERO);
        self.wait_until(PATIENCE, |exhibit| exhibit.ended()).await;
        self.exhibit.again()?;
        self.note_message(None);
        self.shown = None;
        Ok(())
    }

    /// Waits until this is so, but not for ever.
    async fn wait_until(&self, patience: Duration, so: impl Fn(&dyn Exhibit) -> bool) {
        let wait = async {
            while !so(&*self.exhibit) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let _ = tokio::time::timeout(patience, wait).await;
    }

    /// Stops the program as ctrl-z does. Lab time is stopped meanwhile, so that no lease runs out only because the
    /// whole program slept.
    #[cfg(unix)]
    async fn suspend(&mut self) -> Result<(), Error> {
        let stop = self.exhibit.moves();
        if stop {
            self.pace(Action::Stop);
            self.wait_until(Duration::from_millis(250), |exhibit| !exhibit.moves()).await;
        }
        self.terminal.leave();
        super::terminal::suspend();
        // Where nobody can stop this program the signal does nothing, and no other follows.
        let _ = tokio::time::timeout(Duration::from_millis(500), self.signals.continued()).await;
        self.terminal.reenter()?;
        if stop {
            self.pace(Action::Go);
        }
        Ok(())
    }

    /// Does something to the run that nobody asked for.
    #[cfg(unix)]
    fn pace(&self, action: Action) {
        if let Some(run) = self.exhibit.run() {
            let _nobody_asked = run.act(action, By::Lab);
        }
    }

    #[cfg(not(unix))]
    async fn suspend(&mut self) -> Result<(), Error> {
        *self.exhibit.message() = Some("this system knows no ctrl-z".to_owned());
        Ok(())
    }

    /// Draws what is shown as it is now, or at a later tick if the terminal is still busy with what it was given.
    fn draw(&mut self) -> Result<(), Error> {
        if !self.terminal.is_free() {
            self.shown = None;
            return Ok(());
        }
        let mut buffer = Buffer::empty(self.terminal.size()?);
        let before = self.exhibit.message().clone();
        let version = self.exhibit.version();
        let cursor = self.exhibit.draw(&mut buffer);
        self.note_message(before.as_deref());
        self.terminal.show(buffer, cursor)?;
        self.shown = Some(version);
        Ok(())
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
