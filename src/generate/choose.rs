//! Which sides to move a file has, and in which order of the dimensions: what compresses best in a
//! sample.

use std::ops::Range;

use super::effort::Effort;
use crate::Error;
use crate::parallel;
use crate::table::layout::ORDER_LEN;
use crate::table::{
    Codec, Packing, Plane, StreamSource, ValueSource, WriteOptions, compressed_size_of_sample,
};

/// The numbers of one side to move, which can stand in a file in several orders.
///
/// They are made of slices of equal length. Their number is the slowest dimension in every order,
/// so that a few of them are enough to look at a few blocks.
pub(super) trait Ordered: Sync {
    /// An order of the dimensions.
    type Order: Copy + Send + Sync;
    /// Some slices, ready to be looked at in many orders.
    type Slices<'a>: Send + Sync
    where
        Self: 'a;

    /// Which side is to move, 0 or 1.
    fn number(&self) -> u8;

    /// Which byte of each number.
    fn plane(&self) -> Plane {
        Plane::Low
    }

    /// Which numbers occur.
    fn present(&self) -> [bool; 256];

    /// How many indices there are.
    fn len(&self) -> u64;

    /// How many slices there are.
    fn slices(&self) -> u64;

    /// Every order.
    fn orders(&self) -> Vec<Self::Order>;

    /// The numbers of the dimensions, the slowest first.
    fn dimensions(order: &Self::Order) -> &[u8];

    /// Told before numbers of this side are asked for which indices will be wanted in which orders;
    /// those of others are not until they are prepared.
    fn prepare(&self, _slices: &Self::Slices<'_>, _wanted: &[(Self::Order, Vec<Range<u64>>)]) {}

    /// Whether its numbers need no preparation now.
    fn is_prepared(&self) -> bool {
        true
    }

    /// Some slices.
    fn sampled(&self, slices: &[usize]) -> Self::Slices<'_>;

    /// The numbers at the indices of some slices in an order; no others are asked for.
    fn source<'s, 'a: 's>(
        slices: &'s Self::Slices<'a>,
        order: &Self::Order,
    ) -> impl ValueSource + 's
    where
        Self: 'a;

    /// How many numbers occur.
    fn symbols(&self) -> usize {
        self.present().iter().filter(|&&is| is).count()
    }

    /// A stream of a file.
    fn stream<'a>(&self, order: &Self::Order, source: &'a dyn ValueSource) -> StreamSource<'a> {
        let mut bytes = [u8::MAX; ORDER_LEN];
        let dimensions = Self::dimensions(order);
        bytes[..dimensions.len()].copy_from_slice(dimensions);
        StreamSource {
            side: self.number(),
            plane: self.plane(),
            order: bytes,
            len: self.len(),
            source,
            values_present: Some(self.present()),
        }
    }
}

/// A side to move, by its place in the list of those to choose from, and an order for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<O> {
    pub side: usize,
    pub order: O,
    /// Bytes of the sampled blocks.
    bytes: u64,
    /// How many blocks were sampled.
    sampled: usize,
}

impl<O> Choice<O> {
    /// Nothing is known of it yet.
    fn new(side: usize, order: O) -> Choice<O> {
        Choice {
            side,
            order,
            bytes: 0,
            sampled: 0,
        }
    }

    /// The same for the side to move at another place in a list.
    pub fn at(self, side: usize) -> Choice<O> {
        Choice { side, ..self }
    }

    /// Estimated bytes of the stream, for streams with so many blocks.
    fn size(&self, all_blocks: u64) -> u64 {
        self.bytes * all_blocks / self.sampled.max(1) as u64
    }
}

/// Slices that are looked at.
const SAMPLED_SLICES: u64 = 4;
/// Blocks that are looked at in the smallest streams, at least.
const FEWEST_BLOCKS: u64 = 4;
/// Pairs of fastest dimensions for which every order of the others is tried.
const BEST_PAIRS: usize = 6;
/// Of what is tried, a part of the sample is looked at first; one in `GOING_ON` goes on to
/// `TIMES_AS_MUCH` of it.
const GOING_ON: usize = 4;
const TIMES_AS_MUCH: usize = 2;

/// The best order for each side to move that is to be kept.
pub(super) fn choose<S: Ordered>(
    sides: &[S],
    effort: &Effort,
) -> Result<Vec<Choice<S::Order>>, Error> {
    let samples: Vec<Sample<'_, S>> = sides.iter().map(|side| Sample::new(side, effort)).collect();
    let pairs = Race::of_pairs(&samples)?;
    let all = 0..sides.len();
    let Some(limit) = effort.larger_side else {
        return all.map(|side| pairs.of_side(side).best()).collect();
    };
    let smaller = pairs.best()?;
    let mut kept = vec![smaller];
    for side in all.filter(|&side| side != smaller.side) {
        let pairs = pairs.of_side(side);
        // Nobody needs to know which order is best for what is far too large.
        if pairs.smallest() < limit.saturating_mul(2) {
            let larger = pairs.best()?;
            if samples[side].size(&larger) < limit {
                kept.push(larger);
            }
        }
    }
    kept.sort_by_key(|choice| choice.side);
    Ok(kept)
}

