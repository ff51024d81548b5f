//! A lab made of a recording: the same set-up, what was done at the same moments, and what it came to as expectations.
//!
//! It is a draft: a title and a sentence of what it teaches are there to be written. In virtual time it holds as it is;
//! what a run on threads came to is written down beside it, since the next one may come to something else.

use std::fmt::Write as _;

use super::differences::Differences;
use super::tale::counters;
use super::{is_told, title};
use crate::action::{self, Action};
use crate::board::{Counters, Line};
use crate::event::{Finish, What};
use crate::recording::Player;
use crate::setup::Driver;
use crate::text::clean;
use crate::time::{Instant, Span};

/// The text of the lab.
pub fn draft(player: &Player) -> String {
    let header = player.header();
    let virtually = header.driver == Driver::Simulation;
    let mut text = format!(
        "# A draft made from a recording of {}, which lasted {:.2} s.\n\
         title = {}\nteaches = \"what this shows, in one line\"\nseed = {}\n",
        header.program,
        player.ends().seconds(),
        string(&title(player)),
        header.seed
    );
    if virtually {
        text.push_str("driver = \"simulation\"\n");
    }
    text + &setup(player) + &steps(player) + &expectations(player, virtually) + &faults(player)
}

fn setup(player: &Player) -> String {
    let Differences { from_sandbox, keys } = Differences::of(&player.header().setup);
    let mut text = "\n[setup]\n".to_owned();
    if from_sandbox {
        text.push_str("base = \"sandbox\"\n");
    }
    for (name, value) in keys {
        let _in_memory = writeln!(text, "{name} = {value}");
    }
    let settled = matches!(player.last().finished(), Some((Finish::Drained, _)));
    if !settled && player.ends() > Instant::START {
        let _in_memory = write!(text, "until = {}\ncut = true\n", moment(player.ends()));
    }
    text
}

/// What happens at one moment.
enum Happening {
    Say(String),
    Do(String),
    Mark(String),
}

/// What was said, done and marked, in order of time.
fn steps(player: &Player) -> String {
    let mut all: Vec<(Instant, Happening)> = Vec::new();
    for line in player.last().narration() {
        if let (Line::Said { .. }, false) = (line.line, line.text.is_empty()) {
            all.push((line.at, Happening::Say(line.text.clone())));
        }
    }
    for place in player.places().iter().filter(|place| is_told(place)) {
        match &place.what {
            What::Action { text, refused: false, .. } => all.push((place.at, Happening::Do(text.to_string()))),
            What::Marked { text } => all.push((place.at, Happening::Mark(text.to_string()))),
            _ => {}
        }
    }
    all.sort_by_key(|(at, _)| *at);
    if all.is_empty() {
        return "\n[[step]]\nsay = \"what is about to happen\"\n".to_owned();
    }
    let mut text = String::new();
    for (at, happening) in all {
        let (key, words) = match happening {
            Happening::Say(words) => ("say", words),
            Happening::Do(words) => ("do", words),
            Happening::Mark(words) => ("mark", words),
        };
        let _in_memory = write!(text, "\n[[step]]\nat = {}\n{key} = {}\n", moment(at), string(&words));
    }
    text
}

fn expectations(player: &Player, virtually: bool) -> String {
    let last = player.last().counters();
    let always = [("lost", last.lost), ("duplicated", last.duplicated)];
    let always = always.into_iter().filter(|(_, n)| *n == 0).map(|(name, n)| (name.to_owned(), n));
    let rest = counters(&last).into_iter().filter(|(name, _)| name != "jobs");
    let all = always.chain(rest);
    if virtually {
        return all.map(|(name, n)| format!("\n[[expect]]\nthat = \"{name} == {n}\"\n")).collect();
    }
    let measured: String = all.map(|(name, n)| format!("#   {name} {n}\n")).collect();
    let settled = "\n[[expect]]\nthat = \"once + duplicated + lost + pending + dead - dead_applied == enqueued\"\n\
                   says = \"every job has one fate\"\n";
    format!("\n# Measured on threads, where the next run may differ:\n{measured}{settled}")
}

/// What has to have struck, or nothing was tested.
fn faults(player: &Player) -> String {
    let counters = player.last().counters();
    let Counters { deaths, failed, beats_lost, acks_lost, replies_lost, .. } = counters;
    let counted = [
        ("deaths", deaths),
        ("failed", failed),
        ("beats_lost", beats_lost),
        ("acks_lost", acks_lost),
        ("replies_lost", replies_lost),
    ];
    let mut struck: Vec<String> =
        counted.into_iter().filter(|(_, n)| *n > 0).map(|(name, _)| format!("{name} >= 1")).collect();
    if player.places().iter().any(|place| begins_a_fault(&place.what)) {
        struck.push("count(fault) >= 1".to_owned());
    }
    struck.iter().map(|that| format!("\n[[must_happen]]\nthat = \"{that}\"\n")).collect()
}

/// True for an action that has a worker suffer without dying.
fn begins_a_fault(what: &What) -> bool {
    let What::Action { text, refused: false, .. } = what else { return false };
    use Action::{Cut, Hang, Pause, Slow, Stall};
    matches!(action::parse(text), Ok(Stall(..) | Pause(..) | Hang(..) | Cut(..) | Slow(..)))
}

/// A moment as the time since the start, exact to the nanosecond.
fn moment(at: Instant) -> String {
    let text = Span(at.0).to_string();
    if at == Instant::START { "\"0s\"".to_owned() } else { format!("\"{text}\"") }
}

/// A string of TOML. Words of others are cleaned, so that only quotation marks and backslashes are left to escape.
fn string(words: &str) -> String {
    let words = clean(words);
    format!("\"{}\"", words.replace('\\', "\\\\").replace('"', "\\\""))
}
