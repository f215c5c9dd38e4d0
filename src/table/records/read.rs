//! Finding records.

use std::cmp::Ordering;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::layout::{ENTRY_TAIL, HEADER_LEN, Header};
use super::{MAX_KEY_LEN, MAX_VALUE_LEN, RecordsDescription, RecordsError};
use crate::reserve::{reserved, zeroed};
use crate::store::{FileStore, Store, decompress_into};
use crate::table::layout::get_u32;

/// Bytes of decoded blocks that are kept: one block for each remainder of a block's number.
const KEPT_BYTES: usize = 16 << 20;

/// Where a block is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: [u8; MAX_KEY_LEN],
    offset: u64,
    len: u32,
    checksum: u32,
}

/// A decoded block, column by column.
#[derive(Debug)]
struct Block {
    number: usize,
    records: usize,
    columns: Vec<u8>,
}

impl Block {
    /// Bytes of a record from the column `first` on.
    fn read(&self, row: usize, first: usize, out: &mut [u8]) {
        for (column, byte) in out.iter_mut().enumerate() {
            *byte = self.columns[(first + column) * self.records + row];
        }
    }

    /// How the key of a record compares with another; looks no further than they are the same, as
    /// columns lie far apart.
    fn compare(&self, row: usize, key: &[u8]) -> Ordering {
        let different = key.iter().enumerate().find_map(|(column, byte)| {
            let ordering = self.columns[column * self.records + row].cmp(byte);
            ordering.is_ne().then_some(ordering)
        });
        different.unwrap_or(Ordering::Equal)
    }
}

/// An open file of records. Many threads can ask it at once.
#[derive(Debug)]
pub struct Records {
    store: Box<dyn Store>,
    header: Header,
    entries: Vec<Entry>,
    kept: Vec<Mutex<Option<Arc<Block>>>>,
}

impl Records {
    /// Opens a file and reads its directory. It is never mapped: each block is copied as it is
    /// read, so a map would gain nothing.
    ///
    /// # Errors
    ///
    /// [`RecordsError`] if it cannot be read, is something else, or is damaged.
    pub fn open(path: &Path) -> Result<Records, RecordsError> {
        Records::from_store(Box::new(FileStore::open(path)?))
    }

