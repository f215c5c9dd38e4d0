//! The 16 x 16 board: the 90 squares with a wide margin.
//!
//! A cell is one byte, the row in its high half and the column in its low half. The squares are
//! rows 3 (black's back rank) to 12 (red's) and columns 3 (the a-file) to 11. Every step of a man
//! is one number to add, and no step from a square leads past the margin: whether it left the
//! board, or the palace, is one look-up, and which side of the river it is on is the highest bit.

use super::Square;
use super::square::{FILES, RANKS};
use crate::game::Color;

/// How many cells the board has.
pub const CELLS: usize = 256;

/// A place on the 16 x 16 board, which has the 90 squares in its middle: the row in the high half
/// of the byte, the column in the low half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell(pub u8);

const FIRST_COLUMN: u8 = 3;
const LAST_ROW: u8 = 12;
const MARGIN: u8 = u8::MAX;

/// The number of the square of each cell, or [`MARGIN`].
static SQUARES: [u8; CELLS] = {
    let mut squares = [MARGIN; CELLS];
    let mut index = 0;
    while let Some(square) = Square::from_index(index) {
        squares[Cell::computed(square).index()] = index as u8;
        index += 1;
    }
    squares
};

static OF_SQUARES: [Cell; FILES * RANKS] = {
    let mut cells = [Cell(0); FILES * RANKS];
    let mut index = 0;
    while let Some(square) = Square::from_index(index) {
        cells[index] = Cell::computed(square);
        index += 1;
    }
    cells
};

static IS_IN_PALACE: [bool; CELLS] = {
    let mut palaces = [false; CELLS];
    let mut column = FIRST_COLUMN + 3;
    while column <= FIRST_COLUMN + 5 {
        let mut row = 0;
        while row < 3 {
            palaces[((3 + row) << 4 | column) as usize] = true;
            palaces[((LAST_ROW - row) << 4 | column) as usize] = true;
            row += 1;
        }
        column += 1;
    }
    palaces
};

impl Cell {
    /// [`of`](Cell::of) for constants.
    pub(super) const fn computed(square: Square) -> Cell {
        Cell((LAST_ROW - square.rank()) << 4 | (FIRST_COLUMN + square.file()))
    }

    /// [`square`](Cell::square) for constants.
    pub(super) const fn computed_square(self) -> Option<Square> {
        let file = (self.0 & 15).wrapping_sub(FIRST_COLUMN);
        let rank = LAST_ROW.wrapping_sub(self.0 >> 4);
        Square::from_coords(file, rank)
    }

    /// The cell of a file and a rank of the board.
    #[inline]
    pub(super) const fn at(file: u8, rank: u8) -> Cell {
        Cell((LAST_ROW - rank) << 4 | (FIRST_COLUMN + file))
    }

    /// The cell of a square.
    #[inline]
    pub fn of(square: Square) -> Cell {
        OF_SQUARES[square.index()]
    }

    /// The square of a cell, or `None` in the margin.
    #[inline]
    pub fn square(self) -> Option<Square> {
        Square::new(SQUARES[self.index()])
    }

    /// 0 to 255.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is one of the 90 squares.
    #[inline]
    pub fn is_on_board(self) -> bool {
        SQUARES[self.index()] != MARGIN
    }

    /// Whether it is in either palace.
    #[inline]
    pub fn is_in_palace(self) -> bool {
        IS_IN_PALACE[self.index()]
    }

    /// The side whose half of the board this is.
    #[inline]
    pub const fn half(self) -> Color {
        if self.0 & 0x80 != 0 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// The cell one step further; steps wrap around only between margins.
    #[inline]
    #[must_use]
    pub const fn step(self, step: i8) -> Cell {
        Cell(self.0.wrapping_add_signed(step))
    }

    /// The file, counted from 0. Only for cells on the board.
    #[inline]
    pub const fn file(self) -> usize {
        ((self.0 & 15).wrapping_sub(FIRST_COLUMN) & 15) as usize
    }

    /// The rank, counted from 0. Only for cells on the board.
    #[inline]
    pub const fn rank(self) -> usize {
        (LAST_ROW.wrapping_sub(self.0 >> 4) & 15) as usize
    }
}
