//! One slice: the numbers of the files become values, as a prober sees them, and every value is compared with those its
//! moves lead to.
//!
//! A number that is not needed, because a capture or promotion decides, is replaced by what that decides. The values of a
//! side that no file has are those its moves lead to; then the stored side is compared with values two plies
//! ahead, which leaves one solution as well, as distances grow with every ply.

use rayon::prelude::*;

use super::layout::{Canonical, Legality, Squares};
use super::line::{ILLEGAL, Lane, Line, key, take_best};
use super::moves::{Best, Expect, Expected, Moves, Neighbours};
use super::numbers::{Resolve, take_illegal};
use super::resolved::Lines;
use super::source::{LoadError, Source, sides};
use crate::game::chess::Role;
use crate::game::{Bits, Color};
use crate::index::Placement;
use crate::metric::{MateScore, Metric, Wdl};

const DRAW: u8 = Wdl::Draw.index() as u8;

/// Addresses that are worked on together.
pub(super) const CHUNK: usize = 256;

/// A number in a file that means nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meaningless {
    pub metric: Metric,
    pub side: Color,
    pub address: usize,
    pub king: u32,
}

/// The values of one side to move.
#[derive(Debug, Default)]
pub(super) struct SideValues {
    pub lines: Lines,
    /// Plies to zeroing without sign; empty if they are not known or not asked for.
    distances: Vec<Line<u8>>,
    /// What the results and distances amount to, see [`key`].
    pub keys: Vec<Line<i16>>,
}

/// The values of a slice.
#[derive(Debug)]
pub(super) struct SliceValues<'a> {
    pub moves: Moves<'a>,
    pub sides: [SideValues; 2],
    pub meaningless: Vec<Meaningless>,
}

/// The men at an address.
pub(super) struct Men {
    pub squares: Squares,
    pub placement: Placement,
    pub legality: Legality,
}

