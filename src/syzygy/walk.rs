//! The placements of consecutive indices, one after another.
//!
//! [`Encoder::placement`] works out each placement from nothing. A writer wants all of them in their order, and from one index
//! to the next little changes: the digits count up like those of an odometer, and only the men of the groups from the first
//! one that changed on have to be put again, each on the squares that those before it leave free.

use arrayvec::ArrayVec;

use super::index::{Encoder, Group, Leading, LeadingPawns, three_of_number, unrank_combination};
use super::numbering::KING_PAIR_SQUARES;
use crate::game::Bits;
use crate::material::MAX_MEN;

/// The squares of the men of a table, in the order of the file; those of equal men in any order.
pub(crate) type Squares = [u8; MAX_MEN];

/// Groups of as many men as this have a table of their squares.
const LARGEST_LISTED: usize = 3;

/// The squares that belong to each number of some groups.
///
/// Encoders whose leading groups are alike can share them: those that differ in the order of the men behind the leading
/// group, or without pawns in the order of all men.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// By number of the leading group.
    leading: Vec<Squares>,
    /// By count, then by rank: the places of so many men among free squares.
    places: Vec<Vec<[u8; LARGEST_LISTED]>>,
}

impl Listed {
    /// For an encoder.
    pub fn new(encoder: &Encoder) -> Listed {
        let leading = (0..encoder.leading_len()).map(|number| leading_squares(encoder, number));
        let places = (0..=LARGEST_LISTED).map(|count| {
            let groups = encoder.groups().iter();
            let size = groups
                .filter(|group| group.count == count && count > 1)
                .map(|group| group.size);
            let size = size.max().unwrap_or(0);
            let of_rank = |rank| {
                let mut places = [0; LARGEST_LISTED];
                for (place, bit) in places
                    .iter_mut()
                    .zip(unrank_combination(rank, count).ones())
                {
                    *place = bit as u8;
                }
                places
            };
            (0..size).map(of_rank).collect()
        });
        Listed {
            leading: leading.collect(),
            places: places.collect(),
        }
    }
}

fn leading_squares(encoder: &Encoder, number: u64) -> Squares {
    let mut squares = [0; MAX_MEN];
    match encoder.leading() {
        Leading::Three(_) => squares[..3].copy_from_slice(&three_of_number(number)),
        Leading::Kings(_) => squares[..2].copy_from_slice(&KING_PAIR_SQUARES[number as usize]),
        Leading::Pawns { count, file, .. } => {
            let pawns = LeadingPawns::squares(number, count, file).ones();
            for (square, pawn) in squares.iter_mut().zip(pawns) {
                *square = pawn as u8;
            }
        }
    }
    squares
}

/// A digit of the index.
#[derive(Clone, Copy)]
struct Digit {
    value: u64,
    size: u64,
    factor: u64,
    /// The first man of the group.
    man: usize,
    /// Men of the group.
    count: usize,
    /// Squares of the men before the group.
    taken: u64,
    /// Free squares before the first that the group counts.
    excluded: u8,
}

impl Encoder {
    /// Calls `visit` with the squares of each of `len` indices from `start` on; those must be below [`len`](Self::len).
    pub(crate) fn for_each_placement(
        &self,
        listed: &Listed,
        start: u64,
        len: usize,
        mut visit: impl FnMut(&Squares),
    ) {
        let mut digits = self.digits(start);
        // The fastest first.
        let mut by_factor: ArrayVec<usize, MAX_MEN> = (0..digits.len()).collect();
        by_factor.sort_by_key(|&group| digits[group].factor);
        let mut squares = [0; MAX_MEN];
        let mut changed = 0;
        for _ in 0..len {
            for group in changed..digits.len() {
                let taken = digits[group].put(group == 0, listed, &mut squares);
                if let Some(next) = digits.get_mut(group + 1) {
                    next.taken = taken;
                }
            }
            visit(&squares);
            changed = digits.len();
            for &group in &by_factor {
                let digit = &mut digits[group];
                changed = changed.min(group);
                digit.value += 1;
                if digit.value < digit.size {
                    break;
                }
                digit.value = 0;
            }
        }
    }

