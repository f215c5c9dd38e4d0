//! Solved values in the order of a file.
//!
//! A small stream has its dimensions in the natural order, whatever they are: a few blocks more or
//! less save nobody anything, and nobody has to look at a sample that is most of the table. In a
//! large one an order is chosen by sample, as in chess.

use crate::game::Bits;
use crate::generate::choose::Ordered;
use crate::metric::{MateScore, Wdl};
use crate::table::ValueSource;
use crate::xiangqi::rules::mirror;
use crate::xiangqi::solve::SideValues;
use crate::xiangqi::solve::space::Space;
use crate::xiangqi::{IndexSpace, MAX_DIMENSIONS, Metric};

/// Where the position of each index stands among the solved ones.
#[derive(Debug)]
pub(super) struct Numbers<'a> {
    space: &'a Space,
    /// The camps that count, by color.
    camps: [Vec<u64>; 2],
    /// For each group of attackers and each of its values what it adds to the number of a position:
    /// as it stands, and mirrored.
    groups: Vec<Vec<[usize; 2]>>,
    len: usize,
}

impl<'a> Numbers<'a> {
    pub fn new(index: &IndexSpace, space: &'a Space) -> Numbers<'a> {
        let groups = (index.groups().iter().enumerate())
            .map(|(number, group)| {
                let values = index.values(2 + number).into_iter();
                values
                    .map(|value| {
                        let men = index.men(group, value);
                        [men, mirror(men)]
                            .map(|men| space.contribution((group.color, group.role), men))
                    })
                    .collect()
            })
            .collect();
        Numbers {
            space,
            camps: [index.values(0), index.values(1)],
            groups,
            len: index.len() as usize,
        }
    }

    fn dimensions(&self) -> usize {
        2 + self.groups.len()
    }

    fn radix(&self, dimension: usize) -> usize {
        match dimension {
            0 | 1 => self.camps[dimension].len(),
            _ => self.groups[dimension - 2].len(),
        }
    }

    fn words_of_camps(&self, digits: &[usize; MAX_DIMENSIONS]) -> (usize, bool) {
        let camps = [0, 1].map(|color| self.camps[color][digits[color]] as u32);
        self.space.words_of_camps(camps)
    }

    fn is_mirrored(&self, digits: &[usize; MAX_DIMENSIONS]) -> usize {
        usize::from(self.words_of_camps(digits).1)
    }

    /// The number of the position with these digits.
    fn at(&self, digits: &[usize; MAX_DIMENSIONS]) -> usize {
        let (word, mirrored) = self.words_of_camps(digits);
        let groups = self.groups.iter().zip(&digits[2..]);
        let men = groups.map(|(group, &digit)| group[digit][usize::from(mirrored)]);
        word * 128 + men.sum::<usize>()
    }

    /// Calls `visit` with the number of each position, address times 128 plus bit, in the order of
    /// the index.
    fn for_each(&self, mut visit: impl FnMut(usize)) {
        for &red in &self.camps[0] {
            for &black in &self.camps[1] {
                let (word, mirrored) = self.space.words_of_camps([red as u32, black as u32]);
                visit_groups(&self.groups, usize::from(mirrored), word * 128, &mut visit);
            }
        }
    }

    /// The numbers of a table in the natural order. Where there is no position, the number before
    /// it is repeated.
    pub fn of(&self, side: &SideValues, metric: Metric) -> Vec<u8> {
        let mut values = Vec::with_capacity(self.len);
        let mut last = filler(metric);
        self.for_each(|at| {
            last = number(side, metric, at).unwrap_or(last);
            values.push(last);
        });
        values
    }
}

/// Stands before the first number that is asked for.
fn filler(metric: Metric) -> u8 {
    match metric {
        Metric::Wdl => Wdl::Draw.index() as u8,
        Metric::Dtm => MateScore::DRAW.0,
        Metric::Dtc | Metric::Rounds => 0,
    }
}

/// The number of a position; nothing if nobody asks for it, because it is not legal or the distance
/// of a draw.
#[inline(always)]
fn number(side: &SideValues, metric: Metric, at: usize) -> Option<u8> {
    let (address, bit) = (at / 128, at as u32 % 128);
    if !side.legal[address].contains(bit) {
        return None;
    }
    let is_won = side.won[address].contains(bit);
    let is_lost = side.lost[address].contains(bit);
    match metric {
        Metric::Wdl if is_won => Some(Wdl::Win.index() as u8),
        Metric::Wdl if is_lost => Some(Wdl::Loss.index() as u8),
        Metric::Wdl => Some(Wdl::Draw.index() as u8),
        Metric::Dtc => (is_won || is_lost).then(|| side.dtc[at]),
        Metric::Dtm => Some(side.dtm[at]),
        Metric::Rounds => Some(side.rounds.get(at).copied().unwrap_or(0)),
    }
}

/// The order of the dimensions of a stream, the slowest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dimensions {
    numbers: [u8; MAX_DIMENSIONS],
    count: usize,
}

