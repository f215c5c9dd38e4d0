//! Compares every position of a slice with its successors, and headers with all positions.

use std::sync::atomic::{AtomicBool, Ordering};

use super::layout::Canonical;
use super::line::{ILLEGAL, Line, Score, key, squares_where};
use super::moves::{Expected, Neighbours};
use super::pages::CHUNK;
use super::slice::{Men, SliceValues};
use super::source::{Source, sides};
use super::steps::{SideWindow, Step};
use super::strange::fen;
use crate::Error;
use crate::counted::counted;
use crate::game::{Bits, Color};
use crate::metric::{Metric, Wdl};
use crate::parallel;
use crate::simd::{Kernel, Width};
use crate::table::Counts;
use crate::verify::report::{Difference, Found, Observer};

/// What comparing some positions of one side to move gave.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub found: Found,
    pub counts: Counts,
    /// Longest wins in plies: to zeroing, to mate.
    pub longest: [u32; 2],
    pub positions: u64,
}

impl Compared {
    pub fn and(mut self, other: Compared) -> Compared {
        self.found.extend(other.found);
        self.counts.win += other.counts.win;
        self.counts.cursed_win += other.counts.cursed_win;
        self.counts.draw += other.counts.draw;
        self.counts.blessed_loss += other.counts.blessed_loss;
        self.counts.loss += other.counts.loss;
        for (longest, other) in self.longest.iter_mut().zip(other.longest) {
            *longest = other.max(*longest);
        }
        self.positions += other.positions;
        self
    }
}

/// Compares the values of a slice.
pub(super) struct Comparison<'a, S> {
    pub source: &'a Source,
    pub values: &'a SliceValues<'a, S>,
    /// Of a side, what is wrong whatever the moves lead to.
    pub strange: [Found; 2],
    pub cancel: &'a AtomicBool,
    pub observer: &'a dyn Observer,
    /// Indices of one side of the slice, in the unit of [`Observer::advanced`].
    pub work: u64,
}

