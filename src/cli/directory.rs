//! Which directory the tables are in.

use std::path::{Path, PathBuf};

use anyhow::Result;
use retrograde::Tablebase;
use retrograde::chess::material::Material;
use retrograde::metric::Metric;
use retrograde::probe::{ProbeError, ProbeOptions};

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

    /// The tables in it.
    ///
    /// # Errors
    ///
    /// [`NoTables`] if nobody named the directory and it is not there; else if it cannot be read.
    pub fn open(&self) -> Result<Tablebase> {
        self.open_with(&ProbeOptions::default())
    }

    /// The tables in it, opened in some way.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn open_with(&self, options: &ProbeOptions) -> Result<Tablebase> {
        if !self.named && !self.path.exists() {
            return Err(NoTables(self.path.clone()).into());
        }
        Ok(Tablebase::open_with(&[&self.path], options)?)
    }

    /// That there is no table here at all.
    pub fn nothing(&self) -> NoTables {
        NoTables(self.path.clone())
    }

    /// That a material has no table here.
    pub fn missing(&self, material: &Material, metric: Metric) -> ProbeError {
        ProbeError::MissingTable {
            material: material.to_string(),
            metric,
            searched: [self.path.clone()].into(),
        }
    }
}

/// There are no tables where they are looked for.
#[derive(Debug, thiserror::Error)]
#[error(
    "no tables in {}; make some with `retrograde generate --men 4`, or say where they are with \
     --tables DIR",
    .0.display()
)]
pub struct NoTables(PathBuf);

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
