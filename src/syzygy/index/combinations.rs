//! Sets of squares and their rank among those of as many squares.

use crate::syzygy::numbering::BINOMIALS;

#[inline(always)]
pub(super) fn place_among_free(square: u8, not_free: u64) -> u32 {
    let before = (1u64 << square) - 1;
    (before & !not_free).count_ones()
}

/// The rank of a set of squares among those of as many free squares.
#[inline]
pub(super) fn rank_among_free(mut squares: u64, not_free: u64) -> u64 {
    let mut rank = 0;
    let mut chosen = 1;
    while squares != 0 && chosen < BINOMIALS.len() {
        let place = place_among_free(squares.trailing_zeros() as u8, not_free);
        rank += u64::from(BINOMIALS[chosen][place as usize]);
        chosen += 1;
        squares &= squares - 1;
    }
    rank
}

/// The rank of a set of numbers among those of as many.
#[inline]
pub(super) fn rank_combination(set: u64) -> u64 {
    rank_among_free(set, 0)
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
