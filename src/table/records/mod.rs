//! Sorted records in a file: a value is found by its key.
//!
//! A table has a value for every index. Where only some of very many keys have one, each record has
//! its key with it, and the file is searched. Keys and values are strings of bytes of one length
//! each; what they mean is not known here. `docs/FORMAT.md` describes the bytes.

mod layout;
mod read;
mod write;

use std::io;

use crate::counted::counted;
use crate::reserve::Refused;

pub use read::Records;
pub use write::{RecordSource, write_records};

/// Bytes that the layers above can put into the header.
pub const DESCRIPTION_LEN: usize = 48;
/// The most bytes of a key.
pub const MAX_KEY_LEN: usize = 32;
/// The most bytes of a value.
pub const MAX_VALUE_LEN: usize = 8;

/// What a file of records is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordsDescription {
    /// Bytes of a key, at least 1.
    pub key_len: usize,
    /// Bytes of a value, at least 1.
    pub value_len: usize,
    /// For the layers above.
    pub description: [u8; DESCRIPTION_LEN],
}

impl RecordsDescription {
    fn record_len(&self) -> usize {
        self.key_len + self.value_len
    }

    fn is_possible(&self) -> bool {
        (1..=MAX_KEY_LEN).contains(&self.key_len) && (1..=MAX_VALUE_LEN).contains(&self.value_len)
    }
}

/// What is wrong with the bytes of a file of records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// The first bytes are not those of such a file.
    #[error("not a file of solved positions (the first bytes are wrong)")]
    NotRecords,
    /// Written in a version of the format that is not read here.
    #[error("written in format version {found}; this library reads version {supported}")]
    Version {
        /// Version in the file.
        found: u32,
        /// Version that this library reads.
        supported: u32,
    },
    /// The file does not have the length that its header says.
    #[error("{} long where {expected} are needed", counted(*.actual, "byte"))]
    Length {
        /// Bytes that there should be.
        expected: u64,
        /// Bytes that there are.
        actual: u64,
    },
    /// A part of the file is damaged.
    #[error("{part} fails its checksum")]
    Checksum {
        /// Which part, in words.
        part: String,
    },
    /// A part that passes its checksum says something that no writer says.
    #[error("impossible {what}")]
    Impossible {
        /// What, in words.
        what: String,
    },
    /// There is not enough memory for a part of the file.
    #[error("not enough memory for {bytes} bytes")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
    /// The operating system could not read the file.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl From<Refused> for RecordsError {
    fn from(Refused { bytes }: Refused) -> RecordsError {
        RecordsError::OutOfMemory { bytes }
    }
}
