//! The program: what it prints and its exit status, each command in a directory of its own.

/// Everything a user can get wrong.
mod bad_input;
/// What the manuals show.
#[cfg(unix)]
mod documents;
/// Disks that fail.
#[cfg(target_os = "linux")]
mod faults;
mod find;
/// Tables that earlier versions named otherwise.
mod former_names;
/// Generations that are killed or cannot write.
#[cfg(unix)]
mod interrupted;
/// Files that change while they are open.
#[cfg(unix)]
mod io;
/// What a generation may use: registers, memory, room on the disk.
#[cfg(unix)]
mod limits;
/// Steps that other programs run.
#[cfg(unix)]
mod machines;
/// What a copy of the tables has to be like.
mod manifests;
/// Materials named by patterns.
mod patterns;
mod presentation;
/// How far a long command is.
mod progress;
/// Tables that are compressed anew.
mod recompressed;
/// Damaged tables that are made again.
mod repair;
/// Tables over HTTP.
mod serve;
/// Positions that no table has.
mod solve;
/// Tables of another format.
mod syzygy;
/// What comes out of tables that are there.
mod with_tables;
/// Commands that need no tables.
mod without_tables;
/// The other game.
mod xiangqi;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assert_cmd::Command;
use tempfile::TempDir;

/// A directory of its own in which the program runs.
struct Place {
    directory: TempDir,
}

impl Place {
    /// An empty directory.
    fn new() -> Place {
        Place {
            directory: TempDir::new().expect("a temporary directory"),
        }
    }

    /// A place with all tables of three men in `tables`, copied from some that were made once.
    fn with_tables() -> Place {
        static MADE: OnceLock<Place> = OnceLock::new();
        let made = MADE.get_or_init(|| {
            let place = Place::new();
            let (status, _, err) = place.run(["generate", "--men", "3", "--tables", "tables"]);
            assert_eq!((status, err.as_str()), (0, ""));
            place
        });
        let place = Place::new();
        std::fs::create_dir(place.path("tables")).expect("a new directory");
        for file in std::fs::read_dir(made.path("tables")).expect("tables") {
            let file = file.expect("a table");
            let copy = place.path("tables").join(file.file_name());
            std::fs::copy(file.path(), copy).expect("room for a copy");
        }
        place
    }

    /// A path in this place.
    fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.directory.path().join(relative)
    }

    /// Runs the program, which has to succeed without a word on stderr, and reads the JSON it
    /// prints.
    fn json<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> serde_json::Value {
        let (status, out, err) = self.run(arguments);
        assert_eq!((status, err.as_str()), (0, ""));
        assert_eq!(out.lines().count(), 1, "{out}");
        serde_json::from_str(&out).expect("JSON")
    }

    /// The program with arguments, run in this place and with nothing set in the environment.
    fn retrograde<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::cargo_bin("retrograde").expect("the program is built");
        command
            .current_dir(self.directory.path())
            .env_remove("RETROGRADE_TABLES")
            .env("XDG_DATA_HOME", self.directory.path().join("data"))
            .env("HOME", self.directory.path())
            .args(arguments);
        command
    }

    /// Runs the program; exit status, stdout and stderr.
    fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> (i32, String, String) {
        let output = self
            .retrograde(arguments)
            .output()
            .expect("the program runs");
        (
            output.status.code().expect("not killed"),
            String::from_utf8(output.stdout).expect("text"),
            String::from_utf8(output.stderr).expect("text"),
        )
    }
}
