//! The files of one solved material.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::encode::{Addressing, SideSource};
use super::summary::Summary;
use crate::Error;
use crate::index::{IndexSpace, Order};
use crate::material::Material;
use crate::metric::Metric;
use crate::probe::file_name;
use crate::solve::solved::Solved;
use crate::table::layout::ORDER_LEN;
use crate::table::{
    Compression, Description, Packing, StreamSource, WriteOptions, compressed_size_of_sample,
    write_table,
};

/// How hard to look for the order of the dimensions, and what to keep.
#[derive(Clone, Debug)]
pub struct Effort {
    /// How to compress.
    pub options: WriteOptions,
    /// Blocks compressed to compare the orders.
    pub sample_blocks: u64,
    /// Packed bytes of such a block.
    pub sample_bytes: usize,
    /// The level they are compressed at.
    pub sample_level: i32,
    /// Whether to keep the distances of one side to move only: those of the side that compresses better. A prober
    /// finds the others one ply ahead.
    pub one_side: bool,
}

impl Effort {
    /// What a compression means for a metric.
    #[must_use]
    pub fn new(compression: Compression, metric: Metric) -> Effort {
        let mut options = WriteOptions::from(compression);
        if metric == Metric::Dtm && compression != Compression::Small {
            // A probe for a mate decodes a block of results as well; halving the block keeps both under 10 µs.
            options.block_bytes /= 2;
        }
        let (sample_blocks, sample_bytes, sample_level, one_side) = match compression {
            Compression::Fast => (4, 2 << 10, 1, false),
            Compression::Default => (8, 4 << 10, 3, false),
            Compression::Small => (16, options.block_bytes, 9, metric != Metric::Wdl),
        };
        Effort {
            options,
            sample_blocks,
            sample_bytes,
            sample_level,
            one_side,
        }
    }
}

/// The file of a table in a directory.
#[must_use]
pub fn table_path(directory: &Path, material: &Material, metric: Metric) -> PathBuf {
    directory.join(file_name(material, metric))
}

/// Writes one table of a solved material and returns the size of its file in bytes.
///
/// # Errors
///
/// If the file cannot be written, or the caller cancelled.
pub fn write_metric(
    directory: &Path,
    solved: &Solved,
    index_space: &IndexSpace,
    summary: &Summary,
    metric: Metric,
    compression: Compression,
    cancel: &AtomicBool,
) -> Result<u64, Error> {
    let effort = Effort::new(compression, metric);
    let addressing = Addressing::new(index_space);
    let mut streams = Vec::new();
    // With the same men on both sides, Black to move is White to move with the colours exchanged.
    let sides = if solved.material.is_symmetric() { 1 } else { 2 };
    for side in 0..sides {
        let order = index_space.natural_order();
        let source = SideSource::new(solved, index_space, &addressing, order, side, metric);
        streams.push(with_best_order(source, index_space, &effort)?);
    }
    if effort.one_side {
        // The estimate of an order is a sample, whose size is known for the same share of either side.
        streams.sort_by_key(|&(_, size)| size);
        streams.truncate(1);
    }
    let sources: Vec<StreamSource<'_>> = streams
        .iter()
        .map(|(source, _)| stream(source, index_space))
        .collect();
    let description = Description {
        material: solved.material.to_string(),
        metric: metric.number(),
        counts: summary.counts,
        longest: summary.longest(metric),
        ..Description::default()
    };
    let path = table_path(directory, &solved.material, metric);
    let sizes = write_table(&path, &description, &sources, &effort.options, &|_, _| {
        !cancel.load(Ordering::Relaxed)
    })?;
    Ok(sizes.file_bytes)
}

fn stream<'a>(source: &'a SideSource<'_>, index_space: &IndexSpace) -> StreamSource<'a> {
    let mut order = [u8::MAX; ORDER_LEN];
    let dimensions = source.order().dimensions();
    order[..dimensions.len()].copy_from_slice(dimensions);
    StreamSource {
        side: source.side() as u8,
        order,
        len: index_space.len(),
        source,
        values_present: Some(source.present()),
    }
}

/// The same values in the order whose sample compresses best, and the estimated size of the stream in bytes.
fn with_best_order<'a>(
    source: SideSource<'a>,
    index_space: &IndexSpace,
    effort: &Effort,
) -> Result<(SideSource<'a>, u64), Error> {
    let options = WriteOptions {
        level: effort.sample_level,
        dictionary_bytes: 0,
        block_bytes: effort.sample_bytes,
        ..effort.options.clone()
    };
    let symbols = source.present().iter().filter(|&&present| present).count();
    if symbols == 1 {
        return Ok((source, 0));
    }
    let block_values = options.block_values(Packing::for_symbols(symbols)) as u64;
    let blocks = index_space.len().div_ceil(block_values);
    let sampled = effort.sample_blocks.min(blocks);
    let sample: Vec<u64> = (0..sampled)
        .map(|number| (2 * number + 1) * blocks / (2 * sampled))
        .collect();
    let sizes = index_space
        .all_orders()
        .into_par_iter()
        .map(|order| {
            let reordered = source.in_order(order);
            let size =
                compressed_size_of_sample(&stream(&reordered, index_space), &sample, &options)?;
            Ok((size, order))
        })
        .collect::<Result<Vec<(u64, Order)>, Error>>()?;
    let best = sizes.into_iter().min_by_key(|&(size, _)| size);
    let (size, order) = best.unwrap_or((0, *source.order()));
    Ok((source.in_order(order), size * blocks / sampled))
}
