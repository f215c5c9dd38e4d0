//! Retrograde analysis over the positions that were found, level by level.
//!
//! The moves of each position are looked at once: those to lower levels and into tables are counted by what is known
//! there, the others by their number. What follows from that within the level is found by [`propagate`](super::propagate).

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::explore::{Exploration, Progress};
use super::level::Level;
use super::packed::Packed;
use super::plane::{Plane, Values};
use super::positions::{Id, Levels, Run};
use super::propagate::{ALONE, Propagation};
use super::rules::{LeafError, Next, Rules, stays};
use super::symmetry::has_images;
use super::value::{Outlook, States};
use crate::game::Color;
use crate::game::chess::Position;

/// Positions that a thread takes at a time.
const PIECE: u32 = 512;

/// How far an analysis has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Everything is known.
    All,
    /// Everything is known of the position that was asked for, but not its distance to mate.
    Zeroing,
    /// What is won or lost is won or lost. Nothing follows from other states.
    Part,
}

/// Solves positions that were found.
pub struct Analysis<'a> {
    /// What was found.
    pub exploration: &'a Exploration,
    /// Where the levels are, lowest first.
    pub levels: &'a Levels<Level>,
    /// Where states are written.
    pub values: &'a Values,
    /// What is a leaf.
    pub rules: &'a Rules<'a>,
    /// For whom positions count as lost whose moves were not looked at; if all were, it does not matter.
    pub lost_for: Color,
    /// Set to give up.
    pub cancel: &'a AtomicBool,
    /// Told how many positions have been solved.
    pub report: &'a (dyn Fn(Progress) + Sync),
}

impl Analysis<'_> {
    /// Solves everything, and says how many bytes of memory were in use beside positions and values, at most.
    ///
    /// # Errors
    ///
    /// If the value of a leaf cannot be found out.
    pub fn run(&self) -> Result<(Reach, usize), LeafError> {
        self.values.clear();
        let mut propagation = Propagation::new(self.exploration, self.cancel);
        let mut progress = self.exploration.progress();
        progress.memory += self.values.memory();
        for (place, (level, runs)) in self.levels.iter().enumerate() {
            let is_last = place + 1 == self.levels.len();
            let Some(is_same) = self.begin(runs)? else {
                return Ok((Reach::Part, propagation.memory()));
            };
            if !level.has_en_passant() {
                if !propagation.run(&self.values.zeroing, runs) {
                    return Ok((Reach::Part, propagation.memory()));
                }
                match &self.values.mate {
                    // What begins the same and follows the same rules ends the same.
                    Some(plane) if is_same => copy(runs, &self.values.zeroing, plane),
                    Some(plane) if !propagation.run(plane, runs) => {
                        // What was asked for is of the highest level.
                        let reach = if is_last { Reach::Zeroing } else { Reach::Part };
                        return Ok((reach, propagation.memory()));
                    }
                    _ => {}
                }
            }
            let positions: usize = runs.iter().map(Run::len).sum();
            progress.solved += positions;
            if positions >= ALONE {
                (self.report)(progress);
            }
        }
        Ok((Reach::All, propagation.memory()))
    }

    /// Looks at the moves of all positions of a level; whether their states are the same by zeroing moves and by mate.
    /// Nothing if that was cancelled.
    fn begin(&self, runs: &[Run]) -> Result<Option<bool>, LeafError> {
        let look = |run: Run| {
            if self.cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let mut is_same = true;
            for id in run.ids() {
                is_same &= self.look(id)?;
            }
            Ok::<_, LeafError>(Some(is_same))
        };
        let both = |one: Option<bool>, other: Option<bool>| {
            Ok(one.zip(other).map(|(one, other)| one && other))
        };
        let parts: Vec<Run> = runs.iter().flat_map(|run| run.parts(PIECE)).collect();
        match runs.iter().map(Run::len).sum::<usize>() < ALONE {
            true => parts
                .into_iter()
                .map(look)
                .try_fold(Some(true), |one, other| both(one, other?)),
            false => parts
                .into_par_iter()
                .map(look)
                .try_reduce(|| Some(true), both),
        }
    }

    /// Looks at the moves of a position; whether its states are the same by zeroing moves and by mate.
    fn look(&self, id: Id) -> Result<bool, LeafError> {
        let positions = &self.exploration.positions;
        let packed = positions.get(id);
        let (states, moves) = match positions.look(id).moves() {
            Some(moves) => (States::OPEN, moves),
            None if positions.is_expanded(id) => self.outlook(&packed)?,
            None => (self.unexplored(packed.turn()), 0),
        };
        self.values.zeroing.set(id, states.zeroing, moves);
        if let Some(mate) = &self.values.mate {
            mate.set(id, states.mate, moves);
        }
        Ok(states.zeroing == states.mate)
    }

    /// What counts for a position that was not explored.
    fn unexplored(&self, turn: Color) -> States {
        if turn == self.lost_for {
            States::CONCEDED
        } else {
            States::GIVEN
        }
    }

    /// What the moves to lower levels make of a position, and how many others it has, leaving out images of others.
    fn outlook(&self, packed: &Packed) -> Result<(States, u8), LeafError> {
        let position = packed.unpack();
        let is_covered = self.exploration.is_covered(packed);
        let (mut zeroing, mut mate) = (Outlook::default(), Outlook::default());
        let mut others = 0;
        let moves = position.legal_moves();
        let mut denied = 0;
        let has_images = has_images(&position);
        for m in &moves {
            if has_images && packed.is_image_of_another(m.to()) {
                continue;
            }
            if !self.rules.allows(&position, m) {
                denied += 1;
                continue;
            }
            let next = match self.rules.next(&position, m, is_covered) {
                Next::Leaf(next) => known_states(self.rules, &next, m.is_zeroing())?,
                Next::Conceded => States::CONCEDED,
                Next::Inside if stays(packed, &position, m) => {
                    others += 1;
                    continue;
                }
                Next::Inside => {
                    let (next, key) = packed.after(&position, m);
                    match self.exploration.positions.find(&next, key) {
                        Some(id) => self.values.get(id),
                        None => self.unexplored(next.turn()),
                    }
                }
            };
            match m.is_zeroing() {
                true => zeroing.count_zeroing(next.zeroing),
                false => zeroing.count(next.zeroing),
            }
            mate.count(next.mate);
        }
        if denied > 0 && denied == moves.len() {
            // It is no stalemate.
            return Ok((States::CONCEDED, 0));
        }
        let is_check = || position.is_check();
        let states = States {
            zeroing: zeroing.state(others, is_check),
            mate: mate.state(others, is_check),
        };
        // No position has more than 218 moves.
        Ok((states, others.min(usize::from(u8::MAX)) as u8))
    }
}

/// Copies the states of a level.
fn copy(runs: &[Run], from: &Plane, to: &Plane) {
    for id in runs.iter().flat_map(|run| run.ids()) {
        to.set(id, from.state(id), 0);
    }
}

/// The states of a position that is covered.
///
/// # Errors
///
/// If its value cannot be found out.
pub fn known_states(
    rules: &Rules<'_>,
    position: &Position,
    after_zeroing: bool,
) -> Result<States, LeafError> {
    let known = rules.value(position, after_zeroing)?;
    // A mated position has the same distance as one that is lost after the next move.
    let is_checkmate = known.dtz.0 == -1 && !after_zeroing && position.is_checkmate();
    Ok(States::of_known(known, is_checkmate))
}
