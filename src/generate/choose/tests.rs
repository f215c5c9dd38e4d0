use super::sample::{Blocks, Sample, blocks_of_slice, slices_apart};
use super::*;
use crate::metric::Metric;
use crate::table::{BlockSizes, Compression, ValueSource, WriteOptions};

/// Dimensions of a made-up table.
const DIMENSIONS: usize = 4;

/// A made-up side to move: a number for each index in the natural order.
struct Made {
    radices: [u64; DIMENSIONS],
    numbers: Vec<u8>,
}

impl Made {
    /// With a number for all digits.
    fn new(radices: [u64; DIMENSIONS], number: impl Fn([u64; DIMENSIONS]) -> u8) -> Made {
        let mut made = Made {
            radices,
            numbers: Vec::new(),
        };
        let numbers = (0..made.len()).map(|index| number(made.digits([0, 1, 2, 3], index)));
        made.numbers = numbers.collect();
        made
    }

    fn digits(&self, order: [u8; DIMENSIONS], index: u64) -> [u64; DIMENSIONS] {
        let mut digits = [0; DIMENSIONS];
        let mut rest = index;
        for dimension in order.map(usize::from).into_iter().rev() {
            digits[dimension] = rest % self.radices[dimension];
            rest /= self.radices[dimension];
        }
        digits
    }

    fn index(&self, order: [u8; DIMENSIONS], digits: [u64; DIMENSIONS]) -> u64 {
        let order = order.map(usize::from).into_iter();
        order.fold(0, |index, dimension| {
            index * self.radices[dimension] + digits[dimension]
        })
    }
}

struct InOrder<'a>(&'a Made, [u8; DIMENSIONS]);

impl ValueSource for InOrder<'_> {
    fn fill(&self, start: u64, out: &mut [u8]) {
        let InOrder(made, order) = *self;
        for (index, out) in (start..).zip(out) {
            let natural = made.index([0, 1, 2, 3], made.digits(order, index));
            *out = made.numbers[natural as usize];
        }
    }
}

impl Ordered for Made {
    type Order = [u8; DIMENSIONS];
    type Slices<'a> = &'a Made;

    fn number(&self) -> u8 {
        0
    }

    fn present(&self) -> [bool; 256] {
        std::array::from_fn(|number| self.numbers.contains(&(number as u8)))
    }

    fn len(&self) -> u64 {
        self.radices.iter().product()
    }

    fn slices(&self) -> u64 {
        self.radices[0]
    }

    fn orders(&self) -> Vec<[u8; DIMENSIONS]> {
        let others = [
            [1, 2, 3],
            [1, 3, 2],
            [2, 1, 3],
            [2, 3, 1],
            [3, 1, 2],
            [3, 2, 1],
        ];
        others.map(|[a, b, c]| [0, a, b, c]).to_vec()
    }

    fn dimensions(order: &[u8; DIMENSIONS]) -> &[u8] {
        order
    }

    fn radix(&self, dimension: u8) -> u64 {
        self.radices[usize::from(dimension)]
    }

    fn sampled(&self, _: &[usize]) -> &Made {
        self
    }

    fn source<'s, 'a: 's>(made: &'s &'a Made, order: &[u8; DIMENSIONS]) -> impl ValueSource + 's
    where
        Self: 'a,
    {
        InOrder(made, *order)
    }
}

fn effort(compression: Compression) -> Effort {
    Effort::new(compression, Metric::Dtz, &"KRvK".parse().unwrap())
}

/// Noise that depends on some digits.
fn noise(digits: &[u64]) -> u8 {
    let mixed = digits.iter().fold(1u64, |mixed, digit| {
        (mixed ^ digit)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    });
    (mixed % 61) as u8
}

#[test]
fn the_dimension_that_numbers_depend_on_becomes_the_slowest() {
    for number in [1, 2, 3] {
        let made = Made::new([7, 52, 48, 50], |digits| {
            noise(&[digits[0], digits[number]])
        });
        let choices = choose(&[made], &effort(Compression::Default), |_| false).unwrap();
        assert_eq!(usize::from(choices[0].order[1]), number);
    }
}

