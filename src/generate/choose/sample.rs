//! A few blocks of a stream, compressed to see how large all of it would become.

use std::ops::Range;

use super::ordered::{Ordered, fastest, one_with_each_pair};
use crate::Error;
use crate::error::write_error;
use crate::generate::effort::Effort;
use crate::parallel;
use crate::table::{BlockSizes, Codec, WriteOptions};

/// Indices of the slices that are looked at, at the most: those of six of 24 slices of five men.
const SAMPLED_INDICES: u64 = 6 << 24;
/// Slices that are looked at, however large they are.
const FEWEST_SLICES: u64 = 4;
/// Slices that are looked at, however small they are.
const MOST_SLICES: u64 = 48;
/// Of so many slices as many blocks are looked at of each. Of more, any few blocks lie far apart.
const FEW_SLICES: u64 = 6;
/// Blocks that are looked at in the smallest streams, at least.
const FEWEST_BLOCKS: u64 = 6;
/// As many blocks are looked at as if there were so many pairs of fastest dimensions, at least.
const FEWEST_PAIRS: u64 = 10;

/// Which blocks of a stream are looked at.
pub(super) enum Blocks {
    /// All of them; the first few lie as far apart as all.
    All(Vec<u64>),
    /// Those that have certain positions.
    ///
    /// In every order the same positions are looked at, and much of what stands around them is the
    /// same. Of blocks with the same number but other positions it is chance which are larger.
    Around(Vec<Around>),
}

/// A position that a block is to have.
pub(super) struct Around {
    /// By the numbers of the dimensions.
    pub digits: Vec<u64>,
    /// Of these blocks the nearest is taken: they lie in one slice.
    pub blocks: Range<u64>,
}

impl Blocks {
    fn all(blocks: u64) -> Blocks {
        let mut blocks: Vec<u64> = (0..blocks).collect();
        blocks.sort_unstable_by_key(|&block| place_apart(block, u64::MAX));
        Blocks::All(blocks)
    }

    /// Around so many positions, in a few slices.
    fn around<S: Ordered>(side: &S, positions: u64, slices: &[u64], block_values: u64) -> Blocks {
        let slice_len = side.len() / side.slices();
        let orders = side.orders();
        let around = |number: u64| {
            let slice = slices[number as usize % slices.len()];
            let place = slice * slice_len + place_apart(number, slice_len);
            Around {
                digits: digits(side, &orders[0], place),
                blocks: blocks_of_slice(slice, slice_len, block_values),
            }
        };
        Blocks::Around((0..positions).map(around).collect())
    }

    fn len(&self) -> usize {
        match self {
            Blocks::All(blocks) => blocks.len(),
            Blocks::Around(positions) => positions.len(),
        }
    }

    /// The slices that the blocks reach into.
    fn slices<S: Ordered>(&self, side: &S, block_values: u64) -> Vec<usize> {
        let slice_len = side.len() / side.slices();
        let of_blocks = |blocks: &Range<u64>| {
            let end = (blocks.end * block_values).min(side.len());
            (blocks.start * block_values / slice_len) as usize..end.div_ceil(slice_len) as usize
        };
        let mut slices: Vec<usize> = match self {
            Blocks::All(_) => (0..side.slices() as usize).collect(),
            Blocks::Around(positions) => positions
                .iter()
                .flat_map(|position| of_blocks(&position.blocks))
                .collect(),
        };
        slices.sort_unstable();
        slices.dedup();
        slices
    }
}

/// A few blocks of a stream.
pub(super) struct Sample<'a, S: Ordered + 'a> {
    pub side: &'a S,
    slices: S::Slices<'a>,
    sizes: BlockSizes,
    pub blocks: Blocks,
    /// Indices of a block.
    pub block_values: u64,
    all_blocks: u64,
    /// Blocks are looked at in multiples of so many: of few slices as many of each.
    multiple: usize,
    /// Blocks that are compressed in a round, those of all orders together.
    round: usize,
}

