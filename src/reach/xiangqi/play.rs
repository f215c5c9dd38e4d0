//! Moves, values and best play from xiangqi positions that were solved.

use super::rules::{LeafError, Leaves, Next, Rules};
use super::state::State;
use super::{Analysed, MoveValue, Packed, Solved};
use crate::game::Color;
use crate::game::xiangqi::{History, Move, Position};
use crate::metric::Wdl;
use crate::reach::positions::Compact;
use crate::xiangqi::XiangqiMove;

/// Lines are not longer.
const MAX_LINE: usize = 1200;

/// Why a [`Line`] goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineEnd {
    /// The side to move is in check and has no move: it has lost.
    Checkmate,
    /// The side to move is not in check and has no move: it has lost.
    Stalemate,
    /// The position is a draw.
    Draw,
    /// A position has come up again, and one side alone gave check all the time: it loses.
    PerpetualCheck,
    /// The value of the last position is known beforehand.
    Leaf,
    /// What follows was not explored.
    Unexplored,
    /// As many moves as are shown.
    TooLong,
}

/// Best play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The moves, first one first.
    pub moves: Vec<Move>,
    /// Why there are no more.
    pub end: LineEnd,
}

/// A move with what is known of the position after it.
struct After {
    played: Move,
    state: Option<State>,
    is_leaf: bool,
    ends: bool,
}

impl Solved {
    /// What the analysis that was just made says of the first position.
    pub(super) fn found(
        &self,
        rules: &Rules<'_>,
        side: Option<Color>,
    ) -> Result<Analysed, LeafError> {
        let root = self.root;
        Ok(Analysed {
            side,
            root: self
                .state(&root)
                .unwrap_or(State::DRAW)
                .value(self.has_mates),
            moves: self.values_of_moves(&root, rules)?,
            line: self.line(rules)?,
        })
    }

    /// All legal moves with their values, the best first, of a position that was explored, as the last analysis has them.
    /// The first wins a won position by being played again and again.
    ///
    /// `leaves` are those it was solved with.
    ///
    /// # Errors
    ///
    /// If the value of a leaf cannot be found out.
    pub fn moves(
        &self,
        position: &Position,
        leaves: &dyn Leaves,
    ) -> Result<Vec<MoveValue>, LeafError> {
        self.values_of_moves(position, &Rules::new(leaves))
    }

    fn values_of_moves(
        &self,
        position: &Position,
        rules: &Rules<'_>,
    ) -> Result<Vec<MoveValue>, LeafError> {
        let moves = self.ordered_moves(position, rules)?.into_iter();
        let value = |after: After| match after.state {
            Some(state) => MoveValue::Known(XiangqiMove {
                played: after.played,
                value: state.value(self.has_mates),
                ends: after.ends,
            }),
            None => MoveValue::Unexplored(after.played),
        };
        Ok(moves.map(value).collect())
    }

    fn state(&self, position: &Position) -> Option<State> {
        let packed = Packed::new(position);
        let id = self.exploration.positions.find(&packed, packed.key())?;
        let is_expanded = self.exploration.positions.is_expanded(id);
        is_expanded.then(|| self.states.get(id))
    }

    fn ordered_moves(
        &self,
        position: &Position,
        rules: &Rules<'_>,
    ) -> Result<Vec<After>, LeafError> {
        let here = self.state(position).unwrap_or(State::DRAW);
        let mut moves = Vec::new();
        for &played in position.legal_moves().as_slice() {
            let next = position.play(played);
            let is_leaf = matches!(rules.next(&next, played), Next::Leaf);
            moves.push(After {
                played,
                state: match is_leaf {
                    true => Some(State::of_known(&rules.value(&next)?)),
                    false => self.state(&next),
                },
                is_leaf,
                ends: !next.has_legal_move(),
            });
        }
        moves.sort_by_cached_key(|after| (self.order(&here, after), after.played.to_iccs()));
        Ok(moves)
    }

    /// Smaller is better for the side that moves. A win that the rule of perpetual check decides goes to an earlier round if it can, else
    /// on without check, else nearer to such a move.
    fn order(&self, here: &State, after: &After) -> (i8, u16, u32, u32) {
        let Some(next) = after.state else {
            // Behind draws and before losses.
            return (1, 0, 0, 0);
        };
        let plies = match (after.played.is_capture(), self.has_mates) {
            (_, true) => next.mate,
            (true, false) => 0,
            (false, false) => next.conversion,
        };
        // Every number of men counts its own rounds.
        let round = match after.played.is_capture() || after.ends {
            true => 0,
            false => u16::from(next.round),
        };
        match next.wdl {
            Wdl::Loss => {
                let is_check =
                    round > 0 && round == u16::from(here.round) && after.played.gives_check();
                let blocked = is_check && next.conversion >= here.conversion;
                let class = u32::from(is_check) + u32::from(blocked);
                (-1, round, class, u32::from(plies))
            }
            // The loser goes to later rounds and longer ways.
            Wdl::Win => (2, u16::MAX - round, 0, u32::MAX - u32::from(plies)),
            _ => (0, 0, 0, 0),
        }
    }

    /// Best play from the first position.
    fn line(&self, rules: &Rules<'_>) -> Result<Line, LeafError> {
        let mut history = History::new(self.root);
        let mut moves = Vec::new();
        let end = loop {
            let position = *history.current();
            if !position.has_legal_move() {
                break match position.is_check() {
                    true => LineEnd::Checkmate,
                    false => LineEnd::Stalemate,
                };
            }
            match self.state(&position).map(|state| state.wdl) {
                None => break LineEnd::Unexplored,
                Some(Wdl::Draw) => break LineEnd::Draw,
                Some(_) => {}
            }
            let repetition = history.repetition();
            if repetition.is_some_and(|repetition| repetition.loser().is_some()) {
                break LineEnd::PerpetualCheck;
            }
            if moves.len() >= MAX_LINE {
                break LineEnd::TooLong;
            }
            let all = self.ordered_moves(&position, rules)?;
            let Some(best) = all.first() else {
                break LineEnd::Unexplored;
            };
            moves.push(best.played);
            history.play(best.played);
            if best.is_leaf {
                break match history.current().is_insufficient_material() {
                    true => LineEnd::Draw,
                    false => LineEnd::Leaf,
                };
            }
        };
        Ok(Line { moves, end })
    }
}
