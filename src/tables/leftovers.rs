//! Unfinished files of generations that were killed.
//!
//! A table is written under a temporary name, and whoever writes it holds a lock on it. The system
//! releases that lock when the writer ends, however it ends. A temporary file that can be locked is
//! therefore nobody's, and several generations can use one directory at the same time. Where the
//! file system has no locks, leftovers stay.
//!
//! Between machines a lock proves nothing on some file systems. So the name says which machine
//! writes, and what others write is left alone.

use std::fs::{self, File};
use std::path::Path;

use super::names::{parse_file_name, rules_directory};
use crate::chess::Chess;
use crate::game::{Numbered, TableGame};
use crate::syzygy;
use crate::table::{TEMPORARY_SUFFIX, host};
use crate::xiangqi::Xiangqi;

/// Removes the unfinished tables below a directory, of both games, that no living process writes.
///
/// They harm nobody, so one that cannot be removed is not an error.
pub fn remove_leftovers(directory: &Path) {
    let is_syzygy = |name: &str| syzygy::parse_file_name(name).is_some();
    remove_unlocked_if(directory, |name| is_temporary_name(name, is_syzygy));
    remove_of_game::<Chess>(directory);
    remove_of_game::<Xiangqi>(directory);
}

fn remove_of_game<G: TableGame>(directory: &Path) {
    let is_table = |name: &str| parse_file_name::<G>(name).is_some();
    for &rules in G::Rules::LIST {
        let directory = rules_directory::<G>(directory, rules);
        remove_unlocked_if(&directory, |name| is_temporary_name(name, is_table));
    }
}

/// Removes what is left in a directory of writers of one file, by its name.
pub(crate) fn remove_leftovers_of(directory: &Path, name: &str) {
    remove_unlocked_if(directory, |temporary| {
        is_temporary_name(temporary, |file| file == name)
    });
}

/// Removes all unfinished files in a directory that no living process writes: one in which there
/// are files of no other kind.
pub(crate) fn remove_unfinished(directory: &Path) {
    remove_unlocked_if(directory, |name| name.ends_with(TEMPORARY_SUFFIX));
}

fn remove_unlocked_if(directory: &Path, is_temporary_name: impl Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let host = host();
    let is_meant = |name: &str| is_temporary_name(name) && !is_of_another_host(name, &host);
    for entry in entries.flatten() {
        let is_temporary = entry.file_name().to_str().is_some_and(is_meant);
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

/// The machine and the random part in the name of a file that is not finished. Earlier versions did
/// not name the machine.
fn host_and_random(name: &str) -> Option<(Option<&str>, &str)> {
    let (_, last) = name.strip_suffix(TEMPORARY_SUFFIX)?.rsplit_once('.')?;
    Some(match last.split_once('-') {
        Some((host, random)) => (Some(host), random),
        None => (None, last),
    })
}

fn is_of_another_host(name: &str, own: &str) -> bool {
    let host = host_and_random(name).and_then(|(host, _)| host);
    host.is_some_and(|host| host != own)
}

/// Whether a writer gives such a name to a file that is not finished:
/// `.KRvK.wdl.node7-a1B2c3.part`.
fn is_temporary_name(name: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    let parts = || {
        let (file, _) = name
            .strip_prefix('.')?
            .strip_suffix(TEMPORARY_SUFFIX)?
            .rsplit_once('.')?;
        let (host, random) = host_and_random(name)?;
        let is_plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric());
        let are_plain = !random.is_empty() && is_plain(random) && host.is_none_or(is_plain);
        (are_plain && is_meant(file)).then_some(())
    };
    parts().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNFINISHED: [&str; 5] = [
        ".KRvK.wdl.a1B2c3.part",
        ".KRPvKR.dtm.000000.part",
        ".KNNvKQ.rtbw.a1B2c3.part",
        "xiangqi/cycles-draw/.KRvKAABB.dtc.a1B2c3.part",
        "xiangqi/perpetual-check/.KRvKN.rounds.a1B2c3.part",
    ];
    const OTHERS: [&str; 12] = [
        "KRvK.wdl",
        "KRvK.wdl.a1B2c3.part",
        ".KRvK.wdl.part",
        ".KRvK.wdl..part",
        ".KRvK.wdl.a1_2c3.part",
        ".KRvK.wdl.another7-a1B2c3.part",
        ".KRvK.wdl.another7-.part",
        ".notes.a1B2c3.part",
        ".KRvK.wdl.a1B2c3.tmp",
        ".KRvK.rounds.a1B2c3.part",
        "xiangqi/cycles-draw/.KQvK.wdl.a1B2c3.part",
        "xiangqi/.KRvK.wdl.a1B2c3.part",
    ];

    #[test]
    fn only_unfinished_tables_that_nobody_writes_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for rules in crate::xiangqi::Rules::ALL {
            fs::create_dir_all(rules_directory::<Xiangqi>(directory.path(), rules)).unwrap();
        }
        for name in UNFINISHED.iter().chain(&OTHERS) {
            fs::write(path(name), "").unwrap();
        }
        let own = path(&format!(".KBvK.wdl.{}-a1B2c3.part", host()));
        fs::write(&own, "").unwrap();
        let written = path(".KQvK.wdl.a1B2c3.part");
        let writer = File::create(&written).unwrap();
        writer.lock().unwrap();
        remove_leftovers(directory.path());
        assert!(written.exists());
        drop(writer);
        remove_leftovers(directory.path());
        assert!(!written.exists() && !own.exists());
        for (names, stay) in [(&UNFINISHED[..], false), (&OTHERS[..], true)] {
            for name in names {
                assert_eq!(path(name).exists(), stay, "{name}");
            }
        }
    }
}
