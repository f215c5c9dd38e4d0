//! The parts of a position, before they are known to fit.

use super::castling::CastlingMove;
use super::{Bitboard, CastlingRights, CastlingSide, Piece, Role, Square, attacks, squares};
use crate::counted::counted;
use crate::game::Color;

/// A position in parts, not checked yet; [`Position::from_setup`](super::Position::from_setup)
/// checks it.
///
/// # Examples
///
/// ```
/// use retrograde::game::Color;
/// use retrograde::chess::{Position, Role, Setup};
///
/// let mut setup = Setup::empty();
/// setup.put(Role::King.of(Color::White), "e1".parse()?);
/// setup.put(Role::King.of(Color::Black), "e8".parse()?);
/// setup.put(Role::Queen.of(Color::White), "d1".parse()?);
/// setup.turn = Color::Black;
/// let position = Position::from_setup(&setup)?;
/// assert_eq!(position.to_fen(), "4k3/8/8/8/8/8/8/3QK3 b - - 0 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The men, by color and role.
    pub pieces: [[Bitboard; 6]; 2],
    /// The side to move.
    pub turn: Color,
    /// Castling rights.
    pub castling: CastlingRights,
    /// The square behind a pawn that just made a double step.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
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
    /// No king, or several.
    #[error("{color} has {count} kings: put exactly one on the board")]
    Kings {
        /// Whose.
        color: Color,
        /// How many.
        count: u32,
    },
    /// Kings next to each other.
    #[error("the kings on {white} and {black} touch: move one of them")]
    TouchingKings {
        /// White's king.
        white: Square,
        /// Black's king.
        black: Square,
    },
    /// A pawn where none can be.
    #[error("pawn on {0}: pawns stand on the second to the seventh rank")]
    PawnRank(Square),
    /// More than 16 men of one side.
    #[error("{color} has {count} men: a side has at most 16")]
    TooManyMen {
        /// Whose.
        color: Color,
        /// How many.
        count: u32,
    },
    /// More promoted pieces than pawns are missing.
    #[error(
        "{color} has {} and at least {}: together at most 8", counted(*.pawns, "pawn"), counted(*.promoted, "promoted piece")
    )]
    TooManyPromoted {
        /// Whose.
        color: Color,
        /// How many pawns.
        pawns: u32,
        /// How many pieces beyond the first set.
        promoted: u32,
    },
    /// A castling right without king or rook on its square.
    #[error(
        "castling right `{right}` needs a {missing} on {square}: remove the right or add the piece"
    )]
    Castling {
        /// The right's FEN letter.
        right: char,
        /// What is not there.
        missing: &'static str,
        /// Where it is not.
        square: Square,
    },
    /// An en-passant square that no double step can have left.
    #[error(
        "en-passant square {square}: {reason}; write `-` if no pawn has just made a double step"
    )]
    EnPassant {
        /// The square.
        square: Square,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The side that just moved is in check.
    #[error(
        "{color}'s king on {king} is in check and it is not {color}'s turn: change the side to move"
    )]
    OpponentInCheck {
        /// Whose king.
        color: Color,
        /// Where it is.
        king: Square,
    },
}

impl Setup {
    /// An empty board, white to move.
    pub const fn empty() -> Setup {
        Setup {
            pieces: [[0; 6]; 2],
            turn: Color::White,
            castling: CastlingRights::NONE,
            en_passant: None,
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
        self.check_overlap()?;
        for color in Color::ALL {
            self.check_material(color)?;
        }
        let [white, black] = Color::ALL.map(|color| {
            let kings = self.pieces[color.index()][Role::King.index()];
            Square::wrapping(kings.trailing_zeros())
        });
        if attacks::king(white) & black.bit() != 0 {
            return Err(SetupError::TouchingKings { white, black });
        }
        self.check_castling()?;
        self.en_passant
            .map_or(Ok(()), |square| self.check_en_passant(square))
    }

    fn check_overlap(&self) -> Result<(), SetupError> {
        let mut occupied = 0;
        for set in self.pieces.as_flattened() {
            if let Some(square) = squares(occupied & set).next() {
                return Err(SetupError::Overlap(square));
            }
            occupied |= set;
        }
        Ok(())
    }

    fn check_material(&self, color: Color) -> Result<(), SetupError> {
        const BACK_RANKS: Bitboard = 0xff00_0000_0000_00ff;
        let sets = &self.pieces[color.index()];
        let count = |role: Role| sets[role.index()].count_ones();
        if count(Role::King) != 1 {
            return Err(SetupError::Kings {
                color,
                count: count(Role::King),
            });
        }
        if let Some(square) = squares(sets[Role::Pawn.index()] & BACK_RANKS).next() {
            return Err(SetupError::PawnRank(square));
        }
        let men = sets.iter().map(|set| set.count_ones()).sum();
        if men > 16 {
            return Err(SetupError::TooManyMen { color, count: men });
        }
        let promoted = [
            (Role::Knight, 2),
            (Role::Bishop, 2),
            (Role::Rook, 2),
            (Role::Queen, 1),
        ]
        .into_iter()
        .map(|(role, first)| count(role).saturating_sub(first))
        .sum();
        if count(Role::Pawn) + promoted > 8 {
            return Err(SetupError::TooManyPromoted {
                color,
                pawns: count(Role::Pawn),
                promoted,
            });
        }
        Ok(())
    }

    fn check_castling(&self) -> Result<(), SetupError> {
        for (color, side, right) in [
            (Color::White, CastlingSide::King, 'K'),
            (Color::White, CastlingSide::Queen, 'Q'),
            (Color::Black, CastlingSide::King, 'k'),
            (Color::Black, CastlingSide::Queen, 'q'),
        ] {
            if !self.castling.has(color, side) {
                continue;
            }
            let squares = CastlingMove::new(color, side);
            for (role, missing, square) in [
                (Role::King, "king", squares.king_from),
                (Role::Rook, "rook", squares.rook_from),
            ] {
                if self.pieces[color.index()][role.index()] & square.bit() == 0 {
                    return Err(SetupError::Castling {
                        right,
                        missing,
                        square,
                    });
                }
            }
        }
        Ok(())
    }

    fn check_en_passant(&self, square: Square) -> Result<(), SetupError> {
        let mover = !self.turn;
        let pawns = self.pieces[mover.index()][Role::Pawn.index()];
        let reason = if square.rank_for(mover) != 2 {
            match self.turn {
                Color::White => "with white to move it is on the sixth rank",
                Color::Black => "with black to move it is on the third rank",
            }
        } else if pawns & square.ahead(mover).bit() == 0 {
            "no pawn in front of it"
        } else if self.occupied() & (square.bit() | square.ahead(!mover).bit()) != 0 {
            "the pawn's way there is not empty"
        } else {
            return Ok(());
        };
        Err(SetupError::EnPassant { square, reason })
    }
}
