//! In which order positions are solved.
//!
//! Captures, promotions and pawn moves cannot be taken back, nor can the loss of a castling right,
//! and the right to capture en passant lasts one move. What they lead to is of a lower *level*, so
//! levels are solved one after the other, lowest first: within one there are only moves of pieces,
//! which the retrograde analysis takes back.

use crate::chess::rules::{Piece, Role, Square};

/// Positions of one level lead to each other by moves of pieces alone, and to lower levels by all
/// other moves.
///
/// Compared by the number of men, then of pawns, the steps that pawns are from promotion, the rooks
/// that may castle, and whether a pawn can be captured en passant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u32);

impl Level {
    /// The level of men with their squares, so many of them rooks that may castle.
    pub fn of(
        men: impl Iterator<Item = (Piece, Square)>,
        castling_rooks: u32,
        has_en_passant: bool,
    ) -> Level {
        let (mut count, mut pawns, mut steps) = (0, 0, 0);
        for (man, square) in men {
            count += 1;
            if man.role == Role::Pawn {
                pawns += 1;
                steps += 7 - u32::from(square.rank_for(man.color));
            }
        }
        let en_passant = u32::from(has_en_passant);
        Level((((count << 6 | pawns) << 8 | steps) << 3 | castling_rooks) << 1 | en_passant)
    }

    /// Whether no move leads to the same level: a pawn can be captured en passant.
    pub fn has_en_passant(self) -> bool {
        self.0 & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use crate::chess::rules::Position;
    use crate::reach::chess::Packed;
    use crate::reach::positions::Compact;

    #[test]
    fn moves_that_cannot_be_taken_back_lead_to_lower_levels() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1Rp2p1k/8/4PPP1/8 w - - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        ];
        for fen in fens {
            let root = Position::from_fen(fen).unwrap();
            for first in &root.legal_moves() {
                let position = root.play(first);
                let packed = Packed::new(&position);
                let position = packed.unpack();
                let level = packed.level();
                for m in &position.legal_moves() {
                    let (after, _) = packed.after(&position, m);
                    let next = after.level();
                    let stays = !m.is_zeroing()
                        && position.play(m).castling_rights() == position.castling_rights()
                        && !level.has_en_passant();
                    assert_eq!(next == level, stays, "{position:?} {m}");
                    assert!(next <= level);
                }
            }
        }
    }
}
