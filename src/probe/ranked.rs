//! Root moves with ranks, as engines filter them.
//!
//! Inside a search the result of a position is enough. At the root it is not: a won position stays
//! won by many moves, and an engine that always takes one that keeps the win may never mate. Ranks
//! tell which moves make progress while the clock of the fifty-move rule allows, and which only
//! would.

use std::cmp::{Ordering, Reverse};

use super::{ProbeError, RootMove, Tablebase};
use crate::chess::rules::{Move, Position};
use crate::metric::{Dtm, Dtz, DtzRange, FIFTY_MOVES, Metric, Wdl};
use crate::reserve::collected;

/// The rank of a move that wins for certain; that of one that loses is the same below zero.
pub const CERTAIN: i32 = 1000;

/// The least rank of a move that wins under the fifty-move rule, for certain or by a ply.
pub const WINNING: i32 = 900;

/// The score of a won move in hundredths of a pawn: less than that of any mate, more than that of
/// any other position.
pub const WIN_SCORE: i32 = 31_744;

/// How moves are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankOptions {
    /// Whether a position has been repeated since the last capture or pawn move. Then moves that
    /// win are ranked by their distance, so that the game makes progress.
    pub has_repeated: bool,
    /// Whether there is a fifty-move rule. Where there is none, cursed wins score as wins.
    pub fifty_move_rule: bool,
    /// Whether, of the moves that surely win or lose, the shortest way to mate comes first, or the
    /// longest, instead of the way to the next zeroing move. Moves without a known distance come
    /// last.
    pub by_mate: bool,
}

impl Default for RankOptions {
    /// No repetition, the rule counts, by zeroing moves.
    fn default() -> RankOptions {
        RankOptions {
            has_repeated: false,
            fifty_move_rule: true,
            by_mate: false,
        }
    }
}

/// A legal move with its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedMove {
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
    /// Who wins after it, for the side to move then, as in [`RootMove::wdl`].
    pub wdl: Option<Wdl>,
    /// Plies to the next zeroing move after it, as in [`RootMove::dtz`].
    pub dtz: Option<DtzRange>,
    /// Plies to mate after it, as in [`RootMove::dtm`].
    pub dtm: Option<Dtm>,
    /// Higher is better for the player of the move; see [`Tablebase::rank_root_moves`].
    pub rank: i32,
    /// For display, in hundredths of a pawn for the player of the move: [`WIN_SCORE`] for a win, 1
    /// to 49 for a cursed win, more the closer it is to a real one, 0 for a draw, and the same
    /// below zero.
    pub score: i32,
}

impl RankedMove {
    fn new(root_move: RootMove, rank: i32, score: i32) -> RankedMove {
        let RootMove {
            played,
            is_zeroing,
            is_checkmate,
            is_stalemate,
            is_insufficient_material,
            wdl,
            dtz,
            dtm,
        } = root_move;
        RankedMove {
            played,
            is_zeroing,
            is_checkmate,
            is_stalemate,
            is_insufficient_material,
            wdl,
            dtz,
            dtm,
            rank,
            score,
        }
    }

    /// Less is better among moves of the same rank that surely win or lose.
    fn compare_by_mate(&self, other: &RankedMove) -> Ordering {
        let plies = |m: &RankedMove| m.dtm.map(|Dtm(plies)| plies.unsigned_abs());
        match self.rank {
            CERTAIN => {
                let plies = |m| plies(m).unwrap_or(u32::MAX);
                plies(self).cmp(&plies(other))
            }
            rank if rank == -CERTAIN => Reverse(plies(self)).cmp(&Reverse(plies(other))),
            _ => Ordering::Equal,
        }
    }
}

/// All legal moves, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedMoves {
    /// The moves, best first.
    pub moves: Vec<RankedMove>,
    /// What ranks follow from: [`Metric::Dtz`], or [`Metric::Wdl`] where a DTZ table is missing.
    pub metric: Metric,
}

impl RankedMoves {
    /// The moves that share the best rank: those that an engine has to search.
    #[must_use]
    pub fn best(&self) -> &[RankedMove] {
        let is_best = |m: &&RankedMove| m.rank == self.moves[0].rank;
        let count = self.moves.iter().take_while(is_best).count();
        &self.moves[..count]
    }
}

/// The rank of a move by the plies to the next zeroing move, counted from before the move, and
/// positive if its player wins; the table of [`Tablebase::rank_root_moves`] says what it means.
///
/// What a rounded table gives may be one ply more. So 99 plies, clock included, win for certain and
/// 100 do not.
#[must_use]
pub fn rank_by_zeroing(plies: i32, clock: i32, has_repeated: bool) -> i32 {
    let limit = FIFTY_MOVES.0 as i32;
    match plies.cmp(&0) {
        Ordering::Equal => 0,
        Ordering::Greater if plies + clock < limit && !has_repeated => CERTAIN,
        Ordering::Greater => (CERTAIN - (plies + clock)).max(1),
        // A defence that comes close to the limit is worth trying.
        Ordering::Less if -plies * 2 + clock < limit => -CERTAIN,
        Ordering::Less => (-CERTAIN + (-plies + clock)).min(-1),
    }
}

