//! Retrograde analysis over the positions that were found, level by level.
//!
//! The moves of each position are looked at once: those to lower levels and into tables are counted
//! by what is known there, the others by their number. What follows from that within the level is
//! found by [`propagate`](super::propagate).

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::level::Level;
use super::packed::Packed;
use super::plane::{Plane, Values};
use super::propagate::{ALONE, Propagation};
use super::rules::{next, stays};
use super::state::{Outlook, States};
use super::symmetry::has_images;
use crate::chess::rules::Position;
use crate::game::Color;
use crate::reach::game::{Analysis, Extent, LeafError, Next, Outlay, States as _};
use crate::reach::positions::{Compact, Id, Run};

/// Positions that a thread takes at a time.
const PIECE: u32 = 512;

/// Solves everything.
///
/// # Errors
///
/// If the value of a leaf cannot be found out.
pub fn run(analysis: &Analysis<'_, Position>, values: &Values) -> Result<Outlay, LeafError> {
    let solver = Solver { analysis, values };
    values.clear();
    let mut propagation = Propagation::new(analysis.exploration, analysis.options.cancel);
    let mut progress = analysis.exploration.progress();
    progress.memory += values.memory();
    for (place, (level, runs)) in analysis.levels.iter().enumerate() {
        let is_last = place + 1 == analysis.levels.len();
        if let Some(extent) = solver.solve_level(*level, runs, is_last, &mut propagation)? {
            let memory = propagation.memory();
            return Ok(Outlay { extent, memory });
        }
        let positions: usize = runs.iter().map(Run::len).sum();
        progress.solved += positions;
        if positions >= ALONE {
            (analysis.options.report)(progress);
        }
    }
    Ok(Outlay {
        extent: Extent::All,
        memory: propagation.memory(),
    })
}

/// Solves positions that were found.
struct Solver<'a> {
    analysis: &'a Analysis<'a, Position>,
    /// Where states are written.
    values: &'a Values,
}

impl Solver<'_> {
    /// Solves a level; how far everything has come if that was cancelled.
    fn solve_level(
        &self,
        level: Level,
        runs: &[Run],
        is_last: bool,
        propagation: &mut Propagation<'_>,
    ) -> Result<Option<Extent>, LeafError> {
        let Some(is_same) = self.begin(runs)? else {
            return Ok(Some(Extent::Part));
        };
        if level.has_en_passant() {
            return Ok(None);
        }
        if !propagation.run(&self.values.zeroing, runs) {
            return Ok(Some(Extent::Part));
        }
        match &self.values.mate {
            // What begins the same and follows the same rules ends the same.
            Some(plane) if is_same => copy(runs, &self.values.zeroing, plane),
            // What was asked for is of the highest level.
            Some(plane) if !propagation.run(plane, runs) => {
                return Ok(Some(match is_last {
                    true => Extent::WithoutMates,
                    false => Extent::Part,
                }));
            }
            _ => {}
        }
        Ok(None)
    }

    /// Looks at the moves of all positions of a level; whether their states are the same by zeroing
    /// moves and by mate. `None` if that was cancelled.
    fn begin(&self, runs: &[Run]) -> Result<Option<bool>, LeafError> {
        let look = |run: Run| {
            if self.analysis.options.cancel.load(Ordering::Relaxed) {
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

    /// Looks at the moves of a position; whether its states are the same by zeroing moves and by
    /// mate.
    fn look(&self, id: Id) -> Result<bool, LeafError> {
        let positions = &self.analysis.exploration.positions;
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
        if turn == self.analysis.lost_for {
            States::CONCEDED
        } else {
            States::GIVEN
        }
    }

    /// What the moves to lower levels make of a position, and how many others it has, leaving out
    /// images of others.
    fn outlook(&self, packed: &Packed) -> Result<(States, u8), LeafError> {
        let position = packed.unpack();
        let is_covered = self.analysis.exploration.is_covered(packed);
        let (mut zeroing, mut mate) = (Outlook::default(), Outlook::default());
        let mut others = 0;
        let moves = position.legal_moves();
        let mut denied = 0;
        let has_images = has_images(&position);
        for m in &moves {
            if has_images && packed.is_image_of_another(m.to()) {
                continue;
            }
            let next = match next(self.analysis.rules, &position, m, is_covered) {
                Next::Denied => {
                    denied += 1;
                    continue;
                }
                Next::Leaf(next) if m.is_zeroing() => {
                    // Only the result matters, and no distance says that it is mate.
                    States::of_known(self.analysis.rules.value(&next, true)?, false)
                }
                Next::Leaf(next) => self.analysis.rules.state(&next)?,
                Next::Conceded => States::CONCEDED,
                Next::Inside if stays(packed, &position, m) => {
                    others += 1;
                    continue;
                }
                Next::Inside => {
                    let (next, key) = packed.after(&position, m);
                    match self.analysis.exploration.positions.find(&next, key) {
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
