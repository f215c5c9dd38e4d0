//! One slice: the numbers of the files become values, as a prober sees them, and every value is compared with those its
//! moves lead to.
//!
//! A number that is not needed, because a capture or promotion decides, is replaced by what that decides. The values of a
//! side that no file has are those its moves lead to; then the stored side is compared with values two plies
//! ahead, which leaves one solution as well, as distances grow with every ply.

use rayon::prelude::*;

use super::files::{LoadError, Numbers, Twin};
use super::layout::{Canonical, Legality, Squares};
use super::line::{ILLEGAL, Lane, Line, key, take_best};
use super::moves::{Best, Expect, Expected, Moves, Neighbours};
use super::numbers::{DistanceCode, Distances, Resolve, take_illegal};
use super::part::Part;
use super::resolved::Lines;
use super::source::{Source, sides};
use crate::chess::index::Placement;
use crate::chess::rules::Role;
use crate::game::{Bits, Color};
use crate::metric::{MateScore, Metric, Wdl};

const DRAW: u8 = Wdl::Draw.index() as u8;

/// Addresses that are worked on together.
pub(super) const CHUNK: usize = 256;

/// A number in a file that is wrong whatever the moves lead to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strange {
    pub metric: Metric,
    pub side: Color,
    pub address: usize,
    pub king: u32,
    pub what: Strangeness,
}

/// What is wrong with a number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Strangeness {
    /// It stands for nothing.
    Meaningless,
    /// A mirror image of the position has another number, and another value.
    UnlikeMirrorImage,
}

/// The values of one side to move.
#[derive(Debug, Default)]
pub(super) struct SideValues {
    pub lines: Lines,
    /// What the results and distances to zeroing amount to, see [`key`]; empty if they are not asked for.
    pub keys: Vec<Line<i16>>,
}

