//! Which files a material has, and what may be wrong with them.

use std::path::{Path, PathBuf};

use super::pages::Pages;
use crate::Error;
use crate::chess::material::Material;
use crate::chess::{Chess, ChessRules};
use crate::metric::Metric;
use crate::probe::Format;
use crate::syzygy;
use crate::tables::{find, table_path};

/// Why the values of a material cannot be known.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    #[error("{error}")]
    Table { path: PathBuf, error: Error },
    #[error(
        "{}: no such table; generate it with `retrograde generate {material}{}`",
        path.display(),
        option(*format)
    )]
    Missing {
        material: Material,
        path: PathBuf,
        format: Format,
    },
    #[error(
        "{}: not a {metric} table of {material}; remove it and run `retrograde generate {material}`",
        path.display()
    )]
    Foreign {
        path: PathBuf,
        material: Material,
        metric: Metric,
    },
    #[error("{}: {material} has too many positions to be verified", path.display())]
    TooLarge { material: Material, path: PathBuf },
    #[error("{}: {problem}", path.display())]
    Scratch { path: PathBuf, problem: String },
}

/// What makes `generate` write a format.
pub(super) fn option(format: Format) -> &'static str {
    match format {
        Format::Native => "",
        Format::Syzygy => " --format syzygy",
    }
}

impl LoadError {
    /// The file that is at fault.
    pub fn path(&self) -> &Path {
        match self {
            LoadError::Table { path, .. }
            | LoadError::Missing { path, .. }
            | LoadError::Foreign { path, .. }
            | LoadError::TooLarge { path, .. }
            | LoadError::Scratch { path, .. } => path,
        }
    }
}

/// The path of a table in a directory. A Syzygy table that is not there has that of its published
/// name; distances to mate have none in that format.
pub(super) fn path_of(
    directory: &Path,
    material: &Material,
    metric: Metric,
    format: Format,
) -> Option<PathBuf> {
    if format == Format::Native {
        let found = find::<Chess>(directory, ChessRules::FiftyMoves, material, metric);
        let path = found.map(|file| file.path);
        return Some(path.unwrap_or_else(|| table_path(directory, material, metric)));
    }
    let published = syzygy::file_name(material, metric)?;
    let found = syzygy::find_file(directory, material, metric);
    Some(found.unwrap_or_else(|| directory.join(published)))
}

/// The tables of a format and a material that are in a directory.
pub(super) fn tables_of(
    directory: &Path,
    material: &Material,
    format: Format,
) -> Vec<(Metric, PathBuf)> {
    Metric::ALL
        .into_iter()
        .filter_map(|metric| Some((metric, path_of(directory, material, metric, format)?)))
        .filter(|(_, path)| path.exists())
        .collect()
}

/// In the order in which they are verified.
pub(in crate::verify) const FORMATS: [Format; 2] = [Format::Native, Format::Syzygy];

/// The materials, in normal form, that have tables of a format; those that have no table are
/// counted to our own.
pub(in crate::verify) fn asked_in(
    directory: &Path,
    materials: &[Material],
    format: Format,
) -> Vec<Material> {
    let mut materials: Vec<Material> = materials.iter().map(Material::normal_form).collect();
    let has = |material: &Material, format| !tables_of(directory, material, format).is_empty();
    materials.retain(|material| {
        has(material, format) || format == Format::Native && !has(material, Format::Syzygy)
    });
    materials
}

/// Numbers at the addresses of a frame.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Their low bytes.
    pub low: Pages<u8>,
    /// Their high bytes; empty if all are zero.
    pub high: Pages<u8>,
    pub twins: Vec<Twin>,
}

/// A Syzygy file may have two indices for mirror images that a frame has once. The other number,
/// where it is another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twin {
    pub metric: Metric,
    pub address: usize,
    pub king: u32,
    pub number: u8,
}
