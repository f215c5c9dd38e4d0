//! Forsyth-Edwards notation, in the dialects that programs use.
//!
//! All write a board of ten ranks, black's back rank first. Elephants are `B` or `E`, knights `N`
//! or `H`, and red to move is `w` or `r`; in any mixture. Two fields that chess needs, for castling
//! and en passant, are `-` and may be missing with the counters. What is printed has `B`, `N`, `w`
//! and all six fields.

use std::fmt::{self, Write};
use std::str::FromStr;

use super::square::{FILES, RANKS};
use super::{Piece, Position, Role, Setup, SetupError, Square, squares};
use crate::counted::counted;
use crate::game::{Color, MAX_FULLMOVES};

/// Why a text is no FEN of a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// Too few or too many fields.
    #[error("FEN has {}: write board and side to move, and maybe `- - 0 1`", counted(*.0, "field"))]
    Fields(usize),
    /// Not ten ranks.
    #[error("FEN board has {}: a xiangqi board has 10, separated by `/`", counted(*.0, "rank"))]
    Ranks(usize),
    /// A rank that is not nine squares long.
    #[error("FEN board, rank {rank}: {} instead of 9 in `{text}`", counted(*.squares, "square"))]
    RankLength {
        /// 0 to 9.
        rank: u8,
        /// How many squares it describes.
        squares: usize,
        /// The rank's text.
        text: String,
    },
    /// A character that is neither a man nor a number of empty squares.
    #[error(
        "FEN board, rank {rank}: `{letter}` is no man; use KABNRCP (or E for B, H for N), lower case for black, and 1 to 9"
    )]
    Letter {
        /// 0 to 9.
        rank: u8,
        /// The character.
        letter: char,
    },
    /// A side to move that is none.
    #[error("FEN side to move is `{0}`: write `w` (or `r`) for red, `b` for black")]
    Turn(String),
    /// Something in the fields for castling and en passant.
    #[error("FEN field {number} is `{text}`: xiangqi has nothing to say there, write `-`")]
    Unused {
        /// 3 or 4.
        number: usize,
        /// The field.
        text: String,
    },
    /// A counter that is not a number or is too large.
    #[error("FEN {name} is `{text}`: write a number from 0 to {max}")]
    Counter {
        /// Which counter.
        name: &'static str,
        /// The field.
        text: String,
        /// The largest number that fits.
        max: u32,
    },
    /// The fields are readable, but do not make a position.
    #[error("FEN is not a legal position: {0}")]
    Setup(#[from] SetupError),
}

impl Setup {
    /// Reads the two, four or six fields of a FEN, without checking that they make a position.
    ///
    /// # Errors
    ///
    /// When a field cannot be read.
    pub fn from_fen(fen: &str) -> Result<Setup, FenError> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
        let (&[board, turn], rest) = match fields.split_first_chunk() {
            Some((first, rest)) if matches!(rest.len(), 0 | 2 | 4) => (first, rest),
            _ => return Err(FenError::Fields(fields.len())),
        };
        let mut setup = Setup::empty();
        read_board(board, &mut setup)?;
        setup.turn = match turn {
            "w" | "r" => Color::White,
            "b" => Color::Black,
            _ => return Err(FenError::Turn(turn.to_owned())),
        };
        for (number, &text) in (3..=4).zip(rest) {
            if text != "-" {
                let text = text.to_owned();
                return Err(FenError::Unused { number, text });
            }
        }
        if let &[_, _, halfmoves, fullmoves] = rest {
            setup.halfmoves = read_counter("halfmove clock", halfmoves, u16::MAX.into())?;
            setup.fullmoves = read_counter("move number", fullmoves, MAX_FULLMOVES)?;
        }
        Ok(setup)
    }

    /// The six fields of a FEN.
    pub fn to_fen(&self) -> String {
        self.to_string()
    }
}

fn read_board(board: &str, setup: &mut Setup) -> Result<(), FenError> {
    let count = board.split('/').count();
    if count != RANKS {
        return Err(FenError::Ranks(count));
    }
    for (rank, text) in (0..RANKS as u8).rev().zip(board.split('/')) {
        let mut file = 0;
        for letter in text.chars() {
            if let Some(empty @ 1..=9) = letter.to_digit(10) {
                file += empty as usize;
            } else if let Some(piece) = Piece::from_letter(letter) {
                if let Some(square) = Square::from_coords(file.min(FILES) as u8, rank) {
                    setup.put(piece, square);
                }
                file += 1;
            } else {
                return Err(FenError::Letter { rank, letter });
            }
        }
        if file != FILES {
            return Err(FenError::RankLength {
                rank,
                squares: file,
                text: text.to_owned(),
            });
        }
    }
    Ok(())
}

fn read_counter<T: TryFrom<u32>>(name: &'static str, text: &str, max: u32) -> Result<T, FenError> {
    let wrong = || FenError::Counter {
        name,
        text: text.to_owned(),
        max,
    };
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: u32 = text.parse().map_err(|_| wrong())?;
    if number > max {
        return Err(wrong());
    }
    T::try_from(number).map_err(|_| wrong())
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut board = [['1'; FILES]; RANKS];
        for color in Color::ALL {
            for (role, &set) in Role::ALL.into_iter().zip(&self.pieces[color.index()]) {
                for square in squares(set) {
                    board[usize::from(square.rank())][usize::from(square.file())] =
                        role.of(color).letter();
                }
            }
        }
        for (i, rank) in board.iter().rev().enumerate() {
            if i > 0 {
                f.write_char('/')?;
            }
            for run in rank.chunk_by(|a, b| *a == '1' && *b == '1') {
                if run[0] == '1' {
                    write!(f, "{}", run.len())?;
                } else {
                    f.write_char(run[0])?;
                }
            }
        }
        let turn = self.turn.letter();
        write!(f, " {turn} - - {} {}", self.halfmoves, self.fullmoves)
    }
}

impl Position {
    /// Reads a FEN of two, four or six fields; without counters they are 0 and 1.
    ///
    /// # Errors
    ///
    /// One line that says which field is wrong, how, and what to write; see [`FenError`].
    ///
    /// # Examples
    ///
    /// ```
    /// use retrograde::xiangqi::rules::Position;
    ///
    /// let position = Position::from_fen("9/9/5k3/9/9/9/3p5/3K5/3R5/9 r")?;
    /// assert_eq!(position.to_fen(), "9/9/5k3/9/9/9/3p5/3K5/3R5/9 w - - 0 1");
    /// let error = Position::from_fen("4k4/9/9/9/9/9/9/9/9/4K4 w").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "FEN is not a legal position: the kings on e0 and e9 face each other: put a man between them or move one"
    /// );
    /// # Ok::<(), retrograde::xiangqi::rules::FenError>(())
    /// ```
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        Ok(Position::from_setup(&Setup::from_fen(fen)?)?)
    }

    /// The FEN of the position, six fields.
    pub fn to_fen(&self) -> String {
        self.to_setup().to_fen()
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Position, FenError> {
        Position::from_fen(fen)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_setup(), f)
    }
}
