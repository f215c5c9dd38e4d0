//! What going through lines takes.

use super::compare::Comparing;
use super::line::Score;
use super::quiet::{BestOfRow, RowMoves};

/// What going through the lines of a chunk takes, and gives.
#[derive(Default)]
pub(super) struct LineWork<S: Score> {
    /// The quiet moves of a row, and the best that they lead to.
    pub moves: RowMoves,
    pub numbers: BestNumbers,
    pub scores: BestOfRow<S>,
    pub comparing: Comparing<S>,
}

/// The best numbers that the quiet moves of a row lead to.
#[derive(Default)]
pub(super) struct BestNumbers {
    pub results: BestOfRow<u8>,
    pub keys: BestOfRow<i16>,
}
