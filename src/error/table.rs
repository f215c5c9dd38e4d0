//! What can be wrong with the bytes of a table, and with an attempt to write one.

use std::io;

use crate::counted::counted;

/// What is wrong with the bytes of a table. [`Error`](crate::Error) adds which table it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The library was built without the feature `native`.
    #[error("a table of our own format, which this library was built without")]
    NotBuilt,
    /// The first bytes are not those of a table.
    #[error("not a table file (the first bytes are wrong)")]
    NotATable,
    /// Written by a newer program.
    #[error("written in format version {found}, newer than version {supported} read here")]
    NewerVersion {
        /// Version in the file.
        found: u32,
        /// Version that this library reads.
        supported: u32,
    },
    /// Written by an older program whose format is no longer read.
    #[error("written in format version {found}, older than version {supported} read here")]
    OlderVersion {
        /// Version in the file.
        found: u32,
        /// Version that this library reads.
        supported: u32,
    },
    /// The file is shorter than its header says, or too short to hold a header.
    #[error("truncated: {} where {expected} are needed", counted(*.actual, "byte"))]
    Truncated {
        /// Bytes that there should be, at least.
        expected: u64,
        /// Bytes that there are.
        actual: u64,
    },
    /// The file is longer than its header says.
    #[error("{} too long", counted(*.extra, "byte"))]
    Overlong {
        /// Bytes after the end of the table.
        extra: u64,
    },
    /// The header or a symbol map is damaged.
    #[error("the header fails its checksum")]
    HeaderChecksum,
    /// A header that passes its checksum says something that no writer says.
    #[error("impossible header field: {field}")]
    ImpossibleField {
        /// Which field, in words.
        field: &'static str,
    },
    /// A group of directory entries is damaged.
    #[error("directory group {group} of stream {stream} fails its checksum")]
    DirectoryChecksum {
        /// Stream number in the file, 0 or 1.
        stream: u8,
        /// Group number in the stream's directory.
        group: u64,
    },
    /// A directory entry that passes its checksum points nowhere.
    #[error("impossible directory entry for block {block} of stream {stream}")]
    ImpossibleEntry {
        /// Stream number in the file, 0 or 1.
        stream: u8,
        /// Block number in the stream.
        block: u64,
    },
    /// The dictionary of a stream is damaged.
    #[error("the dictionary of stream {stream} fails its checksum")]
    DictionaryChecksum {
        /// Stream number in the file, 0 or 1.
        stream: u8,
    },
    /// A dictionary that passes its checksum is not one.
    #[error("the dictionary of stream {stream} is not a zstd dictionary")]
    ImpossibleDictionary {
        /// Stream number in the file, 0 or 1.
        stream: u8,
    },
    /// A block is damaged, or stands in another block's place.
    #[error("block {block} of stream {stream} fails its checksum")]
    BlockChecksum {
        /// Stream number in the file, 0 or 1.
        stream: u8,
        /// Block number in the stream.
        block: u64,
    },
    /// A block that passes its checksum does not decompress to the size it must have.
    #[error("block {block} of stream {stream} does not decode to {expected} bytes")]
    BlockDecode {
        /// Stream number in the file, 0 or 1.
        stream: u8,
        /// Block number in the stream.
        block: u64,
        /// Packed bytes that the block must have.
        expected: usize,
    },
    /// The statistics are damaged.
    #[error("the statistics fail their checksum")]
    StatisticsChecksum,
    /// Statistics that pass their checksum say something that no writer says.
    #[error("impossible statistics")]
    ImpossibleStatistics,
    /// A decoded byte stands for a symbol that the stream does not have.
    #[error("block {block} of stream {stream} holds a symbol that is not in its map")]
    SymbolRange {
        /// Stream number in the file, 0 or 1.
        stream: u8,
        /// Block number in the stream.
        block: u64,
    },
    /// A block or index past the end was asked for: the table is of another size than the caller
    /// believes.
    #[error("{what} {number} of stream {stream} does not exist (the table has {count})")]
    OutOfRange {
        /// Stream number in the file, 0 or 1.
        stream: u8,
        /// "block" or "index".
        what: &'static str,
        /// The number asked for.
        number: u64,
        /// How many there are.
        count: u64,
    },
    /// There is not enough memory for the values of a stream.
    #[error("not enough memory for {bytes} bytes")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
    /// The operating system could not read the file.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl TableError {
    /// What the reader of the message can do, as the end of a sentence.
    pub(crate) fn advice(&self, arguments: &str) -> String {
        match self {
            Self::NotBuilt => "build it with the feature `native`, or use Syzygy tables".to_owned(),
            Self::NotATable => "remove it or choose another directory".to_owned(),
            Self::NewerVersion { .. } => format!(
                "use a newer `retrograde`, or regenerate it with `retrograde generate {arguments}`"
            ),
            Self::Io(error) if error.kind() == io::ErrorKind::InvalidInput => {
                "remove it or choose another directory".to_owned()
            }
            Self::Io(_) => "check the path, its permissions and the disk".to_owned(),
            Self::OutOfMemory { .. } => "free some memory and try again".to_owned(),
            _ => format!("regenerate it with `retrograde generate {arguments}`"),
        }
    }
}

/// Why a table could not be written. [`Error`](crate::Error) adds which table it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system could not write the file.
    #[error("{0}; check the directory, its permissions and the free space")]
    Io(#[from] io::Error),
    /// The description does not fit the format.
    #[error("{0}")]
    Description(&'static str),
    /// An option is outside its range.
    #[error("write option {name} is out of range ({allowed})")]
    Option {
        /// The field of [`WriteOptions`](crate::table::WriteOptions).
        name: &'static str,
        /// What is allowed, in words.
        allowed: &'static str,
    },
    /// A source gave a value that `values_present` rules out.
    #[error("the source of stream {stream} gave the unannounced value {value}")]
    UnannouncedValue {
        /// Stream number in the file, 0 or 1.
        stream: u8,
        /// The value.
        value: u8,
    },
    /// zstd refused to compress.
    #[error("zstd: {0}")]
    Compression(&'static str),
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Adds the name of the table to an inner error.
pub(crate) fn write_error(name: &str, problem: WriteError) -> crate::Error {
    match problem {
        WriteError::Cancelled => crate::Error::Cancelled,
        problem => crate::Error::Write {
            name: name.to_owned(),
            problem,
        },
    }
}
