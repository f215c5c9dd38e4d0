//! Where the solver keeps the position of an index.
//!
//! The solver has a word of 64 positions, one for each square of the black king, and the squares of
//! the other men make the address of the word. A file has the dimensions of [`IndexSpace`] in an
//! order of its own. Identical men are told apart by the solver and not in files, and without pawns
//! the solver has both of two positions that are mirror images of each other with the white king on
//! the diagonal.

use std::cmp::Ordering;
use std::ops::Range;

use crate::chess::index::{IndexSpace, MAX_DIMENSIONS, Order};
use crate::chess::placement::unrank_combination;
use crate::chess::symmetry;
use crate::chess::symmetry::{ABOVE_DIAGONAL, DIAGONAL, TRIANGLE, transpose};

/// The dimension that is not part of the address.
pub(super) const BLACK_KING: usize = 2;
const PAWNS: usize = 0;
const WHITE_KING: usize = 1;
const FIRST_GROUP: usize = 3;

/// From digits to addresses, for all orders of a material's dimensions.
#[derive(Debug)]
pub struct Addressing {
    /// For each dimension but the pawns' and the black king's, what each of its digits adds to an
    /// address.
    parts: [Vec<usize>; MAX_DIMENSIONS],
    /// Of each group of men the one whose square changes from digit to digit.
    fastest_men: [Option<FastestMan>; MAX_DIMENSIONS],
    /// Without pawns, for each address, which of its positions files hold: a number of [`HELD`].
    held: Vec<u8>,
    words: usize,
}

/// Of the men of a dimension, the one whose square changes from digit to digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastestMan {
    /// His square adds `square << shift` to an address.
    pub shift: u32,
    /// Whether another one of his kind stands on a later square, which is the next faster part of
    /// the address.
    pub has_twin: bool,
}

impl FastestMan {
    /// The squares that he takes one after the other, from that of one digit on; `part` is what
    /// this digit adds.
    ///
    /// Two queens on b1 and d1 are digit 4. He goes on to c1, digit 5; digit 6 is a1 and e1. So his
    /// squares are `1..3`.
    #[inline(always)]
    pub fn squares(self, part: usize) -> Range<u32> {
        let end = match self.has_twin {
            true => (part >> (self.shift - 6) & 63) as u32,
            false => 64,
        };
        (part >> self.shift & 63) as u32..end
    }
}

/// Consecutive indices that differ in the fastest dimension only.
pub(super) struct Row {
    /// What all other dimensions make up of the address.
    pub address: usize,
    /// The black king's square, unless it is the fastest dimension.
    pub black_king: u32,
    /// The digits of the fastest dimension.
    pub digits: Range<u32>,
}

/// Of the positions of a word, those that are not the second of two mirror images: all of them;
/// those with the black king on or below the diagonal; those with it below.
const HELD: [u64; 3] = [!0, !ABOVE_DIAGONAL, !(ABOVE_DIAGONAL | DIAGONAL)];

impl Addressing {
    /// The relation between the indices and the addresses of a material.
    #[must_use]
    pub fn new(space: &IndexSpace) -> Addressing {
        let (mut addressing, twins) = Addressing::of_parts(space);
        if !space.material().has_pawns() {
            let groups = FIRST_GROUP..FIRST_GROUP + twins.len();
            addressing.held = held(&addressing.parts[groups], &twins, addressing.words);
        }
        addressing
    }

    /// Without which positions files hold; and for each group of men how each set of squares
    /// compares with its transposed one.
    fn of_parts(space: &IndexSpace) -> (Addressing, Vec<Vec<Ordering>>) {
        let pieces: usize = space.groups().iter().map(|group| group.count).sum();
        let mut parts: [Vec<usize>; MAX_DIMENSIONS] = Default::default();
        parts[WHITE_KING] = (0..space.radix(WHITE_KING))
            .map(|digit| (digit as usize) << (6 * pieces))
            .collect();
        let mut fastest_men = [None; MAX_DIMENSIONS];
        let mut axis = pieces;
        let mut twins = Vec::new();
        for (number, group) in space.groups().iter().enumerate() {
            let dimension = FIRST_GROUP + number;
            let sets = (0..space.radix(dimension) as usize)
                .map(|rank| unrank_combination(rank, group.count));
            parts[dimension] = sets
                .clone()
                .map(|mut set| {
                    let mut address = 0;
                    for place in 1..=group.count {
                        address |= (set.trailing_zeros() as usize) << (6 * (axis - place));
                        set &= set - 1;
                    }
                    address
                })
                .collect();
            twins.push(sets.map(|set| transpose(set).cmp(&set)).collect());
            fastest_men[dimension] = Some(FastestMan {
                shift: 6 * (axis as u32 - 1),
                has_twin: group.count > 1,
            });
            axis -= group.count;
        }
        let addressing = Addressing {
            parts,
            fastest_men,
            held: Vec::new(),
            words: (space.radix(WHITE_KING) as usize) << (6 * pieces),
        };
        (addressing, twins)
    }

    /// The number of addresses of a slice.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The positions of a word that files hold: one of two mirror images.
    #[inline(always)]
    pub(super) fn held(&self, address: usize) -> u64 {
        self.held
            .get(address)
            .map_or(!0, |&kind| HELD[usize::from(kind)])
    }

    /// Of the men of a dimension, the one whose square changes from digit to digit; nobody for
    /// kings and pawns.
    pub(super) fn fastest_man(&self, dimension: usize) -> Option<FastestMan> {
        self.fastest_men[dimension]
    }

