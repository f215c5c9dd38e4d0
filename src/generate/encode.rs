//! Solved values as the numbers a table file holds, in the order of its indices.
//!
//! Many numbers are free, because a prober never asks for them or finds something better before it does:
//!
//! | metric | number | free |
//! |---|---|---|
//! | WDL | [`Wdl::index`](crate::metric::Wdl::index) | illegal; won by a capture or promotion. Not better than the true value where a capture or promotion reaches that |
//! | DTZ | plies without sign | illegal; drawn; won by a zeroing move |
//! | DTM | full moves: `2n + 1` plies for a win, `2n` for a loss | illegal; drawn. Not better for the mover than the true value where a capture or promotion reaches that |
//!
//! A free number is an interval of allowed ones. Going through the indices in order, the interval of a run is cut
//! by that of each next index while something is left: that gives the fewest runs possible.

use std::sync::Arc;

use rayon::prelude::*;

use crate::game::Bits;
use crate::index::{IndexSpace, MAX_DIMENSIONS, Order};
use crate::metric::{MateScore, Metric, Wdl};
use crate::placement::unrank_combination;
use crate::solve::solved::{SideValues, Solved};
use crate::symmetry::{self, TRIANGLE, transpose};
use crate::table::ValueSource;

/// The numbers that may stand at an index: an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Allowed {
    low: u8,
    high: u8,
}

impl Allowed {
    const ANY: Allowed = Allowed {
        low: 0,
        high: u8::MAX,
    };

    const fn exactly(number: u8) -> Allowed {
        Allowed {
            low: number,
            high: number,
        }
    }

    #[inline(always)]
    fn and(self, other: Allowed) -> Allowed {
        Allowed {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }

    #[inline(always)]
    const fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// The bound that is the true number of a position, if any is.
    #[inline(always)]
    const fn true_number(self) -> Option<u8> {
        match self {
            Allowed::ANY => None,
            Allowed { low, high: u8::MAX } => Some(low),
            Allowed { high, .. } => Some(high),
        }
    }
}

/// What may stand at every position of one side of a slice, in the solver's layout, and which true numbers occur.
struct AllowedInSlice {
    allowed: Vec<Allowed>,
    present: [bool; 256],
}

impl AllowedInSlice {
    fn new(values: &SideValues, metric: Metric) -> AllowedInSlice {
        let words = values.legal.len();
        let mut slice = AllowedInSlice {
            allowed: vec![Allowed::ANY; words * 64],
            present: [false; 256],
        };
        for address in 0..words {
            match metric {
                Metric::Wdl => slice.allow_results(values, address),
                Metric::Dtz => slice.allow_distances_to_zeroing(values, address),
                Metric::Dtm => slice.allow_distances_to_mate(values, address),
            }
        }
        slice
    }

    /// Allows an interval, one end of which is the true number, at some positions of a word.
    #[inline(always)]
    fn allow(&mut self, address: usize, positions: u64, true_number: u8, allowed: Allowed) {
        if positions != 0 {
            self.present[usize::from(true_number)] = true;
        }
        let line = &mut self.allowed[address * 64..(address + 1) * 64];
        for bit in positions.ones() {
            line[bit as usize] = allowed;
        }
    }

    fn allow_results(&mut self, values: &SideValues, address: usize) {
        let free = values.own.wdl_by_conversion[address];
        let mut drawn = values.legal[address];
        for value in [
            Wdl::Loss,
            Wdl::BlessedLoss,
            Wdl::CursedWin,
            Wdl::Win,
            Wdl::Draw,
        ] {
            let set = match value {
                Wdl::Draw => drawn,
                value => values.decided[value.index()][address],
            };
            drawn &= !set;
            let high = value.index() as u8;
            self.allow(address, set & !free, high, Allowed::exactly(high));
            if value != Wdl::Win {
                self.allow(address, set & free, high, Allowed { low: 0, high });
            }
        }
    }

    fn allow_distances_to_zeroing(&mut self, values: &SideValues, address: usize) {
        let decided = values.decided_at(address);
        let line = address * 64..(address + 1) * 64;
        let distances = &values.own.dtz[line.clone()];
        let allowed = &mut self.allowed[line];
        for bit in (decided & !values.own.won_by_zeroing[address]).ones() {
            let distance = distances[bit as usize];
            self.present[usize::from(distance)] = true;
            allowed[bit as usize] = Allowed::exactly(distance);
        }
    }

