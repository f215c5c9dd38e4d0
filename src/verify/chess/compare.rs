//! Compares the positions of a line with their successors.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::layout::{Canonical, Frame};
use super::line::{Lane, Line, Score, key};
use super::men::Men;
use super::moves::Expected;
use super::source::Source;
use super::strange::fen;
use crate::byte_sets;
use crate::counted::counted;
use crate::game::{Bits, Color};
use crate::metric::{Metric, Wdl};
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

    /// Counts the positions with each result.
    fn count(&mut self, results: &[u64; 5], legal: u64, canonical: Canonical) {
        let half = canonical.half;
        let [loss, blessed_loss, draw, cursed_win, win] = results.map(|squares| {
            let count = |squares: u64| u64::from((squares & legal).count_ones());
            count(squares & !half) * canonical.weight + count(squares & half) * canonical.weight / 2
        });
        self.counts.win += win;
        self.counts.cursed_win += cursed_win;
        self.counts.draw += draw;
        self.counts.blessed_loss += blessed_loss;
        self.counts.loss += loss;
    }
}

/// Lines that are compared one after the other.
pub(super) struct Comparing<S> {
    compared: Compared,
    /// The longest win so far: the smallest key and, if they are known, the smallest mate score
    /// above those of a draw, or the largest numbers of their types.
    longest: (i16, Option<S>),
}

impl<S: Score> Default for Comparing<S> {
    fn default() -> Comparing<S> {
        Comparing {
            compared: Compared::default(),
            longest: (i16::MAX, None),
        }
    }
}

impl<S: Score> Comparing<S> {
    /// What comparing them gave.
    pub fn finish(mut self) -> Compared {
        let (key, score) = self.longest;
        if key != i16::MAX {
            self.compared.longest = [
                key::shortest(key).into(),
                score
                    .and_then(S::dtm)
                    .map_or(0, |mate| mate.0.unsigned_abs()),
            ];
        }
        self.compared
    }
}

/// Compares the values of a slice with what moves lead to.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    pub source: &'a Source,
    pub frame: &'a Frame,
    /// Which metrics the file has, by side to move.
    pub stored: [[bool; 3]; 2],
    pub cancel: &'a AtomicBool,
    pub observer: &'a dyn Observer,
    /// Indices of one side of the slice, in the unit of [`Observer::advanced`].
    pub work: u64,
}

impl Comparison<'_> {
    /// Whether nobody waits for what is found any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Tells the observer that one side of some addresses was compared.
    pub fn advance(&self, addresses: &Range<usize>) {
        let all = self.frame.addresses;
        let done = |address: usize| {
            (u128::from(self.work) * address.min(all) as u128 / all as u128) as u64
        };
        (self.observer).advanced(done(addresses.end) - done(addresses.start));
    }

    /// Compares a line of which some positions are legal.
    pub fn compare_line<S: Score>(
        &self,
        line: &ComparedLine<'_, S>,
        expected: &Expected<i16, S>,
        width: Width,
        comparing: &mut Comparing<S>,
    ) {
        let &ComparedLine {
            side,
            results,
            keys,
            scores,
            men,
            canonical,
        } = line;
        let legal = men.legality.legal[side.index()] & canonical.positions;
        let stored = self.stored[side.index()];
        let metrics = stored.iter().filter(|&&stored| stored).count();
        comparing.compared.positions += u64::from(legal.count_ones()) * metrics as u64;
        let stored_scores = scores.filter(|_| stored[2]);
        let found = width.run(LookAtLine {
            results,
            keys,
            scores,
            expected,
            has_distances: self.source.has(Metric::Dtz),
            are_scores_stored: stored_scores.is_some(),
            longest: (comparing.longest.0, comparing.longest.1.unwrap_or(S::NONE)),
        });
        comparing.compared.count(&found.results, legal, canonical);
        let (key, score) = found.longest;
        comparing.longest = (key, scores.map(|_| score));
        for king in (found.differ & legal).ones() {
            let place = king as usize;
            let scores = stored_scores.map(|stored| (stored[place], expected.scores[place]));
            self.compare_position(
                side,
                men,
                king,
                results[place],
                (keys[place], expected.numbers[place]),
                scores,
                &mut comparing.compared,
            );
        }
    }

    /// Names the differences of one position.
    #[allow(clippy::too_many_arguments)]
    fn compare_position<S: Score>(
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
        if self.stored[side.index()][1] && !key::meet(stored.abs(), expected.abs()) {
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
pub(super) struct ComparedLine<'a, S> {
    pub side: Color,
    pub results: &'a Line<u8>,
    pub keys: &'a Line<i16>,
    /// If mate scores are known.
    pub scores: Option<&'a Line<S>>,
    pub men: &'a Men,
    pub canonical: Canonical,
}

/// Looks at a line as a whole.
struct LookAtLine<'a, S> {
    results: &'a Line<u8>,
    keys: &'a Line<i16>,
    scores: Option<&'a Line<S>>,
    expected: &'a Expected<i16, S>,
    has_distances: bool,
    are_scores_stored: bool,
    /// The longest win so far: the smallest key and the smallest mate score above those of a draw,
    /// or the largest numbers of their types.
    longest: (i16, S),
}

