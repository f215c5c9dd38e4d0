//! Opens a table in constant time and decodes its blocks one at a time.

use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(feature = "generate")]
use rayon::prelude::*;

use super::Description;
use super::block::{self, Entry};
use super::decompress::{self, Decoder, Dictionary, StreamCodec};
use super::layout::{
    BLOCK_CHECKSUM_LEN, Codec, GROUP_BASE_OFFSET, GROUP_BLOCKS, GROUP_CHECKSUM_OFFSET,
    GROUP_ENTRIES_OFFSET, HEADER_LEN, Header, MAGIC, MAGIC_OFFSET, MAX_GROUP_LEN, Plane,
    STATISTICS_CHECKSUM_LEN, STATISTICS_SIDE, Sections, VERSION, VERSION_OFFSET,
    VERSION_WITHOUT_STATISTICS, get_u32, get_u64,
};
use super::statistics::Statistics;
use super::stream::Stream;
use crate::Error;
use crate::error::TableError;
#[cfg(feature = "generate")]
use crate::reserve::zeros;
use crate::reserve::{collected, room, zeroed};
use crate::store::{FileStore, MappedFile, Store};

thread_local! {
    static SCRATCH: RefCell<(Decoder, Vec<u8>)> =
        const { RefCell::new((Decoder::new(), Vec::new())) };
}

/// An open table. It can be used from many threads at once.
#[derive(Debug)]
pub struct Table {
    name: String,
    /// What makes the file again, as errors say it.
    arguments: String,
    store: Box<dyn Store>,
    description: Description,
    streams: Vec<Stream>,
    statistics: Option<StatisticsSection>,
}

/// The section of the statistics, at the end of the file.
#[derive(Clone, Copy, Debug)]
struct StatisticsSection {
    len: usize,
    /// What their checksum starts from.
    seed: u32,
}

