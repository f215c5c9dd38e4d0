//! Rotated bitboards with compressed vectors, after Ernst Heinz's DarkThought.
//!
//! The end squares of a line never change the attacks, so a line of n squares has 2^(n-2) different
//! vectors, not 2^n. Every square's vectors for one line lie together in one table; a small record
//! tells where, and how to cut the inner squares of the line out of its rotated board.

use super::hyperbola::{self, LINES};
use super::rotated::{A1H8, A8H1, FILE, RANK, RotatedOccupancy, places};
use super::swafford::line_squares;
use super::{Bitboard, SliderAttacks, Square};

/// Ranks and files: 64 squares with 64 vectors each. Diagonals of n squares: n squares with 2^(n-2)
/// vectors each, 1 where n is 1 or 2.
const VECTORS: usize =
    2 * 64 * 64 + 2 * (8 * 64 + 2 * (7 * 32 + 6 * 16 + 5 * 8 + 4 * 4 + 3 * 2 + 2 + 1));

/// Where the vectors of one square and line are.
#[derive(Clone, Copy)]
struct Inner {
    /// Brings the line's second square to bit 0.
    shift: u8,
    /// Cuts off what is beyond the inner squares.
    mask: u8,
    /// Where the vectors begin.
    offset: u16,
}

const fn inner_lines() -> [[Inner; 4]; 64] {
    let places = places();
    let mut lines = [[Inner {
        shift: 0,
        mask: 0,
        offset: 0,
    }; 4]; 64];
    let mut offset = 0;
    let mut direction = 0;
    while direction < 4 {
        let mut square = 0;
        while square < 64 {
            let place = &places[square];
            let length = place.lengths[direction];
            let inner = length.saturating_sub(2);
            // The diagonal that is only h8 would be shifted by 64; with no inner squares any shift
            // does.
            let shift = if inner == 0 {
                0
            } else {
                place.shifts[direction] + 1
            };
            lines[square][direction] = Inner {
                shift,
                mask: ((1u16 << inner) - 1) as u8,
                offset,
            };
            offset += 1 << inner;
            square += 1;
        }
        direction += 1;
    }
    lines
}

static INNER: [[Inner; 4]; 64] = inner_lines();

static ATTACKS: [Bitboard; VECTORS] = {
    let lines = inner_lines();
    let places = places();
    let mut attacks = [0; VECTORS];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let inner = lines[square][direction];
            let mut line = [0u64; 8];
            line_squares(&places, square, direction, &mut line);
            let mut state = 0;
            while state <= inner.mask as usize {
                let mut occupied = 0;
                let mut i = 0;
                while i < 6 {
                    if state >> i & 1 == 1 {
                        occupied |= line[i + 1];
                    }
                    i += 1;
                }
                attacks[inner.offset as usize + state] =
                    hyperbola::along(square, occupied, LINES[square][direction]);
                state += 1;
            }
            direction += 1;
        }
        square += 1;
    }
    attacks
};

/// Rotated bitboards with 2<sup>n−2</sup> attack boards for each square of a line of n squares.
#[derive(Clone, Copy, Debug)]
pub struct DarkThought;

impl DarkThought {
    /// How many attack boards the four directions need together.
    pub const VECTORS: usize = VECTORS;

    #[inline]
    fn line(square: Square, rotated: &RotatedOccupancy, direction: usize) -> Bitboard {
        let inner = INNER[square.index()][direction];
        let state = (rotated.boards[direction] >> inner.shift) as u8 & inner.mask;
        ATTACKS[inner.offset as usize + state as usize]
    }
}

impl SliderAttacks for DarkThought {
    type Occupancy = RotatedOccupancy;

    #[inline]
    fn occupancy(occupied: Bitboard) -> RotatedOccupancy {
        RotatedOccupancy::new(occupied)
    }

    #[inline]
    fn rook(square: Square, rotated: &RotatedOccupancy) -> Bitboard {
        Self::line(square, rotated, RANK) | Self::line(square, rotated, FILE)
    }

    #[inline]
    fn bishop(square: Square, rotated: &RotatedOccupancy) -> Bitboard {
        Self::line(square, rotated, A1H8) | Self::line(square, rotated, A8H1)
    }
}
