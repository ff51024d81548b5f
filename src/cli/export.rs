//! Takes a recording elsewhere: opens it, has the picture or the text made, and puts that where it belongs.
//!
//! A file is written beside its place and moved there once it is whole, so that nothing half-written is ever left, and
//! nothing is overwritten unasked: the recording itself not even then.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;

use super::args::{ColorArg, ExportArgs, ThemeArg};
use super::failure::{Failure, complain, print};
use super::refold::damaged;
use crate::export::cast::{self, Version};
use crate::export::palette::Palette;
use crate::export::svg::{self, About};
use crate::export::tale::{self, Tale};
use crate::export::{Shot, Trouble, clock, draft, marked, page, report, title};
use crate::recording::Player;
use crate::text::clean;
use crate::time::{Instant, Span};
use crate::tui::picture::{Format, replayed};
use crate::tui::theme::Theme;

/// What a recording becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A terminal session, asciicast v3
    Cast,
    /// A terminal session, asciicast v2
    Cast2,
    /// A report in Markdown
    Md,
    /// A picture of one screen, or of each mark
    Svg,
    /// A page that needs nothing beside it
    Html,
    /// A draft of a lab
    Lab,
}

impl Kind {
    fn is_cast(self) -> bool {
        matches!(self, Kind::Cast | Kind::Cast2)
    }

    /// True when it has screens in it.
    fn is_drawn(self) -> bool {
        !matches!(self, Kind::Md | Kind::Lab)
    }

    /// How the name of its file ends.
    fn ending(self) -> &'static str {
        match self {
            Kind::Cast | Kind::Cast2 => "cast",
            Kind::Md => "md",
            Kind::Svg => "svg",
            Kind::Html => "html",
            Kind::Lab => "toml",
        }
    }
}

/// A size in cells, from 60x16 to 400x200.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// From left to right.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// Reads a size: `120x36`.
pub fn size(text: &str) -> Result<Size, String> {
    let refuse = || "expected WIDTHxHEIGHT in cells, from 60x16 to 400x200".to_owned();
    let digits = |text: &str| text.parse::<u16>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let (width, height) = text.split_once('x').ok_or_else(refuse)?;
    match (digits(width), digits(height)) {
        (Some(width), Some(height)) if (60..=400).contains(&width) && (16..=200).contains(&height) => {
            Ok(Size { width, height })
        }
        _ => Err(refuse()),
    }
}

/// A moment of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// So long after its start.
    After(Span),
    /// At this part of its length, 0 to 1.
    Part(f64),
}

/// Reads a moment: `90s`, `1:30`, `1:02:03.5` or `40%`.
pub fn moment(text: &str) -> Result<Moment, String> {
    let refuse = || "expected a time such as 90s or 1:30, or a part such as 40%".to_owned();
    let number = |text: &str| {
        let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        text.parse::<f64>().ok().filter(|_| plain)
    };
    if let Some(percent) = text.strip_suffix('%') {
        let part = number(percent).filter(|percent| *percent <= 100.0);
        return part.map(|percent| Moment::Part(percent / 100.0)).ok_or_else(refuse);
    }
    if text.contains(':') {
        let parts: Option<Vec<f64>> = text.split(':').map(number).collect();
        let parts = parts.filter(|parts| parts.len() <= 3 && parts[1..].iter().all(|part| *part < 60.0));
        let seconds = parts.ok_or_else(refuse)?.into_iter().fold(0.0, |sum, part| sum * 60.0 + part);
        return Ok(Moment::After(Span::from_seconds(seconds)));
    }
    text.parse().map(Moment::After).map_err(|_| refuse())
}

/// Reads how many lab seconds go into one of a session.
pub fn speed(text: &str) -> Result<f64, String> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let speed = text.parse::<f64>().ok().filter(|speed| plain && (0.01..=100_000.0).contains(speed));
    speed.ok_or_else(|| "expected a speed from 0.01 to 100000".to_owned())
}

/// Reads the longest time in which nothing changes.
pub fn idle_limit(text: &str) -> Result<Span, String> {
    let limit = text.parse::<Span>().ok().filter(|limit| (Span::millis(100)..=Span::seconds(3_600)).contains(limit));
    limit.ok_or_else(|| "expected a duration from 100ms to 1h".to_owned())
}

/// Does what the command line says. The result is the exit code.
pub fn export(args: &ExportArgs) -> Result<u8, Failure> {
    let mistakes = mistakes(args);
    if !mistakes.is_empty() {
        return Err(Failure::Usage(mistakes));
    }
    let mut player = open(&args.file)?;
    if player.torn() {
        let name = args.file.display();
        complain(&format!("warning: {name} is cut off at its end; it is exported up to there\n"));
    }
    let format = format(args);
    if args.marks {
        return pictures_of_marks(args, &mut player, format);
    }
    let place = Place::of(args)?;
    let done = make(args, &mut player, format, &place);
    done.map(|()| 0)
}

