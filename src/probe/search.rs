//! From stored numbers to the value of a position.
//!
//! A *conversion* is a capture, en passant included, or a promotion. What the tables leave to the
//! prober:
//!
//! | metric | the number is exact | except that |
//! |---|---|---|
//! | WDL | unless a conversion reaches the value | it is not better than the value then; anything if a conversion wins |
//! | DTZ | where decided and not won by a zeroing move | anything stands elsewhere; a mated side has 0 |
//! | DTM | unless a conversion reaches the value | it is not better for the mover then; anything for a draw |
//!
//! So the best of the conversions and the number is the value. A table may lack a side to move
//! altogether; then all moves are looked at, one ply deep, since the other side is stored. Results
//! do so only for a side none of whose results the fifty-move rule changes. A table of a symmetric
//! material has white to move.
//!
//! Syzygy tables obey the same rules, so the search is the same, with two differences. Their WDL
//! numbers do not leave promotions to the prober, which skips them. Their DTZ numbers need the
//! result to be decoded, and may stand for one of two distances: then the value is a range, and
//! each end of it passes to the position before as a distance does.
//!
//! # En passant
//!
//! A number is that of the position without en-passant rights. The capture is one move more: the
//! value is the better one, except that it alone counts where there is no other move and the table
//! takes the position for stalemate or mate.

use super::mate::Mate;
use super::{ProbeError, Tablebase};
use crate::chess::rules::{Board, Move, MoveList, Position, Role};
use crate::metric::{Dtz, DtzRange, Metric, Wdl};

/// Whether an en-passant capture is one of the moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EnPassant {
    Allowed,
    Ignored,
}

impl EnPassant {
    fn includes(self, m: Move) -> bool {
        self == EnPassant::Allowed || !m.is_en_passant()
    }
}

/// What becomes of a distance that a table has rounded and the moves of the position can tell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// It is what they say.
    Resolved,
    /// It stays as the table has it, as with other programs.
    Kept,
}

/// The best score there is.
const MATES_NOW: Mate = Mate::AT_ONCE;
/// No move has a score as low as this, so with it as floor every score counts.
const EXACT: Mate = Mate::MATED;

/// A won or lost position, the fifty-move rule ignored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Mated,
    Drawn,
    Mates,
}

impl From<Wdl> for Outcome {
    fn from(wdl: Wdl) -> Outcome {
        match wdl {
            Wdl::Loss | Wdl::BlessedLoss => Outcome::Mated,
            Wdl::Draw => Outcome::Drawn,
            Wdl::CursedWin | Wdl::Win => Outcome::Mates,
        }
    }
}

impl From<Mate> for Outcome {
    fn from(score: Mate) -> Outcome {
        match score.cmp(&Mate::DRAW) {
            std::cmp::Ordering::Less => Outcome::Mated,
            std::cmp::Ordering::Equal => Outcome::Drawn,
            std::cmp::Ordering::Greater => Outcome::Mates,
        }
    }
}

/// Kings alone: a draw that no table is needed for.
#[inline]
fn has_bare_kings(board: &Board) -> bool {
    board.occupied() == board.by_role(Role::King)
}

/// Whether there are moves and all of them capture en passant.
fn has_only_en_passant(board: &Board) -> bool {
    board.en_passant_square().is_some() && {
        let moves = board.legal_moves();
        !moves.is_empty() && moves.into_iter().all(Move::is_en_passant)
    }
}

/// The range of the lesser of two distances: the shorter way to win, the longer way to lose.
fn least(a: DtzRange, b: DtzRange) -> DtzRange {
    DtzRange {
        shortest: a.shortest.min(b.shortest),
        longest: a.longest.min(b.longest),
    }
}

/// The distance of a lost position that a table has as one ply or two: it is two if there is a move
/// that does not zero.
fn exact_if_lost_at_once(position: &Position, dtz: DtzRange) -> DtzRange {
    match position.legal_moves().into_iter().all(Move::is_zeroing) {
        true => dtz.shortest.into(),
        false => dtz.longest.into(),
    }
}

impl Tablebase {
    /// The value of a position without castling rights.
    #[inline]
    pub(super) fn wdl(&self, board: &Board) -> Result<Wdl, ProbeError> {
        self.wdl_between(board, Wdl::Loss, Wdl::Win, EnPassant::Allowed)
    }

