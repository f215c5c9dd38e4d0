//! One block of packed bytes <-> what stands in the file, and the directory that finds it.
//!
//! A block is compressed on its own and comes in three kinds: all symbols equal, which takes no
//! bytes beyond its directory entry; a zstd frame without magic, size and checksum; or the packed
//! bytes as they are where zstd does not shrink them. In front of the latter two stands a checksum.

use zstd::zstd_safe::{self, CCtx, CParameter, DCtx, DDict, DParameter, FrameFormat, Strategy};

use super::layout::{
    BLOCK_CHECKSUM_LEN, FIRST_LENGTH_ENTRY, GROUP_BASE_OFFSET, GROUP_BLOCKS, GROUP_ENTRIES_OFFSET,
    get_u16, get_u64,
};
use super::options::WriteOptions;
use crate::error::WriteError;

/// A block as it goes into the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StoredBlock {
    /// Every symbol is this one.
    Constant(u8),
    /// A zstd frame, smaller than the packed bytes.
    Compressed(Vec<u8>),
    /// The packed bytes.
    Raw(Vec<u8>),
}

impl StoredBlock {
    /// Bytes in the data section without the checksum.
    pub fn payload(&self) -> &[u8] {
        match self {
            Self::Constant(_) => &[],
            Self::Compressed(payload) | Self::Raw(payload) => payload,
        }
    }

    /// Bytes in the data section.
    pub fn stored_len(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::Compressed(payload) | Self::Raw(payload) => BLOCK_CHECKSUM_LEN + payload.len(),
        }
    }

    fn entry(&self) -> u32 {
        match self {
            Self::Constant(symbol) => u32::from(*symbol),
            // A payload is never empty and has at most MAX_BLOCK_BYTES.
            Self::Compressed(payload) | Self::Raw(payload) => {
                FIRST_LENGTH_ENTRY + payload.len() as u32 - 1
            }
        }
    }
}

/// A zstd context and its buffers, for one thread at a time.
pub(super) struct Encoder {
    context: CCtx<'static>,
    compressed: Vec<u8>,
}

impl Encoder {
    pub fn new(options: &WriteOptions, dictionary: Option<&[u8]>) -> Result<Self, WriteError> {
        let mut context = CCtx::try_create().ok_or(WriteError::Compression("out of memory"))?;
        let mut set = |parameter| context.set_parameter(parameter).map_err(zstd_error);
        set(CParameter::CompressionLevel(options.level))?;
        set(CParameter::Format(FrameFormat::Magicless))?;
        set(CParameter::ContentSizeFlag(false))?;
        set(CParameter::ChecksumFlag(false))?;
        set(CParameter::DictIdFlag(false))?;
        // The row match finder salts its hashes differently each time a context is used again, so
        // the bytes of a block would depend on which thread compressed which blocks before.
        set(CParameter::UseRowMatchFinder(
            zstd_safe::ParamSwitch::Disable,
        ))?;
        if let Some(strategy) = options.strategy {
            set(CParameter::Strategy(to_strategy(strategy)))?;
        }
        if let Some(log) = options.search_log {
            set(CParameter::SearchLog(log))?;
        }
        if let Some(len) = options.min_match {
            set(CParameter::MinMatch(len))?;
        }
        if let Some(len) = options.target_length {
            set(CParameter::TargetLength(len))?;
        }
        if let Some(dictionary) = dictionary {
            context.load_dictionary(dictionary).map_err(zstd_error)?;
        }
        Ok(Self {
            context,
            compressed: Vec::new(),
        })
    }

    /// Compresses one block: its symbols, and the same packed.
    pub fn encode(&mut self, symbols: &[u8], packed: &[u8]) -> Result<StoredBlock, WriteError> {
        if symbols.iter().all(|&symbol| symbol == symbols[0]) {
            return Ok(StoredBlock::Constant(symbols[0]));
        }
        self.compressed.clear();
        self.compressed
            .reserve(zstd_safe::compress_bound(packed.len()));
        self.context
            .compress2(&mut self.compressed, packed)
            .map_err(zstd_error)?;
        Ok(if self.compressed.len() < packed.len() {
            StoredBlock::Compressed(self.compressed.clone())
        } else {
            StoredBlock::Raw(packed.to_vec())
        })
    }
}

fn to_strategy(number: u32) -> Strategy {
    match number {
        1 => Strategy::ZSTD_fast,
        2 => Strategy::ZSTD_dfast,
        3 => Strategy::ZSTD_greedy,
        4 => Strategy::ZSTD_lazy,
        5 => Strategy::ZSTD_lazy2,
        6 => Strategy::ZSTD_btlazy2,
        7 => Strategy::ZSTD_btopt,
        8 => Strategy::ZSTD_btultra,
        _ => Strategy::ZSTD_btultra2,
    }
}

fn zstd_error(code: usize) -> WriteError {
    WriteError::Compression(zstd_safe::get_error_name(code))
}

