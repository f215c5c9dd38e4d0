//! Counting move paths: the move generator's own test.

use super::{Move, Position};

/// How many paths of `depth` legal moves lead on from a position. The last ply is counted, not
/// played.
///
/// # Examples
///
/// ```
/// use retrograde::xiangqi::{Position, perft};
///
/// assert_eq!(perft(&Position::start(), 2), 1920);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    let mut position = *position;
    count(&mut position, depth)
}

fn count(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(),
        _ => {
            let mut nodes = 0;
            for m in position.legal_moves() {
                let undo = position.make(m);
                nodes += count(position, depth - 1);
                position.unmake(m, undo);
            }
            nodes
        }
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
