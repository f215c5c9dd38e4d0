//! One stream of an open table: what does not need the file.

use std::sync::OnceLock;

#[cfg(doc)]
use super::Table;
use super::block;
use super::decompress::Dictionary;
use super::directory::Directory;
use super::layout::{GROUP_BLOCKS, ORDER_LEN, Plane, Sections, StreamRecord};
use super::pack::{Packing, Unpacker};
use crate::error::TableError;

/// The values of one side to move in a [`Table`].
pub struct Stream {
    /// Stream number in the file, 0 to 3.
    pub(super) number: u8,
    pub(super) record: StreamRecord,
    pub(super) sections: Sections,
    /// What the checksums of this stream start from.
    pub(super) seed: u32,
    /// Bytes of a directory entry.
    pub(super) entry_len: usize,
    pub(super) block_count: u64,
    /// 2^64 / block_values, rounded down (up to one off for powers of two).
    reciprocal: u64,
    unpacker: Unpacker,
    /// Prepared when a block is first decoded.
    pub(super) dictionary: OnceLock<Dictionary>,
    pub(super) directory: Directory,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Stream")
            .field("record", &self.record)
            .field("sections", &self.sections)
            .finish_non_exhaustive()
    }
}

impl Stream {
    pub(super) fn new(
        number: u8,
        record: StreamRecord,
        sections: Sections,
        identity: u32,
    ) -> Result<Self, TableError> {
        let block_count = record.block_count();
        // The sections fit into the file, so this is bounded by the file's length.
        let groups = if record.directory_len() == 0 {
            0
        } else {
            block_count.div_ceil(GROUP_BLOCKS)
        };
        Ok(Self {
            number,
            sections,
            seed: block::stream_seed(identity, record.checksum_side()),
            entry_len: record.entry_len(),
            block_count,
            reciprocal: u64::MAX / u64::from(record.block_values),
            unpacker: Unpacker::new(&record.symbols)?,
            dictionary: OnceLock::new(),
            directory: Directory::new(groups)?,
            record,
        })
    }

    /// Number in the file, 0 to 3.
    pub(crate) fn number(&self) -> u8 {
        self.number
    }

    /// Side to move, 0 or 1.
    pub fn side(&self) -> u8 {
        self.record.side
    }

    /// Which byte of each number it has.
    pub fn plane(&self) -> Plane {
        self.record.plane
    }

    /// The order of dimensions, as the writer gave it.
    pub fn order(&self) -> [u8; ORDER_LEN] {
        self.record.order
    }

    /// Number of values, at least 1. Compare it with what the material should have before relying
    /// on an index.
    #[allow(clippy::len_without_is_empty)] // A stream is never empty.
    pub fn len(&self) -> u64 {
        self.record.values
    }

    /// The values that may occur, in increasing order.
    pub fn values(&self) -> &[u8] {
        &self.record.symbols
    }

    /// How values are packed into the bytes of a block.
    pub fn packing(&self) -> Packing {
        self.unpacker.packing()
    }

    /// Bytes of the stream in the file: its blocks, their directory and its dictionary.
    pub fn stored_len(&self) -> u64 {
        let directory = self.record.directory_len();
        self.record.data_len + directory + u64::from(self.record.dictionary_len)
    }

    /// Number of blocks.
    pub fn block_count(&self) -> u64 {
        self.block_count
    }

    /// Number of values in every block but the last.
    pub fn block_values(&self) -> u32 {
        self.record.block_values
    }

    /// Number of values in a block; 0 if there is no such block.
    pub fn values_in_block(&self, block: u64) -> usize {
        if block >= self.block_count {
            return 0;
        }
        let block_values = u64::from(self.record.block_values);
        (self.record.values - block * block_values).min(block_values) as usize
    }

    /// The block of an index and the offset of its value there, both in values; `None` if there is
    /// no such index.
    #[inline]
    pub fn locate(&self, index: u64) -> Option<(u64, usize)> {
        if index >= self.record.values {
            return None;
        }
        // A multiplication instead of a division: the quotient is right or one too small, since
        // index / 2^64 < 1 scales the rounding error of the reciprocal.
        let block_values = u64::from(self.record.block_values);
        let mut block = ((u128::from(index) * u128::from(self.reciprocal)) >> 64) as u64;
        let mut offset = index - block * block_values;
        if offset >= block_values {
            block += 1;
            offset -= block_values;
        }
        Some((block, offset as usize))
    }

    /// The value at an offset in a block that [`Table::decode_block`] decoded.
    ///
    /// # Panics
    ///
    /// If the offset is not in the block.
    #[inline]
    pub fn value_in_block(&self, packed: &[u8], offset: usize) -> u8 {
        self.unpacker.value(packed, offset)
    }

    /// Which byte of a decoded block has the value at an offset, and the value's place in that
    /// byte.
    #[inline]
    pub(crate) fn place_in_block(&self, offset: usize) -> (usize, usize) {
        self.unpacker.place(offset)
    }

    /// The value at a place in a byte of a decoded block.
    #[inline]
    pub(crate) fn value_of_byte(&self, byte: u8, place: usize) -> u8 {
        self.unpacker.value_of_byte(byte, place)
    }

    /// Writes the first `out.len()` values of a block that [`Table::decode_block`] decoded.
    ///
    /// # Panics
    ///
    /// If the block has fewer values.
    pub fn unpack_block(&self, packed: &[u8], out: &mut [u8]) {
        self.unpacker.unpack(packed, out);
    }

    pub(super) fn packed_len(&self, block: u64) -> usize {
        self.packing().packed_len(self.values_in_block(block))
    }

    pub(super) fn is_constant(&self) -> bool {
        self.record.symbols.len() == 1
    }

    pub(super) fn impossible_entry(&self, block: u64) -> TableError {
        TableError::ImpossibleEntry {
            stream: self.number,
            block,
        }
    }
}
