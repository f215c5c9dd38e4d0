//! The numbers of finished tables, for who reads them back instead of solving.

use std::path::Path;

use super::files::LoadError;
use super::layout::Layout;
use super::pages::Place;
use super::part::Part;
use super::source::Source;
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

    /// The numbers of one side to move in a slice.
    /// Nothing if no file has that side. Where no position is they may be any.
    ///
    /// # Errors
    ///
    /// What is wrong with a file.
    pub fn numbers(
        &self,
        slice: usize,
        side: usize,
        metric: Metric,
    ) -> Result<Option<StoredLines>, String> {
        let frame = self.layout.frame(slice);
        if !self.source.is_stored(metric, side, &frame) {
            return Ok(None);
        }
        let numbers = self
            .source
            .numbers(metric, side, &frame, &Part::Whole, &Place::default())
            .map_err(told)?;
        Ok(Some(StoredLines {
            low: numbers.low.into_lines(),
            high: numbers.high.into_lines(),
        }))
    }
}

fn told(error: LoadError) -> String {
    error.to_string()
}
