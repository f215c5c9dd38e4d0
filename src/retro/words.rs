//! Words that are not empty, as bytes: of sets in which most words are.

use std::marker::PhantomData;

use crate::game::Bits;
use crate::store::{read_word, write_word};

/// Words that are not empty, by address, as bytes: of each how far it is from the one before, seven
/// bits a byte and the lowest first; which of its bytes are not zero; and these.
#[inline(always)]
#[must_use]
pub fn encoded<W: Bits>(words: impl Iterator<Item = (usize, W)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut room, mut end) = ([0; ROOM], 0);
    let mut before = 0;
    for (address, word) in words {
        if end > ROOM - MOST_BYTES {
            bytes.extend_from_slice(&room[..end]);
            end = 0;
        }
        let mut gap = address - before;
        before = address;
        while gap >= 0x80 {
            room[end] = gap as u8 | 0x80;
            end += 1;
            gap >>= 7;
        }
        room[end] = gap as u8;
        end += 1;
        for part in 0..W::WIDTH / 64 {
            end += write_word(word.part(part), &mut room[end..]);
        }
    }
    bytes.extend_from_slice(&room[..end]);
    bytes
}

/// Bytes of a word at most: ten of a gap, and nine of each 64 bits.
const MOST_BYTES: usize = 10 + 2 * 9;
/// Bytes that are put together before they are copied: as much is written of each word as it takes
/// at most, since that needs no call, so there must be room for that.
const ROOM: usize = 1 << 10;

/// Words with their addresses, read from such bytes.
#[derive(Debug)]
pub struct Words<W, B = Vec<u8>> {
    bytes: B,
    next: usize,
    address: usize,
    /// How many there may be.
    words: usize,
    word: PhantomData<W>,
}

impl<W, B: AsRef<[u8]>> Words<W, B> {
    /// Those that some bytes stand for, of so many words. What names another word is the end.
    #[must_use]
    pub fn of(bytes: B, words: usize) -> Words<W, B> {
        Words {
            bytes,
            next: 0,
            address: 0,
            words,
            word: PhantomData,
        }
    }

    /// The bytes, of which nothing has been read yet.
    #[must_use]
    pub fn into_bytes(self) -> B {
        self.bytes
    }

    /// All of them once more, whatever has been read.
    #[must_use]
    pub fn again(&self) -> Words<W, &[u8]> {
        Words::of(self.bytes.as_ref(), self.words)
    }

    #[inline(always)]
    fn byte(&mut self) -> Option<u8> {
        let &byte = self.bytes.as_ref().get(self.next)?;
        self.next += 1;
        Some(byte)
    }
}

impl<W: Bits, B: AsRef<[u8]>> Iterator for Words<W, B> {
    type Item = (usize, W);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, W)> {
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            if shift >= u32::BITS {
                return None;
            }
            self.address += usize::from(byte & 0x7f) << shift;
            if self.address >= self.words {
                return None;
            }
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let mut word = W::ZERO;
        for part in 0..W::WIDTH / 64 {
            let bytes = self.bytes.as_ref();
            let (bits, rest) = read_word(bytes.get(self.next..)?)?;
            self.next = bytes.len() - rest.len();
            word |= W::from_part(bits, part);
        }
        Some((self.address, word))
    }
}
