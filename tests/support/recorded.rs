//! Runs that are recorded, so that what is made of recordings can be judged.

use std::path::Path;

use onceish::event::{Event, What};
use onceish::policy::Dedup;
use onceish::recording::{Header, Writer};
use onceish::setup::Setup;

use super::{Ended, Lab, lab};

/// A lab with the sandbox's pace, two writes and this many jobs, in which w4 is killed in its work and w2 between its
/// effect and its key.
pub fn two_writes(jobs: u32) -> Lab {
    let paced = lab(jobs).change(|setup| {
        *setup = Setup::sandbox(249);
        setup.policy.dedup = Dedup::EffectThenKey;
        setup.workload.jobs = Some(jobs);
    });
    paced.at(18.2, "kill w4").at(37.0, "kill w2 at effect").at(40.0, "mark one worker is down, nothing is wrong yet")
}

/// Writes these events down as a recording.
pub fn record(events: &[Event], lab: Option<&str>, path: &Path) {
    let What::Started { setup, .. } = &events[0].what else { panic!("a run starts") };
    let writer = Writer::create(path, &Header::of(setup, lab.map(str::to_owned), 0)).expect("a new file");
    events.chunks(997).for_each(|batch| writer.take(batch));
    writer.close(&events.iter().collect()).expect("written");
}

impl Ended {
    /// Writes the run down as a recording.
    pub fn record(&self, path: &Path) {
        record(&self.events, None, path);
    }
}
