//! `retrograde stats`: how the values of a material are distributed.

mod collect;
mod svg;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use indicatif::HumanCount;
use retrograde::game::Color;
use retrograde::material::Material;
use retrograde::metric::Metric;
use serde_json::{Value, json};

use super::{Outcome, TableDirectory, input, progress};
use collect::{SideStatistics, Statistics};

/// Rows of a printed histogram, at most.
const ROWS: u32 = 24;
/// Columns of its longest bar.
const COLUMNS: u64 = 48;

/// Show histograms of a material's distances, its longest wins and mutual zugzwangs
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde stats KQvKR\n  \
    retrograde stats KPvKP --limit 100 --json\n  \
    retrograde stats KBNvK --svg kbnk.svg\n\n\
    Numbers of positions are over the full board, like those of `info`. In a mutual zugzwang whoever is to move\n\
    does worse than if it were the opponent's turn.")]
pub struct Stats {
    /// The material, in any order and case
    #[arg(value_parser = input::material)]
    material: Material,

    /// Draw the histograms into a file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// How many longest wins and zugzwangs to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Stats {
    /// Goes through all positions and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        let tables = directory.open()?;
        let metrics: Vec<Metric> = Metric::ALL
            .into_iter()
            .filter(|&metric| tables.table(&self.material, metric).is_some())
            .collect();
        if !metrics.contains(&Metric::Wdl) {
            return Err(directory.missing(&self.material, Metric::Wdl).into());
        }
        if metrics.len() == 1 {
            bail!(
                "{} has no distances here; add them with `retrograde generate {} --metric dtz,dtm`",
                self.material,
                self.material
            );
        }
        let bar = progress::bar(collect::work(&self.material), "indices");
        bar.set_message(self.material.to_string());
        let statistics = collect::collect(&tables, &self.material, &metrics, self.limit, &|done| {
            bar.inc(done);
        });
        bar.finish_and_clear();
        let statistics = statistics?;
        if let Some(path) = &self.svg {
            std::fs::write(path, svg::draw(&self.material, &statistics)).map_err(|error| {
                anyhow!("cannot write {}: {error}; check --svg", path.display())
            })?;
        }
        if self.json {
            writeln!(out, "{}", to_json(&self.material, &statistics))?;
        } else {
            print(&self.material, &statistics, self.limit, out)?;
        }
        Ok(Outcome::Done)
    }
}

fn to_json(material: &Material, statistics: &Statistics) -> Value {
    let side = |side: &SideStatistics| {
        let metric = |metric: Metric| {
            let histogram = side.histogram(metric)?;
            let longest = side.longest(metric);
            Some(json!({
                "histogram": histogram.iter().collect::<Vec<_>>(),
                "longest": {"plies": longest.plies, "positions": longest.count, "fens": longest.fens},
            }))
        };
        json!({"draws": side.draws, "dtz": metric(Metric::Dtz), "dtm": metric(Metric::Dtm)})
    };
    json!({
        "material": material.to_string(),
        "white": side(&statistics.sides[0]),
        "black": side(&statistics.sides[1]),
        "mutual_zugzwangs": {
            "positions": statistics.zugzwangs.count,
            "different": statistics.zugzwangs.different,
            "fens": statistics.zugzwangs.fens,
        },
    })
}

fn print(
    material: &Material,
    statistics: &Statistics,
    limit: usize,
    out: &mut dyn Write,
) -> Result<()> {
    for (color, side) in Color::ALL.into_iter().zip(&statistics.sides) {
        for metric in [Metric::Dtz, Metric::Dtm] {
            let Some(histogram) = side.histogram(metric) else {
                continue;
            };
            writeln!(out, "{material}, {color} to move, {metric} in plies")?;
            print_histogram(histogram, side.draws, out)?;
            let longest = side.longest(metric);
            if longest.plies > 0 {
                writeln!(
                    out,
                    "longest win: {} plies, {} positions",
                    longest.plies,
                    HumanCount(longest.count)
                )?;
            }
            for fen in &longest.fens {
                writeln!(out, "  {fen}")?;
            }
            writeln!(out)?;
        }
    }
    let zugzwangs = &statistics.zugzwangs;
    writeln!(
        out,
        "mutual zugzwangs: {} positions, {} without the symmetries of the board",
        HumanCount(zugzwangs.count),
        HumanCount(zugzwangs.different)
    )?;
    for fen in &zugzwangs.fens {
        writeln!(out, "  {fen}")?;
    }
    if zugzwangs.different > zugzwangs.fens.len() as u64 {
        writeln!(out, "  and more: --limit lists more than {limit}")?;
    }
    Ok(())
}

fn print_histogram(histogram: &BTreeMap<i32, u64>, draws: u64, out: &mut dyn Write) -> Result<()> {
    let rows = bins(histogram, draws);
    let highest = rows.iter().map(|row| row.1).max().unwrap_or(0).max(1);
    for (name, count) in rows {
        // Something is never drawn as nothing.
        let columns = (count * COLUMNS).div_ceil(highest) as usize;
        let bar = "#".repeat(columns);
        let count = HumanCount(count).to_string();
        writeln!(out, "{name:>14} {count:>14} {bar}")?;
    }
    Ok(())
}

/// Rows of equal width in plies: wins from the shortest on, draws, losses from the longest on.
fn bins(histogram: &BTreeMap<i32, u64>, draws: u64) -> Vec<(String, u64)> {
    let longest = histogram.keys().map(|plies| plies.unsigned_abs()).max();
    let width = longest.unwrap_or(0).div_ceil(ROWS / 2).max(1);
    let mut wins: BTreeMap<u32, u64> = BTreeMap::new();
    let mut losses: BTreeMap<u32, u64> = BTreeMap::new();
    for (&plies, &count) in histogram {
        // A mated position has no ply to go and is a loss.
        let bins = if plies > 0 { &mut wins } else { &mut losses };
        *bins
            .entry(plies.unsigned_abs().saturating_sub(1) / width)
            .or_default() += count;
    }
    let name = |what: &str, bin: u32| match width {
        1 => format!("{what} {}", bin + 1),
        _ => format!("{what} {}-{}", bin * width + 1, (bin + 1) * width),
    };
    let mut rows = Vec::new();
    rows.extend(wins.iter().map(|(&bin, &count)| (name("win", bin), count)));
    rows.push(("draw".to_owned(), draws));
    rows.extend(
        losses
            .iter()
            .rev()
            .map(|(&bin, &count)| (name("loss", bin), count)),
    );
    rows
}
