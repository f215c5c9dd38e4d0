//! The parts of a position, before they are known to fit.

use super::attacks::between;
use super::{Bitboard, Piece, Role, Square, squares};
use crate::game::Color;

/// A position in parts, not checked yet; [`Position::from_setup`](super::Position::from_setup)
/// checks it.
///
/// # Examples
///
/// ```
/// use retrograde::game::Color;
/// use retrograde::xiangqi::{Position, Role, Setup};
///
/// let mut setup = Setup::empty();
/// setup.put(Role::King.of(Color::White), "e0".parse()?);
/// setup.put(Role::King.of(Color::Black), "d9".parse()?);
/// setup.put(Role::Rook.of(Color::White), "a0".parse()?);
/// let position = Position::from_setup(&setup)?;
/// assert_eq!(position.to_fen(), "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The men, by color and role.
    pub pieces: [[Bitboard; 7]; 2],
    /// The side to move.
    pub turn: Color,
    /// Plies since the last capture.
    pub halfmoves: u16,
    /// The number of the move, from 1.
    pub fullmoves: u32,
}

/// Why a setup is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Two men on one square.
    #[error("two men on {0}: a square holds one")]
    Overlap(Square),
    /// Bits of a set that are no squares.
    #[error("a set of men has bits beyond the 90 squares")]
    OffBoard,
    /// No king, or several.
    #[error("{} has {count} kings: put exactly one on the board", name(*.color))]
    Kings {
        /// Whose.
        color: Color,
        /// How many.
        count: u32,
    },
    /// More men of a kind than there are.
    #[error("{} has {count} men `{}`: a side has at most {}", name(*.piece), .piece, .piece.role.limit())]
    TooMany {
        /// Which men.
        piece: Piece,
        /// How many.
        count: u32,
    },
    /// A man where it can never get.
    #[error("`{piece}` on {square}: {}", domain(*.piece))]
    Domain {
        /// Which man.
        piece: Piece,
        /// Where it cannot be.
        square: Square,
    },
    /// The kings see each other.
    #[error("the kings on {red} and {black} face each other: put a man between them or move one")]
    FacingKings {
        /// Red's king.
        red: Square,
        /// Black's king.
        black: Square,
    },
    /// The side that just moved is in check.
    #[error(
        "{}'s king on {king} is in check and it is not {}'s turn: change the side to move", name(*.color), name(*.color)
    )]
    OpponentInCheck {
        /// Whose king.
        color: Color,
        /// Where it is.
        king: Square,
    },
}

/// What the sides are called in xiangqi.
fn name(owner: impl Into<Owner>) -> &'static str {
    match owner.into().0 {
        Color::White => "red",
        Color::Black => "black",
    }
}

struct Owner(Color);

impl From<Color> for Owner {
    fn from(color: Color) -> Owner {
        Owner(color)
    }
}

impl From<Piece> for Owner {
    fn from(piece: Piece) -> Owner {
        Owner(piece.color)
    }
}

/// Where men of a kind can be, in words.
fn domain(piece: Piece) -> &'static str {
    match (piece.role, piece.color) {
        (Role::King, Color::White) => "red's king stays in its palace, d0 to f2",
        (Role::King, Color::Black) => "black's king stays in its palace, d7 to f9",
        (Role::Advisor, Color::White) => "red's advisors stand on d0, f0, e1, d2 or f2",
        (Role::Advisor, Color::Black) => "black's advisors stand on d9, f9, e8, d7 or f7",
        (Role::Elephant, Color::White) => "red's elephants stand on c0, g0, a2, e2, i2, c4 or g4",
        (Role::Elephant, Color::Black) => "black's elephants stand on c9, g9, a7, e7, i7, c5 or g5",
        (Role::Pawn, Color::White) => {
            "red's pawns stand on the files a, c, e, g, i of ranks 3 and 4, or from rank 5 on"
        }
        (Role::Pawn, Color::Black) => {
            "black's pawns stand on the files a, c, e, g, i of ranks 6 and 5, or from rank 4 down"
        }
        _ => "such men can stand anywhere",
    }
}

impl Setup {
    /// An empty board, red to move.
    pub const fn empty() -> Setup {
        Setup {
            pieces: [[0; 7]; 2],
            turn: Color::White,
            halfmoves: 0,
            fullmoves: 1,
        }
    }

    /// Adds a man.
    pub const fn put(&mut self, piece: Piece, square: Square) {
        self.pieces[piece.color.index()][piece.role.index()] |= square.bit();
    }

    /// The occupied squares.
    pub fn occupied(&self) -> Bitboard {
        self.pieces
            .as_flattened()
            .iter()
            .fold(0, |all, set| all | set)
    }

    /// Everything that can be said without looking for check.
    pub(super) fn check_placement(&self) -> Result<(), SetupError> {
        if self.occupied() & !super::square::ALL_SQUARES != 0 {
            return Err(SetupError::OffBoard);
        }
        let mut occupied = 0;
        for set in self.pieces.as_flattened() {
            if let Some(square) = squares(occupied & set).next() {
                return Err(SetupError::Overlap(square));
            }
            occupied |= set;
        }
        for color in Color::ALL {
            for role in Role::ALL {
                self.check_men(role.of(color))?;
            }
        }
        let [red, black] = Color::ALL.map(|color| {
            let kings = self.pieces[color.index()][Role::King.index()];
            Square::trusted(kings.trailing_zeros())
        });
        if red.file() == black.file() && between(red, black) & occupied == 0 {
            return Err(SetupError::FacingKings { red, black });
        }
        Ok(())
    }

    fn check_men(&self, piece: Piece) -> Result<(), SetupError> {
        let men = self.pieces[piece.color.index()][piece.role.index()];
        let count = men.count_ones();
        if piece.role == Role::King && count != 1 {
            return Err(SetupError::Kings {
                color: piece.color,
                count,
            });
        }
        if count > piece.role.limit() {
            return Err(SetupError::TooMany { piece, count });
        }
        match squares(men & !piece.role.domain(piece.color)).next() {
            Some(square) => Err(SetupError::Domain { piece, square }),
            None => Ok(()),
        }
    }
}
