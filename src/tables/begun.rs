//! Work that was begun, which another program may go on with if the one that does it is killed.
//!
//! It is two files, `.KQRvKQR.solve.node7-a1B2c3.journal` and the scratch file of that name,
//! `.scratch`. As with tables that are being written, the name says which machine works on it, and
//! whoever does holds a lock on the journal, which the system releases when he ends, however he
//! ends. The journal is made first and removed last, so that a scratch file without one is
//! nobody's.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::store::{Scratch, ScratchDirectory};
use crate::table::host;

const JOURNAL: &str = "journal";
const SCRATCH: &str = "scratch";
/// How often the directory is made again that another program has just removed.
const ATTEMPTS: usize = 100;

/// Goes on with the work of a name in a directory, as far as a program that has ended has come, if
/// it was about the same; else begins it. What else ended programs have left of this name is
/// removed.
///
/// # Errors
///
/// If there can be no files.
pub(crate) fn go_on(directory: &ScratchDirectory, name: &str, about: &[u8]) -> io::Result<Scratch> {
    let mut attempt = 0;
    loop {
        fs::create_dir_all(directory.path())?;
        match go_on_in(directory.path(), name, about) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS => {
                attempt += 1;
            }
            result => return result.map(|scratch| scratch.counted_in(directory)),
        }
    }
}

fn go_on_in(directory: &Path, name: &str, about: &[u8]) -> io::Result<Scratch> {
    let mut left: Vec<(u64, PathBuf, File)> = left_in(directory, |other| other == name)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == JOURNAL))
        .filter_map(|path| {
            let file = locked(&path)?;
            Some((file.metadata().ok()?.len(), path, file))
        })
        .collect();
    // The longest has come farthest.
    left.sort_by_key(|&(len, ..)| std::cmp::Reverse(len));
    let mut found = None;
    for (_, path, file) in left {
        let data = path.with_extension(SCRATCH);
        let opened = match found {
            // A disk that fails for a moment must not cost hours of work.
            None => Scratch::resumable(&path, &data, file, about).map_err(|error| {
                let journal = path.display();
                let why = format!(
                    "cannot go on with {journal} ({error}), which may be removed to begin anew"
                );
                io::Error::new(error.kind(), why)
            })?,
            Some(_) => None,
        };
        match opened {
            Some(scratch) => found = Some(scratch),
            None => {
                remove(&data);
                remove(&path);
            }
        }
    }
    match found {
        Some(scratch) => Ok(scratch),
        None => begin(directory, name, about),
    }
}

fn begin(directory: &Path, name: &str, about: &[u8]) -> io::Result<Scratch> {
    let prefix = format!(".{name}.{}-", host());
    let suffix = format!(".{JOURNAL}");
    loop {
        let new = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(&suffix)
            .tempfile_in(directory)?;
        let is_taken = matches!(new.as_file().try_lock(), Err(TryLockError::WouldBlock));
        // From here on whoever has the lock has the file: he removes it or goes on with it.
        let (file, path) = new.keep()?;
        // Cleared up before it was locked, it is gone.
        if is_taken || !path.exists() {
            continue;
        }
        let data = path.with_extension(SCRATCH);
        // A journal without a byte is about anything.
        let begun = Scratch::resumable(&path, &data, file, about)?;
        return begun.ok_or(io::ErrorKind::InvalidData.into());
    }
}

/// Removes the work in a directory that nobody does any more and whose name is meant.
pub(crate) fn remove_begun(directory: &Path, is_meant: impl Fn(&str) -> bool) {
    for path in left_in(directory, is_meant) {
        let journal = path.with_extension(JOURNAL);
        // Held until both files are gone.
        let lock = locked(&journal);
        if lock.is_some() || !journal.exists() {
            remove(&path.with_extension(SCRATCH));
            remove(&journal);
        }
    }
}

/// The work in a directory that nobody does any more and whose name is meant: the names, and bytes
/// of both files together.
pub(crate) fn left_of_work(
    directory: &Path,
    is_meant: impl Fn(&str) -> bool,
) -> Vec<(String, u64)> {
    let journals = left_in(directory, is_meant).into_iter();
    let journals = journals.filter(|path| path.extension().is_some_and(|kind| kind == JOURNAL));
    let of_journal = |path: PathBuf| {
        let journal = locked(&path)?.metadata().ok()?.len();
        let scratch = fs::metadata(path.with_extension(SCRATCH)).ok()?.len();
        let name = path.file_name()?.to_str()?.strip_prefix('.')?;
        let (name, _) = name.rsplit_once('.')?.0.rsplit_once('.')?;
        Some((name.to_owned(), journal + scratch))
    };
    journals.filter_map(of_journal).collect()
}

/// What is left harms nobody.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

