//! A position: a board, whose turn it is, and the counters.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::board::{Board, PieceNumber, piece_of};
use super::cell::Cell;
use super::square::{ALL_SQUARES, flip};
use super::zobrist::{self, TURN};
use super::{Bitboard, Move, Piece, Role, Setup, SetupError, Square, squares};
use crate::game::repetition::Repeatable;
use crate::game::{Color, MAX_FULLMOVES};

/// A legal position: each man where it can stand, kings not facing each other, and the side that
/// just moved not in check.
///
/// Small enough to copy; [`play`](Position::play) returns the next one, [`make`](Position::make)
/// and [`unmake`](Position::unmake) change one in place.
///
/// # Examples
///
/// ```
/// use retrograde::xiangqi::{Move, Position};
///
/// let mut position = Position::start();
/// let m = Move::from_iccs(&position, "h2e2")?;
/// let undo = position.make(m);
/// assert_eq!(
///     position.to_fen(),
///     "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1"
/// );
/// position.unmake(m, undo);
/// assert_eq!(position, Position::start());
/// # Ok::<(), retrograde::xiangqi::rules::ParseMoveError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Position {
    board: Board,
    fullmoves: u32,
    halfmoves: u16,
    turn: Color,
    /// Whether the side to move is in check. Moves know it of the position they lead to.
    check: bool,
}

/// What [`Position::unmake`] cannot know from the move: returned by [`Position::make`].
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    captured: PieceNumber,
    halfmoves: u16,
    fullmoves: u32,
    check: bool,
}

impl Undo {
    #[inline]
    pub(super) const fn is_capture(&self) -> bool {
        self.captured != 0
    }
}

impl Position {
    /// The position a game starts from.
    pub fn start() -> Position {
        use Role::{Advisor, Cannon, Elephant, King, Knight, Pawn, Rook};
        let mut board = Board::empty();
        let back = [
            Rook, Knight, Elephant, Advisor, King, Advisor, Elephant, Knight, Rook,
        ];
        let men = (0..9)
            .zip(back)
            .map(|(file, role)| (role, file, 0))
            .chain([1, 7].map(|file| (Cannon, file, 2)))
            .chain([0, 2, 4, 6, 8].map(|file| (Pawn, file, 3)));
        for (role, file, rank) in men {
            if let Some(square) = Square::from_coords(file, rank) {
                board.add(role.of(Color::White), square);
                board.add(role.of(Color::Black), square.flipped());
            }
        }
        Position {
            board,
            fullmoves: 1,
            halfmoves: 0,
            turn: Color::White,
            check: false,
        }
    }

    /// The position of a setup.
    ///
    /// # Errors
    ///
    /// When the setup cannot be a position of a game; [`SetupError`] lists the reasons.
    pub fn from_setup(setup: &Setup) -> Result<Position, SetupError> {
        setup.check_placement()?;
        let mut board = Board::empty();
        for color in Color::ALL {
            for role in Role::ALL {
                for square in super::squares(setup.pieces[color.index()][role.index()]) {
                    board.add(role.of(color), square);
                }
            }
        }
        let position = Position {
            check: board.is_check(setup.turn),
            board,
            fullmoves: setup.fullmoves.clamp(1, MAX_FULLMOVES),
            halfmoves: setup.halfmoves,
            turn: setup.turn,
        };
        if board.is_check(!setup.turn) {
            return Err(SetupError::OpponentInCheck {
                color: !setup.turn,
                king: position.king(!setup.turn),
            });
        }
        Ok(position)
    }

    /// The position of men that are known to make one, with counters of a new game.
    pub(crate) fn from_men(men: impl Iterator<Item = (Piece, Square)>, turn: Color) -> Position {
        let mut board = Board::empty();
        for (man, square) in men {
            board.add(man, square);
        }
        Position {
            check: board.is_check(turn),
            board,
            fullmoves: 1,
            halfmoves: 0,
            turn,
        }
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
        setup.halfmoves = self.halfmoves;
        setup.fullmoves = self.fullmoves;
        setup
    }

