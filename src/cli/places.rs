//! Where files of this program are, by the XDG rules.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

/// The name of this program's folders.
const NAME: &str = "onceish";

/// The full path of a file, or the path as it was given where that cannot be told.
pub fn full(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The folders of this program. None of them need exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Diagnostics, recordings and scores.
    pub state: PathBuf,
    /// Settings.
    pub config: PathBuf,
    /// What can be made again.
    pub cache: PathBuf,
}

impl Places {
    /// The folders of the current user; `None` without a home.
    pub fn find() -> Option<Places> {
        let base = etcetera::choose_base_strategy().ok()?;
        Some(Places {
            state: base.state_dir().unwrap_or_else(|| base.data_dir()).join(NAME),
            config: base.config_dir().join(NAME),
            cache: base.cache_dir().join(NAME),
        })
    }

    /// The folder in which runs on the screen are recorded.
    pub fn recordings(&self) -> PathBuf {
        self.state.join("recordings")
    }
}
