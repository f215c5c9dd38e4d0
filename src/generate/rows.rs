//! What may stand at consecutive indices of a file.
//!
//! Many numbers are free, because a prober never asks for them or finds something better before it
//! does:
//!
//! | metric | number | free |
//! |---|---|---|
//! | WDL | [`Wdl::index`](crate::metric::Wdl::index) | illegal; won by a conversion; bounded as below |
//! | DTZ | plies without sign | illegal; drawn; won by a zeroing move |
//! | DTM | full moves: `2n + 1` plies for a win, `2n` for a loss | illegal; drawn; bounded as below |
//!
//! Where a conversion, a capture or promotion, reaches the true value, whatever is not better for
//! the mover than that is free.
//!
//! The solver knows that for words over the black king's square, files have another order, which
//! `turn.rs` brings it into.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::addressing::Addressing;
use crate::chess::solve::solved::SideValues;
use crate::metric::{MateScore, Metric, Wdl};
use crate::parallel;
use crate::retro::layer::large_set;
use crate::retro::lines::line_at;
use crate::retro::score::{Score, Scores};
use crate::simd::{Kernel, Width};
use crate::table::Plane;

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
    /// Results: for each that occurs, where it may stand. Distances: where one is asked for; to
    /// mate also, where any that is not better may stand.
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
            // Any that is not better might stand in many places, but then both bytes would have to
            // agree which.
            Numbers::LongToMate(_) => [values.decided_at(address) & held, 0, 0, 0, 0],
            Numbers::ToMate => {
                let asked = values.decided_at(address) & held;
                [asked, values.own.dtm_by_conversion[address], 0, 0, 0]
            }
        }
    }

    /// For each word of a slice what [`sets_at`](Self::sets_at) says: in one place, since what they
    /// are made from is read from many.
    pub fn sets_of_slice(&self, values: &SideValues, addressing: &Addressing) -> Vec<u64> {
        let count = self.sets();
        let mut sets = large_set(addressing.words() * count);
        parallel::each_item(sets.chunks_mut(PART * count), |part, sets| {
            Width::widest().run(WithSets(SetsOfPart {
                numbers: self,
                values,
                addressing,
                first: part * PART,
                sets,
            }));
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

/// A kernel that is compiled for each number of sets that numbers have.
pub(super) trait BySets {
    type Output;

    /// Which numbers the sets are of.
    fn numbers(&self) -> &Numbers;

    /// Does the work for so many sets; to be implemented with `#[inline(always)]`.
    fn run<const SETS: usize>(self) -> Self::Output;
}

/// The work for as many sets as there are.
pub(super) struct WithSets<T>(pub T);

impl<T: BySets> Kernel for WithSets<T> {
    type Output = T::Output;

    #[inline(always)]
    fn run(self) -> T::Output {
        match self.0.numbers().sets() {
            1 => self.0.run::<1>(),
            2 => self.0.run::<2>(),
            3 => self.0.run::<3>(),
            4 => self.0.run::<4>(),
            _ => self.0.run::<MAX_SETS>(),
        }
    }
}

/// The sets of consecutive words.
struct SetsOfPart<'a> {
    numbers: &'a Numbers,
    values: &'a SideValues,
    addressing: &'a Addressing,
    first: usize,
    sets: &'a mut [u64],
}

impl BySets for SetsOfPart<'_> {
    type Output = ();

    #[inline(always)]
    fn numbers(&self) -> &Numbers {
        self.numbers
    }

    #[inline(always)]
    fn run<const SETS: usize>(self) {
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

/// The interval of numbers that may stand where a distance to mate is asked for, given the solver's
/// byte: just the distance, or all that are not better for the side to move.
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

impl Rows {
    /// Nothing is asked for at any of `len` indices.
    pub fn new(numbers: &Numbers, len: usize) -> Rows {
        Rows {
            sets: vec![0; len.div_ceil(64) * numbers.sets()],
            bytes: vec![0; if numbers.has_bytes() { len } else { 0 }],
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
