//! Values <-> symbols <-> packed bytes.
//!
//! A stream in which only `count` different values occur is written in base `count`: as many
//! symbols go into a byte as fit, the first in the lowest digit. So a byte is valid exactly if it
//! is less than `count` to the power of symbols in a byte, which is one comparison with the largest
//! byte of a block.
//!
//! # Example by hand
//!
//! Three values -> symbols 0, 1, 2; 3^5 = 243 <= 256, so five symbols a byte. The symbols
//! 1 0 2 0 0 make the byte 1 + 0 * 3 + 2 * 9 = 19.

use crate::reserve::{Refused, array};
use crate::simd;

/// The fewest symbols of each packing.
const FEWEST: [usize; 6] = [1, 3, 4, 5, 7, 17];

/// How many symbols a stream has and how many of them a byte holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    symbols: u16,
    per_byte: u8,
}

impl Packing {
    /// The packing of a stream with this many symbols, 1 to 256.
    ///
    /// # Panics
    ///
    /// If there is no symbol or there are more than 256.
    pub fn for_symbols(symbols: usize) -> Self {
        let per_byte = match symbols {
            1..=2 => 8,
            3 => 5,
            4 => 4,
            5..=6 => 3,
            7..=16 => 2,
            17..=256 => 1,
            _ => panic!("a stream has 1 to 256 symbols, not {symbols}"),
        };
        Self {
            symbols: symbols as u16,
            per_byte,
        }
    }

    /// The densest packing for this many symbols that ends a byte where a row of so many values
    /// ends; the densest of all if there are no rows, which 0 says. Its number of symbols is what a
    /// stream has to have for it, so the rest of them is never used.
    ///
    /// What repeats does so from row to row. Of three symbols a byte holds five, so in rows of 64
    /// the same values make other bytes in the next four rows; with a fourth symbol a byte holds
    /// four, and 16 bytes are a row.
    ///
    /// # Panics
    ///
    /// If there are more than 256 symbols.
    pub fn in_rows(symbols: usize, row: usize) -> Self {
        let packings = FEWEST.map(|fewest| Self::for_symbols(symbols.max(fewest)));
        let fits = |packing: &Self| symbols == 1 || row.is_multiple_of(packing.per_byte());
        let [.., widest] = packings;
        packings.into_iter().find(fits).unwrap_or(widest)
    }

    /// How many symbols a stream has.
    pub fn symbols(self) -> usize {
        usize::from(self.symbols)
    }

    /// Symbols in one byte: 8, 5, 4, 3, 2 or 1.
    pub fn per_byte(self) -> usize {
        usize::from(self.per_byte)
    }

    /// Bytes that hold this many symbols.
    pub fn packed_len(self, values: usize) -> usize {
        values.div_ceil(self.per_byte())
    }

    /// Bytes from this number on stand for nothing; 256 if every byte stands for something.
    pub(super) fn byte_limit(self) -> u16 {
        self.symbols.pow(u32::from(self.per_byte)).min(256)
    }

    /// The byte that holds one symbol everywhere.
    pub(super) fn fill_byte(self, symbol: u8) -> u8 {
        (0..self.per_byte).fold(0, |byte, _| byte * self.symbols as u32 + u32::from(symbol)) as u8
    }

    /// Packs symbols into `packed`, which is cleared first. The last byte is filled up with
    /// symbol 0.
    #[inline(always)]
    pub(super) fn pack(self, symbols: &[u8], packed: &mut Vec<u8>) {
        packed.clear();
        match self.per_byte {
            8 => pack_digits::<8>(self.symbols, symbols, packed),
            5 => pack_digits::<5>(self.symbols, symbols, packed),
            4 => pack_digits::<4>(self.symbols, symbols, packed),
            3 => pack_digits::<3>(self.symbols, symbols, packed),
            2 => pack_digits::<2>(self.symbols, symbols, packed),
            _ => packed.extend_from_slice(symbols),
        }
    }
}