    /// The side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The board with its men by number and all that is kept up to date.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.board.lines().occupied()
    }

    /// The men of one side.
    pub fn by_color(&self, color: Color) -> Bitboard {
        Role::ALL
            .into_iter()
            .fold(0, |set, role| set | self.pieces(color, role))
    }

    /// The men of one role, both sides'.
    pub fn by_role(&self, role: Role) -> Bitboard {
        self.pieces(Color::White, role) | self.pieces(Color::Black, role)
    }

    /// The men of one side and role.
    #[inline]
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.board.pieces(role.of(color))
    }

    /// The men of both sides by role, and how many they are, found at one go.
    #[inline]
    pub(crate) fn all_men(&self) -> ([[Bitboard; 7]; 2], [[u8; 7]; 2]) {
        self.board.all_men()
    }

    /// How many men of one role a side has.
    #[inline]
    pub fn count(&self, color: Color, role: Role) -> usize {
        self.board.men(role.of(color)).count()
    }

    /// What stands on a square, whoever owns it.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        Some(self.piece_at(square)?.role)
    }

    /// The man on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        piece_of(self.board.number_at(Cell::of(square)))
    }

    /// Where a side's king stands.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        Square::trusted(self.pieces(color, Role::King).trailing_zeros())
    }

    /// Plies since the last capture.
    #[inline]
    pub const fn halfmoves(&self) -> u16 {
        self.halfmoves
    }

    /// The number of the move: 1 at the start, one more after each move of black.
    #[inline]
    pub const fn fullmoves(&self) -> u32 {
        self.fullmoves
    }

    /// The position's key.
    #[inline]
    pub fn key(&self) -> u64 {
        match self.turn {
            Color::White => self.board.key() ^ TURN,
            Color::Black => self.board.key(),
        }
    }

    /// Whether the side to move is in check.
    #[inline]
    pub const fn is_check(&self) -> bool {
        self.check
    }

    /// Whether the side to move is in check and has no move: it has lost.
    pub fn is_checkmate(&self) -> bool {
        self.check && !self.has_legal_move()
    }

    /// Whether the side to move has no move and is not in check: it has lost as well.
    pub fn is_stalemate(&self) -> bool {
        !self.check && !self.has_legal_move()
    }

    /// Whether neither side has an attacker left: a rook, a knight, a cannon or a pawn. Such a
    /// position is a draw.
    pub fn is_insufficient_material(&self) -> bool {
        let attackers = Role::ALL.into_iter().filter(|role| role.is_attacker());
        attackers.fold(0, |set, role| set | self.by_role(role)) == 0
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
        let captured = self.board.move_piece(Cell::of(m.from()), Cell::of(m.to()));
        let undo = Undo {
            captured,
            halfmoves: self.halfmoves,
            fullmoves: self.fullmoves,
            check: self.check,
        };
        self.halfmoves = if captured != 0 {
            0
        } else {
            self.halfmoves.saturating_add(1)
        };
        self.fullmoves = (self.fullmoves + self.turn.index() as u32).min(MAX_FULLMOVES);
        self.turn = !self.turn;
        self.check = m.gives_check();
        debug_assert_eq!(self.check, self.board.is_check(self.turn));
        undo
    }

    /// Takes a move back: the move and what [`make`](Position::make) returned for it.
    #[inline]
    pub fn unmake(&mut self, m: Move, undo: Undo) {
        self.turn = !self.turn;
        self.board
            .undo_move_piece(Cell::of(m.from()), Cell::of(m.to()), undo.captured);
        self.halfmoves = undo.halfmoves;
        self.fullmoves = undo.fullmoves;
        self.check = undo.check;
    }

    /// The same position with left and right exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Position {
        self.mapped(self.turn, |color| color, super::mirror)
    }

    /// The same position with the sides exchanged.
    #[must_use]
    pub fn with_colors_exchanged(&self) -> Position {
        self.mapped(!self.turn, |color| !color, flip)
    }

    fn mapped(
        &self,
        turn: Color,
        color: impl Fn(Color) -> Color,
        set: impl Fn(Bitboard) -> Bitboard,
    ) -> Position {
        let mut board = Board::empty();
        for from in Color::ALL {
            for role in Role::ALL {
                for square in super::squares(set(self.pieces(from, role)) & ALL_SQUARES) {
                    board.add(role.of(color(from)), square);
                }
            }
        }
        Position {
            board,
            turn,
            ..*self
        }
    }

    /// Whether the same men stand on the same squares, and the same side is to move.
    fn has_same_men(&self, other: &Position) -> bool {
        self.key() == other.key()
            && self.turn == other.turn
            && Color::ALL.into_iter().all(|color| {
                Role::ALL
                    .into_iter()
                    .all(|role| self.pieces(color, role) == other.pieces(color, role))
            })
    }
}

/// Men of one kind are not told apart.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.has_same_men(other)
            && self.halfmoves == other.halfmoves
            && self.fullmoves == other.fullmoves
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
        self.halfmoves.hash(state);
        self.fullmoves.hash(state);
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
    fn repetition_key(&self) -> u64 {
        self.key()
    }

    fn reversible_plies(&self) -> usize {
        usize::from(self.halfmoves)
    }

    fn is_same_position(&self, other: &Position) -> bool {
        self.has_same_men(other)
    }
}

impl Position {
    /// What [`key`](Self::key) is, computed anew from the men on the board.
    #[must_use]
    pub fn key_from_scratch(&self) -> u64 {
        let mut key = match self.turn() {
            Color::White => TURN,
            Color::Black => 0,
        };
        for color in Color::ALL {
            for role in Role::ALL {
                for square in squares(self.pieces(color, role)) {
                    key ^= zobrist::man(role.of(color), square);
                }
            }
        }
        key
    }
}