    /// The same from bytes that may be anywhere.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn from_store(store: Box<dyn Store>) -> Result<Records, RecordsError> {
        let mut bytes = vec![0; HEADER_LEN.min(usize::try_from(store.len()).unwrap_or(HEADER_LEN))];
        store.read_exact_at(0, &mut bytes)?;
        let header = Header::decode(&bytes, store.len())?;
        let impossible = || RecordsError::Impossible {
            what: "directory".to_owned(),
        };
        let len = header.directory_len().ok_or_else(impossible)?;
        let mut directory = Vec::new();
        zeroed(
            &mut directory,
            usize::try_from(len).map_err(|_| impossible())?,
        )?;
        let start = HEADER_LEN as u64 + header.data_len;
        store.read_exact_at(start, &mut directory)?;
        if crc32c::crc32c(&directory) != header.directory_checksum {
            return Err(RecordsError::Checksum {
                part: "the directory".to_owned(),
            });
        }
        let key_len = header.description.key_len;
        let mut entries = reserved(header.blocks() as usize)?;
        let mut offset = HEADER_LEN as u64;
        for bytes in directory.chunks_exact(key_len + ENTRY_TAIL) {
            let mut key = [0; MAX_KEY_LEN];
            key[..key_len].copy_from_slice(&bytes[..key_len]);
            let len = get_u32(bytes, key_len);
            entries.push(Entry {
                key,
                offset,
                len,
                checksum: get_u32(bytes, key_len + 4),
            });
            offset += u64::from(len);
        }
        let is_sorted = entries.windows(2).all(|pair| pair[0].key < pair[1].key);
        if offset != start || !is_sorted {
            return Err(impossible());
        }
        let block = header.block_records as usize * header.description.record_len();
        let places = (KEPT_BYTES / block).clamp(1, entries.len().max(1));
        let mut kept = reserved(places)?;
        kept.resize_with(places, Mutex::default);
        Ok(Records {
            store,
            header,
            entries,
            kept,
        })
    }

    /// What the file is about.
    pub fn description(&self) -> &RecordsDescription {
        &self.header.description
    }

    /// How many records there are.
    pub fn len(&self) -> u64 {
        self.header.records
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.header.records == 0
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.entries.len()
    }

    /// Calls `visit` with the key and the value of every record of a block, in the order of the
    /// keys.
    ///
    /// # Errors
    ///
    /// If the block cannot be read or is damaged.
    pub fn for_each_in(
        &self,
        number: usize,
        mut visit: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), RecordsError> {
        let description = &self.header.description;
        let block = self.decode(number)?;
        let mut record = [0; MAX_KEY_LEN + MAX_VALUE_LEN];
        let record = &mut record[..description.record_len()];
        let mut last = [0; MAX_KEY_LEN];
        let end = self.entries.get(number + 1).map(|entry| entry.key);
        for row in 0..block.records {
            block.read(row, 0, record);
            let (key, value) = record.split_at(description.key_len);
            let last = &mut last[..key.len()];
            let is_behind = end.is_some_and(|end| key >= &end[..key.len()]);
            if (row > 0 && key <= &*last) || is_behind {
                return Err(RecordsError::Impossible {
                    what: format!("order of keys in block {number}"),
                });
            }
            last.copy_from_slice(key);
            visit(key, value);
        }
        Ok(())
    }

    /// Writes the value of a key, if it has one; whether it has.
    ///
    /// # Errors
    ///
    /// If the block where it belongs cannot be read or is damaged.
    pub fn find(&self, key: &[u8], value: &mut [u8]) -> Result<bool, RecordsError> {
        let key_len = self.header.description.key_len;
        if key.len() != key_len {
            return Ok(false);
        }
        let behind = self
            .entries
            .partition_point(|entry| &entry.key[..key_len] <= key);
        let Some(number) = behind.checked_sub(1) else {
            return Ok(false);
        };
        let block = self.block(number)?;
        let (mut low, mut high) = (0, block.records);
        while low < high {
            let middle = low.midpoint(high);
            match block.compare(middle, key) {
                Ordering::Equal => {
                    let len = value.len().min(self.header.description.value_len);
                    block.read(middle, key_len, &mut value[..len]);
                    return Ok(true);
                }
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        Ok(false)
    }

    /// A block that was kept, or decoded and kept.
    fn block(&self, number: usize) -> Result<Arc<Block>, RecordsError> {
        let place = &self.kept[number % self.kept.len()];
        // What is kept is whole, whoever panicked.
        let kept = place.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(block) = kept.filter(|block| block.number == number) {
            return Ok(block);
        }
        let block = Arc::new(self.decode(number)?);
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&block));
        Ok(block)
    }

    fn decode(&self, number: usize) -> Result<Block, RecordsError> {
        let impossible = || RecordsError::Impossible {
            what: format!("block {number}"),
        };
        let entry = self.entries.get(number).ok_or_else(impossible)?;
        let mut payload = Vec::new();
        zeroed(&mut payload, entry.len as usize)?;
        self.store.read_exact_at(entry.offset, &mut payload)?;
        if crc32c::crc32c(&payload) != entry.checksum {
            return Err(RecordsError::Checksum {
                part: format!("block {number}"),
            });
        }
        let before = number as u64 * u64::from(self.header.block_records);
        let records =
            u64::from(self.header.block_records).min(self.header.records - before) as usize;
        let bytes = records * self.header.description.record_len();
        let mut columns = Vec::new();
        zeroed(&mut columns, bytes)?;
        decompress_into(&payload, &mut columns).map_err(|_| impossible())?;
        let block = Block {
            number,
            records,
            columns,
        };
        let key_len = self.header.description.key_len;
        if block.compare(0, &entry.key[..key_len]).is_ne() {
            return Err(impossible());
        }
        Ok(block)
    }
}
