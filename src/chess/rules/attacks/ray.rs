//! The slow way, which nobody doubts.

use super::{Bitboard, SliderAttacks, Square};

/// Walks each ray square by square. The reference that the fast schemes are compared with.
#[derive(Clone, Copy, Debug)]
pub struct RayWalk;

fn walk(square: Square, occupied: Bitboard, directions: [(i8, i8); 4]) -> Bitboard {
    let mut attacked = 0;
    for (file_step, rank_step) in directions {
        let mut file = square.file() as i8 + file_step;
        let mut rank = square.rank() as i8 + rank_step;
        while let Some(target) = Square::from_coords(file as u8, rank as u8) {
            attacked |= target.bit();
            if occupied & target.bit() != 0 {
                break;
            }
            file += file_step;
            rank += rank_step;
        }
    }
    attacked
}

impl SliderAttacks for RayWalk {
    type Occupancy = Bitboard;

    fn occupancy(occupied: Bitboard) -> Bitboard {
        occupied
    }

    fn rook(square: Square, occupied: &Bitboard) -> Bitboard {
        walk(square, *occupied, [(1, 0), (-1, 0), (0, 1), (0, -1)])
    }

    fn bishop(square: Square, occupied: &Bitboard) -> Bitboard {
        walk(square, *occupied, [(1, 1), (-1, -1), (1, -1), (-1, 1)])
    }
}
