//! Keys of positions.
//!
//! A position's key is the exclusive or of one random number for each man on its square, for the
//! castling rights, for the file of an en-passant capture and for the side to move. Changing one of
//! them is one exclusive or, so a position keeps its key up to date move by move;
//! [`Position::key_from_scratch`](super::Position::key_from_scratch) computes it anew. The numbers
//! and the rules are those of the Polyglot opening book format, so that other programs can check
//! the keys.
//!
//! Two positions can share a 64-bit key. Where a wrong answer would follow, the positions are
//! compared: see [`repetition`](crate::game::repetition).

use std::fmt;

use super::polyglot_randoms::RANDOMS;
use super::{CastlingRights, Piece, Role, Square};
use crate::game::Color;

/// What changes when the side to move does: present for white, absent for black.
pub const TURN: u64 = RANDOMS[780];

/// Piece numbers by color, role and square. Polyglot orders roles from pawn to king, black before
/// white.
static PIECES: [[[u64; 64]; 6]; 2] = {
    let mut pieces = [[[0; 64]; 6]; 2];
    let mut i = 0;
    while i < 768 {
        let (kind, square) = (i / 64, i % 64);
        pieces[1 - kind % 2][kind / 2][square] = RANDOMS[i];
        i += 1;
    }
    pieces
};

/// Castling numbers by the set of rights.
static CASTLING: [u64; 16] = {
    let mut castling = [0; 16];
    let mut rights = 0;
    while rights < 16 {
        let mut right = 0;
        while right < 4 {
            if rights >> right & 1 == 1 {
                castling[rights] ^= RANDOMS[768 + right];
            }
            right += 1;
        }
        rights += 1;
    }
    castling
};

static EN_PASSANT: [u64; 8] = {
    let mut files = [0; 8];
    let mut file = 0;
    while file < 8 {
        files[file] = RANDOMS[772 + file];
        file += 1;
    }
    files
};

/// The number of a man on a square.
#[inline]
pub fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[piece.color.index()][piece.role.index()][square.index()]
}

/// The number of a set of castling rights.
#[inline]
pub fn castling(rights: CastlingRights) -> u64 {
    CASTLING[rights.index()]
}

/// The number of an en-passant capture on the file of `square`.
#[inline]
pub fn en_passant(square: Square) -> u64 {
    EN_PASSANT[usize::from(square.file())]
}

/// How many men of each role each side has, as one number.
///
/// Four bits for each count, so two positions have the same key exactly when they have the same
/// material, and a key can be read back. [`Board::material_key`](super::Board::material_key) is
/// kept up to date.
///
/// # Examples
///
/// ```
/// use retrograde::game::Color;
/// use retrograde::chess::{Position, Role};
///
/// let position = Position::from_fen("8/8/8/4k3/8/8/4P3/R3K3 w - - 0 1")?;
/// let key = position.material_key();
/// assert_eq!(key.to_string(), "KRPvK");
/// assert_eq!(key.swapped().to_string(), "KvKRP");
/// assert_eq!(key.count(Role::Rook.of(Color::White)), 1);
/// # Ok::<(), retrograde::chess::rules::FenError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaterialKey(u64);

impl MaterialKey {
    /// The key of no men at all.
    pub const EMPTY: MaterialKey = MaterialKey(0);

    const SIDE: u32 = 24;

    #[inline]
    const fn shift(piece: Piece) -> u32 {
        piece.color.index() as u32 * Self::SIDE + 4 * piece.role.index() as u32
    }

    /// The key of a list of men, each at most 15 times.
    pub fn of(men: impl IntoIterator<Item = Piece>) -> MaterialKey {
        men.into_iter().fold(Self::EMPTY, |key, man| key.with(man))
    }

    /// The same material with one man more.
    #[inline]
    #[must_use]
    pub const fn with(self, man: Piece) -> MaterialKey {
        MaterialKey(self.0.wrapping_add(1 << Self::shift(man)))
    }

    /// The same material with one man less. There has to be one.
    #[inline]
    #[must_use]
    pub const fn without(self, man: Piece) -> MaterialKey {
        MaterialKey(self.0.wrapping_sub(1 << Self::shift(man)))
    }

    /// The same material with the colors exchanged.
    #[inline]
    #[must_use]
    pub const fn swapped(self) -> MaterialKey {
        let white = self.0 & ((1 << Self::SIDE) - 1);
        MaterialKey(self.0 >> Self::SIDE | white << Self::SIDE)
    }

    /// How many such men there are.
    #[inline]
    pub const fn count(self, man: Piece) -> u32 {
        (self.0 >> Self::shift(man)) as u32 & 15
    }

    /// How many men there are, kings included.
    pub fn men(self) -> u32 {
        (0..12).map(|i| (self.0 >> (4 * i)) as u32 & 15).sum()
    }

    /// The number itself: 4 bits for each role from pawn to king, white in the low 24 bits.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }
}

impl fmt::Display for MaterialKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in Color::ALL {
            if color == Color::Black {
                f.write_str("v")?;
            }
            for role in Role::ALL.into_iter().rev() {
                for _ in 0..self.count(role.of(color)) {
                    write!(f, "{}", role.letter())?;
                }
            }
        }
        Ok(())
    }
}
