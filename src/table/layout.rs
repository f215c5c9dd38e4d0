//! Where everything stands in a table file: the one place with offsets, besides `docs/FORMAT.md`,
//! which a test compares with these constants.
//!
//! Numbers are little endian and unaligned. The header and the symbol maps are read at once; every
//! other section is found by adding up the lengths in the header.

use super::pack::Packing;
use super::{Counts, Description, Longest};
use crate::error::TableError;

/// First bytes of every table: the name, then control bytes that show when a file went through a
/// text-mode transfer.
pub const MAGIC: [u8; 16] = *b"retrograde\x1a\x0a\xa9\x0d\x0a\x00";
/// The newest format version, that of tables with a stream that is compressed by LZMA; older ones
/// are read as well.
pub const VERSION: u32 = 4;
/// Format version of tables with numbers of two bytes.
pub const VERSION_OF_TWO_BYTES: u32 = 3;
/// Format version of tables with statistics whose numbers are bytes.
pub const VERSION_OF_BYTES: u32 = 2;
/// Format version of tables without statistics.
pub const VERSION_WITHOUT_STATISTICS: u32 = 1;

/// Offset of the magic bytes.
pub const MAGIC_OFFSET: usize = 0;
/// Offset of the format version, u32.
pub const VERSION_OFFSET: usize = MAGIC_OFFSET + MAGIC.len();
/// Offset of the bytes of the statistics section, u32; zero if there is none, as in version 1.
pub const STATISTICS_LEN_OFFSET: usize = VERSION_OFFSET + 4;
/// Offset of the length of the whole file in bytes, u64.
pub const FILE_LEN_OFFSET: usize = STATISTICS_LEN_OFFSET + 4;
/// Offset of the game number, u8; the description starts here.
pub const GAME_OFFSET: usize = FILE_LEN_OFFSET + 8;
/// Offset of the metric number, u8.
pub const METRIC_OFFSET: usize = GAME_OFFSET + 1;
/// Offset of the rules number, u8.
pub const RULES_OFFSET: usize = METRIC_OFFSET + 1;
/// Offset of the number of streams, u8.
pub const STREAM_COUNT_OFFSET: usize = RULES_OFFSET + 1;
/// Offset of the flags, u32.
pub const FLAGS_OFFSET: usize = STREAM_COUNT_OFFSET + 1;
/// Offset of the material name.
pub const MATERIAL_OFFSET: usize = FLAGS_OFFSET + 4;
/// Bytes of the material name: ASCII, padded with zeros.
pub const MATERIAL_LEN: usize = 16;
/// Offset of the counts: for each side five u64.
pub const COUNTS_OFFSET: usize = MATERIAL_OFFSET + MATERIAL_LEN;
/// Bytes of the counts of one side.
pub const COUNTS_LEN: usize = 5 * 8;
/// Offset of the longest wins, one for each side.
pub const LONGEST_OFFSET: usize = COUNTS_OFFSET + 2 * COUNTS_LEN;
/// Bytes of the longest win of one side: plies u32, reserved u32, index u64.
pub const LONGEST_LEN: usize = 4 + 4 + 8;
/// Offset of the stream records; the description ends here.
pub const STREAMS_OFFSET: usize = LONGEST_OFFSET + 2 * LONGEST_LEN;
/// Bytes of one stream record; there are always two, the second zero if there is one stream, and
/// two more behind the header from version 3 on.
pub const STREAM_LEN: usize = STREAM_DATA_LEN_OFFSET + 8;
/// Offset of the header checksum, u32.
pub const CHECKSUM_OFFSET: usize = STREAMS_OFFSET + 2 * STREAM_LEN;
/// Bytes of the header; the symbol maps follow, from version 3 on behind two more stream records.
pub const HEADER_LEN: usize = CHECKSUM_OFFSET + 4;
/// Bytes of the stream records behind the header, from version 3 on.
pub const MORE_STREAMS_LEN: usize = 2 * STREAM_LEN;

