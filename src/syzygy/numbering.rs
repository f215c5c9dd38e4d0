//! The numberings of squares that the index is made of, all worked out at compile time.
//!
//! The format's author chose them; they follow from a few rules each, which is how they are written
//! here.

use crate::chess::placement::binomial;
use crate::chess::symmetry::is_on_diagonal;

/// Stands for squares without a number.
pub(super) const NONE: u8 = u8::MAX;

/// Squares of the triangle a1-d1-d4 below the diagonal, and on it.
pub(super) const TRIANGLE_BELOW: u64 = 6;
pub(super) const TRIANGLE_DIAGONAL: u64 = 4;
/// Squares of the board below the diagonal, and on it.
pub(super) const BOARD_BELOW: u64 = 28;
pub(super) const BOARD_DIAGONAL: u64 = 8;

/// Files on which a leading pawn stands, a to d: the others are mirror images.
pub(super) const PAWN_FILES: usize = 4;
/// Squares on which a pawn stands.
pub(super) const PAWN_SQUARES: usize = 48;
/// Most men beside the kings.
const MAX_GROUP: usize = 5;

/// Whether a square lies on the side of h1 of the diagonal a1-h8.
#[inline(always)]
pub(super) const fn is_below_diagonal(square: u8) -> bool {
    square >> 3 < square & 7
}

/// Whether a square lies on the side of a8 of the diagonal a1-h8.
#[inline(always)]
const fn is_above_diagonal(square: u8) -> bool {
    square >> 3 > square & 7
}

/// The squares of the triangle a1-d1-d4: those below the diagonal come first.
pub(super) const TRIANGLE_SQUARES: [u8; 10] = {
    let mut squares = [NONE; 10];
    let (mut below, mut diagonal) = (0, TRIANGLE_BELOW as usize);
    let mut square = 0;
    while square < 32 {
        if square & 7 < 4 && is_below_diagonal(square) {
            squares[below] = square;
            below += 1;
        } else if is_on_diagonal(square) {
            squares[diagonal] = square;
            diagonal += 1;
        }
        square += 1;
    }
    squares
};

/// The place of a square in [`TRIANGLE_SQUARES`].
pub(super) const TRIANGLE: [u8; 64] = inverse(&TRIANGLE_SQUARES);

/// The squares of the whole board below the diagonal.
pub(super) const BELOW_SQUARES: [u8; BOARD_BELOW as usize] = {
    let mut squares = [NONE; BOARD_BELOW as usize];
    let (mut square, mut count) = (0, 0);
    while square < 64 {
        if is_below_diagonal(square) {
            squares[count] = square;
            count += 1;
        }
        square += 1;
    }
    squares
};

/// The place of a square in [`BELOW_SQUARES`].
pub(super) const BELOW: [u8; 64] = inverse(&BELOW_SQUARES);

const fn inverse(squares: &[u8]) -> [u8; 64] {
    let mut places = [NONE; 64];
    let mut place = 0;
    while place < squares.len() {
        places[squares[place] as usize] = place as u8;
        place += 1;
    }
    places
}

/// Pairs of kings that do not stand side by side, up to the symmetries of the board.
pub(super) const KING_PAIRS: u64 = 462;

/// The squares of the first and the second of two kings, by the number of the pair.
///
/// Pairs go by the first king's place in the triangle, then by the second king's square. With the
/// first king on the diagonal the second is on it or below; pairs with both on it come last.
pub(super) const KING_PAIR_SQUARES: [[u8; 2]; KING_PAIRS as usize] = {
    let mut pairs = [[NONE; 2]; KING_PAIRS as usize];
    let mut count = 0;
    let mut are_on_diagonal = false;
    loop {
        let mut place = 0;
        while place < TRIANGLE_SQUARES.len() {
            let first = TRIANGLE_SQUARES[place];
            let mut second = 0;
            while second < 64 {
                let both = is_on_diagonal(first) && is_on_diagonal(second);
                let is_turned = is_on_diagonal(first) && is_above_diagonal(second);
                if both == are_on_diagonal && !is_turned && !are_neighbours(first, second) {
                    pairs[count] = [first, second];
                    count += 1;
                }
                second += 1;
            }
            place += 1;
        }
        if are_on_diagonal {
            break;
        }
        are_on_diagonal = true;
    }
    assert!(count == pairs.len());
    pairs
};

/// No pair of kings.
pub(super) const NO_PAIR: u16 = u16::MAX;

