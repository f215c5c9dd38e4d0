//! Xiangqi: squares, men, moves, positions and their notations.
//!
//! The board is that of the program ElephantEye: an array of cells linked to a list of men
//! ([`Board`]), bit-ranks and bit-files for rook and cannon ([`attacks::BitLines`]), moves listed
//! in advance for the others. A [`Position`] is used like the one of chess; red is
//! [`Color::White`](crate::game::Color::White). What differs:
//!
//! - the side that has no legal move has lost, in check or not;
//! - the kings may not face each other on an open file;
//! - a side that gives check for ever loses, where that rule is in force: [`History`].

pub mod attacks;
mod board;
mod cell;
mod fen;
mod history;
mod movegen;
mod moves;
mod notation;
mod perft;
mod position;
mod role;
mod setup;
mod square;
pub mod zobrist;

pub use board::{Board, PieceNumber, piece_of, side_bit};
pub use cell::Cell;
pub use fen::FenError;
pub use history::{History, Repetition};
pub use moves::{Move, MoveList};
pub use notation::{ParseMoveError, wxf};
pub use perft::{divide, perft};
pub use position::{Position, Undo};
pub use role::{Piece, Role};
pub use setup::{Setup, SetupError};
pub(crate) use square::SQUARES;
pub use square::{ParseSquareError, Square, Squares, flip, mirror, squares};

/// A set of squares: bit 0 is a0, bit 9 is a9, bit 89 is i9. The 38 bits above are zero.
pub type Bitboard = u128;
