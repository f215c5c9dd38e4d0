//! What a file says of all its values together, counted from the sets of the solver.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;
use crate::game::{Bits, Color};
use crate::statistics::{LISTED, xiangqi};
use crate::table::Statistics;
use crate::xiangqi::solve::Solved;
use crate::xiangqi::{IndexSpace, Metric, Placement};
use xiangqi::{Sets, Word, Words};

/// The statistics in the file of a metric.
///
/// # Errors
///
/// If the caller cancelled.
pub fn statistics(
    solved: &Solved,
    space: &IndexSpace,
    metric: Metric,
    cancel: &AtomicBool,
) -> Result<Statistics, Error> {
    let words = SolvedWords { solved, metric };
    let go_on = |_| !cancel.load(Ordering::Relaxed);
    xiangqi::count(&words, space, metric, LISTED, &go_on).ok_or(Error::Cancelled)
}

/// The words of a solved material.
struct SolvedWords<'a> {
    solved: &'a Solved,
    metric: Metric,
}

impl Words for SolvedWords<'_> {
    fn len(&self) -> usize {
        self.solved.space.words
    }

    fn word(&self, address: usize) -> Word {
        let space = &self.solved.space;
        let images = space.images(address);
        if images.weight == 0 {
            return Word::default();
        }
        let counted = space.possible(address) & images.counted;
        Word {
            weight: images.weight,
            counted,
            sides: Color::ALL.map(|color| {
                let side = &self.solved.sides[color.index()];
                let (won, lost) = (side.won[address], side.lost[address]);
                // Who has no move has lost, and nobody else in no ply.
                let stuck = (lost & counted)
                    .ones()
                    .filter(|&bit| side.dtc[address * 128 + bit as usize] == 0)
                    .fold(0, |stuck, bit| stuck | u128::bit(bit));
                Sets {
                    legal: side.legal[address],
                    won,
                    lost,
                    stuck,
                }
            }),
        }
    }

    fn number(&self, side: usize, address: usize, bit: u32) -> u8 {
        let side = &self.solved.sides[side];
        let numbers = match self.metric {
            Metric::Wdl => return 0,
            Metric::Dtc => &side.dtc,
            Metric::Dtm => &side.dtm,
            Metric::Rounds => &side.rounds,
        };
        // Without rounds on this side there are those of the other.
        let at = address * 128 + bit as usize;
        numbers.get(at).copied().unwrap_or(0)
    }

    fn placement(&self, address: usize, bit: u32) -> Placement {
        let pieces = self.solved.space.pieces(address, bit);
        Placement { pieces }
    }
}
