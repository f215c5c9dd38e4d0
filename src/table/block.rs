//! One block of packed bytes <-> what stands in the file, and the directory that finds it.
//!
//! A block is compressed on its own and comes in three kinds: all symbols equal, which takes no
//! bytes beyond its directory entry; what the codec of the stream makes of the packed bytes; or
//! these as they are where it does not shrink them. In front of the latter two stands a checksum.

use super::layout::{
    BLOCK_CHECKSUM_LEN, FIRST_LENGTH_ENTRY, GROUP_BASE_OFFSET, GROUP_BLOCKS, GROUP_ENTRIES_OFFSET,
    get_u16, get_u64,
};

/// A block as it goes into the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StoredBlock {
    /// Every symbol is this one.
    Constant(u8),
    /// A zstd frame without magic, size and checksum, or LZMA2 chunks; smaller than the packed
    /// bytes.
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

/// Checksum of the statistics; `seed` is that of
/// [`STATISTICS_SIDE`](super::layout::STATISTICS_SIDE).
pub(super) fn statistics_checksum(seed: u32, payload: &[u8]) -> u32 {
    crc32c::crc32c_append(seed, payload)
}

/// Checksum of a dictionary.
pub(super) fn dictionary_checksum(seed: u32, dictionary: &[u8]) -> u32 {
    crc32c::crc32c_append(seed, dictionary)
}
