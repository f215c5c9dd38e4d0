//! The files of one solved material.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::addressing::Addressing;
use super::choose::{Ordered, choose};
use super::effort::Effort;
use super::slices::Slices;
use super::source::{Side, SideSource};
use super::summary::Summary;
use crate::Error;
use crate::chess::index::IndexSpace;
use crate::metric::Metric;
use crate::table::{Compression, Description, StreamSource, ValueSource, write_table};
use crate::tables::table_path;

/// Writes one table of a solved material and returns the size of its file in bytes.
///
/// # Errors
///
/// If the file cannot be written, or the caller cancelled.
pub fn write_metric(
    directory: &Path,
    slices: &impl Slices,
    index_space: &IndexSpace,
    summary: &Summary,
    metric: Metric,
    compression: Compression,
    cancel: &AtomicBool,
) -> Result<u64, Error> {
    let effort = Effort::new(compression, metric);
    let material = slices.material();
    let addressing = Addressing::new(index_space);
    // With the same men on both sides, Black to move is White to move with the colours exchanged.
    let sides: Vec<Side<'_, _>> = (0..if material.is_symmetric() { 1 } else { 2 })
        .map(|side| Side::new(slices, index_space, &addressing, summary, side, metric))
        .collect();
    let choices = choose(&sides, &effort)?;
    let laid_out: Vec<_> = sides.iter().map(|side| side.sampled(&[])).collect();
    let sources = choices.iter().map(|choice| -> Box<dyn ValueSource> {
        match slices.is_laid_out() {
            true => Box::new(laid_out[choice.side].in_order(choice.order)),
            false => Box::new(SideSource::new(&sides[choice.side], &choice.order)),
        }
    });
    let sources: Vec<Box<dyn ValueSource + '_>> = sources.collect();
    let streams: Vec<StreamSource<'_>> = choices
        .iter()
        .zip(&sources)
        .map(|(choice, source)| sides[choice.side].stream(&choice.order, &**source))
        .collect();
    let description = Description {
        material: material.to_string(),
        metric: metric.number(),
        counts: summary.counts(),
        longest: summary.longest(metric),
        ..Description::default()
    };
    let head = (&description, summary.statistics(metric));
    let path = table_path(directory, &material, metric);
    let written = write_table(&path, head, &streams, &effort.options, &|_, _| {
        !cancel.load(Ordering::Relaxed) && slices.error().is_none()
    });
    match slices.error() {
        Some(error) => Err(error.clone().into()),
        None => Ok(written?.file_bytes),
    }
}
