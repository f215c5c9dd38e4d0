//! What each ply decided, instead of a value for every position.
//!
//! A ply decides few positions of few words, so what it decided takes a fraction of a byte for each position of the
//! slice, and a distance may be as long as it likes. Values are made from it when somebody wants them.

use crate::game::Bits;
use crate::retro::layer::Layer;

/// The positions of one side that were decided one way, ply after ply.
///
/// Of each word that is not empty there is how far it is from the one before, seven bits a byte and the lowest first;
/// which of its bytes are not zero; and these.
#[derive(Clone, Debug, Default)]
pub(super) struct Plies {
    bytes: Vec<u8>,
    /// The plies that decided anything, in order, with the end of their bytes.
    ends: Vec<(u32, usize)>,
}

impl Plies {
    /// Adds what a ply decided; plies have to come in order.
    #[inline(always)]
    pub fn push<W: Bits>(&mut self, ply: u32, layer: &Layer<W>) {
        self.push_words(ply, layer.addresses().map(|at| (at, layer.set[at])));
    }

    /// Adds words that are not empty, by address.
    #[inline(always)]
    pub fn push_words<W: Bits>(&mut self, ply: u32, words: impl Iterator<Item = (usize, W)>) {
        let start = self.bytes.len();
        let mut before = 0;
        for (address, word) in words {
            let mut gap = address - before;
            before = address;
            while gap >= 0x80 {
                self.bytes.push(gap as u8 | 0x80);
                gap >>= 7;
            }
            self.bytes.push(gap as u8);
            for eight in 0..W::WIDTH / 64 {
                let (mut used, mut kept, mut count) = (0, [0; 9], 1);
                for index in 0..8 {
                    let byte = word.byte(8 * eight + index);
                    if byte != 0 {
                        kept[count] = byte;
                        count += 1;
                        used |= 1 << index;
                    }
                }
                kept[0] = used;
                self.bytes.extend_from_slice(&kept[..count]);
            }
        }
        if self.bytes.len() > start {
            self.ends.push((ply, self.bytes.len()));
        }
    }

    /// The last ply that decided anything.
    pub fn last(&self) -> Option<u32> {
        self.ends.last().map(|&(ply, _)| ply)
    }

    /// The first ply from `ply` on that decided anything.
    pub fn next(&self, ply: u32) -> Option<u32> {
        let at = self.ends.partition_point(|&(other, _)| other < ply);
        self.ends.get(at).map(|&(ply, _)| ply)
    }

    /// What a ply decided.
    pub fn words<W: Bits>(&self, ply: u32) -> Words<'_, W> {
        let range = match self.ends.binary_search_by_key(&ply, |&(ply, _)| ply) {
            Ok(at) => at.checked_sub(1).map_or(0, |at| self.ends[at].1)..self.ends[at].1,
            Err(_) => 0..0,
        };
        Words {
            bytes: &self.bytes[range],
            address: 0,
            word: std::marker::PhantomData,
        }
    }

    /// What all plies decided, in order.
    pub fn all<W: Bits>(&self) -> impl Iterator<Item = (u32, usize, W)> {
        self.ends.iter().flat_map(|&(ply, _)| {
            self.words(ply)
                .map(move |(address, word)| (ply, address, word))
        })
    }
}

/// What one ply decided, word after word.
pub(super) struct Words<'a, W> {
    bytes: &'a [u8],
    address: usize,
    word: std::marker::PhantomData<W>,
}

impl<W> Words<'_, W> {
    #[inline(always)]
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }
}

impl<W: Bits> Iterator for Words<'_, W> {
    type Item = (usize, W);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, W)> {
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            self.address += usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let mut word = W::ZERO;
        for eight in 0..W::WIDTH / 64 {
            let used = u64::from(self.byte()?);
            for index in used.ones() {
                word |= W::from_byte(self.byte()?, 8 * eight + index);
            }
        }
        Some((self.address, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_plies_decided_is_told_again() {
        let mut state = 5u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state ^ state >> 31
        };
        let mut plies = Plies::default();
        let mut expected = Vec::new();
        for ply in [1, 2, 5, 300, 70_000] {
            let mut layer = Layer::<u128>::new(40_000);
            for _ in 0..200 {
                let (address, mask) = (next() % 40_000, next());
                let mask = if mask % 3 == 0 {
                    0xff << (mask % 57)
                } else {
                    mask
                };
                let word = u128::from(next() & mask) << (next() % 64) | u128::bit(127);
                layer.insert(address as usize, word);
            }
            plies.push(ply, &layer);
            expected.extend(layer.addresses().map(|at| (ply, at, layer.set[at])));
        }
        plies.push(70_001, &Layer::<u128>::new(40_000));
        assert!(plies.all::<u128>().eq(expected.iter().copied()));
        let of_five: Vec<_> = plies.words::<u128>(5).collect();
        let expected = expected.iter().filter(|word| word.0 == 5);
        assert!(expected.map(|&(_, at, word)| (at, word)).eq(of_five));
        assert_eq!(plies.words::<u128>(4).count(), 0);
        assert_eq!(
            [0, 3, 301].map(|ply| plies.next(ply)),
            [1, 5, 70_000].map(Some)
        );
        assert_eq!((plies.next(70_001), plies.last()), (None, Some(70_000)));
    }
}
