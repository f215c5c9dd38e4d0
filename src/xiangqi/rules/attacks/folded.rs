//! Folded bitboards: the legs of a knight as one byte.
//!
//! A knight's moves depend on four squares, its legs; an elephant's on four others, its eyes. The
//! occupied ones among them are a board of at most four bits. Folding a board into a byte, bit `n`
//! onto bit `n mod 8`, keeps them apart as long as the four have different numbers modulo 8, so
//! that the byte can index a table of all moves. Numbered by file, the legs are 1 and 10 away and
//! the eyes 9 and 11:
//!
//! ```text
//!     modulo 8         +1                  +7 (−9)  +3 (+11)
//!               +6 (−10) n  +2 (+10)             n
//!                      +7 (−1)             +5 (−11)  +1 (+9)
//! ```
//!
//! Four different numbers each. Numbered by rank the legs would be 1 and 9 away, and 1 and 9 are
//! the same modulo 8. The idea is Zhang Guanghua's (2004).

use super::{Bitboard, LegMoves};
use crate::game::Color;
use crate::xiangqi::rules::square::SQUARES;
use crate::xiangqi::rules::{Role, Square};

/// `[square][checksum of the occupied legs or eyes]`.
type FoldedMoves = [[Bitboard; 256]; SQUARES];

/// The squares next to one, along files and ranks, or diagonally.
const fn neighbours(square: Square, oblique: bool) -> Bitboard {
    let mut set = 0;
    let (file, rank) = (square.file(), square.rank());
    let mut i = 0;
    while i < 4 {
        let (sideways, forward) = step(i, oblique);
        let neighbour = Square::from_coords(
            file.wrapping_add_signed(sideways),
            rank.wrapping_add_signed(forward),
        );
        if let Some(neighbour) = neighbour {
            set |= neighbour.bit();
        }
        i += 1;
    }
    set
}

const fn step(direction: usize, oblique: bool) -> (i8, i8) {
    if oblique {
        [(1, 1), (-1, 1), (1, -1), (-1, -1)][direction]
    } else {
        [(1, 0), (-1, 0), (0, 1), (0, -1)][direction]
    }
}

static LEGS: [Bitboard; SQUARES] = all_neighbours(false);
static EYES: [Bitboard; SQUARES] = all_neighbours(true);

const fn all_neighbours(oblique: bool) -> [Bitboard; SQUARES] {
    let mut sets = [0; SQUARES];
    let mut index = 0;
    while let Some(square) = Square::from_index(index) {
        sets[index] = neighbours(square, oblique);
        index += 1;
    }
    sets
}

/// The squares next to `square` along its file and rank: the legs of a knight there.
#[inline]
pub fn beside(square: Square) -> Bitboard {
    LEGS[square.index()]
}

/// The squares next to `square` diagonally: the eyes of an elephant there, and the legs of
/// the knights that attack it.
#[inline]
pub fn diagonal(square: Square) -> Bitboard {
    EYES[square.index()]
}

/// A board folded into a byte: bit n of the board changes bit n mod 8.
#[inline]
pub const fn checksum(set: Bitboard) -> u8 {
    let set = (set ^ set >> 64) as u64;
    let set = (set ^ set >> 32) as u32;
    let set = (set ^ set >> 16) as u16;
    (set ^ set >> 8) as u8
}

/// A byte repeated over the board: of squares that are different modulo 8, those that `checksum`
/// was made of.
#[inline]
pub const fn unfold(checksum: u8) -> Bitboard {
    Bitboard::from_le_bytes([checksum; 16])
}

/// The square two files or ranks and one rank or file away, if it is on the board.
const fn jump(from: Square, direction: usize, sideways: i8) -> Bitboard {
    let (file_step, rank_step) = step(direction, false);
    let (file, rank) = if file_step != 0 {
        (2 * file_step, sideways)
    } else {
        (sideways, 2 * rank_step)
    };
    bit_or_nothing(from, file, rank)
}

