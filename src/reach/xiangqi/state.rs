//! What is known of a xiangqi position while others are solved.

use super::packed::Packed;
use crate::metric::{Dtm, Wdl};
use crate::reach::game;
use crate::reach::positions::{Id, Positions};
use crate::xiangqi::XiangqiValue;
use crate::xiangqi::rules::Position;

/// The result for the side to move, with its distances in plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Win, draw or loss.
    pub wdl: Wdl,
    /// How often the rule of perpetual check was applied before it was decided.
    pub round: u8,
    /// Plies to the next capture or to the end of the game; of what the rule decided a measure of
    /// progress.
    pub conversion: u16,
    /// Plies to the end of the game.
    pub mate: u16,
}

impl State {
    /// A draw.
    pub const DRAW: State = State {
        wdl: Wdl::Draw,
        round: 0,
        conversion: 0,
        mate: 0,
    };

    /// As good as mated.
    pub const CONCEDED: State = State {
        wdl: Wdl::Loss,
        ..State::DRAW
    };

    /// Of a position whose value is known.
    pub fn of_known(value: &XiangqiValue) -> State {
        let plies = |plies: i32| u16::try_from(plies.unsigned_abs()).unwrap_or(u16::MAX - 1);
        State {
            wdl: value.wdl,
            round: value.round,
            conversion: value.dtc.map_or(0, plies),
            mate: value.dtm.map_or(0, |dtm| plies(dtm.0)),
        }
    }

    /// The value it stands for.
    pub fn value(self, with_mates: bool) -> XiangqiValue {
        let sign = match self.wdl {
            Wdl::Loss => -1,
            _ => 1,
        };
        XiangqiValue {
            wdl: self.wdl,
            dtc: Some(sign * i32::from(self.conversion)),
            dtm: (with_mates && self.wdl != Wdl::Draw).then(|| Dtm(sign * i32::from(self.mate))),
            round: self.round,
        }
    }
}

/// The states of all positions that were found.
#[derive(Debug)]
pub struct States(Vec<Vec<State>>);

impl States {
    /// All are draws again.
    pub fn clear(&mut self) {
        for shard in &mut self.0 {
            shard.fill(State::DRAW);
        }
    }

    /// Sets the state of a position.
    #[inline]
    pub fn set(&mut self, id: Id, state: State) {
        self.0[id.shard()][id.local()] = state;
    }
}

impl game::States<Position> for States {
    fn new(positions: &Positions<Packed>, _: bool) -> States {
        let shards = positions.shards.iter();
        States(shards.map(|it| vec![State::DRAW; it.len()]).collect())
    }

    #[inline]
    fn get(&self, id: Id) -> State {
        self.0[id.shard()][id.local()]
    }

    fn memory(&self) -> usize {
        let shards = self.0.iter();
        shards.map(|it| it.capacity() * size_of::<State>()).sum()
    }
}
