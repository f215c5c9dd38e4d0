//! Best play from a xiangqi position to its end.

use super::{XiangqiProbeError, XiangqiTables};
use crate::metric::Wdl;
use crate::reserve::room;
use crate::xiangqi::Metric;
use crate::xiangqi::rules::{History, Move, Position, wxf};

/// One move of a [`XiangqiLine`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XiangqiLineMove {
    /// The move.
    pub played: Move,
    /// The move as engines write it, `h2e2`.
    pub iccs: String,
    /// The move as books write it, `C2=5`.
    pub wxf: String,
}

/// Why a [`XiangqiLine`] goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum XiangqiLineEnd {
    /// The side to move is in check and has no move: it has lost.
    Checkmate,
    /// The side to move is not in check and has no move: it has lost.
    Stalemate,
    /// Nobody can win any more: the last position is drawn.
    Draw,
    /// A position has come up again, and one side alone gave check all the time: it loses.
    PerpetualCheck,
    /// As many moves as were asked for.
    TooLong,
    /// A table is missing that the next move takes to choose; [`XiangqiLine::reason`] names it.
    Unknown,
}

/// Best play from a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XiangqiLine {
    /// The moves, first one first.
    pub moves: Vec<XiangqiLineMove>,
    /// Why there are no more.
    pub end: XiangqiLineEnd,
    /// Which table is missing and how to get it, where the end is [`XiangqiLineEnd::Unknown`].
    pub reason: Option<String>,
    /// By which tables both sides chose: [`Metric::Dtm`] for the quickest mate and the longest
    /// defence, [`Metric::Dtc`] for the quickest capture. That of the first move, if a table of
    /// distances to mate is missing later.
    pub metric: Metric,
}

impl XiangqiTables {
    /// Best play of both sides, at most `max_plies` moves. A drawn position has no moves to show.
    ///
    /// # Errors
    ///
    /// If the tables do not know the first move, or if one of those met later cannot be read.
    pub fn line(
        &self,
        position: &Position,
        max_plies: usize,
    ) -> Result<XiangqiLine, XiangqiProbeError> {
        self.line_by(position, max_plies, Metric::Dtm)
    }

    /// Best play of both sides, the first of the [moves](Self::moves_by) again and again.
    ///
    /// # Errors
    ///
    /// As for [`line`](Self::line).
    pub fn line_by(
        &self,
        position: &Position,
        max_plies: usize,
        metric: Metric,
    ) -> Result<XiangqiLine, XiangqiProbeError> {
        let metric = match (metric, self.probe(position)?.dtm) {
            (Metric::Dtm, Some(_)) => Metric::Dtm,
            _ => Metric::Dtc,
        };
        let mut history = History::new(*position);
        let mut moves: Vec<XiangqiLineMove> = Vec::new();
        let mut reason = None;
        let end = loop {
            let is_full = moves.len() >= max_plies;
            let played = match self.next_of_line(&history, is_full, metric) {
                Ok(Ok(played)) => played,
                Ok(Err(end)) => break end,
                Err(error) if error.is_missing_table() && !moves.is_empty() => {
                    reason = Some(error.to_string());
                    break XiangqiLineEnd::Unknown;
                }
                Err(error) => return Err(error),
            };
            room(&mut moves, 1)?;
            moves.push(XiangqiLineMove {
                played,
                iccs: played.to_iccs(),
                wxf: wxf(history.current(), played),
            });
            history.play(played);
        };
        Ok(XiangqiLine {
            moves,
            end,
            reason,
            metric,
        })
    }

    /// The next move of a line, or why there is none.
    fn next_of_line(
        &self,
        history: &History,
        is_full: bool,
        metric: Metric,
    ) -> Result<Result<Move, XiangqiLineEnd>, XiangqiProbeError> {
        let position = history.current();
        if !position.has_legal_move() {
            return Ok(Err(match position.is_check() {
                true => XiangqiLineEnd::Checkmate,
                false => XiangqiLineEnd::Stalemate,
            }));
        }
        if self.probe_wdl(position)? == Wdl::Draw {
            return Ok(Err(XiangqiLineEnd::Draw));
        }
        let repetition = history.repetition();
        if repetition.is_some_and(|repetition| repetition.loser().is_some()) {
            return Ok(Err(XiangqiLineEnd::PerpetualCheck));
        }
        if is_full {
            return Ok(Err(XiangqiLineEnd::TooLong));
        }
        let moves = self.moves_by(position, metric)?;
        // There is a move, as was seen above.
        Ok(moves
            .first()
            .map(|m| m.played)
            .ok_or(XiangqiLineEnd::Stalemate))
    }
}