#[inline(always)]
fn pack_digits<const PER_BYTE: usize>(base: u16, symbols: &[u8], packed: &mut Vec<u8>) {
    // A symbol is below the base and the base to the power of PER_BYTE is at most 256, so nothing
    // is lost in eight bits.
    let base = base as u8;
    let (whole, rest) = symbols.as_chunks::<PER_BYTE>();
    packed.resize(whole.len(), 0);
    for (byte, digits) in packed.iter_mut().zip(whole) {
        *byte = in_base(base, digits);
    }
    if !rest.is_empty() {
        packed.push(in_base(base, rest));
    }
}

/// The number that some digits are, the lowest first.
#[inline(always)]
fn in_base(base: u8, digits: &[u8]) -> u8 {
    let mut number = 0u8;
    for &digit in digits.iter().rev() {
        number = number.wrapping_mul(base).wrapping_add(digit);
    }
    number
}

/// Places a byte has in the look-up table; a power of two, so that a look-up needs no bounds check.
const SLOTS: usize = 8;

/// Finds a value in packed bytes by one division by a constant and one look-up.
#[derive(Clone, Debug)]
pub(super) struct Unpacker {
    packing: Packing,
    values: Box<[u8; 256 * SLOTS]>,
    /// The values of bytes at the first places, where a byte has no more: for the processor's own
    /// look-ups, which are of many bytes.
    of_bytes: Box<[u8; 256 * WHOLE]>,
}

/// Places of a byte, at most, of which many bytes are unpacked together.
const WHOLE: usize = 2;

