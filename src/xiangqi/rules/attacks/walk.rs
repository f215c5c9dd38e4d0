//! The slow way, which nobody doubts.

use super::{Bitboard, LegMoves, LineMoves};
use crate::game::Color;
use crate::xiangqi::rules::{Role, Square};

/// Walks square by square. The reference that the fast ways are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Walk;

const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const OBLIQUE: [(i8, i8); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

fn offset(square: Square, (files, ranks): (i8, i8)) -> Option<Square> {
    Square::from_coords(
        square.file().wrapping_add_signed(files),
        square.rank().wrapping_add_signed(ranks),
    )
}

fn is_empty(square: Option<Square>, occupied: Bitboard) -> bool {
    square.is_some_and(|square| square.bit() & occupied == 0)
}

fn knight_targets(square: Square) -> impl Iterator<Item = (Square, (i8, i8))> {
    STRAIGHT.into_iter().flat_map(move |(files, ranks)| {
        [1, -1].into_iter().filter_map(move |aside| {
            let (to_files, to_ranks) = if files != 0 {
                (2 * files, aside)
            } else {
                (aside, 2 * ranks)
            };
            Some((offset(square, (to_files, to_ranks))?, (files, ranks)))
        })
    })
}

impl LegMoves for Walk {
    fn knight(square: Square, occupied: Bitboard) -> Bitboard {
        knight_targets(square)
            .filter(|&(_, leg)| is_empty(offset(square, leg), occupied))
            .fold(0, |set, (to, _)| set | to.bit())
    }

    fn elephant(square: Square, occupied: Bitboard) -> Bitboard {
        let mut targets = 0;
        for color in Color::ALL {
            let domain = Role::Elephant.domain(color);
            for (files, ranks) in OBLIQUE {
                if let Some(to) = offset(square, (2 * files, 2 * ranks))
                    && domain & square.bit() != 0
                    && domain & to.bit() != 0
                    && is_empty(offset(square, (files, ranks)), occupied)
                {
                    targets |= to.bit();
                }
            }
        }
        targets
    }

    fn knight_attackers(square: Square, occupied: Bitboard) -> Bitboard {
        Square::all()
            .filter(|from| from.file().abs_diff(square.file()) <= 2)
            .filter(|&from| Walk::knight(from, occupied) & square.bit() != 0)
            .fold(0, |set, from| set | from.bit())
    }
}

/// The squares in one direction, nearest first.
fn ray(square: Square, direction: (i8, i8)) -> impl Iterator<Item = Square> {
    std::iter::successors(offset(square, direction), move |&s| offset(s, direction))
}

fn occupied_on_rays(square: Square, occupied: Bitboard, skipped: usize) -> Bitboard {
    STRAIGHT
        .into_iter()
        .filter_map(|direction| {
            ray(square, direction)
                .filter(|s| occupied & s.bit() != 0)
                .nth(skipped)
        })
        .fold(0, |set, s| set | s.bit())
}

impl LineMoves for Walk {
    type Occupancy = Bitboard;

    fn occupancy(occupied: Bitboard) -> Bitboard {
        occupied
    }

    fn quiet(square: Square, occupied: &Bitboard) -> Bitboard {
        STRAIGHT
            .into_iter()
            .flat_map(|direction| ray(square, direction).take_while(|s| occupied & s.bit() == 0))
            .fold(0, |set, s| set | s.bit())
    }

    fn rook_captures(square: Square, occupied: &Bitboard) -> Bitboard {
        occupied_on_rays(square, *occupied, 0)
    }

    fn cannon_captures(square: Square, occupied: &Bitboard) -> Bitboard {
        occupied_on_rays(square, *occupied, 1)
    }
}