impl<S: Score> Comparison<'_, S> {
    /// Compares both sides to move.
    pub fn run(self) -> Result<[Compared; 2], Error> {
        let mut compared = <[Compared; 2]>::default();
        for side in Color::ALL.into_iter().take(sides(self.source.material())) {
            let all = &mut compared[side.index()];
            self.values.steps(side, |step| {
                let found = self.compare_step(side, step)?;
                *all = std::mem::take(all).and(found);
                Ok::<(), Error>(())
            })?;
        }
        for (compared, strange) in compared.iter_mut().zip(self.strange) {
            compared.found.extend(strange);
        }
        Ok(compared)
    }

    fn compare_step(&self, side: Color, step: &Step<'_, '_, S>) -> Result<Compared, Error> {
        let all = self.values.frame().addresses;
        let done = |address: usize| {
            (u128::from(self.work) * address.min(all) as u128 / all as u128) as u64
        };
        let own = self.values.sides[side.index()].open();
        let addresses = step.addresses.clone();
        let starts = addresses.clone().step_by(CHUNK);
        let compared = parallel::try_map_items(starts, |_, start| {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            let mut compared = Compared::default();
            let mut neighbours = Neighbours::new();
            let end = (start + CHUNK).min(addresses.end);
            for address in start..end {
                let squares = self.values.frame().squares(address);
                if let Some(canonical) = self.values.frame().canonical(address, &squares) {
                    let men = self.values.men_on(address, squares);
                    let line = ComparedLine {
                        side,
                        step,
                        own: &own,
                        address,
                        men: &men,
                        canonical,
                    };
                    self.compare_line(&line, &mut neighbours, &mut compared);
                }
            }
            self.observer.advanced(done(end) - done(start));
            Ok(compared)
        })?;
        Ok(compared
            .into_iter()
            .fold(Compared::default(), Compared::and))
    }

    fn compare_line(
        &self,
        &ComparedLine {
            side,
            step,
            own,
            address,
            men,
            canonical,
        }: &ComparedLine<'_, '_, S>,
        neighbours: &mut Neighbours,
        compared: &mut Compared,
    ) {
        let legal = men.legality.legal[side.index()] & canonical.positions;
        if legal == 0 {
            return;
        }
        let results = own.results.line(address);
        let keys = own.keys.line(address);
        let stored = Metric::ALL.map(|metric| self.is_stored(metric, side));
        let metrics = stored.iter().filter(|&&stored| stored).count();
        compared.positions += u64::from(legal.count_ones()) * metrics as u64;
        let width = step.moves.width;
        count(compared, results, legal, canonical, width);
        let scores = own.scores.get(address);
        longest(compared, LongestWin { keys, scores }, width);

        let expected = self.values.expected(step, address, men, side, neighbours);
        let scores = scores.filter(|_| stored[2]);
        let differ = width.run(Differ {
            results,
            keys,
            scores,
            expected: &expected,
            has_distances: self.source.has(Metric::Dtz),
        });
        for king in (differ & legal).ones() {
            let place = king as usize;
            let scores = scores.map(|stored| (stored[place], expected.scores[place]));
            self.compare_position(
                side,
                men,
                king,
                results[place],
                (keys[place], expected.numbers[place]),
                scores,
                compared,
            );
        }
    }

    fn is_stored(&self, metric: Metric, side: Color) -> bool {
        self.source
            .is_stored(metric, side.index(), self.values.frame())
    }

    /// Names the differences of one position.
    #[allow(clippy::too_many_arguments)]
    fn compare_position(
        &self,
        side: Color,
        men: &Men,
        king: u32,
        result: u8,
        (stored, expected): (i16, i16),
        scores: Option<(S, S)>,
        compared: &mut Compared,
    ) {
        let mut add = |metric: Metric, stored: String, expected: String| {
            compared.found.add(|| Difference {
                subject: (*self.source.material()).into(),
                format: self.source.format(),
                metric: metric.name(),
                fen: fen(&men.placement, side, king),
                stored,
                expected,
            });
        };
        let result_differs = if self.source.has(Metric::Dtz) {
            result != key::result(expected)
        } else {
            stored.signum() != expected.signum()
        };
        if result_differs {
            add(
                Metric::Wdl,
                describe_result(result),
                describe_result(key::result(expected)),
            );
        }
        if self.is_stored(Metric::Dtz, side) && !key::meet(stored.abs(), expected.abs()) {
            add(
                Metric::Dtz,
                describe_distance(result, stored),
                describe_distance(key::result(expected), expected),
            );
        }
        if let Some((score, expected)) =
            scores.filter(|&(score, expected)| !score_agrees(score, expected, result))
        {
            add(Metric::Dtm, describe_score(score), describe_score(expected));
        }
    }
}

/// A line that is compared.
struct ComparedLine<'a, 'v, S> {
    side: Color,
    step: &'a Step<'a, 'v, S>,
    own: &'a SideWindow<'a, S>,
    address: usize,
    men: &'a Men,
    canonical: Canonical,
}

/// Finds the squares of the black king where a line is not what was expected.
struct Differ<'a, S> {
    results: &'a Line<u8>,
    keys: &'a Line<i16>,
    scores: Option<&'a Line<S>>,
    expected: &'a Expected<i16, S>,
    has_distances: bool,
}

impl<S: Score> Kernel for Differ<'_, S> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut differ = [0u8; 64];
        let expected = &self.expected.numbers;
        if self.has_distances {
            for (((differ, &key), &expected), &result) in differ
                .iter_mut()
                .zip(self.keys)
                .zip(expected)
                .zip(self.results)
            {
                *differ = u8::from(!key::meet(key, expected) | (result != key::result(expected)));
            }
        } else {
            // Without distances it is not known which wins are cursed.
            for ((differ, &key), &expected) in differ.iter_mut().zip(self.keys).zip(expected) {
                *differ = u8::from(key.signum() != expected.signum());
            }
        }
        if let Some(scores) = self.scores {
            for (((differ, &score), &expected), &result) in differ
                .iter_mut()
                .zip(scores)
                .zip(&self.expected.scores)
                .zip(self.results)
            {
                *differ |= u8::from(!score_agrees(score, expected, result));
            }
        }
        squares_where(|king| differ[king] != 0)
    }
}

