//! The 64 squares.

use std::fmt;
use std::iter::FusedIterator;
use std::str::FromStr;

use super::Bitboard;
use crate::game::Color;

/// A square, numbered a1 = 0, b1 = 1, … h1 = 7, a2 = 8, … h8 = 63.
///
/// # Examples
///
/// ```
/// use retrograde::chess::rules::Square;
///
/// let square: Square = "e4".parse()?;
/// assert_eq!(square.index(), 28);
/// assert_eq!((square.file(), square.rank()), (4, 3));
/// # Ok::<(), retrograde::chess::rules::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square of that number, or `None` from 64 on.
    #[inline]
    pub const fn new(number: u8) -> Option<Square> {
        if number < 64 {
            Some(Square(number))
        } else {
            None
        }
    }

    /// The square of that number, or `None` from 64 on.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < 64 {
            Some(Square(index as u8))
        } else {
            None
        }
    }

    /// The square of a file (0 is the a-file) and a rank (0 is the first), or `None` off the board.
    #[inline]
    pub const fn from_coords(file: u8, rank: u8) -> Option<Square> {
        if file < 8 && rank < 8 {
            Some(Square(rank * 8 + file))
        } else {
            None
        }
    }

    /// The square whose number is `number` modulo 64.
    #[inline]
    pub(crate) const fn wrapping(number: u32) -> Square {
        Square((number & 63) as u8)
    }

    /// Every square, a1 first.
    pub fn all() -> Squares {
        Squares(Bitboard::MAX)
    }

    /// 0 to 63.
    #[inline]
    pub const fn index(self) -> usize {
        // The mask tells the compiler what the constructor guarantees: no bounds checks on [T; 64].
        (self.0 & 63) as usize
    }

    /// 0 for the a-file to 7 for the h-file.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 for the first rank to 7 for the eighth.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The rank as that side counts: 0 is its own back rank.
    #[inline]
    pub const fn rank_for(self, color: Color) -> u8 {
        match color {
            Color::White => self.rank(),
            Color::Black => 7 - self.rank(),
        }
    }

    /// The set of this square alone.
    #[inline]
    pub const fn bit(self) -> Bitboard {
        1 << (self.0 & 63)
    }

    /// The larger of the distances in files and in ranks: how many moves a king needs.
    pub const fn distance(self, other: Square) -> u8 {
        let files = self.file().abs_diff(other.file());
        let ranks = self.rank().abs_diff(other.rank());
        if files > ranks { files } else { ranks }
    }

    /// The square one step ahead for that side, wrapping around the board's ends.
    #[inline]
    pub(crate) const fn ahead(self, color: Color) -> Square {
        Square::wrapping(match color {
            Color::White => self.0 as u32 + 8,
            Color::Black => self.0 as u32 + 56,
        })
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            char::from(b'a' + self.file()),
            char::from(b'1' + self.rank())
        )
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no square: write a letter a to h and a digit 1 to 8, such as `e4`")]
pub struct ParseSquareError(String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(name: &str) -> Result<Square, ParseSquareError> {
        if let [file, rank] = name.as_bytes()
            && let Some(square) =
                Square::from_coords(file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'))
        {
            return Ok(square);
        }
        Err(ParseSquareError(name.to_owned()))
    }
}

/// The squares of a set, lowest first; see [`squares`].
#[derive(Clone, Copy, Debug)]
pub struct Squares(Bitboard);

/// The squares of a set, a1 first.
///
/// # Examples
///
/// ```
/// use retrograde::chess::rules::squares;
///
/// let names: Vec<String> = squares(0x8000_0000_0000_0001).map(|s| s.to_string()).collect();
/// assert_eq!(names, ["a1", "h8"]);
/// ```
#[inline]
pub const fn squares(set: Bitboard) -> Squares {
    Squares(set)
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::wrapping(self.0.trailing_zeros());
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
