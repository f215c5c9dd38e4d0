//! What a position is worth without looking ahead, in hundredths of a pawn.

use retrograde::chess::{Position, Role, Square, squares};
use retrograde::game::Color;

/// What a man is worth, pawn to king.
pub const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];

/// What a man adds to the phase of the game: 24 at the start, 0 without pieces.
const PHASES: [i32; 6] = [0, 1, 1, 2, 4, 0];
const LARGEST_PHASE: i32 = 24;

/// A pawn's advance, by rank: more if no pawn of the other side can stop it.
const ADVANCE: [i32; 8] = [0, 0, 5, 10, 20, 35, 60, 0];
const PASSED: [i32; 8] = [0, 10, 15, 25, 45, 80, 130, 0];

/// More than this and a side without pawns against it is to be driven to the edge.
const DECISIVE: i32 = 400;

const FILE_A: u64 = 0x0101_0101_0101_0101;

/// Steps from the middle of the board, 0 to 6.
fn distance_from_middle(square: Square) -> i32 {
    let from_middle = |coordinate: u8| {
        let coordinate = i32::from(coordinate);
        (3 - coordinate).max(coordinate - 4)
    };
    from_middle(square.file()) + from_middle(square.rank())
}

/// Moves of a king from one square to another.
fn king_moves(a: Square, b: Square) -> i32 {
    let files = a.file().abs_diff(b.file());
    let ranks = a.rank().abs_diff(b.rank());
    i32::from(files.max(ranks))
}

/// Whether no pawn of the other side is in front of a pawn, on its file or beside.
fn is_passed(position: &Position, square: Square, color: Color) -> bool {
    let file = FILE_A << square.file();
    let beside = (file << 1 & !FILE_A) | (file >> 1 & !(FILE_A << 7));
    let in_front = match color {
        Color::White => u64::MAX << 8 << (square.rank() * 8),
        Color::Black => (1 << (square.rank() * 8)) - 1,
    };
    position.pieces(!color, Role::Pawn) & (file | beside) & in_front == 0
}

/// Men and places of one side; and of the men alone.
fn side(position: &Position, color: Color, phase: i32) -> (i32, i32) {
    let (mut men, mut places) = (0, 0);
    for role in Role::ALL {
        for square in squares(position.pieces(color, role)) {
            men += VALUES[role.index()];
            let rank = usize::from(square.rank_for(color));
            let from_middle = distance_from_middle(square);
            places += match role {
                Role::Pawn if is_passed(position, square, color) => PASSED[rank],
                Role::Pawn => ADVANCE[rank],
                Role::Knight | Role::Bishop => 4 * (3 - from_middle),
                Role::Rook => i32::from(rank == 6) * 15,
                Role::Queen => 3 - from_middle,
                // Hides while there are pieces, and comes out when they are gone.
                Role::King => {
                    (phase * (from_middle - 3) * 5
                        + (LARGEST_PHASE - phase) * (3 - from_middle) * 5)
                        / LARGEST_PHASE
                }
            };
        }
    }
    (men, places)
}

/// The value for the side to move.
pub fn evaluate(position: &Position) -> i32 {
    let phase: i32 = Role::ALL
        .into_iter()
        .map(|role| PHASES[role.index()] * position.by_role(role).count_ones() as i32)
        .sum();
    let phase = phase.min(LARGEST_PHASE);
    let us = position.turn();
    let [(our_men, our_places), (their_men, their_places)] =
        [us, !us].map(|color| side(position, color, phase));
    let men = our_men - their_men;
    let mut value = men + our_places - their_places;
    if men.abs() >= DECISIVE {
        let (sign, loser) = if men > 0 { (1, !us) } else { (-1, us) };
        if position.pieces(loser, Role::Pawn) == 0 {
            let kings = king_moves(position.king(us), position.king(!us));
            value += sign * (20 * distance_from_middle(position.king(loser)) + 8 * (7 - kings));
        }
    }
    value
}
