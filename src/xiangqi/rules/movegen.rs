//! Moves: generated from the piece list, and tested one by one.
//!
//! A move that keeps the rules of its man is *pseudo-legal*. It is legal if its own king is not
//! attacked afterwards and does not face the other king. Few moves have anything to do with a king:
//! outside check, and unless the king itself moves, only those that come from or go to the king's
//! lines or a square diagonally next to it, where the legs of attacking knights are. These are
//! tried on the board, the others are legal as they are. In the same way most moves are seen to
//! give no check.

use std::ops::ControlFlow;

use super::attacks::{
    self, ADVISOR_LISTS, ELEPHANT_LISTS, FILE_MASKS, FILE_PLACES, KING_LISTS, KNIGHT_LISTS,
    LEG_OF_DIFFERENCE, NOWHERE, PAWN_LISTS, RANK_MASKS, RANK_PLACES, STEPPERS,
};
use super::board::{Board, PieceNumber, difference, piece_of, side_bit};
use super::cell::Cell;
use super::{Bitboard, Move, MoveList, Piece, Position, Role, Square};
use crate::game::Color;

/// Tries moves on a board of its own.
struct Trial {
    board: Board,
    us: Color,
    in_check: bool,
    /// What concerns our king, and theirs.
    ours: Bitboard,
    theirs: Bitboard,
}

impl Trial {
    fn new(position: &Position) -> Trial {
        let us = position.turn();
        Trial {
            board: *position.board(),
            us,
            in_check: position.is_check(),
            ours: attacks::relevant(position.king(us)),
            theirs: attacks::relevant(position.king(!us)),
        }
    }

    /// Whether a pseudo-legal move is legal, and if so, whether it gives check. Without `CHECKS`
    /// that is not asked.
    #[inline]
    fn legal<const CHECKS: bool>(&mut self, role: Role, from: Square, to: Square) -> Option<bool> {
        let changed = from.bit() | to.bit();
        let may_be_illegal = self.in_check || role == Role::King || self.ours & changed != 0;
        let may_give_check = CHECKS && (role == Role::Knight || self.theirs & changed != 0);
        if !may_be_illegal && !may_give_check {
            return Some(false);
        }
        let (from, to) = (Cell::of(from), Cell::of(to));
        let captured = self.board.move_piece(from, to);
        let is_legal = !may_be_illegal || !self.board.is_check(self.us);
        let gives_check = is_legal && may_give_check && self.board.is_check(!self.us);
        self.board.undo_move_piece(from, to, captured);
        is_legal.then_some(gives_check)
    }
}

impl Position {
    /// Every legal move. A side without one has lost.
    pub fn legal_moves(&self) -> MoveList {
        self.list::<true>()
    }

    /// Every legal capture.
    pub fn legal_captures(&self) -> MoveList {
        self.list::<false>()
    }

    #[inline]
    fn list<const QUIET: bool>(&self) -> MoveList {
        let mut list = MoveList::new();
        let mut trial = Trial::new(self);
        let _ = self.pseudo_legal::<QUIET>(|role, from, to| {
            let (from, to, captured) = self.ends(from, to);
            if let Some(gives_check) = trial.legal::<true>(role, from, to) {
                list.push(Move::new(role, from, to, captured, gives_check));
            }
            ControlFlow::Continue(())
        });
        list
    }

