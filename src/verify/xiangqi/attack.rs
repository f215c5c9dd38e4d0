//! Who attacks whom where the square of one man is a bit: a set has a bit for each square of that
//! man, and all others stand still.

use crate::game::Color;
use crate::xiangqi::rules::attacks;
use crate::xiangqi::rules::attacks::between;
use crate::xiangqi::rules::{Bitboard, Role, Square, squares};

/// All squares.
pub(super) const BOARD: Bitboard = (1 << 90) - 1;

/// The squares on the file and the rank of a square.
fn cross(square: Square) -> Bitboard {
    attacks::quiet(square, 0)
}

/// Empty squares with exactly one man between them and a square.
fn behind_one(square: Square, fixed: Bitboard) -> Bitboard {
    squares(cross(square) & !fixed)
        .filter(|&other| {
            let screens = between(square, other) & fixed;
            screens != 0 && screens & (screens - 1) == 0
        })
        .fold(0, |set, other| set | other.bit())
}

/// The empty squares on which a man would be taken by one on `from`.
pub(super) fn taken_from(color: Color, role: Role, from: Square, fixed: Bitboard) -> Bitboard {
    match role {
        Role::Rook => attacks::quiet(from, fixed),
        Role::Cannon => behind_one(from, fixed),
        Role::Knight => attacks::knight(from, fixed) & !fixed,
        Role::Pawn => attacks::pawn(color, from) & !fixed,
        Role::King | Role::Advisor | Role::Elephant => 0,
    }
}

/// The empty squares from which an attacker takes the man on `target`.
pub(super) fn takers(color: Color, role: Role, target: Square, fixed: Bitboard) -> Bitboard {
    match role {
        Role::Rook => attacks::quiet(target, fixed),
        Role::Cannon => behind_one(target, fixed),
        Role::Knight => attacks::knight_attackers(target, fixed) & !fixed,
        Role::Pawn => attacks::pawn_attackers(color, target) & !fixed,
        Role::King | Role::Advisor | Role::Elephant => 0,
    }
}

/// The squares of the man that moves in the set for which an attacker on `from` takes the man on
/// `target`: it may be in the way of a rook or a knight, and be a cannon's screen.
pub(super) fn takes(
    color: Color,
    role: Role,
    from: Square,
    target: Square,
    fixed: Bitboard,
) -> Bitboard {
    match role {
        Role::Rook | Role::Cannon => {
            if cross(from) & target.bit() == 0 {
                return 0;
            }
            let way = between(from, target);
            let screens = way & fixed;
            let has_one = screens != 0 && screens & screens.wrapping_sub(1) == 0;
            match (role, screens == 0, has_one) {
                (Role::Rook, true, _) | (Role::Cannon, _, true) => BOARD & !way,
                (Role::Cannon, true, _) => way,
                _ => 0,
            }
        }
        Role::Knight if attacks::knight(from, fixed) & target.bit() != 0 => {
            BOARD & !leg(from, target)
        }
        Role::Pawn if attacks::pawn(color, from) & target.bit() != 0 => BOARD,
        _ => 0,
    }
}

/// The leg of a knight's move.
pub(super) fn leg(from: Square, to: Square) -> Bitboard {
    attacks::beside(from) & attacks::diagonal(to)
}

/// The squares of the man that moves in the set for which two kings face each other.
pub(super) fn kings_face(kings: [Square; 2], fixed: Bitboard) -> Bitboard {
    let way = between(kings[0], kings[1]);
    let is_open = kings[0].file() == kings[1].file() && way & fixed == 0;
    if is_open { BOARD & !way } else { 0 }
}

/// The quiet moves of an attacker, each with the squares that must not be those of the man that
/// moves in the set.
pub(super) fn quiet_moves(
    color: Color,
    role: Role,
    from: Square,
    fixed: Bitboard,
) -> impl Iterator<Item = (Square, Bitboard)> {
    let to = match role {
        Role::Rook | Role::Cannon => attacks::quiet(from, fixed),
        Role::Knight => attacks::knight(from, fixed) & !fixed,
        Role::Pawn => attacks::pawn(color, from) & !fixed,
        Role::King | Role::Advisor | Role::Elephant => 0,
    };
    squares(to).map(move |to| {
        let way = match role {
            Role::Rook | Role::Cannon => between(from, to),
            Role::Knight => leg(from, to),
            _ => 0,
        };
        (to, way)
    })
}
