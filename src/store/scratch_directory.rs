//! Where scratch files are, and how much room they take.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory for scratch files, and the bytes that those have together which are in use. Clones
/// count together.
#[derive(Clone, Debug)]
pub struct ScratchDirectory {
    path: PathBuf,
    in_use: Arc<AtomicU64>,
}

impl ScratchDirectory {
    /// A directory, which need not be there yet, and no scratch files.
    pub fn new(path: impl Into<PathBuf>) -> ScratchDirectory {
        ScratchDirectory {
            path: path.into(),
            in_use: Arc::default(),
        }
    }

    /// Another directory, whose scratch files are counted together with those of this one.
    #[must_use]
    pub fn elsewhere(&self, path: PathBuf) -> ScratchDirectory {
        ScratchDirectory {
            path,
            in_use: Arc::clone(&self.in_use),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of all scratch files that are in use.
    #[must_use]
    pub fn bytes_in_use(&self) -> u64 {
        self.in_use.load(Ordering::Relaxed)
    }
}

/// Where a scratch file ends. Its bytes count in its directory as long as this is there.
#[derive(Debug)]
pub(crate) struct ScratchEnd {
    bytes: AtomicU64,
    in_use: Option<Arc<AtomicU64>>,
}

impl ScratchEnd {
    /// The end of a file of so many bytes, which count if its directory is given.
    pub fn new(bytes: u64, directory: Option<&ScratchDirectory>) -> ScratchEnd {
        let in_use = directory.map(|directory| Arc::clone(&directory.in_use));
        if let Some(in_use) = &in_use {
            in_use.fetch_add(bytes, Ordering::Relaxed);
        }
        ScratchEnd {
            bytes: AtomicU64::new(bytes),
            in_use,
        }
    }

    /// Bytes before the end.
    pub fn get(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Makes room for so many bytes; where they begin.
    pub fn advance(&self, bytes: u64) -> u64 {
        if let Some(in_use) = &self.in_use {
            in_use.fetch_add(bytes, Ordering::Relaxed);
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed)
    }
}

impl Drop for ScratchEnd {
    fn drop(&mut self) {
        if let Some(in_use) = &self.in_use {
            in_use.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scratch;
    use super::*;

    #[test]
    fn bytes_count_as_long_as_their_files_are_there() {
        let place = tempfile::tempdir().unwrap();
        let directory = ScratchDirectory::new(place.path());
        let below = directory.elsewhere(place.path().join("below"));
        std::fs::create_dir(below.path()).unwrap();
        let one = Scratch::new(Some(&directory)).unwrap();
        let other = Scratch::new(Some(&below)).unwrap();
        one.put(&[1; 1000]).unwrap();
        other.put(&[2; 100]).unwrap();
        assert_eq!(directory.bytes_in_use(), 1100);
        drop(one);
        assert_eq!(below.bytes_in_use(), 100);
        drop(other);
        assert_eq!(directory.bytes_in_use(), 0);
    }

    #[test]
    fn what_is_gone_on_with_counts_at_once() {
        let place = tempfile::tempdir().unwrap();
        let [journal, data] = ["journal", "data"].map(|name| place.path().join(name));
        let open = || {
            let mut options = std::fs::File::options();
            let options = options.read(true).write(true).create(true).truncate(false);
            let journal_file = options.open(&journal).unwrap();
            Scratch::resumable(&journal, &data, journal_file, b"")
                .unwrap()
                .unwrap()
        };
        let directory = ScratchDirectory::new(place.path());
        let begun = open().counted_in(&directory);
        let part = begun.put(&[1; 1000]).unwrap();
        let record = crate::store::Record {
            numbers: Vec::new(),
            parts: vec![part],
        };
        begun
            .record(crate::store::RecordKind::Zeroing.of([0, 0, 0]), &record)
            .unwrap();
        drop(begun);
        assert_eq!(directory.bytes_in_use(), 0);
        let again = open().counted_in(&directory);
        assert_eq!(directory.bytes_in_use(), 1000);
        again.put(&[2; 10]).unwrap();
        assert_eq!(directory.bytes_in_use(), 1010);
    }
}
