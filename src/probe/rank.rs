//! The legal moves of a position with their values, best first.

use std::cmp::{Ordering, Reverse};

use super::mate::Mate;
use super::{ProbeError, Tablebase};
use crate::chess::material::MAX_MEN;
use crate::chess::rules::{Move, Position};
use crate::metric::{Dtm, Dtz, DtzRange, FIFTY_MOVES, Metric, Wdl};
use crate::reserve::collected;

/// A legal move and what the tables say about the position after it.
///
/// All values are from the point of view of the side to move *after* the move, as the public
/// tablebase interfaces give them: the best move of a won position has [`Wdl::Loss`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove {
    /// The move.
    pub played: Move,
    /// Whether it sets the clock of the fifty-move rule to zero: a capture or a pawn move.
    pub is_zeroing: bool,
    /// Whether it mates.
    pub is_checkmate: bool,
    /// Whether it stalemates.
    pub is_stalemate: bool,
    /// Whether it leaves neither side enough to mate.
    pub is_insufficient_material: bool,
    /// Who wins after it, clock at zero; nothing if a table is missing.
    pub wdl: Option<Wdl>,
    /// Plies to the next zeroing move after it, clock at zero, known exactly unless a Syzygy table
    /// has it rounded; nothing if a table is missing.
    pub dtz: Option<DtzRange>,
    /// Plies to mate after it; nothing if drawn or if a table is missing.
    pub dtm: Option<Dtm>,
}

impl RootMove {
    /// A legal move and the position after it, with the values that need no table: those of a game
    /// that is over.
    #[must_use]
    pub fn new(played: Move, next: &Position) -> RootMove {
        let is_checkmate = next.is_checkmate();
        let is_stalemate = next.is_stalemate();
        let is_insufficient_material = next.is_insufficient_material();
        let (wdl, dtz) = match (is_checkmate, is_stalemate || is_insufficient_material) {
            (true, _) => (Some(Wdl::Loss), Some(Dtz(-1).into())),
            (false, true) => (Some(Wdl::Draw), Some(Dtz(0).into())),
            (false, false) => (None, None),
        };
        RootMove {
            played,
            is_zeroing: played.is_zeroing(),
            is_checkmate,
            is_stalemate,
            is_insufficient_material,
            wdl,
            dtz,
            dtm: is_checkmate.then_some(Dtm(0)),
        }
    }

    /// Plies from before the move to the next zeroing move or mate, if known: the fewest and the
    /// most it may be.
    fn plies_to_zeroing(&self) -> Option<[u32; 2]> {
        if self.is_checkmate {
            return Some([1, 1]);
        }
        let DtzRange { shortest, longest } = self.dtz?;
        Some([shortest, longest].map(|Dtz(plies)| match self.is_zeroing {
            true => 1,
            false => plies.unsigned_abs() + 1,
        }))
    }

    /// The result for the player of the move, if the clock stood at `clock` plies before it: what
    /// is sure, and what may be. They differ where a rounded distance may or may not be too long.
    ///
    /// A win that needs more plies than the clock leaves is as good as a cursed one.
    pub(super) fn results_with_clock(&self, clock: u32) -> Option<[Wdl; 2]> {
        let wdl = -self.wdl?;
        let plies = match self.is_checkmate || self.is_zeroing {
            true => None,
            false => self.plies_to_zeroing(),
        };
        let Some([fewest, most]) = plies else {
            return Some([wdl; 2]);
        };
        let unless_late = |plies: u32, late: Wdl| match clock + plies > FIFTY_MOVES.0 {
            true => late,
            false => wdl,
        };
        Some(match wdl {
            Wdl::Win => [most, fewest].map(|plies| unless_late(plies, Wdl::CursedWin)),
            Wdl::Loss => [fewest, most].map(|plies| unless_late(plies, Wdl::BlessedLoss)),
            wdl => [wdl; 2],
        })
    }

    /// The result for the player of the move; where a distance is rounded, what is sure: nobody
    /// trusts in the rest.
    fn result_with_clock(&self, clock: u32) -> Option<Wdl> {
        self.results_with_clock(clock).map(|[sure, _]| sure)
    }

    /// Less is better for the player of the move; see [`Tablebase::root_moves`].
    fn compare(&self, other: &RootMove, clock: u32, by: Lengths) -> Ordering {
        let results = [self, other].map(|m| m.result_with_clock(clock));
        let class = |result: Option<Wdl>| match result {
            // Unknown: behind a draw, before a loss.
            None => (Reverse(Wdl::Draw), true),
            Some(wdl) => (Reverse(wdl), false),
        };
        let by_class = class(results[0]).cmp(&class(results[1]));
        let by_length = match results[0] {
            Some(Wdl::Win | Wdl::CursedWin) => {
                self.lengths(u32::MAX, by).cmp(&other.lengths(u32::MAX, by))
            }
            Some(Wdl::Loss | Wdl::BlessedLoss) => other.lengths(0, by).cmp(&self.lengths(0, by)),
            _ => self.ends_the_game().cmp(&other.ends_the_game()),
        };
        by_class.then(by_length)
    }

