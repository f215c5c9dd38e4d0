//! What the numbers of a file mean, a line at a time.

use super::line::{ILLEGAL, Line, none_on, result_before, score_before, squares_where};
use super::moves::Best;
use crate::metric::{MateScore, Wdl};
use crate::simd::Kernel;

const DRAW: u8 = Wdl::Draw.index() as u8;
const WIN: u8 = Wdl::Win.index() as u8;

/// Turns the numbers of a line into values.
pub(super) struct Resolve<'a> {
    pub legal: u64,
    pub best: &'a Best,
    /// The best results of moves that take, promote or push.
    pub zeroing: &'a Line<u8>,
    pub results: &'a mut Line<u8>,
    pub scores: Option<&'a mut Line<u8>>,
    pub distances: Option<&'a mut Line<u8>>,
}

impl Kernel for Resolve<'_> {
    /// Where results and where mate scores have no meaning.
    type Output = [u64; 2];

    #[inline(always)]
    fn run(self) -> [u64; 2] {
        let mut strange_results = [0u8; 64];
        let mut strange_scores = [0u8; 64];
        let Resolve { best, results, .. } = self;
        for ((result, &reached), strange) in results
            .iter_mut()
            .zip(&best.results)
            .zip(&mut strange_results)
        {
            // No conversion is as good as one that loses.
            let converted = WIN - reached.min(WIN);
            let is_strange = (*result > WIN) & (converted != WIN);
            let instead = if reached == ILLEGAL { DRAW } else { converted };
            let value = converted.max(*result).min(WIN);
            *strange = u8::from(is_strange);
            *result = if is_strange { instead } else { value };
        }
        take_illegal(results, self.legal);
        if let Some(scores) = self.scores {
            let draw = MateScore::DRAW.0;
            for ((((score, &result), &reached), &reached_score), strange) in scores
                .iter_mut()
                .zip(&*results)
                .zip(&best.results)
                .zip(&best.scores)
                .zip(&mut strange_scores)
            {
                let converted = score_before(reached_score);
                let converted = if reached == ILLEGAL {
                    MateScore::MATED.0
                } else {
                    converted
                };
                let (won, lost) = (u8::MAX - *score, *score);
                // A number on the wrong side of the draw is worse than any mate for the side it belongs to.
                let won = if won <= draw { 0 } else { won };
                let is_wrong = lost >= draw;
                let lost = if is_wrong { 0 } else { lost };
                *strange = u8::from(is_wrong & (converted < draw) & (result < DRAW));
                let decided = if result > DRAW { won } else { lost };
                let value = converted.max(decided);
                *score = if result == DRAW { draw } else { value };
            }
            take_illegal(scores, self.legal);
        }
        if let Some(distances) = self.distances {
            for ((distance, &result), &reached) in
                distances.iter_mut().zip(&*results).zip(self.zeroing)
            {
                let by_zeroing = if result == WIN { 1 } else { 101 };
                let is_zeroing = (result > DRAW) & (result_before(reached) == result);
                let value = if is_zeroing { by_zeroing } else { *distance };
                *distance = if result == DRAW { 0 } else { value };
            }
        }
        [strange_results, strange_scores].map(|strange| squares_where(|king| strange[king] != 0))
    }
}

/// Marks the squares that are not in a set.
#[inline(always)]
pub(super) fn take_illegal(line: &mut Line<u8>, legal: u64) {
    let illegal = none_on::<u8>(!legal);
    for (value, illegal) in line.iter_mut().zip(illegal) {
        *value |= illegal;
    }
}
