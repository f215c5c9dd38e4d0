//! Counting move paths: the move generator's own test.

use super::{Move, Position};

/// How many paths of `depth` legal moves lead on from a position. The last ply is counted, not
/// played.
///
/// # Examples
///
/// ```
/// use retrograde::chess::{Position, perft};
///
/// assert_eq!(perft(&Position::start(), 3), 8902);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(),
        _ => position
            .legal_moves()
            .into_iter()
            .map(|m| perft(&position.play(m), depth - 1))
            .sum(),
    }
}

/// [`perft`] for each move: how many of the paths begin with it. Empty for `depth` 0.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    (&position.legal_moves())
        .into_iter()
        .map(|m| (m, perft(&position.play(m), depth - 1)))
        .collect()
}
