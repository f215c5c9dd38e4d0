//! The shared move generator: what chess and xiangqi have in common, and the two games.
//!
//! A set of squares is one machine word: `u64` holds the 64 squares of a chess board, `u128` the 90
//! points of a xiangqi board. [`Bits`] is what algorithms over sets need of such a word.

mod bits;
pub mod repetition;
mod table;

use std::fmt;
use std::ops::Not;
use std::str::FromStr;

pub use bits::{Bits, Ones};
pub use table::{Numbered, Signature, TableGame};

/// The highest move number that a FEN may have. It stays there, however long the game goes on.
pub const MAX_FULLMOVES: u32 = 1_000_000_000;

/// The two sides. In xiangqi, `White` is red: the side that moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// The side that moves first.
    White,
    /// The side that moves second.
    Black,
}

impl Color {
    /// Both sides, first mover first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for white, 1 for black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter that FEN uses for the side to move.
    pub const fn letter(self) -> char {
        match self {
            Color::White => 'w',
            Color::Black => 'b',
        }
    }
}

impl Not for Color {
    type Output = Color;

    #[inline]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::White => "white",
            Color::Black => "black",
        })
    }
}

/// The games this crate knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Game {
    /// Orthodox chess on 64 squares.
    #[default]
    Chess,
    /// Xiangqi, Chinese chess, on 90 points.
    Xiangqi,
}

impl Game {
    /// Both, in the order of their numbers.
    pub const ALL: [Game; 2] = [Game::Chess, Game::Xiangqi];

    /// The number in table files.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// What a side is called.
    #[must_use]
    pub const fn name_of(self, side: Color) -> &'static str {
        match (self, side) {
            (Game::Chess, Color::White) => "white",
            (Game::Xiangqi, Color::White) => "red",
            (_, Color::Black) => "black",
        }
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Game::Chess => "chess",
            Game::Xiangqi => "xiangqi",
        })
    }
}

/// A name that is not a game's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown game `{0}`: use `chess` or `xiangqi`")]
pub struct ParseGameError(String);

impl FromStr for Game {
    type Err = ParseGameError;

    fn from_str(name: &str) -> Result<Game, ParseGameError> {
        match name {
            "chess" => Ok(Game::Chess),
            "xiangqi" => Ok(Game::Xiangqi),
            _ => Err(ParseGameError(name.to_owned())),
        }
    }
}