    /// What each of some digits of a dimension adds to the address; empty for the pawns and the
    /// black king.
    #[inline(always)]
    pub(super) fn parts_of(&self, dimension: usize, digits: Range<usize>) -> &[usize] {
        self.parts[dimension].get(digits).unwrap_or_default()
    }

    /// What a digit of a dimension adds to the address; nothing for the pawns and the black king.
    #[inline(always)]
    pub(super) fn part(&self, dimension: usize, digit: u32) -> usize {
        self.parts[dimension]
            .get(digit as usize)
            .copied()
            .unwrap_or(0)
    }
}

/// For each address, which of its positions files hold. `parts` and `twins` are those of the
/// groups; a twin is how each set of squares compares with its transposed one.
fn held(parts: &[Vec<usize>], twins: &[Vec<Ordering>], words: usize) -> Vec<u8> {
    let stride = words / TRIANGLE.len();
    let mut held = vec![0; words];
    for (place, held) in held.chunks_exact_mut(stride).enumerate() {
        if symmetry::is_on_diagonal(TRIANGLE[place]) {
            held.fill(1);
            for_each_second_twin(parts, twins, 0, &mut |address| held[address] = 2);
        }
    }
    held
}

/// Calls `visit` for what all groups together add to the address where they are the second of two
/// transposed twins.
fn for_each_second_twin(
    parts: &[Vec<usize>],
    twins: &[Vec<Ordering>],
    base: usize,
    visit: &mut impl FnMut(usize),
) {
    let Some(((parts, later_parts), (twins, later_twins))) =
        parts.split_first().zip(twins.split_first())
    else {
        return;
    };
    for (part, order) in parts.iter().zip(twins) {
        match order {
            Ordering::Less => for_each_sum(later_parts, base + part, visit),
            Ordering::Equal => for_each_second_twin(later_parts, later_twins, base + part, visit),
            Ordering::Greater => {}
        }
    }
}

fn for_each_sum(parts: &[Vec<usize>], base: usize, visit: &mut impl FnMut(usize)) {
    match parts.split_first() {
        Some((first, later)) => {
            for part in first {
                for_each_sum(later, base + part, visit);
            }
        }
        None => visit(base),
    }
}

/// The words of a slice in the order in which a file needs them.
///
/// An index of a slice is `(slower * 64 + king) * run + faster`, where `king` is the black king's
/// square and `faster` counts the combinations of the `run` digits of the dimensions that are
/// faster than it.
#[derive(Clone, Debug)]
pub(super) struct FileOrder {
    /// The address for `slower * run + faster`. Slices whose addresses are wider are not put into
    /// the order of a file as a whole.
    pub addresses: Vec<u32>,
    /// How many indices share the black king's square.
    pub run: usize,
}

impl FileOrder {
    pub fn new(addressing: &Addressing, order: &Order) -> FileOrder {
        let mut addresses = vec![0u32];
        let mut run = 1;
        for &dimension in order.dimensions() {
            match usize::from(dimension) {
                PAWNS => {}
                BLACK_KING => run = 1,
                dimension => {
                    let parts = &addressing.parts[dimension];
                    run *= parts.len();
                    addresses = addresses
                        .iter()
                        .flat_map(|base| parts.iter().map(move |&part| base + part as u32))
                        .collect();
                }
            }
        }
        FileOrder { addresses, run }
    }

    /// The number of indices of a slice.
    pub fn len(&self) -> usize {
        self.addresses.len() * 64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Bits;

    #[test]
    fn addresses_of_seven_men_are_wide() {
        let space = IndexSpace::new("KQRBvKQR".parse().unwrap());
        let (addressing, _) = Addressing::of_parts(&space);
        let last = addressing.parts.iter().filter_map(|parts| parts.last());
        assert_eq!(last.sum::<usize>(), addressing.words() - 1);
        assert_eq!(addressing.words(), 10 << 30);
    }

    #[test]
    fn files_hold_the_first_of_two_mirror_images() {
        for signature in ["KQvK", "KRRvK", "KQvKR", "KBNvK", "KPvK"] {
            let space = IndexSpace::new(signature.parse().unwrap());
            let addressing = Addressing::new(&space);
            let order = space.natural_order();
            let file_order = FileOrder::new(&addressing, &order);
            let slice_len = file_order.len() as u64;
            assert_eq!(slice_len * u64::from(space.radix(PAWNS)), space.len());
            let pieces: usize = space.groups().iter().map(|group| group.count).sum();
            for index in 0..slice_len {
                let digits = order.digits(index);
                let king = digits[BLACK_KING];
                let slower = index as usize / file_order.run / 64;
                let faster = index as usize % file_order.run;
                let address = file_order.addresses[slower * file_order.run + faster];
                let mut occupied = u64::bit(king) | space.pawns().placement(0).all();
                for piece in 0..pieces {
                    occupied |= 1 << (address >> (6 * piece) & 63);
                }
                occupied |= match address >> (6 * pieces) {
                    square if space.material().has_pawns() => u64::bit(square),
                    place => u64::bit(TRIANGLE[place as usize].into()),
                };
                let are_apart = occupied.count_ones() as usize == space.material().men();
                let is_held = addressing.held(address as usize).contains(king);
                assert_eq!(
                    space.placement(&digits).is_some(),
                    are_apart && is_held,
                    "{signature} {digits:?}"
                );
            }
        }
    }
}
