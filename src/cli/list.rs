//! `retrograde list`: which tables are there.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use indicatif::HumanBytes;
use retrograde::chess::material::Material;
use retrograde::game::{Game, Signature};
use retrograde::metric::Metric;
use retrograde::xiangqi::{self, Rules};
use serde::Serialize;
use serde_json::json;

use super::directory::TableDirectory;
use super::manifest::{self, Manifest};
use super::names::Name;
use super::{Outcome, print, progress};

/// List the tables that are there, with their sizes
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde list --tables ~/tables\n  \
    retrograde list --men 5 --metric dtm --sort size\n  \
    retrograde list KRPvKR --json\n  \
    retrograde list --manifest > tables.json")]
pub struct List {
    /// Only these materials, in any order and case, or patterns such as 'KRP*vKR?', where ? stands
    /// for a man and * for any men or none
    #[arg(value_name = "MATERIAL")]
    materials: Vec<String>,

    /// Only tables of this game: chess or xiangqi
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Only tables of so many men
    #[arg(long, value_name = "N")]
    men: Option<usize>,

    /// Only tables of this metric, such as dtm
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,

    /// Only tables of this format: native or syzygy
    #[arg(long, value_name = "FORMAT", value_parser = ["native", "syzygy"])]
    format: Option<String>,

    /// Xiangqi: only tables of these rules, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,

    /// In which order: by number of men, by name, or the largest first
    #[arg(long, value_name = "ORDER", value_enum, default_value_t)]
    sort: Sort,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Print a manifest of the tables of both games instead: sizes, SHA-256 and numbers of
    /// positions, for `verify --manifest`
    #[arg(long, conflicts_with_all = ["materials", "game", "men", "metric", "format", "rules", "sort", "json"])]
    manifest: bool,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Sort {
    #[default]
    Men,
    Name,
    Size,
}

/// A file that is named like a table.
#[derive(Debug, Serialize)]
pub struct Row {
    material: String,
    #[serde(skip)]
    men: usize,
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
        (&self.material, self.rules.unwrap_or(self.game))
    }
}

impl List {
    /// Lists.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        if self.manifest {
            return manifest(directory, out);
        }
        let mut rows = Vec::new();
        if self.game != Some(Game::Xiangqi) {
            rows = chess(directory)?;
        }
        if self.game != Some(Game::Chess) {
            rows.extend(xiangqi(directory)?);
        }
        let is_empty = rows.is_empty();
        self.filter(&mut rows)?;
        let key = |row: &Row| (row.material.clone(), row.rules.unwrap_or(row.game));
        let mut sizes: HashMap<(String, &str), u64> = HashMap::new();
        for row in &rows {
            *sizes.entry(key(row)).or_default() += row.bytes;
        }
        // Stable: what is equal stays in the order in which it was found, which is by men.
        match self.sort {
            Sort::Men => rows.sort_by_cached_key(|row| (row.game, row.rules, row.men)),
            Sort::Name => rows.sort_by_cached_key(key),
            Sort::Size => rows.sort_by_cached_key(|row| (Reverse(sizes[&key(row)]), key(row))),
        }
        if self.json {
            let answer = json!({"directory": directory.display(), "tables": rows});
            writeln!(out, "{answer}")?;
        } else if is_empty {
            return Err(directory.nothing().into());
        } else {
            print_rows(&rows, out)?;
            let total = rows.iter().map(|row| row.bytes).sum();
            print::total(rows.len(), total, &directory.display(), out)?;
            for error in rows.iter().filter_map(|row| row.error.as_ref()) {
                writeln!(out, "damaged: {error}")?;
            }
        }
        Ok(match rows.is_empty() && !self.json {
            true => Outcome::No("no table is of that kind; ask for more kinds".to_owned()),
            false => Outcome::Done,
        })
    }

    /// Leaves what was asked for.
    fn filter(&self, rows: &mut Vec<Row>) -> Result<()> {
        let mut chess: Vec<Name<Material>> = Vec::new();
        let mut xiangqi: Vec<Name<xiangqi::Material>> = Vec::new();
        for name in &self.materials {
            match (Name::read(name), Name::read(name)) {
                (Err(error), Err(_)) => return Err(error),
                (of_chess, of_xiangqi) => {
                    chess.extend(of_chess.ok());
                    xiangqi.extend(of_xiangqi.ok());
                }
            }
        }
        if !self.materials.is_empty() {
            rows.retain(|row| match row.rules {
                None => is_named(&row.material, &chess),
                Some(_) => is_named(&row.material, &xiangqi),
            });
        }
        if let Some(metric) = &self.metric {
            let chess = Metric::ALL.map(Metric::name);
            let xiangqi = xiangqi::Metric::ALL.map(xiangqi::Metric::name);
            if !chess.iter().chain(&xiangqi).any(|name| name == metric) {
                bail!("--metric {metric}: write wdl, dtz, dtm, dtc or rounds");
            }
        }
        rows.retain(|row| {
            self.men.is_none_or(|men| men == row.men)
                && self.metric.as_ref().is_none_or(|it| it == row.metric)
                && self.format.as_ref().is_none_or(|it| it == row.format)
                && self.rules.is_none_or(|it| row.rules == Some(it.name()))
        });
        Ok(())
    }
}

