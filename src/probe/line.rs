//! Best play from a position to its end.

use super::mate::Mate;
use super::{ProbeError, RootMove, Tablebase};
use crate::chess::rules::{Move, Position, san};
use crate::metric::{Metric, Wdl};
use crate::reserve::room;

/// One move of a [`Line`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMove {
    /// The move.
    pub played: Move,
    /// The move as UCI writes it, `e7e8q`.
    pub uci: String,
    /// The move in standard algebraic notation, `e8=Q+`.
    pub san: String,
    /// By which tables it was chosen; see [`Line::metric`].
    pub metric: Metric,
}

/// Why a [`Line`] goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineEnd {
    /// The side to move is mated.
    Checkmate,
    /// Nobody can win any more: the last position is drawn, stalemate included.
    Draw,
    /// As many moves as were asked for.
    TooLong,
    /// A table is missing that the next move takes to choose; [`Line::reason`] names it.
    Unknown,
}

/// Best play from a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The moves, first one first.
    pub moves: Vec<LineMove>,
    /// Why there are no more.
    pub end: LineEnd,
    /// Which table is missing and how to get it, where the end is [`LineEnd::Unknown`].
    pub reason: Option<String>,
    /// By which tables both sides chose: [`Metric::Dtm`] for the quickest mate and the longest
    /// defence that keep the result as the clock stands, [`Metric::Dtz`] for the quickest next
    /// capture or pawn move. A line by DTM goes on by DTZ where a DTM table is missing; then the
    /// [moves](LineMove::metric) differ and this is the metric of the first.
    pub metric: Metric,
}

impl Tablebase {
    /// Best play of both sides, at most `max_plies` moves.
    ///
    /// With DTM tables it is a shortest mate against the longest defence, among the moves that keep
    /// what the fifty-move rule and the clock leave of the result, where DTZ tables tell. Where
    /// nobody can win under the rule any more, the line goes on to the mate all the same. Without
    /// DTM tables each phase is played to the next zeroing move that keeps the result, by DTZ,
    /// which mates in the end as well but by detours. Where a DTM table is missing on the way, the
    /// rest is played by DTZ; where that does not help either, the line ends there. Equal moves are
    /// taken in the order of [`root_moves`](Self::root_moves). A drawn position has no moves to
    /// show.
    ///
    /// # Examples
    ///
    /// ```
    /// use retrograde::Tablebase;
    /// use retrograde::chess::rules::Position;
    /// use retrograde::probe::LineEnd;
    ///
    /// let tables = Tablebase::open("tables")?;
    /// let position = Position::from_fen("8/8/8/8/8/k1K5/8/1Q6 w - - 0 1")?;
    /// let line = tables.line(&position, 100)?;
    /// assert_eq!((line.moves.len(), line.end), (1, LineEnd::Checkmate));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ProbeError`] if the tables do not know the first move, or if one of those met later is
    /// damaged.
    pub fn line(&self, position: &Position, max_plies: usize) -> Result<Line, ProbeError> {
        self.line_by(position, max_plies, Metric::Dtm)
    }

    /// Best play of both sides as [`line`](Self::line) has it; with [`Metric::Dtz`] the first of
    /// the [`root_moves`](Self::root_moves) again and again, also where DTM tables are there.
    ///
    /// # Errors
    ///
    /// As for [`line`](Self::line).
    pub fn line_by(
        &self,
        position: &Position,
        max_plies: usize,
        metric: Metric,
    ) -> Result<Line, ProbeError> {
        self.check_covered(position)?;
        let mut metric = match metric {
            Metric::Dtm => match self.mate_score(position) {
                Ok(_) => Metric::Dtm,
                Err(error) if error.is_missing_table() => Metric::Dtz,
                Err(error) => return Err(error),
            },
            _ => Metric::Dtz,
        };
        let mut moves: Vec<LineMove> = Vec::new();
        let mut reason = None;
        let mut position = *position;
        let end = loop {
            let is_full = moves.len() >= max_plies;
            let played = match self.next_of_line(&position, is_full, &mut metric) {
                Ok(Ok(played)) => played,
                Ok(Err(end)) => break end,
                Err(error) if error.is_missing_table() && !moves.is_empty() => {
                    reason = Some(error.to_string());
                    break LineEnd::Unknown;
                }
                Err(error) => return Err(error),
            };
            room(&mut moves, 1)?;
            moves.push(LineMove {
                played,
                uci: played.to_uci(),
                san: san(&position, played),
                metric,
            });
            position = position.play(played);
        };
        Ok(Line {
            metric: moves.first().map_or(metric, |first| first.metric),
            moves,
            end,
            reason,
        })
    }

    /// The next move of a line, or why there is none. From where DTM tables are missing on,
    /// `metric` is DTZ.
    fn next_of_line(
        &self,
        position: &Position,
        is_full: bool,
        metric: &mut Metric,
    ) -> Result<Result<Move, LineEnd>, ProbeError> {
        if position.is_checkmate() {
            return Ok(Err(LineEnd::Checkmate));
        }
        if self.wdl(position)? == Wdl::Draw {
            return Ok(Err(LineEnd::Draw));
        }
        if is_full {
            return Ok(Err(LineEnd::TooLong));
        }
        let best = match *metric {
            Metric::Dtm => match self.best_by_mate(position) {
                Err(missing) if missing.is_missing_table() => {
                    *metric = Metric::Dtz;
                    match self.best_by_zeroing(position) {
                        // What is missing for the line that was asked for.
                        Err(error) if error.is_missing_table() => Err(missing),
                        best => best,
                    }
                }
                best => best,
            },
            _ => self.best_by_zeroing(position),
        };
        // A position that is decided and not mate has a move.
        Ok(best?.ok_or(LineEnd::Draw))
    }

    /// The best of the moves that lead to mate as fast, or as slowly, as can be without giving away
    /// what the fifty-move rule leaves of the result: with 99 plies on the clock a win that a pawn
    /// move keeps is not risked for a mate in fewer moves.
    fn best_by_mate(&self, position: &Position) -> Result<Option<Move>, ProbeError> {
        let expected = self.mate_score(position)?;
        let clock = position.halfmoves().into();
        let moves = self.root_moves(position)?;
        // The best move by results stands first.
        let results = moves.first().and_then(|m| m.results_with_clock(clock));
        let keeps = |m: &&RootMove| m.results_with_clock(clock) == results;
        let mate_by = |m: &RootMove| -> Result<Mate, ProbeError> {
            Ok(self.mate_score(&position.play(m.played))?.before_move())
        };
        let mut best = None;
        for m in moves.iter().filter(keeps) {
            let mate = mate_by(m)?;
            if mate == expected {
                return Ok(Some(m.played));
            }
            if best.is_none_or(|(before, _)| mate > before) {
                best = Some((mate, m.played));
            }
        }
        // A move that would be better but for the rule must be there, else something is missing or
        // wrong.
        for m in moves.iter().filter(|m| !keeps(m)) {
            if mate_by(m)? == expected {
                return Ok(best.map(|(_, played)| played));
            }
        }
        Err(self.contradiction(position.material_key(), Metric::Dtm))
    }

    /// The first of the ranked moves; all of them must be known.
    fn best_by_zeroing(&self, position: &Position) -> Result<Option<Move>, ProbeError> {
        let moves = self.root_moves(position)?;
        for m in &moves {
            if m.dtz.is_none() {
                self.dtz(&position.play(m.played))?;
            }
        }
        Ok(moves.first().map(|m| m.played))
    }
}
