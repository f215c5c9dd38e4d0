//! Bytes that wait, compressed as little as possible since they are read back soon.
//!
//! Sets of positions are packed by what their words have in common, all else by zstd. A context of
//! that takes a megabyte to make, so each thread keeps one of each kind.

use std::cell::RefCell;
use std::io;

use zstd::bulk::Compressor;
use zstd::zstd_safe::{DCtx, WriteBuf, compress_bound, get_error_name};

use super::predicted;
use crate::game::Bits;

const LEVEL: i32 = 1;
/// The first byte of all that zstd makes. No packed set begins with it.
const OF_ZSTD: u8 = 0x28;
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
    if !is_of_zstd(compressed) {
        return unpack_bytes(compressed, len);
    }
    let mut bytes = Vec::with_capacity(len);
    match fill(compressed, &mut bytes)? == len {
        true => Ok(bytes),
        false => Err(io::ErrorKind::InvalidData.into()),
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
    if !is_of_zstd(compressed) {
        room.copy_from_slice(&unpack_bytes(compressed, room.len())?);
        return Ok(());
    }
    match fill(compressed, room)? == room.len() {
        true => Ok(()),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn is_of_zstd(compressed: &[u8]) -> bool {
    compressed.first() == Some(&OF_ZSTD)
}

fn unpack_bytes(packed: &[u8], len: usize) -> io::Result<Vec<u8>> {
    match len.is_multiple_of(8) {
        true => Ok(Bits::to_le_bytes(&decompress_set::<u64>(packed, len / 8)?)),
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
    fn sets_come_back_as_bytes() {
        for len in [1, 1000, 5000] {
            let words: Vec<u64> = (0..len).map(|place| place << (place / 99 % 40)).collect();
            let bytes = Bits::to_le_bytes(&words);
            let compressed = compress_set(&words);
            assert!(!is_of_zstd(&compressed));
            assert_eq!(decompress(&compressed, bytes.len()).unwrap(), bytes);
            let mut room = vec![7; bytes.len()];
            decompress_into(&compressed, &mut room).unwrap();
            assert_eq!(room, bytes);
            assert!(decompress(&compressed, bytes.len() + 512).is_err());
            assert!(decompress(&compressed, bytes.len() + 1).is_err());
        }
    }
}
