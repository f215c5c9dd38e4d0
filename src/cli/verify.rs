//! `retrograde verify`: checks tables.

use std::io::Write;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::HumanCount;
use retrograde::material::Material;
use retrograde::probe::ProbeError;
use retrograde::verify::{Report, verify, work};
use retrograde::{Error, Tablebase};
use serde_json::json;

use super::{Outcome, TableDirectory, input, progress};

/// Check tables: every checksum, then every value against the values of its successors
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde verify KQvKR KPvKP\n  \
    retrograde verify --all\n\n\
    Exit status 1 if a difference is found. The tables that captures and promotions lead to must be there.")]
pub struct Verify {
    /// Materials such as KRPvKR, in any order and case
    #[arg(
        value_name = "MATERIAL",
        value_parser = input::material,
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    materials: Vec<Material>,

    /// All tables that are there
    #[arg(long)]
    all: bool,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Print one JSON object a line, one for each material
    #[arg(long)]
    json: bool,
}

impl Verify {
    /// Checks and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        let tables = directory.open()?;
        let materials = self.materials(&tables, directory)?;
        let cancel = progress::cancel_on_interrupt()?;
        let bar = progress::bar(materials.iter().map(work).sum(), "indices");
        let start = Instant::now();
        let (mut files, mut positions, mut wrong) = (0, 0, Vec::new());
        for material in &materials {
            bar.set_message(material.to_string());
            let report = match verify(&tables, material, &cancel, &|done| bar.inc(done)) {
                Err(ProbeError::Table(error)) if matches!(*error, Error::Cancelled) => {
                    bar.finish_and_clear();
                    bail!("stopped before all was checked; name materials to check some of them")
                }
                other => other?,
            };
            bar.suspend(|| self.show(&report, out))?;
            files += report.files;
            positions += report.positions;
            if !report.is_clean() {
                wrong.push(material.to_string());
            }
        }
        bar.finish_and_clear();
        if !wrong.is_empty() {
            return Ok(Outcome::No(format!(
                "differences in {}; remove these files and run `retrograde generate {}`",
                wrong.join(" "),
                wrong.join(" ")
            )));
        }
        if !self.json {
            writeln!(
                out,
                "no difference: {} materials, {files} files, {} positions in {:.1} s",
                materials.len(),
                HumanCount(positions),
                start.elapsed().as_secs_f64()
            )?;
        }
        Ok(Outcome::Done)
    }

    fn materials(&self, tables: &Tablebase, directory: &TableDirectory) -> Result<Vec<Material>> {
        if self.all {
            let mut materials: Vec<Material> = tables
                .tables()
                .iter()
                .map(|file| *file.material())
                .collect();
            materials.dedup();
            if materials.is_empty() {
                return Err(directory.nothing().into());
            }
            return Ok(materials);
        }
        let materials = input::materials(&self.materials, None);
        for material in &materials {
            if tables
                .tables()
                .iter()
                .all(|file| file.material() != material)
            {
                let metric = retrograde::metric::Metric::Wdl;
                return Err(directory.missing(material, metric).into());
            }
        }
        Ok(materials)
    }

    fn show(&self, report: &Report, out: &mut dyn Write) -> Result<()> {
        let differences: Vec<String> = report.differences.iter().map(ToString::to_string).collect();
        if self.json {
            let answer = json!({
                "material": report.material.to_string(),
                "files": report.files,
                "positions": report.positions,
                "difference_count": report.difference_count,
                "differences": differences,
            });
            writeln!(out, "{answer}")?;
        } else {
            for difference in &differences {
                writeln!(out, "{}: {difference}", report.material)?;
            }
            let more = report.difference_count - differences.len() as u64;
            if more > 0 {
                writeln!(out, "{}: {} more", report.material, HumanCount(more))?;
            }
        }
        Ok(out.flush()?)
    }
}
