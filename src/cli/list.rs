//! `retrograde list`: which tables are there.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use indicatif::HumanBytes;
use retrograde::game::Game;
use retrograde::metric::Metric;
use retrograde::xiangqi;
use serde::Serialize;
use serde_json::json;

use super::directory::TableDirectory;
use super::manifest::{self, Manifest};
use super::{Outcome, print, progress};

/// List the tables that are there, with their sizes
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde list --tables ~/tables\n  \
    retrograde list --manifest > tables.json")]
pub struct List {
    /// List the tables of this game: chess or xiangqi
    #[arg(long, value_name = "GAME", default_value_t)]
    game: Game,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Print a manifest of the tables of both games instead: sizes, SHA-256 and numbers of positions, for `verify --manifest`
    #[arg(long, conflicts_with_all = ["game", "json"])]
    manifest: bool,
}

/// A file that is named like a table.
#[derive(Debug, Serialize)]
struct Row {
    material: String,
    game: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<&'static str>,
    metric: &'static str,
    format: &'static str,
    #[serde(serialize_with = "crate::cli::print::path")]
    file: PathBuf,
    bytes: u64,
    /// Why it is of no use.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Row {
    /// Files with the same are in one row of the table that is printed.
    fn key(&self) -> (&str, &str) {
        (&self.material, self.rules.unwrap_or(self.format))
    }
}

impl List {
    /// Lists.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        if self.manifest {
            return manifest(directory, out);
        }
        let (rows, metrics) = match self.game {
            Game::Chess => (chess(directory)?, Metric::ALL.map(Metric::name).to_vec()),
            Game::Xiangqi => {
                let metrics = xiangqi::Metric::ALL.map(xiangqi::Metric::name);
                (xiangqi(directory)?, metrics.to_vec())
            }
        };
        if self.json {
            let answer =
                json!({"directory": directory.path().display().to_string(), "tables": rows});
            writeln!(out, "{answer}")?;
        } else if rows.is_empty() {
            return Err(directory.nothing().into());
        } else {
            let of_one = |a: &Row, b: &Row| (&a.material, a.rules) == (&b.material, b.rules);
            let mut sorted: Vec<&Row> = rows.iter().collect();
            // Stable: materials and metrics stay in their order.
            sorted
                .sort_by_cached_key(|row| (rows.iter().position(|it| of_one(it, row)), row.format));
            self.print(&sorted, &metrics, out)?;
            let total = rows.iter().map(|row| row.bytes).sum();
            print::total(rows.len(), total, directory.path(), out)?;
            for error in sorted.iter().filter_map(|row| row.error.as_ref()) {
                writeln!(out, "damaged: {error}")?;
            }
        }
        Ok(Outcome::Done)
    }

    /// Prints the sizes, a row for each material and format or rules.
    fn print(&self, rows: &[&Row], metrics: &[&str], out: &mut dyn Write) -> Result<()> {
        let start = |material: &dyn Display, key: &str| match self.game {
            Game::Chess => format!("{material:<10} {key:<7}"),
            Game::Xiangqi => format!("{material:<16} {key:<15}"),
        };
        let key = match self.game {
            Game::Chess => "format",
            Game::Xiangqi => "rules",
        };
        write!(out, "{}", start(&"material", key))?;
        for metric in metrics {
            write!(out, " {metric:>12}")?;
        }
        writeln!(out)?;
        for files in rows.chunk_by(|a, b| a.key() == b.key()) {
            let (material, key) = files[0].key();
            write!(out, "{}", start(&material, key))?;
            for metric in metrics {
                let file = files.iter().find(|file| file.metric == *metric);
                let size = file.map_or("-".to_owned(), |file| HumanBytes(file.bytes).to_string());
                write!(out, " {size:>12}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Reads all tables and prints what a copy of them has to be like.
fn manifest(directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
    let cancel = progress::cancel_on_interrupt()?;
    let bar = progress::bytes(manifest::bytes(directory.path())?);
    let manifest = Manifest::of(directory.path(), &cancel, &bar)?;
    bar.finish_and_clear();
    if manifest.is_empty() {
        return Err(directory.nothing().into());
    }
    manifest.print(out)?;
    Ok(Outcome::Done)
}

/// The chess tables.
fn chess(directory: &TableDirectory) -> Result<Vec<Row>> {
    let tables = directory.open()?;
    let mut rows = Vec::new();
    for file in tables.tables() {
        rows.push(Row {
            material: file.material().to_string(),
            game: "chess",
            rules: None,
            metric: file.metric().name(),
            format: file.format().name(),
            file: file.path().to_owned(),
            bytes: file.bytes()?,
            error: file.check().err().map(|error| error.to_string()),
        });
    }
    Ok(rows)
}

/// The xiangqi tables, by rules.
fn xiangqi(directory: &TableDirectory) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for file in directory.xiangqi_files()? {
        rows.push(Row {
            material: file.material.to_string(),
            game: "xiangqi",
            rules: Some(file.rules.name()),
            metric: file.metric.name(),
            format: "native",
            bytes: std::fs::metadata(&file.path)?.len(),
            error: file.open(false).err().map(|error| error.to_string()),
            file: file.path,
        });
    }
    Ok(rows)
}
