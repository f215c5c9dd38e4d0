//! Lines: the values of the 64 positions that differ only in the square of the black king, and what
//! one instruction can do to sixteen of them.
//!
//! "The best of all moves" is taken over the values of the positions reached, as their mover sees
//! them: there the best is the smallest. What a move to nowhere would give is therefore the largest
//! number of its type, so that it never is.

pub(super) mod key;
mod score;

pub(in crate::verify) use score::Score;

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use zerocopy::FromZeros;

use super::spare::{Spare, Spares};
use crate::byte_sets;
use crate::chess::symmetry::Symmetry;
use crate::metric::{FIFTY_MOVES, Wdl};
use crate::simd;
use crate::table::Plane;
use crate::transpose::{transpose_bytes, transpose_lines};

/// One number for each square of the black king.
pub(in crate::verify) type Line<N> = [N; 64];

/// Addresses of a row, whose lines differ only in the square of the last man.
pub(super) const ROW: usize = 64;

/// Lines at the addresses of a row.
pub(super) type Row<N> = [Line<N>; ROW];

/// Stands in lines of results where there is no legal position.
pub(super) const ILLEGAL: u8 = u8::MAX;

/// A number that lines are made of.
pub(in crate::verify) trait Lane:
    Copy + Default + FromZeros + Ord + Send + Sync + 'static
{
    /// The largest number: no position.
    const NONE: Self;
    /// The smallest number.
    const LOWEST: Self;
    /// [`NONE`](Self::NONE) for every bit that is set, else [`LOWEST`](Self::LOWEST).
    const ROWS: &'static [[Self; 8]; 256];

    /// The low bytes of some lines, then their high bytes, if they have such.
    fn bytes(lines: &[Line<Self>]) -> [Cow<'_, [u8]>; 2];

    /// Fills lines with what has these [`bytes`](Self::bytes): `get` fills room with the low or the
    /// high ones.
    fn fill(
        lines: &mut [Line<Self>],
        get: impl FnMut(Plane, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()>;

    /// Spare memory for such lines.
    fn spare(spares: &Spares) -> &Arc<Spare<Line<Self>>>;

    /// The line of a board that a symmetry takes to the board of the given line.
    fn turned(line: &Line<Self>, symmetry: Symmetry) -> Line<Self>;

    /// [`take_best`] by the processor's own instructions; says whether it has them.
    fn keep_smaller(best: &mut Line<Self>, line: &Line<Self>, except: u64) -> bool;

    /// The places at which two lines have the same number.
    fn same(line: &Line<Self>, other: &Line<Self>) -> u64;

    /// The places at which a line has a number above a bound.
    fn above(line: &Line<Self>, bound: Self) -> u64;

    /// Exchanges rows and columns.
    fn exchange(rows: &[Line<Self>; 64], columns: &mut [Line<Self>; 64]);
}

/// A number that says what a position is worth.
pub(super) trait Worth: Lane {
    /// The number to take for a position that a zeroing move reaches, from its result.
    fn reached_by_zeroing(result: u8) -> Self;

    /// The number of a position whose best move reaches this one.
    fn before(self) -> Self;
}

macro_rules! lane {
    ($number:ty, $spare:ident, $bytes:path, $fill:path, $turned:path, $smaller:path, $same:path, $above:path, $exchange:path) => {
        impl Lane for $number {
            const NONE: Self = <$number>::MAX;
            const LOWEST: Self = <$number>::MIN;
            const ROWS: &'static [[Self; 8]; 256] = &{
                let mut rows = [[<$number>::MIN; 8]; 256];
                let mut place = 0;
                while place < 256 * 8 {
                    if place / 8 >> (place % 8) & 1 != 0 {
                        rows[place / 8][place % 8] = <$number>::MAX;
                    }
                    place += 1;
                }
                rows
            };

            fn bytes(lines: &[Line<Self>]) -> [Cow<'_, [u8]>; 2] {
                $bytes(lines)
            }

            fn fill(
                lines: &mut [Line<Self>],
                get: impl FnMut(Plane, &mut [u8]) -> io::Result<()>,
            ) -> io::Result<()> {
                $fill(lines, get)
            }

            fn spare(spares: &Spares) -> &Arc<Spare<Line<Self>>> {
                &spares.$spare
            }

            #[inline(always)]
            fn turned(line: &Line<Self>, symmetry: Symmetry) -> Line<Self> {
                $turned(line, symmetry)
            }

            #[inline(always)]
            fn keep_smaller(best: &mut Line<Self>, line: &Line<Self>, except: u64) -> bool {
                $smaller(best, line, except)
            }

            #[inline(always)]
            fn same(line: &Line<Self>, other: &Line<Self>) -> u64 {
                $same(line, other)
            }

            #[inline(always)]
            fn above(line: &Line<Self>, bound: Self) -> u64 {
                $above(line, bound)
            }

            #[inline(always)]
            fn exchange(rows: &[Line<Self>; 64], columns: &mut [Line<Self>; 64]) {
                $exchange(rows, columns);
            }
        }
    };
}

// Results, keys and mate scores.
lane!(
    u8,
    bytes,
    whole_bytes,
    fill_bytes,
    bytes_turned,
    simd::keep_smaller_bytes,
    byte_sets::equal,
    bytes_above,
    transpose_lines
);
lane!(
    i16,
    keys,
    halves_of_keys,
    fill_keys,
    keys_turned,
    simd::keep_smaller_keys,
    same_keys,
    byte_sets::keys_above,
    exchange_each
);
lane!(
    u16,
    words,
    halves,
    fill_words,
    words_turned,
    simd::keep_smaller_words,
    byte_sets::equal_words,
    words_above,
    exchange_each
);

impl Worth for u8 {
    #[inline(always)]
    fn reached_by_zeroing(result: u8) -> u8 {
        result
    }

    #[inline(always)]
    fn before(self) -> u8 {
        result_before(self)
    }
}

impl Worth for i16 {
    #[inline(always)]
    fn reached_by_zeroing(result: u8) -> i16 {
        key::reached_by_zeroing(result)
    }

    #[inline(always)]
    fn before(self) -> i16 {
        key::before_quiet_move(self)
    }
}

#[inline(always)]
fn bytes_above(line: &Line<u8>, bound: u8) -> u64 {
    byte_sets::above(line, &[bound; 64])
}

#[inline(always)]
fn same_keys(line: &Line<i16>, other: &Line<i16>) -> u64 {
    byte_sets::equal_words(
        &line.map(i16::cast_unsigned),
        &other.map(i16::cast_unsigned),
    )
}

#[inline(always)]
fn words_above(line: &Line<u16>, bound: u16) -> u64 {
    byte_sets::places(|place| line[place] > bound)
}

fn whole_bytes(lines: &[Line<u8>]) -> [Cow<'_, [u8]>; 2] {
    [lines.as_flattened().into(), Cow::default()]
}

fn fill_bytes(
    lines: &mut [Line<u8>],
    mut get: impl FnMut(Plane, &mut [u8]) -> io::Result<()>,
) -> io::Result<()> {
    get(Plane::Low, lines.as_flattened_mut())
}

fn halves(lines: &[Line<u16>]) -> [Cow<'_, [u8]>; 2] {
    let numbers = lines.as_flattened();
    let low: Vec<u8> = numbers.iter().map(|&number| number as u8).collect();
    let high: Vec<u8> = numbers.iter().map(|&number| (number >> 8) as u8).collect();
    [low.into(), high.into()]
}

fn halves_of_keys(lines: &[Line<i16>]) -> [Cow<'_, [u8]>; 2] {
    let numbers = lines.as_flattened();
    let low: Vec<u8> = numbers.iter().map(|&number| number as u8).collect();
    let high: Vec<u8> = numbers.iter().map(|&number| (number >> 8) as u8).collect();
    [low.into(), high.into()]
}

fn fill_words(
    lines: &mut [Line<u16>],
    get: impl FnMut(Plane, &mut [u8]) -> io::Result<()>,
) -> io::Result<()> {
    fill_from_halves(lines, get, u16::from_le_bytes)
}

fn fill_keys(
    lines: &mut [Line<i16>],
    get: impl FnMut(Plane, &mut [u8]) -> io::Result<()>,
) -> io::Result<()> {
    fill_from_halves(lines, get, i16::from_le_bytes)
}

fn fill_from_halves<N>(
    lines: &mut [Line<N>],
    mut get: impl FnMut(Plane, &mut [u8]) -> io::Result<()>,
    number: fn([u8; 2]) -> N,
) -> io::Result<()> {
    thread_local! {
        static HALVES: RefCell<[Vec<u8>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
    }
    HALVES.with_borrow_mut(|halves| {
        for (plane, half) in [Plane::Low, Plane::High].into_iter().zip(halves.iter_mut()) {
            half.resize(lines.len() * 64, 0);
            get(plane, half)?;
        }
        let [low, high] = halves.each_ref().map(|half| half.iter());
        let numbers = lines.as_flattened_mut().iter_mut();
        for ((to, &low), &high) in numbers.zip(low).zip(high) {
            *to = number([low, high]);
        }
        Ok(())
    })
}

/// The result of a position whose best move reaches a position with this one.
#[inline(always)]
pub(super) fn result_before(result: u8) -> u8 {
    (Wdl::Win.index() as u8).wrapping_sub(result)
}

/// [`Lane::NONE`] on the squares of a set, else [`Lane::LOWEST`].
#[inline(always)]
pub(super) fn none_on<N: Lane>(set: u64) -> Line<N> {
    let mut line = [N::LOWEST; 64];
    for (row, bits) in line
        .as_chunks_mut::<8>()
        .0
        .iter_mut()
        .zip(set.to_le_bytes())
    {
        *row = N::ROWS[usize::from(bits)];
    }
    line
}

/// The smaller numbers of two lines, but for the squares of a set, which keep those of the first.
#[inline(always)]
pub(super) fn take_best<N: Lane>(best: &mut Line<N>, line: &Line<N>, except: u64) {
    if except == 0 {
        for (best, &number) in best.iter_mut().zip(line) {
            *best = number.min(*best);
        }
    } else if !N::keep_smaller(best, line, except) {
        take_best_without(best, line, &none_on(except));
    }
}

/// The same with the squares that are left out as [`none_on`] has them.
#[inline(always)]
fn take_best_without<N: Lane>(best: &mut Line<N>, line: &Line<N>, none: &Line<N>) {
    for ((best, &number), &none) in best.iter_mut().zip(line).zip(none) {
        *best = number.max(none).min(*best);
    }
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// For each square the smallest number on the squares a king's step away.
#[inline(always)]
pub(super) fn best_of_steps<N: Lane>(line: &Line<N>) -> Line<N> {
    let mut beside = none_on::<N>(FILE_H);
    for (beside, &right) in beside.iter_mut().zip(&line[1..]) {
        *beside = right.max(*beside);
    }
    beside[63] = N::NONE;
    let mut left = none_on::<N>(FILE_A);
    for (left, &number) in left[1..].iter_mut().zip(line) {
        *left = number.max(*left);
    }
    left[0] = N::NONE;
    for (beside, &left) in beside.iter_mut().zip(&left) {
        *beside = left.min(*beside);
    }
    let mut row = *line;
    for (row, &beside) in row.iter_mut().zip(&beside) {
        *row = beside.min(*row);
    }
    let mut best = beside;
    for (best, &above) in best.iter_mut().zip(&row[8..]) {
        *best = above.min(*best);
    }
    for (best, &below) in best[8..].iter_mut().zip(&row) {
        *best = below.min(*best);
    }
    best
}

/// [`Lane::turned`] for bytes, with a rank as one number. Square s of the new line is the square of
/// the old one to which s is mirrored, flipped and then transposed: so the old line is transposed
/// first.
#[inline(always)]
fn bytes_turned(line: &Line<u8>, symmetry: Symmetry) -> Line<u8> {
    if let Some(turned) = simd::permuted(line, symmetry.squares()) {
        return turned;
    }
    let mut ranks = [0; 8];
    for (rank, bytes) in ranks.iter_mut().zip(line.as_chunks::<8>().0) {
        *rank = u64::from_le_bytes(*bytes);
    }
    if symmetry.transposes() {
        transpose_bytes(&mut ranks);
    }
    if symmetry.flips() {
        ranks.reverse();
    }
    if symmetry.mirrors() {
        ranks = ranks.map(u64::swap_bytes);
    }
    let mut turned = [0; 64];
    for (bytes, rank) in turned.as_chunks_mut::<8>().0.iter_mut().zip(ranks) {
        *bytes = rank.to_le_bytes();
    }
    turned
}

/// [`Lane::turned`] for words, by their halves: that is quicker than to look for each of them.
#[inline(always)]
fn words_turned(line: &Line<u16>, symmetry: Symmetry) -> Line<u16> {
    if let Some(turned) = simd::permuted_words(line, symmetry.squares()) {
        return turned;
    }
    let low = bytes_turned(&line.map(|word| word as u8), symmetry);
    let high = bytes_turned(&line.map(|word| (word >> 8) as u8), symmetry);
    std::array::from_fn(|square| u16::from_le_bytes([low[square], high[square]]))
}

/// The same for keys.
#[inline(always)]
fn keys_turned(line: &Line<i16>, symmetry: Symmetry) -> Line<i16> {
    words_turned(&line.map(i16::cast_unsigned), symmetry).map(u16::cast_signed)
}

/// [`Lane::exchange`], number by number.
#[inline(always)]
fn exchange_each<N: Copy>(rows: &[Line<N>; 64], columns: &mut [Line<N>; 64]) {
    for (at, row) in rows.iter().enumerate() {
        for (column, &number) in columns.iter_mut().zip(row) {
            column[at] = number;
        }
    }
}

/// [`take_best`] of a line turned by a symmetry.
#[inline(always)]
pub(super) fn take_best_turned<N: Lane>(
    best: &mut Line<N>,
    line: &Line<N>,
    symmetry: Symmetry,
    except: u64,
) {
    if symmetry.is_identity() {
        take_best(best, line, except);
    } else {
        take_best(best, &N::turned(line, symmetry), except);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::chess::rules::{Square, attacks};
    use crate::metric::{Dtz, DtzRange};

    #[test]
    fn keys_follow_the_definition_of_distances() {
        for plies in 1..=600 {
            for (result, sign) in [(0, -1), (4, 1)] {
                let key = key::of(result, plies);
                let dtz = Dtz(sign * i32::from(plies));
                assert_eq!(usize::from(key::result(key)), dtz.wdl().index());
                assert_eq!(key::shortest(key), plies);
                let before = dtz.before_quiet_move();
                let key = key::before_quiet_move(key);
                assert_eq!(usize::from(key::result(key)), before.wdl().index());
                assert_eq!(i32::from(key::shortest(key)), before.0.abs());
            }
        }
        for reached in Wdl::ALL {
            let key = key::before_quiet_move(key::reached_by_zeroing(reached.index() as u8));
            let expected = (-reached).dtz_of_zeroing_move();
            assert_eq!(usize::from(key::result(key)), (-reached).index());
            assert_eq!(i32::from(key::shortest(key)), expected.0.abs());
        }
        assert_eq!(key::reached_by_zeroing(ILLEGAL), i16::NONE);
    }

    #[test]
    fn results_of_a_line_of_keys_are_those_of_its_keys() {
        let edges = [0, 1, 2, 199, 200, 201, 202, 8191].map(|plies| 2 * plies);
        let keys: Vec<i16> = edges
            .into_iter()
            .flat_map(|from_won| [0, -1, 1].map(|near| 16_384 - from_won + near))
            .flat_map(|key| [key, -key])
            .chain([0, i16::MAX, i16::MIN])
            .collect();
        for line in keys
            .windows(3)
            .map(|some| -> Line<i16> { std::array::from_fn(|square| some[square % 3]) })
        {
            let sets = key::results(&line);
            for (square, key) in line.into_iter().enumerate() {
                let expected: [bool; 5] =
                    std::array::from_fn(|result| usize::from(key::result(key)) == result);
                assert_eq!(sets.map(|set| set >> square & 1 != 0), expected, "{key}");
            }
        }
    }

    #[test]
    fn sets_of_squares_are_those_of_their_numbers() {
        fn check<N: Lane + Debug>(random: &mut fastrand::Rng, number: fn(u16) -> N) {
            let mut line =
                || -> Line<N> { std::array::from_fn(|_| number(random.u16(..4) * 0x5555)) };
            let (line, other) = (line(), line());
            let set_of = |is_in: &dyn Fn(usize) -> bool| {
                (0..64).fold(0, |set, square| set | u64::from(is_in(square)) << square)
            };
            assert_eq!(N::same(&line, &other), set_of(&|at| line[at] == other[at]));
            for bound in other {
                assert_eq!(N::above(&line, bound), set_of(&|at| line[at] > bound));
            }
        }
        let mut random = fastrand::Rng::with_seed(9);
        for _ in 0..100 {
            check(&mut random, |number| number as u8);
            check(&mut random, |number| number);
            check(&mut random, u16::cast_signed);
        }
    }

    #[test]
    fn the_smaller_number_is_kept_but_on_some_squares() {
        fn check<N: Lane + Debug>(random: &mut fastrand::Rng, number: fn(u16) -> N) {
            let mut line = || -> Line<N> { std::array::from_fn(|_| number(random.u16(..))) };
            let (best, other) = (line(), line());
            let except = random.u64(..) & random.u64(..) & random.u64(..);
            for except in [0, except, !except, u64::MAX] {
                let expected: Line<N> = std::array::from_fn(|square| match except >> square & 1 {
                    0 => best[square].min(other[square]),
                    _ => best[square],
                });
                let mut taken = best;
                take_best(&mut taken, &other, except);
                assert_eq!(taken, expected);
                let mut taken = best;
                take_best_without(&mut taken, &other, &none_on(except));
                assert_eq!(taken, expected);
            }
        }
        let mut random = fastrand::Rng::with_seed(6);
        for _ in 0..100 {
            check(&mut random, |number| number as u8);
            check(&mut random, |number| number);
            check(&mut random, u16::cast_signed);
        }
    }

    /// Ranges of one distance or of two neighbours of the same sign.
    fn ranges() -> Vec<DtzRange> {
        let with_next = |sign: i32, plies: i32, longer: i32| DtzRange {
            shortest: Dtz(sign * plies),
            longest: Dtz(sign * (plies + longer)),
        };
        let all = (1..=4).flat_map(|plies| (0..=1).map(move |longer| (plies, longer)));
        [-1, 1]
            .into_iter()
            .flat_map(|sign| {
                all.clone()
                    .map(move |(plies, longer)| with_next(sign, plies, longer))
            })
            .collect()
    }

    fn distances(range: DtzRange) -> Vec<i32> {
        let (a, b) = (range.shortest.0, range.longest.0);
        (a.min(b)..=a.max(b)).collect()
    }

    fn key_of(range: DtzRange) -> i16 {
        key::of_range(range).unwrap()
    }

    #[test]
    fn keys_are_ranges() {
        for range in ranges() {
            let key = key_of(range);
            assert_eq!(
                key_of(range.before_quiet_move()),
                key::before_quiet_move(key)
            );
            assert_eq!(i32::from(key::shortest(key)), range.shortest.0.abs());
            assert_eq!(i32::from(key::longest(key)), range.longest.0.abs());
            for other in ranges() {
                let common: Vec<i32> = distances(range)
                    .into_iter()
                    .filter(|distance| distances(other).contains(distance))
                    .collect();
                assert_eq!(key::meet(key, key_of(other)), !common.is_empty());
                let expected = match (common.iter().min(), common.iter().max()) {
                    (Some(&min), Some(&max)) => key_of(DtzRange {
                        shortest: Dtz(if min > 0 { min } else { max }),
                        longest: Dtz(if min > 0 { max } else { min }),
                    }),
                    _ => key,
                };
                assert_eq!(
                    key::common(key, key_of(other)),
                    expected,
                    "{range:?} {other:?}"
                );
                // The least of both, end by end: of wins the farthest, of losses the nearest.
                let key_of_plies = |plies: i32| key_of(Dtz(plies).into());
                let ends = |range| {
                    let keys: Vec<i16> = distances(range).into_iter().map(key_of_plies).collect();
                    [*keys.iter().min().unwrap(), *keys.iter().max().unwrap()]
                };
                let [a, b] = [ends(range), ends(other)];
                let least = a[0].min(b[0]) / 2 + a[1].min(b[1]) / 2;
                assert_eq!(key.min(key_of(other)), least);
            }
        }
        let far = |plies| key::of_range(Dtz(plies).into());
        assert_eq!((far(8191), far(-8191)), (Some(2), Some(-2)));
        assert_eq!((far(8192), far(-9000)), (None, None));
        assert_eq!(key::of(4, u16::MAX), 2);
    }

    #[test]
    fn lines_are_turned_as_squares_are() {
        let line: Line<u8> = std::array::from_fn(|square| square as u8 * 3);
        for symmetry in (0..Symmetry::COUNT).map(Symmetry::from_index) {
            let turned = u8::turned(&line, symmetry);
            let expected = |square: usize| line[usize::from(symmetry.map(square as u8))];
            assert_eq!(turned, std::array::from_fn(expected), "{symmetry:?}");
            // Both bytes of a word go with it.
            let words = u16::turned(&line.map(|byte| u16::from(byte) * 259), symmetry);
            assert_eq!(words, turned.map(|byte| u16::from(byte) * 259));
            let keys = i16::turned(&line.map(|byte| 9_000 - i16::from(byte) * 99), symmetry);
            assert_eq!(keys, turned.map(|byte| 9_000 - i16::from(byte) * 99));
        }
    }

    #[test]
    fn steps_are_those_of_a_king() {
        let line: Line<i16> = std::array::from_fn(|square| (square * 37 % 64) as i16 - 20);
        let best = best_of_steps(&line);
        for square in 0..64 {
            let steps = attacks::king(Square::wrapping(square));
            let expected = (0..64)
                .filter(|&to| steps >> to & 1 != 0)
                .map(|to| line[to])
                .min();
            assert_eq!(Some(best[square as usize]), expected);
        }
    }

    #[test]
    fn exceptions_keep_what_was_best() {
        let set = 0x8000_1234_0000_0001;
        let mut best = [7u8; 64];
        take_best(&mut best, &[3; 64], set);
        for (square, best) in best.iter().enumerate() {
            assert_eq!(*best, if set >> square & 1 != 0 { 7 } else { 3 });
        }
    }
}
