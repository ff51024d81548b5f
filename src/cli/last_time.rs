//! The sandbox as it was left last, in `sandbox.json` in the state folder: its set-up, with the policy then in force.
//!
//! It is a convenience and nothing else: what cannot be read, or is no set-up that this program would run, is as if it
//! were not there, and what cannot be written is noted for whoever looks for a fault.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::places::Places;
use super::setup::errors;
use crate::policy::Policy;
use crate::setup::{MAX_WORKERS, Setup};
use crate::text::clean;

/// The name of the file.
const FILE: &str = "sandbox.json";
/// The longest file that is read, in bytes.
const LONGEST: u64 = 4 * 1_024 * 1_024;

/// Where the file of the current user is, whether there is one or not.
fn path() -> Option<PathBuf> {
    Places::find().map(|places| places.state.join(FILE))
}

/// The set-up of last time, if there is one.
pub fn load() -> Option<Setup> {
    load_from(&path()?)
}

fn load_from(path: &Path) -> Option<Setup> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    let setup: Setup = serde_json::from_slice(&bytes).ok()?;
    is_sound(&setup).then_some(setup)
}

/// True for what flags could have asked for.
fn is_sound(setup: &Setup) -> bool {
    let leases = Policy::SHORTEST_LEASE..=Policy::LONGEST_LEASE;
    let limits = (1..=MAX_WORKERS).contains(&setup.workers)
        && leases.contains(&setup.policy.lease)
        && (0.1..=100.0).contains(&setup.speed);
    limits && errors(setup).is_empty()
}

/// Keeps a set-up for the next time, with the policy that was in force at the end.
pub fn save(setup: &Setup, policy: &Policy) {
    let Some(path) = path() else { return };
    if let Err(error) = save_to(&path, &Setup { policy: policy.clone(), ..setup.clone() }) {
        tracing::warn!(%error, "the set-up is not kept for the next time");
    }
}

fn save_to(path: &Path, setup: &Setup) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(setup)?)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// A set-up in a line: `effect-then-key, lease 3 s, 1.2 jobs/s, seed 249`.
pub fn words(setup: &Setup) -> String {
    let lease = super::words::span(setup.policy.lease);
    let rate = setup.workload.rate.map_or_else(|| "all at once".to_owned(), |rate| format!("{rate} jobs/s"));
    let first = match setup.policy.ack {
        crate::policy::AckOrder::Before => "ack first, ",
        crate::policy::AckOrder::After => "",
    };
    clean(&format!("{first}{}, lease {lease}, {rate}, seed {}", setup.policy.dedup, setup.seed)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{AckOrder, Dedup};

    #[test]
    fn a_setup_is_kept_for_the_next_time_and_told_in_a_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new").join(FILE);
        assert_eq!(load_from(&path), None);
        let mut setup = Setup::sandbox(249);
        setup.policy.dedup = Dedup::EffectThenKey;
        save_to(&path, &setup).expect("written");
        assert_eq!(load_from(&path), Some(setup.clone()));
        assert_eq!(words(&setup), "effect-then-key, lease 3 s, 1.2 jobs/s, seed 249");
        setup.policy.ack = AckOrder::Before;
        assert!(words(&setup).starts_with("ack first, effect-then-key"));
    }

    #[test]
    fn what_is_no_setup_is_as_if_it_were_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        let mut setup = Setup::sandbox(1);
        setup.workers = 0;
        save_to(&path, &setup).expect("written");
        assert_eq!(load_from(&path), None, "no workers");
        for text in ["", "{", "[]", "{\"workers\": 4}", "\u{0}\u{1b}[2J"] {
            fs::write(&path, text).expect("written");
            assert_eq!(load_from(&path), None, "{text:?}");
        }
    }
}
