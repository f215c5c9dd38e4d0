//! A sequence of values as a stream of a file: the way back from what `pairs` reads.
//!
//! Values are replaced by symbols for pairs of pairs (`replace`), those are written in a canonical
//! Huffman code (`code`), and that is cut into blocks (`blocks`).
//!
//! Of a stream that is too long to be in memory, symbols are found in a sample, and then put into
//! one piece after the other; what they become waits in a scratch file until it is known how often
//! each occurs.

mod blocks;
mod code;
mod replace;
mod spool;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use blocks::{BlockWriter, Blocks, MAX_VALUES, SparseIndex};
use code::Code;
use replace::Symbols;
pub(crate) use spool::Spool;

use super::layout::Flags;
use super::pairs::NO_SYMBOL;
use crate::metric::Metric;
use crate::store::{Part, Scratch};

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
    pub blocks: Spool,
}

/// The values of a stream that is too long to be in memory.
pub(crate) trait LongStream: Sync {
    /// How many there are.
    fn len(&self) -> u64;

    /// The values from `start` on.
    ///
    /// # Errors
    ///
    /// If the caller wants to stop.
    fn fill(&self, start: u64, out: &mut [u8]) -> io::Result<()>;
}

/// Values of a long stream that are made symbols together: few, so that they stay in a cache. The
/// bytes depend on it.
pub(crate) const PIECE: usize = 1 << 17;

/// By value: its place among those that occur.
fn places(present: &[u16]) -> [u16; 256] {
    let mut places = [0u16; 256];
    for (place, &value) in present.iter().enumerate() {
        places[usize::from(value)] = place as u16;
    }
    places
}

/// The values that are marked, in increasing order.
fn marked(is_present: &[bool; 256]) -> Vec<u16> {
    (0..256)
        .filter(|&value| is_present[usize::from(value)])
        .collect()
}

/// What was learned of a long stream when all of it had become symbols.
struct Counted {
    /// By symbol: how often it occurs.
    counts: Vec<u64>,
    is_present: [bool; 256],
}

impl EncodedStream {
    /// Bytes in a file, but for what it takes to align the blocks.
    pub fn bytes(&self) -> u64 {
        let parts = [&self.head, &self.sparse_index, &self.block_lengths];
        let parts = parts.iter().map(|part| part.len() as u64);
        parts.sum::<u64>() + self.blocks.len()
    }

    /// A stream of the values of all indices.
    pub fn new(values: &[u8], flags: Flags, metric: Metric) -> io::Result<EncodedStream> {
        let mut is_present = [false; 256];
        for &value in values {
            is_present[usize::from(value)] = true;
        }
        let present = marked(&is_present);
        if let &[value] = present.as_slice() {
            return Ok(EncodedStream::single(value as u8, flags));
        }
        let places = places(&present);
        let mut sequence: Vec<u16> = (values.iter())
            .map(|&value| places[usize::from(value)])
            .collect();
        let symbols = Symbols::find(&mut sequence, &present);
        let mut counts = vec![0u64; symbols.parts.len()];
        for &symbol in &sequence {
            counts[usize::from(symbol)] += 1;
        }
        let coding = Coding::new(symbols, &counts, values.len() as u64);
        coding.coded(flags, metric, Spool::default(), |blocks, renumbered| {
            blocks.extend(
                sequence
                    .iter()
                    .map(|&symbol| renumbered[usize::from(symbol)]),
            )
        })
    }

    /// A long stream, of which a sample of values says which symbols are worth it and `is_present`
    /// which values may occur. Its parts wait in a scratch file, and so do its blocks.
    pub fn of_long(
        source: &impl LongStream,
        sample: &[u8],
        is_present: &[bool; 256],
        flags: Flags,
        metric: Metric,
        scratch: [&Arc<Scratch>; 2],
    ) -> io::Result<EncodedStream> {
        let present = marked(is_present);
        let places = places(&present);
        let place = |&value: &u8| places[usize::from(value)];
        let symbols = {
            let mut sequence = sample.iter().map(place).collect();
            Symbols::find(&mut sequence, &present)
        };
        let [of_parts, of_blocks] = scratch;
        let all = Mutex::new(Counted {
            counts: vec![0; symbols.parts.len()],
            is_present: [false; 256],
        });
        let pieces = (0..source.len().div_ceil(PIECE as u64)).into_par_iter();
        let parts = pieces.map(|piece| {
            let start = piece * PIECE as u64;
            let mut values = vec![0; (source.len() - start).min(PIECE as u64) as usize];
            source.fill(start, &mut values)?;
            let mut sequence = values.iter().map(place).collect();
            symbols.replace(&mut sequence);
            let mut counted = all.lock().unwrap_or_else(PoisonError::into_inner);
            for &value in &values {
                counted.is_present[usize::from(value)] = true;
            }
            for &symbol in &sequence {
                counted.counts[usize::from(symbol)] += 1;
            }
            drop(counted);
            let bytes: Vec<u8> = (sequence.iter())
                .flat_map(|symbol| symbol.to_le_bytes())
                .collect();
            of_parts.put(&bytes)
        });
        let parts: Vec<Part> = parts.collect::<io::Result<_>>()?;
        let counted = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let &[value] = marked(&counted.is_present).as_slice() {
            return Ok(EncodedStream::single(value as u8, flags));
        }
        let coding = Coding::new(symbols, &counted.counts, source.len());
        let spool = Spool::in_scratch(Arc::clone(of_blocks));
        coding.coded(flags, metric, spool, |blocks, renumbered| {
            for &part in &parts {
                let bytes = of_parts.get(part)?;
                let symbols = bytes.as_chunks().0.iter();
                let symbols = symbols.map(|&symbol| usize::from(u16::from_le_bytes(symbol)));
                blocks.extend(symbols.map(|symbol| renumbered[symbol]))?;
            }
            Ok(())
        })
    }

