//! Which squares of the black king have a byte, for each place of the white king.
//!
//! The solver has words over all 64 squares of the black king. Kings never stand side by side, and
//! without pawns a position and its image on the other side of the long diagonal are the same, so
//! of 640 pairs 462 are left; with pawns of 4096 pairs 3612.

use crate::chess::symmetry::{Symmetry, into_triangle, is_on_diagonal, triangle_place};

/// A pair of kings that has no byte.
pub(super) const NO_PLACE: u8 = u8::MAX;

/// The pairs of kings that have bytes in a slice.
#[derive(Clone, Debug)]
pub(super) struct KingPairs {
    /// By place of the white king: the squares of the black king, in increasing order.
    squares: Vec<Vec<u8>>,
    /// By place of the white king: how many squares those before it have.
    before: Vec<usize>,
    has_pawns: bool,
    /// Words for each place of the white king.
    words: usize,
}

impl KingPairs {
    /// In slices of so many words.
    pub fn new(has_pawns: bool, words: usize) -> KingPairs {
        let mut squares = Vec::new();
        for place in 0..if has_pawns { 64 } else { 10 } {
            let is_own = |&square: &u8| match has_pawns {
                true => usize::from(square) == place,
                false => {
                    into_triangle(square).map(square) == square && triangle_place(square) == place
                }
            };
            let white = (0..64).find(is_own).unwrap_or(0);
            let has_byte = |&black: &u8| {
                let is_above = black >> 3 > black & 7;
                !are_side_by_side(white, black)
                    && (has_pawns || !is_on_diagonal(white) || !is_above)
            };
            squares.push((0..64).filter(has_byte).collect::<Vec<u8>>());
        }
        let mut sum = 0;
        let mut before = vec![0];
        for squares in &squares {
            sum += squares.len();
            before.push(sum);
        }
        KingPairs {
            words: words / squares.len(),
            squares,
            before,
            has_pawns,
        }
    }

    /// Bytes of a slice, or those before an address.
    pub fn bytes_before(&self, address: usize) -> usize {
        let (king, others) = (address / self.words, address % self.words);
        let own = self.squares.get(king).map_or(0, Vec::len);
        self.before[king] * self.words + others * own
    }

    /// The squares of the black king that have bytes at an address.
    pub fn squares(&self, address: usize) -> &[u8] {
        &self.squares[address / self.words]
    }

    /// What turns the board so that the kings are a pair that has a byte, if any is.
    pub fn symmetry(&self, [white, black]: [u8; 2], is_mirrored: bool) -> Symmetry {
        if self.has_pawns {
            return Symmetry::mirrored(is_mirrored);
        }
        let symmetry = into_triangle(white);
        let turned = symmetry.map(black);
        let is_image = is_on_diagonal(symmetry.map(white)) && turned >> 3 > turned & 7;
        symmetry.then_transpose_if(is_image)
    }

    /// Where the bytes of the white king's square begin in a slice, and how many an address has.
    pub fn row(&self, white: u8, is_mirrored: bool) -> (usize, usize) {
        let king = match self.has_pawns {
            true => Symmetry::mirrored(is_mirrored).map(white).into(),
            false => triangle_place(into_triangle(white).map(white)),
        };
        (self.before[king] * self.words, self.squares[king].len())
    }

    /// The place of the black king among the bytes of an address, or [`NO_PLACE`].
    pub fn place(&self, kings: [u8; 2], is_mirrored: bool) -> u8 {
        let symmetry = self.symmetry(kings, is_mirrored);
        let [white, black] = kings.map(|square| symmetry.map(square));
        let king = match self.has_pawns {
            true => white.into(),
            false => triangle_place(white),
        };
        let mut places = (0..).zip(&self.squares[king]);
        let found = places.find(|&(_, &square)| square == black);
        found.map_or(NO_PLACE, |(place, _)| place)
    }
}

fn are_side_by_side(a: u8, b: u8) -> bool {
    (a >> 3).abs_diff(b >> 3) <= 1 && (a & 7).abs_diff(b & 7) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted() {
        for (has_pawns, kings, pairs) in [(false, 10, 462), (true, 64, 3612)] {
            let all = KingPairs::new(has_pawns, kings * 4096);
            assert_eq!(all.bytes_before(kings * 4096), pairs * 4096);
        }
    }

    #[test]
    fn kings_that_are_not_side_by_side_have_the_byte_of_an_address() {
        for (has_pawns, kings) in [(false, 10), (true, 64)] {
            let all = KingPairs::new(has_pawns, kings * 64);
            for (white, black) in (0..64).flat_map(|white| (0..64).map(move |black| (white, black)))
            {
                let place = all.place([white, black], false);
                assert_eq!(place == NO_PLACE, are_side_by_side(white, black));
                if place == NO_PLACE {
                    continue;
                }
                let symmetry = all.symmetry([white, black], false);
                let king = match has_pawns {
                    true => white.into(),
                    false => triangle_place(symmetry.map(white)),
                };
                let (start, len) = all.row(white, false);
                let address = king * 64 + 5;
                assert_eq!(all.bytes_before(address), start + 5 * len);
                let squares = all.squares(address);
                assert_eq!(squares.len(), len);
                assert_eq!(squares[usize::from(place)], symmetry.map(black));
            }
        }
    }
}
