//! The leading group: men that take up the symmetries of the board.

use super::combinations::{nth_square, rank_combination, unrank_combination};
use crate::chess::symmetry::{ABOVE_DIAGONAL, DIAGONAL, Symmetry, into_corner};
use crate::syzygy::numbering::{
    BELOW, BELOW_SQUARES, BOARD_BELOW, BOARD_DIAGONAL, LEADING_PAWNS, PAWN, PAWN_SQUARE,
    PAWN_SQUARES, TRIANGLE, TRIANGLE_BELOW, TRIANGLE_DIAGONAL, TRIANGLE_SQUARES, is_below_diagonal,
};

/// Squares that a second or a third man can stand on.
const SECOND: u64 = 63;
const THIRD: u64 = 62;
/// Numbers of three men with none, only the first, and only the first two on the diagonal.
const NONE_ON_DIAGONAL: u64 = TRIANGLE_BELOW * SECOND * THIRD;
const ONE_ON_DIAGONAL: u64 = TRIANGLE_DIAGONAL * BOARD_BELOW * THIRD;
const TWO_ON_DIAGONAL: u64 = TRIANGLE_DIAGONAL * (BOARD_DIAGONAL - 1) * BOARD_BELOW;
const THREE_ON_DIAGONAL: u64 = TRIANGLE_DIAGONAL * (BOARD_DIAGONAL - 1) * (BOARD_DIAGONAL - 2);
/// Numbers of three men.
pub(super) const THREE_MEN: u64 =
    NONE_ON_DIAGONAL + ONE_ON_DIAGONAL + TWO_ON_DIAGONAL + THREE_ON_DIAGONAL;

const FIRST_RANK: u64 = 0xff;
const LAST_RANKS: u64 = 0xff << 56 | FIRST_RANK;

/// The pawns of one side and where their leading pawn stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadingPawns {
    /// A bit for the number of each pawn's square, the leading pawn on the left.
    pub(super) numbers: u64,
    pub(super) is_mirrored: bool,
}

impl LeadingPawns {
    /// Of a set of pawns. Nothing if there are none, or one stands on a last rank.
    #[must_use]
    #[inline]
    pub fn new(mut pawns: u64) -> Option<LeadingPawns> {
        const LEFT: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        if pawns == 0 || pawns & LAST_RANKS != 0 {
            return None;
        }
        let mut numbers = 0u64;
        while pawns != 0 {
            numbers |= 1 << PAWN[pawns.trailing_zeros() as usize];
            pawns &= pawns - 1;
        }
        let leading = numbers.ilog2();
        let is_mirrored = leading.is_multiple_of(2);
        if is_mirrored {
            numbers = (numbers & LEFT) >> 1 | (numbers & !LEFT) << 1;
        }
        Some(LeadingPawns {
            numbers,
            is_mirrored,
        })
    }

    /// The file of the leading pawn, from 0 for a to 3 for d.
    #[must_use]
    #[inline]
    pub fn file(&self) -> usize {
        (PAWN_SQUARES as u32 - 1 - self.numbers.ilog2()) as usize / 12
    }

    /// The number of the pawns among those with as many pawns on this file.
    #[inline]
    pub(super) fn number(&self) -> u64 {
        let count = self.numbers.count_ones() as usize;
        let leading = self.numbers.ilog2();
        let steps = (PAWN_SQUARES as u32 - 1 - leading) as usize % 12 / 2;
        let others = self.numbers & !(1 << leading);
        u64::from(LEADING_PAWNS[count][self.file()][steps]) + rank_combination(others)
    }

    /// The squares of the pawns with a number, the leading one on a file.
    pub(in crate::syzygy) fn squares(number: u64, count: usize, file: usize) -> u64 {
        let before = &LEADING_PAWNS[count][file];
        let steps = (1..6)
            .rfind(|&steps| u64::from(before[steps]) <= number)
            .unwrap_or(0);
        let others = unrank_combination(number - u64::from(before[steps]), count - 1);
        let mut squares = 1 << (8 * (steps + 1) + file);
        for (number, &square) in PAWN_SQUARE.iter().enumerate() {
            squares |= (others >> number & 1) << square;
        }
        squares
    }
}

fn set_of(squares: &[u8]) -> u64 {
    squares
        .iter()
        .fold(0, |set, &square| set | 1u64 << (square & 63))
}

