//! How fast xiangqi tables are probed.

use std::collections::HashSet;

use anyhow::Result;
use retrograde::game::Color;
use retrograde::probe::xiangqi::XiangqiProbeError;
use retrograde::xiangqi::{IndexSpace, Material, Metric, Position, Rules};

use super::probes::{ProbeTimes, Random, time_probes};
use crate::cli::directory::TableDirectory;

/// Times of probes in the largest tables that are there, of results alone and of all there is to
/// say; none if there are none.
///
/// # Errors
///
/// If a table is damaged or one that probes need is missing.
pub fn probe_times(directory: &TableDirectory, rules: Rules) -> Result<Vec<ProbeTimes>> {
    let results: HashSet<Material> = (directory.xiangqi_files()?.into_iter())
        .filter(|file| file.rules == rules && file.metric == Metric::Wdl)
        .map(|file| file.material)
        .collect();
    let Some(men) = results.iter().map(Material::men).max() else {
        return Ok(Vec::new());
    };
    let mut spaces: Vec<IndexSpace> = (results.into_iter())
        .filter(|material| material.men() == men)
        .filter_map(IndexSpace::new)
        .collect();
    spaces.sort_by_cached_key(|space| space.material().to_string());
    let tables = directory.open_xiangqi(rules)?;
    let position = |random: &mut Random| -> Option<Position> {
        let space = &spaces[random.below(spaces.len() as u64) as usize];
        let placement = space.placement(random.below(space.len()))?;
        placement.position(Color::ALL[random.below(2) as usize])
    };
    let wdl = |position: &Position| -> Result<(), XiangqiProbeError> {
        tables.probe_wdl(position).map(drop)
    };
    let all =
        |position: &Position| -> Result<(), XiangqiProbeError> { tables.probe(position).map(drop) };
    let clear = || tables.clear_cache();
    Ok(vec![
        time_probes("wdl", men, position, wdl, clear)?,
        time_probes("everything", men, position, all, clear)?,
    ])
}
