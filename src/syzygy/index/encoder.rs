//! The order of men of a stream, and the index that follows from it.

use arrayvec::ArrayVec;

use super::combinations::{TakenSquares, nth_square, rank_among_free, unrank_combination};
use super::leading::{LeadingPawns, THREE_MEN, number_of_three, oriented, three_of_number};
use crate::chess::index::Placement;
use crate::chess::material::{MAX_MEN, Material};
use crate::chess::men::Men;
use crate::chess::rules::{Piece, Role};
use crate::chess::symmetry::{Symmetry, is_on_diagonal, mirror};
use crate::error::{SyzygyError, impossible};
use crate::game::Color;
use crate::syzygy::numbering::{
    BINOMIALS, KING_PAIR, KING_PAIR_SQUARES, KING_PAIRS, LEADING_PAWNS, NO_PAIR, PAWN_FILES,
    PAWN_SQUARES, TRIANGLE,
};

/// The rank that a file gives where there is no second group of pawns.
pub(in crate::syzygy) const NO_RANK: u8 = 15;

/// Men that take up the symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syzygy) enum Leading {
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
pub(in crate::syzygy) struct Group {
    pub piece: Piece,
    pub count: usize,
    /// How many numbers the group has.
    pub size: u64,
    pub factor: u64,
    /// How many of the lowest squares the group never stands on and does not count: those of the
    /// first rank, for pawns.
    pub excluded: u64,
}

impl Group {
    /// Those squares.
    fn excluded_set(&self) -> u64 {
        (1 << self.excluded) - 1
    }
}

/// The relation between placements and the indices of one stream of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoder {
    leading: Leading,
    leading_factor: u64,
    groups: ArrayVec<Group, MAX_MEN>,
    len: u64,
}

impl Encoder {
    /// The encoder of a stream: the men in the order of the file, the rank of the leading group
    /// among the factors and that of the second group of pawns, and the file of the leading pawn (0
    /// without pawns).
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
                excluded: if is_pawn { 8 } else { 0 },
            });
        }
        encoder.multiply(ranks, has_second_pawns)?;
        Ok(encoder)
    }

    /// Works out the factors. Groups without a rank of their own take the ranks that are left, in
    /// their order.
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

    /// Whether the leading men, whose squares come first, stand on the diagonal that mirrors a
    /// board without pawns: then they do not tell a placement from its mirror image.
    #[inline]
    pub(crate) fn leads_on_diagonal(&self, squares: &[u8]) -> bool {
        squares[..self.leading_men()]
            .iter()
            .all(|&square| is_on_diagonal(square))
    }

    /// The men that take up the symmetry.
    pub(in crate::syzygy) fn leading(&self) -> Leading {
        self.leading
    }

    pub(in crate::syzygy) fn leading_men(&self) -> usize {
        match self.leading {
            Leading::Three(_) => 3,
            Leading::Kings(_) => 2,
            Leading::Pawns { count, .. } => count,
        }
    }

    pub(in crate::syzygy) fn leading_factor(&self) -> u64 {
        self.leading_factor
    }

    /// The other groups, in the order of the file.
    pub(in crate::syzygy) fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub(in crate::syzygy) fn leading_len(&self) -> u64 {
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

    /// The index of the men of this table, colours as in the file; `pawns` are the leading pawns
    /// and stand on this encoder's file.
    ///
    /// Nothing if kings stand side by side, pawns on a last rank, or there are other men than the
    /// table's.
    #[must_use]
    #[inline(always)]
    pub fn index(&self, men: &impl Men, pawns: Option<LeadingPawns>) -> Option<u64> {
        let square = |piece: Piece| men.square(piece.color, piece.role);
        let mut before = TakenSquares::NONE;
        let (symmetry, number) = match self.leading {
            Leading::Three(pieces) => {
                let (symmetry, squares) = oriented(pieces.map(square));
                for square in squares {
                    before.add(square);
                }
                (symmetry, number_of_three(squares)?)
            }
            Leading::Kings(kings) => {
                let (symmetry, squares) = oriented(kings.map(square));
                for square in squares {
                    before.add(square);
                }
                let place = usize::from(TRIANGLE[usize::from(squares[0])]);
                let number = KING_PAIR[place][usize::from(squares[1])];
                if number == NO_PAIR {
                    return None;
                }
                (symmetry, number.into())
            }
            Leading::Pawns { color, count, file } => {
                let pawns = pawns.filter(|pawns| {
                    pawns.file() == file && pawns.numbers.count_ones() as usize == count
                })?;
                let mut set = men.of(color, Role::Pawn);
                if pawns.is_mirrored {
                    set = mirror(set);
                }
                before.add_set(set);
                (Symmetry::mirrored(pawns.is_mirrored), pawns.number())
            }
        };
        let places = symmetry.squares();
        let mut index = number * self.leading_factor;
        for group in &self.groups {
            let digit = if group.count == 1 {
                let square = places[usize::from(square(group.piece) & 63)];
                let passed = before.below(square) + group.excluded;
                before.add(square);
                u64::from(square).wrapping_sub(passed)
            } else {
                let set = men.of(group.piece.color, group.piece.role);
                let set = symmetry.inverse().pull(set);
                let rank = rank_among_free(set, before, group.excluded);
                before.add_set(set);
                rank
            };
            // Men on one square, or pawns on their first rank, may even have less than no place.
            if digit >= group.size {
                return None;
            }
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
            let free = !(taken | group.excluded_set());
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

/// Kinds of men in their order and how many of each. Nothing if equal men do not stand together or
/// are too many.
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
pub(in crate::syzygy) fn material_of(pieces: &[Piece]) -> Option<Material> {
    let mut counts = [[0u8; 6]; 2];
    for piece in pieces {
        counts[piece.color.index()][piece.role.index()] += 1;
    }
    Material::from_counts(counts)
}