    fn allow_distances_to_mate(&mut self, values: &SideValues, address: usize) {
        let free = values.own.dtm_by_conversion[address];
        let decided = values.decided_at(address);
        let line = address * 64..(address + 1) * 64;
        let scores = &values.dtm[line.clone()];
        let allowed = &mut self.allowed[line];
        for bit in decided.ones() {
            let score = scores[bit as usize];
            let won = score > MateScore::DRAW.0;
            let moves = if won { u8::MAX - score } else { score };
            self.present[usize::from(moves)] = true;
            let not_better = if won {
                Allowed {
                    low: moves,
                    high: u8::MAX,
                }
            } else {
                Allowed {
                    low: 0,
                    high: moves,
                }
            };
            allowed[bit as usize] = if free.contains(bit) {
                not_better
            } else {
                Allowed::exactly(moves)
            };
        }
    }
}

/// What one digit adds to a solver's address.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    address: u32,
    bit: u8,
}

impl Part {
    #[inline(always)]
    const fn position(self) -> usize {
        self.address as usize * 64 + self.bit as usize
    }
}

/// From digits to the place where the solver keeps the value.
#[derive(Debug)]
pub struct Addressing {
    /// For each dimension but the pawns', what each of its digits adds.
    parts: [Vec<Part>; MAX_DIMENSIONS],
    /// Without pawns: for each group, how each of its sets compares with its transposed twin.
    twins: Vec<Vec<std::cmp::Ordering>>,
    pawnless: bool,
}

impl Addressing {
    /// The relation between the indices and the addresses of a material.
    #[must_use]
    pub fn new(space: &IndexSpace) -> Addressing {
        let pawnless = !space.material().has_pawns();
        let pieces: usize = space.groups().iter().map(|group| group.count).sum();
        let mut parts: [Vec<Part>; MAX_DIMENSIONS] = Default::default();
        parts[1] = (0..space.radix(1))
            .map(|digit| Part {
                address: digit << (6 * pieces),
                bit: 0,
            })
            .collect();
        parts[2] = (0..64).map(|bit| Part { address: 0, bit }).collect();
        let mut axis = pieces;
        let mut twins = Vec::new();
        for (number, group) in space.groups().iter().enumerate() {
            let sets = (0..space.radix(3 + number) as usize)
                .map(|rank| unrank_combination(rank, group.count));
            parts[3 + number] = sets
                .clone()
                .map(|mut set| {
                    let mut address = 0;
                    for place in 1..=group.count {
                        address |= set.trailing_zeros() << (6 * (axis - place));
                        set &= set - 1;
                    }
                    Part { address, bit: 0 }
                })
                .collect();
            if pawnless {
                twins.push(sets.map(|set| transpose(set).cmp(&set)).collect());
            }
            axis -= group.count;
        }
        Addressing {
            parts,
            twins,
            pawnless,
        }
    }

    /// Frees the second of two mirror images: the black king above the diagonal, or both kings on it.
    fn free_twins(&self, allowed: &mut [Allowed]) {
        if !self.pawnless {
            return;
        }
        let stride = allowed.len() / TRIANGLE.len();
        for (place, lines) in allowed.chunks_exact_mut(stride).enumerate() {
            if !symmetry::is_on_diagonal(TRIANGLE[place]) {
                continue;
            }
            for line in lines.chunks_exact_mut(64) {
                for king in ABOVE_DIAGONAL.ones() {
                    line[king as usize] = Allowed::ANY;
                }
            }
            self.for_each_twin(0, 0, &mut |address| {
                for king in DIAGONAL.ones() {
                    lines[address * 64 + king as usize] = Allowed::ANY;
                }
            });
        }
    }

    /// Calls `visit` for the contribution to the address of every set of squares of all groups from `group` on that
    /// is the second of two transposed twins.
    fn for_each_twin(&self, group: usize, base: usize, visit: &mut impl FnMut(usize)) {
        let Some(twins) = self.twins.get(group) else {
            return;
        };
        for (part, order) in self.parts[3 + group].iter().zip(twins) {
            let base = base + part.address as usize;
            match order {
                std::cmp::Ordering::Less => self.for_each(group + 1, base, visit),
                std::cmp::Ordering::Equal => self.for_each_twin(group + 1, base, visit),
                std::cmp::Ordering::Greater => {}
            }
        }
    }

    fn for_each(&self, group: usize, base: usize, visit: &mut impl FnMut(usize)) {
        if group == self.twins.len() {
            visit(base);
            return;
        }
        for part in &self.parts[3 + group] {
            self.for_each(group + 1, base + part.address as usize, visit);
        }
    }
}

