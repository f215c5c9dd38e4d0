//! Board and pieces, linked.
//!
//! The board says which man stands on each cell, the piece list on which cell each man stands. With
//! both, finding a side's men takes at most 16 looks instead of 90, and finding what stands
//! somewhere takes one. They are only ever changed together, and with them the bit-ranks, the
//! bit-files and the key.
//!
//! Men have *numbers*: 16 to 31 are red's, 32 to 47 black's, so that one bit says whose a man is:
//! `number & 16` is red, `number & 32` is black. 0 is nobody. Within a side 0 is the king, then
//! come two advisors, two elephants, two knights, two rooks, two cannons and five pawns. A man that
//! is not on the board has cell 0, which is in the margin.

use std::fmt;

use super::attacks::{BitLines, FILE_MASKS, LEG_OF_DIFFERENCE, PAWN_LISTS, RANK_MASKS};
use super::cell::{CELLS, Cell};
use super::square::RANKS;
use super::zobrist::MAN_KEYS;
use super::{Bitboard, Piece, Role, Square};
use crate::game::Color;

/// The number of a man: 16 to 31 for red, 32 to 47 for black, 0 for nobody. Of a side the king
/// comes first, then two advisors, two elephants, two knights, two rooks, two cannons and five
/// pawns.
pub type PieceNumber = u8;

/// One more than the largest [`PieceNumber`].
const NUMBERS: usize = 48;

/// The bit that all numbers of a side have, and none of the other's.
#[inline]
pub const fn side_bit(color: Color) -> PieceNumber {
    16 << color as u8
}

/// The roles of the 16 men of a side, by number.
const ROLES: [Role; 16] = [
    Role::King,
    Role::Advisor,
    Role::Advisor,
    Role::Elephant,
    Role::Elephant,
    Role::Knight,
    Role::Knight,
    Role::Rook,
    Role::Rook,
    Role::Cannon,
    Role::Cannon,
    Role::Pawn,
    Role::Pawn,
    Role::Pawn,
    Role::Pawn,
    Role::Pawn,
];

/// The first of the numbers of a role, by [`Role::index`].
const FIRST_NUMBERS: [PieceNumber; 7] = {
    let mut first = [0; 7];
    let mut number = ROLES.len();
    while number > 0 {
        number -= 1;
        first[ROLES[number].index()] = number as PieceNumber;
    }
    first
};

/// The man of a number, or `None` for nobody.
#[inline]
pub fn piece_of(number: PieceNumber) -> Option<Piece> {
    let color = match number {
        16..32 => Color::White,
        32..48 => Color::Black,
        _ => return None,
    };
    Some(ROLES[usize::from(number & 15)].of(color))
}

/// The numbers that men of a role have.
#[inline]
pub(super) fn numbers_of(piece: Piece) -> std::ops::Range<PieceNumber> {
    let first = side_bit(piece.color) + FIRST_NUMBERS[piece.role.index()];
    first..first + piece.role.limit() as PieceNumber
}

/// The men on the 16 x 16 board: who stands on each cell, on which cell each man stands, bit-ranks,
/// bit-files and key, always changed together.
///
/// Two boards are equal when every man, by its number, stands on the same square. The same position
/// can come about with the two rooks exchanged: [`Position`](super::Position) does not tell the
/// difference.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    numbers: [PieceNumber; CELLS],
    cells: [Cell; NUMBERS],
    lines: BitLines,
    key: u64,
}

impl Board {
    /// A board without men.
    pub(super) const fn empty() -> Board {
        Board {
            numbers: [0; CELLS],
            cells: [Cell(0); NUMBERS],
            lines: BitLines::EMPTY,
            key: 0,
        }
    }

    /// Adds a man with the first free number of its kind; returns whether there was one.
    pub(super) fn add(&mut self, piece: Piece, square: Square) -> bool {
        let free = numbers_of(piece).find(|&number| !self.is_on_board(number));
        if let Some(number) = free {
            self.put(number, Cell::of(square));
        }
        free.is_some()
    }

    /// Moves what stands on `from` to `to`, and takes whoever stands there off the board: returns
    /// its number, or 0.
    #[inline]
    pub fn move_piece(&mut self, from: Cell, to: Cell) -> PieceNumber {
        let captured = self.numbers[to.index()];
        if captured != 0 {
            self.remove(captured, to);
        }
        let moved = self.numbers[from.index()];
        self.remove(moved, from);
        self.put(moved, to);
        captured
    }

    /// Takes [`move_piece`](Board::move_piece) back; `captured` is what it returned.
    #[inline]
    pub fn undo_move_piece(&mut self, from: Cell, to: Cell, captured: PieceNumber) {
        let moved = self.numbers[to.index()];
        self.remove(moved, to);
        self.put(moved, from);
        if captured != 0 {
            self.put(captured, to);
        }
    }

