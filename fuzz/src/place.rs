//! Files for targets that ask the program, and what it prints.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cli;

/// The three-man tables of the repository.
pub const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tables");

/// A directory that is gone afterwards, with one file that is written again and again.
#[derive(Debug)]
pub struct Place {
    directory: TempDir,
}

impl Place {
    /// Makes the directory, in memory where the system has one there.
    ///
    /// # Panics
    ///
    /// If the system does not let it.
    #[must_use]
    pub fn new() -> Place {
        let memory = Path::new("/dev/shm");
        let directory = match memory.is_dir() {
            true => tempfile::tempdir_in(memory),
            false => tempfile::tempdir(),
        };
        Place {
            directory: directory.expect("a directory for files"),
        }
    }

    /// Writes the file and returns its path.
    ///
    /// # Panics
    ///
    /// If the system does not let it.
    #[must_use]
    pub fn write(&self, bytes: &[u8]) -> PathBuf {
        self.write_as(Path::new("input"), bytes)
    }

    /// Writes another file, below the directory, and returns its path.
    ///
    /// # Panics
    ///
    /// If the system does not let it.
    #[must_use]
    pub fn write_as(&self, name: &Path, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        let parent = path.parent().expect("it is below the directory");
        std::fs::create_dir_all(parent).expect("a directory for a file");
        std::fs::write(&path, bytes).expect("a file is written");
        path
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

impl Default for Place {
    fn default() -> Place {
        Place::new()
    }
}

/// Runs a command of the program: what it prints, and whether it did not fail.
pub fn run(arguments: &[&dyn AsRef<std::ffi::OsStr>]) -> (Vec<u8>, bool) {
    let program = OsString::from("retrograde");
    let arguments = arguments
        .iter()
        .map(|argument| argument.as_ref().to_owned());
    let mut out = Vec::new();
    let result = cli::run(std::iter::once(program).chain(arguments), &mut out);
    (out, result.is_ok())
}