/// The best order of a side, or a given one unless the best saves at least one byte in `part`.
pub(super) fn choose_against<S: Ordered>(
    side: &S,
    given: S::Order,
    part: u64,
    effort: &Effort,
) -> Result<S::Order, Error> {
    let samples = [Sample::new(side, effort)];
    let best = Race::of_pairs(&samples)?.best()?;
    let mut given = Race::new(&samples, std::iter::once((0, given)));
    given.look_at(given.blocks())?;
    let saved = given.smallest().saturating_sub(samples[0].size(&best));
    Ok(match saved * part >= given.smallest() {
        true => best.order,
        false => given.choices[0].order,
    })
}

/// Orders that are compared, the better ones in more blocks than the others.
struct Race<'a, 'b, S: Ordered> {
    samples: &'a [Sample<'b, S>],
    /// The best first.
    choices: Vec<Choice<S::Order>>,
}

impl<'a, 'b, S: Ordered> Race<'a, 'b, S> {
    fn new(
        samples: &'a [Sample<'b, S>],
        orders: impl Iterator<Item = (usize, S::Order)>,
    ) -> Race<'a, 'b, S> {
        let choices = orders.map(|(side, order)| Choice::new(side, order));
        Race {
            samples,
            choices: choices.collect(),
        }
    }

    /// One order with each pair of fastest dimensions, compared in the first part of the sample.
    fn of_pairs(samples: &'a [Sample<'b, S>]) -> Result<Race<'a, 'b, S>, Error> {
        let pairs = orders_by_fastest_pair(samples[0].side);
        let of_side = |side| pairs.iter().map(move |&pair| (side, pair));
        let mut race = Race::new(samples, (0..samples.len()).flat_map(of_side));
        race.look_at(race.blocks().div_ceil(race.first_part()))?;
        Ok(race)
    }

    /// Only the choices with this side.
    fn of_side(&self, side: usize) -> Race<'a, 'b, S> {
        let choices = self.choices.iter().filter(|choice| choice.side == side);
        Race {
            samples: self.samples,
            choices: choices.copied().collect(),
        }
    }

    /// The best order of all, where these are the best ones with each pair of fastest dimensions.
    ///
    /// A block is a few planes of the fastest two dimensions: what they are decides most.
    fn best(&self) -> Result<Choice<S::Order>, Error> {
        let orders = self.samples[0].side.orders();
        let with_pair_of = |&pair: &Choice<S::Order>| {
            let same_pair =
                move |order: &&S::Order| fastest_pair::<S>(order) == fastest_pair::<S>(&pair.order);
            let is_known = move |order| S::dimensions(order) == S::dimensions(&pair.order);
            // What was found out about an order in the race of pairs stays known.
            (orders.iter().filter(same_pair)).map(move |order| match is_known(order) {
                true => pair,
                false => Choice::new(pair.side, *order),
            })
        };
        let pairs = self.choices.iter().take(BEST_PAIRS);
        let race = Race {
            samples: self.samples,
            choices: pairs.flat_map(with_pair_of).collect(),
        };
        race.winner()
    }

    /// Which part of a sample is looked at first.
    fn first_part(&self) -> usize {
        let parts = self.samples.iter().map(|sample| sample.first_part);
        parts.max().unwrap_or(1)
    }

    /// Blocks in a sample.
    fn blocks(&self) -> usize {
        let blocks = self.samples.iter().map(|sample| sample.blocks.len());
        blocks.max().unwrap_or(0)
    }

    /// Estimated bytes of the best.
    fn smallest(&self) -> u64 {
        self.choices.first().map_or(0, |best| self.size(best))
    }

    fn size(&self, choice: &Choice<S::Order>) -> u64 {
        self.samples[choice.side].size(choice)
    }

    /// Goes on until so many blocks of the sample have been looked at.
    fn look_at(&mut self, blocks: usize) -> Result<(), Error> {
        let samples = self.samples;
        let mut sides: Vec<usize> = (0..samples.len()).collect();
        sides.sort_by_key(|&side| !samples[side].side.is_prepared());
        for (side, sample) in sides.into_iter().map(|side| (side, &samples[side])) {
            let choices = self.choices.iter_mut().filter(|choice| choice.side == side);
            let choices: Vec<_> = choices.collect();
            if choices.is_empty() {
                continue;
            }
            let end = blocks.min(sample.blocks.len());
            let new = |choice: &Choice<S::Order>| &sample.blocks[choice.sampled.min(end)..end];
            let wanted = choices.iter().map(|choice| {
                let indices = new(choice).iter().map(|&block| sample.indices(block));
                (choice.order, indices.collect())
            });
            sample.prepare(&wanted.collect::<Vec<_>>());
            parallel::try_each_item(choices, |_, choice| {
                choice.bytes += sample.bytes(&choice.order, new(choice))?;
                choice.sampled = end;
                Ok::<(), Error>(())
            })?;
        }
        let mut choices = std::mem::take(&mut self.choices);
        choices.sort_by_key(|choice| self.size(choice));
        self.choices = choices;
        Ok(())
    }

    fn winner(mut self) -> Result<Choice<S::Order>, Error> {
        let mut part = self.first_part();
        loop {
            self.look_at(self.blocks().div_ceil(part))?;
            if part == 1 {
                return Ok(self.choices[0]);
            }
            self.choices
                .truncate(self.choices.len().div_ceil(GOING_ON).max(2));
            part /= TIMES_AS_MUCH;
        }
    }
}

