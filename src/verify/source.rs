//! The files of a material, and the numbers in them brought into verification's own order.

use std::path::{Path, PathBuf};

use super::gather::Gather;
use super::layout::{Frame, Layout};
use super::line::Line;
use crate::Error;
use crate::generate::table_path;
use crate::index::IndexSpace;
use crate::material::Material;
use crate::metric::Metric;
use crate::table::Table;

/// Why the values of a material cannot be known.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    #[error("{error}")]
    Table { path: PathBuf, error: Error },
    #[error(
        "{}: no such table; generate it with `retrograde generate {material}`",
        path.display()
    )]
    Missing { material: Material, path: PathBuf },
    #[error(
        "{}: not a {metric} table of {material}; remove it and run `retrograde generate {material}`",
        path.display()
    )]
    Foreign {
        path: PathBuf,
        material: Material,
        metric: Metric,
    },
    #[error("{}: {material} has too many positions to be verified in memory", path.display())]
    TooLarge { material: Material, path: PathBuf },
}

impl LoadError {
    /// The file that is at fault.
    pub fn path(&self) -> &Path {
        match self {
            LoadError::Table { path, .. }
            | LoadError::Missing { path, .. }
            | LoadError::Foreign { path, .. }
            | LoadError::TooLarge { path, .. } => path,
        }
    }
}

/// The open tables of a material.
#[derive(Debug)]
pub(super) struct Source {
    pub space: IndexSpace,
    tables: [Option<(PathBuf, Table)>; 3],
}

impl Source {
    /// Opens the tables of a material and compares their headers with their names.
    pub fn open(directory: &Path, material: Material) -> Result<Source, LoadError> {
        if u32::try_from(Layout::new(material).addresses()).is_err() {
            let path = table_path(directory, &material, Metric::Wdl);
            return Err(LoadError::TooLarge { material, path });
        }
        let space = IndexSpace::new(material);
        let mut tables = [None, None, None];
        for metric in Metric::ALL {
            let path = table_path(directory, &material, metric);
            if !path.exists() {
                if metric == Metric::Wdl {
                    return Err(LoadError::Missing { material, path });
                }
                continue;
            }
            let table = Table::open(&path).map_err(|error| LoadError::Table {
                path: path.clone(),
                error,
            })?;
            let description = table.description();
            let fits = description.material == material.to_string()
                && description.metric == metric.number()
                && table.streams().iter().all(|stream| {
                    space.order(&stream.order()).is_ok()
                        && stream.len() == space.len()
                        && usize::from(stream.side()) < sides(&material)
                })
                && (metric != Metric::Wdl || table.streams().len() == sides(&material));
            if !fits {
                return Err(LoadError::Foreign {
                    path,
                    material,
                    metric,
                });
            }
            tables[usize::from(metric.number())] = Some((path, table));
        }
        Ok(Source { space, tables })
    }

    pub fn material(&self) -> &Material {
        self.space.material()
    }

    pub fn table(&self, metric: Metric) -> Option<&Table> {
        let table = self.tables[usize::from(metric.number())].as_ref();
        table.map(|(_, table)| table)
    }

    pub fn has(&self, metric: Metric) -> bool {
        self.table(metric).is_some()
    }

    /// Whether a side's values of a metric are in a file, not derived from the other side's.
    pub fn is_stored(&self, metric: Metric, side: usize) -> bool {
        let stream = if self.material().is_symmetric() {
            0
        } else {
            side
        };
        self.table(metric)
            .is_some_and(|table| table.stream(stream as u8).is_some())
    }

    /// The numbers of a metric, at the addresses of a frame. There must be such a stream. Numbers where no position is may
    /// be any.
    pub fn numbers(
        &self,
        metric: Metric,
        side: usize,
        frame: &Frame,
    ) -> Result<Vec<Line<u8>>, LoadError> {
        let exchanged = self.material().is_symmetric() && side == 1;
        let stored_side = if exchanged { 0 } else { side };
        let missing = || LoadError::Missing {
            material: *self.material(),
            path: PathBuf::from(format!("{}.{metric}", self.material())),
        };
        let (path, table) = self.tables[usize::from(metric.number())]
            .as_ref()
            .ok_or_else(missing)?;
        let stream = table.stream(stored_side as u8).ok_or_else(missing)?;
        let order = self
            .space
            .order(&stream.order())
            .map_err(|_| LoadError::Foreign {
                path: path.clone(),
                material: *self.material(),
                metric,
            })?;
        let gather = Gather::new(&self.space, &order, frame, exchanged);
        let range = gather.range(&order, &self.space);
        let block_values = u64::from(stream.block_values());
        let blocks = range.start / block_values..range.end.div_ceil(block_values);
        let first = blocks.start * block_values;
        let numbers = table
            .read_blocks(stream, blocks)
            .map_err(|error| LoadError::Table {
                path: path.clone(),
                error,
            })?;
        Ok(gather.run(&numbers, first))
    }
}

/// The sides to move that have values of their own: with the same men on both sides, one serves for both.
pub(super) fn sides(material: &Material) -> usize {
    if material.is_symmetric() { 1 } else { 2 }
}
