//! Results with distances to zeroing, a key for each position, when all files of a slice are read.
//!
//! A Syzygy table may have rounded distances. Then a value is a range, and a stored range is right if it has a distance in
//! common with the range that follows from the moves. Rounded ranges follow one another without overlapping, so two
//! plies ahead that is the same range or none. One ply ahead two ranges may have a distance in common that should not: where
//! both sides are stored, those of Black to move are first narrowed to what follows from those of White to move. A file that
//! rounds wins or losses has none in 100 plies, so no range has distances of different results.

use rayon::prelude::*;

use super::line::{ILLEGAL, Lane, Line, key};
use super::moves::Neighbours;
use super::numbers::take_illegal;
use super::slice::{CHUNK, SliceValues};
use super::source::Source;
use crate::game::{Bits, Color};
use crate::metric::Metric;
use crate::probe::Format;

impl SliceValues<'_> {
    /// Completes the keys: those of a side that are in no file are derived, and those of mated positions are made exact.
    pub fn find_keys(&mut self, source: &Source) {
        let frame = self.moves.frame;
        let is_derived = |side: Color| {
            source.has(Metric::Dtz) && !source.is_stored(Metric::Dtz, side.index(), frame)
        };
        for side in Color::ALL.into_iter().filter(|&side| !is_derived(side)) {
            if !source.has(Metric::Dtz) {
                let own = &mut self.sides[side.index()];
                own.keys = keys_without_distances(&own.lines.results);
            } else if source.format() == Format::Syzygy {
                self.find_mates(side);
            }
        }
        for side in Color::ALL.into_iter().filter(|&side| is_derived(side)) {
            let has_scores = !source.has(Metric::Dtm) || self.has_scores(side);
            if has_scores {
                self.sides[side.index()].keys = self.derived_keys(side);
            } else {
                let (keys, scores) = self.derived_keys_and_scores(side);
                let own = &mut self.sides[side.index()];
                (own.keys, own.lines.scores) = (keys, scores);
            }
        }
        if source.format() == Format::Syzygy && !Color::ALL.into_iter().any(is_derived) {
            self.narrow(Color::Black);
        }
    }

    /// Marks the mated positions among those that are lost in one ply, or in one or two.
    fn find_mates(&mut self, side: Color) {
        let mut keys = std::mem::take(&mut self.sides[side.index()].keys);
        let other = &self.sides[(!side).index()].lines.results;
        keys.par_iter_mut()
            .enumerate()
            .with_min_len(CHUNK)
            .for_each_init(Neighbours::new, |neighbours, (address, keys)| {
                if !keys.iter().any(|&key| key::may_be_mated(key)) {
                    return;
                }
                let men = self.men(address);
                let zeroing = self.all_moves(address, &men, side, neighbours);
                let without_moves = self
                    .expect(other, &[], address, neighbours, side, &zeroing, &men)
                    .without_moves;
                for king in (without_moves & men.legality.in_check[side.index()]).ones() {
                    let key = &mut keys[king as usize];
                    if key::may_be_mated(*key) {
                        *key = key::MATED;
                    }
                }
            });
        self.sides[side.index()].keys = keys;
    }

    /// What the moves of a side lead to, as its keys.
    fn derived_keys(&self, side: Color) -> Vec<Line<i16>> {
        let mut keys = vec![[i16::NONE; 64]; self.moves.frame.addresses];
        self.for_each_expected(side, &mut keys, take_expected);
        keys
    }

    /// What the moves of a side lead to, as its keys and mate scores: looking for the moves is most of the work.
    fn derived_keys_and_scores(&self, side: Color) -> (Vec<Line<i16>>, Vec<Line<u8>>) {
        let results = &self.sides[side.index()].lines.results;
        (0..self.moves.frame.addresses)
            .into_par_iter()
            .with_min_len(CHUNK)
            .map_init(Neighbours::new, |neighbours, address| {
                let men = self.men(address);
                let mut keys = [i16::NONE; 64];
                let legal = men.legality.legal[side.index()];
                if legal == 0 {
                    return (keys, [ILLEGAL; 64]);
                }
                let expected = self.expected(address, &men, side, neighbours);
                take_expected(&mut keys, &expected.numbers, &results[address]);
                let mut scores = expected.scores;
                take_illegal(&mut scores, legal);
                (keys, scores)
            })
            .unzip()
    }

    /// Narrows the keys of a side to what its moves lead to.
    fn narrow(&mut self, side: Color) {
        let mut keys = std::mem::take(&mut self.sides[side.index()].keys);
        self.for_each_expected(side, &mut keys, |keys, expected, _| {
            for (key, &expected) in keys.iter_mut().zip(expected) {
                *key = key::common(*key, expected);
            }
        });
        self.sides[side.index()].keys = keys;
    }

    /// Calls `take` with each of the lines of `keys` that has a legal position, with what the moves of a side lead to, and
    /// with its results.
    fn for_each_expected(
        &self,
        side: Color,
        keys: &mut [Line<i16>],
        take: impl Fn(&mut Line<i16>, &Line<i16>, &Line<u8>) + Sync,
    ) {
        let other = &self.sides[(!side).index()].keys;
        let results = &self.sides[side.index()].lines.results;
        keys.par_iter_mut()
            .enumerate()
            .with_min_len(CHUNK)
            .for_each_init(Neighbours::new, |neighbours, (address, keys)| {
                let men = self.men(address);
                if men.legality.legal[side.index()] == 0 {
                    return;
                }
                let zeroing = self.all_moves(address, &men, side, neighbours);
                let expected = self.expect(other, &[], address, neighbours, side, &zeroing, &men);
                take(keys, &expected.numbers, &results[address]);
            });
    }
}

/// Derived keys, where they agree with the results.
fn take_expected(keys: &mut Line<i16>, expected: &Line<i16>, results: &Line<u8>) {
    for ((key, &expected), &result) in keys.iter_mut().zip(expected).zip(results) {
        let legal = key::with_result(expected, result);
        *key = if result == ILLEGAL { i16::NONE } else { legal };
    }
}

/// Results as keys where distances are not known.
fn keys_without_distances(results: &[Line<u8>]) -> Vec<Line<i16>> {
    results
        .par_iter()
        .with_min_len(CHUNK)
        .map(|results| {
            let mut keys = [i16::NONE; 64];
            for (key, &result) in keys.iter_mut().zip(results) {
                let legal = key::of(result, 0);
                *key = if result == ILLEGAL { i16::NONE } else { legal };
            }
            keys
        })
        .collect()
}