/// Offset in a stream record of the side to move, u8.
pub const STREAM_SIDE_OFFSET: usize = 0;
/// Offset in a stream record of which byte of each number it has, u8: 0 the low one, 1 the high
/// one.
pub const STREAM_PLANE_OFFSET: usize = STREAM_SIDE_OFFSET + 1;
/// Offset in a stream record of the number of symbols, u16.
pub const STREAM_SYMBOL_COUNT_OFFSET: usize = STREAM_PLANE_OFFSET + 1;
/// Offset in a stream record of the order of dimensions, opaque here.
pub const STREAM_ORDER_OFFSET: usize = STREAM_SYMBOL_COUNT_OFFSET + 2;
/// Bytes of the order of dimensions.
pub const ORDER_LEN: usize = 12;
/// Offset in a stream record of the number of values, u64.
pub const STREAM_VALUES_OFFSET: usize = STREAM_ORDER_OFFSET + ORDER_LEN;
/// Offset in a stream record of the number of values in a block, u32.
pub const STREAM_BLOCK_VALUES_OFFSET: usize = STREAM_VALUES_OFFSET + 8;
/// Offset in a stream record of the bytes of its dictionary, u32.
pub const STREAM_DICTIONARY_LEN_OFFSET: usize = STREAM_BLOCK_VALUES_OFFSET + 4;
/// Offset in a stream record of the checksum of its dictionary, u32.
pub const STREAM_DICTIONARY_CHECKSUM_OFFSET: usize = STREAM_DICTIONARY_LEN_OFFSET + 4;
/// Offset in a stream record of the number of its [`Codec`], u32.
pub const STREAM_CODEC_OFFSET: usize = STREAM_DICTIONARY_CHECKSUM_OFFSET + 4;
/// Offset in a stream record of the bytes of its data section, u64.
pub const STREAM_DATA_LEN_OFFSET: usize = STREAM_CODEC_OFFSET + 4;

/// Blocks whose directory entries form a group.
pub const GROUP_BLOCKS: u64 = 64;
/// Offset in a directory group of its checksum, u32.
pub const GROUP_CHECKSUM_OFFSET: usize = 0;
/// Offset in a directory group of the place of its first block in the data section, u64.
pub const GROUP_BASE_OFFSET: usize = GROUP_CHECKSUM_OFFSET + 4;
/// Offset in a directory group of its entries.
pub const GROUP_ENTRIES_OFFSET: usize = GROUP_BASE_OFFSET + 8;
/// Directory entries below this are the symbol of a constant block; from it on, they are this
/// number plus the payload bytes less one.
pub const FIRST_LENGTH_ENTRY: u32 = 256;
/// Bytes of the checksum in front of each block's payload.
pub const BLOCK_CHECKSUM_LEN: usize = 4;

/// Packed bytes in a block, at most.
pub const MAX_BLOCK_BYTES: usize = 1 << 20;
/// Packed bytes up to which a directory entry has two bytes; above, it has three.
pub const NARROW_BLOCK_BYTES: usize = (1 << 16) - FIRST_LENGTH_ENTRY as usize;
/// Values in a stream, at most.
pub const MAX_VALUES: u64 = 1 << 48;
/// Bytes in a dictionary, at most.
pub const MAX_DICTIONARY_LEN: usize = 1 << 20;
/// Bytes of the checksum in front of the statistics.
pub const STATISTICS_CHECKSUM_LEN: usize = 4;
/// Bytes of the statistics section, at most.
pub const MAX_STATISTICS_LEN: usize = 1 << 20;
/// Stands where blocks have their side, in the checksum of the statistics.
pub const STATISTICS_SIDE: u8 = 2;
/// Is added to the side in the checksums of high bytes.
pub const HIGH_BYTES: u8 = 4;
/// Index that stands for "no win" in the longest wins.
pub const NO_INDEX: u64 = u64::MAX;

/// The directory of the widest group fits in this many bytes.
pub(super) const MAX_GROUP_LEN: usize = GROUP_ENTRIES_OFFSET + GROUP_BLOCKS as usize * 3;

/// One stream as the header records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StreamRecord {
    pub side: u8,
    pub plane: Plane,
    pub order: [u8; ORDER_LEN],
    pub values: u64,
    pub block_values: u32,
    pub dictionary_len: u32,
    pub dictionary_checksum: u32,
    pub codec: Codec,
    pub data_len: u64,
    /// Values in increasing order; the position is the symbol.
    pub symbols: Vec<u8>,
}

