//! Symbols -> blocks of a fixed number of bytes, and the sparse index that finds the block of a
//! value.

use std::io;

use super::code::Code;
use super::spool::Spool;

/// Most values in a block: their number less one has 16 bits.
pub(super) const MAX_VALUES: u64 = 1 << 16;

/// The blocks of a stream.
#[derive(Debug)]
pub(super) struct Blocks {
    pub data: Spool,
    /// Values in each block, less one.
    pub more_values: Vec<u16>,
}

/// The middles of the spans of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SparseIndex {
    /// Its block, and its place there.
    pub entries: Vec<(u32, u16)>,
    /// How many blocks there would have to be behind the last one for all middles to have a place,
    /// each of [`MAX_VALUES`] values.
    pub spare: u8,
}

/// Blocks that are being filled with symbols, one after the other.
#[derive(Debug)]
pub(super) struct BlockWriter<'a> {
    code: &'a Code,
    /// By new number: how many values a symbol stands for.
    values: &'a [u16],
    /// A block has `1 << bytes_log` bytes.
    bytes_log: u8,
    blocks: Blocks,
    /// Bytes of blocks that are not in the spool yet.
    bytes: Vec<u8>,
    open: Block,
}

impl<'a> BlockWriter<'a> {
    pub fn new(code: &'a Code, values: &'a [u16], bytes_log: u8, spool: Spool) -> Self {
        BlockWriter {
            code,
            values,
            bytes_log,
            blocks: Blocks {
                data: spool,
                more_values: Vec::new(),
            },
            bytes: Vec::new(),
            open: Block::default(),
        }
    }

    /// Goes on with symbols, by their new numbers.
    pub fn extend(&mut self, symbols: impl Iterator<Item = u16>) -> io::Result<()> {
        let block_bits = 8u32 << self.bytes_log;
        for symbol in symbols.map(usize::from) {
            let bits = u32::from(self.code.bits[symbol]);
            let new_values = u64::from(self.values[symbol]);
            if self.open.bits + bits > block_bits || self.open.values + new_values > MAX_VALUES {
                self.close();
            }
            self.open
                .push(self.code.codes[symbol], bits, &mut self.bytes);
            self.open.values += new_values;
        }
        // The open block has bytes as well.
        let whole = self.bytes.len() >> self.bytes_log << self.bytes_log;
        self.blocks.data.push(&self.bytes[..whole])?;
        self.bytes.drain(..whole);
        Ok(())
    }

    fn close(&mut self) {
        self.open.flush(&mut self.bytes);
        self.blocks.more_values.push((self.open.values - 1) as u16);
        let len = self.bytes.len().next_multiple_of(1 << self.bytes_log);
        self.bytes.resize(len, 0);
        self.open = Block::default();
    }

    pub fn finish(mut self) -> io::Result<Blocks> {
        if self.open.values > 0 {
            self.close();
        }
        self.blocks.data.push(&self.bytes)?;
        Ok(self.blocks)
    }
}

impl Blocks {
    /// For the middle of each span of `1 << span_log` of `len` values, its block and its place
    /// there.
    pub fn index(&self, len: u64, span_log: u8) -> SparseIndex {
        let span = 1u64 << span_log;
        let last_middle = (len - 1) / span * span + span / 2;
        let spare = (last_middle + 1).saturating_sub(len).div_ceil(MAX_VALUES);
        let spare_blocks = std::iter::repeat_n(u16::MAX, spare as usize);
        let all = self.more_values.iter().copied().chain(spare_blocks);
        let mut starts = all.scan(0, |next, more_values| {
            let start = *next;
            *next += u64::from(more_values) + 1;
            Some((start, *next))
        });
        let (mut start, mut end) = starts.next().unwrap_or_default();
        let mut block = 0;
        let entries = (0..len.div_ceil(span)).map(|number| {
            let middle = number * span + span / 2;
            while middle >= end {
                (start, end) = starts.next().unwrap_or((end, u64::MAX));
                block += 1;
            }
            (block, (middle - start) as u16)
        });
        SparseIndex {
            entries: entries.collect(),
            spare: spare as u8,
        }
    }
}

/// A block that is being filled.
#[derive(Debug, Default)]
struct Block {
    bits: u32,
    values: u64,
    /// Bits that are not written yet, at the right end.
    word: u64,
    in_word: u32,
}

impl Block {
    fn push(&mut self, code: u32, bits: u32, data: &mut Vec<u8>) {
        self.word = self.word << bits | u64::from(code);
        self.in_word += bits;
        self.bits += bits;
        while self.in_word >= 8 {
            self.in_word -= 8;
            data.push((self.word >> self.in_word) as u8);
        }
    }

    fn flush(&mut self, data: &mut Vec<u8>) {
        if self.in_word > 0 {
            data.push((self.word << (8 - self.in_word)) as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_finds_the_middle_of_every_span() {
        let blocks = Blocks {
            data: Spool::default(),
            more_values: vec![9, 0, 19],
        };
        let index = blocks.index(31, 3);
        assert_eq!(index.entries, [(0, 4), (2, 1), (2, 9), (2, 17)]);
        assert_eq!(index.spare, 0);
        // The middle of the only span lies 33 values behind the last one.
        let index = blocks.index(31, 7);
        assert_eq!(index.entries, [(3, 33)]);
        assert_eq!(index.spare, 1);
    }
}
