//! `onceish grid`: the table of what becomes of a job whose worker dies in each gap, computed.

use serde::Serialize;

use super::args::GridArgs;
use super::comparison::{self, judge};
use super::failure::{self, Failure};
use super::json;
use super::outcome::Outcome;
use super::words;
use crate::claims::digest_of;
use crate::claims::grid::{Cell, Fate, Place, all_places, compute, places};
use crate::policy::{AckOrder, Dedup, Point, Program};
use crate::setup::Driver;
use crate::text::{count, counted};

/// Where the first column of fates begins.
const INDENT: usize = 14;
/// The same in the tables of all programs, which are wide.
const NARROW_INDENT: usize = 12;
/// The narrowest column.
const NARROWEST: usize = 10;

/// Computes the grid and prints it. The result is the exit code.
pub fn grid(args: &GridArgs) -> Result<u8, Failure> {
    let (driver, seed) = (args.measuring.driver(), args.measuring.seed());
    let places = if args.all { all_places() } else { places() };
    let cells = comparison::perform(places.len(), move |runner| compute(runner, &places, driver, seed))?;
    let outcome = judged(&cells);
    let text = if args.measuring.json {
        json::line(&Report::of(&cells, driver, seed, &outcome))
    } else {
        text(&cells, args.all, driver, seed, &outcome)
    };
    failure::print(&text).map(|()| outcome.code)
}

/// The exit code of the grid and its reason.
fn judged(cells: &[Cell]) -> Outcome {
    let names: Vec<String> = cells.iter().map(|cell| name(cell.place)).collect();
    judge(names.iter().map(String::as_str).zip(cells.iter().map(|cell| &cell.soundness)), "Each death struck.")
}

fn name(place: Place) -> String {
    format!("{}/{} after {}", place.ack, place.dedup, place.point)
}

/// The whole text of at most 80 columns.
fn text(cells: &[Cell], all: bool, driver: Driver, seed: u64, outcome: &Outcome) -> String {
    let mut text = format!("onceish grid   one job, one death in each gap, {driver}, seed {seed}\n\n");
    if all {
        for ack in AckOrder::ALL {
            let first = if *ack == AckOrder::Before { "first" } else { "last" };
            text += &format!("ack {ack}: the ack comes {first}\n");
            text += &table(cells, &Dedup::ALL.map(|dedup| (*ack, dedup)), &narrow());
            text += "\n";
        }
        text += "once *  the dead worker's effect was rolled back\n";
        text += "once =  the job came back and was recognised\n\n";
    } else {
        text += &table(cells, &crate::claims::grid::PROGRAMS, &wide());
        text += "\n";
    }
    text + &last_line(cells, outcome)
}

/// How a table looks: where its columns begin, what stands above them, by program, and how it says a fate.
struct Look {
    indent: usize,
    head: fn(AckOrder, Dedup) -> [String; 2],
    say: fn(Fate) -> &'static str,
}

/// The look of the five programs.
fn wide() -> Look {
    Look { indent: INDENT, head: |ack, dedup| wide_head(ack, dedup).map(str::to_owned), say: Fate::name }
}

fn wide_head(ack: AckOrder, dedup: Dedup) -> [&'static str; 2] {
    match (ack, dedup) {
        (AckOrder::Before, _) => ["before", "none"],
        (_, Dedup::None) => ["after", "none"],
        (_, Dedup::EffectThenKey) => ["effect,", "then key"],
        (_, Dedup::KeyThenEffect) => ["key, then", "effect"],
        _ => ["transac-", "tional"],
    }
}

/// The look of all programs of one ack.
fn narrow() -> Look {
    let say = |fate| match fate {
        Fate::RolledBack => "once *",
        Fate::Recognised => "once =",
        fate => fate.name(),
    };
    let head = |_, dedup| match dedup {
        Dedup::None => ["none".to_owned(), String::new()],
        Dedup::EffectThenKey | Dedup::KeyThenEffect | Dedup::Transactional => {
            wide_head(AckOrder::After, dedup).map(str::to_owned)
        }
        Dedup::Window(n) => ["window".to_owned(), count(n.into())],
        Dedup::Ttl(span) => ["ttl".to_owned(), words::span(span)],
        Dedup::PerWorker => ["per-".to_owned(), "worker".to_owned()],
    };
    Look { indent: NARROW_INDENT, head, say }
}

/// One table: a row for each gap, a column for each program.
fn table(cells: &[Cell], programs: &[(AckOrder, Dedup)], look: &Look) -> String {
    let heads: Vec<[String; 2]> = programs.iter().map(|(ack, dedup)| (look.head)(*ack, *dedup)).collect();
    let widths: Vec<usize> = heads.iter().map(|[a, b]| (a.len().max(b.len()) + 2).max(NARROWEST)).collect();
    let line = |name: &str, cells: Vec<&str>| {
        let mut line = format!("{name:<indent$}", indent = look.indent);
        cells.iter().zip(&widths).for_each(|(cell, width)| line += &format!("{cell:<width$}"));
        line.trim_end().to_owned() + "\n"
    };
    let mut text = line("died after", heads.iter().map(|head| head[0].as_str()).collect());
    text += &line("", heads.iter().map(|head| head[1].as_str()).collect());
    for point in Point::ALL {
        let has = |(ack, dedup): &(AckOrder, Dedup)| Program::of(*ack, *dedup).has(*point);
        if !programs.iter().any(has) {
            continue;
        }
        let fates = programs.iter().map(|(ack, dedup)| {
            let place = Place { ack: *ack, dedup: *dedup, point: *point };
            cells.iter().find(|cell| cell.place == place).map_or("-", |cell| (look.say)(cell.fate))
        });
        text += &line(point.name(), fates.collect());
    }
    text
}

