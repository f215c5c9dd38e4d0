//! Rotated bitboards as James Swafford describes them: 256 entries for each square and line.
//!
//! The state of a rank is a shift and a mask of the normal board; the state of a file is one of the
//! board turned by 90 degrees; the states of the diagonals are those of the boards turned by 45
//! degrees either way, masked by the length of the diagonal, 1 to 8. State and square index a table
//! of attack boards.

use super::hyperbola::{self, LINES};
use super::rotated::{A1H8, A8H1, FILE, PLACES, Place, RANK, RotatedOccupancy};
use super::{Bitboard, SliderAttacks, Square};

/// `[square][state]`: attacks along one line.
type LineAttacks = [[Bitboard; 256]; 64];

/// The table of one direction, over every state of every square's line.
const fn line_attacks(direction: usize) -> LineAttacks {
    let mut table = [[0; 256]; 64];
    let mut square = 0;
    while square < 64 {
        let mut line = [0u64; 8];
        let length = line_squares(&PLACES, square, direction, &mut line);
        table[square][0] = LINES[square][direction];
        let mut state: usize = 1;
        while state < 1 << length {
            // What men stop together each of them stops alone.
            let others = state & (state - 1);
            table[square][state] = match others {
                0 => {
                    let man = line[state.trailing_zeros() as usize];
                    hyperbola::along(square, man, LINES[square][direction])
                }
                _ => table[square][others] & table[square][state ^ others],
            };
            state += 1;
        }
        square += 1;
    }
    table
}

/// Puts the squares of a line in the order of their bits on its rotated board; returns how many
/// there are.
pub(super) const fn line_squares(
    places: &[Place; 64],
    square: usize,
    direction: usize,
    line: &mut [u64; 8],
) -> usize {
    let shift = places[square].shifts[direction];
    let mut rest = LINES[square][direction] | 1 << square;
    while rest != 0 {
        let other = rest.trailing_zeros() as usize;
        line[(places[other].bits[direction] - shift) as usize] = 1 << other;
        rest &= rest - 1;
    }
    places[square].lengths[direction] as usize
}

static RANK_ATTACKS: LineAttacks = line_attacks(RANK);
static FILE_ATTACKS: LineAttacks = line_attacks(FILE);
static DIAG_A1H8_ATTACKS: LineAttacks = line_attacks(A1H8);
static DIAG_A8H1_ATTACKS: LineAttacks = line_attacks(A8H1);

/// Rotated bitboards with 256 attack boards for each square and line.
#[derive(Clone, Copy, Debug)]
pub struct Swafford;

#[inline]
fn state(square: Square, rotated: &RotatedOccupancy, direction: usize) -> usize {
    let place = &PLACES[square.index()];
    let line = rotated.boards[direction] >> place.shifts[direction];
    line as usize & ((1 << place.lengths[direction]) - 1) & 255
}

impl Swafford {
    /// Attacks along the rank of `square`.
    #[inline]
    pub fn rank(square: Square, rotated: &RotatedOccupancy) -> Bitboard {
        RANK_ATTACKS[square.index()][state(square, rotated, RANK)]
    }

    /// Attacks along the file of `square`.
    #[inline]
    pub fn file(square: Square, rotated: &RotatedOccupancy) -> Bitboard {
        FILE_ATTACKS[square.index()][state(square, rotated, FILE)]
    }

    /// Attacks along the diagonal of `square` that runs as a1-h8 does.
    #[inline]
    pub fn diag_a1h8(square: Square, rotated: &RotatedOccupancy) -> Bitboard {
        DIAG_A1H8_ATTACKS[square.index()][state(square, rotated, A1H8)]
    }

    /// Attacks along the diagonal of `square` that runs as a8-h1 does.
    #[inline]
    pub fn diag_a8h1(square: Square, rotated: &RotatedOccupancy) -> Bitboard {
        DIAG_A8H1_ATTACKS[square.index()][state(square, rotated, A8H1)]
    }

    /// The state of the rank of `square`: which of its squares are occupied, the a-file as bit 0.
    #[inline]
    pub fn rank_state(square: Square, rotated: &RotatedOccupancy) -> u8 {
        state(square, rotated, RANK) as u8
    }

    /// The state of the file of `square`: which of its squares are occupied, the first rank as
    /// bit 0.
    #[inline]
    pub fn file_state(square: Square, rotated: &RotatedOccupancy) -> u8 {
        state(square, rotated, FILE) as u8
    }
}

impl SliderAttacks for Swafford {
    type Occupancy = RotatedOccupancy;

    #[inline]
    fn occupancy(occupied: Bitboard) -> RotatedOccupancy {
        RotatedOccupancy::new(occupied)
    }

    #[inline]
    fn rook(square: Square, rotated: &RotatedOccupancy) -> Bitboard {
        Swafford::rank(square, rotated) | Swafford::file(square, rotated)
    }

    #[inline]
    fn bishop(square: Square, rotated: &RotatedOccupancy) -> Bitboard {
        Swafford::diag_a1h8(square, rotated) | Swafford::diag_a8h1(square, rotated)
    }
}
