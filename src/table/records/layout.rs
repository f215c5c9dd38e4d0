//! The header and the directory, as bytes.

use super::{DESCRIPTION_LEN, RecordsDescription, RecordsError};
use crate::table::layout::{get_u32, get_u64};

/// The first bytes of every file; one more than those of a table.
pub const MAGIC: [u8; 16] = *b"retrograde\x1a\x0a\xa9\x0d\x0a\x01";
/// The version of the format.
pub const VERSION: u32 = 1;

const VERSION_OFFSET: usize = 16;
const KEY_LEN_OFFSET: usize = 20;
const VALUE_LEN_OFFSET: usize = 21;
const RESERVED_OFFSET: usize = 22;
const FILE_LEN_OFFSET: usize = 24;
const RECORDS_OFFSET: usize = 32;
const DATA_LEN_OFFSET: usize = 40;
const BLOCK_RECORDS_OFFSET: usize = 48;
const DIRECTORY_CHECKSUM_OFFSET: usize = 52;
const DESCRIPTION_OFFSET: usize = 56;
const CHECKSUM_OFFSET: usize = DESCRIPTION_OFFSET + DESCRIPTION_LEN;
/// Length of the header in bytes.
pub const HEADER_LEN: usize = CHECKSUM_OFFSET + 4;

/// Bytes of a directory entry behind the key: the length of the payload and its checksum.
pub const ENTRY_TAIL: usize = 8;
/// The most records of a block.
pub const MAX_BLOCK_RECORDS: u32 = 1 << 16;

/// The numbers of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub description: RecordsDescription,
    pub records: u64,
    pub block_records: u32,
    pub data_len: u64,
    pub directory_checksum: u32,
}

impl Header {
    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        self.records.div_ceil(self.block_records.into())
    }

    /// Bytes of the directory.
    pub fn directory_len(&self) -> Option<u64> {
        let entry = self.description.key_len + ENTRY_TAIL;
        self.blocks().checked_mul(entry as u64)
    }

    /// Bytes of the file.
    pub fn file_len(&self) -> Option<u64> {
        let directory = self.directory_len()?;
        (HEADER_LEN as u64)
            .checked_add(self.data_len)?
            .checked_add(directory)
    }

    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &MAGIC);
        put(VERSION_OFFSET, &VERSION.to_le_bytes());
        put(KEY_LEN_OFFSET, &[self.description.key_len as u8]);
        put(VALUE_LEN_OFFSET, &[self.description.value_len as u8]);
        let file_len = self.file_len().unwrap_or(u64::MAX);
        put(FILE_LEN_OFFSET, &file_len.to_le_bytes());
        put(RECORDS_OFFSET, &self.records.to_le_bytes());
        put(DATA_LEN_OFFSET, &self.data_len.to_le_bytes());
        put(BLOCK_RECORDS_OFFSET, &self.block_records.to_le_bytes());
        put(
            DIRECTORY_CHECKSUM_OFFSET,
            &self.directory_checksum.to_le_bytes(),
        );
        put(DESCRIPTION_OFFSET, &self.description.description);
        let checksum = crc32c::crc32c(&bytes[..CHECKSUM_OFFSET]);
        bytes[CHECKSUM_OFFSET..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header, of which there may be fewer bytes than [`HEADER_LEN`].
    pub fn decode(bytes: &[u8], file_len: u64) -> Result<Header, RecordsError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(RecordsError::NotRecords);
        }
        let Some(bytes) = bytes.first_chunk::<HEADER_LEN>() else {
            return Err(RecordsError::Length {
                expected: HEADER_LEN as u64,
                actual: file_len,
            });
        };
        let version = get_u32(bytes, VERSION_OFFSET);
        if version != VERSION {
            return Err(RecordsError::Version {
                found: version,
                supported: VERSION,
            });
        }
        if get_u32(bytes, CHECKSUM_OFFSET) != crc32c::crc32c(&bytes[..CHECKSUM_OFFSET]) {
            return Err(RecordsError::Checksum {
                part: "the header".to_owned(),
            });
        }
        let mut description = [0; DESCRIPTION_LEN];
        description.copy_from_slice(&bytes[DESCRIPTION_OFFSET..CHECKSUM_OFFSET]);
        let header = Header {
            description: RecordsDescription {
                key_len: bytes[KEY_LEN_OFFSET].into(),
                value_len: bytes[VALUE_LEN_OFFSET].into(),
                description,
            },
            records: get_u64(bytes, RECORDS_OFFSET),
            block_records: get_u32(bytes, BLOCK_RECORDS_OFFSET),
            data_len: get_u64(bytes, DATA_LEN_OFFSET),
            directory_checksum: get_u32(bytes, DIRECTORY_CHECKSUM_OFFSET),
        };
        let is_possible = header.description.is_possible()
            && (1..=MAX_BLOCK_RECORDS).contains(&header.block_records)
            && bytes[RESERVED_OFFSET..FILE_LEN_OFFSET] == [0, 0]
            && header.file_len() == Some(get_u64(bytes, FILE_LEN_OFFSET));
        if !is_possible {
            return Err(RecordsError::Impossible {
                what: "header".to_owned(),
            });
        }
        match header.file_len() {
            Some(expected) if expected != file_len => Err(RecordsError::Length {
                expected,
                actual: file_len,
            }),
            _ => Ok(header),
        }
    }
}
