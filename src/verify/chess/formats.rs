//! The same material in both formats, compared.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::chess::index::IndexSpace;
use crate::chess::material::Material;
use crate::chess::rules::Position;
use crate::game::Color;
use crate::metric::Metric;
use crate::probe::{Format, ProbeError, ProbeOptions, TableFile, Tablebase};
use crate::verify::report::Difference;

/// The tables of a directory, those of each format for themselves. Where one is missing that a
/// capture or pawn move leads to, that of the other format stands in for it.
#[derive(Debug)]
pub struct BothFormats {
    directory: PathBuf,
    native: Tablebase,
    syzygy: Tablebase,
}

/// What a comparison of a material found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compared {
    /// Legal positions that were compared.
    pub positions: u64,
    /// Where the formats have different values; `stored` is that of the Syzygy table, `expected` of
    /// our own.
    pub differences: Vec<Difference>,
}

impl BothFormats {
    /// Lists the tables of a directory.
    ///
    /// # Errors
    ///
    /// [`ProbeError::Directory`] if that is impossible.
    pub fn open(directory: &Path) -> Result<BothFormats, ProbeError> {
        let options = ProbeOptions {
            map_files: false,
            ..ProbeOptions::default()
        };
        let all = Tablebase::open_with(&[directory], &options)?;
        let place = |file: &TableFile| (*file.material(), file.metric());
        let open = |format| {
            let (own, others): (Vec<_>, Vec<_>) =
                (all.tables().iter()).partition(|file| file.format() == format);
            let places: HashSet<_> = own.iter().map(|file| place(file)).collect();
            let others = (others.into_iter()).filter(|file| !places.contains(&place(file)));
            let paths: Vec<&Path> = own.into_iter().chain(others).map(TableFile::path).collect();
            Tablebase::open_files(&paths, &options)
        };
        Ok(BothFormats {
            directory: directory.to_owned(),
            native: open(Format::Native)?,
            syzygy: open(Format::Syzygy)?,
        })
    }

    /// Compares results, and distances to zeroing if both formats have them, at so many indices
    /// spread over all of a material, or at all if there are fewer. Stops early, with what it has,
    /// if the caller cancels.
    ///
    /// # Errors
    ///
    /// If a table that is needed is missing or damaged.
    pub fn compare(
        &self,
        material: &Material,
        indices: u64,
        cancel: &AtomicBool,
    ) -> Result<Compared, ProbeError> {
        let material = material.normal_form();
        let space = IndexSpace::new(material);
        let have = |metric: Metric| {
            let both = [
                (&self.native, Format::Native),
                (&self.syzygy, Format::Syzygy),
            ];
            both.iter().all(|(tables, format)| {
                let file = tables.table(&material, metric);
                file.is_some_and(|file| file.format() == *format)
            })
        };
        if !have(Metric::Wdl) {
            return Err(ProbeError::MissingTable {
                material: material.to_string(),
                metric: Metric::Wdl,
                searched: [self.directory.clone()].into(),
            });
        }
        let with_distances = have(Metric::Dtz);
        let indices = indices.min(space.len());
        let merge = |mut all: Compared, other: Compared| {
            all.positions += other.positions;
            all.differences.extend(other.differences);
            all
        };
        (0..indices)
            .into_par_iter()
            .filter(|_| !cancel.load(Ordering::Relaxed))
            .map(|number| spread(number, indices, space.len()))
            .flat_map_iter(|index| Color::ALL.map(|turn| (index, turn)))
            .filter_map(|(index, turn)| space.position(index, turn))
            .map(|(_, position)| {
                let differences = self.differences(&material, &position, with_distances)?;
                Ok(Compared {
                    positions: 1,
                    differences,
                })
            })
            .try_reduce(Compared::default, |all, other| Ok(merge(all, other)))
    }

    fn differences(
        &self,
        material: &Material,
        position: &Position,
        with_distances: bool,
    ) -> Result<Vec<Difference>, ProbeError> {
        let mut differences = Vec::new();
        let difference = |metric: Metric, stored: String, expected: String| Difference {
            subject: (*material).into(),
            format: Format::Syzygy,
            metric: metric.name(),
            fen: position.to_fen(),
            stored,
            expected,
        };
        let native = self.native.probe_wdl(position)?;
        let syzygy = self.syzygy.probe_wdl(position)?;
        if native != syzygy {
            let values = [syzygy, native].map(|wdl| wdl.to_string());
            let [stored, expected] = values;
            differences.push(difference(Metric::Wdl, stored, expected));
        } else if with_distances {
            let native = self.native.probe_dtz(position)?;
            let syzygy = self.syzygy.probe_dtz_range(position)?;
            if ![syzygy.shortest, syzygy.longest].contains(&native) {
                let stored = format!("{} to {}", syzygy.shortest, syzygy.longest);
                differences.push(difference(Metric::Dtz, stored, native.to_string()));
            }
        }
        Ok(differences)
    }
}

/// Number `number` of so many indices out of `len`: all in their order, or multiples of the golden
/// ratio.
fn spread(number: u64, indices: u64, len: u64) -> u64 {
    if indices == len {
        return number;
    }
    let fraction = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(fraction) * u128::from(len)) >> 64) as u64
}