impl Unpacker {
    /// `symbols[s]` is the value of symbol `s`.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    pub fn new(symbols: &[u8]) -> Result<Self, Refused> {
        let packing = Packing::for_symbols(symbols.len());
        let mut values = array::<u8, { 256 * SLOTS }>()?;
        for (byte, slots) in values.chunks_exact_mut(SLOTS).enumerate() {
            let mut digits = byte;
            for slot in slots.iter_mut().take(packing.per_byte()) {
                *slot = symbols[digits % symbols.len()];
                digits /= symbols.len();
            }
        }
        let mut of_bytes = array::<u8, { 256 * WHOLE }>()?;
        for (slot, values_there) in of_bytes.as_chunks_mut::<256>().0.iter_mut().enumerate() {
            for (value, slots) in values_there.iter_mut().zip(values.as_chunks::<SLOTS>().0) {
                *value = slots[slot];
            }
        }
        Ok(Self {
            packing,
            values,
            of_bytes,
        })
    }

    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// The byte that has a symbol, and its place in that.
    #[inline]
    pub fn place(&self, offset: usize) -> (usize, usize) {
        // Each arm divides by a constant; a variable divisor costs several times the look-up.
        match self.packing.per_byte {
            8 => (offset >> 3, offset & 7),
            5 => (offset / 5, offset % 5),
            4 => (offset >> 2, offset & 3),
            3 => (offset / 3, offset % 3),
            2 => (offset >> 1, offset & 1),
            _ => (offset, 0),
        }
    }

    /// The value of a symbol at a place in a byte.
    #[inline]
    pub fn value_of_byte(&self, byte: u8, slot: usize) -> u8 {
        self.values[usize::from(byte) * SLOTS + slot % SLOTS]
    }

    #[inline]
    pub fn value(&self, packed: &[u8], offset: usize) -> u8 {
        let (byte, slot) = self.place(offset);
        self.value_of_byte(packed[byte], slot)
    }

    /// Writes the values of the first `out.len()` symbols of `packed`.
    pub fn unpack(&self, packed: &[u8], out: &mut [u8]) {
        let bytes = self.unpack_whole(packed, out);
        let (packed, out) = (
            &packed[bytes..],
            &mut out[bytes * self.packing.per_byte()..],
        );
        match self.packing.per_byte {
            8 => self.unpack_digits::<8>(packed, out),
            5 => self.unpack_digits::<5>(packed, out),
            4 => self.unpack_digits::<4>(packed, out),
            3 => self.unpack_digits::<3>(packed, out),
            2 => self.unpack_digits::<2>(packed, out),
            _ => self.unpack_digits::<1>(packed, out),
        }
    }

    /// Unpacks many bytes together, if the processor can; returns of how many.
    fn unpack_whole(&self, packed: &[u8], out: &mut [u8]) -> usize {
        let tables = self.of_bytes.as_chunks().0;
        let look_up = |bytes: &[u8; 64], slot: usize| simd::looked_up(bytes, &tables[slot]);
        let packed = packed.as_chunks().0.iter();
        let lines = match self.packing.per_byte {
            1 => {
                let lines = packed.zip(out.as_chunks_mut::<64>().0);
                lines
                    .map_while(|(bytes, values)| {
                        *values = look_up(bytes, 0)?;
                        Some(())
                    })
                    .count()
            }
            2 => {
                let lines = packed.zip(out.as_chunks_mut::<128>().0);
                lines
                    .map_while(|(bytes, values)| {
                        let [first, second] = [look_up(bytes, 0)?, look_up(bytes, 1)?];
                        let pairs = values.as_chunks_mut::<2>().0.iter_mut();
                        for ((pair, first), second) in pairs.zip(first).zip(second) {
                            *pair = [first, second];
                        }
                        Some(())
                    })
                    .count()
            }
            _ => 0,
        };
        64 * lines
    }

    fn unpack_digits<const PER_BYTE: usize>(&self, packed: &[u8], out: &mut [u8]) {
        let slots = |byte: u8| &self.values[usize::from(byte) * SLOTS..][..PER_BYTE];
        let (whole, rest) = out.as_chunks_mut::<PER_BYTE>();
        for (values, &byte) in whole.iter_mut().zip(packed) {
            values.copy_from_slice(slots(byte));
        }
        if !rest.is_empty() {
            rest.copy_from_slice(&slots(packed[whole.len()])[..rest.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_comes_back_from_every_place() {
        for count in 1..=256usize {
            let packing = Packing::for_symbols(count);
            let map: Vec<u8> = (0..count).map(|symbol| 255 - symbol as u8).rev().collect();
            let unpacker = Unpacker::new(&map).unwrap();
            let symbols: Vec<u8> = (0..count * 9)
                .map(|place| (place * 7 % count) as u8)
                .collect();
            let mut packed = Vec::new();
            packing.pack(&symbols, &mut packed);
            assert_eq!(packed.len(), packing.packed_len(symbols.len()));
            assert!(
                packed
                    .iter()
                    .all(|&byte| u16::from(byte) < packing.byte_limit())
            );
            let mut values = vec![0; symbols.len()];
            unpacker.unpack(&packed, &mut values);
            for (place, &symbol) in symbols.iter().enumerate() {
                assert_eq!(values[place], map[usize::from(symbol)]);
                assert_eq!(unpacker.value(&packed, place), values[place]);
            }
        }
    }

    #[test]
    fn a_byte_ends_where_a_row_ends() {
        let packings = |row: usize| {
            [1, 2, 3, 4, 5, 6, 7, 16, 17].map(|count| {
                let packing = Packing::in_rows(count, row);
                assert!(packing.symbols() >= count);
                assert_eq!(packing, Packing::for_symbols(packing.symbols()));
                packing.per_byte()
            })
        };
        assert_eq!(packings(0), [8, 8, 5, 4, 3, 3, 2, 2, 1]);
        assert_eq!(packings(64), [8, 8, 4, 4, 2, 2, 2, 2, 1]);
        assert_eq!(packings(90), [8, 5, 5, 3, 3, 3, 2, 2, 1]);
        assert_eq!(Packing::in_rows(3, 64), Packing::for_symbols(4));
        assert_eq!(Packing::in_rows(5, 64), Packing::for_symbols(7));
    }

    #[test]
    fn the_fill_byte_is_what_equal_symbols_pack_to() {
        for count in 1..=256usize {
            let packing = Packing::for_symbols(count);
            for symbol in 0..count {
                let mut packed = Vec::new();
                packing.pack(&vec![symbol as u8; packing.per_byte()], &mut packed);
                assert_eq!(packed, [packing.fill_byte(symbol as u8)]);
            }
        }
    }

    #[test]
    fn the_byte_limit_is_the_number_of_bytes_in_use() {
        for (count, limit) in [
            (1, 1),
            (2, 256),
            (3, 243),
            (4, 256),
            (5, 125),
            (6, 216),
            (16, 256),
        ] {
            assert_eq!(Packing::for_symbols(count).byte_limit(), limit);
        }
    }
}
