//! Which order of the dimensions a stream gets, and which side to move a file with one stream has: what compresses
//! best in a sample.

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

/// The best order for each side to move, or for the one of them that is smaller then.
pub(super) fn choose<S: Slices>(
    sides: &[Side<'_, S>],
    effort: &Effort,
) -> Result<Vec<Choice>, Error> {
    let samples: Vec<Sample<'_, S>> = sides.iter().map(|side| Sample::new(side, effort)).collect();
    let groups: Vec<Vec<usize>> = if effort.one_side {
        vec![(0..sides.len()).collect()]
    } else {
        (0..sides.len()).map(|side| vec![side]).collect()
    };
    groups
        .into_iter()
        .map(|group| best(&samples, &group))
        .collect()
}

/// The best of some sides to move.
fn best<S: Slices>(samples: &[Sample<'_, S>], group: &[usize]) -> Result<Choice, Error> {
    let space = samples[group[0]].side.space;
    let rate = |blocks: usize, candidates: Vec<(usize, Order)>| {
        let mut choices = candidates
            .into_par_iter()
            .map(|(side, order)| {
                let size = samples[side].size(&order, blocks)?;
                Ok(Choice { side, order, size })
            })
            .collect::<Result<Vec<Choice>, Error>>()?;
        choices.sort_by_key(|choice| choice.size);
        Ok::<_, Error>(choices)
    };
    let each_side = |orders: Vec<Order>| -> Vec<(usize, Order)> {
        let of_side = |&side: &usize| orders.iter().map(move |&order| (side, order));
        group.iter().flat_map(of_side).collect()
    };
    // What the fastest two dimensions are decides most: a block is a few planes of them.
    let pairs = rate(2, each_side(orders_by_fastest_pair(space)))?;
    let orders = space.all_orders();
    let finalists = pairs
        .iter()
        .take(BEST_PAIRS)
        .flat_map(|pair| {
            let same_pair = |order: &&Order| fastest_pair(order) == fastest_pair(&pair.order);
            let orders = orders.iter().filter(same_pair);
            orders.map(|&order| (pair.side, order))
        })
        .collect();
    let finalists = rate(1, finalists)?;
    Ok(finalists[0])
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