/// Whether a material is one of those that are named.
fn is_named<M: Signature>(material: &str, names: &[Name<M>]) -> bool {
    let material = material.parse::<M>().map(|it| it.normal_form());
    material.is_ok_and(|material| names.iter().any(|name| name.means(&material)))
}

/// Prints the sizes, a row for each material and, of xiangqi, rules.
fn print_rows(rows: &[Row], out: &mut dyn Write) -> Result<()> {
    let is_there = |metric: &&str| rows.iter().any(|row| row.metric == *metric);
    let chess = Metric::ALL.map(Metric::name);
    let xiangqi = xiangqi::Metric::ALL.map(xiangqi::Metric::name);
    let mut metrics: Vec<&str> = Vec::new();
    for (metrics_of, game) in [(&chess[..], "chess"), (&xiangqi[..], "xiangqi")] {
        // All of a game, so that what is missing is seen.
        let has_game = rows.iter().any(|row| row.game == game);
        for metric in metrics_of {
            if !metrics.contains(metric) && (has_game || is_there(metric)) {
                metrics.push(metric);
            }
        }
    }
    let longest = |of: fn(&Row) -> usize, least: usize| rows.iter().map(of).max().max(Some(least));
    let width = longest(|row| row.material.len(), 10).unwrap_or_default();
    let kind_width = longest(|row| row.key().1.len(), 5).unwrap_or_default();
    write!(
        out,
        "{:<width$} {:<kind_width$} {:<7}",
        "material", "game", "format"
    )?;
    for metric in &metrics {
        write!(out, " {metric:>12}")?;
    }
    writeln!(out)?;
    for files in rows.chunk_by(|a, b| a.key() == b.key()) {
        let (material, kind) = files[0].key();
        let format = match files.iter().all(|file| file.format == files[0].format) {
            true => files[0].format,
            false => "both",
        };
        write!(out, "{material:<width$} {kind:<kind_width$} {format:<7}")?;
        for metric in &metrics {
            let of_metric = files.iter().filter(|file| file.metric == *metric);
            let size = match of_metric.clone().next() {
                None => "-".to_owned(),
                Some(_) => HumanBytes(of_metric.map(|file| file.bytes).sum()).to_string(),
            };
            write!(out, " {size:>12}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Reads all tables and prints what a copy of them has to be like.
fn manifest(directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
    let cancel = progress::cancel_on_interrupt()?;
    let place = directory.only("list --manifest")?;
    let bar = progress::bytes(manifest::bytes(place)?);
    let manifest = Manifest::of(place, &cancel, &bar)?;
    bar.finish_and_clear();
    if manifest.is_empty() {
        return Err(directory.nothing().into());
    }
    manifest.print(out)?;
    Ok(Outcome::Done)
}

/// The tables of a game.
///
/// # Errors
///
/// If the directory cannot be read.
pub fn rows(game: Game, directory: &TableDirectory) -> Result<Vec<Row>> {
    match game {
        Game::Chess => chess(directory),
        Game::Xiangqi => xiangqi(directory),
    }
}

/// The chess tables.
fn chess(directory: &TableDirectory) -> Result<Vec<Row>> {
    let tables = directory.open()?;
    let mut rows = Vec::new();
    for file in tables.tables() {
        rows.push(Row {
            material: file.material().to_string(),
            men: file.material().men(),
            game: "chess",
            rules: None,
            metric: file.metric().name(),
            format: file.format().name(),
            file: file.path().to_owned(),
            bytes: file.bytes()?,
            error: file
                .check()
                .err()
                .map(|error| directory.advised(error.to_string())),
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
            men: file.material.men(),
            game: "xiangqi",
            rules: Some(file.rules.name()),
            metric: file.metric.name(),
            format: "native",
            bytes: std::fs::metadata(&file.path)?.len(),
            error: file
                .open(false)
                .err()
                .map(|error| directory.advised(error.to_string())),
            file: file.path,
        });
    }
    Ok(rows)
}
