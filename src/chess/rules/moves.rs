//! One move, and lists of them.

use std::fmt;
use std::ops::Deref;

use arrayvec::ArrayVec;

use super::castling::CastlingMove;
use super::{CastlingSide, Role, Square};
use crate::game::Color;

/// A move with everything that is needed to play it and take it back, in 32 bits.
///
/// Moves come from a position, by [`legal_moves`](super::Board::legal_moves) or one of the parsers,
/// and mean something in that position only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u32);

const ROLE: u32 = 12;
const CAPTURE: u32 = 15;
const PROMOTION: u32 = 18;
const NOBODY: u32 = 7;
const EN_PASSANT: u32 = 1 << 21;
const CASTLING: u32 = 1 << 22;

impl Move {
    #[inline]
    pub(super) const fn new(
        role: Role,
        from: Square,
        to: Square,
        captured: Option<Role>,
        promotion: Option<Role>,
    ) -> Move {
        const fn field(role: Option<Role>) -> u32 {
            match role {
                Some(role) => role as u32,
                None => NOBODY,
            }
        }
        Move(
            from.index() as u32
                | (to.index() as u32) << 6
                | (role as u32) << ROLE
                | field(captured) << CAPTURE
                | field(promotion) << PROMOTION,
        )
    }

    #[inline]
    pub(super) const fn new_en_passant(from: Square, to: Square) -> Move {
        Move(Move::new(Role::Pawn, from, to, Some(Role::Pawn), None).0 | EN_PASSANT)
    }

    #[inline]
    pub(super) const fn new_castling(color: Color, side: CastlingSide) -> Move {
        let squares = CastlingMove::new(color, side);
        Move(Move::new(Role::King, squares.king_from, squares.king_to, None, None).0 | CASTLING)
    }

    /// Where the man comes from; the king's square when castling.
    #[inline]
    pub const fn from(self) -> Square {
        Square::wrapping(self.0)
    }

    /// Where the man goes; the king's new square when castling.
    #[inline]
    pub const fn to(self) -> Square {
        Square::wrapping(self.0 >> 6)
    }

    /// What moves: a pawn when promoting, the king when castling.
    #[inline]
    pub const fn role(self) -> Role {
        match Role::from_index((self.0 >> ROLE & 7) as usize) {
            Some(role) => role,
            None => Role::King,
        }
    }

    /// What is captured, a pawn when en passant.
    #[inline]
    pub const fn capture(self) -> Option<Role> {
        Role::from_index((self.0 >> CAPTURE & 7) as usize)
    }

    /// What a pawn becomes.
    #[inline]
    pub const fn promotion(self) -> Option<Role> {
        Role::from_index((self.0 >> PROMOTION & 7) as usize)
    }

    /// Whether a man is captured.
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.0 >> CAPTURE & 7 != NOBODY
    }

    /// Whether a pawn captures en passant.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0 & EN_PASSANT != 0
    }

    /// Whether king and rook castle.
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.0 & CASTLING != 0
    }

    /// Which way king and rook castle, if they do.
    #[inline]
    pub const fn castling_side(self) -> Option<CastlingSide> {
        if !self.is_castling() {
            None
        } else if self.to().file() == 6 {
            Some(CastlingSide::King)
        } else {
            Some(CastlingSide::Queen)
        }
    }

    /// Whether the move sets the fifty-move counter to zero: a capture or a pawn move.
    #[inline]
    pub const fn is_zeroing(self) -> bool {
        self.is_capture() || self.0 >> ROLE & 7 == Role::Pawn as u32
    }

    /// Whether the move changes which men are on the board: a capture or a promotion.
    #[inline]
    pub const fn changes_material(self) -> bool {
        self.is_capture() || self.0 >> PROMOTION & 7 != NOBODY
    }

    /// The move as UCI writes it: `e2e4`, `e1g1` for castling, `a7a8q`.
    pub fn to_uci(self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(role) => write!(f, "{}", role.letter().to_ascii_lowercase()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{self}", self.role().letter())
    }
}

/// More than any position with possible material has; the known maximum is 218.
const CAPACITY: usize = 256;

/// The moves of one position, held in place: making a list allocates nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct MoveList(ArrayVec<Move, CAPACITY>);

impl MoveList {
    /// A list without moves.
    #[inline]
    pub const fn new() -> MoveList {
        MoveList(ArrayVec::new_const())
    }

    #[inline]
    pub(super) fn push(&mut self, m: Move) {
        let pushed = self.0.try_push(m);
        debug_assert!(pushed.is_ok());
    }

    /// The moves as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[Move] {
        &self.0
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Move>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter().copied()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = arrayvec::IntoIter<Move, CAPACITY>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}
