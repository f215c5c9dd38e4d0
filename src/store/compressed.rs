//! Bytes that wait, compressed as little as possible since they are read back soon.
//!
//! Sets of positions are packed by what their words have in common, values by what their lines have
//! and zstd, all else by zstd alone. A context of that takes a megabyte to make, so each thread keeps
//! one of each kind.

use std::cell::RefCell;
use std::io;

use zstd::bulk::Compressor;
use zstd::zstd_safe::{DCtx, WriteBuf, compress_bound, get_error_name};

use super::lines;
use super::predicted;
use crate::game::Bits;

const LEVEL: i32 = 1;
/// The first byte of all that zstd makes. No packed set begins with it.
const OF_ZSTD: u8 = 0x28;
/// The first byte of packed lines. Neither packed sets nor what zstd makes begin with it.
const OF_LINES: u8 = 0x4c;
/// Bytes of room for what is compressed that a thread keeps.
const KEPT: usize = 1 << 22;

thread_local! {
    static COMPRESSOR: RefCell<Option<(Compressor<'static>, Vec<u8>)>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

/// What a thread keeps, made if it is not there.
fn kept<T>(slot: &mut Option<T>, make: impl FnOnce() -> io::Result<T>) -> io::Result<&mut T> {
    match slot {
        Some(kept) => Ok(kept),
        None => Ok(slot.insert(make()?)),
    }
}

/// The bytes compressed, even if that makes them longer.
///
/// # Errors
///
/// If there is no memory for it.
pub fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|slot| {
        let make = || Ok((Compressor::new(LEVEL)?, Vec::new()));
        let (compressor, room) = kept(slot, make)?;
        room.clear();
        room.reserve(compress_bound(bytes.len()));
        compressor.compress_to_buffer(bytes, room)?;
        let compressed = room.clone();
        if room.capacity() > KEPT {
            *room = Vec::new();
        }
        Ok(compressed)
    })
}

/// Values of positions compressed, 64 for each word of a set, even if that makes them longer.
///
/// # Errors
///
/// If there is no memory for it.
pub fn compress_lines(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let Some(split) = lines::split(bytes) else {
        return compress(bytes);
    };
    let values = compress(&split.values)?;
    let mut packed = vec![OF_LINES];
    for len in [split.values.len(), values.len()] {
        packed.extend_from_slice(&(len as u64).to_le_bytes());
    }
    packed.extend_from_slice(&values);
    packed.extend_from_slice(&split.groups);
    Ok(packed)
}

/// The words of a set compressed, even if that makes them longer.
#[must_use]
pub fn compress_set<W: Bits>(words: &[W]) -> Vec<u8> {
    predicted::pack(words)
}

/// So many bytes that were compressed.
///
/// # Errors
///
/// Those of [`decompress_into`].
pub fn decompress(compressed: &[u8], len: usize) -> io::Result<Vec<u8>> {
    match compressed.first() {
        Some(&OF_ZSTD) => of_zstd(compressed, len),
        Some(&OF_LINES) => {
            let mut bytes = vec![0; len];
            unpack_lines(compressed, &mut bytes)?;
            Ok(bytes)
        }
        _ => unpack_bytes(compressed, len),
    }
}

