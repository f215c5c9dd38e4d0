//! Which directory the tables are in.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// A directory of tables, which need not exist yet.
#[derive(Clone, Debug)]
pub struct TableDirectory {
    path: PathBuf,
    /// Named by the user, not found by the rule: then it is a mistake if it does not exist.
    named: bool,
}

impl TableDirectory {
    /// The directory named, else `./tables` where it exists, else the user's data directory.
    pub fn choose(named: Option<PathBuf>) -> TableDirectory {
        // An empty environment variable counts as none.
        if let Some(path) = named.filter(|path| !path.as_os_str().is_empty()) {
            return TableDirectory { path, named: true };
        }
        let local = PathBuf::from("tables");
        let path = if local.is_dir() {
            local
        } else {
            user_data().map_or(local, |data| data.join("retrograde").join("tables"))
        };
        TableDirectory { path, named: false }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is there and can be read; a directory that only the rule found may be missing.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn is_readable(&self) -> Result<bool> {
        match std::fs::read_dir(&self.path) {
            Ok(_) => Ok(true),
            Err(error) if !self.named && error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => bail!(
                "cannot read the tables directory {}: {error}; check --tables, or fill it with `retrograde \
                 generate --men 3 --tables {}`",
                self.path.display(),
                self.path.display()
            ),
        }
    }
}

/// Where this user's programs keep their data.
fn user_data() -> Option<PathBuf> {
    let directory = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        directory("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        directory("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        directory("XDG_DATA_HOME")
            .or_else(|| directory("HOME").map(|home| home.join(".local").join("share")))
    }
}
