//! A sequence of values as a stream of a file: the way back from what `pairs` reads.
//!
//! Values are replaced by symbols for pairs of pairs (`replace`), those are written in a canonical Huffman code (`code`), and
//! that is cut into blocks (`blocks`).

mod blocks;
mod code;
mod replace;

use blocks::{Blocks, MAX_VALUES, SparseIndex};
use code::Code;
use replace::Replaced;

use super::layout::Flags;
use super::pairs::NO_SYMBOL;
use crate::metric::Metric;

/// Blocks of a span of the sparse index, at most. A probe reads the lengths of a quarter of them.
const SPAN_BLOCKS: u64 = 32;
/// The smallest blocks, as a binary logarithm of bytes.
const SMALLEST_BLOCK: u8 = 5;

/// How large blocks are, which is how much a probe decodes.
#[derive(Clone, Copy, Debug)]
struct BlockSize {
    /// Binary logarithm of bytes, at most.
    largest: u8,
    /// Values that are skipped in one block, in the mean, at most.
    values: u64,
}

impl BlockSize {
    /// Results are asked for in the midst of a search, distances at its root.
    fn new(metric: Metric) -> BlockSize {
        match metric {
            Metric::Wdl => BlockSize {
                largest: 6,
                values: MAX_VALUES / 2,
            },
            _ => BlockSize {
                largest: 10,
                values: MAX_VALUES / 8,
            },
        }
    }

    /// The largest size that is not too large, for so many values in so many bits.
    fn log(self, values: u64, bits: u64) -> u8 {
        let is_small_enough = |&log: &u8| values * (8 << log) <= self.values * bits;
        let mut sizes = (SMALLEST_BLOCK..=self.largest).rev();
        sizes.find(is_small_enough).unwrap_or(SMALLEST_BLOCK)
    }
}

/// A stream as bytes.
#[derive(Debug)]
pub(crate) struct EncodedStream {
    /// All that stands in the header.
    pub head: Vec<u8>,
    pub sparse_index: Vec<u8>,
    pub block_lengths: Vec<u8>,
    pub blocks: Vec<u8>,
}

impl EncodedStream {
    /// Bytes in a file, but for what it takes to align the blocks.
    pub fn bytes(&self) -> u64 {
        let parts = [
            &self.head,
            &self.sparse_index,
            &self.block_lengths,
            &self.blocks,
        ];
        parts.iter().map(|part| part.len() as u64).sum()
    }

    /// A stream of the values of all indices.
    pub fn new(values: &[u8], flags: Flags, metric: Metric) -> EncodedStream {
        let mut is_present = [false; 256];
        for &value in values {
            is_present[usize::from(value)] = true;
        }
        let present: Vec<u16> = (0..256)
            .filter(|&value| is_present[usize::from(value)])
            .collect();
        if let &[value] = present.as_slice() {
            return EncodedStream::single(value as u8, flags);
        }
        let mut places = [0u16; 256];
        for (place, &value) in present.iter().enumerate() {
            places[usize::from(value)] = place as u16;
        }
        let sequence = values.iter().map(|&value| places[usize::from(value)]);
        let replaced = Replaced::new(sequence.collect(), &present);
        EncodedStream::coded(&replaced, values.len() as u64, flags, metric)
    }

    /// A stream of equal values.
    fn single(value: u8, flags: Flags) -> EncodedStream {
        EncodedStream {
            head: vec![flags.with(Flags::SINGLE_VALUE).bits(), value],
            sparse_index: Vec::new(),
            block_lengths: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn coded(replaced: &Replaced, len: u64, flags: Flags, metric: Metric) -> EncodedStream {
        let mut counts = vec![0u64; replaced.parts.len()];
        for &symbol in &replaced.sequence {
            counts[usize::from(symbol)] += 1;
        }
        let code = Code::new(&counts);
        let mut values = vec![0; replaced.values.len()];
        for (old, &new) in code.renumbered.iter().enumerate() {
            values[usize::from(new)] = replaced.values[old];
        }
        let bits: u64 = counts
            .iter()
            .zip(&code.renumbered)
            .map(|(count, &new)| count * u64::from(code.bits[usize::from(new)]))
            .sum();
        let block_log = BlockSize::new(metric).log(len, bits);
        let symbols = replaced.sequence.iter();
        let symbols = symbols.map(|&symbol| code.renumbered[usize::from(symbol)]);
        let blocks = Blocks::new(symbols, &code, &values, block_log);
        let count = blocks.more_values.len() as u64;
        let span_log = (len * SPAN_BLOCKS / count).max(2).ilog2() as u8;
        let SparseIndex { entries, spare } = blocks.index(len, span_log);
        let mut head = vec![flags.bits(), block_log, span_log, spare];
        head.extend((count as u32).to_le_bytes());
        code.write(&mut head);
        write_symbols(replaced, &code, &mut head);
        let entry_bytes = |(block, place): &(u32, u16)| {
            let [a, b, c, d] = block.to_le_bytes();
            let [e, f] = place.to_le_bytes();
            [a, b, c, d, e, f]
        };
        let spare_blocks = std::iter::repeat_n(&u16::MAX, spare.into());
        let block_lengths = blocks.more_values.iter().chain(spare_blocks);
        EncodedStream {
            head,
            sparse_index: entries.iter().flat_map(entry_bytes).collect(),
            block_lengths: block_lengths.flat_map(|len| len.to_le_bytes()).collect(),
            blocks: blocks.data,
        }
    }
}

/// Writes what each symbol is, by the numbers of the code.
fn write_symbols(replaced: &Replaced, code: &Code, head: &mut Vec<u8>) {
    let mut parts = vec![[0; 2]; replaced.parts.len()];
    for (old, &[left, right]) in replaced.parts.iter().enumerate() {
        parts[usize::from(code.renumbered[old])] = match right {
            NO_SYMBOL => [left, right],
            _ => [left, right].map(|part| code.renumbered[usize::from(part)]),
        };
    }
    head.extend((parts.len() as u16).to_le_bytes());
    for [left, right] in &parts {
        head.extend([
            *left as u8,
            (left >> 8 | (right & 15) << 4) as u8,
            (right >> 4) as u8,
        ]);
    }
    if parts.len() % 2 == 1 {
        head.push(0);
    }
}