    /// How many legal moves there are, without listing them.
    pub fn count_legal_moves(&self) -> u64 {
        let mut count = 0;
        let mut trial = Trial::new(self);
        let _ = self.pseudo_legal::<true>(|role, from, to| {
            let (from, to, _) = self.ends(from, to);
            count += u64::from(trial.legal::<false>(role, from, to).is_some());
            ControlFlow::Continue(())
        });
        count
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        let mut trial = Trial::new(self);
        self.pseudo_legal::<true>(|role, from, to| {
            let (from, to, _) = self.ends(from, to);
            match trial.legal::<false>(role, from, to) {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        })
        .is_break()
    }

    /// The move from one square to another, if it is legal: the test for moves remembered from
    /// other positions.
    ///
    /// Nothing is generated; see [`is_pseudo_legal`](Position::is_pseudo_legal).
    pub fn legal_move(&self, from: Square, to: Square) -> Option<Move> {
        if !self.is_pseudo_legal(from, to) {
            return None;
        }
        let role = self.role_at(from)?;
        let gives_check = Trial::new(self).legal::<true>(role, from, to)?;
        Some(Move::new(role, from, to, self.role_at(to), gives_check))
    }

    /// Whether a man of the side to move can go from one square to the other, what happens to its
    /// king left aside.
    ///
    /// Three steps: our man has to stand on the one square, none of ours on the other, and then the
    /// man's own rule is one or two look-ups by the difference of the cells or by the occupied
    /// squares of a line.
    pub fn is_pseudo_legal(&self, from: Square, to: Square) -> bool {
        let board = self.board();
        let us = side_bit(self.turn());
        let (from, to) = (Cell::of(from), Cell::of(to));
        let number = board.number_at(from);
        let target = board.number_at(to);
        if number & us == 0 || target & us != 0 {
            return false;
        }
        let Some(piece) = piece_of(number) else {
            return false;
        };
        let steps = difference(from, to);
        let is_step = STEPPERS[steps] >> piece.role.index() & 1 == 1;
        match piece.role {
            Role::King | Role::Advisor => is_step && to.is_in_palace(),
            Role::Elephant => {
                let eye = Cell(from.0 / 2 + to.0 / 2 + (from.0 & to.0 & 1));
                is_step && from.half() == to.half() && board.number_at(eye) == 0
            }
            Role::Knight => {
                let leg = LEG_OF_DIFFERENCE[steps];
                leg != 0 && board.number_at(from.step(leg)) == 0
            }
            Role::Pawn => PAWN_LISTS[self.turn().index()]
                .targets(from)
                .any(|target| target == to),
            Role::Rook | Role::Cannon => self.is_on_open_line(piece.role, from, to, target),
        }
    }

    /// The rule of rook and cannon for one move, by the mask of the line they share.
    #[inline]
    fn is_on_open_line(&self, role: Role, from: Cell, to: Cell, target: PieceNumber) -> bool {
        let (file, rank) = (from.file(), from.rank());
        let bit_file = usize::from(self.board().lines().file(file));
        let bit_rank = usize::from(self.board().lines().rank(rank));
        let (files, ranks) = match (target != 0, role) {
            (false, _) => (&FILE_MASKS.quiet, &RANK_MASKS.quiet),
            (true, Role::Cannon) => (&FILE_MASKS.cannon, &RANK_MASKS.cannon),
            (true, _) => (&FILE_MASKS.rook, &RANK_MASKS.rook),
        };
        if to.file() == file {
            files[rank][bit_file] >> to.rank() & 1 == 1
        } else {
            to.rank() == rank && ranks[file][bit_rank] >> to.file() & 1 == 1
        }
    }

    /// The squares of a move's cells, and what it captures.
    #[inline]
    fn ends(&self, from: Cell, to: Cell) -> (Square, Square, Option<Role>) {
        let square = |cell: Cell| Square::trusted((10 * cell.file() + cell.rank()) as u32);
        let captured = piece_of(self.board().number_at(to)).map(|piece| piece.role);
        (square(from), square(to), captured)
    }

    /// Visits every pseudo-legal move, or every pseudo-legal capture, until `visit` stops it.
    #[inline]
    fn pseudo_legal<const QUIET: bool>(
        &self,
        mut visit: impl FnMut(Role, Cell, Cell) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let board = self.board();
        let us = side_bit(self.turn());
        let them = side_bit(!self.turn());
        let may_go = |to: Cell| {
            let number = board.number_at(to);
            number & them != 0 || (QUIET && number == 0)
        };
        for number in us..us + 16 {
            let from = board.cell_of(number);
            let Some(Piece { role, .. }) = piece_of(number).filter(|_| from != Cell(0)) else {
                continue;
            };
            let mut step = |to: Cell| match may_go(to) {
                true => visit(role, from, to),
                false => ControlFlow::Continue(()),
            };
            match role {
                Role::King => KING_LISTS.targets(from).try_for_each(step)?,
                Role::Advisor => ADVISOR_LISTS.targets(from).try_for_each(step)?,
                Role::Pawn => PAWN_LISTS[self.turn().index()]
                    .targets(from)
                    .try_for_each(step)?,
                Role::Elephant => ELEPHANT_LISTS
                    .targets_and_between(from)
                    .filter(|&(_, eye)| board.number_at(eye) == 0)
                    .try_for_each(|(to, _)| step(to))?,
                Role::Knight => KNIGHT_LISTS
                    .targets_and_between(from)
                    .filter(|&(_, leg)| board.number_at(leg) == 0)
                    .try_for_each(|(to, _)| step(to))?,
                Role::Rook | Role::Cannon => {
                    self.along_lines::<QUIET>(role, from, &mut step)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The moves of rook and cannon: the runs of empty squares to either side, and at most four
    /// captures.
    #[inline]
    fn along_lines<const QUIET: bool>(
        &self,
        role: Role,
        from: Cell,
        visit: &mut impl FnMut(Cell) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (file, rank) = (from.file(), from.rank());
        let bit_file = usize::from(self.board().lines().file(file));
        let bit_rank = usize::from(self.board().lines().rank(rank));
        let on_file = |rank: u8| Cell::at(file as u8, rank);
        let on_rank = |file: u8| Cell::at(file, rank as u8);
        if QUIET {
            let [first, last] = FILE_PLACES.quiet[rank][bit_file];
            for place in (first..=last).filter(|&place| usize::from(place) != rank) {
                visit(on_file(place))?;
            }
            let [first, last] = RANK_PLACES.quiet[file][bit_rank];
            for place in (first..=last).filter(|&place| usize::from(place) != file) {
                visit(on_rank(place))?;
            }
        }
        let (on_files, on_ranks) = match role {
            Role::Cannon => (
                FILE_PLACES.cannon[rank][bit_file],
                RANK_PLACES.cannon[file][bit_rank],
            ),
            _ => (
                FILE_PLACES.rook[rank][bit_file],
                RANK_PLACES.rook[file][bit_rank],
            ),
        };
        for place in on_files.into_iter().filter(|&place| place != NOWHERE) {
            visit(on_file(place))?;
        }
        for place in on_ranks.into_iter().filter(|&place| place != NOWHERE) {
            visit(on_rank(place))?;
        }
        ControlFlow::Continue(())
    }
}