    /// The digits of an index, in the order of the groups.
    fn digits(&self, index: u64) -> ArrayVec<Digit, MAX_MEN> {
        let digit = |size: u64, factor: u64, man: usize, count: usize, excluded: u64| Digit {
            value: index / factor % size,
            size,
            factor,
            man,
            count,
            taken: 0,
            excluded: excluded.count_ones() as u8,
        };
        let mut man = self.leading_men();
        let leading = digit(self.leading_len(), self.leading_factor(), 0, man, 0);
        let mut digits = ArrayVec::from_iter([leading]);
        for &Group {
            count,
            size,
            factor,
            excluded,
            ..
        } in self.groups()
        {
            digits.push(digit(size, factor, man, count, excluded));
            man += count;
        }
        digits
    }
}

impl Digit {
    /// Puts the men of the group; returns all squares that are taken then.
    #[inline(always)]
    fn put(&self, is_leading: bool, listed: &Listed, squares: &mut Squares) -> u64 {
        let mut taken = self.taken;
        let own = &mut squares[self.man..self.man + self.count];
        if is_leading {
            own.copy_from_slice(&listed.leading[self.value as usize][..self.count]);
            return own.iter().fold(0, |taken, &square| taken | 1 << square);
        }
        let free = |place: u8| nth_free(place + self.excluded, self.taken);
        if self.count == 1 {
            own[0] = free(self.value as u8);
        } else if let Some(places) = listed.places.get(self.count) {
            for (square, &place) in own.iter_mut().zip(&places[self.value as usize]) {
                *square = free(place);
            }
        } else {
            let places = unrank_combination(self.value, self.count).ones();
            for (square, place) in own.iter_mut().zip(places) {
                *square = free(place as u8);
            }
        }
        for &square in own.iter() {
            taken |= 1 << square;
        }
        taken
    }
}

/// The free square with a number, the lowest being number 0.
#[inline(always)]
fn nth_free(number: u8, mut taken: u64) -> u8 {
    let mut square = number;
    while taken != 0 {
        square += u8::from(square >= taken.trailing_zeros() as u8);
        taken &= taken - 1;
    }
    square
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::chess::Piece;
    use crate::index::Placement;
    use crate::syzygy::index::NO_RANK;

    #[test]
    fn placements_are_those_of_their_indices() {
        for (men, ranks, file) in [
            ("KQk", [0, NO_RANK], 0),
            ("kNKb", [1, NO_RANK], 0),
            ("RkKQQ", [1, NO_RANK], 0),
            ("KkRRbb", [2, NO_RANK], 0),
            ("KkRRRR", [0, NO_RANK], 0),
            ("KQRkqrb", [3, NO_RANK], 0),
            ("PKk", [2, NO_RANK], 3),
            ("PPPKk", [0, NO_RANK], 1),
            ("PPpppkK", [0, 2], 2),
            ("PPKkrr", [1, NO_RANK], 0),
        ] {
            let pieces: Vec<Piece> = men
                .chars()
                .map(|letter| Piece::from_letter(letter).unwrap())
                .collect();
            let encoder = Encoder::new(&pieces, ranks, file).unwrap();
            let listed = Listed::new(&encoder);
            for part in 0..4 {
                let mut index = encoder.len() / 4 * part;
                let len = 5_000.min(encoder.len() / 4) as usize;
                encoder.for_each_placement(&listed, index, len, |squares| {
                    let mut found = Placement::default();
                    for (piece, &square) in pieces.iter().zip(squares) {
                        found.men[piece.color.index()][piece.role.index()] |= 1 << square;
                    }
                    assert_eq!(encoder.placement(index), Some(found), "{men} {index}");
                    index += 1;
                });
                assert_eq!(index, encoder.len() / 4 * part + len as u64);
            }
        }
    }
}
