//! Makes the checksums of a damaged table of our own right, so that the fuzzer gets past them.

use retrograde::table::Packing;
use retrograde::table::layout::{
    BLOCK_CHECKSUM_LEN, CHECKSUM_OFFSET, FILE_LEN_OFFSET, FIRST_LENGTH_ENTRY, GAME_OFFSET,
    GROUP_BASE_OFFSET, GROUP_BLOCKS, GROUP_ENTRIES_OFFSET, HEADER_LEN, HIGH_BYTES,
    MORE_STREAMS_LEN, NARROW_BLOCK_BYTES, STATISTICS_CHECKSUM_LEN, STATISTICS_LEN_OFFSET,
    STATISTICS_SIDE, STREAM_BLOCK_VALUES_OFFSET, STREAM_DATA_LEN_OFFSET,
    STREAM_DICTIONARY_CHECKSUM_OFFSET, STREAM_DICTIONARY_LEN_OFFSET, STREAM_LEN,
    STREAM_PLANE_OFFSET, STREAM_SIDE_OFFSET, STREAM_SYMBOL_COUNT_OFFSET, STREAM_VALUES_OFFSET,
    STREAMS_OFFSET, VERSION_OF_TWO_BYTES, VERSION_OFFSET,
};

/// What is made right.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The length of the file and the checksum of the header.
    Header,
    /// Those of dictionaries, directory groups, blocks and statistics as well.
    All,
}

fn number(bytes: &[u8], offset: usize, len: usize) -> Option<u64> {
    let mut number = [0; 8];
    number[..len].copy_from_slice(bytes.get(offset..)?.get(..len)?);
    Some(u64::from_le_bytes(number))
}

fn put(bytes: &mut [u8], offset: usize, checksum: u32) -> Option<()> {
    let place = bytes.get_mut(offset..)?.get_mut(..4)?;
    place.copy_from_slice(&checksum.to_le_bytes());
    Some(())
}

/// Makes checksums right as far as the lengths in the header lie inside the file.
pub fn checksums(bytes: &mut [u8], target: Target) -> Option<()> {
    if bytes.len() < HEADER_LEN {
        return None;
    }
    let len = bytes.len() as u64;
    bytes[FILE_LEN_OFFSET..][..8].copy_from_slice(&len.to_le_bytes());
    let identity = crc32c::crc32c(&bytes[GAME_OFFSET..STREAMS_OFFSET]);
    let mut records = vec![STREAMS_OFFSET, STREAMS_OFFSET + STREAM_LEN];
    let mut symbols_start = HEADER_LEN;
    if number(bytes, VERSION_OFFSET, 4) >= Some(VERSION_OF_TWO_BYTES.into()) {
        records.extend([HEADER_LEN, HEADER_LEN + STREAM_LEN]);
        symbols_start += MORE_STREAMS_LEN;
    }
    let count = |&record: &usize| {
        let count = number(bytes, record + STREAM_SYMBOL_COUNT_OFFSET, 2);
        count.unwrap_or(0).min(256) as usize
    };
    let symbols: Vec<usize> = records.iter().map(count).collect();
    let symbols_end = symbols_start + symbols.iter().sum::<usize>();
    if target == Target::All {
        let mut offset = symbols_end as u64;
        for (record, symbols) in records.into_iter().zip(symbols) {
            match stream(bytes, record, symbols, identity, offset) {
                Some(end) => offset = end,
                None => break,
            }
        }
        let _ = statistics(bytes, identity);
    }
    let checksum = crc32c::crc32c(&bytes[..CHECKSUM_OFFSET]);
    let checksum = crc32c::crc32c_append(checksum, bytes.get(HEADER_LEN..symbols_end)?);
    put(bytes, CHECKSUM_OFFSET, checksum)
}

/// The section at the end of the file.
fn statistics(bytes: &mut [u8], identity: u32) -> Option<()> {
    let len = number(bytes, STATISTICS_LEN_OFFSET, 4)? as usize;
    let start = bytes.len().checked_sub(len)?;
    let payload = bytes.get(start..)?.get(STATISTICS_CHECKSUM_LEN..)?;
    let seed = crc32c::crc32c_append(identity, &[STATISTICS_SIDE]);
    let checksum = crc32c::crc32c_append(seed, payload);
    put(bytes, start, checksum)
}

/// A stream that begins at `offset`; returns its end.
fn stream(
    bytes: &mut [u8],
    record: usize,
    symbols: usize,
    identity: u32,
    offset: u64,
) -> Option<u64> {
    let field = |bytes: &[u8], offset, len| number(bytes, record + offset, len);
    let is_high = bytes[record + STREAM_PLANE_OFFSET] == 1;
    let side = bytes[record + STREAM_SIDE_OFFSET].wrapping_add(u8::from(is_high) * HIGH_BYTES);
    let seed = crc32c::crc32c_append(identity, &[side]);
    let values = field(bytes, STREAM_VALUES_OFFSET, 8)?;
    let block_values = field(bytes, STREAM_BLOCK_VALUES_OFFSET, 4)?;
    let dictionary_len = field(bytes, STREAM_DICTIONARY_LEN_OFFSET, 4)?;
    let data_len = field(bytes, STREAM_DATA_LEN_OFFSET, 8)?;
    let data = offset.checked_add(dictionary_len)?;
    let directory = data.checked_add(data_len)?;
    if directory > bytes.len() as u64 || symbols == 0 || block_values == 0 {
        return None;
    }
    if dictionary_len > 0 {
        let dictionary = &bytes[offset as usize..data as usize];
        let checksum = crc32c::crc32c_append(seed, dictionary);
        put(bytes, record + STREAM_DICTIONARY_CHECKSUM_OFFSET, checksum)?;
    }
    if symbols == 1 {
        return Some(directory);
    }
    let block_bytes = Packing::for_symbols(symbols).packed_len(block_values as usize);
    let entry_len = if block_bytes <= NARROW_BLOCK_BYTES {
        2
    } else {
        3
    };
    let blocks = values.div_ceil(block_values);
    let mut group = directory;
    for first in (0..blocks).step_by(GROUP_BLOCKS as usize) {
        let entries = (blocks - first).min(GROUP_BLOCKS);
        let start = group as usize;
        let end = start + GROUP_ENTRIES_OFFSET + entries as usize * entry_len;
        let checksum = crc32c::crc32c_append(seed, &(!(first / GROUP_BLOCKS)).to_le_bytes());
        let checksum = crc32c::crc32c_append(checksum, bytes.get(start + GROUP_BASE_OFFSET..end)?);
        put(bytes, start, checksum)?;
        let mut place = number(bytes, start + GROUP_BASE_OFFSET, 8)?.checked_add(data)?;
        for entry in 0..entries {
            let entry_offset = start + GROUP_ENTRIES_OFFSET + entry as usize * entry_len;
            let stored = number(bytes, entry_offset, entry_len)?;
            let Some(more) = stored.checked_sub(FIRST_LENGTH_ENTRY.into()) else {
                continue;
            };
            let payload = usize::try_from(place)
                .ok()?
                .checked_add(BLOCK_CHECKSUM_LEN)?;
            let payload = bytes.get(payload..)?.get(..more as usize + 1)?;
            let checksum = crc32c::crc32c_append(seed, &(first + entry).to_le_bytes());
            let checksum = crc32c::crc32c_append(checksum, payload);
            put(bytes, place as usize, checksum)?;
            place += BLOCK_CHECKSUM_LEN as u64 + more + 1;
        }
        group = end as u64;
    }
    Some(group)
}
