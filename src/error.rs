//! The error that callers of this library see: what went wrong, with which table, what to do.
//!
//! The inner layer ([`TableError`], [`WriteError`]) says what is wrong with the bytes; this layer
//! adds which table it was and what the reader of the message can do about it.

use crate::table::{TableError, WriteError};

/// Anything that can go wrong in this library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table could not be read.
    #[error("{name}: {problem}; {}", problem.advice(material))]
    Table {
        /// The path of the file, or a description where there is no file.
        name: String,
        /// The material to regenerate: from the header where it could be read, else from the name.
        material: String,
        /// What is wrong with the bytes.
        #[source]
        problem: TableError,
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
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}
