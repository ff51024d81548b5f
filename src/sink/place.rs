//! Whether a path can be the sink, and opening it.
//!
//! A file that is not ours stays byte for byte as it was, and gets no `-wal`, `-shm` or `-journal` beside it. So a file
//! is first looked at through a connection that takes it as immutable, which writes nothing, locks nothing and makes
//! no side files. It is never opened by other means than SQLite: closing a plain handle would drop the locks that this
//! process holds on the same file through another connection.
//!
//! An empty file is taken like a new one: it holds nothing that could be harmed, and `mktemp` makes such files.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::Ledger;
use super::lock::{self, Patience};
use super::schema::{self, Identity};
use crate::setup::Synchronous;
use crate::time::Instant;

/// A database has at least one page, and this is the smallest that a page can be. SQLite itself would take a file of
/// one byte for an empty database.
const SMALLEST_DATABASE: u64 = 512;

/// Why a path cannot be the sink. The message is one line with the path and the reason.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The path is a folder.
    #[error("cannot use {}: it is a folder", .0.display())]
    Folder(PathBuf),
    /// The path is a device, a pipe or the like.
    #[error("cannot use {}: it is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// The folder that should hold the file is missing.
    #[error("cannot use {}: the folder {} does not exist", .path.display(), .parent.display())]
    NoParent {
        /// The file.
        path: PathBuf,
        /// The missing folder.
        parent: PathBuf,
    },
    /// Nothing may be written there.
    #[error("cannot write to {}: {reason}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The file is no database.
    #[error("cannot use {}: it is not a SQLite database, and it is left as it is", .0.display())]
    NotADatabase(PathBuf),
    /// The file is another program's database.
    #[error("cannot use {}: it is another program's database, and it is left as it is", .0.display())]
    Foreign(PathBuf),
    /// The file is ours, of a version that this program does not know.
    #[error("cannot use {}: its schema has version {found}, and this program knows only {}", .path.display(), schema::VERSION)]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version of its schema.
        found: i32,
    },
    /// Another process held the database for the whole of the wait.
    #[error("cannot use {}: in use by another process", .0.display())]
    Locked(PathBuf),
    /// SQLite failed in another way.
    #[error("cannot use {}: {reason}", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// SQLite's reason.
        reason: String,
    },
    /// No temporary folder could be made.
    #[error("cannot make a temporary folder: {0}")]
    NoTemporary(io::Error),
}

/// A database that is ready, with a run begun in it.
pub(super) struct Opened {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    pub(super) ledger: Ledger,
    pub(super) created: bool,
}

/// Opens the database at `path`, or makes it, and begins a run.
pub(super) fn open(path: &Path, synchronous: Synchronous, patience: &Patience) -> Result<Opened, OpenError> {
    let new = claim_file(path)?;
    let opened = begin(path, synchronous, patience);
    if new && opened.is_err() {
        // A leftover would be taken for an empty file next time; that it cannot be removed is not worth a second error.
        let _ = fs::remove_file(path);
    }
    opened
}

/// Sees to it that there is a file of ours, or an empty one, at `path`. True when it was made here.
fn claim_file(path: &Path) -> Result<bool, OpenError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(OpenError::Folder(path.to_owned())),
        Ok(found) if !found.is_file() => Err(OpenError::NotAFile(path.to_owned())),
        Ok(found) if found.len() == 0 => Ok(false),
        Ok(found) if found.len() < SMALLEST_DATABASE => Err(OpenError::NotADatabase(path.to_owned())),
        Ok(_) => inspect(path).map(|()| false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => make_file(path),
        Err(error) => Err(unwritable(path, &error)),
    }
}