const fn bit_or_nothing(from: Square, files: i8, ranks: i8) -> Bitboard {
    let to = Square::from_coords(
        from.file().wrapping_add_signed(files),
        from.rank().wrapping_add_signed(ranks),
    );
    match to {
        Some(to) => to.bit(),
        None => 0,
    }
}

/// Knight moves from a square whose legs in `occupied` are blocked.
const fn knight_from(square: Square, occupied: Bitboard) -> Bitboard {
    let mut moves = 0;
    let mut direction = 0;
    while direction < 4 {
        let (files, ranks) = step(direction, false);
        if bit_or_nothing(square, files, ranks) & occupied == 0 {
            moves |= jump(square, direction, 1) | jump(square, direction, -1);
        }
        direction += 1;
    }
    moves
}

/// The squares from which a knight attacks `square`: two for each diagonal neighbour, its leg.
const fn knight_to(square: Square, occupied: Bitboard) -> Bitboard {
    let mut attackers = 0;
    let mut direction = 0;
    while direction < 4 {
        let (files, ranks) = step(direction, true);
        if bit_or_nothing(square, files, ranks) & occupied == 0 {
            attackers |=
                bit_or_nothing(square, 2 * files, ranks) | bit_or_nothing(square, files, 2 * ranks);
        }
        direction += 1;
    }
    attackers
}

const fn elephant_from(square: Square, occupied: Bitboard) -> Bitboard {
    let domain = Role::Elephant.domain(Color::White) | Role::Elephant.domain(Color::Black);
    let mut moves = 0;
    let mut direction = 0;
    while direction < 4 && domain & square.bit() != 0 {
        let (files, ranks) = step(direction, true);
        if bit_or_nothing(square, files, ranks) & occupied == 0 {
            moves |= bit_or_nothing(square, 2 * files, 2 * ranks);
        }
        direction += 1;
    }
    moves & domain
}

const KNIGHT_FROM: u8 = 0;
const KNIGHT_TO: u8 = 1;
const ELEPHANT_FROM: u8 = 2;

const fn folded(kind: u8) -> FoldedMoves {
    let mut table = [[0; 256]; SQUARES];
    let mut index = 0;
    while let Some(square) = Square::from_index(index) {
        let relevant = neighbours(square, kind != KNIGHT_FROM);
        let mut byte: usize = 0;
        while byte < 256 {
            // What men stop together each of them stops alone.
            let others = byte & byte.saturating_sub(1);
            table[index][byte] = match others {
                0 => moves(kind, square, unfold(byte as u8) & relevant),
                _ => table[index][others] & table[index][byte ^ others],
            };
            byte += 1;
        }
        index += 1;
    }
    table
}

const fn moves(kind: u8, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        KNIGHT_FROM => knight_from(square, occupied),
        KNIGHT_TO => knight_to(square, occupied),
        _ => elephant_from(square, occupied),
    }
}

static KNIGHT_MOVES: FoldedMoves = folded(KNIGHT_FROM);
static KNIGHT_ATTACKERS: FoldedMoves = folded(KNIGHT_TO);
static ELEPHANT_MOVES: FoldedMoves = folded(ELEPHANT_FROM);

/// Looks all legs or eyes up at once: a mask, four folds, one load from tables of 360 KiB each.
#[derive(Clone, Copy, Debug)]
pub struct Folded;

impl LegMoves for Folded {
    #[inline]
    fn knight(square: Square, occupied: Bitboard) -> Bitboard {
        KNIGHT_MOVES[square.index()][usize::from(checksum(beside(square) & occupied))]
    }

    #[inline]
    fn elephant(square: Square, occupied: Bitboard) -> Bitboard {
        ELEPHANT_MOVES[square.index()][usize::from(checksum(diagonal(square) & occupied))]
    }

    #[inline]
    fn knight_attackers(square: Square, occupied: Bitboard) -> Bitboard {
        KNIGHT_ATTACKERS[square.index()][usize::from(checksum(diagonal(square) & occupied))]
    }
}
