//! Attacks along one line by subtraction.
//!
//! Let `o` be the occupied squares of a line without the slider `s`. Then `o - s` borrows from the
//! first occupied square above `s`: all bits from `s` up to that square change, and nothing beyond
//! it. The changed bits are the attacks upwards. Reversing all 64 bits turns downwards into
//! upwards, so
//!
//! ```text
//!     attacks = ((o - s) ^ rev(rev(o) - rev(s))) & line
//! ```
//!
//! where both halves cancel outside the squares that changed. The functions are `const`, and the
//! tables of the other schemes are filled with them at compile time.

use super::{Bitboard, SliderAttacks, Square};

/// The lines through a square, without the square: rank, file, and the diagonals that run as a1-h8
/// and as a8-h1 do.
pub(super) static LINES: [[Bitboard; 4]; 64] = line_masks();

/// The direction of ranks in [`LINES`].
pub(super) const RANK: usize = 0;
/// The direction of files in [`LINES`].
pub(super) const FILE: usize = 1;
/// The direction of the long diagonal a1-h8 in [`LINES`].
pub(super) const A1H8: usize = 2;
/// The direction of the long diagonal a8-h1 in [`LINES`].
pub(super) const A8H1: usize = 3;

const fn line_masks() -> [[Bitboard; 4]; 64] {
    let mut masks = [[0; 4]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let (file_a, rank_a) = (a % 8, a / 8);
            let (file_b, rank_b) = (b % 8, b / 8);
            if a != b {
                if rank_a == rank_b {
                    masks[a][RANK] |= 1 << b;
                } else if file_a == file_b {
                    masks[a][FILE] |= 1 << b;
                } else if rank_a + file_b == rank_b + file_a {
                    masks[a][A1H8] |= 1 << b;
                } else if rank_a + file_a == rank_b + file_b {
                    masks[a][A8H1] |= 1 << b;
                }
            }
            b += 1;
        }
        a += 1;
    }
    masks
}

/// The attacks from `square` along `line`, one of the [`LINES`] of that square.
#[inline]
pub(super) const fn along(square: usize, occupied: Bitboard, line: Bitboard) -> Bitboard {
    let slider = 1u64 << square;
    let stops = occupied & line;
    let up = stops.wrapping_sub(slider);
    let down = stops
        .reverse_bits()
        .wrapping_sub(slider.reverse_bits())
        .reverse_bits();
    (up ^ down) & line
}

/// Hyperbola quintessence: arithmetic on the occupied squares, hardly any tables.
#[derive(Clone, Copy, Debug)]
pub struct Hyperbola;

impl Hyperbola {
    #[inline]
    fn line(square: Square, occupied: Bitboard, direction: usize) -> Bitboard {
        along(
            square.index(),
            occupied,
            LINES[square.index()][direction & 3],
        )
    }
}

impl SliderAttacks for Hyperbola {
    type Occupancy = Bitboard;

    #[inline]
    fn occupancy(occupied: Bitboard) -> Bitboard {
        occupied
    }

    #[inline]
    fn rook(square: Square, occupied: &Bitboard) -> Bitboard {
        Self::line(square, *occupied, RANK) | Self::line(square, *occupied, FILE)
    }

    #[inline]
    fn bishop(square: Square, occupied: &Bitboard) -> Bitboard {
        Self::line(square, *occupied, A1H8) | Self::line(square, *occupied, A8H1)
    }
}
