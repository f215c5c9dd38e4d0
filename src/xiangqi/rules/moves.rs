//! One move, and lists of them.

use std::fmt;
use std::ops::Deref;

use arrayvec::ArrayVec;

use super::{Role, Square};

/// A move with what it captures and whether it gives check, in 32 bits.
///
/// Moves come from a position, by [`legal_moves`](super::Position::legal_moves) or one of the
/// parsers, and mean something in that position only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u32);

const SQUARE: u32 = 127;
const TO: u32 = 7;
const ROLE: u32 = 14;
const CAPTURE: u32 = 17;
const NOBODY: u32 = 7;
const CHECK: u32 = 1 << 20;

impl Move {
    #[inline]
    pub(super) const fn new(
        role: Role,
        from: Square,
        to: Square,
        captured: Option<Role>,
        gives_check: bool,
    ) -> Move {
        let captured = match captured {
            Some(role) => role as u32,
            None => NOBODY,
        };
        let check = if gives_check { CHECK } else { 0 };
        Move(
            from.index() as u32
                | (to.index() as u32) << TO
                | (role as u32) << ROLE
                | captured << CAPTURE
                | check,
        )
    }

    /// Where the man comes from.
    #[inline]
    pub const fn from(self) -> Square {
        Square::trusted(self.0 & SQUARE)
    }

    /// Where the man goes.
    #[inline]
    pub const fn to(self) -> Square {
        Square::trusted(self.0 >> TO & SQUARE)
    }

    /// What moves.
    #[inline]
    pub const fn role(self) -> Role {
        match Role::from_index((self.0 >> ROLE & 7) as usize) {
            Some(role) => role,
            None => Role::King,
        }
    }

    /// What is captured.
    #[inline]
    pub const fn capture(self) -> Option<Role> {
        Role::from_index((self.0 >> CAPTURE & 7) as usize)
    }

    /// Whether a man is captured.
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.0 >> CAPTURE & 7 != NOBODY
    }

    /// Whether the other side is in check afterwards.
    #[inline]
    pub const fn gives_check(self) -> bool {
        self.0 & CHECK != 0
    }

    /// The move as UCCI writes it, and ICCS in capitals: `h2e2`. Ranks run from 0 to 9.
    pub fn to_iccs(self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{self}", self.role().letter())?;
        f.write_str(if self.gives_check() { "+" } else { "" })
    }
}

/// No position has more: two rooks and two cannons with 17 moves each, two knights with 8, five
/// pawns with 3, king and guards with at most 17 are 116.
const CAPACITY: usize = 116;

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