    /// How far the end is, the most important number first; `unknown` stands for what is not known.
    ///
    /// Plies to mate if the move mates, to the next zeroing move (twice the middle, where it is not
    /// known exactly), to mate, and to the zeroing move after a move that zeroes.
    fn lengths(&self, unknown: u32, by: Lengths) -> [u32; 4] {
        let plies = |distance: Option<i32>| distance.map_or(unknown, i32::unsigned_abs);
        let mate = plies(self.dtm.map(|dtm| dtm.0));
        let is_later = u32::from(!self.is_checkmate);
        let to_zeroing = self
            .plies_to_zeroing()
            .map_or(unknown, |[fewest, most]| fewest + most);
        let after_zeroing = plies(self.dtz.map(|dtz| dtz.shortest.0));
        match by {
            Lengths::Zeroing => [is_later, to_zeroing, mate, after_zeroing],
            Lengths::Mate => [is_later, mate, to_zeroing, after_zeroing],
            Lengths::MateOnly => [is_later, mate, 0, 0],
        }
    }

    fn ends_the_game(&self) -> bool {
        self.is_stalemate || self.is_insufficient_material
    }
}

/// Which distances tell moves of one result apart, the first one first.
#[derive(Clone, Copy)]
enum Lengths {
    /// To zeroing, to mate.
    Zeroing,
    /// To mate, to zeroing.
    Mate,
    /// To mate alone.
    MateOnly,
}

/// Sorts the moves of a position with that many plies on its clock as [`Tablebase::root_moves`]
/// does.
pub fn sort_root_moves(moves: &mut [RootMove], clock: u32) {
    sort_root_moves_by(moves, clock, Metric::Dtz);
}

/// Sorts the moves of a position with that many plies on its clock as [`Tablebase::root_moves_by`]
/// does.
pub fn sort_root_moves_by(moves: &mut [RootMove], clock: u32, metric: Metric) {
    // Some distances to zeroing need no table, since a capture decides; they cannot be compared
    // with others. So with mates.
    let has_zeroing = moves.iter().all(|m| m.dtz.is_some() || m.wdl.is_none());
    let is_drawn = |m: &RootMove| m.wdl.is_none_or(|wdl| wdl == Wdl::Draw);
    let has_mates = moves.iter().all(|m| m.dtm.is_some() || is_drawn(m));
    let by = match (metric, has_zeroing) {
        (Metric::Dtm, true) if has_mates => Lengths::Mate,
        (_, true) => Lengths::Zeroing,
        (_, false) => Lengths::MateOnly,
    };
    // No two moves are equal, and a sort that keeps the order of equals takes memory.
    moves.sort_unstable_by(|a, b| {
        a.compare(b, clock, by)
            .then_with(|| a.played.from().cmp(&b.played.from()))
            .then_with(|| a.played.to().cmp(&b.played.to()))
            .then_with(|| b.played.promotion().cmp(&a.played.promotion()))
    });
}

impl Tablebase {
    /// All legal moves, best first.
    ///
    /// The order is by
    ///
    /// 1. the result under the fifty-move rule with the clock as it stands: win, cursed win, draw,
    ///    unknown, blessed loss, loss. A win that needs more plies to the next zeroing move than
    ///    the clock leaves counts as cursed, and such a loss as blessed;
    /// 2. among wins the shortest way first, among losses the longest: mate at once, then plies to
    ///    the next zeroing move, then plies to mate. Draws that end the game come last among draws;
    /// 3. the squares of the move, so that the order is always the same.
    ///
    /// DTZ counts only if it is known for all moves: with WDL and DTM tables only, wins are ordered
    /// by DTM. Moves that lack a value come last among equals.
    ///
    /// # Errors
    ///
    /// [`ProbeError::CastlingRights`], [`ProbeError::TooManyMen`], and whatever is wrong with a
    /// table that is there. A missing table is no error, its values are `None`.
    pub fn root_moves(&self, position: &Position) -> Result<Vec<RootMove>, ProbeError> {
        self.root_moves_by(position, Metric::Dtz)
    }

    /// All legal moves, best first, as [`root_moves`](Self::root_moves) has them; with
    /// [`Metric::Dtm`] plies to mate count before those to the next zeroing move, where they are
    /// known for all moves.
    ///
    /// # Errors
    ///
    /// As for [`root_moves`](Self::root_moves).
    pub fn root_moves_by(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Vec<RootMove>, ProbeError> {
        self.check_covered(position)?;
        let key = position.material_key();
        if key.men() as usize > MAX_MEN {
            return Err(self.catalog.missing(key, Metric::Wdl));
        }
        let moves = position.legal_moves();
        let mut moves = collected(moves.into_iter().map(|m| self.root_move(position, m)))?;
        sort_root_moves_by(&mut moves, position.halfmoves().into(), metric);
        Ok(moves)
    }

    /// A legal move and what the tables say about the position after it: also where a castling
    /// right is left before the move, and nothing where one is left after it.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with a table that is there. A missing table is no error, its values are
    /// `None`.
    pub fn root_move(&self, position: &Position, m: Move) -> Result<RootMove, ProbeError> {
        let next = position.play(m);
        let is_covered = self.check_covered(&next).is_ok();
        let by_rule = RootMove::new(m, &next);
        let dtm = if_there(is_covered, || self.mate_score(&next))?.and_then(Mate::dtm);
        Ok(RootMove {
            wdl: if_there(is_covered, || self.wdl(&next))?.or(by_rule.wdl),
            dtz: if_there(is_covered, || self.dtz(&next))?.or(by_rule.dtz),
            dtm: dtm.or(by_rule.dtm),
            ..by_rule
        })
    }
}

/// A value, or nothing where no table has one.
fn if_there<T>(
    is_covered: bool,
    value: impl FnOnce() -> Result<T, ProbeError>,
) -> Result<Option<T>, ProbeError> {
    if !is_covered {
        return Ok(None);
    }
    match value() {
        Ok(value) => Ok(Some(value)),
        Err(ProbeError::MissingTable { .. } | ProbeError::TooManyMen { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
