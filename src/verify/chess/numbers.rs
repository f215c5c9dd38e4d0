//! What the numbers of a file mean, a line at a time.

use super::line::{ILLEGAL, Lane, Line, Score, key, none_on, result_before};
use super::moves::Best;
use crate::byte_sets;
use crate::metric::Wdl;
use crate::simd::Kernel;

const DRAW: u8 = Wdl::Draw.index() as u8;
const WIN: u8 = Wdl::Win.index() as u8;

/// Turns the numbers of a line into values.
pub(super) struct Resolve<'a, S> {
    pub legal: u64,
    pub best: &'a Best<S>,
    /// The best results of moves that take, promote or push.
    pub zeroing: &'a Line<u8>,
    pub results: &'a mut Line<u8>,
    pub scores: Option<Mates<'a, S>>,
    pub distances: Option<Distances<'a>>,
}

/// The distances to mate of a line.
pub(super) struct Mates<'a, S> {
    /// First the numbers, then the scores.
    pub scores: &'a mut Line<S>,
    /// The score of a draw as the file counts: numbers of one byte, or of two.
    pub draw: S,
}

/// The distances to zeroing of a line.
pub(super) struct Distances<'a> {
    pub numbers: &'a Line<u16>,
    pub code: &'a DistanceCode,
    /// Results with distances.
    pub keys: &'a mut Line<i16>,
}

/// What the numbers of distances stand for.
#[derive(Debug)]
pub(super) enum DistanceCode {
    /// Plies.
    Plies,
    /// By result and number the [`key`], or [`NO_KEY`].
    Keys(Box<[[i16; 256]; 5]>),
}

/// Stands for numbers that no distance has.
pub(super) const NO_KEY: i16 = i16::MIN;

impl DistanceCode {
    /// The keys of numbers; a mark in `strange` where there is none.
    #[inline(always)]
    fn keys(
        &self,
        numbers: &Line<u16>,
        results: &Line<u8>,
        keys: &mut Line<i16>,
        strange: &mut Line<u8>,
    ) {
        match self {
            DistanceCode::Plies => {
                for ((key, &number), &result) in keys.iter_mut().zip(numbers).zip(results) {
                    *key = key::of(result, number);
                }
            }
            DistanceCode::Keys(table) => {
                for (((key, strange), &number), &result) in
                    keys.iter_mut().zip(strange).zip(numbers).zip(results)
                {
                    let found = table[usize::from(result.min(WIN))][usize::from(number & 0xFF)];
                    *strange = u8::from(found == NO_KEY);
                    *key = if found == NO_KEY {
                        key::of(result, 0)
                    } else {
                        found
                    };
                }
            }
        }
    }
}

impl<S: Score> Kernel for Resolve<'_, S> {
    /// Where results, where distances to zeroing and where mate scores have no meaning.
    type Output = [u64; 3];

    #[inline(always)]
    fn run(self) -> [u64; 3] {
        let mut strange_results = [0u8; 64];
        let mut strange_distances = [0u8; 64];
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
        if let Some(Mates { scores, draw }) = self.scores {
            let last = draw.less_one();
            for ((((score, &result), &reached), &reached_score), strange) in scores
                .iter_mut()
                .zip(&*results)
                .zip(&best.results)
                .zip(&best.scores)
                .zip(&mut strange_scores)
            {
                let converted = S::before_move(reached_score);
                let converted = if reached == ILLEGAL {
                    S::MATED
                } else {
                    converted
                };
                // A number on the wrong side of the draw is worse than any mate for the side it
                // belongs to.
                let number = *score;
                let won = if number >= last { S::MATED } else { !number };
                let is_wrong = number >= draw;
                let lost = if is_wrong { S::MATED } else { number };
                *strange = u8::from(is_wrong & (converted < S::DRAW) & (result < DRAW));
                let decided = if result > DRAW { won } else { lost };
                let value = converted.max(decided);
                *score = if result == DRAW { S::DRAW } else { value };
            }
            take_illegal(scores, self.legal);
        }
        if let Some(Distances {
            numbers,
            code,
            keys,
        }) = self.distances
        {
            code.keys(numbers, results, keys, &mut strange_distances);
            for (((key, strange), &result), &reached) in keys
                .iter_mut()
                .zip(&mut strange_distances)
                .zip(&*results)
                .zip(self.zeroing)
            {
                let by_zeroing = key::before_quiet_move(key::reached_by_zeroing(reached));
                let is_zeroing = (result > DRAW) & (result_before(reached) == result);
                let is_asked = (result != DRAW) & !is_zeroing;
                let decided = if is_zeroing { by_zeroing } else { *key };
                let value = if result == DRAW { key::DRAWN } else { decided };
                *key = if result == ILLEGAL { i16::NONE } else { value };
                *strange &= u8::from(is_asked);
            }
        }
        let none = [0; 64];
        [
            !byte_sets::equal(&strange_results, &none),
            !byte_sets::equal(&strange_distances, &none),
            !byte_sets::equal(&strange_scores, &none),
        ]
    }
}

/// Marks the squares that are not in a set.
#[inline(always)]
pub(super) fn take_illegal<N: Lane>(line: &mut Line<N>, legal: u64) {
    let illegal = none_on::<N>(!legal);
    for (value, illegal) in line.iter_mut().zip(illegal) {
        *value = illegal.max(*value);
    }
}
