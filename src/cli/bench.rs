//! `onceish bench`: the lab beside what it is measured against, both in the same run.
//!
//! An absolute figure says as much about the machine as about the lab, so each line has two figures and their ratio.

use anyhow::Context;

use super::failure::{self, Failure};
use super::measure::{self, Paired, recorded, virtually};
use super::words;
use crate::policy::Dedup;
use crate::setup::Setup;
use crate::text::count;

/// Jobs of one measured run, and how often each pair is measured; the median counts.
const JOBS: u32 = 30_000;
const ROUNDS: usize = 3;
/// Jobs of a recording of about a million events, and how many places of it are gone to.
const LONG: u32 = 125_000;
const SEEKS: usize = 50;

/// One thing that was measured, and what it is held against.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What was measured: `effects committed, 8 workers`.
    pub what: String,
    /// The lab's figure, a second.
    pub ours: f64,
    /// The other side and its figure, a second; `None` for a figure that stands alone.
    pub against: Option<(String, f64)>,
}

/// The measurements as a table of at most 80 columns.
pub fn table(measured: &[Measured]) -> String {
    let mut text = String::from("onceish bench   a second; the ratio is the lab's figure over the other one\n\n");
    for line in measured {
        let ours = words::rate(line.ours);
        let (other, ratio) = match &line.against {
            Some((name, figure)) => {
                (format!("{:>11} {name}", words::rate(*figure)), format!("{:.2}", line.ours / figure))
            }
            None => (String::new(), String::new()),
        };
        let row = format!("{:<32}{ours:>11}  {other:<29}{ratio:>5}", line.what);
        text += row.trim_end();
        text += "\n";
    }
    text
}

/// Measures everything and prints it. Takes about half a minute.
pub fn bench() -> Result<(), Failure> {
    let measured = measure_all().context("cannot measure")?;
    failure::print(&table(&measured))
}

fn measure_all() -> anyhow::Result<Vec<Measured>> {
    let mut measured = Vec::new();
    for workers in [1, 2, 4, 8] {
        let pair = measure::against_the_bare_loop(Dedup::Transactional, workers, JOBS, ROUNDS)?;
        measured.push(effects(workers, &pair));
        if workers == 8 {
            measured.extend(fairness(&pair));
        }
    }
    measured.extend(virtual_time()?);
    measured.extend(recordings()?);
    measured.push(Measured {
        what: "queue alone, 8 threads".into(),
        ours: measure::queue_alone(8, 1_000_000),
        against: None,
    });
    let mut setup = Setup::headless(1);
    setup.workload.jobs = Some(100_000);
    let events = measure::events_of(setup)?;
    measured.push(Measured { what: "events folded by the board".into(), ours: measure::fold(&events), against: None });
    let drawn = measure::draw(&measure::dense_board()?, 200);
    measured.push(Measured { what: "one full screen, 200x50, us".into(), ours: drawn * 1_000.0, against: None });
    Ok(measured)
}

fn effects(workers: u16, pair: &Paired) -> Measured {
    let what = format!("effects committed, {workers} workers");
    Measured { what, ours: pair.lab.effects, against: Some(("bare loop".into(), pair.bare)) }
}

/// What recordings cost: one beside a run, and a long one that is played.
fn recordings() -> anyhow::Result<Vec<Measured>> {
    let cost = recorded::cost(8, JOBS, ROUNDS)?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("long.jsonl");
    recorded::write(&path, LONG)?;
    let played = recorded::play(&path, SEEKS)?;
    let alone = |what: String, seconds: f64| Measured { what, ours: seconds * 1_000.0, against: None };
    Ok(vec![
        Measured {
            what: "effects committed, recorded".into(),
            ours: cost.on,
            against: Some(("not recorded".into(), cost.off)),
        },
        alone(format!("opening {} events, ms", count(played.events as u64)), played.open),
        alone(format!("  worst of {SEEKS} seeks, ms"), played.worst_seek),
        alone("  median seek, ms".into(), played.median_seek),
    ])
}

/// What virtual time costs: a run, an event, and all of `verify`.
fn virtual_time() -> anyhow::Result<Vec<Measured>> {
    let run = virtually::against_the_bare_loop(Dedup::Transactional, JOBS, ROUNDS)?;
    let verify = virtually::verify_against_its_statements()?;
    Ok(vec![
        Measured {
            what: "effects simulated, 8 workers".into(),
            ours: run.ours,
            against: Some(("bare loop in memory".into(), run.bare)),
        },
        Measured {
            what: "events simulated, free sink".into(),
            ours: virtually::events_with_a_free_sink(10 * JOBS)?,
            against: None,
        },
        Measured {
            what: format!("verify, {} cores, seconds", verify.cores),
            ours: verify.ours,
            against: Some(("its SQL bare, 1 core".into(), verify.bare)),
        },
    ])
}

/// How evenly the eight workers of the median run were served.
fn fairness(pair: &Paired) -> [Measured; 2] {
    let longest = pair.lab.longest_wait.as_secs_f64() * 1_000.0;
    [
        Measured { what: "  longest wait of a worker, ms".into(), ours: longest, against: None },
        Measured { what: "  least-served, % of its share".into(), ours: pair.lab.least_share * 100.0, against: None },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_and_their_ratio_stand_in_a_line() {
        let measured = [
            Measured {
                what: "effects committed, 8 workers".to_owned(),
                ours: 30_000.0,
                against: Some(("bare loop".to_owned(), 40_000.0)),
            },
            Measured { what: "events folded by the board".to_owned(), ours: 5_000_000.0, against: None },
        ];
        let text = table(&measured);
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "effects committed, 8 workers         30,000       40,000 bare loop         0.75",
                "events folded by the board        5,000,000",
            ]
        );
        assert!(text.lines().all(|line| line.len() <= words::WIDTH), "{text}");
    }
}
