//! A position, and how a move changes it.

use std::fmt;

use super::attacks::{self, RotatedOccupancy};
use super::castling::CastlingMove;
use super::{Bitboard, CastlingRights, Move, Piece, Role, Setup, SetupError, Square, squares};
use crate::game::repetition::Repeatable;
use crate::game::zobrist::{self, MaterialKey};
use crate::game::{Color, zobrist::TURN};

/// A legal chess position.
///
/// Built from a FEN, from a [`Setup`], or by playing moves; each way checks what it has to, so a position
/// always has one king on each side and never the side to move able to capture a king.
///
/// # En passant
///
/// A position remembers an en-passant square only when a pawn stands ready to capture there, as the
/// Polyglot keys require: after 1. e4 there is none. Whether that capture is legal is another question,
/// which [`legal_en_passant_square`](Position::legal_en_passant_square) answers. A FEN may name the square
/// after any double step; [`to_fen`](Position::to_fen) writes it only when it is remembered.
///
/// # Examples
///
/// ```
/// use retrograde::game::chess::{Move, Position};
///
/// let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1")?;
/// let mate = Move::from_san(&position, "Ra8")?;
/// assert!(position.play(mate).is_checkmate());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    rotated: RotatedOccupancy,
    key: u64,
    pawn_key: u64,
    material: MaterialKey,
    fullmoves: u32,
    halfmoves: u16,
    en_passant: Option<Square>,
    castling: CastlingRights,
    turn: Color,
}