/// What stands in a line.
struct LineFound<S> {
    /// By result the squares of the black king.
    results: [u64; 5],
    /// Where the line is not what was expected; it may be so where no position is.
    differ: u64,
    /// The longest win so far.
    longest: (i16, S),
}

impl<S: Score> Kernel for LookAtLine<'_, S> {
    type Output = LineFound<S>;

    #[inline(always)]
    fn run(self) -> LineFound<S> {
        let mut results = [0; 5];
        for (result, squares) in (0..).zip(&mut results) {
            *squares = byte_sets::equal(self.results, &[result; 64]);
        }
        LineFound {
            differ: self.differ(&results),
            longest: self.longest(),
            results,
        }
    }
}

impl<S: Score> LookAtLine<'_, S> {
    #[inline(always)]
    fn differ(&self, results: &[u64; 5]) -> u64 {
        let [loss, blessed_loss, _, cursed_win, win] = results;
        let (lost, won) = (loss | blessed_loss, cursed_win | win);
        let expected = &self.expected.numbers;
        let mut differ = 0;
        if self.has_distances {
            for (squares, expected) in results.iter().zip(key::results(expected)) {
                differ |= squares ^ expected;
            }
            let unlike = !i16::same(self.keys, expected);
            if unlike != 0 {
                let is_met = |king: usize| key::meet(self.keys[king], expected[king]);
                differ |= unlike & !byte_sets::places(is_met);
            }
        } else {
            // Without distances it is not known which wins are cursed.
            let [loss, blessed_loss, _, cursed_win, win] = key::results(expected);
            differ |= (lost ^ (loss | blessed_loss)) | (won ^ (cursed_win | win));
        }
        if let Some(scores) = self.scores.filter(|_| self.are_scores_stored) {
            differ |= !S::same(scores, &self.expected.scores);
            differ |= won ^ S::above(scores, S::DRAW);
            differ |= lost ^ !S::above(scores, S::DRAW.less_one());
        }
        differ
    }

    /// Few lines have a longer win than those before.
    #[inline(always)]
    fn longest(&self) -> (i16, S) {
        let (mut key, mut score) = self.longest;
        let longer = i16::above(self.keys, key::DRAWN) & !i16::above(self.keys, key - 1);
        for king in longer.ones() {
            key = key.min(self.keys[king as usize]);
        }
        if let Some(scores) = self.scores {
            let longer = S::above(scores, S::DRAW) & !S::above(scores, score.less_one());
            for king in longer.ones() {
                score = score.min(scores[king as usize]);
            }
        }
        (key, score)
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
