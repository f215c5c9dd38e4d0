//! What can be wrong with a Syzygy file.

use std::io;

use crate::counted::counted;

/// What is wrong with the bytes of a Syzygy file. [`Error`](crate::Error) adds which file it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyzygyError {
    /// The first bytes are not those of such a table.
    #[error("not a Syzygy table of this kind (the first bytes are wrong)")]
    NotATable,
    /// Something does not lie inside the file.
    #[error("truncated or damaged: {what} is not within {}", counted(*.len, "byte"))]
    Outside {
        /// What does not, in words.
        what: &'static str,
        /// Length of the file in bytes.
        len: u64,
    },
    /// The bytes say something that no writer says.
    #[error("damaged: impossible {what}")]
    Impossible {
        /// What is impossible, in words.
        what: &'static str,
    },
    /// The checksum at the end is not that of the bytes before it.
    #[error("damaged: the checksum is wrong")]
    Checksum,
    /// It is a table, but of other men.
    #[error("a table of other men than {expected}")]
    OtherMaterial {
        /// What its name says.
        expected: String,
    },
    /// The men that were asked for are other ones than the table's, or no position.
    #[error("no position of this table's men was asked for")]
    NoPosition,
    /// There is not enough memory for what has to be read.
    #[error("not enough memory for {bytes} bytes")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
    /// The operating system could not read the file.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl SyzygyError {
    /// What the reader of the message can do, as the end of a sentence.
    pub(crate) fn advice(&self) -> &'static str {
        match self {
            Self::NotATable | Self::OtherMaterial { .. } => "remove it or give it its right name",
            Self::Io(error) if error.kind() == io::ErrorKind::InvalidInput => {
                "remove it or choose another directory"
            }
            Self::Io(_) => "check the path, its permissions and the disk",
            Self::OutOfMemory { .. } => "free some memory and try again",
            _ => "replace it with a sound copy",
        }
    }
}

/// The bytes say something that no writer says.
pub(crate) const fn impossible(what: &'static str) -> SyzygyError {
    SyzygyError::Impossible { what }
}