    /// The value if it lies between `alpha` and `beta`; else a bound: at most `alpha` if the value
    /// is no more than the answer, at least `beta` if it is no less.
    fn wdl_between(
        &self,
        board: &Board,
        alpha: Wdl,
        beta: Wdl,
        en_passant: EnPassant,
    ) -> Result<Wdl, ProbeError> {
        if has_bare_kings(board) {
            return Ok(Wdl::Draw);
        }
        let mut best = Wdl::Loss;
        let mut en_passant_is_legal = false;
        let mut captures = MoveList::new();
        board.legal_captures_into(&mut captures);
        for m in &captures {
            if !en_passant.includes(m) {
                continue;
            }
            if !m.is_capture() && self.is_syzygy(board, Metric::Wdl) {
                // They leave out what captures decide, but not what a promotion does.
                continue;
            }
            en_passant_is_legal |= m.is_en_passant();
            let next = board.play(m);
            let value = -self.wdl_between(&next, -beta, -best.max(alpha), EnPassant::Allowed)?;
            if value >= beta {
                return Ok(value);
            }
            best = best.max(value);
        }
        if en_passant_is_legal && has_only_en_passant(board) {
            return Ok(best);
        }
        // Not better than the value without en passant, unless a conversion wins, and equal to it
        // unless a conversion reaches it.
        match self.stored_wdl(board)? {
            Some(stored) => Ok(best.max(stored)),
            None => self.wdl_of_moves(board, best, alpha, beta),
        }
    }

    /// The value of a position whose side is not stored, en-passant captures left aside, given the
    /// best of its conversions; between `alpha` and `beta` as above.
    ///
    /// The fifty-move rule changes no result of that side, so a move into a loss wins, however long
    /// the loss takes: if it took too long, another move would win (docs/DECISIONS.md, "Results of
    /// one side").
    #[cold]
    fn wdl_of_moves(
        &self,
        board: &Board,
        mut best: Wdl,
        alpha: Wdl,
        beta: Wdl,
    ) -> Result<Wdl, ProbeError> {
        let moves = board.legal_moves();
        let mut moves = moves.into_iter().filter(|m| !m.is_en_passant()).peekable();
        if moves.peek().is_none() && !board.is_check() {
            return Ok(best.max(Wdl::Draw));
        }
        for m in moves.filter(|m| !m.changes_material()) {
            let next = board.play(m);
            let value = -self.wdl_between(&next, -beta, -best.max(alpha), EnPassant::Allowed)?;
            if value >= beta {
                return Ok(value);
            }
            best = best.max(value);
        }
        Ok(best)
    }

    /// Plies to the next zeroing move, of a position without castling rights.
    pub(super) fn dtz(&self, position: &Position) -> Result<DtzRange, ProbeError> {
        self.dtz_with(position, Rounding::Resolved)
    }

    /// The same, rounded or not.
    pub(super) fn dtz_with(
        &self,
        position: &Position,
        rounding: Rounding,
    ) -> Result<DtzRange, ProbeError> {
        if has_bare_kings(position) {
            return Ok(Dtz(0).into());
        }
        let mut best = Wdl::Loss;
        let mut en_passant_is_legal = false;
        let mut captures = MoveList::new();
        position.legal_captures_into(&mut captures);
        for m in &captures {
            let value =
                -self.wdl_between(&position.play(m), Wdl::Loss, -best, EnPassant::Allowed)?;
            if value == Wdl::Win {
                return Ok(value.dtz_of_zeroing_move().into());
            }
            en_passant_is_legal |= m.is_en_passant();
            best = best.max(value);
        }
        if en_passant_is_legal && has_only_en_passant(position) {
            return Ok(best.dtz_of_zeroing_move().into());
        }
        let wdl = match self.stored_wdl(position)? {
            Some(stored) => best.max(stored),
            None => self.wdl_of_moves(position, best, Wdl::Loss, Wdl::Win)?,
        };
        let follows_from_zeroing_move = match wdl {
            Wdl::Draw => true,
            _ if wdl.is_any_win() => best == wdl || self.is_won_by_pawn_move(position, wdl)?,
            // The loser zeroes only if there is nothing else, which the table knows; but it does
            // not know of an en-passant capture that alone saves the loser by the fifty-move rule.
            _ => {
                en_passant_is_legal && {
                    let ignored = EnPassant::Ignored;
                    self.wdl_between(position, Wdl::Loss, Wdl::Win, ignored)? < wdl
                }
            }
        };
        if follows_from_zeroing_move {
            return Ok(wdl.dtz_of_zeroing_move().into());
        }
        let Some(mut dtz) = self.stored_dtz(position, wdl)? else {
            return self.dtz_of_moves(position, wdl, rounding);
        };
        if wdl.is_any_loss() && dtz.shortest == Dtz(0) {
            // Only a mated side has no ply to go; by convention that is -1.
            dtz = Dtz(-1).into();
        }
        if !dtz.is_of(wdl) {
            return Err(self.contradiction(position.material_key(), Metric::Dtz));
        }
        let may_be_lost_at_once = wdl == Wdl::Loss && dtz.shortest == wdl.dtz_of_zeroing_move();
        let is_open = dtz.exact().is_none() && rounding == Rounding::Resolved;
        Ok(match may_be_lost_at_once && is_open {
            true => exact_if_lost_at_once(position, dtz),
            false => dtz,
        })
    }

