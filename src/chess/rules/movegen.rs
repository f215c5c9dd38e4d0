//! Legal moves, without trying each one on the board.
//!
//! Three facts about the king decide what is legal. Who gives check: with one checker every other
//! man has to capture it or step between, with two only the king can move. Who is pinned: a man
//! alone between its king and a slider stays on that line. Which squares are attacked, looked at
//! only where the king might go. An en-passant capture empties two squares at once, which no pin
//! describes: it is tried on the board.

use std::ops::ControlFlow;

use arrayvec::ArrayVec;

use super::castling::CastlingMove;
use super::{Bitboard, Board, CastlingSide, Move, MoveList, Role, Square, attacks, squares};
use crate::game::Color;

/// Receives the moves as they are found, and may stop the search.
trait Sink {
    /// A man can go to each of `targets`, which are not empty; pawns on the last rank promote
    /// there.
    fn targets(&mut self, role: Role, from: Square, targets: Bitboard) -> ControlFlow<()>;

    /// One move that is not of that kind.
    fn special(&mut self, m: Move) -> ControlFlow<()>;
}

const LAST_RANKS: Bitboard = 0xff00_0000_0000_00ff;

/// Threats of a side, at most: two for each man.
const MOST_THREATS: usize = 32;

/// Collects moves.
struct Collect<'a> {
    board: &'a Board,
    list: &'a mut MoveList,
}

impl Collect<'_> {
    #[inline]
    fn push_pawn(&mut self, from: Square, to: Square, captured: Option<Role>) {
        if to.bit() & LAST_RANKS == 0 {
            self.list
                .push(Move::new(Role::Pawn, from, to, captured, None));
        } else {
            for role in Role::PROMOTIONS {
                self.list
                    .push(Move::new(Role::Pawn, from, to, captured, Some(role)));
            }
        }
    }
}

