//! Moves and attacks in the presence of a man whose square is a bit.

use crate::game::Color;
use crate::xiangqi::rules::attacks;
use crate::xiangqi::rules::attacks::between;
use crate::xiangqi::rules::{Bitboard, Role, Square};

/// All squares.
pub(super) const BOARD: Bitboard = (1 << 90) - 1;
const RANK_0: Bitboard = {
    let mut set = 0;
    let mut file = 0;
    while file < 9 {
        set |= 1 << (10 * file);
        file += 1;
    }
    set
};

/// The ranks from one to another.
const fn ranks(first: u32, last: u32) -> Bitboard {
    let mut set = 0;
    let mut rank = first;
    while rank <= last {
        set |= RANK_0 << rank;
        rank += 1;
    }
    set
}

/// The square of a number below 90.
#[inline(always)]
pub(super) fn square(number: u8) -> Square {
    Square::trusted(number.into())
}

/// The squares from which a lone man of a kind, with other men on `occupied`, has a quiet move into
/// a set.
#[inline(always)]
pub(super) fn word_predecessors(
    color: Color,
    role: Role,
    into: Bitboard,
    occupied: Bitboard,
) -> Bitboard {
    match (role, color) {
        (Role::Rook | Role::Cannon, _) => line_predecessors(into, BOARD & !occupied),
        (Role::Knight, _) => knight_predecessors(into, occupied),
        (Role::Pawn, Color::White) => {
            into >> 1 & ranks(0, 8) | (into >> 10 | into << 10) & ranks(5, 9)
        }
        (Role::Pawn, Color::Black) => {
            into << 1 & ranks(1, 9) | (into >> 10 | into << 10) & ranks(0, 4)
        }
        _ => 0,
    }
}

#[inline(always)]
fn knight_predecessors(into: Bitboard, occupied: Bitboard) -> Bitboard {
    (into >> 12 | into << 8) & ranks(0, 7) & !(occupied >> 1)
        | (into >> 8 | into << 12) & ranks(2, 9) & !(occupied << 1)
        | (into >> 21 & ranks(0, 8) | into >> 19 & ranks(1, 9)) & !(occupied >> 10)
        | (into << 19 & ranks(0, 8) | into << 21 & ranks(1, 9)) & !(occupied << 10)
}

/// Squares in line with one of a set and nothing but empty squares between; those squares are
/// empty, too.
#[inline(always)]
fn line_predecessors(into: Bitboard, empty: Bitboard) -> Bitboard {
    let up = empty & !RANK_0;
    let down = empty & !(RANK_0 << 9);
    let mut found = 0;
    // Along ranks up to eight steps, along files up to nine: doubling, then one step more or two.
    let (mut run, mut open) = (into, empty);
    for step in [10, 20, 40] {
        run |= run << step & open;
        open &= open << step;
    }
    found |= run << 10 & empty;
    (run, open) = (into, empty);
    for step in [10, 20, 40] {
        run |= run >> step & open;
        open &= open >> step;
    }
    found |= run >> 10 & empty;
    (run, open) = (into, up);
    for step in [1, 2, 4] {
        run |= run << step & open;
        open &= open << step;
    }
    run |= run << 1 & up;
    found |= run << 1 & up;
    (run, open) = (into, down);
    for step in [1, 2, 4] {
        run |= run >> step & open;
        open &= open >> step;
    }
    run |= run >> 1 & down;
    found | run >> 1 & down
}

/// The empty squares in line with `target` behind exactly one man: from there a cannon captures on
/// it.
#[inline(always)]
fn behind_one_screen(target: Square, occupied: Bitboard) -> Bitboard {
    let screens = attacks::rook_captures(target, occupied);
    let with_screens_gone = attacks::quiet(target, occupied & !screens);
    with_screens_gone & !screens & !attacks::quiet(target, occupied)
}

/// The empty squares from which a man of a kind captures on `target`.
#[inline(always)]
pub(super) fn attackers_of(
    color: Color,
    role: Role,
    target: Square,
    occupied: Bitboard,
) -> Bitboard {
    let from = match role {
        Role::Rook => attacks::quiet(target, occupied),
        Role::Cannon => behind_one_screen(target, occupied),
        Role::Knight => attacks::knight_attackers(target, occupied),
        Role::Pawn => attacks::pawn_attackers(color, target),
        _ => 0,
    };
    from & !occupied
}

/// The empty squares on which a man of a kind would capture a man that stood there.
#[inline(always)]
pub(super) fn attacked_from(
    color: Color,
    role: Role,
    from: Square,
    occupied: Bitboard,
) -> Bitboard {
    let to = match role {
        Role::Rook => attacks::quiet(from, occupied),
        Role::Cannon => behind_one_screen(from, occupied),
        Role::Knight => attacks::knight(from, occupied),
        Role::Pawn => attacks::pawn(color, from),
        _ => 0,
    };
    to & !occupied
}

/// The squares of one man more with which a man of a kind on `from` captures on `to`, where
/// somebody stands.
///
/// The one man more is that in the word: it may stand in the way of a rook or a knight, or be a
/// cannon's screen.
#[inline(always)]
pub(super) fn captures_past(
    color: Color,
    role: Role,
    from: Square,
    to: Square,
    occupied: Bitboard,
) -> Bitboard {
    match role {
        Role::Rook | Role::Cannon => {
            if from.file() != to.file() && from.rank() != to.rank() {
                return 0;
            }
            let line = between(from, to);
            let screens = (line & occupied).count_ones();
            match (role, screens) {
                (Role::Rook, 0) | (Role::Cannon, 1) => BOARD & !line,
                (Role::Cannon, 0) => line,
                _ => 0,
            }
        }
        Role::Knight => {
            if attacks::knight(from, occupied) & to.bit() == 0 {
                return 0;
            }
            let leg = attacks::beside(from) & attacks::diagonal(to);
            BOARD & !leg
        }
        Role::Pawn if attacks::pawn(color, from) & to.bit() != 0 => BOARD,
        _ => 0,
    }
}