/// So many words of a set that were compressed by [`compress_set`].
///
/// # Errors
///
/// [`io::ErrorKind::InvalidData`] if they are no such set.
pub fn decompress_set<W: Bits>(compressed: &[u8], words: usize) -> io::Result<Vec<W>> {
    predicted::unpack(compressed, words).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Fills room with bytes that were compressed.
///
/// # Errors
///
/// [`io::ErrorKind::InvalidData`] if they are not as many, another kind if they are no such bytes.
/// What the room has then is of no use.
pub fn decompress_into(compressed: &[u8], room: &mut [u8]) -> io::Result<()> {
    match compressed.first() {
        Some(&OF_ZSTD) if fill(compressed, room)? == room.len() => Ok(()),
        Some(&OF_ZSTD) => Err(io::ErrorKind::InvalidData.into()),
        Some(&OF_LINES) => unpack_lines(compressed, room),
        _ => {
            room.copy_from_slice(&unpack_bytes(compressed, room.len())?);
            Ok(())
        }
    }
}

/// Fills room with values that were compressed by [`compress_lines`], in groups of lines.
fn unpack_lines(packed: &[u8], room: &mut [u8]) -> io::Result<()> {
    let parts = || {
        let (_, bytes) = packed.split_first()?;
        let (len, bytes) = bytes.split_first_chunk()?;
        let (of_values, bytes) = bytes.split_first_chunk()?;
        let [len, of_values] = [len, of_values].map(|len| u64::from_le_bytes(*len));
        let (values, groups) = bytes.split_at_checked(of_values.try_into().ok()?)?;
        // No more differ than there are.
        let len = usize::try_from(len).ok().filter(|&len| len <= room.len())?;
        Some((len, values, groups))
    };
    let damaged = || io::Error::from(io::ErrorKind::InvalidData);
    let (len, values, groups) = parts().ok_or_else(damaged)?;
    lines::join(groups, &of_zstd(values, len)?, room).ok_or_else(damaged)
}

fn unpack_bytes(packed: &[u8], len: usize) -> io::Result<Vec<u8>> {
    match len.is_multiple_of(8) {
        true => Ok(Bits::to_le_bytes(&decompress_set::<u64>(packed, len / 8)?)),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// So many bytes that zstd has compressed.
fn of_zstd(compressed: &[u8], len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(len);
    match fill(compressed, &mut bytes)? == len {
        true => Ok(bytes),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// How many bytes there were.
fn fill(compressed: &[u8], room: &mut (impl WriteBuf + ?Sized)) -> io::Result<usize> {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let make = || DCtx::try_create().ok_or_else(|| io::ErrorKind::OutOfMemory.into());
        let decompressed = kept(slot, make)?.decompress(room, compressed);
        decompressed.map_err(|code| io::Error::other(get_error_name(code)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_comes_back_and_nothing_else_does() {
        for len in [0, 1, 1000, KEPT + 1] {
            let bytes: Vec<u8> = (0..len).map(|place| (place / 77) as u8).collect();
            let mut compressed = compress(&bytes).unwrap();
            assert_eq!(decompress(&compressed, len).unwrap(), bytes);
            assert!(decompress(&compressed, len + 1).is_err());
            compressed.truncate(compressed.len() - 1);
            assert!(decompress(&compressed, len).is_err());
        }
        assert!(decompress(b"no such bytes", 13).is_err());
    }

    #[test]
    fn lines_come_back_and_nothing_else_does() {
        for len in [0, 1, 1000, 4096, 40 * 4096] {
            let bytes: Vec<u8> = (0..len)
                .map(|place| (place / 77 * (place / 4096)) as u8)
                .collect();
            let compressed = compress_lines(&bytes).unwrap();
            let in_groups = len % 4096 == 0;
            assert_eq!(compressed[0], if in_groups { OF_LINES } else { OF_ZSTD });
            assert_eq!(decompress(&compressed, len).unwrap(), bytes);
            let mut room = vec![7; len];
            decompress_into(&compressed, &mut room).unwrap();
            assert_eq!(room, bytes);
            assert!(decompress(&compressed, len + 1).is_err());
            assert!(decompress(&compressed, len + 4096).is_err());
            for end in [1, 8, 16, 17, compressed.len() - 1] {
                let begin = &compressed[..end.min(compressed.len() - 1)];
                assert!(decompress(begin, len).is_err());
            }
            for place in 0..compressed.len().min(500) {
                let mut damaged = compressed.clone();
                damaged[place] ^= 0x41;
                // Other values or none: what waits has a checksum.
                let _ = decompress(&damaged, len);
            }
        }
    }

    #[test]
    fn sets_come_back_as_bytes() {
        for len in [1, 1000, 5000] {
            let words: Vec<u64> = (0..len).map(|place| place << (place / 99 % 40)).collect();
            let bytes = Bits::to_le_bytes(&words);
            let compressed = compress_set(&words);
            assert!(![OF_ZSTD, OF_LINES].contains(&compressed[0]));
            assert_eq!(decompress(&compressed, bytes.len()).unwrap(), bytes);
            let mut room = vec![7; bytes.len()];
            decompress_into(&compressed, &mut room).unwrap();
            assert_eq!(room, bytes);
            assert!(decompress(&compressed, bytes.len() + 512).is_err());
            assert!(decompress(&compressed, bytes.len() + 1).is_err());
        }
    }
}