impl Table {
    /// Opens a table file by mapping it into memory. Takes constant time: reads the header and
    /// checks it and the length of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the file cannot be read, is no table, or has a damaged header.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, |path| Ok(Box::new(MappedFile::open(path)?)))
    }

    /// Opens a table file that is read block by block, not mapped: a failing disk is an error then
    /// and not a signal.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn open_unmapped(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, |path| Ok(Box::new(FileStore::open(path)?)))
    }

    /// Opens a table that is not a file.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn from_store(store: Box<dyn Store>) -> Result<Self, Error> {
        Self::from_named_store("a table in memory".to_owned(), "MATERIAL", store)
    }

    fn open_with(
        path: &Path,
        open: impl FnOnce(&Path) -> std::io::Result<Box<dyn Store>>,
    ) -> Result<Self, Error> {
        let name = path.display().to_string();
        let material = path
            .file_stem()
            .map_or_else(|| "MATERIAL".into(), |stem| stem.to_string_lossy());
        match open(path) {
            Ok(store) => Self::from_named_store(name, &material, store),
            Err(error) => Err(Error::Table {
                name,
                arguments: material.into_owned(),
                problem: error.into(),
            }),
        }
    }

    fn from_named_store(
        name: String,
        material: &str,
        store: Box<dyn Store>,
    ) -> Result<Self, Error> {
        let header = match cfg!(feature = "native") {
            true => read_header(store.as_ref()),
            false => Err(TableError::NotBuilt),
        };
        let opened = header.and_then(|(header, sections)| {
            let identity = header.identity();
            let statistics = header.statistics_len.map(|len| StatisticsSection {
                len: len as usize,
                seed: block::stream_seed(identity, STATISTICS_SIDE),
            });
            let records = header.streams.into_iter().zip(sections).zip(0..);
            let streams = records.map(|((record, sections), number)| {
                Stream::new(number, record, sections, identity)
            });
            Ok((header.description, collected(streams)?, statistics))
        });
        match opened {
            Ok((description, streams, statistics)) => Ok(Self {
                name,
                arguments: description.material.clone(),
                store,
                description,
                streams,
                statistics,
            }),
            Err(problem) => Err(Error::Table {
                name,
                arguments: material.to_owned(),
                problem,
            }),
        }
    }

    /// The table, with what `retrograde generate` has to be told to make it again if the header
    /// does not say that.
    pub(crate) fn made_with(self, arguments: String) -> Table {
        Table { arguments, ..self }
    }

    /// What the table is about.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What the table says of all its values together; `None` if it was written in version 1, which
    /// had no statistics.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the statistics cannot be read or are damaged.
    pub fn statistics(&self) -> Result<Option<Statistics>, Error> {
        let read = |section: StatisticsSection| {
            let mut buffer = Vec::new();
            let offset = self.store.len().saturating_sub(section.len as u64);
            let bytes = self.bytes(offset, section.len, &mut buffer)?;
            let (checksum, payload) = bytes.split_at(STATISTICS_CHECKSUM_LEN);
            if get_u32(checksum, 0) != block::statistics_checksum(section.seed, payload) {
                return Err(TableError::StatisticsChecksum);
            }
            Statistics::decode(payload, &self.description)
        };
        let statistics = self.statistics.map(read).transpose();
        statistics.map_err(|problem| self.error(problem))
    }

    /// A hint to the system that the file will be read soon.
    pub fn will_read(&self) {
        self.store.will_read(0, self.store.len());
    }

    /// Path of the file, or what stands for it in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Length of the file in bytes.
    pub fn file_len(&self) -> u64 {
        self.store.len()
    }

    /// The streams in the file, one or two; with high bytes twice as many.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// The stream of a side to move, 0 or 1, if the table has it: of its low bytes where the table
    /// has high bytes.
    #[inline]
    pub fn stream(&self, side: u8) -> Option<&Stream> {
        // Low bytes stand before high bytes.
        self.streams
            .iter()
            .find(|stream| stream.record.side == side)
    }

    /// The high bytes of a side to move, if the table has such.
    pub fn high_bytes(&self, side: u8) -> Option<&Stream> {
        (self.streams.iter())
            .find(|stream| stream.record.side == side && stream.record.plane == Plane::High)
    }

    /// The value of a block in which all values are equal, without decoding it; `None` if the block
    /// must be decoded.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the directory is damaged or there is no such block.
    #[inline]
    pub fn constant_block(&self, stream: &Stream, block: u64) -> Result<Option<u8>, Error> {
        if stream.is_constant() && block < stream.block_count {
            return Ok(Some(stream.record.symbols[0]));
        }
        let entry = self
            .kept_group(stream, block)
            .and_then(|group| entry(stream, block, group))
            .map_err(|problem| self.error(problem))?;
        Ok(match entry {
            Entry::Constant(symbol) => Some(stream.record.symbols[usize::from(symbol)]),
            Entry::Payload(_) => None,
        })
    }

    /// Decodes a block into packed bytes, from which [`Stream::value_in_block`] takes values. The
    /// vector is overwritten; its memory is used again.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the block cannot be read, is damaged or does not exist.
    pub fn decode_block(
        &self,
        stream: &Stream,
        block: u64,
        packed: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.decode(stream, block, packed)
            .map_err(|problem| self.error(problem))
    }

    /// One value. Decodes a whole block for it; callers that ask often keep blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the block cannot be read or is damaged, or there is no such index.
    pub fn value(&self, stream: &Stream, index: u64) -> Result<u8, Error> {
        let (block, offset) = stream.locate(index).ok_or_else(|| {
            self.error(TableError::OutOfRange {
                stream: stream.number,
                what: "index",
                number: index,
                count: stream.len(),
            })
        })?;
        let mut packed = Vec::new();
        self.decode_block(stream, block, &mut packed)?;
        Ok(stream.value_in_block(&packed, offset))
    }

    /// All values of a stream, decoded on all threads of rayon's pool.
    ///
    /// A few bytes of a file can stand for very many values: compare [`Stream::len`] with what is
    /// expected before calling this with a file from elsewhere.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if a block cannot be read or is damaged, or the values do not fit into
    /// memory.
    #[cfg(feature = "generate")]
    pub fn read_stream(&self, stream: &Stream) -> Result<Vec<u8>, Error> {
        self.read_blocks(stream, 0..stream.block_count())
    }

    /// The values of some blocks of a stream that follow each other, decoded on all threads of
    /// rayon's pool.
    ///
    /// # Errors
    ///
    /// As for [`read_stream`](Self::read_stream); also if there is no such block.
    #[cfg(feature = "generate")]
    pub fn read_blocks(
        &self,
        stream: &Stream,
        blocks: std::ops::Range<u64>,
    ) -> Result<Vec<u8>, Error> {
        let mut values = Vec::new();
        self.read_blocks_into(stream, blocks, &mut values)?;
        Ok(values)
    }

    /// [`read_blocks`](Self::read_blocks) in place of what is there.
    ///
    /// # Errors
    ///
    /// Its own.
    #[cfg(feature = "generate")]
    pub fn read_blocks_into(
        &self,
        stream: &Stream,
        blocks: std::ops::Range<u64>,
        values: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let last = blocks.end.saturating_sub(1);
        let len = blocks.end.saturating_sub(blocks.start + 1) * u64::from(stream.block_values())
            + stream.values_in_block(last) as u64;
        let refused = || self.error(TableError::OutOfMemory { bytes: len });
        let len = usize::try_from(len).map_err(|_| refused())?;
        if values.capacity() < len {
            *values = zeros(len).map_err(|_| refused())?;
        }
        values.resize(len, 0);
        values
            .par_chunks_mut(stream.block_values() as usize)
            .enumerate()
            .try_for_each_init(Vec::new, |packed, (number, values)| {
                let block = blocks.start + number as u64;
                if !stream.is_constant() && (number == 0 || block.is_multiple_of(GROUP_BLOCKS)) {
                    let group = self.kept_group(stream, block)?;
                    self.will_read_group(stream, block - block % GROUP_BLOCKS, group)?;
                }
                self.decode(stream, block, packed)?;
                stream.unpack_block(packed, values);
                Ok(())
            })
            .map_err(|problem| self.error(problem))
    }

    /// Checks every checksum in the file. `progress` is told how many directory groups are done and
    /// how many there are, from many threads, and returns whether to go on.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] with a difference; [`Error::Cancelled`] if `progress` said so.
    #[cfg(feature = "generate")]
    pub fn verify_checksums(
        &self,
        progress: &(dyn Fn(u64, u64) -> bool + Sync),
    ) -> Result<(), Error> {
        let groups = |stream: &Stream| {
            if stream.is_constant() {
                0
            } else {
                stream.block_count.div_ceil(GROUP_BLOCKS)
            }
        };
        self.statistics()?;
        let total = self.streams.iter().map(groups).sum();
        let done = AtomicU64::new(0);
        for stream in &self.streams {
            self.dictionary(stream)
                .map_err(|problem| self.error(problem))?;
            (0..groups(stream))
                .into_par_iter()
                .try_for_each_init(Vec::new, |buffer, group| {
                    self.verify_group(stream, group, buffer)
                        .map_err(|problem| self.error(problem))?;
                    if progress(done.fetch_add(1, Ordering::Relaxed) + 1, total) {
                        Ok(())
                    } else {
                        Err(Error::Cancelled)
                    }
                })?;
        }
        Ok(())
    }

    /// Checks a directory group, its blocks, and that they end where the next group's begin.
    #[cfg(feature = "generate")]
    fn verify_group(
        &self,
        stream: &Stream,
        group: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<(), TableError> {
        let first = group * GROUP_BLOCKS;
        let mut here = [0; MAX_GROUP_LEN];
        let bytes = self.group(stream, first, &mut here)?;
        self.will_read_group(stream, first, bytes)?;
        let end = (first + GROUP_BLOCKS).min(stream.block_count);
        for block in first..end {
            self.payload(stream, block, bytes, buffer, |_, _| Ok(()))?;
        }
        let data_end = block::group_block_start(bytes, stream.entry_len, (end - first) as usize);
        let expected = if end == stream.block_count {
            stream.record.data_len
        } else {
            let mut next = [0; MAX_GROUP_LEN];
            let bytes = self.group(stream, end, &mut next)?;
            get_u64(bytes, GROUP_BASE_OFFSET)
        };
        if data_end == Some(expected) {
            Ok(())
        } else {
            Err(stream.impossible_entry(end - 1))
        }
    }

    /// Tells the store that the blocks of a directory group, given by its first, are read next.
    fn will_read_group(&self, stream: &Stream, first: u64, group: &[u8]) -> Result<(), TableError> {
        let start = get_u64(group, GROUP_BASE_OFFSET);
        let entries = (group.len() - GROUP_ENTRIES_OFFSET) / stream.entry_len;
        let end = block::group_block_start(group, stream.entry_len, entries)
            .filter(|&end| end <= stream.record.data_len)
            .ok_or_else(|| stream.impossible_entry(first))?;
        self.store
            .will_read(stream.sections.data + start, end - start);
        Ok(())
    }

    fn decode(&self, stream: &Stream, block: u64, packed: &mut Vec<u8>) -> Result<(), TableError> {
        let packed_len = stream.packed_len(block);
        if stream.is_constant() && block < stream.block_count {
            return Ok(zeroed(packed, packed_len)?);
        }
        let codec = match stream.record.codec {
            Codec::Zstd => StreamCodec::Zstd(self.dictionary(stream)?),
            Codec::Lzma => StreamCodec::Lzma,
        };
        let group = self.kept_group(stream, block)?;
        SCRATCH.with_borrow_mut(|(decoder, buffer)| {
            let constant = self.payload(stream, block, group, buffer, |payload, packed_len| {
                if payload.len() == packed_len {
                    packed.clear();
                    room(packed, packed_len)?;
                    packed.extend_from_slice(payload);
                    return Ok(());
                }
                if decoder.decode(codec, payload, packed_len, packed)? {
                    Ok(())
                } else {
                    Err(TableError::BlockDecode {
                        stream: stream.number,
                        block,
                        expected: packed_len,
                    })
                }
            })?;
            if let Some(symbol) = constant {
                packed.clear();
                room(packed, packed_len)?;
                packed.resize(packed_len, stream.packing().fill_byte(symbol));
            }
            Ok::<(), TableError>(())
        })?;
        let limit = stream.packing().byte_limit();
        if limit < 256
            && packed
                .iter()
                .copied()
                .max()
                .is_some_and(|byte| u16::from(byte) >= limit)
        {
            return Err(TableError::SymbolRange {
                stream: stream.number,
                block,
            });
        }
        Ok(())
    }

    /// Calls `consume` with the payload of a block, its checksum verified, and the packed bytes
    /// that it must decode to; or returns the symbol of a constant block.
    fn payload(
        &self,
        stream: &Stream,
        block: u64,
        group: &[u8],
        buffer: &mut Vec<u8>,
        consume: impl FnOnce(&[u8], usize) -> Result<(), TableError>,
    ) -> Result<Option<u8>, TableError> {
        let payload_len = match entry(stream, block, group)? {
            Entry::Constant(symbol) => return Ok(Some(symbol)),
            Entry::Payload(len) => len,
        };
        let packed_len = stream.packed_len(block);
        let stored_len = BLOCK_CHECKSUM_LEN + payload_len;
        let number = (block % GROUP_BLOCKS) as usize;
        let start = block::group_block_start(group, stream.entry_len, number)
            .filter(|start| {
                start
                    .checked_add(stored_len as u64)
                    .is_some_and(|end| end <= stream.record.data_len)
            })
            .filter(|_| payload_len <= packed_len)
            .ok_or_else(|| stream.impossible_entry(block))?;
        let stored = self.bytes(stream.sections.data + start, stored_len, buffer)?;
        let (checksum, payload) = stored.split_at(BLOCK_CHECKSUM_LEN);
        if get_u32(checksum, 0) != block::block_checksum(stream.seed, block, payload) {
            return Err(TableError::BlockChecksum {
                stream: stream.number,
                block,
            });
        }
        consume(payload, packed_len)?;
        Ok(None)
    }

    /// The directory group of a block, from a checked copy. Not for constant streams.
    #[inline]
    fn kept_group<'a>(&self, stream: &'a Stream, block: u64) -> Result<&'a [u8], TableError> {
        if block < stream.block_count
            && let Some(group) = stream.directory.get(block / GROUP_BLOCKS)
        {
            return Ok(group);
        }
        let mut buffer = [0; MAX_GROUP_LEN];
        let bytes = self.group(stream, block, &mut buffer)?;
        stream.directory.keep(block / GROUP_BLOCKS, bytes)
    }

    /// Reads the directory group of a block and verifies its checksum. Not for constant streams.
    fn group<'a>(
        &self,
        stream: &Stream,
        block: u64,
        buffer: &'a mut [u8; MAX_GROUP_LEN],
    ) -> Result<&'a [u8], TableError> {
        let (group, offset, len) = locate_group(stream, block)?;
        let bytes = &mut buffer[..len];
        self.store.read_exact_at(offset, bytes)?;
        check_group(stream, group, bytes)?;
        Ok(bytes)
    }

    fn dictionary<'a>(&self, stream: &'a Stream) -> Result<Option<&'a Dictionary>, TableError> {
        if stream.record.dictionary_len == 0 {
            return Ok(None);
        }
        if let Some(dictionary) = stream.dictionary.get() {
            return Ok(Some(dictionary));
        }
        let mut buffer = Vec::new();
        let len = stream.record.dictionary_len as usize;
        let bytes = self.bytes(stream.sections.dictionary, len, &mut buffer)?;
        if block::dictionary_checksum(stream.seed, bytes) != stream.record.dictionary_checksum {
            return Err(TableError::DictionaryChecksum {
                stream: stream.number,
            });
        }
        let dictionary = decompress::dictionary(bytes).ok_or(TableError::ImpossibleDictionary {
            stream: stream.number,
        })?;
        // Two threads may get here; either dictionary is as good.
        Ok(Some(stream.dictionary.get_or_init(|| dictionary)))
    }

    /// Bytes of the file, without copying where they are in memory. `len` must be bounded.
    fn bytes<'a>(
        &'a self,
        offset: u64,
        len: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], TableError> {
        if let Some(bytes) = self.store.as_slice() {
            return slice_of(bytes, offset, len);
        }
        zeroed(buffer, len)?;
        self.store.read_exact_at(offset, buffer)?;
        Ok(buffer)
    }

    /// The error of this table.
    pub(crate) fn error(&self, problem: TableError) -> Error {
        Error::Table {
            name: self.name.clone(),
            arguments: self.arguments.clone(),
            problem,
        }
    }
}

