//! Lines of scores turned by the symmetries of the board.

use crate::chess::symmetry::Symmetry;
use crate::retro::lines::{Line, from_ranks, ranks};
use crate::retro::score::Score;
use crate::transpose::{transpose_bytes, transpose_lines};

/// Scores of the 64 squares of a king, which turn with the board.
pub trait BoardScore: Score {
    /// The line whose score `i` is score `symmetry.map(i)` of another.
    fn pull(symmetry: Symmetry, line: &[Self; 64]) -> [Self; 64];

    /// Exchanges rows and columns of 64 times 64 scores.
    fn transpose(lines: &[[Self; 64]; 64], transposed: &mut [[Self; 64]; 64]);
}

impl BoardScore for u8 {
    #[inline(always)]
    fn pull(symmetry: Symmetry, line: &[u8; 64]) -> [u8; 64] {
        pull(symmetry, line)
    }

    #[inline(always)]
    fn transpose(all: &[[u8; 64]; 64], transposed: &mut [[u8; 64]; 64]) {
        transpose_lines(all, transposed);
    }
}

impl BoardScore for u16 {
    #[inline(always)]
    fn pull(symmetry: Symmetry, line: &[u16; 64]) -> [u16; 64] {
        std::array::from_fn(|place| line[usize::from(symmetry.map(place as u8))])
    }

    #[inline(always)]
    fn transpose(lines: &[[u16; 64]; 64], transposed: &mut [[u16; 64]; 64]) {
        for (column, transposed) in transposed.iter_mut().enumerate() {
            for (score, line) in transposed.iter_mut().zip(lines) {
                *score = line[column];
            }
        }
    }
}

/// The line whose byte `i` is byte `symmetry.map(i)` of another: what [`Symmetry::pull`] is for
/// words.
#[inline(always)]
fn pull(symmetry: Symmetry, line: &Line) -> Line {
    if symmetry.is_identity() {
        return *line;
    }
    let mut ranks = ranks(line);
    if symmetry.transposes() {
        transpose_bytes(&mut ranks);
    }
    if symmetry.flips() {
        ranks.reverse();
    }
    if symmetry.mirrors() {
        for rank in &mut ranks {
            *rank = rank.swap_bytes();
        }
    }
    from_ranks(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_turn_as_words_do() {
        let line: Line = std::array::from_fn(|place| (place * 37 % 251) as u8);
        let wide = line.map(u16::from);
        for index in 0..Symmetry::COUNT {
            let symmetry = Symmetry::from_index(index);
            let turned = u8::pull(symmetry, &line);
            assert_eq!(turned.map(u16::from), u16::pull(symmetry, &wide));
            for square in 0..64u8 {
                let from = usize::from(symmetry.map(square));
                assert_eq!(turned[usize::from(square)], line[from]);
            }
        }
    }
}
