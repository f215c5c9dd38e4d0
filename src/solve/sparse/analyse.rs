//! Retrograde analysis over the positions that were found, level by level.
//!
//! The moves of each position are looked at once: those to lower levels and into tables are counted by what is known
//! there, the others by their number. What follows from that within the level is found by [`propagate`](super::propagate).

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::SparseError;
use super::explore::Exploration;
use super::level::Level;
use super::packed::Packed;
use super::plane::{Plane, Values};
use super::positions::{Id, Positions};
use super::propagate::{ALONE, Propagation, Schedule};
use super::rules::{LeafError, Next, Rules};
use super::value::{Outlook, States};
use crate::game::Color;
use crate::game::chess::{Move, Position};

/// Positions that a thread takes at a time.
const PIECE: usize = 512;
/// Pieces whose results are put together at a time.
const GROUP: usize = 128;

/// A part of a level.
#[derive(Clone, Copy)]
struct Piece {
    shard: usize,
    start: u32,
    end: u32,
}

/// Sorts positions by level and says which there are, lowest first.
fn levels(positions: &mut Positions) -> Vec<(Level, Vec<Piece>)> {
    let starts: Vec<Vec<(Level, u32)>> = positions
        .shards
        .par_iter_mut()
        .map(|shard| shard.sort_by_level())
        .collect();
    let mut all: Vec<Level> = starts.iter().flatten().map(|&(level, _)| level).collect();
    all.sort_unstable();
    all.dedup();
    let mut next = vec![0; starts.len()];
    all.into_iter()
        .map(|level| {
            let mut pieces = Vec::new();
            for (shard, (starts, next)) in starts.iter().zip(&mut next).enumerate() {
                let Some(&(_, start)) = starts.get(*next).filter(|start| start.0 == level) else {
                    continue;
                };
                *next += 1;
                let end = match starts.get(*next) {
                    Some(&(_, end)) => end,
                    None => positions.shards[shard].len() as u32,
                };
                pieces.extend((start..end).step_by(PIECE).map(|start| Piece {
                    shard,
                    start,
                    end: end.min(start + PIECE as u32),
                }));
            }
            (level, pieces)
        })
        .collect()
}

/// Solves all positions that were found. Those whose moves were not looked at count as lost for `lost_for`; with all of
/// them looked at, it does not matter. Says how many bytes of memory were in use beside positions and values, at most.
///
/// # Errors
///
/// If the value of a leaf cannot be found out, or `cancel` is set.
pub fn analyse(
    exploration: &mut Exploration,
    values: &Values,
    rules: &Rules<'_>,
    lost_for: Color,
    cancel: &AtomicBool,
) -> Result<usize, SparseError> {
    let levels = levels(&mut exploration.positions);
    exploration.start_over();
    let exploration = &*exploration;
    let mut propagation = Propagation::default();
    let analysis = Analysis {
        exploration,
        values,
        rules,
        lost_for,
    };
    for (level, pieces) in levels {
        if cancel.load(Ordering::Relaxed) {
            return Err(SparseError::Cancelled);
        }
        let begun = analysis.begin(&pieces)?;
        if level.has_en_passant() {
            continue;
        }
        let [zeroing, mate] = begun.due;
        propagation.run(exploration, &values.zeroing, zeroing, mate.memory());
        match &values.mate {
            // What begins the same and follows the same rules ends the same.
            Some(plane) if begun.is_same => copy(&pieces, &values.zeroing, plane),
            Some(plane) => propagation.run(exploration, plane, mate, 0),
            None => {}
        }
    }
    Ok(propagation.peak_memory)
}

/// Copies the states of a level.
fn copy(pieces: &[Piece], from: &Plane, to: &Plane) {
    for &Piece { shard, start, end } in pieces {
        for local in start..end {
            let id = Id::new(shard, local);
            to.set(id, from.state(id), 0);
        }
    }
}

/// What the moves to lower levels make of a level.
struct Begun {
    /// Which positions are decided at which ply, by zeroing moves and by mate.
    due: [Schedule; 2],
    /// Whether both are the same, position for position.
    is_same: bool,
}

/// A part of it.
#[derive(Default)]
struct BegunPart {
    due: [Vec<(u16, Id)>; 2],
    differs: bool,
}

struct Analysis<'a> {
    exploration: &'a Exploration,
    values: &'a Values,
    rules: &'a Rules<'a>,
    lost_for: Color,
}

impl Analysis<'_> {
    /// Looks at the moves of all positions of a level, and says which are decided when by moves to lower ones.
    fn begin(&self, pieces: &[Piece]) -> Result<Begun, LeafError> {
        let is_small = is_small(pieces);
        let mut begun = Begun {
            due: [Schedule::new(is_small), Schedule::new(is_small)],
            is_same: true,
        };
        let look = |piece: &Piece| {
            let mut part = BegunPart::default();
            for local in piece.start..piece.end {
                self.look(Id::new(piece.shard, local), &mut part)?;
            }
            Ok::<_, LeafError>(part)
        };
        for group in pieces.chunks(GROUP) {
            let parts: Vec<BegunPart> = match is_small {
                true => group.iter().map(look).collect::<Result<_, _>>()?,
                false => group.par_iter().map(look).collect::<Result<_, _>>()?,
            };
            for part in &parts {
                begun.is_same &= !part.differs;
                for (schedule, due) in begun.due.iter_mut().zip(&part.due) {
                    due.iter().for_each(|&(ply, id)| schedule.add(ply, id));
                }
            }
        }
        Ok(begun)
    }

    /// Looks at the moves of a position.
    fn look(&self, id: Id, part: &mut BegunPart) -> Result<(), LeafError> {
        let positions = &self.exploration.positions;
        let packed = positions.get(id);
        let (states, moves) = if positions.is_expanded(id) {
            self.outlook(&packed)?
        } else {
            (self.unexplored(packed.turn()), 0)
        };
        self.values.zeroing.set(id, states.zeroing, moves);
        if let Some(mate) = &self.values.mate {
            mate.set(id, states.mate, moves);
        }
        part.differs |= states.zeroing != states.mate;
        for (due, state) in part.due.iter_mut().zip([states.zeroing, states.mate]) {
            if let Some(plies) = state.as_won().or(state.as_lost()) {
                due.push((plies, id));
            }
        }
        Ok(())
    }

    /// What counts for a position that was not explored.
    fn unexplored(&self, turn: Color) -> States {
        if turn == self.lost_for {
            States::CONCEDED
        } else {
            States::GIVEN
        }
    }

    /// What the moves to lower levels make of a position, and how many others it has.
    fn outlook(&self, packed: &Packed) -> Result<(States, u8), LeafError> {
        let position = packed.unpack();
        let is_covered = self.exploration.is_covered(packed);
        let (mut zeroing, mut mate) = (Outlook::default(), Outlook::default());
        let mut others = 0;
        let moves = position.legal_moves();
        let mut denied = 0;
        for m in &moves {
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

fn is_small(pieces: &[Piece]) -> bool {
    let positions: usize = pieces
        .iter()
        .map(|piece| (piece.end - piece.start) as usize)
        .sum();
    positions < ALONE
}

/// Whether a move leads to a position of the same level.
fn stays(packed: &Packed, position: &Position, m: Move) -> bool {
    let rights = position.castling_rights();
    !m.is_zeroing()
        && !packed.has_en_passant()
        && (rights.is_empty() || position.play(m).castling_rights() == rights)
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
