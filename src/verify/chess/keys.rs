//! Results with distances to zeroing, a key for each position, when all files of a slice are read.
//!
//! A Syzygy table may have rounded distances. Then a value is a range, and a stored range is right
//! if it has a distance in common with the range that follows from the moves. Rounded ranges follow
//! one another without overlapping, so two plies ahead that is the same range or none. One ply
//! ahead two ranges may have a distance in common that should not: where both sides are stored,
//! those of Black to move are first narrowed to what follows from those of White to move. A file
//! that rounds wins or losses has none in 100 plies, so no range has distances of different
//! results.

use super::line::{ILLEGAL, Line, Score, key};
use super::men::Men;
use super::moves::Expected;
use super::pages::{Around, Pages};
use super::slice::{Mated, SliceValues, fill};
use super::source::Source;
use super::steps::{SideWindow, Step};
use super::work::LineWork;
use crate::game::{Bits, Color};
use crate::metric::Metric;
use crate::probe::Format;

const NO_KEYS: Line<i16> = [i16::MAX; 64];

/// What is known of an address and of its moves.
struct AfterMoves<'a, N, S> {
    men: Men,
    expected: Expected<N, S>,
    results: &'a Line<u8>,
}

impl<S: Score> SliceValues<'_, S> {
    /// Completes the keys: those of a side that are in no file are derived, and those of mated
    /// positions are made exact.
    pub fn find_keys(&mut self, source: &Source) {
        let frame = self.frame();
        let is_derived = |side: Color| source.is_derived(Metric::Dtz, side, frame);
        for side in Color::ALL.into_iter().filter(|&side| !is_derived(side)) {
            if !source.has(Metric::Dtz) {
                self.sides[side.index()].keys = self.keys_without_distances(side);
            } else if source.format() == Format::Syzygy {
                self.sides[side.index()].keys = self.with_mates(side);
            }
        }
        for side in Color::ALL.into_iter().filter(|&side| is_derived(side)) {
            if self.sides[side.index()].keys.is_empty() {
                self.sides[side.index()].keys = self.derived_keys(side);
            }
        }
        if source.format() == Format::Syzygy && !Color::ALL.into_iter().any(is_derived) {
            self.sides[Color::Black.index()].keys = self.narrowed(Color::Black);
        }
    }

    /// The keys of a side with the mated positions marked among those that are lost in one ply, or
    /// in one or two.
    fn with_mates(&self, side: Color) -> Pages<i16> {
        let may_be_mated = |keys: &Line<i16>| keys.iter().any(|&key| key::may_be_mated(key));
        let mark = |keys: &mut Line<i16>, after: &AfterMoves<'_, u8, S>| {
            let in_check = after.men.legality.in_check[side.index()];
            for king in (after.expected.without_moves & in_check).ones() {
                let key = &mut keys[king as usize];
                if key::may_be_mated(*key) {
                    *key = key::MATED;
                }
            }
        };
        self.keys_by_moves(side, |step| step.results(), may_be_mated, mark)
    }

    /// What the moves of a side lead to, as its keys.
    fn derived_keys(&self, side: Color) -> Pages<i16> {
        let take = |keys: &mut Line<i16>, after: &AfterMoves<'_, i16, S>| {
            key::take_expected(keys, &after.expected.numbers, after.results);
        };
        self.keys_by_moves(side, |step| step.keys(), |_| true, take)
    }

    /// The keys of a side narrowed to what its moves lead to.
    fn narrowed(&self, side: Color) -> Pages<i16> {
        let narrow = |keys: &mut Line<i16>, after: &AfterMoves<'_, i16, S>| {
            for (key, &expected) in keys.iter_mut().zip(&after.expected.numbers) {
                *key = key::common(*key, expected);
            }
        };
        self.keys_by_moves(side, |step| step.keys(), |_| true, narrow)
    }

    /// New keys of a side, made of the old ones, or of none, and of what the moves lead to; the old
    /// ones as they are where `is_asked` says no to them. `numbers` are those of the other side.
    fn keys_by_moves<N: Mated>(
        &self,
        side: Color,
        numbers: impl for<'s, 'v> Fn(&Step<'s, 'v, S>) -> Around<'s, N> + Sync,
        is_asked: impl Fn(&Line<i16>) -> bool + Sync,
        change: impl Fn(&mut Line<i16>, &AfterMoves<'_, N, S>) + Sync,
    ) -> Pages<i16> {
        let mut changed = self.places().pages(self.frame().addresses);
        self.all_steps(side, |step| {
            let SideWindow { keys, results, .. } = self.sides[side.index()].open();
            fill(
                &mut changed,
                &step.addresses,
                |work: &mut LineWork<S>, address, line| {
                    *line = match keys.is_empty() {
                        true => NO_KEYS,
                        false => *keys.line(address),
                    };
                    if !is_asked(line) {
                        return;
                    }
                    let men = self.men(address);
                    let is_in_order = self.frame().is_in_order(&men.squares);
                    if men.legality.legal[side.index()] == 0 || !is_in_order {
                        return;
                    }
                    let (at, reached) = (men.at(side, address), (numbers(step), None));
                    let after = AfterMoves {
                        expected: self.expected(step.moves, reached, at, work),
                        men,
                        results: results.line(address),
                    };
                    change(line, &after);
                },
            );
        });
        changed
    }

    /// The results of a side as keys where distances are not known.
    fn keys_without_distances(&self, side: Color) -> Pages<i16> {
        let mut all_keys = self.places().pages(self.frame().addresses);
        self.all_steps(side, |step| {
            let results = self.sides[side.index()].lines.results.open();
            fill(
                &mut all_keys,
                &step.addresses,
                |_: &mut LineWork<S>, address, keys| {
                    for (key, &result) in keys.iter_mut().zip(results.line(address)) {
                        let legal = key::of(result, 0);
                        *key = if result == ILLEGAL { i16::MAX } else { legal };
                    }
                },
            );
        });
        all_keys
    }
}
