//! Chess: squares, pieces, attacks, positions, moves and their notations.

pub mod attacks;
mod role;
mod square;

pub use role::{Piece, Role};
pub use square::{ParseSquareError, Square, Squares, squares};

/// A set of squares: bit 0 is a1, bit 7 is h1, bit 63 is h8.
pub type Bitboard = u64;