/// The rank of a move by its result for its player.
#[must_use]
pub fn rank_by_result(wdl: Wdl, fifty_move_rule: bool) -> i32 {
    match wdl {
        Wdl::Win => CERTAIN,
        Wdl::CursedWin if !fifty_move_rule => CERTAIN,
        Wdl::CursedWin => WINNING - 1,
        Wdl::Draw => 0,
        Wdl::BlessedLoss if !fifty_move_rule => -CERTAIN,
        Wdl::BlessedLoss => 1 - WINNING,
        Wdl::Loss => -CERTAIN,
    }
}

fn score(rank: i32, fifty_move_rule: bool) -> i32 {
    let winning = if fifty_move_rule { WINNING } else { 1 };
    let size = match rank.abs() {
        0 => 0,
        size if size >= winning => WIN_SCORE,
        size => (size - 800).max(3) / 2,
    };
    size * rank.signum()
}

impl RootMove {
    /// Plies to the next zeroing move or mate, counted from before the move and with the clock at
    /// zero before it if the move does not zero; positive if its player wins. Of a rounded distance
    /// the lesser.
    pub(crate) fn plies_to_zeroing_signed(&self) -> Option<i32> {
        if self.is_checkmate {
            return Some(1);
        }
        if self.is_zeroing {
            return Some((-self.wdl?).dtz_of_zeroing_move().0);
        }
        let Dtz(plies) = self.dtz?.shortest.before_quiet_move();
        Some(plies)
    }
}

impl Tablebase {
    /// All legal moves with ranks, best first; moves of one rank in the order of
    /// [`root_moves`](Self::root_moves).
    ///
    /// The clock is that of the position. Ranks are those that Fathom and Stockfish use:
    ///
    /// | rank | the move |
    /// |---|---|
    /// | 1000 | wins for certain, whatever way is taken as long as moves of this rank are played |
    /// | 900 to 999 | wins, 100 plies or less from the last zeroing move to the next; see below |
    /// | 1 to 899 | would win, but the way is longer than the fifty-move rule allows |
    /// | 0 | draws |
    /// | −1 to −899 | would lose, but the way is longer than the fifty-move rule allows |
    /// | to −999 | loses, but by a way that is long enough to be tried |
    /// | −1000 | loses |
    ///
    /// A win of 900 to 999 is not for certain if there are just 100 plies and the table has the
    /// distance rounded. Otherwise there are such ranks only after a repetition, the shortest way
    /// first.
    ///
    /// Where the DTZ of a move is not known, ranks follow from results: 1000, 899, 0, −899, −1000,
    /// the clock left aside.
    ///
    /// Takes some probes for each move: microseconds to a millisecond. It is for the root of a
    /// search.
    ///
    /// # Errors
    ///
    /// As for [`root_moves`](Self::root_moves); also if the result after a move is not known.
    ///
    /// # Examples
    ///
    /// ```
    /// use retrograde::Tablebase;
    /// use retrograde::chess::rules::Position;
    /// use retrograde::probe::RankOptions;
    ///
    /// let tables = Tablebase::open("tables")?;
    /// // Mate is 31 plies away. There is time for that after 69 plies without progress, and not after 70.
    /// for (clock, rank) in [(0, 1000), (68, 1000), (69, 900), (70, 899)] {
    ///     let position = Position::from_fen(&format!("8/8/8/8/8/2k5/1R6/K7 w - - {clock} 90"))?;
    ///     let ranked = tables.rank_root_moves(&position, &RankOptions::default())?;
    ///     assert_eq!(ranked.moves[0].rank, rank);
    ///     assert_eq!(ranked.best()[0].played.to_uci(), "a1b1");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rank_root_moves(
        &self,
        position: &Position,
        options: &RankOptions,
    ) -> Result<RankedMoves, ProbeError> {
        let moves = self.root_moves(position)?;
        let clock = i32::from(position.halfmoves());
        let is_known = |m: &RootMove| m.plies_to_zeroing_signed().is_some();
        let metric = match moves.iter().all(is_known) {
            true => Metric::Dtz,
            false => Metric::Wdl,
        };
        let rank = |m: &RootMove| -> Result<i32, ProbeError> {
            let plies = m.plies_to_zeroing_signed();
            if let Some(plies) = plies.filter(|_| metric == Metric::Dtz) {
                return Ok(rank_by_zeroing(plies, clock, options.has_repeated));
            }
            let wdl = match m.wdl {
                Some(wdl) => wdl,
                None => self.wdl(&position.play(m.played))?,
            };
            Ok(rank_by_result(-wdl, options.fifty_move_rule))
        };
        let ranked = |root: RootMove| {
            let rank = rank(&root)?;
            let score = score(rank, options.fifty_move_rule);
            Ok::<_, ProbeError>(RankedMove::new(root, rank, score))
        };
        let mut moves = collected(moves.into_iter().map(ranked))?;
        let compare = |a: &RankedMove, b: &RankedMove| {
            let by_rank = b.rank.cmp(&a.rank);
            match options.by_mate {
                true => by_rank.then_with(|| a.compare_by_mate(b)),
                false => by_rank,
            }
        };
        // Moves are almost in order, equals stay as they are, and it takes no memory.
        for end in 1..moves.len() {
            let (sorted, rest) = moves.split_at(end);
            let place = sorted.partition_point(|m| compare(m, &rest[0]).is_le());
            moves[place..=end].rotate_right(1);
        }
        Ok(RankedMoves { moves, metric })
    }
}
