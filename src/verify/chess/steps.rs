//! The way through the addresses of a slice: what is at hand of the values that moves lead to, and
//! for how long.

use std::ops::Range;

use super::line::Score;
use super::moves::{Moves, Targets};
use super::pages::{Around, Pages, Window};
use super::resolved::Lines;

/// The values of one side to move.
#[derive(Debug, Default)]
pub(super) struct SideValues<S> {
    pub lines: Lines<S>,
    /// What the results and distances to zeroing amount to, see [`key`]; empty if they are not
    /// asked for.
    pub keys: Pages<i16>,
}

impl<S: Score> SideValues<S> {
    pub fn open(&self) -> SideWindow<'_, S> {
        SideWindow {
            results: self.lines.results.open(),
            scores: self.lines.scores.open(),
            keys: self.keys.open(),
        }
    }
}

/// The values of one side to move, as far as they were asked for.
#[derive(Debug)]
pub(super) struct SideWindow<'a, S> {
    pub results: Window<'a, u8>,
    pub scores: Window<'a, S>,
    pub keys: Window<'a, i16>,
}

impl<S: Score> SideWindow<'_, S> {
    /// Gives the memory of what lies before an address back.
    fn forget_before(&mut self, address: usize) {
        self.results.forget_before(address);
        self.scores.forget_before(address);
        self.keys.forget_before(address);
    }
}

/// Some addresses, and what the moves of a side lead to from there.
pub(super) struct Step<'a, 'v, S> {
    pub moves: &'a Moves<'v, S>,
    pub addresses: Range<usize>,
    /// All those with the same square of the white king, if their values are not all in memory.
    pub band: Range<usize>,
    /// The values of the other side: in the band, and elsewhere.
    near: &'a SideWindow<'v, S>,
    far: &'a SideWindow<'v, S>,
}

impl<'a, 'v, S: Score> Step<'a, 'v, S> {
    fn around<N: 'v>(
        &self,
        values: impl Fn(&'a SideWindow<'v, S>) -> &'a Window<'v, N>,
    ) -> Around<'a, N> {
        Around {
            near: values(self.near),
            far: values(self.far),
            band: (self.band.start, self.band.end),
        }
    }

    pub fn results(&self) -> Around<'a, u8> {
        self.around(|side| &side.results)
    }

    pub fn keys(&self) -> Around<'a, i16> {
        self.around(|side| &side.keys)
    }

    /// Mate scores, if they are known.
    pub fn scores(&self) -> Option<Around<'a, S>> {
        let scores = self.around(|side| &side.scores);
        (!scores.is_empty()).then_some(scores)
    }
}

/// Goes through all addresses of a slice, with what the moves of a side lead to from there: `other`
/// has the values of the side that moves next.
///
/// # Errors
///
/// The first that `take` returns.
pub(super) fn for_each_step<S: Score, E>(
    targets: &Targets<'_, S>,
    other: &SideValues<S>,
    is_away: bool,
    mut take: impl FnMut(&Step<'_, '_, S>) -> Result<(), E>,
) -> Result<(), E> {
    let frame = targets.frame;
    let bands = frame.bands(is_away);
    let are_steps = (bands.iter()).all(|band| frame.steps(band, is_away).len() == 1);
    let mut moves = targets.open();
    let mut near = other.open();
    for band in bands {
        moves = targets.open_again(moves);
        near.forget_before(match are_steps {
            true => frame.first_around(&band),
            false => band.start,
        });
        for addresses in frame.steps(&band, is_away) {
            let of_step = (!are_steps).then(|| other.open());
            take(&Step {
                moves: &moves,
                addresses,
                band: band.clone(),
                near: &near,
                far: of_step.as_ref().unwrap_or(&near),
            })?;
        }
    }
    Ok(())
}
