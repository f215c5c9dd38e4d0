//! The right to castle.

use std::fmt;

use super::{Bitboard, Square};
use crate::game::Color;

/// The two ways to castle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CastlingSide {
    /// To the g-file, `O-O`.
    King,
    /// To the c-file, `O-O-O`.
    Queen,
}

impl CastlingSide {
    /// Both ways.
    pub const ALL: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];
}

/// Which castling rights are left, as a set of four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No right left.
    pub const NONE: CastlingRights = CastlingRights(0);
    /// All four.
    pub const ALL: CastlingRights = CastlingRights(15);

    /// The set of one right.
    #[inline]
    pub const fn of(color: Color, side: CastlingSide) -> CastlingRights {
        CastlingRights(1 << (2 * color.index() + side as usize))
    }

    /// Whether that right is left.
    #[inline]
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 & Self::of(color, side).0 != 0
    }

    /// The set with the rights of `other` added.
    #[inline]
    #[must_use]
    pub const fn with(self, other: CastlingRights) -> CastlingRights {
        CastlingRights(self.0 | other.0)
    }

    /// The set without the rights of `other`.
    #[inline]
    #[must_use]
    pub const fn without(self, other: CastlingRights) -> CastlingRights {
        CastlingRights(self.0 & !other.0)
    }

    /// Whether no right is left.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// 0 to 15: bits for white's king side and queen side, then black's.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// What is left after a man has left or entered `square`.
    #[inline]
    #[must_use]
    pub(super) fn after_touching(self, square: Square) -> CastlingRights {
        CastlingRights(self.0 & KEPT[square.index()])
    }
}

/// For each square, the rights that survive a move from or to it.
static KEPT: [u8; 64] = {
    let mut kept = [15; 64];
    kept[A1] = !CastlingRights::of(Color::White, CastlingSide::Queen).0;
    kept[E1] = !3;
    kept[H1] = !CastlingRights::of(Color::White, CastlingSide::King).0;
    kept[A1 + 56] = !CastlingRights::of(Color::Black, CastlingSide::Queen).0;
    kept[E1 + 56] = !12;
    kept[H1 + 56] = !CastlingRights::of(Color::Black, CastlingSide::King).0;
    kept
};

const A1: usize = 0;
const E1: usize = 4;
const H1: usize = 7;

/// Where king and rook stand and go.
#[derive(Clone, Copy)]
pub(super) struct CastlingMove {
    pub(super) king_from: Square,
    pub(super) king_to: Square,
    pub(super) rook_from: Square,
    pub(super) rook_to: Square,
    /// Squares that must be empty.
    pub(super) path: Bitboard,
}

impl CastlingMove {
    #[inline]
    pub(super) const fn new(color: Color, side: CastlingSide) -> CastlingMove {
        let back = 56 * color.index() as u32;
        let (king_to, rook_from, rook_to, path) = match side {
            CastlingSide::King => (6, 7, 5, 0b0110_0000),
            CastlingSide::Queen => (2, 0, 3, 0b0000_1110),
        };
        CastlingMove {
            king_from: Square::wrapping(back + E1 as u32),
            king_to: Square::wrapping(back + king_to),
            rook_from: Square::wrapping(back + rook_from),
            rook_to: Square::wrapping(back + rook_to),
            path: path << back,
        }
    }
}

impl fmt::Display for CastlingRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        for (i, letter) in ["K", "Q", "k", "q"].into_iter().enumerate() {
            if self.0 >> i & 1 == 1 {
                f.write_str(letter)?;
            }
        }
        Ok(())
    }
}
