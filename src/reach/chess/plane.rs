//! The states of all positions.

use std::sync::atomic::{AtomicU8, AtomicU16, Ordering::Relaxed};

use super::packed::Packed;
use super::state::{State, States};
use crate::chess::rules::Position;
use crate::reach::game;
use crate::reach::positions::{Id, Positions, Run};

/// Bytes of a position in one metric.
pub const BYTES: usize = size_of::<AtomicU16>() + size_of::<AtomicU8>();

/// The states of all positions in one metric.
///
/// Every number is written by one thread at a time and may be read by others, so plain loads and
/// stores do: no instruction has to lock.
#[derive(Debug)]
pub struct Plane {
    states: Vec<Vec<AtomicU16>>,
    /// Moves within the level that do not lose, as far as is known.
    moves: Vec<Vec<AtomicU8>>,
}

impl Plane {
    fn new(positions: &Positions<Packed>) -> Plane {
        let lengths = || positions.shards.iter().map(|shard| shard.len());
        Plane {
            states: lengths()
                .map(|len| {
                    (0..len)
                        .map(|_| AtomicU16::new(State::NOT_LOST.0))
                        .collect()
                })
                .collect(),
            moves: lengths()
                .map(|len| (0..len).map(|_| AtomicU8::new(0)).collect())
                .collect(),
        }
    }

    /// The state of a position.
    #[inline]
    pub fn state(&self, id: Id) -> State {
        State(self.states[id.shard()][id.local()].load(Relaxed))
    }

    /// Adds the next positions of a run, `most` of them at most, that are decided at a ply, and
    /// shortens the run to what is behind them.
    pub fn next_decided(&self, run: &mut Run, ply: u16, most: usize, due: &mut Vec<Id>) {
        let states = &self.states[run.shard][run.start as usize..run.end as usize];
        let most = due.len() + most;
        for (state, local) in states.iter().zip(run.start..) {
            if State(state.load(Relaxed)).as_decided() == Some(ply) {
                if due.len() >= most {
                    run.start = local;
                    return;
                }
                due.push(Id::new(run.shard, local));
            }
        }
        run.start = run.end;
    }

    /// Forgets all states.
    fn clear(&self) {
        for state in self.states.iter().flatten() {
            state.store(State::NOT_LOST.0, Relaxed);
        }
    }

    /// Sets the state of a position, and how many of its moves are open.
    #[inline]
    pub fn set(&self, id: Id, state: State, moves: u8) {
        self.states[id.shard()][id.local()].store(state.0, Relaxed);
        self.moves[id.shard()][id.local()].store(moves, Relaxed);
    }

    /// Notes that a move of a position wins so soon; whether that is sooner than what was known.
    #[inline]
    pub fn improve(&self, id: Id, won: State) -> bool {
        let state = &self.states[id.shard()][id.local()];
        let is_sooner = State(state.load(Relaxed)) > won;
        if is_sooner {
            state.store(won.0, Relaxed);
        }
        is_sooner
    }

    /// Notes that a move of a position loses in so many plies; how soon the position is lost if
    /// that was the last one.
    #[inline]
    pub fn lose_move(&self, id: Id, plies: u16) -> Option<u16> {
        let moves = &self.moves[id.shard()][id.local()];
        let left = moves.load(Relaxed).wrapping_sub(1);
        moves.store(left, Relaxed);
        if left != 0 {
            return None;
        }
        let plies = self.state(id).as_open()?.max(plies);
        self.states[id.shard()][id.local()].store(State::lost(plies).0, Relaxed);
        Some(plies)
    }
}

/// The states of all positions.
#[derive(Debug)]
pub struct Values {
    /// By zeroing moves.
    pub zeroing: Plane,
    /// By mate, if wanted.
    pub mate: Option<Plane>,
}

impl Values {
    /// Forgets everything.
    pub fn clear(&self) {
        self.zeroing.clear();
        if let Some(mate) = &self.mate {
            mate.clear();
        }
    }
}

impl game::States<Position> for Values {
    fn new(positions: &Positions<Packed>, mates: bool) -> Values {
        Values {
            zeroing: Plane::new(positions),
            mate: mates.then(|| Plane::new(positions)),
        }
    }

    fn memory(&self) -> usize {
        let planes = 1 + usize::from(self.mate.is_some());
        let positions: usize = self.zeroing.states.iter().map(Vec::len).sum();
        planes * BYTES * positions
    }

    #[inline]
    fn get(&self, id: Id) -> States {
        States {
            zeroing: self.zeroing.state(id),
            mate: match &self.mate {
                Some(mate) => mate.state(id),
                None => State::NOT_LOST,
            },
        }
    }
}