/// How many cells came to what.
#[derive(Serialize)]
struct Sums {
    once: usize,
    lost: usize,
    twice: usize,
    #[serde(skip)]
    unsettled: usize,
}

impl Sums {
    fn of(cells: &[Cell]) -> Sums {
        let of = |is: fn(Fate) -> bool| cells.iter().filter(|cell| is(cell.fate)).count();
        Sums {
            once: of(|fate| matches!(fate, Fate::Once | Fate::RolledBack | Fate::Recognised)),
            lost: of(|fate| fate == Fate::Lost),
            twice: of(|fate| fate == Fate::Twice),
            unsettled: of(|fate| fate == Fate::Unsettled),
        }
    }
}

/// What came of all cells, and the exit code with its reason.
fn last_line(cells: &[Cell], outcome: &Outcome) -> String {
    let Sums { once, lost, twice, unsettled } = Sums::of(cells);
    let mut sums = vec![format!("{once} once"), format!("{lost} LOST"), format!("{twice} TWICE")];
    if unsettled > 0 {
        sums.push(format!("{unsettled} unsettled"));
    }
    let cells = counted(cells.len() as u64, "cell", "cells");
    let sums = format!("{cells} run: {}.", sums.join(", "));
    match outcome.code {
        0 => words::labelled("", 0, &format!("{sums} {} exit 0", outcome.reason)),
        _ => words::labelled("", 0, &sums) + &comparison::exit_line(outcome, 8),
    }
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    head: json::Head,
    #[serde(flatten)]
    sums: Sums,
    cells: &'a [Cell],
    digest: Option<String>,
    exit: json::Exit<'a>,
}

impl Report<'_> {
    fn of<'a>(cells: &'a [Cell], driver: Driver, seed: u64, outcome: &'a Outcome) -> Report<'a> {
        Report {
            head: json::Head::of("grid", seed, driver),
            sums: Sums::of(cells),
            cells,
            digest: digest_of(cells.iter().map(|cell| &cell.digest)),
            exit: json::Exit::of(outcome),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Soundness;

    /// Cells as the table of policies has them, written down by hand.
    fn cells() -> Vec<Cell> {
        let fate = |place: Place| match (place.ack, place.dedup, place.point) {
            (AckOrder::Before, _, Point::Ack | Point::Work) => Fate::Lost,
            (AckOrder::After, Dedup::None | Dedup::EffectThenKey, Point::Effect) => Fate::Twice,
            (_, Dedup::KeyThenEffect, Point::Key) => Fate::Lost,
            (_, Dedup::Transactional, Point::Effect | Point::Key) => Fate::RolledBack,
            (_, Dedup::Transactional, Point::Commit) => Fate::Recognised,
            _ => Fate::Once,
        };
        let cell = |place| Cell {
            place,
            fate: fate(place),
            deliveries: 2,
            dedup_hits: 0,
            soundness: Soundness { agree: true, ..Soundness::default() },
            digest: None,
        };
        places().into_iter().map(cell).collect()
    }

    #[test]
    fn the_grid_is_printed_as_it_is_drawn() {
        let cells = cells();
        let wanted = "\
onceish grid   one job, one death in each gap, simulation, seed 1

died after    before    after     effect,   key, then  transac-
              none      none      then key  effect     tional
claim         once      once      once      once       once
ack           LOST      -         -         -          -
work          LOST      once      once      once       once
check         -         -         once      once       once
effect        once      TWICE     TWICE     once       once, rolled back
key           -         -         once      LOST       once, rolled back
commit        -         -         -         -          once, recognised

23 cells run: 18 once, 3 LOST, 2 TWICE. Each death struck. exit 0
";
        assert_eq!(text(&cells, false, Driver::Simulation, 1, &judged(&cells)), wanted);
    }

    #[test]
    fn a_cell_whose_death_did_not_strike_is_named_in_the_reason() {
        let mut cells = cells();
        cells[0].soundness.lists = vec![crate::claims::List { strike: "ids:0@claim".to_owned(), struck: 0, had_to: 1 }];
        let outcome = judged(&cells);
        assert_eq!(outcome.code, 3);
        let text = text(&cells, false, Driver::Simulation, 1, &outcome);
        let wanted = "exit 3  inconclusive: before/none after claim: ids:0@claim struck 0 of 1 jobs\n";
        assert!(text.ends_with(wanted), "{text}");
    }
}
