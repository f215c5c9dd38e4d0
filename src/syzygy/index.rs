//! From the squares of the men to an index, and back.
//!
//! Take KRvKN with White to move. The simplest index has four digits of 64: one for each man's square. It wastes a factor
//! of more than eight, and most of that is easy to get back:
//!
//! 1. **Symmetry.** Without pawns the board may be turned and mirrored so that the first man stands in the triangle
//!    a1-d1-d4, which leaves 10 squares of 64. If it then stands on the diagonal, the first other man that does not is
//!    brought below it. Three men take 31 332 numbers (`6 * 63 * 62 + 4 * 28 * 62 + 4 * 7 * 28 + 4 * 7 * 6`, for none, one,
//!    two and three men on the diagonal) instead of 262 144.
//! 2. **No two men on a square.** Each man's digit counts only the squares that those before it leave free.
//! 3. **Equal men.** Two knights are one digit of `C(n, 2)`, the number of their pair of squares among all pairs.
//!
//! So the men are cut into *groups*. The **leading group** takes up the symmetry:
//!
//! | material | leading group | its numbers |
//! |---|---|---|
//! | without pawns, some man beside the kings is alone of its kind | three men that are | 31 332 |
//! | without pawns, others | the kings, which never stand side by side | 462 |
//! | with pawns | all pawns of one side | by the file of the leading pawn |
//!
//! With pawns the board can only be mirrored. The pawn nearest to the edge leads; the board is mirrored so that it stands on
//! the files a to d, and each of the four files has a table of its own, with orders and a code of its own. If both sides
//! have pawns, the others are the second group: they have the 48 pawn squares less those of the leading group. All other
//! men follow in groups of equals, on whatever is still free.
//!
//! The file gives the order of the men, which the groups follow, and the rank of the leading group and of the second
//! group of pawns among the factors: `index = sum(digit * factor)`, where the factor of a group is the product of the sizes
//! of those of lower rank.

use arrayvec::ArrayVec;

use super::error::{SyzygyError, impossible};
use super::numbering::{
    BELOW, BELOW_SQUARES, BINOMIALS, BOARD_BELOW, BOARD_DIAGONAL, KING_PAIR, KING_PAIR_SQUARES,
    KING_PAIRS, LEADING_PAWNS, NO_PAIR, PAWN, PAWN_FILES, PAWN_SQUARE, PAWN_SQUARES, TRIANGLE,
    TRIANGLE_BELOW, TRIANGLE_DIAGONAL, TRIANGLE_SQUARES, is_above_diagonal, is_below_diagonal,
};
use crate::game::Color;
use crate::game::chess::{Piece, Role};
use crate::index::Placement;
use crate::material::{MAX_MEN, Material};
use crate::symmetry::{Symmetry, into_triangle, is_on_diagonal, mirror};

/// Squares that a second or a third man can stand on.
const SECOND: u64 = 63;
const THIRD: u64 = 62;
/// Numbers of three men with none, only the first, and only the first two on the diagonal.
const NONE_ON_DIAGONAL: u64 = TRIANGLE_BELOW * SECOND * THIRD;
const ONE_ON_DIAGONAL: u64 = TRIANGLE_DIAGONAL * BOARD_BELOW * THIRD;
const TWO_ON_DIAGONAL: u64 = TRIANGLE_DIAGONAL * (BOARD_DIAGONAL - 1) * BOARD_BELOW;
const THREE_ON_DIAGONAL: u64 = TRIANGLE_DIAGONAL * (BOARD_DIAGONAL - 1) * (BOARD_DIAGONAL - 2);
/// Numbers of three men.
const THREE_MEN: u64 = NONE_ON_DIAGONAL + ONE_ON_DIAGONAL + TWO_ON_DIAGONAL + THREE_ON_DIAGONAL;

const FIRST_RANK: u64 = 0xff;
const LAST_RANKS: u64 = 0xff << 56 | FIRST_RANK;

/// The rank that a file gives where there is no second group of pawns.
pub(super) const NO_RANK: u8 = 15;