/// Which byte of each number a stream has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plane {
    /// All of it, or the low byte where the table has high bytes as well.
    #[default]
    Low,
    /// The high byte.
    High,
}

/// What the blocks of a stream are compressed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codec {
    /// zstd: quick to decode.
    #[default]
    Zstd,
    /// LZMA, in LZMA2 chunks: smaller, and many times slower to decode.
    Lzma,
}

impl Codec {
    /// The codec with the number that a stream record has.
    fn from_number(number: u32) -> Option<Codec> {
        match number {
            0 => Some(Codec::Zstd),
            1 => Some(Codec::Lzma),
            _ => None,
        }
    }
}

impl StreamRecord {
    /// What checksums of the stream have for its side.
    pub fn checksum_side(&self) -> u8 {
        match self.plane {
            Plane::Low => self.side,
            Plane::High => self.side + HIGH_BYTES,
        }
    }

    pub fn packing(&self) -> Packing {
        Packing::for_symbols(self.symbols.len())
    }

    pub fn block_count(&self) -> u64 {
        self.values.div_ceil(u64::from(self.block_values))
    }

    /// Bytes of one directory entry.
    pub fn entry_len(&self) -> usize {
        let block_bytes = self.packing().packed_len(self.block_values as usize);
        if block_bytes <= NARROW_BLOCK_BYTES {
            2
        } else {
            3
        }
    }

    /// Bytes of the directory. A stream of one symbol has none.
    pub fn directory_len(&self) -> u64 {
        if self.symbols.len() == 1 {
            return 0;
        }
        // MAX_VALUES bounds the sum below 2^53.
        let blocks = self.block_count();
        blocks * self.entry_len() as u64
            + blocks.div_ceil(GROUP_BLOCKS) * GROUP_ENTRIES_OFFSET as u64
    }
}

/// The header and the symbol maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub description: Description,
    pub streams: Vec<StreamRecord>,
    /// Bytes of the statistics section, its checksum among them; `None` in version 1.
    pub statistics_len: Option<u32>,
}

/// Offsets in the file of the sections of one stream, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sections {
    pub dictionary: u64,
    pub data: u64,
    pub directory: u64,
}

impl Header {
    /// Bytes of the header and the symbol maps.
    pub fn encoded_len(&self) -> u64 {
        let symbols: usize = self.streams.iter().map(|stream| stream.symbols.len()).sum();
        (Header::records_end(self.version()) + symbols) as u64
    }

    /// Where the sections of each stream are, and the length of the file, whose end the statistics
    /// are; `None` if the lengths overflow.
    pub fn sections(&self) -> Option<(Vec<Sections>, u64)> {
        let mut end = self.encoded_len();
        let mut sections = Vec::with_capacity(self.streams.len());
        for stream in &self.streams {
            let dictionary = end;
            let data = dictionary.checked_add(u64::from(stream.dictionary_len))?;
            let directory = data.checked_add(stream.data_len)?;
            end = directory.checked_add(stream.directory_len())?;
            sections.push(Sections {
                dictionary,
                data,
                directory,
            });
        }
        let statistics_len = self.statistics_len.unwrap_or(0);
        Some((sections, end.checked_add(statistics_len.into())?))
    }

    fn version(&self) -> u32 {
        let has_high_bytes = self
            .streams
            .iter()
            .any(|stream| stream.plane == Plane::High);
        let has_lzma = (self.streams.iter()).any(|stream| stream.codec == Codec::Lzma);
        match self.statistics_len {
            _ if has_lzma => VERSION,
            _ if has_high_bytes => VERSION_OF_TWO_BYTES,
            Some(_) => VERSION_OF_BYTES,
            None => VERSION_WITHOUT_STATISTICS,
        }
    }

