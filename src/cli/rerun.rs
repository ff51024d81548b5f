//! `onceish rerun`: runs the set-up of a recording again with what was done to it, and says where the two part.
//!
//! In virtual time everything is done at its place among the events, so every event must come again. On threads it is
//! done at its moment of lab time; the order of events is then never quite the same, and what is compared is what became
//! of the jobs.

mod again;

use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, Mutex};

use again::{Again, Done, everything_done};

use super::args::RerunArgs;
use super::failure::{self, Failure};
use super::headless::locked;
use super::launch;
use super::outcome::Outcome;
use super::plain::Narrator;
use super::refold::{damaged, warn_if_contradicted, warn_if_cut_off};
use super::words::labelled;
use crate::board::{Board, Counters};
use crate::driver::Mode;
use crate::driver::simulation::Ground;
use crate::event::{Event, Finish};
use crate::recording::{self, Entry, Folded, Reader};
use crate::setup::Driver;
use crate::text::{count, counted};

/// Where the text begins.
const INDENT: usize = 10;

/// Where a recording and its second run part.
struct Parting {
    /// The number of the event, from 0.
    number: u64,
    recorded: Option<Event>,
    again: Option<Event>,
}

/// Runs a recording again. The result is the exit code.
pub fn rerun(args: &RerunArgs) -> Result<u8, Failure> {
    let file = args.file.as_path();
    let folded = Folded::read(file, Board::new()).map_err(|damage| damaged(file, &damage))?;
    let done = everything_done(reader(file)?).map_err(|damage| damaged(file, &damage))?;
    warn_if_cut_off(file, &folded);
    warn_if_contradicted(file, &folded);
    let acts = done.acts();
    let (parting, board) = match folded.header.driver {
        Driver::Simulation => virtually(file, &folded, done)?,
        Driver::Threads => on_threads(file, &folded, done)?,
    };
    let outcome = judge(&folded, &board, parting.as_ref());
    let facts = format!(
        "{}, {} done again, {}, seed {}",
        counted(folded.digest.events(), "event", "events"),
        counted(acts, "action", "actions"),
        folded.header.driver,
        folded.header.seed
    );
    let mut text = format!("onceish rerun   {facts}\n\n");
    text += &parting.as_ref().map_or_else(|| labelled("same", INDENT, "every event came again"), told);
    text += &differences(&folded.board.counters(), &board.counters());
    text += &labelled(&format!("exit {}", outcome.code), INDENT, &outcome.reason);
    failure::print(&text).map(|()| outcome.code)
}

fn reader(file: &Path) -> Result<Reader<BufReader<std::fs::File>>, Failure> {
    recording::open(file).map_err(|damage| damaged(file, &damage))
}

/// A run that ended by itself ends by itself again; all others end where the recording does.
fn mode(folded: &Folded) -> Mode {
    match folded.board.finished() {
        Some((Finish::Drained | Finish::Stuck, _)) => Mode::Headless,
        _ => Mode::Interactive,
    }
}

/// Runs it in virtual time, event by event beside the recording, up to where they part.
fn virtually(file: &Path, folded: &Folded, mut done: Done) -> Result<(Option<Parting>, Board), Failure> {
    let setup = folded.header.setup.clone();
    let store = launch::open(&setup, None)?;
    let ground = Ground::lay(setup, store.run(), &store, mode(folded));
    // What ends the run of a lab is its plan; all others are ended from outside.
    let mut end = if folded.header.lab.is_some() { None } else { done.take_end() };
    let mut ground = ground.map_err(anyhow::Error::from)?;
    let mut machine = ground.machine(Box::new(Again::in_place(done)));
    let (mut recorded, mut board) = (reader(file)?, Board::new());
    let mut closed = false;
    loop {
        for event in machine.take() {
            let number = board.seq();
            if number >= folded.digest.events() && folded.closing.is_none() {
                return Ok((None, board));
            }
            board.fold(&event);
            let said = next(file, &mut recorded)?;
            if said.as_ref() != Some(&event) {
                return Ok((Some(Parting { number, recorded: said, again: Some(event) }), board));
            }
        }
        if closed || board.seq() >= folded.digest.events() {
            break;
        }
        if machine.over() {
            machine.close();
            closed = true;
        } else if end.is_some_and(|(events, at)| board.seq() >= events && machine.next_moment() > at) {
            machine.quit(Finish::Quit);
            end = None;
        } else {
            machine.turn();
        }
    }
    let left = next(file, &mut recorded)?;
    let number = board.seq();
    Ok((left.map(|event| Parting { number, recorded: Some(event), again: None }), board))
}