fn make_file(path: &Path) -> Result<bool, OpenError> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent.filter(|parent| !parent.exists()) {
        return Err(OpenError::NoParent { path: path.to_owned(), parent: parent.to_owned() });
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => Ok(true),
        // Another process was quicker; the two sort it out under SQLite's lock.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.exists() => Ok(false),
        Err(error) => Err(unwritable(path, &error)),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> OpenError {
    OpenError::Unwritable { path: path.to_owned(), reason: error.to_string() }
}

/// Looks at a file that has content, without touching it.
fn inspect(path: &Path) -> Result<(), OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let identity = absolute(path).and_then(|absolute| {
        Connection::open_with_flags(immutable_uri(&absolute), flags)
            .and_then(|connection| schema::identify(&connection))
            .map_err(|error| explain(path, &error))
    })?;
    accept(path, identity)
}

fn accept(path: &Path, identity: Identity) -> Result<(), OpenError> {
    match identity {
        Identity::Ours => Ok(()),
        Identity::OtherVersion(found) => Err(OpenError::OtherVersion { path: path.to_owned(), found }),
        Identity::Blank | Identity::Foreign => Err(OpenError::Foreign(path.to_owned())),
    }
}

/// SQLite takes a path that begins with `file:` or `:` for something else, never an absolute one.
fn absolute(path: &Path) -> Result<PathBuf, OpenError> {
    std::path::absolute(path).map_err(|error| unwritable(path, &error))
}

fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in uri_path(path) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b':' => uri.push(char::from(byte)),
            other => uri.push_str(&format!("%{other:02x}")),
        }
    }
    uri + "?immutable=1"
}

#[cfg(unix)]
fn uri_path(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

#[cfg(not(unix))]
fn uri_path(path: &Path) -> Vec<u8> {
    format!("/{}", path.to_string_lossy().replace('\\', "/")).into_bytes()
}

pub(super) fn explain(path: &Path, error: &rusqlite::Error) -> OpenError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenError::NotADatabase(path),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => OpenError::Locked(path),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            OpenError::Unwritable { path, reason: lock::reason(error) }
        }
        _ => OpenError::Failed { path, reason: lock::reason(error) },
    }
}

/// Opens the file for good and begins a run, all within one wait for other programs.
fn begin(path: &Path, synchronous: Synchronous, patience: &Patience) -> Result<Opened, OpenError> {
    let home = absolute(path)?;
    let fail = |error| explain(path, &error);
    let connection = patience.retry(|| connect(&home, synchronous)).map_err(fail)?;
    patience.retry(|| connection.execute_batch("BEGIN IMMEDIATE")).map_err(fail)?;
    let created = match schema::identify(&connection).map_err(fail)? {
        Identity::Blank => schema::create(&connection).map(|()| true).map_err(fail)?,
        other => accept(path, other).map(|()| false)?,
    };
    let epoch = schema::greatest_time(&connection).map_err(fail)?;
    let run = schema::begin_run(&connection, epoch).map_err(fail)?;
    patience.retry(|| connection.execute_batch("COMMIT")).map_err(fail)?;
    patience.retry(|| connection.pragma_update(None, "journal_mode", "WAL")).map_err(fail)?;
    let epoch = Instant(u64::try_from(epoch).unwrap_or(0));
    Ok(Opened { path: home, connection, ledger: Ledger { run, epoch }, created })
}

/// A connection in memory with our tables in it, and its first run.
pub(super) fn in_memory() -> rusqlite::Result<(Connection, Ledger)> {
    let connection = Connection::open_in_memory()?;
    connection.set_prepared_statement_cache_capacity(32);
    schema::create(&connection)?;
    let run = schema::begin_run(&connection, 0)?;
    Ok((connection, Ledger { run, epoch: Instant::START }))
}

/// A connection that reads and writes the existing file at `path`.
pub(super) fn connect(path: &Path, synchronous: Synchronous) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    if connection.is_readonly("main")? {
        // SQLite opens a write-protected file for reading only, and would then put side files beside it.
        return Err(write_protected());
    }
    lock::wait_in_slices(&connection)?;
    connection.pragma_update(None, "synchronous", synchronous.name())?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

fn write_protected() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY);
    rusqlite::Error::SqliteFailure(code, Some("the file is write-protected".to_owned()))
}

/// A connection that only reads the existing file at `path`.
pub(super) fn connect_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    lock::wait_in_slices(&connection)?;
    Ok(connection)
}
