//! `retrograde stats`: how the values of a material are distributed.

mod collect;
mod svg;
mod zugzwang;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use indicatif::HumanCount;
use retrograde::Tablebase;
use retrograde::game::Color;
use retrograde::material::Material;
use retrograde::metric::Metric;
use retrograde::probe::Format;
use serde_json::{Value, json};

use super::{Outcome, TableDirectory, input, progress};
use collect::{SideStatistics, Statistics};
use zugzwang::{Kind, Zugzwangs};

/// Rows of a printed histogram, at most.
const ROWS: u32 = 24;
/// Columns of its longest bar.
const COLUMNS: u64 = 48;

/// Show histograms of a material's distances, its longest wins and mutual zugzwangs
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde stats KQvKR\n  \
    retrograde stats KPvKP --limit 100 --json\n  \
    retrograde stats KBNvK --svg kbnk.svg\n  \
    retrograde stats KRPvKR --metric wdl\n\n\
    Numbers of positions are over the full board, like those of `info`. In a mutual zugzwang whoever is to move\n\
    does worse than if it were the opponent's turn; both turns are legal, and the fifty-move rule is ignored.\n\
    `different` ones are counted as in published lists: mirror images are one position, and where both sides have\n\
    the same men, so are positions with the colours exchanged.")]
pub struct Stats {
    /// The material, in any order and case
    #[arg(value_parser = input::material)]
    material: Material,

    /// Which distances to show histograms of; wdl shows none, only zugzwangs, in a small part of the time [default:
    /// those that are there]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    metric: Vec<Metric>,

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
        let Some(results) = tables.table(&self.material, Metric::Wdl) else {
            return Err(directory.missing(&self.material, Metric::Wdl).into());
        };
        let draws = results.description()?.counts.map(|counts| counts.draw);
        let metrics = self.metrics(directory, &tables)?;
        if self.svg.is_some() && metrics.is_empty() {
            bail!(
                "there are no distances to draw; leave out --svg, or add them with `retrograde generate {} \
                 --metric dtz,dtm` and choose them with --metric",
                self.material
            );
        }
        let distances = if metrics.is_empty() {
            0
        } else {
            collect::work(&self.material)
        };
        let bar = progress::bar(distances + zugzwang::work(&self.material), "indices");
        bar.set_message(self.material.to_string());
        let advance = |done| bar.inc(done);
        let zugzwangs = zugzwang::find(&tables, &self.material, self.limit, &advance);
        let statistics = zugzwangs.and_then(|zugzwangs| {
            let distances = match metrics.is_empty() {
                true => Statistics::default(),
                false => collect::collect(&tables, &self.material, &metrics, self.limit, &advance)?,
            };
            Ok((distances, zugzwangs))
        });
        bar.finish_and_clear();
        let (statistics, zugzwangs) = statistics?;
        let answer = Answer {
            material: self.material,
            draws,
            statistics,
            zugzwangs,
        };
        if let Some(path) = &self.svg {
            std::fs::write(path, svg::draw(&self.material, &answer.statistics)).map_err(
                |error| anyhow!("cannot write {}: {error}; check --svg", path.display()),
            )?;
        }
        if self.json {
            writeln!(out, "{}", answer.to_json())?;
        } else {
            answer.print(self.limit, out)?;
        }
        Ok(Outcome::Done)
    }

    /// The distances that are wanted: those that are there, if nothing is said.
    fn metrics(&self, directory: &TableDirectory, tables: &Tablebase) -> Result<Vec<Metric>> {
        let distances = [Metric::Dtz, Metric::Dtm].into_iter();
        // Syzygy tables have rounded distances, which would be counted as if they were exact.
        let is_there = |metric: &Metric| {
            let file = tables.table(&self.material, *metric);
            file.is_some_and(|file| file.format() == Format::Native)
        };
        if self.metric.is_empty() {
            return Ok(distances.filter(is_there).collect());
        }
        distances
            .filter(|metric| self.metric.contains(metric))
            .map(|metric| match is_there(&metric) {
                true => Ok(metric),
                false => Err(directory.missing(&self.material, metric).into()),
            })
            .collect()
    }
}

/// All that is printed.
struct Answer {
    material: Material,
    /// White to move, black to move.
    draws: [u64; 2],
    statistics: Statistics,
    /// By [`Kind`].
    zugzwangs: [Zugzwangs; 3],
}

impl Answer {
    fn to_json(&self) -> Value {
        let side = |number: usize| {
            let side = &self.statistics.sides[number];
            let metric = |metric: Metric| {
                let histogram = side.histogram(metric)?;
                let longest = side.longest(metric);
                Some(json!({
                    "histogram": histogram.iter().collect::<Vec<_>>(),
                    "longest": {"plies": longest.plies, "positions": longest.count, "fens": longest.fens},
                }))
            };
            json!({"draws": self.draws[number], "dtz": metric(Metric::Dtz), "dtm": metric(Metric::Dtm)})
        };
        let of_kind = |kind: Kind| {
            let Zugzwangs {
                count,
                different,
                fens,
            } = &self.zugzwangs[kind as usize];
            json!({"positions": count, "different": different, "fens": fens})
        };
        let (positions, different) = zugzwang::totals(&self.material, &self.zugzwangs);
        json!({
            "material": self.material.to_string(),
            "white": side(0),
            "black": side(1),
            "mutual_zugzwangs": {
                "positions": positions,
                "different": different,
                "white_draws_black_loses": of_kind(Kind::BlackLoses),
                "white_loses_black_draws": of_kind(Kind::WhiteLoses),
                "whoever_moves_loses": of_kind(Kind::BothLose),
            },
        })
    }

    fn print(&self, limit: usize, out: &mut dyn Write) -> Result<()> {
        for color in Color::ALL {
            self.print_distances(color, out)?;
        }
        let (positions, different) = zugzwang::totals(&self.material, &self.zugzwangs);
        writeln!(
            out,
            "{} mutual zugzwangs: {} positions, {} different",
            self.material,
            HumanCount(positions),
            HumanCount(different)
        )?;
        for kind in Kind::ALL {
            let of_kind = &self.zugzwangs[kind as usize];
            if of_kind.count == 0 {
                continue;
            }
            writeln!(
                out,
                "{}: {} positions, {} different",
                kind.name(),
                HumanCount(of_kind.count),
                HumanCount(of_kind.different)
            )?;
            for fen in &of_kind.fens {
                writeln!(out, "  {fen}")?;
            }
            if of_kind.different > of_kind.fens.len() as u64 {
                writeln!(out, "  and more: --limit lists more than {limit}")?;
            }
        }
        Ok(())
    }

    fn print_distances(&self, color: Color, out: &mut dyn Write) -> Result<()> {
        let side: &SideStatistics = &self.statistics.sides[color.index()];
        for metric in [Metric::Dtz, Metric::Dtm] {
            let Some(histogram) = side.histogram(metric) else {
                continue;
            };
            writeln!(out, "{}, {color} to move, {metric} in plies", self.material)?;
            print_histogram(histogram, self.draws[color.index()], out)?;
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
        Ok(())
    }
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
