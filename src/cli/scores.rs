//! How often each lab's questions were answered right, in `scores.json` in the state folder.
//!
//! Scores are written whole, into a new file that takes the place of the old one, so that nothing tears them. A file
//! that cannot be understood is moved aside with a warning and never lost; one that a newer program wrote is left alone.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::places::Places;
use crate::text::clean;

/// The name of the file.
pub const FILE: &str = "scores.json";
/// The version of the format.
pub const FORMAT: u32 = 1;
/// The longest file that is read, in bytes.
const LONGEST: u64 = 1_024 * 1_024;

/// Answers to the questions of a lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// How many were right.
    pub right: u32,
    /// Of so many.
    pub of: u32,
    /// Whether somebody interfered with the run, so that its figures are not the lab's: `2/2 *`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interfered: bool,
}

impl Score {
    /// True when it takes the place of `other`: one that nobody interfered with goes before one that somebody did, then
    /// the greater share of right answers, then the later one.
    fn beats(self, other: Score) -> bool {
        let share = |score: Score| f64::from(score.right) / f64::from(score.of.max(1));
        match (self.interfered, other.interfered) {
            (false, true) => true,
            (true, false) => false,
            _ => share(self) >= share(other),
        }
    }
}

/// What is known of one lab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    best: Option<Score>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unfinished: Option<u32>,
}

/// How far a lab was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// To its end, with these answers.
    Finished(Score),
    /// Left at this step.
    Left(u32),
}

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    scores: u32,
    labs: BTreeMap<String, Known>,
}

/// The scores of the current user, by the names of labs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// Where they are kept; nowhere without a state folder, or beside a file of a newer program.
    path: Option<PathBuf>,
    labs: BTreeMap<String, Known>,
}

impl Scores {
    /// Where the file of the current user is, whether there is one or not.
    pub fn path() -> Option<PathBuf> {
        Places::find().map(|places| places.state.join(FILE))
    }

    /// The scores of the current user, and a warning if they could not be read.
    pub fn load() -> (Scores, Option<String>) {
        Scores::path().map_or_else(Default::default, Scores::load_from)
    }

    /// The scores in the file at `path`, and a warning if they could not be read.
    pub fn load_from(path: PathBuf) -> (Scores, Option<String>) {
        let name = clean(&path.to_string_lossy()).into_owned();
        match read(&path) {
            Ok(labs) => (Scores { labs, path: Some(path) }, None),
            Err(Unread::Newer(version)) => {
                let why = format!("{name} has format {version}, which this program does not know: no scores are noted");
                (Scores::default(), Some(why))
            }
            Err(Unread::Failed(error)) => {
                (Scores::default(), Some(format!("{name} cannot be read, so no scores are noted: {error}")))
            }
            Err(Unread::Damaged(what)) => match move_aside(&path) {
                Ok(aside) => {
                    let aside = aside.to_string_lossy();
                    let why = format!("scores begin anew: {name} is damaged ({what}), and is now {}", clean(&aside));
                    (Scores { path: Some(path), ..Scores::default() }, Some(why))
                }
                Err(error) => {
                    (Scores::default(), Some(format!("{name} is damaged ({what}) and cannot be moved: {error}")))
                }
            },
        }
    }

    /// The best answers that were given in a lab.
    pub fn best(&self, lab: &str) -> Option<Score> {
        self.labs.get(lab)?.best
    }

    /// The step at which a lab was left, if it was not taken to its end since.
    pub fn unfinished(&self, lab: &str) -> Option<u32> {
        self.labs.get(lab)?.unfinished
    }

    /// Notes how far a lab was taken, and writes it down. What another process has noted meanwhile is kept.
    ///
    /// # Errors
    /// Why it could not be written, in words; it is known here all the same.
    pub fn note(&mut self, lab: &str, taken: Taken) -> Result<(), String> {
        if let Some(Ok(labs)) = self.path.as_deref().map(read) {
            self.labs = labs;
        }
        let known = self.labs.entry(lab.to_owned()).or_default();
        match taken {
            Taken::Left(step) => known.unfinished = Some(step),
            Taken::Finished(score) => {
                known.unfinished = None;
                known.best = Some(known.best.filter(|best| !score.beats(*best)).unwrap_or(score));
            }
        }
        let Some(path) = &self.path else { return Err("there is no place to keep scores in".to_owned()) };
        let written = Written { scores: FORMAT, labs: self.labs.clone() };
        write(path, &written).map_err(|error| format!("scores cannot be written: {error}"))
    }
}

/// Why scores could not be read.
enum Unread {
    /// A program that knows more wrote them.
    Newer(u64),
    /// They are there and cannot be read.
    Failed(io::Error),
    /// They are no scores.
    Damaged(String),
}

