//! One slice: the numbers of the files become values, as a prober sees them, and every value is compared with those its
//! moves lead to.
//!
//! A number that is not needed, because a capture or promotion decides, is replaced by what that decides. The values of a
//! side that no file has are those its moves lead to; then the stored side is compared with values two plies
//! ahead, which leaves one solution as well, as distances grow with every ply.

use rayon::prelude::*;

use super::layout::{Canonical, Legality, Squares};
use super::line::{ILLEGAL, Lane, Line, key, score_before, squares_where, take_best};
use super::moves::{Best, Moves, Neighbours, best_of_quiet};
use super::resolved::Lines;
use super::source::{LoadError, Source, sides};
use crate::game::{Bits, Color};
use crate::index::Placement;
use crate::metric::{MateScore, Metric, Wdl};

const DRAW: u8 = Wdl::Draw.index() as u8;
const WIN: u8 = Wdl::Win.index() as u8;

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
        let mut meaningless = [(Metric::Wdl, 0), (Metric::Dtm, 0)];
        let illegal = super::line::none_on::<u8>(!legal);
        if legal == 0 {
            *results = illegal;
            if let Some(scores) = scores {
                *scores = illegal;
            }
            return meaningless;
        }
        let best = self.moves.conversions(address, &men.placement, side);
        let mut strange = [0; 64];
        for (((result, &reached), &illegal), strange) in results
            .iter_mut()
            .zip(&best.results)
            .zip(&illegal)
            .zip(&mut strange)
        {
            // No conversion is as good as one that loses.
            let converted = WIN - reached.min(WIN);
            let is_strange = *result > WIN && converted != WIN;
            *strange = u8::from(is_strange) & !illegal;
            let instead = if reached == ILLEGAL { DRAW } else { converted };
            let value = if is_strange {
                instead
            } else {
                converted.max(*result).min(WIN)
            };
            *result = value | illegal;
        }
        if strange != [0; 64] {
            meaningless[0].1 = squares_where(|king| strange[king] != 0);
        }
        if let Some(scores) = scores {
            let mut strange = [0; 64];
            for ((((score, &result), &reached), &reached_score), strange) in scores
                .iter_mut()
                .zip(&*results)
                .zip(&best.results)
                .zip(&best.scores)
                .zip(&mut strange)
            {
                let converted = if reached == ILLEGAL {
                    MateScore::MATED.0
                } else {
                    score_before(reached_score)
                };
                let won = u8::MAX - *score;
                let lost = *score;
                // A number on the wrong side of the draw is worse than any mate for the side it belongs to.
                let won = if won <= MateScore::DRAW.0 {
                    converted
                } else {
                    won.max(converted)
                };
                let is_wrong = lost >= MateScore::DRAW.0;
                *strange = u8::from(is_wrong && converted < MateScore::DRAW.0 && result < DRAW);
                let lost = if is_wrong {
                    converted
                } else {
                    lost.max(converted)
                };
                let decided = if result > DRAW { won } else { lost };
                *score = if result == DRAW {
                    MateScore::DRAW.0
                } else {
                    decided
                };
                *score = if result == ILLEGAL { ILLEGAL } else { *score };
            }
            if strange != [0; 64] {
                meaningless[1].1 = squares_where(|king| strange[king] != 0);
            }
        }
        if let Some(distances) = distances {
            let mut zeroing = best.results;
            take_best(
                &mut zeroing,
                &self.moves.pushes(&men.placement, side).results,
                0,
            );
            for ((distance, &result), &reached) in distances.iter_mut().zip(&*results).zip(&zeroing)
            {
                let by_zeroing = if result == WIN { 1 } else { 101 };
                let is_zeroing = result > DRAW && WIN.wrapping_sub(reached) == result;
                let value = if is_zeroing { by_zeroing } else { *distance };
                *distance = if result == DRAW { 0 } else { value };
            }
        }
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
                let reached = self.all_moves(address, &men, side, neighbours);
                let mut results = best_of_quiet(&other.results, address, neighbours, side);
                take_best(&mut results, &reached.results, 0);
                let mut scores = best_of_quiet(&other.scores, address, neighbours, side);
                take_best(&mut scores, &reached.scores, 0);
                let without_moves = squares_where(|king| results[king] == ILLEGAL) & legal;
                let illegal = super::line::none_on::<u8>(!legal);
                for (score, &illegal) in scores.iter_mut().zip(&illegal) {
                    *score = score_before(*score) | illegal;
                }
                for king in without_moves.ones() {
                    scores[king as usize] = score_without_moves(&men, side, king);
                }
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
        if men.placement.of(side, crate::game::chess::Role::Pawn) != 0 {
            best.take(&self.moves.pushes(&men.placement, side));
        }
        best
    }

    /// Puts results and distances together; the distances of a side that are in no file are derived.
    fn find_keys(&mut self, source: &Source) {
        for own in &mut self.sides {
            own.keys = keys(&own.lines.results, &own.distances);
            own.distances = Vec::new();
        }
        for side in Color::ALL {
            if source.has(Metric::Dtz) && !source.is_stored(Metric::Dtz, side.index()) {
                let distances = self.derive_distances(side);
                self.sides[side.index()].keys =
                    keys(&self.sides[side.index()].lines.results, &distances);
            }
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
                let best = self.all_moves(address, &men, side, neighbours);
                let (keys, _) = expected_keys(other, address, neighbours, &best, &men, side);
                // A distance that fits no byte differs from every stored one.
                keys.map(|key| key::distance(key).min(u8::MAX.into()) as u8)
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
    ) -> (Line<i16>, Option<Line<u8>>) {
        let best = self.all_moves(address, men, side, neighbours);
        let other = &self.sides[(!side).index()];
        let (keys, without_moves) =
            expected_keys(&other.keys, address, neighbours, &best, men, side);
        if other.lines.scores.is_empty() {
            return (keys, None);
        }
        let mut scores = best_of_quiet(&other.lines.scores, address, neighbours, side);
        take_best(&mut scores, &best.scores, 0);
        for score in &mut scores {
            *score = score_before(*score);
        }
        for king in without_moves.ones() {
            scores[king as usize] = score_without_moves(men, side, king);
        }
        (keys, Some(scores))
    }
}

/// The keys that all moves of a side amount to, and where there are no moves.
#[inline]
fn expected_keys(
    other: &[Line<i16>],
    address: usize,
    neighbours: &Neighbours,
    zeroing: &Best,
    men: &Men,
    side: Color,
) -> (Line<i16>, u64) {
    let mut keys = best_of_quiet(other, address, neighbours, side);
    if zeroing.results != Best::NO_MOVE.results {
        let zeroing = zeroing.results.map(key::reached_by_zeroing);
        take_best(&mut keys, &zeroing, 0);
    }
    let legal = men.legality.legal[side.index()];
    let none: Line<u8> = std::array::from_fn(|king| u8::from(keys[king] == i16::NONE));
    for key in &mut keys {
        *key = key::before_quiet_move(*key);
    }
    if none == [0; 64] {
        return (keys, 0);
    }
    let without_moves = squares_where(|king| none[king] != 0) & legal;
    for king in without_moves.ones() {
        let is_mate = men.legality.in_check[side.index()].contains(king);
        keys[king as usize] = if is_mate { key::MATED } else { key::DRAWN };
    }
    (keys, without_moves)
}

fn score_without_moves(men: &Men, side: Color, king: u32) -> u8 {
    let is_mate = men.legality.in_check[side.index()].contains(king);
    if is_mate {
        MateScore::MATED.0
    } else {
        MateScore::DRAW.0
    }
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