impl<'a> SliceValues<'a> {
    /// Reads a slice and resolves its numbers. Distances are of use only for a slice that is to be compared.
    pub fn load(
        source: &Source,
        moves: Moves<'a>,
        is_asked: bool,
    ) -> Result<SliceValues<'a>, LoadError> {
        let mut values = SliceValues {
            moves,
            sides: Default::default(),
            meaningless: Vec::new(),
        };
        for side in Color::ALL {
            let read = |metric, is_wanted: bool| {
                if is_wanted && source.is_stored(metric, side.index()) {
                    source.numbers(metric, side.index(), moves.frame)
                } else {
                    Ok(Vec::new())
                }
            };
            let mut own = SideValues::default();
            own.lines.results = read(Metric::Wdl, true)?;
            own.lines.scores = read(Metric::Dtm, true)?;
            own.distances = read(Metric::Dtz, is_asked)?;
            let meaningless = values.resolve(side, &mut own);
            if side.index() < sides(source.material()) {
                values.meaningless.extend(meaningless);
            }
            values.sides[side.index()] = own;
        }
        if source.has(Metric::Dtm) {
            for side in Color::ALL {
                if values.sides[side.index()].lines.scores.is_empty() {
                    values.sides[side.index()].lines.scores = values.derive_scores(side);
                }
            }
        }
        if is_asked {
            values.find_keys(source);
        }
        Ok(values)
    }

    pub fn men(&self, address: usize) -> Men {
        let squares = self.moves.frame.squares(address);
        let placement = self.moves.frame.placement(&squares);
        Men {
            squares,
            placement,
            legality: self.moves.frame.legality(&placement),
        }
    }

    /// What stands for itself at an address.
    pub fn canonical(&self, address: usize, men: &Men) -> Option<Canonical> {
        self.moves.frame.canonical(address, &men.squares)
    }

    /// Turns the numbers of a side into values.
    fn resolve(&self, side: Color, own: &mut SideValues) -> Vec<Meaningless> {
        let SideValues {
            lines, distances, ..
        } = own;
        let count = lines.results.len().div_ceil(CHUNK);
        let scores = optional_chunks(&mut lines.scores, count);
        let distances = optional_chunks(distances, count);
        lines
            .results
            .par_chunks_mut(CHUNK)
            .zip(scores)
            .zip(distances)
            .enumerate()
            .flat_map_iter(|(chunk, ((results, scores), distances))| {
                let mut meaningless = Vec::new();
                for (place, results) in results.iter_mut().enumerate() {
                    let address = chunk * CHUNK + place;
                    let found = self.resolve_line(
                        side,
                        address,
                        results,
                        scores.get_mut(place),
                        distances.get_mut(place),
                    );
                    for (metric, kings) in found {
                        meaningless.extend(kings.ones().map(|king| Meaningless {
                            metric,
                            side,
                            address,
                            king,
                        }));
                    }
                }
                meaningless
            })
            .collect()
    }

    /// Resolves a line; returns where numbers have no meaning.
    fn resolve_line(
        &self,
        side: Color,
        address: usize,
        results: &mut Line<u8>,
        scores: Option<&mut Line<u8>>,
        distances: Option<&mut Line<u8>>,
    ) -> [(Metric, u64); 2] {
        let men = self.men(address);
        let legal = men.legality.legal[side.index()];
        if legal == 0 {
            *results = [ILLEGAL; 64];
            if let Some(scores) = scores {
                *scores = [ILLEGAL; 64];
            }
            return [(Metric::Wdl, 0), (Metric::Dtm, 0)];
        }
        let best = self.moves.conversions(address, &men.placement, side);
        let mut zeroing = best.results;
        if distances.is_some() && men.placement.of(side, Role::Pawn) != 0 {
            let pushes = self.moves.pushes(&men.placement, side);
            take_best(&mut zeroing, &pushes.results, 0);
        }
        let resolve = Resolve {
            legal,
            best: &best,
            zeroing: &zeroing,
            results,
            scores,
            distances,
        };
        let [strange_results, strange_scores] = self.moves.width.run(resolve);
        if strange_results | strange_scores == 0 {
            return [(Metric::Wdl, 0), (Metric::Dtm, 0)];
        }
        let meaningless = [
            (Metric::Wdl, strange_results),
            (Metric::Dtm, strange_scores),
        ];
        let canonical = self.canonical(address, &men).map_or(0, |own| own.positions);
        meaningless.map(|(metric, kings)| (metric, kings & canonical & legal))
    }

    /// The mate scores of a side that are in no file.
    fn derive_scores(&self, side: Color) -> Vec<Line<u8>> {
        let other = &self.sides[(!side).index()].lines;
        let own = &self.sides[side.index()].lines.results;
        (0..own.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map_init(Neighbours::new, |neighbours, address| {
                let men = self.men(address);
                let legal = men.legality.legal[side.index()];
                if legal == 0 {
                    return [ILLEGAL; 64];
                }
                let zeroing = self.all_moves(address, &men, side, neighbours);
                let mut scores = self
                    .expect(
                        &other.results,
                        &other.scores,
                        address,
                        neighbours,
                        side,
                        &zeroing,
                        &men,
                    )
                    .scores;
                take_illegal(&mut scores, legal);
                scores
            })
            .collect()
    }

    /// The best captures, promotions and pawn moves; `neighbours` gets the others.
    fn all_moves(
        &self,
        address: usize,
        men: &Men,
        side: Color,
        neighbours: &mut Neighbours,
    ) -> Best {
        self.moves
            .neighbours(address, &men.squares, &men.placement, side, neighbours);
        let mut best = self.moves.conversions(address, &men.placement, side);
        if men.placement.of(side, Role::Pawn) != 0 {
            best.take(&self.moves.pushes(&men.placement, side));
        }
        best
    }

    /// Puts results and distances together; the distances of a side that are in no file are derived.
    fn find_keys(&mut self, source: &Source) {
        let is_derived =
            |side: Color| source.has(Metric::Dtz) && !source.is_stored(Metric::Dtz, side.index());
        for side in Color::ALL.into_iter().filter(|&side| !is_derived(side)) {
            let own = &mut self.sides[side.index()];
            own.keys = keys(&own.lines.results, &std::mem::take(&mut own.distances));
        }
        for side in Color::ALL.into_iter().filter(|&side| is_derived(side)) {
            let distances = self.derive_distances(side);
            let own = &mut self.sides[side.index()];
            own.keys = keys(&own.lines.results, &distances);
        }
    }

    /// The distances to zeroing of a side that are in no file.
    fn derive_distances(&self, side: Color) -> Vec<Line<u8>> {
        let other = &self.sides[(!side).index()].keys;
        (0..self.moves.frame.addresses)
            .into_par_iter()
            .with_min_len(CHUNK)
            .map_init(Neighbours::new, |neighbours, address| {
                let men = self.men(address);
                if men.legality.legal[side.index()] == 0 {
                    return [0; 64];
                }
                let zeroing = self.all_moves(address, &men, side, neighbours);
                let expected = self.expect(other, &[], address, neighbours, side, &zeroing, &men);
                // A distance that fits no byte differs from every stored one.
                let fit = |key| key::distance(key).min(u8::MAX.into()) as u8;
                expected.numbers.map(fit)
            })
            .collect()
    }

    /// What the moves of a side say about a line: keys, and mate scores if they are known.
    pub fn expected(
        &self,
        address: usize,
        men: &Men,
        side: Color,
        neighbours: &mut Neighbours,
    ) -> Expected<i16> {
        let zeroing = self.all_moves(address, men, side, neighbours);
        let other = &self.sides[(!side).index()];
        self.expect(
            &other.keys,
            &other.lines.scores,
            address,
            neighbours,
            side,
            &zeroing,
            men,
        )
    }

    #[allow(clippy::too_many_arguments)]
    fn expect<N: Mated>(
        &self,
        other: &[Line<N>],
        scores: &[Line<u8>],
        address: usize,
        neighbours: &Neighbours,
        side: Color,
        zeroing: &Best,
        men: &Men,
    ) -> Expected<N> {
        let mut expected = self.moves.width.run(Expect {
            other,
            scores,
            address,
            neighbours,
            side,
            zeroing,
        });
        expected.without_moves &= men.legality.legal[side.index()];
        for king in expected.without_moves.ones() {
            let is_mate = men.legality.in_check[side.index()].contains(king);
            let place = king as usize;
            if is_mate {
                expected.numbers[place] = N::MATED;
                expected.scores[place] = MateScore::MATED.0;
            } else {
                expected.numbers[place] = N::DRAWN;
                expected.scores[place] = MateScore::DRAW.0;
            }
        }
        expected
    }
}