fn slice_of(bytes: &[u8], offset: u64, len: usize) -> Result<&[u8], TableError> {
    usize::try_from(offset)
        .ok()
        .and_then(|offset| bytes.get(offset..)?.get(..len))
        .ok_or(TableError::Truncated {
            expected: offset.saturating_add(len as u64),
            actual: bytes.len() as u64,
        })
}

/// Number of the directory group of a block, its offset in the file and its bytes.
#[inline]
fn locate_group(stream: &Stream, block: u64) -> Result<(u64, u64, usize), TableError> {
    if block >= stream.block_count {
        return Err(TableError::OutOfRange {
            stream: stream.number,
            what: "block",
            number: block,
            count: stream.block_count,
        });
    }
    let group = block / GROUP_BLOCKS;
    let entries = (stream.block_count - group * GROUP_BLOCKS).min(GROUP_BLOCKS) as usize;
    let len = GROUP_ENTRIES_OFFSET + entries * stream.entry_len;
    let full_len = GROUP_ENTRIES_OFFSET + GROUP_BLOCKS as usize * stream.entry_len;
    Ok((
        group,
        stream.sections.directory + group * full_len as u64,
        len,
    ))
}

/// What the directory says about a block, its symbol known to be in the map.
#[inline]
fn entry(stream: &Stream, block: u64, group: &[u8]) -> Result<Entry, TableError> {
    let number = (block % GROUP_BLOCKS) as usize;
    match block::group_entry(group, stream.entry_len, number) {
        Entry::Constant(symbol) if usize::from(symbol) >= stream.record.symbols.len() => {
            Err(stream.impossible_entry(block))
        }
        entry => Ok(entry),
    }
}

