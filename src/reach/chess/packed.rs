//! A position in as few bytes as its men need.

use arrayvec::ArrayVec;

use super::level::Level;

use super::symmetry::{has_images, images, normal_form};
use crate::chess::rules::zobrist;
use crate::chess::rules::{
    CastlingRights, CastlingSide, Move, Piece, Position, Role, Setup, Square, attacks, squares,
};
use crate::game::Color;
use crate::reach::positions::{Compact, Words};

/// Bits of a man.
const MAN: u32 = 4;
const MAN_MASK: u128 = 15;
/// The number of the first man that stands for a rook that may castle; White's, then Black's.
const CASTLING_ROOK: u8 = 12;
/// Set if Black is to move.
const BLACK_TO_MOVE: u8 = 1;
/// Where the file of an en-passant capture begins in the flags: 0 for none, else one more than the file.
const EN_PASSANT: u32 = 1;

/// Bytes of the occupied squares and the flags.
const HEAD: usize = 9;

/// A position without its clock and move number: equal exactly if the rules call the positions the same.
///
/// The men are four bits each, in the order of their squares; a rook that may still castle is a man of its own. An
/// en-passant capture counts only if it is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Packed {
    occupied: u64,
    men: [u64; 2],
    flags: u8,
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

    /// The occupied squares.
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.occupied
    }

    fn en_passant_square(&self) -> Option<Square> {
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

    /// The normal form of what a legal move makes of it, with the key; `position` is the position it stands for.
    #[inline]
    pub fn after(&self, position: &Position, m: Move) -> (Packed, u64) {
        let us = position.turn();
        let (from, to) = (m.from(), m.to());
        let is_double_step = m.role() == Role::Pawn && from.index().abs_diff(to.index()) == 16;
        let passed = from.ahead(us);
        let may_be_captured =
            is_double_step && attacks::pawn(us, passed) & position.pieces(!us, Role::Pawn) != 0;
        if may_be_captured || !position.castling_rights().is_empty() {
            let next = canonical(&position.play(m));
            let packed = Packed::new(&next);
            return match has_images(&next) {
                true => packed.normal_form_of(next.key(), next.king(Color::White)),
                false => (packed, next.key()),
            };
        }
        let mut next = *self;
        let mut key = position.key() ^ zobrist::TURN;
        if let Some(square) = position.en_passant_square() {
            key ^= zobrist::en_passant(square);
        }
        next.flags = (self.flags & BLACK_TO_MOVE) ^ BLACK_TO_MOVE;
        let mut pawns = position.by_role(Role::Pawn);
        if m.promotion().is_some() {
            pawns ^= from.bit();
        }
        if let Some(captured) = m.capture() {
            let square = if m.is_en_passant() { to.ahead(!us) } else { to };
            pawns &= !square.bit();
            next.take(square);
            key ^= zobrist::piece(captured.of(!us), square);
        }
        next.take(from);
        let arriving = m.promotion().unwrap_or(m.role()).of(us);
        next.put(to, number(arriving));
        key ^= zobrist::piece(m.role().of(us), from) ^ zobrist::piece(arriving, to);
        if pawns != 0 {
            return (next, key);
        }
        let king = match (m.role(), us) {
            (Role::King, Color::White) => to,
            _ => position.king(Color::White),
        };
        next.normal_form_of(key, king)
    }

    /// Without the man of a square, the other side to move, and without right to capture en passant.
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
    fn take(&mut self, square: Square) -> u8 {
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
    fn put(&mut self, square: Square, number: u8) {
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
    fn set_men(&mut self, men: u128) {
        self.men = [men as u64, (men >> 64) as u64];
    }
}

impl Compact for Packed {
    type Position = Position;
    type Level = Level;

    fn bytes(men: usize) -> usize {
        HEAD + men.div_ceil(2)
    }

    fn new(position: &Position) -> Packed {
        let mut packed = Packed::default();
        let mut men = 0;
        let mut shift = 0;
        let rooks = castling_rooks(position.castling_rights());
        for square in squares(position.occupied()) {
            if let Some(man) = position.piece_at(square) {
                let number = match rooks & square.bit() {
                    0 => number(man),
                    _ => CASTLING_ROOK + man.color.index() as u8,
                };
                men |= u128::from(number) << shift;
                shift += MAN;
            }
        }
        packed.occupied = position.occupied();
        packed.set_men(men);
        packed.flags = position.turn().index() as u8;
        if let Some(square) = position.legal_en_passant_square() {
            packed.flags |= (square.file() + 1) << EN_PASSANT;
        }
        packed
    }

    fn unpack(&self) -> Position {
        let mut men: ArrayVec<(Piece, Square), 32> = ArrayVec::new();
        let mut castling = CastlingRights::NONE;
        for (number, square) in self.numbered_men() {
            if number >= CASTLING_ROOK {
                castling = castling.with(castling_right(square));
            }
            men.push((man(number), square));
        }
        let turn = self.turn();
        Position::from_men(men.into_iter(), turn, castling, self.en_passant_square())
    }

    fn position(&self) -> Option<Position> {
        let mut setup = Setup::empty();
        let mut castling = CastlingRights::NONE;
        for (number, square) in self.numbered_men() {
            if number >= CASTLING_ROOK {
                castling = castling.with(castling_right(square));
            }
            setup.put(man(number), square);
        }
        setup.turn = self.turn();
        setup.castling = castling;
        setup.en_passant = self.en_passant_square();
        let position = Position::from_setup(&setup).ok()?;
        // What is written in another form is never looked up.
        (Packed::new(&position) == *self).then_some(position)
    }

    fn normal_form(self) -> Packed {
        normal_form(self)
    }

    fn images(&self) -> u64 {
        images(self)
    }

    fn turn(&self) -> Color {
        Color::ALL[usize::from(self.flags & BLACK_TO_MOVE)]
    }

    fn men(&self) -> u32 {
        self.occupied.count_ones()
    }

    #[inline]
    fn words(&self) -> Words {
        let [low, high] = self.men;
        [
            self.occupied,
            u64::from(self.flags) | low << 8,
            low >> 56 | high << 8,
            high >> 56,
        ]
    }

    #[inline]
    fn from_words([occupied, low, middle, high]: Words) -> Packed {
        Packed {
            occupied,
            men: [low >> 8 | middle << 56, middle >> 8 | high << 56],
            flags: low as u8,
        }
    }

    fn key(&self) -> u64 {
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

    fn level(&self) -> Level {
        Level::of(self)
    }
}

/// The position as the rules compare it: an en-passant square only if a capture there is legal.
pub fn canonical(position: &Position) -> Position {
    match position.en_passant_square() {
        Some(_) if position.legal_en_passant_square().is_none() => position.without_en_passant(),
        _ => *position,
    }
}

#[inline]
fn number(man: Piece) -> u8 {
    (man.color.index() * 6 + man.role.index()) as u8
}

#[inline]
fn man(number: u8) -> Piece {
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

/// Where the rooks stand that may castle.
fn castling_rooks(rights: CastlingRights) -> u64 {
    let mut rooks = 0;
    if rights.is_empty() {
        return rooks;
    }
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if rights.has(color, side) {
                let file = if side == CastlingSide::King { 7 } else { 0 };
                rooks |= 1 << (56 * color.index() + file);
            }
        }
    }
    rooks
}

/// The right of the rook on a corner.
fn castling_right(corner: Square) -> CastlingRights {
    let color = Color::ALL[usize::from(corner.rank() / 4)];
    let side = match corner.file() {
        7 => CastlingSide::King,
        _ => CastlingSide::Queen,
    };
    CastlingRights::of(color, side)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays moves chosen by a fixed rule and checks every position and each of its successors.
    fn check_game(fen: &str, plies: usize) {
        let mut position = canonical(&Position::from_fen(fen).unwrap());
        for ply in 0..plies {
            let packed = Packed::new(&position);
            let unpacked = packed.unpack();
            assert_eq!(packed.key(), position.key(), "{position:?}");
            assert_eq!(unpacked.key(), position.key());
            assert_eq!(Packed::new(&unpacked), packed);
            let used = Packed::bytes(position.occupied().count_ones() as usize);
            assert_eq!(Packed::from_words(packed.words()), packed);
            assert!(packed.to_key()[used..].iter().all(|&byte| byte == 0));
            assert_eq!(Packed::from_key(&packed.to_key()[..used]), packed);
            assert_eq!(packed.position(), Some(unpacked));
            let moves = position.legal_moves();
            for m in &moves {
                let next = canonical(&position.play(m));
                let (after, key) = packed.after(&unpacked, m);
                assert_eq!(after, Packed::new(&next).normal_form(), "{position:?} {m}");
                assert_eq!(key, after.key(), "{position:?} {m}");
                let is_reversible = !m.is_zeroing()
                    && next.castling_rights() == position.castling_rights()
                    && !packed.has_en_passant();
                if is_reversible {
                    let man = m.role().of(position.turn());
                    let before = Packed::new(&next).without(m.to()).with(man, m.from());
                    assert_eq!(before, packed);
                }
            }
            let Some(&m) = moves.get((ply * 7 + 3) % moves.len().max(1)) else {
                break;
            };
            position = canonical(&position.play(m));
        }
    }

    #[test]
    fn packing_loses_nothing_and_moves_change_what_they_should() {
        check_game(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            120,
        );
        check_game(
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            80,
        );
        check_game("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 80);
        // The en-passant capture is not legal: the pawn is pinned along the rank.
        check_game("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", 1);
    }
}