    /// The header and the symbol maps as bytes. The description must have passed
    /// [`Description::check`], and the lengths must not overflow.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![0; Header::records_end(self.version())];
        let (_, file_len) = self.sections().unwrap_or_default();
        put(&mut out, MAGIC_OFFSET, &MAGIC);
        put(&mut out, VERSION_OFFSET, &self.version().to_le_bytes());
        let statistics_len = self.statistics_len.unwrap_or(0);
        put(
            &mut out,
            STATISTICS_LEN_OFFSET,
            &statistics_len.to_le_bytes(),
        );
        put(&mut out, FILE_LEN_OFFSET, &file_len.to_le_bytes());
        encode_description(&self.description, self.streams.len() as u8, &mut out);
        for (number, stream) in self.streams.iter().enumerate() {
            let record = &mut out[record_offset(number)..][..STREAM_LEN];
            record[STREAM_SIDE_OFFSET] = stream.side;
            record[STREAM_PLANE_OFFSET] = stream.plane as u8;
            let symbol_count = stream.symbols.len() as u16;
            put(
                record,
                STREAM_SYMBOL_COUNT_OFFSET,
                &symbol_count.to_le_bytes(),
            );
            put(record, STREAM_ORDER_OFFSET, &stream.order);
            put(record, STREAM_VALUES_OFFSET, &stream.values.to_le_bytes());
            put(
                record,
                STREAM_BLOCK_VALUES_OFFSET,
                &stream.block_values.to_le_bytes(),
            );
            put(
                record,
                STREAM_DICTIONARY_LEN_OFFSET,
                &stream.dictionary_len.to_le_bytes(),
            );
            put(
                record,
                STREAM_DICTIONARY_CHECKSUM_OFFSET,
                &stream.dictionary_checksum.to_le_bytes(),
            );
            put(
                record,
                STREAM_CODEC_OFFSET,
                &(stream.codec as u32).to_le_bytes(),
            );
            put(
                record,
                STREAM_DATA_LEN_OFFSET,
                &stream.data_len.to_le_bytes(),
            );
        }
        for stream in &self.streams {
            out.extend_from_slice(&stream.symbols);
        }
        let checksum = header_checksum(&out);
        put(&mut out, CHECKSUM_OFFSET, &checksum.to_le_bytes());
        out
    }

    /// How many stream records a version has.
    fn records(version: u32) -> usize {
        match version {
            VERSION_OF_TWO_BYTES.. => 4,
            _ => 2,
        }
    }

    /// Bytes of the header and of the stream records right behind it.
    pub fn records_end(version: u32) -> usize {
        record_offset(Header::records(version))
    }

    /// How many bytes the symbol maps take after this header with all its stream records, which may
    /// be damaged; at most 1024.
    pub fn symbols_len(header: &[u8]) -> usize {
        (0..Header::records(get_u32(header, VERSION_OFFSET)))
            .map(|number| {
                let record = &header[record_offset(number)..];
                usize::from(get_u16(record, STREAM_SYMBOL_COUNT_OFFSET)).min(256)
            })
            .sum()
    }

    /// Reads what [`encode`](Self::encode) wrote. `bytes` holds the header with all its stream
    /// records and [`symbols_len`](Self::symbols_len) more bytes; `file_len` is the length of the
    /// whole file.
    pub fn decode(bytes: &[u8], file_len: u64) -> Result<Self, TableError> {
        if get_u32(bytes, CHECKSUM_OFFSET) != header_checksum(bytes) {
            return Err(TableError::HeaderChecksum);
        }
        let expected = get_u64(bytes, FILE_LEN_OFFSET);
        if file_len < expected {
            return Err(TableError::Truncated {
                expected,
                actual: file_len,
            });
        }
        if file_len > expected {
            return Err(TableError::Overlong {
                extra: file_len - expected,
            });
        }
        let statistics_len = get_u32(bytes, STATISTICS_LEN_OFFSET);
        let version = get_u32(bytes, VERSION_OFFSET);
        let records = Header::records(version);
        let statistics_len = match version {
            VERSION_WITHOUT_STATISTICS => {
                ensure(statistics_len == 0, "reserved bytes")?;
                None
            }
            VERSION if statistics_len == 0 => None,
            _ => {
                let allowed = STATISTICS_CHECKSUM_LEN..=MAX_STATISTICS_LEN;
                let is_allowed = allowed.contains(&(statistics_len as usize));
                ensure(is_allowed, "length of the statistics")?;
                Some(statistics_len)
            }
        };
        let stream_count = usize::from(bytes[STREAM_COUNT_OFFSET]);
        ensure((1..=records).contains(&stream_count), "number of streams")?;
        let description = decode_description(bytes)?;
        let mut streams = Vec::with_capacity(stream_count);
        let mut symbols = &bytes[Header::records_end(version)..];
        for number in 0..records {
            let record = &bytes[record_offset(number)..][..STREAM_LEN];
            if number < stream_count {
                streams.push(decode_stream(record, &mut symbols)?);
            } else {
                ensure(record.iter().all(|&byte| byte == 0), "unused stream record")?;
            }
        }
        check_sides(&streams)?;
        let header = Self {
            description,
            streams,
            statistics_len,
        };
        ensure(header.version() == version, "version")?;
        let (_, end) = header.sections().ok_or(TableError::ImpossibleField {
            field: "section lengths",
        })?;
        ensure(end == file_len, "section lengths")?;
        Ok(header)
    }

    /// A checksum of the description. It goes into every other checksum, so that a block of another
    /// table is never taken for one of this. From version 2 on, flags say nothing of the blocks and
    /// are left out.
    pub fn identity(&self) -> u32 {
        let mut out = [0; HEADER_LEN];
        encode_description(&self.description, self.streams.len() as u8, &mut out);
        if self.statistics_len.is_some() {
            put(&mut out, FLAGS_OFFSET, &[0; 4]);
        }
        crc32c::crc32c(&out[GAME_OFFSET..STREAMS_OFFSET])
    }
}

