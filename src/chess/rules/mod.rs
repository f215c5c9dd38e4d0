//! Chess: squares, pieces, attacks, positions, moves and their notations.

pub mod attacks;
mod board;
mod castling;
#[cfg(any(test, feature = "cozy-chess"))]
pub mod cozy;
mod fen;
mod movegen;
mod moves;
mod notation;
mod perft;
mod polyglot_randoms;
mod position;
mod role;
mod setup;
mod square;
pub mod zobrist;

pub use board::Board;
pub use castling::{CastlingRights, CastlingSide};
pub use fen::FenError;
pub use moves::{Move, MoveList};
pub use notation::{ParseMoveError, san};
pub use perft::{divide, perft};
pub use position::{Position, Undo};
pub use role::{Piece, Role};
pub use setup::{Setup, SetupError};
pub use square::{ParseSquareError, Square, Squares, squares};

/// A set of squares: bit 0 is a1, bit 7 is h1, bit 63 is h8.
pub type Bitboard = u64;
