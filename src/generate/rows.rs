//! What may stand at consecutive indices of a file.
//!
//! Many numbers are free, because a prober never asks for them or finds something better before it does:
//!
//! | metric | number | free |
//! |---|---|---|
//! | WDL | [`Wdl::index`](crate::metric::Wdl::index) | illegal; won by a conversion; bounded as below |
//! | DTZ | plies without sign | illegal; drawn; won by a zeroing move |
//! | DTM | full moves: `2n + 1` plies for a win, `2n` for a loss | illegal; drawn; bounded as below |
//!
//! Where a conversion, a capture or promotion, reaches the true value, whatever is not better for the
//! mover than that is free.
//!
//! The solver knows that for words over the black king's square, files have another order. So a slice is turned in
//! squares of 64 black kings by 64 indices, which are read and written a cache line at a time.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::addressing::{Addressing, FileOrder};
use crate::chess::solve::solved::SideValues;
use crate::metric::{MateScore, Metric, Wdl};
use crate::parallel;
use crate::retro::layer::large_set;
use crate::retro::lines::line_at;
use crate::retro::score::{Score, Scores};
use crate::simd::{Kernel, Width};
use crate::table::Plane;
use crate::transpose::{transpose_lines, transpose_words};

/// The most sets that say what may stand at an index: one for each result.
pub(super) const MAX_SETS: usize = 5;

/// What a stream's numbers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Results; those that occur, in increasing order.
    Results(Vec<u8>),
    /// Distances to zeroing, or one of their bytes.
    ToZeroing(Plane),
    /// Distances to mate.
    ToMate,
    /// A byte of distances to mate of which some do not fit into one.
    LongToMate(Plane),
}

impl Numbers {
    /// The numbers of a metric, of which these occur.
    pub fn new(
        metric: Metric,
        plane: Plane,
        has_high_bytes: bool,
        present: &[bool; 256],
    ) -> Numbers {
        match metric {
            Metric::Wdl => Numbers::Results(
                (0..Wdl::ALL.len() as u8)
                    .filter(|&result| present[usize::from(result)])
                    .collect(),
            ),
            Metric::Dtz => Numbers::ToZeroing(plane),
            Metric::Dtm if has_high_bytes => Numbers::LongToMate(plane),
            Metric::Dtm => Numbers::ToMate,
        }
    }

    /// How many sets say what may stand at an index.
    pub fn sets(&self) -> usize {
        match self {
            Numbers::Results(present) => present.len(),
            Numbers::ToZeroing(_) | Numbers::LongToMate(_) => 1,
            Numbers::ToMate => 2,
        }
    }

    /// Which metric they are of.
    pub fn metric(&self) -> Metric {
        match self {
            Numbers::Results(_) => Metric::Wdl,
            Numbers::ToZeroing(_) => Metric::Dtz,
            Numbers::ToMate | Numbers::LongToMate(_) => Metric::Dtm,
        }
    }

    /// Whether there is a byte for each index beside the sets.
    pub fn has_bytes(&self) -> bool {
        !matches!(self, Numbers::Results(_))
    }

    /// The sets of a word of the solver. `held` are the positions that files hold.
    ///
    /// Results: for each that occurs, where it may stand. Distances: where one is asked for; to mate also, where any
    /// that is not better may stand.
    #[inline(always)]
    pub fn sets_at(&self, values: &SideValues, address: usize, held: u64) -> [u64; MAX_SETS] {
        match self {
            Numbers::Results(present) => {
                let mut sets = [0; MAX_SETS];
                let all = results_at(values, address, held);
                for (set, &result) in sets.iter_mut().zip(present) {
                    *set = all[usize::from(result)];
                }
                sets
            }
            Numbers::ToZeroing(_) => {
                let asked = values.decided_at(address) & !values.own.won_by_zeroing[address] & held;
                [asked, 0, 0, 0, 0]
            }
            // Any that is not better might stand in many places, but then both bytes would have to agree which.
            Numbers::LongToMate(_) => [values.decided_at(address) & held, 0, 0, 0, 0],
            Numbers::ToMate => {
                let asked = values.decided_at(address) & held;
                [asked, values.own.dtm_by_conversion[address], 0, 0, 0]
            }
        }
    }

