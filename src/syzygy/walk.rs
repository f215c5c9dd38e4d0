//! The placements of consecutive indices, one after another.
//!
//! [`Encoder::placement`] works out each placement from nothing. A writer wants all of them in
//! their order, and from one index to the next little changes: the digits count up like those of an
//! odometer, and only the men of the groups from the first one that changed on have to be put
//! again, each on the squares that those before it leave free. The digits of pawns can be left as
//! they are.
//!
//! Mostly it is one man alone that moves, the lowest of the fastest group, from a free square to
//! the next. The men of later groups stay where they are until it has come to one of them: each
//! stands on a free square below which so many are free, and that is so whether the man stands on
//! one square above it or on another, and likewise below. With kings on a1 and c1, a queen that
//! moves fastest and a later rook on e4, the queen goes over b1, d1, e1, ..., d4 in one [`Run`];
//! then she takes e4, and the rook steps back to d4.

use arrayvec::ArrayVec;

use super::index::{Encoder, Group, Leading, LeadingPawns, three_of_number, unrank_combination};
use super::numbering::KING_PAIR_SQUARES;
use crate::chess::material::MAX_MEN;
use crate::game::Bits;

/// The squares of the men of a table, in the order of the file; those of equal men in any order.
pub(crate) type Squares = [u8; MAX_MEN];

/// Groups of as many men as this have a table of their squares.
const LARGEST_LISTED: usize = 3;

/// The squares that belong to each number of some groups.
///
/// Encoders whose leading groups are alike can share them: those that differ in the order of the
/// men behind the leading group, or without pawns in the order of all men.
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
    is_of_pawns: bool,
}

/// Consecutive indices, but for digits that are left as they are, among which one man moves.
pub(crate) struct Run<'a> {
    /// The first index, and how far the next is.
    pub index: u64,
    pub step: u64,
    /// The squares of all men at the first index.
    pub squares: &'a Squares,
    /// The man that moves.
    pub man: usize,
    /// Where it stands, in increasing order: of this set the first `len` squares.
    pub set: u64,
    pub len: usize,
}

impl Run<'_> {
    /// The squares of the man that moves.
    #[inline(always)]
    pub fn moves(&self) -> impl Iterator<Item = u8> {
        self.set.ones().take(self.len).map(|square| square as u8)
    }

    /// Each index and the squares of all men.
    #[inline(always)]
    fn each(&self, mut visit: impl FnMut(u64, &Squares)) {
        let mut squares = *self.squares;
        let indices = (self.index..).step_by(self.step as usize);
        for (index, square) in indices.zip(self.moves()) {
            squares[self.man] = square;
            visit(index, &squares);
        }
    }
}

