//! Which block has an index.
//!
//! Blocks have equally many bytes and not equally many values. The *sparse index* has an entry for
//! each span of indices, with the block and the place in it of the index in the middle of the span;
//! the numbers of values of all blocks, less one, are in the file as well. From the block of the
//! entry it goes block by block to the one that is wanted.
//!
//! Where values are hard to compress many blocks belong to one span: in the positions of a search
//! it is five blocks to go on average. So it goes by four blocks at a time.

use super::layout::{BLOCK_LENGTH_LEN, Coded, SPARSE_ENTRY_LEN};
use crate::error::{SyzygyError, impossible};
use crate::store::Store;

/// Bytes behind a block that the decoder likes to read.
const DECODER_READS_AHEAD: u64 = 8;

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub block: u64,
    /// Number of the value in the block.
    pub number: u32,
    /// Values of the block.
    pub values: u32,
}

/// Bytes of a file, in memory or not.
pub(super) trait Bytes {
    /// The bytes from an offset on.
    fn array<const N: usize>(&self, offset: u64) -> Result<[u8; N], SyzygyError>;
}

impl Bytes for [u8] {
    #[inline(always)]
    fn array<const N: usize>(&self, offset: u64) -> Result<[u8; N], SyzygyError> {
        let mut array = [0; N];
        array.copy_from_slice(slice_of(self, offset, N)?);
        Ok(array)
    }
}

impl Bytes for dyn Store {
    fn array<const N: usize>(&self, offset: u64) -> Result<[u8; N], SyzygyError> {
        let mut array = [0; N];
        self.read_exact_at(offset, &mut array)?;
        Ok(array)
    }
}

impl Coded {
    /// Where a block begins in the file.
    #[inline]
    pub fn offset_of(&self, block: u64) -> u64 {
        self.data_offset + (block << self.block_bits)
    }

    /// How many bytes to read for a block at an offset: a few more than it has, if there are.
    #[inline]
    pub fn len_to_read(&self, offset: u64, file_len: u64) -> usize {
        let end = offset + (1 << self.block_bits) + DECODER_READS_AHEAD;
        end.min(file_len).saturating_sub(offset) as usize
    }

    /// Where an index is.
    #[inline]
    pub fn find(&self, bytes: &(impl Bytes + ?Sized), index: u64) -> Result<Place, SyzygyError> {
        let span = 1u64 << self.span_bits;
        let entry_offset = self.sparse_offset + SPARSE_ENTRY_LEN * (index >> self.span_bits);
        let [a, b, c, d, e, f] = bytes.array(entry_offset)?;
        let block = u64::from(u32::from_le_bytes([a, b, c, d]));
        let from_middle = (index & (span - 1)) as i64 - (span / 2) as i64;
        let place = i64::from(u16::from_le_bytes([e, f])) + from_middle;
        let place = match self.by_four(bytes, block, place)? {
            Some(place) => place,
            None => self.block_by_block(bytes, block, place)?,
        };
        match place.block < self.blocks {
            true => Ok(place),
            false => Err(beyond()),
        }
    }

    /// The value number `place` counted from the first one of a block, by steps of four blocks;
    /// nothing where there are no four of them.
    #[inline(always)]
    fn by_four(
        &self,
        bytes: &(impl Bytes + ?Sized),
        mut block: u64,
        mut place: i64,
    ) -> Result<Option<Place>, SyzygyError> {
        let Some(last) = self.block_lengths.checked_sub(Four::BLOCKS) else {
            return Ok(None);
        };
        let four = |block| {
            let offset = self.lengths_offset + BLOCK_LENGTH_LEN * block;
            bytes.array(offset).map(Four::from_bytes)
        };
        while place < 0 {
            if block < Four::BLOCKS || block - Four::BLOCKS > last {
                return Ok(None);
            }
            block -= Four::BLOCKS;
            place += four(block)?.values();
        }
        loop {
            if block > last {
                return Ok(None);
            }
            let values = four(block)?;
            if place < values.values() {
                return Ok(Some(values.place(block, place)));
            }
            place -= values.values();
            block += Four::BLOCKS;
        }
    }

    /// The same in steps of one block.
    fn block_by_block(
        &self,
        bytes: &(impl Bytes + ?Sized),
        mut block: u64,
        mut place: i64,
    ) -> Result<Place, SyzygyError> {
        let values_of = |block: u64| -> Result<i64, SyzygyError> {
            if block >= self.block_lengths {
                return Err(beyond());
            }
            let offset = self.lengths_offset + BLOCK_LENGTH_LEN * block;
            Ok(i64::from(u16::from_le_bytes(bytes.array(offset)?)) + 1)
        };
        while place < 0 {
            block = block.checked_sub(1).ok_or_else(beyond)?;
            place += values_of(block)?;
        }
        loop {
            let values = values_of(block)?;
            if place < values {
                // A block has at most 65 536 values.
                return Ok(Place {
                    block,
                    number: place as u32,
                    values: values as u32,
                });
            }
            place -= values;
            block += 1;
        }
    }
}

/// The numbers of values of four blocks, less one, in 16 bits each.
#[derive(Clone, Copy)]
struct Four(u64);

impl Four {
    const BLOCKS: u64 = 4;

    #[inline(always)]
    fn from_bytes(bytes: [u8; BLOCK_LENGTH_LEN as usize * Four::BLOCKS as usize]) -> Four {
        Four(u64::from_le_bytes(bytes))
    }

    /// Values of one of the blocks.
    #[inline(always)]
    fn values_of(self, number: u32) -> i64 {
        (self.0 >> (u16::BITS * number) & 0xffff) as i64 + 1
    }

    /// Values of all blocks.
    #[inline(always)]
    fn values(self) -> i64 {
        const EVEN: u64 = 0x0000_ffff_0000_ffff;
        let two = (self.0 & EVEN) + (self.0 >> u16::BITS & EVEN);
        ((two + (two >> 32)) & 0xffff_ffff) as i64 + Four::BLOCKS as i64
    }

    /// A value that is in one of the blocks, the first of which is `block`. Which one cannot be
    /// guessed by a processor, so it is counted how many of the others begin behind it.
    #[inline(always)]
    fn place(self, block: u64, place: i64) -> Place {
        let second = self.values_of(0);
        let third = second + self.values_of(1);
        let fourth = third + self.values_of(2);
        let starts = [0, second, third, fourth];
        let number = starts[1..]
            .iter()
            .map(|&start| u32::from(place >= start))
            .sum::<u32>();
        Place {
            block: block + u64::from(number),
            number: (place - starts[number as usize % starts.len()]) as u32,
            values: self.values_of(number) as u32,
        }
    }
}

/// Some bytes of a file that is in memory.
pub(super) fn slice_of(bytes: &[u8], offset: u64, len: usize) -> Result<&[u8], SyzygyError> {
    usize::try_from(offset)
        .ok()
        .and_then(|offset| bytes.get(offset..)?.get(..len))
        .ok_or(SyzygyError::Outside {
            what: "the blocks",
            len: bytes.len() as u64,
        })
}

#[cold]
fn beyond() -> SyzygyError {
    impossible("entry of the sparse index")
}