/// Decompresses blocks; the context is used again and again, as making one costs more than a block.
pub(super) struct Decoder {
    context: DCtx<'static>,
}

impl Decoder {
    pub fn new() -> Self {
        let mut context = DCtx::create();
        // Cannot fail on a new context of a library that has the parameter; if it did, every block
        // would fail to decode, which is reported.
        let _ = context.set_parameter(DParameter::Format(FrameFormat::Magicless));
        Self { context }
    }

    /// Decompresses into `packed`, which is cleared first. Whether the result has `packed_len`
    /// bytes and all of the payload was used.
    pub fn decode(
        &mut self,
        payload: &[u8],
        dictionary: Option<&DDict<'static>>,
        packed_len: usize,
        packed: &mut Vec<u8>,
    ) -> bool {
        packed.clear();
        packed.reserve(packed_len);
        let result = match dictionary {
            Some(dictionary) => self
                .context
                .decompress_using_ddict(packed, payload, dictionary),
            None => self.context.decompress(packed, payload),
        };
        result == Ok(packed_len) && packed.len() == packed_len
    }
}

/// Collects the directory of a stream while its blocks are written in order.
#[derive(Debug)]
pub(super) struct DirectoryBuilder {
    seed: u32,
    entry_len: usize,
    blocks: u64,
    data_len: u64,
    group: Vec<u8>,
    bytes: Vec<u8>,
}

impl DirectoryBuilder {
    /// `seed` is the [`stream_seed`] of the stream.
    pub fn new(seed: u32, entry_len: usize) -> Self {
        Self {
            seed,
            entry_len,
            blocks: 0,
            data_len: 0,
            group: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Number of the next block.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Bytes that the data section has so far.
    pub fn data_len(&self) -> u64 {
        self.data_len
    }

    pub fn push(&mut self, block: &StoredBlock) {
        if self.blocks.is_multiple_of(GROUP_BLOCKS) {
            self.finish_group();
            self.group.extend_from_slice(&self.data_len.to_le_bytes());
        }
        self.group
            .extend_from_slice(&block.entry().to_le_bytes()[..self.entry_len]);
        self.data_len += block.stored_len() as u64;
        self.blocks += 1;
    }

    fn finish_group(&mut self) {
        if self.group.is_empty() {
            return;
        }
        let group = (self.blocks - 1) / GROUP_BLOCKS;
        let checksum = group_checksum(self.seed, group, &self.group);
        self.bytes.extend_from_slice(&checksum.to_le_bytes());
        self.bytes.append(&mut self.group);
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.finish_group();
        self.bytes
    }
}

/// What a directory entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// Every symbol of the block is this one.
    Constant(u8),
    /// The payload has this many bytes.
    Payload(usize),
}

/// Entry `number` of a directory group given as bytes, checksum included.
pub(super) fn group_entry(group: &[u8], entry_len: usize, number: usize) -> Entry {
    let offset = GROUP_ENTRIES_OFFSET + number * entry_len;
    let mut entry = u32::from(get_u16(group, offset));
    if entry_len == 3 {
        entry |= u32::from(group[offset + 2]) << 16;
    }
    if entry < FIRST_LENGTH_ENTRY {
        Entry::Constant(entry as u8)
    } else {
        Entry::Payload((entry - FIRST_LENGTH_ENTRY) as usize + 1)
    }
}

/// Where block `number` of a group starts in the data section; `None` on overflow.
pub(super) fn group_block_start(group: &[u8], entry_len: usize, number: usize) -> Option<u64> {
    let before: usize = (0..number)
        .map(|number| match group_entry(group, entry_len, number) {
            Entry::Constant(_) => 0,
            Entry::Payload(len) => BLOCK_CHECKSUM_LEN + len,
        })
        .sum();
    get_u64(group, GROUP_BASE_OFFSET).checked_add(before as u64)
}

/// What the checksums of a stream start from: they hold for this table and this stream only.
pub(super) fn stream_seed(identity: u32, side: u8) -> u32 {
    crc32c::crc32c_append(identity, &[side])
}

/// Checksum of a block: it holds for this payload in this place only.
pub(super) fn block_checksum(seed: u32, block: u64, payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c_append(seed, &block.to_le_bytes()), payload)
}

/// Checksum of a directory group; `bytes` is the group without its checksum.
pub(super) fn group_checksum(seed: u32, group: u64, bytes: &[u8]) -> u32 {
    // Groups count downwards so that no group starts from the same number as a block.
    crc32c::crc32c_append(crc32c::crc32c_append(seed, &(!group).to_le_bytes()), bytes)
}

/// Checksum of the statistics; `seed` is that of [`STATISTICS_SIDE`](super::layout::STATISTICS_SIDE).
pub(super) fn statistics_checksum(seed: u32, payload: &[u8]) -> u32 {
    crc32c::crc32c_append(seed, payload)
}

/// Checksum of a dictionary.
pub(super) fn dictionary_checksum(seed: u32, dictionary: &[u8]) -> u32 {
    crc32c::crc32c_append(seed, dictionary)
}
