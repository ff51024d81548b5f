//! onceish: a chaos lab for job delivery, in a terminal.
//!
//! **A policy is a program, a worker is its interpreter, and a fault is something that happens in a gap between two
//! steps.** The modules, in reading order, and what each must not know:
//!
//! - the leaves: [`text`], [`time`], [`ids`], [`policy`], [`setup`], [`page`], [`request`], [`event`], [`action`],
//!   [`digest`], the words that every room uses, and `sabotage`, the flaws that tests let strike. They know nothing else
//!   of the house.
//! - [`engine`]: queue, worker, retry, workload. Pure: it knows no clock, thread, file, SQL or terminal.
//! - [`sink`]: the only SQL. It knows no engine, driver or board.
//! - [`driver`]: performs what the engine asks, on real threads or in virtual time. It knows no board, report or terminal.
//! - [`board`]: a pure fold of events: counters, verdict, both views, lease spans, job histories. It knows events
//!   only, never the engine, the sink or the driver.
//! - [`rehearsal`]: runs in virtual time that are shown as they go and can be taken back. It knows no screen.
//! - [`claims`]: measured comparisons: what comes of the same jobs under other policies, deaths and parameters. It knows
//!   no terminal.
//! - [`recording`]: the events of a run in a file, written while it goes on and folded again later. It knows boards, and
//!   neither driver nor screen.
//! - [`lab`]: lab files: lessons that are checks too. What they say, do, ask and expect. It knows no terminal and no file.
//! - [`tui`]: the only terminal screen. It knows boards, recordings, labs and actions, never the engine, the sink or the
//!   driver.
//! - [`export`]: recordings as casts, pictures and documents, drawn by the screen's own painter.
//! - [`cli`]: the commands. They only wire the rest together.

pub mod action;
pub mod board;
pub mod claims;
pub mod cli;
pub mod digest;
pub mod driver;
pub mod engine;
pub mod event;
pub mod export;
pub mod ids;
pub mod lab;
pub mod page;
pub mod policy;
pub mod recording;
pub mod rehearsal;
pub mod request;
mod sabotage;
pub mod setup;
pub mod sink;
pub mod text;
pub mod time;
pub mod tui;