/// Flags that say nothing about what is made of the recording.
fn mistakes(args: &ExportArgs) -> Vec<String> {
    let to = args.to.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    let of_no_use = [
        (args.size.is_some() && !args.to.is_drawn(), "--size"),
        (args.at.is_some() && args.to != Kind::Svg, "--at"),
        (args.marks && args.to != Kind::Svg, "--marks"),
        (args.speed.is_some() && !args.to.is_cast(), "--speed"),
        (args.fps.is_some() && !args.to.is_cast(), "--fps"),
        (args.idle_limit.is_some() && !args.to.is_cast(), "--idle-limit"),
    ];
    let wrong = of_no_use.into_iter().filter(|(wrong, _)| *wrong);
    let mut mistakes: Vec<String> = wrong.map(|(_, flag)| format!("{flag} says nothing about --to {to}")).collect();
    if args.marks && args.out.as_deref() == Some(Path::new("-")) {
        mistakes.push("--marks makes several files, which cannot all go to stdout".to_owned());
    }
    mistakes
}

/// Opens the recording. One that is damaged is a mistake, and so is one that is not there.
fn open(path: &Path) -> Result<Player, Failure> {
    let name = path.display();
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => return Err(Failure::Usage(vec![format!("{name} is not a file")])),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Failure::Usage(vec![format!("there is no {name}")]));
        }
        Err(error) => return Err(anyhow::Error::new(error).context(format!("cannot read {name}")).into()),
    }
    Player::open(path).map_err(|damage| damaged(path, &damage))
}

/// How screens are drawn. The terminal that the command runs on has no say in it, so that the same command makes the
/// same file everywhere.
fn format(args: &ExportArgs) -> Format {
    let theme = match (args.screen.theme, args.screen.color) {
        (_, ColorArg::Never) | (Some(ThemeArg::Mono), _) => Theme::Mono,
        (Some(ThemeArg::Light), _) => Theme::Light,
        (None | Some(ThemeArg::Auto | ThemeArg::Dark), _) => Theme::Dark,
    };
    let Size { width, height } = args.size.unwrap_or(Size { width: 120, height: 36 });
    Format { width, height, theme, ascii: args.screen.ascii }
}

/// Makes what is asked for and puts it into its place.
fn make(args: &ExportArgs, player: &mut Player, format: Format, place: &Place) -> Result<(), Failure> {
    if args.to.is_cast() {
        let options = cast::Options {
            version: if args.to == Kind::Cast { Version::V3 } else { Version::V2 },
            format,
            speed: args.speed,
            fps: args.fps.unwrap_or(10),
            idle_limit: args.idle_limit.unwrap_or(Span::seconds(2)),
        };
        return place.put(&args.file, |out| cast::write(player, &options, out));
    }
    let replay = format!("onceish replay {}", shell_word(&args.file));
    let text = match args.to {
        Kind::Md => Tale::of(player).map(|tale| report::report(&tale, &replay)),
        Kind::Html => Tale::of(player).and_then(|tale| page::page(player, &tale, format, &replay)),
        Kind::Lab => Ok(draft::draft(player)),
        Kind::Svg | Kind::Cast | Kind::Cast2 => {
            let at = reached(args.at, player)?;
            player.show_until(at).map(|()| picture(player, at, &title(player), format))
        }
    };
    let text = text.map_err(|damage| damaged(&args.file, &damage))?;
    place.put(&args.file, |out| Ok(out.write_all(text.as_bytes())?))
}

/// The moment that is asked for; the end unless one is.
fn reached(moment: Option<Moment>, player: &Player) -> Result<Instant, Failure> {
    let ends = player.ends();
    match moment {
        None => Ok(ends),
        Some(Moment::Part(part)) => Ok(Instant((ends.0 as f64 * part) as u64)),
        Some(Moment::After(span)) if Instant::START + span <= ends => Ok(Instant::START + span),
        Some(Moment::After(_)) => {
            Err(Failure::Usage(vec![format!("--at is beyond the end of the recording, at {}", clock(ends))]))
        }
    }
}

/// The screen that is shown, as a file.
fn picture(player: &Player, at: Instant, what: &str, format: Format) -> String {
    let board = player.board();
    let heading = clean(&format!("onceish: {what}, at {}", clock(at))).into_owned();
    let words = clean(&format!("{}; {}", tale::verdict(board), tale::fates(board))).into_owned();
    let about = About { title: &heading, words: &words, mark: "" };
    svg::file(&replayed(board, at, format), &Palette::of(format.theme), about)
}

