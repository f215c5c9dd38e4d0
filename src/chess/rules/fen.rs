//! Forsyth-Edwards notation.

use std::fmt::{self, Write};
use std::str::FromStr;

use super::{CastlingRights, CastlingSide, Piece, Position, Setup, SetupError, Square};
use crate::counted::counted;
use crate::game::{Color, MAX_FULLMOVES};

/// Why a text is no FEN of a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// Too few or too many fields.
    #[error(
        "FEN has {}: write board, side to move, castling, en passant and, or without, the two counters", counted(*.0, "field")
    )]
    Fields(usize),
    /// Not eight ranks.
    #[error("FEN board has {}: write 8, separated by `/`", counted(*.0, "rank"))]
    Ranks(usize),
    /// A rank that is not eight squares long.
    #[error("FEN board, rank {rank}: {} instead of 8 in `{text}`", counted(*.squares, "square"))]
    RankLength {
        /// 1 to 8.
        rank: u8,
        /// How many squares it describes.
        squares: usize,
        /// The rank's text.
        text: String,
    },
    /// A character that is neither a man nor a number of empty squares.
    #[error("FEN board, rank {rank}: `{letter}` is no man; use PNBRQK, pnbrqk and 1 to 8")]
    Letter {
        /// 1 to 8.
        rank: u8,
        /// The character.
        letter: char,
    },
    /// A side to move that is neither `w` nor `b`.
    #[error("FEN side to move is `{0}`: write `w` or `b`")]
    Turn(String),
    /// Castling rights that are neither `-` nor some of `KQkq`.
    #[error("FEN castling rights are `{0}`: write `-` or some of `KQkq`, each once")]
    Castling(String),
    /// An en-passant field that is neither `-` nor a square.
    #[error("FEN en-passant square is `{0}`: write `-` or a square such as `e3`")]
    EnPassant(String),
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
    /// Reads the six fields of a FEN, or the first four, without checking that they make a
    /// position.
    ///
    /// # Errors
    ///
    /// When a field cannot be read.
    pub fn from_fen(fen: &str) -> Result<Setup, FenError> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
        let (&[board, turn, castling, en_passant], counters) = match fields.split_first_chunk() {
            Some((first, rest)) if rest.is_empty() || rest.len() == 2 => (first, rest),
            _ => return Err(FenError::Fields(fields.len())),
        };
        let mut setup = Setup::empty();
        read_board(board, &mut setup)?;
        setup.turn = match turn {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err(FenError::Turn(turn.to_owned())),
        };
        setup.castling = read_castling(castling)?;
        if en_passant != "-" {
            let square = en_passant
                .parse()
                .map_err(|_| FenError::EnPassant(en_passant.to_owned()))?;
            setup.en_passant = Some(square);
        }
        if let &[halfmoves, fullmoves] = counters {
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
    if count != 8 {
        return Err(FenError::Ranks(count));
    }
    for (rank, text) in (0..8).rev().zip(board.split('/')) {
        let mut file = 0;
        for letter in text.chars() {
            if let Some(empty @ 1..=8) = letter.to_digit(10) {
                file += empty as usize;
            } else if let Some(piece) = Piece::from_letter(letter) {
                if let Some(square) = Square::from_coords(file.min(8) as u8, rank) {
                    setup.put(piece, square);
                }
                file += 1;
            } else {
                return Err(FenError::Letter {
                    rank: rank + 1,
                    letter,
                });
            }
        }
        if file != 8 {
            return Err(FenError::RankLength {
                rank: rank + 1,
                squares: file,
                text: text.to_owned(),
            });
        }
    }
    Ok(())
}

fn read_castling(text: &str) -> Result<CastlingRights, FenError> {
    let wrong = || FenError::Castling(text.to_owned());
    let mut rights = CastlingRights::NONE;
    if text == "-" {
        return Ok(rights);
    }
    for letter in text.chars() {
        let (color, side) = match letter {
            'K' => (Color::White, CastlingSide::King),
            'Q' => (Color::White, CastlingSide::Queen),
            'k' => (Color::Black, CastlingSide::King),
            'q' => (Color::Black, CastlingSide::Queen),
            _ => return Err(wrong()),
        };
        if rights.has(color, side) {
            return Err(wrong());
        }
        rights = rights.with(CastlingRights::of(color, side));
    }
    Ok(rights)
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
        let mut board = ['1'; 64];
        for color in Color::ALL {
            for (role, &set) in super::Role::ALL
                .into_iter()
                .zip(&self.pieces[color.index()])
            {
                for square in super::squares(set) {
                    board[square.index()] = role.of(color).letter();
                }
            }
        }
        for (i, rank) in board.chunks(8).rev().enumerate() {
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
        write!(f, " {} {} ", self.turn.letter(), self.castling)?;
        match self.en_passant {
            Some(square) => write!(f, "{square}")?,
            None => f.write_char('-')?,
        }
        write!(f, " {} {}", self.halfmoves, self.fullmoves)
    }
}

impl Position {
    /// Reads a FEN, or its first four fields as EPD has them; the counters are then 0 and 1.
    ///
    /// # Errors
    ///
    /// One line that says which field is wrong, how, and what to write; see [`FenError`].
    ///
    /// # Examples
    ///
    /// ```
    /// use retrograde::chess::rules::Position;
    ///
    /// let error = Position::from_fen("8/8/8/8/8/8/4K3/8 w - - 0 1").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "FEN is not a legal position: black has 0 kings: put exactly one on the board"
    /// );
    /// ```
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        Ok(Position::from_setup(&Setup::from_fen(fen)?)?)
    }

    /// The FEN of the position, six fields, with the en-passant square as the position remembers
    /// it.
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
