//! Sixty-four bytes that belong to the 64 positions of one word.

use crate::byte_sets::{self, expanded};
use crate::metric::MateScore;

/// Mate scores of the positions of one word.
pub type Line = [u8; 64];

/// The line at an address.
#[inline(always)]
#[must_use]
pub fn line_at(bytes: &[u8], address: usize) -> Line {
    let mut line = [0; 64];
    line.copy_from_slice(&bytes[address * 64..address * 64 + 64]);
    line
}

#[inline(always)]
fn rank(line: &Line, rank: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&line[rank * 8..rank * 8 + 8]);
    u64::from_le_bytes(bytes)
}

#[inline(always)]
pub(crate) fn ranks(line: &Line) -> [u64; 8] {
    let mut ranks = [0; 8];
    for (number, bytes) in ranks.iter_mut().enumerate() {
        *bytes = rank(line, number);
    }
    ranks
}

#[inline(always)]
pub(crate) fn from_ranks(ranks: [u64; 8]) -> Line {
    let mut line = [0; 64];
    for (bytes, rank) in line.chunks_exact_mut(8).zip(ranks) {
        bytes.copy_from_slice(&rank.to_le_bytes());
    }
    line
}

/// The positions that are won and those that are lost.
#[inline(always)]
#[must_use]
pub fn won_and_lost(scores: &Line) -> (u64, u64) {
    let draws = [MateScore::DRAW.0; 64];
    (
        byte_sets::above(scores, &draws),
        byte_sets::above(&draws, scores),
    )
}

/// `best = max(best, score before the move)` at the positions of a set.
#[inline(always)]
pub fn keep_best(best: &mut Line, scores: &Line, positions: u64) {
    let chosen = expanded(positions);
    for ((best, &score), chosen) in best.iter_mut().zip(scores).zip(chosen) {
        *best = (MateScore(score).before_move().0 & chosen).max(*best);
    }
}

/// `best = max(best, score)` at the positions of a set.
#[inline(always)]
pub fn keep_best_of_one(best: &mut Line, score: u8, positions: u64) {
    for (best, chosen) in best.iter_mut().zip(expanded(positions)) {
        *best = (score & chosen).max(*best);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes without any pattern, the interesting ones among them.
    fn line(seed: u64) -> Line {
        let mut state = seed | 1;
        std::array::from_fn(|_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            match state >> 61 {
                0 => 0,
                1 => 127,
                2 => 128,
                3 => 129,
                4 => 255,
                _ => (state >> 40) as u8,
            }
        })
    }

    fn set(line: &Line, is: impl Fn(usize, u8) -> bool) -> u64 {
        (0..64)
            .filter(|&at| is(at, line[at]))
            .fold(0, |set, at| set | 1 << at)
    }

    #[test]
    fn sets_from_bytes() {
        for seed in 0..100 {
            let (a, b) = (line(seed), line(seed / 3));
            let expected = (set(&a, |_, byte| byte > 128), set(&a, |_, byte| byte < 128));
            assert_eq!(won_and_lost(&a), expected);
            assert_eq!(byte_sets::equal(&a, &b), set(&a, |at, byte| byte == b[at]));
            let positions = set(&a, |_, byte| byte % 3 == 0);
            for (at, byte) in expanded(positions).into_iter().enumerate() {
                assert_eq!(byte, 0u8.wrapping_sub((positions >> at & 1) as u8));
            }
        }
    }
}
