//! What each ply decided, instead of a value for every position.
//!
//! A ply decides few positions of few words, so what it decided takes a fraction of a byte for each
//! position of the slice, and a distance may be as long as it likes. It is put away slab by slab:
//! whoever wants the values of a slab reads what all plies decided there.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use crate::game::Bits;
use crate::parallel;
use crate::retro::layer::Layer;
use crate::retro::words::{Words, encoded};
use crate::store::{Part, Scratch};

/// The positions of one side that were decided one way, by ply and slab.
#[derive(Debug)]
pub(super) struct Plies {
    scratch: Arc<Scratch>,
    words: usize,
    /// Words of a slab, but for the last.
    slab: usize,
    parts: BTreeMap<u32, Vec<Part>>,
}

/// Puts a set away, slab by slab.
pub(super) fn put_layer<W: Bits>(
    layer: &Layer<W>,
    slab: usize,
    scratch: &Scratch,
) -> io::Result<Vec<Part>> {
    parallel::try_map(layer.set.len().div_ceil(slab), |number| {
        let addresses = layer.addresses_in(slab, number);
        let words = addresses.map(|at| (at - number * slab, layer.set[at]));
        scratch.put(&encoded(words))
    })
}

impl Plies {
    /// Nothing decided in any of so many words, in slabs of some.
    pub fn new(scratch: &Arc<Scratch>, words: usize, slab: usize) -> Plies {
        Plies {
            scratch: Arc::clone(scratch),
            words,
            slab,
            parts: BTreeMap::new(),
        }
    }

    /// Says where that is which a ply decided in a slab.
    pub fn insert(&mut self, ply: u32, slab: usize, part: Part) {
        if !part.is_empty() {
            let slabs = self.words.div_ceil(self.slab);
            let of_ply = self.parts.entry(ply);
            of_ply.or_insert_with(|| vec![Part::default(); slabs])[slab] = part;
        }
    }

    /// What each ply decided, by slabs.
    pub fn by_ply(&self) -> impl Iterator<Item = (u32, &[Part])> {
        let parts = self.parts.iter();
        parts.map(|(&ply, slabs)| (ply, &slabs[..]))
    }

    /// Where that is which plies decided in a slab, in order.
    pub fn parts_of(&self, slab: usize) -> impl Iterator<Item = (u32, Part)> {
        let parts = self
            .parts
            .iter()
            .map(move |(&ply, slabs)| (ply, slabs[slab]));
        parts.filter(|(_, part)| !part.is_empty())
    }

    /// The last ply that decided anything.
    pub fn last(&self) -> Option<u32> {
        self.parts.last_key_value().map(|(&ply, _)| ply)
    }

    /// The first ply from `ply` on that decided anything.
    pub fn next(&self, ply: u32) -> Option<u32> {
        self.parts.range(ply..).next().map(|(&ply, _)| ply)
    }

    /// What a ply decided in a slab.
    pub fn words<W: Bits>(&self, ply: u32, slab: usize) -> io::Result<Words<W>> {
        let part = self.parts.get(&ply).map(|slabs| slabs[slab]);
        self.read(part.unwrap_or_default(), slab)
    }

    fn read<W: Bits>(&self, part: Part, slab: usize) -> io::Result<Words<W>> {
        let words = (self.words - slab * self.slab).min(self.slab);
        Words::new(&self.scratch, part, words)
    }

    /// What all plies decided in a slab, in order.
    pub fn all<W: Bits>(&self, slab: usize) -> impl Iterator<Item = io::Result<(u32, Words<W>)>> {
        let parts = self.parts_of(slab);
        parts.map(move |(ply, part)| Ok((ply, self.read(part, slab)?)))
    }
}

impl<W> Words<W> {
    /// Those that were put away of a slab of so many words.
    pub fn new(scratch: &Scratch, part: Part, words: usize) -> io::Result<Words<W>> {
        Ok(Words::of(scratch.get(part)?, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ScratchDirectory;

    #[test]
    fn what_plies_decided_is_told_again() {
        let mut state = 5u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state ^ state >> 31
        };
        let directory = ScratchDirectory::new(std::env::temp_dir());
        let scratch = Arc::new(Scratch::new(Some(&directory)).unwrap());
        let mut plies = Plies::new(&scratch, 3 * 40_000, 40_000);
        let mut expected = Vec::new();
        for ply in [1, 2, 5, 300, 70_000] {
            let mut words = BTreeMap::new();
            for _ in 0..200 {
                let (address, mask) = (next() % 40_000, next());
                let mask = if mask % 3 == 0 {
                    0xff << (mask % 57)
                } else {
                    mask
                };
                let word = u128::from(next() & mask) << (next() % 64) | u128::bit(127);
                words.insert(address as usize, word);
            }
            let part = scratch.put(&encoded(words.clone().into_iter())).unwrap();
            plies.insert(ply, 1, part);
            expected.push((ply, words.into_iter().collect::<Vec<_>>()));
        }
        plies.insert(70_001, 1, Part::default());
        let all = plies.all::<u128>(1).map(|all| {
            let (ply, words) = all.unwrap();
            (ply, words.collect::<Vec<_>>())
        });
        assert_eq!(all.collect::<Vec<_>>(), expected);
        let of_five: Vec<_> = plies.words::<u128>(5, 1).unwrap().collect();
        assert_eq!(of_five, expected[2].1);
        assert_eq!(plies.words::<u128>(4, 1).unwrap().count(), 0);
        assert_eq!(plies.words::<u128>(5, 2).unwrap().count(), 0);
        assert_eq!(
            [0, 3, 301].map(|ply| plies.next(ply)),
            [1, 5, 70_000].map(Some)
        );
        assert_eq!((plies.next(70_001), plies.last()), (None, Some(70_000)));
    }

    #[test]
    fn words_of_another_slab_are_not_read() {
        let scratch = Arc::new(Scratch::new(None).unwrap());
        let part = scratch
            .put(&encoded([(3, 5u64), (100, 6)].into_iter()))
            .unwrap();
        for (words, read) in [(101, 2), (100, 1), (4, 1), (3, 0)] {
            assert_eq!(
                Words::<u64>::new(&scratch, part, words).unwrap().count(),
                read
            );
        }
        // Gaps that are longer than any address.
        for byte in [0xff, 0x80] {
            let endless = scratch.put(&[byte; 100]).unwrap();
            let words = Words::<u64>::new(&scratch, endless, 1 << 32);
            assert_eq!(words.unwrap().count(), 0);
        }
    }
}