fn next(file: &Path, reader: &mut Reader<BufReader<std::fs::File>>) -> Result<Option<Event>, Failure> {
    match reader.entry().map_err(|damage| damaged(file, &damage))? {
        Some(Entry::Event(event)) => Ok(Some(event)),
        _ => Ok(None),
    }
}

/// Runs it on threads to its end. Moments are left out of what is compared: no two runs have the same.
fn on_threads(file: &Path, folded: &Folded, done: Done) -> Result<(Option<Parting>, Board), Failure> {
    let store = launch::open(&folded.header.setup, None)?;
    let mut recorded = reader(file)?;
    let seen = Arc::new(Mutex::new((Board::new(), None)));
    let told = seen.clone();
    let consumer = Box::new(move |events: &[Event]| {
        let (board, parting) = &mut *locked(&told);
        for event in events {
            let number = board.seq();
            board.fold(event);
            if parting.is_none() {
                let said = match recorded.entry() {
                    Ok(Some(Entry::Event(event))) => Some(event),
                    _ => None,
                };
                if said.as_ref().map(|said| &said.what) != Some(&event.what) {
                    *parting = Some(Parting { number, recorded: said, again: Some(event.clone()) });
                }
            }
        }
    });
    let plan = Box::new(Again::in_time(done));
    launch::start(&folded.header.setup, store, mode(folded), plan, vec![consumer])?.wait();
    let (board, parting) = std::mem::take(&mut *locked(&seen));
    Ok((parting, board))
}

/// How many jobs came to what: what a run on threads has in common with another.
fn fates(n: &Counters) -> [u64; 6] {
    [n.enqueued, n.lost, n.once, n.duplicated, n.dead, n.pending]
}

fn judge(folded: &Folded, again: &Board, parting: Option<&Parting>) -> Outcome {
    let same_fates = fates(&folded.board.counters()) == fates(&again.counters());
    let same_word = folded.board.verdict().word == again.verdict().word;
    match (folded.header.driver, parting) {
        (_, None) if folded.closing.is_none() => Outcome::new(0, "the same again, as far as it was recorded"),
        (_, None) => Outcome::new(0, "the same again"),
        (Driver::Simulation, Some(parting)) => Outcome::new(1, format!("they part at event {}", count(parting.number))),
        (Driver::Threads, _) if same_fates && same_word => {
            Outcome::new(0, "the same became of the jobs, and of the promise")
        }
        (Driver::Threads, _) if same_fates => Outcome::new(1, "the verdict is another"),
        (Driver::Threads, _) => Outcome::new(1, "something else became of the jobs"),
    }
}

/// Both events in words.
fn told(parting: &Parting) -> String {
    let words = |event: &Option<Event>| {
        event.as_ref().map_or_else(|| "nothing more".to_owned(), |event| Narrator::new().line(event))
    };
    let number = count(parting.number);
    let mut text = labelled("parted", INDENT, &format!("at event {number}, counted from 0"));
    text += &labelled("recorded", INDENT, &words(&parting.recorded));
    text + &labelled("again", INDENT, &words(&parting.again))
}

/// The counters that differ, a line each.
fn differences(recorded: &Counters, again: &Counters) -> String {
    let values = |counters: &Counters| serde_json::to_value(counters).unwrap_or_default();
    let (recorded, again) = (values(recorded), values(again));
    let names = recorded.as_object().into_iter().flatten();
    let other = names.filter_map(|(name, n)| again.get(name).filter(|m| *m != n).map(|m| (name, n, m)));
    other.map(|(name, n, m)| labelled("", INDENT, &format!("{name}: {n} recorded, {m} again"))).collect()
}
