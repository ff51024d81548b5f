//! What a user has set once and for all, in `settings.toml` in the config folder: how the screen looks, and how many
//! recordings are kept.
//!
//! Flags win over it. Whatever it has that is unknown or wrong is an error with its place, before anything runs: a
//! setting that does nothing would be worse.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::args::ThemeArg;
use super::failure::Failure;
use super::places::Places;
use crate::text::nearest;

/// The name of the file.
pub const FILE: &str = "settings.toml";
/// How many recordings are kept unless something else is set.
pub const RECORDINGS: usize = 20;
/// How many can be kept.
pub const MOST_RECORDINGS: i64 = 10_000;
/// The longest file that is read, in bytes.
const LONGEST: u64 = 64 * 1_024;
/// The names that can be set.
const KEYS: [&str; 3] = ["theme", "ascii", "recordings"];

/// What is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The colours of the screen.
    pub theme: ThemeArg,
    /// Whether lines are drawn with ASCII characters only.
    pub ascii: bool,
    /// How many recordings of the screen are kept; 0 records nothing.
    pub recordings: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { theme: ThemeArg::Auto, ascii: false, recordings: RECORDINGS }
    }
}

/// The file as it is written.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Written {
    theme: Option<Spanned<toml::Value>>,
    ascii: Option<Spanned<toml::Value>>,
    recordings: Option<Spanned<toml::Value>>,
}

impl Settings {
    /// Where the file of the current user is, whether there is one or not.
    pub fn path() -> Option<PathBuf> {
        Places::find().map(|places| places.config.join(FILE))
    }

    /// What the current user has set.
    ///
    /// # Errors
    /// Everything that is wrong with the file, each with its place.
    pub fn load() -> Result<Settings, Failure> {
        Settings::path().map_or(Ok(Settings::default()), |path| Settings::load_from(&path))
    }

    /// What is set in the file at `path`; nothing, if there is none.
    ///
    /// # Errors
    /// As for [`Settings::load`].
    pub fn load_from(path: &Path) -> Result<Settings, Failure> {
        let name = path.to_string_lossy();
        let mistake = |what: String| Failure::Usage(vec![format!("{name}: {what}")]);
        let length = fs::metadata(path).map_or(0, |file| file.len());
        if length > LONGEST {
            return Err(mistake(format!("{length} bytes are too long for settings")));
        }
        match fs::read_to_string(path) {
            Ok(text) => Settings::read(&name, &text).map_err(Failure::Usage),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(Settings::default())
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(mistake("not UTF-8".into())),
            Err(error) => Err(mistake(error.to_string())),
        }
    }

    /// What `text` sets; `name` is that of the file.
    ///
    /// # Errors
    /// Everything that is wrong, each as `name:line:column: what`.
    pub fn read(name: &str, text: &str) -> Result<Settings, Vec<String>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let at = |offset: usize, what: String| format!("{name}:{}: {what}", place(text, offset));
        let wrong = |error: toml::de::Error| {
            let what = error.message().lines().collect::<Vec<_>>().join(" ");
            vec![at(error.span().map_or(0, |span| span.start), what)]
        };
        let table = toml::de::DeTable::parse(text).map_err(wrong)?;
        let strangers = table.get_ref().keys().filter(|key| !KEYS.contains(&key.get_ref().as_ref()));
        let mut mistakes: Vec<String> = strangers.map(|key| at(key.span().start, unknown(key.get_ref()))).collect();
        let written: Written = toml::from_str(text).map_err(wrong)?;
        let mut settings = Settings::default();
        let mut take = |value: Option<Spanned<toml::Value>>,
                        set: &mut dyn FnMut(&toml::Value) -> Result<(), String>| {
            if let Some(value) = value
                && let Err(what) = set(value.get_ref())
            {
                mistakes.push(at(value.span().start, what));
            }
        };
        take(written.theme, &mut |value| theme(value).map(|theme| settings.theme = theme));
        take(written.ascii, &mut |value| flag(value).map(|ascii| settings.ascii = ascii));
        take(written.recordings, &mut |value| kept(value).map(|kept| settings.recordings = kept));
        if mistakes.is_empty() { Ok(settings) } else { Err(mistakes) }
    }
}

fn unknown(key: &str) -> String {
    match nearest(key, KEYS) {
        Some(meant) => format!("{key} cannot be set; did you mean {meant}?"),
        None => format!("{key} cannot be set; what can be is {}", KEYS.join(", ")),
    }
}

fn theme(value: &toml::Value) -> Result<ThemeArg, String> {
    const NAMES: &str = "theme is \"auto\", \"dark\", \"light\" or \"mono\"";
    let name = value.as_str().ok_or(NAMES)?;
    <ThemeArg as clap::ValueEnum>::from_str(name, false).map_err(|_| format!("{NAMES}, and not {name:?}"))
}

fn flag(value: &toml::Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "ascii is true or false".to_owned())
}

fn kept(value: &toml::Value) -> Result<usize, String> {
    let number = value.as_integer().filter(|n| (0..=MOST_RECORDINGS).contains(n));
    let number = number.and_then(|n| usize::try_from(n).ok());
    number.ok_or_else(|| format!("recordings is a number from 0 to {MOST_RECORDINGS}"))
}

/// The line and the column of a byte, both from 1: `3:14`.
fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    format!("{}:{}", before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> Vec<String> {
        Settings::read("settings.toml", text).expect_err("it is wrong")
    }

    #[test]
    fn what_is_not_set_is_as_it_was() {
        assert_eq!(Settings::read("s", ""), Ok(Settings::default()));
        let set = Settings::read("s", "\u{feff}# mine\r\ntheme = \"light\"\r\nrecordings = 0\r\n").expect("sound");
        assert_eq!(set, Settings { theme: ThemeArg::Light, ascii: false, recordings: 0 });
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once_with_its_place() {
        let text = "theme = \"bright\"\n\nascii = 1\n  recording = 3\nrecordings = -1\n";
        let told = wrong(text);
        for place in ["settings.toml:1:9: theme is", "settings.toml:3:9: ascii is", "settings.toml:4:3: recording "] {
            assert!(told.iter().any(|line| line.starts_with(place)), "{place} in {told:#?}");
        }
        assert!(told.iter().any(|line| line.starts_with("settings.toml:5:14: recordings is")), "{told:#?}");
        assert_eq!(told.len(), 4, "{told:#?}");
        assert!(told.iter().any(|line| line.contains("did you mean recordings?")), "{told:#?}");
    }

    #[test]
    fn what_is_no_toml_is_told_with_its_place() {
        assert!(wrong("ascii = true\ntheme =\n")[0].starts_with("settings.toml:2:8: "), "{:?}", wrong("theme =\n"));
        assert!(wrong("ascii = true\nascii = true\n")[0].starts_with("settings.toml:2:1: "));
    }

    #[test]
    fn a_folder_without_settings_sets_nothing_and_a_file_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        assert_eq!(Settings::load_from(&path).expect("none is fine"), Settings::default());
        fs::write(&path, [0xff, 0xfe]).expect("written");
        assert_eq!(Settings::load_from(&path).expect_err("no text").code(), 2);
        fs::write(&path, " ".repeat(70_000)).expect("written");
        assert!(Settings::load_from(&path).expect_err("too long").to_string().contains("70000 bytes"));
    }
}
