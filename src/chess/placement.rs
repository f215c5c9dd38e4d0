//! Where the pawns stand: placements, one out of each mirror pair, and their numbers.

use super::material::Material;
use super::rules::Role;
use super::symmetry::mirror;
use crate::game::Color;
use crate::reserve::{Refused, gathered, reserved, room};

/// The squares of all pawns, as sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PawnPlacement {
    /// White's pawns.
    pub white: u64,
    /// Black's pawns.
    pub black: u64,
}

impl PawnPlacement {
    /// The pawns of one side.
    #[must_use]
    pub fn of(&self, color: Color) -> u64 {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    /// The same with one side's pawns changed.
    #[must_use]
    pub fn with(&self, color: Color, pawns: u64) -> PawnPlacement {
        let mut placement = *self;
        match color {
            Color::White => placement.white = pawns,
            Color::Black => placement.black = pawns,
        }
        placement
    }

    /// All pawns.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.white | self.black
    }

    /// Left and right exchanged.
    #[must_use]
    pub fn mirrored(&self) -> PawnPlacement {
        PawnPlacement {
            white: mirror(self.white),
            black: mirror(self.black),
        }
    }

    /// The colours exchanged and the board turned so that pawns walk the right way.
    #[must_use]
    pub fn with_colors_exchanged(&self) -> PawnPlacement {
        PawnPlacement {
            white: self.black.swap_bytes(),
            black: self.white.swap_bytes(),
        }
    }

    /// How many single steps all pawns together are from promotion.
    #[must_use]
    pub fn steps_to_promotion(&self) -> u32 {
        let ranks = |mut pawns: u64| {
            let mut sum = 0;
            while pawns != 0 {
                sum += pawns.trailing_zeros() / 8;
                pawns &= pawns - 1;
            }
            sum
        };
        ranks(self.white.swap_bytes()) + ranks(self.black)
    }
}

/// All pawn placements of a material up to left-right mirroring, numbered.
///
/// Without pawns there is one, the empty one.
#[derive(Clone, Debug)]
pub struct PawnSlices {
    placements: Vec<PawnPlacement>,
    /// For each placement by rank: twice the slice, plus one if it is the mirror image.
    slices: Vec<u32>,
    black_combinations: usize,
}

/// Squares a pawn can stand on.
const PAWN_SQUARES: usize = 48;
const FIRST_PAWN_SQUARE: usize = 8;
const OVERLAPPING: u32 = u32::MAX;

impl PawnSlices {
    /// The slices of a material, the slowest pawn order first.
    #[must_use]
    pub fn new(material: &Material) -> PawnSlices {
        PawnSlices::try_new(material).unwrap_or_else(|refused| refused.abort())
    }

    /// The same, if there is memory for it.
    pub(crate) fn try_new(material: &Material) -> Result<PawnSlices, Refused> {
        let white = combinations(material.count(Color::White, Role::Pawn))?;
        let black = combinations(material.count(Color::Black, Role::Pawn))?;
        let all = white.len() * black.len();
        let mut slices = PawnSlices {
            placements: Vec::new(),
            slices: gathered(std::iter::repeat_n(OVERLAPPING, all))?,
            black_combinations: black.len(),
        };
        for &white in &white {
            for &black in &black {
                let placement = PawnPlacement { white, black };
                if white & black == 0 && placement <= placement.mirrored() {
                    let slice = slices.placements.len() as u32 * 2;
                    let mirrored = slices.rank(placement.mirrored());
                    slices.slices[mirrored] = slice + 1;
                    let own = slices.rank(placement);
                    slices.slices[own] = slice;
                    room(&mut slices.placements, 1)?;
                    slices.placements.push(placement);
                }
            }
        }
        Ok(slices)
    }

    /// How many slices a material has, without making them.
    ///
    /// Of a placement and its mirror image one is a slice, and a placement that is its own mirror
    /// image is one as well: half the sum of all placements and those. Two white pawns have
    /// C(48, 2) = 1 128 placements, of which 24, two pawns on one rank as far from the edges, are
    /// their own image: (1 128 + 24) / 2 = 576 slices.
    #[must_use]
    pub fn count(material: &Material) -> usize {
        let [white, black] = Color::ALL.map(|color| material.count(color, Role::Pawn));
        let all = placements(PAWN_SQUARES, white, black);
        (all + symmetric_placements(PAWN_SQUARES / 2, white, black)) / 2
    }

    /// How many pawns of a side can promote at once, summed over all slices of a material, without
    /// making them.
    ///
    /// On each of the eight squares before the last rank the pawn leaves 47 squares to the others.
    /// In placements that are their own image there are four pairs of such squares, and 23 pairs
    /// for the others. One white pawn: it stands on each of eight squares in one placement, and
    /// none is its own image: 8 / 2 = 4.
    #[must_use]
    pub fn count_promoting(material: &Material, color: Color) -> usize {
        let [own, others] = [color, !color].map(|color| material.count(color, Role::Pawn));
        let one = own.checked_sub(1);
        let all = one.map_or(0, |rest| 8 * placements(PAWN_SQUARES - 1, rest, others));
        // Of four pairs of squares one is taken, and either pawn on it can promote.
        let pair = own.checked_sub(2);
        let symmetric = pair.map_or(0, |rest| {
            8 * symmetric_placements(PAWN_SQUARES / 2 - 1, rest, others)
        });
        (all + symmetric) / 2
    }

