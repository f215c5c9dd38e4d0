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
mod dictionary;
mod directory;
mod encode;
#[doc(hidden)]
pub mod layout;
mod options;
mod pack;
mod reader;
#[doc(hidden)]
pub mod records;
mod sample;
mod source;
mod statistics;
mod stream;
mod writer;

#[cfg(test)]
mod forgery;

pub use crate::error::{TableError, WriteError};
pub use encode::StreamSizes;
pub use options::{Compression, WriteOptions};
pub use pack::Packing;
pub use reader::Table;
pub use sample::compressed_size_of_sample;
pub use source::{StreamSource, ValueSource, values_present};
pub use statistics::{Count, SideStatistics, Statistics, Zugzwangs};
pub use stream::Stream;
pub(crate) use writer::publish;
pub(crate) use writer::temporary_file;
pub use writer::{Head, Progress, TEMPORARY_SUFFIX, WrittenSizes, write_table, write_table_to};

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
