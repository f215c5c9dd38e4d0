//! The sets of a slice with the bits of each square of the black king together: for samples.
//!
//! A word of the solver's layout has a bit for each of his squares. An order in which he is one of
//! the slower dimensions wants one bit of each of many words that lie anywhere in the slice, which
//! are then read from far away. Of one square all bits are a 64th of that, which stays in a near
//! cache.

use crate::retro::layer::large_set;
use crate::simd::{Kernel, Width};
use crate::transpose::transpose_words;

/// Words between the bits of two squares: with a power of two from one to the next they would take
/// the place of each other in a cache.
const APART: usize = 8;

/// The sets of a slice by the square of the black king.
#[derive(Debug)]
pub(super) struct ByKing {
    words: Vec<u64>,
    /// From the words of one square to those of the next.
    stride: usize,
}

impl ByKing {
    /// Turns so many sets of each word of the solver.
    pub fn new(sets: &[u64], count: usize) -> ByKing {
        let stride = (sets.len() / count).div_ceil(64) * count + APART;
        let mut words = large_set(64 * stride);
        Width::widest().run(Turn {
            sets,
            count,
            words: &mut words,
            stride,
        });
        ByKing { words, stride }
    }

    /// The bits of one square: in each set of word `n` those of 64 addresses from `64 * n` on.
    #[inline(always)]
    pub fn of_square<const SETS: usize>(&self, king: u32) -> &[[u64; SETS]] {
        let start = king as usize % 64 * self.stride;
        self.words[start..start + self.stride - APART].as_chunks().0
    }
}

struct Turn<'a> {
    sets: &'a [u64],
    count: usize,
    words: &'a mut [u64],
    stride: usize,
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut column = [0; 64];
        for (number, sets) in self.sets.chunks(64 * self.count).enumerate() {
            for set in 0..self.count {
                column.fill(0);
                for (word, sets) in column.iter_mut().zip(sets.chunks_exact(self.count)) {
                    *word = sets[set];
                }
                transpose_words(&mut column);
                for (king, &word) in column.iter().enumerate() {
                    self.words[king * self.stride + number * self.count + set] = word;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_where_its_square_is() {
        let mut random = fastrand::Rng::with_seed(7);
        for words in [1, 64, 200] {
            let sets: Vec<[u64; 3]> = (0..words).map(|_| [0; 3].map(|_| random.u64(..))).collect();
            let turned = ByKing::new(sets.as_flattened(), 3);
            for king in 0..64u32 {
                let of_square = turned.of_square::<3>(king);
                for (address, expected) in sets.iter().enumerate() {
                    let bits = of_square[address / 64].map(|word| word >> (address % 64) & 1);
                    assert_eq!(bits, expected.map(|word| word >> king & 1));
                }
            }
        }
    }
}
