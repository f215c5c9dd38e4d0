//! Where verification keeps the values of a material in memory: a [`Frame`] for each pawn
//! placement, in it an address for each way to place the white king and the pieces, at each address
//! a line over the squares of the black king.
//!
//! Identical pieces have an address for each of their orders, of which only that has values in
//! which their squares increase: what leads to another one is sought there. Without pawns the white
//! king stands in the triangle a1-d1-d4; with it on the long diagonal, a position and its
//! transposed twin are both there.

use std::ops::Range;

use rayon::prelude::*;

use crate::chess::index::Placement;
use crate::chess::material::Material;
use crate::chess::placement::{PawnPlacement, PawnSlices};
use crate::chess::rules::{Role, Square, attacks};
use crate::chess::symmetry;
use crate::chess::symmetry::{
    ABOVE_DIAGONAL, DIAGONAL, Symmetry, TRIANGLE, into_triangle, is_on_diagonal, triangle_place,
};
use crate::game::Color;

/// The most men an address can have squares for.
pub(super) const MAX_ADDRESSED: usize = 8;

/// Addresses of a page that waits in a file, as a power of two. Tests have many small pages.
pub(super) const PAGE: u32 = if cfg!(test) { 6 } else { 12 };

/// Addresses whose values, and those that all their moves lead to, may be at hand at the same time.
const AT_HAND: usize = if cfg!(test) { 1 << 10 } else { 1 << 18 };

/// Addresses that are worked on together where everything is in memory: some megabytes of lines.
const STEP: usize = if cfg!(test) { 1 << 9 } else { 1 << 15 };

/// The squares of the men of an address, the white king's first.
pub(super) type Squares = [u8; MAX_ADDRESSED];

/// A man: whose and what.
pub(super) type Man = (Color, Role);

/// The frames of one material, in its own colours, which need not be those of a table.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub material: Material,
    pub pawns: PawnSlices,
    /// The white king, then the pieces in the order of the material.
    men: Vec<Man>,
    /// Whether some of them are identical.
    has_identical: bool,
}

impl Layout {
    pub fn new(material: Material) -> Layout {
        let pieces = material.men_without_kings();
        let men: Vec<Man> = std::iter::once((Color::White, Role::King))
            .chain(pieces.into_iter().filter(|man| man.1 != Role::Pawn))
            .collect();
        Layout {
            material,
            pawns: PawnSlices::new(&material),
            has_identical: men.windows(2).any(|pair| pair[0] == pair[1]),
            men,
        }
    }

    pub fn slices(&self) -> usize {
        self.pawns.len()
    }

    /// Addresses of a frame.
    pub fn addresses(&self) -> usize {
        let kings = if self.material.has_pawns() {
            64
        } else {
            TRIANGLE.len()
        };
        kings << (6 * (self.men.len() - 1))
    }

    pub fn frame(&self, slice: usize) -> Frame {
        Frame {
            pawns: self.pawns.placement(slice),
            in_triangle: !self.material.has_pawns(),
            men: self.men.clone(),
            has_identical: self.has_identical,
            addresses: self.addresses(),
        }
    }

    /// The slice and the address of a placement, identical men in order, and the symmetry that
    /// takes its board there.
    #[inline]
    pub fn locate(&self, placement: &Placement) -> (usize, usize, Symmetry) {
        let white_king = placement.of(Color::White, Role::King).trailing_zeros() as u8;
        let (slice, symmetry) = if self.material.has_pawns() {
            let (slice, mirrored) = self.pawns.locate(PawnPlacement {
                white: placement.of(Color::White, Role::Pawn),
                black: placement.of(Color::Black, Role::Pawn),
            });
            (slice, Symmetry::mirrored(mirrored))
        } else {
            (0, into_triangle(white_king))
        };
        let mut squares = [0; MAX_ADDRESSED];
        squares[0] = symmetry.map(white_king);
        let turned = symmetry.squares();
        let mut last = None;
        let mut rest = 0u64;
        for (&man, square) in self.men[1..].iter().zip(&mut squares[1..]) {
            // Identical men follow each other.
            if last != Some(man) {
                last = Some(man);
                rest = placement.of(man.0, man.1);
            }
            *square = turned[rest.trailing_zeros() as usize & 63];
            rest &= rest.wrapping_sub(1);
        }
        if self.has_identical {
            put_in_order(&self.men, &mut squares);
        }
        let address = address(!self.material.has_pawns(), &squares[..self.men.len()]);
        (slice, address, symmetry)
    }
}

