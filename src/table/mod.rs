//! The file format: numbers for indices, compressed in blocks that are read one at a time.
//!
//! One file holds one material and one metric. It has a stream of values for each side to move, or
//! for one side only. This module knows no chess: a value is a byte, a material is a name, and the
//! order of dimensions is twelve bytes that it hands back. `docs/FORMAT.md` describes the bytes.
//!
//! # Examples
//!
//! ```
//! use retrograde::table::{Description, StreamSource, Table, WriteOptions, write_table};
//!
//! # fn main() -> Result<(), retrograde::Error> {
//! # let directory = tempfile::tempdir().unwrap();
//! let path = directory.path().join("KRvK.wdl");
//! let values: Vec<u8> = (0..28_644u32).map(|index| if index % 7 == 0 { 1 } else { 2 }).collect();
//! let description = Description { material: "KRvK".to_owned(), ..Description::default() };
//! let stream = StreamSource::new(0, values.len() as u64, &values);
//! write_table(&path, &description, &[stream], &WriteOptions::default(), &|_, _| true)?;
//!
//! let table = Table::open(&path)?;
//! let stream = table.stream(0).expect("written above");
//! assert_eq!(table.value(stream, 14)?, 1);
//! # Ok(())
//! # }
//! ```

mod block;
#[cfg(feature = "generate")]
mod compress;
#[cfg(feature = "native")]
mod decompress;
#[cfg(not(feature = "native"))]
#[path = "no_decompress.rs"]
mod decompress;
#[cfg(feature = "generate")]
mod dictionary;
mod directory;
#[cfg(feature = "generate")]
mod encode;
#[doc(hidden)]
pub mod layout;
#[cfg(feature = "native")]
mod lzma;
mod options;
mod pack;
mod reader;
#[doc(hidden)]
#[cfg(feature = "generate")]
pub mod records;
#[cfg(feature = "generate")]
mod sample;
#[cfg(feature = "generate")]
mod source;
mod statistics;
mod stream;
#[cfg(feature = "generate")]
mod writer;

#[cfg(test)]
mod forgery;

pub use crate::error::{TableError, WriteError};
#[cfg(feature = "generate")]
pub use encode::StreamSizes;
pub use layout::{Codec, Plane};
pub use options::{Compression, Matches, WriteOptions};
pub use pack::Packing;
pub use reader::Table;
#[cfg(feature = "generate")]
pub(crate) use sample::BlockSizes;
#[cfg(feature = "generate")]
pub use source::{StreamSource, ValueSource, values_present};
pub use statistics::{Count, SideStatistics, Statistics, Zugzwangs};
pub use stream::Stream;
#[cfg(feature = "generate")]
pub(crate) use writer::temporary_file;
#[cfg(feature = "generate")]
pub use writer::{Head, WrittenSizes, write_table, write_table_to};
#[cfg(feature = "generate")]
pub(crate) use writer::{host, publish};

/// Told how many values are done and how many there are, over all streams; returns whether to go
/// on. Called between batches, from the thread that called the writer.
pub type Progress<'a> = dyn Fn(u64, u64) -> bool + Sync + 'a;

/// The end of the name of a table that is not finished; before it come a dot, the name of the
/// table, that of the machine and something random.
pub const TEMPORARY_SUFFIX: &str = ".part";

/// How many positions have which result for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions won.
    pub win: u64,
    /// Positions won but for the fifty-move rule.
    pub cursed_win: u64,
    /// Positions drawn.
    pub draw: u64,
    /// Positions lost but for the fifty-move rule.
    pub blessed_loss: u64,
    /// Positions lost.
    pub loss: u64,
}

impl Counts {
    /// Whether the fifty-move rule changes some of the results.
    #[must_use]
    pub fn has_cursed(&self) -> bool {
        self.cursed_win > 0 || self.blessed_loss > 0
    }

    fn to_array(self) -> [u64; 5] {
        [
            self.win,
            self.cursed_win,
            self.draw,
            self.blessed_loss,
            self.loss,
        ]
    }

    fn from_array([win, cursed_win, draw, blessed_loss, loss]: [u64; 5]) -> Self {
        Self {
            win,
            cursed_win,
            draw,
            blessed_loss,
            loss,
        }
    }
}

/// The longest win of the side to move in the metric of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Longest {
    /// Length in plies.
    pub plies: u32,
    /// Index of a position that takes as long; [`layout::NO_INDEX`] is not allowed.
    pub index: u64,
}

/// What a table is about. Array elements 0 and 1 belong to the side to move 0 (white, red) and 1
/// (black).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Which game; the number means nothing here.
    pub game: u8,
    /// Which metric; the number means nothing here.
    pub metric: u8,
    /// Which variant of the rules; the number means nothing here.
    pub rules: u8,
    /// Bits for the caller, such as whether values that nobody needs have been changed.
    pub flags: u32,
    /// The material, 1 to 16 visible ASCII characters.
    pub material: String,
    /// Results with each side to move.
    pub counts: [Counts; 2],
    /// Longest win with each side to move, if that side can win.
    pub longest: [Option<Longest>; 2],
}

impl Description {
    /// Whether the description fits into a header.
    pub(crate) fn check(&self) -> Result<(), WriteError> {
        let name = self.material.as_bytes();
        if !(1..=layout::MATERIAL_LEN).contains(&name.len())
            || !name.iter().all(u8::is_ascii_graphic)
        {
            return Err(WriteError::Description(
                "a material name has 1 to 16 visible ASCII characters",
            ));
        }
        if self
            .longest
            .iter()
            .flatten()
            .any(|longest| longest.index == layout::NO_INDEX)
        {
            return Err(WriteError::Description("the longest win has no index"));
        }
        Ok(())
    }
}
