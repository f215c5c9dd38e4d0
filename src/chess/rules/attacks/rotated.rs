//! Occupied squares in four bit orders.
//!
//! With files and ranks counted from 0, the bit of a square on each board is
//!
//! ```text
//!     normal   8 * rank                + file
//!     flipped  8 * (7 - file)          + rank
//!     a1h8     8 * ((rank - file) & 7) + (7 - file)
//!     a8h1     8 * ((rank + file) & 7) + (7 - file)
//! ```
//!
//! so that bytes are ranks, files, and diagonals. A byte of a diagonal board holds two diagonals,
//! one on each side of the long one, whose lengths add up to 8; the shift to the diagonal's lower
//! end and the mask of its length tell them apart.

use super::{Bitboard, Square};

/// The occupied squares of a position with ranks, files and both kinds of diagonals as neighbouring
/// bits.
///
/// Build it [from the occupied squares](RotatedOccupancy::new), or keep it up to date with
/// [`toggle`](RotatedOccupancy::toggle).
///
/// # Examples
///
/// ```
/// use retrograde::chess::rules::Square;
/// use retrograde::chess::rules::attacks::RotatedOccupancy;
///
/// let e4: Square = "e4".parse()?;
/// let mut rotated = RotatedOccupancy::new(0);
/// rotated.toggle(e4);
/// assert_eq!(rotated, RotatedOccupancy::new(e4.bit()));
/// # Ok::<(), retrograde::chess::rules::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RotatedOccupancy {
    pub(super) boards: [u64; 4],
}

/// The index of each board, which is also the direction of its lines.
pub(super) use super::hyperbola::{A1H8, A8H1, FILE, RANK};

/// Where each square is on each board, and the lines through it.
pub(super) struct Place {
    /// The bit of the square on each board.
    pub(super) bits: [u8; 4],
    /// For each board, the shift that brings the lower end of the square's line to bit 0.
    pub(super) shifts: [u8; 4],
    /// For each board, how many squares the square's line has, 1 to 8.
    pub(super) lengths: [u8; 4],
}

pub(super) static PLACES: [Place; 64] = places();

pub(super) const fn places() -> [Place; 64] {
    const NOWHERE: Place = Place {
        bits: [0; 4],
        shifts: [0; 4],
        lengths: [8; 4],
    };
    let mut places = [NOWHERE; 64];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square as u8 % 8, square as u8 / 8);
        let a1h8 = (8 + rank - file) & 7;
        let a8h1 = (rank + file) & 7;
        let place = &mut places[square];
        place.bits = [
            8 * rank + file,
            8 * (7 - file) + rank,
            8 * a1h8 + 7 - file,
            8 * a8h1 + 7 - file,
        ];
        // The diagonal that starts on the a-file, or on the eighth rank, ends with the byte's bit
        // 7; the other diagonal of the byte starts with bit 0.
        let (a1h8_length, a1h8_start) = if rank >= file {
            (8 - (rank - file), rank - file)
        } else {
            (8 - (file - rank), 0)
        };
        let (a8h1_length, a8h1_start) = if rank + file <= 7 {
            (rank + file + 1, 7 - rank - file)
        } else {
            (15 - rank - file, 0)
        };
        place.shifts = [
            8 * rank,
            8 * (7 - file),
            8 * a1h8 + a1h8_start,
            8 * a8h1 + a8h1_start,
        ];
        place.lengths = [8, 8, a1h8_length, a8h1_length];
        square += 1;
    }
    places
}

/// For each square, its bit on the four boards.
static BITS: [[u64; 4]; 64] = {
    let places = places();
    let mut bits = [[0; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let mut board = 0;
        while board < 4 {
            bits[square][board] = 1 << places[square].bits[board];
            board += 1;
        }
        square += 1;
    }
    bits
};

impl RotatedOccupancy {
    /// The four boards of these occupied squares.
    #[inline]
    pub fn new(occupied: Bitboard) -> RotatedOccupancy {
        let mut rotated = RotatedOccupancy::default();
        for square in crate::chess::rules::squares(occupied) {
            rotated.toggle(square);
        }
        rotated
    }

    /// Changes whether `square` is occupied: what make and unmake do.
    #[inline]
    pub fn toggle(&mut self, square: Square) {
        for (board, bit) in self.boards.iter_mut().zip(BITS[square.index()]) {
            *board ^= bit;
        }
    }

    /// The occupied squares, in the usual order.
    #[inline]
    pub fn normal(&self) -> Bitboard {
        self.boards[RANK]
    }

    /// Files as bytes.
    #[inline]
    pub fn flipped(&self) -> u64 {
        self.boards[FILE]
    }

    /// Diagonals that run as a1-h8 does as neighbouring bits.
    #[inline]
    pub fn a1h8(&self) -> u64 {
        self.boards[A1H8]
    }

    /// Diagonals that run as a8-h1 does as neighbouring bits.
    #[inline]
    pub fn a8h1(&self) -> u64 {
        self.boards[A8H1]
    }

    /// The bit of `square` on the normal, the flipped, the a1h8 and the a8h1 board.
    pub fn bits_of(square: Square) -> [u8; 4] {
        PLACES[square.index()].bits
    }
}
