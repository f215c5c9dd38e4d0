//! The board: men, whose turn it is and rights, and how a move changes them.

use super::attacks;
use super::castling::CastlingMove;
use super::zobrist::MaterialKey;
use super::{Bitboard, CastlingRights, Move, Piece, Role, Square, squares};
use crate::game::Color;

/// All of a [`Position`](super::Position) that its legal moves depend on, and its material: no keys
/// of the whole, no clocks.
///
/// It is for those who play moves only to look at the men that are left, as a probe does with
/// captures. Every position has [one](super::Position::board), and lends it its methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    pub(super) roles: [Bitboard; 6],
    pub(super) colors: [Bitboard; 2],
    pub(super) material: MaterialKey,
    pub(super) en_passant: Option<Square>,
    pub(super) castling: CastlingRights,
    pub(super) turn: Color,
}

impl Board {
    /// No men at all: not the board of a position yet.
    pub(super) const EMPTY: Board = Board {
        roles: [0; 6],
        colors: [0; 2],
        material: MaterialKey::EMPTY,
        en_passant: None,
        castling: CastlingRights::NONE,
        turn: Color::White,
    };

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

    /// The square behind a pawn that just made a double step, when a pawn stands ready to capture
    /// there.
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

    /// Whether neither side can ever mate because of what is left: bare kings, one minor piece, or
    /// only bishops on squares of one color.
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

    /// The board after a legal move.
    #[inline]
    #[must_use]
    pub fn play(&self, m: Move) -> Board {
        let mut next = *self;
        next.make(m, |_, _| ());
        next
    }

    /// Plays a legal move in place; `toggled` is told which men vanish and appear where.
    #[inline]
    pub(super) fn make(&mut self, m: Move, toggled: impl FnMut(Piece, Square)) {
        let (us, from, to) = (self.turn, m.from(), m.to());
        self.en_passant = None;
        self.move_men(m, us, false, toggled);
        if !self.castling.is_empty() {
            self.castling = self.castling.after_touching(from).after_touching(to);
        }
        self.turn = !us;
        if m.role() == Role::Pawn && from.index().abs_diff(to.index()) == 16 {
            let square = from.ahead(us);
            if self.can_pseudo_capture_en_passant(square) {
                self.en_passant = Some(square);
            }
        }
    }

    /// Moves the men of a move of `us`, or moves them back. Men are toggled, so order does not
    /// matter.
    #[inline]
    pub(super) fn move_men(
        &mut self,
        m: Move,
        us: Color,
        back: bool,
        mut toggled: impl FnMut(Piece, Square),
    ) {
        let mut toggle = |board: &mut Board, man, square| {
            board.toggle(man, square);
            toggled(man, square);
        };
        let (from, to, role) = (m.from(), m.to(), m.role());
        if let Some(captured) = m.capture() {
            let man = captured.of(!us);
            let square = if m.is_en_passant() { to.ahead(!us) } else { to };
            toggle(self, man, square);
            self.material = if back {
                self.material.with(man)
            } else {
                self.material.without(man)
            };
        }
        toggle(self, role.of(us), from);
        match m.promotion() {
            None => toggle(self, role.of(us), to),
            Some(promotion) => {
                let (pawn, promoted) = (role.of(us), promotion.of(us));
                toggle(self, promoted, to);
                self.material = if back {
                    self.material.without(promoted).with(pawn)
                } else {
                    self.material.without(pawn).with(promoted)
                };
            }
        }
        if let Some(side) = m.castling_side() {
            let castling = CastlingMove::new(us, side);
            toggle(self, Role::Rook.of(us), castling.rook_from);
            toggle(self, Role::Rook.of(us), castling.rook_to);
        }
    }

    /// Puts a man on a square or takes it away, but not in the material.
    #[inline]
    pub(super) fn toggle(&mut self, man: Piece, square: Square) {
        self.roles[man.role.index()] ^= square.bit();
        self.colors[man.color.index()] ^= square.bit();
    }

    /// Whether a pawn of the side to move attacks the en-passant square.
    #[inline]
    pub(super) fn can_pseudo_capture_en_passant(&self, square: Square) -> bool {
        attacks::pawn(!self.turn, square) & self.pieces(self.turn, Role::Pawn) != 0
    }
}
