//! Best play from a position to its end.

use super::{ProbeError, RootMove, Tablebase};
use crate::game::chess::{Move, Position, san};
use crate::metric::{Metric, Wdl};

/// One move of a [`Line`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMove {
    /// The move.
    pub played: Move,
    /// The move as UCI writes it, `e7e8q`.
    pub uci: String,
    /// The move in standard algebraic notation, `e8=Q+`.
    pub san: String,
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
}

/// Best play from a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The moves, first one first.
    pub moves: Vec<LineMove>,
    /// Why there are no more.
    pub end: LineEnd,
    /// By which tables both sides chose: [`Metric::Dtm`] for the quickest mate and the longest defence,
    /// [`Metric::Dtz`] for the quickest next capture or pawn move.
    pub metric: Metric,
}

impl Tablebase {
    /// Best play of both sides, at most `max_plies` moves.
    ///
    /// With DTM tables it is a shortest mate against the longest defence, which may not care for the fifty-move
    /// rule. Without them each phase is played to the next zeroing move that keeps the result, by DTZ, which
    /// mates in the end as well but by detours. Equal moves are taken in the order of
    /// [`root_moves`](Self::root_moves). A drawn position has no moves to show.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] if neither DTM nor DTZ tables know a position of the line.
    pub fn line(&self, position: &Position, max_plies: usize) -> Result<Line, ProbeError> {
        self.check_covered(position)?;
        let metric = match self.mate_score(position) {
            Ok(_) => Metric::Dtm,
            Err(error) if error.is_missing_table() => Metric::Dtz,
            Err(error) => return Err(error),
        };
        let mut moves = Vec::new();
        let mut position = *position;
        let end = loop {
            if position.is_checkmate() {
                break LineEnd::Checkmate;
            }
            if self.wdl(&position)? == Wdl::Draw {
                break LineEnd::Draw;
            }
            if moves.len() >= max_plies {
                break LineEnd::TooLong;
            }
            let best = match metric {
                Metric::Dtm => self.best_by_mate(&position)?,
                _ => self.best_by_zeroing(&position)?,
            };
            // A position that is decided and not mate has a move.
            let Some(best) = best else {
                break LineEnd::Draw;
            };
            moves.push(LineMove {
                played: best,
                uci: best.to_uci(),
                san: san(&position, best),
            });
            position = position.play(best);
        };
        Ok(Line { moves, end, metric })
    }

    /// The best of the moves that lead to mate as fast, or as slowly, as can be.
    fn best_by_mate(&self, position: &Position) -> Result<Option<Move>, ProbeError> {
        let best = self.mate_score(position)?;
        for RootMove { played, .. } in self.root_moves(position)? {
            if self.mate_score(&position.play(played))?.before_move() == best {
                return Ok(Some(played));
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
