//! What two commands do for xiangqi.

mod stats;
mod tables;

use std::path::PathBuf;

use retrograde::tables::find;
use retrograde::xiangqi::{Material, Metric, Rules, Xiangqi};

pub use stats::stats;
pub use tables::info;

use super::directory::TableDirectory;

/// The files of a material that are there, with their metrics.
fn files(directory: &TableDirectory, rules: Rules, material: &Material) -> Vec<(Metric, PathBuf)> {
    let found =
        Metric::ALL.map(|metric| find::<Xiangqi>(directory.path(), rules, material, metric));
    let files = found.into_iter().flatten();
    files.map(|file| (file.metric, file.path)).collect()
}