impl Dimensions {
    fn slowest_first(&self) -> &[u8] {
        &self.numbers[..self.count]
    }

    pub fn is_natural(&self) -> bool {
        self.slowest_first().is_sorted()
    }
}

/// The numbers of one side to move, in whatever order.
pub(super) struct Side<'a> {
    pub numbers: &'a Numbers<'a>,
    pub values: &'a SideValues,
    pub metric: Metric,
    /// Which side is to move.
    pub number: u8,
    /// Which numbers occur.
    pub present: [bool; 256],
}

impl Side<'_> {
    /// The camps, then the groups.
    pub fn natural_order(&self) -> Dimensions {
        Dimensions {
            numbers: std::array::from_fn(|number| number as u8),
            count: self.numbers.dimensions(),
        }
    }
}

impl Ordered for Side<'_> {
    type Order = Dimensions;
    type Slices<'a>
        = &'a Self
    where
        Self: 'a;

    fn number(&self) -> u8 {
        self.number
    }

    fn present(&self) -> [bool; 256] {
        self.present
    }

    fn len(&self) -> u64 {
        self.numbers.len as u64
    }

    fn slices(&self) -> u64 {
        1
    }

    fn orders(&self) -> Vec<Dimensions> {
        let mut orders = Vec::new();
        permute(self.natural_order(), 0, &mut orders);
        orders
    }

    fn dimensions(order: &Dimensions) -> &[u8] {
        order.slowest_first()
    }

    fn radix(&self, dimension: u8) -> u64 {
        self.numbers.radix(dimension.into()) as u64
    }

    fn sampled(&self, _: &[usize]) -> &Self {
        self
    }

    fn source<'s, 'a: 's>(side: &'s &'a Self, order: &Dimensions) -> impl ValueSource + 's
    where
        Self: 'a,
    {
        InOrder {
            side,
            order: *order,
        }
    }
}

/// Adds every order that begins with the first few dimensions of one.
fn permute(order: Dimensions, fixed: usize, orders: &mut Vec<Dimensions>) {
    if fixed == order.count {
        orders.push(order);
    }
    for next in fixed..order.count {
        let mut order = order;
        order.numbers.swap(fixed, next);
        permute(order, fixed + 1, orders);
    }
}

/// The numbers of one side to move in one order.
pub(super) struct InOrder<'a> {
    pub side: &'a Side<'a>,
    pub order: Dimensions,
}

