//! `onceish info`: where everything is, and what bounds there are.

use std::env;
use std::fmt::Write;

use super::diagnostics;
use super::places::Places;
use super::scores;
use super::settings::{self, Settings};
use super::words;
use crate::policy::Policy;
use crate::recording::{Shelf, line};
use crate::setup::{MAX_JOBS, MAX_SEED, MAX_WORKERS};
use crate::sink::schema;
use crate::text::{clean, count};

/// The variables that this program heeds.
const VARIABLES: [&str; 7] =
    [diagnostics::LEVEL, "NO_COLOR", "COLORFGBG", "TERM", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TMPDIR"];

/// The whole text, a fact a line.
pub fn info() -> String {
    let mut text = String::new();
    let mut fact = |name: &str, value: &str| {
        let _writing_to_a_string_cannot_fail = writeln!(text, "{name:<16}{}", clean(value));
    };
    fact("onceish", env!("CARGO_PKG_VERSION"));
    fact("database schema", &schema::VERSION.to_string());
    fact("report format", &super::json::FORMAT.to_string());
    fact("replay format", &line::FORMAT.to_string());
    match Places::find() {
        Some(places) => {
            let log = format!("{}.DAY.{}", diagnostics::FILE.0, diagnostics::FILE.1);
            fact("state", &places.state.to_string_lossy());
            fact("diagnostics", &places.state.join(log).to_string_lossy());
            fact("recordings", &recordings(&places));
            fact("scores", &places.state.join(scores::FILE).to_string_lossy());
            fact("settings", &settings(&places));
            fact("cache", &format!("{} (nothing is kept in it yet)", places.cache.to_string_lossy()));
        }
        None => fact("state", "no home folder, so no diagnostics are written"),
    }
    fact("temporary", &env::temp_dir().to_string_lossy());
    for name in VARIABLES {
        fact(name, &env::var_os(name).map_or("not set".into(), |value| value.to_string_lossy().into_owned()));
    }
    fact("jobs", &format!("at most {}", count(MAX_JOBS.into())));
    fact("workers", &format!("1 to {MAX_WORKERS}"));
    fact("seed", &format!("0 to {MAX_SEED}"));
    let (shortest, longest) = (words::span(Policy::SHORTEST_LEASE), words::span(Policy::LONGEST_LEASE));
    fact("lease", &format!("{shortest} to {longest}"));
    fact("work, gap", &format!("0 to {}", words::span(super::values::LONGEST)));
    fact("speed", "0.1 to 100");
    text
}

/// Where recordings are, and how many there are and may be.
fn recordings(places: &Places) -> String {
    let folder = places.recordings();
    let there = Shelf::new(&folder).list().len() as u64;
    let keep = Settings::load().map_or(settings::RECORDINGS, |settings| settings.recordings);
    format!("{} ({} of at most {})", folder.to_string_lossy(), count(there), count(keep as u64))
}

/// Where settings are read from, and what comes of that.
fn settings(places: &Places) -> String {
    let path = places.config.join(settings::FILE);
    let state = match Settings::load_from(&path) {
        Err(why) => format!(
            " (wrong, so nothing opens on a screen: {})",
            clean(why.to_string().lines().next().unwrap_or_default())
        ),
        Ok(_) if path.exists() => String::new(),
        Ok(_) => " (there is none)".to_owned(),
    };
    format!("{}{state}", path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_told_in_figures() {
        let text = info();
        for line in ["jobs            at most 10,000,000", "workers         1 to 256", "lease           1 ms to 24 h"] {
            assert!(text.lines().any(|told| told == line), "{line} in {text}");
        }
    }
}
