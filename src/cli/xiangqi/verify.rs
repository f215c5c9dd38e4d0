//! `retrograde verify --game xiangqi`.

use std::io::Write;
use std::time::Instant;

use anyhow::{Result, bail};
use indicatif::HumanCount;
use retrograde::Error;
use retrograde::verify::xiangqi::verify_xiangqi;
use retrograde::xiangqi::{Material, Metric, Rules};
use serde_json::json;

use super::parse;
use super::tables::listed;
use crate::cli::print::{differences, unreadable_json, verdict};
use crate::cli::{Outcome, TableDirectory, progress};

/// Checks and prints; without names, all that are there.
pub fn verify(
    signatures: &[String],
    rules: Rules,
    json: bool,
    directory: &TableDirectory,
    out: &mut dyn Write,
) -> Result<Outcome> {
    let mut materials: Vec<Material> = signatures
        .iter()
        .map(|signature| parse(signature))
        .collect::<Result<_>>()?;
    if materials.is_empty() {
        let results = listed(directory)?.into_iter();
        materials = results
            .filter(|file| file.rules == rules && file.metric == Metric::Wdl)
            .map(|file| file.material)
            .collect();
    }
    if materials.is_empty() {
        return Err(directory.nothing().into());
    }
    let cancel = progress::cancel_on_interrupt()?;
    let start = Instant::now();
    let report = match verify_xiangqi(directory.path(), rules, &materials, &cancel) {
        Err(Error::Cancelled) => {
            bail!("stopped before all was checked; name materials to check only some")
        }
        other => other?,
    };
    let seconds = start.elapsed().as_secs_f64();
    if json {
        let answer = json!({
            "game": "xiangqi",
            "rules": rules.name(),
            "tables": report.tables,
            "positions": report.positions,
            "seconds": seconds,
            "difference_count": report.differences,
            "differences": report.listed,
            "unreadable": unreadable_json(&report.unreadable),
        });
        writeln!(out, "{answer}")?;
    } else {
        for (path, why) in &report.unreadable {
            writeln!(out, "{}: {why}", path.display())?;
        }
        differences(&report.listed, report.differences, out)?;
        if report.is_clean() {
            writeln!(
                out,
                "no difference: {} tables, {} positions in {seconds:.1} s",
                report.tables,
                HumanCount(report.positions)
            )?;
        }
    }
    Ok(verdict(
        report.differences,
        report.unreadable.len(),
        directory.path(),
    ))
}