/// Whether a mate score is what was expected and fits the result.
#[inline(always)]
fn score_agrees<S: Score>(score: S, expected: S, result: u8) -> bool {
    let draw = S::DRAW;
    let drawn = Wdl::Draw.index() as u8;
    (score == expected)
        & ((score > draw) == (result > drawn))
        & ((score < draw) == (result < drawn))
}

fn describe_result(result: u8) -> String {
    Wdl::from_index(result.into()).map_or_else(String::new, |wdl| wdl.to_string())
}

fn describe_distance(result: u8, key: i16) -> String {
    let result = describe_result(result);
    match (key::shortest(key), key::longest(key)) {
        (shortest, longest) if shortest == longest => {
            format!("{result} in {}", counted(shortest, "ply"))
        }
        (shortest, longest) => format!("{result} in {shortest} or {longest} plies"),
    }
}

fn describe_score(score: impl Score) -> String {
    match score.dtm() {
        Some(dtm) => format!("mate in {}", counted(dtm.0, "ply")),
        None => "no mate".to_owned(),
    }
}

/// Counts how often each result stands in a line.
struct CountResults<'a>(&'a Line<u8>);

impl Kernel for CountResults<'_> {
    type Output = [u64; 5];

    #[inline(always)]
    fn run(self) -> [u64; 5] {
        std::array::from_fn(|result| {
            let is_same = |&other: &u8| u8::from(other == result as u8);
            self.0.iter().map(is_same).sum::<u8>().into()
        })
    }
}

fn count(
    compared: &mut Compared,
    results: &Line<u8>,
    legal: u64,
    canonical: Canonical,
    width: Width,
) {
    let mut add = |results: &Line<u8>, weight: u64| {
        let [loss, blessed_loss, draw, cursed_win, win] = width.run(CountResults(results));
        compared.counts.win += weight * win;
        compared.counts.cursed_win += weight * cursed_win;
        compared.counts.draw += weight * draw;
        compared.counts.blessed_loss += weight * blessed_loss;
        compared.counts.loss += weight * loss;
    };
    if canonical.positions == u64::MAX {
        add(results, canonical.weight);
        return;
    }
    let only = |set: u64| -> Line<u8> {
        std::array::from_fn(|king| {
            if set.contains(king as u32) {
                results[king]
            } else {
                ILLEGAL
            }
        })
    };
    add(&only(legal & !canonical.half), canonical.weight);
    add(&only(legal & canonical.half), canonical.weight / 2);
}

/// Finds the longest win of a line: the smallest key and the smallest mate score above those of a
/// draw.
struct LongestWin<'a, S> {
    keys: &'a Line<i16>,
    scores: Option<&'a Line<S>>,
}

impl<S: Score> Kernel for LongestWin<'_, S> {
    /// The largest numbers of their types where there is no win.
    type Output = (i16, S);

    #[inline(always)]
    fn run(self) -> (i16, S) {
        let mut longest = (i16::MAX, S::NONE);
        for &key in self.keys {
            let won = if key > key::DRAWN { key } else { i16::MAX };
            longest.0 = won.min(longest.0);
        }
        for &score in self.scores.into_iter().flatten() {
            let is_won = score > S::DRAW;
            let won = if is_won { score } else { S::NONE };
            longest.1 = won.min(longest.1);
        }
        longest
    }
}

/// Takes note of the longest wins of a line. Where no position is, its numbers are the largest
/// there are.
fn longest<S: Score>(compared: &mut Compared, win: LongestWin<'_, S>, width: Width) {
    let has_scores = win.scores.is_some();
    let (key, score) = width.run(win);
    if key == i16::MAX {
        return;
    }
    compared.longest[0] = compared.longest[0].max(key::shortest(key).into());
    if has_scores {
        let mate = score.dtm().map_or(0, |dtm| dtm.0.unsigned_abs());
        compared.longest[1] = compared.longest[1].max(mate);
    }
}