/// Sorts the squares of identical men.
#[inline(always)]
fn put_in_order(men: &[Man], squares: &mut Squares) {
    for man in 2..men.len() {
        let mut at = man;
        while at > 1 && men[at - 1] == men[man] && squares[at - 1] > squares[at] {
            squares.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// The address of men on squares, the white king's first.
#[inline(always)]
fn address(in_triangle: bool, squares: &[u8]) -> usize {
    let king = king_digit(in_triangle, squares[0]);
    squares[1..]
        .iter()
        .fold(king, |address, &square| address << 6 | usize::from(square))
}

fn king_digit(in_triangle: bool, square: u8) -> usize {
    if in_triangle {
        triangle_place(square)
    } else {
        square.into()
    }
}

/// The addresses of one pawn placement.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub pawns: PawnPlacement,
    pub in_triangle: bool,
    pub men: Vec<Man>,
    has_identical: bool,
    pub addresses: usize,
}

/// Which of the positions at an address stand for themselves, and for how many on the full board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Canonical {
    /// The positions whose numbers are in the table at this address.
    pub positions: u64,
    /// Those that have half the weight of the others.
    pub half: u64,
    /// The weight.
    pub weight: u64,
}

impl Frame {
    #[inline]
    pub fn squares(&self, address: usize) -> Squares {
        let mut squares = [0; MAX_ADDRESSED];
        let mut rest = address;
        for square in squares[1..self.men.len()].iter_mut().rev() {
            *square = (rest & 63) as u8;
            rest >>= 6;
        }
        squares[0] = if self.in_triangle {
            TRIANGLE[rest]
        } else {
            rest as u8
        };
        squares
    }

    /// The address of men on squares, identical ones in order; without pawns, the white king must
    /// stand in the triangle.
    #[inline(always)]
    pub fn address(&self, mut squares: Squares) -> usize {
        if self.has_identical {
            put_in_order(&self.men, &mut squares);
        }
        address(self.in_triangle, &squares[..self.men.len()])
    }

    /// Whether there is another man like one of them.
    #[inline(always)]
    pub fn is_one_of_identical(&self, man: usize) -> bool {
        let is_like = |other: Option<&Man>| other == Some(&self.men[man]);
        self.has_identical && (is_like(self.men.get(man + 1)) || is_like(self.men[..man].last()))
    }

    /// How far apart the addresses of neighbouring squares of a man are.
    #[inline(always)]
    pub fn stride(&self, man: usize) -> usize {
        1 << (6 * (self.men.len() - 1 - man))
    }

    /// The addresses in the parts that one window serves: those with the same square of the white
    /// king, which only he leaves; all of them if they are few or none is in a file.
    pub fn bands(&self, is_away: bool) -> Vec<Range<usize>> {
        let length = match is_away && self.addresses > AT_HAND {
            true => self.stride(0),
            false => self.addresses,
        };
        let starts = (0..self.addresses).step_by(length);
        starts
            .map(|start| start..(start + length).min(self.addresses))
            .collect()
    }

    /// The first address that a step of the white king leads to from a band. From b2 that is where
    /// he stands on a1, nine bands before; in the triangle it may be any.
    pub fn first_around(&self, band: &Range<usize>) -> usize {
        match self.in_triangle {
            true => 0,
            false => band.start.saturating_sub(9 * band.len()),
        }
    }

    /// The addresses of a band in the parts that are worked on together. In memory they are small
    /// enough for the system not to be asked for new memory, which it clears, each time.
    pub fn steps(&self, band: &Range<usize>, is_away: bool) -> Vec<Range<usize>> {
        let length = if is_away { AT_HAND } else { STEP };
        let starts = band.clone().step_by(length);
        starts
            .map(|start| start..(start + length).min(band.end))
            .collect()
    }

    /// The men on these squares, without a black king.
    #[inline]
    pub fn placement(&self, squares: &Squares) -> Placement {
        let mut men = [[0; 6]; 2];
        for (&(color, role), &square) in self.men.iter().zip(squares) {
            men[color.index()][role.index()] |= 1 << square;
        }
        men[0][Role::Pawn.index()] = self.pawns.white;
        men[1][Role::Pawn.index()] = self.pawns.black;
        Placement { men }
    }

    /// Whether identical men stand on squares in increasing order; the other orders are the same
    /// positions again.
    #[inline]
    pub fn is_in_order(&self, squares: &Squares) -> bool {
        !self.has_identical
            || (1..self.men.len() - 1)
                .all(|man| self.men[man] != self.men[man + 1] || squares[man] < squares[man + 1])
    }

    /// The squares of a man with which identical men stand on squares in increasing order, the
    /// others being where they are.
    pub fn squares_in_order(&self, squares: &Squares, man: usize) -> u64 {
        let mut all = *squares;
        if !self.is_one_of_identical(man) {
            return if self.is_in_order(squares) {
                u64::MAX
            } else {
                0
            };
        }
        let is_in_order = |square: &u8| {
            all[man] = *square;
            self.is_in_order(&all)
        };
        (0..64u8)
            .filter(is_in_order)
            .fold(0, |set, square| set | 1 << square)
    }

    /// What stands for itself at an address, or nothing if the whole of it is found at another.
    pub fn canonical(&self, address: usize, squares: &Squares) -> Option<Canonical> {
        if !self.is_in_order(squares) {
            return None;
        }
        if !self.in_triangle {
            let is_own_mirror_image = self.pawns == self.pawns.mirrored();
            return Some(Canonical {
                positions: u64::MAX,
                half: 0,
                weight: if is_own_mirror_image { 1 } else { 2 },
            });
        }
        let mut canonical = Canonical {
            positions: u64::MAX,
            half: 0,
            weight: 8,
        };
        if is_on_diagonal(squares[0]) {
            let transposed = squares.map(|square| Symmetry::TRANSPOSE.map(square));
            match self.address(transposed).cmp(&address) {
                std::cmp::Ordering::Less => return None,
                std::cmp::Ordering::Equal => {
                    canonical.positions = !ABOVE_DIAGONAL;
                    canonical.half = DIAGONAL;
                }
                std::cmp::Ordering::Greater => {}
            }
        }
        Some(canonical)
    }

    /// The squares of the black king that make legal positions, and of those the ones where a king
    /// is in check. The placement is that of men on these squares.
    pub fn legality(&self, squares: &Squares, placement: &Placement) -> Legality {
        let occupied = placement.occupied();
        let men = self.men.len() + self.pawns.all().count_ones() as usize;
        if occupied.count_ones() as usize != men {
            return Legality::default();
        }
        let king = Square::wrapping(squares[0].into());
        // Squares that White's men attack, and those with which no black man attacks the white
        // king.
        let (mut black_in_check, mut white_safe) = (0, u64::MAX);
        let mut add = |color: Color, role: Role, square: Square| {
            let attacked = attacks::attacks(color, role, square, occupied);
            match color {
                Color::White => black_in_check |= attacked,
                Color::Black if attacked & king.bit() != 0 => {
                    white_safe &= attacks::between(square, king);
                }
                Color::Black => {}
            }
        };
        for (&(color, role), &square) in self.men.iter().zip(squares) {
            add(color, role, Square::wrapping(square.into()));
        }
        for color in Color::ALL {
            for square in squares_of(self.pawns.of(color)) {
                add(color, Role::Pawn, square);
            }
        }
        let apart = !occupied & !attacks::king(king);
        Legality {
            legal: [apart & !black_in_check, apart & white_safe],
            in_check: [!white_safe, black_in_check],
        }
    }

    /// [`legality`](Self::legality) for each address with identical men in order.
    pub fn all_legality(&self) -> Vec<Legality> {
        let of_address = |address: usize| {
            let squares = self.squares(address);
            match self.is_in_order(&squares) {
                true => self.legality(&squares, &self.placement(&squares)),
                false => Legality::default(),
            }
        };
        (0..self.addresses)
            .into_par_iter()
            .map(of_address)
            .collect()
    }
}

/// Sets of squares of the black king, for each side to move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Legality {
    /// The side that has just moved is not in check.
    pub legal: [u64; 2],
    /// The side to move is in check, where the position is legal.
    pub in_check: [u64; 2],
}

/// The squares of a set.
#[inline(always)]
pub(super) fn squares_of(set: u64) -> impl Iterator<Item = Square> {
    crate::chess::rules::squares(set)
}

/// The symmetry that exchanges the colours' sides of the board before another one.
pub(super) fn flipped_first(symmetry: Symmetry) -> Symmetry {
    Symmetry::from_index(symmetry.index() ^ Symmetry::FLIP.index())
}

/// Whether a placement of a table comes before its transposed twin: the first group that is not its
/// own image decides.
pub(super) fn transposed_is_smaller(sets: impl Iterator<Item = u64>) -> bool {
    let mut sets = sets.map(|set| (symmetry::transpose(set), set));
    sets.find(|(transposed, set)| transposed != set)
        .is_some_and(|(transposed, set)| transposed < set)
}