/// What [`Position::unmake`] cannot know from the move: returned by [`Position::make`].
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    key: u64,
    pawn_key: u64,
    halfmoves: u16,
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
        position.castling = CastlingRights::ALL;
        position.complete_keys();
        position
    }

    /// No men at all: not a position yet.
    fn empty() -> Position {
        Position {
            roles: [0; 6],
            colors: [0; 2],
            rotated: RotatedOccupancy::default(),
            key: 0,
            pawn_key: 0,
            material: MaterialKey::EMPTY,
            fullmoves: 1,
            halfmoves: 0,
            en_passant: None,
            castling: CastlingRights::NONE,
            turn: Color::White,
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
        position.turn = setup.turn;
        position.castling = setup.castling;
        position.halfmoves = setup.halfmoves;
        position.fullmoves = setup.fullmoves.max(1);
        let king = position.king(!setup.turn);
        if position.is_attacked(king, setup.turn, position.occupied()) {
            return Err(SetupError::OpponentInCheck {
                color: !setup.turn,
                king,
            });
        }
        position.en_passant = setup
            .en_passant
            .filter(|&square| position.can_pseudo_capture_en_passant(square));
        position.complete_keys();
        Ok(position)
    }

    /// The position of men that are known to be one, for those who keep positions in a form of their own. Counters are
    /// those of a new game.
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
        position.turn = turn;
        position.castling = castling;
        position.en_passant = en_passant;
        position.complete_keys();
        position
    }

    /// The same position with no pawn to be captured en passant.
    pub(crate) fn without_en_passant(&self) -> Position {
        let mut position = *self;
        if let Some(square) = position.en_passant.take() {
            position.key ^= zobrist::en_passant(square);
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
        self.key ^= zobrist::castling(self.castling);
        if let Some(square) = self.en_passant {
            self.key ^= zobrist::en_passant(square);
        }
        if self.turn == Color::White {
            self.key ^= TURN;
        }
        debug_assert_eq!(self.material, MaterialKey::of_position(self));
        debug_assert_eq!(self.key, zobrist::position_key(self));
        debug_assert_eq!(self.pawn_key, zobrist::pawn_key(self));
    }

    /// The side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The occupied squares.
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The occupied squares, rotated; kept up to date by every move.
    #[inline]
    pub const fn rotated(&self) -> &RotatedOccupancy {
        &self.rotated
    }

    /// The men of one side.
    #[inline]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The men of one role, both sides'.
    #[inline]
    pub const fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role.index()]
    }

    /// The men of one side and role.
    #[inline]
    pub const fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.roles[role.index()] & self.colors[color.index()]
    }

    /// What stands on a square, whoever owns it.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        let bit = square.bit();
        Role::ALL
            .into_iter()
            .find(|role| self.roles[role.index()] & bit != 0)
    }

    /// The man on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let color = if self.colors[0] & square.bit() != 0 {
            Color::White
        } else {
            Color::Black
        };
        Some(self.role_at(square)?.of(color))
    }

    /// Where a side's king stands.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        Square::wrapping(self.pieces(color, Role::King).trailing_zeros())
    }

    /// Which castling rights are left.
    #[inline]
    pub const fn castling_rights(&self) -> CastlingRights {
        self.castling
    }

    /// The square behind a pawn that just made a double step, when a pawn stands ready to capture there.
    #[inline]
    pub const fn en_passant_square(&self) -> Option<Square> {
        self.en_passant
    }

    /// The en-passant square when a capture there is legal.
    pub fn legal_en_passant_square(&self) -> Option<Square> {
        let square = self.en_passant?;
        squares(attacks::pawn(!self.turn, square) & self.pieces(self.turn, Role::Pawn))
            .any(|from| self.is_legal_en_passant(from, square))
            .then_some(square)
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
        self.key
    }

    /// The key of the pawns alone.
    #[inline]
    pub const fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// The key of the material alone.
    #[inline]
    pub const fn material_key(&self) -> MaterialKey {
        self.material
    }

    /// The men of `by` that attack `square`.
    #[inline]
    pub fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let straight = self.by_role(Role::Rook) | self.by_role(Role::Queen);
        let oblique = self.by_role(Role::Bishop) | self.by_role(Role::Queen);
        self.by_color(by)
            & ((attacks::pawn(!by, square) & self.by_role(Role::Pawn))
                | (attacks::knight(square) & self.by_role(Role::Knight))
                | (attacks::king(square) & self.by_role(Role::King))
                | (attacks::rook(square, occupied) & straight)
                | (attacks::bishop(square, occupied) & oblique))
    }

    /// Whether a man of `by` attacks `square`.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        let men = self.by_color(by);
        let straight = (self.by_role(Role::Rook) | self.by_role(Role::Queen)) & men;
        let oblique = (self.by_role(Role::Bishop) | self.by_role(Role::Queen)) & men;
        let steps = (attacks::pawn(!by, square) & self.by_role(Role::Pawn))
            | (attacks::knight(square) & self.by_role(Role::Knight))
            | (attacks::king(square) & self.by_role(Role::King));
        steps & men != 0
            || (straight != 0 && attacks::rook(square, occupied) & straight != 0)
            || (oblique != 0 && attacks::bishop(square, occupied) & oblique != 0)
    }

    /// The men that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.attackers(self.king(self.turn), !self.turn, self.occupied())
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn is_check(&self) -> bool {
        self.is_attacked(self.king(self.turn), !self.turn, self.occupied())
    }

    /// Whether the side to move is in check and has no move.
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && !self.has_legal_move()
    }

    /// Whether the side to move has no move and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && !self.has_legal_move()
    }

    /// Whether neither side can ever mate because of what is left: bare kings, one minor piece, or only
    /// bishops on squares of one color.
    pub fn is_insufficient_material(&self) -> bool {
        const LIGHT: Bitboard = 0x55aa_55aa_55aa_55aa;
        let bishops = self.by_role(Role::Bishop);
        let knights = self.by_role(Role::Knight);
        let kings = self.by_role(Role::King);
        if self.occupied() != bishops | knights | kings {
            return false;
        }
        (bishops | knights).count_ones() <= 1
            || (knights == 0 && (bishops & LIGHT == 0 || bishops & !LIGHT == 0))
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn play(&self, m: Move) -> Position {
        let mut next = *self;
        next.make(m);
        next
    }

    /// Plays a move in place. The move has to be legal here; any other leaves a position without meaning.
    #[inline]
    pub fn make(&mut self, m: Move) -> Undo {
        let undo = Undo {
            key: self.key,
            pawn_key: self.pawn_key,
            halfmoves: self.halfmoves,
            en_passant: self.en_passant,
            castling: self.castling,
        };
        let (us, from, to) = (self.turn, m.from(), m.to());
        if let Some(square) = self.en_passant.take() {
            self.key ^= zobrist::en_passant(square);
        }
        self.move_men(m, us, false);
        if !self.castling.is_empty() {
            let left = self.castling.after_touching(from).after_touching(to);
            self.key ^= zobrist::castling(self.castling) ^ zobrist::castling(left);
            self.castling = left;
        }
        self.halfmoves = if m.is_zeroing() {
            0
        } else {
            self.halfmoves.saturating_add(1)
        };
        self.fullmoves = self.fullmoves.wrapping_add(us.index() as u32);
        self.turn = !us;
        self.key ^= TURN;
        if m.role() == Role::Pawn && from.index().abs_diff(to.index()) == 16 {
            let square = from.ahead(us);
            if self.can_pseudo_capture_en_passant(square) {
                self.key ^= zobrist::en_passant(square);
                self.en_passant = Some(square);
            }
        }
        undo
    }

    /// Takes a move back: the move and what [`make`](Position::make) returned for it.
    #[inline]
    pub fn unmake(&mut self, m: Move, undo: Undo) {
        let us = !self.turn;
        self.turn = us;
        self.fullmoves = self.fullmoves.wrapping_sub(us.index() as u32);
        self.move_men(m, us, true);
        self.key = undo.key;
        self.pawn_key = undo.pawn_key;
        self.halfmoves = undo.halfmoves;
        self.en_passant = undo.en_passant;
        self.castling = undo.castling;
    }

    /// Moves the men of a move of `us`, or moves them back. Men are toggled, so order does not matter.
    #[inline]
    fn move_men(&mut self, m: Move, us: Color, back: bool) {
        let (from, to, role) = (m.from(), m.to(), m.role());
        if let Some(captured) = m.capture() {
            let man = captured.of(!us);
            let square = if m.is_en_passant() { to.ahead(!us) } else { to };
            self.toggle(man, square);
            self.material = if back {
                self.material.with(man)
            } else {
                self.material.without(man)
            };
        }
        self.toggle(role.of(us), from);
        match m.promotion() {
            None => self.toggle(role.of(us), to),
            Some(promotion) => {
                let (pawn, promoted) = (role.of(us), promotion.of(us));
                self.toggle(promoted, to);
                self.material = if back {
                    self.material.without(promoted).with(pawn)
                } else {
                    self.material.without(pawn).with(promoted)
                };
            }
        }
        if let Some(side) = m.castling_side() {
            let castling = CastlingMove::new(us, side);
            self.toggle(Role::Rook.of(us), castling.rook_from);
            self.toggle(Role::Rook.of(us), castling.rook_to);
        }
        // A capture changes the occupied squares where the man came from only; toggling cancels the rest.
        debug_assert_eq!(self.rotated.normal(), self.occupied());
    }

    /// Puts a man on a square, in boards, keys and the material.
    #[inline]
    fn put(&mut self, man: Piece, square: Square) {
        self.toggle(man, square);
        self.material = self.material.with(man);
    }

    /// Puts a man on a square or takes it away, in boards and keys but not in the material.
    #[inline]
    fn toggle(&mut self, man: Piece, square: Square) {
        let bit = square.bit();
        self.roles[man.role.index()] ^= bit;
        self.colors[man.color.index()] ^= bit;
        self.rotated.toggle(square);
        let number = zobrist::piece(man, square);
        self.key ^= number;
        if man.role == Role::Pawn {
            self.pawn_key ^= number;
        }
    }

    /// Whether a pawn of the side to move attacks the en-passant square.
    #[inline]
    fn can_pseudo_capture_en_passant(&self, square: Square) -> bool {
        attacks::pawn(!self.turn, square) & self.pieces(self.turn, Role::Pawn) != 0
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
    /// The rules compare the moves that are possible, so an en-passant capture counts only when legal.
    fn repetition_key(&self) -> u64 {
        match self.en_passant {
            Some(square) if self.legal_en_passant_square().is_none() => {
                self.key ^ zobrist::en_passant(square)
            }
            _ => self.key,
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
