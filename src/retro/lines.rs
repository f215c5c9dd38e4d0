//! Sixty-four bytes that belong to the 64 positions of one word.
//!
//! Eight bytes are handled as one number, which any processor can do and which compilers turn into wider registers.

use super::byte_sets::{LOW, gather_high_bits, not_zero_bytes, spread};
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

/// The line at an address, to be written.
#[inline(always)]
pub fn line_at_mut(bytes: &mut [u8], address: usize) -> &mut [u8] {
    &mut bytes[address * 64..address * 64 + 64]
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
    const DRAWN: u64 = LOW * MateScore::DRAW.0 as u64;
    let mut high = 0;
    let mut decided = 0;
    for number in 0..8 {
        let bytes = rank(scores, number);
        high |= gather_high_bits(bytes) << (8 * number);
        decided |= not_zero_bytes(bytes ^ DRAWN) << (8 * number);
    }
    (high & decided, decided & !high)
}

/// The positions at which two lines agree.
#[inline(always)]
#[must_use]
pub fn equal(a: &Line, b: &Line) -> u64 {
    let mut different = 0;
    for number in 0..8 {
        different |= not_zero_bytes(rank(a, number) ^ rank(b, number)) << (8 * number);
    }
    !different
}

/// 255 at the positions of a set, 0 elsewhere.
#[inline(always)]
#[must_use]
pub fn expanded(set: u64) -> Line {
    let mut ranks = [0; 8];
    for (rank, eight) in ranks.iter_mut().zip(set.to_le_bytes()) {
        *rank = spread(eight);
    }
    from_ranks(ranks)
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

/// Exchanges rows and columns of eight times eight bytes.
#[inline(always)]
pub(crate) fn transpose_bytes(rows: &mut [u64; 8]) {
    exchange::<4, 8>(rows, 32, 0x0000_0000_ffff_ffff);
    exchange::<2, 8>(rows, 16, 0x0000_ffff_0000_ffff);
    exchange::<1, 8>(rows, 8, 0x00ff_00ff_00ff_00ff);
}

/// Exchanges rows and columns of 64 times 64 bytes.
#[inline(always)]
pub fn transpose_lines(lines: &[Line; 64], transposed: &mut [Line; 64]) {
    for row in (0..64).step_by(8) {
        for column in (0..64).step_by(8) {
            let mut block = [0; 8];
            for (number, bytes) in block.iter_mut().enumerate() {
                *bytes = rank(&lines[row + number], column / 8);
            }
            transpose_bytes(&mut block);
            for (number, bytes) in block.into_iter().enumerate() {
                transposed[column + number][row..row + 8].copy_from_slice(&bytes.to_le_bytes());
            }
        }
    }
}

/// Exchanges rows and columns of 64 words.
#[inline(always)]
pub fn transpose_words(words: &mut [u64; 64]) {
    exchange::<32, 64>(words, 32, 0x0000_0000_ffff_ffff);
    exchange::<16, 64>(words, 16, 0x0000_ffff_0000_ffff);
    exchange::<8, 64>(words, 8, 0x00ff_00ff_00ff_00ff);
    exchange::<4, 64>(words, 4, 0x0f0f_0f0f_0f0f_0f0f);
    exchange::<2, 64>(words, 2, 0x3333_3333_3333_3333);
    exchange::<1, 64>(words, 1, 0x5555_5555_5555_5555);
}

/// Exchanges the upper bits of each word with the lower bits, those of the mask, of the word `WIDTH` further on;
/// `shift` bits lie between them.
#[inline(always)]
fn exchange<const WIDTH: usize, const LEN: usize>(words: &mut [u64; LEN], shift: u32, mask: u64) {
    for number in 0..LEN / 2 {
        let upper = number / WIDTH * (2 * WIDTH) + number % WIDTH;
        let lower = upper + WIDTH;
        let exchanged = (words[upper] >> shift ^ words[lower]) & mask;
        words[upper] ^= exchanged << shift;
        words[lower] ^= exchanged;
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
            assert_eq!(equal(&a, &b), set(&a, |at, byte| byte == b[at]));
            let positions = set(&a, |_, byte| byte % 3 == 0);
            for (at, byte) in expanded(positions).into_iter().enumerate() {
                assert_eq!(byte, 0u8.wrapping_sub((positions >> at & 1) as u8));
            }
        }
    }

    #[test]
    fn transpositions_exchange_rows_and_columns() {
        let lines: [Line; 64] = std::array::from_fn(|row| line(row as u64));
        let mut transposed = [[0; 64]; 64];
        transpose_lines(&lines, &mut transposed);
        let mut words = lines.map(|line| set(&line, |_, byte| byte % 2 == 1));
        transpose_words(&mut words);
        for row in 0..64 {
            for column in 0..64 {
                assert_eq!(transposed[column][row], lines[row][column]);
                assert_eq!(words[column] >> row & 1, u64::from(lines[row][column]) & 1);
            }
        }
    }
}
