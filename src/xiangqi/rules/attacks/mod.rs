//! Where men can go.
//!
//! King, advisor and pawn step to the same squares whatever else stands on the board. A knight or
//! an elephant needs a neighbouring square empty, its leg or eye: [`LegMoves`]. Rook and cannon
//! move along ranks and files, and the cannon captures over exactly one man, its screen:
//! [`LineMoves`]. Each trait has several schemes:
//!
//! | scheme | what it does | tables |
//! |---|---|---|
//! | [`Steps`] | tests each leg or eye | four entries for each square |
//! | [`Folded`] | looks all four up at once by their checksum | 256 entries for each square |
//! | [`Lines`] | looks rank and file up by their occupied squares | 1024 entries for each rank of a file, 512 for each file of a rank |
//! | [`Walk`] | goes square by square; the others are tested against it | |
//!
//! The free functions are the schemes that a set-wise solver wants, from a set of occupied squares.

mod folded;
mod lines;
mod steps;
mod walk;

pub use folded::{Folded, beside, checksum, diagonal, unfold};
use lines::Cross;
pub use lines::{BitLines, Lines, between, bit_file, bit_rank};
pub(super) use lines::{FILE_MASKS, FILE_PLACES, NOWHERE, RANK_MASKS, RANK_PLACES};
pub(super) use steps::{
    ADVISOR_LISTS, ELEPHANT_LISTS, KING_LISTS, KNIGHT_LISTS, LEG_OF_DIFFERENCE, PAWN_LISTS,
    STEPPERS,
};
pub use steps::{Steps, advisor, king, pawn, pawn_attackers};
pub use walk::Walk;

use super::square::{A_FILE, ALL_SQUARES, FIRST_RANK};
use super::{Bitboard, Square};

/// A way to find the moves of knight and elephant.
///
/// # Examples
///
/// ```
/// use retrograde::xiangqi::rules::attacks::{Folded, LegMoves, Steps};
/// use retrograde::xiangqi::rules::Square;
///
/// let [b0, b1]: [Square; 2] = ["b0".parse()?, "b1".parse()?];
/// let blocked = b1.bit();
/// assert_eq!(Steps::knight(b0, blocked).count_ones(), 1); // d1 is left, a2 and c2 are not
/// assert_eq!(Folded::knight(b0, blocked), Steps::knight(b0, blocked));
/// # Ok::<(), retrograde::xiangqi::rules::ParseSquareError>(())
/// ```
pub trait LegMoves {
    /// The squares a knight on `square` can go to, occupied or not.
    fn knight(square: Square, occupied: Bitboard) -> Bitboard;

    /// The squares an elephant on `square` can go to, occupied or not; none from squares where no
    /// elephant stands.
    fn elephant(square: Square, occupied: Bitboard) -> Bitboard;

    /// The squares from which a knight could go to `square`. They are not those of
    /// [`knight`](LegMoves::knight): the legs are next to the knights, which makes them the
    /// diagonal neighbours of `square`.
    fn knight_attackers(square: Square, occupied: Bitboard) -> Bitboard;
}

/// A way to find the moves of rook and cannon. Whether `square` itself is occupied makes no
/// difference.
pub trait LineMoves {
    /// What the scheme looks lines up in.
    type Occupancy;

    /// The scheme's view of the occupied squares, built on the fly.
    fn occupancy(occupied: Bitboard) -> Self::Occupancy;

    /// The empty squares a rook or a cannon on `square` can go to.
    fn quiet(square: Square, occupancy: &Self::Occupancy) -> Bitboard;

    /// The men a rook on `square` could capture, of either side: the first each way.
    fn rook_captures(square: Square, occupancy: &Self::Occupancy) -> Bitboard;

    /// The men a cannon on `square` could capture, of either side: the second each way.
    fn cannon_captures(square: Square, occupancy: &Self::Occupancy) -> Bitboard;
}

/// The empty squares a rook or a cannon on `square` can go to.
#[inline]
pub fn quiet(square: Square, occupied: Bitboard) -> Bitboard {
    Cross::on_the_fly(square, occupied).quiet()
}

/// The first man each way: what a rook on `square` could capture if it is an enemy.
#[inline]
pub fn rook_captures(square: Square, occupied: Bitboard) -> Bitboard {
    Cross::on_the_fly(square, occupied).rook_captures()
}

/// The second man each way: what a cannon on `square` could capture if it is an enemy. Seen from a
/// king, these are the squares from which cannons give check.
#[inline]
pub fn cannon_captures(square: Square, occupied: Bitboard) -> Bitboard {
    Cross::on_the_fly(square, occupied).cannon_captures()
}

/// The squares a rook on `square` attacks: empty ones up to the first man each way, and that man's.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let lines = Cross::on_the_fly(square, occupied);
    lines.quiet() | lines.rook_captures()
}

/// The squares a knight on `square` attacks.
#[inline]
pub fn knight(square: Square, occupied: Bitboard) -> Bitboard {
    Steps::knight(square, occupied)
}

/// The squares an elephant on `square` attacks; none from squares where no elephant stands.
#[inline]
pub fn elephant(square: Square, occupied: Bitboard) -> Bitboard {
    Steps::elephant(square, occupied)
}

/// The squares from which a knight attacks `square`.
#[inline]
pub fn knight_attackers(square: Square, occupied: Bitboard) -> Bitboard {
    Steps::knight_attackers(square, occupied)
}

/// The squares that decide, by being occupied or not, which of the men around attack `square`: its
/// file and rank, and its diagonal neighbours, the legs of knights.
#[inline]
pub fn relevant(square: Square) -> Bitboard {
    let (file, rank) = (square.file(), square.rank());
    let lines = A_FILE << (10 * file) | FIRST_RANK << rank;
    lines & !square.bit() | diagonal(square)
}