/// The number of a pair of kings: the first by its place in the triangle, the second by its square.
pub(super) const KING_PAIR: [[u16; 64]; 10] = {
    let mut numbers = [[NO_PAIR; 64]; 10];
    let mut pair = 0;
    while pair < KING_PAIR_SQUARES.len() {
        let [first, second] = KING_PAIR_SQUARES[pair];
        numbers[TRIANGLE[first as usize] as usize][second as usize] = pair as u16;
        pair += 1;
    }
    numbers
};

/// Whether a king on one square attacks the other, or they are the same.
const fn are_neighbours(a: u8, b: u8) -> bool {
    (a & 7).abs_diff(b & 7) <= 1 && (a >> 3).abs_diff(b >> 3) <= 1
}

/// The number of a pawn's square; [`NONE`] on the last ranks.
///
/// The pawn of the highest number leads. That is the one nearest to the edge of the board, and
/// among those of a file and its mirror image the one that has come least far. So the number of a
/// square is also how many squares are left for the other pawns when the leading one stands there.
/// Mirror images have neighbouring numbers, the left one the odd.
pub(super) const PAWN: [u8; 64] = {
    let mut numbers = [NONE; 64];
    let mut square = 8;
    while square < 56 {
        let (file, rank) = (square as u8 & 7, square as u8 >> 3);
        let from_edge = if file < 4 { file } else { 7 - file };
        let is_right = (file >= 4) as u8;
        numbers[square] = PAWN_SQUARES as u8 - 1 - 12 * from_edge - 2 * (rank - 1) - is_right;
        square += 1;
    }
    numbers
};

/// The square of a pawn by its number.
pub(super) const PAWN_SQUARE: [u8; PAWN_SQUARES] = {
    let mut squares = [NONE; PAWN_SQUARES];
    let mut square = 8;
    while square < 56 {
        squares[PAWN[square] as usize] = square as u8;
        square += 1;
    }
    squares
};

/// `BINOMIALS[k][n]`: the ways to choose `k` of `n`.
pub(super) const BINOMIALS: [[u32; 65]; MAX_GROUP + 1] = {
    let mut table = [[0; 65]; MAX_GROUP + 1];
    let mut k = 0;
    while k <= MAX_GROUP {
        let mut n = 0;
        while n <= 64 {
            table[k][n] = binomial(n, k) as u32;
            n += 1;
        }
        k += 1;
    }
    table
};

/// `LEADING_PAWNS[count][file][steps]`: the placements of `count` pawns whose leading one stands on
/// that file and has come fewer than `steps` steps from its first rank; `[6]` are all of the file.
pub(super) const LEADING_PAWNS: [[[u32; 7]; PAWN_FILES]; MAX_GROUP + 1] = {
    let mut table = [[[0; 7]; PAWN_FILES]; MAX_GROUP + 1];
    let mut count = 1;
    while count <= MAX_GROUP {
        let mut file = 0;
        while file < PAWN_FILES {
            let mut steps = 0;
            while steps < 6 {
                let others = PAWN[8 * (steps + 1) + file] as usize;
                table[count][file][steps + 1] =
                    table[count][file][steps] + binomial(others, count - 1) as u32;
                steps += 1;
            }
            file += 1;
        }
        count += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawn_numbers_are_a_numbering() {
        for (number, &square) in PAWN_SQUARE.iter().enumerate() {
            assert_eq!(usize::from(PAWN[usize::from(square)]), number);
        }
        // a2, h2, a3, ..., d7, e7.
        assert_eq!((PAWN[8], PAWN[15], PAWN[16]), (47, 46, 45));
        assert_eq!((PAWN[51], PAWN[52]), (1, 0));
    }

    #[test]
    fn every_set_of_pawns_has_one_leading_pawn() {
        for (count, files) in LEADING_PAWNS.iter().enumerate().skip(1) {
            // Sets whose leading pawn is on the right are mirror images.
            let left: u32 = files.iter().map(|file| file[6]).sum();
            let right: u32 = (0..PAWN_SQUARES / 2)
                .map(|half| binomial(2 * half, count - 1) as u32)
                .sum();
            assert_eq!((left + right) as usize, binomial(PAWN_SQUARES, count));
        }
    }

    #[test]
    fn the_triangle_is_numbered_from_b1() {
        assert_eq!(TRIANGLE_SQUARES, [1, 2, 3, 10, 11, 19, 0, 9, 18, 27]);
        assert_eq!(KING_PAIR_SQUARES[0], [1, 3]);
        assert_eq!(KING_PAIR_SQUARES[461], [27, 63]);
    }
}