    /// For each word of a slice what [`sets_at`](Self::sets_at) says: in one place, since what they are made from is
    /// read from many.
    pub fn sets_of_slice(&self, values: &SideValues, addressing: &Addressing) -> Vec<u64> {
        let count = self.sets();
        let mut sets = large_set(addressing.words() * count);
        parallel::each_item(sets.chunks_mut(PART * count), |part, sets| {
            Width::widest().run(SetsOfPart {
                numbers: self,
                values,
                addressing,
                first: part * PART,
                sets,
            });
        });
        sets
    }

    /// The bytes of a word of the solver; none for results.
    #[inline(always)]
    pub fn line(&self, values: &SideValues, address: usize) -> [u8; 64] {
        match self {
            Numbers::Results(_) => [0; 64],
            Numbers::ToZeroing(Plane::Low) => line_at(&values.own.dtz, address),
            Numbers::ToZeroing(Plane::High) if values.own.dtz_high.is_empty() => [0; 64],
            Numbers::ToZeroing(Plane::High) => line_at(&values.own.dtz_high, address),
            Numbers::ToMate => line_at(values.dtm.bytes(), address),
            Numbers::LongToMate(_) if !values.own.mate_moves.is_empty() => {
                line_at(&values.own.mate_moves, address)
            }
            Numbers::LongToMate(plane) => long_mates_of_line(&values.dtm, address, *plane),
        }
    }

    /// The bytes of a slice in the solver's layout, 64 a word; nothing for results.
    pub fn bytes<'a>(&self, values: &'a SideValues) -> Cow<'a, [u8]> {
        match self {
            Numbers::Results(_) => Cow::Borrowed(&[]),
            Numbers::ToZeroing(Plane::Low) => Cow::Borrowed(&values.own.dtz),
            Numbers::ToMate => Cow::Borrowed(values.dtm.bytes()),
            Numbers::ToZeroing(Plane::High) | Numbers::LongToMate(_) => {
                Cow::Owned(self.lines(values))
            }
        }
    }

    fn lines(&self, values: &SideValues) -> Vec<u8> {
        let words = values.decided[Wdl::Win.index()].len();
        (0..words)
            .flat_map(|address| self.line(values, address))
            .collect()
    }

    /// The same bytes, of values that nobody else needs.
    pub fn take_bytes(&self, values: SideValues) -> Vec<u8> {
        match self {
            Numbers::ToZeroing(Plane::Low) => values.own.dtz,
            Numbers::ToMate => values.dtm.into_bytes().unwrap_or_default(),
            _ => self.bytes(&values).into_owned(),
        }
    }
}

/// Words of which a thread finds the sets at a time.
const PART: usize = 1 << 12;

/// The sets of consecutive words.
struct SetsOfPart<'a> {
    numbers: &'a Numbers,
    values: &'a SideValues,
    addressing: &'a Addressing,
    first: usize,
    sets: &'a mut [u64],
}

impl Kernel for SetsOfPart<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match self.numbers.sets() {
            1 => self.find::<1>(),
            2 => self.find::<2>(),
            3 => self.find::<3>(),
            4 => self.find::<4>(),
            _ => self.find::<MAX_SETS>(),
        }
    }
}

impl SetsOfPart<'_> {
    #[inline(always)]
    fn find<const SETS: usize>(self) {
        let sets = self.sets.as_chunks_mut::<SETS>().0;
        for (address, sets) in (self.first..).zip(sets) {
            let held = self.addressing.held(address);
            let all = self.numbers.sets_at(self.values, address, held);
            for (set, found) in sets.iter_mut().zip(all) {
                *set = found;
            }
        }
    }
}

/// A byte of the full moves to mate of a word, as a file has them.
fn long_mates_of_line(scores: &Scores<'_>, address: usize, plane: Plane) -> [u8; 64] {
    let of_number = |number: u16| number.to_le_bytes()[plane as usize];
    u16::line(scores, address).map(|score| of_number(moves_of_long_mate(score)))
}

