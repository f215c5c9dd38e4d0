//! Compares the values of both sides to move of a slice.

use super::compare::{Compared, ComparedLine, Comparison};
use super::line::Score;
use super::pages::CHUNK;
use super::slice::SliceValues;
use super::source::sides;
use super::steps::Step;
use super::work::LineWork;
use crate::Error;
use crate::game::Color;
use crate::parallel;

impl<S: Score> SliceValues<'_, S> {
    /// Compares both sides to move, but for a side that was compared while its values were derived.
    pub fn compare(&mut self, comparison: &Comparison<'_>) -> Result<[Compared; 2], Error> {
        let mut compared = std::mem::take(&mut self.compared);
        for side in Color::ALL
            .into_iter()
            .take(sides(comparison.source.material()))
        {
            let all = &mut compared[side.index()];
            if all.is_none() {
                *all = Some(self.compare_side(comparison, side)?);
            }
        }
        let mut compared = compared.map(Option::unwrap_or_default);
        for (compared, strange) in compared.iter_mut().zip(&mut self.strange) {
            compared.found.extend(std::mem::take(strange));
        }
        Ok(compared)
    }

    fn compare_side(&self, comparison: &Comparison<'_>, side: Color) -> Result<Compared, Error> {
        let mut all = Compared::default();
        self.steps(side, |step| {
            let found = self.compare_step(comparison, side, step)?;
            all = std::mem::take(&mut all).and(found);
            Ok::<(), Error>(())
        })?;
        Ok(all)
    }

    fn compare_step(
        &self,
        comparison: &Comparison<'_>,
        side: Color,
        step: &Step<'_, '_, S>,
    ) -> Result<Compared, Error> {
        let own = self.sides[side.index()].open();
        let addresses = step.addresses.clone();
        let starts = addresses.clone().step_by(CHUNK);
        let compared = parallel::try_map_items(starts, |_, start| {
            if comparison.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let mut work = LineWork::default();
            let end = (start + CHUNK).min(addresses.end);
            for address in start..end {
                let squares = self.frame().squares(address);
                let Some(canonical) = self.frame().canonical(address, &squares) else {
                    continue;
                };
                let men = self.men_on(address, squares);
                if men.legality.legal[side.index()] & canonical.positions == 0 {
                    continue;
                }
                let (at, reached) = (men.at(side, address), (step.keys(), step.scores()));
                let expected = self.expected(step.moves, reached, at, &mut work);
                let line = ComparedLine {
                    side,
                    results: own.results.line(address),
                    keys: own.keys.line(address),
                    scores: own.scores.get(address),
                    men: &men,
                    canonical,
                };
                comparison.compare_line(&line, &expected, step.moves.width, &mut work.comparing);
            }
            comparison.advance(&(start..end));
            Ok(work.comparing.finish())
        })?;
        Ok(compared
            .into_iter()
            .fold(Compared::default(), Compared::and))
    }
}
