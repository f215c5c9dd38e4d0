//! A position, and how a move changes it.

use std::fmt;
use std::ops::Deref;

use super::attacks::RotatedOccupancy;
use super::zobrist::{self, MaterialKey, TURN};
use super::{Board, CastlingRights, Move, Piece, Role, Setup, SetupError, Square, squares};
use crate::game::repetition::{Line, Repeatable};
use crate::game::{Color, MAX_FULLMOVES};

/// A legal chess position.
///
/// Built from a FEN, from a [`Setup`], or by playing moves; each way checks what it has to, so a
/// position always has one king on each side and never the side to move able to capture a king.
///
/// # En passant
///
/// A position remembers an en-passant square only when a pawn stands ready to capture there, as the
/// Polyglot keys require: after 1. e4 there is none. Whether that capture is legal is another
/// question, which [`legal_en_passant_square`](Board::legal_en_passant_square) answers. A FEN may
/// name the square after any double step; [`to_fen`](Position::to_fen) writes it only when it is
/// remembered.
///
/// # Examples
///
/// ```
/// use retrograde::chess::{Move, Position};
///
/// let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1")?;
/// let mate = Move::from_san(&position, "Ra8")?;
/// assert!(position.play(mate).is_checkmate());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board,
    keys: Keys,
    fullmoves: u32,
    halfmoves: u16,
}

/// What follows from the board, kept up to date by every move.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Keys {
    rotated: RotatedOccupancy,
    position: u64,
    pawns: u64,
}

impl Keys {
    /// A man appears on a square or vanishes.
    #[inline]
    fn toggle(&mut self, man: Piece, square: Square) {
        self.rotated.toggle(square);
        let number = zobrist::piece(man, square);
        self.position ^= number;
        if man.role == Role::Pawn {
            self.pawns ^= number;
        }
    }
}

/// What [`Position::unmake`] cannot know from the move: returned by [`Position::make`].
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    position_key: u64,
    pawn_key: u64,
    halfmoves: u16,
    fullmoves: u32,
    en_passant: Option<Square>,
    castling: CastlingRights,
}

impl Position {
    /// The position a game starts from.
    pub fn start() -> Position {
        use Role::{Bishop, King, Knight, Queen, Rook};
        let mut position = Position::empty();
        let back = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
        for (file, role) in (0u32..).zip(back) {
            position.put(role.of(Color::White), Square::wrapping(file));
            position.put(Role::Pawn.of(Color::White), Square::wrapping(8 + file));
            position.put(Role::Pawn.of(Color::Black), Square::wrapping(48 + file));
            position.put(role.of(Color::Black), Square::wrapping(56 + file));
        }
        position.board.castling = CastlingRights::ALL;
        position.complete_keys();
        position
    }

    /// No men at all: not a position yet.
    fn empty() -> Position {
        Position {
            board: Board::EMPTY,
            keys: Keys::default(),
            fullmoves: 1,
            halfmoves: 0,
        }
    }

    /// The position of a setup.
    ///
    /// # Errors
    ///
    /// When the setup cannot be a position of a game; [`SetupError`] lists the reasons.
    pub fn from_setup(setup: &Setup) -> Result<Position, SetupError> {
        setup.check_placement()?;
        let mut position = Position::empty();
        for color in Color::ALL {
            for role in Role::ALL {
                for square in squares(setup.pieces[color.index()][role.index()]) {
                    position.put(role.of(color), square);
                }
            }
        }
        position.board.turn = setup.turn;
        position.board.castling = setup.castling;
        position.halfmoves = setup.halfmoves;
        position.fullmoves = setup.fullmoves.clamp(1, MAX_FULLMOVES);
        let king = position.king(!setup.turn);
        if position.is_attacked(king, setup.turn, position.occupied()) {
            return Err(SetupError::OpponentInCheck {
                color: !setup.turn,
                king,
            });
        }
        position.board.en_passant = setup
            .en_passant
            .filter(|&square| position.can_pseudo_capture_en_passant(square));
        position.complete_keys();
        Ok(position)
    }

    /// The position of men that are known to be one, for those who keep positions in a form of
    /// their own. Counters are those of a new game.
    #[inline]
    pub(crate) fn from_men(
        men: impl Iterator<Item = (Piece, Square)>,
        turn: Color,
        castling: CastlingRights,
        en_passant: Option<Square>,
    ) -> Position {
        let mut position = Position::empty();
        for (man, square) in men {
            position.put(man, square);
        }
        position.board.turn = turn;
        position.board.castling = castling;
        position.board.en_passant = en_passant;
        position.complete_keys();
        position
    }

    /// The same position with no pawn to be captured en passant.
    pub(crate) fn without_en_passant(&self) -> Position {
        let mut position = *self;
        if let Some(square) = position.board.en_passant.take() {
            position.keys.position ^= zobrist::en_passant(square);
        }
        position
    }

    /// The setup that [`from_setup`](Position::from_setup) would make this position of.
    pub fn to_setup(&self) -> Setup {
        let mut setup = Setup::empty();
        for color in Color::ALL {
            for role in Role::ALL {
                setup.pieces[color.index()][role.index()] = self.pieces(color, role);
            }
        }
        setup.turn = self.turn;
        setup.castling = self.castling;
        setup.en_passant = self.en_passant;
        setup.halfmoves = self.halfmoves;
        setup.fullmoves = self.fullmoves;
        setup
    }