/// The full moves to mate that a score of two bytes stands for.
fn moves_of_long_mate(score: u16) -> u16 {
    match score.cmp(&<u16 as Score>::DRAW) {
        Ordering::Less => score,
        Ordering::Equal => 0,
        Ordering::Greater => u16::MAX - score,
    }
}

/// A byte of the full moves to mate of all positions, as files have them.
pub(super) fn long_mates(scores: &Scores<'_>, plane: Plane) -> Vec<u8> {
    (0..scores.len() / 64)
        .flat_map(|address| long_mates_of_line(scores, address, plane))
        .collect()
}

/// For each result, where it may stand.
#[inline(always)]
pub(super) fn results_at(values: &SideValues, address: usize, held: u64) -> [u64; MAX_SETS] {
    let free = values.own.wdl_by_conversion[address];
    let mut sets = [0; MAX_SETS];
    let mut drawn = values.legal[address];
    for value in [Wdl::Loss, Wdl::BlessedLoss, Wdl::CursedWin, Wdl::Win] {
        sets[value.index()] = values.decided[value.index()][address];
        drawn &= !sets[value.index()];
    }
    sets[Wdl::Draw.index()] = drawn;
    let anything = !(values.legal[address] & held) | free & sets[Wdl::Win.index()];
    let mut not_better = 0;
    for value in Wdl::ALL.into_iter().rev() {
        let set = &mut sets[value.index()];
        if value != Wdl::Win {
            not_better |= free & *set;
        }
        *set |= not_better | anything;
    }
    sets
}

/// The interval of numbers that may stand where a distance to mate is asked for, given the solver's byte: just the
/// distance, or all that are not better for the side to move.
#[inline(always)]
pub(super) fn moves_to_mate(score: u8, may_be_worse: bool) -> (u8, u8) {
    let is_won = score > MateScore::DRAW.0;
    let moves = if is_won { u8::MAX - score } else { score };
    match (may_be_worse, is_won) {
        (false, _) => (moves, moves),
        (true, true) => (moves, u8::MAX),
        (true, false) => (0, moves),
    }
}

/// What may stand at consecutive indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    /// For each 64 indices a word of each of the sets of [`Numbers::sets_at`].
    pub sets: Vec<u64>,
    /// The solver's bytes; empty for results.
    pub bytes: Vec<u8>,
}

/// Indices that a thread turns at a time, about; the bytes do not depend on it.
const TASK: usize = 1 << 17;

impl Rows {
    /// Nothing is asked for at any of `len` indices.
    pub fn new(numbers: &Numbers, len: usize) -> Rows {
        Rows {
            sets: vec![0; len.div_ceil(64) * numbers.sets()],
            bytes: vec![0; if numbers.has_bytes() { len } else { 0 }],
        }
    }

    /// A whole slice, in the memory of other rows.
    pub fn of_slice(
        numbers: &Numbers,
        values: &SideValues,
        addressing: &Addressing,
        order: &FileOrder,
        mut rows: Rows,
    ) -> Rows {
        let bytes = if numbers.has_bytes() { order.len() } else { 0 };
        rows.sets.clear();
        rows.sets
            .resize(order.len().div_ceil(64) * numbers.sets(), 0);
        // Each of them is written.
        rows.bytes.resize(bytes, 0);
        let count = numbers.sets();
        let sets_of_words = numbers.sets_of_slice(values, addressing);
        let run = order.run;
        // Either many black king's rows of the same faster dimensions, or a part of one.
        let kings = if 64 * run > 4 * TASK && run.is_multiple_of(4) {
            16
        } else {
            64
        };
        let slower = (TASK / (64 * run)).max(1);
        let task_len = if kings == 64 {
            slower * 64 * run
        } else {
            kings * run
        };
        let set_chunks = rows.sets.chunks_mut(task_len / 64 * count);
        let mut byte_chunks = rows.bytes.chunks_mut(task_len);
        let tasks: Vec<(usize, &mut [u64], &mut [u8])> = set_chunks
            .enumerate()
            .map(|(task, sets)| (task, sets, byte_chunks.next().unwrap_or_default()))
            .collect();
        parallel::each_item(tasks, |_, (task, sets, bytes)| {
            let (addresses, kings) = if kings == 64 {
                let rest = &order.addresses[task * slower * run..];
                (&rest[..rest.len().min(slower * run)], 0..64)
            } else {
                let (slower, part) = (task * kings / 64, task * kings % 64);
                (&order.addresses[slower * run..][..run], part..part + kings)
            };
            Width::widest().run(Turn {
                numbers,
                values,
                sets_of_words: &sets_of_words,
                addresses,
                run,
                kings,
                sets,
                bytes,
            });
        });
        rows
    }
}

