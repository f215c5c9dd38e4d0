//! A position in as few bytes as its men need.

use crate::chess::rules::zobrist;
use crate::chess::rules::{CastlingRights, CastlingSide, Piece, Role, Square, squares};
use crate::game::Color;

/// Bits of a man.
pub(super) const MAN: u32 = 4;
const MAN_MASK: u128 = 15;
/// The number of the first man that stands for a rook that may castle; White's, then Black's.
pub(super) const CASTLING_ROOK: u8 = 12;
/// Set if Black is to move.
pub(super) const BLACK_TO_MOVE: u8 = 1;
/// Where the file of an en-passant capture begins in the flags: 0 for none, else one more than the
/// file.
pub(super) const EN_PASSANT: u32 = 1;

/// A position without its clock and move number: equal exactly if the rules call the positions the
/// same.
///
/// The men are four bits each, in the order of their squares; a rook that may still castle is a man
/// of its own. An en-passant capture counts only if it is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Packed {
    pub(super) occupied: u64,
    pub(super) men: [u64; 2],
    pub(super) flags: u8,
}

impl Packed {
    /// Men by their numbers, a1 first, without anything else.
    pub(super) fn of_numbered_men(men: &[(Square, u8)], turn: Color) -> Packed {
        let mut packed = Packed {
            flags: turn.index() as u8,
            ..Packed::default()
        };
        let mut bits = 0;
        for (&(square, number), shift) in men.iter().zip((0..).step_by(MAN as usize)) {
            packed.occupied |= square.bit();
            bits |= u128::from(number) << shift;
        }
        packed.set_men(bits);
        packed
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        Color::ALL[usize::from(self.flags & BLACK_TO_MOVE)]
    }

    /// Its Zobrist key.
    pub fn key(&self) -> u64 {
        let mut castling = CastlingRights::NONE;
        let mut key = 0;
        for (number, square) in self.numbered_men() {
            if number >= CASTLING_ROOK {
                castling = castling.with(castling_right(square));
            }
            key ^= zobrist::piece(man(number), square);
        }
        key ^= zobrist::castling(castling);
        if let Some(square) = self.en_passant_square() {
            key ^= zobrist::en_passant(square);
        }
        if self.turn() == Color::White {
            key ^= zobrist::TURN;
        }
        key
    }

    /// The occupied squares.
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.occupied
    }

    pub(super) fn en_passant_square(&self) -> Option<Square> {
        let file = (self.flags >> EN_PASSANT).checked_sub(1)?;
        let rank = match self.turn() {
            Color::White => 5,
            Color::Black => 2,
        };
        Square::from_coords(file, rank)
    }

    /// Whether a pawn can be captured en passant.
    #[inline]
    pub fn has_en_passant(&self) -> bool {
        self.flags >> EN_PASSANT != 0
    }

    /// The men with their squares, a1 first; rooks that may castle as rooks.
    #[inline]
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> {
        self.numbered_men()
            .map(|(number, square)| (man(number), square))
    }

    /// The men but for rooks that may castle: those have not moved.
    #[inline]
    pub fn movable_men(&self) -> impl Iterator<Item = (Piece, Square)> {
        self.numbered_men()
            .filter(|&(number, _)| number < CASTLING_ROOK)
            .map(|(number, square)| (man(number), square))
    }

    #[inline]
    pub(super) fn numbered_men(&self) -> impl Iterator<Item = (u8, Square)> + use<> {
        let mut men = self.men_bits();
        squares(self.occupied).map(move |square| {
            let number = (men & MAN_MASK) as u8;
            men >>= MAN;
            (number, square)
        })
    }

    /// Rooks that may castle.
    pub fn castling_rooks(&self) -> u32 {
        let men = self.numbered_men();
        men.filter(|&(number, _)| number >= CASTLING_ROOK).count() as u32
    }

    /// Without the man of a square, the other side to move, and without right to capture en
    /// passant.
    #[inline]
    pub fn without(&self, square: Square) -> Packed {
        let mut without = *self;
        without.flags = (self.flags & BLACK_TO_MOVE) ^ BLACK_TO_MOVE;
        without.take(square);
        without
    }

    /// With a man, not a rook that may castle, on an empty square.
    #[inline]
    pub fn with(&self, man: Piece, square: Square) -> Packed {
        let mut with = *self;
        with.put(square, number(man));
        with
    }

    /// Takes the man of a square away.
    #[inline]
    pub(super) fn take(&mut self, square: Square) -> u8 {
        let bit = square.bit();
        let shift = MAN * (self.occupied & (bit - 1)).count_ones();
        let men = self.men_bits();
        let high = men >> shift;
        self.set_men(men ^ ((high ^ (high >> MAN)) << shift));
        self.occupied ^= bit;
        (high & MAN_MASK) as u8
    }

    /// Puts a man on an empty square.
    #[inline]
    pub(super) fn put(&mut self, square: Square, number: u8) {
        let bit = square.bit();
        let shift = MAN * (self.occupied & (bit - 1)).count_ones();
        let men = self.men_bits();
        let high = men >> shift;
        let with_man = high << MAN | u128::from(number);
        self.set_men(men ^ ((high ^ with_man) << shift));
        self.occupied ^= bit;
    }

    #[inline]
    fn men_bits(&self) -> u128 {
        u128::from(self.men[0]) | u128::from(self.men[1]) << 64
    }

    #[inline]
    pub(super) fn set_men(&mut self, men: u128) {
        self.men = [men as u64, (men >> 64) as u64];
    }
}

#[inline]
pub(super) fn number(man: Piece) -> u8 {
    (man.color.index() * 6 + man.role.index()) as u8
}

#[inline]
pub(super) fn man(number: u8) -> Piece {
    const MEN: [Piece; 16] = {
        let mut men = [Role::Rook.of(Color::White); 16];
        let mut i = 0;
        while i < 12 {
            if let Some(role) = Role::from_index(i % 6) {
                men[i] = Piece {
                    color: Color::ALL[i / 6],
                    role,
                };
            }
            i += 1;
        }
        men[CASTLING_ROOK as usize + 1] = Role::Rook.of(Color::Black);
        men
    };
    MEN[usize::from(number & 15)]
}

/// The right of the rook on a corner.
pub(super) fn castling_right(corner: Square) -> CastlingRights {
    let color = Color::ALL[usize::from(corner.rank() / 4)];
    let side = match corner.file() {
        7 => CastlingSide::King,
        _ => CastlingSide::Queen,
    };
    CastlingRights::of(color, side)
}
