//! `retrograde list`: which tables are there.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use indicatif::HumanBytes;
use retrograde::game::Game;
use retrograde::metric::Metric;
use retrograde::probe::TableFile;
use serde_json::json;

use super::{Outcome, TableDirectory, print, xiangqi};

/// List the tables that are there, with their sizes
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  retrograde list --tables ~/tables")]
pub struct List {
    /// List the tables of this game: chess or xiangqi
    #[arg(long, value_name = "GAME", default_value_t)]
    game: Game,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl List {
    /// Lists.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        if self.game == Game::Xiangqi {
            return xiangqi::list(self.json, directory, out);
        }
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
                        "format": file.format().name(),
                        "file": file.path(),
                        "bytes": file.bytes()?,
                    });
                    if let Err(error) = file.check() {
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
            "{:<10} {:<7} {:>12} {:>12} {:>12}",
            "material", "format", "wdl", "dtz", "dtm"
        )?;
        let mut total = 0;
        let mut damaged = Vec::new();
        let files = tables.tables();
        let mut rows: Vec<&TableFile> = files.iter().collect();
        rows.sort_by_key(|file| file.format());
        // Stable: the materials stay in their order.
        rows.sort_by_cached_key(|file| {
            let is_first = |first: &TableFile| first.material() == file.material();
            files.iter().position(is_first)
        });
        let is_one_row = |a: &&TableFile, b: &&TableFile| {
            a.material() == b.material() && a.format() == b.format()
        };
        for row in rows.chunk_by(is_one_row) {
            let format = row[0].format().name();
            write!(out, "{:<10} {format:<7}", row[0].material())?;
            for metric in Metric::ALL {
                let file = row.iter().find(|file| file.metric() == metric);
                let mut size = "-".to_owned();
                if let Some(file) = file {
                    total += file.bytes()?;
                    size = HumanBytes(file.bytes()?).to_string();
                    damaged.extend(file.check().err());
                }
                write!(out, " {size:>12}")?;
            }
            writeln!(out)?;
        }
        print::total(files.len(), total, directory.path(), out)?;
        for error in damaged {
            writeln!(out, "damaged: {error}")?;
        }
        Ok(Outcome::Done)
    }
}
