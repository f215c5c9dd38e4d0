//! Unfinished files of generations that were killed.
//!
//! A table is written under a temporary name, and whoever writes it holds a lock on it. The system releases that lock
//! when the writer ends, however it ends. A temporary file that can be locked is therefore nobody's, and several
//! generations can use one directory at the same time. Where the file system has no locks, leftovers stay.

use std::fs::{self, File};
use std::path::Path;

use super::work::DIRECTORY;
use crate::probe::parse_file_name;
use crate::syzygy;
use crate::table::TEMPORARY_SUFFIX;

/// Removes the unfinished tables in a directory that no living process writes, and the unfinished work files beside
/// them.
///
/// They harm nobody, so one that cannot be removed is not an error.
pub fn remove_leftovers(directory: &Path) {
    remove_unlocked_if(directory, is_temporary_name);
    remove_work_leftovers(&directory.join(DIRECTORY));
}

/// Removes the unfinished files in a directory of work files.
pub(super) fn remove_work_leftovers(directory: &Path) {
    remove_unlocked_if(directory, |name| name.ends_with(TEMPORARY_SUFFIX));
}

fn remove_unlocked_if(directory: &Path, is_temporary_name: impl Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let is_temporary = entry.file_name().to_str().is_some_and(&is_temporary_name);
        if is_temporary && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_unlocked(&entry.path());
        }
    }
}

/// Removes a file unless a living process holds a lock on it.
fn remove_if_unlocked(path: &Path) {
    if let Ok(file) = File::options().append(true).open(path)
        && file.try_lock().is_ok()
    {
        // The lock is held until the file is gone, so that a writer that has just made it notices.
        let _ = fs::remove_file(path);
    }
}

/// Whether a writer gives such a name to a table that is not finished: `.KRvK.wdl.a1B2c3.part`.
fn is_temporary_name(name: &str) -> bool {
    let parts = || {
        let (table, random) = name
            .strip_prefix('.')?
            .strip_suffix(TEMPORARY_SUFFIX)?
            .rsplit_once('.')?;
        let is_random = !random.is_empty() && random.bytes().all(|b| b.is_ascii_alphanumeric());
        let is_table = parse_file_name(table).is_some() || syzygy::parse_file_name(table).is_some();
        (is_random && is_table).then_some(())
    };
    parts().is_some()
}

#[cfg(test)]
mod tests {
    use super::is_temporary_name;

    #[test]
    fn only_names_of_unfinished_tables_are_recognised() {
        assert!(is_temporary_name(".KRvK.wdl.a1B2c3.part"));
        assert!(is_temporary_name(".KRPvKR.dtm.000000.part"));
        assert!(is_temporary_name(".KNNvKQ.rtbw.a1B2c3.part"));
        for other in [
            "KRvK.wdl",
            "KRvK.wdl.a1B2c3.part",
            ".KRvK.wdl.part",
            ".KRvK.wdl..part",
            ".KRvK.wdl.a1-2c3.part",
            ".notes.a1B2c3.part",
            ".KRvK.wdl.a1B2c3.tmp",
            "",
        ] {
            assert!(!is_temporary_name(other), "{other}");
        }
    }
}
