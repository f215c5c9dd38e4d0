//! Distances to mate in lines: of one byte, or of two.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::Not;

use super::{Lane, Line};
use crate::metric::{Dtm, MateScore};

/// A distance to mate, ordered by preference of the side to move, as [`MateScore`] has it in one
/// byte. With six men there are mates that a byte does not hold; where there are none, a byte is
/// half of what has to be moved.
///
/// | byte | word | meaning |
/// |---|---|---|
/// | n, below 128 | n, below 32768 | mated in 2n plies |
/// | 128 | 32768 | draw |
/// | 255 - n | 65535 - n | mates in 2n + 1 plies |
pub(in crate::verify) trait Score: Lane + Debug + Not<Output = Self> {
    const DRAW: Self;
    /// The side to move is mated now; also less than the value of any move.
    const MATED: Self;
    /// Stands where there is no legal position. It is also a mate in one ply, the best for the side
    /// to move, so results tell whether a position is legal.
    const ILLEGAL: Self = Self::NONE;
    /// What comes before [`ILLEGAL`](Self::ILLEGAL): no move is there, or each lets the opponent
    /// mate at once.
    const NO_MOVE: Self;

    /// What stands for a draw in a file whose numbers have one byte, or two.
    fn draw_in_file(has_words: bool) -> Self;

    /// A number of a file.
    fn of_bytes(low: u8, high: u8) -> Self;

    /// The next smaller number.
    fn less_one(self) -> Self;

    /// The score of a position whose best move reaches this one.
    fn before_move(self) -> Self;

    /// The distance, or nothing for a draw.
    fn dtm(self) -> Option<Dtm>;

    /// As one byte, if it fits.
    fn in_byte(self) -> Option<u8>;

    /// A line with a byte for each number, if they fit.
    fn line_in_bytes(line: &Line<Self>) -> Option<Line<u8>> {
        let mut bytes = [0; 64];
        for (byte, &score) in bytes.iter_mut().zip(line) {
            *byte = score.in_byte()?;
        }
        Some(bytes)
    }

    /// As two bytes.
    fn in_word(self) -> u16;
}

impl Score for u8 {
    const DRAW: u8 = MateScore::DRAW.0;
    const MATED: u8 = MateScore::MATED.0;
    const NO_MOVE: u8 = MateScore(Self::ILLEGAL).before_move().0;

    #[inline(always)]
    fn draw_in_file(_: bool) -> u8 {
        Self::DRAW
    }

    #[inline(always)]
    fn of_bytes(low: u8, _: u8) -> u8 {
        low
    }

    #[inline(always)]
    fn less_one(self) -> u8 {
        self.wrapping_sub(1)
    }

    #[inline(always)]
    fn before_move(self) -> u8 {
        MateScore(self).before_move().0
    }

    fn dtm(self) -> Option<Dtm> {
        MateScore(self).dtm()
    }

    #[inline(always)]
    fn in_byte(self) -> Option<u8> {
        Some(self)
    }

    #[inline(always)]
    fn line_in_bytes(line: &Line<u8>) -> Option<Line<u8>> {
        Some(*line)
    }

    #[inline(always)]
    fn in_word(self) -> u16 {
        match self {
            Self::DRAW => u16::DRAW,
            lost @ ..Self::DRAW => lost.into(),
            won => !u16::from(!won),
        }
    }
}

impl Score for u16 {
    const DRAW: u16 = 1 << 15;
    const MATED: u16 = 0;
    const NO_MOVE: u16 = 1;

    #[inline(always)]
    fn draw_in_file(has_words: bool) -> u16 {
        match has_words {
            true => Self::DRAW,
            false => u8::DRAW.into(),
        }
    }

    #[inline(always)]
    fn of_bytes(low: u8, high: u8) -> u16 {
        u16::from_le_bytes([low, high])
    }

    #[inline(always)]
    fn less_one(self) -> u16 {
        self.wrapping_sub(1)
    }

    #[inline(always)]
    fn before_move(self) -> u16 {
        (!self).wrapping_add(u16::from(self >= Self::DRAW))
    }

    fn dtm(self) -> Option<Dtm> {
        let number = i32::from(self);
        match self.cmp(&Self::DRAW) {
            Ordering::Less => Some(Dtm(-2 * number)),
            Ordering::Equal => None,
            Ordering::Greater => Some(Dtm(2 * (i32::from(u16::MAX) - number) + 1)),
        }
    }

    #[inline(always)]
    fn in_byte(self) -> Option<u8> {
        let [low, high] = self.to_le_bytes();
        match high {
            0 if low < u8::DRAW => Some(low),
            0x80 if low == 0 => Some(u8::DRAW),
            u8::MAX if low > u8::DRAW => Some(low),
            _ => None,
        }
    }

    #[inline(always)]
    fn in_word(self) -> u16 {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_plies() {
        for plies in 0..=600u16 {
            let score = match plies % 2 {
                0 => plies / 2,
                _ => u16::MAX - plies / 2,
            };
            let distance = score.dtm().unwrap();
            assert_eq!(distance.0.unsigned_abs(), u32::from(plies));
            let before = score.before_move().dtm();
            assert_eq!(before, Some(distance.before_move()));
            let in_byte = MateScore::from_plies(u32::from(plies)).map(|score| score.0);
            assert_eq!(score.in_byte(), in_byte);
            if let Some(byte) = in_byte {
                assert_eq!((byte.in_word(), byte.dtm()), (score, Some(distance)));
            }
        }
        assert_eq!(u16::DRAW.before_move(), u16::DRAW);
        assert_eq!(u16::ILLEGAL.before_move(), u16::NO_MOVE);
        assert_eq!(u16::DRAW.in_byte(), Some(u8::DRAW));
        assert_eq!(u8::DRAW.in_word(), u16::DRAW);
    }
}