fn check_group(stream: &Stream, group: u64, bytes: &[u8]) -> Result<(), TableError> {
    let covered = &bytes[GROUP_BASE_OFFSET..];
    let checksum = block::group_checksum(stream.seed, group, covered);
    if checksum == get_u32(bytes, GROUP_CHECKSUM_OFFSET) {
        Ok(())
    } else {
        Err(TableError::DirectoryChecksum {
            stream: stream.number,
            group,
        })
    }
}

fn read_header(store: &dyn Store) -> Result<(Header, Vec<Sections>), TableError> {
    let actual = store.len();
    let mut bytes = [0; HEADER_LEN];
    let available = actual.min(HEADER_LEN as u64) as usize;
    store.read_exact_at(0, &mut bytes[..available])?;
    let magic_len = available.min(MAGIC.len());
    if bytes[MAGIC_OFFSET..magic_len] != MAGIC[..magic_len] {
        return Err(TableError::NotATable);
    }
    let truncated = |expected: usize| TableError::Truncated {
        expected: expected as u64,
        actual,
    };
    if available < VERSION_OFFSET + 4 {
        return Err(truncated(HEADER_LEN));
    }
    let found = get_u32(&bytes, VERSION_OFFSET);
    let supported = VERSION;
    if found > supported {
        return Err(TableError::NewerVersion { found, supported });
    }
    if found < VERSION_WITHOUT_STATISTICS {
        return Err(TableError::OlderVersion {
            found,
            supported: VERSION_WITHOUT_STATISTICS,
        });
    }
    if available < HEADER_LEN {
        return Err(truncated(HEADER_LEN));
    }
    let mut bytes = Vec::new();
    let mut read_up_to = |len: usize| {
        if actual < len as u64 {
            return Err(truncated(len));
        }
        zeroed(&mut bytes, len)?;
        store.read_exact_at(0, &mut bytes)?;
        // What the lengths depend on may have changed since it was looked at.
        match get_u32(&bytes, VERSION_OFFSET) == found {
            true => Ok(Header::symbols_len(&bytes)),
            false => Err(TableError::HeaderChecksum),
        }
    };
    let records_end = Header::records_end(found);
    let symbols_len = read_up_to(records_end)?;
    read_up_to(records_end + symbols_len)?;
    let header = Header::decode(&bytes, actual)?;
    let (sections, _) = header.sections().ok_or(TableError::ImpossibleField {
        field: "section lengths",
    })?;
    Ok((header, sections))
}
