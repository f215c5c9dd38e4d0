//! Makes the checksums of a damaged file of solved positions right; `docs/FORMAT.md` says where
//! they stand.

use crate::Target;

const KEY_LEN_OFFSET: usize = 20;
const FILE_LEN_OFFSET: usize = 24;
const DATA_LEN_OFFSET: usize = 40;
const DIRECTORY_CHECKSUM_OFFSET: usize = 52;
const CHECKSUM_OFFSET: usize = 104;
const HEADER_LEN: usize = 108;

/// Bytes of a directory entry behind the key: the length of a payload and its checksum.
const ENTRY_TAIL: usize = 8;

fn number(bytes: &[u8], offset: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(number)
}

/// Makes checksums right as far as the lengths in the header lie inside the file.
pub fn record_checksums(bytes: &mut [u8], target: Target) -> Option<()> {
    if bytes.len() < HEADER_LEN {
        return None;
    }
    let len = bytes.len() as u64;
    bytes[FILE_LEN_OFFSET..][..8].copy_from_slice(&len.to_le_bytes());
    if target == Target::All {
        let _ = directory(bytes);
    }
    let checksum = crc32c::crc32c(&bytes[..CHECKSUM_OFFSET]).to_le_bytes();
    bytes[CHECKSUM_OFFSET..HEADER_LEN].copy_from_slice(&checksum);
    Some(())
}

/// Those of the payloads, and that of the directory.
fn directory(bytes: &mut [u8]) -> Option<()> {
    let key_len = usize::from(bytes[KEY_LEN_OFFSET]);
    let data_len = usize::try_from(number(bytes, DATA_LEN_OFFSET)).ok()?;
    let start = HEADER_LEN
        .checked_add(data_len)
        .filter(|&start| start <= bytes.len())?;
    let (front, directory) = bytes.split_at_mut(start);
    let mut payload = HEADER_LEN;
    for entry in directory.chunks_exact_mut(key_len + ENTRY_TAIL) {
        let (len, checksum) = entry[key_len..].split_first_chunk_mut::<4>()?;
        let len = u32::from_le_bytes(*len) as usize;
        let Some(bytes) = front.get(payload..).and_then(|rest| rest.get(..len)) else {
            break;
        };
        checksum.copy_from_slice(&crc32c::crc32c(bytes).to_le_bytes());
        payload += len;
    }
    let checksum = crc32c::crc32c(directory).to_le_bytes();
    front[DIRECTORY_CHECKSUM_OFFSET..][..4].copy_from_slice(&checksum);
    Some(())
}