fn read(path: &Path) -> Result<BTreeMap<String, Known>, Unread> {
    let bytes = match fs::metadata(path).and_then(|file| match file.len() {
        0..=LONGEST => fs::read(path).map(Some),
        _ => Ok(None),
    }) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(Unread::Damaged("too long".to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(Unread::Failed(error)),
    };
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|error| Unread::Damaged(error.to_string()))?;
    match value.get("scores").and_then(serde_json::Value::as_u64) {
        Some(version) if version > u64::from(FORMAT) => return Err(Unread::Newer(version)),
        _ => {}
    }
    let written: Written = serde_json::from_value(value).map_err(|error| Unread::Damaged(error.to_string()))?;
    Ok(written.labs)
}

/// Gives a file a name that nothing has yet.
fn move_aside(path: &Path) -> io::Result<PathBuf> {
    for n in 1..1_000 {
        let aside = path.with_extension(format!("damaged-{n}.json"));
        // A hard link fails where there is something already; a move would take its place.
        match fs::hard_link(path, &aside) {
            Ok(()) => return fs::remove_file(path).map(|()| aside),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Writes everything into a new file and puts that in the place of the old one.
fn write(path: &Path, written: &Written) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec_pretty(written)?)?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNTOUCHED: Score = Score { right: 1, of: 2, interfered: false };

    fn shelf() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new").join(FILE);
        (folder, path)
    }

    fn begin(path: &Path) -> Scores {
        let (scores, warning) = Scores::load_from(path.to_owned());
        assert_eq!(warning, None);
        scores
    }

    #[test]
    fn the_best_answers_stay_and_are_read_again() {
        let (_folder, path) = shelf();
        let mut scores = begin(&path);
        for right in [1, 2, 0] {
            scores.note("05", Taken::Finished(Score { right, of: 3, interfered: false })).expect("written");
        }
        assert_eq!(begin(&path).best("05"), Some(Score { right: 2, of: 3, interfered: false }));
        assert_eq!(begin(&path).best("06"), None);
    }

    #[test]
    fn a_run_that_was_interfered_with_does_not_take_the_place_of_one_that_was_not() {
        let (_folder, path) = shelf();
        let meddled = Score { right: 2, of: 2, interfered: true };
        let mut scores = begin(&path);
        scores.note("05", Taken::Finished(meddled)).expect("written");
        assert_eq!(scores.best("05"), Some(meddled));
        scores.note("05", Taken::Finished(UNTOUCHED)).expect("written");
        scores.note("05", Taken::Finished(meddled)).expect("written");
        assert_eq!(begin(&path).best("05"), Some(UNTOUCHED));
    }

    #[test]
    fn a_lab_that_was_left_is_gone_on_with_until_it_is_finished() {
        let (_folder, path) = shelf();
        let mut scores = begin(&path);
        scores.note("09", Taken::Left(2)).expect("written");
        assert_eq!(begin(&path).unfinished("09"), Some(2));
        scores.note("09", Taken::Finished(UNTOUCHED)).expect("written");
        assert_eq!((begin(&path).unfinished("09"), begin(&path).best("09")), (None, Some(UNTOUCHED)));
    }

    #[test]
    fn what_another_process_has_noted_meanwhile_is_kept() {
        let (_folder, path) = shelf();
        let (mut one, mut other) = (begin(&path), begin(&path));
        one.note("01", Taken::Finished(UNTOUCHED)).expect("written");
        other.note("02", Taken::Left(4)).expect("written");
        let both = begin(&path);
        assert_eq!((both.best("01"), both.unfinished("02")), (Some(UNTOUCHED), Some(4)));
    }

    #[test]
    fn damaged_scores_are_moved_aside_whole_and_never_over_others() {
        let (_folder, path) = shelf();
        for (n, damage) in ["{", "{\"scores\":1,\"labs\":{\"a\":7}}", "[]"].into_iter().enumerate() {
            begin(&path).note("01", Taken::Left(1)).expect("written");
            fs::write(&path, damage).expect("written");
            let (scores, warning) = Scores::load_from(path.clone());
            assert!(warning.expect("a warning").contains("damaged"));
            assert_eq!(scores.unfinished("01"), None);
            let aside = path.with_extension(format!("damaged-{}.json", n + 1));
            assert_eq!(fs::read_to_string(aside).expect("kept"), damage);
        }
    }

    #[test]
    fn scores_of_a_newer_program_are_left_alone() {
        let (_folder, path) = shelf();
        begin(&path).note("01", Taken::Left(1)).expect("written");
        let newer = "{\"scores\":2,\"labs\":[]}";
        fs::write(&path, newer).expect("written");
        let (mut scores, warning) = Scores::load_from(path.clone());
        assert!(warning.expect("a warning").contains("format 2"));
        assert!(scores.note("01", Taken::Left(3)).is_err());
        assert_eq!(fs::read_to_string(&path).expect("text"), newer);
    }
}
