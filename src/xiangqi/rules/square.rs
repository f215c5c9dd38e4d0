//! The 90 squares.

use std::fmt;
use std::iter::FusedIterator;
use std::str::FromStr;

use super::Bitboard;
use crate::game::Color;

/// How many squares a board has.
pub const SQUARES: usize = 90;

/// How many files a board has.
pub const FILES: usize = 9;

/// How many ranks a board has.
pub const RANKS: usize = 10;

/// The set of all squares.
pub const ALL_SQUARES: Bitboard = (1 << SQUARES) - 1;

/// The ten squares of the a-file; `A_FILE << 10 * file` is another file.
pub const A_FILE: Bitboard = (1 << RANKS) - 1;

/// The nine squares of the lowest rank; `FIRST_RANK << rank` is another rank.
pub const FIRST_RANK: Bitboard = {
    let mut set = 0;
    let mut file = 0;
    while file < FILES {
        set |= 1 << (RANKS * file);
        file += 1;
    }
    set
};

/// A square, numbered file by file: a0 = 0, a1 = 1, … a9 = 9, b0 = 10, … i9 = 89.
///
/// Files are a to i from red's left, ranks 0 to 9 from red's side. (Some programs count ranks from
/// 1.)
///
/// Sets of squares are words of 128 bits ([`Bitboard`]), and the numbers run along files because
/// that suits such words:
///
/// - left and right are the only symmetry of the board. Mirroring exchanges whole files, four pairs
///   of ten-bit fields;
/// - a step sideways is a shift by ten that leaves the board only at the ends of the word; only
///   steps along a file need to be masked. Kings face each other, and pawns walk, along runs of
///   neighbouring bits;
/// - the legs of a knight and the eyes of an elephant are 1, 10, 9 or 11 bits away, four different
///   numbers modulo 8 each: the sets fold into a byte
///   ([`attacks::Folded`](super::attacks::Folded)). Numbers along ranks collide;
/// - exchanging the sides and left and right at once is 89 minus the number: one reversal of bits.
///
/// # Examples
///
/// ```
/// use retrograde::xiangqi::rules::Square;
///
/// let square: Square = "h2".parse()?;
/// assert_eq!(square.index(), 72);
/// assert_eq!((square.file(), square.rank()), (7, 2));
/// # Ok::<(), retrograde::xiangqi::rules::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square of that number, or `None` from 90 on.
    #[inline]
    pub const fn new(number: u8) -> Option<Square> {
        Square::from_index(number as usize)
    }

    /// The square of that number, or `None` from 90 on.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < SQUARES {
            Some(Square(index as u8))
        } else {
            None
        }
    }

    /// The square of a file (0 is the a-file) and a rank (0 is red's back rank), or `None` off the
    /// board.
    #[inline]
    pub const fn from_coords(file: u8, rank: u8) -> Option<Square> {
        if file < FILES as u8 && rank < RANKS as u8 {
            Some(Square(file * RANKS as u8 + rank))
        } else {
            None
        }
    }

    /// The square of a number that is known to be below 90.
    #[inline]
    pub(crate) const fn trusted(number: u32) -> Square {
        debug_assert!(number < SQUARES as u32);
        Square(number as u8)
    }

    /// Every square, a0 first.
    pub fn all() -> Squares {
        Squares(ALL_SQUARES)
    }

    /// 0 to 89.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 for the a-file to 8 for the i-file.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 / RANKS as u8
    }

    /// 0 for red's back rank to 9 for black's.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 % RANKS as u8
    }

    /// The rank as that side counts: 0 is its own back rank, from 5 on it is across the river.
    #[inline]
    pub const fn rank_for(self, color: Color) -> u8 {
        match color {
            Color::White => self.rank(),
            Color::Black => RANKS as u8 - 1 - self.rank(),
        }
    }

    /// The set of this square alone.
    #[inline]
    pub const fn bit(self) -> Bitboard {
        1 << self.0
    }

    /// The square with left and right exchanged.
    #[inline]
    #[must_use]
    pub const fn mirrored(self) -> Square {
        Square((FILES as u8 - 1 - self.file()) * RANKS as u8 + self.rank())
    }

    /// The square with red's and black's end exchanged.
    #[inline]
    #[must_use]
    pub const fn flipped(self) -> Square {
        Square(self.file() * RANKS as u8 + RANKS as u8 - 1 - self.rank())
    }
}

/// A set with left and right exchanged.
///
/// # Examples
///
/// ```
/// use retrograde::xiangqi::{Square, mirror};
///
/// let b2: Square = "b2".parse()?;
/// let h2: Square = "h2".parse()?;
/// assert_eq!(mirror(b2.bit()), h2.bit());
/// # Ok::<(), retrograde::xiangqi::rules::ParseSquareError>(())
/// ```
#[inline]
pub const fn mirror(set: Bitboard) -> Bitboard {
    let mut mirrored = set & A_FILE << 40;
    let mut file = 0;
    while file < 4 {
        let left = A_FILE << (10 * file);
        let distance = 80 - 20 * file;
        mirrored |= set >> distance & left | (set & left) << distance;
        file += 1;
    }
    mirrored
}

/// A set with red's and black's end exchanged.
#[inline]
pub const fn flip(set: Bitboard) -> Bitboard {
    mirror(set.reverse_bits() >> (Bitboard::BITS - SQUARES as u32))
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no square: write a letter a to i and a digit 0 to 9, such as `h2`")]
pub struct ParseSquareError(String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(name: &str) -> Result<Square, ParseSquareError> {
        if let [file, rank] = name.as_bytes()
            && let Some(square) =
                Square::from_coords(file.wrapping_sub(b'a'), rank.wrapping_sub(b'0'))
        {
            return Ok(square);
        }
        Err(ParseSquareError(name.to_owned()))
    }
}

/// The squares of a set, lowest first; see [`squares`].
#[derive(Clone, Copy, Debug)]
pub struct Squares(Bitboard);

/// The squares of a set, a0 first. Bits from 90 on are no squares and are left out.
#[inline]
pub const fn squares(set: Bitboard) -> Squares {
    Squares(set & ALL_SQUARES)
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::trusted(self.0.trailing_zeros());
        self.0 &= self.0 - 1;
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}
impl FusedIterator for Squares {}
