//! The numbers of finished tables, for who reads them back instead of solving.

use std::ops::Range;
use std::path::Path;

use super::files::LoadError;
use super::layout::Layout;
use super::source::{PIECE, Source, bytes_of_pairs, is_read_by_bands};
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;
use crate::metric::Metric;
use crate::probe::Format;

/// Numbers of positions, at each address of the solver the 64 squares of the black king.
#[derive(Debug, Default)]
pub(crate) struct StoredLines {
    /// Their low bytes.
    pub low: Vec<[u8; 64]>,
    /// Their high bytes; empty if all are zero.
    pub high: Vec<[u8; 64]>,
}

/// The open tables of a material, of our own format.
#[derive(Debug)]
pub(crate) struct StoredNumbers {
    source: Source,
    layout: Layout,
}

impl StoredNumbers {
    /// Bytes of numbers that are decoded together, at most.
    pub fn decoded(material: &Material) -> u64 {
        let space = IndexSpace::new(*material);
        match is_read_by_bands(&space, &Layout::new(*material).frame(0)) {
            true => bytes_of_pairs(&space),
            false => space.len().min(PIECE),
        }
    }

    /// Opens the tables of some metrics of a material in normal form.
    ///
    /// # Errors
    ///
    /// What is wrong with a file.
    pub fn open(
        directory: &Path,
        material: Material,
        metrics: &[Metric],
    ) -> Result<StoredNumbers, String> {
        let source = Source::open(directory, material, Format::Native, metrics);
        Ok(StoredNumbers {
            source: source.map_err(told)?,
            layout: Layout::new(material),
        })
    }

    /// The numbers of one side to move in a slice, at addresses with some squares of the white
    /// king. Nothing if no file has that side. Where no position is they may be any.
    ///
    /// # Errors
    ///
    /// What is wrong with a file.
    pub fn numbers(
        &self,
        slice: usize,
        side: usize,
        metric: Metric,
        addresses: &Range<usize>,
    ) -> Result<Option<StoredLines>, String> {
        let frame = self.layout.frame(slice);
        if !self.source.is_stored(metric, side, &frame) {
            return Ok(None);
        }
        let lines = self.source.lines(metric, side, &frame, addresses);
        let [low, high] = lines.map_err(told)?;
        Ok(Some(StoredLines { low, high }))
    }
}

fn told(error: LoadError) -> String {
    error.to_string()
}
