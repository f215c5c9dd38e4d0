//! Attacks that nothing can block, and the geometry of lines.

use super::hyperbola;
use super::{Bitboard, Square};
use crate::game::Color;

/// The squares reached by one of `steps`, each a distance in files and in ranks.
const fn step_table<const N: usize>(steps: [(i8, i8); N]) -> [Bitboard; 64] {
    let mut table = [0; 64];
    let mut from = 0;
    while from < 64 {
        let mut i = 0;
        while i < N {
            let file = (from % 8) as i8 + steps[i].0;
            let rank = (from / 8) as i8 + steps[i].1;
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[from] |= 1 << (rank * 8 + file);
            }
            i += 1;
        }
        from += 1;
    }
    table
}

static KING: [Bitboard; 64] = step_table([
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
]);

static KNIGHT: [Bitboard; 64] = step_table([
    (-1, -2),
    (1, -2),
    (-2, -1),
    (2, -1),
    (-2, 1),
    (2, 1),
    (-1, 2),
    (1, 2),
]);

static PAWN: [[Bitboard; 64]; 2] = [
    step_table([(-1, 1), (1, 1)]),
    step_table([(-1, -1), (1, -1)]),
];

/// For each two squares, some squares on the line through both.
type LineTable = [[Bitboard; 64]; 64];

/// `[a][b]`: the whole line through both squares, the squares strictly between them, and those
/// behind `b` on the line from `a`.
const fn line_tables() -> (LineTable, LineTable, LineTable) {
    let mut lines = [[0; 64]; 64];
    let mut between = [[0; 64]; 64];
    let mut behind = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut direction = 0;
        while direction < 4 {
            let mask = hyperbola::LINES[a][direction];
            let mut rest = mask;
            while rest != 0 {
                let b = rest.trailing_zeros() as usize;
                lines[a][b] = mask | 1 << a;
                let from_b = hyperbola::along(b, 1 << a, hyperbola::LINES[b][direction]);
                between[a][b] = hyperbola::along(a, 1 << b, mask) & from_b;
                behind[a][b] = from_b & !between[a][b] & !(1 << a);
                rest &= rest - 1;
            }
            direction += 1;
        }
        a += 1;
    }
    (lines, between, behind)
}

const LINE_TABLES: (LineTable, LineTable, LineTable) = line_tables();
static LINE: LineTable = LINE_TABLES.0;
static BETWEEN: LineTable = LINE_TABLES.1;
static BEHIND: LineTable = LINE_TABLES.2;

/// The squares a king on `square` attacks.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The squares a knight on `square` attacks.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// The squares a pawn of that color on `square` attacks.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// The squares strictly between two squares of one rank, file or diagonal; none for any other two.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// For each square, the squares behind it as seen from another one, along a rank, a file or a
/// diagonal: what a man there attacks no more if somebody stands on the square.
///
/// From b1, behind d3 are e4, f5, g6 and h7; behind a knight's move away nothing is.
#[inline]
pub(crate) fn behind(from: Square) -> &'static [Bitboard; 64] {
    &BEHIND[from.index()]
}

/// The whole rank, file or diagonal through two squares; none when they share no line or are the
/// same.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::rules::attacks::queen;

    #[test]
    fn what_is_behind_a_man_is_attacked_no_more() {
        let mut random = fastrand::Rng::with_seed(3);
        for from in (0..64).map(Square::wrapping) {
            for stop in (0..64).map(Square::wrapping).filter(|&stop| stop != from) {
                let occupied = random.u64(..) & random.u64(..) & !stop.bit();
                let stopped = queen(from, occupied) & !behind(from)[stop.index()];
                assert_eq!(stopped, queen(from, occupied | stop.bit()));
            }
        }
        let [b1, d3] = ["b1", "d3"].map(|square| square.parse::<Square>().unwrap());
        assert_eq!(
            behind(b1)[d3.index()],
            1 << 28 | 1 << 37 | 1 << 46 | 1 << 55
        );
    }
}