    /// How many slices there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.placements.len()
    }

    /// The pawns of a slice.
    #[must_use]
    pub fn placement(&self, slice: usize) -> PawnPlacement {
        self.placements[slice]
    }

    /// The slice of a placement, and whether the board has to be mirrored to get there.
    ///
    /// # Panics
    ///
    /// If the numbers of pawns are not those of the material.
    #[must_use]
    #[inline]
    pub fn locate(&self, placement: PawnPlacement) -> (usize, bool) {
        let found = self.slices[self.rank(placement)];
        debug_assert_ne!(found, OVERLAPPING);
        ((found / 2) as usize, found % 2 == 1)
    }

    #[inline]
    fn rank(&self, placement: PawnPlacement) -> usize {
        rank_combination(placement.white >> FIRST_PAWN_SQUARE) * self.black_combinations
            + rank_combination(placement.black >> FIRST_PAWN_SQUARE)
    }
}

/// How many ways there are to put pawns of both sides on so many squares.
fn placements(squares: usize, white: usize, black: usize) -> usize {
    binomial(squares, white) * binomial(squares.saturating_sub(white), black)
}

/// How many of them are their own mirror images, where the squares are so many pairs of images.
fn symmetric_placements(pairs: usize, white: usize, black: usize) -> usize {
    match (white % 2, black % 2) {
        (0, 0) => placements(pairs, white / 2, black / 2),
        _ => 0,
    }
}

/// All sets of `count` pawn squares in the order of their rank.
fn combinations(count: usize) -> Result<Vec<u64>, Refused> {
    let total = binomial(PAWN_SQUARES, count);
    let mut sets = reserved(total)?;
    let mut set = (1u64 << count) - 1;
    for _ in 0..total {
        sets.push(set << FIRST_PAWN_SQUARE);
        if set == 0 {
            break;
        }
        // The next larger number with as many bits.
        let lowest = set & set.wrapping_neg();
        let carried = set + lowest;
        set = (((set ^ carried) >> 2) / lowest) | carried;
    }
    Ok(sets)
}

/// The number of ways to choose `k` of `n`.
#[must_use]
pub const fn binomial(n: usize, k: usize) -> usize {
    if k > n {
        return 0;
    }
    let mut result = 1;
    let mut i = 0;
    while i < k {
        result = result * (n - i) / (i + 1);
        i += 1;
    }
    result
}

const BINOMIALS: [[u32; 7]; 65] = {
    let mut table = [[0; 7]; 65];
    let mut n = 0;
    while n <= 64 {
        let mut k = 0;
        while k < 7 {
            table[n][k] = binomial(n, k) as u32;
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of a set of at most six squares among the sets of as many squares, in colexicographic
/// order.
#[must_use]
#[inline]
pub fn rank_combination(mut set: u64) -> usize {
    let mut rank = 0;
    let mut chosen = 1;
    while set != 0 {
        rank += BINOMIALS[set.trailing_zeros() as usize][chosen] as usize;
        chosen += 1;
        set &= set - 1;
    }
    rank
}

/// The set of `count` squares with a number: the inverse of [`rank_combination`].
#[must_use]
pub fn unrank_combination(mut rank: usize, count: usize) -> u64 {
    let mut set = 0;
    for chosen in (1..=count).rev() {
        let mut square = chosen - 1;
        while BINOMIALS[square + 1][chosen] as usize <= rank {
            square += 1;
        }
        rank -= BINOMIALS[square][chosen] as usize;
        set |= 1 << square;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(signature: &str) -> PawnSlices {
        PawnSlices::new(&signature.parse().unwrap())
    }

    #[test]
    fn combinations_are_numbered_in_order() {
        for count in 0..=3 {
            for (rank, set) in combinations(count).unwrap().into_iter().enumerate() {
                assert_eq!(rank_combination(set >> 8), rank);
                assert_eq!(unrank_combination(rank, count), set >> 8);
            }
        }
        assert_eq!(rank_combination(unrank_combination(2015, 2)), 2015);
        assert_eq!(unrank_combination(2015, 2), 3 << 62);
    }

    #[test]
    fn mirror_images_share_a_slice() {
        assert_eq!(slices("KQvK").len(), 1);
        assert_eq!(slices("KPvK").len(), 24);
        assert_eq!(slices("KPPvK").len(), (1128 + 24) / 2);
        assert_eq!(slices("KPvKP").len(), 48 * 47 / 2);
        let pawns = slices("KPPvK");
        for slice in 0..pawns.len() {
            let placement = pawns.placement(slice);
            assert_eq!(pawns.locate(placement), (slice, false));
            let (mirrored, turned) = pawns.locate(placement.mirrored());
            assert_eq!(mirrored, slice);
            assert_eq!(turned, placement.mirrored() != placement);
        }
    }

    #[test]
    fn slices_are_counted_without_being_made() {
        for men in 2..=5 {
            for material in Material::all_with_men(men) {
                let slices = PawnSlices::new(&material);
                assert_eq!(PawnSlices::count(&material), slices.len(), "{material}");
                for (color, rank) in [(Color::White, 0xff << 48), (Color::Black, 0xff << 8)] {
                    let pawns = |slice| slices.placement(slice).of(color) & rank;
                    let promoting: u32 = (0..slices.len()).map(|it| pawns(it).count_ones()).sum();
                    let counted = PawnSlices::count_promoting(&material, color);
                    assert_eq!(counted, promoting as usize, "{material} {color:?}");
                }
            }
        }
        assert_eq!(
            slices("KPPvKPP").len(),
            PawnSlices::count(&"KPPvKPP".parse().unwrap())
        );
    }

    #[test]
    fn steps_to_promotion_count_both_sides() {
        let placement = PawnPlacement {
            white: 1 << 8 | 1 << 55,
            black: 1 << 9 | 1 << 54,
        };
        assert_eq!(placement.steps_to_promotion(), 6 + 1 + 1 + 6);
    }
}