impl InOrder<'_> {
    /// Calls `visit` with the number of each of `len` positions from a place of the stream on.
    fn for_each(&self, start: u64, len: usize, mut visit: impl FnMut(usize)) {
        let numbers = self.side.numbers;
        let Some((&fastest, slower)) = self.order.slowest_first().split_last() else {
            return;
        };
        let fastest = usize::from(fastest);
        let mut digits = [0; MAX_DIMENSIONS];
        let mut rest = start;
        for &dimension in self.order.slowest_first().iter().rev() {
            let radix = numbers.radix(dimension.into()) as u64;
            digits[usize::from(dimension)] = (rest % radix) as usize;
            rest /= radix;
        }
        let radix = numbers.radix(fastest);
        let mut left = len;
        while left > 0 {
            let first = digits[fastest];
            let end = radix.min(first + left);
            left -= end - first;
            match fastest {
                0 | 1 => {
                    for digit in first..end {
                        digits[fastest] = digit;
                        visit(numbers.at(&digits));
                    }
                }
                _ => {
                    digits[fastest] = 0;
                    let mirrored = numbers.is_mirrored(&digits);
                    let group = &numbers.groups[fastest - 2];
                    let rest = numbers.at(&digits) - group[0][mirrored];
                    for value in &group[first..end] {
                        visit(rest + value[mirrored]);
                    }
                }
            }
            digits[fastest] = 0;
            for &dimension in slower.iter().rev() {
                let dimension = usize::from(dimension);
                digits[dimension] += 1;
                if digits[dimension] < numbers.radix(dimension) {
                    break;
                }
                digits[dimension] = 0;
            }
        }
    }
}

/// Where there is no position the number before it is repeated, and at the beginning of what is
/// asked for that after it.
impl ValueSource for InOrder<'_> {
    fn fill(&self, start: u64, out: &mut [u8]) {
        let Side { values, metric, .. } = *self.side;
        let mut last = None;
        let mut done = 0;
        self.for_each(start, out.len(), |at| {
            if let Some(number) = number(values, metric, at) {
                if last.is_none() {
                    out[..done].fill(number);
                }
                last = Some(number);
            }
            out[done] = last.unwrap_or(0);
            done += 1;
        });
        if last.is_none() {
            let present = self.side.present.iter().position(|&is| is);
            out.fill(present.unwrap_or(0) as u8);
        }
    }
}

fn visit_groups(
    groups: &[Vec<[usize; 2]>],
    mirrored: usize,
    number: usize,
    visit: &mut impl FnMut(usize),
) {
    match groups {
        [] => visit(number),
        [group] => {
            for value in group {
                visit(number + value[mirrored]);
            }
        }
        [group, rest @ ..] => {
            for value in group {
                visit_groups(rest, mirrored, number + value[mirrored], visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::generate::choose::Ordered;
    use crate::xiangqi::solve::{SolveOptions, Watch, solve};
    use crate::xiangqi::{Material, Order, Rules};

    #[test]
    fn in_every_order_each_position_has_its_number() {
        let cancel = AtomicBool::new(false);
        let options = SolveOptions {
            rules: Rules::CyclesDraw,
            mates: true,
            watch: Watch::new(&cancel),
        };
        let mut targets = HashMap::new();
        for signature in ["KPvK", "KPPvK"] {
            let material: Material = signature.parse().unwrap();
            let solved = solve(material, &targets, options).unwrap();
            let index = IndexSpace::new(material).unwrap();
            let numbers = Numbers::new(&index, &solved.space);
            for metric in [Metric::Wdl, Metric::Dtc, Metric::Dtm] {
                let side = Side {
                    numbers: &numbers,
                    values: &solved.sides[0],
                    metric,
                    number: 0,
                    present: [true; 256],
                };
                let natural = numbers.of(side.values, metric);
                for order in side.orders() {
                    let mut stream = vec![0; natural.len()];
                    let source = InOrder { side: &side, order };
                    for (block, out) in stream.chunks_mut(1000).enumerate() {
                        source.fill(1000 * block as u64, out);
                    }
                    let bytes = side.stream(&order, &source).order;
                    let place = Order::new(&index, &bytes).unwrap();
                    let mut at = 0;
                    numbers.for_each(|position| {
                        let found = stream[place.place(at) as usize];
                        let expected = number(side.values, metric, position);
                        assert!(expected.is_none_or(|expected| expected == found));
                        at += 1;
                    });
                }
            }
            targets.insert(material, Arc::new(solved));
        }
    }
}