fn fastest_pair<S: Ordered>(order: &S::Order) -> Option<&[u8; 2]> {
    S::dimensions(order).last_chunk()
}

/// The first of the orders with each pair of fastest dimensions.
fn orders_by_fastest_pair<S: Ordered>(side: &S) -> Vec<S::Order> {
    let mut orders: Vec<S::Order> = Vec::new();
    for order in side.orders() {
        let same_pair = |known: &S::Order| fastest_pair::<S>(known) == fastest_pair::<S>(&order);
        if !orders.iter().any(same_pair) {
            orders.push(order);
        }
    }
    orders
}

/// Place `number` of any number of places below `len` that lie apart: multiples of the golden
/// ratio. At halves and quarters all men but one would stand on the same square, where nothing is
/// asked for.
fn place_apart(number: u64, len: u64) -> u64 {
    let fraction = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(fraction) * u128::from(len)) >> 64) as u64
}

/// A few blocks of a stream.
struct Sample<'a, S: Ordered + 'a> {
    side: &'a S,
    slices: S::Slices<'a>,
    options: WriteOptions,
    /// Numbers of some blocks; the first few of them lie as far apart as all.
    blocks: Vec<u64>,
    /// Indices of a block.
    block_values: u64,
    all_blocks: u64,
    /// What [`Effort::first_part`] says.
    first_part: usize,
}

impl<'a, S: Ordered> Sample<'a, S> {
    fn new(side: &'a S, effort: &Effort) -> Sample<'a, S> {
        let options = WriteOptions {
            codec: Codec::Zstd,
            level: effort.sample_level,
            dictionary_bytes: 0,
            block_bytes: effort.sample_bytes,
            ..effort.options.clone()
        };
        let packing = Packing::for_symbols(side.symbols());
        let block_values = options.block_values(packing) as u64;
        let slices = side.slices();
        let slice_len = side.len() / slices;
        let all_blocks = side.len().div_ceil(block_values);
        let sampled = SAMPLED_SLICES.min(slices);
        let wanted = effort
            .sample_blocks
            .min((all_blocks / effort.sample_part).max(FEWEST_BLOCKS));
        let blocks: Vec<u64> = if all_blocks <= wanted {
            let mut blocks: Vec<u64> = (0..all_blocks).collect();
            blocks.sort_unstable_by_key(|&block| place_apart(block, u64::MAX));
            blocks
        } else {
            (0..wanted)
                .map(|number| {
                    let slice = (2 * (number % sampled) + 1) * slices / (2 * sampled);
                    (slice * slice_len + place_apart(number, slice_len)) / block_values
                })
                .collect()
        };
        let mut touched: Vec<usize> = blocks
            .iter()
            .flat_map(|block| {
                let start = block * block_values;
                let end = (start + block_values).min(side.len());
                (start / slice_len) as usize..end.div_ceil(slice_len) as usize
            })
            .collect();
        touched.sort_unstable();
        touched.dedup();
        Sample {
            side,
            slices: side.sampled(&touched),
            options,
            blocks,
            block_values,
            all_blocks,
            first_part: effort.first_part,
        }
    }

    /// The indices of a block.
    fn indices(&self, block: u64) -> Range<u64> {
        let start = block * self.block_values;
        start..(start + self.block_values).min(self.side.len())
    }

    /// Brings what will be looked at into memory, unless there is nothing to tell apart.
    fn prepare(&self, wanted: &[(S::Order, Vec<Range<u64>>)]) {
        if self.side.symbols() > 1 {
            self.side.prepare(&self.slices, wanted);
        }
    }

    /// The bytes of some blocks in an order.
    fn bytes(&self, order: &S::Order, blocks: &[u64]) -> Result<u64, Error> {
        if self.side.symbols() == 1 {
            return Ok(0);
        }
        let source = S::source(&self.slices, order);
        let stream = self.side.stream(order, &source);
        compressed_size_of_sample(&stream, blocks, &self.options)
    }

    /// Estimated bytes of the stream.
    fn size(&self, choice: &Choice<S::Order>) -> u64 {
        choice.size(self.all_blocks)
    }
}