/// One picture for each mark, numbered from 1.
fn pictures_of_marks(args: &ExportArgs, player: &mut Player, format: Format) -> Result<u8, Failure> {
    let shots = marked(player);
    if shots.is_empty() {
        return Err(Failure::Usage(vec![format!("{} has no marks; --at TIME asks for a moment", args.file.display())]));
    }
    let name = args.out.clone().unwrap_or_else(|| args.file.with_extension(args.to.ending()));
    let digits = shots.len().to_string().len().max(2);
    let numbered = (1..=shots.len()).map(|n| Place::file(numbered(&name, n, digits), args));
    let places: Vec<Place> = numbered.collect::<Result<_, _>>()?;
    for (Shot { events, at, words }, place) in shots.into_iter().zip(places) {
        let shown = player.show(events);
        shown.map_err(|damage| damaged(&args.file, &damage))?;
        let text = picture(player, at, &words, format);
        place.put(&args.file, |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    Ok(0)
}

/// `shots.svg` with a number: `shots-01.svg`.
fn numbered(path: &Path, n: usize, digits: usize) -> PathBuf {
    let mut name = path.file_stem().map_or_else(OsString::new, OsString::from);
    name.push(format!("-{n:0digits$}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

/// Where the result goes.
enum Place {
    Stdout,
    /// A file, which may be overwritten or not.
    File(PathBuf, bool),
}

impl Place {
    /// Text that is read as it is goes to stdout unless a file is asked for, all else beside the recording.
    fn of(args: &ExportArgs) -> Result<Place, Failure> {
        match &args.out {
            Some(path) if path == Path::new("-") => Ok(Place::Stdout),
            Some(path) => Place::file(path.clone(), args),
            None if !args.to.is_drawn() => Ok(Place::Stdout),
            None => Place::file(args.file.with_extension(args.to.ending()), args),
        }
    }

    /// A file that may be written: not the recording, by whatever name, and nothing that is there unless that is asked
    /// for.
    fn file(path: PathBuf, args: &ExportArgs) -> Result<Place, Failure> {
        let name = path.display();
        let refused = if is_same(&path, &args.file) {
            Some(format!("{name} is the recording itself"))
        } else {
            match fs::symlink_metadata(&path) {
                Err(_) => None,
                Ok(_) if !args.force => Some(format!("{name} is there already; --force overwrites it")),
                Ok(found) if !found.is_file() => Some(format!("{name} is not a file, and is not overwritten")),
                Ok(_) => None,
            }
        };
        match refused {
            Some(why) => Err(Failure::Usage(vec![why])),
            None => Ok(Place::File(path, args.force)),
        }
    }

    /// Puts there what `write` writes, whole or not at all.
    fn put(&self, recording: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), Trouble>) -> Result<(), Failure> {
        match self {
            Place::Stdout => {
                let mut out = BufWriter::new(io::stdout().lock());
                let written = write(&mut out).and_then(|()| Ok(out.flush()?));
                written.map_err(|trouble| match trouble {
                    Trouble::Damaged(damage) => damaged(recording, &damage),
                    Trouble::Unwritable(error) => Failure::stdout(error),
                })
            }
            Place::File(path, force) => {
                let doing = || format!("cannot write {}", path.display());
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let file = new_file(folder.unwrap_or(Path::new("."))).with_context(doing)?;
                let mut out = BufWriter::new(file);
                write(&mut out).map_err(|trouble| match trouble {
                    Trouble::Damaged(damage) => damaged(recording, &damage),
                    Trouble::Unwritable(error) => anyhow::Error::new(error).context(doing()).into(),
                })?;
                let file = out.into_inner().map_err(io::IntoInnerError::into_error).with_context(doing)?;
                let moved = if *force { file.persist(path) } else { file.persist_noclobber(path) };
                moved.map_err(|error| error.error).with_context(doing)?;
                print(&format!("{}\n", clean(&path.to_string_lossy())))
            }
        }
    }
}

/// A file in `folder` that is gone unless it is moved to its place.
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".onceish-");
    // All may read it, as far as the user's own mask leaves that.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// True when both name the same file, by whatever way.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
        || is_linked(one, other)
}

#[cfg(unix)]
fn is_linked(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    id(one).is_some() && id(one) == id(other)
}

#[cfg(not(unix))]
fn is_linked(_: &Path, _: &Path) -> bool {
    false
}

/// A path as a word of a shell.
fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@".contains(c);
    match text.chars().all(plain) && !text.starts_with('-') {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}
