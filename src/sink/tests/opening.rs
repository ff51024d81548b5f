//! Which paths can be the sink, and that all others stay as they were.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;

use super::desk::{apply, delivery, number, second};
use crate::policy::Dedup;
use crate::request::Sink;
use crate::setup::Synchronous;
use crate::sink::gate::Manner;
use crate::sink::lock::Patience;
use crate::sink::{OpenError, Target, open, open_with, schema};
use crate::time::Instant;

fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

fn open_file(path: &Path) -> Result<crate::sink::Store, OpenError> {
    open(Target::File(path.to_owned()), Synchronous::Normal)
}

fn refusal(path: &Path) -> OpenError {
    open_file(path).err().unwrap_or_else(|| panic!("{} must be refused", path.display()))
}

/// Every file of `folder` with its content.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("lists").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(path).expect("reads"))).collect()
}

/// Refuses `path` and sees that its folder is as it was, byte for byte, with nothing beside it.
fn refused_untouched(path: &Path) -> OpenError {
    let folder = path.parent().expect("a folder");
    let before = contents(folder);
    let error = refusal(path);
    assert!(contents(folder) == before, "{} or its folder was changed", path.display());
    let message = error.to_string();
    assert!(message.contains(&path.display().to_string()) && !message.contains('\n'), "{message}");
    error
}

#[test]
fn a_new_file_is_ours_from_its_first_transaction_on() {
    let folder = folder();
    let path = folder.path().join("new.db");
    let store = open_file(&path).expect("opens");
    assert!(store.created());
    assert_eq!((store.run(), store.epoch()), (1, Instant::START));
    assert_eq!(number(&path, "PRAGMA application_id"), i64::from(schema::APPLICATION_ID));
    assert_eq!(number(&path, "PRAGMA user_version"), 1);
    drop(store);
    let left: Vec<PathBuf> = contents(folder.path()).into_keys().collect();
    assert_eq!(left, [path], "no side files remain once it is closed");
}

#[test]
fn an_empty_file_is_taken_like_a_new_one() {
    let folder = folder();
    let path = folder.path().join("empty.db");
    fs::write(&path, "").expect("writes");
    assert!(open_file(&path).expect("opens").created());
}

#[test]
fn a_name_with_odd_characters_is_a_name_like_any_other() {
    let folder = folder();
    for name in ["a b.db", "what?x=1#y.db", "100%41.db", "file:x.db", "\u{fc}ber.db"] {
        let path = folder.path().join(name);
        assert!(open_file(&path).expect(name).created());
        assert!(!open_file(&path).expect(name).created(), "{name} is found again");
        assert!(path.is_file());
    }
}

#[test]
fn a_closed_run_and_one_that_was_cut_short_are_both_followed() {
    let folder = folder();
    let path = folder.path().join("three.db");
    for (closed, at, epoch) in [(true, 7, 0), (false, 5, 7), (true, 0, 12), (true, 1, 12), (true, 0, 13)] {
        let store = open_file(&path).expect("opens");
        assert_eq!(store.epoch(), second(epoch));
        apply(&mut *store.session().expect("a session"), delivery(1, 1, Dedup::None), second(at));
        if closed {
            store.auditor().expect("an auditor").close(&mut std::iter::empty()).expect("closes");
        }
    }
}

#[test]
fn opening_again_appends_a_run_whose_times_follow_the_greatest_stored_one() {
    let folder = folder();
    let path = folder.path().join("twice.db");
    let first = open_file(&path).expect("opens");
    let mut session = first.session().expect("a session");
    apply(&mut *session, delivery(1, 1, Dedup::Transactional), second(7));
    apply(&mut *session, delivery(2, 2, Dedup::Transactional), second(9));
    drop((session, first));

    let again = open_file(&path).expect("opens");
    assert!(!again.created());
    assert_eq!((again.run(), again.epoch()), (2, second(9)));
    let mut session = again.session().expect("a session");
    apply(&mut *session, delivery(1, 1, Dedup::Transactional), second(3));
    assert_eq!(number(&path, "SELECT count(*) FROM effects WHERE run = 2"), 1, "keys are per run");
    assert_eq!(number(&path, "SELECT at FROM effects WHERE run = 2"), 12_000_000_000);
}

