//! The crate pyrrhic-rs, with our attacks.

use pyrrhic_rs::{EngineAdapter, TableBases};
use retrograde::chess::{Bitboard, Square, attacks};
use retrograde::game::Color;

use super::fathom::FathomPosition;

/// Where pieces go.
#[derive(Clone, Debug)]
pub struct Attacks;

fn square(number: u64) -> Square {
    Square::from_index(number as usize).expect("a square")
}

impl EngineAdapter for Attacks {
    fn pawn_attacks(color: pyrrhic_rs::Color, from: u64) -> Bitboard {
        let color = match color {
            pyrrhic_rs::Color::White => Color::White,
            pyrrhic_rs::Color::Black => Color::Black,
        };
        attacks::pawn(color, square(from))
    }

    fn knight_attacks(from: u64) -> Bitboard {
        attacks::knight(square(from))
    }

    fn bishop_attacks(from: u64, occupied: Bitboard) -> Bitboard {
        attacks::bishop(square(from), occupied)
    }

    fn rook_attacks(from: u64, occupied: Bitboard) -> Bitboard {
        attacks::rook(square(from), occupied)
    }

    fn queen_attacks(from: u64, occupied: Bitboard) -> Bitboard {
        attacks::queen(square(from), occupied)
    }

    fn king_attacks(from: u64) -> Bitboard {
        attacks::king(square(from))
    }
}

/// Its result, which is that of Fathom.
pub fn wdl(
    tables: &TableBases<Attacks>,
    &FathomPosition([white, black, kings, queens, rooks, bishops, knights, pawns], square, turn): &FathomPosition,
) -> u32 {
    tables
        .probe_wdl(
            white, black, kings, queens, rooks, bishops, knights, pawns, square, turn,
        )
        .map_or(u32::MAX, |wdl| wdl as u32)
}