    /// A stream of equal values.
    fn single(value: u8, flags: Flags) -> EncodedStream {
        EncodedStream {
            head: vec![flags.with(Flags::SINGLE_VALUE).bits(), value],
            sparse_index: Vec::new(),
            block_lengths: Vec::new(),
            blocks: Spool::default(),
        }
    }
}

/// Symbols and the code that fits how often they occur.
struct Coding {
    symbols: Symbols,
    code: Code,
    /// By new number: how many values a symbol stands for.
    values: Vec<u16>,
    /// Values of the stream.
    len: u64,
    /// Of all codes of the stream.
    bits: u64,
}

impl Coding {
    fn new(symbols: Symbols, counts: &[u64], len: u64) -> Coding {
        let code = Code::new(counts);
        let mut values = vec![0; symbols.values.len()];
        for (old, &new) in code.renumbered.iter().enumerate() {
            values[usize::from(new)] = symbols.values[old];
        }
        let bits = counts
            .iter()
            .zip(&code.renumbered)
            .map(|(count, &new)| count * u64::from(code.bits[usize::from(new)]))
            .sum();
        Coding {
            symbols,
            code,
            values,
            len,
            bits,
        }
    }

    /// The stream, whose symbols `write` puts into blocks by their new numbers.
    fn coded(
        &self,
        flags: Flags,
        metric: Metric,
        spool: Spool,
        write: impl FnOnce(&mut BlockWriter<'_>, &[u16]) -> io::Result<()>,
    ) -> io::Result<EncodedStream> {
        let block_log = BlockSize::new(metric).log(self.len, self.bits);
        let mut writer = BlockWriter::new(&self.code, &self.values, block_log, spool);
        write(&mut writer, &self.code.renumbered)?;
        let blocks: Blocks = writer.finish()?;
        let count = blocks.more_values.len() as u64;
        let span_log = (self.len * SPAN_BLOCKS / count).max(2).ilog2() as u8;
        let SparseIndex { entries, spare } = blocks.index(self.len, span_log);
        let mut head = vec![flags.bits(), block_log, span_log, spare];
        head.extend((count as u32).to_le_bytes());
        self.code.write(&mut head);
        write_symbols(&self.symbols.parts, &self.code, &mut head);
        let entry_bytes = |(block, place): &(u32, u16)| {
            let [a, b, c, d] = block.to_le_bytes();
            let [e, f] = place.to_le_bytes();
            [a, b, c, d, e, f]
        };
        let spare_blocks = std::iter::repeat_n(&u16::MAX, spare.into());
        let block_lengths = blocks.more_values.iter().chain(spare_blocks);
        Ok(EncodedStream {
            head,
            sparse_index: entries.iter().flat_map(entry_bytes).collect(),
            block_lengths: block_lengths.flat_map(|len| len.to_le_bytes()).collect(),
            blocks: blocks.data,
        })
    }
}

/// Writes what each symbol is, by the numbers of the code.
fn write_symbols(symbols: &[[u16; 2]], code: &Code, head: &mut Vec<u8>) {
    let mut parts = vec![[0; 2]; symbols.len()];
    for (old, &[left, right]) in symbols.iter().enumerate() {
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Values {
        all: Vec<u8>,
        /// Where somebody wants to stop.
        stop: u64,
    }

    impl LongStream for Values {
        fn len(&self) -> u64 {
            self.all.len() as u64
        }

        fn fill(&self, start: u64, out: &mut [u8]) -> io::Result<()> {
            if start >= self.stop {
                return Err(io::ErrorKind::Interrupted.into());
            }
            out.copy_from_slice(&self.all[start as usize..][..out.len()]);
            Ok(())
        }
    }

    fn of_long(values: &Values, is_present: &[bool; 256]) -> io::Result<EncodedStream> {
        let [parts, blocks] = [(); 2].map(|()| Arc::new(Scratch::new(None).unwrap()));
        let sample = &values.all[..values.all.len() / 3];
        let scratch = [&parts, &blocks];
        let flags = Flags::default();
        EncodedStream::of_long(values, sample, is_present, flags, Metric::Wdl, scratch)
    }

    #[test]
    fn what_a_sample_does_not_have_may_occur() {
        let len = 2 * PIECE + 1_000;
        let mut values = Values {
            all: (0..len).map(|place| (place / 700 % 3) as u8).collect(),
            stop: u64::MAX,
        };
        values.all[len - 10..].fill(9);
        let mut is_present = [false; 256];
        for value in [0, 1, 2, 9] {
            is_present[value] = true;
        }
        let encoded = of_long(&values, &is_present).unwrap();
        assert!(encoded.blocks.len() > 0 && encoded.bytes() < len as u64 / 100);
        let whole = EncodedStream::new(&values.all, Flags::default(), Metric::Wdl).unwrap();
        assert!(encoded.bytes() < 2 * whole.bytes());
        // The value of a stream that has only one is known at the end.
        values.all.fill(2);
        let encoded = of_long(&values, &is_present).unwrap();
        assert_eq!(encoded.head, [Flags::SINGLE_VALUE.bits(), 2]);
        values.stop = PIECE as u64;
        let stopped = of_long(&values, &is_present).unwrap_err();
        assert_eq!(stopped.kind(), io::ErrorKind::Interrupted);
    }
}
