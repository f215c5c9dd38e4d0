//! The blocks of one stream, compressed on all threads.

use std::io::Write;

use super::block::{self, DirectoryBuilder, StoredBlock};
use super::compress::Encoder;
use super::layout::StreamRecord;
use super::options::WriteOptions;
use super::pack::Packing;
use super::source::StreamSource;
use crate::error::WriteError;
use crate::parallel::{self, Pool};
use crate::simd::{Kernel, Width};

/// Packed bytes that are compressed before they are written: what is in memory at a time, and
/// about what must finish before a cancellation is noticed.
const BATCH_BYTES: usize = 4 << 20;

/// Stands for the symbol of a value that the stream is not to have.
const UNANNOUNCED: u16 = 256;

/// Where the bytes of a stream went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSizes {
    /// Side to move, 0 or 1.
    pub side: u8,
    /// Different values.
    pub symbols: usize,
    /// Blocks.
    pub blocks: u64,
    /// Blocks of one value, which take a directory entry only.
    pub constant_blocks: u64,
    /// Blocks that compression did not shrink.
    pub raw_blocks: u64,
    /// Bytes of the data section, block checksums included.
    pub data_bytes: u64,
    /// Bytes of the directory.
    pub directory_bytes: u64,
    /// Bytes of the dictionary; 0 if there is none.
    pub dictionary_bytes: u64,
}

/// What compressing the blocks of one stream needs.
pub(super) struct StreamEncoder<'a> {
    number: u8,
    stream: StreamSource<'a>,
    packing: Packing,
    block_values: usize,
    /// Values in increasing order; the position is the symbol. Some may be spare, which makes
    /// another packing of it.
    symbols: Vec<u8>,
    /// Symbol of each value that was announced, or [`UNANNOUNCED`].
    symbol_of: [u16; 256],
    /// The values that were announced, in increasing order.
    announced: Vec<u8>,
    options: &'a WriteOptions,
}

impl<'a> StreamEncoder<'a> {
    pub fn new(
        number: u8,
        stream: StreamSource<'a>,
        present: [bool; 256],
        options: &'a WriteOptions,
    ) -> Self {
        let announced: Vec<u8> = (0..=255)
            .filter(|&value| present[usize::from(value)])
            .collect();
        let packing = options.packing(announced.len());
        let symbols = with_spare(&announced, packing.symbols());
        let mut symbol_of = [UNANNOUNCED; 256];
        for (symbol, &value) in (0..).zip(&symbols) {
            if present[usize::from(value)] {
                symbol_of[usize::from(value)] = symbol;
            }
        }
        Self {
            number,
            stream,
            packing,
            block_values: options.block_values(announced.len()),
            symbols,
            symbol_of,
            announced,
            options,
        }
    }

    pub fn options(&self) -> &WriteOptions {
        self.options
    }

    pub fn is_constant(&self) -> bool {
        self.symbols.len() == 1
    }

    pub fn block_count(&self) -> u64 {
        self.stream.len.div_ceil(self.block_values as u64)
    }

    /// The stream's record in the header; the lengths that writing it will show are still zero.
    pub fn record(&self) -> StreamRecord {
        StreamRecord {
            side: self.stream.side,
            plane: self.stream.plane,
            order: self.stream.order,
            values: self.stream.len,
            block_values: self.block_values as u32,
            dictionary_len: 0,
            dictionary_checksum: 0,
            codec: self.options.codec,
            data_len: 0,
            symbols: self.symbols.clone(),
        }
    }

    /// Reads the values of a block and leaves its symbols and its packed bytes in the worker.
    fn load_block(&self, worker: &mut Worker, block: u64) -> Result<(), WriteError> {
        let start = block * self.block_values as u64;
        let len = (self.stream.len - start).min(self.block_values as u64) as usize;
        worker.symbols.resize(len, 0);
        self.stream.source.fill(start, &mut worker.symbols);
        let packs = PackBlock {
            encoder: self,
            values: &mut worker.symbols,
            packed: &mut worker.packed,
        };
        if !Width::widest().run(packs) {
            self.stream.source.fill(start, &mut worker.symbols);
            let is_unannounced = |&&value: &&u8| self.symbol_of[usize::from(value)] == UNANNOUNCED;
            let value = worker.symbols.iter().find(is_unannounced);
            return Err(WriteError::UnannouncedValue {
                stream: self.number,
                value: value.copied().unwrap_or_default(),
            });
        }
        Ok(())
    }