/// Men that take up the symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leading {
    /// Three men, each alone of its kind.
    Three([Piece; 3]),
    /// The kings, in the order of the file.
    Kings([Piece; 2]),
    /// Some pawns of one side, the leading one on a file.
    Pawns {
        color: Color,
        count: usize,
        file: usize,
    },
}

/// Men that are equal and have one digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub piece: Piece,
    pub count: usize,
    /// How many numbers the group has.
    pub size: u64,
    pub factor: u64,
    /// Squares that the group never stands on and does not count: the first rank, for pawns.
    pub excluded: u64,
}

/// The relation between placements and the indices of one stream of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoder {
    leading: Leading,
    leading_factor: u64,
    groups: ArrayVec<Group, MAX_MEN>,
    len: u64,
}

/// The pawns of one side and where their leading pawn stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadingPawns {
    /// A bit for the number of each pawn's square, the leading pawn on the left.
    numbers: u64,
    is_mirrored: bool,
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
    fn number(&self) -> u64 {
        let count = self.numbers.count_ones() as usize;
        let leading = self.numbers.ilog2();
        let steps = (PAWN_SQUARES as u32 - 1 - leading) as usize % 12 / 2;
        let others = self.numbers & !(1 << leading);
        u64::from(LEADING_PAWNS[count][self.file()][steps]) + rank_combination(others)
    }

    /// The squares of the pawns with a number, the leading one on a file.
    pub(super) fn squares(number: u64, count: usize, file: usize) -> u64 {
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

impl Encoder {
    /// The encoder of a stream: the men in the order of the file, the rank of the leading group among the factors and that
    /// of the second group of pawns, and the file of the leading pawn (0 without pawns).
    ///
    /// # Errors
    ///
    /// [`SyzygyError::Impossible`] if the groups do not fit the men.
    pub fn new(pieces: &[Piece], ranks: [u8; 2], file: usize) -> Result<Encoder, SyzygyError> {
        let order = || impossible("order of men");
        let kinds = grouped(pieces).ok_or_else(order)?;
        let first = *kinds.first().ok_or_else(order)?;
        let has_pawns = kinds.iter().any(|&(piece, _)| piece.role == Role::Pawn);
        let is_single = |&(_, count): &(Piece, usize)| count == 1;
        let has_single = kinds
            .iter()
            .any(|kind| kind.0.role != Role::King && is_single(kind));
        let (leading, leading_kinds) = if has_pawns {
            if first.0.role != Role::Pawn || file >= PAWN_FILES {
                return Err(order());
            }
            let (Piece { color, .. }, count) = first;
            (Leading::Pawns { color, count, file }, 1)
        } else if has_single {
            let three = kinds.get(..3).filter(|kinds| kinds.iter().all(is_single));
            let three = three.ok_or_else(order)?;
            (Leading::Three([three[0].0, three[1].0, three[2].0]), 3)
        } else {
            let kings = kinds
                .get(..2)
                .filter(|kinds| kinds.iter().all(|(piece, _)| piece.role == Role::King));
            let kings = kings.ok_or_else(order)?;
            (Leading::Kings([kings[0].0, kings[1].0]), 2)
        };
        let mut encoder = Encoder {
            leading,
            leading_factor: 0,
            groups: ArrayVec::new(),
            len: 1,
        };
        let leading_men: usize = kinds[..leading_kinds].iter().map(|&(_, count)| count).sum();
        let mut free = 64 - leading_men;
        let mut has_second_pawns = false;
        for (place, &(piece, count)) in kinds[leading_kinds..].iter().enumerate() {
            let is_pawn = piece.role == Role::Pawn;
            if is_pawn && (place > 0 || !has_pawns) {
                return Err(order());
            }
            has_second_pawns |= is_pawn;
            let squares = if is_pawn {
                PAWN_SQUARES - leading_men
            } else {
                free
            };
            free -= count;
            encoder.groups.push(Group {
                piece,
                count,
                size: BINOMIALS[count][squares].into(),
                factor: 0,
                excluded: if is_pawn { FIRST_RANK } else { 0 },
            });
        }
        encoder.multiply(ranks, has_second_pawns)?;
        Ok(encoder)
    }

    /// Works out the factors. Groups without a rank of their own take the ranks that are left, in their order.
    fn multiply(&mut self, ranks: [u8; 2], has_second_pawns: bool) -> Result<(), SyzygyError> {
        let groups = 1 + self.groups.len();
        let [leading, second] = ranks.map(usize::from);
        let is_possible = leading < groups
            && match has_second_pawns {
                true => second < groups && second != leading,
                false => second == usize::from(NO_RANK),
            };
        if !is_possible {
            return Err(impossible("rank of a group"));
        }
        let mut next = usize::from(has_second_pawns);
        for rank in 0..groups {
            if rank == leading {
                self.leading_factor = self.len;
                self.len *= self.leading_len();
                continue;
            }
            let group = if has_second_pawns && rank == second {
                &mut self.groups[0]
            } else {
                next += 1;
                &mut self.groups[next - 1]
            };
            group.factor = self.len;
            self.len *= group.size;
        }
        Ok(())
    }

    /// How many indices there are. Each is that of a placement.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The men in the order of the file.
    pub(crate) fn men(&self) -> ArrayVec<Piece, MAX_MEN> {
        let mut men: ArrayVec<Piece, MAX_MEN> = match self.leading {
            Leading::Three(pieces) => pieces.into_iter().collect(),
            Leading::Kings(kings) => kings.into_iter().collect(),
            Leading::Pawns { color, count, .. } => {
                std::iter::repeat_n(Role::Pawn.of(color), count).collect()
            }
        };
        for group in &self.groups {
            men.extend(std::iter::repeat_n(group.piece, group.count));
        }
        men
    }

    /// Whether the leading men, whose squares come first, stand on the diagonal that mirrors a board without pawns: then
    /// they do not tell a placement from its mirror image.
    #[inline]
    pub(crate) fn leads_on_diagonal(&self, squares: &[u8]) -> bool {
        squares[..self.leading_men()]
            .iter()
            .all(|&square| is_on_diagonal(square))
    }

    /// The men that take up the symmetry.
    pub(super) fn leading(&self) -> Leading {
        self.leading
    }

    pub(super) fn leading_men(&self) -> usize {
        match self.leading {
            Leading::Three(_) => 3,
            Leading::Kings(_) => 2,
            Leading::Pawns { count, .. } => count,
        }
    }

    pub(super) fn leading_factor(&self) -> u64 {
        self.leading_factor
    }

    /// The other groups, in the order of the file.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub(super) fn leading_len(&self) -> u64 {
        match self.leading {
            Leading::Three(_) => THREE_MEN,
            Leading::Kings(_) => KING_PAIRS,
            Leading::Pawns { count, file, .. } => LEADING_PAWNS[count][file][6].into(),
        }
    }

    /// The side whose pawns lead, if there are pawns.
    #[must_use]
    #[inline]
    pub fn leading_color(&self) -> Option<Color> {
        match self.leading {
            Leading::Pawns { color, .. } => Some(color),
            _ => None,
        }
    }

    /// The index of a placement of the men of this table, colours as in the file; `pawns` are the leading pawns and stand
    /// on this encoder's file.
    ///
    /// Nothing if kings stand side by side, pawns on a last rank, or there are other men than the table's.
    #[must_use]
    #[inline]
    pub fn index(&self, placement: &Placement, pawns: Option<LeadingPawns>) -> Option<u64> {
        let square = |piece: Piece| {
            let set = placement.of(piece.color, piece.role);
            (set.trailing_zeros() & 63) as u8
        };
        let (symmetry, number, mut taken) = match self.leading {
            Leading::Three(pieces) => {
                let squares = pieces.map(square);
                let symmetry = oriented(&squares);
                let squares = squares.map(|square| symmetry.map(square));
                (symmetry, number_of_three(squares), set_of(&squares))
            }
            Leading::Kings(kings) => {
                let squares = kings.map(square);
                let symmetry = oriented(&squares);
                let squares = squares.map(|square| symmetry.map(square));
                let place = usize::from(TRIANGLE[usize::from(squares[0])]);
                let number = KING_PAIR[place][usize::from(squares[1])];
                if number == NO_PAIR {
                    return None;
                }
                (symmetry, number.into(), set_of(&squares))
            }
            Leading::Pawns { color, count, file } => {
                let pawns = pawns.filter(|pawns| {
                    pawns.file() == file && pawns.numbers.count_ones() as usize == count
                })?;
                let mut set = placement.of(color, Role::Pawn);
                if pawns.is_mirrored {
                    set = mirror(set);
                }
                (Symmetry::mirrored(pawns.is_mirrored), pawns.number(), set)
            }
        };
        let mut index = number * self.leading_factor;
        for group in &self.groups {
            let set = placement.of(group.piece.color, group.piece.role);
            let (digit, squares) = if group.count == 1 {
                let square = symmetry.map((set.trailing_zeros() & 63) as u8);
                let place = place_among_free(square, taken | group.excluded);
                (u64::from(place), 1 << square)
            } else {
                let squares = symmetry.inverse().pull(set);
                let not_free = taken | group.excluded;
                (rank_among_free(squares, not_free), squares)
            };
            if digit >= group.size {
                return None;
            }
            taken |= squares;
            index += digit * group.factor;
        }
        Some(index)
    }

    /// The placement with an index, one of those that share it. Nothing from [`len`](Self::len) on.
    #[must_use]
    pub fn placement(&self, index: u64) -> Option<Placement> {
        if index >= self.len {
            return None;
        }
        let mut placement = Placement::default();
        let mut put = |piece: Piece, squares: u64| {
            placement.men[piece.color.index()][piece.role.index()] = squares;
        };
        let number = index / self.leading_factor % self.leading_len();
        let mut taken = 0;
        let mut put_each = |pieces: &[Piece], squares: &[u8]| {
            for (&piece, &square) in pieces.iter().zip(squares) {
                put(piece, 1 << square);
                taken |= 1 << square;
            }
        };
        match self.leading {
            Leading::Three(pieces) => put_each(&pieces, &three_of_number(number)),
            Leading::Kings(kings) => put_each(&kings, &KING_PAIR_SQUARES[number as usize]),
            Leading::Pawns { color, count, file } => {
                taken = LeadingPawns::squares(number, count, file);
                put(Role::Pawn.of(color), taken);
            }
        }
        for group in &self.groups {
            let digit = index / group.factor % group.size;
            let mut places = unrank_combination(digit, group.count);
            let mut squares = 0;
            let free = !(taken | group.excluded);
            while places != 0 {
                squares |= nth_square(free, places.trailing_zeros());
                places &= places - 1;
            }
            put(group.piece, squares);
            taken |= squares;
        }
        Some(placement)
    }
}