#[test]
fn a_run_can_say_what_it_was() {
    let folder = folder();
    let path = folder.path().join("told.db");
    let store = open_file(&path).expect("opens");
    store.describe(249, r#"{"workers":4}"#).expect("notes");
    assert_eq!(number(&path, "SELECT seed FROM runs WHERE run = 1 AND setup = '{\"workers\":4}'"), 249);
}

#[test]
fn a_folder_a_device_and_a_missing_folder_are_refused_by_name() {
    let folder = folder();
    assert!(matches!(refusal(folder.path()), OpenError::Folder(_)));
    let inside = folder.path().join("missing/sink.db");
    assert!(matches!(refusal(&inside), OpenError::NoParent { .. }));
    assert!(!folder.path().join("missing").exists());
    if cfg!(target_os = "linux") {
        assert!(matches!(refusal(Path::new("/dev/null")), OpenError::NotAFile(_)));
        assert!(matches!(refusal(Path::new("/proc/x")), OpenError::Unwritable { .. }));
    }
}

#[test]
fn a_text_file_is_refused_untouched_however_long_it_is() {
    let folder = folder();
    for text in ["x".to_owned(), "a line of notes\n".to_owned(), "0123456789abcdef\n".repeat(5_000)] {
        let path = folder.path().join("notes.txt");
        fs::write(&path, text).expect("writes");
        let error = refused_untouched(&path);
        assert!(matches!(error, OpenError::NotADatabase(_)), "{error:?}");
    }
}

#[test]
fn another_programs_database_is_refused_untouched() {
    for mode in ["DELETE", "WAL"] {
        let folder = folder();
        let path = folder.path().join("other.db");
        let other = Connection::open(&path).expect("opens");
        other.pragma_update(None, "journal_mode", mode).expect("a mode");
        other.execute_batch("CREATE TABLE mails (subject TEXT); INSERT INTO mails VALUES ('hello')").expect("fills");
        assert!(matches!(refused_untouched(&path), OpenError::Foreign(_)), "while the other program has it open");
        drop(other);
        assert!(matches!(refused_untouched(&path), OpenError::Foreign(_)), "in mode {mode}");
    }
}

#[test]
fn a_database_that_somebody_made_and_left_without_tables_is_another_programs() {
    let folder = folder();
    let path = folder.path().join("blank.db");
    let other = Connection::open(&path).expect("opens");
    other.execute_batch("CREATE TABLE t (x); DROP TABLE t").expect("leaves a page");
    drop(other);
    assert!(matches!(refused_untouched(&path), OpenError::Foreign(_)));
}

#[test]
fn a_newer_and_an_older_version_of_the_schema_are_refused_untouched() {
    for version in [0, 2, 99] {
        let folder = folder();
        let path = folder.path().join("version.db");
        drop(open_file(&path).expect("opens"));
        Connection::open(&path).expect("opens").pragma_update(None, "user_version", version).expect("a version");
        let error = refused_untouched(&path);
        assert!(matches!(error, OpenError::OtherVersion { found, .. } if found == version), "{error}");
    }
}

/// Takes the right to write away from `path`. False for root, who writes nevertheless.
fn protect(path: &Path, probe: impl FnOnce() -> bool) -> bool {
    let mut permissions = fs::metadata(path).expect("is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(path, permissions).expect("protects");
    !probe()
}

#[test]
fn a_write_protected_file_is_refused_untouched() {
    let folder = folder();
    let path = folder.path().join("protected.db");
    drop(open_file(&path).expect("opens"));
    if protect(&path, || fs::OpenOptions::new().append(true).open(&path).is_ok()) {
        let error = refused_untouched(&path);
        assert!(matches!(error, OpenError::Unwritable { .. }), "{error:?}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_made_or_changed_in_a_write_protected_folder() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let old = folder.path().join("old.db");
    drop(open_file(&old).expect("opens"));
    if protect(folder.path(), || fs::write(folder.path().join("probe"), "").is_ok()) {
        for path in [old, folder.path().join("new.db")] {
            let error = refused_untouched(&path);
            assert!(matches!(error, OpenError::Unwritable { .. }), "{error:?}");
        }
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("can be removed again");
}

#[test]
fn a_database_that_another_program_holds_is_locked_and_stays_as_it_is() {
    let folder = folder();
    let path = folder.path().join("held.db");
    drop(open_file(&path).expect("opens"));
    for hold in ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE", "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"] {
        let before = fs::read(&path).expect("reads");
        let other = Connection::open(&path).expect("opens");
        other.execute_batch(hold).expect("holds");
        let patience = Patience::of(Duration::ZERO);
        let target = Target::File(path.clone());
        let error = open_with(target, Synchronous::Normal, Manner::CHOSEN, &patience).err().expect("locked");
        assert!(matches!(error, OpenError::Locked(_)), "{hold}: {error}");
        assert!(error.to_string().ends_with("in use by another process"), "{error}");
        assert!(fs::read(&path).expect("reads") == before, "{hold}");
    }
}

fn busy() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY), None)
}

#[test]
fn a_lock_that_ends_in_time_is_waited_for() {
    let mut asked = 0;
    let answer = Patience::at_start().retry(|| {
        asked += 1;
        if asked < 4 { Err(busy()) } else { Ok("free") }
    });
    assert_eq!((answer, asked), (Ok("free"), 4));
    assert!(Patience::of(Duration::ZERO).retry(|| Err::<(), _>(busy())).is_err());
}

#[test]
fn a_temporary_store_is_gone_with_its_last_user() {
    let store = open(Target::Temporary, Synchronous::Full).expect("opens");
    let path = store.path().to_owned();
    assert!(path.is_file());
    let session = store.session().expect("a session");
    drop(store);
    drop(session);
    assert!(!path.parent().expect("a folder").exists());
}