/// The values of a slice.
#[derive(Debug)]
pub(super) struct SliceValues<'a> {
    pub moves: Moves<'a>,
    pub sides: [SideValues; 2],
    pub strange: Vec<Strange>,
    /// Whether promotions are left to the prober as captures are.
    leaves_promotions: bool,
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
        part: &Part,
        is_asked: bool,
    ) -> Result<SliceValues<'a>, LoadError> {
        let is_derived = |side: Color| {
            source.has(Metric::Dtm) && !source.is_stored(Metric::Dtm, side.index(), moves.frame)
        };
        // What is derived is derived from all there is of the other side.
        let part_of = |side: Color| match part.has_side(!side) && is_derived(!side) {
            true => &Part::Whole,
            false => part,
        };
        let mut values = SliceValues {
            moves,
            sides: Default::default(),
            strange: Vec::new(),
            leaves_promotions: source.leaves_promotions(),
        };
        for side in Color::ALL {
            let part = part_of(side);
            if !part.has_side(side) {
                continue;
            }
            let read = |metric, is_wanted: bool| {
                if is_wanted && source.is_stored(metric, side.index(), moves.frame) {
                    source.numbers(metric, side.index(), moves.frame, part)
                } else {
                    Ok(Numbers::default())
                }
            };
            let results = read(Metric::Wdl, true)?;
            let distances = read(Metric::Dtz, is_asked)?;
            let mut own = SideValues {
                keys: vec![[0; 64]; distances.lines.len()],
                lines: Lines {
                    results: results.lines,
                    scores: read(Metric::Dtm, true)?.lines,
                },
            };
            let code = source.distance_code(side.index(), moves.frame);
            let mut strange = values.resolve(side, part, &mut own, &distances.lines, &code);
            let mut twins = results.twins;
            twins.extend(distances.twins);
            twins.retain(|twin| values.is_in(part, side, twin.address));
            strange.extend(values.unlike_twins(side, &own, &twins, &code));
            if side.index() < sides(source.material()) {
                values.strange.extend(strange);
            }
            values.sides[side.index()] = own;
        }
        if source.has(Metric::Dtm) {
            for side in Color::ALL.into_iter().filter(|&side| part.has_side(side)) {
                // Where distances to zeroing are derived as well, that is done in one go.
                let is_left = is_asked
                    && source.has(Metric::Dtz)
                    && !source.is_stored(Metric::Dtz, side.index(), values.moves.frame);
                if !values.has_scores(side) && !is_left {
                    values.sides[side.index()].lines.scores = values.derive_scores(side, part);
                }
            }
        }
        if is_asked {
            values.find_keys(source);
        }
        Ok(values)
    }

    /// Whether the mate scores of a side are known.
    pub fn has_scores(&self, side: Color) -> bool {
        !self.sides[side.index()].lines.scores.is_empty()
    }

    fn is_in(&self, part: &Part, side: Color, address: usize) -> bool {
        let frame = self.moves.frame;
        part.has(side, &frame.men, &frame.squares(address))
    }

    pub fn men(&self, address: usize) -> Men {
        let squares = self.moves.frame.squares(address);
        let placement = self.moves.frame.placement(&squares);
        Men {
            squares,
            placement,
            legality: self.moves.frame.legality(&squares, &placement),
        }
    }

    /// What stands for itself at an address.
    pub fn canonical(&self, address: usize, men: &Men) -> Option<Canonical> {
        self.moves.frame.canonical(address, &men.squares)
    }

    /// Turns the numbers of a side into values. `numbers` are its distances to zeroing, if they are stored.
    fn resolve(
        &self,
        side: Color,
        part: &Part,
        own: &mut SideValues,
        numbers: &[Line<u8>],
        code: &DistanceCode,
    ) -> Vec<Strange> {
        let SideValues { lines, keys } = own;
        let count = lines.results.len().div_ceil(CHUNK);
        let scores = optional_chunks(&mut lines.scores, count);
        let keys = optional_chunks(keys, count);
        lines
            .results
            .par_chunks_mut(CHUNK)
            .zip(scores)
            .zip(keys)
            .enumerate()
            .flat_map_iter(|(chunk, ((results, scores), keys))| {
                let mut strange = Vec::new();
                for (place, results) in results.iter_mut().enumerate() {
                    let address = chunk * CHUNK + place;
                    if !self.is_in(part, side, address) {
                        continue;
                    }
                    let distances = keys.get_mut(place).map(|keys| Distances {
                        numbers: &numbers[address],
                        code,
                        keys,
                    });
                    let found =
                        self.resolve_line(side, address, results, scores.get_mut(place), distances);
                    for (metric, kings) in Metric::ALL.into_iter().zip(found) {
                        strange.extend(kings.ones().map(|king| Strange {
                            metric,
                            side,
                            address,
                            king,
                            what: Strangeness::Meaningless,
                        }));
                    }
                }
                strange
            })
            .collect()
    }

    /// Resolves a line; returns where numbers have no meaning, by metric.
    fn resolve_line(
        &self,
        side: Color,
        address: usize,
        results: &mut Line<u8>,
        scores: Option<&mut Line<u8>>,
        distances: Option<Distances<'_>>,
    ) -> [u64; 3] {
        let men = self.men(address);
        let legal = men.legality.legal[side.index()];
        if legal == 0 {
            *results = [ILLEGAL; 64];
            if let Some(scores) = scores {
                *scores = [ILLEGAL; 64];
            }
            if let Some(distances) = distances {
                *distances.keys = [i16::NONE; 64];
            }
            return [0; 3];
        }
        let mut best = self.moves.captures(&men.placement, side);
        let mut zeroing = best.results;
        if self.leaves_promotions || distances.is_some() {
            let promotions = self.moves.promotions(address, side);
            take_best(&mut zeroing, &promotions.results, 0);
            if self.leaves_promotions {
                best.take(&promotions);
            }
        }
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
        let strange = self.moves.width.run(resolve);
        if strange == [0; 3] {
            return strange;
        }
        let canonical = self.canonical(address, &men).map_or(0, |own| own.positions);
        strange.map(|kings| kings & canonical & legal)
    }

    /// Those of the numbers of mirror images that do not stand for the values of the positions themselves.
    fn unlike_twins(
        &self,
        side: Color,
        own: &SideValues,
        twins: &[Twin],
        code: &DistanceCode,
    ) -> Vec<Strange> {
        let is_unlike = |twin: &&Twin| {
            let mut results = own.lines.results[twin.address];
            let mut keys = [0; 64];
            let king = twin.king as usize;
            if results[king] == ILLEGAL {
                return false;
            }
            let numbers = [twin.number; 64];
            let distances = match twin.metric {
                Metric::Dtz => Some(Distances {
                    numbers: &numbers,
                    code,
                    keys: &mut keys,
                }),
                _ => {
                    results = numbers;
                    None
                }
            };
            self.resolve_line(side, twin.address, &mut results, None, distances);
            match twin.metric {
                Metric::Dtz => keys[king] != own.keys[twin.address][king],
                _ => results[king] != own.lines.results[twin.address][king],
            }
        };
        twins
            .par_iter()
            .filter(is_unlike)
            .map(|twin| Strange {
                metric: twin.metric,
                side,
                address: twin.address,
                king: twin.king,
                what: Strangeness::UnlikeMirrorImage,
            })
            .collect()
    }

    /// The mate scores of a side that are in no file.
    fn derive_scores(&self, side: Color, part: &Part) -> Vec<Line<u8>> {
        let other = &self.sides[(!side).index()].lines;
        let own = &self.sides[side.index()].lines.results;
        (0..own.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map_init(Neighbours::new, |neighbours, address| {
                let men = self.men(address);
                let legal = men.legality.legal[side.index()];
                if legal == 0 || !self.is_in(part, side, address) {
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
    pub(super) fn all_moves(
        &self,
        address: usize,
        men: &Men,
        side: Color,
        neighbours: &mut Neighbours,
    ) -> Best {
        self.moves
            .neighbours(address, &men.squares, &men.placement, side, neighbours);
        let mut best = self.moves.captures(&men.placement, side);
        best.take(&self.moves.promotions(address, side));
        if men.placement.of(side, Role::Pawn) != 0 {
            best.take(&self.moves.pushes(&men.placement, side));
        }
        best
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
    pub(super) fn expect<N: Mated>(
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
pub(super) trait Mated: Lane {
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

/// Chunks of lines; empty ones where there are no lines.
fn optional_chunks<N>(lines: &mut [Line<N>], count: usize) -> Vec<&mut [Line<N>]> {
    if lines.is_empty() {
        return (0..count).map(|_| Default::default()).collect();
    }
    lines.chunks_mut(CHUNK).collect()
}