/// Kinds of men in their order and how many of each. Nothing if equal men do not stand together or are too many.
fn grouped(pieces: &[Piece]) -> Option<ArrayVec<(Piece, usize), MAX_MEN>> {
    let mut kinds: ArrayVec<(Piece, usize), MAX_MEN> = ArrayVec::new();
    for &piece in pieces {
        let known = kinds.iter().position(|&(other, _)| other == piece);
        match known {
            Some(last) if last + 1 == kinds.len() => kinds[last].1 += 1,
            Some(_) => return None,
            None => kinds.try_push((piece, 1)).ok()?,
        }
    }
    let is_possible = |&(_, count): &(Piece, usize)| count < BINOMIALS.len();
    (pieces.len() <= MAX_MEN && kinds.iter().all(is_possible)).then_some(kinds)
}

/// The material of some men; nothing if a side has not one king.
pub(super) fn material_of(pieces: &[Piece]) -> Option<Material> {
    let mut counts = [[0u8; 6]; 2];
    for piece in pieces {
        counts[piece.color.index()][piece.role.index()] += 1;
    }
    Material::from_counts(counts)
}

fn set_of(squares: &[u8]) -> u64 {
    squares
        .iter()
        .fold(0, |set, &square| set | 1u64 << (square & 63))
}

