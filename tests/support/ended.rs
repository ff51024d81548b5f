//! A run that is over, to be judged by its events, by both witnesses, and by SQL of the test's own.

use std::path::PathBuf;

use onceish::board::Board;
use onceish::digest::Digest;
use onceish::event::{Event, Finish, What};
use onceish::ids::Worker;
use onceish::request::FinalCounts;
use onceish::time;
use tempfile::TempDir;

use super::script;

/// The nanosecond by which work at a third of the pace may be rounded up, and the same of a sum of decimals.
const ROUNDING: f64 = 1.5e-9;

/// A run that is over.
pub struct Ended {
    pub how: Finish,
    pub events: Vec<Event>,
    pub board: Board,
    /// True when it ran in virtual time, so that moments are exact.
    pub virtually: bool,
    path: PathBuf,
    _folder: TempDir,
}

impl Ended {
    /// Gathers what there is to judge. Whatever the run was, its witnesses must agree.
    #[track_caller]
    pub(super) fn new(how: Finish, events: Vec<Event>, virtually: bool, path: PathBuf, folder: TempDir) -> Ended {
        let board = events.iter().collect();
        let ended = Ended { how, events, board, virtually, path, _folder: folder };
        ended.check_the_witnesses();
        ended
    }

    pub fn counts(&self) -> FinalCounts {
        self.events
            .iter()
            .find_map(|event| match &event.what {
                What::Finished { counts, .. } => counts.as_deref().copied(),
                _ => None,
            })
            .expect("a run ends with an audit")
    }

    /// How many events are as `is` says.
    pub fn count(&self, is: impl Fn(&What) -> bool) -> usize {
        self.events.iter().filter(|event| is(&event.what)).count()
    }

    /// The moments of the events that are as `is` says, in lab seconds.
    pub fn moments(&self, is: impl Fn(&What) -> bool) -> Vec<f64> {
        self.events.iter().filter(|event| is(&event.what)).map(|event| event.at.seconds()).collect()
    }

    /// In virtual time such events come at exactly these moments, in lab seconds; on threads there are as many, each
    /// no earlier, since a real lab is late and never early.
    #[track_caller]
    pub fn comes_at(&self, moments: &[f64], is: impl Fn(&What) -> bool) {
        let came = self.moments(is);
        assert_eq!(came.len(), moments.len(), "{came:?} instead of {moments:?}");
        let near = |(came, wanted): (&f64, &f64)| {
            let off = came - wanted;
            if self.virtually { off.abs() < ROUNDING } else { off > -ROUNDING }
        };
        assert!(came.iter().zip(moments).all(near), "{came:?} instead of {moments:?}");
    }

    /// The same where a late act makes things come earlier, as slowing down work does: on threads only the number counts.
    #[track_caller]
    pub fn comes_about(&self, moments: &[f64], is: impl Fn(&What) -> bool) {
        if self.virtually {
            return self.comes_at(moments, is);
        }
        let came = self.moments(is);
        assert_eq!(came.len(), moments.len(), "{came:?} instead of about {moments:?}");
    }

    /// The same for beats and what follows them, of which one more or less may fit in on threads: there nothing is
    /// claimed.
    #[track_caller]
    pub fn ticks_at(&self, moments: &[f64], is: impl Fn(&What) -> bool) {
        if self.virtually {
            self.comes_at(moments, is);
        }
    }

    /// The place in the log of the first event that is as `is` says.
    #[track_caller]
    pub fn place(&self, is: impl Fn(&What) -> bool) -> usize {
        self.events.iter().position(|event| is(&event.what)).expect("it happened")
    }

    /// When the first event that is as `is` says came.
    #[track_caller]
    pub fn time(&self, is: impl Fn(&What) -> bool) -> time::Instant {
        self.events[self.place(is)].at
    }

    /// How many deliveries were handed out.
    pub fn claims(&self) -> usize {
        self.count(|what| matches!(what, What::Claimed { .. }))
    }

    /// The worker that got the first job.
    #[track_caller]
    pub fn holder(&self) -> Worker {
        script::holder(&self.events).expect("a job was handed out")
    }

    /// Lost, once, duplicated, by SQL.
    pub fn fates(&self) -> (u64, u64, u64) {
        let counts = self.counts();
        (counts.lost, counts.once, counts.duplicated)
    }

    /// The digest of all that happened.
    pub fn digest(&self) -> String {
        let mut digest = Digest::default();
        digest.take(&self.events);
        digest.to_string()
    }

    /// One number by SQL of the test's own, over a connection of its own.
    pub fn sql(&self, query: &str) -> i64 {
        let connection = rusqlite::Connection::open(&self.path).expect("the file is a database");
        connection.query_row(query, [], |row| row.get(0)).expect(query)
    }

    /// Ids by SQL of the test's own.
    pub fn ids(&self, query: &str) -> Vec<u32> {
        let connection = rusqlite::Connection::open(&self.path).expect("the file is a database");
        let mut statement = connection.prepare(query).expect(query);
        let rows = statement.query_map([], |row| row.get(0)).expect(query);
        rows.map(|row| row.expect("an id")).collect()
    }

    /// Board and SQL must agree at the end of every run, and every delivery has exactly one end.
    #[track_caller]
    fn check_the_witnesses(&self) {
        let counters = self.board.counters();
        let counts = self.counts();
        let board = (counters.lost, counters.once, counters.duplicated, counters.effects, counters.dead_applied);
        let sql = (counts.lost, counts.once, counts.duplicated, counts.rows, counts.dead_applied);
        assert_eq!(board, sql, "board and SQL differ");
        assert!(self.board.witnesses_agree(), "an audit differed");
        assert_eq!(self.board.violations(), [] as [String; 0]);
        let claimed = self.count(|what| matches!(what, What::Claimed { .. }));
        let ended = self.count(|what| matches!(what, What::Ended { .. }));
        assert_eq!(claimed, ended, "every delivery has exactly one end");
    }
}