/// A journal that nobody has locked, locked.
fn locked(path: &Path) -> Option<File> {
    let file = File::options().read(true).write(true).open(path).ok()?;
    file.try_lock().ok()?;
    // Whoever had it before may have removed it.
    path.exists().then_some(file)
}

/// The files of work that this machine has begun and whose names are meant.
fn left_in(directory: &Path, is_meant: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let host = host();
    let is_left = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        let (stem, kind) = name.strip_prefix('.')?.rsplit_once('.')?;
        let (name, writer) = stem.rsplit_once('.')?;
        let (machine, random) = writer.split_once('-')?;
        let is_plain = !random.is_empty() && random.bytes().all(|b| b.is_ascii_alphanumeric());
        let is_ours = [JOURNAL, SCRATCH].contains(&kind) && machine == host && is_plain;
        (is_ours && is_meant(name)).then_some(())
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .filter(|path| is_left(path).is_some())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Record, RecordKind};

    const NAME: &str = "KQRvKQR.solve";

    fn go_on(directory: &Path, name: &str, about: &[u8]) -> io::Result<Scratch> {
        super::go_on(&ScratchDirectory::new(directory), name, about)
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn note(scratch: &Scratch, ply: usize) {
        let parts = vec![scratch.put(&[ply as u8; 100]).unwrap()];
        let numbers = Vec::new();
        let key = RecordKind::Zeroing.of([0, ply, 0]);
        scratch.record(key, &Record { numbers, parts }).unwrap();
    }

    fn noted(scratch: &Scratch) -> usize {
        scratch.recall_all(RecordKind::Zeroing, 0).len()
    }

    #[test]
    fn only_work_that_nobody_does_is_gone_on_with() {
        let directory = tempfile::tempdir().unwrap();
        let below = directory.path().join("not").join("there");
        let first = go_on(&below, NAME, b"this").unwrap();
        note(&first, 1);
        let second = go_on(&below, NAME, b"this").unwrap();
        assert_eq!(noted(&second), 0);
        note(&second, 1);
        note(&second, 2);
        assert_eq!(names(&below).len(), 4);
        drop(first);
        let third = go_on(&below, NAME, b"this").unwrap();
        assert_eq!(noted(&third), 1);
        drop((second, third));
        // The one that has come farthest; the other is in nobody's way.
        let fourth = go_on(&below, NAME, b"this").unwrap();
        assert_eq!((noted(&fourth), names(&below).len()), (2, 2));
        drop(fourth);
        let fifth = go_on(&below, NAME, b"that").unwrap();
        assert_eq!((noted(&fifth), names(&below).len()), (0, 2));
        fifth.finish();
        assert_eq!(names(&below).len(), 0);
    }

    /// What one has just made and not locked yet another may take.
    #[test]
    fn whoever_begins_the_same_work_at_the_same_time_has_files_of_his_own() {
        let directory = tempfile::tempdir().unwrap();
        let work = |number: usize| {
            for _ in 0..500 {
                let scratch = go_on(directory.path(), NAME, b"this").unwrap();
                note(&scratch, 1);
                let done = directory.path().join(number.to_string());
                scratch.keep_as(&done).unwrap();
            }
        };
        std::thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || work(number));
            }
        });
        assert_eq!(names(directory.path()), ["0", "1", "2", "3"]);
    }

    #[test]
    fn only_what_is_meant_and_nobody_works_on_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let [this, that] = ["KQRvKQR.solve", "KRvKP.solve.3"];
        let held = go_on(path, this, b"").unwrap();
        drop(go_on(path, that, b"").unwrap());
        let mut others = vec![
            ".KQRvKQR.solve.another7-a1B2c3.journal".to_owned(),
            ".KQRvKQR.solve.another7-a1B2c3.scratch".to_owned(),
            format!("KQRvKQR.solve.{}-a1B2c3.journal", host()),
            format!(".KQRvKQR.solve.{}-a1.B2c3.journal", host()),
            format!(".KQRvKQR.solve.{}-a1B2c3.part", host()),
        ];
        let orphan = format!(".KQRvKQR.solve.{}-a1B2c3.scratch", host());
        for name in others.iter().chain([&orphan]) {
            fs::write(path.join(name), "").unwrap();
        }
        let left = || left_of_work(path, |_| true);
        assert_eq!(left().len(), 1);
        // A header is there already.
        assert!(left()[0].0 == that && left()[0].1 > 0);
        remove_begun(path, |name| name == that);
        assert_eq!(names(path).len(), 2 + others.len() + 1);
        assert_eq!(left(), []);
        remove_begun(path, |name| name == this);
        assert_eq!(names(path).len(), 2 + others.len());
        drop(held);
        remove_begun(path, |name| name == this);
        others.sort();
        assert_eq!(names(path), others);
    }
}
