//! The error that callers of this library see: what went wrong, with which table, what to do.
//!
//! The inner layer ([`TableError`], [`SyzygyError`], [`WriteError`], [`SolveError`]) says what is
//! wrong with the bytes or with the material; this layer adds which table it was and what the
//! reader of the message can do about it. Both are here, below everything that fails, so that no
//! module depends on another only for the name of its errors. What options the program has for it
//! is said by the program.

mod solve;
mod syzygy;
mod table;

use std::path::PathBuf;

pub use solve::SolveError;
pub use syzygy::SyzygyError;
pub(crate) use syzygy::impossible;
pub(crate) use table::write_error;
pub use table::{TableError, WriteError};

/// Anything that can go wrong in this library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table could not be read.
    #[error("{name}: {problem}; {}", problem.advice(arguments))]
    Table {
        /// The path of the file, or a description where there is no file.
        name: String,
        /// What `retrograde generate` has to be told to make it again: the material, from the
        /// header where it could be read, else from the name, and the game and rules where it is
        /// not chess.
        arguments: String,
        /// What is wrong with the bytes.
        #[source]
        problem: TableError,
    },
    /// A Syzygy table could not be read.
    #[error("{name}: {problem}; {}", problem.advice())]
    Syzygy {
        /// The path of the file, or a description where there is no file.
        name: String,
        /// What is wrong with it.
        #[source]
        problem: SyzygyError,
    },
    /// A table could not be written. Nothing is left under its name, and an older table of that
    /// name is untouched.
    #[error("cannot write {name}: {problem}")]
    Write {
        /// The path of the file, or a description where there is no file.
        name: String,
        /// What prevented it.
        #[source]
        problem: WriteError,
    },
    /// The directory of the tables cannot be read or made.
    #[error(
        "cannot use the directory {}: {source}; choose another or mend its permissions",
        directory.display()
    )]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// What prevented it.
        source: std::io::Error,
    },
    /// A generation needs more memory than it may use.
    #[error(
        "this needs {} MiB of memory, but only {} MiB are allowed; allow more or ask for fewer men",
        needed.div_ceil(1 << 20),
        limit >> 20
    )]
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// What was kept in work files cannot be used although it was there.
    #[error(
        "the work files in {} vanish or do not fit while they are needed; let other generations there end, \
         remove that directory, and start again",
        directory.display()
    )]
    WorkFiles {
        /// The directory of the work files.
        directory: PathBuf,
    },
    /// A material could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A file is a table, but not the one its name says.
    #[error(
        "{}: not the table that its name says ({difference}); remove it and run `retrograde generate {arguments}`",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What `retrograde generate` has to be told to make what the name says.
        arguments: String,
        /// What does not agree.
        difference: String,
    },
    /// A table of another game has the name of one that was to be made.
    #[error(
        "{}: a table of another game; with --tables DIR name the directory of all tables, or another one, and it stays",
        path.display()
    )]
    OtherGame {
        /// The file.
        path: PathBuf,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Whether a table could not be read since the system refused memory or the file, so that the
    /// same may work later: nothing is wrong with the bytes.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Error::Table { problem, .. } => {
                matches!(problem, TableError::OutOfMemory { .. } | TableError::Io(_))
            }
            Error::Syzygy { problem, .. } => {
                matches!(
                    problem,
                    SyzygyError::OutOfMemory { .. } | SyzygyError::Io(_)
                )
            }
            _ => false,
        }
    }
}