/// Some words of a slice, to be turned into the order of a file.
struct Turn<'a> {
    numbers: &'a Numbers,
    values: &'a SideValues,
    /// What [`Numbers::sets_of_slice`] says.
    sets_of_words: &'a [u64],
    /// Of each `run` of them the rows of the same black kings follow each other.
    addresses: &'a [u32],
    run: usize,
    kings: Range<usize>,
    sets: &'a mut [u64],
    bytes: &'a mut [u8],
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match self.numbers.sets() {
            1 => self.turn::<1>(),
            2 => self.turn::<2>(),
            3 => self.turn::<3>(),
            4 => self.turn::<4>(),
            _ => self.turn::<MAX_SETS>(),
        }
    }
}

impl Turn<'_> {
    #[inline(always)]
    fn turn<const SETS: usize>(self) {
        let Turn {
            numbers,
            values,
            addresses,
            run,
            kings,
            sets,
            bytes,
            ..
        } = self;
        let sets_of_words = self.sets_of_words.as_chunks::<SETS>().0;
        if run == 1 {
            let out = sets.as_chunks_mut::<SETS>().0;
            for (out, &address) in out.iter_mut().zip(addresses) {
                *out = sets_of_words[address as usize];
            }
            for (out, &address) in bytes.as_chunks_mut::<64>().0.iter_mut().zip(addresses) {
                *out = numbers.line(values, address as usize);
            }
            return;
        }
        let mut words = [[0u64; 64]; SETS];
        let mut lines = [[0u8; 64]; 64];
        let mut columns = [[0u8; 64]; 64];
        for (slower, addresses) in addresses.chunks(run).enumerate() {
            let first_row = slower * kings.len();
            for (tile, addresses) in addresses.chunks(64).enumerate() {
                for (faster, &address) in addresses.iter().enumerate() {
                    let all = &sets_of_words[address as usize];
                    for (words, &set) in words.iter_mut().zip(all) {
                        words[faster] = set;
                    }
                }
                let filled = u64::MAX >> (64 - addresses.len());
                for (number, words) in words.iter_mut().enumerate() {
                    transpose_words(words);
                    let sets = &mut sets[number..];
                    for (row, word) in (first_row..).zip(&words[kings.clone()]) {
                        put_bits(sets, SETS, row * run + tile * 64, word & filled);
                    }
                }
                if bytes.is_empty() {
                    continue;
                }
                for (line, &address) in lines.iter_mut().zip(addresses) {
                    *line = numbers.line(values, address as usize);
                }
                transpose_lines(&lines, &mut columns);
                for (row, column) in (first_row..).zip(&columns[kings.clone()]) {
                    let row = &mut bytes[row * run + tile * 64..][..addresses.len()];
                    match <&mut [u8; 64]>::try_from(&mut *row) {
                        Ok(whole) => *whole = *column,
                        Err(_) => row.copy_from_slice(&column[..addresses.len()]),
                    }
                }
            }
        }
    }
}

/// Adds bits, the lowest of them at place `start`, to every `step`th of some words.
#[inline(always)]
pub(super) fn put_bits(words: &mut [u64], step: usize, start: usize, bits: u64) {
    let (word, shift) = (start / 64, start % 64);
    words[word * step] |= bits << shift;
    if shift != 0 && bits >> (64 - shift) != 0 {
        words[(word + 1) * step] |= bits >> (64 - shift);
    }
}