    /// Makes symbols of values; says whether all were announced.
    #[inline(always)]
    fn to_symbols(&self, values: &mut [u8]) -> bool {
        let Some((&first, &last)) = self.announced.first().zip(self.announced.last()) else {
            return false;
        };
        let has_spare = self.symbols.len() != self.announced.len();
        if !has_spare && usize::from(last - first) + 1 == self.symbols.len() {
            // Without gaps a symbol is a difference, of which compilers make many at a time.
            let mut highest = 0;
            for value in values {
                *value = value.wrapping_sub(first);
                highest = highest.max(*value);
            }
            return highest <= last - first;
        }
        let mut highest = 0;
        let mut symbol_of = |value: u8| {
            let symbol = self.symbol_of[usize::from(value)];
            highest = symbol.max(highest);
            symbol as u8
        };
        let (eights, rest) = values.as_chunks_mut::<8>();
        // Values come in runs, and eight that are what the eight before them are need no look-up.
        let mut before = ([first; 8], [symbol_of(first); 8]);
        for eight in eights {
            if *eight != before.0 {
                before.0 = *eight;
                for (symbol, &value) in before.1.iter_mut().zip(&*eight) {
                    *symbol = symbol_of(value);
                }
            }
            *eight = before.1;
        }
        for value in rest {
            *value = symbol_of(*value);
        }
        highest < UNANNOUNCED
    }

    /// Says that the next values that are asked for are those from `start` to `end`, or any if
    /// there are none between.
    pub fn prepare(&self, start: u64, end: u64) {
        self.stream.source.prepare(start, end);
    }

    /// The packed bytes of one block.
    pub fn packed_block(&self, pool: &EncoderPool, block: u64) -> Result<Vec<u8>, WriteError> {
        pool.with(|worker| {
            self.load_block(worker, block)?;
            Ok(worker.packed.clone())
        })
    }

    /// One block as it goes into the file.
    pub fn encode_block(&self, pool: &EncoderPool, block: u64) -> Result<StoredBlock, WriteError> {
        pool.with(|worker| {
            self.load_block(worker, block)?;
            worker.encoder.encode(&worker.symbols, &worker.packed)
        })
    }

    fn encode_blocks(
        &self,
        pool: &EncoderPool,
        blocks: impl IntoIterator<Item = u64>,
    ) -> Result<Vec<StoredBlock>, WriteError> {
        parallel::try_map_items(blocks, |_, block| self.encode_block(pool, block))
    }

    /// Writes the data and the directory.
    pub fn write<W: Write>(
        &self,
        out: &mut W,
        seed: u32,
        dictionary: Option<Vec<u8>>,
        advance: &mut dyn FnMut(u64) -> Result<(), WriteError>,
    ) -> Result<StreamSizes, WriteError> {
        let mut sizes = StreamSizes {
            side: self.stream.side,
            symbols: self.symbols.len(),
            blocks: self.block_count(),
            dictionary_bytes: dictionary.as_ref().map_or(0, Vec::len) as u64,
            ..StreamSizes::default()
        };
        if self.is_constant() {
            sizes.constant_blocks = sizes.blocks;
            advance(self.stream.len)?;
            return Ok(sizes);
        }
        let mut pools = EncoderPools::new(self.options, dictionary);
        let mut directory = DirectoryBuilder::new(seed, self.record().entry_len());
        let batch = (BATCH_BYTES / self.options.block_bytes).clamp(32, 4096) as u64;
        while directory.blocks() < sizes.blocks {
            let first = directory.blocks();
            let end = (first + batch).min(sizes.blocks);
            let values_start = first * self.block_values as u64;
            let values_end = (end * self.block_values as u64).min(self.stream.len);
            self.prepare(values_start, values_end);
            let stored = self.encode_blocks(&pools.best, first..end)?;
            pools.compare(self, first, &stored)?;
            for (block, stored) in (first..end).zip(&stored) {
                match stored {
                    StoredBlock::Constant(_) => sizes.constant_blocks += 1,
                    StoredBlock::Raw(_) => sizes.raw_blocks += 1,
                    StoredBlock::Compressed(_) => {}
                }
                if stored.stored_len() != 0 {
                    let payload = stored.payload();
                    let checksum = block::block_checksum(seed, block, payload);
                    out.write_all(&checksum.to_le_bytes())?;
                    out.write_all(payload)?;
                }
                directory.push(stored);
            }
            advance(values_end - values_start)?;
        }
        sizes.data_bytes = directory.data_len();
        let directory = directory.finish();
        sizes.directory_bytes = directory.len() as u64;
        out.write_all(&directory)?;
        Ok(sizes)
    }
}

