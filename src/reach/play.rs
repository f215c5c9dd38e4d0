//! Moves, values and best play from positions that were solved.

use super::explore::Exploration;
use super::game::{LeafError, LineEnd, Next, Outcome, Reach, Rules, States, Track};
use super::positions::Compact;
use crate::chess;
use crate::metric::Wdl;

/// Lines are not longer; the longest known mates are shorter.
const MAX_LINE: usize = 1200;

/// A move, and the value of the position after it for the side to move there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveValue<P: Reach = chess::Position> {
    /// The move.
    pub played: P::Move,
    /// In a bound what it is worth at most for the opponent of the side the bound is for. `None` if
    /// a handicap denies the move, or all that is known is that it counts as lost.
    pub value: Option<P::Value>,
}

/// Best play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<P: Reach = chess::Position> {
    /// The moves, first one first.
    pub moves: Vec<P::Move>,
    /// Why there are no more.
    pub end: LineEnd,
}

/// Knows the states of positions.
pub struct Player<'a, P: Reach> {
    pub exploration: &'a Exploration<P::Packed>,
    pub states: &'a P::States,
    pub rules: &'a Rules<'a, P>,
    pub mates: bool,
}

/// What is known of the position after a move.
struct After<P: Reach> {
    played: P::Move,
    /// What a position that was not explored counts as is no knowledge.
    state: Option<P::State>,
    preference: P::Preference,
}

impl<P: Reach> Player<'_, P> {
    fn value(&self, state: P::State) -> P::Value {
        P::value_of(state, self.mates)
    }

    /// The state of a position that was found, and whether its moves were looked at.
    fn find(&self, position: &P) -> Option<(P::State, bool)> {
        let packed = P::Packed::new(position).normal_form();
        let id = self.exploration.positions.find(&packed, packed.key())?;
        Some((
            self.states.get(id),
            self.exploration.positions.is_expanded(id),
        ))
    }

    /// The value of the first position.
    pub fn root(&self, root: &P) -> P::Value {
        let state = self.find(root).map(|(state, _)| self.value(state));
        state.unwrap_or(P::Value::DRAW)
    }

    /// The moves of a position, the best first, where that is known to be in `here`.
    fn after(&self, position: &P, here: P::State) -> Result<Vec<After<P>>, LeafError> {
        let is_covered = {
            let packed = P::Packed::new(position).normal_form();
            self.exploration.is_covered(&packed)
        };
        let mut all: Vec<After<P>> = Vec::new();
        for played in position.moves() {
            let next = position.after(played).canonical();
            let state = match position.next(self.rules, played, is_covered) {
                Next::Leaf(leaf) => Some(self.rules.state(&leaf)?),
                Next::Conceded | Next::Denied => None,
                Next::Inside => self
                    .find(&next)
                    .and_then(|(state, is_expanded)| is_expanded.then_some(state)),
            };
            let ends = next.moves().is_empty();
            all.push(After {
                played,
                state,
                preference: P::preference(here, played, state, ends, self.mates),
            });
        }
        all.sort_by(|one, other| one.preference.cmp(&other.preference));
        Ok(all)
    }

    /// All legal moves of a position that was found, the best first.
    ///
    /// # Errors
    ///
    /// If the value of a leaf cannot be found out.
    pub fn moves(&self, position: &P) -> Result<Vec<MoveValue<P>>, LeafError> {
        let Some((here, _)) = self.find(position) else {
            return Ok(Vec::new());
        };
        let moves = self.after(position, here)?.into_iter();
        let value = |after: After<P>| MoveValue {
            played: after.played,
            value: after.state.map(|state| self.value(state)),
        };
        Ok(moves.map(value).collect())
    }

    /// Best play from a position that was found, by mate if mates are known.
    ///
    /// # Errors
    ///
    /// If the value of a leaf cannot be found out.
    pub fn line(&self, root: &P) -> Result<Line<P>, LeafError> {
        let mut moves = Vec::new();
        let mut track = P::Track::new(root);
        let end = loop {
            if let Some(end) = track.end() {
                break end;
            }
            let position = track.current();
            let is_draw = |state| self.value(state).wdl() == Wdl::Draw;
            let Some((here, _)) = self.find(&position) else {
                let is_leaf = self.rules.covers(&position);
                let is_draw = is_leaf && is_draw(self.rules.state(&position)?);
                break match (is_leaf, is_draw) {
                    (true, true) => LineEnd::Draw,
                    (true, false) => LineEnd::Leaf,
                    (false, _) => LineEnd::Unexplored,
                };
            };
            if is_draw(here) {
                break LineEnd::Draw;
            }
            if moves.len() >= MAX_LINE {
                break LineEnd::TooLong;
            }
            let all = self.after(&position, here)?;
            let best = all.iter().find(|after| {
                let keeps = |state| P::keeps(here, after.played, state, self.mates);
                after.state.is_some_and(keeps)
            });
            let Some(best) = best else {
                break LineEnd::Unexplored;
            };
            moves.push(best.played);
            track.play(best.played);
        };
        Ok(Line { moves, end })
    }
}