const DIAGONAL: u64 = 0x8040_2010_0804_0201;
const ABOVE_DIAGONAL: u64 = {
    let mut set = 0;
    let mut square = 0;
    while square < 64 {
        if square >> 3 > square & 7 {
            set |= 1 << square;
        }
        square += 1;
    }
    set
};

/// One side of one metric of a solved material, in one order.
#[derive(Clone, Debug)]
pub struct SideSource<'a> {
    space: &'a IndexSpace,
    addressing: &'a Addressing,
    /// For each slice, what may stand at its positions.
    allowed: Arc<Vec<Vec<Allowed>>>,
    order: Order,
    side: usize,
    present: [bool; 256],
    /// Stands where nothing is asked for in a whole block.
    filler: u8,
}

impl<'a> SideSource<'a> {
    /// The numbers of one side to move.
    #[must_use]
    pub fn new(
        solved: &Solved,
        space: &'a IndexSpace,
        addressing: &'a Addressing,
        order: Order,
        side: usize,
        metric: Metric,
    ) -> SideSource<'a> {
        let slices: Vec<AllowedInSlice> = solved
            .slices
            .par_iter()
            .filter_map(|slice| slice.get())
            .map(|values| {
                let mut slice = AllowedInSlice::new(&values[side], metric);
                addressing.free_twins(&mut slice.allowed);
                slice
            })
            .collect();
        let mut present =
            std::array::from_fn(|number| slices.iter().any(|slice| slice.present[number]));
        let allowed = slices.into_iter().map(|slice| slice.allowed).collect();
        let filler = present.iter().position(|&is| is).unwrap_or(0);
        present[filler] = true;
        SideSource {
            space,
            addressing,
            allowed: Arc::new(allowed),
            order,
            side,
            present,
            filler: filler as u8,
        }
    }

    /// The same numbers in another order.
    #[must_use]
    pub fn in_order(&self, order: Order) -> SideSource<'a> {
        SideSource {
            order,
            ..self.clone()
        }
    }

    /// The side to move.
    #[must_use]
    pub fn side(&self) -> usize {
        self.side
    }

    /// Which numbers occur.
    #[must_use]
    pub fn present(&self) -> [bool; 256] {
        self.present
    }

    /// The order of the dimensions.
    #[must_use]
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Calls `visit` with what may stand at each of `len` indices from `start` on.
    #[inline(always)]
    fn for_each_allowed(&self, start: u64, len: usize, mut visit: impl FnMut(usize, Allowed)) {
        let dimensions = self.order.dimensions();
        let mut digits = self.order.digits(start);
        let Some((&fastest, slower)) = dimensions.split_last() else {
            return;
        };
        let fastest = usize::from(fastest);
        let radix = self.space.radix(fastest);
        let mut done = 0;
        while done < len {
            let first = digits[fastest];
            let end = radix.min(first + (len - done) as u32);
            let mut base = Part::default();
            for &dimension in slower.iter().filter(|&&dimension| dimension != 0) {
                let part = self.addressing.parts[usize::from(dimension)]
                    [digits[usize::from(dimension)] as usize];
                base.address += part.address;
                base.bit += part.bit;
            }
            let allowed = &self.allowed[digits[0] as usize];
            let base = base.position();
            for part in &self.addressing.parts[fastest][first as usize..end as usize] {
                visit(done, allowed[base + part.position()]);
                done += 1;
            }
            digits[fastest] = 0;
            for &dimension in slower.iter().rev() {
                let digit = &mut digits[usize::from(dimension)];
                *digit += 1;
                if *digit < self.space.radix(usize::from(dimension)) {
                    break;
                }
                *digit = 0;
            }
        }
    }
}

impl ValueSource for SideSource<'_> {
    fn fill(&self, start: u64, out: &mut [u8]) {
        let mut run = 0;
        let mut allowed_in_run = Allowed::ANY;
        let len = out.len();
        self.for_each_allowed(start, len, |at, allowed| {
            let both = allowed_in_run.and(allowed);
            if both.is_empty() {
                out[run..at].fill(allowed_in_run.true_number().unwrap_or(self.filler));
                run = at;
                allowed_in_run = allowed;
            } else {
                allowed_in_run = both;
            }
        });
        out[run..].fill(allowed_in_run.true_number().unwrap_or(self.filler));
    }
}