/// So many values in increasing order: some, and the smallest others.
fn with_spare(values: &[u8], count: usize) -> Vec<u8> {
    let others = (0..=255).filter(|value| !values.contains(value));
    let spare = others.take(count.saturating_sub(values.len()));
    let mut all: Vec<u8> = values.iter().copied().chain(spare).collect();
    all.sort_unstable();
    all
}

/// Makes symbols of the values of a block and packs them; says whether all were announced.
struct PackBlock<'a> {
    encoder: &'a StreamEncoder<'a>,
    values: &'a mut [u8],
    packed: &'a mut Vec<u8>,
}

impl Kernel for PackBlock<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let are_announced = self.encoder.to_symbols(self.values);
        if are_announced {
            self.encoder.packing.pack(self.values, self.packed);
        }
        are_announced
    }
}

struct Worker {
    encoder: Encoder,
    symbols: Vec<u8>,
    packed: Vec<u8>,
}

/// Compressors with one set of options, as many as there are threads at work.
pub(super) struct EncoderPool {
    options: WriteOptions,
    dictionary: Option<Vec<u8>>,
    idle: Pool<Worker>,
}

impl EncoderPool {
    pub fn new(options: &WriteOptions, dictionary: Option<Vec<u8>>) -> Self {
        Self {
            options: options.clone(),
            dictionary,
            idle: Pool::default(),
        }
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Worker) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let mut worker = match self.idle.take() {
            Some(worker) => worker,
            None => Worker {
                encoder: Encoder::new(&self.options, self.dictionary.as_deref())?,
                symbols: Vec::new(),
                packed: Vec::new(),
            },
        };
        let result = work(&mut worker);
        self.idle.put(worker);
        result
    }
}

/// Compressors with the options of a stream, the best so far first, and others that differ in how
/// they look for matches.
struct EncoderPools {
    best: EncoderPool,
    other: Option<EncoderPool>,
}

/// Of so many blocks one is compressed in the other way as well.
const TRIED: usize = 32;

impl EncoderPools {
    fn new(options: &WriteOptions, dictionary: Option<Vec<u8>>) -> Self {
        let other = options.other_matches.map(|matches| WriteOptions {
            matches: Some(matches),
            ..options.clone()
        });
        Self {
            other: other.map(|options| EncoderPool::new(&options, dictionary.clone())),
            best: EncoderPool::new(options, dictionary),
        }
    }

    /// Compresses some of the blocks from `first` on in the other way, and takes that for the next
    /// ones if these take fewer bytes.
    fn compare(
        &mut self,
        encoder: &StreamEncoder<'_>,
        first: u64,
        stored: &[StoredBlock],
    ) -> Result<(), WriteError> {
        let Some(other) = &mut self.other else {
            return Ok(());
        };
        let blocks: Vec<u64> = (first..first + stored.len() as u64)
            .step_by(TRIED)
            .collect();
        let tried = encoder.encode_blocks(other, blocks)?;
        let bytes = |of: &StoredBlock| of.stored_len() as u64;
        let tried: u64 = tried.iter().map(bytes).sum();
        let known: u64 = stored.iter().step_by(TRIED).map(bytes).sum();
        if tried < known {
            std::mem::swap(&mut self.best, other);
        }
        Ok(())
    }
}
