//! Making tables again that `verify` could not read.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use retrograde::chess::Chess;
use retrograde::game::Signature;
use retrograde::generate::{Generate, GenerateOptions};
use retrograde::probe::Format;
use retrograde::syzygy;
use retrograde::tables::{parse_file_name, rules_directory};
use retrograde::xiangqi::{Rules, Xiangqi};

use super::generate::run;
use super::progress::ProgressOptions;
use super::room;

/// What a file name says.
type Named<G> = (
    <G as retrograde::game::TableGame>::Material,
    <G as retrograde::game::TableGame>::Metric,
);

/// The meaning of a file name.
type Meaning<G> = fn(&str) -> Option<Named<G>>;

/// Generates what some files should be, and what that depends on. Returns how many files were
/// written.
///
/// # Errors
///
/// Those of a generation.
pub fn repair(
    directory: &Path,
    damaged: &[PathBuf],
    progress: &ProgressOptions,
    cancel: &AtomicBool,
) -> Result<usize> {
    let mut files = 0;
    let names: [(Format, Meaning<Chess>); 2] = [
        (Format::Native, parse_file_name::<Chess>),
        (Format::Syzygy, syzygy::parse_file_name),
    ];
    for (format, meaning) in names {
        let options = GenerateOptions {
            format,
            ..GenerateOptions::new(directory, Vec::new())
        };
        files += generate(&options, damaged, meaning, progress, cancel)?;
    }
    for rules in Rules::ALL {
        let options = GenerateOptions::xiangqi(directory, Vec::new(), rules);
        files += generate(
            &options,
            damaged,
            parse_file_name::<Xiangqi>,
            progress,
            cancel,
        )?;
    }
    Ok(files)
}

/// Does it for one game, and one format or set of rules.
fn generate<G: Generate>(
    options: &GenerateOptions<G>,
    damaged: &[PathBuf],
    meaning: Meaning<G>,
    progress: &ProgressOptions,
    cancel: &AtomicBool,
) -> Result<usize> {
    let directory = rules_directory::<G>(&options.directory, options.rules);
    let mut wanted: Vec<(G::Material, Vec<G::Metric>)> = Vec::new();
    for path in damaged
        .iter()
        .filter(|path| path.parent() == Some(&directory))
    {
        let name = path.file_name().and_then(|name| name.to_str());
        let Some((material, metric)) = name.and_then(&meaning) else {
            continue;
        };
        let material = material.normal_form();
        match wanted.iter_mut().find(|(other, _)| *other == material) {
            Some((_, metrics)) => metrics.push(metric),
            None => wanted.push((material, vec![metric])),
        }
    }
    let mut files = 0;
    // One after the other: together, metrics that only one of them has would be made for all.
    for (material, metrics) in wanted {
        let options = GenerateOptions {
            materials: vec![material],
            metrics,
            ..options.clone()
        };
        let plan = room::plan(&options)?;
        room::refuse_what_does_not_fit(&plan, &options)?;
        files += run(&plan, progress, cancel)??.files;
    }
    Ok(files)
}
