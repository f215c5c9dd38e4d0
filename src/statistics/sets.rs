//! What counting looks at of the positions at an address.

use std::ops::Range;

use crate::game::Bits;
use crate::metric::{MateScore, Wdl};
use crate::retro::score::Score;

/// What is known of one side's positions at an address.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sets<'a> {
    pub legal: u64,
    /// For each [`Wdl`] the positions of that value; what stands at the draw is not looked at.
    pub decided: [u64; 5],
    /// In check and without a legal move; not looked at where distances are known, as these
    /// positions have none.
    pub mated: u64,
    /// Not in check and without a legal move.
    pub stalemated: u64,
    /// Won by a zeroing move, so that the distance to zeroing is known without looking.
    pub won_by_zeroing: u64,
    /// Distances to zeroing in plies, without sign.
    pub dtz: Option<&'a [u8; 64]>,
    /// Their high bytes, where there are such.
    pub dtz_high: Option<&'a [u8; 64]>,
    /// [`MateScore`]s.
    pub dtm: Option<&'a [u8; 64]>,
    /// Scores of two bytes, instead, where mates do not fit into one.
    pub long_mates: Option<&'a [u16; 64]>,
}

impl Sets<'_> {
    #[inline(always)]
    pub(super) fn won(&self) -> u64 {
        self.decided[Wdl::Win.index()] | self.decided[Wdl::CursedWin.index()]
    }

    #[inline(always)]
    pub(super) fn lost(&self) -> u64 {
        self.decided[Wdl::Loss.index()] | self.decided[Wdl::BlessedLoss.index()]
    }

    #[inline(always)]
    pub(super) fn drawn(&self) -> u64 {
        self.legal & !self.won() & !self.lost()
    }

    /// The won positions that take so long in one of [`DISTANCES`].
    pub(super) fn won_in(&self, distance: usize, plies: u32) -> u64 {
        if let (TO_MATE, Some(line)) = (distance, self.long_mates) {
            let Some(score) = <u16 as Score>::from_plies(plies) else {
                return 0;
            };
            return (self.won().ones()).fold(0, |found, bit| {
                found | u64::from(line[bit as usize] == score) << bit
            });
        }
        let [low, high, ..] = plies.to_le_bytes();
        let (line, number) = match distance {
            TO_ZEROING => (self.dtz, Some(low)),
            _ => (self.dtm, MateScore::from_plies(plies).map(|score| score.0)),
        };
        let is_as_high = |bit: u32| match (distance, self.dtz_high) {
            (TO_ZEROING, Some(line)) => line[bit as usize] == high,
            _ => true,
        };
        let (Some(line), Some(number)) = (line, number) else {
            return 0;
        };
        let won = self.won();
        let is_there = line
            .iter()
            .fold(false, |any, &other| any | (other == number));
        if won == 0 || !is_there {
            return 0;
        }
        (won.ones()).fold(0, |found, bit| {
            found | u64::from(line[bit as usize] == number && is_as_high(bit)) << bit
        })
    }
}

/// The words of a slice.
pub(crate) trait SliceWords: Sync {
    /// What is known of a side's positions at an address. Where identical men are not in increasing
    /// order nobody asks.
    fn sets(&self, side: usize, address: usize) -> Sets<'_>;
}

/// Where the distances of a metric are kept.
pub(crate) const TO_ZEROING: usize = 0;
pub(crate) const TO_MATE: usize = 1;
pub(super) const DISTANCES: Range<usize> = 0..2;
