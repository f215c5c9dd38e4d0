//! Sets of squares and their rank among those of as many squares.

use crate::syzygy::numbering::BINOMIALS;

/// Up to eight squares that men stand on, a byte for each: what counts those below another square
/// takes fewer instructions than counting the bits of a set, where a processor of no particular
/// kind is compiled for.
#[derive(Clone, Copy)]
pub(super) struct TakenSquares(u64);

impl TakenSquares {
    const EACH: u64 = 0x0101_0101_0101_0101;
    /// Set in every byte, so that no difference borrows from the next byte.
    const MARKS: u64 = 0x80 * Self::EACH;

    /// Nobody stands anywhere. No square is as high as what stands in a byte without one.
    pub const NONE: TakenSquares = TakenSquares(u64::MAX);

    #[inline(always)]
    pub fn add(&mut self, square: u8) {
        self.0 = self.0 << 8 | 0x80 | u64::from(square);
    }

    #[inline(always)]
    pub fn add_set(&mut self, mut set: u64) {
        while set != 0 {
            self.add(set.trailing_zeros() as u8);
            set &= set - 1;
        }
    }

    /// How many of them lie below a square.
    #[inline(always)]
    pub fn below(self, square: u8) -> u64 {
        let differences = self.0.wrapping_sub(u64::from(square) * Self::EACH);
        let not_below = (differences & Self::MARKS) >> 7;
        8 - (not_below.wrapping_mul(Self::EACH) >> 56)
    }
}

/// The rank of a set of squares among those of as many free squares: neither `before` nor the
/// lowest `excluded` ones. A number that is no rank if they are not free.
#[inline]
pub(super) fn rank_among_free(mut squares: u64, before: TakenSquares, excluded: u64) -> u64 {
    let mut rank = 0;
    let mut chosen = 1;
    while squares != 0 && chosen < BINOMIALS.len() {
        let square = squares.trailing_zeros() as u8;
        let place = u64::from(square).wrapping_sub(before.below(square) + excluded);
        let Some(&ways) = BINOMIALS[chosen].get(place as usize) else {
            return u64::MAX;
        };
        rank += u64::from(ways);
        chosen += 1;
        squares &= squares - 1;
    }
    rank
}

/// The rank of a set of numbers among those of as many.
#[inline]
pub(super) fn rank_combination(set: u64) -> u64 {
    rank_among_free(set, TakenSquares::NONE, 0)
}

/// The set of `count` numbers with a rank: the inverse of [`rank_combination`].
pub(in crate::syzygy) fn unrank_combination(mut rank: u64, count: usize) -> u64 {
    let mut set = 0;
    for chosen in (1..=count).rev() {
        let ways = &BINOMIALS[chosen];
        let number = (0..64)
            .rfind(|&number| u64::from(ways[number]) <= rank)
            .unwrap_or(0);
        rank -= u64::from(ways[number]);
        set |= 1 << number;
    }
    set
}

/// The `n`th of some squares, the lowest being number 0, as a set; empty if there are not as many.
pub(super) fn nth_square(mut squares: u64, n: u32) -> u64 {
    for _ in 0..n {
        squares &= squares.wrapping_sub(1);
    }
    squares & squares.wrapping_neg()
}
