//! The terminal itself: entering and leaving it, and writing what changed.
//!
//! Whatever ends the program, the terminal is given back as it was found: on leaving, on an error, and on a panic of
//! the thread that draws. A panic of any other thread never touches the screen. Nothing is written when nothing
//! changed. All that is written passes through the [painter](super::painter), so that nobody waits for a terminal that
//! is not read.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::queue;
use crossterm::style::{ResetColor, force_color_output};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::painter::PAINTER;

/// How long the terminal gets to take what gives it back.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// True while the terminal is ours. It is the one thing that the panic hook has to know.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours; it is given back when this is dropped.
pub struct Terminal {
    shown: Buffer,
    cursor: Option<Position>,
    stale: bool,
}

impl Terminal {
    /// Takes the terminal: raw mode, the alternate screen, paste told apart from typing, no mouse.
    pub fn enter() -> io::Result<Terminal> {
        PAINTER.start()?;
        // The theme alone decides on colours; it knows the flag as well as the environment.
        force_color_output(true);
        take()?;
        Ok(Terminal { shown: Buffer::empty(Rect::ZERO), cursor: None, stale: true })
    }

    /// Gives the terminal back for a while.
    pub fn leave(&mut self) {
        give_back();
    }

    /// Takes the terminal again after [`Terminal::leave`], or after somebody else may have changed it: a shell that
    /// takes over from a stopped program goes back to lines and echo, and raw mode is only entered from there.
    pub fn reenter(&mut self) -> io::Result<()> {
        self.stale = true;
        disable_raw_mode()?;
        take()
    }

    /// The size as it is now. Fails when the terminal was closed.
    pub fn size(&self) -> io::Result<Rect> {
        let (columns, rows) = size()?;
        Ok(Rect::new(0, 0, columns, rows))
    }

    /// The size of the last frame.
    pub fn shown(&self) -> Rect {
        self.shown.area
    }

    /// Has the next frame drawn whole.
    pub fn forget(&mut self) {
        self.stale = true;
    }

    /// True when a frame can be shown: the terminal has taken all but the last one.
    pub fn is_free(&self) -> bool {
        PAINTER.is_free()
    }

    /// Shows `next`, writing only cells that differ from what is shown; false when there was nothing to write. The
    /// terminal has to be [free](Terminal::is_free). Fails with what an earlier frame failed with.
    pub fn show(&mut self, next: Buffer, cursor: Option<Position>) -> io::Result<bool> {
        let whole = self.stale || self.shown.area != next.area;
        if whole {
            self.shown = Buffer::empty(next.area);
        }
        let changes = self.shown.diff(&next);
        if !whole && changes.is_empty() && self.cursor == cursor {
            return Ok(false);
        }
        let mut bytes = Vec::new();
        queue!(bytes, BeginSynchronizedUpdate)?;
        if whole {
            queue!(bytes, ResetColor, Clear(ClearType::All))?;
        }
        CrosstermBackend::new(&mut bytes).draw(changes.into_iter())?;
        match cursor {
            Some(at) => queue!(bytes, MoveTo(at.x, at.y), Show)?,
            None => queue!(bytes, Hide)?,
        }
        queue!(bytes, EndSynchronizedUpdate)?;
        PAINTER.paint(bytes)?;
        self.shown = next;
        self.cursor = cursor;
        self.stale = false;
        Ok(true)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// What a terminal without a size is taken for.
#[cfg(unix)]
const UNKNOWN_SIZE: (u16, u16) = (80, 24);

/// Columns and rows. Asked of the terminal itself: crossterm starts another program when the terminal is gone.
#[cfg(unix)]
fn size() -> io::Result<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(io::stdout())?;
    let unknown = size.ws_col == 0 && size.ws_row == 0;
    Ok(if unknown { UNKNOWN_SIZE } else { (size.ws_col, size.ws_row) })
}

#[cfg(not(unix))]
fn size() -> io::Result<(u16, u16)> {
    crossterm::terminal::size()
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    let mut bytes = Vec::new();
    queue!(bytes, EnterAlternateScreen, EnableBracketedPaste, Hide)?;
    PAINTER.paint(bytes)
}

/// Gives the terminal back if it is ours. Errors are dropped: a terminal that is gone needs nothing back, and one that
/// nobody reads is not waited for.
fn give_back() {
    if ENTERED.swap(false, Ordering::SeqCst) {
        let mut bytes = Vec::new();
        let reset = queue!(bytes, EndSynchronizedUpdate, ResetColor, DisableBracketedPaste, Show, LeaveAlternateScreen);
        if reset.is_ok() {
            PAINTER.finish(bytes, LAST_WORDS);
        }
        let _ = disable_raw_mode();
    }
}

/// Whom a panic belongs to, while the screen is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blame {
    /// The thread that draws: the screen is given back and the panic printed.
    Screen,
    /// Another thread: the panic goes to the log file, since the screen is in use.
    Other,
}

fn blame(panicked: ThreadId, drawing: ThreadId) -> Blame {
    if panicked == drawing { Blame::Screen } else { Blame::Other }
}

type Hook = Box<dyn Fn(&std::panic::PanicHookInfo<'_>) + Send + Sync + 'static>;

/// Has panics treated as this module promises, until this is dropped; made on the thread that draws.
pub struct PanicGuard {
    previous: std::sync::Arc<Hook>,
}

impl PanicGuard {
    /// Puts the hook in place.
    pub fn install() -> PanicGuard {
        let previous: std::sync::Arc<Hook> = std::sync::Arc::new(std::panic::take_hook());
        let fallback = previous.clone();
        let drawing = std::thread::current().id();
        std::panic::set_hook(Box::new(move |info| match blame(std::thread::current().id(), drawing) {
            Blame::Screen => {
                give_back();
                fallback(info);
            }
            Blame::Other if ENTERED.load(Ordering::SeqCst) => tracing::error!("a thread panicked: {info}"),
            Blame::Other => fallback(info),
        }));
        PanicGuard { previous }
    }
}

impl Drop for PanicGuard {
    /// Puts the hook from before back. Not while unwinding: a hook cannot be changed by a panicking thread.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let previous = self.previous.clone();
            std::panic::set_hook(Box::new(move |info| previous(info)));
        }
    }
}

/// Stops this program and its process group, as ctrl-z does in a terminal that is not raw.
#[cfg(unix)]
pub fn suspend() {
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a panic of another thread needs another thread")]
mod tests {
    use super::*;

    #[test]
    fn only_a_panic_of_the_drawing_thread_concerns_the_screen() {
        let here = std::thread::current().id();
        let there = std::thread::Builder::new()
            .spawn(|| std::thread::current().id())
            .expect("a thread")
            .join()
            .expect("its id");
        assert_eq!(blame(here, here), Blame::Screen);
        assert_eq!(blame(there, here), Blame::Other);
    }
}
