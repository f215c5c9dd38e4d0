//! Records in, a whole file out, or nothing.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use zstd::bulk::Compressor;
use zstd::zstd_safe::{CParameter, ParamSwitch};

use super::RecordsDescription;
use super::layout::{HEADER_LEN, Header};
use crate::Error;
use crate::error::WriteError;
use crate::parallel;
use crate::table::writer::publish;

/// Records of a block. More compress better and take longer to read: this many are decoded in some
/// ten microseconds.
const BLOCK_RECORDS: usize = 1024;
/// How hard zstd tries.
const LEVEL: i32 = 9;
/// Blocks that are in memory at a time.
const GROUP: usize = 256;

/// Records in the order of their keys, no key twice.
pub trait RecordSource: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the key of a record, and then its value.
    fn fill(&self, number: usize, record: &mut [u8]);
}

struct Block {
    key: Vec<u8>,
    payload: Vec<u8>,
}

/// Writes a file of records. It appears under its name when it is complete and on disk, and
/// replaces any older one; on an error, nothing changes. The bytes do not depend on the number of
/// threads.
///
/// # Errors
///
/// [`Error::Write`] if the system cannot write, or lengths are not possible.
pub fn write_records(
    path: &Path,
    description: &RecordsDescription,
    source: &dyn RecordSource,
) -> Result<u64, Error> {
    publish(path, |out| {
        if !description.is_possible() {
            return Err(WriteError::Description("keys or values are too long"));
        }
        out.write_all(&[0; HEADER_LEN])?;
        let mut header = Header {
            description: *description,
            records: source.len() as u64,
            block_records: BLOCK_RECORDS as u32,
            data_len: 0,
            directory_checksum: 0,
        };
        let mut directory = Vec::new();
        let starts: Vec<usize> = (0..source.len()).step_by(BLOCK_RECORDS).collect();
        for group in starts.chunks(GROUP) {
            let blocks: Vec<Block> = parallel::try_map(group.len(), |number| {
                encode_block(description, source, group[number])
            })?;
            for block in blocks {
                out.write_all(&block.payload)?;
                header.data_len += block.payload.len() as u64;
                directory.extend_from_slice(&block.key);
                directory.extend((block.payload.len() as u32).to_le_bytes());
                directory.extend(crc32c::crc32c(&block.payload).to_le_bytes());
            }
        }
        header.directory_checksum = crc32c::crc32c(&directory);
        out.write_all(&directory)?;
        let end = out.stream_position()?;
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header.encode())?;
        out.seek(SeekFrom::Start(end))?;
        Ok(end)
    })
}

/// Column by column, since neighbours in a column are alike.
fn encode_block(
    description: &RecordsDescription,
    source: &dyn RecordSource,
    start: usize,
) -> Result<Block, WriteError> {
    let record_len = description.record_len();
    let count = BLOCK_RECORDS.min(source.len() - start);
    let mut columns = vec![0; count * record_len];
    let mut record = vec![0; record_len];
    let mut key = Vec::new();
    for row in 0..count {
        record.fill(0);
        source.fill(start + row, &mut record);
        for (column, byte) in record.iter().enumerate() {
            columns[column * count + row] = *byte;
        }
        if row == 0 {
            key = record[..description.key_len].to_vec();
        }
    }
    // A new one for each block, and no row match finder, which salts its hashes: the bytes depend
    // on nothing else.
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::UseRowMatchFinder(ParamSwitch::Disable))?;
    let payload = compressor.compress(&columns)?;
    Ok(Block { key, payload })
}
