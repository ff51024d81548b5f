//! `onceish explain`: what became of one job of a recording and why, in the lines that the inspector shows; or what went
//! wrong in it at all.
//!
//! The recording is read once for a job, however long it is, by a board that follows this job alone to the end.

use std::path::Path;

use super::args::ExplainArgs;
use super::failure::{self, Failure};
use super::refold::{damaged, moment, warn_if_contradicted, warn_if_cut_off};
use super::words::{self, labelled};
use crate::board::{Anomaly, AnomalyKind, Board};
use crate::ids::Job;
use crate::recording::Folded;
use crate::text::{clean, count, counted};
use crate::tui::words::story;

/// Where the text of an anomaly begins.
const INDENT: usize = 10;

/// Tells what was asked for. The result is the exit code.
pub fn explain(args: &ExplainArgs) -> Result<u8, Failure> {
    let read = |board| Folded::read(&args.file, board).map_err(|damage| damaged(&args.file, &damage));
    let folded = read(Board::that_follows(args.job))?;
    let text = match args.job {
        Some(job) => one(&args.file, &folded, job)?,
        None => {
            let kinds = folded.board.kinds_of_anomalies();
            let examples = read(Board::that_follows(kinds.iter().map(|(.., example)| example.job)))?;
            all(&args.file, &examples, &kinds)
        }
    };
    warn_if_cut_off(&args.file, &folded);
    warn_if_contradicted(&args.file, &folded);
    failure::print(&text).map(|()| 0)
}

/// The story of one job.
fn one(file: &Path, folded: &Folded, job: Job) -> Result<String, Failure> {
    let story = folded.board.story(job).ok_or_else(|| unknown(file, &folded.board, job))?;
    let lines = story::lines(&story, words::WIDTH).into_iter();
    Ok(lines.map(|line| clean(line.trim_end()).into_owned() + "\n").collect())
}

fn unknown(file: &Path, board: &Board, job: Job) -> Failure {
    let there = match board.counters().enqueued {
        0 => "no job arrived in it".to_owned(),
        1 => "its only job is 0".to_owned(),
        jobs => format!("its jobs are 0 to {}", jobs - 1),
    };
    Failure::Usage(vec![format!("{} has no job {job}: {there}", clean(&file.to_string_lossy()))])
}

/// Each kind of anomaly with its count and one example, which `folded` has followed.
fn all(file: &Path, folded: &Folded, kinds: &[(AnomalyKind, u64, Anomaly)]) -> String {
    let total: u64 = kinds.iter().map(|(_, count, _)| count).sum();
    let head = format!(
        "{} in {}, seed {}",
        counted(total, "anomaly", "anomalies"),
        counted(folded.digest.events(), "event", "events"),
        folded.header.seed
    );
    let mut text = format!("onceish explain   {head}\n");
    for (kind, n, example) in kinds {
        let brief = folded.board.brief(example.job).unwrap_or_default();
        let words = format!("{} {}", count(*n), what(*kind, *n));
        let told = format!("job {} at {}: {}", example.job, moment(example.at), clean(&brief));
        text += "\n";
        text += &labelled(kind.name(), INDENT, &words);
        text += &labelled("", INDENT, &told);
        text += &format!("{:INDENT$}More: onceish explain {} {}\n", "", words::argument(file), example.job);
    }
    text
}

/// What so many of a kind are.
fn what(kind: AnomalyKind, n: u64) -> &'static str {
    match (kind, n) {
        (AnomalyKind::Lost, 1) => "job was forgotten without an effect",
        (AnomalyKind::Lost, _) => "jobs were forgotten without an effect",
        (AnomalyKind::Twice, 1) => "effect was one too many",
        (AnomalyKind::Twice, _) => "effects were too many",
        (AnomalyKind::Stale, 1) => "ack, nack or renewal came too late",
        (AnomalyKind::Stale, _) => "acks, nacks or renewals came too late",
        (AnomalyKind::Fenced, 1) => "write was refused by the fence",
        (AnomalyKind::Fenced, _) => "writes were refused by the fence",
    }
}