/// Where a stream record is: two stand in the header, others right behind it.
fn record_offset(number: usize) -> usize {
    match number {
        0 | 1 => STREAMS_OFFSET + number * STREAM_LEN,
        _ => HEADER_LEN + (number - 2) * STREAM_LEN,
    }
}

/// Each side once, and low bytes of all of them before high bytes of all of them, if there are any.
fn check_sides(streams: &[StreamRecord]) -> Result<(), TableError> {
    let first_high = (streams.iter()).position(|stream| stream.plane == Plane::High);
    let (low, high) = streams.split_at(first_high.unwrap_or(streams.len()));
    let sides = |streams: &[StreamRecord]| streams.is_sorted_by(|a, b| a.side < b.side);
    ensure(low.len() <= 2 && sides(low), "side to move")?;
    let is_high = |(low, high): (&StreamRecord, &StreamRecord)| {
        high.plane == Plane::High && (high.side, high.values) == (low.side, low.values)
    };
    let mut pairs = low.iter().zip(high);
    let are_paired = high.is_empty() || low.len() == high.len();
    ensure(are_paired && pairs.all(is_high), "plane")
}

fn header_checksum(bytes: &[u8]) -> u32 {
    let checksum = crc32c::crc32c(&bytes[..CHECKSUM_OFFSET]);
    crc32c::crc32c_append(checksum, &bytes[HEADER_LEN..])
}

fn encode_description(description: &Description, stream_count: u8, out: &mut [u8]) {
    out[GAME_OFFSET] = description.game;
    out[METRIC_OFFSET] = description.metric;
    out[RULES_OFFSET] = description.rules;
    out[STREAM_COUNT_OFFSET] = stream_count;
    put(out, FLAGS_OFFSET, &description.flags.to_le_bytes());
    put(out, MATERIAL_OFFSET, description.material.as_bytes());
    for (side, counts) in description.counts.iter().enumerate() {
        for (number, count) in counts.to_array().iter().enumerate() {
            let offset = COUNTS_OFFSET + side * COUNTS_LEN + number * 8;
            put(out, offset, &count.to_le_bytes());
        }
    }
    for (side, longest) in description.longest.iter().enumerate() {
        let (plies, index) =
            longest.map_or((0, NO_INDEX), |longest| (longest.plies, longest.index));
        let offset = LONGEST_OFFSET + side * LONGEST_LEN;
        put(out, offset, &plies.to_le_bytes());
        put(out, offset + 8, &index.to_le_bytes());
    }
}

