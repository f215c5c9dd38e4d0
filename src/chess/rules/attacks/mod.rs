//! Which squares a piece attacks.
//!
//! King, knight and pawn attack the same squares whatever else stands on the board: one table each.
//! Rook, bishop and queen slide until something stops them, so their attacks depend on the occupied
//! squares of up to four lines. Four schemes answer that question here, behind one
//! trait, [`SliderAttacks`]:
//!
//! | scheme | one line costs | tables |
//! |---|---|---|
//! | [`Swafford`] | shift and mask of a rotated board, one load | 256 entries for each square and line, 512 KiB |
//! | [`DarkThought`] | the same, without the two end squares | 2<sup>n−2</sup> entries for a line of n squares, 84 KiB |
//! | [`Hyperbola`] | two subtractions and two bit reversals | 4 masks for each square, 2 KiB |
//! | [`Magic`] | (both lines) one multiplication, one load | 841 KiB |
//!
//! [`RayWalk`] steps along the rays and is what all four are tested against. The free functions
//! [`rook`], [`bishop`] and [`queen`] are the fastest of them where only the occupied squares are
//! at hand, which `benches/attacks.rs` measures.
//!
//! ## Why boards are rotated
//!
//! The squares of a rank are eight neighbouring bits, so `(occupied >> 8 * rank) & 255` is the
//! *state* of a rank: a number that, with the square, tells everything about the attacks along that
//! rank. Take a rook on e6, with men on b6 and g6 as well (the a-file is bit 0, so the highest bit
//! printed is the h-file):
//!
//! ```text
//!     h g f e d c b a
//!     0 1 0 1 0 0 1 0     state of the sixth rank, 0x52
//!     0 1 1 0 1 1 1 0     attacks along it: b6 c6 d6, f6 g6
//! ```
//!
//! The squares of a file are not neighbours, nor are those of a diagonal. They are on a board that
//! is *rotated*: the same occupied squares with the bits in another order. [`RotatedOccupancy`] is
//! that: four boards, each of which has the lines of one direction as neighbouring bits. A piece
//! that moves changes two bits in each, so a position can keep them up to date instead of building
//! them on the fly.
//!
//! The two end squares of a line never change the answer: an attack that reaches the last square
//! stops there, occupied or not. Leaving them out of the state makes the vectors of a line of n
//! squares 2<sup>n−2</sup> entries long instead of 2<sup>n</sup>; that is what [`DarkThought`]
//! calls compressed.

mod compressed;
mod hyperbola;
mod magic;
mod ray;
mod rotated;
mod steps;
mod swafford;

pub use compressed::DarkThought;
pub use hyperbola::Hyperbola;
pub use magic::Magic;
pub use ray::RayWalk;
pub use rotated::RotatedOccupancy;
pub(crate) use steps::behind;
pub use steps::{between, king, knight, line, pawn};
pub use swafford::Swafford;

use super::{Bitboard, Role, Square};
use crate::game::Color;

/// A way to find the attacks of rook, bishop and queen.
///
/// # Examples
///
/// ```
/// use retrograde::chess::rules::attacks::{DarkThought, Magic, SliderAttacks};
/// use retrograde::chess::rules::Square;
///
/// let e6: Square = "e6".parse()?;
/// let occupied = e6.bit() | 0x0000_4200_0000_0000; // b6 and g6
/// let rotated = DarkThought::occupancy(occupied);
/// assert_eq!(DarkThought::rook(e6, &rotated), Magic::rook(e6, &occupied));
/// # Ok::<(), retrograde::chess::rules::ParseSquareError>(())
/// ```
pub trait SliderAttacks {
    /// What the scheme looks lines up in.
    type Occupancy;

    /// The scheme's view of the occupied squares, built on the fly.
    fn occupancy(occupied: Bitboard) -> Self::Occupancy;

    /// The squares a rook on `square` attacks. Whether `square` itself is occupied makes no
    /// difference.
    fn rook(square: Square, occupancy: &Self::Occupancy) -> Bitboard;

    /// The squares a bishop on `square` attacks. Whether `square` itself is occupied makes no
    /// difference.
    fn bishop(square: Square, occupancy: &Self::Occupancy) -> Bitboard;

    /// The squares a queen on `square` attacks. Whether `square` itself is occupied makes no
    /// difference.
    #[inline]
    fn queen(square: Square, occupancy: &Self::Occupancy) -> Bitboard {
        Self::rook(square, occupancy) | Self::bishop(square, occupancy)
    }
}

/// The squares a rook on `square` attacks when `occupied` squares stop it.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Magic::rook(square, &occupied)
}

/// The squares a bishop on `square` attacks when `occupied` squares stop it.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Magic::bishop(square, &occupied)
}

/// The squares a queen on `square` attacks when `occupied` squares stop it.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    Magic::queen(square, &occupied)
}

/// The squares that a man of that color and role on `square` attacks.
#[inline]
pub fn attacks(color: Color, role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => pawn(color, square),
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => queen(square, occupied),
        Role::King => king(square),
    }
}