/// The symmetry that takes the first square into the triangle, and the first that is off the diagonal below it.
#[inline]
fn oriented(squares: &[u8]) -> Symmetry {
    let symmetry = into_triangle(squares[0]);
    let off_diagonal = squares
        .iter()
        .map(|&square| symmetry.map(square))
        .find(|&square| !is_on_diagonal(square));
    match off_diagonal {
        Some(square) if is_above_diagonal(square) => symmetry.then_transpose(),
        _ => symmetry,
    }
}

/// The number of three men that stand as [`oriented`] has them.
#[inline]
fn number_of_three([a, b, c]: [u8; 3]) -> u64 {
    let rank = |square: u8| u64::from(square >> 3);
    // Places among the squares, or the squares of the diagonal, that the men before leave free.
    let passed_by_b = u64::from(b > a);
    let passed_by_c = u64::from(c > a) + u64::from(c > b);
    let third = u64::from(c).wrapping_sub(passed_by_c);
    let number = if is_below_diagonal(a) {
        let first = u64::from(TRIANGLE[usize::from(a)]);
        (first * SECOND + u64::from(b).wrapping_sub(passed_by_b)) * THIRD + third
    } else if is_below_diagonal(b) {
        let second = u64::from(BELOW[usize::from(b)]);
        NONE_ON_DIAGONAL + (rank(a) * BOARD_BELOW + second) * THIRD + third
    } else {
        let second = rank(b).wrapping_sub(passed_by_b);
        let two = rank(a) * (BOARD_DIAGONAL - 1) + second;
        let before = NONE_ON_DIAGONAL + ONE_ON_DIAGONAL;
        if is_below_diagonal(c) {
            before + two * BOARD_BELOW + u64::from(BELOW[usize::from(c)])
        } else {
            let third = rank(c).wrapping_sub(passed_by_c);
            before + TWO_ON_DIAGONAL + two * (BOARD_DIAGONAL - 2) + third
        }
    };
    debug_assert!(number < THREE_MEN);
    number
}

