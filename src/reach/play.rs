//! Moves, values and best play from positions that were solved.

use std::cmp::Reverse;

use super::analyse::known_states;
use super::explore::Exploration;
use super::packed::{Packed, canonical};
use super::plane::Values;
use super::rules::{LeafError, Next, Rules};
use super::value::{Outlook, State, States};
use super::{MoveValue, Value};
use crate::game::chess::{Move, Position};
use crate::metric::Dtz;

/// Lines are not longer; the longest known mates are shorter.
const MAX_LINE: usize = 1200;

/// Why a [`Line`] goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineEnd {
    /// The side to move is mated.
    Checkmate,
    /// Nobody can win any more.
    Draw,
    /// The value of the last position is known, and there are other ways to play on from there.
    Leaf,
    /// What follows was not explored or counts as decided.
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

/// Knows the states of positions.
pub struct Player<'a> {
    exploration: &'a Exploration,
    values: &'a Values,
    rules: &'a Rules<'a>,
    mates: bool,
}

/// What is known of a position after a move.
enum After {
    Leaf(States),
    Explored(States),
    /// What it counts as is no knowledge.
    Unexplored,
}

impl<'a> Player<'a> {
    /// Over what was analysed.
    pub fn new(
        exploration: &'a Exploration,
        values: &'a Values,
        rules: &'a Rules<'a>,
        mates: bool,
    ) -> Player<'a> {
        Player {
            exploration,
            values,
            rules,
            mates,
        }
    }

    fn value(&self, states: States) -> Value {
        states.value(self.mates)
    }

    /// The states of a position that was found.
    fn states(&self, position: &Position) -> Option<States> {
        let packed = Packed::new(position).normal_form();
        let id = self.exploration.positions.find(&packed, packed.key())?;
        Some(self.values.get(id))
    }

    /// The value of the first position.
    pub fn root(&self, root: &Position) -> Value {
        self.value(self.states(root).unwrap_or(States::DRAW))
    }

    fn after(&self, position: &Position, m: Move) -> Result<After, LeafError> {
        if !self.rules.allows(position, m) {
            return Ok(After::Unexplored);
        }
        let packed = Packed::new(position);
        let is_covered = self.exploration.is_covered(&packed.normal_form());
        Ok(match self.rules.next(position, m, is_covered) {
            Next::Leaf(next) => After::Leaf(known_states(self.rules, &next, false)?),
            Next::Conceded => After::Unexplored,
            Next::Inside => {
                let (next, key) = packed.after(position, m);
                match self.exploration.positions.find(&next, key) {
                    Some(id) if self.exploration.positions.is_expanded(id) => {
                        After::Explored(self.values.get(id))
                    }
                    _ => After::Unexplored,
                }
            }
        })
    }

    /// All legal moves of a position that was found.
    ///
    /// # Errors
    ///
    /// If the value of a leaf cannot be found out.
    pub fn moves(&self, position: &Position) -> Result<Vec<MoveValue>, LeafError> {
        let moves = position.legal_moves();
        moves
            .into_iter()
            .map(|played| {
                let value = match self.after(position, played)? {
                    After::Leaf(states) | After::Explored(states) => Some(self.value(states)),
                    After::Unexplored => None,
                };
                Ok(MoveValue { played, value })
            })
            .collect()
    }

    /// Best play from a position that was found, by mate if mates are known, else by zeroing moves.
    ///
    /// # Errors
    ///
    /// If the value of a leaf cannot be found out.
    pub fn line(&self, root: &Position) -> Result<Line, LeafError> {
        let mut moves = Vec::new();
        let mut position = canonical(root);
        let end = loop {
            if position.is_checkmate() {
                break LineEnd::Checkmate;
            }
            let is_draw = |states: States| self.value(states).dtz == Dtz(0);
            let Some(states) = self.states(&position) else {
                let is_leaf = self.rules.covers(&position);
                let is_draw = is_leaf && is_draw(known_states(self.rules, &position, true)?);
                break match (is_leaf, is_draw) {
                    (true, true) => LineEnd::Draw,
                    (true, false) => LineEnd::Leaf,
                    (false, _) => LineEnd::Unexplored,
                };
            };
            if is_draw(states) {
                break LineEnd::Draw;
            }
            if moves.len() >= MAX_LINE {
                break LineEnd::TooLong;
            }
            let Some(best) = self.best(&position, states)? else {
                break LineEnd::Unexplored;
            };
            moves.push(best);
            position = canonical(&position.play(best));
        };
        Ok(Line { moves, end })
    }

    /// The move that makes the states what they are; the first by `preference`.
    fn best(&self, position: &Position, states: States) -> Result<Option<Move>, LeafError> {
        let mut best = None;
        for played in &position.legal_moves() {
            let (After::Leaf(next) | After::Explored(next)) = self.after(position, played)? else {
                continue;
            };
            let mut outlook = Outlook::default();
            let (state, wanted) = if self.mates {
                outlook.count(next.mate);
                (outlook.state(0, || false), states.mate)
            } else {
                match played.is_zeroing() {
                    true => outlook.count_zeroing(next.zeroing),
                    false => outlook.count(next.zeroing),
                }
                (outlook.state(0, || false), states.zeroing)
            };
            if state == wanted {
                let preference = preference(played, next.zeroing);
                if best.is_none_or(|(least, _)| preference < least) {
                    best = Some((preference, played));
                }
            }
        }
        Ok(best.map(|(_, played)| played))
    }
}

/// Among moves of one value the one that zeroes sooner for the winner, later for the loser; then by squares, and the
/// strongest promotion first.
fn preference(m: Move, next: State) -> impl Ord + Copy {
    let plies = match m.is_zeroing() {
        true => 0,
        false => next.dtz().0.abs(),
    };
    let signed = if next.as_lost().is_some() {
        plies
    } else {
        -plies
    };
    (signed, m.from(), m.to(), Reverse(m.promotion()))
}