impl<'a, S: Ordered> Sample<'a, S> {
    pub fn new(side: &'a S, effort: &Effort) -> Sample<'a, S> {
        let options = WriteOptions {
            codec: Codec::Zstd,
            level: effort.sample_level,
            dictionary_bytes: 0,
            block_bytes: effort.sample_bytes,
            ..effort.options.clone()
        };
        let block_values = options.block_values(side.symbols()) as u64;
        let all_blocks = side.len().div_ceil(block_values);
        // No order is looked at in more blocks than all orders are in one round.
        let pairs = one_with_each_pair(side).len() as u64;
        let round = effort.sample_blocks * pairs.max(FEWEST_PAIRS);
        let wanted = (all_blocks / effort.sample_part)
            .max(FEWEST_BLOCKS)
            .min(round);
        let count = sampled_slices(side.slices(), side.len() / side.slices());
        let has_all = all_blocks <= wanted;
        let multiple = if has_all || count > FEW_SLICES {
            1
        } else {
            count
        };
        let blocks = match has_all {
            true => Blocks::all(all_blocks),
            false => {
                let wanted = wanted.next_multiple_of(multiple);
                let slices = slices_apart(side.slices(), count);
                Blocks::around(side, wanted, &slices, block_values)
            }
        };
        Sample {
            side,
            slices: side.sampled(&blocks.slices(side, block_values)),
            sizes: BlockSizes::new(&options),
            blocks,
            block_values,
            all_blocks,
            multiple: multiple as usize,
            round: round as usize,
        }
    }

    /// How many blocks are looked at.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// So many blocks, or a few more, so that of few slices as many are looked at of each.
    pub fn of_all_slices(&self, blocks: usize) -> usize {
        blocks.next_multiple_of(self.multiple)
    }

    /// Blocks that are compressed in a round, those of all orders together.
    pub fn round(&self) -> usize {
        self.round
    }

    /// The block with a number, of those that are looked at, in an order.
    pub fn block(&self, number: usize, order: &S::Order) -> u64 {
        match &self.blocks {
            Blocks::All(blocks) => blocks[number],
            Blocks::Around(positions) => {
                let Around { digits, blocks } = &positions[number];
                let dimensions = S::dimensions(order).iter();
                let index = dimensions.fold(0, |index, &dimension| {
                    index * self.side.radix(dimension) + digits[usize::from(dimension)]
                });
                (index / self.block_values).clamp(blocks.start, blocks.end - 1)
            }
        }
    }

    /// The fastest dimensions of an order whose planes are larger than most blocks: what the order
    /// of all others is makes next to no difference for a block.
    pub fn told_apart_by<'o>(&self, order: &'o S::Order) -> &'o [u8] {
        let dimensions = S::dimensions(order);
        let mut indices = 1;
        let mut count = 0;
        while count < dimensions.len() && (count < 2 || indices < 2 * self.block_values) {
            count += 1;
            indices *= self.side.radix(dimensions[dimensions.len() - count]);
        }
        fastest::<S>(order, count)
    }

    /// The indices of a block.
    pub fn indices(&self, block: u64) -> Range<u64> {
        let start = block * self.block_values;
        start..(start + self.block_values).min(self.side.len())
    }

    /// The bytes that blocks take in some orders, for each those from a number on to `end`.
    ///
    /// A block in one order after the other: what is near a position is in the caches then.
    pub fn bytes(&self, orders: &[(S::Order, usize)], end: usize) -> Result<Vec<u64>, Error> {
        let mut all = vec![0; orders.len()];
        if self.side.symbols() == 1 {
            return Ok(all);
        }
        let wanted = orders.iter().map(|&(order, first)| {
            let indices = |number| self.indices(self.block(number, &order));
            (order, (first.min(end)..end).map(indices).collect())
        });
        (self.side).prepare(&self.slices, &wanted.collect::<Vec<_>>());
        let sources: Vec<_> = orders
            .iter()
            .map(|(order, _)| S::source(&self.slices, order))
            .collect();
        let first = orders.iter().map(|&(_, first)| first).min().unwrap_or(end);
        let bytes = parallel::try_map_items(first..end, |_, number| {
            parallel::try_map(orders.len(), |place| match &orders[place] {
                (_, first) if number < *first => Ok(0),
                (order, _) => {
                    let stream = self.side.stream(order, &sources[place]);
                    self.sizes.of(&stream, self.block(number, order))
                }
            })
        });
        for bytes in bytes.map_err(|problem| write_error("a sample", problem))? {
            for (all, bytes) in all.iter_mut().zip(bytes) {
                *all += bytes;
            }
        }
        Ok(all)
    }

    /// Estimated bytes of the stream, if some blocks take so many.
    pub fn estimate(&self, bytes: u64, blocks: usize) -> u64 {
        bytes * self.all_blocks / blocks.max(1) as u64
    }
}

/// The digits of an index in an order, by the numbers of the dimensions.
fn digits<S: Ordered>(side: &S, order: &S::Order, index: u64) -> Vec<u64> {
    let dimensions = S::dimensions(order);
    let mut digits = vec![0; dimensions.len()];
    let mut rest = index;
    for &dimension in dimensions.iter().rev() {
        digits[usize::from(dimension)] = rest % side.radix(dimension);
        rest /= side.radix(dimension);
    }
    digits
}

/// The blocks that lie in a slice; if none does, that with its first index.
pub(super) fn blocks_of_slice(slice: u64, slice_len: u64, block_values: u64) -> Range<u64> {
    let [start, end] = [slice, slice + 1].map(|slice| slice * slice_len);
    let inside = start.div_ceil(block_values)..end / block_values;
    match inside.is_empty() {
        true => start / block_values..start / block_values + 1,
        false => inside,
    }
}

/// How many slices are looked at, of so many with so many indices each. All of them are in memory.
pub(in crate::generate) fn sampled_slices(slices: u64, slice_len: u64) -> u64 {
    (SAMPLED_INDICES / slice_len.max(1))
        .min(slices.div_ceil(4))
        .clamp(FEWEST_SLICES, MOST_SLICES)
        .min(slices)
}

/// `count` slices, the first few of which lie as far apart as all.
///
/// With one pawn the 24 slices are its squares, rank by rank and of each rank files a to d. Files
/// as well as ranks matter: files b and d of four ranks show half the bytes that distances of
/// KNNvKP have. So of each sixth of the slices, a rank, one is taken, now of the third quarter of
/// it, then of the first, the fourth and the second: c2, a3, d4, b5, c6, a7. These six have a
/// quarter of the bytes that distances to mate take, give or take a twentieth, for all of five men.
pub(super) fn slices_apart(slices: u64, count: u64) -> Vec<u64> {
    const QUARTERS: [u64; 4] = [2, 0, 3, 1];
    let eighths = |part: u64| 8 * part + 2 * QUARTERS[(part % 4) as usize] + 1;
    let mut parts: Vec<u64> = (0..count).collect();
    parts.sort_unstable_by_key(|&part| place_apart(part, u64::MAX));
    parts
        .into_iter()
        .map(|part| eighths(part) * slices / (8 * count))
        .collect()
}

/// Place `number` of any number of places below `len` that lie apart: multiples of the golden
/// ratio. At halves and quarters all men but one would stand on the same square, where nothing is
/// asked for.
fn place_apart(number: u64, len: u64) -> u64 {
    let fraction = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(fraction) * u128::from(len)) >> 64) as u64
}