impl Sink for Collect<'_> {
    #[inline]
    fn targets(&mut self, role: Role, from: Square, targets: Bitboard) -> ControlFlow<()> {
        let occupied = self.board.occupied();
        for to in squares(targets & occupied) {
            let captured = self.board.role_at(to);
            if role == Role::Pawn {
                self.push_pawn(from, to, captured);
            } else {
                self.list.push(Move::new(role, from, to, captured, None));
            }
        }
        for to in squares(targets & !occupied) {
            if role == Role::Pawn {
                self.push_pawn(from, to, None);
            } else {
                self.list.push(Move::new(role, from, to, None, None));
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn special(&mut self, m: Move) -> ControlFlow<()> {
        self.list.push(m);
        ControlFlow::Continue(())
    }
}

/// Counts moves.
struct Count(u64);

impl Sink for Count {
    #[inline]
    fn targets(&mut self, role: Role, _: Square, targets: Bitboard) -> ControlFlow<()> {
        self.0 += u64::from(targets.count_ones());
        if role == Role::Pawn {
            self.0 += 3 * u64::from((targets & LAST_RANKS).count_ones());
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn special(&mut self, _: Move) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

/// Stops at the first move.
struct Any;

impl Sink for Any {
    #[inline]
    fn targets(&mut self, _: Role, _: Square, _: Bitboard) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    #[inline]
    fn special(&mut self, _: Move) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// What the side to move may do, from its king's point of view.
struct Constraints {
    king: Square,
    /// Where a man other than the king may go: anywhere, or to end the one check.
    targets: Bitboard,
    pinned: Bitboard,
    checkers: Bitboard,
}

/// A man and the squares where it may change the material.
#[derive(Clone, Copy)]
struct Threat {
    role: Role,
    from: Square,
    targets: Bitboard,
}

impl Board {
    /// Every legal move.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        let _ = self.generate(&mut Collect {
            board: self,
            list: &mut list,
        });
        list
    }

    /// Every legal move that changes the material: captures, en passant and promotions.
    #[inline]
    pub fn legal_captures(&self) -> MoveList {
        let mut list = MoveList::new();
        self.legal_captures_into(&mut list);
        list
    }

    /// Adds every legal move that changes the material to a list. With few men there is mostly
    /// none, which is found without looking at the king.
    #[inline]
    pub fn legal_captures_into(&self, list: &mut MoveList) {
        let mut threats = ArrayVec::new();
        self.threats_into(&mut threats);
        if !threats.is_empty() || self.en_passant.is_some() {
            let _ = self.play_threats(&threats, &mut Collect { board: self, list });
        }
    }

    /// How many legal moves there are, without listing them.
    #[inline]
    pub fn count_legal_moves(&self) -> u64 {
        let mut sink = Count(0);
        let _ = self.generate(&mut sink);
        sink.0
    }

    /// Whether there is a legal move.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.generate(&mut Any).is_break()
    }

    /// The men that attack some of theirs, and pawns that may promote, their own king left aside.
    #[inline(always)]
    fn threats_into(&self, threats: &mut ArrayVec<Threat, MOST_THREATS>) {
        let (us, occupied) = (self.turn(), self.occupied());
        let theirs = self.by_color(!us);
        let mut add = |role, from, targets| {
            if targets != 0 {
                let added = threats.try_push(Threat {
                    role,
                    from,
                    targets,
                });
                debug_assert!(added.is_ok());
            }
        };
        let king = self.king(us);
        add(Role::King, king, attacks::king(king) & theirs);
        for from in squares(self.pieces(us, Role::Knight)) {
            add(Role::Knight, from, attacks::knight(from) & theirs);
        }
        // A queen comes by twice.
        let queens = self.pieces(us, Role::Queen);
        let role = |from: Square, other| match queens & from.bit() {
            0 => other,
            _ => Role::Queen,
        };
        for from in squares(self.pieces(us, Role::Rook) | queens) {
            let targets = attacks::rook(from, occupied) & theirs;
            add(role(from, Role::Rook), from, targets);
        }
        for from in squares(self.pieces(us, Role::Bishop) | queens) {
            let targets = attacks::bishop(from, occupied) & theirs;
            add(role(from, Role::Bishop), from, targets);
        }
        for from in squares(self.pieces(us, Role::Pawn)) {
            let promotion = from.ahead(us).bit() & !occupied & LAST_RANKS;
            let targets = promotion | attacks::pawn(us, from) & theirs;
            add(Role::Pawn, from, targets);
        }
    }

    /// Finds those of the threats that are legal moves, and captures en passant.
    fn play_threats(&self, threats: &[Threat], sink: &mut impl Sink) -> ControlFlow<()> {
        let constraints = self.constraints();
        let is_double_check = constraints.is_double_check();
        for &Threat {
            role,
            from,
            targets,
        } in threats
        {
            let targets = match role {
                Role::King => self.safe_for_king(from, targets),
                _ if is_double_check => 0,
                _ => targets & constraints.targets & constraints.line_of(from),
            };
            send(sink, role, from, targets)?;
        }
        match is_double_check {
            true => ControlFlow::Continue(()),
            false => self.en_passant_moves(sink),
        }
    }

    fn constraints(&self) -> Constraints {
        let (us, them) = (self.turn(), !self.turn());
        let king = self.king(us);
        let occupied = self.occupied();
        let checkers = self.checkers();
        let mut targets = !self.by_color(us);
        if checkers != 0 {
            let checker = Square::wrapping(checkers.trailing_zeros());
            targets &= attacks::between(king, checker) | checkers;
        }
        let straight = self.by_role(Role::Rook) | self.by_role(Role::Queen);
        let oblique = self.by_role(Role::Bishop) | self.by_role(Role::Queen);
        // Through our own men only one obstacle can be a pinned man, so look from the king past
        // them.
        let theirs = self.by_color(them);
        let snipers = theirs
            & ((attacks::rook(king, theirs) & straight)
                | (attacks::bishop(king, theirs) & oblique));
        let mut pinned = 0;
        for sniper in squares(snipers) {
            let blockers = attacks::between(king, sniper) & occupied;
            if blockers & blockers.wrapping_sub(1) == 0 {
                pinned |= blockers;
            }
        }
        Constraints {
            king,
            targets,
            pinned: pinned & self.by_color(us),
            checkers,
        }
    }

    /// Finds every legal move.
    #[inline]
    fn generate(&self, sink: &mut impl Sink) -> ControlFlow<()> {
        let constraints = self.constraints();
        let king = constraints.king;
        let around = attacks::king(king) & !self.by_color(self.turn());
        send(sink, Role::King, king, self.safe_for_king(king, around))?;
        if constraints.is_double_check() {
            return ControlFlow::Continue(());
        }
        self.piece_moves(&constraints, sink)?;
        self.pawn_moves(&constraints, sink)?;
        self.en_passant_moves(sink)?;
        if constraints.checkers == 0 && !self.castling_rights().is_empty() {
            self.castling_moves(sink)?;
        }
        ControlFlow::Continue(())
    }

    /// Those of some squares that the king, which stands on `king`, may go to without being
    /// attacked there.
    #[inline]
    fn safe_for_king(&self, king: Square, around: Bitboard) -> Bitboard {
        let them = !self.turn();
        // The king does not shield the squares behind it from a slider.
        let occupied = self.occupied() ^ king.bit();
        let mut targets = 0;
        for to in squares(around) {
            if !self.is_attacked(to, them, occupied) {
                targets |= to.bit();
            }
        }
        targets
    }

    #[inline]
    fn piece_moves(&self, constraints: &Constraints, sink: &mut impl Sink) -> ControlFlow<()> {
        let us = self.turn();
        let occupied = self.occupied();
        let targets = constraints.targets;
        // A pinned knight has no move on its line.
        for from in squares(self.pieces(us, Role::Knight) & !constraints.pinned) {
            send(sink, Role::Knight, from, attacks::knight(from) & targets)?;
        }
        for from in squares(self.pieces(us, Role::Bishop)) {
            let reach = attacks::bishop(from, occupied) & targets & constraints.line_of(from);
            send(sink, Role::Bishop, from, reach)?;
        }
        for from in squares(self.pieces(us, Role::Rook)) {
            let reach = attacks::rook(from, occupied) & targets & constraints.line_of(from);
            send(sink, Role::Rook, from, reach)?;
        }
        for from in squares(self.pieces(us, Role::Queen)) {
            let reach = attacks::queen(from, occupied) & targets & constraints.line_of(from);
            send(sink, Role::Queen, from, reach)?;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn pawn_moves(&self, constraints: &Constraints, sink: &mut impl Sink) -> ControlFlow<()> {
        let us = self.turn();
        let empty = !self.occupied();
        let theirs = self.by_color(!us);
        for from in squares(self.pieces(us, Role::Pawn)) {
            let step = from.ahead(us).bit() & empty;
            let mut reach = step | (attacks::pawn(us, from) & theirs);
            if step != 0 && from.rank_for(us) == 1 {
                reach |= from.ahead(us).ahead(us).bit() & empty;
            }
            reach &= constraints.targets & constraints.line_of(from);
            send(sink, Role::Pawn, from, reach)?;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn en_passant_moves(&self, sink: &mut impl Sink) -> ControlFlow<()> {
        let us = self.turn();
        if let Some(to) = self.en_passant_square() {
            for from in squares(attacks::pawn(!us, to) & self.pieces(us, Role::Pawn)) {
                if self.is_legal_en_passant(from, to) {
                    sink.special(Move::new_en_passant(from, to))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether the pawn on `from`, which attacks the en-passant square `to`, may capture there.
    pub(super) fn is_legal_en_passant(&self, from: Square, to: Square) -> bool {
        let (us, them) = (self.turn(), !self.turn());
        let captured = to.ahead(them).bit();
        let occupied = (self.occupied() ^ from.bit() ^ captured) | to.bit();
        self.attackers(self.king(us), them, occupied) & !captured == 0
    }

    fn castling_moves(&self, sink: &mut impl Sink) -> ControlFlow<()> {
        let us = self.turn();
        for side in CastlingSide::ALL {
            if self.castling_rights().has(us, side) && self.can_castle_now(us, side) {
                sink.special(Move::new_castling(us, side))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether the way is empty and safe; the king is known not to be in check.
    fn can_castle_now(&self, us: Color, side: CastlingSide) -> bool {
        let castling = CastlingMove::new(us, side);
        let occupied = self.occupied();
        // The rook lands on the square the king passes over.
        occupied & castling.path == 0
            && !self.is_attacked(castling.rook_to, !us, occupied)
            && !self.is_attacked(castling.king_to, !us, occupied)
    }
}

impl Constraints {
    /// Whether two men give check, so that only the king can move.
    #[inline]
    fn is_double_check(&self) -> bool {
        self.checkers & self.checkers.wrapping_sub(1) != 0
    }

    /// Where a man on `from` may go without leaving its king to a slider.
    #[inline]
    fn line_of(&self, from: Square) -> Bitboard {
        if self.pinned & from.bit() == 0 {
            Bitboard::MAX
        } else {
            attacks::line(self.king, from)
        }
    }
}

#[inline]
fn send(sink: &mut impl Sink, role: Role, from: Square, targets: Bitboard) -> ControlFlow<()> {
    if targets == 0 {
        ControlFlow::Continue(())
    } else {
        sink.targets(role, from, targets)
    }
}