    #[inline]
    fn put(&mut self, number: PieceNumber, cell: Cell) {
        self.numbers[cell.index()] = number;
        self.cells[usize::from(number)] = cell;
        self.toggle(number, cell);
    }

    #[inline]
    fn remove(&mut self, number: PieceNumber, cell: Cell) {
        self.numbers[cell.index()] = 0;
        self.cells[usize::from(number)] = Cell(0);
        self.toggle(number, cell);
    }

    #[inline]
    fn toggle(&mut self, number: PieceNumber, cell: Cell) {
        let (file, rank) = (cell.file(), cell.rank());
        self.lines.toggle_at(file, rank);
        let kind = usize::from(number >> 5) * 7 + ROLES[usize::from(number & 15)].index();
        self.key ^= MAN_KEYS[kind][RANKS * file + rank];
    }

    /// Who stands on a cell, or 0.
    #[inline]
    pub fn number_at(&self, cell: Cell) -> PieceNumber {
        self.numbers[cell.index()]
    }

    /// Where a man stands; cell 0 if it is not on the board.
    ///
    /// # Panics
    ///
    /// If the number is larger than any man's.
    #[inline]
    pub fn cell_of(&self, number: PieceNumber) -> Cell {
        self.cells[usize::from(number)]
    }

    /// Whether a man is on the board.
    #[inline]
    pub fn is_on_board(&self, number: PieceNumber) -> bool {
        self.cell_of(number) != Cell(0)
    }

    /// The bit-ranks and bit-files.
    #[inline]
    pub fn lines(&self) -> &BitLines {
        &self.lines
    }

    /// The key of the men alone.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The cells of a side's men of one role.
    #[inline]
    pub(super) fn men(&self, piece: Piece) -> impl Iterator<Item = Cell> + '_ {
        numbers_of(piece)
            .map(|number| self.cell_of(number))
            .filter(|&cell| cell != Cell(0))
    }

    /// The squares of a side's men of one role.
    pub fn pieces(&self, piece: Piece) -> Bitboard {
        self.men(piece)
            .filter_map(Cell::square)
            .fold(0, |set, square| set | square.bit())
    }

    /// The squares of all men by color and role, and how many they are.
    #[inline]
    pub(super) fn all_men(&self) -> ([[Bitboard; 7]; 2], [[u8; 7]; 2]) {
        let mut sets = [[0; 7]; 2];
        let mut counts = [[0; 7]; 2];
        for color in Color::ALL {
            let first = usize::from(side_bit(color));
            for (cell, role) in self.cells[first..first + 16].iter().zip(ROLES) {
                if let Some(square) = cell.square() {
                    sets[color.index()][role.index()] |= square.bit();
                    counts[color.index()][role.index()] += 1;
                }
            }
        }
        (sets, counts)
    }

    /// The cell of a side's king; cell 0 if it has none.
    #[inline]
    pub fn king(&self, color: Color) -> Cell {
        self.cell_of(side_bit(color))
    }

    /// Whether the king of `color` is attacked, or faces the other king. Both have to be there.
    #[inline]
    pub(super) fn is_check(&self, color: Color) -> bool {
        let king = self.king(color);
        let them = side_bit(!color);
        let (file, rank) = (king.file(), king.rank());
        let bit_file = usize::from(self.lines.file(file));
        let bit_rank = usize::from(self.lines.rank(rank));

        let by_rook = |cell: Cell| {
            (cell.file() == file && FILE_MASKS.rook[rank][bit_file] >> cell.rank() & 1 == 1)
                || (cell.rank() == rank && RANK_MASKS.rook[file][bit_rank] >> cell.file() & 1 == 1)
        };
        let by_cannon = |cell: Cell| {
            (cell.file() == file && FILE_MASKS.cannon[rank][bit_file] >> cell.rank() & 1 == 1)
                || (cell.rank() == rank
                    && RANK_MASKS.cannon[file][bit_rank] >> cell.file() & 1 == 1)
        };
        let by_knight = |cell: Cell| {
            let leg = LEG_OF_DIFFERENCE[difference(cell, king)];
            leg != 0 && self.number_at(cell.step(leg)) == 0
        };
        let by_pawn = |cell: Cell| {
            PAWN_LISTS[(!color).index()]
                .targets(cell)
                .any(|to| to == king)
        };

        let role = |role: Role| self.men(role.of(!color));
        let other_king = self.cell_of(them);
        (other_king.file() == file && by_rook(other_king))
            || role(Role::Rook).any(by_rook)
            || role(Role::Cannon).any(by_cannon)
            || role(Role::Knight).any(by_knight)
            || role(Role::Pawn).any(by_pawn)
    }
}

/// The place of a difference of cells in tables of 512.
#[inline]
pub(super) const fn difference(from: Cell, to: Cell) -> usize {
    256 + to.index() - from.index()
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries((16..48).filter_map(|number| {
                let square = self.cell_of(number).square()?;
                Some((piece_of(number)?.letter(), square))
            }))
            .finish()
    }
}
