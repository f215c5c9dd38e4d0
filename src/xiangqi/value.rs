//! What is known about a position, and about its moves.

use super::rules::Move;
use crate::metric::{Dtm, Wdl};

/// What is known about a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XiangqiValue {
    /// The result: win, draw or loss.
    pub wdl: Wdl,
    /// Plies to the next capture or mate that keeps the result, positive when the side to move
    /// wins; 0 for a draw and where there is no move. `None` where there is no such table. Of
    /// positions with a [`round`](XiangqiValue::round) it is a measure of progress: plies until the
    /// loser can only check for ever or leaves the round.
    pub dtc: Option<i32>,
    /// Plies to mate; `None` for a draw and where there is no such table.
    pub dtm: Option<Dtm>,
    /// How often the rule of perpetual check was applied before the position was decided; 0 where
    /// it was not needed.
    pub round: u8,
}

impl XiangqiValue {
    pub(crate) const DRAW: XiangqiValue = XiangqiValue {
        wdl: Wdl::Draw,
        dtc: Some(0),
        dtm: None,
        round: 0,
    };
}

/// A legal move and what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XiangqiMove {
    /// The move.
    pub played: Move,
    /// The value after it, for the opponent.
    pub value: XiangqiValue,
    /// Whether the opponent has no move and so has lost.
    pub ends: bool,
}
