//! `retrograde stats`: how the values of a material are distributed.

mod collect;
pub(super) mod histogram;
mod svg;
pub(super) mod zugzwang;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use retrograde::Tablebase;
use retrograde::game::{Color, Game};
use retrograde::material::Material;
use retrograde::metric::Metric;
use retrograde::probe::Format;
use retrograde::xiangqi::Rules;
use serde_json::{Value, json};

use super::{Outcome, TableDirectory, input, progress, xiangqi};
use collect::{SideStatistics, Statistics};
use histogram::Distances;
use zugzwang::Found;

/// Show histograms of a material's distances, its longest wins and mutual zugzwangs
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde stats KQvKR\n  \
    retrograde stats KPvKP --limit 100 --json\n  \
    retrograde stats KBNvK --svg kbnk.svg\n  \
    retrograde stats KRPvKR --metric wdl\n  \
    retrograde stats KCAvKN --game xiangqi\n\n\
    Numbers of positions are over the full board, like those of `info`. In a mutual zugzwang whoever is to move\n\
    does worse than if it were the opponent's turn; both turns are legal, and the fifty-move rule is ignored.\n\
    `different` ones are counted as in published lists: mirror images are one position, and where both sides have\n\
    the same men, so are positions with the colours exchanged.")]
pub struct Stats {
    /// The material, in any order and case
    pub(super) material: String,

    /// The game: chess or xiangqi; has to be said where both have tables of that name
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Xiangqi: the rules of the tables, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES", default_value_t)]
    pub(super) rules: Rules,

    /// Which distances to show histograms of; wdl shows none, only zugzwangs, in a small part of the time [default:
    /// those that are there]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    pub(super) metric: Vec<String>,

    /// Draw the histograms into a file
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,

    /// How many longest wins and zugzwangs to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) limit: usize,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

impl Stats {
    /// Goes through all positions and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        let named = std::slice::from_ref(&self.material);
        if xiangqi::game_of_tables(named, self.game, directory)? == Game::Xiangqi {
            return xiangqi::stats(&self, directory, out);
        }
        let material = input::material(&self.material)?;
        let tables = directory.open()?;
        let Some(results) = tables.table(&material, Metric::Wdl) else {
            return Err(directory.missing(&material, Metric::Wdl).into());
        };
        let draws = results.description()?.counts.map(|counts| counts.draw);
        let metrics = self.metrics(&material, directory, &tables)?;
        self.refuse_to_draw_nothing(metrics.is_empty(), "dtz,dtm")?;
        let distances = if metrics.is_empty() {
            0
        } else {
            collect::work(&material)
        };
        let bar = progress::bar(distances + zugzwang::work(&material), "indices");
        bar.set_message(material.to_string());
        let advance = |done| bar.inc(done);
        let zugzwangs = zugzwang::find(&tables, &material, self.limit, &advance);
        let statistics = zugzwangs.and_then(|zugzwangs| {
            let distances = match metrics.is_empty() {
                true => Statistics::default(),
                false => collect::collect(&tables, &material, &metrics, self.limit, &advance)?,
            };
            Ok((distances, zugzwangs))
        });
        bar.finish_and_clear();
        let (statistics, zugzwangs) = statistics?;
        let answer = Answer {
            material,
            draws,
            statistics,
            zugzwangs,
        };
        let sides = Color::ALL.into_iter().zip(&answer.statistics.sides);
        self.draw(sides.flat_map(|(color, side)| {
            let titled = [Metric::Dtz, Metric::Dtm].into_iter().filter_map(|metric| {
                let title = format!("{material}, {color} to move, {metric}");
                side.distances(metric).map(|distances| (title, distances))
            });
            titled.collect::<Vec<_>>()
        }))?;
        if self.json {
            writeln!(out, "{}", answer.to_json())?;
        } else {
            answer.print(self.limit, out)?;
        }
        Ok(Outcome::Done)
    }

    /// Ends with an error if there is nothing to draw and a drawing is wanted.
    pub(super) fn refuse_to_draw_nothing(&self, is_nothing: bool, metrics: &str) -> Result<()> {
        if self.svg.is_some() && is_nothing {
            bail!(
                "there are no distances to draw; leave out --svg, or add them with `retrograde generate {} \
                 --metric {metrics}` and choose them with --metric",
                self.material
            );
        }
        Ok(())
    }

    /// Draws titled histograms, if that is wanted.
    pub(super) fn draw<'a>(
        &self,
        titled: impl Iterator<Item = (String, &'a Distances)>,
    ) -> Result<()> {
        let Some(path) = &self.svg else {
            return Ok(());
        };
        std::fs::write(path, svg::draw(titled))
            .map_err(|error| anyhow!("cannot write {}: {error}; check --svg", path.display()))
    }

    /// The distances that are wanted: those that are there, if nothing is said.
    fn metrics(
        &self,
        material: &Material,
        directory: &TableDirectory,
        tables: &Tablebase,
    ) -> Result<Vec<Metric>> {
        let named: Vec<Metric> = (self.metric.iter())
            .map(|name| name.parse())
            .collect::<Result<_, _>>()?;
        let distances = [Metric::Dtz, Metric::Dtm].into_iter();
        // Syzygy tables have rounded distances, which would be counted as if they were exact.
        let is_there = |metric: &Metric| {
            let file = tables.table(material, *metric);
            file.is_some_and(|file| file.format() == Format::Native)
        };
        if named.is_empty() {
            return Ok(distances.filter(is_there).collect());
        }
        distances
            .filter(|metric| named.contains(metric))
            .map(|metric| match is_there(&metric) {
                true => Ok(metric),
                false => Err(directory.missing(material, metric).into()),
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
    zugzwangs: Found,
}

impl Answer {
    fn to_json(&self) -> Value {
        let side = |number: usize| {
            let side = &self.statistics.sides[number];
            let metric = |metric: Metric| side.distances(metric).map(Distances::to_json);
            json!({"draws": self.draws[number], "dtz": metric(Metric::Dtz), "dtm": metric(Metric::Dtm)})
        };
        json!({
            "material": self.material.to_string(),
            "white": side(0),
            "black": side(1),
            "mutual_zugzwangs": self.zugzwangs.to_json(self.material.is_symmetric(), "white"),
        })
    }

    fn print(&self, limit: usize, out: &mut dyn Write) -> Result<()> {
        for color in Color::ALL {
            let side: &SideStatistics = &self.statistics.sides[color.index()];
            for metric in [Metric::Dtz, Metric::Dtm] {
                if let Some(distances) = side.distances(metric) {
                    let title = format!("{}, {color} to move, {metric} in plies", self.material);
                    distances.print(&title, self.draws[color.index()], out)?;
                }
            }
        }
        let is_symmetric = self.material.is_symmetric();
        (self.zugzwangs).print(
            &self.material.to_string(),
            is_symmetric,
            "white",
            limit,
            out,
        )
    }
}