#[test]
fn with_every_block_looked_at_the_smallest_order_is_found() {
    for seed in 0..4 {
        let made = Made::new([3, 40, 48, 44], |[a, b, c, d]| {
            match noise(&[seed, b, a]) % 3 {
                0 => noise(&[c, seed]),
                1 => noise(&[d, b]),
                _ => 7,
            }
        });
        let effort = Effort {
            sample_blocks: 1000,
            ..effort(Compression::Small)
        };
        let options = WriteOptions {
            block_bytes: effort.sample_bytes,
            level: effort.sample_level,
            ..effort.options.clone()
        };
        let size = |order| -> u64 {
            let source = InOrder(&made, order);
            let stream = made.stream(&order, &source);
            let blocks = 0..made.len().div_ceil(effort.sample_bytes as u64);
            let sizes = BlockSizes::new(&options);
            blocks.map(|block| sizes.of(&stream, block).unwrap()).sum()
        };
        let best = made.orders().into_iter().map(size).min();
        let found = choose(std::slice::from_ref(&made), &effort, |_| false).unwrap()[0].order;
        assert_eq!(Some(size(found)), best);
    }
}

/// Digits stand for the same position in every order, and a block has it.
#[test]
fn the_same_positions_are_looked_at_in_every_order() {
    let made = Made::new([9, 40, 41, 42], |digits| noise(&digits));
    let sample = Sample::new(&made, &effort(Compression::Default));
    let Blocks::Around(positions) = &sample.blocks else {
        panic!("the table is large enough");
    };
    let mut slices = Vec::new();
    for (number, around) in positions.iter().enumerate() {
        let digits = &around.digits;
        slices.push(digits[0]);
        let digits = [digits[0], digits[1], digits[2], digits[3]];
        for order in made.orders() {
            let block = sample.block(number, &order);
            let index = made.index(order, digits);
            let slice_len = made.len() / made.slices();
            let indices = sample.indices(block);
            // Only blocks that reach into another slice are passed over.
            let reaches_out = indices.end <= index
                && indices.end + sample.block_values > (digits[0] + 1) * slice_len
                || index < indices.start
                    && indices.start < digits[0] * slice_len + sample.block_values;
            assert!(indices.contains(&index) || reaches_out);
        }
    }
    slices.sort_unstable();
    slices.dedup();
    assert_eq!(slices, [1, 2, 6, 7]);
}

#[test]
fn slices_that_are_looked_at_lie_in_all_parts() {
    for (slices, slice_len, count) in [
        (1, 1 << 28, 1),
        (3, 1 << 28, 3),
        (8, 1 << 10, 4),
        (24, 1 << 18, 6),
        (24, 1 << 24, 6),
        (24, 1 << 30, 4),
        (576, 1 << 18, 48),
        (576, 1 << 24, 6),
    ] {
        assert_eq!(sampled_slices(slices, slice_len), count);
        let apart = slices_apart(slices, count);
        let mut parts: Vec<u64> = apart.iter().map(|slice| slice * count / slices).collect();
        // The first few are not all in one half.
        let few = parts.len().min(4);
        let first_half = parts[..few]
            .iter()
            .filter(|&&part| 2 * part < count)
            .count();
        assert!(few < 4 || (1..=3).contains(&first_half), "{apart:?}");
        parts.sort_unstable();
        assert_eq!(parts, (0..count).collect::<Vec<_>>(), "{apart:?}");
    }
    let mut ranks = slices_apart(24, 6);
    ranks.sort_unstable();
    assert_eq!(ranks, [2, 4, 11, 13, 18, 20]);
}

#[test]
fn blocks_of_a_slice_lie_in_it() {
    assert_eq!(blocks_of_slice(0, 100, 10), 0..10);
    assert_eq!(blocks_of_slice(1, 100, 30), 4..6);
    // No block lies between 20 and 30, and the first index is in the one from 16 on.
    assert_eq!(blocks_of_slice(2, 10, 16), 1..2);
}
