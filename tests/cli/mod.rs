//! The program: what it prints and its exit status, each command in a directory of its own.

/// Everything a user can get wrong.
mod bad_input;
/// Commands that need no tables.
mod without_tables;

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
