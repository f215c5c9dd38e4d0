//! Results with distances to zeroing, a key for each position, when all files of a slice are read.
//!
//! A Syzygy table may have rounded distances. Then a value is a range, and a stored range is right if it has a distance in
//! common with the range that follows from the moves. Rounded ranges follow one another without overlapping, so two
//! plies ahead that is the same range or none. One ply ahead two ranges may have a distance in common that should not: where
//! both sides are stored, those of Black to move are first narrowed to what follows from those of White to move. A file that
//! rounds wins or losses has none in 100 plies, so no range has distances of different results.

use rayon::prelude::*;

use super::line::{ILLEGAL, Line, key, mate};
use super::moves::{Expect, Neighbours};
use super::numbers::take_illegal;
use super::pages::Pages;
use super::slice::{CHUNK, SliceValues};
use super::source::Source;
use crate::game::{Bits, Color};
use crate::metric::Metric;
use crate::probe::Format;

const NO_KEYS: Line<i16> = [i16::MAX; 64];

impl SliceValues<'_> {
    /// Completes the keys: those of a side that are in no file are derived, and those of mated positions are made exact.
    pub fn find_keys(&mut self, source: &Source) {
        let frame = self.frame();
        let is_derived = |side: Color| {
            source.has(Metric::Dtz) && !source.is_stored(Metric::Dtz, side.index(), frame)
        };
        for side in Color::ALL.into_iter().filter(|&side| !is_derived(side)) {
            if !source.has(Metric::Dtz) {
                self.sides[side.index()].keys = self.keys_without_distances(side);
            } else if source.format() == Format::Syzygy {
                self.sides[side.index()].keys = self.with_mates(side);
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
            self.sides[Color::Black.index()].keys = self.narrowed(Color::Black);
        }
    }

    /// The keys of a side with the mated positions marked among those that are lost in one ply, or in one or two.
    fn with_mates(&self, side: Color) -> Pages<i16> {
        let mut marked = self.places().pages();
        self.all_steps(side, |step| {
            let own = self.sides[side.index()].keys.open();
            let keys = step.addresses.clone().into_par_iter();
            let keys = keys
                .with_min_len(CHUNK)
                .map_init(Neighbours::new, |neighbours, address| {
                    let mut keys = *own.line(address);
                    if !keys.iter().any(|&key| key::may_be_mated(key)) {
                        return keys;
                    }
                    let men = self.men(address);
                    let zeroing = self.all_moves(step.moves, address, &men, side, neighbours);
                    let expect = Expect {
                        other: step.results(),
                        scores: None,
                        address,
                        neighbours,
                        side,
                        zeroing: &zeroing,
                    };
                    let without_moves = self.expect(expect, &men).without_moves;
                    for king in (without_moves & men.legality.in_check[side.index()]).ones() {
                        let key = &mut keys[king as usize];
                        if key::may_be_mated(*key) {
                            *key = key::MATED;
                        }
                    }
                    keys
                });
            marked.push(keys.collect());
        });
        marked
    }

    /// What the moves of a side lead to, as its keys.
    fn derived_keys(&self, side: Color) -> Pages<i16> {
        let mut keys = self.places().pages();
        self.all_steps(side, |step| {
            let results = self.sides[side.index()].lines.results.open();
            let found = step.addresses.clone().into_par_iter();
            let found =
                found
                    .with_min_len(CHUNK)
                    .map_init(Neighbours::new, |neighbours, address| {
                        let men = self.men(address);
                        let mut keys = NO_KEYS;
                        if men.legality.legal[side.index()] != 0 {
                            let zeroing =
                                self.all_moves(step.moves, address, &men, side, neighbours);
                            let expect = Expect {
                                other: step.keys(),
                                scores: None,
                                address,
                                neighbours,
                                side,
                                zeroing: &zeroing,
                            };
                            let expected = self.expect(expect, &men);
                            take_expected(&mut keys, &expected.numbers, results.line(address));
                        }
                        keys
                    });
            keys.push(found.collect());
        });
        keys
    }

    /// What the moves of a side lead to, as its keys and mate scores: looking for the moves is most of the work.
    fn derived_keys_and_scores(&self, side: Color) -> (Pages<i16>, Pages<u16>) {
        let (mut all_keys, mut all_scores) = (self.places().pages(), self.places().kept_pages());
        self.all_steps(side, |step| {
            let results = self.sides[side.index()].lines.results.open();
            let found = step.addresses.clone().into_par_iter();
            let found =
                found
                    .with_min_len(CHUNK)
                    .map_init(Neighbours::new, |neighbours, address| {
                        let men = self.men(address);
                        let mut keys = NO_KEYS;
                        let legal = men.legality.legal[side.index()];
                        if legal == 0 {
                            return (keys, [mate::ILLEGAL; 64]);
                        }
                        let expected = self.expected(step, address, &men, side, neighbours);
                        take_expected(&mut keys, &expected.numbers, results.line(address));
                        let mut scores = expected.scores;
                        take_illegal(&mut scores, legal);
                        (keys, scores)
                    });
            let (keys, scores) = found.unzip();
            all_keys.push(keys);
            all_scores.push(scores);
        });
        (all_keys, all_scores)
    }

    /// The keys of a side narrowed to what its moves lead to.
    fn narrowed(&self, side: Color) -> Pages<i16> {
        let mut narrowed = self.places().pages();
        self.all_steps(side, |step| {
            let own = self.sides[side.index()].keys.open();
            let keys = step.addresses.clone().into_par_iter();
            let keys = keys
                .with_min_len(CHUNK)
                .map_init(Neighbours::new, |neighbours, address| {
                    let mut keys = *own.line(address);
                    let men = self.men(address);
                    if men.legality.legal[side.index()] == 0 {
                        return keys;
                    }
                    let zeroing = self.all_moves(step.moves, address, &men, side, neighbours);
                    let expect = Expect {
                        other: step.keys(),
                        scores: None,
                        address,
                        neighbours,
                        side,
                        zeroing: &zeroing,
                    };
                    let expected = self.expect(expect, &men);
                    for (key, &expected) in keys.iter_mut().zip(&expected.numbers) {
                        *key = key::common(*key, expected);
                    }
                    keys
                });
            narrowed.push(keys.collect());
        });
        narrowed
    }

    /// The results of a side as keys where distances are not known.
    fn keys_without_distances(&self, side: Color) -> Pages<i16> {
        let mut all_keys = self.places().pages();
        self.all_steps(side, |step| {
            let results = self.sides[side.index()].lines.results.open();
            let keys = step.addresses.clone().into_par_iter().with_min_len(CHUNK);
            let keys = keys.map(|address| {
                let mut keys = NO_KEYS;
                for (key, &result) in keys.iter_mut().zip(results.line(address)) {
                    let legal = key::of(result, 0);
                    *key = if result == ILLEGAL { i16::MAX } else { legal };
                }
                keys
            });
            all_keys.push(keys.collect());
        });
        all_keys
    }
}

/// Derived keys, where they agree with the results.
fn take_expected(keys: &mut Line<i16>, expected: &Line<i16>, results: &Line<u8>) {
    for ((key, &expected), &result) in keys.iter_mut().zip(expected).zip(results) {
        let legal = key::with_result(expected, result);
        *key = if result == ILLEGAL { i16::MAX } else { legal };
    }
}