fn decode_description(bytes: &[u8]) -> Result<Description, TableError> {
    let name = &bytes[MATERIAL_OFFSET..][..MATERIAL_LEN];
    let name_len = name
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(MATERIAL_LEN);
    ensure(
        name[name_len..].iter().all(|&byte| byte == 0),
        "material name",
    )?;
    let mut counts = [Counts::default(); 2];
    for (side, counts) in counts.iter_mut().enumerate() {
        let offset = COUNTS_OFFSET + side * COUNTS_LEN;
        *counts = Counts::from_array(std::array::from_fn(|number| {
            get_u64(bytes, offset + number * 8)
        }));
    }
    let mut longest = [None; 2];
    for (side, longest) in longest.iter_mut().enumerate() {
        let offset = LONGEST_OFFSET + side * LONGEST_LEN;
        let plies = get_u32(bytes, offset);
        let index = get_u64(bytes, offset + 8);
        ensure(get_u32(bytes, offset + 4) == 0, "reserved bytes")?;
        if index == NO_INDEX {
            ensure(plies == 0, "longest win")?;
        } else {
            *longest = Some(Longest { plies, index });
        }
    }
    let description = Description {
        game: bytes[GAME_OFFSET],
        metric: bytes[METRIC_OFFSET],
        rules: bytes[RULES_OFFSET],
        flags: get_u32(bytes, FLAGS_OFFSET),
        material: String::from_utf8_lossy(&name[..name_len]).into_owned(),
        counts,
        longest,
    };
    ensure(description.check().is_ok(), "material name")?;
    Ok(description)
}

/// Reads one stream record and takes its symbol map off the front of `symbols`.
fn decode_stream(record: &[u8], symbols: &mut &[u8]) -> Result<StreamRecord, TableError> {
    let side = record[STREAM_SIDE_OFFSET];
    ensure(side <= 1, "side to move")?;
    let plane = match record[STREAM_PLANE_OFFSET] {
        0 => Plane::Low,
        1 => Plane::High,
        _ => return Err(TableError::ImpossibleField { field: "plane" }),
    };
    let codec = Codec::from_number(get_u32(record, STREAM_CODEC_OFFSET))
        .ok_or(TableError::ImpossibleField { field: "codec" })?;
    let symbol_count = usize::from(get_u16(record, STREAM_SYMBOL_COUNT_OFFSET));
    ensure((1..=256).contains(&symbol_count), "number of symbols")?;
    let Some((map, rest)) = symbols.split_at_checked(symbol_count) else {
        return Err(TableError::ImpossibleField {
            field: "number of symbols",
        });
    };
    *symbols = rest;
    ensure(map.is_sorted_by(|a, b| a < b), "symbol map")?;
    let mut order = [0; ORDER_LEN];
    order.copy_from_slice(&record[STREAM_ORDER_OFFSET..][..ORDER_LEN]);
    let stream = StreamRecord {
        side,
        plane,
        order,
        values: get_u64(record, STREAM_VALUES_OFFSET),
        block_values: get_u32(record, STREAM_BLOCK_VALUES_OFFSET),
        dictionary_len: get_u32(record, STREAM_DICTIONARY_LEN_OFFSET),
        dictionary_checksum: get_u32(record, STREAM_DICTIONARY_CHECKSUM_OFFSET),
        codec,
        data_len: get_u64(record, STREAM_DATA_LEN_OFFSET),
        symbols: map.to_vec(),
    };
    let packing = stream.packing();
    let block_values = stream.block_values as usize;
    ensure(
        (1..=MAX_VALUES).contains(&stream.values),
        "number of values",
    )?;
    ensure(
        block_values != 0
            && block_values.is_multiple_of(packing.per_byte())
            && packing.packed_len(block_values) <= MAX_BLOCK_BYTES,
        "values in a block",
    )?;
    ensure(
        stream.dictionary_len as usize <= MAX_DICTIONARY_LEN
            && (codec == Codec::Zstd || stream.dictionary_len == 0),
        "dictionary length",
    )?;
    ensure(
        symbol_count > 1 || (stream.data_len == 0 && stream.dictionary_len == 0),
        "data of a constant stream",
    )?;
    Ok(stream)
}

fn ensure(condition: bool, field: &'static str) -> Result<(), TableError> {
    if condition {
        Ok(())
    } else {
        Err(TableError::ImpossibleField { field })
    }
}

fn put(out: &mut [u8], offset: usize, bytes: &[u8]) {
    out[offset..][..bytes.len()].copy_from_slice(bytes);
}

fn get<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    std::array::from_fn(|number| bytes[offset + number])
}

pub(super) fn get_u16(bytes: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes(get(bytes, offset))
}

pub(super) fn get_u32(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(get(bytes, offset))
}

pub(super) fn get_u64(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(get(bytes, offset))
}