    /// Adds to the key what is not men, which are in it already.
    fn complete_keys(&mut self) {
        self.keys.position ^= zobrist::castling(self.castling);
        if let Some(square) = self.en_passant {
            self.keys.position ^= zobrist::en_passant(square);
        }
        if self.turn == Color::White {
            self.keys.position ^= TURN;
        }
        debug_assert_eq!(self.material, self.material_key_from_scratch());
        debug_assert_eq!(self.key(), self.key_from_scratch());
        debug_assert_eq!(self.pawn_key(), self.pawn_key_from_scratch());
    }

    /// All that legal moves depend on.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The occupied squares, rotated; kept up to date by every move.
    #[inline]
    pub const fn rotated(&self) -> &RotatedOccupancy {
        &self.keys.rotated
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub const fn halfmoves(&self) -> u16 {
        self.halfmoves
    }

    /// The number of the move: 1 at the start, one more after each move of black.
    #[inline]
    pub const fn fullmoves(&self) -> u32 {
        self.fullmoves
    }

    /// The position's key, equal to Polyglot's.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.keys.position
    }

    /// The key of the pawns alone.
    #[inline]
    pub const fn pawn_key(&self) -> u64 {
        self.keys.pawns
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn play(&self, m: Move) -> Position {
        let mut next = *self;
        next.make(m);
        next
    }

    /// Plays a move in place. The move has to be legal here; any other leaves a position without
    /// meaning.
    #[inline]
    pub fn make(&mut self, m: Move) -> Undo {
        let undo = Undo {
            position_key: self.keys.position,
            pawn_key: self.keys.pawns,
            halfmoves: self.halfmoves,
            fullmoves: self.fullmoves,
            en_passant: self.en_passant,
            castling: self.castling,
        };
        self.halfmoves = if m.is_zeroing() {
            0
        } else {
            self.halfmoves.saturating_add(1)
        };
        self.fullmoves = (self.fullmoves + self.turn.index() as u32).min(MAX_FULLMOVES);
        let keys = &mut self.keys;
        self.board.make(m, |man, square| keys.toggle(man, square));
        self.keys.position ^= TURN;
        if self.castling != undo.castling {
            self.keys.position ^=
                zobrist::castling(undo.castling) ^ zobrist::castling(self.castling);
        }
        for square in [undo.en_passant, self.en_passant].into_iter().flatten() {
            self.keys.position ^= zobrist::en_passant(square);
        }
        // A capture changes the occupied squares where the man came from only; toggling cancels the
        // rest.
        debug_assert_eq!(self.keys.rotated.normal(), self.occupied());
        undo
    }

    /// Takes a move back: the move and what [`make`](Position::make) returned for it.
    #[inline]
    pub fn unmake(&mut self, m: Move, undo: Undo) {
        let us = !self.turn;
        self.halfmoves = undo.halfmoves;
        self.fullmoves = undo.fullmoves;
        let rotated = &mut self.keys.rotated;
        self.board
            .move_men(m, us, true, |_, square| rotated.toggle(square));
        self.board.turn = us;
        self.board.en_passant = undo.en_passant;
        self.board.castling = undo.castling;
        self.keys.position = undo.position_key;
        self.keys.pawns = undo.pawn_key;
        debug_assert_eq!(self.keys.rotated.normal(), self.occupied());
    }

    /// Puts a man on a square, in boards, keys and the material.
    #[inline]
    fn put(&mut self, man: Piece, square: Square) {
        self.board.toggle(man, square);
        self.board.material = self.material.with(man);
        self.keys.toggle(man, square);
    }
}

/// The men, whose turn it is and rights.
impl Deref for Position {
    type Target = Board;

    #[inline]
    fn deref(&self) -> &Board {
        &self.board
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::start()
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.to_fen())
    }
}

impl Repeatable for Position {
    /// The rules compare the moves that are possible, so an en-passant capture counts only when
    /// legal.
    fn repetition_key(&self) -> u64 {
        match self.en_passant {
            Some(square) if self.legal_en_passant_square().is_none() => {
                self.key() ^ zobrist::en_passant(square)
            }
            _ => self.key(),
        }
    }

    fn reversible_plies(&self) -> usize {
        usize::from(self.halfmoves)
    }

    fn is_same_position(&self, other: &Position) -> bool {
        self.roles == other.roles
            && self.colors == other.colors
            && self.turn == other.turn
            && self.castling == other.castling
            && self.legal_en_passant_square() == other.legal_en_passant_square()
    }
}

/// Keys computed anew from the men on the board, which those that are kept up to date must equal.
impl Position {
    /// What [`key`](Self::key) is.
    #[must_use]
    pub fn key_from_scratch(&self) -> u64 {
        let mut key = zobrist::castling(self.castling_rights());
        for square in squares(self.occupied()) {
            if let Some(man) = self.piece_at(square) {
                key ^= zobrist::piece(man, square);
            }
        }
        if let Some(square) = self.en_passant_square() {
            key ^= zobrist::en_passant(square);
        }
        if self.turn() == Color::White {
            key ^= TURN;
        }
        key
    }

    /// What [`pawn_key`](Self::pawn_key) is.
    #[must_use]
    pub fn pawn_key_from_scratch(&self) -> u64 {
        let mut key = 0;
        for color in Color::ALL {
            for square in squares(self.pieces(color, Role::Pawn)) {
                key ^= zobrist::piece(Role::Pawn.of(color), square);
            }
        }
        key
    }

    /// What [`material_key`](super::Board::material_key) is.
    #[must_use]
    pub fn material_key_from_scratch(&self) -> MaterialKey {
        let men = squares(self.occupied());
        MaterialKey::of(men.filter_map(|square| self.piece_at(square)))
    }
}

impl Line<Position> {
    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.push(self.current().play(m));
    }
}
