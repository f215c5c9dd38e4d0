//! Which sides to move a file has, and in which order of the dimensions: what compresses best in a sample.

use rayon::prelude::*;

use super::slices::Slices;
use super::source::{SampledSlices, Side};
use super::write::Effort;
use crate::Error;
use crate::index::{IndexSpace, Order};
use crate::table::layout::ORDER_LEN;
use crate::table::{Packing, StreamSource, ValueSource, WriteOptions, compressed_size_of_sample};

/// A side to move, by its place in the list of those to choose from, and an order for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub side: usize,
    pub order: Order,
    /// Estimated bytes of the stream.
    pub size: u64,
}

/// Slices that are looked at.
const SAMPLED_SLICES: u64 = 4;
/// Pairs of fastest dimensions for which every order of the others is tried.
const BEST_PAIRS: usize = 4;

/// The best order for each side to move that is to be kept.
pub(super) fn choose<S: Slices>(
    sides: &[Side<'_, S>],
    effort: &Effort,
) -> Result<Vec<Choice>, Error> {
    let samples: Vec<Sample<'_, S>> = sides.iter().map(|side| Sample::new(side, effort)).collect();
    let space = sides[0].space;
    // What the fastest two dimensions are decides most: a block is a few planes of them.
    let pairs = orders_by_fastest_pair(space);
    let candidates = (0..sides.len()).flat_map(|side| pairs.iter().map(move |&pair| (side, pair)));
    let rated = rate(&samples, 2, candidates.collect())?;
    let smallest_of = |side: usize| {
        let of_side = rated.iter().filter(|choice| choice.side == side);
        of_side.map(|choice| choice.size).min().unwrap_or(0)
    };
    let larger = (0..sides.len()).map(smallest_of).max().unwrap_or(0);
    if effort.larger_side.is_none_or(|limit| larger < limit) {
        let best_of = |side: usize| {
            let pairs = rated.iter().filter(|choice| choice.side == side);
            best(&samples, pairs)
        };
        (0..sides.len()).map(best_of).collect()
    } else {
        Ok(vec![best(&samples, rated.iter())?])
    }
}

/// The best of all orders with one of the best pairs of fastest dimensions.
fn best<'a, S: Slices>(
    samples: &[Sample<'_, S>],
    pairs: impl Iterator<Item = &'a Choice>,
) -> Result<Choice, Error> {
    let orders = samples[0].side.space.all_orders();
    let finalists = pairs
        .take(BEST_PAIRS)
        .flat_map(|pair| {
            let same_pair = |order: &&Order| fastest_pair(order) == fastest_pair(&pair.order);
            let orders = orders.iter().filter(same_pair);
            orders.map(|&order| (pair.side, order))
        })
        .collect();
    Ok(rate(samples, 1, finalists)?[0])
}

/// Estimates the sizes of some sides' streams in some orders from every `step`th block; the smallest come first.
fn rate<S: Slices>(
    samples: &[Sample<'_, S>],
    step: usize,
    candidates: Vec<(usize, Order)>,
) -> Result<Vec<Choice>, Error> {
    let mut choices = candidates
        .into_par_iter()
        .map(|(side, order)| {
            let size = samples[side].size(&order, step)?;
            Ok(Choice { side, order, size })
        })
        .collect::<Result<Vec<Choice>, Error>>()?;
    choices.sort_by_key(|choice| choice.size);
    Ok(choices)
}

fn fastest_pair(order: &Order) -> Option<&[u8; 2]> {
    order.dimensions().last_chunk()
}

/// The first of the orders with each pair of fastest dimensions.
fn orders_by_fastest_pair(space: &IndexSpace) -> Vec<Order> {
    let mut orders: Vec<Order> = Vec::new();
    for order in space.all_orders() {
        let same_pair = |known: &Order| fastest_pair(known) == fastest_pair(&order);
        if !orders.iter().any(same_pair) {
            orders.push(order);
        }
    }
    orders
}

/// A few blocks of a stream.
struct Sample<'a, S> {
    side: &'a Side<'a, S>,
    slices: SampledSlices<'a, S>,
    options: WriteOptions,
    block_values: u64,
    /// Numbers of the blocks.
    blocks: Vec<u64>,
}

impl<'a, S: Slices> Sample<'a, S> {
    fn new(side: &'a Side<'a, S>, effort: &Effort) -> Sample<'a, S> {
        let options = WriteOptions {
            level: effort.sample_level,
            dictionary_bytes: 0,
            block_bytes: effort.sample_bytes,
            ..effort.options.clone()
        };
        let packing = Packing::for_symbols(side.symbols());
        let block_values = options.block_values(packing) as u64;
        let slice_len = side.slice_len();
        let slices = side.slices.count() as u64;
        let sampled = SAMPLED_SLICES.min(slices);
        let blocks_of_slice = effort.sample_blocks.div_ceil(sampled);
        let mut blocks: Vec<u64> = (0..sampled)
            .flat_map(|number| {
                let slice = (2 * number + 1) * slices / (2 * sampled);
                (0..blocks_of_slice).map(move |block| {
                    let place = (2 * block + 1) * slice_len / (2 * blocks_of_slice);
                    (slice * slice_len + place) / block_values
                })
            })
            .collect();
        blocks.dedup();
        let mut touched: Vec<usize> = blocks
            .iter()
            .flat_map(|block| {
                let start = block * block_values;
                let end = (start + block_values).min(side.space.len());
                (start / slice_len) as usize..end.div_ceil(slice_len) as usize
            })
            .collect();
        touched.dedup();
        Sample {
            side,
            slices: SampledSlices::new(side, &touched),
            options,
            block_values,
            blocks,
        }
    }

    /// The estimated size of the stream in an order, from every `step`th block.
    fn size(&self, order: &Order, step: usize) -> Result<u64, Error> {
        if self.side.symbols() == 1 {
            return Ok(0);
        }
        let blocks: Vec<u64> = self.blocks.iter().step_by(step).copied().collect();
        let source = self.slices.in_order(*order);
        let stream = stream(self.side, order, &source);
        let size = compressed_size_of_sample(&stream, &blocks, &self.options)?;
        let all_blocks = self.side.space.len().div_ceil(self.block_values);
        Ok(size * all_blocks / blocks.len() as u64)
    }
}

/// A stream of a file.
pub(super) fn stream<'a, S: Slices>(
    side: &Side<'_, S>,
    order: &Order,
    source: &'a dyn ValueSource,
) -> StreamSource<'a> {
    let mut bytes = [u8::MAX; ORDER_LEN];
    let dimensions = order.dimensions();
    bytes[..dimensions.len()].copy_from_slice(dimensions);
    StreamSource {
        side: side.side as u8,
        order: bytes,
        len: side.space.len(),
        source,
        values_present: Some(side.present),
    }
}
