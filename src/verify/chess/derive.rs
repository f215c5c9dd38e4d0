//! Values that no file has, from those that the moves of a side lead to.

use super::compare::ComparedLine;
use super::line::{ILLEGAL, Line, Score, key};
use super::men::At;
use super::moves::{Best, ExpectScores, Expected};
use super::numbers::take_illegal;
use super::pages::Pages;
use super::part::Part;
use super::reading::{SideNumbers, ValueLine};
use super::slice::{DRAW, SliceValues, fill};
use super::steps::Step;
use super::work::LineWork;
use crate::byte_sets;
use crate::game::{Bits, Color};
use crate::simd::Kernel;

impl<S: Score> SliceValues<'_, S> {
    /// The results of a line that no file has, from what its moves lead to.
    pub fn derived_results(
        &self,
        step: &Step<'_, '_, S>,
        at: At<'_>,
        captures: Best<S>,
        work: &mut LineWork<S>,
    ) -> Line<u8> {
        let zeroing = self.zeroing_with(captures, step.moves, at);
        let expected = self.expect((step.results(), None), at, &zeroing, work);
        let mut results = expected.numbers;
        take_illegal(&mut results, at.men.legality.legal[at.side.index()]);
        results
    }

    /// The keys of a line that no file has, and its mate scores if no file has those, from its
    /// results and what its moves lead to; and compares it with that, if it is to be compared.
    pub fn derive_line(
        &self,
        step: &Step<'_, '_, S>,
        at: At<'_>,
        captures: Best<S>,
        line: ValueLine<'_, S>,
        reading: &SideNumbers<'_, S>,
        work: &mut LineWork<S>,
    ) {
        let ValueLine {
            results,
            mut scores,
            keys: Some(keys),
            ..
        } = line
        else {
            return;
        };
        let legal = at.men.legality.legal[at.side.index()];
        let comparison = reading.comparison.as_ref().and_then(|comparison| {
            let canonical = self.canonical(at.address, at.men)?;
            (canonical.positions & legal != 0).then_some((comparison, canonical))
        });
        let expected = (comparison.is_some() || !is_drawn(results)).then(|| {
            let zeroing = self.zeroing_with(captures, step.moves, at);
            let are_scores_asked = reading.derives_scores || reading.comparison.is_some();
            let scores = step.scores().filter(|_| are_scores_asked);
            self.expect((step.keys(), scores), at, &zeroing, work)
        });
        step.moves.width.run(TakeExpected {
            expected: expected.as_ref(),
            results,
            legal,
            keys,
            scores: scores.as_deref_mut().filter(|_| reading.derives_scores),
        });
        if let (Some((comparison, canonical)), Some(expected)) = (comparison, &expected) {
            let line = ComparedLine {
                side: at.side,
                results,
                keys,
                scores: scores.as_deref(),
                men: at.men,
                canonical,
            };
            comparison.compare_line(&line, expected, step.moves.width, &mut work.comparing);
        }
    }

    /// The mate scores of a side that are in no file.
    pub fn derive_scores(&self, side: Color, part: &Part) -> Pages<S> {
        let mut scores = self.places().kept_pages(self.frame().addresses);
        self.all_steps(side, |step| {
            let results = self.sides[side.index()].lines.results.open();
            fill(
                &mut scores,
                &step.addresses,
                |work: &mut LineWork<S>, address, scores| {
                    let (frame, squares) = (self.frame(), self.frame().squares(address));
                    if !part.has(side, &frame.men, &squares) {
                        return;
                    }
                    let men = self.men_on(address, squares);
                    let legal = men.legality.legal[side.index()];
                    if legal == 0 || !frame.is_in_order(&squares) {
                        *scores = [S::ILLEGAL; 64];
                        return;
                    }
                    let own = results.line(address);
                    if is_drawn(own) {
                        *scores = [S::DRAW; 64];
                        take_illegal(scores, legal);
                        return;
                    }
                    let at = men.at(side, address);
                    let zeroing = self.zeroing(step.moves, at);
                    if let Some(known) = step.scores() {
                        let width = step.moves.width;
                        work.moves.find(frame, side, address);
                        let best = work.scores.line(&work.moves, known, address, width);
                        *scores = width.run(ExpectScores(best, &zeroing));
                    }
                    // Of those that lose, some may have no move at all.
                    let may_be_mated = |king: usize| scores[king] == S::NO_MOVE && own[king] < DRAW;
                    if byte_sets::places(may_be_mated) & legal != 0 {
                        let expected = self.expect((step.results(), None), at, &zeroing, work);
                        for king in (expected.without_moves & legal).ones() {
                            scores[king as usize] = S::MATED;
                        }
                    }
                    for (score, &result) in scores.iter_mut().zip(own) {
                        *score = if result == DRAW { S::DRAW } else { *score };
                    }
                    take_illegal(scores, legal);
                },
            );
        });
        scores
    }
}

/// Makes what is expected the values of a line: nothing is where no position is decided.
struct TakeExpected<'a, S> {
    expected: Option<&'a Expected<i16, S>>,
    results: &'a Line<u8>,
    legal: u64,
    keys: &'a mut Line<i16>,
    /// If they are asked for.
    scores: Option<&'a mut Line<S>>,
}

impl<S: Score> Kernel for TakeExpected<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match self.expected {
            Some(expected) => key::take_expected(self.keys, &expected.numbers, self.results),
            None => *self.keys = [key::DRAWN; 64],
        }
        take_illegal(self.keys, self.legal);
        if let Some(scores) = self.scores {
            *scores = match self.expected {
                Some(expected) => expected.scores,
                None => [S::DRAW; 64],
            };
            take_illegal(scores, self.legal);
        }
    }
}

/// Whether no position of a line is decided. Then none has a distance, whatever the moves are.
fn is_drawn(results: &Line<u8>) -> bool {
    (results.iter()).all(|&result| result == DRAW || result == ILLEGAL)
}