/// The squares of three men: the inverse of [`number_of_three`].
pub(super) fn three_of_number(number: u64) -> [u8; 3] {
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

/// How many free squares come before a square.
#[inline(always)]
fn place_among_free(square: u8, not_free: u64) -> u32 {
    let before = (1u64 << square) - 1;
    (before & !not_free).count_ones()
}

/// The rank of a set of squares among those of as many free squares.
#[inline]
fn rank_among_free(mut squares: u64, not_free: u64) -> u64 {
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
fn rank_combination(set: u64) -> u64 {
    rank_among_free(set, 0)
}

/// The set of `count` numbers with a rank: the inverse of [`rank_combination`].
pub(super) fn unrank_combination(mut rank: u64, count: usize) -> u64 {
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
fn nth_square(mut squares: u64, n: u32) -> u64 {
    for _ in 0..n {
        squares &= squares.wrapping_sub(1);
    }
    squares & squares.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The encoder of men in some order, White's in upper case.
    fn encoder(men: &str, ranks: [u8; 2], file: usize) -> Result<Encoder, SyzygyError> {
        let pieces: Vec<Piece> = men
            .chars()
            .map(|letter| Piece::from_letter(letter).unwrap())
            .collect();
        Encoder::new(&pieces, ranks, file)
    }

    fn encoders() -> Vec<Encoder> {
        let mut encoders = Vec::new();
        for (men, ranks) in [
            ("KQk", [0, NO_RANK]),
            ("kNKb", [1, NO_RANK]),
            ("RkKQQ", [1, NO_RANK]),
            ("KkRRbb", [2, NO_RANK]),
            ("kKQQQ", [0, NO_RANK]),
            ("KQRkqrb", [3, NO_RANK]),
        ] {
            encoders.push(encoder(men, ranks, 0).unwrap());
        }
        for (men, ranks) in [
            ("PKk", [2, NO_RANK]),
            ("PPPKk", [0, NO_RANK]),
            ("pPKk", [3, 1]),
            ("PPpppkK", [0, 2]),
            ("PPKkrr", [1, NO_RANK]),
        ] {
            for file in 0..PAWN_FILES {
                encoders.push(encoder(men, ranks, file).unwrap());
            }
        }
        encoders
    }

    fn pawns(encoder: &Encoder, placement: &Placement) -> Option<LeadingPawns> {
        LeadingPawns::new(placement.of(encoder.leading_color()?, Role::Pawn))
    }

    #[test]
    fn every_index_is_that_of_its_placement() {
        for encoder in encoders() {
            let step = encoder.len() / 20_000 + 1;
            for index in (0..encoder.len()).step_by(step as usize) {
                let placement = encoder.placement(index).unwrap();
                let pawns = pawns(&encoder, &placement);
                assert_eq!(encoder.index(&placement, pawns), Some(index), "{encoder:?}");
            }
            assert_eq!(encoder.placement(encoder.len()), None);
        }
    }

    #[test]
    fn symmetric_placements_have_the_same_index() {
        for encoder in encoders() {
            let symmetries = match encoder.leading_color() {
                Some(_) => 2,
                None => Symmetry::COUNT,
            };
            let leading = match encoder.leading {
                Leading::Three(pieces) => pieces.to_vec(),
                Leading::Kings(kings) => kings.to_vec(),
                Leading::Pawns { .. } => Vec::new(),
            };
            let step = encoder.len() / 3_000 + 1;
            for index in (0..encoder.len()).step_by(step as usize) {
                let placement = encoder.placement(index).unwrap();
                let is_on_diagonal = |man: &Piece| {
                    is_on_diagonal(placement.of(man.color, man.role).trailing_zeros() as u8)
                };
                // Such a leading group does not tell a placement from its transposed twin.
                if !leading.is_empty() && leading.iter().all(is_on_diagonal) {
                    continue;
                }
                // Nor do pawns of which two lead, one on each wing.
                if let Some(color) = encoder.leading_color() {
                    let pawns = placement.of(color, Role::Pawn);
                    let both_wings = pawns & mirror(pawns);
                    let leading = LeadingPawns::new(pawns).unwrap().numbers.ilog2();
                    if both_wings >> PAWN_SQUARE[leading as usize] & 1 == 1 {
                        continue;
                    }
                }
                for symmetry in (0..symmetries).map(Symmetry::from_index) {
                    let turned = Placement {
                        men: placement.men.map(|side| side.map(|set| symmetry.pull(set))),
                    };
                    let pawns = pawns(&encoder, &turned);
                    assert_eq!(encoder.index(&turned, pawns), Some(index), "{encoder:?}");
                }
            }
        }
    }

    #[test]
    fn there_are_as_many_indices_as_published() {
        let len = |men: &str| encoder(men, [0, NO_RANK], 0).unwrap().len();
        assert_eq!(len("KQk"), 31_332);
        assert_eq!(len("KRkr"), 31_332 * 61);
        assert_eq!(len("KkQQ"), 462 * 62 * 61 / 2);
    }

    #[test]
    fn impossible_orders_are_an_error() {
        for (men, ranks) in [
            // Equal men apart, a leading group of equals, kings that do not lead, pawns that do not.
            ("RKRk", [0, NO_RANK]),
            ("RRKkb", [0, NO_RANK]),
            ("QQKk", [0, NO_RANK]),
            ("KPk", [0, NO_RANK]),
            ("PKpk", [0, 1]),
            // Ranks that are no groups', or two groups' at once.
            ("KQk", [1, NO_RANK]),
            ("PpKk", [1, 1]),
            ("PpKk", [0, NO_RANK]),
            ("PKk", [0, 1]),
            ("QQQQQQKk", [0, NO_RANK]),
        ] {
            assert!(encoder(men, ranks, 0).is_err(), "{men} {ranks:?}");
        }
        assert!(encoder("PKk", [0, NO_RANK], 4).is_err());
    }

    #[test]
    fn what_is_no_position_has_no_index() {
        let kings = encoder("KkQQ", [0, NO_RANK], 0).unwrap();
        let mut placement = kings.placement(5_000).unwrap();
        placement.men[1][Role::King.index()] = placement.of(Color::White, Role::King);
        assert_eq!(kings.index(&placement, None), None);
        assert_eq!(kings.index(&Placement::default(), None), None);
        assert_eq!(LeadingPawns::new(1), None);
        assert_eq!(LeadingPawns::new(0), None);
    }
}
