//! Which sides to move a file has, and in which order of the dimensions: what compresses best in a
//! sample.

mod ordered;
mod race;
mod sample;
#[cfg(test)]
mod tests;

pub(super) use ordered::Ordered;
pub(super) use race::Choice;
pub(super) use sample::sampled_slices;

use super::effort::Effort;
use crate::Error;
use race::Race;
use sample::Sample;

/// The best order for each side to move that is to be kept; those that `is_needed` names always
/// are.
pub(super) fn choose<S: Ordered>(
    sides: &[S],
    effort: &Effort,
    is_needed: impl Fn(&S) -> bool,
) -> Result<Vec<Choice<S::Order>>, Error> {
    let samples: Vec<Sample<'_, S>> = sides.iter().map(|side| Sample::new(side, effort)).collect();
    let pairs = Race::of_pairs(&samples)?;
    let all = 0..sides.len();
    let Some(limit) = effort.larger_side else {
        return all.map(|side| pairs.of_side(side).best()).collect();
    };
    let smaller = pairs.best()?;
    let mut kept = vec![smaller];
    for side in all.filter(|&side| side != smaller.side) {
        let pairs = pairs.of_side(side);
        let is_needed = is_needed(&sides[side]);
        // Nobody needs to know which order is best for what is far too large.
        if is_needed || pairs.smallest() < limit.saturating_mul(2) {
            let larger = pairs.best()?;
            if is_needed || pairs.size(&larger) < limit {
                kept.push(larger);
            }
        }
    }
    kept.sort_by_key(|choice| choice.side);
    Ok(kept)
}

/// The best order of a side, or a given one unless the best saves at least one byte in `part`.
pub(super) fn choose_against<S: Ordered>(
    side: &S,
    given: S::Order,
    part: u64,
    effort: &Effort,
) -> Result<S::Order, Error> {
    let samples = [Sample::new(side, effort)];
    let best = Race::of_pairs(&samples)?.best()?;
    let alone = Race::of_order(&samples, given, &best)?;
    let saved = alone.smallest().saturating_sub(alone.size(&best));
    Ok(match saved * part >= alone.smallest() {
        true => best.order,
        false => given,
    })
}
