//! From which positions of its level a position is reached: moves of pieces, taken back.

use arrayvec::ArrayVec;

use super::packed::Packed;
use crate::chess::rules::attacks;
use crate::chess::rules::zobrist;
use crate::chess::rules::{Role, Square, squares};
use crate::game::Color;

/// Calls `visit` with the normal form of every position of the same level, and its key, that a
/// legal move turns into this normal form; several times with one that has several such moves.
/// Moves that are images of others are left out.
///
/// Some of those it is called with are not legal, or cannot be reached; they are in no table. All
/// that are in a table have such a move: nothing but a piece has moved, its way is free in both
/// directions, and its king is not in check after it.
#[inline]
pub fn predecessors(packed: &Packed, mut visit: impl FnMut(Packed, u64)) {
    if packed.has_en_passant() {
        return;
    }
    let mover = !packed.turn();
    let occupied = packed.occupied();
    let mut pieces: ArrayVec<(Role, Square), 32> = ArrayVec::new();
    let mut kings = [Square::wrapping(0); 2];
    let mut movable = 0;
    let mut has_pawns = false;
    for (man, square) in packed.movable_men() {
        movable += 1;
        match man.role {
            Role::Pawn => has_pawns = true,
            Role::King => kings[man.color.index()] = square,
            _ => {}
        }
        if man.color == mover && man.role != Role::Pawn {
            pieces.push((man.role, square));
        }
    }
    let has_images = !has_pawns && movable == occupied.count_ones();
    let king = kings[(!mover).index()].bit();
    let white_king = kings[Color::White.index()];
    let key = packed.key() ^ zobrist::TURN;
    for (role, to) in pieces {
        let man = role.of(mover);
        let is_white_king = man == Role::King.of(Color::White);
        let key = key ^ zobrist::piece(man, to);
        let without = occupied ^ to.bit();
        let packed_without = packed.without(to);
        for from in squares(piece_attacks(mover, role, to, occupied) & !occupied) {
            // The other side's king would be in check although it is not its turn.
            if piece_attacks(mover, role, from, without) & king != 0 {
                continue;
            }
            let (before, key) = (
                packed_without.with(man, from),
                key ^ zobrist::piece(man, from),
            );
            if !has_images {
                visit(before, key);
            } else if !packed.is_image_of_another(from) {
                let white_king = if is_white_king { from } else { white_king };
                let (before, key) = before.normal_form_of(key, white_king);
                visit(before, key);
            }
        }
    }
}

#[inline]
fn piece_attacks(color: Color, role: Role, square: Square, occupied: u64) -> u64 {
    attacks::attacks(color, role, square, occupied)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::chess::rules::Position;
    use crate::reach::positions::Compact;

    #[test]
    fn every_quiet_move_of_a_piece_is_taken_back() {
        for fen in [
            "3r4/8/2k1p3/3pPp2/1Q3B2/4N3/4K3/6b1 w - - 0 1",
            "3r4/8/2k1p3/3pPp2/1Q3B2/4N3/4K3/6b1 b - - 0 1",
            "r3k2r/8/8/3b4/8/8/8/R3K2R w KQkq - 0 1",
            "8/8/2k5/4n3/8/1Q6/8/3K4 w - - 0 1",
            "8/8/8/8/3k4/8/1N6/K7 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let packed = Packed::new(&position).normal_form();
            let position = packed.unpack();
            for m in &position.legal_moves() {
                let next = position.play(m);
                let (after, _) = packed.after(&position, m);
                let mut before = HashSet::new();
                predecessors(&after, |packed, key| {
                    assert_eq!(packed.key(), key);
                    before.insert(key);
                });
                let stays = !m.is_zeroing() && next.castling_rights() == position.castling_rights();
                assert_eq!(before.contains(&position.key()), stays, "{position:?} {m}");
            }
        }
    }
}