impl Encoder {
    /// Calls `visit` with runs that make up `len` indices from `start` on; those must be below
    /// [`len`](Self::len).
    pub(crate) fn for_each_run(
        &self,
        listed: &Listed,
        start: u64,
        len: usize,
        visit: impl FnMut(&Run<'_>),
    ) {
        let digits = self.digits(start);
        let all = (0..digits.len()).collect();
        walk(digits, all, listed, len, visit);
    }

    /// Calls `visit` with the squares of each of `len` indices from `start` on; those must be below
    /// [`len`](Self::len).
    pub(crate) fn for_each_placement(
        &self,
        listed: &Listed,
        start: u64,
        len: usize,
        mut visit: impl FnMut(&Squares),
    ) {
        self.for_each_run(listed, start, len, |run| {
            run.each(|_, squares| visit(squares));
        });
    }

    /// How many indices have their pawns where one of them has.
    pub(crate) fn len_with_pawns(&self) -> u64 {
        let sizes = self.beside_pawns().map(|digit| digit.size);
        sizes.product()
    }

    /// Calls `visit` with the index and the squares of each of those that have the pawns of the
    /// index `pawns`: with `len` of them from number `start` on, in increasing order. There are
    /// [`len_with_pawns`](Self::len_with_pawns).
    pub(crate) fn for_each_placement_with_pawns(
        &self,
        listed: &Listed,
        pawns: u64,
        start: u64,
        len: usize,
        mut visit: impl FnMut(u64, &Squares),
    ) {
        let mut digits = self.digits(pawns);
        let mut free: ArrayVec<usize, MAX_MEN> = (0..digits.len())
            .filter(|&group| !digits[group].is_of_pawns)
            .collect();
        free.sort_by_key(|&group| digits[group].factor);
        let mut rest = start;
        for &group in &free {
            let digit = &mut digits[group];
            digit.value = rest % digit.size;
            rest /= digit.size;
        }
        walk(digits, free, listed, len, |run| run.each(&mut visit));
    }

    /// The index of the same pawns that has all other digits 0.
    pub(crate) fn first_with_pawns(&self, index: u64) -> u64 {
        let pawns = self.digits(index).into_iter();
        pawns
            .filter(|digit| digit.is_of_pawns)
            .map(|digit| digit.value * digit.factor)
            .sum()
    }

    fn beside_pawns(&self) -> impl Iterator<Item = Digit> {
        self.digits(0)
            .into_iter()
            .filter(|digit| !digit.is_of_pawns)
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
            excluded: excluded as u8,
            is_of_pawns: excluded != 0,
        };
        let mut man = self.leading_men();
        let leading = Digit {
            is_of_pawns: self.leading_color().is_some(),
            ..digit(self.leading_len(), self.leading_factor(), 0, man, 0)
        };
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

/// Counts the digits of some groups up, `len` times, and calls `visit` with each run.
#[inline]
fn walk(
    mut digits: ArrayVec<Digit, MAX_MEN>,
    mut groups: ArrayVec<usize, MAX_MEN>,
    listed: &Listed,
    len: usize,
    mut visit: impl FnMut(&Run<'_>),
) {
    // The fastest first.
    groups.sort_by_key(|&group| digits[group].factor);
    let mut index: u64 = digits.iter().map(|digit| digit.value * digit.factor).sum();
    let men = digits.last().map_or(0, |digit| digit.man + digit.count);
    let mut squares = [0; MAX_MEN];
    let mut changed = 0;
    let mut left = len;
    while left > 0 {
        for group in changed..digits.len() {
            let taken = digits[group].put(group == 0, listed, &mut squares);
            if let Some(next) = digits.get_mut(group + 1) {
                next.taken = taken;
            }
        }
        let fastest = groups.first().map_or(0, |&group| group);
        let digit = &mut digits[fastest];
        let set = match fastest {
            0 => 1 << squares[0],
            _ => digit.moves(&squares[..men]),
        };
        let len = (set.count_ones() as usize)
            .min(left)
            .min((digit.size - digit.value) as usize);
        visit(&Run {
            index,
            step: digit.factor,
            squares: &squares,
            man: digit.man,
            set,
            len,
        });
        left -= len;
        // To the last of the run.
        digit.value += len as u64 - 1;
        index += (len as u64 - 1) * digit.factor;
        changed = digits.len();
        for &group in &groups {
            let digit = &mut digits[group];
            changed = changed.min(group);
            digit.value += 1;
            index += digit.factor;
            if digit.value < digit.size {
                break;
            }
            digit.value = 0;
            index -= digit.size * digit.factor;
        }
    }
}

impl Digit {
    /// The squares of the lowest man of the group, from where it stands on, among which all other
    /// men stay where they are.
    #[inline(always)]
    fn moves(&self, squares: &[u8]) -> u64 {
        let from = squares[self.man];
        // The other men of the group, and those of later ones.
        let others = squares[self.man + 1..].iter().copied();
        let end = others.filter(|&other| other > from).min();
        let below = end.map_or(u64::MAX, |end| (1 << end) - 1);
        !self.taken & below & u64::MAX << from
    }

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
    use crate::chess::index::Placement;
    use crate::chess::rules::{Piece, Role};
    use crate::game::Color;
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
                let len = 50_000.min(encoder.len() / 4) as usize;
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
            let pawns = encoder.len() / 3;
            let pawns_of = |index| {
                let placement = encoder.placement(index).unwrap();
                Color::ALL.map(|color| placement.of(color, Role::Pawn))
            };
            let all = encoder.len_with_pawns();
            let (start, mut last) = (all / 2, None);
            let len = 5_000.min(all - start) as usize;
            let mut visited = 0;
            encoder.for_each_placement_with_pawns(&listed, pawns, start, len, |index, squares| {
                let squares = squares[..pieces.len()].iter();
                let occupied = squares.fold(0, |all, &square| all | 1 << square);
                assert_eq!(encoder.placement(index).unwrap().occupied(), occupied);
                assert_eq!(pawns_of(index), pawns_of(pawns), "{men} {index}");
                assert!(last < Some(index));
                last = Some(index);
                visited += 1;
            });
            assert_eq!(visited, len);
            let first = encoder.first_with_pawns(pawns);
            assert_eq!(pawns_of(first), pawns_of(pawns), "{men}");
        }
    }
}
