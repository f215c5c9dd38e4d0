//! What a verification tells, on its way and at its end.

use std::path::PathBuf;

use crate::material::Material;
use crate::metric::Metric;
use crate::probe::Format;

/// Told about the course of a verification, from any thread.
pub trait Observer: Sync {
    /// The tables of a material are being verified.
    fn started(&self, material: Material);
    /// So many more positions are done; [`work`](super::work) says how many there are.
    fn advanced(&self, positions: u64);
}

/// An observer that does not care.
impl Observer for () {
    fn started(&self, _: Material) {}
    fn advanced(&self, _: u64) {}
}

/// One value that is not what its successors say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The material.
    pub material: Material,
    /// The format of the table.
    pub format: Format,
    /// The metric.
    pub metric: Metric,
    /// The position, as FEN; empty where a count in the header is wrong.
    pub fen: String,
    /// What the table says.
    pub stored: String,
    /// What follows from the moves.
    pub expected: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference {
            material,
            format,
            metric,
            fen,
            stored,
            expected,
        } = self;
        let place = if fen.is_empty() { "header" } else { fen };
        let format = match format {
            Format::Native => "",
            Format::Syzygy => " (syzygy)",
        };
        write!(
            f,
            "{material} {metric}{format}: {place}: stored {stored}, expected {expected}"
        )
    }
}

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Tables whose values were compared.
    pub tables: usize,
    /// Legal positions compared, each metric once.
    pub positions: u64,
    /// Differences found.
    pub differences: u64,
    /// The first of them, at most [`LISTED`] a material.
    pub listed: Vec<Difference>,
    /// Tables that could not be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// The most differences of a material that are listed.
pub const LISTED: usize = 10;

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.differences == 0 && self.unreadable.is_empty()
    }
}