/// The symmetry that takes the first square into the triangle, and the first that is off the
/// diagonal below it; and where it takes all of them. It has no branches, as nobody could guess
/// them.
#[inline(always)]
pub(super) fn oriented<const N: usize>(squares: [u8; N]) -> (Symmetry, [u8; N]) {
    let corner = into_corner(squares[0]);
    let (mut is_above, mut are_on_diagonal) = (0, 1);
    for square in squares.map(|square| corner.map(square) & 63) {
        is_above |= are_on_diagonal & ABOVE_DIAGONAL >> square;
        are_on_diagonal &= DIAGONAL >> square;
    }
    let symmetry = corner.then_transpose_if(is_above & 1 != 0);
    let places = symmetry.squares();
    (
        symmetry,
        squares.map(|square| places[usize::from(square & 63)]),
    )
}

/// The number of three men that stand as [`oriented`] has them. Nothing for men on one square that
/// have less than no place; others have a number all the same.
#[inline(always)]
pub(super) fn number_of_three([a, b, c]: [u8; 3]) -> Option<u64> {
    let rank = |square: u8| u64::from(square >> 3);
    // Places among the squares, or the squares of the diagonal, that the men before leave free.
    let passed_by_b = u64::from(b > a);
    let passed_by_c = u64::from(c > a) + u64::from(c > b);
    let third = u64::from(c).wrapping_sub(passed_by_c);
    let number = if is_below_diagonal(a) {
        let first = u64::from(TRIANGLE[usize::from(a)]);
        let two = first * SECOND + u64::from(b).wrapping_sub(passed_by_b);
        (two * THIRD).wrapping_add(third)
    } else if is_below_diagonal(b) {
        let second = u64::from(BELOW[usize::from(b)]);
        let two = rank(a) * BOARD_BELOW + second;
        (NONE_ON_DIAGONAL + two * THIRD).wrapping_add(third)
    } else {
        let second = rank(b).wrapping_sub(passed_by_b);
        let two = rank(a) * (BOARD_DIAGONAL - 1) + second;
        let before = NONE_ON_DIAGONAL + ONE_ON_DIAGONAL;
        if is_below_diagonal(c) {
            before + two * BOARD_BELOW + u64::from(BELOW[usize::from(c)])
        } else {
            let third = rank(c).wrapping_sub(passed_by_c);
            (before + TWO_ON_DIAGONAL + two * (BOARD_DIAGONAL - 2)).wrapping_add(third)
        }
    };
    (number < THREE_MEN).then_some(number)
}

/// The squares of three men: the inverse of [`number_of_three`].
pub(in crate::syzygy) fn three_of_number(number: u64) -> [u8; 3] {
    let split = |number: u64, radix: u64| ((number / radix) as usize, (number % radix) as usize);
    let free = |place: usize, taken: u64| nth_square(!taken, place as u32).trailing_zeros() as u8;
    let diagonal = |rank: usize| 9 * rank as u8;
    let rank_free = |place: usize, ranks: u64| free(place, ranks) as usize;
    if number < NONE_ON_DIAGONAL {
        let (two, third) = split(number, THIRD);
        let (first, second) = split(two as u64, SECOND);
        let a = TRIANGLE_SQUARES[first];
        let b = free(second, set_of(&[a]));
        return [a, b, free(third, set_of(&[a, b]))];
    }
    let number = number - NONE_ON_DIAGONAL;
    if number < ONE_ON_DIAGONAL {
        let (two, third) = split(number, THIRD);
        let (first, second) = split(two as u64, BOARD_BELOW);
        let (a, b) = (diagonal(first), BELOW_SQUARES[second]);
        return [a, b, free(third, set_of(&[a, b]))];
    }
    let number = number - ONE_ON_DIAGONAL;
    let radix = match number < TWO_ON_DIAGONAL {
        true => BOARD_BELOW,
        false => BOARD_DIAGONAL - 2,
    };
    let (two, third) = split(number % TWO_ON_DIAGONAL, radix);
    let (first, second) = split(two as u64, BOARD_DIAGONAL - 1);
    let second = rank_free(second, 1 << first);
    let c = match number < TWO_ON_DIAGONAL {
        true => BELOW_SQUARES[third],
        false => diagonal(rank_free(third, 1 << first | 1 << second)),
    };
    [diagonal(first), diagonal(second), c]
}
