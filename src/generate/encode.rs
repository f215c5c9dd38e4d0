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

impl SideValues {
    #[inline(always)]
    fn allowed(&self, metric: Metric, address: usize, bit: u32) -> Allowed {
        let is_in = |set: &[u64]| set[address] >> bit & 1 == 1;
        if !is_in(&self.legal) {
            return Allowed::ANY;
        }
        match metric {
            Metric::Wdl => {
                let value = self.wdl(address, bit).unwrap_or(Wdl::Draw);
                let high = value.index() as u8;
                match is_in(&self.own.wdl_by_conversion) {
                    true if value == Wdl::Win => Allowed::ANY,
                    true => Allowed { low: 0, high },
                    false => Allowed::exactly(high),
                }
            }
            Metric::Dtz => {
                let decided = self.decided.iter().any(|set| !set.is_empty() && is_in(set));
                if !decided || is_in(&self.own.won_by_zeroing) {
                    Allowed::ANY
                } else {
                    Allowed::exactly(self.own.dtz[address * 64 + bit as usize])
                }
            }
            Metric::Dtm => {
                let score = self.dtm[address * 64 + bit as usize];
                let free = is_in(&self.own.dtm_by_conversion);
                if score == MateScore::DRAW.0 {
                    Allowed::ANY
                } else if score > MateScore::DRAW.0 {
                    let low = u8::MAX - score;
                    let high = if free { u8::MAX } else { low };
                    Allowed { low, high }
                } else {
                    let low = if free { 0 } else { score };
                    Allowed { low, high: score }
                }
            }
        }
    }
}

/// What one digit adds to a solver's address.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    address: u32,
    bit: u8,
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

    /// Whether a placement is the second of two mirror images, both kings on the diagonal or the black one above.
    fn is_twin(&self, digits: &[u32; MAX_DIMENSIONS]) -> bool {
        if !self.pawnless || !symmetry::is_on_diagonal(TRIANGLE[digits[1] as usize]) {
            return false;
        }
        let king = digits[2] as u8;
        if !symmetry::is_on_diagonal(king) {
            return king >> 3 > king & 7;
        }
        self.twins
            .iter()
            .zip(&digits[3..])
            .map(|(twins, &digit)| twins[digit as usize])
            .find(|order| order.is_ne())
            .is_some_and(std::cmp::Ordering::is_lt)
    }
}

/// One side of one metric of a solved material, in one order.
#[derive(Debug)]
pub struct SideSource<'a> {
    solved: &'a Solved,
    space: &'a IndexSpace,
    addressing: &'a Addressing,
    order: Order,
    side: usize,
    metric: Metric,
    present: [bool; 256],
    /// Stands where nothing is asked for in a whole block.
    filler: u8,
}

impl<'a> SideSource<'a> {
    /// The numbers of one side to move.
    #[must_use]
    pub fn new(
        solved: &'a Solved,
        space: &'a IndexSpace,
        addressing: &'a Addressing,
        order: Order,
        side: usize,
        metric: Metric,
    ) -> SideSource<'a> {
        let mut present = numbers_present(solved, side, metric);
        let filler = present.iter().position(|&is| is).unwrap_or(0);
        present[filler] = true;
        SideSource {
            solved,
            space,
            addressing,
            order,
            side,
            metric,
            present,
            filler: filler as u8,
        }
    }

    /// The same numbers in another order.
    #[must_use]
    pub fn in_order(&self, order: Order) -> SideSource<'a> {
        SideSource { order, ..*self }
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
            // A pawn placement may itself be the fastest dimension of a material without pieces.
            if let Some(slices) = self.solved.slices[digits[0] as usize].get() {
                let values = &slices[self.side];
                for digit in first..end {
                    digits[fastest] = digit;
                    let part = self.addressing.parts[fastest][digit as usize];
                    let allowed = if self.addressing.is_twin(&digits) {
                        Allowed::ANY
                    } else {
                        let address = (base.address + part.address) as usize;
                        let bit = u32::from(base.bit + part.bit);
                        values.allowed(self.metric, address, bit)
                    };
                    visit(done, allowed);
                    done += 1;
                }
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

/// Every number that [`SideSource`] may have to write.
fn numbers_present(solved: &Solved, side: usize, metric: Metric) -> [bool; 256] {
    let mut present = [false; 256];
    for slice in solved.slices.iter().filter_map(|slice| slice.get()) {
        let values = &slice[side];
        for address in 0..values.legal.len() {
            let mut rest = values.legal[address];
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                if let Some(number) = values.allowed(metric, address, bit).true_number() {
                    present[usize::from(number)] = true;
                }
            }
        }
    }
    present
}