/// A number for positions without moves.
trait Mated: Lane {
    const MATED: Self;
    const DRAWN: Self;
}

impl Mated for u8 {
    const MATED: u8 = Wdl::Loss.index() as u8;
    const DRAWN: u8 = DRAW;
}

impl Mated for i16 {
    const MATED: i16 = key::MATED;
    const DRAWN: i16 = key::DRAWN;
}

/// Results with their distances, which are 0 where they are not known.
fn keys(results: &[Line<u8>], distances: &[Line<u8>]) -> Vec<Line<i16>> {
    results
        .par_iter()
        .enumerate()
        .with_min_len(CHUNK)
        .map(|(address, results)| {
            let distances = distances.get(address).unwrap_or(&[0; 64]);
            let mut keys = [i16::NONE; 64];
            for ((key, &result), &distance) in keys.iter_mut().zip(results).zip(distances) {
                let legal = key::of(result, distance);
                *key = if result == ILLEGAL { i16::NONE } else { legal };
            }
            keys
        })
        .collect()
}

/// Chunks of lines; empty ones where there are no lines.
fn optional_chunks(lines: &mut [Line<u8>], count: usize) -> Vec<&mut [Line<u8>]> {
    if lines.is_empty() {
        return (0..count).map(|_| Default::default()).collect();
    }
    lines.chunks_mut(CHUNK).collect()
}
