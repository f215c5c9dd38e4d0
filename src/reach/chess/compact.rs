//! Positions and moves as they are kept: packed, in the normal form.

use arrayvec::ArrayVec;

use super::level::Level;
use super::packed::{
    BLACK_TO_MOVE, CASTLING_ROOK, EN_PASSANT, MAN, Packed, castling_right, man, number,
};
use super::symmetry::{has_images, images, normal_form};
use crate::chess::rules::zobrist;
use crate::chess::rules::{
    CastlingRights, CastlingSide, Move, Piece, Position, Role, Setup, Square, attacks, squares,
};
use crate::game::Color;
use crate::reach::positions::{Compact, Words};

/// Bytes of the occupied squares and the flags.
const HEAD: usize = 9;

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
        self.turn()
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
        self.key()
    }

    fn level(&self) -> Level {
        Level::of(self.pieces(), self.castling_rooks(), self.has_en_passant())
    }
}

impl Packed {
    /// The normal form of what a legal move makes of it, with the key; `position` is the position
    /// it stands for.
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
}

/// The position as the rules compare it: an en-passant square only if a capture there is legal.
pub fn canonical(position: &Position) -> Position {
    match position.en_passant_square() {
        Some(_) if position.legal_en_passant_square().is_none() => position.without_en_passant(),
        _ => *position,
    }
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
