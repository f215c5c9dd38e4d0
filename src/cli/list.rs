//! `retrograde list`: which tables are there.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use indicatif::HumanBytes;
use retrograde::metric::Metric;
use serde_json::json;

use super::{Outcome, TableDirectory};

/// List the tables that are there, with their sizes
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  retrograde list --tables ~/tables")]
pub struct List {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl List {
    /// Lists.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        let tables = directory.open()?;
        if self.json {
            let files = tables
                .tables()
                .iter()
                .map(|file| {
                    let mut entry = json!({
                        "material": file.material().to_string(),
                        "game": "chess",
                        "metric": file.metric().name(),
                        "format": "native",
                        "file": file.path(),
                        "bytes": file.bytes()?,
                    });
                    if let Err(error) = file.table() {
                        entry["error"] = json!(error.to_string());
                    }
                    Ok(entry)
                })
                .collect::<Result<Vec<_>>>()?;
            let answer = json!({"directory": directory.path(), "tables": files});
            writeln!(out, "{answer}")?;
            return Ok(Outcome::Done);
        }
        if tables.tables().is_empty() {
            return Err(directory.nothing().into());
        }
        writeln!(
            out,
            "{:<10} {:>12} {:>12} {:>12}",
            "material", "wdl", "dtz", "dtm"
        )?;
        let mut total = 0;
        let mut damaged = Vec::new();
        let files = tables.tables();
        for of_material in files.chunk_by(|a, b| a.material() == b.material()) {
            write!(out, "{:<10}", of_material[0].material())?;
            for metric in Metric::ALL {
                let file = of_material.iter().find(|file| file.metric() == metric);
                let mut size = "-".to_owned();
                if let Some(file) = file {
                    total += file.bytes()?;
                    size = HumanBytes(file.bytes()?).to_string();
                    damaged.extend(file.table().err());
                }
                write!(out, " {size:>12}")?;
            }
            writeln!(out)?;
        }
        writeln!(
            out,
            "{} tables, {}, in {}",
            files.len(),
            HumanBytes(total),
            directory.path().display()
        )?;
        for error in damaged {
            writeln!(out, "damaged: {error}")?;
        }
        Ok(Outcome::Done)
    }
}