    /// Whether a pawn move that keeps the material has this value, which is that of the position.
    fn is_won_by_pawn_move(&self, position: &Position, wdl: Wdl) -> Result<bool, ProbeError> {
        if position.pieces(position.turn(), Role::Pawn) == 0 {
            return Ok(false);
        }
        for m in &position.legal_moves() {
            if m.role() == Role::Pawn
                && !m.changes_material()
                && -self.wdl(&position.play(m))? == wdl
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The distance to zeroing of a position whose side is not stored, not drawn, and not won by a
    /// zeroing move.
    #[cold]
    fn dtz_of_moves(
        &self,
        position: &Position,
        wdl: Wdl,
        rounding: Rounding,
    ) -> Result<DtzRange, ProbeError> {
        let is_win = wdl.is_any_win();
        let mut best: Option<DtzRange> = None;
        for m in &position.legal_moves() {
            let next = position.play(m);
            let dtz = if m.is_zeroing() {
                (-self.wdl(&next)?).dtz_of_zeroing_move().into()
            } else if is_win
                && let Some(best) = best
                && self.takes_longer_if_lost(&next, -wdl, best)
            {
                continue;
            } else if next.is_checkmate() {
                Dtz(1).into()
            } else {
                self.dtz_with(&next, rounding)?.before_quiet_move()
            };
            // The winner takes the shortest of the ways that win, the loser the longest way.
            if dtz.shortest.0 > 0 || !is_win {
                best = Some(best.map_or(dtz, |best| least(best, dtz)));
            }
        }
        if !is_win {
            best = best.or(Some(Dtz(-1).into()));
        }
        best.filter(|dtz| dtz.is_of(wdl))
            .ok_or_else(|| self.contradiction(position.material_key(), Metric::Dtz))
    }

    /// Whether the distance that is stored, which is that of the position if it is lost as `wdl`
    /// says, is no shorter than `best` from the position before.
    fn takes_longer_if_lost(&self, position: &Position, wdl: Wdl, best: DtzRange) -> bool {
        if position.en_passant_square().is_some() {
            return false;
        }
        // If the position is not lost like this, a Syzygy table may have no distance for what is
        // stored.
        let Ok(Some(stored)) = self.stored_dtz(position, wdl) else {
            return false;
        };
        // Mated, or maybe: then it has one ply by convention only.
        let may_be_mated = match stored.shortest {
            Dtz(0) => true,
            Dtz(-1) => self.is_syzygy(position, Metric::Dtz),
            _ => false,
        };
        let before = match may_be_mated {
            true => Dtz(1).into(),
            false => stored.before_quiet_move(),
        };
        least(best, before) == best
    }

    /// Distance to mate of a position without castling rights.
    pub(super) fn mate_score(&self, position: &Position) -> Result<Mate, ProbeError> {
        match self.wdl(position)?.into() {
            Outcome::Drawn => Ok(Mate::DRAW),
            outcome => self.mate_score_given(position, outcome, EXACT),
        }
    }

    /// Distance to mate of a position that is known to be won or lost.
    ///
    /// Another score may be returned where the side that moved here would not care: one that, like
    /// the true one, is no better for it than `floor`.
    fn mate_score_given(
        &self,
        position: &Position,
        outcome: Outcome,
        floor: Mate,
    ) -> Result<Mate, ProbeError> {
        if position.en_passant_square().is_some() {
            return self.mate_score_with_en_passant(position, outcome);
        }
        let stored = self.stored_mate_score(position, outcome)?;
        let mut best = stored.unwrap_or(Mate::MATED);
        let is_enough = |best: Mate| best == MATES_NOW || best.before_move() <= floor;
        if !is_enough(best) {
            let mut captures = MoveList::new();
            position.legal_captures_into(&mut captures);
            for m in &captures {
                best = best.max(self.mate_score_after(position, m, outcome, best)?);
                if is_enough(best) {
                    break;
                }
            }
        }
        if stored.is_none() && !is_enough(best) {
            best = self.mate_score_of_other_moves(position, outcome, best)?;
        }
        self.ensure_outcome(position, best, outcome)
    }

    /// The score, if it is of this outcome.
    fn ensure_outcome(
        &self,
        position: &Position,
        score: Mate,
        outcome: Outcome,
    ) -> Result<Mate, ProbeError> {
        if Outcome::from(score) == outcome {
            Ok(score)
        } else {
            Err(self.contradiction(position.material_key(), Metric::Dtm))
        }
    }

    /// Distance to mate where a pawn stands ready to capture en passant.
    #[cold]
    fn mate_score_with_en_passant(
        &self,
        position: &Position,
        outcome: Outcome,
    ) -> Result<Mate, ProbeError> {
        // Of the conversions that the table knows as well, and of the en-passant captures.
        let mut known = Mate::MATED;
        let mut en_passant = None;
        for m in &position.legal_captures() {
            let score = self.mate_score_after(position, m, outcome, EXACT)?;
            if m.is_en_passant() {
                en_passant = en_passant.max(Some(score));
            } else {
                known = known.max(score);
            }
        }
        let best = en_passant.map_or(known, |score| known.max(score));
        let table_counts = match en_passant {
            None => true,
            Some(_) if has_only_en_passant(position) => false,
            // The table may have the position as drawn, or lost where it is won.
            Some(_) => {
                let ignored = EnPassant::Ignored;
                let without = self.wdl_between(position, Wdl::Loss, Wdl::Win, ignored)?;
                Outcome::from(without) == outcome
            }
        };
        let score = if !table_counts {
            best
        } else {
            match self.stored_mate_score(position, outcome)? {
                Some(stored) => best.max(stored),
                None => self.mate_score_of_other_moves(position, outcome, best)?,
            }
        };
        self.ensure_outcome(position, score, outcome)
    }

    /// What a move of a won or lost position makes of it, or any score up to `floor` if that is not
    /// better; the worst score where the move throws a win away.
    fn mate_score_after(
        &self,
        position: &Position,
        m: Move,
        outcome: Outcome,
        floor: Mate,
    ) -> Result<Mate, ProbeError> {
        let next = position.play(m);
        if outcome == Outcome::Mated {
            // Every move of a lost position loses.
            let score = self.mate_score_given(&next, Outcome::Mates, floor)?;
            return Ok(score.before_move());
        }
        // What is stored is not better for the other side than the truth if it loses at all, and
        // most moves do not come close to the best.
        if floor > EXACT
            && next.en_passant_square().is_none()
            && !has_bare_kings(&next)
            && let Some(stored) = self.stored_mate_score(&next, Outcome::Mated)?
            && stored.before_move() <= floor
        {
            return Ok(Mate::MATED);
        }
        match self.wdl(&next)?.into() {
            Outcome::Mated => {
                let score = self.mate_score_given(&next, Outcome::Mated, floor)?;
                Ok(score.before_move())
            }
            Outcome::Drawn | Outcome::Mates => Ok(Mate::MATED),
        }
    }

    /// What the table says of a position won or lost without en-passant captures: not better than
    /// that, and equal to it unless a conversion is as good. Nothing if that side's distances are
    /// not stored.
    #[inline]
    fn stored_mate_score(
        &self,
        position: &Position,
        outcome: Outcome,
    ) -> Result<Option<Mate>, ProbeError> {
        let number = self.stored_dtm(position)?;
        Ok(number.map(|number| match outcome {
            Outcome::Mated => Mate::lost(number),
            // One that is longer than any mate stands where a conversion beats it.
            _ => Mate::won(number),
        }))
    }

    /// The best of a score and those of the moves that keep the material; that of a mate if there
    /// is none.
    #[cold]
    fn mate_score_of_other_moves(
        &self,
        position: &Position,
        outcome: Outcome,
        mut best: Mate,
    ) -> Result<Mate, ProbeError> {
        for m in &position.legal_moves() {
            if !m.changes_material() {
                best = best.max(self.mate_score_after(position, m, outcome, best)?);
                if best == MATES_NOW {
                    break;
                }
            }
        }
        Ok(best)
    }
}
